//! The engine's own wire: the canonical event on standard input, the canonical answer on standard output.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::hosted::{self, HostedVerdict};
use super::output::{self, Json};
use super::{
    Dialect, Encoded, Exited, Invocation, OutcomeView, Placement, RunKind, WebAnswer, WireAnswer, WireEvent, canonical,
    draft, incoming,
};
use hookweave_machine::action::Action;
use hookweave_machine::dispatch::{FailureKind, HandlerResult};
use hookweave_machine::error::Error;
use hookweave_machine::event::{BUILT_IN, COMMON_FIELDS};
use hookweave_machine::matcher::MatcherSpec;
use hookweave_machine::pattern::Names;
use hookweave_machine::payload::Host;

/// The version of the wire; a reader refuses every other.
pub const VERSION: u64 = 1;

const NAME: &str = "native";

/// The format for new hooks.
#[derive(Debug)]
pub struct Hookweave;

/// Our own dialect, `native` in settings.
pub static HOOKWEAVE: Hookweave = Hookweave;

/// Takes the version off an object.
fn without_version(mut fields: Map<String, Value>) -> Result<Map<String, Value>, String> {
    match fields.shift_remove("hookweave") {
        Some(version) if version.as_u64() == Some(VERSION) => Ok(fields),
        None => Err("`hookweave` is missing; it names the version of the format".to_owned()),
        Some(other) => Err(format!("`hookweave` is {other}; this engine knows version {VERSION} only")),
    }
}

/// Reads an answer as strictly as the engine reads that of a callback.
fn read_answer(invocation: &Invocation, text: &str) -> HandlerResult<Value> {
    let text = output::trim(text);
    if text.is_empty() {
        return HandlerResult::Nothing;
    }
    match output::parse(text) {
        Json::Object(fields) if !fields.contains_key("hookweave") => canonical::checked(invocation, fields),
        Json::Object(fields) => {
            let mut rest = fields.clone();
            rest.shift_remove("hookweave");
            match without_version(fields) {
                Ok(answer) => canonical::checked(invocation, answer),
                Err(why) => canonical::invalid_answer(why, canonical::restricts(invocation, &Value::Object(rest))),
            }
        }
        _ => {
            let what = format!("an answer is a JSON object or nothing, not `{}`", output::first_line(text));
            canonical::invalid_answer(what, canonical::text_restricts(invocation, text))
        }
    }
}

