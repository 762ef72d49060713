//! The event as a hook reads it.

use serde_json::{Map, Value, json};

use super::events::{ClaudeEvent, asked};
use super::flavour::Flavour;
use crate::{Encoded, Invocation, tool_names};

/// What stands on stdin of every hook, beside what the event itself has.
pub(super) const COMMON: &[&str] = &["session_id", "cwd", "agent_id"];

/// The events whose hooks may leave variables for later commands.
const WITH_ENV_FILE: &[&str] = &["SessionStart", "Setup", "CwdChanged", "FileChanged"];

/// The event as a hook reads it, by the agent's names of fields.
pub(crate) fn encode(flavour: &Flavour, invocation: &Invocation) -> Encoded {
    let mut encoded = in_common_words(flavour, invocation);
    if let Value::Object(body) = &mut encoded.body
        && !flavour.renamed.is_empty()
    {
        let fields = std::mem::take(body).into_iter();
        *body = fields.map(|(name, value)| (flavour.field(&name).to_owned(), value)).collect();
    }
    encoded
}

fn in_common_words(flavour: &Flavour, invocation: &Invocation) -> Encoded {
    let name = invocation.event.name();
    let mut body = Map::new();
    put(&mut body, "session_id", invocation.field("session_id"));
    body.insert("transcript_path".to_owned(), transcript(flavour, invocation, "transcript_path"));
    put(&mut body, "cwd", invocation.field("cwd"));
    let Some(event) = asked(name, &invocation.declared_event) else {
        body.insert("hook_event_name".to_owned(), json!(name));
        return Encoded { body: Value::Object(body), env: Vec::new(), env_file: None };
    };
    if event.has_mode {
        let mode = invocation.own(flavour.name, "permission_mode").cloned();
        body.insert("permission_mode".to_owned(), mode.unwrap_or_else(|| json!(flavour.mode)));
    }
    put(&mut body, "agent_id", invocation.field("agent_id"));
    body.insert("hook_event_name".to_owned(), json!(flavour.theirs(event)));
    if event.is_about_a_tool() {
        call(flavour, invocation, &mut body);
    }
    for (ours, theirs) in event.fields {
        put(&mut body, theirs, invocation.field(ours));
    }
    if flavour.prompt_in_parts
        && let Some(prompt) = body.get_mut("prompt").filter(|prompt| prompt.is_string())
    {
        *prompt = json!([{"type": "text", "text": prompt.take()}]);
    }
    special(flavour, event, invocation, &mut body);
    if let Some(own) = invocation.field("metadata").and_then(|metadata| metadata.get(flavour.name)?.as_object()) {
        for (name, value) in own {
            if !body.contains_key(name) && name != "tool_response" {
                body.insert(name.clone(), value.clone());
            }
        }
    }
    let env_file = (flavour.name == super::NAME && WITH_ENV_FILE.contains(&name)).then_some("CLAUDE_ENV_FILE");
    Encoded { env: flavour.env(invocation), body: Value::Object(body), env_file }
}

fn put(body: &mut Map<String, Value>, name: &str, value: Option<&Value>) {
    if let Some(value) = value {
        body.insert(name.to_owned(), value.clone());
    }
}

fn transcript(flavour: &Flavour, invocation: &Invocation, name: &str) -> Value {
    let empty = || invocation.empty_transcript.as_ref().map(|path| json!(path.to_string_lossy()));
    invocation.own(flavour.name, name).cloned().or_else(empty).unwrap_or_else(|| json!(""))
}

/// The tool and its input, under the dialect's names.
fn call(flavour: &Flavour, invocation: &Invocation, body: &mut Map<String, Value>) {
    let definition = invocation.tool.as_ref();
    if let Some(tool) = invocation.text("tool") {
        body.insert("tool_name".to_owned(), json!(tool_names::to_dialect(flavour.name, tool, definition)));
    }
    match invocation.field("args") {
        Some(Value::Object(args)) => {
            let tool = invocation.text("tool").unwrap_or_default();
            let args = tool_names::args_to_dialect(flavour.name, tool, definition, args);
            body.insert("tool_input".to_owned(), Value::Object(args));
        }
        other => put(body, "tool_input", other),
    }
}

