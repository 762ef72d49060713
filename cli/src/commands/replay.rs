//! `hookweave replay`: recorded dispatches against the hooks of now.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::commands::run::FAREWELL;
use crate::drive::{Deadline, dispatch, outcome_json};
use crate::failed::{Result, Verdict};
use crate::policy::{Policy, Which};
use crate::recording::{Came, Recorded, read};
use crate::screen::{BAD, BOLD, DIM, GOOD, Screen, WARN, count, json, shown, styled};

/// Replay recorded dispatches against the hooks of now and show what would differ
#[derive(Debug, Args)]
#[command(after_help = "\
Record with `hookweave hook --record FILE` or `hookweave run --record FILE`.
The hooks really run. Exits with 1 when anything differs.")]
pub(crate) struct Replay {
    /// The recorded dispatches
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    which: Which,

    /// Print JSON for programs
    #[arg(long)]
    json: bool,
}

/// What became of the file.
#[derive(Default)]
struct Tally {
    same: usize,
    different: usize,
    redacted: usize,
}

impl Replay {
    /// Runs the command.
    pub(crate) fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        let policy = Policy::load(&self.which)?;
        let mut tally = Tally::default();
        let mut rows = Vec::new();
        for (at, recorded) in read(&self.file)?.enumerate() {
            let recorded = recorded?;
            let outcome = dispatch(&policy, &recorded.event, recorded.payload.clone(), Deadline::within(None))?;
            let now = Came::of(&outcome_json(&outcome));
            let differences = differences(&recorded.came, &now);
            let redacted = recorded.is_redacted();
            tally.redacted += usize::from(redacted);
            if differences.is_empty() {
                tally.same += 1;
                continue;
            }
            tally.different += 1;
            if self.json {
                let row = json!({
                    "number": at + 1, "event": recorded.event, "payload": recorded.payload, "redacted": redacted,
                    "recorded": recorded.came, "now": now,
                });
                rows.push(row);
            } else {
                show(screen, at + 1, &recorded, &differences, redacted)?;
            }
        }
        if !policy.runtime.drain(FAREWELL) {
            policy.runtime.shutdown(FAREWELL);
        }
        if self.json {
            let whole = json!({"same": tally.same, "different": tally.different, "redacted": tally.redacted, "differences": rows});
            json(screen, &whole)?;
        } else {
            let total = format!("{} the same, {} different", tally.same, tally.different);
            writeln!(screen, "{}", styled(if tally.different > 0 { BAD } else { GOOD }, &total))?;
            if tally.redacted > 0 {
                let what = format!("{} had secrets in it that were blacked out", count(tally.redacted, "event"));
                writeln!(screen, "{}", styled(WARN, &what))?;
            }
        }
        Ok(Verdict::of(tally.different == 0))
    }
}

/// What is other than it was: the name, then, now.
fn differences(then: &Came, now: &Came) -> Vec<(&'static str, Value, Value)> {
    let mut found = Vec::new();
    let mut compare = |name: &'static str, then: Value, now: Value| {
        if then != now {
            found.push((name, then, now));
        }
    };
    compare("decision", json!(then.decision), json!(now.decision));
    compare("reason", json!(then.reason), json!(now.reason));
    compare("modified", json!(then.modified), json!(now.modified));
    compare("context", json!(then.context), json!(now.context));
    compare("hooks", json!(then.hooks), json!(now.hooks));
    found
}

fn show(
    screen: Screen<'_>,
    number: usize,
    recorded: &Recorded,
    differences: &[(&'static str, Value, Value)],
    redacted: bool,
) -> Result<()> {
    let tool = recorded.payload.get("tool").and_then(Value::as_str).unwrap_or_default();
    let args = recorded.payload.get("args").map(Value::to_string).unwrap_or_default();
    let note = if redacted { styled(WARN, " (secrets blacked out)") } else { String::new() };
    let event = styled(BOLD, &recorded.event);
    writeln!(screen, "#{number} {event} {} {}{note}", shown(tool), styled(DIM, &args))?;
    for (name, then, now) in differences {
        let (then, now) = (shown(&then.to_string()), shown(&now.to_string()));
        writeln!(screen, "  {name}: {} {then} {} {now}", styled(DIM, "was"), styled(DIM, "is"))?;
    }
    Ok(())
}
