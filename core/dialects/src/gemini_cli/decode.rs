//! What a Gemini CLI hook means by its exit code and output.
//!
//! JSON decides with every exit code, also on standard error when standard output is empty. Without JSON the exit
//! code speaks: 0 is a message, 1 a warning, and any other is a refusal with the text as its reason.

use serde_json::{Map, Value};

use super::events::{GeminiEvent, SELECTION, of};
use super::{NAME, model};
use crate::draft::{Draft, failed, refused};
use crate::output::{self, Json};
use crate::{CommandOutput, Invocation, tool_names};
use hookweave_machine::dispatch::{FailureKind, HandlerResult};

const NO_REASON: &str = "the hook gave no reason";

pub(super) fn decode(invocation: &Invocation, exited: &CommandOutput) -> HandlerResult<Value> {
    let Some(known) = of(invocation) else {
        return failed(FailureKind::InvalidAnswer, "Gemini CLI has no such event");
    };
    let (stdout, stderr) = (output::text(&exited.stdout), output::text(&exited.stderr));
    let ended = || failed(FailureKind::Exited, output::ending(exited.code, exited.signal, &stdout, &stderr));
    let written = if stdout.is_empty() { &stderr } else { &stdout };
    if written.is_empty() {
        return if exited.code == Some(0) { HandlerResult::Nothing } else { ended() };
    }
    match output::parse_twice(written) {
        Json::Object(fields) => {
            let mut draft = Draft::new(NAME, invocation);
            if exited.code != Some(0) {
                let how = output::ending(exited.code, exited.signal, "", "");
                draft.note(format!("{how}; what it printed as JSON decides alone"));
            }
            answer(&mut draft, invocation, *known, &fields);
            draft.into_result()
        }
        Json::Unreadable(why) => refused(FailureKind::InvalidAnswer, format!("the output cannot be read: {why}")),
        Json::Not | Json::Other(Value::String(_)) => {
            plain(invocation, *known, written, exited.code).unwrap_or_else(ended)
        }
        Json::Other(_) => {
            if exited.code == Some(0) {
                HandlerResult::Nothing
            } else {
                ended()
            }
        }
    }
}

/// Text that is no JSON; `None` where it means no more than that the hook failed.
fn plain(invocation: &Invocation, known: GeminiEvent, text: &str, code: Option<i32>) -> Option<HandlerResult<Value>> {
    let mut draft = Draft::new(NAME, invocation);
    match code {
        Some(0) if known.name == SELECTION => draft.note("text is not read here, only JSON"),
        Some(0) => draft.message(text, "info"),
        Some(1) if known.name != SELECTION => draft.message(&format!("Warning: {text}"), "warning"),
        Some(1) | None => return None,
        Some(_) if known.decides => {
            draft.decide("block", Some(text.to_owned()));
            hide(&mut draft, known, text);
        }
        Some(_) => return None,
    }
    if output::object_behind_text(text).is_some() {
        draft.note("the JSON object follows other text, where Gemini CLI does not read it");
    }
    Some(draft.into_result())
}

fn text<'f>(fields: &'f Map<String, Value>, name: &str) -> Option<&'f str> {
    fields.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn answer(draft: &mut Draft<'_>, invocation: &Invocation, known: GeminiEvent, fields: &Map<String, Value>) {
    let specific = fields.get("hookSpecificOutput").and_then(Value::as_object);
    if known.name == SELECTION {
        selection(draft, invocation, specific);
        return;
    }
    if known.decides {
        decision(draft, known, fields);
    } else if is_against(fields) {
        draft.note(format!("Gemini CLI does not let a hook refuse {}", known.name));
    }
    draft.message(text(fields, "systemMessage").unwrap_or_default(), "info");
    if fields.get("suppressOutput") == Some(&Value::Bool(true)) {
        draft.suppress_output();
    }
    let Some(specific) = specific else { return };
    if specific.contains_key("permissionDecision") {
        draft.note("`permissionDecision` is not read by Gemini CLI; it reads `decision` beside `hookSpecificOutput`");
    }
    if matches!(known.name, "BeforeAgent" | "AfterTool" | "SessionStart") {
        // Gemini escapes what could pass for a tag of its own prompt.
        let context = text(specific, "additionalContext").unwrap_or_default();
        draft.context(&context.replace('<', "&lt;").replace('>', "&gt;"));
    }
    match known.name {
        "BeforeTool" => rewrite(draft, invocation, specific),
        "AfterTool" => keep(draft, specific, "tailToolCallRequest"),
        "AfterAgent" => keep(draft, specific, "clearContext"),
        "BeforeModel" => request(draft, invocation, specific),
        "AfterModel" => response(draft, invocation, specific),
        _ => {}
    }
}

