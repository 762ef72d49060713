//! Hooks that only the host can run: questions to its model or agent, and tools of servers that it is connected to.

use serde_json::{Map, Value, json};

use crate::config::Run;
use hookweave_dialects::{self, Invocation, RunKind};
use hookweave_machine::dispatch::{FailureKind, HandlerResult, HookFailure};

use super::FileHook;

/// What a host is asked to do for a hook.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum HostQuestion {
    /// Ask a model, or an agent that may use tools, and give back its answer: `{"ok": true}` or
    /// `{"ok": false, "reason": "…"}`.
    Judge {
        /// The whole prompt.
        prompt: String,
        /// The model that the file names.
        model: Option<String>,
        /// Whether an agent is asked.
        agent: bool,
    },
    /// Call a tool of an MCP server and give back its text.
    Tool {
        /// The server's name.
        server: String,
        /// The tool's name.
        tool: String,
        /// The tool's input.
        input: Map<String, Value>,
    },
}

impl HostQuestion {
    /// The question for hosts in other languages.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Judge { prompt, model, agent } => {
                json!({"kind": if *agent { "agent" } else { "prompt" }, "prompt": prompt, "model": model})
            }
            Self::Tool { server, tool, input } => {
                json!({"kind": "mcp_tool", "server": server, "tool": tool, "input": input})
            }
        }
    }
}

impl FileHook {
    /// What the host is asked to do; `None` for hooks that the engine runs itself.
    #[must_use]
    pub fn question(&self, invocation: &Invocation) -> Option<HostQuestion> {
        let body = self.encode(invocation).body;
        match &self.declared.run {
            Run::Prompt { text, model, agent, .. } => {
                let prompt = prompt(text, &body);
                Some(HostQuestion::Judge { prompt, model: model.clone(), agent: *agent })
            }
            Run::McpTool { server, tool, input } => Some(HostQuestion::Tool {
                server: server.clone(),
                tool: tool.clone(),
                input: input.iter().map(|(name, value)| (name.clone(), filled(value, &body))).collect(),
            }),
            Run::Command(_) | Run::Webhook(_) | Run::Decision(_) | Run::Computed(_) => None,
        }
    }

    /// What the host's answer means.
    #[must_use]
    pub fn answered(&self, invocation: &Invocation, answer: &Value) -> HandlerResult<Value> {
        // A refusal that does not end the turn is what an agent's refusal is.
        let kind = match &self.declared.run {
            Run::Prompt { continue_on_block: true, .. } => RunKind::Agent,
            run => run.kind(),
        };
        let handler_result = hookweave_dialects::answer_of_host(self.declared.dialect, invocation, kind, answer);
        self.note(invocation, &handler_result);
        handler_result
    }

    /// What it means that the host gave no answer: its code raised, was cancelled, or was too late.
    ///
    /// Every driver reports it to the hook's dialect, which may know that the action must not happen then.
    #[must_use]
    pub fn broken(&self, invocation: &Invocation, failure: HookFailure<Value>) -> HandlerResult<Value> {
        self.declared.dialect.broken(invocation, failure)
    }

    /// The result when answering took longer than the hook's timeout.
    #[must_use]
    pub fn late(&self, invocation: &Invocation) -> HandlerResult<Value> {
        self.broken(invocation, HookFailure::timeout(self.limit().unwrap_or_default()))
    }

    /// The result when the host has no callback for the question.
    #[must_use]
    pub fn unanswered(&self, invocation: &Invocation) -> HandlerResult<Value> {
        let (what, fix) = if self.wants_tool() {
            ("calls a tool of an MCP server", "set_tool_caller")
        } else {
            ("asks a model", "set_judge")
        };
        let why = format!("the hook {what}, and the host has no callback for it; call {fix} first");
        self.broken(invocation, HookFailure::new(FailureKind::NotStarted, why))
    }

    /// Whether the host has to call a tool, rather than to ask a model.
    #[must_use]
    pub fn wants_tool(&self) -> bool {
        self.kind() == RunKind::McpTool
    }
}

/// The prompt with the event in the place of `$ARGUMENTS`, or after it.
fn prompt(text: &str, body: &Value) -> String {
    let event = body.to_string();
    if text.contains("$ARGUMENTS") { text.replace("$ARGUMENTS", &event) } else { format!("{text}\n\n{event}") }
}

/// A value in which `${path}` stands for a field of the event; a text that is nothing else becomes the field itself.
fn filled(value: &Value, body: &Value) -> Value {
    match value {
        Value::String(text) => fill_text(text, body),
        Value::Array(items) => items.iter().map(|item| filled(item, body)).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), filled(value, body))).collect())
        }
        other => other.clone(),
    }
}

fn fill_text(text: &str, body: &Value) -> Value {
    let whole = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    if let Some(path) = whole.filter(|path| !path.contains("${")) {
        return at(body, path).cloned().unwrap_or(Value::Null);
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        let Some((path, after)) = after.split_once('}') else {
            out.push_str("${");
            rest = after;
            continue;
        };
        match at(body, path) {
            Some(Value::String(text)) => out.push_str(text),
            Some(other) => out.push_str(&other.to_string()),
            None => {}
        }
        rest = after;
    }
    out.push_str(rest);
    Value::String(out)
}

fn at<'a>(body: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(body, |value, name| match value {
        Value::Array(items) => name.parse::<usize>().ok().and_then(|index| items.get(index)),
        _ => value.get(name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_event_stands_where_the_prompt_wants_it() {
        assert_eq!(prompt("Is $ARGUMENTS safe?", &json!({"a": 1})), "Is {\"a\":1} safe?");
        assert_eq!(prompt("Safe?", &json!({"a": 1})), "Safe?\n\n{\"a\":1}");
    }

    #[test]
    fn fields_of_the_event_fill_a_tools_input() {
        let body = json!({"tool_input": {"command": "ls", "n": [1, 2]}});
        assert_eq!(filled(&json!("${tool_input.n}"), &body), json!([1, 2]));
        assert_eq!(filled(&json!({"x": ["run ${tool_input.command}!"]}), &body), json!({"x": ["run ls!"]}));
        assert_eq!(filled(&json!("${nowhere}"), &body), Value::Null);
        assert_eq!(filled(&json!("${open"), &body), json!("${open"));
    }
}
