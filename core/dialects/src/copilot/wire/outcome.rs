//! What Copilot, as the agent, understands of an outcome.

use serde_json::{Map, Value, json};

use super::super::NAME;
use super::super::events::{CopilotEvent, home_of, named};
use super::AS_OURS;
use crate::{OutcomeView, WireAnswer, tool_names};
use hookweave_machine::action::Action;

/// The form that an event came in.
fn form(outcome: &OutcomeView<'_>) -> Option<&'static CopilotEvent> {
    let own =
        |payload: &Map<String, Value>| named(payload.get("metadata")?.get(NAME)?.get("hook_event_name")?.as_str()?);
    own(&outcome.event.payload)
        .filter(|known| known.event == outcome.event.event)
        .or_else(|| home_of(outcome.event.event))
}

/// Writes an outcome for the agent. VS Code's form of a tool call gets it in both forms, flat and nested.
pub(in super::super) fn answer(outcome: &OutcomeView<'_>) -> WireAnswer {
    let mut answer = WireAnswer::default();
    let Some(known) = form(outcome) else {
        answer.degrade(format!("Copilot has no event for {}", outcome.event.event));
        return answer;
    };
    let mut output = Map::new();
    let mut warning = None;
    match known.event {
        "PreToolUse" => pre_tool_use(outcome, &mut answer, &mut output),
        "PermissionRequest" => permission_request(outcome, &mut answer, &mut output),
        "PostToolUse" | "PostToolUseFailure" => after_tool(outcome, &mut answer, &mut output),
        "UserPromptSubmit" => prompt(outcome, &mut answer, &mut output),
        // Without an answer the agent stops.
        "Stop" | "SubagentStop" if outcome.decision == Action::Stop => {}
        "Stop" | "SubagentStop" if outcome.refuses() => {
            block(&mut output, &outcome.reason_text());
        }
        event => {
            let is_open =
                matches!(outcome.decision, Action::Continue | Action::Allow | Action::Skip) && !outcome.refuses();
            if !is_open || !outcome.modified.is_empty() {
                answer.degrade(format!("Copilot lets no command refuse or change {event}: the user is warned"));
                warning = Some(outcome.reason_text());
            }
        }
    }
    texts(outcome, &mut answer, known, &mut output);
    if known.snake && known.event == "PreToolUse" && !output.is_empty() {
        nest(&mut output);
    }
    let mut answer = answer.with_output(output);
    if let Some(warning) = warning {
        answer.exit_code = 2;
        answer.stderr = warning;
    }
    answer
}

/// The same once more as VS Code's own agent reads it.
fn nest(output: &mut Map<String, Value>) {
    let mut inner = Map::from_iter([("hookEventName".to_owned(), json!("PreToolUse"))]);
    for (flat, nested) in [
        ("permissionDecision", "permissionDecision"),
        ("permissionDecisionReason", "permissionDecisionReason"),
        ("modifiedArgs", "updatedInput"),
        ("additionalContext", "additionalContext"),
    ] {
        if let Some(value) = output.get(flat) {
            inner.insert(nested.to_owned(), value.clone());
        }
    }
    output.insert("hookSpecificOutput".to_owned(), Value::Object(inner));
}

fn decide(output: &mut Map<String, Value>, decision: &str, reason: &str) {
    output.insert("permissionDecision".to_owned(), json!(decision));
    output.insert("permissionDecisionReason".to_owned(), json!(reason));
}

fn block(output: &mut Map<String, Value>, reason: &str) {
    output.insert("decision".to_owned(), json!("block"));
    output.insert("reason".to_owned(), json!(reason));
}

fn prompt(outcome: &OutcomeView<'_>, answer: &mut WireAnswer, output: &mut Map<String, Value>) {
    match outcome.decision {
        _ if outcome.refuses() => {
            if outcome.decision == Action::Stop {
                answer.degrade("Copilot cannot stop the agent here: the prompt is refused");
            }
            block(output, &outcome.reason_text());
        }
        Action::Ask => {
            answer.degrade("Copilot does not ask about a prompt: it is refused");
            block(output, &outcome.question());
        }
        Action::Retry => {
            answer.degrade("Copilot knows no retry for a prompt: it is refused");
            block(output, &outcome.reason_text());
        }
        _ => {
            if let Some(prompt) = outcome.changed("prompt") {
                output.insert("modifiedPrompt".to_owned(), prompt.clone());
            }
        }
    }
}

fn pre_tool_use(outcome: &OutcomeView<'_>, answer: &mut WireAnswer, output: &mut Map<String, Value>) {
    match outcome.decision {
        _ if outcome.refuses() => {
            if outcome.decision == Action::Stop {
                answer.degrade("Copilot cannot stop the agent here: the call is denied");
            }
            return decide(output, "deny", &outcome.reason_text());
        }
        Action::Retry => {
            answer.degrade("Copilot knows no retry: the call is denied");
            return decide(output, "deny", &outcome.reason_text());
        }
        Action::Ask => decide(output, "ask", &outcome.question()),
        Action::Allow => _ = output.insert("permissionDecision".to_owned(), json!("allow")),
        _ => {}
    }
    let Some(args) = outcome.changed("args").and_then(Value::as_object) else { return };
    let tool = outcome.payload.get("tool").and_then(Value::as_str).unwrap_or_default();
    let is_ours = outcome.payload.get("metadata").and_then(|own| own.get(NAME)?.get(AS_OURS)).is_some();
    let args = if is_ours { args.clone() } else { tool_names::args_to_dialect(NAME, tool, None, args) };
    output.insert("modifiedArgs".to_owned(), Value::Object(args));
}

fn permission_request(outcome: &OutcomeView<'_>, answer: &mut WireAnswer, output: &mut Map<String, Value>) {
    let denial = match outcome.decision {
        _ if outcome.refuses() => outcome.reason_text(),
        Action::Retry => {
            answer.degrade("Copilot knows no retry: the request is denied");
            outcome.reason_text()
        }
        _ if outcome.changed("args").is_some() => {
            answer.degrade("Copilot takes no changed arguments here: the request is denied");
            "a hook changed the arguments, which the format cannot express".to_owned()
        }
        Action::Allow => {
            output.insert("behavior".to_owned(), json!("allow"));
            return;
        }
        // No answer leaves the question to the person, which is what ask wants.
        _ => return,
    };
    output.insert("behavior".to_owned(), json!("deny"));
    output.insert("message".to_owned(), json!(denial));
    if outcome.decision == Action::Stop {
        output.insert("interrupt".to_owned(), json!(true));
    }
}

fn after_tool(outcome: &OutcomeView<'_>, answer: &mut WireAnswer, output: &mut Map<String, Value>) {
    match outcome.decision {
        Action::Stop => answer.degrade("Copilot cannot stop the agent here: the model receives the reason"),
        Action::Retry => answer.degrade("Copilot knows no retry"),
        _ => {}
    }
    if outcome.refuses() {
        output.insert("additionalContext".to_owned(), json!(outcome.reason_text()));
    }
    if let Some(result) = outcome.changed("result") {
        let new = result.get("output").unwrap_or(result);
        let text = new.as_str().map_or_else(|| new.to_string(), str::to_owned);
        let failed = result.get("success") == Some(&Value::Bool(false));
        let kind = if failed { "failure" } else { "success" };
        output.insert("modifiedResult".to_owned(), json!({"resultType": kind, "textResultForLlm": text}));
    }
}

/// Context, messages and what only Copilot has.
fn texts(outcome: &OutcomeView<'_>, answer: &mut WireAnswer, known: &CopilotEvent, output: &mut Map<String, Value>) {
    if let Some(context) = outcome.context_text() {
        let takes = matches!(
            known.event,
            "UserPromptSubmit"
                | "PreToolUse"
                | "PostToolUse"
                | "PostToolUseFailure"
                | "SessionStart"
                | "SubagentStart"
                | "Notification"
        );
        if takes {
            let before = output.get("additionalContext").and_then(Value::as_str);
            let text = before.map_or_else(|| context.clone(), |before| format!("{before}\n\n{context}"));
            output.insert("additionalContext".to_owned(), json!(text));
        } else {
            answer.degrade(format!("Copilot takes no context on {}", known.name));
        }
    }
    if outcome.messages_text().is_some() {
        answer.degrade("Copilot shows no message of a hook");
    }
    if let Some(response) = outcome.own(NAME, "modifiedResponse").filter(|_| known.event == "SubagentStop") {
        output.insert("modifiedResponse".to_owned(), response.clone());
    }
}
