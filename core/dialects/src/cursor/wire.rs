//! Cursor as the agent: the events that it sends to a hook, and the outcomes that it reads.

mod outcome;

use serde_json::{Map, Value, json};

use super::NAME;
use super::encode::{NO_MODEL, VERSION};
use super::events::{home_of, named};
use crate::incoming::{Incoming, refuse};
use crate::output::{self, Json};
use crate::{WireEvent, tool_names};
use hookweave_machine::error::Error;

pub(super) use outcome::answer;

/// Reads an event.
pub(super) fn event(wire: &Value) -> Result<WireEvent, Error> {
    let mut incoming = Incoming::new(NAME, wire)?;
    let name = incoming.take_text("hook_event_name").unwrap_or_default();
    let Some(known) = named(&name) else {
        return Err(refuse(NAME, format!("no event is called `{name}` (`hook_event_name`)")));
    };
    common(&mut incoming);
    match known.name {
        "preToolUse" | "postToolUse" | "postToolUseFailure" => tool(&mut incoming, known.name)?,
        "beforeShellExecution" | "afterShellExecution" => {
            let command = incoming.take("command").ok_or_else(|| refuse(NAME, "`command` is missing"))?;
            incoming.put("tool", "Bash");
            incoming.put("args", json!({ "command": command }));
            incoming.forget("sandbox", &json!(false));
            if known.name == "afterShellExecution" {
                let output = incoming.take("output").unwrap_or(Value::Null);
                result(&mut incoming, true, &output);
            }
        }
        "beforeMCPExecution" | "afterMCPExecution" => mcp(&mut incoming, known.name)?,
        "beforeReadFile" => {
            let path = incoming.take("file_path").ok_or_else(|| refuse(NAME, "`file_path` is missing"))?;
            incoming.put("tool", "Read");
            incoming.put("args", json!({ "file_path": path }));
            incoming.forget("content", &json!(""));
            incoming.forget("attachments", &json!([]));
        }
        "afterFileEdit" => file_edit(&mut incoming)?,
        "beforeSubmitPrompt" => {
            incoming.needs_text(&["prompt"], "prompt")?;
            incoming.forget("attachments", &json!([]));
        }
        "afterAgentResponse" => {
            let text = incoming.take("text").unwrap_or_else(|| json!(""));
            incoming.put("prompt", "");
            incoming.put("response", json!({"text": text, "tool_calls": []}));
            let model = incoming.peek("model").cloned().unwrap_or(Value::Null);
            incoming.put("model", model);
        }
        "stop" => {
            incoming.moves(&["status"], "status");
            let count = incoming.take("loop_count").as_ref().and_then(Value::as_u64).unwrap_or(0);
            incoming.put("stop_hook_active", count > 0);
            if count > 1 {
                incoming.keep("loop_count", count);
            }
        }
        "subagentStart" => {
            incoming.needs_text(&["subagent_id"], "agent_id")?;
            incoming.needs_text(&["subagent_type"], "agent_type")?;
            incoming.moves(&["parent_conversation_id"], "parent_session_id");
            incoming.forget("task", &json!(""));
            incoming.forget("is_parallel_worker", &json!(false));
        }
        "subagentStop" => {
            incoming.needs_text(&["subagent_type"], "agent_type")?;
            incoming.moves(&["subagent_id"], "agent_id");
            incoming.forget("modified_files", &json!([]));
            incoming.forget("loop_count", &json!(0));
        }
        "sessionStart" => {
            incoming.put("source", "startup");
            incoming.forget("is_background_agent", &json!(false));
            incoming.forget("composer_mode", &json!("agent"));
        }
        "sessionEnd" => {
            incoming.moves(&["reason"], "reason");
            incoming.forget("is_background_agent", &json!(false));
        }
        "preCompact" => incoming.moves(&["trigger"], "trigger"),
        _ => {}
    }
    if home_of(known.event).is_some_and(|home| home.name != known.name) {
        incoming.keep("hook_event_name", known.name);
    }
    Ok(incoming.event(known.event))
}

fn common(incoming: &mut Incoming) {
    let text = |name: &str| incoming.peek_text(name).filter(|id| !id.is_empty()).map(|id| json!(id));
    let session = text("session_id").or_else(|| text("conversation_id"));
    for (name, made_up) in [("model", json!(NO_MODEL)), ("cursor_version", json!(VERSION))] {
        incoming.forget(name, &made_up);
    }
    if let Some(session) = session {
        for name in ["session_id", "conversation_id", "generation_id"] {
            incoming.forget(name, &session);
        }
        incoming.put("session_id", session);
    }
    let root = incoming.peek("workspace_roots").and_then(|roots| roots.get(0)).cloned();
    if let Some(cwd) = incoming.take("cwd").or(root).filter(Value::is_string) {
        incoming.forget("workspace_roots", &json!([cwd]));
        incoming.put("cwd", cwd);
    }
}

