//! An outcome as dialects encode it for an agent.

use serde_json::{Map, Value};

use super::{WireAnswer, WireEvent};
use hookweave_machine::action::Action;
use hookweave_machine::answer::{Injection, Message, Question};
use hookweave_machine::error::{Code, Error};
use hookweave_machine::hook::FailBehavior;
use hookweave_machine::outcome::{Outcome, TraceEntry};

/// The values of an outcome as JSON, by the engine's names.
#[derive(Debug, Clone, Default)]
pub struct OutcomeValues {
    /// The final payload, with the fields that the engine fills in.
    pub payload: Map<String, Value>,
    /// The former values of the fields that hooks changed.
    pub original: Map<String, Value>,
    /// What only one dialect has, by dialect.
    pub ext: Map<String, Value>,
}

/// The outcome of an event that came from another agent.
#[derive(Debug, Clone)]
pub struct OutcomeView<'a> {
    /// The event as it came.
    pub event: &'a WireEvent,
    /// The final payload, by the engine's names.
    pub payload: &'a Map<String, Value>,
    /// The strongest decision.
    pub decision: Action,
    /// Whether the action must not happen.
    pub blocked: bool,
    /// The reason of the first hook with the winning decision.
    pub reason: Option<String>,
    /// The payload fields that hooks changed, in the order of their first change.
    pub modified: Vec<String>,
    /// Context for the model, in order.
    pub injections: Vec<Injection>,
    /// Messages for the user, in order.
    pub messages: Vec<Message>,
    /// Questions for a person, in order.
    pub asks: Vec<Question>,
    /// Reasons of hooks that objected to an event that is no gate.
    pub feedback: Vec<String>,
    /// The longest delay that a retry asked for, in milliseconds.
    pub delay_ms: u64,
    /// Whether a hook wants its output kept out of the transcript.
    pub suppress_output: bool,
    /// What only one dialect has, by dialect.
    pub ext: Map<String, Value>,
    /// For each hook that failed and let the action continue, a text for the user.
    pub failed_open: Vec<String>,
}

impl<'a> OutcomeView<'a> {
    /// A refusal that no hook decided, of an event whose payload no hook changed.
    #[must_use]
    pub fn refusal(event: &'a WireEvent, reason: &str) -> Self {
        Self {
            event,
            payload: &event.payload,
            decision: Action::Block,
            blocked: true,
            reason: Some(reason.to_owned()),
            modified: Vec::new(),
            injections: Vec::new(),
            messages: Vec::new(),
            asks: Vec::new(),
            feedback: Vec::new(),
            delay_ms: 0,
            suppress_output: false,
            ext: Map::new(),
            failed_open: Vec::new(),
        }
    }

