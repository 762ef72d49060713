//! What Cursor, as the agent, understands of an outcome.

use serde_json::{Map, Value, json};

use super::super::NAME;
use super::super::encode::mcp_tool;
use super::super::events::{Ask, CursorEvent, Reads, home_of, named};
use crate::{OutcomeView, WireAnswer, tool_names};
use hookweave_machine::action::Action;

/// The home event that an event came as.
fn home(outcome: &OutcomeView<'_>) -> Option<&'static CursorEvent> {
    let own =
        |payload: &Map<String, Value>| named(payload.get("metadata")?.get(NAME)?.get("hook_event_name")?.as_str()?);
    let known = own(&outcome.event.payload).filter(|known| known.event == outcome.event.event);
    known.or_else(|| home_of(outcome.event.event))
}

/// Expressible an outcome.
pub(in super::super) fn answer(outcome: &OutcomeView<'_>) -> WireAnswer {
    let mut answer = WireAnswer::default();
    let mut output = Map::new();
    let Some(known) = home(outcome) else {
        answer.degrade(format!("Cursor has no event for {}", outcome.event.event));
        return answer.with_output(output);
    };
    match known.reads {
        Reads::Permission(ask) => permission(outcome, &mut answer, known, ask, &mut output),
        Reads::Continue => prompt(outcome, &mut answer, &mut output),
        Reads::Followup => match outcome.decision {
            // Without a follow-up the agent stops.
            Action::Stop => {}
            _ if outcome.refuses() => set_text(&mut output, "followup_message", &outcome.reason_text()),
            Action::Ask => {
                answer.degrade(format!("Cursor does not ask on {}: the agent continues", known.name));
                set_text(&mut output, "followup_message", &outcome.question());
            }
            _ => {}
        },
        Reads::Result => write_result(outcome, &mut answer, &mut output),
        Reads::Context | Reads::Message | Reads::Nothing => {
            if outcome.refuses() || outcome.decision == Action::Ask {
                answer.degrade(format!("Cursor does not let a hook refuse {}", known.name));
            }
            if !outcome.modified.is_empty() {
                answer.degrade(format!("Cursor takes no changes on {}", known.name));
            }
        }
    }
    texts(outcome, &mut answer, known, &mut output);
    answer.with_output(output)
}

fn set_text(output: &mut Map<String, Value>, name: &str, text: &str) {
    output.insert(name.to_owned(), json!(text));
}

fn deny(output: &mut Map<String, Value>, reason: &str) {
    output.shift_remove("updated_input");
    set_text(output, "permission", "deny");
    set_text(output, "user_message", reason);
    set_text(output, "agent_message", reason);
}

fn permission(
    outcome: &OutcomeView<'_>,
    answer: &mut WireAnswer,
    known: &CursorEvent,
    ask: Ask,
    output: &mut Map<String, Value>,
) {
    match outcome.decision {
        _ if outcome.refuses() => {
            if outcome.decision == Action::Stop {
                answer.degrade("Cursor cannot stop the agent here: the action is denied");
            }
            return deny(output, &outcome.reason_text());
        }
        Action::Ask if ask == Ask::Asks => {
            set_text(output, "permission", "ask");
            set_text(output, "user_message", &outcome.question());
        }
        decision @ (Action::Ask | Action::Retry) => {
            answer.degrade(format!("Cursor knows no {decision} on {}: it is denied", known.name));
            return deny(output, &outcome.question());
        }
        Action::Allow => set_text(output, "permission", "allow"),
        _ => {}
    }
    let Some(args) = outcome.changed("args") else { return };
    let tool = outcome.payload.get("tool").and_then(Value::as_str).unwrap_or_default();
    if let Some(args) = args.as_object().filter(|_| known.name == "preToolUse") {
        set_text(output, "permission", "allow");
        let input = tool_names::args_to_dialect(NAME, tool, None, args);
        output.insert("updated_input".to_owned(), Value::Object(input));
    } else {
        answer.degrade(format!("Cursor takes no changed arguments on {}: it is denied", known.name));
        deny(output, "a hook changed the arguments, which the format cannot express");
    }
}

fn prompt(outcome: &OutcomeView<'_>, answer: &mut WireAnswer, output: &mut Map<String, Value>) {
    let reason = match outcome.decision {
        Action::Stop => {
            answer.degrade("Cursor cannot stop the agent here: the prompt is blocked");
            outcome.reason_text()
        }
        _ if outcome.refuses() => outcome.reason_text(),
        decision @ (Action::Ask | Action::Retry) => {
            answer.degrade(format!("Cursor knows no {decision} for a prompt: it is blocked"));
            outcome.question()
        }
        _ if outcome.changed("prompt").is_some() => {
            answer.degrade("Cursor takes no changed prompt: it is blocked");
            "a hook changed the prompt, which the format cannot express".to_owned()
        }
        _ => return,
    };
    output.insert("continue".to_owned(), json!(false));
    set_text(output, "user_message", &reason);
}

fn write_result(outcome: &OutcomeView<'_>, answer: &mut WireAnswer, output: &mut Map<String, Value>) {
    if outcome.decision == Action::Stop {
        answer.degrade("Cursor cannot stop the agent here: the model receives the reason");
    }
    if outcome.refuses() {
        set_text(output, "additional_context", &outcome.reason_text());
    }
    let Some(result) = outcome.changed("result") else { return };
    let new = result.get("output").unwrap_or(result);
    let tool = outcome.payload.get("tool").and_then(Value::as_str).unwrap_or_default();
    if mcp_tool(tool).is_some() {
        let new = if new.is_object() { new.clone() } else { json!({ "output": new }) };
        output.insert("updated_mcp_tool_output".to_owned(), new);
    } else {
        answer.degrade("Cursor replaces the results of MCP tools alone: the model sees this one as it was");
    }
}

/// Context and messages.
fn texts(outcome: &OutcomeView<'_>, answer: &mut WireAnswer, known: &CursorEvent, output: &mut Map<String, Value>) {
    let mut add = |name: &str, text: String| {
        let before = output.get(name).and_then(Value::as_str).map(|before| format!("{before}\n{text}"));
        output.insert(name.to_owned(), json!(before.unwrap_or(text)));
    };
    if let Some(context) = outcome.context_text() {
        match known.reads {
            Reads::Continue | Reads::Context | Reads::Result => add("additional_context", context),
            Reads::Permission(Ask::Asks) => add("agent_message", context),
            _ => answer.degrade(format!("Cursor takes no context on {}", known.name)),
        }
    }
    if let Some(messages) = outcome.messages_text() {
        match known.reads {
            Reads::Permission(_) | Reads::Continue | Reads::Message => add("user_message", messages),
            _ => answer.degrade(format!("Cursor shows no message on {}", known.name)),
        }
    }
}
