//! When the log cannot be written, or not quickly enough.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hookweave::Permission;
use hookweave::audit::{AuditLevel, AuditOptions, Kind, Sink};
use hookweave::{Code, Engine, Event, HookResponse, ToolResult};
use serde_json::{Value, json};

use crate::audit::support::{LONG, Log, dispatch, run, until};

/// Takes records or refuses them, as the test sets it.
#[derive(Clone, Default)]
struct Gate {
    shut: Arc<Mutex<()>>,
    refuses: Arc<AtomicBool>,
}

impl Sink for Gate {
    fn take(&self, _: &str) -> Result<(), String> {
        drop(self.shut.lock().unwrap());
        if self.refuses.load(Ordering::Relaxed) { Err("no".into()) } else { Ok(()) }
    }
}

fn quiet(engine: &Engine) {
    engine.on("PreToolUse").name("quiet").run(|_: &Event| None::<HookResponse>).unwrap();
}

#[test]
fn a_full_queue_is_waited_for_once_and_what_is_lost_is_counted() {
    let log = Log::new();
    let gate = Gate::default();
    let engine = log.engine(log.config().sink(gate.clone()).queue(8).wait(Duration::from_secs(1)));
    quiet(&engine);
    assert!(engine.flush_audit(LONG));
    let shut = gate.shut.lock().unwrap();
    let began = Instant::now();
    for number in 0..100 {
        assert!(!dispatch(&engine, &format!("echo {number}")).blocked(), "what is not required blocks nothing");
    }
    let took = began.elapsed();
    assert!(took >= Duration::from_secs(1), "it waits for room");
    assert!(took < Duration::from_secs(60), "and not for each: {took:?}");
    drop(shut);
    assert!(engine.audit().close(LONG));
    let report = log.verify();
    let finished = log.kinds().iter().filter(|kind| **kind == Kind::HookFinished).count() as u64;
    assert!(report.whole && report.lost > 0);
    assert_eq!(finished + report.lost, 100);
}

#[test]
fn nobody_waits_longer_than_a_second() {
    let log = Log::new();
    let gate = Gate::default();
    let config = log.config().sink(gate.clone()).queue(1).wait(Duration::from_secs(3600));
    let engine = log.engine(config);
    quiet(&engine);
    assert!(engine.flush_audit(LONG));
    let shut = gate.shut.lock().unwrap();
    let began = Instant::now();
    for _ in 0..5 {
        dispatch(&engine, "ls");
    }
    let took = began.elapsed();
    drop(shut);
    assert!(took >= Duration::from_secs(1) && took < LONG, "{took:?}");
}

#[test]
fn a_required_log_blocks_gates_that_cannot_be_recorded() {
    let gate = Gate::default();
    let log = Log::new();
    let engine = log.engine(log.config().required().sink(gate.clone()));
    quiet(&engine);
    engine.on("PostToolUse").name("after").run(|_: &Event| None::<HookResponse>).unwrap();
    assert!(!dispatch(&engine, "ls").blocked());
    gate.refuses.store(true, Ordering::Relaxed);
    dispatch(&engine, "ls");
    assert!(engine.flush_audit(LONG));
    let outcome = dispatch(&engine, "ls");
    assert!(outcome.blocked());
    assert_eq!(outcome.decision().as_str(), "block");
    assert!(outcome.reason().unwrap().contains("audit"), "{:?}", outcome.reason());
    assert_eq!(outcome.to_json()["blocked"], json!(true));
    // What has happened already cannot be blocked.
    let after = Event::new("PostToolUse", json!({"tool": "Bash", "args": {}, "result": {}}));
    assert!(!run(engine.dispatch(after)).unwrap().blocked());
    // A tool of a session does not run, also when no hook looks at it.
    let session = engine.session().permission("*", Permission::Allow).open().unwrap();
    let ran = run(session.run_tool("Other", json!({}), |_| async { Ok(ToolResult::from(Value::Null)) })).unwrap();
    assert!(!ran.ran && ran.reason.unwrap().contains("audit"));
    gate.refuses.store(false, Ordering::Relaxed);
    dispatch(&engine, "ls");
    assert!(engine.flush_audit(LONG));
    assert!(!dispatch(&engine, "ls").blocked(), "it goes on when the log does");
}