    /// The view of an outcome, with the values of its host as JSON.
    #[must_use]
    pub fn of<T, V>(event: &'a WireEvent, values: &'a OutcomeValues, outcome: &Outcome<T, V>) -> Self {
        let owned = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect();
        let failed_open_of = |entry: &TraceEntry<'_>| {
            let failure = entry.failure.as_ref().filter(|failure| failure.became == FailBehavior::Continue)?;
            Some(failed_open(entry.hook, failure.message))
        };
        Self {
            event,
            payload: &values.payload,
            decision: outcome.decision(),
            blocked: outcome.blocked(),
            reason: outcome.reason().map(str::to_owned),
            modified: owned(outcome.modified()),
            injections: outcome.injections().into_iter().map(|given| given.part.clone()).collect(),
            messages: outcome.messages().into_iter().map(|given| given.part.clone()).collect(),
            asks: outcome.asks().into_iter().map(|given| given.part.clone()).collect(),
            feedback: owned(outcome.feedback()),
            delay_ms: outcome.delay_ms(),
            suppress_output: outcome.suppress_output(),
            ext: values.ext.clone(),
            failed_open: outcome.trace().iter().filter_map(failed_open_of).collect(),
        }
    }

    /// Reads an outcome's canonical form; each field may be missing.
    ///
    /// # Errors
    /// [`Code::InvalidPayload`] for an unknown decision, which could be a refusal.
    pub fn read(
        event: &'a WireEvent,
        payload: &'a Map<String, Value>,
        outcome: &Map<String, Value>,
    ) -> Result<Self, Error> {
        let flag = |name: &str| outcome.get(name).and_then(Value::as_bool).unwrap_or(false);
        Ok(Self {
            event,
            payload,
            decision: decision(outcome.get("decision"))?,
            blocked: flag("blocked"),
            reason: text(outcome, "reason"),
            modified: match outcome.get("modified") {
                Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
                Some(Value::Object(fields)) => fields.keys().cloned().collect(),
                _ => Vec::new(),
            },
            injections: parts(outcome, "injections").filter_map(injection).collect(),
            messages: parts(outcome, "messages").filter_map(message).collect(),
            asks: parts(outcome, "asks").map(ask).collect(),
            feedback: items(outcome, "feedback").filter_map(Value::as_str).map(str::to_owned).collect(),
            delay_ms: outcome.get("delay_ms").and_then(Value::as_u64).unwrap_or(0),
            suppress_output: flag("suppress_output"),
            ext: outcome.get("ext").and_then(Value::as_object).cloned().unwrap_or_default(),
            failed_open: parts(outcome, "trace").filter_map(entry_failed_open).collect(),
        })
    }

    /// Whether hooks closed a gate, or objected to an event that is none.
    pub(super) const fn refuses(&self) -> bool {
        self.decision.refuses() || self.blocked
    }

    /// Why; never empty, because several systems void a refusal without a reason.
    pub(super) fn reason_text(&self) -> String {
        let reason = self.reason.clone().filter(|reason| !reason.trim().is_empty());
        let feedback = || self.feedback.iter().find(|text| !text.is_empty()).cloned();
        let prompt = || self.prompt().filter(|_| self.decision == Action::Ask);
        reason
            .or_else(feedback)
            .or_else(prompt)
            .unwrap_or_else(|| format!("a hook decided {} and gave no reason", self.decision))
    }

    /// The first question for a person, or the reason.
    pub(super) fn question(&self) -> String {
        self.prompt().unwrap_or_else(|| self.reason_text())
    }

    fn prompt(&self) -> Option<String> {
        self.asks.iter().filter_map(|ask| ask.prompt.clone()).find(|prompt| !prompt.is_empty())
    }

    /// All context for the model, as one text.
    pub(super) fn context_text(&self) -> Option<String> {
        joined(self.injections.iter().map(|injection| injection.content.as_str()), "\n\n")
    }

    /// All messages for the user, as one text.
    pub(super) fn messages_text(&self) -> Option<String> {
        joined(self.messages.iter().map(|message| message.text.as_str()), "\n")
    }

    /// A field's final value, if hooks changed it.
    pub(super) fn changed(&self, field: &str) -> Option<&'a Value> {
        if self.modified.iter().any(|name| name == field) { self.payload.get(field) } else { None }
    }

    /// A value that only the dialect has.
    pub(super) fn own(&self, dialect: &str, name: &str) -> Option<&Value> {
        self.ext.get(dialect)?.get(name)
    }
}

impl WireAnswer {
    /// Notes what the dialect cannot express.
    pub(super) fn degrade(&mut self, what: impl Into<String>) {
        self.degraded.push(what.into());
    }

    /// The answer with an object on standard output; an empty object prints nothing.
    pub(super) fn with_output(self, output: Map<String, Value>) -> Self {
        let stdout = if output.is_empty() { String::new() } else { Value::Object(output).to_string() };
        Self { stdout, ..self }
    }
}

fn joined<'t>(texts: impl Iterator<Item = &'t str>, with: &str) -> Option<String> {
    let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    if texts.is_empty() { None } else { Some(texts.join(with)) }
}

