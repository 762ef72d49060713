//! Logs to try things on.

use std::path::{Path, PathBuf};

use hookweave::audit::{AuditOptions, AuditRecord, AuditReport, Kind, read, verify};
use hookweave::{Engine, Event, HookResponse};
use serde_json::{Value, json};

pub(crate) use crate::support::{LONG, until};

pub(crate) struct Log {
    _folder: tempfile::TempDir,
    pub(crate) path: PathBuf,
}

impl Log {
    pub(crate) fn new() -> Self {
        // In memory where there is such a folder: a disk that others write to keeps a log waiting for longer than a decision waits.
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
        let path = folder.path().join("audit.jsonl");
        Self { _folder: folder, path }
    }

    pub(crate) fn config(&self) -> AuditOptions {
        AuditOptions::file(&self.path)
    }

    pub(crate) fn engine(&self, config: AuditOptions) -> Engine {
        Engine::builder().audit(config).build().unwrap()
    }

    /// A log of some dispatches, closed in good order: `2 + hooks + dispatches` records and more.
    pub(crate) fn written(dispatches: usize) -> Self {
        let log = Self::new();
        let engine = log.engine(log.config());
        engine.on("PreToolUse").name("quiet").run(|_: &Event| None::<HookResponse>).unwrap();
        for number in 0..dispatches {
            dispatch(&engine, &format!("echo {number}"));
        }
        assert!(engine.audit().close(LONG));
        log
    }

    pub(crate) fn records(&self) -> Vec<AuditRecord> {
        records(&self.path)
    }

    pub(crate) fn kinds(&self) -> Vec<Kind> {
        // Approvals are the user's, and other tests of this process give some.
        let of_others = |kind: &Kind| matches!(kind, Kind::TrustGiven | Kind::TrustTaken);
        self.records().iter().map(|record| record.kind).filter(|kind| !of_others(kind)).collect()
    }

    pub(crate) fn text(&self) -> String {
        std::fs::read_to_string(&self.path).unwrap()
    }

    pub(crate) fn verify(&self) -> AuditReport {
        verify(&self.path, None).unwrap()
    }

    pub(crate) fn folder(&self) -> &Path {
        self.path.parent().unwrap()
    }
}

pub(crate) fn records(path: &Path) -> Vec<AuditRecord> {
    read(path).unwrap().map(|line| line.unwrap().record().unwrap()).collect()
}

pub(crate) fn run<R>(future: impl Future<Output = R>) -> R {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

pub(crate) fn dispatch(engine: &Engine, command: &str) -> hookweave::Outcome {
    dispatch_with(engine, json!({"command": command}))
}

pub(crate) fn dispatch_with(engine: &Engine, args: Value) -> hookweave::Outcome {
    let event =
        Event::new("PreToolUse", json!({"tool": "Bash", "args": args, "session_id": "s1", "tool_use_id": "call-1"}));
    run(engine.dispatch(event)).unwrap()
}