impl Dialect for Hookweave {
    fn name(&self) -> &'static str {
        NAME
    }

    fn parallel(&self) -> bool {
        false
    }

    fn place(&self, declared_event: &str, matcher: Option<&str>) -> Option<Result<Placement, String>> {
        let known = canonical::built_in(declared_event)?;
        let has_tool = known.fields.iter().any(|field| field.name == "tool");
        if let Err(why) = Names::new(matcher.unwrap_or_default()) {
            return Some(Err(format!("matcher {why}")));
        }
        let matcher = match matcher.map(str::trim) {
            None | Some("" | "*") => MatcherSpec::default(),
            Some(names) if has_tool => MatcherSpec { tool: Some(names.to_owned()), ..MatcherSpec::default() },
            Some(names) if known.subtype.is_some() => {
                MatcherSpec { source: Some(names.to_owned()), ..MatcherSpec::default() }
            }
            Some(names) => {
                let why = "the event has neither a tool nor a subtype; take the matcher out";
                return Some(Err(format!("`{names}` cannot apply to {}: {why}", known.name)));
            }
        };
        Some(Ok(Placement { event: known.name, matcher }))
    }

    fn events(&self) -> Vec<&'static str> {
        BUILT_IN.iter().map(|event| event.name).collect()
    }

    fn timeout(&self, _declared_event: &str, kind: RunKind) -> Option<Duration> {
        Some(Duration::from_secs(match kind {
            RunKind::Webhook | RunKind::Prompt => 30,
            RunKind::Command | RunKind::McpTool | RunKind::Agent => 60,
        }))
    }

    fn has(&self, _kind: RunKind) -> bool {
        true
    }

    fn encode(&self, invocation: &Invocation) -> Encoded {
        let name = invocation.event.name();
        let mut body =
            Map::from_iter([("hookweave".to_owned(), json!(VERSION)), ("event_type".to_owned(), json!(name))]);
        // What a payload holds under the name of the version is not the version.
        body.extend(invocation.payload.iter().filter(|(field, _)| *field != "hookweave").map(own));
        let env = canonical::variables([
            ("HOOKWEAVE_EVENT", Some(name)),
            ("HOOKWEAVE_SESSION_ID", invocation.text("session_id")),
            ("HOOKWEAVE_TOOL", invocation.text("tool")),
            ("HOOKWEAVE_PROJECT_DIR", invocation.project_dir.as_deref().and_then(|path| path.to_str())),
        ]);
        Encoded { body: Value::Object(body), env, env_file: None }
    }

    fn decode(&self, invocation: &Invocation, exited: &Exited) -> HandlerResult<Value> {
        match exited.code {
            Some(0) => read_answer(invocation, &output::text(&exited.stdout)),
            Some(2) => canonical::block(exited),
            _ => canonical::exited(exited),
        }
    }

    fn decode_web(&self, invocation: &Invocation, answer: &WebAnswer) -> HandlerResult<Value> {
        let body = output::text(&answer.body);
        if (200..300).contains(&answer.status) {
            return read_answer(invocation, &body);
        }
        let line = output::first_line(&body);
        let what = format!("status {}{}{line}", answer.status, if line.is_empty() { "" } else { ": " });
        draft::failed(FailureKind::Unreachable, what)
    }

    fn decode_hosted(&self, invocation: &Invocation, kind: RunKind, answer: &Value) -> HandlerResult<Value> {
        if kind == RunKind::McpTool {
            return hosted::tool_text(answer).map_or_else(|failure| failure, |text| read_answer(invocation, &text));
        }
        match hosted::verdict(answer) {
            Ok(HostedVerdict::Passes) => HandlerResult::Nothing,
            Ok(HostedVerdict::Refuses { reason, .. }) => {
                let mut draft = draft::Draft::new(NAME, invocation);
                let ends_the_turn = kind == RunKind::Prompt && invocation.event.may_have("tool");
                draft.decide(if ends_the_turn { "stop" } else { "block" }, reason);
                draft.into_result()
            }
            Err(failure) => failure,
        }
    }

    fn event_from_wire(&self, wire: &Value) -> Result<WireEvent, Error> {
        let refuse = |why: String| Err(incoming::refuse(NAME, why));
        let Value::Object(fields) = wire else {
            return refuse(format!("must be an object, is {}", output::kind(wire)));
        };
        let mut payload = without_version(fields.clone()).map_err(|why| incoming::refuse(NAME, why))?;
        let name = payload.get("event_type").and_then(Value::as_str);
        let Some(known) = name.and_then(canonical::built_in) else {
            return refuse(format!(
                "`event_type` must name an event of the catalogue, not `{}`",
                output::shown(name.unwrap_or_default())
            ));
        };
        for field in known.fields.iter().chain(COMMON_FIELDS) {
            let given = payload.get(field.name).filter(|value| !value.is_null());
            if let Some(value) = given.filter(|value| !field.kind.accepts(&hookweave_machine::json::Json.kind(value))) {
                let (name, wanted) = (field.name, field.kind.as_str());
                return refuse(format!("`{name}` must be of type {wanted}, is {}", output::kind(value)));
            }
        }
        payload.insert("event_type".to_owned(), json!(known.name));
        Ok(WireEvent { event: known.name, payload })
    }

    fn outcome_to_wire(&self, outcome: &OutcomeView<'_>) -> WireAnswer {
        let mut answer = WireAnswer::default();
        let mut output = Map::new();
        let mut put = |name: &str, value: Value| _ = output.insert(name.to_owned(), value);
        if outcome.decision != Action::Continue {
            put("action", json!(outcome.decision));
        }
        if let Some(reason) = &outcome.reason {
            put("reason", json!(reason));
        }
        let modified: Map<String, Value> = canonical::modified(outcome).into_iter().map(own).collect();
        if !modified.is_empty() {
            put("modified", Value::Object(modified));
        }
        if !outcome.injections.is_empty() {
            put("inject", json!(outcome.injections));
        }
        if !outcome.messages.is_empty() {
            put("message", json!(outcome.messages));
        }
        if outcome.decision == Action::Ask {
            put("ask", Value::Object(canonical::one_ask(outcome, &mut answer)));
        }
        if outcome.decision == Action::Retry && outcome.delay_ms > 0 {
            put("delay_ms", json!(outcome.delay_ms));
        }
        if outcome.suppress_output {
            put("suppress_output", json!(true));
        }
        if !outcome.ext.is_empty() {
            put("ext", Value::Object(outcome.ext.clone()));
        }
        answer.with_output(output)
    }
}

fn own((name, value): (impl AsRef<str>, &Value)) -> (String, Value) {
    (name.as_ref().to_owned(), value.clone())
}
