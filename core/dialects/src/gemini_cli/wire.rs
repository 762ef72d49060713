//! Gemini CLI as the agent: what it sends to a hook, and what it understands of an outcome.

use serde_json::{Map, Value, json};

use super::events::{EVENTS, GeminiEvent, SELECTION, named};
use super::{NAME, mcp, model};
use crate::incoming::{Incoming, refuse};
use crate::{OutcomeView, WireAnswer, WireEvent, tool_names};
use hookweave_machine::action::Action;
use hookweave_machine::error::Error;

/// Reads an event.
pub(super) fn event(wire: &Value) -> Result<WireEvent, Error> {
    let mut incoming = Incoming::new(NAME, wire)?;
    let name = incoming.event_name("hook_event_name")?;
    let Some(known) = named(&name) else {
        return Err(refuse(NAME, format!("no event is called `{name}` (`hook_event_name`)")));
    };
    incoming.session(&["session_id"]);
    incoming.moves(&["cwd"], "cwd");
    incoming.time("timestamp");
    incoming.forget("transcript_path", &json!(""));
    match known.name {
        "BeforeTool" | "AfterTool" => tool(&mut incoming, known.event)?,
        "BeforeAgent" => incoming.needs_text(&["prompt"], "prompt")?,
        "AfterAgent" => {
            incoming.moves(&["prompt_response"], "last_message");
            incoming.moves(&["stop_hook_active"], "stop_hook_active");
            incoming.forget("prompt", &json!(""));
        }
        "BeforeModel" | "AfterModel" | SELECTION => model_call(&mut incoming, known)?,
        "SessionStart" => incoming.moves(&["source"], "source"),
        "SessionEnd" => incoming.moves(&["reason"], "reason"),
        "PreCompress" => incoming.moves(&["trigger"], "trigger"),
        "Notification" => {
            incoming.moves(&["message"], "message");
            incoming.moves(&["notification_type"], "kind");
            incoming.forget("details", &json!({}));
        }
        _ => {}
    }
    Ok(incoming.event(known.event))
}

fn tool(incoming: &mut Incoming, event: &str) -> Result<(), Error> {
    let name = incoming.take_text("tool_name").ok_or_else(|| refuse(NAME, "`tool_name` must be a string"))?;
    let input = match incoming.input(&["tool_input"], event)? {
        Some(Value::Object(input)) => input,
        Some(other) => Map::from_iter([("input".to_owned(), other)]),
        None => Map::new(),
    };
    let context = incoming.peek("mcp_context").cloned();
    let from = |field: &str| context.as_ref().and_then(|context| context.get(field)).and_then(Value::as_str);
    let mcp_name = match (from("server_name"), from("tool_name")) {
        (Some(server), Some(tool)) => {
            incoming.forget("mcp_context", &mcp::context(server, tool));
            Some(format!("mcp__{server}__{tool}"))
        }
        // Without its context the first underscore is taken for the border of the server's name.
        _ => name
            .strip_prefix("mcp_")
            .and_then(|rest| rest.split_once('_'))
            .map(|(server, tool)| format!("mcp__{server}__{tool}")),
    };
    let tool = mcp_name.unwrap_or_else(|| tool_names::seen(NAME, &name).into_owned());
    incoming.put("args", tool_names::args_from_dialect(NAME, &tool, None, &input));
    incoming.put("tool", tool);
    if let Some(response) = incoming.take("tool_response") {
        let failed = response.get("error").is_some_and(|error| !error.is_null());
        let output = response.get("llmContent").cloned().unwrap_or(response);
        incoming.put("result", json!({"success": !failed, "output": output}));
    }
    Ok(())
}

fn model_call(incoming: &mut Incoming, known: &GeminiEvent) -> Result<(), Error> {
    let request = incoming.peek("llm_request").cloned().ok_or_else(|| refuse(NAME, "`llm_request` is missing"))?;
    let mut payload = Map::new();
    payload.insert("prompt".to_owned(), json!(model::text_by(&request, "user").unwrap_or_default()));
    payload.insert("model".to_owned(), request.get("model").cloned().unwrap_or(Value::Null));
    if known.event == "GenerateStart" {
        if let Some(system) = model::text_by(&request, "system") {
            payload.insert("system_prompt".to_owned(), json!(system));
        }
        let names = request.get("toolConfig").and_then(|config| config.get("allowedFunctionNames"));
        let names = names.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let ours = |name: &Value| name.as_str().map(|name| json!(tool_names::seen(NAME, name)));
        payload.insert("tools".to_owned(), names.iter().filter_map(ours).collect());
    } else {
        let response = incoming.peek("llm_response").cloned().unwrap_or_default();
        let text = model::text_of(&response).unwrap_or_default();
        let mut record = json!({"text": text, "tool_calls": []});
        if let (Some(usage), Value::Object(fields)) = (response.get("usageMetadata"), &mut record) {
            fields.insert("usage".to_owned(), usage.clone());
        }
        payload.insert("response".to_owned(), record);
        incoming.forget("llm_response", &model::response(&payload));
    }
    incoming.forget("llm_request", &model::request(&payload));
    for (name, value) in payload {
        incoming.put(&name, value);
    }
    if known.name == SELECTION {
        incoming.keep("hook_event_name", SELECTION);
    }
    Ok(())
}

