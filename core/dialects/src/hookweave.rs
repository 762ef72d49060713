//! The engine's own wire: the canonical event on standard input, the canonical answer on standard output.
//!
//! Its events are those of the catalogue.

mod decode;
mod encode;
mod wire;

use std::time::Duration;

use serde_json::{Map, Value};

use super::{
    CommandOutput, Dialect, Encoded, Invocation, OutcomeView, Placement, RunKind, WebResponse, WireAnswer, WireEvent,
    canonical,
};
use hookweave_machine::dispatch::HandlerResult;
use hookweave_machine::error::Error;
use hookweave_machine::event::BUILT_IN;
use hookweave_machine::matcher::MatcherSpec;
use hookweave_machine::pattern::Names;

/// The version of the wire; a reader refuses every other.
pub const VERSION: u64 = 1;

const NAME: &str = "hookweave";

/// The format for new hooks.
#[derive(Debug)]
pub struct Hookweave;

/// Our own dialect.
pub static HOOKWEAVE: Hookweave = Hookweave;

/// Takes the version off an object.
fn without_version(mut fields: Map<String, Value>) -> Result<Map<String, Value>, String> {
    match fields.shift_remove("hookweave") {
        Some(version) if version.as_u64() == Some(VERSION) => Ok(fields),
        None => Err("`hookweave` is missing; it names the version of the format".to_owned()),
        Some(other) => Err(format!("`hookweave` is {other}; this engine knows version {VERSION} only")),
    }
}

fn own((name, value): (impl AsRef<str>, &Value)) -> (String, Value) {
    (name.as_ref().to_owned(), value.clone())
}

impl Dialect for Hookweave {
    fn name(&self) -> &'static str {
        NAME
    }

    fn parallel(&self) -> bool {
        false
    }

    fn reads_patches(&self) -> bool {
        true
    }

    fn place(&self, declared_event: &str, matcher: Option<&str>) -> Option<Result<Placement, String>> {
        let known = canonical::built_in(declared_event)?;
        let has_tool = known.fields.iter().any(|field| field.name == "tool");
        let names = matcher.unwrap_or_default();
        if let Err(why) = if has_tool { Names::of_tools(names, true) } else { Names::new(names) } {
            return Some(Err(format!("matcher {why}")));
        }
        let matcher = match matcher.map(str::trim) {
            None | Some("" | "*") => MatcherSpec::default(),
            Some(names) if has_tool => MatcherSpec::default().tool(names),
            Some(names) if known.subtype.is_some() => MatcherSpec::default().source(names),
            Some(names) => {
                let why = "the event has neither a tool nor a subtype; take the matcher out";
                return Some(Err(format!("`{names}` cannot apply to {}: {why}", known.name)));
            }
        };
        Some(Ok(Placement { event: known.name, matcher }))
    }

    fn events(&self) -> Vec<&'static str> {
        BUILT_IN.iter().map(|event| event.name).collect()
    }

    fn timeout(&self, _declared_event: &str, kind: RunKind) -> Option<Duration> {
        Some(Duration::from_secs(match kind {
            RunKind::Webhook | RunKind::Prompt => 30,
            RunKind::Command | RunKind::McpTool | RunKind::Agent | RunKind::Decision => 60,
        }))
    }

    fn has(&self, _kind: RunKind) -> bool {
        true
    }

    fn encode(&self, invocation: &Invocation) -> Encoded {
        encode::encode(invocation)
    }

    fn decode(&self, invocation: &Invocation, exited: &CommandOutput) -> HandlerResult<Value> {
        decode::decode(invocation, exited)
    }

    fn decode_web(&self, invocation: &Invocation, answer: &WebResponse) -> HandlerResult<Value> {
        decode::decode_web(invocation, answer)
    }

    fn decode_hosted(&self, invocation: &Invocation, kind: RunKind, answer: &Value) -> HandlerResult<Value> {
        decode::decode_hosted(invocation, kind, answer)
    }

    fn event_from_wire(&self, wire: &Value) -> Result<WireEvent, Error> {
        wire::event(wire)
    }

    fn outcome_to_wire(&self, outcome: &OutcomeView<'_>) -> WireAnswer {
        wire::answer(outcome)
    }
}
