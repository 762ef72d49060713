//! A3S's hooks: functions of a program, whose events and responses travel as JSON in camelCase.

mod decode;
mod encode;
mod events;
mod wire;

use std::time::Duration;

use serde_json::Value;

use super::{
    CommandOutput, Dialect, Encoded, Invocation, OutcomeView, Placement, RunKind, WireAnswer, WireEvent, canonical,
    matching,
};
use events::EVENTS;
use hookweave_machine::dispatch::HandlerResult;
use hookweave_machine::error::Error;
use hookweave_machine::matcher::MatcherSpec;

const NAME: &str = "a3s";

/// The hooks of A3S.
#[derive(Debug)]
pub struct A3s;

/// The a3s dialect.
pub static A3S: A3s = A3s;

impl Dialect for A3s {
    fn name(&self) -> &'static str {
        NAME
    }

    fn parallel(&self) -> bool {
        true
    }

    fn place(&self, declared_event: &str, matcher: Option<&str>) -> Option<Result<Placement, String>> {
        let (_, event) = EVENTS.iter().copied().find(|(name, _)| *name == declared_event)?;
        let has_tool = canonical::built_in(event)?.fields.iter().any(|field| field.name == "tool");
        Some(match matcher {
            None => Ok(Placement { event, matcher: MatcherSpec::default() }),
            Some(tool) if !has_tool => {
                Err(format!("{declared_event} has no tool, so that `{tool}` never matches; take the matcher out"))
            }
            Some("") => Err("an empty tool name never matches; take the matcher out to match all".to_owned()),
            Some(tool) => {
                let exact = matching::literal(tool);
                Ok(Placement { event, matcher: MatcherSpec::default().tool_pattern(exact).naming(NAME) })
            }
        })
    }

    fn events(&self) -> Vec<&'static str> {
        EVENTS.iter().map(|(name, _)| *name).collect()
    }

    fn timeout(&self, _declared_event: &str, _kind: RunKind) -> Option<Duration> {
        Some(Duration::from_secs(5))
    }

    fn encode(&self, invocation: &Invocation) -> Encoded {
        Encoded { body: encode::body(invocation), env: Vec::new(), env_file: None }
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
