//! Puts the outcomes of two runs of stages together, as folding over all of them would.

use serde_json::{Value, json};

use super::given::Given;

/// What folding adds up.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Parts {
    pub(crate) event: Value,
    decision: Value,
    reason: Value,
    blocked: Value,
    suppress_output: bool,
    delay_ms: u64,
    modified: Vec<Value>,
    votes: Vec<Value>,
    injections: Vec<Value>,
    messages: Vec<Value>,
    asks: Vec<Value>,
    feedback: Vec<Value>,
    ext: Value,
}

impl Parts {
    pub(crate) fn of(outcome: &Value) -> Self {
        let list = |key: &str| outcome[key].as_array().unwrap().clone();
        Self {
            event: outcome["event"].clone(),
            decision: outcome["decision"].clone(),
            reason: outcome["reason"].clone(),
            blocked: outcome["blocked"].clone(),
            suppress_output: outcome["suppress_output"].as_bool().unwrap(),
            delay_ms: outcome["delay_ms"].as_u64().unwrap(),
            modified: list("modified"),
            votes: list("votes"),
            injections: list("injections"),
            messages: list("messages"),
            asks: list("asks"),
            feedback: list("feedback"),
            ext: outcome["ext"].clone(),
        }
    }
}

/// From strongest to weakest.
fn precedence(given: &Given) -> &'static [&'static str] {
    if given.options["profile"] == "shadow" {
        return &["stop", "block", "allow", "ask", "retry"];
    }
    &["stop", "block", "ask", "retry", "allow"]
}

/// Folds what came of earlier stages with what came of later ones.
pub(crate) fn combine(given: &Given, mut left: Parts, right: Parts) -> Parts {
    if given.short_circuits() && left.blocked == true {
        return left;
    }
    if !right.modified.is_empty() {
        for vote in left.votes.iter_mut().filter(|vote| vote["action"] == "allow") {
            vote["void"] = true.into();
        }
    }
    left.votes.extend(right.votes);
    let strongest = precedence(given)
        .iter()
        .find_map(|action| left.votes.iter().find(|vote| vote["action"] == *action && vote["void"] != true));
    left.decision = strongest.map_or(json!("continue"), |vote| vote["action"].clone());
    left.reason = strongest.map_or(Value::Null, |vote| vote["reason"].clone());
    left.blocked = (given.gate() && (left.decision == "block" || left.decision == "stop")).into();
    left.event = right.event;
    left.suppress_output |= right.suppress_output;
    left.delay_ms = left.delay_ms.max(right.delay_ms);
    for field in right.modified {
        if !left.modified.contains(&field) {
            left.modified.push(field);
        }
    }
    left.injections.extend(right.injections);
    left.messages.extend(right.messages);
    left.asks.extend(right.asks);
    left.feedback.extend(right.feedback);
    for (dialect, fields) in right.ext.as_object().unwrap() {
        match left.ext[dialect].as_object_mut() {
            Some(known) => known.extend(fields.as_object().unwrap().clone()),
            None => left.ext[dialect] = fields.clone(),
        }
    }
    left
}
