//! Hooks that only the host can run: questions to its model or agent, and tools of servers that it is connected to.

use serde_json::Value;

use super::FileHook;
use crate::config::Run;
use hookweave_dialects::{self, RunKind};
use hookweave_exec::outside::{HookInput, HostQuestion, HostedHook};
use hookweave_machine::dispatch::HandlerResult;

impl HostedHook for FileHook {
    fn wants_tool(&self) -> bool {
        matches!(self.declared.run, Run::McpTool { .. })
    }

    fn question(&self, input: &HookInput) -> Option<HostQuestion> {
        let body = || self.encode(&self.invocation(input.clone())).body;
        match &self.declared.run {
            Run::Prompt { text, model, agent, .. } => {
                Some(HostQuestion::Judge { prompt: prompt(text, &body()), model: model.clone(), agent: *agent })
            }
            Run::McpTool { server, tool, input } => {
                let body = body();
                Some(HostQuestion::Tool {
                    server: server.clone(),
                    tool: tool.clone(),
                    input: input.iter().map(|(name, value)| (name.clone(), filled(value, &body))).collect(),
                })
            }
            Run::Command(_) | Run::Webhook(_) | Run::Decision(_) | Run::Computed(_) => None,
        }
    }

    fn answered(&self, input: &HookInput, answer: &Value) -> HandlerResult<Value> {
        // A refusal that does not end the turn is what an agent's refusal is.
        let kind = match &self.declared.run {
            Run::Prompt { continue_on_block: true, .. } => RunKind::Agent,
            run => run.kind(),
        };
        let invocation = self.invocation(input.clone());
        let handler_result = hookweave_dialects::answer_of_host(self.declared.dialect, &invocation, kind, answer);
        self.note(&invocation, &handler_result);
        handler_result
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
    use serde_json::json;

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
