//! `hookweave run`: dispatches an event for real.

use std::time::Duration;

use clap::Args;
use hookweave_host::outcome::TraceEntry;
use serde_json::Value;

use crate::auditing::{self, AuditArgs};
use crate::clock::{nanos_since, now};
use crate::commands::list::{left_out, untrusted};
use crate::delegates;
use crate::drive::{Outcome, dispatch, outcome_json};
use crate::failed::{Result, Verdict};
use crate::input::EventArgs;
use crate::policy::Which;
use crate::recording::RecordArgs;
use crate::screen::{
    BAD, BOLD, Cell, DIM, GOOD, Room, Screen, Table, WARN, is_quiet, json, micros, shown, shown_lines, styled,
};

/// How long hooks that run in the background are waited for at the end.
pub(crate) const FAREWELL: Duration = Duration::from_secs(5);

/// Dispatch an event: run its hooks and show their answers
#[derive(Debug, Args)]
#[command(after_help = "The hooks really run. Exits with 1 if the event is blocked.")]
pub(crate) struct Run {
    /// Print the outcome's canonical form as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    event: EventArgs,

    #[command(flatten)]
    which: Which,

    #[command(flatten)]
    record: RecordArgs,

    #[command(flatten)]
    audit: AuditArgs,
}

impl Run {
    /// Runs the command.
    pub(crate) fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        let given = self.event.read()?;
        let (policy, _) = delegates::load(&self.which.to_act())?;
        left_out(&policy.report)?;
        let audit = self.audit.open()?;
        let began = now();
        let (mut outcome, envelope) = dispatch(&policy, &given.name, &given.payload)?;
        let took = nanos_since(began);
        auditing::record(audit.as_deref(), &mut outcome)?;
        let mut whole = outcome_json(&outcome, &envelope);
        self.record.add(None, &self.which, &given.payload, &outcome)?;
        if self.json {
            whole.insert("untrusted".to_owned(), serde_json::to_value(&policy.report.untrusted)?);
            json(screen, &whole)?;
        } else {
            show(screen, &outcome, took)?;
            if !policy.report.untrusted.is_empty() && !is_quiet() {
                writeln!(screen)?;
                let waiting: Vec<_> = policy.report.untrusted.iter().collect();
                untrusted(screen, &waiting, &self.which.directory())?;
            }
        }
        if !policy.runtime.drain(FAREWELL) {
            policy.runtime.shutdown(FAREWELL);
        }
        Ok(Verdict::of(!outcome.blocked()))
    }
}

/// Shows an outcome to a person.
pub(crate) fn show(screen: Screen<'_>, outcome: &Outcome, nanos: u64) -> Result<()> {
    let (style, word) = match outcome.decision().as_str() {
        word @ ("block" | "stop") => (BAD, word),
        word @ ("ask" | "retry") => (WARN, word),
        word => (GOOD, word),
    };
    let reason = outcome.reason().map(|reason| format!(": {}", shown(reason))).unwrap_or_default();
    let note = if outcome.decision().refuses() && !outcome.blocked() { " (it cannot be blocked any more)" } else { "" };
    #[expect(clippy::cast_precision_loss, reason = "microseconds for a reader")]
    let took = micros(nanos as f64 / 1000.0);
    let event = styled(BOLD, outcome.event().name());
    writeln!(screen, "{event}  {}{reason}{note}  {}", styled(style, word), styled(DIM, &took))?;
    if is_quiet() {
        return Ok(());
    }
    let trace = outcome.trace();
    if trace.is_empty() {
        return Ok(writeln!(screen, "  no hook was selected")?);
    }
    let mut table =
        Table::new(&[("hook", Room::Whole), ("result", Room::Wrap), ("took", Room::Whole), ("why", Room::Wrap)]);
    for entry in &trace {
        let (style, word) = came_to(entry);
        let why = entry.failure.as_ref().map(|failure| failure.message).or(entry.reason).or(entry.why);
        table.row([
            Cell::from(entry.hook),
            Cell::new(style, word),
            Cell::new(DIM, micros(entry.duration_us)),
            Cell::from(why.unwrap_or_default()),
        ]);
    }
    table.write(screen, 2)?;
    for field in outcome.modified() {
        let value = outcome.payload().get(field).map_or_else(String::new, Value::to_string);
        writeln!(screen, "{} {} = {}", styled(WARN, "changed"), shown(field), shown(&value))?;
    }
    for given in outcome.injections() {
        writeln!(screen, "{} {}", styled(WARN, "context"), shown_lines(&given.part.content))?;
    }
    for given in outcome.messages() {
        writeln!(screen, "{} {}", styled(WARN, "message"), shown_lines(&given.part.text))?;
    }
    for given in outcome.asks() {
        writeln!(
            screen,
            "{} {}",
            styled(WARN, "ask"),
            shown_lines(given.part.prompt.as_deref().or(outcome.reason()).unwrap_or_default())
        )?;
    }
    Ok(())
}

/// What became of a hook, in a word.
fn came_to(entry: &TraceEntry<'_>) -> (anstyle::Style, String) {
    use hookweave_host::dispatch::Status;
    if let Some(observed) = entry.observed {
        return (WARN, format!("would {} (observes, not enforced)", observed.action.as_str()));
    }
    if let Some(failure) = &entry.failure {
        return (BAD, format!("failed ({}), {}", failure.kind, failure.became.as_str()));
    }
    match entry.status {
        Status::Ran => {}
        status => {
            return (
                DIM,
                serde_json::to_value(status).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default(),
            );
        }
    }
    let word = entry.action.as_str();
    let style = match word {
        "block" | "stop" => BAD,
        "ask" | "retry" => WARN,
        _ => GOOD,
    };
    let word = if entry.modified.is_empty() {
        word.to_owned()
    } else {
        format!("{word}, changed {}", entry.modified.join(", "))
    };
    (style, if entry.void { format!("{word} (does not count)") } else { word })
}
