//! What Copilot, as the agent, understands of an outcome.

use serde_json::{Map, Value, json};

use super::NAME;
use super::events::{Known, home_of, named};
use crate::ruling::Ruling;
use crate::{Decided, WireAnswer, tool_names};

/// The form that an event came in.
fn form(decided: &Decided<'_>) -> Option<&'static Known> {
    let own =
        |payload: &Map<String, Value>| named(payload.get("metadata")?.get(NAME)?.get("hook_event_name")?.as_str()?);
    own(&decided.event.payload)
        .filter(|known| known.event == decided.event.event)
        .or_else(|| home_of(decided.event.event))
}

/// Tells an outcome. For VS Code's form of a tool call it is told in both ways, flat and nested.
pub(super) fn answer(decided: &Decided<'_>) -> WireAnswer {
    let mut ruling = Ruling::new(decided);
    let Some(known) = form(decided) else {
        ruling.degrade(format!("Copilot has no event for {}", decided.event.event));
        return ruling.answer(Map::new());
    };
    let mut output = Map::new();
    let mut warning = None;
    match known.event {
        "PreToolUse" => pre_tool_use(&mut ruling, decided, &mut output),
        "PermissionRequest" => permission_request(&mut ruling, &mut output),
        "PostToolUse" | "PostToolUseFailure" => after_tool(&mut ruling, &mut output),
        // Without an answer the agent stops.
        "Stop" | "SubagentStop" if ruling.decision() == "stop" => {}
        "Stop" | "SubagentStop" if ruling.refuses() => {
            output.insert("decision".to_owned(), json!("block"));
            output.insert("reason".to_owned(), json!(ruling.reason()));
        }
        event => {
            let is_open = matches!(ruling.decision(), "continue" | "allow" | "skip") && !ruling.refuses();
            if !is_open || !ruling.changed().is_empty() {
                ruling.degrade(format!("Copilot lets no command refuse or change {event}: the user is warned"));
                warning = Some(ruling.reason());
            }
        }
    }
    texts(&mut ruling, known, &mut output);
    if known.snake && known.event == "PreToolUse" && !output.is_empty() {
        nest(&mut output);
    }
    let mut answer = ruling.answer(output);
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

fn pre_tool_use(ruling: &mut Ruling<'_>, decided: &Decided<'_>, output: &mut Map<String, Value>) {
    match ruling.decision() {
        _ if ruling.refuses() => {
            if ruling.decision() == "stop" {
                ruling.degrade("Copilot cannot stop the agent here: the call is denied");
            }
            return decide(output, "deny", &ruling.reason());
        }
        "retry" => {
            ruling.degrade("Copilot knows no retry: the call is denied");
            return decide(output, "deny", &ruling.reason());
        }
        "ask" => decide(output, "ask", &ruling.question()),
        "allow" => _ = output.insert("permissionDecision".to_owned(), json!("allow")),
        _ => {}
    }
    let Some(args) = ruling.modified("args").and_then(Value::as_object) else { return };
    let tool = decided.payload.get("tool").and_then(Value::as_str).unwrap_or_default();
    let args = tool_names::args_to_dialect(NAME, tool, None, args);
    output.insert("modifiedArgs".to_owned(), Value::Object(args));
}

fn permission_request(ruling: &mut Ruling<'_>, output: &mut Map<String, Value>) {
    let denial = match ruling.decision() {
        _ if ruling.refuses() => ruling.reason(),
        "retry" => {
            ruling.degrade("Copilot knows no retry: the request is denied");
            ruling.reason()
        }
        _ if ruling.modified("args").is_some() => {
            ruling.degrade("Copilot takes no changed arguments here: the request is denied");
            "a hook changed the arguments, which cannot be told".to_owned()
        }
        "allow" => {
            output.insert("behavior".to_owned(), json!("allow"));
            return;
        }
        // No answer leaves the question to the person, which is what ask wants.
        _ => return,
    };
    output.insert("behavior".to_owned(), json!("deny"));
    output.insert("message".to_owned(), json!(denial));
    if ruling.decision() == "stop" {
        output.insert("interrupt".to_owned(), json!(true));
    }
}

fn after_tool(ruling: &mut Ruling<'_>, output: &mut Map<String, Value>) {
    match ruling.decision() {
        "stop" => ruling.degrade("Copilot cannot stop the agent here: the model is told why"),
        "retry" => ruling.degrade("Copilot knows no retry"),
        _ => {}
    }
    if ruling.refuses() {
        output.insert("additionalContext".to_owned(), json!(ruling.reason()));
    }
    if let Some(result) = ruling.modified("result") {
        let new = result.get("output").unwrap_or(result);
        let text = new.as_str().map_or_else(|| new.to_string(), str::to_owned);
        let failed = result.get("success") == Some(&Value::Bool(false));
        let kind = if failed { "failure" } else { "success" };
        output.insert("modifiedResult".to_owned(), json!({"resultType": kind, "textResultForLlm": text}));
    }
}

/// Context, messages and what only Copilot has.
fn texts(ruling: &mut Ruling<'_>, known: &Known, output: &mut Map<String, Value>) {
    if let Some(context) = ruling.context() {
        let takes = matches!(
            known.event,
            "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "SessionStart" | "SubagentStart" | "Notification"
        );
        if takes {
            let before = output.get("additionalContext").and_then(Value::as_str);
            let text = before.map_or_else(|| context.clone(), |before| format!("{before}\n\n{context}"));
            output.insert("additionalContext".to_owned(), json!(text));
        } else {
            ruling.degrade(format!("Copilot takes no context on {}", known.name));
        }
    }
    if ruling.messages().is_some() {
        ruling.degrade("Copilot shows no message of a hook");
    }
    if let Some(response) = ruling.own(NAME, "modifiedResponse").filter(|_| known.event == "SubagentStop") {
        output.insert("modifiedResponse".to_owned(), response.clone());
    }
}
