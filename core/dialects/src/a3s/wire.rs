//! A3S as the agent: the events that it sends to a hook, and the outcomes that it reads.

use serde_json::{Map, Value, json};

use super::NAME;
use super::events::{EVENTS, camel, snake};
use crate::canonical::{self, Expressible};
use crate::{OutcomeView, WireAnswer, WireEvent, incoming, output};
use hookweave_machine::action::Action;
use hookweave_machine::error::Error;

const EXPRESSIBLE: Expressible = Expressible {
    name: "A3S",
    ask: false,
    retry: true,
    modified: &["args", "prompt", "system_prompt", "tools", "response", "result", "custom_instructions"],
};

/// Reads an event that an A3S agent sends.
pub(super) fn event(wire: &Value) -> Result<WireEvent, Error> {
    let refuse = |why: String| Err(incoming::refuse(NAME, why));
    let Value::Object(wire) = wire else { return refuse(format!("must be an object, is {}", output::kind(wire))) };
    let key = if wire.contains_key("event_type") { "event_type" } else { "eventType" };
    let name = wire.get(key).and_then(Value::as_str).unwrap_or_default();
    let event = EVENTS.iter().find(|(theirs, _)| *theirs == name).map(|(_, event)| *event);
    let Some(known) = event.and_then(canonical::built_in) else {
        return refuse(format!("there is no event `{}`", output::shown(name)));
    };
    let mut payload = Map::from_iter([("event_type".to_owned(), json!(known.name))]);
    for (field, value) in wire.iter().filter(|(field, _)| *field != key) {
        let (field, value) = snake(known, field, value);
        payload.entry(field).or_insert(value);
    }
    if payload.get("args").is_some_and(|args| !args.is_object()) {
        return refuse("`args` must be an object".to_owned());
    }
    Ok(WireEvent { event: known.name, payload })
}

/// An outcome as an A3S agent reads it.
pub(super) fn answer(outcome: &OutcomeView<'_>) -> WireAnswer {
    let mut answer = WireAnswer::default();
    let mut refusal = canonical::refusal(outcome, &mut answer, EXPRESSIBLE);
    canonical::leave_out(outcome, &mut answer, EXPRESSIBLE);
    let known = canonical::built_in(outcome.event.event);
    let respell = |(field, value)| known.map(|known| camel(known, field, value));
    let modified: Map<String, Value> = canonical::modified(outcome).into_iter().filter_map(respell).collect();
    let is_request = outcome.event.event == "PermissionRequest";
    if is_request && refusal.is_none() && outcome.decision == Action::Continue {
        // There a `continue` grants: a hook without an opinion must not answer at all.
        if modified.is_empty() {
            return answer;
        }
        answer.degrade("modified: A3S would take the changed arguments for granted; it is a block");
        refusal = Some("a hook changed the arguments, and they are not approved".to_owned());
    }
    let mut response = Map::new();
    let mut put = |name: &str, value: Value| _ = response.insert(name.to_owned(), value);
    if let Some(reason) = refusal {
        put("action", json!("block"));
        put("reason", json!(reason));
        return answer.with_output(response);
    }
    if outcome.decision == Action::Retry {
        put("action", json!("retry"));
        put("delay", json!(outcome.delay_ms));
    } else {
        put("action", json!("continue"));
    }
    if !modified.is_empty() {
        put("modified", Value::Object(modified));
    }
    if outcome.decision == Action::Allow && !is_request {
        answer.degrade("allow: A3S's format cannot express it; the action continues");
    }
    answer.with_output(response)
}