/// What does not go over by a change of name.
fn special(flavour: &Flavour, event: &ClaudeEvent, invocation: &Invocation, body: &mut Map<String, Value>) {
    let mut or = |name: &str, value: Value| _ = body.entry(name.to_owned()).or_insert(value);
    match event.name {
        "PostToolUse" => {
            let result = invocation.field("result");
            let tool = invocation.text("tool").unwrap_or_default();
            let tool = invocation.tool.as_ref().and_then(|defined| defined.same_as.as_deref()).unwrap_or(tool);
            let output = result.and_then(|result| result.get("output")).unwrap_or(&Value::Null);
            let shaped = || response(tool, output, invocation.field("args"));
            or("tool_response", if flavour.plain_result { output.clone() } else { shaped() });
            if let Some(duration) = result.and_then(|result| result.get("duration")) {
                or("duration_ms", duration.clone());
            }
        }
        "PostToolUseFailure" | "StopFailure" => {
            if let Some(error) = body.get("error").filter(|error| !error.is_string()) {
                let details = error.to_string();
                if event.name == "StopFailure" {
                    body.insert("error".to_owned(), json!("unknown"));
                    body.insert("error_details".to_owned(), json!(details));
                } else {
                    let message = error.get("message").and_then(Value::as_str).map(str::to_owned);
                    body.insert("error".to_owned(), json!(message.unwrap_or(details)));
                }
            }
        }
        "PostToolBatch" => {
            let calls = invocation.field("tool_calls").and_then(Value::as_array);
            let calls = calls.into_iter().flatten().map(|call| batched(call, &TO_WIRE)).collect();
            or("tool_calls", Value::Array(calls));
        }
        "Stop" | "SubagentStop" => {
            let active = invocation.field("stop_hook_active").or(invocation.own(flavour.name, "stop_hook_active"));
            or("stop_hook_active", active.cloned().unwrap_or(json!(false)));
            if event.name == "SubagentStop" {
                or("agent_transcript_path", transcript(flavour, invocation, "agent_transcript_path"));
            }
        }
        "PreCompact" => or("custom_instructions", Value::Null),
        _ => {}
    }
}

/// A text that a tool gave back, in the form that its hooks expect; other values are passed as they are.
pub(crate) fn response(tool: &str, output: &Value, args: Option<&Value>) -> Value {
    let Value::String(text) = output else { return output.clone() };
    let path = || args.and_then(|args| args.get("file_path")).cloned().unwrap_or(Value::Null);
    match tool {
        "Bash" | "PowerShell" => json!({"stdout": text, "stderr": "", "interrupted": false, "isImage": false}),
        "Write" | "Edit" | "MultiEdit" => json!({"filePath": path(), "success": true, "output": text}),
        "Read" => json!({"type": "text", "file": {"filePath": path(), "content": text}}),
        _ => output.clone(),
    }
}

/// The text in the form that [`response`] gives it; `None` for every other value.
fn output(tool: &str, response: &Value) -> Option<Value> {
    let fields = response.as_object()?;
    let (text, wanted) = match tool {
        "Bash" | "PowerShell" => {
            let quiet = |name: &str| fields.get(name).is_none_or(|flag| *flag == json!(false));
            let plain = fields.get("stderr").is_none_or(|text| *text == json!(""));
            (fields.get("stdout")?, plain && quiet("interrupted") && quiet("isImage") && fields.len() == 4)
        }
        "Write" | "Edit" | "MultiEdit" => (
            fields.get("output")?,
            fields.len() == 3 && fields.get("success") == Some(&json!(true)) && fields.contains_key("filePath"),
        ),
        "Read" => {
            let file = fields.get("file")?.as_object()?;
            (file.get("content")?, fields.len() == 2 && file.len() == 2 && fields.get("type") == Some(&json!("text")))
        }
        _ => return None,
    };
    (wanted && text.is_string()).then(|| text.clone())
}

/// The engine's result of a tool, from the response that the wire has.
pub(crate) fn result_output(tool: &str, response: Value) -> Value {
    output(tool, &response).unwrap_or(response)
}

const TO_WIRE: [(&str, &str); 3] = [("tool", "tool_name"), ("args", "tool_input"), ("result", "tool_response")];

/// One call of a batch with its fields renamed.
pub(super) fn batched(call: &Value, names: &[(&str, &str); 3]) -> Value {
    let Value::Object(fields) = call else { return call.clone() };
    let new = |name: &String| {
        let pair = names.iter().find(|(from, to)| name == from && !fields.contains_key(*to));
        pair.map_or(name.clone(), |(_, to)| (*to).to_owned())
    };
    Value::Object(fields.iter().map(|(name, value)| (new(name), value.clone())).collect())
}
