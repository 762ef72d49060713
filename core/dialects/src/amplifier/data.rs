//! Event names and data of Amplifier, and which of the engine's fields stand under which of its keys.

use serde_json::{Map, Value, json};

use super::NAME;
use crate::{WireEvent, incoming, output, timestamp};
use hookweave_machine::error::Error;

/// Amplifier's event names with the engine's; the first of an event is the one that is sent.
pub(super) const EVENTS: &[(&str, &str)] = &[
    ("session:start", "SessionStart"),
    ("session:end", "SessionEnd"),
    ("prompt:submit", "UserPromptSubmit"),
    ("provider:request", "GenerateStart"),
    ("provider:response", "GenerateEnd"),
    ("error:provider", "GenerateError"),
    ("provider:error", "GenerateError"),
    ("tool:pre", "PreToolUse"),
    ("tool:post", "PostToolUse"),
    ("tool:error", "PostToolUseFailure"),
    ("error:tool", "PostToolUseFailure"),
    ("decision:tool_resolution", "ToolResolution"),
    ("orchestrator:complete", "Stop"),
    ("error:orchestrator", "StopFailure"),
    ("error:orchestration", "StopFailure"),
    ("agent:spawn", "SubagentStart"),
    ("agent:complete", "SubagentStop"),
    ("context:pre_compact", "PreCompact"),
    ("context:pre-compact", "PreCompact"),
    ("context:post_compact", "PostCompact"),
    ("user:notification", "Notification"),
];

/// Fields with another name in the data: the event or `*`, the engine's name, Amplifier's.
const KEYS: &[(&str, &str, &str)] = &[
    ("PreToolUse", "tool", "tool_name"),
    ("PostToolUse", "tool", "tool_name"),
    ("PostToolUseFailure", "tool", "tool_name"),
    ("ToolResolution", "tool", "selected_tool"),
    ("ToolResolution", "candidates", "available_tools"),
    ("*", "args", "tool_input"),
    ("*", "result", "tool_result"),
    ("*", "tool_use_id", "tool_call_id"),
    ("*", "duration", "duration_ms"),
    ("*", "last_message", "final_message"),
    ("*", "kind", "notification_type"),
    ("*", "agent_type", "agent_name"),
];

/// Amplifier's key of a field.
pub(super) fn key<'f>(event: &str, field: &'f str) -> &'f str {
    let here = |row: &&(&str, &str, &'static str)| (row.0 == event || row.0 == "*") && row.1 == field;
    KEYS.iter().find(here).map_or(field, |row| row.2)
}

/// The engine's field under a key.
fn field<'k>(event: &str, key: &'k str) -> &'k str {
    let here = |row: &&(&str, &'static str, &str)| (row.0 == event || row.0 == "*") && row.2 == key;
    KEYS.iter().find(here).map_or(key, |row| row.1)
}

/// The engine's name of an event.
pub(super) fn event(name: &str) -> Option<&'static str> {
    EVENTS.iter().find(|(theirs, _)| *theirs == name).map(|(_, event)| *event)
}

/// Amplifier's name of an event.
pub(super) fn event_name(event: &str) -> Option<&'static str> {
    EVENTS.iter().find(|(_, ours)| *ours == event).map(|(theirs, _)| *theirs)
}

/// The data of an event as a hook receives it.
pub(super) fn data(event: &str, payload: &Map<String, Value>) -> Map<String, Value> {
    let mut data = Map::new();
    for (name, value) in payload.iter().filter(|(name, _)| *name != "event_type") {
        let value = match (name.as_str(), value.as_i64()) {
            // As Python writes a time in UTC.
            ("timestamp", Some(milliseconds)) => json!(timestamp::iso(milliseconds).replace('Z', "+00:00")),
            ("metadata", _) if *value == json!({}) => continue,
            _ => value.clone(),
        };
        data.entry(key(event, name).to_owned()).or_insert(value);
    }
    if let Some(Value::Object(result)) = payload.get("result") {
        for (inner, outer) in [("success", "success"), ("duration", "duration_ms")] {
            if let Some(value) = result.get(inner) {
                data.entry(outer.to_owned()).or_insert_with(|| value.clone());
            }
        }
    }
    data
}

/// An event as the engine knows it, from `{"event": name, "data": {…}}`.
pub(super) fn from_wire(wire: &Value) -> Result<WireEvent, Error> {
    let name = wire.get("event").and_then(Value::as_str).unwrap_or_default();
    let Some(event) = event(name) else {
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
