//! Amplifier as the agent: the events that it sends to a hook, and the outcomes that it reads.

use serde_json::{Map, Value, json};

use super::NAME;
use super::encode::data;
use super::events::{self, field};
use crate::canonical::{self, Expressible};
use crate::{OutcomeView, WireAnswer, WireEvent, incoming, output, timestamp};
use hookweave_machine::action::Action;
use hookweave_machine::error::Error;

const EXPRESSIBLE: Expressible = Expressible {
    name: "Amplifier",
    ask: true,
    retry: false,
    modified: &[
        "args",
        "result",
        "prompt",
        "system_prompt",
        "tools",
        "response",
        "custom_instructions",
        "text",
        "suggestions",
    ],
};

/// An event as the engine knows it, from `{"event": name, "data": {…}}`.
pub(super) fn event(wire: &Value) -> Result<WireEvent, Error> {
    let name = wire.get("event").and_then(Value::as_str).unwrap_or_default();
    let Some(event) = events::event(name) else {
        return Err(incoming::refuse(NAME, format!("there is no event `{}`", output::shown(name))));
    };
    let Some(Value::Object(data)) = wire.get("data") else {
        let found = wire.get("data").map_or("missing", output::kind);
        return Err(incoming::refuse(NAME, format!("`data` must be an object, is {found}")));
    };
    let mut payload = Map::from_iter([("event_type".to_owned(), json!(event))]);
    let derived: &[&str] = if event == "PostToolUse" { &["success", "duration_ms"] } else { &[] };
    for (key, value) in data.iter().filter(|(key, _)| !derived.contains(&key.as_str())) {
        let name = field(event, key);
        let value = match (name, value) {
            ("timestamp", value) => timestamp::read(value).map_or_else(|| value.clone(), Value::from),
            ("result", value) => result(value, data),
            _ => value.clone(),
        };
        payload.entry(name.to_owned()).or_insert(value);
    }
    if payload.get("args").is_some_and(|args| !args.is_object()) {
        return Err(incoming::refuse(NAME, "`tool_input` must be an object"));
    }
    Ok(WireEvent { event, payload })
}

/// A tool's result, with what stands beside it in the data.
fn result(value: &Value, data: &Map<String, Value>) -> Value {
    let mut result = match value {
        Value::Object(fields) => fields.clone(),
        other => Map::from_iter([("output".to_owned(), other.clone())]),
    };
    for (inner, outer) in [("success", "success"), ("duration", "duration_ms")] {
        if let Some(value) = data.get(outer) {
            result.entry(inner.to_owned()).or_insert_with(|| value.clone());
        }
    }
    Value::Object(result)
}

/// An outcome as Amplifier reads it.
pub(super) fn answer(outcome: &OutcomeView<'_>) -> WireAnswer {
    let mut answer = WireAnswer::default();
    let mut refusal = canonical::refusal(outcome, &mut answer, EXPRESSIBLE);
    let is_modified = !outcome.modified.is_empty();
    if refusal.is_none() && outcome.decision == Action::Ask && is_modified {
        answer.degrade("modified: Amplifier takes a question or a change, not both; it is a block");
        let question = canonical::question(outcome);
        refusal = Some(format!("a changed event needs approval and cannot be asked about: {question}"));
    }
    let mut result = Map::new();
    let mut put = |name: &str, value: Value| _ = result.insert(name.to_owned(), value);
    let mut injects = false;
    if let Some(reason) = refusal {
        put("action", json!("deny"));
        put("reason", json!(reason));
    } else if outcome.decision == Action::Ask {
        let ask = canonical::one_ask(outcome, &mut answer);
        put("action", json!("ask_user"));
        for (ours, theirs) in
            [("prompt", "approval_prompt"), ("options", "approval_options"), ("default", "approval_default")]
        {
            ask.get(ours).into_iter().for_each(|value| put(theirs, value.clone()));
        }
        if let Some(milliseconds) = ask.get("timeout_ms").and_then(Value::as_f64) {
            put("approval_timeout", json!(milliseconds / 1000.0));
        }
    } else if is_modified {
        put("action", json!("modify"));
        put("data", Value::Object(data(outcome.event.event, outcome.payload)));
    } else if let Some(context) = outcome.context_text() {
        injects = true;
        put("action", json!("inject_context"));
        put("context_injection", json!(context));
        let injections = &outcome.injections;
        let first = injections.first().map(|first| first.role);
        let role = first.filter(|first| injections.iter().all(|injection| injection.role == *first));
        put("context_injection_role", json!(role.unwrap_or("system")));
        put("ephemeral", json!(injections.iter().all(|injection| injection.ephemeral)));
    } else {
        if outcome.decision == Action::Allow {
            answer.degrade("allow: Amplifier's hooks cannot grant; the action continues");
        }
        put("action", json!("continue"));
    }
    if !injects && outcome.context_text().is_some() {
        answer.degrade("injections: Amplifier takes one action, and a stronger one was needed; they are left out");
    }
    if let Some(text) = outcome.messages_text() {
        let has = |level: &&str| outcome.messages.iter().any(|message| message.level == *level);
        let level = ["error", "warning"].into_iter().find(has).unwrap_or("info");
        put("user_message", json!(text));
        put("user_message_level", json!(level));
    }
    if outcome.suppress_output {
        put("suppress_output", json!(true));
    }
    answer.with_output(result)
}