#[test]
fn a_sink_that_panics_does_not_end_the_log() {
    let log = Log::new();
    let engine = log.engine(log.config().sink(|_: &str| panic!("a mistake")));
    quiet(&engine);
    dispatch(&engine, "ls");
    assert!(engine.audit().close(LONG));
    assert_eq!(log.kinds().last(), Some(&Kind::AuditClosed));
}

#[test]
fn paths_that_cannot_be_a_log_are_refused() {
    let log = Log::new();
    let refused = |path: &std::path::Path| {
        let error = Engine::builder().audit(AuditOptions::file(path)).build().unwrap_err();
        assert_eq!(error.code(), Code::AuditFailed);
        assert!(error.message().contains(path.to_str().unwrap()), "{error}");
        error.message().to_owned()
    };
    refused(log.folder());
    std::fs::write(&log.path, "my diary\n").unwrap();
    assert!(refused(&log.path).contains("is no audit log"));
    assert_eq!(log.text(), "my diary\n");
    #[cfg(unix)]
    {
        let link = log.folder().join("link.jsonl");
        std::os::unix::fs::symlink(log.folder().join("target"), &link).unwrap();
        assert!(refused(&link).contains("it is a link"));
        assert!(refused(std::path::Path::new("/dev/null")).contains("no regular file"));
        let twice = log.folder().join("twice.jsonl");
        std::fs::write(&twice, "").unwrap();
        std::fs::hard_link(&twice, log.folder().join("other.jsonl")).unwrap();
        assert!(refused(&twice).contains("a second name (a hard link)"));
    }
}

#[cfg(unix)]
#[test]
fn the_log_is_for_its_user_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let log = Log::new();
    let path = log.folder().join("deep").join("audit.jsonl");
    let engine = log.engine(AuditOptions::file(&path));
    assert!(engine.flush_audit(LONG));
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
}

#[test]
fn a_file_that_somebody_takes_away_is_noticed_and_the_chain_goes_on() {
    for renamed in [false, true] {
        let log = Log::new();
        let engine = log.engine(log.config());
        quiet(&engine);
        dispatch(&engine, "before");
        assert!(engine.flush_audit(LONG));
        let taken = log.folder().join("taken.jsonl");
        std::fs::rename(&log.path, &taken).unwrap();
        let before = std::fs::read_to_string(&taken).unwrap();
        if !renamed {
            std::fs::remove_file(&taken).unwrap();
        }
        let begun = || {
            dispatch(&engine, "meanwhile");
            log.path.exists()
        };
        assert!(until(begun), "a new file is begun");
        dispatch(&engine, "after");
        assert!(engine.audit().close(LONG));
        assert!(log.kinds().contains(&Kind::AuditReplaced));
        let report = log.verify();
        assert!(!report.whole && report.problems[0].seq == 1, "{report:?}");
        if renamed {
            // Put together again, the chain is whole.
            let mut whole = std::fs::read_to_string(&taken).unwrap();
            assert!(whole.starts_with(&before));
            whole.push_str(&log.text());
            std::fs::write(&log.path, whole).unwrap();
            assert!(log.verify().whole, "{:?}", log.verify());
        }
    }
}

#[test]
fn the_level_alone_sends_records_to_the_log_of_the_program() {
    let engine = Engine::new();
    engine.set_hook_audit_level(AuditLevel::Verbose).unwrap();
    quiet(&engine);
    dispatch(&engine, "ls");
    assert!(engine.flush_audit(LONG));
    assert_eq!(engine.audit().anchor().unwrap().seq, 4);
    engine.set_hook_audit_level(AuditLevel::Off).unwrap();
    assert_eq!(engine.audit().effective(), AuditLevel::Off);
}
