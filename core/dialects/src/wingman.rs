//! Wingman's hooks: three events, an exit code, and nothing that is read from standard output.

mod decode;
mod encode;
mod events;
mod wire;

use std::time::Duration;

use serde_json::Value;

use super::{CommandOutput, Dialect, Encoded, Invocation, OutcomeView, Placement, RunKind, WireAnswer, WireEvent};
use events::{EVENTS, tool_matcher};
use hookweave_machine::dispatch::HandlerResult;
use hookweave_machine::error::Error;
use hookweave_machine::matcher::MatcherSpec;

const NAME: &str = "wingman";

/// The hooks of Wingman.
#[derive(Debug)]
pub struct Wingman;

/// The wingman dialect.
pub static WINGMAN: Wingman = Wingman;

impl Dialect for Wingman {
    fn name(&self) -> &'static str {
        NAME
    }

    fn parallel(&self) -> bool {
        false
    }

    fn detached_in_order(&self) -> bool {
        true
    }

    fn place(&self, declared_event: &str, matcher: Option<&str>) -> Option<Result<Placement, String>> {
        let event = EVENTS.iter().copied().find(|event| *event == declared_event)?;
        let spec = match matcher {
            Some(matcher) if event != "Stop" => tool_matcher(matcher),
            _ => Ok(MatcherSpec::default()),
        };
        Some(spec.map(|matcher| Placement { event, matcher }))
    }

    fn events(&self) -> Vec<&'static str> {
        EVENTS.to_vec()
    }

    fn timeout(&self, _declared_event: &str, _kind: RunKind) -> Option<Duration> {
        Some(Duration::from_secs(60))
    }

    fn encode(&self, invocation: &Invocation) -> Encoded {
        Encoded { body: encode::body(invocation), env: Vec::new(), env_file: None }
    }

    fn may_refuse(&self, _invocation: &Invocation) -> bool {
        // The exit code alone decides: a hook's output is not read.
        false
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
