//! What an Amplifier hook means by its exit code and output.

use serde_json::{Map, Value, json};

use super::encode::data;
use super::{NAME, events};
use crate::output;
use crate::{CommandOutput, Invocation, canonical};
use hookweave_machine::answer::{ALLOW_ALWAYS, ALLOW_ONCE};
use hookweave_machine::dispatch::{HandlerResult, HookFailure};

/// How many fields that an event lacks are named in the trace.
const MOST_NOTES: usize = 10;

/// Choices that a person has when a hook names none.
const OPTIONS: &[&str] = &[ALLOW_ONCE, "Deny"];

/// The words that grant there, in any case.
const GRANTING: &[&str] = &["allow", "allow once", "allow always"];

pub(super) fn decode(invocation: &Invocation, exited: &CommandOutput) -> HandlerResult<Value> {
    if exited.code != Some(0) {
        return canonical::exited(exited);
    }
    match canonical::object_or_nothing(invocation, exited, "a result", answer) {
        // There a result that cannot be read denies.
        HandlerResult::Failed(failure) => HandlerResult::Failed(HookFailure { meant_to_restrict: true, ..failure }),
        other => other,
    }
}

/// The parts of a result that stand beside its action.
struct HookResult {
    fields: Map<String, Value>,
    notes: Vec<String>,
}

impl HookResult {
    fn given(&self, name: &str) -> Option<&Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    /// A member as it was given, or its default.
    fn or(&self, name: &str, default: Value) -> Value {
        self.given(name).cloned().unwrap_or(default)
    }

    fn ask(&self) -> Value {
        let mut ask =
            Map::from_iter([("prompt".to_owned(), self.or("approval_prompt", json!("Allow this operation?")))]);
        let options = match self.given("approval_options") {
            // There every choice but "Deny" grants; here only known words do.
            Some(Value::Array(options)) => options
                .iter()
                .map(|option| if option == "Allow" { json!(ALLOW_ONCE) } else { option.clone() })
                .collect(),
            Some(other) => other.clone(),
            None => json!(OPTIONS),
        };
        let granting: Vec<Value> =
            options.as_array().into_iter().flatten().filter(|option| grants(option)).cloned().collect();
        if !granting.is_empty() {
            ask.insert("grants".to_owned(), granting.into());
        }
        ask.insert("options".to_owned(), options);
        let timeout = match self.given("approval_timeout") {
            Some(seconds) => seconds.as_f64().map_or_else(|| seconds.clone(), |seconds| json!(seconds * 1000.0)),
            None => json!(300_000),
        };
        ask.insert("timeout_ms".to_owned(), timeout);
        ask.insert("default".to_owned(), self.or("approval_default", json!("deny")));
        Value::Object(ask)
    }

    /// What of the event the data replaces; changing what hooks may not change is no change that could be made.
    fn modified(&mut self, invocation: &Invocation) -> Result<Map<String, Value>, String> {
        let event = invocation.event.name();
        let Some(Value::Object(given)) = self.given("data").cloned() else {
            self.notes.push("a `modify` without data changes nothing".to_owned());
            return Ok(Map::new());
        };
        let sent = data(event, &invocation.payload);
        let mut modified = Map::new();
        for (key, value) in given {
            if sent.get(&key) == Some(&value) || matches!(key.as_str(), "timestamp" | "success" | "duration_ms") {
                continue;
            }
            match invocation.event.modifiable().iter().find(|field| events::key(event, &field.name) == key) {
                Some(field) => _ = modified.insert(field.name.clone(), value),
                None if sent.contains_key(&key) => {
                    return Err(format!("`data.{}` may not be modified on {event}", output::shown(&key)));
                }
                None if self.notes.len() >= MOST_NOTES => {}
                None => {
                    self.notes.push(format!("`data.{}` is no field of {event} and was skipped", output::shown(&key)));
                }
            }
        }
        Ok(modified)
    }
}

/// Whether an option grants by a word that the engine writes in another way.
fn grants(option: &Value) -> bool {
    let is_own = option == ALLOW_ONCE || option == ALLOW_ALWAYS;
    !is_own && option.as_str().is_some_and(|text| GRANTING.iter().any(|word| text.eq_ignore_ascii_case(word)))
}

/// A text for the model without control characters, as there: providers refuse some of them, and terminals obey others.
fn sanitised(content: Value) -> Value {
    let is_kept = |letter: &char| !letter.is_control() || matches!(letter, '\t' | '\n' | '\r');
    match content {
        Value::String(text) => Value::String(text.chars().filter(is_kept).collect()),
        other => other,
    }
}

/// A result in the engine's words.
fn answer(invocation: &Invocation, fields: Map<String, Value>) -> HandlerResult<Value> {
    if !fields.contains_key("action") && canonical::restricts(invocation, &Value::Object(fields.clone())) {
        let what = "it has no `action`, and says no in the words of another system".to_owned();
        return canonical::invalid_answer(what, true);
    }
    let mut result = HookResult { fields, notes: Vec::new() };
    let mut answer = Map::new();
    let mut put = |name: &str, value: Value| _ = answer.insert(name.to_owned(), value);
    match result.or("action", json!("continue")).as_str() {
        Some("continue") => {}
        Some("deny") => {
            put("action", json!("block"));
            put("reason", result.or("reason", json!("a hook denied it")));
        }
        Some("modify") => match result.modified(invocation) {
            Ok(modified) if modified.is_empty() => {}
            Ok(modified) => put("modified", Value::Object(modified)),
            Err(why) => return canonical::invalid_answer(why, true),
        },
        Some("inject_context") => match result.given("context_injection").cloned().map(sanitised) {
            Some(Value::String(text)) if text.is_empty() => {}
            Some(content) => {
                let role = result.or("context_injection_role", json!("system"));
                put(
                    "inject",
                    json!([{"content": content, "role": role, "ephemeral": result.or("ephemeral", json!(false))}]),
                );
            }
            None => result.notes.push("an `inject_context` without text injects nothing".to_owned()),
        },
        Some("ask_user") => {
            put("action", json!("ask"));
            put("ask", result.ask());
        }
        _ => {
            let action = result.or("action", Value::Null);
            let what = format!(
                "unknown action {}; known are continue, deny, modify, inject_context, ask_user",
                output::shown(&action.to_string())
            );
            return canonical::invalid_answer(what, true);
        }
    }
    if let Some(reason) = result.given("reason").cloned() {
        put("reason", reason);
    }
    if let Some(text) = result.given("user_message").cloned() {
        put("message", json!([{"text": text, "level": result.or("user_message_level", json!("info"))}]));
    }
    if result.given("suppress_output").is_some_and(|flag| *flag != json!(false)) {
        put("suppress_output", result.or("suppress_output", json!(false)));
    }
    if !result.notes.is_empty() {
        put("ext", json!({NAME: {"notes": result.notes}}));
    }
    canonical::checked(invocation, answer)
}
