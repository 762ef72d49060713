//! An agent that speaks the engine's own wire: the events that it sends, and the outcomes that it reads.

use serde_json::{Map, Value, json};

use super::{NAME, own, without_version};
use crate::{OutcomeView, WireAnswer, WireEvent, canonical, incoming, output};
use hookweave_machine::action::Action;
use hookweave_machine::error::Error;
use hookweave_machine::event::COMMON_FIELDS;
use hookweave_machine::payload::Host;

/// Reads an event in the engine's own form.
pub(super) fn event(wire: &Value) -> Result<WireEvent, Error> {
    let refuse = |why: String| Err(incoming::refuse(NAME, why));
    let Value::Object(fields) = wire else {
        return refuse(format!("must be an object, is {}", output::kind(wire)));
    };
    let mut payload = without_version(fields.clone()).map_err(|why| incoming::refuse(NAME, why))?;
    let name = payload.get("event_type").and_then(Value::as_str);
    let Some(known) = name.and_then(canonical::built_in) else {
        return refuse(format!(
            "`event_type` must name an event of the catalogue, not `{}`",
            output::shown(name.unwrap_or_default())
        ));
    };
    for field in known.fields.iter().chain(COMMON_FIELDS) {
        let given = payload.get(field.name).filter(|value| !value.is_null());
        if let Some(value) = given.filter(|value| !field.kind.accepts(&hookweave_machine::json::Json.kind(value))) {
            let (name, wanted) = (field.name, field.kind.as_str());
            return refuse(format!("`{name}` must be of type {wanted}, is {}", output::kind(value)));
        }
    }
    payload.insert("event_type".to_owned(), json!(known.name));
    Ok(WireEvent { event: known.name, payload })
}

/// An outcome in the engine's own form.
pub(super) fn answer(outcome: &OutcomeView<'_>) -> WireAnswer {
    let mut answer = WireAnswer::default();
    let mut output = Map::new();
    let mut put = |name: &str, value: Value| _ = output.insert(name.to_owned(), value);
    if outcome.decision != Action::Continue {
        put("action", json!(outcome.decision));
    }
    if let Some(reason) = &outcome.reason {
        put("reason", json!(reason));
    }
    let modified: Map<String, Value> = canonical::modified(outcome).into_iter().map(own).collect();
    if !modified.is_empty() {
        put("modified", Value::Object(modified));
    }
    if !outcome.injections.is_empty() {
        put("inject", json!(outcome.injections));
    }
    if !outcome.messages.is_empty() {
        put("message", json!(outcome.messages));
    }
    if outcome.decision == Action::Ask {
        put("ask", Value::Object(canonical::one_ask(outcome, &mut answer)));
    }
    if outcome.decision == Action::Retry && outcome.delay_ms > 0 {
        put("delay_ms", json!(outcome.delay_ms));
    }
    if outcome.suppress_output {
        put("suppress_output", json!(true));
    }
    if !outcome.ext.is_empty() {
        put("ext", Value::Object(outcome.ext.clone()));
    }
    answer.with_output(output)
}
