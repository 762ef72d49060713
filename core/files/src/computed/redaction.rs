//! Takes secrets out of what the model is shown, by the rules of the audit log.

use serde_json::{Map, Value, json};

use hookweave_audit::Redaction;
use hookweave_machine::dispatch::HandlerResult;

/// A field of an event without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted {
    /// The field.
    pub(crate) field: &'static str,
}

impl Redacted {
    pub(super) fn answer(&self, payload: &Map<String, Value>) -> HandlerResult<Value> {
        let Some(given) = payload.get(self.field) else { return HandlerResult::Nothing };
        let mut clean = given.clone();
        if Redaction::default().apply(&mut clean).is_err() {
            return HandlerResult::Answer(self.withheld());
        }
        if clean == *given {
            return HandlerResult::Nothing;
        }
        HandlerResult::Answer(self.modified(clean))
    }

    /// What stands in place of a value that cannot be looked through.
    pub(super) fn withheld(&self) -> Value {
        self.modified("[withheld: it has no JSON form, so that secrets in it cannot be found]".into())
    }

    fn modified(&self, value: Value) -> Value {
        // A result is an object, and its text the output; a prompt is text.
        let value = if self.field == "result" && !value.is_object() { json!({"output": value}) } else { value };
        json!({"modified": {self.field: value}})
    }
}
