//! Cursor: an event for each kind of tool call beside one for all of them.

mod decode;
mod encode;
mod events;
mod wire;

use std::time::Duration;

use serde_json::Value;

use super::draft::failed;
use super::matching::{self, Target};
use super::{CommandOutput, Dialect, Encoded, Invocation, OutcomeView, Placement, RunKind, WireAnswer, WireEvent};
use events::{EVENTS, named};
use hookweave_machine::dispatch::{FailureKind, HandlerResult};
use hookweave_machine::error::Error;
use hookweave_machine::matcher::MatcherSpec;

/// The dialect's name.
const NAME: &str = "cursor";

/// The dialect of Cursor.
#[derive(Debug)]
pub struct Cursor;

/// Its one instance.
pub static CURSOR: Cursor = Cursor;

impl Dialect for Cursor {
    fn name(&self) -> &'static str {
        NAME
    }

    fn wants_content(&self, declared_event: &str) -> bool {
        declared_event == "beforeReadFile"
    }

    fn parallel(&self) -> bool {
        true
    }

    fn place(&self, declared_event: &str, matcher: Option<&str>) -> Option<Result<Placement, String>> {
        let known = named(declared_event)?;
        let mut placed = match matcher.unwrap_or_default() {
            "" | "*" => Ok(MatcherSpec::default()),
            text if known.target == Target::Tool => matching::pattern(known.target, &with_servers(text), NAME),
            text => matching::pattern(known.target, text, NAME),
        };
        if let (Ok(matcher), Some(tools)) = (&mut placed, known.tools) {
            matcher.tool = Some(tools.to_owned());
        }
        Some(placed.map(|matcher| Placement { event: known.event, matcher }))
    }

    fn events(&self) -> Vec<&'static str> {
        EVENTS.iter().map(|known| known.name).collect()
    }

    fn timeout(&self, _declared_event: &str, _kind: RunKind) -> Option<Duration> {
        // Cursor calls its own default that of the platform and gives no number.
        Some(Duration::from_secs(60))
    }

    fn has(&self, kind: RunKind) -> bool {
        matches!(kind, RunKind::Command | RunKind::Prompt)
    }

    fn encode(&self, invocation: &Invocation) -> Encoded {
        Encoded { body: encode::body(invocation), env: encode::env(invocation), env_file: None }
    }

    fn is_idle(&self, invocation: &Invocation, field: &str, value: &Value) -> bool {
        decode::is_idle(invocation, field, value)
    }

    fn decode(&self, invocation: &Invocation, exited: &CommandOutput) -> HandlerResult<Value> {
        decode::decode(invocation, exited)
    }

    fn decode_hosted(&self, invocation: &Invocation, kind: RunKind, answer: &Value) -> HandlerResult<Value> {
        if kind == RunKind::Prompt {
            return decode::judged(invocation, answer);
        }
        failed(FailureKind::InvalidAnswer, format!("{NAME} has no hooks of kind {kind:?}"))
    }

    fn event_from_wire(&self, wire: &Value) -> Result<WireEvent, Error> {
        wire::event(wire)
    }

    fn outcome_to_wire(&self, outcome: &OutcomeView<'_>) -> WireAnswer {
        wire::answer(outcome)
    }
}

/// A pattern over Cursor's `MCP:<tool>` finds the engine's `mcp__<server>__<tool>` too.
fn with_servers(pattern: &str) -> String {
    pattern.replace("MCP:", "(?:MCP:|mcp__.+?__)")
}
