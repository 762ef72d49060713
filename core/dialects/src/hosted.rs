//! What a model, an agent or an MCP tool of the host answered, before a dialect says what it means.

use serde_json::{Map, Value};

use super::draft::failed;
use super::output::{self, Json, kind};
use hookweave_machine::dispatch::{FailureKind, HandlerResult};

/// What a model or an agent thinks of what it was asked about.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HostedVerdict {
    /// It may go on.
    Passes,
    /// It must not.
    Refuses {
        /// The reason, if it gave one.
        reason: Option<String>,
        /// The request is impossible.
        impossible: bool,
    },
}

/// Reads `{"ok": …}`, which a model may also have written as text; anything else is the failure of the hook.
pub(super) fn verdict(response: &Value) -> Result<HostedVerdict, HandlerResult<Value>> {
    let inner;
    let fields = match response {
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
        Some(Value::Bool(true)) => Ok(HostedVerdict::Passes),
        Some(Value::Bool(false)) => Ok(refusal(fields)),
        Some(other) => invalid(&format!("`ok` must be true or false, is {}", kind(other))),
        None => invalid("`ok` is missing from what the model answered"),
    }
}

fn refusal(fields: &Map<String, Value>) -> HostedVerdict {
    let reason = fields.get("reason").and_then(Value::as_str).filter(|reason| !reason.is_empty());
    let impossible = fields.get("impossible") == Some(&Value::Bool(true));
    HostedVerdict::Refuses { reason: reason.map(str::to_owned), impossible }
}

/// The text of an MCP tool's result, which is read as if a command had printed it; empty when it says nothing.
pub(super) fn tool_text(response: &Value) -> Result<String, HandlerResult<Value>> {
    let texts = |content: &[Value]| {
        let texts: Vec<&str> = content.iter().filter_map(|block| block.get("text")?.as_str()).collect();
        texts.join("\n")
    };
    match response {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.clone()),
        Value::Array(content) => Ok(texts(content)),
        Value::Object(fields) if fields.contains_key("content") || fields.contains_key("isError") => {
            let text = texts(fields.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice));
            if fields.get("isError") == Some(&Value::Bool(true)) {
                let why = format!("the MCP tool failed: {}", output::first_line(&text));
                return Err(failed(FailureKind::Exited, why));
            }
            Ok(text)
        }
        Value::Object(_) => Ok(response.to_string()),
        other => invalid(&format!("the MCP tool answered {}", kind(other))),
    }
}

fn invalid<T>(why: &str) -> Result<T, HandlerResult<Value>> {
    Err(failed(FailureKind::InvalidAnswer, why))
}
