//! Recorded dispatches: one line of JSON each, without secrets unless somebody wants them.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use hookweave::audit::{REDACTED, Redaction};
use hookweave::host::now_ms;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::failed::{Failed, Result};
use crate::input::MAX_EVENT;

/// The version of the format.
const VERSION: u32 = 1;

/// Whether dispatches are recorded, and where.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Recording")]
pub(crate) struct RecordArgs {
    /// Add the event and its outcome to this file, for `hookweave replay`
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Record secrets too, which are blacked out otherwise
    #[arg(long, requires = "record")]
    with_secrets: bool,
}

/// One recorded dispatch.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Recorded {
    hookweave_record: u32,
    /// When, in milliseconds since the epoch.
    pub(crate) time_ms: u64,
    /// The agent that raised it, when it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<String>,
    /// The event.
    pub(crate) event: String,
    /// Its fields by the engine's names, as they came.
    pub(crate) payload: Map<String, Value>,
    /// What came of it.
    pub(crate) came: Came,
}

/// What is compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Came {
    /// The decision.
    pub(crate) decision: String,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// Final values of the fields that hooks changed.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(crate) modified: Map<String, Value>,
    /// What was added for the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) context: Vec<String>,
    /// The hooks that ran, each with what it came to.
    pub(crate) hooks: Vec<(String, String)>,
}

impl Came {
    /// Of an outcome in its canonical form.
    pub(crate) fn of(outcome: &Map<String, Value>) -> Self {
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let list = |name: &str| outcome.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        let event = outcome.get("event").and_then(Value::as_object).cloned().unwrap_or_default();
        let hook = |entry: &Value| {
            let failure = entry.get("failure").and_then(|failure| text(failure.get("kind")));
            let came = match failure {
                Some(kind) => format!("failed ({kind})"),
                None => text(entry.get("action")).unwrap_or_default(),
            };
            (text(entry.get("hook")).unwrap_or_default(), came)
        };
        let ran = |entry: &&Value| entry.get("status").is_none_or(|status| status != "skipped");
        let changed = |field: &Value| Some((field.as_str()?.to_owned(), event.get(field.as_str()?)?.clone()));
        Self {
            decision: text(outcome.get("decision")).unwrap_or_default(),
            reason: text(outcome.get("reason")),
            modified: list("modified").iter().filter_map(changed).collect(),
            context: list("injections").iter().filter_map(|part| text(part.get("content"))).collect(),
            hooks: list("trace").iter().filter(ran).map(hook).collect(),
        }
    }
}

impl RecordArgs {
    /// Adds a dispatch to the file, when there is one.
    pub(crate) fn add(
        &self,
        agent: Option<&str>,
        event: &str,
        payload: &Map<String, Value>,
        outcome: &Map<String, Value>,
    ) -> Result<()> {
        let Some(file) = &self.record else { return Ok(()) };
        let recorded = Recorded {
            hookweave_record: VERSION,
            time_ms: now_ms(),
            agent: agent.map(str::to_owned),
            event: event.to_owned(),
            payload: payload.clone(),
            came: Came::of(outcome),
        };
        let mut line = serde_json::to_value(recorded)?;
        if !self.with_secrets {
            Redaction::default().apply(&mut line)?;
        }
        // One write, so that processes that record at once do not mix their lines.
        let refuse = |error| Failed::file(file, format!("cannot be recorded to: {error}"));
        append(file, format!("{line}\n").as_bytes()).map_err(refuse)
    }
}

fn append(file: &Path, line: &[u8]) -> std::io::Result<()> {
    let mut options = File::options();
    options.append(true).create(true);
    // What agents do is nobody else's business.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)?.write_all(line)
}

impl Recorded {
    /// Whether secrets were blacked out of the event: hooks may decide otherwise without them.
    pub(crate) fn is_redacted(&self) -> bool {
        self.payload.values().any(|value| value.to_string().contains(REDACTED))
    }
}

/// Reads a file of recorded dispatches, line by line.
pub(crate) fn read(file: &Path) -> Result<impl Iterator<Item = Result<Recorded>>> {
    let open = File::open(file).map_err(|error| Failed::file(file, format!("cannot be read: {error}")))?;
    let mut lines = BufReader::new(open);
    let mut number = 0_usize;
    let file = file.to_path_buf();
    Ok(std::iter::from_fn(move || {
        loop {
            number += 1;
            let mut line = Vec::new();
            let refuse = |why: String| Some(Err(Failed::new(format!("{}:{number}: {why}", file.display()))));
            match lines.by_ref().take(MAX_EVENT).read_until(b'\n', &mut line) {
                Err(error) => return refuse(format!("cannot be read: {error}")),
                Ok(0) => return None,
                Ok(_) if line.iter().all(u8::is_ascii_whitespace) => {}
                Ok(_) => {
                    let read: std::result::Result<Recorded, _> = serde_json::from_slice(&line);
                    return match read {
                        Ok(recorded) if recorded.hookweave_record == VERSION => Some(Ok(recorded)),
                        Ok(other) => {
                            refuse(format!("version {}, and this program knows {VERSION}", other.hookweave_record))
                        }
                        Err(why) => refuse(format!("is no recorded dispatch: {why}")),
                    };
                }
            }
        }
    }))
}