fn is_against(fields: &Map<String, Value>) -> bool {
    matches!(text(fields, "decision"), Some("block" | "deny" | "ask"))
        || fields.get("continue") == Some(&Value::Bool(false))
}

fn decision(draft: &mut Draft<'_>, known: GeminiEvent, fields: &Map<String, Value>) {
    let reason = text(fields, "reason");
    if fields.get("continue") == Some(&Value::Bool(false)) {
        let reason = text(fields, "stopReason").or(reason).unwrap_or(NO_REASON);
        draft.decide("stop", Some(reason.to_owned()));
        hide(draft, known, reason);
        return;
    }
    match text(fields, "decision") {
        Some("block" | "deny") => {
            let reason = reason.unwrap_or(NO_REASON);
            draft.decide("block", Some(reason.to_owned()));
            hide(draft, known, reason);
        }
        Some("ask") if known.name == "BeforeTool" => {
            let reason = text(fields, "systemMessage").or(reason).unwrap_or(NO_REASON);
            draft.decide("ask", Some(reason.to_owned()));
        }
        Some("ask") => draft.note(format!("Gemini CLI does not ask on {}", known.name)),
        // `allow` is what every output means that says nothing else: it grants nothing.
        _ => {}
    }
}

/// A refusal after the fact keeps from the model what was refused.
fn hide(draft: &mut Draft<'_>, known: GeminiEvent, reason: &str) {
    match known.name {
        "AfterTool" => draft.modify_output(Value::String(reason.to_owned())),
        "AfterModel" => draft.modify_text(String::new()),
        _ => {}
    }
}

fn keep(draft: &mut Draft<'_>, specific: &Map<String, Value>, name: &str) {
    if let Some(value) = specific.get(name).filter(|value| !value.is_null()) {
        draft.own(name, value.clone());
    }
}

/// Arguments that the hook names are replaced, the others stay.
fn rewrite(draft: &mut Draft<'_>, invocation: &Invocation, specific: &Map<String, Value>) {
    let Some(input) = specific.get("tool_input").filter(|input| !input.is_null()) else { return };
    let Value::Object(input) = input else {
        draft.note(format!("`tool_input` must be an object, is {}; it had no effect", output::kind(input)));
        return;
    };
    if draft.refuses() {
        return;
    }
    let (tool, definition) = (invocation.text("tool").unwrap_or_default(), invocation.tool.as_ref());
    let original = invocation.field("args").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut merged = tool_names::args_to_dialect(NAME, tool, definition, &original);
    merged.extend(input.clone());
    draft.modify("args", Value::Object(tool_names::args_from_dialect(NAME, tool, definition, &merged)));
}

fn request(draft: &mut Draft<'_>, invocation: &Invocation, specific: &Map<String, Value>) {
    keep(draft, specific, "llm_response");
    let Some(request) = specific.get("llm_request").filter(|request| request.is_object()) else { return };
    for (role, field) in [("user", "prompt"), ("system", "system_prompt")] {
        let written = model::text_by(request, role).filter(|written| invocation.text(field) != Some(written));
        if let Some(written) = written.filter(|_| !draft.refuses()) {
            draft.modify(field, Value::String(written.to_owned()));
        }
    }
    draft.own("llm_request", request.clone());
}

fn response(draft: &mut Draft<'_>, invocation: &Invocation, specific: &Map<String, Value>) {
    let Some(text) = specific.get("llm_response").and_then(model::text_of).filter(|_| !draft.refuses()) else { return };
    let before = invocation.field("response").and_then(|response| response.get("text")).and_then(Value::as_str);
    if before != Some(&text) {
        draft.modify_text(text);
    }
}

fn selection(draft: &mut Draft<'_>, invocation: &Invocation, specific: Option<&Map<String, Value>>) {
    let Some(config) = specific.and_then(|specific| specific.get("toolConfig")).filter(|config| config.is_object())
    else {
        return;
    };
    let tools = invocation.field("tools").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if let Some(chosen) = model::chosen(config, tools).filter(|chosen| chosen.len() != tools.len()) {
        draft.modify("tools", Value::Array(chosen));
    }
    draft.own("toolConfig", config.clone());
}
