//! What a Cocode hook means by its exit code and output: one of three results, as its own reader takes them.

use serde_json::{Map, Value, json};

use super::NAME;
use crate::output::{self, Json};
use crate::{CommandOutput, Invocation, WebResponse, canonical};
use hookweave_machine::dispatch::{FailureKind, HandlerResult, HookFailure};

pub(super) fn decode(invocation: &Invocation, exited: &CommandOutput, parse_result: bool) -> HandlerResult<Value> {
    match exited.code {
        Some(0) if parse_result => read_answer(invocation, &output::text(&exited.stdout)),
        Some(0) => HandlerResult::Nothing,
        _ => canonical::block(exited),
    }
}

pub(super) fn decode_web(invocation: &Invocation, answer: &WebResponse) -> HandlerResult<Value> {
    if (200..300).contains(&answer.status) {
        return read_answer(invocation, &output::text(&answer.body));
    }
    let line = output::first_line(&output::text(&answer.body));
    let reason =
        format!("the webhook answered with status {}{}{line}", answer.status, if line.is_empty() { "" } else { ": " });
    HandlerResult::Answer(json!({"action": "block", "reason": reason}))
}

pub(super) fn broken(failure: HookFailure<Value>) -> HandlerResult<Value> {
    match failure.kind {
        FailureKind::Timeout | FailureKind::Cancelled | FailureKind::DetachedLimit => HandlerResult::Failed(failure),
        _ => HandlerResult::Answer(json!({"action": "block", "reason": failure.message})),
    }
}

/// One of the three results.
enum HookResult {
    Continue,
    Reject(String),
    ModifyInput(Value),
}

/// Reads a result as Cocode does: the word, or an object with one member.
fn read_result(text: &str) -> Option<HookResult> {
    match output::parse(text) {
        Json::Other(Value::String(word)) if word == "Continue" => Some(HookResult::Continue),
        Json::Object(fields) if fields.len() == 1 => {
            let (name, inner) = fields.into_iter().next()?;
            match (name.as_str(), inner) {
                ("Continue", Value::Null) => Some(HookResult::Continue),
                ("Reject", Value::Object(fields)) => match fields.get("reason")? {
                    Value::String(reason) => Some(HookResult::Reject(reason.clone())),
                    _ => None,
                },
                ("ModifyInput", Value::Object(mut fields)) => {
                    fields.shift_remove("new_input").map(HookResult::ModifyInput)
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// What a printed or sent result means; what is none lets the action go on, with a remark.
fn read_answer(invocation: &Invocation, text: &str) -> HandlerResult<Value> {
    let text = output::trim(text);
    if text.is_empty() {
        return HandlerResult::Nothing;
    }
    match read_result(text) {
        Some(HookResult::Continue) => HandlerResult::Nothing,
        Some(HookResult::Reject(reason)) => HandlerResult::Answer(json!({"action": "block", "reason": reason})),
        Some(HookResult::ModifyInput(input)) => modify(invocation, &input),
        None => {
            let line = output::first_line(text);
            canonical::noted(NAME, &format!("the output is no result and was skipped: {line}"))
        }
    }
}

/// The payload field that is the input of an event, if it has one that a hook can change.
pub fn input_field(event: &str) -> Option<&'static str> {
    match event {
        "PreToolUse" | "PermissionRequest" => Some("args"),
        "UserPromptSubmit" => Some("prompt"),
        _ => None,
    }
}

/// The remark on a changed input of an event that has none.
pub fn nothing_to_change(event: &str) -> String {
    format!("{event} has no input that a hook could change")
}

fn modify(invocation: &Invocation, input: &Value) -> HandlerResult<Value> {
    let event = invocation.event.name();
    let Some(field) = input_field(event) else { return canonical::noted(NAME, &nothing_to_change(event)) };
    let modified = json!({field: input});
    canonical::checked(invocation, Map::from_iter([("modified".to_owned(), modified)]))
}
