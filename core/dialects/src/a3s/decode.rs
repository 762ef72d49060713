//! What an A3S hook means by its exit code and output.

use serde_json::{Map, Value, json};

use super::events::snake;
use crate::output;
use crate::{CommandOutput, Invocation, canonical};
use hookweave_machine::action::Action;
use hookweave_machine::dispatch::HandlerResult;

/// The actions by their words, by the names of the protocol's enum, and by its numbers.
const ACTIONS: &[(&str, &str, u64)] =
    &[("continue", "CONTINUE", 0), ("block", "BLOCK", 1), ("retry", "RETRY", 2), ("skip", "SKIP", 3)];

/// a3s-code's action that has another word here: a person decides.
const ESCALATE: &str = "escalate";

pub(super) fn decode(invocation: &Invocation, exited: &CommandOutput) -> HandlerResult<Value> {
    match exited.code {
        Some(0) => {}
        Some(2) => return canonical::block(exited),
        _ => return canonical::exited(exited),
    }
    canonical::object_or_nothing(invocation, exited, "a response", answer)
}

/// A response in the engine's words; what A3S does not have keeps the engine's own words.
fn answer(invocation: &Invocation, response: Map<String, Value>) -> HandlerResult<Value> {
    let mut answer = Map::new();
    let word = match response.get("action").filter(|action| !action.is_null()) {
        Some(action) => match word(action) {
            Some(word) => Some(word),
            None => return unknown(invocation, action, &response),
        },
        None => None,
    };
    for (name, value) in response {
        match (name.as_str(), word) {
            ("action", Some(word)) => {
                // A permission hook that answers "continue" has granted it.
                let grants = word == "continue" && invocation.event.name() == "PermissionRequest";
                answer.insert(name, json!(if grants { "allow" } else { word }));
            }
            ("delay" | "retry_after_ms", Some("retry")) => _ = answer.insert("delay_ms".to_owned(), value),
            // There a delay may stand beside every action, and waits for none but a retry. The target of a person's review
            // is for the host to decide.
            ("delay", Some(_)) | ("target", Some("ask")) => {}
            ("suppressOutput", _) => _ = answer.insert("suppress_output".to_owned(), value),
            ("modified", _) => _ = answer.insert(name, modified(invocation, value)),
            _ => _ = answer.insert(name, value),
        }
    }
    canonical::checked(invocation, answer)
}

/// What an action is called here; A3S's words, names and numbers, and the engine's own words.
fn word(action: &Value) -> Option<&'static str> {
    let theirs = ACTIONS.iter().find(|(word, name, number)| match action {
        Value::String(text) => word == text || name == text,
        other => other.as_u64() == Some(*number),
    });
    if action == ESCALATE {
        return Some("ask");
    }
    let ours = || Action::WORDS.iter().map(|(word, _)| *word).find(|word| action == word);
    theirs.map(|row| row.0).or_else(ours)
}

fn unknown(invocation: &Invocation, action: &Value, response: &Map<String, Value>) -> HandlerResult<Value> {
    let restricts = canonical::restricts(invocation, &Value::Object(response.clone()));
    let what = format!("unknown action {}; known are continue, block, retry, skip", output::shown(&action.to_string()));
    canonical::invalid_answer(what, restricts)
}

fn modified(invocation: &Invocation, value: Value) -> Value {
    match (value, invocation.event.built_in()) {
        (Value::Object(fields), Some(known)) => {
            Value::Object(fields.iter().map(|(name, value)| snake(known, name, value)).collect())
        }
        (value, _) => value,
    }
}
