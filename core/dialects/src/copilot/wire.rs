//! Copilot as the agent: the events that it sends to a hook, and the outcomes that it reads.

mod outcome;

use serde_json::{Map, Value, json};

use super::NAME;
use super::encode::spelt;
use super::events::{CopilotEvent, home_of, named};
use crate::incoming::{Incoming, refuse};
use crate::output::{self, Json};
use crate::{WireEvent, tool_names};
use hookweave_machine::error::Error;

pub(super) use outcome::answer;

/// Where a tool's name is kept that came as the engine's own.
const AS_OURS: &str = "called_as";

/// A field under either spelling.
macro_rules! either {
    ($name:literal) => {
        &[$name, &*spelt($name, false)]
    };
}

/// Reads an event, in whichever form; Copilot's own does not say which event it is, so its fields have to.
pub(super) fn event(wire: &Value) -> Result<WireEvent, Error> {
    let mut incoming = Incoming::new(NAME, wire)?;
    let name = incoming.take_text("hook_event_name").or_else(|| incoming.take_text("hookEventName"));
    let is_camel = incoming.peek("tool_name").is_none()
        && ["sessionId", "toolName"].iter().any(|field| incoming.peek(field).is_some());
    let known = match name.as_deref() {
        Some(name) => named(name).ok_or_else(|| refuse(NAME, format!("no event is called `{name}`")))?,
        None => {
            guess(&incoming).ok_or_else(|| refuse(NAME, "nothing tells which event this is; say `hook_event_name`"))?
        }
    };
    let known = home_of(known.event).filter(|_| is_camel).unwrap_or(known);
    // Older versions send none.
    incoming.session(either!("session_id"));
    incoming.moves(&["cwd"], "cwd");
    incoming.time("timestamp");
    incoming.forget(&spelt("stop_reason", known.snake), &json!("end_turn"));
    match known.event {
        "SessionStart" => incoming.moves(&["source"], "source"),
        "SessionEnd" => incoming.moves(&["reason"], "reason"),
        "UserPromptSubmit" => incoming.needs_text(&["prompt"], "prompt")?,
        "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionRequest" => tool(&mut incoming, known)?,
        "Stop" => incoming.moves(either!("stop_hook_active"), "stop_hook_active"),
        "SubagentStart" | "SubagentStop" => subagent(&mut incoming, known)?,
        "StopFailure" => {
            let error = incoming.take("error").ok_or_else(|| refuse(NAME, "`error` is missing"))?;
            incoming.put("error", plain(error));
            incoming.forget(&spelt("error_context", known.snake), &json!("system"));
            incoming.forget("recoverable", &json!(false));
        }
        "PreCompact" => {
            incoming.moves(&["trigger"], "trigger");
            incoming.moves(either!("custom_instructions"), "custom_instructions");
        }
        "Notification" => {
            incoming.moves(&["message"], "message");
            incoming.moves(&["title"], "title");
            incoming.moves(either!("notification_type"), "kind");
        }
        _ => {}
    }
    own_names(&mut incoming);
    if known.snake {
        incoming.keep("hook_event_name", known.name);
    }
    Ok(incoming.event(known.event))
}

/// An error that says no more than its message is that message.
fn plain(error: Value) -> Value {
    match error.get("message") {
        Some(Value::String(message)) if error == json!({"message": message, "name": "Error"}) => json!(message),
        _ => error,
    }
}

/// What only Copilot has stands in the metadata under one spelling.
fn own_names(incoming: &mut Incoming) {
    for name in [
        "transcript_path",
        "stop_reason",
        "initial_prompt",
        "agent_name",
        "agent_display_name",
        "agent_description",
        "error_context",
    ] {
        if let Some(value) = incoming.take(&spelt(name, false)) {
            incoming.keep(name, value);
        }
    }
    incoming.forget("transcript_path", &json!(""));
}

fn guess(incoming: &Incoming) -> Option<&'static CopilotEvent> {
    let has = |name: &str| incoming.peek(name).is_some();
    named(match () {
        () if has("toolResult") => "postToolUse",
        () if has("toolName") && has("error") => "postToolUseFailure",
        () if has("toolName") && has("toolInput") && !has("toolArgs") => "permissionRequest",
        () if has("toolName") => "preToolUse",
        () if has("errorContext") || has("error") => "errorOccurred",
        () if has("agentName") && (has("stopReason") || has("response")) => "subagentStop",
        () if has("agentName") => "subagentStart",
        () if has("stopReason") => "agentStop",
        () if has("trigger") => "preCompact",
        () if has("notification_type") => "notification",
        () if has("source") => "sessionStart",
        () if has("reason") => "sessionEnd",
        () if has("prompt") => "userPromptSubmitted",
        () => return None,
    })
}

fn tool(incoming: &mut Incoming, known: &CopilotEvent) -> Result<(), Error> {
    let name = incoming.take_any(either!("tool_name"));
    let Some(name) = name.as_ref().and_then(Value::as_str) else {
        return Err(refuse(NAME, format!("`{}` must be a string", spelt("tool_name", known.snake))));
    };
    let tool = tool_names::seen(NAME, name).into_owned();
    let names = if known.snake {
        ["tool_input", "tool_args", "toolArgs", "toolInput"]
    } else {
        ["toolArgs", "toolInput", "tool_input", "tool_args"]
    };
    let input = match incoming.input(&names, known.event)? {
        Some(Value::String(text)) => match output::parse(&text) {
            Json::Object(input) => input,
            _ => Map::from_iter([("input".to_owned(), Value::String(text))]),
        },
        Some(Value::Object(input)) => input,
        Some(other) => Map::from_iter([("input".to_owned(), other)]),
        None => Map::new(),
    };
    // VS Code's harness calls some tools as the engine does, and then their arguments too.
    let theirs = tool_names::args_to_dialect(NAME, &tool, None, &input);
    let is_ours =
        name == tool && input.contains_key("file_path") && theirs.contains_key("path") && !input.contains_key("path");
    if is_ours {
        incoming.keep(AS_OURS, name);
    }
    let args = if is_ours { input } else { tool_names::args_from_dialect(NAME, &tool, None, &input) };
    incoming.put("args", args);
    incoming.put("tool", tool);
    incoming.moves(either!("tool_use_id"), "tool_use_id");
    match known.event {
        "PostToolUse" => {
            let given = incoming.take_any(&["tool_result", "toolResult", "tool_response"]).unwrap_or(Value::Null);
            let part = |name: &str| given.get(name).or_else(|| given.get(&*spelt(name, false))).cloned();
            let success = part("result_type").is_none_or(|kind| kind == "success");
            let output = part("text_result_for_llm").unwrap_or_else(|| given.clone());
            incoming.put("result", json!({"success": success, "output": output}));
        }
        "PostToolUseFailure" => incoming.needs(&["error"], "error")?,
        _ => {}
    }
    Ok(())
}

fn subagent(incoming: &mut Incoming, known: &CopilotEvent) -> Result<(), Error> {
    let name = incoming.peek("agent_name").or_else(|| incoming.peek("agentName")).cloned();
    incoming.moves(either!("agent_id"), "agent_id");
    let kind = incoming.take_any(either!("agent_type")).or_else(|| name.clone());
    let kind = kind.filter(Value::is_string).ok_or_else(|| refuse(NAME, "`agentName` must be a string"))?;
    incoming.forget(&spelt("agent_name", known.snake), &kind);
    incoming.put("agent_type", kind);
    if let Some(response) = incoming.take_any(&["response", "last_assistant_message"]).filter(|text| *text != "") {
        incoming.keep("response", response);
    }
    Ok(())
}
