//! Google's Gemini CLI: event and tool names of its own, and a word for every exit code.

mod decode;
mod encode;
mod events;
mod mcp;
mod model;
mod wire;

use std::time::Duration;

use serde_json::Value;

use super::matching::{self, Target};
use super::{CommandOutput, Dialect, Encoded, Invocation, OutcomeView, Placement, RunKind, WireAnswer, WireEvent};
use events::{EVENTS, SELECTION, named, of};
use hookweave_machine::dispatch::HandlerResult;
use hookweave_machine::error::Error;
use hookweave_machine::matcher::MatcherSpec;

/// The dialect's name.
const NAME: &str = "gemini-cli";

/// The dialect of Gemini CLI.
#[derive(Debug)]
pub struct GeminiCli;

/// Its one instance.
pub static GEMINI_CLI: GeminiCli = GeminiCli;

impl Dialect for GeminiCli {
    fn name(&self) -> &'static str {
        NAME
    }

    fn parallel(&self) -> bool {
        true
    }

    fn place(&self, declared_event: &str, matcher: Option<&str>) -> Option<Result<Placement, String>> {
        let known = named(declared_event)?;
        let matcher = match (known.target, matcher.unwrap_or_default().trim()) {
            (_, "" | "*") | (Target::Nothing, _) => Ok(MatcherSpec::default()),
            // What is no regular expression is a name there, not an error.
            (Target::Tool, text) => matching::pattern(Target::Tool, &mcp::pattern(text), NAME)
                .or_else(|_| matching::pattern(Target::Tool, &matching::literal(text), NAME)),
            (target, text) => matching::pattern(target, &matching::literal(text), NAME),
        };
        Some(matcher.map(|matcher| Placement { event: known.event, matcher }))
    }

    fn events(&self) -> Vec<&'static str> {
        EVENTS.iter().map(|known| known.name).collect()
    }

    fn timeout(&self, _declared_event: &str, _kind: RunKind) -> Option<Duration> {
        // The file says milliseconds: 60,000 of them.
        Some(Duration::from_secs(60))
    }

    fn encode(&self, invocation: &Invocation) -> Encoded {
        Encoded { body: encode::body(invocation), env: encode::env(invocation), env_file: None }
    }

    fn is_idle(&self, invocation: &Invocation, field: &str, _value: &Value) -> bool {
        // A choice of tools is narrowed, never refused.
        matches!(field, "decision" | "continue") && of(invocation).is_some_and(|known| known.name == SELECTION)
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
