//! Amplifier's hooks: functions of a program, whose events and results travel as JSON.

mod data;

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::canonical::{self, Expressible};
use super::output::{self, Json};
use super::{Dialect, Encoded, Exited, Invocation, OutcomeView, Placement, RunKind, WireAnswer, WireEvent};
use hookweave_machine::action::Action;
use hookweave_machine::dispatch::HandlerResult;
use hookweave_machine::error::Error;
use hookweave_machine::matcher::MatcherSpec;

const NAME: &str = "amplifier";

/// How many fields that an event lacks are named in the trace.
const MOST_NOTES: usize = 10;

/// Choices that a person has when a hook names none.
const OPTIONS: &[&str] = &["Allow once", "Deny"];

const EXPRESSIBLE: Expressible = Expressible {
    name: "Amplifier",
    ask: true,
    retry: false,
    modified: &[
        "args",
        "result",
        "prompt",
        "system_prompt",
        "tools",
        "response",
        "custom_instructions",
        "text",
        "suggestions",
    ],
};

/// The hooks of Amplifier.
#[derive(Debug)]
pub struct Amplifier;

/// The amplifier dialect.
pub static AMPLIFIER: Amplifier = Amplifier;

/// The parts of a result that stand beside its action.
struct HookResult {
    fields: Map<String, Value>,
    notes: Vec<String>,
}

impl HookResult {
    fn given(&self, name: &str) -> Option<&Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    /// A member as it was given, or its default.
    fn or(&self, name: &str, default: Value) -> Value {
        self.given(name).cloned().unwrap_or(default)
    }

    fn ask(&self) -> Value {
        let mut ask =
            Map::from_iter([("prompt".to_owned(), self.or("approval_prompt", json!("Allow this operation?")))]);
        let options = match self.given("approval_options") {
            // There every choice but "Deny" grants; here only known words do.
            Some(Value::Array(options)) => options
                .iter()
                .map(|option| if option == "Allow" { json!("Allow once") } else { option.clone() })
                .collect(),
            Some(other) => other.clone(),
            None => json!(OPTIONS),
        };
        ask.insert("options".to_owned(), options);
        let timeout = match self.given("approval_timeout") {
            Some(seconds) => seconds.as_f64().map_or_else(|| seconds.clone(), |seconds| json!(seconds * 1000.0)),
            None => json!(300_000),
        };
        ask.insert("timeout_ms".to_owned(), timeout);
        ask.insert("default".to_owned(), self.or("approval_default", json!("deny")));
        Value::Object(ask)
    }

    /// What of the event the data replaces; changing what hooks may not change is no change that could be made.
    fn modified(&mut self, invocation: &Invocation) -> Result<Map<String, Value>, String> {
        let event = invocation.event.name();
        let Some(Value::Object(given)) = self.given("data").cloned() else {
            self.notes.push("a `modify` without data changes nothing".to_owned());
            return Ok(Map::new());
        };
        let sent = data::data(event, &invocation.payload);
        let mut modified = Map::new();
        for (key, value) in given {
            if sent.get(&key) == Some(&value) || matches!(key.as_str(), "timestamp" | "success" | "duration_ms") {
                continue;
            }
            match invocation.event.modifiable().iter().find(|field| data::key(event, &field.name) == key) {
                Some(field) => _ = modified.insert(field.name.clone(), value),
                None if sent.contains_key(&key) => {
                    return Err(format!("`data.{}` may not be modified on {event}", output::shown(&key)));
                }
                None if self.notes.len() >= MOST_NOTES => {}
                None => {
                    self.notes.push(format!("`data.{}` is no field of {event} and was skipped", output::shown(&key)));
                }
            }
        }
        Ok(modified)
    }
}

/// A result in the engine's words.
fn answer(invocation: &Invocation, fields: Map<String, Value>) -> HandlerResult<Value> {
    if !fields.contains_key("action") && canonical::restricts(invocation, &Value::Object(fields.clone())) {
        let what = "it has no `action`, and says no in the words of another system".to_owned();
        return canonical::invalid_answer(what, true);
    }
    let mut result = HookResult { fields, notes: Vec::new() };
    let mut answer = Map::new();
    let mut put = |name: &str, value: Value| _ = answer.insert(name.to_owned(), value);
    match result.or("action", json!("continue")).as_str() {
        Some("continue") => {}
        Some("deny") => {
            put("action", json!("block"));
            put("reason", result.or("reason", json!("a hook denied it")));
        }
        Some("modify") => match result.modified(invocation) {
            Ok(modified) if modified.is_empty() => {}
            Ok(modified) => put("modified", Value::Object(modified)),
            Err(why) => return canonical::invalid_answer(why, true),
        },
        Some("inject_context") => match result.given("context_injection").cloned() {
            Some(content) => {
                let role = result.or("context_injection_role", json!("system"));
                put(
                    "inject",
                    json!([{"content": content, "role": role, "ephemeral": result.or("ephemeral", json!(false))}]),
                );
            }
            None => result.notes.push("an `inject_context` without text injects nothing".to_owned()),
        },
        Some("ask_user") => {
            put("action", json!("ask"));
            put("ask", result.ask());
        }
        _ => {
            let action = result.or("action", Value::Null);
            let restricts = canonical::restricts(invocation, &json!({"action": action}));
            let what = format!(
                "unknown action {}; known are continue, deny, modify, inject_context, ask_user",
                output::shown(&action.to_string())
            );
            return canonical::invalid_answer(what, restricts);
        }
    }
    if let Some(reason) = result.given("reason").cloned() {
        put("reason", reason);
    }
    if let Some(text) = result.given("user_message").cloned() {
        put("message", json!([{"text": text, "level": result.or("user_message_level", json!("info"))}]));
    }
    if result.given("suppress_output").is_some_and(|flag| *flag != json!(false)) {
        put("suppress_output", result.or("suppress_output", json!(false)));
    }
    if !result.notes.is_empty() {
        put("ext", json!({NAME: {"notes": result.notes}}));
    }
    canonical::checked(invocation, answer)
}

