//! What an Amplifier hook reads.

use serde_json::{Map, Value, json};

use super::events::{self, event_name, key};
use crate::{Invocation, timestamp};

pub(super) fn body(invocation: &Invocation) -> Value {
    let event = invocation.event.name();
    let name = events::event(&invocation.declared_event)
        .map_or_else(|| event_name(event).unwrap_or(event), |_| invocation.declared_event.as_str());
    json!({"event": name, "data": data(event, &invocation.payload)})
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
    if event == "Stop" {
        // Every orchestrator says which it is.
        data.entry("orchestrator").or_insert_with(|| json!("hookweave"));
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
