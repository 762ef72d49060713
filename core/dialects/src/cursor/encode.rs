//! What a Cursor hook reads, and its environment.

use serde_json::{Map, Value, json};

use super::NAME;
use super::events::of;
use crate::{Invocation, tool_names};

/// The version whose contract is followed, for hosts that name none.
pub(super) const VERSION: &str = "3.16.17";

/// The name of a model that the event does not have.
pub(super) const NO_MODEL: &str = "unknown";

/// The body for an event.
pub(super) fn body(invocation: &Invocation) -> Value {
    let name = of(invocation).map_or(invocation.event.name(), |known| known.name);
    let mut body = Body { invocation, fields: Map::new() };
    body.common(name);
    match name {
        "preToolUse" | "postToolUse" | "postToolUseFailure" => body.tool(name),
        "beforeShellExecution" | "afterShellExecution" => body.shell(name),
        "beforeMCPExecution" | "afterMCPExecution" => body.mcp(name),
        "beforeReadFile" => {
            body.put("file_path", body.arg("file_path"));
            // A codec opens no file: the host says what is in it.
            body.own_or("content", json!(""));
            body.own_or("attachments", json!([]));
        }
        "afterFileEdit" => body.file_edit(),
        "beforeSubmitPrompt" => {
            body.put("prompt", body.payload("prompt"));
            body.own_or("attachments", json!([]));
        }
        "afterAgentResponse" => {
            let text = invocation.field("response").and_then(|response| response.get("text")).cloned();
            body.put("text", text.unwrap_or_else(|| json!("")));
        }
        "stop" => {
            let status = invocation.field("status").cloned().unwrap_or_else(|| json!("completed"));
            body.put("status", status);
            let active = invocation.field("stop_hook_active") == Some(&Value::Bool(true));
            body.own_or("loop_count", json!(u8::from(active)));
        }
        "subagentStart" => body.subagent_start(),
        "subagentStop" => body.subagent_stop(),
        "sessionStart" => {
            body.own_or("is_background_agent", json!(false));
            body.own_or("composer_mode", json!("agent"));
        }
        "sessionEnd" => {
            body.put("reason", body.payload("reason"));
            body.own_or("is_background_agent", json!(false));
            body.owns(&["duration_ms", "final_status", "error_message"]);
        }
        "preCompact" => {
            body.put("trigger", body.payload("trigger"));
            body.owns(&[
                "context_usage_percent",
                "context_tokens",
                "context_window_size",
                "message_count",
                "messages_to_compact",
                "is_first_compaction",
            ]);
        }
        _ => {}
    }
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

    /// The tool's arguments by Cursor's names.
    fn args(&self) -> Map<String, Value> {
        let tool = self.invocation.text("tool").unwrap_or_default();
        let args = self.invocation.field("args").and_then(Value::as_object);
        args.map(|args| tool_names::args_to_dialect(NAME, tool, self.invocation.tool.as_ref(), args))
            .unwrap_or_default()
    }

    fn arg(&self, name: &str) -> Value {
        self.args().get(name).cloned().unwrap_or(Value::Null)
    }

    fn common(&mut self, name: &str) {
        let session = self.payload("session_id");
        self.own_or("conversation_id", session.clone());
        self.own_or("generation_id", session.clone());
        let model = self.own("model").or_else(|| self.invocation.text("model").map(|model| json!(model)));
        self.put("model", model.unwrap_or_else(|| json!(NO_MODEL)));
        self.owns(&["model_id", "model_params"]);
        self.put("hook_event_name", json!(name));
        self.own_or("cursor_version", json!(VERSION));
        let root = project(self.invocation).map_or_else(Vec::new, |root| vec![json!(root)]);
        self.own_or("workspace_roots", Value::Array(root));
        self.own_or("user_email", Value::Null);
        self.put("transcript_path", transcript(self.invocation).map_or(Value::Null, |path| json!(path)));
        self.put("session_id", session);
    }

    /// The tool's name as the events for all tools say it.
    fn tool(&mut self, name: &str) {
        let tool = self.invocation.text("tool").unwrap_or_default();
        let definition = self.invocation.tool.as_ref();
        let ours = definition.and_then(|known| known.same_as.as_deref()).unwrap_or(tool);
        let theirs = match mcp_tool(ours) {
            Some(bare) => format!("MCP:{bare}"),
            None => tool_names::to_dialect(NAME, tool, definition).into_owned(),
        };
        self.put("tool_name", json!(theirs));
        self.put("tool_input", Value::Object(self.args()));
        self.put("tool_use_id", self.payload("tool_use_id"));
        self.put("cwd", self.payload("cwd"));
        match name {
            "preToolUse" => self.owns(&["agent_message"]),
            "postToolUse" => {
                self.put("tool_output", json!(tool_output(self.invocation, ours)));
                self.duration(&self.result("duration"));
            }
            _ => {
                let error = self.payload("error");
                self.put("error_message", error.as_str().map_or_else(|| json!(error.to_string()), |text| json!(text)));
                self.own_or("failure_type", json!("error"));
                self.duration(&self.payload("duration"));
                self.own_or("is_interrupt", json!(false));
            }
        }
    }

    fn result(&self, name: &str) -> Value {
        self.invocation.field("result").and_then(|result| result.get(name)).cloned().unwrap_or(Value::Null)
    }

    fn duration(&mut self, duration: &Value) {
        self.put("duration", if duration.is_number() { duration.clone() } else { json!(0) });
    }

    fn shell(&mut self, name: &str) {
        self.put("command", self.arg("command"));
        self.put("cwd", self.payload("cwd"));
        if name == "afterShellExecution" {
            let output = self.result("output");
            self.put("output", output.as_str().map_or_else(|| json!(output.to_string()), |text| json!(text)));
            self.duration(&self.result("duration"));
        }
        self.own_or("sandbox", json!(false));
    }

    fn mcp(&mut self, name: &str) {
        let tool = self.invocation.text("tool").unwrap_or_default();
        let ours = self.invocation.tool.as_ref().and_then(|known| known.same_as.as_deref()).unwrap_or(tool);
        self.put("tool_name", json!(mcp_tool(ours).unwrap_or(ours)));
        self.put("tool_input", json!(Value::Object(self.args()).to_string()));
        self.owns(&["url", "command"]);
        if name == "afterMCPExecution" {
            self.put("result_json", json!(self.result("output").to_string()));
            self.duration(&self.result("duration"));
        }
    }

    fn file_edit(&mut self) {
        let args = self.args();
        let text = |name: &str| args.get(name).cloned().unwrap_or_else(|| json!(""));
        let edits = match args.get("edits") {
            Some(Value::Array(edits)) => edits.clone(),
            _ if args.contains_key("old_string") => {
                vec![json!({"old_string": text("old_string"), "new_string": text("new_string")})]
            }
            _ => vec![json!({"old_string": "", "new_string": text("content")})],
        };
        let path = args.get("file_path").or_else(|| args.get("notebook_path")).cloned();
        self.put("file_path", path.unwrap_or(Value::Null));
        self.put("edits", Value::Array(edits));
    }

    fn subagent_start(&mut self) {
        self.put("subagent_id", self.payload("agent_id"));
        self.put("subagent_type", self.payload("agent_type"));
        self.own_or("task", json!(""));
        let parent = self.invocation.field("parent_session_id").cloned();
        self.put("parent_conversation_id", parent.unwrap_or_else(|| self.payload("session_id")));
        self.owns(&["tool_call_id", "subagent_model", "git_branch"]);
        self.own_or("is_parallel_worker", json!(false));
    }

    fn subagent_stop(&mut self) {
        self.put("subagent_type", self.payload("agent_type"));
        self.own_or("status", json!("completed"));
        self.owns(&["task", "description", "summary", "duration_ms", "message_count", "tool_call_count"]);
        self.own_or("loop_count", json!(0));
        self.own_or("modified_files", json!([]));
        self.own_or("agent_transcript_path", Value::Null);
    }
}

