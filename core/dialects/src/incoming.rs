//! An event that another agent sent, on its way to the canonical payload.

use serde_json::{Map, Value};

use super::output::{self, Json};
use super::{WireEvent, timestamp};
use hookweave_machine::error::{Code, Error};
use hookweave_machine::event::BUILT_IN;

/// The fields of a wire event; fields that are not taken go to `metadata.<dialect>`, so that nothing is lost.
#[derive(Debug)]
pub(super) struct Incoming {
    dialect: &'static str,
    rest: Map<String, Value>,
    payload: Map<String, Value>,
}

impl Incoming {
    /// Takes the object apart; anything else is no event.
    pub(super) fn new(dialect: &'static str, wire: &Value) -> Result<Self, Error> {
        match wire {
            Value::Object(fields) => Ok(Self { dialect, rest: fields.clone(), payload: Map::new() }),
            other => Err(refuse(dialect, format!("must be an object, is {}", super::output::kind(other)))),
        }
    }

    /// A field that is still there and not null.
    pub(super) fn peek(&self, name: &str) -> Option<&Value> {
        self.rest.get(name).filter(|value| !value.is_null())
    }

    /// A text field that is still there.
    pub(super) fn peek_text(&self, name: &str) -> Option<&str> {
        self.peek(name).and_then(Value::as_str)
    }

    /// Takes a field away; null counts as nothing.
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        self.rest.shift_remove(name).filter(|value| !value.is_null())
    }

    /// Takes the first of several spellings; the others stay.
    pub(super) fn take_any(&mut self, names: &[&str]) -> Option<Value> {
        names.iter().find_map(|name| self.take(name))
    }

    /// Takes a field away when it is text; otherwise it stays.
    pub(super) fn take_text(&mut self, name: &str) -> Option<String> {
        self.peek_text(name)?;
        match self.take(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// Takes the field away that names the event; without it, or when it is no text, there is no event.
    pub(super) fn event_name(&mut self, field: &str) -> Result<String, Error> {
        self.take_text(field)
            .ok_or_else(|| refuse(self.dialect, format!("`{field}` is missing or no text; it names the event")))
    }

    /// Moves a field into the payload under the engine's name.
    pub(super) fn moves(&mut self, from: &[&str], to: &str) {
        if let Some(value) = self.take_any(from) {
            self.put(to, value);
        }
    }

    /// Moves a field that must be there.
    pub(super) fn needs(&mut self, from: &[&str], to: &str) -> Result<(), Error> {
        let value = self.take_any(from).ok_or_else(|| {
            refuse(self.dialect, format!("`{}` is missing", from.first().copied().unwrap_or_default()))
        })?;
        self.put(to, value);
        Ok(())
    }

    /// Moves text that must be there.
    pub(super) fn needs_text(&mut self, from: &[&str], to: &str) -> Result<(), Error> {
        self.needs(from, to)?;
        match self.payload.get(to) {
            Some(Value::String(_)) => Ok(()),
            _ => Err(refuse(self.dialect, format!("`{}` must be a string", from.first().copied().unwrap_or_default()))),
        }
    }

    /// Takes the session's id from the first name that holds one; where it is missing the envelope adds one.
    pub(super) fn session(&mut self, names: &[&str]) {
        let is_id = |name: &&&str| self.peek_text(name).is_some_and(|id| !id.is_empty());
        if let Some(name) = names.iter().find(is_id).copied() {
            self.moves(&[name], "session_id");
        }
    }

    /// Takes what a tool is called with; an input of null is an empty one.
    ///
    /// A gate cannot judge a call whose arguments have no names, so there the input is required, and has to be an object or text
    /// that holds one.
    pub(super) fn input(&mut self, names: &[&str], event: &str) -> Result<Option<Value>, Error> {
        let is_gate = BUILT_IN.iter().any(|known| known.name == event && known.gate);
        let is_there = names.iter().any(|name| self.rest.contains_key(*name));
        if is_gate && !is_there {
            return Err(refuse(self.dialect, format!("`{}` is missing", names.first().copied().unwrap_or_default())));
        }
        let input = self.take_any(names);
        if !is_gate {
            return Ok(input);
        }
        let found = match input {
            Some(Value::String(text)) => match output::parse(&text) {
                Json::Object(input) => return Ok(Some(Value::Object(input))),
                _ => "text that holds none",
            },
            Some(Value::Object(_)) | None => return Ok(input),
            Some(other) => output::kind(&other),
        };
        let name = names.first().copied().unwrap_or_default();
        Err(refuse(self.dialect, format!("`{name}` must be an object, is {found}")))
    }

    /// Sets a payload field.
    pub(super) fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.payload.insert(name.to_owned(), value.into());
    }

    /// Sets a field of a payload field that is an object.
    pub(super) fn put_within(&mut self, name: &str, field: &str, value: Value) {
        if let Some(Value::Object(fields)) = self.payload.get_mut(name) {
            fields.insert(field.to_owned(), value);
        }
    }

    /// Moves a point in time, whichever way it is written.
    pub(super) fn time(&mut self, name: &str) {
        if let Some(ms) = self.peek(name).and_then(timestamp::read) {
            self.rest.shift_remove(name);
            self.put("timestamp", ms);
        }
    }

    /// Keeps a field for the dialect alone.
    pub(super) fn keep(&mut self, name: &str, value: impl Into<Value>) {
        self.rest.insert(name.to_owned(), value.into());
    }

    /// Drops a field that says nothing: one that [`super::Dialect::encode`] itself made up.
    pub(super) fn forget(&mut self, name: &str, when: &Value) {
        if self.rest.get(name) == Some(when) {
            self.rest.shift_remove(name);
        }
    }

    /// The event: what was moved, and everything else as the dialect's own.
    pub(super) fn event(mut self, event: &'static str) -> WireEvent {
        self.rest.retain(|_, value| !value.is_null());
        if !self.rest.is_empty() {
            let mut metadata = Map::new();
            metadata.insert(self.dialect.to_owned(), Value::Object(self.rest));
            self.payload.insert("metadata".to_owned(), Value::Object(metadata));
        }
        WireEvent { event, payload: self.payload }
    }
}

/// An event that cannot be read.
pub(super) fn refuse(dialect: &str, why: impl AsRef<str>) -> Error {
    Error::new(Code::InvalidWireEvent, format!("{dialect} event: {}", why.as_ref()))
}
