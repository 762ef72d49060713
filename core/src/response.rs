//! What a Rust hook answers.

use std::time::Duration;

use serde_json::{Map, Value, json};

use hookweave_host::action::Action;

/// Why a hook failed.
pub type HookError = Box<dyn std::error::Error + Send + Sync>;

/// A hook's answer, built part by part; parts compose and nothing of them is lost.
///
/// ```
/// use hookweave::HookResponse;
/// use serde_json::json;
///
/// let answer = HookResponse::continue_()
///     .modified(json!({"args": {"command": "ls", "timeout": 30_000}}))
///     .message("added a timeout");
/// assert_eq!(answer.to_json()["modified"]["args"]["timeout"], 30_000);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[must_use]
pub struct HookResponse {
    /// `None` when there are none: most hooks say nothing, and nothing is quick to hand on.
    fields: Option<Box<Map<String, Value>>>,
}

impl HookResponse {
    fn of(action: Action) -> Self {
        Self::default().set("action", action.as_str())
    }

    fn fields(&mut self) -> &mut Map<String, Value> {
        self.fields.get_or_insert_default()
    }

    fn set(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.fields().insert(field.to_owned(), value.into());
        self
    }

    /// Adds to a field that can hold one or many.
    fn push(mut self, field: &str, value: Value) -> Self {
        let list = self.fields().entry(field).or_insert_with(|| json!([]));
        if let Value::Array(items) = list {
            items.push(value);
        }
        self
    }

    /// No objection.
    pub fn continue_() -> Self {
        Self::of(Action::Continue)
    }

    /// Yes, without asking a person.
    pub fn allow() -> Self {
        Self::of(Action::Allow)
    }

    /// No, for this reason.
    pub fn block(reason: impl Into<String>) -> Self {
        Self::of(Action::Block).reason(reason)
    }

    /// A person decides.
    pub fn ask(prompt: impl Into<String>) -> Self {
        Self::of(Action::Ask).set("ask", json!({"prompt": prompt.into()}))
    }

    /// Do it again after a delay.
    pub fn retry(delay: Duration) -> Self {
        Self::of(Action::Retry).set("delay_ms", u64::try_from(delay.as_millis()).unwrap_or(u64::MAX))
    }

    /// Pass over the later hooks of the same scope.
    pub fn skip() -> Self {
        Self::of(Action::Skip)
    }

    /// No, and the agent stops.
    pub fn stop(reason: impl Into<String>) -> Self {
        Self::of(Action::Stop).reason(reason)
    }

    /// An answer in the canonical wire form; it is checked when the hook answers it.
    pub fn from_json(answer: Value) -> Result<Self, Value> {
        match answer {
            Value::Null => Ok(Self::default()),
            Value::Object(fields) if fields.is_empty() => Ok(Self::default()),
            Value::Object(fields) => Ok(Self { fields: Some(Box::new(fields)) }),
            other => Err(other),
        }
    }

    /// Why.
    pub fn reason(self, reason: impl Into<String>) -> Self {
        self.set("reason", reason.into())
    }

    /// Shares a value with later hooks of the dispatch, which read it in the event's field `shared`.
    pub fn share(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        if let Value::Object(shared) = self.fields().entry("share").or_insert_with(|| json!({})) {
            shared.insert(key.into(), value.into());
        }
        self
    }

    /// Replaces payload fields: `json!({"args": {…}})`.
    pub fn modified(self, fields: Value) -> Self {
        self.set("modified", fields)
    }

    /// Adds fields that the hook changed in place; what its answer itself says of a field counts.
    pub(crate) fn with_changes(mut self, changes: Map<String, Value>) -> Self {
        if changes.is_empty() {
            return self;
        }
        match self.fields().entry("modified").or_insert(Value::Null) {
            Value::Object(modified) => {
                for (field, value) in changes {
                    modified.entry(field).or_insert(value);
                }
            }
            modified @ Value::Null => *modified = Value::Object(changes),
            // Anything else is no answer, and the machine says so.
            _ => {}
        }
        self
    }

    /// Gives context to the model, in role `system`.
    pub fn inject(self, content: impl Into<String>) -> Self {
        self.push("inject", json!({"content": content.into()}))
    }

    /// Gives context to the model, in a role and for the next model call only or for good.
    pub fn inject_as(self, role: &str, content: impl Into<String>, ephemeral: bool) -> Self {
        self.push("inject", json!({"content": content.into(), "role": role, "ephemeral": ephemeral}))
    }

    /// Tells the user something, at level `info`.
    pub fn message(self, text: impl Into<String>) -> Self {
        self.push("message", json!({"text": text.into()}))
    }

    /// Tells the user something at a level: `info`, `warning` or `error`.
    pub fn message_at(self, level: &str, text: impl Into<String>) -> Self {
        self.push("message", json!({"text": text.into(), "level": level}))
    }

    /// Details of an ask: `options`, `timeout_ms`, `default`, `remember`.
    pub fn ask_with(mut self, details: Value) -> Self {
        let ask = self.fields().entry("ask").or_insert_with(|| json!({}));
        if let (Value::Object(ask), Value::Object(details)) = (ask, details) {
            ask.extend(details);
        }
        self
    }

    /// Keeps the hook's own output out of the transcript.
    pub fn suppress_output(self) -> Self {
        self.set("suppress_output", true)
    }

    /// What only one dialect has.
    pub fn ext(mut self, dialect: &str, fields: Value) -> Self {
        let ext = self.fields().entry("ext").or_insert_with(|| json!({}));
        if let Value::Object(ext) = ext {
            ext.insert(dialect.to_owned(), fields);
        }
        self
    }

    /// Whether the answer is empty; an explicit `continue` is an answer.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fields.as_ref().is_none_or(|fields| fields.is_empty())
    }

    /// The canonical wire form.
    #[must_use]
    pub fn to_json(&self) -> Value {
        self.clone().into_json()
    }

    pub(crate) fn into_json(self) -> Value {
        Value::Object(self.fields.map_or_else(Map::new, |fields| *fields))
    }
}

/// What a closure may return: nothing, an answer, perhaps an answer, or an error.
pub trait IntoResponse {
    /// The answer, or the hook's failure.
    fn into_response(self) -> Result<HookResponse, HookError>;
}

impl IntoResponse for () {
    fn into_response(self) -> Result<HookResponse, HookError> {
        Ok(HookResponse::default())
    }
}

impl IntoResponse for HookResponse {
    fn into_response(self) -> Result<HookResponse, HookError> {
        Ok(self)
    }
}

impl IntoResponse for Option<HookResponse> {
    fn into_response(self) -> Result<HookResponse, HookError> {
        Ok(self.unwrap_or_default())
    }
}

impl<R: IntoResponse, E: Into<HookError>> IntoResponse for Result<R, E> {
    fn into_response(self) -> Result<HookResponse, HookError> {
        self.map_err(Into::into)?.into_response()
    }
}
