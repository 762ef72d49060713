//! Requests to the model and its answers, in the form that Gemini CLI keeps stable for hooks.

use serde_json::{Map, Value, json};

use super::mcp;

/// A request of the engine's payload.
pub(super) fn request(payload: &Map<String, Value>) -> Value {
    let mut messages = Vec::new();
    for (role, field) in [("system", "system_prompt"), ("user", "prompt")] {
        if let Some(text) = payload.get(field).and_then(Value::as_str) {
            messages.push(json!({"role": role, "content": text}));
        }
    }
    let mut request = json!({"model": model(payload), "messages": messages, "config": {}});
    let tools = payload.get("tools").and_then(Value::as_array);
    if let (Some(tools), Value::Object(fields)) = (tools.filter(|tools| !tools.is_empty()), &mut request) {
        let names: Vec<_> = tools.iter().filter_map(tool_name).map(|name| mcp::to_dialect(name, None)).collect();
        fields.insert("toolConfig".to_owned(), json!({"mode": "AUTO", "allowedFunctionNames": names}));
    }
    request
}

fn model(payload: &Map<String, Value>) -> Value {
    match payload.get("model") {
        Some(Value::String(name)) => json!(name),
        Some(Value::Object(fields)) => fields.get("name").or_else(|| fields.get("id")).cloned().unwrap_or_default(),
        _ => Value::Null,
    }
}

/// A tool of a request: its name, or an object that has one.
pub(super) fn tool_name(tool: &Value) -> Option<&str> {
    tool.as_str().or_else(|| tool.get("name").and_then(Value::as_str))
}

/// An answer of the engine's payload.
pub(super) fn response(payload: &Map<String, Value>) -> Value {
    let response = payload.get("response");
    let text = response.and_then(|response| response.get("text")).and_then(Value::as_str).unwrap_or_default();
    let mut wire = json!({
        "text": text,
        "candidates": [{"content": {"role": "model", "parts": [text]}, "finishReason": "STOP"}],
    });
    let usage = response.and_then(|response| response.get("usage")).filter(|usage| usage.is_object());
    if let (Some(usage), Value::Object(fields)) = (usage, &mut wire) {
        fields.insert("usageMetadata".to_owned(), usage.clone());
    }
    wire
}

/// The last text of a role in a request.
pub(super) fn text_by<'r>(request: &'r Value, role: &str) -> Option<&'r str> {
    let messages = request.get("messages")?.as_array()?;
    let message = messages.iter().rev().find(|message| message.get("role").and_then(Value::as_str) == Some(role))?;
    message.get("content")?.as_str()
}

/// The text of an answer: its first candidate's parts.
pub(super) fn text_of(response: &Value) -> Option<String> {
    let parts = response.get("candidates")?.get(0)?.get("content")?.get("parts")?.as_array()?;
    let texts: Vec<&str> = parts.iter().filter_map(Value::as_str).collect();
    if texts.is_empty() { None } else { Some(texts.concat()) }
}

/// The tools of a request that a hook's choice leaves; `None` when it chooses nothing.
pub(super) fn chosen(config: &Value, tools: &[Value]) -> Option<Vec<Value>> {
    if config.get("mode").and_then(Value::as_str) == Some("NONE") {
        return Some(Vec::new());
    }
    let names: Vec<&str> = config.get("allowedFunctionNames")?.as_array()?.iter().filter_map(Value::as_str).collect();
    if names.is_empty() {
        return None;
    }
    let is_chosen = |tool: &&Value| {
        tool_name(tool).is_some_and(|name| names.contains(&name) || names.contains(&&*mcp::to_dialect(name, None)))
    };
    Some(tools.iter().filter(is_chosen).cloned().collect())
}