fn decision(given: Option<&Value>) -> Result<Action, Error> {
    let Some(given) = given.filter(|given| !given.is_null()) else { return Ok(Action::Continue) };
    let known = given.as_str().and_then(|word| Action::WORDS.iter().find(|(known, _)| *known == word));
    known.map(|(_, action)| *action).ok_or_else(|| {
        let names: Vec<_> = Action::WORDS.iter().map(|(name, _)| *name).collect();
        let why = format!("an outcome's `decision` is {given}; it must be one of {}", names.join(", "));
        Error::new(Code::InvalidPayload, why)
    })
}

fn items<'v>(outcome: &'v Map<String, Value>, name: &str) -> impl Iterator<Item = &'v Value> {
    outcome.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn parts<'v>(outcome: &'v Map<String, Value>, name: &str) -> impl Iterator<Item = &'v Map<String, Value>> {
    items(outcome, name).filter_map(Value::as_object)
}

fn text(part: &Map<String, Value>, name: &str) -> Option<String> {
    part.get(name).and_then(Value::as_str).map(str::to_owned)
}

fn injection(part: &Map<String, Value>) -> Option<Injection> {
    Some(Injection {
        content: text(part, "content")?,
        role: word(part, "role", &["system", "user", "assistant"]).unwrap_or("system"),
        ephemeral: part.get("ephemeral") == Some(&Value::Bool(true)),
    })
}

fn message(part: &Map<String, Value>) -> Option<Message> {
    let level = word(part, "level", &["info", "warning", "error"]).unwrap_or("info");
    Some(Message { text: text(part, "text")?, level })
}

fn ask(part: &Map<String, Value>) -> Question {
    let texts = |name: &str| {
        let given = part.get(name).and_then(Value::as_array);
        given.map(|texts| texts.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>())
    };
    let defaults = Question::default();
    Question {
        prompt: text(part, "prompt"),
        options: texts("options").unwrap_or(defaults.options),
        grants: texts("grants").unwrap_or_default(),
        timeout_ms: part.get("timeout_ms").and_then(Value::as_u64).unwrap_or(defaults.timeout_ms),
        default: word(part, "default", &["deny", "allow"]).unwrap_or(defaults.default),
        remember: word(part, "remember", &["tool", "prompt"]),
    }
}

fn entry_failed_open(entry: &Map<String, Value>) -> Option<String> {
    let failure = entry.get("failure")?.as_object()?;
    let became = text(failure, "became")?;
    let message = || text(failure, "message").unwrap_or_default();
    (became == FailBehavior::Continue.as_str())
        .then(|| failed_open(&text(entry, "hook").unwrap_or_default(), &message()))
}

fn failed_open(hook: &str, message: &str) -> String {
    format!("the hook {hook} failed and was skipped: {message}")
}

fn word(part: &Map<String, Value>, name: &str, known: &[&'static str]) -> Option<&'static str> {
    let given = part.get(name)?.as_str()?;
    known.iter().copied().find(|known| *known == given)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(outcome: &Value) -> Result<Action, Error> {
        let event = WireEvent { event: "PreToolUse", payload: Map::new() };
        let Value::Object(outcome) = outcome else { unreachable!() };
        OutcomeView::read(&event, &event.payload, outcome).map(|view| view.decision)
    }

    #[test]
    fn an_unknown_decision_is_no_continue() {
        assert_eq!(read(&json!({"decision": "stop"})), Ok(Action::Stop));
        assert_eq!(read(&json!({})), Ok(Action::Continue));
        for unknown in [json!("deny"), json!("Block"), json!(""), json!(7), json!(["block"])] {
            let error = read(&json!({"decision": unknown})).unwrap_err();
            assert_eq!(error.code(), Code::InvalidPayload, "{unknown}");
            assert!(error.message().contains("it must be one of continue, allow, ask, block"), "{error}");
        }
    }
}