/// The home event that an event came as.
fn home(outcome: &OutcomeView<'_>) -> Option<&'static GeminiEvent> {
    let own =
        |payload: &Map<String, Value>| named(payload.get("metadata")?.get(NAME)?.get("hook_event_name")?.as_str()?);
    own(&outcome.event.payload)
        .filter(|known| known.event == outcome.event.event)
        .or_else(|| EVENTS.iter().find(|known| known.event == outcome.event.event))
}

/// Expressible an outcome.
pub(super) fn answer(outcome: &OutcomeView<'_>) -> WireAnswer {
    let mut answer = WireAnswer::default();
    let Some(known) = home(outcome) else {
        answer.degrade(format!("Gemini CLI has no event for {}", outcome.event.event));
        return answer;
    };
    let (mut output, mut specific) = (Map::new(), Map::new());
    if known.name == SELECTION {
        selection(outcome, &mut answer, &mut specific);
    } else {
        if known.decides {
            decision(outcome, &mut answer, known, &mut output);
        } else if outcome.refuses() || outcome.decision == Action::Ask {
            answer.degrade(format!("Gemini CLI does not let a hook refuse {}", known.name));
        }
        // A question keeps what hooks changed; a refusal makes it moot.
        let refused = output.contains_key("continue") || output.get("decision") == Some(&json!("deny"));
        if !refused {
            changes(outcome, &mut answer, known, &mut output, &mut specific);
        }
        texts(outcome, &mut answer, known, &mut output, &mut specific);
    }
    if !specific.is_empty() {
        specific.insert("hookEventName".to_owned(), json!(known.name));
        output.insert("hookSpecificOutput".to_owned(), Value::Object(specific));
    }
    answer.with_output(output)
}

fn deny(output: &mut Map<String, Value>, reason: impl Into<String>) {
    output.insert("decision".to_owned(), json!("deny"));
    output.insert("reason".to_owned(), json!(reason.into()));
}

fn decision(outcome: &OutcomeView<'_>, answer: &mut WireAnswer, known: &GeminiEvent, output: &mut Map<String, Value>) {
    match outcome.decision {
        Action::Stop => {
            output.insert("continue".to_owned(), json!(false));
            output.insert("stopReason".to_owned(), json!(outcome.reason_text()));
        }
        _ if outcome.refuses() => deny(output, outcome.reason_text()),
        Action::Ask if known.name == "BeforeTool" => {
            output.insert("decision".to_owned(), json!("ask"));
            output.insert("reason".to_owned(), json!(outcome.reason_text()));
            output.insert("systemMessage".to_owned(), json!(outcome.question()));
        }
        decision @ (Action::Ask | Action::Retry)
            if matches!(known.name, "BeforeTool" | "BeforeAgent" | "BeforeModel")
                || (decision == Action::Ask && known.name == "AfterAgent") =>
        {
            answer.degrade(format!("Gemini CLI knows no {decision} on {}: it is denied", known.name));
            deny(output, outcome.reason_text());
        }
        Action::Allow => {
            answer.degrade("an allow grants nothing in Gemini CLI: its own approval decides");
            output.insert("decision".to_owned(), json!("allow"));
        }
        _ => {}
    }
}

/// What hooks changed, as far as the event takes it.
fn changes(
    outcome: &OutcomeView<'_>,
    answer: &mut WireAnswer,
    known: &GeminiEvent,
    output: &mut Map<String, Value>,
    specific: &mut Map<String, Value>,
) {
    for field in outcome.modified.iter().map(String::as_str) {
        let Some(value) = outcome.payload.get(field) else { continue };
        match (known.name, field) {
            ("BeforeTool", "args") => {
                if let Some(input) = merging(outcome, value) {
                    specific.insert("tool_input".to_owned(), input);
                } else {
                    answer.degrade("Gemini CLI cannot take an argument away: the call is denied");
                    deny(output, "a hook took arguments away, which the format cannot express");
                }
            }
            ("AfterTool", "result") => {
                let text = value.get("output").unwrap_or(value);
                answer.degrade("Gemini CLI replaces a result only by refusing it: the new result is the reason");
                deny(output, text.as_str().map_or_else(|| text.to_string(), str::to_owned));
            }
            ("AfterModel", "response") => {
                let text = value.get("text").and_then(Value::as_str).unwrap_or_default();
                if text.is_empty() {
                    answer.degrade("Gemini CLI keeps an answer that would become empty: it is denied");
                    deny(output, "a hook emptied the answer");
                } else {
                    specific.insert("llm_response".to_owned(), model::response(outcome.payload));
                }
            }
            ("BeforeModel", "prompt" | "system_prompt") if is_whole(outcome) => {
                let mut request = model::request(outcome.payload);
                let messages = request.get_mut("messages").map(Value::take).unwrap_or_default();
                specific.insert("llm_request".to_owned(), json!({ "messages": messages }));
            }
            (event, field) => {
                answer.degrade(format!("Gemini CLI takes no changed `{field}` on {event}: it is denied"));
                deny(output, format!("a hook changed `{field}`, which the format cannot express"));
            }
        }
    }
}

/// The arguments for a system that merges; `None` when some would have to go.
fn merging(outcome: &OutcomeView<'_>, args: &Value) -> Option<Value> {
    let tool = outcome.payload.get("tool")?.as_str()?;
    let now = tool_names::args_to_dialect(NAME, tool, None, args.as_object()?);
    let before = outcome.event.payload.get("args").and_then(Value::as_object).cloned().unwrap_or_default();
    let before = tool_names::args_to_dialect(NAME, tool, None, &before);
    let stays = before.keys().all(|name| now.contains_key(name));
    stays.then_some(Value::Object(now))
}

/// Whether the request held nothing beside what the payload has: then its messages can be built anew.
fn is_whole(outcome: &OutcomeView<'_>) -> bool {
    let own = outcome.event.payload.get("metadata").and_then(|metadata| metadata.get(NAME)?.get("llm_request"));
    own.is_none_or(|request| request.get("messages") == model::request(&outcome.event.payload).get("messages"))
}

fn selection(outcome: &OutcomeView<'_>, answer: &mut WireAnswer, specific: &mut Map<String, Value>) {
    let none = json!({"mode": "NONE", "allowedFunctionNames": []});
    let is_open = matches!(outcome.decision, Action::Continue | Action::Allow | Action::Skip);
    let only_tools = outcome.modified.iter().all(|field| *field == "tools");
    if !is_open || !only_tools {
        answer.degrade("Gemini CLI reads only the choice of tools here: none is left to the model");
        specific.insert("toolConfig".to_owned(), none);
    } else if let Some(Value::Array(tools)) = outcome.changed("tools") {
        let names: Vec<_> = tools.iter().filter_map(model::tool_name).map(|name| mcp::to_dialect(name, None)).collect();
        let config = if names.is_empty() { none } else { json!({"mode": "AUTO", "allowedFunctionNames": names}) };
        specific.insert("toolConfig".to_owned(), config);
    } else if let Some(config) = outcome.own(NAME, "toolConfig").filter(|_| outcome.event.event == "GenerateStart") {
        specific.insert("toolConfig".to_owned(), config.clone());
    }
    if outcome.context_text().is_some() || outcome.messages_text().is_some() {
        answer.degrade("Gemini CLI takes no text here");
    }
}

/// Context, messages and what only Gemini CLI has.
fn texts(
    outcome: &OutcomeView<'_>,
    answer: &mut WireAnswer,
    known: &GeminiEvent,
    output: &mut Map<String, Value>,
    specific: &mut Map<String, Value>,
) {
    let mut shown: Vec<String> =
        output.get("systemMessage").and_then(Value::as_str).map(str::to_owned).into_iter().collect();
    shown.extend(outcome.messages_text());
    if let Some(context) = outcome.context_text() {
        if matches!(known.name, "BeforeAgent" | "AfterTool" | "SessionStart") {
            specific.insert("additionalContext".to_owned(), json!(context));
        } else {
            answer.degrade(format!("Gemini CLI takes no context on {}: it is shown to the user", known.name));
            shown.push(context);
        }
    }
    if !shown.is_empty() {
        output.insert("systemMessage".to_owned(), json!(shown.join("\n")));
    }
    if outcome.suppress_output {
        output.insert("suppressOutput".to_owned(), json!(true));
    }
    let own = match known.name {
        "AfterTool" => "tailToolCallRequest",
        "AfterAgent" => "clearContext",
        _ => return,
    };
    if let Some(value) = outcome.own(NAME, own) {
        specific.insert(own.to_owned(), value.clone());
    }
}
