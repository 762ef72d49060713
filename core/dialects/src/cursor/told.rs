//! What Cursor, as the agent, understands of an outcome.

use serde_json::{Map, Value, json};

use super::NAME;
use super::events::{Ask, Known, Reads, home_of, named};
use super::stdin::mcp_tool;
use crate::ruling::Ruling;
use crate::{Decided, WireAnswer, tool_names};

/// The home event that an event came as.
fn home(decided: &Decided<'_>) -> Option<&'static Known> {
    let own =
        |payload: &Map<String, Value>| named(payload.get("metadata")?.get(NAME)?.get("hook_event_name")?.as_str()?);
    let known = own(&decided.event.payload).filter(|known| known.event == decided.event.event);
    known.or_else(|| home_of(decided.event.event))
}

/// Tells an outcome.
pub(super) fn answer(decided: &Decided<'_>) -> WireAnswer {
    let mut ruling = Ruling::new(decided);
    let mut output = Map::new();
    let Some(known) = home(decided) else {
        ruling.degrade(format!("Cursor has no event for {}", decided.event.event));
        return ruling.answer(output);
    };
    match known.reads {
        Reads::Permission(ask) => permission(&mut ruling, decided, known, ask, &mut output),
        Reads::Continue => prompt(&mut ruling, &mut output),
        Reads::Followup => match ruling.decision() {
            // Without a follow-up the agent stops.
            "stop" => {}
            _ if ruling.refuses() => say(&mut output, "followup_message", &ruling.reason()),
            "ask" => {
                ruling.degrade(format!("Cursor asks nobody on {}: the agent goes on", known.name));
                say(&mut output, "followup_message", &ruling.question());
            }
            _ => {}
        },
        Reads::Result => result_told(&mut ruling, decided, &mut output),
        Reads::Context | Reads::Message | Reads::Nothing => {
            if ruling.refuses() || ruling.decision() == "ask" {
                ruling.degrade(format!("Cursor does not let a hook refuse {}", known.name));
            }
            if !ruling.changed().is_empty() {
                ruling.degrade(format!("Cursor takes no changes on {}", known.name));
            }
        }
    }
    texts(&mut ruling, known, &mut output);
    ruling.answer(output)
}

fn say(output: &mut Map<String, Value>, name: &str, text: &str) {
    output.insert(name.to_owned(), json!(text));
}

fn deny(output: &mut Map<String, Value>, reason: &str) {
    output.shift_remove("updated_input");
    say(output, "permission", "deny");
    say(output, "user_message", reason);
    say(output, "agent_message", reason);
}

fn permission(
    ruling: &mut Ruling<'_>,
    decided: &Decided<'_>,
    known: &Known,
    ask: Ask,
    output: &mut Map<String, Value>,
) {
    match ruling.decision() {
        _ if ruling.refuses() => {
            if ruling.decision() == "stop" {
                ruling.degrade("Cursor cannot stop the agent here: the action is denied");
            }
            return deny(output, &ruling.reason());
        }
        "ask" if ask == Ask::Asks => {
            say(output, "permission", "ask");
            say(output, "user_message", &ruling.question());
        }
        decision @ ("ask" | "retry") => {
            ruling.degrade(format!("Cursor knows no {decision} on {}: it is denied", known.name));
            return deny(output, &ruling.question());
        }
        "allow" => say(output, "permission", "allow"),
        _ => {}
    }
    let Some(args) = ruling.modified("args") else { return };
    let tool = decided.payload.get("tool").and_then(Value::as_str).unwrap_or_default();
    if let Some(args) = args.as_object().filter(|_| known.name == "preToolUse") {
        say(output, "permission", "allow");
        let input = tool_names::args_to_dialect(NAME, tool, None, args);
        output.insert("updated_input".to_owned(), Value::Object(input));
    } else {
        ruling.degrade(format!("Cursor takes no changed arguments on {}: it is denied", known.name));
        deny(output, "a hook changed the arguments, which cannot be told");
    }
}

fn prompt(ruling: &mut Ruling<'_>, output: &mut Map<String, Value>) {
    let reason = match ruling.decision() {
        "stop" => {
            ruling.degrade("Cursor cannot stop the agent here: the prompt is blocked");
            ruling.reason()
        }
        _ if ruling.refuses() => ruling.reason(),
        decision @ ("ask" | "retry") => {
            ruling.degrade(format!("Cursor knows no {decision} for a prompt: it is blocked"));
            ruling.question()
        }
        _ if ruling.modified("prompt").is_some() => {
            ruling.degrade("Cursor takes no changed prompt: it is blocked");
            "a hook changed the prompt, which cannot be told".to_owned()
        }
        _ => return,
    };
    output.insert("continue".to_owned(), json!(false));
    say(output, "user_message", &reason);
}

fn result_told(ruling: &mut Ruling<'_>, decided: &Decided<'_>, output: &mut Map<String, Value>) {
    if ruling.decision() == "stop" {
        ruling.degrade("Cursor cannot stop the agent here: the model is told why");
    }
    if ruling.refuses() {
        say(output, "additional_context", &ruling.reason());
    }
    let Some(result) = ruling.modified("result") else { return };
    let new = result.get("output").unwrap_or(result);
    let tool = decided.payload.get("tool").and_then(Value::as_str).unwrap_or_default();
    if mcp_tool(tool).is_some() {
        let new = if new.is_object() { new.clone() } else { json!({ "output": new }) };
        output.insert("updated_mcp_tool_output".to_owned(), new);
    } else {
        ruling.degrade("Cursor replaces the results of MCP tools alone: the model sees this one as it was");
    }
}

/// Context and messages.
fn texts(ruling: &mut Ruling<'_>, known: &Known, output: &mut Map<String, Value>) {
    let mut add = |name: &str, text: String| {
        let before = output.get(name).and_then(Value::as_str).map(|before| format!("{before}\n{text}"));
        output.insert(name.to_owned(), json!(before.unwrap_or(text)));
    };
    if let Some(context) = ruling.context() {
        match known.reads {
            Reads::Continue | Reads::Context | Reads::Result => add("additional_context", context),
            Reads::Permission(Ask::Asks) => add("agent_message", context),
            _ => ruling.degrade(format!("Cursor takes no context on {}", known.name)),
        }
    }
    if let Some(messages) = ruling.messages() {
        match known.reads {
            Reads::Permission(_) | Reads::Continue | Reads::Message => add("user_message", messages),
            _ => ruling.degrade(format!("Cursor shows no message on {}", known.name)),
        }
    }
}
