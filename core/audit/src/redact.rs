//! Blacking out secrets, before anything is hashed or written.

mod blocks;
mod commands;
mod forms;
mod keys;
mod patterns;
#[cfg(test)]
mod shapes;
mod vendors;

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::record::AuditRecord;
use hookweave_machine::error::Error;

use keys::Keys;
use patterns::Patterns;

/// What stands in place of a secret.
pub const REDACTED: &str = "[redacted]";

/// The fields of an object that name what another one of its fields holds, as in lists of variables and headers.
const NAME: &[&str] = &["name", "Name", "key", "Key"];

/// Those that hold it.
const VALUE: &[&str] = &["value", "Value"];

/// No secret is shorter.
const SHORTEST: usize = 4;

/// What is blacked out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Redaction {
    /// Whether the usual names and forms of secrets count.
    pub defaults: bool,
    /// Names of fields whose values are secrets; capitals, dashes and underscores do not matter.
    pub keys: Vec<String>,
    /// Regular expressions of secrets; of one with a group `secret` only that is blacked out.
    pub patterns: Vec<String>,
}

impl Default for Redaction {
    fn default() -> Self {
        Self { defaults: true, keys: Vec::new(), patterns: Vec::new() }
    }
}

impl Redaction {
    /// The usual names and forms of secrets do not count.
    #[must_use]
    pub fn without_defaults(self) -> Self {
        Self { defaults: false, ..self }
    }

    /// Adds the name of a field whose values are secrets; capitals, dashes and underscores do not matter.
    #[must_use]
    pub fn key(mut self, name: impl Into<String>) -> Self {
        self.keys.push(name.into());
        self
    }

    /// Adds a regular expression of secrets; of one with a group `secret` only that is blacked out.
    #[must_use]
    pub fn pattern(mut self, pattern: impl Into<String>) -> Self {
        self.patterns.push(pattern.into());
        self
    }

    /// Blacks out secrets in a value, also in the names of fields; refuses a pattern that does not compile.
    pub fn apply(&self, value: &mut Value) -> Result<(), Error> {
        Redactor::new(self)?.value(value, None);
        Ok(())
    }
}

/// The rules, ready to be used.
#[derive(Debug)]
pub(crate) struct Redactor {
    keys: Keys,
    /// Whether the usual forms count, which all that redact have in common.
    defaults: bool,
    own: Patterns,
}

impl Redactor {
    /// Refuses a pattern that does not compile.
    pub(crate) fn new(rules: &Redaction) -> Result<Self, Error> {
        let own = Patterns::of(&rules.patterns)?;
        Ok(Self { keys: Keys::new(rules.defaults, &rules.keys), defaults: rules.defaults, own })
    }

    /// A text without the secrets in it.
    pub(super) fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if text.len() < SHORTEST {
            return Cow::Borrowed(text);
        }
        let clean = if self.defaults { Patterns::usual().clean(text) } else { Cow::Borrowed(text) };
        match self.own.clean(&clean) {
            Cow::Owned(cleaner) => Cow::Owned(cleaner),
            Cow::Borrowed(_) => clean,
        }
    }

    /// A text that stands under a name.
    fn named(&self, name: &str, text: &mut String) {
        if (self.keys.are_secret(name) || self.keys.are_secret_texts(name)) && !text.is_empty() {
            REDACTED.clone_into(text);
        } else {
            self.in_place(text);
        }
    }

    fn in_place(&self, text: &mut String) {
        if let Cow::Owned(clean) = self.text(text) {
            *text = clean;
        }
    }

    /// Blacks out secrets in a value, also in the names of fields, and cuts long texts if that is wanted.
    pub(crate) fn value(&self, value: &mut Value, longest: Option<usize>) {
        match value {
            Value::String(text) => {
                self.in_place(text);
                cut(text, longest);
            }
            Value::Array(items) => self.items(items, longest),
            Value::Object(fields) => self.fields(fields, longest),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// The items of a list, which may be the arguments of a command: `["--token", "…"]`.
    fn items(&self, items: &mut [Value], longest: Option<usize>) {
        let mut announced = false;
        for item in items {
            let argument = item.as_str().unwrap_or_default();
            let is_secret = announced && !argument.starts_with('-');
            announced = self.keys.announced_by(argument);
            if is_secret {
                black_out(item);
            } else {
                self.value(item, longest);
            }
        }
    }

    fn fields(&self, fields: &mut Map<String, Value>, longest: Option<usize>) {
        let names_secret = self.name_secret(fields);
        for (name, value) in fields.iter_mut() {
            let is_secret = self.keys.are_secret(name)
                || (value.is_string() && self.keys.are_secret_texts(name))
                || (names_secret && VALUE.contains(&name.as_str()));
            if is_secret {
                black_out(value);
            } else {
                self.value(value, longest);
            }
        }
        if fields.keys().any(|name| matches!(self.text(name), Cow::Owned(_))) {
            let old = std::mem::take(fields);
            fields.extend(old.into_iter().map(|(name, value)| (self.text(&name).into_owned(), value)));
        }
    }

    /// Whether an object names the secret that it holds: `{"name": "DB_PASSWORD", "value": …}`.
    fn name_secret(&self, fields: &Map<String, Value>) -> bool {
        let names = |name: &str| self.keys.are_secret(name) || self.keys.are_secret_texts(name);
        VALUE.iter().any(|value| fields.contains_key(*value))
            && NAME.iter().filter_map(|name| fields.get(*name)?.as_str()).any(names)
    }

    /// Blacks out secrets in every text of a record.
    pub(super) fn record(&self, record: &mut AuditRecord) {
        let AuditRecord { session, agent, event, hook, tool, tool_use_id, outcome, reason, details, input, .. } =
            record;
        for text in [session, agent, event, hook, tool, tool_use_id, outcome, reason].into_iter().flatten() {
            self.in_place(text);
        }
        for (name, value) in details.iter_mut() {
            match value {
                Value::String(text) => self.named(name, text),
                value => self.value(value, None),
            }
        }
        if let Some(payload) = input.as_mut().and_then(|input| input.payload.as_mut()) {
            self.value(payload, None);
        }
    }
}

/// Blacks out everything that a value holds; the shape stays.
fn black_out(value: &mut Value) {
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::Array(items) => items.iter_mut().for_each(black_out),
        Value::Object(fields) => fields.values_mut().for_each(black_out),
        // An empty text is no secret, and worth knowing.
        Value::String(text) if text.is_empty() => {}
        Value::String(_) | Value::Number(_) => *value = REDACTED.into(),
    }
}

fn cut(text: &mut String, longest: Option<usize>) {
    let Some(longest) = longest.filter(|longest| text.len() > *longest) else { return };
    let left = text.len() - longest;
    text.truncate(text.floor_char_boundary_at(longest));
    // Writing to a string cannot fail.
    let _ = write!(text, "… [{left} bytes more]");
}

/// The nearest end of a character at or before a place.
trait Boundary {
    fn floor_char_boundary_at(&self, at: usize) -> usize;
}

impl Boundary for str {
    fn floor_char_boundary_at(&self, at: usize) -> usize {
        (0..=at.min(self.len())).rev().find(|at| self.is_char_boundary(*at)).unwrap_or(0)
    }
}