fn result(incoming: &mut Incoming, success: bool, output: &Value) {
    let mut result = json!({"success": success, "output": output});
    if let (Some(duration), Value::Object(fields)) = (incoming.take("duration"), &mut result) {
        fields.insert("duration".to_owned(), duration);
    }
    incoming.put("result", result);
}

/// The server of an MCP tool is not given, so it stands under Cursor's own name.
fn mcp_name(tool: &str) -> String {
    format!("mcp__{NAME}__{tool}")
}

/// The engine's name of one of Cursor's events.
fn canonical(event: &str) -> &'static str {
    named(event).map_or("", |known| known.event)
}

fn tool(incoming: &mut Incoming, event: &str) -> Result<(), Error> {
    let name = incoming.take_text("tool_name").ok_or_else(|| refuse(NAME, "`tool_name` must be a string"))?;
    let input = match incoming.input(&["tool_input"], canonical(event))? {
        Some(Value::Object(input)) => input,
        Some(other) => Map::from_iter([("input".to_owned(), other)]),
        None => Map::new(),
    };
    let tool = match name.strip_prefix("MCP:") {
        Some(bare) => mcp_name(bare),
        // One name for two of the engine's tools: the arguments distinguish them.
        None if name == "Write" && !input.contains_key("old_string") => name,
        None => tool_names::seen(NAME, &name).into_owned(),
    };
    incoming.put("args", tool_names::args_from_dialect(NAME, &tool, None, &input));
    incoming.moves(&["tool_use_id"], "tool_use_id");
    match event {
        "postToolUse" => {
            let given = incoming.take("tool_output").unwrap_or(Value::Null);
            let (success, output, code) = read_output(&tool, given);
            result(incoming, success, &output);
            if let Some(code) = code {
                incoming.put_within("result", "exit_code", code);
            }
        }
        "postToolUseFailure" => {
            incoming.needs(&["error_message"], "error")?;
            incoming.moves(&["duration"], "duration");
            incoming.forget("failure_type", &json!("error"));
            incoming.forget("is_interrupt", &json!(false));
        }
        _ => {}
    }
    incoming.put("tool", tool);
    Ok(())
}

/// A result that came as text holding JSON.
fn read_output(tool: &str, given: Value) -> (bool, Value, Option<Value>) {
    let parsed = match &given {
        Value::String(text) => match output::parse(text) {
            Json::Object(fields) => Value::Object(fields),
            Json::Other(value) => value,
            Json::Not | Json::Unreadable(_) => given,
        },
        _ => given,
    };
    if !matches!(tool, "Bash" | "PowerShell") {
        return (true, parsed, None);
    }
    let code = parsed.get("exitCode").cloned();
    let output = parsed.get("output").or_else(|| parsed.get("stdout")).cloned();
    let success = code.as_ref().and_then(Value::as_i64).unwrap_or(0) == 0;
    (success, output.unwrap_or(parsed), code)
}

fn mcp(incoming: &mut Incoming, event: &str) -> Result<(), Error> {
    let name = incoming.take_text("tool_name").ok_or_else(|| refuse(NAME, "`tool_name` must be a string"))?;
    let args = match incoming.input(&["tool_input"], canonical(event))? {
        Some(Value::String(text)) => match output::parse(&text) {
            Json::Object(fields) => Value::Object(fields),
            _ => json!({ "input": text }),
        },
        Some(args @ Value::Object(_)) => args,
        Some(other) => json!({ "input": other }),
        None => json!({}),
    };
    incoming.put("tool", mcp_name(&name));
    incoming.put("args", args);
    if event == "afterMCPExecution" {
        let output = match incoming.take("result_json") {
            Some(Value::String(text)) => match output::parse(&text) {
                Json::Object(fields) => Value::Object(fields),
                Json::Other(value) => value,
                Json::Not | Json::Unreadable(_) => Value::String(text),
            },
            other => other.unwrap_or(Value::Null),
        };
        result(incoming, true, &output);
    }
    Ok(())
}

fn file_edit(incoming: &mut Incoming) -> Result<(), Error> {
    let path = incoming.take("file_path").ok_or_else(|| refuse(NAME, "`file_path` is missing"))?;
    let edits = incoming.take("edits").unwrap_or_else(|| json!([]));
    let part = |edit: &Value, name: &str| edit.get(name).cloned().unwrap_or_else(|| json!(""));
    let (tool, args) = match edits.as_array().map(Vec::as_slice) {
        Some([edit]) if part(edit, "old_string") == "" => {
            ("Write", json!({"file_path": path, "content": part(edit, "new_string")}))
        }
        Some([edit]) => {
            let (old, new) = (part(edit, "old_string"), part(edit, "new_string"));
            ("Edit", json!({"file_path": path, "old_string": old, "new_string": new}))
        }
        _ => ("MultiEdit", json!({"file_path": path, "edits": edits})),
    };
    incoming.put("tool", tool);
    incoming.put("args", args);
    incoming.put("result", json!({"success": true, "output": null}));
    Ok(())
}
