//! Codex as the agent: what it sends to a hook, and what it understands of an outcome.

use serde_json::{Map, Value, json};

use super::events::known;
use super::{NAME, encode, patch};
use crate::incoming::{Incoming, refuse};
use crate::{OutcomeView, WireAnswer, WireEvent, tool_names};
use hookweave_machine::action::Action;
use hookweave_machine::error::Error;

/// Reads an event.
pub(super) fn event(wire: &Value) -> Result<WireEvent, Error> {
    let mut incoming = Incoming::new(NAME, wire)?;
    let named = incoming.event_name("hook_event_name")?;
    let Some((event, _)) = known(&named) else {
        return Err(refuse(NAME, format!("no event is called `{named}` (`hook_event_name`)")));
    };
    // What `encode` makes up when nothing is known says nothing on the way back either.
    let session = incoming.peek("session_id").cloned().unwrap_or(Value::Null);
    incoming.forget("turn_id", &session);
    incoming.forget("model", &json!(encode::NO_MODEL));
    incoming.forget("permission_mode", &json!(encode::USUAL_MODE));
    incoming.session(&["session_id"]);
    incoming.moves(&["cwd"], "cwd");
    incoming.moves(&["agent_id"], "agent_id");
    match event {
        "PreToolUse" | "PermissionRequest" | "PostToolUse" => tool(&mut incoming, event)?,
        "SessionStart" => {
            incoming.moves(&["source"], "source");
            incoming.moves(&["model"], "model");
        }
        "SessionEnd" => incoming.moves(&["reason"], "reason"),
        "UserPromptSubmit" => incoming.needs_text(&["prompt"], "prompt")?,
        "PreCompact" | "PostCompact" => incoming.moves(&["trigger"], "trigger"),
        "Stop" => {
            incoming.moves(&["stop_hook_active"], "stop_hook_active");
            incoming.moves(&["last_assistant_message"], "last_message");
        }
        "SubagentStart" | "SubagentStop" => {
            incoming.needs_text(&["agent_type"], "agent_type")?;
            incoming.forget("stop_hook_active", &json!(false));
        }
        _ => {}
    }
    Ok(incoming.event(event))
}

