//! What a Gemini CLI hook reads, and its environment.

use serde_json::{Map, Value, json};

use super::events::{SELECTION, of};
use super::{NAME, mcp, model};
use crate::{Invocation, timestamp, tool_names};

/// The body for an event.
pub(super) fn body(invocation: &Invocation) -> Value {
    let name = of(invocation).map_or(invocation.event.name(), |known| known.name);
    let payload = |field: &str| invocation.field(field).cloned().unwrap_or(Value::Null);
    let mut body = Map::new();
    let mut put = |name: &str, value: Value| _ = body.insert(name.to_owned(), value);
    put("session_id", payload("session_id"));
    put("transcript_path", transcript(invocation));
    put("cwd", payload("cwd"));
    put("hook_event_name", json!(name));
    put("timestamp", json!(timestamp::iso(timestamp::millis(invocation.field("timestamp")))));
    match name {
        "BeforeTool" | "AfterTool" => tool(invocation, &mut body),
        "BeforeAgent" => put("prompt", payload("prompt")),
        "AfterAgent" => {
            put("prompt", own(invocation, "prompt").unwrap_or_else(|| json!("")));
            put("prompt_response", invocation.field("last_message").cloned().unwrap_or_else(|| json!("")));
            put("stop_hook_active", invocation.field("stop_hook_active").cloned().unwrap_or_else(|| json!(false)));
        }
        "BeforeModel" | "AfterModel" | SELECTION => {
            let request = own(invocation, "llm_request").unwrap_or_else(|| model::request(&invocation.payload));
            put("llm_request", request);
            if name == "AfterModel" {
                let response = own(invocation, "llm_response").unwrap_or_else(|| model::response(&invocation.payload));
                put("llm_response", response);
            }
        }
        "SessionStart" => put("source", payload("source")),
        "SessionEnd" => put("reason", payload("reason")),
        "PreCompress" => put("trigger", payload("trigger")),
        "Notification" => {
            put("notification_type", payload("kind"));
            put("message", payload("message"));
            put("details", own(invocation, "details").unwrap_or_else(|| json!({})));
        }
        _ => {}
    }
    Value::Object(body)
}

fn own(invocation: &Invocation, name: &str) -> Option<Value> {
    invocation.own(NAME, name).cloned()
}

fn transcript(invocation: &Invocation) -> Value {
    let empty = || invocation.empty_transcript.as_ref().map(|path| json!(path.to_string_lossy()));
    own(invocation, "transcript_path").or_else(empty).unwrap_or_else(|| json!(""))
}

fn tool(invocation: &Invocation, body: &mut Map<String, Value>) {
    let tool = invocation.text("tool").unwrap_or_default();
    let definition = invocation.tool.as_ref();
    let input = match invocation.field("args") {
        Some(Value::Object(args)) => Value::Object(tool_names::args_to_dialect(NAME, tool, definition, args)),
        other => other.cloned().unwrap_or_else(|| json!({})),
    };
    body.insert("tool_name".to_owned(), json!(mcp::to_dialect(tool, definition)));
    body.insert("tool_input".to_owned(), input);
    if let Some(result) = invocation.field("result") {
        body.insert("tool_response".to_owned(), response(result));
    }
    let ours = definition.and_then(|known| known.same_as.as_deref()).unwrap_or(tool);
    let context = mcp::parts(ours).map(|(server, tool)| mcp::context(server, tool));
    if let Some(context) = own(invocation, "mcp_context").or(context) {
        body.insert("mcp_context".to_owned(), context);
    }
    if let Some(original) = own(invocation, "original_request_name") {
        body.insert("original_request_name".to_owned(), original);
    }
}

/// What a tool gave back: once for the model, once for the user, and the error when it failed.
fn response(result: &Value) -> Value {
    let output = result.get("output").cloned().unwrap_or(Value::Null);
    let shown = output.as_str().map_or_else(|| output.to_string(), str::to_owned);
    let mut response = json!({"llmContent": output, "returnDisplay": shown});
    let failed = result.get("success").and_then(Value::as_bool) == Some(false);
    if let (true, Value::Object(fields)) = (failed, &mut response) {
        fields.insert("error".to_owned(), json!({"message": shown}));
    }
    response
}

/// The variables of Gemini CLI; `CLAUDE_PROJECT_DIR` is there for hooks that moved.
pub(super) fn env(invocation: &Invocation) -> Vec<(String, String)> {
    let cwd = invocation.text("cwd").unwrap_or_default().to_owned();
    let project =
        invocation.project_dir.as_ref().map_or_else(|| cwd.clone(), |path| path.to_string_lossy().into_owned());
    let mut env = vec![("GEMINI_PROJECT_DIR".to_owned(), project.clone())];
    if let Some(plans) = own(invocation, "plans_dir").as_ref().and_then(Value::as_str) {
        env.push(("GEMINI_PLANS_DIR".to_owned(), plans.to_owned()));
    }
    env.push(("GEMINI_CWD".to_owned(), cwd));
    env.push(("GEMINI_SESSION_ID".to_owned(), invocation.text("session_id").unwrap_or_default().to_owned()));
    env.push(("CLAUDE_PROJECT_DIR".to_owned(), project));
    env
}
