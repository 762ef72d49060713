//! Amplifier's hooks: functions of a program, whose events and results travel as JSON.

mod decode;
mod encode;
mod events;
mod wire;

use std::time::Duration;

use serde_json::Value;

use super::{CommandOutput, Dialect, Encoded, Invocation, OutcomeView, Placement, RunKind, WireAnswer, WireEvent};
use events::EVENTS;
use hookweave_machine::dispatch::HandlerResult;
use hookweave_machine::error::Error;
use hookweave_machine::matcher::MatcherSpec;

const NAME: &str = "amplifier";

/// The hooks of Amplifier.
#[derive(Debug)]
pub struct Amplifier;

/// The amplifier dialect.
pub static AMPLIFIER: Amplifier = Amplifier;

impl Dialect for Amplifier {
    fn name(&self) -> &'static str {
        NAME
    }

    fn parallel(&self) -> bool {
        false
    }

    fn place(&self, declared_event: &str, matcher: Option<&str>) -> Option<Result<Placement, String>> {
        let event = events::event(declared_event)?;
        Some(match matcher {
            None => Ok(Placement { event, matcher: MatcherSpec::default() }),
            Some(_) => Err("Amplifier's hooks have no matchers; look at the event's data in the hook".to_owned()),
        })
    }

    fn events(&self) -> Vec<&'static str> {
        EVENTS.iter().map(|(name, _)| *name).collect()
    }

    fn timeout(&self, _declared_event: &str, _kind: RunKind) -> Option<Duration> {
        None
    }

    fn encode(&self, invocation: &Invocation) -> Encoded {
        Encoded { body: encode::body(invocation), env: Vec::new(), env_file: None }
    }

    fn is_idle(&self, _invocation: &Invocation, field: &str, value: &Value) -> bool {
        // What of the data is a change has been looked at key by key.
        field == "action" && value == "modify"
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
