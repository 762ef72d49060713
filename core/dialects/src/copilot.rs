//! GitHub Copilot, the CLI and the cloud agent: two payload forms, chosen by how a file spells the event.

mod decode;
mod encode;
mod events;
mod wire;

use std::time::Duration;

use serde_json::Value;

use super::matching::{self, Target};
use super::{
    CommandOutput, Dialect, Encoded, Invocation, OutcomeView, Placement, RunKind, WebResponse, WireAnswer, WireEvent,
};
use events::{CopilotEvent, EVENTS, named};
use hookweave_machine::dispatch::{FailureKind, HandlerResult, HookFailure};
use hookweave_machine::error::Error;
use hookweave_machine::matcher::MatcherSpec;

/// The dialect's name.
const NAME: &str = "copilot";

/// The dialect of GitHub Copilot.
#[derive(Debug)]
pub struct Copilot;

/// Its one instance.
pub static COPILOT: Copilot = Copilot;

/// The matcher of one event. Those that other systems' files declare read it as Claude Code's do, or nearly.
fn matcher(known: &CopilotEvent, text: &str) -> Result<MatcherSpec, String> {
    if text.is_empty() || known.target == Target::Nothing {
        return Ok(MatcherSpec::default());
    }
    if !known.claude_matcher {
        return matching::pattern(known.target, &matching::anchored(text)?, NAME);
    }
    if matches!(text, "*" | "**") {
        Ok(MatcherSpec::default())
    } else if matching::is_plain(text) {
        matching::names(known.target, text, NAME)
    } else {
        let mut matcher = matching::pattern(known.target, &matching::anchored(text)?, NAME)?;
        // A pattern is held against Claude Code's names alone, and those are the engine's own.
        matcher.naming = None;
        Ok(matcher)
    }
}

impl Dialect for Copilot {
    fn name(&self) -> &'static str {
        NAME
    }

    fn parallel(&self) -> bool {
        false
    }

    fn place(&self, declared_event: &str, text: Option<&str>) -> Option<Result<Placement, String>> {
        let known = named(declared_event)?;
        let placed = matcher(known, text.unwrap_or_default());
        Some(placed.map(|matcher| Placement { event: known.event, matcher }))
    }

    fn events(&self) -> Vec<&'static str> {
        EVENTS.iter().map(|known| known.name).collect()
    }

    fn timeout(&self, _declared_event: &str, _kind: RunKind) -> Option<Duration> {
        Some(Duration::from_secs(30))
    }

    fn has(&self, kind: RunKind) -> bool {
        matches!(kind, RunKind::Command | RunKind::Webhook)
    }

    fn encode(&self, invocation: &Invocation) -> Encoded {
        Encoded { body: encode::body(invocation), env: Vec::new(), env_file: None }
    }

    fn decode(&self, invocation: &Invocation, exited: &CommandOutput) -> HandlerResult<Value> {
        decode::decode(invocation, exited)
    }

    fn decode_web(&self, invocation: &Invocation, answer: &WebResponse) -> HandlerResult<Value> {
        decode::decode_web(invocation, answer)
    }

    fn broken(&self, invocation: &Invocation, mut failure: HookFailure<Value>) -> HandlerResult<Value> {
        // A guard that cannot be started refuses; one that is too slow does not.
        failure.meant_to_restrict |= failure.kind == FailureKind::NotStarted && decode::guards(invocation);
        HandlerResult::Failed(failure)
    }

    fn event_from_wire(&self, wire: &Value) -> Result<WireEvent, Error> {
        wire::event(wire)
    }

    fn outcome_to_wire(&self, outcome: &OutcomeView<'_>) -> WireAnswer {
        wire::answer(outcome)
    }
}