/// The tool of the engine's `mcp__<server>__<tool>`.
pub(super) fn mcp_tool(tool: &str) -> Option<&str> {
    tool.strip_prefix("mcp__")?.split_once("__").map(|(_, tool)| tool).filter(|tool| !tool.is_empty())
}

/// A result as text that holds JSON, as Cursor sends it.
fn tool_output(invocation: &Invocation, ours: &str) -> String {
    let result = invocation.field("result");
    let output = result.and_then(|result| result.get("output")).cloned().unwrap_or(Value::Null);
    if !matches!(ours, "Bash" | "PowerShell") {
        return output.to_string();
    }
    let failed = result.and_then(|result| result.get("success")) == Some(&Value::Bool(false));
    let code = result.and_then(|result| result.get("exit_code")).cloned().unwrap_or_else(|| json!(u8::from(failed)));
    json!({"exitCode": code, "stdout": output, "output": output}).to_string()
}

fn transcript(invocation: &Invocation) -> Option<String> {
    let own = invocation.own(NAME, "transcript_path").and_then(Value::as_str).map(str::to_owned);
    own.or_else(|| invocation.empty_transcript.as_ref().map(|path| path.to_string_lossy().into_owned()))
}

fn project(invocation: &Invocation) -> Option<String> {
    let given = invocation.project_dir.as_ref().map(|path| path.to_string_lossy().into_owned());
    given.or_else(|| invocation.text("cwd").map(str::to_owned))
}

/// The variables of Cursor; `CLAUDE_PROJECT_DIR` is there for hooks that moved.
pub(super) fn env(invocation: &Invocation) -> Vec<(String, String)> {
    let own = |name: &str| invocation.own(NAME, name).and_then(Value::as_str).map(str::to_owned);
    let project = project(invocation).unwrap_or_default();
    let mut env = vec![
        ("CURSOR_PROJECT_DIR".to_owned(), project.clone()),
        ("CURSOR_VERSION".to_owned(), own("cursor_version").unwrap_or_else(|| VERSION.to_owned())),
    ];
    env.extend(own("user_email").map(|email| ("CURSOR_USER_EMAIL".to_owned(), email)));
    env.extend(transcript(invocation).map(|path| ("CURSOR_TRANSCRIPT_PATH".to_owned(), path)));
    if invocation.own(NAME, "remote") == Some(&Value::Bool(true)) {
        env.push(("CURSOR_CODE_REMOTE".to_owned(), "true".to_owned()));
    }
    env.push(("CLAUDE_PROJECT_DIR".to_owned(), project));
    env
}
