//! What came of a hook: as a worker sends it, and as the agent's engine gets it.

use serde_json::{Map, Value};

use crate::wire::{Failure, HookAction, HookResponse};
use hookweave_machine::answer::intent;
use hookweave_machine::dispatch::{FailureKind, HandlerResult, HookFailure};
use hookweave_machine::json::{Json, from_json_keeping};

/// The longest text of a worker that goes into a message, in bytes.
const MAX_TEXT: usize = 2000;

/// A worker's result for one event of one hook.
pub(crate) fn write(hook: &str, dispatch: u64, result: &HandlerResult<Value>) -> HookResponse {
    let mut response = HookResponse { hook_id: hook.to_owned(), dispatch_id: dispatch, ..HookResponse::default() };
    match result {
        HandlerResult::Nothing | HandlerResult::Detached => {}
        HandlerResult::Answer(answer) => {
            // A client of the first version reads the action; what it says is what the whole answer says.
            let action = match answer.get("action").and_then(Value::as_str) {
                Some("block" | "stop") => HookAction::Block,
                Some("retry") => HookAction::Retry,
                Some("skip") => HookAction::Skip,
                _ => HookAction::Continue,
            };
            response.set_action(action);
            response.reason = answer.get("reason").and_then(Value::as_str).map(str::to_owned);
            response.answer = Some(answer.to_string().into_bytes());
        }
        HandlerResult::Failed(failure) => {
            response.failure = Some(Failure {
                kind: failure.kind.as_str().to_owned(),
                message: failure.message.clone(),
                meant_to_restrict: failure.meant_to_restrict,
            });
        }
    }
    response
}

/// What a worker's message says of its hook; what cannot be read restricts, for nothing shows that it did not mean to.
pub(crate) fn read(response: &HookResponse) -> HandlerResult<Value> {
    if let Some(failure) = &response.failure {
        let kind = FailureKind::ALL.iter().find(|kind| kind.as_str() == failure.kind);
        return HandlerResult::Failed(HookFailure {
            meant_to_restrict: failure.meant_to_restrict,
            ..HookFailure::new(*kind.unwrap_or(&FailureKind::Raised), shortened(&failure.message))
        });
    }
    if let Some(answer) = &response.answer {
        return match json(answer) {
            Ok(Value::Null) => HandlerResult::Nothing,
            Ok(Value::Object(fields)) if fields.is_empty() => HandlerResult::Nothing,
            Ok(answer) => HandlerResult::Answer(answer),
            Err(why) => unreadable(&format!("the answer is no JSON ({why})")),
        };
    }
    let mut answer = Map::new();
    let action = match HookAction::try_from(response.action) {
        Ok(HookAction::Continue) => None,
        Ok(HookAction::Block) => Some("block"),
        Ok(HookAction::Retry) => Some("retry"),
        Ok(HookAction::Skip) => Some("skip"),
        Err(_) => return unreadable(&format!("{} is no action; known are 0 to 3", response.action)),
    };
    if let Some(action) = action {
        answer.insert("action".to_owned(), action.into());
    }
    if let Some(reason) = &response.reason {
        answer.insert("reason".to_owned(), reason.as_str().into());
    }
    if let Some(modified) = &response.modified {
        match json(modified) {
            Ok(modified) => _ = answer.insert("modified".to_owned(), modified),
            Err(why) => return unreadable(&format!("`modified` is no JSON ({why})")),
        }
    }
    if answer.is_empty() { HandlerResult::Nothing } else { HandlerResult::Answer(Value::Object(answer)) }
}

fn json(bytes: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    // Of a key that is given twice the stricter value counts, as in what a command prints.
    let keeps = |key: &str, earlier: &Value, later: &Value| {
        let meant = |value: &Value| intent::of_field(&Json, key, &value);
        meant(earlier) > meant(later)
    };
    from_json_keeping(text, &keeps).map_err(|error| error.to_string())
}

fn unreadable(why: &str) -> HandlerResult<Value> {
    HandlerResult::Failed(HookFailure {
        meant_to_restrict: true,
        ..HookFailure::new(FailureKind::InvalidAnswer, format!("the worker's answer cannot be read: {why}"))
    })
}

/// A worker's text as it stands in messages: not longer than a person reads.
pub(crate) fn shortened(text: &str) -> String {
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let shown = text.get(..end).unwrap_or_default();
    if shown.len() < text.len() { format!("{shown}…") } else { shown.to_owned() }
}
