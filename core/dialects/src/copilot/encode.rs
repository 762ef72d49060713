//! What a Copilot hook reads.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::NAME;
use super::events::{CopilotEvent, of};
use crate::{Invocation, timestamp, tool_names};

/// The body for an event, in the form that the file's spelling of the event chooses.
pub(super) fn body(invocation: &Invocation) -> Value {
    let Some(known) = of(invocation) else { return json!({}) };
    let mut body = Body { invocation, known, fields: Map::new() };
    if known.snake || known.event == "Notification" {
        // Notifications say their name in both forms.
        body.exactly("hook_event_name", json!(if known.event == "Notification" { "Notification" } else { known.name }));
    }
    body.put("session_id", body.payload("session_id"));
    let ms = timestamp::millis(invocation.field("timestamp"));
    body.put("timestamp", if known.snake { json!(timestamp::iso(ms)) } else { json!(ms) });
    body.put("cwd", body.payload("cwd"));
    body.event();
    Value::Object(body.fields)
}

struct Body<'i> {
    invocation: &'i Invocation,
    known: &'static CopilotEvent,
    fields: Map<String, Value>,
}

impl Body<'_> {
    /// Sets a field under its name in the form.
    fn put(&mut self, name: &str, value: Value) {
        let name = spelt(name, self.known.snake).into_owned();
        self.fields.insert(name, value);
    }

    /// Sets a field whose name is the same in both forms.
    fn exactly(&mut self, name: &str, value: Value) {
        self.fields.insert(name.to_owned(), value);
    }

    fn payload(&self, name: &str) -> Value {
        self.invocation.field(name).cloned().unwrap_or(Value::Null)
    }

    fn own(&self, name: &str) -> Option<Value> {
        self.invocation.own(NAME, name).cloned()
    }

    fn own_or(&mut self, name: &str, otherwise: Value) {
        self.put(name, self.own(name).unwrap_or(otherwise));
    }

    fn owns(&mut self, names: &[&str]) {
        for name in names {
            if let Some(value) = self.own(name) {
                self.put(name, value);
            }
        }
    }

    fn transcript(&mut self) {
        let empty = self
            .invocation
            .empty_transcript
            .as_ref()
            .map_or_else(String::new, |path| path.to_string_lossy().into_owned());
        self.own_or("transcript_path", json!(empty));
    }

    fn event(&mut self) {
        match self.known.event {
            "SessionStart" => {
                self.put("source", self.payload("source"));
                self.owns(&["initial_prompt"]);
            }
            "SessionEnd" => self.put("reason", self.payload("reason")),
            "UserPromptSubmit" => self.put("prompt", self.payload("prompt")),
            "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionRequest" => self.tool(),
            "Stop" => {
                self.transcript();
                self.own_or("stop_reason", json!("end_turn"));
                let active = self.invocation.field("stop_hook_active").cloned();
                self.exactly("stop_hook_active", active.unwrap_or_else(|| json!(false)));
            }
            "SubagentStart" => {
                self.transcript();
                self.own_or("agent_name", self.payload("agent_type"));
                self.owns(&["agent_display_name", "agent_description"]);
            }
            "SubagentStop" => {
                self.transcript();
                self.put("agent_id", self.payload("agent_id"));
                self.put("agent_type", self.payload("agent_type"));
                self.own_or("agent_name", self.payload("agent_type"));
                self.owns(&["agent_display_name"]);
                let response = self.own("response").unwrap_or_else(|| json!(""));
                self.put(if self.known.snake { "last_assistant_message" } else { "response" }, response);
                self.own_or("stop_reason", json!("end_turn"));
            }
            "StopFailure" => {
                self.put("error", error(self.invocation.field("error")));
                self.own_or("error_context", json!("system"));
                self.own_or("recoverable", json!(false));
            }
            "PreCompact" => {
                self.transcript();
                self.put("trigger", self.payload("trigger"));
                let instructions = self.invocation.field("custom_instructions").cloned();
                self.put("custom_instructions", instructions.unwrap_or_else(|| json!("")));
            }
            "Notification" => {
                self.put("message", self.payload("message"));
                if let Some(title) = self.invocation.field("title").cloned() {
                    self.put("title", title);
                }
                self.exactly("notification_type", self.payload("kind"));
            }
            _ => {}
        }
    }

    fn tool(&mut self) {
        let tool = self.invocation.text("tool").unwrap_or_default();
        let definition = self.invocation.tool.as_ref();
        let ours = definition.and_then(|known| known.same_as.as_deref()).unwrap_or(tool);
        let theirs = tool_names::to_dialect(NAME, tool, definition);
        self.put("tool_name", json!(if self.known.claude_matcher { ours } else { &theirs }));
        let args = match self.invocation.field("args") {
            Some(Value::Object(args)) => Value::Object(tool_names::args_to_dialect(NAME, tool, definition, args)),
            other => other.cloned().unwrap_or_else(|| json!({})),
        };
        match (self.known.event, self.known.snake) {
            (_, true) | ("PermissionRequest", _) => self.put("tool_input", args),
            // As text that holds JSON, which is what scripts written for this form expect.
            _ => self.put("tool_args", json!(args.to_string())),
        }
        match self.known.event {
            "PostToolUse" => {
                let result = self.invocation.field("result");
                let failed = result.and_then(|result| result.get("success")) == Some(&Value::Bool(false));
                let output = result.and_then(|result| result.get("output")).cloned().unwrap_or(Value::Null);
                let mut fields = Map::new();
                let kind = if failed { "failure" } else { "success" };
                fields.insert(spelt("result_type", self.known.snake).into_owned(), json!(kind));
                fields.insert(spelt("text_result_for_llm", self.known.snake).into_owned(), json!(as_text(&output)));
                self.put("tool_result", Value::Object(fields));
            }
            "PostToolUseFailure" => self.put("error", json!(as_text(&self.payload("error")))),
            _ => {}
        }
    }
}

fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// An error with its name and message.
fn error(given: Option<&Value>) -> Value {
    match given {
        Some(Value::Object(fields)) if fields.contains_key("message") => {
            let mut fields = fields.clone();
            fields.entry("name").or_insert_with(|| json!("Error"));
            Value::Object(fields)
        }
        Some(other) => json!({"message": as_text(other), "name": "Error"}),
        None => json!({"message": "", "name": "Error"}),
    }
}

/// A name in the form: `tool_name` or `toolName`.
pub(super) fn spelt(name: &str, snake: bool) -> Cow<'_, str> {
    if snake || !name.contains('_') {
        return Cow::Borrowed(name);
    }
    let mut camel = String::with_capacity(name.len());
    for (index, part) in name.split('_').enumerate() {
        let mut letters = part.chars();
        match letters.next() {
            Some(first) if index > 0 => camel.extend(first.to_uppercase()),
            Some(first) => camel.push(first),
            None => {}
        }
        camel.push_str(letters.as_str());
    }
    Cow::Owned(camel)
}
