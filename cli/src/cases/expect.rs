//! What a case expects, and how what came differs from it.

use hookweave_host::dialects::WireAnswer;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::{Map, Value};

/// What must come of an event; a single word is the decision.
#[derive(Debug, Clone, Default)]
pub(crate) struct Expect(Fields);

/// Fields that are not given are not looked at, except for failures: a hook that fails, fails the test.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    #[serde(default)]
    decision: Option<String>,
    #[serde(default)]
    blocked: Option<bool>,
    /// Part of the reason.
    #[serde(default)]
    reason: Option<String>,
    /// The names of the hooks that ran, in order.
    #[serde(default)]
    ran: Option<Vec<String>>,
    /// The names of the hooks that failed.
    #[serde(default)]
    failed: Vec<String>,
    /// Final values of fields that hooks changed; of an object its given fields.
    #[serde(default)]
    modified: Option<Map<String, Value>>,
    /// Part of what was added for the model.
    #[serde(default)]
    context: Option<String>,
    /// Part of what the user is shown.
    #[serde(default)]
    message: Option<String>,
    /// Part of what a person is asked.
    #[serde(default)]
    ask: Option<String>,
    #[serde(default)]
    exit_code: Option<i32>,
    /// What the agent reads: an object has at least these fields, a text is part of it.
    #[serde(default)]
    stdout: Option<Value>,
    /// Part of what is left on standard error.
    #[serde(default)]
    stderr: Option<String>,
}

/// The words of a decision.
const DECISIONS: &[&str] = &["continue", "allow", "ask", "retry", "block", "stop"];

impl<'de> Deserialize<'de> for Expect {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = match Value::deserialize(deserializer)? {
            Value::String(decision) => Fields { decision: Some(decision), ..Fields::default() },
            Value::Object(fields) if fields.is_empty() => {
                return Err(D::Error::custom("`expect` is empty, so the case cannot fail; write a decision"));
            }
            value => serde_json::from_value(value).map_err(|why| D::Error::custom(format!("expect: {why}")))?,
        };
        if let Some(word) = fields.decision.as_deref().filter(|word| !DECISIONS.contains(word)) {
            let known = DECISIONS.join(", ");
            return Err(D::Error::custom(format!("`{word}` is no decision; known are {known}")));
        }
        Ok(Self(fields))
    }
}

/// What came of an event.
#[derive(Debug)]
pub(crate) struct Came<'c> {
    /// The outcome in its canonical form.
    pub(crate) outcome: &'c Map<String, Value>,
    /// The agent's answer, if the case names an agent.
    pub(crate) answer: Option<&'c WireAnswer>,
}

impl Came<'_> {
    fn text(&self, field: &str) -> &str {
        self.outcome.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    fn items(&self, field: &str) -> impl Iterator<Item = &Value> {
        self.outcome.get(field).and_then(Value::as_array).into_iter().flatten()
    }

    /// The texts of a list of parts.
    fn texts(&self, list: &str, field: &str) -> Vec<&str> {
        self.items(list).filter_map(|part| part.get(field)?.as_str()).collect()
    }

    fn hooks(&self, of: impl Fn(&Value) -> bool) -> Vec<&str> {
        self.items("trace").filter(|entry| of(entry)).filter_map(|entry| entry.get("hook")?.as_str()).collect()
    }
}

impl Expect {
    /// Whether it compares an agent's answer.
    pub(crate) const fn is_about_the_wire(&self) -> bool {
        self.0.exit_code.is_some() || self.0.stdout.is_some() || self.0.stderr.is_some()
    }

    /// Every difference, in words; none when the case holds.
    pub(crate) fn differences(&self, came: &Came<'_>) -> Vec<String> {
        let Fields { decision, blocked, reason, ran, failed, modified, context, message, ask, .. } = &self.0;
        let mut found = Vec::new();
        let mut differ = |what: &str, expected: &Value, came: &Value| {
            if expected != came {
                found.push(format!("{what}: expected {expected}, got {came}"));
            }
        };
        if let Some(decision) = decision {
            differ("decision", &decision.as_str().into(), &came.text("decision").into());
        }
        if let Some(blocked) = blocked {
            let came = came.outcome.get("blocked").cloned().unwrap_or_default();
            differ("blocked", &(*blocked).into(), &came);
        }
        if let Some(ran) = ran {
            let hooks = came.hooks(|entry| {
                entry.get("status").is_some_and(|status| status == "ran" || status == "failed" || status == "detached")
            });
            differ("ran", &ran.as_slice().into(), &hooks.into());
        }
        let failures = came.hooks(|entry| entry.get("failure").is_some());
        differ("failed", &failed.as_slice().into(), &failures.into());
        let mut contains = |what: &str, part: Option<&String>, texts: &[&str]| {
            if let Some(part) = part.filter(|part| !texts.iter().any(|text| text.contains(part.as_str()))) {
                let texts = Value::from(texts);
                found.push(format!("{what}: expected text with {}, got {texts}", Value::from(part.as_str())));
            }
        };
        contains("reason", reason.as_ref(), &[came.text("reason")]);
        contains("context", context.as_ref(), &came.texts("injections", "content"));
        contains("message", message.as_ref(), &came.texts("messages", "text"));
        contains("ask", ask.as_ref(), &came.texts("asks", "prompt"));
        if let Some(answer) = came.answer {
            contains("stderr", self.0.stderr.as_ref(), &[&answer.stderr]);
        }
        if let Some(modified) = modified {
            let event = came.outcome.get("event").cloned().unwrap_or_default();
            let changed: Vec<&str> = came.items("modified").filter_map(Value::as_str).collect();
            for (field, value) in modified {
                let now = event.get(field).filter(|_| changed.contains(&field.as_str()));
                if !now.is_some_and(|now| holds(now, value)) {
                    let now = now.map_or_else(|| "no change".to_owned(), Value::to_string);
                    found.push(format!("modified.{field}: expected {value}, got {now}"));
                }
            }
        }
        if let Some(answer) = came.answer {
            self.check_wire_answer(answer, &mut found);
        }
        found
    }

    fn check_wire_answer(&self, answer: &WireAnswer, found: &mut Vec<String>) {
        if let Some(code) = self.0.exit_code.filter(|code| *code != answer.exit_code) {
            found.push(format!("exit_code: expected {code}, got {}", answer.exit_code));
        }
        let holds = match &self.0.stdout {
            None => true,
            Some(Value::String(part)) => answer.stdout.contains(part.as_str()),
            Some(value) => serde_json::from_str::<Value>(&answer.stdout).is_ok_and(|printed| holds(&printed, value)),
        };
        if let Some(expected) = self.0.stdout.as_ref().filter(|_| !holds) {
            found.push(format!("stdout: expected {expected}, got {}", answer.stdout));
        }
    }
}

/// Whether a value is the expected one; an object may have more fields.
fn holds(value: &Value, expected: &Value) -> bool {
    match (value, expected) {
        (Value::Object(value), Value::Object(expected)) => {
            expected.iter().all(|(name, expected)| value.get(name).is_some_and(|value| holds(value, expected)))
        }
        _ => value == expected,
    }
}
