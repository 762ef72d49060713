//! What a Wingman hook reads.

use serde_json::{Map, Value, json};

use super::NAME;
use crate::{Invocation, tool_names};

pub(super) fn body(invocation: &Invocation) -> Value {
    let event = invocation.event.name();
    let mut body = Map::new();
    let mut put = |name: &str, value: Value| body.insert(name.to_owned(), value);
    put("session_id", json!(invocation.text("session_id").unwrap_or_default()));
    put("cwd", json!(invocation.text("cwd").unwrap_or_default()));
    put("hook_event_name", json!(event));
    if let Some(tool) = invocation.text("tool") {
        let definition = invocation.tool.as_ref();
        put("tool_name", json!(tool_names::to_dialect(NAME, tool, definition)));
        let args = match invocation.field("args") {
            Some(Value::Object(args)) => Value::Object(tool_names::args_to_dialect(NAME, tool, definition, args)),
            other => other.cloned().unwrap_or_else(|| json!({})),
        };
        put("tool_input", args);
        if let Some(id) = invocation.field("tool_use_id") {
            put("tool_use_id", id.clone());
        }
    }
    if let Some(result) = invocation.field("result") {
        put("tool_output", result.get("output").unwrap_or(result).clone());
    }
    Value::Object(body)
}