impl Dialect for Amplifier {
    fn name(&self) -> &'static str {
        NAME
    }

    fn parallel(&self) -> bool {
        false
    }

    fn place(&self, declared_event: &str, matcher: Option<&str>) -> Option<Result<Placement, String>> {
        let event = data::event(declared_event)?;
        Some(match matcher {
            None => Ok(Placement { event, matcher: MatcherSpec::default() }),
            Some(_) => Err("Amplifier's hooks have no matchers; look at the event's data in the hook".to_owned()),
        })
    }

    fn events(&self) -> Vec<&'static str> {
        data::EVENTS.iter().map(|(name, _)| *name).collect()
    }

    fn timeout(&self, _declared_event: &str, _kind: RunKind) -> Option<Duration> {
        None
    }

    fn encode(&self, invocation: &Invocation) -> Encoded {
        let event = invocation.event.name();
        let name = data::event(&invocation.declared_event)
            .map_or_else(|| data::event_name(event).unwrap_or(event), |_| invocation.declared_event.as_str());
        let body = json!({"event": name, "data": data::data(event, &invocation.payload)});
        Encoded { body, env: Vec::new(), env_file: None }
    }

    fn is_idle(&self, _invocation: &Invocation, field: &str, value: &Value) -> bool {
        // What of the data is a change has been looked at key by key.
        field == "action" && value == "modify"
    }

    fn decode(&self, invocation: &Invocation, exited: &Exited) -> HandlerResult<Value> {
        if exited.code != Some(0) {
            return canonical::exited(exited);
        }
        let text = output::text(&exited.stdout);
        match output::parse(&text) {
            _ if text.is_empty() => HandlerResult::Nothing,
            Json::Object(fields) => answer(invocation, fields),
            _ => {
                let what = format!("a result is a JSON object or nothing, not `{}`", output::first_line(&text));
                canonical::invalid_answer(what, canonical::text_restricts(invocation, &text))
            }
        }
    }

    fn event_from_wire(&self, wire: &Value) -> Result<WireEvent, Error> {
        data::from_wire(wire)
    }

    fn outcome_to_wire(&self, outcome: &OutcomeView<'_>) -> WireAnswer {
        let mut answer = WireAnswer::default();
        let mut refusal = canonical::refusal(outcome, &mut answer, EXPRESSIBLE);
        let is_modified = !outcome.modified.is_empty();
        if refusal.is_none() && outcome.decision == Action::Ask && is_modified {
            answer.degrade("modified: Amplifier takes a question or a change, not both; it is a block");
            let question = canonical::question(outcome);
            refusal = Some(format!("a changed event needs approval and cannot be asked about: {question}"));
        }
        let mut result = Map::new();
        let mut put = |name: &str, value: Value| _ = result.insert(name.to_owned(), value);
        let mut injects = false;
        if let Some(reason) = refusal {
            put("action", json!("deny"));
            put("reason", json!(reason));
        } else if outcome.decision == Action::Ask {
            let ask = canonical::one_ask(outcome, &mut answer);
            put("action", json!("ask_user"));
            for (ours, theirs) in
                [("prompt", "approval_prompt"), ("options", "approval_options"), ("default", "approval_default")]
            {
                ask.get(ours).into_iter().for_each(|value| put(theirs, value.clone()));
            }
            if let Some(milliseconds) = ask.get("timeout_ms").and_then(Value::as_f64) {
                put("approval_timeout", json!(milliseconds / 1000.0));
            }
        } else if is_modified {
            put("action", json!("modify"));
            put("data", Value::Object(data::data(outcome.event.event, outcome.payload)));
        } else if let Some(context) = outcome.context_text() {
            injects = true;
            put("action", json!("inject_context"));
            put("context_injection", json!(context));
            let injections = &outcome.injections;
            let first = injections.first().map(|first| first.role);
            let role = first.filter(|first| injections.iter().all(|injection| injection.role == *first));
            put("context_injection_role", json!(role.unwrap_or("system")));
            put("ephemeral", json!(injections.iter().all(|injection| injection.ephemeral)));
        } else {
            if outcome.decision == Action::Allow {
                answer.degrade("allow: Amplifier's hooks cannot grant; the action continues");
            }
            put("action", json!("continue"));
        }
        if !injects && outcome.context_text().is_some() {
            answer.degrade("injections: Amplifier takes one action, and a stronger one was needed; they are left out");
        }
        if let Some(text) = outcome.messages_text() {
            let has = |level: &&str| outcome.messages.iter().any(|message| message.level == *level);
            let level = ["error", "warning"].into_iter().find(has).unwrap_or("info");
            put("user_message", json!(text));
            put("user_message_level", json!(level));
        }
        if outcome.suppress_output {
            put("suppress_output", json!(true));
        }
        answer.with_output(result)
    }
}
