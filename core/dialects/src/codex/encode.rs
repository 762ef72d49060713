//! What a Codex hook reads.

use serde_json::{Map, Value, json};

use super::{NAME, patch};
use crate::{Invocation, tool_names};

/// What Codex says when it knows no model; a host that does says it in `metadata.codex.model`.
pub(super) const NO_MODEL: &str = "unknown";

/// How Codex asks for approvals unless the host says otherwise.
pub(super) const USUAL_MODE: &str = "default";

/// The body for an event, with the fields in the order of Codex.
pub(super) fn body(invocation: &Invocation) -> Value {
    let event = invocation.event.name();
    let mut body = Body { invocation, fields: Map::new() };
    body.put("session_id", body.payload("session_id"));
    if !matches!(event, "SessionStart" | "SessionEnd") {
        // A turn without an id is the session's only one.
        body.put("turn_id", body.own("turn_id").unwrap_or_else(|| body.payload("session_id")));
    }
    body.agent(event);
    body.put("transcript_path", body.transcript());
    if event == "SubagentStop" {
        body.put("agent_transcript_path", body.own("agent_transcript_path").unwrap_or(Value::Null));
    }
    body.put("cwd", body.payload("cwd"));
    body.put("hook_event_name", json!(event));
    if event != "SessionEnd" {
        body.put("model", body.model());
    }
    if !matches!(event, "SessionEnd" | "PreCompact" | "PostCompact") {
        body.put("permission_mode", body.own("permission_mode").unwrap_or_else(|| json!(USUAL_MODE)));
    }
    body.event(event);
    Value::Object(body.fields)
}

struct Body<'i> {
    invocation: &'i Invocation,
    fields: Map<String, Value>,
}

impl Body<'_> {
    fn put(&mut self, name: &str, value: Value) {
        self.fields.insert(name.to_owned(), value);
    }

    fn payload(&self, name: &str) -> Value {
        self.invocation.field(name).cloned().unwrap_or(Value::Null)
    }

    fn own(&self, name: &str) -> Option<Value> {
        self.invocation.own(NAME, name).cloned()
    }

    fn transcript(&self) -> Value {
        let empty = || self.invocation.empty_transcript.as_ref().map(|path| json!(path.to_string_lossy()));
        self.own("transcript_path").or_else(empty).unwrap_or(Value::Null)
    }

    fn model(&self) -> Value {
        let model_name = self.own("model").or_else(|| self.invocation.text("model").map(|model| json!(model)));
        model_name.unwrap_or_else(|| json!(NO_MODEL))
    }

    /// The agent stands in the events of a subagent, and within one in those of its tools.
    fn agent(&mut self, event: &str) {
        let always = matches!(event, "SubagentStart" | "SubagentStop");
        let within = matches!(
            event,
            "UserPromptSubmit" | "PreToolUse" | "PermissionRequest" | "PostToolUse" | "PreCompact" | "PostCompact"
        );
        let id = self.invocation.field("agent_id").cloned();
        if always || (within && id.is_some()) {
            self.put("agent_id", id.unwrap_or(Value::Null));
            let kind = self.invocation.field("agent_type").cloned().or_else(|| self.own("agent_type"));
            if let Some(kind) = kind {
                self.put("agent_type", kind);
            }
        }
    }

    fn event(&mut self, event: &str) {
        match event {
            "PreToolUse" | "PermissionRequest" | "PostToolUse" => self.tool(event),
            "Stop" | "SubagentStop" => {
                let active =
                    self.invocation.field("stop_hook_active").cloned().or_else(|| self.own("stop_hook_active"));
                self.put("stop_hook_active", active.unwrap_or_else(|| json!(false)));
                let last =
                    self.invocation.field("last_message").cloned().or_else(|| self.own("last_assistant_message"));
                self.put("last_assistant_message", last.unwrap_or(Value::Null));
            }
            "SessionStart" => self.put("source", self.payload("source")),
            "SessionEnd" => self.put("reason", self.payload("reason")),
            "UserPromptSubmit" => self.put("prompt", self.payload("prompt")),
            "PreCompact" | "PostCompact" => self.put("trigger", self.payload("trigger")),
            _ => {}
        }
    }

    fn tool(&mut self, event: &str) {
        let (name, input) = tool(self.invocation);
        self.put("tool_name", json!(name));
        self.put("tool_input", input);
        if event == "PostToolUse" {
            let output = self.invocation.field("result").and_then(|result| result.get("output")).cloned();
            self.put("tool_response", output.unwrap_or(Value::Null));
        }
        if event != "PermissionRequest" {
            self.put("tool_use_id", self.payload("tool_use_id"));
        }
    }
}

/// The tool's name and input; a file edit is a patch.
pub(super) fn tool(invocation: &Invocation) -> (String, Value) {
    let tool = invocation.text("tool").unwrap_or_default();
    let definition = invocation.tool.as_ref();
    let name = tool_names::to_dialect(NAME, tool, definition).into_owned();
    let Some(Value::Object(args)) = invocation.field("args") else {
        return (name, invocation.field("args").cloned().unwrap_or(Value::Null));
    };
    let args = tool_names::args_to_dialect(NAME, tool, definition, args);
    let ours = definition.and_then(|tool| tool.same_as.as_deref()).unwrap_or(tool);
    if !matches!(ours, "Edit" | "Write") {
        return (name, Value::Object(args));
    }
    // What is no edit of a file keeps its name: there is no patch in it.
    patch::input(ours, &args).map_or((ours.to_owned(), Value::Object(args)), |input| (name, Value::Object(input)))
}
