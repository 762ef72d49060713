//! The engine inside another agent: an event comes in that agent's words, and the outcome goes out in them.

use serde_json::{Map, Value};

use super::incoming::refuse;
use super::{Dialect, OutcomeValues, OutcomeView, WireAnswer, WireEvent, named};
use hookweave_machine::answer::Message;
use hookweave_machine::error::{Code, Error};
use hookweave_machine::event::{BUILT_IN, CatalogueEntry};
use hookweave_machine::outcome::Outcome;

/// Reads the JSON text that an agent sends to its hooks; [`Code::InvalidWireEvent`] says what is not of that agent.
pub fn event_from_wire(dialect: &str, text: &str) -> Result<WireEvent, Error> {
    let dialect = named(dialect)?;
    let wire = super::output::from_agent(text)
        .map_err(|why| Error::new(Code::InvalidWireEvent, format!("what {} sent is no JSON: {why}", dialect.name())))?;
    let event = dialect.event_from_wire(&wire)?;
    has_its_subject(&event).map_err(|why| refuse(dialect.name(), why)).map(|()| event)
}

/// Says what a gate of tool calls lacks: one that does not know what is to run cannot judge it.
fn has_its_subject(WireEvent { event, payload }: &WireEvent) -> Result<(), String> {
    let judges = |known: &CatalogueEntry| known.gate && known.fields.iter().any(|field| field.name == "tool");
    if !BUILT_IN.iter().any(|known| known.name == *event && judges(known)) {
        return Ok(());
    }
    let is_named = payload.get("tool").and_then(Value::as_str).is_some_and(|tool| !tool.is_empty());
    if !is_named {
        return Err(format!("{event} names no tool"));
    }
    if payload.contains_key("args") {
        Ok(())
    } else {
        Err(format!("{event} does not say what the tool is called with"))
    }
}

/// The output of a hook for its agent: the exit code, stdout and stderr that mean the outcome.
///
/// `warnings` are further messages for the user. What the dialect cannot express becomes stricter, with a remark in
/// [`WireAnswer::degraded`].
///
/// # Errors
/// [`Code::InvalidWireEvent`] for an event of the program's own, [`Code::UnknownDialect`].
pub fn encode_outcome<T, V>(
    dialect: &str,
    outcome: &Outcome<T, V>,
    values: &OutcomeValues,
    warnings: Vec<String>,
) -> Result<WireAnswer, Error> {
    let dialect = named(dialect)?;
    let event = event_as_it_came(dialect, outcome.event().name(), &values.payload, &values.original)?;
    let mut view = OutcomeView::of(&event, values, outcome);
    view.messages.extend(warnings.into_iter().map(warning));
    Ok(encode(dialect, view))
}

/// The same from the canonical form of an outcome, with its final event and, under `original`, the former values of the
/// fields that hooks changed.
///
/// # Errors
/// [`Code::InvalidPayload`] for an outcome without an event or with an unknown decision, and those of [`encode_outcome`].
pub fn outcome_to_wire(dialect: &str, outcome: &Value) -> Result<WireAnswer, Error> {
    let dialect = named(dialect)?;
    let refuse = |what: &str| Error::new(Code::InvalidPayload, format!("an outcome's canonical form has {what}"));
    let outcome = outcome.as_object().ok_or_else(|| refuse("fields; it is an object"))?;
    let payload = outcome.get("event").and_then(Value::as_object).ok_or_else(|| refuse("an `event`"))?;
    let name = payload.get("event_type").and_then(Value::as_str).unwrap_or_default();
    let none = Map::new();
    let original = outcome.get("original").and_then(Value::as_object).unwrap_or(&none);
    let event = event_as_it_came(dialect, name, payload, original)?;
    Ok(encode(dialect, OutcomeView::read(&event, payload, outcome)?))
}

fn event_as_it_came(
    dialect: &dyn Dialect,
    name: &str,
    payload: &Map<String, Value>,
    original: &Map<String, Value>,
) -> Result<WireEvent, Error> {
    let built_in = BUILT_IN.iter().find(|known| known.name == name);
    let Some(event) = built_in.map(|known| known.name) else {
        let why = format!("{} has no event `{name}`, so no hook of it could answer", dialect.name());
        return Err(Error::new(Code::InvalidWireEvent, why));
    };
    let mut payload = payload.clone();
    payload.extend(original.clone());
    Ok(WireEvent { event, payload })
}

/// Encodes an outcome; the user is informed of hooks that failed and let the action continue, as the agent would show them.
fn encode(dialect: &dyn Dialect, mut outcome: OutcomeView<'_>) -> WireAnswer {
    let failed_open = std::mem::take(&mut outcome.failed_open);
    outcome.messages.extend(failed_open.iter().cloned().map(warning));
    let mut answer = dialect.outcome_to_wire(&outcome);
    // With another code the agent takes what stands there for the reason of a refusal.
    if answer.exit_code == 0 && !failed_open.is_empty() {
        let lines = answer.stderr.lines().map(str::to_owned).chain(failed_open);
        answer.stderr = lines.collect::<Vec<_>>().join("\n");
    }
    answer
}

fn warning(text: String) -> Message {
    Message { text, level: "warning" }
}
