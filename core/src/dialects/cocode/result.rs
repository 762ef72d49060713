//! What a hook of Cocode prints or a server sends: one of three results, as its own reader takes them.

use serde_json::{Map, Value, json};

use super::NAME;
use crate::dialects::output::{self, Json};
use crate::dialects::{Invocation, canonical};
use crate::dispatch::Said;

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
pub(super) fn read_answer(invocation: &Invocation, text: &str) -> Said<Value> {
    let text = output::trim(text);
    if text.is_empty() {
        return Said::Nothing;
    }
    match read_result(text) {
        Some(HookResult::Continue) => Said::Nothing,
        Some(HookResult::Reject(reason)) => Said::Answer(json!({"action": "block", "reason": reason})),
        Some(HookResult::ModifyInput(input)) => modify(invocation, &input),
        None => {
            let line = output::first_line(text);
            canonical::noted(NAME, &format!("the output is no result and was passed over: {line}"))
        }
    }
}

fn modify(invocation: &Invocation, input: &Value) -> Said<Value> {
    let field = match invocation.event.name() {
        "PreToolUse" | "PermissionRequest" => "args",
        "UserPromptSubmit" => "prompt",
        event => return canonical::noted(NAME, &format!("{event} has no input that a hook could change")),
    };
    let modified = json!({field: input});
    canonical::checked(invocation, Map::from_iter([("modified".to_owned(), modified)]))
}