fn owned((tool, args): (&'static str, Map<String, Value>)) -> (String, Map<String, Value>) {
    (tool.to_owned(), args)
}

fn tool(incoming: &mut Incoming, event: &str) -> Result<(), Error> {
    let named = incoming.take_text("tool_name").ok_or_else(|| refuse(NAME, "`tool_name` must be a string"))?;
    let input = match incoming.input(&["tool_input"], event)? {
        Some(Value::Object(input)) => input,
        Some(other) => Map::from_iter([("input".to_owned(), other)]),
        None => Map::new(),
    };
    let (tool, args) = match named.as_str() {
        "apply_patch" => patch::from_input(&input).map_or_else(|| ("Edit".to_owned(), input.clone()), owned),
        "Edit" | "Write" => (named.clone(), input.clone()),
        _ => {
            let tool = tool_names::seen(NAME, &named).into_owned();
            let args = tool_names::args_from_dialect(NAME, &tool, None, &input);
            (tool, args)
        }
    };
    incoming.put("tool", tool);
    incoming.put("args", args);
    incoming.moves(&["tool_use_id"], "tool_use_id");
    if event == "PostToolUse" {
        let output = incoming.take("tool_response").unwrap_or(Value::Null);
        incoming.put("result", json!({"success": true, "output": output}));
    }
    Ok(())
}

/// Writes an outcome for the agent.
pub(super) fn answer(outcome: &OutcomeView<'_>) -> WireAnswer {
    let mut answer = WireAnswer::default();
    let event = outcome.event.event;
    let mut output = Map::new();
    let mut specific = Map::new();
    match event {
        "PreToolUse" => pre_tool_use(outcome, &mut answer, &mut specific),
        "PermissionRequest" => permission_request(outcome, &mut answer, &mut specific),
        "PostToolUse" => post_tool_use(outcome, &mut answer, &mut output),
        "UserPromptSubmit" | "Stop" | "SubagentStop" => gate(outcome, &mut answer, event, &mut output),
        "SubagentStart" | "PreCompact" if outcome.decision == Action::Ask => {
            answer.degrade(format!("Codex does not ask on {event}: the question counts as a refusal"));
            start_or_compact(outcome, &mut answer, event, &mut output);
        }
        "SubagentStart" | "PreCompact" | "PostCompact" | "SessionStart" if outcome.refuses() => {
            start_or_compact(outcome, &mut answer, event, &mut output);
        }
        _ if outcome.refuses() => answer.degrade("Codex reads nothing of a hook for SessionEnd"),
        _ => {}
    }
    texts(outcome, &mut answer, event, &mut output, &mut specific);
    if event == "SessionEnd" {
        return answer;
    }
    if !specific.is_empty() {
        specific.insert("hookEventName".to_owned(), json!(event));
        output.insert("hookSpecificOutput".to_owned(), Value::Object(specific));
    }
    answer.with_output(output)
}

fn start_or_compact(outcome: &OutcomeView<'_>, answer: &mut WireAnswer, event: &str, output: &mut Map<String, Value>) {
    if event == "SubagentStart" {
        answer.degrade("Codex cannot refuse a subagent: the refusal is only a message");
        output.insert("systemMessage".to_owned(), json!(outcome.reason_text()));
    } else {
        output.insert("continue".to_owned(), json!(false));
        output.insert("stopReason".to_owned(), json!(outcome.reason_text()));
    }
}

fn deny(specific: &mut Map<String, Value>, reason: &str) {
    specific.insert("permissionDecision".to_owned(), json!("deny"));
    specific.insert("permissionDecisionReason".to_owned(), json!(reason));
}

fn pre_tool_use(outcome: &OutcomeView<'_>, answer: &mut WireAnswer, specific: &mut Map<String, Value>) {
    let reason = outcome.reason_text();
    match outcome.decision {
        _ if outcome.refuses() => {
            if outcome.decision == Action::Stop {
                answer.degrade("Codex cannot stop the agent here: the call is denied");
            }
            deny(specific, &reason);
        }
        Action::Ask => {
            answer.degrade("Codex knows no question: ask became deny");
            deny(specific, &outcome.question());
        }
        Action::Retry => {
            answer.degrade("Codex knows no retry: the call is denied");
            deny(specific, &reason);
        }
        decision => {
            if decision == Action::Allow {
                answer.degrade("Codex voids a plain allow: its own approval decides");
            }
            let Some(args) = outcome.changed("args") else { return };
            if let Some(input) = updated_input(outcome, args) {
                specific.insert("permissionDecision".to_owned(), json!("allow"));
                specific.insert("updatedInput".to_owned(), input);
            } else {
                answer.degrade("Codex cannot take the changed arguments: the call is denied");
                deny(specific, "a hook changed the arguments in a way that the format cannot express");
            }
        }
    }
}

fn updated_input(outcome: &OutcomeView<'_>, args: &Value) -> Option<Value> {
    let tool = outcome.payload.get("tool")?.as_str()?;
    let args = args.as_object()?;
    if let Some(patch) = patch::from_args(tool, args) {
        return Some(json!({ "command": patch }));
    }
    let needs_command = matches!(tool, "Bash" | "Edit" | "Write" | "apply_patch");
    if needs_command && !args.get("command").is_some_and(Value::is_string) {
        return None;
    }
    if matches!(tool, "Edit" | "Write") {
        return args.get("command").map(|command| json!({ "command": command }));
    }
    Some(Value::Object(tool_names::args_to_dialect(NAME, tool, None, args)))
}

fn permission_request(outcome: &OutcomeView<'_>, answer: &mut WireAnswer, specific: &mut Map<String, Value>) {
    let denial = match outcome.decision {
        _ if outcome.refuses() => {
            if outcome.decision == Action::Stop {
                answer.degrade("Codex cannot stop the agent here: the request is denied");
            }
            Some(outcome.reason_text())
        }
        Action::Retry => {
            answer.degrade("Codex knows no retry: the request is denied");
            Some(outcome.reason_text())
        }
        _ if outcome.changed("args").is_some() => {
            answer.degrade("Codex takes no changed arguments here: the request is denied");
            Some("a hook changed the arguments".to_owned())
        }
        Action::Allow => {
            specific.insert("decision".to_owned(), json!({"behavior": "allow"}));
            None
        }
        // No answer leaves the question to the person, which is what ask wants.
        _ => None,
    };
    if let Some(reason) = denial {
        specific.insert("decision".to_owned(), json!({"behavior": "deny", "message": reason}));
    }
}

fn post_tool_use(outcome: &OutcomeView<'_>, answer: &mut WireAnswer, output: &mut Map<String, Value>) {
    let mut in_place_of_the_result = None;
    if outcome.decision == Action::Stop {
        output.insert("continue".to_owned(), json!(false));
        output.insert("stopReason".to_owned(), json!(outcome.reason_text()));
    } else if outcome.refuses() {
        in_place_of_the_result = Some(outcome.reason_text());
    }
    if let Some(result) = outcome.changed("result").filter(|_| in_place_of_the_result.is_none()) {
        answer.degrade("Codex replaces a result only by refusing it: the new result is the reason");
        let new = result.get("output").unwrap_or(result);
        let text = new.as_str().map_or_else(|| new.to_string(), str::to_owned);
        // A refusal without a reason is void, and the model would read the old result.
        let is_blank = text.trim().is_empty();
        in_place_of_the_result = Some(if is_blank { "a hook emptied the result".to_owned() } else { text });
    }
    if let Some(text) = in_place_of_the_result {
        output.insert("decision".to_owned(), json!("block"));
        output.insert("reason".to_owned(), json!(text));
    }
}

fn gate(outcome: &OutcomeView<'_>, answer: &mut WireAnswer, event: &str, output: &mut Map<String, Value>) {
    let changes_prompt = outcome.changed("prompt").is_some();
    match outcome.decision {
        Action::Stop => {
            output.insert("continue".to_owned(), json!(false));
            output.insert("stopReason".to_owned(), json!(outcome.reason_text()));
            return;
        }
        _ if outcome.refuses() => {}
        Action::Ask => answer.degrade(format!("Codex does not ask on {event}: the question counts as a block")),
        Action::Retry if event == "UserPromptSubmit" => {
            answer.degrade("Codex knows no retry for a prompt: it is blocked");
        }
        _ if changes_prompt => answer.degrade("Codex takes no changed prompt: it is blocked"),
        _ => return,
    }
    let reason = if changes_prompt && !outcome.refuses() {
        "a hook changed the prompt, which the format cannot express".to_owned()
    } else {
        outcome.reason_text()
    };
    output.insert("decision".to_owned(), json!("block"));
    output.insert("reason".to_owned(), json!(reason));
}

/// Context and messages.
fn texts(
    outcome: &OutcomeView<'_>,
    answer: &mut WireAnswer,
    event: &str,
    output: &mut Map<String, Value>,
    specific: &mut Map<String, Value>,
) {
    let mut shown = output.get("systemMessage").and_then(Value::as_str).map(str::to_owned);
    let mut show =
        |text: String| shown = Some(shown.take().map_or_else(|| text.clone(), |known| format!("{known}\n{text}")));
    if let Some(messages) = outcome.messages_text() {
        show(messages);
    }
    if let Some(context) = outcome.context_text() {
        if matches!(event, "PreToolUse" | "PostToolUse" | "UserPromptSubmit" | "SessionStart" | "SubagentStart") {
            specific.insert("additionalContext".to_owned(), json!(context));
        } else {
            answer.degrade(format!("Codex takes no context on {event}: it is shown to the user"));
            show(context);
        }
    }
    if let Some(shown) = shown {
        output.insert("systemMessage".to_owned(), json!(shown));
    }
}
