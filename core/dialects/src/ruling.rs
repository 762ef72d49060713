//! An outcome as a dialect has to tell it: one decision, one reason, texts, and what became stricter on the way.

use serde_json::{Map, Value};

use super::{Decided, WireAnswer};

/// What all hooks decided, read back from the outcome's canonical form.
#[derive(Debug)]
pub(super) struct Ruling<'a> {
    decided: &'a Decided<'a>,
    degraded: Vec<String>,
}

impl<'a> Ruling<'a> {
    pub(super) const fn new(decided: &'a Decided<'a>) -> Self {
        Self { decided, degraded: Vec::new() }
    }

    /// The decision's name; `continue` when the outcome has none.
    pub(super) fn decision(&self) -> &'a str {
        self.decided.outcome.get("decision").and_then(Value::as_str).unwrap_or("continue")
    }

    /// Whether what the agent is about to do must not happen, or was objected to.
    pub(super) fn refuses(&self) -> bool {
        matches!(self.decision(), "block" | "stop")
            || self.decided.outcome.get("blocked").and_then(Value::as_bool).unwrap_or(false)
    }

    /// Why; never empty, because several systems void a refusal without a reason.
    pub(super) fn reason(&self) -> String {
        let said = self.decided.outcome.get("reason").and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let feedback = || self.texts("feedback", None).into_iter().next();
        let asked = || self.texts("asks", Some("prompt")).into_iter().next().filter(|_| self.decision() == "ask");
        said.map(str::to_owned)
            .or_else(feedback)
            .or_else(asked)
            .unwrap_or_else(|| format!("a hook decided {} and gave no reason", self.decision()))
    }

    /// What a person should be asked.
    pub(super) fn question(&self) -> String {
        self.texts("asks", Some("prompt")).into_iter().next().unwrap_or_else(|| self.reason())
    }

    /// All context for the model, as one text.
    pub(super) fn context(&self) -> Option<String> {
        joined(&self.texts("injections", Some("content")), "\n\n")
    }

    /// All messages for the user, as one text.
    pub(super) fn messages(&self) -> Option<String> {
        joined(&self.texts("messages", Some("text")), "\n")
    }

    fn texts(&self, list: &str, field: Option<&str>) -> Vec<String> {
        let items = self.decided.outcome.get(list).and_then(Value::as_array);
        items
            .into_iter()
            .flatten()
            .filter_map(|item| field.map_or(Some(item), |field| item.get(field)).and_then(Value::as_str))
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// A field's final value, when hooks changed it.
    pub(super) fn modified(&self, field: &str) -> Option<&'a Value> {
        let changed = self.decided.outcome.get("modified")?;
        let is_named = match changed {
            Value::Array(names) => names.iter().any(|name| name == field),
            Value::Object(fields) => fields.contains_key(field),
            _ => false,
        };
        if is_named { self.decided.payload.get(field) } else { None }
    }

    /// The fields that hooks changed, by name.
    pub(super) fn changed(&self) -> Vec<&'a str> {
        match self.decided.outcome.get("modified") {
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            Some(Value::Object(fields)) => fields.keys().map(String::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// What only the dialect has, as the first hook said it.
    pub(super) fn own(&self, dialect: &str, name: &str) -> Option<&'a Value> {
        match self.decided.outcome.get("ext")? {
            Value::Array(list) => list.iter().find_map(|entry| entry.get(dialect)?.get(name)),
            entry => entry.get(dialect)?.get(name),
        }
    }

    /// Whether hooks want their output out of the transcript.
    pub(super) fn suppresses_output(&self) -> bool {
        self.decided.outcome.get("suppress_output").and_then(Value::as_bool).unwrap_or(false)
    }

    /// Says that something could not be expressed.
    pub(super) fn degrade(&mut self, what: impl Into<String>) {
        self.degraded.push(what.into());
    }

    /// The answer: exit code 0 and an object; an empty object prints nothing.
    pub(super) fn answer(self, output: Map<String, Value>) -> WireAnswer {
        let stdout = if output.is_empty() { String::new() } else { Value::Object(output).to_string() };
        WireAnswer { exit_code: 0, stdout, stderr: String::new(), degraded: self.degraded }
    }
}

fn joined(texts: &[String], with: &str) -> Option<String> {
    if texts.is_empty() { None } else { Some(texts.join(with)) }
}
