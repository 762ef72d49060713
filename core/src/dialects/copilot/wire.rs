//! Copilot as the agent: what it sends to a hook, and what it understands of an outcome.

use serde_json::{Map, Value, json};

use super::NAME;
use super::events::{Known, home_of, named};
use super::stdin::spelt;
use crate::dialects::incoming::{Incoming, refuse};
use crate::dialects::output::{self, Json};
use crate::dialects::ruling::Ruling;
use crate::dialects::{Decided, WireAnswer, WireEvent, tools};
use crate::error::Error;

/// A field under either spelling.
macro_rules! either {
    ($name:literal) => {
        &[$name, &*spelt($name, false)]
    };
}

/// Reads an event, in whichever form; Copilot's own does not say which event it is, so its fields have to.
pub(super) fn event(wire: &Value) -> Result<WireEvent, Error> {
    let mut incoming = Incoming::new(NAME, wire)?;
    let name = incoming.take_text("hook_event_name").or_else(|| incoming.take_text("hookEventName"));
    let is_camel = incoming.peek("sessionId").is_some() && incoming.peek("tool_name").is_none();
    let known = match name.as_deref() {
        Some(name) => named(name).ok_or_else(|| refuse(NAME, format!("no event is called `{name}`")))?,
        None => {
            guess(&incoming).ok_or_else(|| refuse(NAME, "nothing tells which event this is; say `hook_event_name`"))?
        }
    };
    let known = home_of(known.event).filter(|_| is_camel).unwrap_or(known);
    incoming.needs_text(either!("session_id"), "session_id")?;
    incoming.moves(&["cwd"], "cwd");
    incoming.time("timestamp");
    incoming.forget(&spelt("stop_reason", known.snake), &json!("end_turn"));
    match known.event {
        "SessionStart" => incoming.needs_text(&["source"], "source")?,
        "SessionEnd" => incoming.needs_text(&["reason"], "reason")?,
        "UserPromptSubmit" => incoming.needs_text(&["prompt"], "prompt")?,
        "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionRequest" => tool(&mut incoming, known)?,
        "Stop" => incoming.moves(either!("stop_hook_active"), "stop_hook_active"),
        "SubagentStart" | "SubagentStop" => subagent(&mut incoming, known)?,
        "StopFailure" => {
            incoming.needs(&["error"], "error")?;
            incoming.forget(&spelt("error_context", known.snake), &json!("system"));
            incoming.forget("recoverable", &json!(false));
        }
        "PreCompact" => {
            incoming.needs_text(&["trigger"], "trigger")?;
            incoming.moves(either!("custom_instructions"), "custom_instructions");
        }
        "Notification" => {
            incoming.needs_text(&["message"], "message")?;
            incoming.moves(&["title"], "title");
            incoming.moves(either!("notification_type"), "kind");
        }
        _ => {}
    }
    own_names(&mut incoming);
    if known.snake {
        incoming.keep("hook_event_name", known.name);
    }
    Ok(incoming.event(known.event))
}

/// What only Copilot has stands in the metadata under one spelling.
fn own_names(incoming: &mut Incoming) {
    for name in [
        "transcript_path",
        "stop_reason",
        "initial_prompt",
        "agent_name",
        "agent_display_name",
        "agent_description",
        "error_context",
    ] {
        if let Some(value) = incoming.take(&spelt(name, false)) {
            incoming.keep(name, value);
        }
    }
    incoming.forget("transcript_path", &json!(""));
}

fn guess(incoming: &Incoming) -> Option<&'static Known> {
    let has = |name: &str| incoming.peek(name).is_some();
    named(match () {
        () if has("toolResult") => "postToolUse",
        () if has("toolName") && has("error") => "postToolUseFailure",
        () if has("toolName") && has("toolInput") && !has("toolArgs") => "permissionRequest",
        () if has("toolName") => "preToolUse",
        () if has("errorContext") || has("error") => "errorOccurred",
        () if has("agentName") && (has("stopReason") || has("response")) => "subagentStop",
        () if has("agentName") => "subagentStart",
        () if has("stopReason") => "agentStop",
        () if has("trigger") => "preCompact",
        () if has("notification_type") => "notification",
        () if has("source") => "sessionStart",
        () if has("reason") => "sessionEnd",
        () if has("prompt") => "userPromptSubmitted",
        () => return None,
    })
}

fn tool(incoming: &mut Incoming, known: &Known) -> Result<(), Error> {
    let name = incoming.take_any(either!("tool_name"));
    let Some(name) = name.as_ref().and_then(Value::as_str) else {
        return Err(refuse(NAME, "`toolName` must be a string"));
    };
    let tool = tools::from_dialect(NAME, name).into_owned();
    let input = match incoming.take_any(&["tool_input", "toolInput", "toolArgs", "tool_args"]) {
        Some(Value::String(text)) => match output::parse(&text) {
            Json::Object(input) => input,
            _ => Map::from_iter([("input".to_owned(), Value::String(text))]),
        },
        Some(Value::Object(input)) => input,
        Some(other) => Map::from_iter([("input".to_owned(), other)]),
        None => Map::new(),
    };
    incoming.put("args", tools::args_from_dialect(NAME, &tool, None, &input));
    incoming.put("tool", tool);
    incoming.moves(either!("tool_use_id"), "tool_use_id");
    match known.event {
        "PostToolUse" => {
            let given = incoming.take_any(&["tool_result", "toolResult", "tool_response"]).unwrap_or(Value::Null);
            let part = |name: &str| given.get(name).or_else(|| given.get(&*spelt(name, false))).cloned();
            let success = part("result_type").is_none_or(|kind| kind == "success");
            let output = part("text_result_for_llm").unwrap_or_else(|| given.clone());
            incoming.put("result", json!({"success": success, "output": output}));
        }
        "PostToolUseFailure" => incoming.needs(&["error"], "error")?,
        _ => {}
    }
    Ok(())
}

fn subagent(incoming: &mut Incoming, known: &Known) -> Result<(), Error> {
    let name = incoming.peek("agent_name").or_else(|| incoming.peek("agentName")).cloned();
    incoming.moves(either!("agent_id"), "agent_id");
    let kind = incoming.take_any(either!("agent_type")).or_else(|| name.clone());
    let kind = kind.filter(Value::is_string).ok_or_else(|| refuse(NAME, "`agentName` must be a string"))?;
    incoming.forget(&spelt("agent_name", known.snake), &kind);
    incoming.put("agent_type", kind);
    if let Some(response) = incoming.take_any(&["response", "last_assistant_message"]).filter(|said| *said != "") {
        incoming.keep("response", response);
    }
    Ok(())
}

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
    let args = tools::args_to_dialect(NAME, tool, None, args);
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
