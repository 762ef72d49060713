//! A3S's hooks: functions of a program, whose events and responses travel as JSON in camelCase.

use std::borrow::Cow;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::canonical::{self, Expressible};
use super::output::{self, Json};
use super::{
    Dialect, Encoded, Exited, Invocation, OutcomeView, Placement, RunKind, WireAnswer, WireEvent, incoming, matching,
};
use hookweave_machine::action::Action;
use hookweave_machine::dispatch::HandlerResult;
use hookweave_machine::error::Error;
use hookweave_machine::event::{BuiltIn, COMMON_FIELDS, FieldKind};
use hookweave_machine::matcher::MatcherSpec;
use hookweave_machine::payload::Spelling;

const NAME: &str = "a3s";

/// A3S's event names with the engine's.
const EVENTS: &[(&str, &str)] = &[
    ("SessionStart", "SessionStart"),
    ("SessionEnd", "SessionEnd"),
    ("GenerateStart", "GenerateStart"),
    ("GenerateEnd", "GenerateEnd"),
    ("PreToolUse", "PreToolUse"),
    ("PostToolUse", "PostToolUse"),
    ("ToolError", "PostToolUseFailure"),
    ("PermissionRequest", "PermissionRequest"),
    ("PermissionGranted", "PermissionGranted"),
    ("PermissionDenied", "PermissionDenied"),
    ("PreCompact", "PreCompact"),
    ("PostCompact", "PostCompact"),
    ("ContextWarning", "ContextWarning"),
];

/// The actions by their words, by the names of the protocol's enum, and by its numbers.
const ACTIONS: &[(&str, &str, u64)] =
    &[("continue", "CONTINUE", 0), ("block", "BLOCK", 1), ("retry", "RETRY", 2), ("skip", "SKIP", 3)];

const EXPRESSIBLE: Expressible = Expressible {
    name: "A3S",
    ask: false,
    retry: true,
    modified: &["args", "prompt", "system_prompt", "tools", "response", "result", "custom_instructions"],
};

/// The hooks of A3S.
#[derive(Debug)]
pub struct A3s;

/// The a3s dialect.
pub static A3S: A3s = A3s;

/// A field as A3S spells it: the names of the catalogue in camelCase, nothing that belongs to a tool or a user.
fn camel(known: &BuiltIn, field: &str, value: &Value) -> (String, Value) {
    respelled(known, field, Spelling::TypeScript.local(field), value, |name| Spelling::TypeScript.local(name))
}

/// A field as the engine spells it; both spellings are read.
fn snake(known: &BuiltIn, field: &str, value: &Value) -> (String, Value) {
    let name = Spelling::TypeScript.canonical(field);
    if !is_known(known, &name) {
        return (field.to_owned(), value.clone());
    }
    respelled(known, &name, Cow::Borrowed(&name), value, |name| Spelling::TypeScript.canonical(name))
}

fn is_known(known: &BuiltIn, field: &str) -> bool {
    known.fields.iter().chain(COMMON_FIELDS).any(|own| own.name == field)
}

fn respelled(
    known: &BuiltIn,
    field: &str,
    name: Cow<'_, str>,
    value: &Value,
    inner: impl Fn(&str) -> Cow<'_, str>,
) -> (String, Value) {
    let name = if is_known(known, field) { name.into_owned() } else { field.to_owned() };
    let is_record = known.fields.iter().any(|own| own.name == field && own.kind == FieldKind::Record);
    let value = match value {
        Value::Object(fields) if is_record => {
            fields.iter().map(|(name, value)| (inner(name).into_owned(), value.clone())).collect::<Map<_, _>>().into()
        }
        value => value.clone(),
    };
    (name, value)
}

/// A response in the engine's words; what A3S does not have is said in the engine's own.
fn answer(invocation: &Invocation, response: Map<String, Value>) -> HandlerResult<Value> {
    let mut answer = Map::new();
    let word = match response.get("action").filter(|action| !action.is_null()) {
        Some(action) => match word(action) {
            Some(word) => Some(word),
            None => return unknown(invocation, action, &response),
        },
        None => None,
    };
    for (name, value) in response {
        match (name.as_str(), word) {
            ("action", Some(word)) => {
                // A permission hook that answers "continue" has granted it.
                let grants = word == "continue" && invocation.event.name() == "PermissionRequest";
                answer.insert(name, json!(if grants { "allow" } else { word }));
            }
            ("delay", Some("retry")) => _ = answer.insert("delay_ms".to_owned(), value),
            // There a delay may stand beside every action, and waits for none but a retry.
            ("delay", Some(_)) => {}
            ("suppressOutput", _) => _ = answer.insert("suppress_output".to_owned(), value),
            ("modified", _) => _ = answer.insert(name, modified(invocation, value)),
            _ => _ = answer.insert(name, value),
        }
    }
    canonical::checked(invocation, answer)
}

/// What an action is called here; A3S's words, names and numbers, and the engine's own words.
fn word(action: &Value) -> Option<&'static str> {
    let theirs = ACTIONS.iter().find(|(word, name, number)| match action {
        Value::String(text) => word == text || name == text,
        other => other.as_u64() == Some(*number),
    });
    let ours = || Action::WORDS.iter().map(|(word, _)| *word).find(|word| action == word);
    theirs.map(|row| row.0).or_else(ours)
}

fn unknown(invocation: &Invocation, action: &Value, response: &Map<String, Value>) -> HandlerResult<Value> {
    let restricts = canonical::restricts(invocation, &Value::Object(response.clone()));
    let what = format!("unknown action {}; known are continue, block, retry, skip", output::shown(&action.to_string()));
    canonical::invalid_answer(what, restricts)
}

