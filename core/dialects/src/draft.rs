//! A canonical answer in the making: a hook's output, put where the event has a field for it.

use serde_json::{Map, Value, json};

use super::Invocation;
use hookweave_machine::dispatch::{FailureKind, HandlerResult, HookFailure};
use hookweave_machine::event::FieldKind;
use hookweave_machine::json::Json;
use hookweave_machine::payload::Host as _;

/// Collects one hook's answer; [`Draft::into_result`] gives an answer that is valid for the event.
#[derive(Debug)]
pub(super) struct Draft<'i> {
    invocation: &'i Invocation,
    dialect: &'static str,
    decision: Option<(&'static str, Option<String>)>,
    modified: Map<String, Value>,
    inject: Vec<Value>,
    messages: Vec<Value>,
    suppress_output: bool,
    own: Map<String, Value>,
    notes: Vec<Value>,
}

/// Decisions from weak to strong; a stronger one of the same hook wins.
const STRENGTH: &[&str] = &["continue", "allow", "retry", "ask", "block", "stop"];

fn strength(action: &str) -> usize {
    STRENGTH.iter().position(|known| *known == action).unwrap_or(0)
}

impl<'i> Draft<'i> {
    pub(super) fn new(dialect: &'static str, invocation: &'i Invocation) -> Self {
        Self {
            invocation,
            dialect,
            decision: None,
            modified: Map::new(),
            inject: Vec::new(),
            messages: Vec::new(),
            suppress_output: false,
            own: Map::new(),
            notes: Vec::new(),
        }
    }

    /// Decides, unless something stronger was decided already.
    pub(super) fn decide(&mut self, action: &'static str, reason: Option<String>) {
        if self.decision.as_ref().is_none_or(|(known, _)| strength(known) < strength(action)) {
            self.decision = Some((action, reason));
        }
    }

    /// Whether the draft is against what the agent is about to do.
    pub(super) fn refuses(&self) -> bool {
        self.decision.as_ref().is_some_and(|(action, _)| matches!(*action, "block" | "stop"))
    }

    /// Context for the model.
    pub(super) fn context(&mut self, text: &str) {
        self.context_as(text, "system");
    }

    /// Context for the model, in the name of someone else.
    pub(super) fn context_as(&mut self, text: &str, role: &'static str) {
        if !text.is_empty() {
            self.inject.push(json!({"content": text, "role": role}));
        }
    }

    /// What the user should see: `info`, `warning` or `error`.
    pub(super) fn message(&mut self, text: &str, level: &'static str) {
        if !text.is_empty() {
            self.messages.push(json!({"text": text, "level": level}));
        }
    }

    /// Replaces a payload field. What the event does not let hooks replace is kept as the dialect's own, with a note.
    pub(super) fn modify(&mut self, field: &'static str, value: Value) {
        let known = self.invocation.event.modifiable().iter().find(|known| known.name == field);
        if known.is_some_and(|known| takes(known.kind, &value)) {
            self.modified.insert(field.to_owned(), value);
        } else {
            self.note(format!(
                "`{field}` cannot be replaced on {}; the rewrite had no effect",
                self.invocation.event.name()
            ));
            self.own(field, value);
        }
    }

    /// Replaces what the tool gave back, and keeps the rest of the result as it was.
    pub(super) fn modify_output(&mut self, output: Value) {
        self.modify_within("result", "output", output);
    }

    /// Replaces the model's text, and keeps the rest of its response.
    pub(super) fn modify_text(&mut self, text: String) {
        self.modify_within("response", "text", Value::String(text));
    }

    fn modify_within(&mut self, record: &'static str, field: &str, value: Value) {
        let mut fields = match self.invocation.field(record) {
            Some(Value::Object(fields)) => fields.clone(),
            _ => Map::new(),
        };
        fields.insert(field.to_owned(), value);
        self.modify(record, Value::Object(fields));
    }

    /// Keeps the hook's own output out of the transcript.
    pub(super) fn suppress_output(&mut self) {
        self.suppress_output = true;
    }

    /// What only the dialect has, for the host.
    pub(super) fn own(&mut self, name: &str, value: Value) {
        self.own.insert(name.to_owned(), value);
    }

    /// A remark for the trace.
    pub(super) fn note(&mut self, text: impl Into<String>) {
        self.notes.push(Value::String(text.into()));
    }

    /// The answer; nothing when the hook had nothing to say.
    pub(super) fn into_result(mut self) -> HandlerResult<Value> {
        let mut answer = Map::new();
        if let Some((action, reason)) = self.decision {
            answer.insert("action".to_owned(), json!(action));
            if let Some(reason) = reason {
                answer.insert("reason".to_owned(), json!(reason));
            }
        }
        for (name, list) in [("inject", self.inject), ("message", self.messages)] {
            if !list.is_empty() {
                answer.insert(name.to_owned(), Value::Array(list));
            }
        }
        if !self.modified.is_empty() {
            answer.insert("modified".to_owned(), Value::Object(self.modified));
        }
        if self.suppress_output {
            answer.insert("suppress_output".to_owned(), json!(true));
        }
        if !self.notes.is_empty() {
            self.own.insert("notes".to_owned(), Value::Array(self.notes));
        }
        if !self.own.is_empty() {
            answer.insert("ext".to_owned(), json!({ self.dialect: self.own }));
        }
        if answer.is_empty() { HandlerResult::Nothing } else { HandlerResult::Answer(Value::Object(answer)) }
    }
}

/// Whether a JSON value may stand in a field of this kind.
fn takes(kind: FieldKind, value: &Value) -> bool {
    kind.accepts(&Json.kind(&value))
}

/// A failure that lets the failure rule decide.
pub(super) fn failed(kind: FailureKind, message: impl Into<String>) -> HandlerResult<Value> {
    HandlerResult::Failed(HookFailure::new(kind, message))
}

/// A failure of a hook that meant to restrict: a gate stays shut.
pub(super) fn refused(kind: FailureKind, message: impl Into<String>) -> HandlerResult<Value> {
    HandlerResult::Failed(HookFailure { meant_to_restrict: true, ..HookFailure::new(kind, message) })
}
