//! What a model, an agent or an MCP tool of the host meant.

use serde_json::{Map, Value};

use super::{Flavour, answer};
use crate::dialects::draft::{Draft, failed};
use crate::dialects::output::{self, Json, kind};
use crate::dialects::{Invocation, RunKind};
use crate::dispatch::{FailureKind, Said};

/// Reads what the host's part answered.
///
/// A prompt that refuses ends the turn; one that its file marks with `continueOnBlock` is read as an agent's answer,
/// which does not.
pub(crate) fn decode(flavour: &Flavour, invocation: &Invocation, run: RunKind, said: &Value) -> Said<Value> {
    if run == RunKind::McpTool {
        return mcp_tool(flavour, invocation, said);
    }
    let inner;
    let fields = match said {
        Value::Object(fields) => fields,
        Value::String(text) => match output::parse(text) {
            Json::Object(fields) => {
                inner = fields;
                &inner
            }
            _ => return invalid(&format!("the model answered text, not {{\"ok\": …}}: {}", output::first_line(text))),
        },
        other => return invalid(&format!("the model answered {}, not {{\"ok\": …}}", kind(other))),
    };
    match fields.get("ok") {
        Some(Value::Bool(true)) => Said::Nothing,
        Some(Value::Bool(false)) => refuses(flavour, invocation, run, fields),
        Some(other) => invalid(&format!("`ok` must be true or false, is {}", kind(other))),
        None => invalid("`ok` is missing from what the model answered"),
    }
}

fn invalid(why: &str) -> Said<Value> {
    failed(FailureKind::InvalidAnswer, why)
}

fn refuses(flavour: &Flavour, invocation: &Invocation, run: RunKind, fields: &Map<String, Value>) -> Said<Value> {
    let event = invocation.event.name();
    let reason = fields.get("reason").and_then(Value::as_str).filter(|reason| !reason.is_empty()).map(str::to_owned);
    let mut draft = Draft::new(flavour.name, invocation);
    match event {
        "PermissionRequest" | "PermissionDenied" => {
            draft.note(format!("a prompt decides nothing on {event}: {}", reason.unwrap_or_default()));
        }
        // Nobody can reach the goal, so there is nothing to go on for.
        "Stop" | "SubagentStop" if fields.get("impossible") == Some(&Value::Bool(true)) => {
            draft.note(format!("the model finds the condition impossible to meet: {}", reason.unwrap_or_default()));
        }
        "PreToolUse" | "PostToolUse" if run == RunKind::Prompt => draft.decide("stop", reason),
        _ => draft.decide("block", reason),
    }
    draft.said()
}

/// The text of an MCP tool is read as if a command had printed it.
fn mcp_tool(flavour: &Flavour, invocation: &Invocation, said: &Value) -> Said<Value> {
    let texts = |content: &[Value]| {
        let texts: Vec<&str> = content.iter().filter_map(|block| block.get("text")?.as_str()).collect();
        texts.join("\n")
    };
    match said {
        Value::Null => Said::Nothing,
        Value::String(text) => answer::decode_text(flavour, invocation, text),
        Value::Array(content) => answer::decode_text(flavour, invocation, &texts(content)),
        Value::Object(fields) if fields.contains_key("content") || fields.contains_key("isError") => {
            let text = texts(fields.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice));
            if fields.get("isError") == Some(&Value::Bool(true)) {
                return failed(FailureKind::Exited, format!("the MCP tool failed: {}", output::first_line(&text)));
            }
            answer::decode_text(flavour, invocation, &text)
        }
        Value::Object(_) => answer::decode_text(flavour, invocation, &said.to_string()),
        other => invalid(&format!("the MCP tool answered {}", kind(other))),
    }
}
