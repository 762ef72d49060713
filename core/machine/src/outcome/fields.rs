//! Fields of an event as JSON, in the engine's own spelling, from any host.

use serde_json::Value;

use super::Outcome;
use crate::event::{EventSpec, FieldKind};
use crate::json::{from_json, to_json};
use crate::payload::{Host, Spelling};

/// A value as JSON; what has no JSON form says so in words.
pub(super) fn value<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Value {
    let text = to_json(host, view).map_err(|why| why.to_string());
    text.and_then(|text| from_json(&text).map_err(|why| why.to_string()))
        .unwrap_or_else(|why| Value::String(format!("<{why}>")))
}

impl<T, V> Outcome<T, V> {
    /// The final value of a payload field.
    pub fn final_field<H: Host<Value = V>>(&self, host: &H, name: &str) -> Option<Value> {
        let payload = host.view(self.payload());
        host.field(&payload, name).map(|view| spelled(host.spelling(), self.event(), name, value(host, &view)))
    }

    /// What a field was that hooks changed.
    pub(super) fn first_field<H: Host<Value = V>>(&self, host: &H, name: &str) -> Option<Value> {
        let (_, came) = self.originals().find(|(field, _)| *field == name)?;
        Some(spelled(host.spelling(), self.event(), name, value(host, &host.view(came))))
    }
}

/// The value with the engine's names in it, where a host spells those of the catalogue in its own way.
fn spelled(spelling: Spelling, event: &EventSpec, name: &str, value: Value) -> Value {
    let fields = event.built_in().map_or(&[][..], |known| known.fields);
    let is_record = fields.iter().any(|field| field.name == name && field.kind == FieldKind::Record);
    match value {
        Value::Object(parts) if is_record => {
            Value::Object(parts.into_iter().map(|(key, part)| (spelling.canonical(&key).into_owned(), part)).collect())
        }
        value => value,
    }
}
