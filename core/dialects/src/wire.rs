//! The engine inside another agent: an event comes in that agent's words, and the outcome goes out in them.

use serde_json::{Map, Value, json};

use super::incoming::refuse;
use super::{Decided, WireAnswer, WireEvent, named};
use hookweave_machine::error::{Code, Error};
use hookweave_machine::event::{BUILT_IN, BuiltIn};
use hookweave_machine::json::from_json;

/// Reads the JSON text that an agent sends to its hooks; [`Code::InvalidWireEvent`] says what is not of that agent.
pub fn event_from_wire(dialect: &str, text: &str) -> Result<WireEvent, Error> {
    let dialect = named(dialect)?;
    let wire = from_json(text)
        .map_err(|why| Error::new(Code::InvalidWireEvent, format!("what {} sent is no JSON: {why}", dialect.name())))?;
    let event = dialect.event_from_wire(&wire)?;
    has_its_subject(&event).map_err(|why| refuse(dialect.name(), why)).map(|()| event)
}

/// Says what a gate of tool calls lacks: one that does not know what is to run cannot judge it.
fn has_its_subject(WireEvent { event, payload }: &WireEvent) -> Result<(), String> {
    let judges = |known: &BuiltIn| known.gate && known.fields.iter().any(|field| field.name == "tool");
    if !BUILT_IN.iter().any(|known| known.name == *event && judges(known)) {
        return Ok(());
    }
    let is_named = payload.get("tool").and_then(Value::as_str).is_some_and(|tool| !tool.is_empty());
    if !is_named {
        return Err(format!("{event} names no tool"));
    }
    if payload.contains_key("args") {
        Ok(())
    } else {
        Err(format!("{event} does not say what the tool is called with"))
    }
}

/// What a hook of a dialect leaves for its agent: the exit code, stdout and stderr that mean the outcome.
///
/// `outcome` is the canonical form of an outcome with its final event and, under `original`, what the fields were that
/// hooks changed. What the dialect cannot express becomes stricter
/// and is said in [`WireAnswer::degraded`].
pub fn outcome_to_wire(dialect: &str, outcome: &Value) -> Result<WireAnswer, Error> {
    let dialect = named(dialect)?;
    let refuse = |what: &str| Error::new(Code::InvalidPayload, format!("an outcome's canonical form has {what}"));
    let outcome = outcome.as_object().ok_or_else(|| refuse("fields; it is an object"))?;
    let payload = outcome.get("event").and_then(Value::as_object).ok_or_else(|| refuse("an `event`"))?;
    let name = payload.get("event_type").and_then(Value::as_str).unwrap_or_default();
    let built_in = BUILT_IN.iter().find(|known| known.name == name);
    let Some(event) = built_in.map(|known| known.name) else {
        let why = format!("{} has no event `{name}`, so no hook of it could answer", dialect.name());
        return Err(Error::new(Code::InvalidWireEvent, why));
    };
    let mut came: Map<String, Value> = payload.clone();
    if let Some(original) = outcome.get("original").and_then(Value::as_object) {
        came.extend(original.clone());
    }
    let event = WireEvent { event, payload: came };
    let passed_over = passed_over(outcome);
    if passed_over.is_empty() {
        return Ok(dialect.outcome_to_wire(&Decided { event: &event, outcome, payload }));
    }
    let told = with_messages(outcome, &passed_over);
    let mut answer = dialect.outcome_to_wire(&Decided { event: &event, outcome: &told, payload });
    // With another code the agent takes what stands there for the reason of a refusal.
    if answer.exit_code == 0 {
        let said = answer.stderr.lines().map(str::to_owned).collect::<Vec<_>>();
        answer.stderr = said.into_iter().chain(passed_over).collect::<Vec<_>>().join("\n");
    }
    Ok(answer)
}

/// The hooks that failed and let the action go on: at home the agent would show each of them to its user.
fn passed_over(outcome: &Map<String, Value>) -> Vec<String> {
    let trace = outcome.get("trace").and_then(Value::as_array).into_iter().flatten();
    trace
        .filter_map(|entry| {
            let failure = entry.get("failure").filter(|failure| failure.get("became") == Some(&json!("continue")))?;
            let text = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            Some(format!("the hook {} failed and was passed over: {}", text(entry, "hook"), text(failure, "message")))
        })
        .collect()
}

/// The outcome with further messages for the user.
fn with_messages(outcome: &Map<String, Value>, texts: &[String]) -> Map<String, Value> {
    let mut outcome = outcome.clone();
    let told = texts.iter().map(|text| json!({"hook": null, "text": text, "level": "warning"}));
    match outcome.get_mut("messages").and_then(Value::as_array_mut) {
        Some(messages) => messages.extend(told),
        None => _ = outcome.insert("messages".to_owned(), told.collect()),
    }
    outcome
}