fn modified(invocation: &Invocation, value: Value) -> Value {
    match (value, invocation.event.built_in()) {
        (Value::Object(fields), Some(known)) => {
            Value::Object(fields.iter().map(|(name, value)| snake(known, name, value)).collect())
        }
        (value, _) => value,
    }
}

impl Dialect for A3s {
    fn name(&self) -> &'static str {
        NAME
    }

    fn parallel(&self) -> bool {
        true
    }

    fn place(&self, declared_event: &str, matcher: Option<&str>) -> Option<Result<Placement, String>> {
        let (_, event) = EVENTS.iter().copied().find(|(name, _)| *name == declared_event)?;
        let has_tool = canonical::built_in(event)?.fields.iter().any(|field| field.name == "tool");
        Some(match matcher {
            None => Ok(Placement { event, matcher: MatcherSpec::default() }),
            Some(tool) if !has_tool => {
                Err(format!("{declared_event} has no tool, so that `{tool}` never matches; take the matcher out"))
            }
            Some("") => Err("an empty tool name never matches; take the matcher out to match all".to_owned()),
            Some(tool) => {
                let exact = matching::literal(tool);
                Ok(Placement { event, matcher: MatcherSpec { tool_pattern: Some(exact), ..MatcherSpec::default() } })
            }
        })
    }

    fn events(&self) -> Vec<&'static str> {
        EVENTS.iter().map(|(name, _)| *name).collect()
    }

    fn timeout(&self, _declared_event: &str, _kind: RunKind) -> Option<Duration> {
        Some(Duration::from_secs(5))
    }

    fn encode(&self, invocation: &Invocation) -> Encoded {
        let name = invocation.event.name();
        let theirs = EVENTS.iter().find(|(_, event)| *event == name).map_or(name, |(theirs, _)| *theirs);
        let mut body = Map::from_iter([("eventType".to_owned(), json!(theirs))]);
        let known = invocation.event.built_in();
        for (field, value) in invocation.payload.iter().filter(|(field, _)| *field != "event_type") {
            let (field, value) =
                known.map_or_else(|| (field.clone(), value.clone()), |known| camel(known, field, value));
            body.entry(field).or_insert(value);
        }
        Encoded { body: Value::Object(body), env: Vec::new(), env_file: None }
    }

    fn decode(&self, invocation: &Invocation, exited: &Exited) -> HandlerResult<Value> {
        match exited.code {
            Some(0) => {}
            Some(2) => return canonical::block(exited),
            _ => return canonical::exited(exited),
        }
        let text = output::text(&exited.stdout);
        match output::parse(&text) {
            _ if text.is_empty() => HandlerResult::Nothing,
            Json::Object(response) => answer(invocation, response),
            _ => {
                let what = format!("a response is a JSON object or nothing, not `{}`", output::first_line(&text));
                canonical::invalid_answer(what, canonical::text_restricts(invocation, &text))
            }
        }
    }

    fn event_from_wire(&self, wire: &Value) -> Result<WireEvent, Error> {
        let refuse = |why: String| Err(incoming::refuse(NAME, why));
        let Value::Object(wire) = wire else { return refuse(format!("must be an object, is {}", output::kind(wire))) };
        let key = if wire.contains_key("event_type") { "event_type" } else { "eventType" };
        let name = wire.get(key).and_then(Value::as_str).unwrap_or_default();
        let event = EVENTS.iter().find(|(theirs, _)| *theirs == name).map(|(_, event)| *event);
        let Some(known) = event.and_then(canonical::built_in) else {
            return refuse(format!("there is no event `{}`", output::shown(name)));
        };
        let mut payload = Map::from_iter([("event_type".to_owned(), json!(known.name))]);
        for (field, value) in wire.iter().filter(|(field, _)| *field != key) {
            let (field, value) = snake(known, field, value);
            payload.entry(field).or_insert(value);
        }
        if payload.get("args").is_some_and(|args| !args.is_object()) {
            return refuse("`args` must be an object".to_owned());
        }
        Ok(WireEvent { event: known.name, payload })
    }

    fn outcome_to_wire(&self, outcome: &OutcomeView<'_>) -> WireAnswer {
        let mut answer = WireAnswer::default();
        let mut refusal = canonical::refusal(outcome, &mut answer, EXPRESSIBLE);
        canonical::leave_out(outcome, &mut answer, EXPRESSIBLE);
        let known = canonical::built_in(outcome.event.event);
        let respell = |(field, value)| known.map(|known| camel(known, field, value));
        let modified: Map<String, Value> = canonical::modified(outcome).into_iter().filter_map(respell).collect();
        let is_request = outcome.event.event == "PermissionRequest";
        if is_request && refusal.is_none() && outcome.decision == Action::Continue {
            // There a `continue` grants: a hook without an opinion must not answer at all.
            if modified.is_empty() {
                return answer;
            }
            answer.degrade("modified: A3S would take the changed arguments for granted; it is a block");
            refusal = Some("a hook changed the arguments, and they are not approved".to_owned());
        }
        let mut response = Map::new();
        let mut put = |name: &str, value: Value| _ = response.insert(name.to_owned(), value);
        if let Some(reason) = refusal {
            put("action", json!("block"));
            put("reason", json!(reason));
            return answer.with_output(response);
        }
        if outcome.decision == Action::Retry {
            put("action", json!("retry"));
            put("delay", json!(outcome.delay_ms));
        } else {
            put("action", json!("continue"));
        }
        if !modified.is_empty() {
            put("modified", Value::Object(modified));
        }
        if outcome.decision == Action::Allow && !is_request {
            answer.degrade("allow: A3S's format cannot express it; the action continues");
        }
        answer.with_output(response)
    }
}
