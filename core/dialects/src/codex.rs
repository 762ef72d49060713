//! Codex CLI: Claude Code's names with a strict reading of what hooks print.

mod decode;
mod encode;
mod events;
pub(crate) mod patch;
mod wire;

use std::time::Duration;

use serde_json::Value;

use super::matching::{self, Target};
use super::{CommandOutput, Dialect, Encoded, Invocation, OutcomeView, Placement, RunKind, WireAnswer, WireEvent};
use events::{EVENTS, known};
use hookweave_machine::dispatch::HandlerResult;
use hookweave_machine::error::Error;

/// The dialect's name.
const NAME: &str = "codex";

/// The dialect of Codex CLI.
#[derive(Debug)]
pub struct Codex;

/// Its one instance.
pub static CODEX: Codex = Codex;

impl Dialect for Codex {
    fn name(&self) -> &'static str {
        NAME
    }

    fn parallel(&self) -> bool {
        true
    }

    fn reads_patches(&self) -> bool {
        true
    }

    fn place(&self, declared_event: &str, matcher: Option<&str>) -> Option<Result<Placement, String>> {
        let (event, target) = known(declared_event)?;
        let matcher = match matcher.unwrap_or_default() {
            "" | "*" => Ok(hookweave_machine::matcher::MatcherSpec::default()),
            _ if target == Target::Nothing => Ok(hookweave_machine::matcher::MatcherSpec::default()),
            names if matching::is_plain(names) => matching::names(target, names, NAME),
            // Codex compiles with the very same library and rejects what needs lookaround or backreferences.
            text => match regex::Regex::new(text) {
                Ok(_) => matching::pattern(target, text, NAME),
                Err(_) => Err(format!("matcher `{text}` is no regular expression that Codex takes")),
            },
        };
        Some(matcher.map(|matcher| Placement { event, matcher }))
    }

    fn events(&self) -> Vec<&'static str> {
        EVENTS.iter().map(|(name, _)| *name).collect()
    }

    fn timeout(&self, declared_event: &str, _kind: RunKind) -> Option<Duration> {
        Some(Duration::from_secs(if declared_event == "SessionEnd" { 1 } else { 600 }))
    }

    fn encode(&self, invocation: &Invocation) -> Encoded {
        // No variable at all, not even `CLAUDE_PROJECT_DIR`; a plugin's own ones come with its file.
        Encoded { body: encode::body(invocation), env: Vec::new(), env_file: None }
    }

    fn is_idle(&self, invocation: &Invocation, field: &str, _value: &Value) -> bool {
        field == "continue" && invocation.event.name() == "SubagentStart"
    }

    fn decode(&self, invocation: &Invocation, exited: &CommandOutput) -> HandlerResult<Value> {
        decode::decode(invocation, exited)
    }

    fn event_from_wire(&self, wire: &Value) -> Result<WireEvent, Error> {
        wire::event(wire)
    }

    fn outcome_to_wire(&self, outcome: &OutcomeView<'_>) -> WireAnswer {
        wire::answer(outcome)
    }
}
