//! Cocode's hooks: the context as JSON, three results, and a failure that is a rejection.

mod result;

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::canonical::{self, Expressible};
use super::incoming::{self, Incoming};
use super::output;
use super::{Dialect, Encoded, Exited, Invocation, OutcomeView, Placement, RunKind, WebAnswer, WireAnswer, WireEvent};
use hookweave_machine::action::Action;
use hookweave_machine::dispatch::{Failure, FailureKind, HandlerResult};
use hookweave_machine::error::Error;
use hookweave_machine::matcher::MatcherSpec;

use result::read_answer;
pub use result::{input_field, nothing_to_change};

const NAME: &str = "cocode";

/// Cocode's event names with the engine's.
const EVENTS: &[(&str, &str)] = &[
    ("PreToolUse", "PreToolUse"),
    ("PostToolUse", "PostToolUse"),
    ("PostToolUseFailure", "PostToolUseFailure"),
    ("PrePromptSubmit", "UserPromptSubmit"),
    ("PostUserMessage", "PostUserMessage"),
    ("SessionStart", "SessionStart"),
    ("SessionEnd", "SessionEnd"),
    ("SubagentStart", "SubagentStart"),
    ("SubagentStop", "SubagentStop"),
    ("PreCompact", "PreCompact"),
    ("NotificationEvent", "Notification"),
    ("StatusLine", "StatusLine"),
    ("FileSuggestion", "FileSuggestion"),
];

/// The context's fields with those of the engine's payloads.
const FIELDS: &[(&str, &str)] = &[
    ("tool_name", "tool"),
    ("tool_input", "args"),
    ("tool_output", "result"),
    ("error", "error"),
    ("user_prompt", "prompt"),
    ("session_id", "session_id"),
    ("agent_id", "agent_id"),
    ("cwd", "cwd"),
];

const EXPRESSIBLE: Expressible =
    Expressible { name: "Cocode", ask: false, retry: false, modified: &["args", "prompt"] };

/// The hooks of Cocode; two settings of a command hook decide what it reads and whether anybody reads it.
#[derive(Debug)]
pub struct Cocode {
    pass_context: bool,
    parse_result: bool,
}

/// The cocode dialect, for hooks that read the context and whose output is read.
pub static COCODE: Cocode = Cocode { pass_context: true, parse_result: true };
static UNREAD: Cocode = Cocode { pass_context: true, parse_result: false };
static BLIND: Cocode = Cocode { pass_context: false, parse_result: true };
static NEITHER: Cocode = Cocode { pass_context: false, parse_result: false };

/// The dialect of a command hook with these settings.
#[must_use]
pub const fn variant(pass_context: bool, parse_result: bool) -> &'static dyn Dialect {
    match (pass_context, parse_result) {
        (true, true) => &COCODE,
        (true, false) => &UNREAD,
        (false, true) => &BLIND,
        (false, false) => &NEITHER,
    }
}

/// A tool's name by its beginning, or the whole name.
fn tool_matcher(matcher: &str) -> Result<MatcherSpec, String> {
    if matcher.is_empty() {
        return Err("`tool_matcher` is empty and matches no tool; leave it out, or write `*`, to match all".to_owned());
    }
    let (name, prefix) = matcher.strip_suffix('*').map_or((matcher, false), |name| (name, true));
    if prefix && name.is_empty() {
        return Ok(MatcherSpec::default());
    }
    if name.chars().all(|letter| letter.is_alphanumeric() || "_-:/.".contains(letter)) {
        return Ok(MatcherSpec { tool: Some(matcher.to_owned()), ..MatcherSpec::default() });
    }
    let end = if prefix { "" } else { "$" };
    let pattern = format!("^{}{end}", regex::escape(name));
    Ok(MatcherSpec { tool_pattern: Some(pattern), ..MatcherSpec::default() })
}

impl Dialect for Cocode {
    fn name(&self) -> &'static str {
        NAME
    }

    fn parallel(&self) -> bool {
        false
    }

    fn place(&self, declared_event: &str, matcher: Option<&str>) -> Option<Result<Placement, String>> {
        let (_, event) = EVENTS.iter().copied().find(|(name, _)| *name == declared_event)?;
        let has_tool = canonical::built_in(event)?.fields.iter().any(|field| field.name == "tool");
        let spec = match matcher {
            Some(matcher) if has_tool => tool_matcher(matcher),
            // At home a matcher is not looked at when the event has no tool.
            _ => Ok(MatcherSpec::default()),
        };
        Some(spec.map(|matcher| Placement { event, matcher }))
    }

    fn events(&self) -> Vec<&'static str> {
        EVENTS.iter().map(|(name, _)| *name).collect()
    }

    fn timeout(&self, _declared_event: &str, kind: RunKind) -> Option<Duration> {
        Some(Duration::from_secs(if kind == RunKind::Webhook { 30 } else { 600 }))
    }

    fn has(&self, kind: RunKind) -> bool {
        matches!(kind, RunKind::Command | RunKind::Webhook)
    }

    fn encode(&self, invocation: &Invocation) -> Encoded {
        let event = EVENTS.iter().find(|(_, event)| *event == invocation.event.name()).map_or("", |(name, _)| *name);
        let env = canonical::variables([
            ("HOOK_EVENT", Some(event)),
            ("HOOK_TOOL_NAME", invocation.text("tool")),
            ("HOOK_SESSION_ID", invocation.text("session_id")),
        ]);
        if !self.pass_context {
            return Encoded { body: Value::Null, env, env_file: None };
        }
        let mut body = Map::from_iter([("event".to_owned(), json!(event))]);
        for (theirs, ours) in FIELDS {
            let value = match (*ours, invocation.field(ours)) {
                ("error", Some(Value::String(text))) => json!(text),
                ("error", Some(other)) => other.get("message").cloned().unwrap_or_else(|| json!(other.to_string())),
                (_, value) => value.cloned().unwrap_or_default(),
            };
            body.insert((*theirs).to_owned(), value);
        }
        // Never the environment of the agent: only what the host has set aside for its hooks.
        let context_env = invocation.own(NAME, "env").filter(|env| env.is_object()).cloned();
        body.insert("env".to_owned(), context_env.unwrap_or_else(|| json!({})));
        Encoded { body: Value::Object(body), env, env_file: None }
    }

    fn may_refuse(&self, _invocation: &Invocation) -> bool {
        self.parse_result
    }

    fn decode(&self, invocation: &Invocation, exited: &Exited) -> HandlerResult<Value> {
        match exited.code {
            Some(0) if self.parse_result => read_answer(invocation, &output::text(&exited.stdout)),
            Some(0) => HandlerResult::Nothing,
            _ => canonical::block(exited),
        }
    }

    fn decode_web(&self, invocation: &Invocation, answer: &WebAnswer) -> HandlerResult<Value> {
        if (200..300).contains(&answer.status) {
            return read_answer(invocation, &output::text(&answer.body));
        }
        let line = output::first_line(&output::text(&answer.body));
        let reason = format!(
            "the webhook answered with status {}{}{line}",
            answer.status,
            if line.is_empty() { "" } else { ": " }
        );
        HandlerResult::Answer(json!({"action": "block", "reason": reason}))
    }

    fn broken(&self, _invocation: &Invocation, failure: Failure<Value>) -> HandlerResult<Value> {
        match failure.kind {
            FailureKind::Timeout | FailureKind::Cancelled | FailureKind::DetachedLimit => {
                HandlerResult::Failed(failure)
            }
            _ => HandlerResult::Answer(json!({"action": "block", "reason": failure.message})),
        }
    }

    fn event_from_wire(&self, wire: &Value) -> Result<WireEvent, Error> {
        let mut wire = Incoming::new(NAME, wire)?;
        let name = wire.take_text("event").unwrap_or_default();
        let Some((_, event)) = EVENTS.iter().copied().find(|(theirs, _)| *theirs == name) else {
            return Err(incoming::refuse(NAME, format!("there is no event `{}`", output::shown(&name))));
        };
        for (theirs, ours) in FIELDS {
            let Some(value) = wire.take(theirs) else { continue };
            match (*ours, value) {
                ("args", value) if !value.is_object() => {
                    let why = format!("`tool_input` must be an object, is {}", output::kind(&value));
                    return Err(incoming::refuse(NAME, why));
                }
                ("result", value) if !value.is_object() => wire.put("result", json!({"output": value})),
                (ours, value) => wire.put(ours, value),
            }
        }
        wire.forget("env", &json!({}));
        Ok(wire.event(event))
    }

    fn outcome_to_wire(&self, outcome: &OutcomeView<'_>) -> WireAnswer {
        let mut answer = WireAnswer::default();
        let refusal = canonical::refusal(outcome, &mut answer, EXPRESSIBLE);
        canonical::leave_out(outcome, &mut answer, EXPRESSIBLE);
        if let Some(reason) = refusal {
            // Any failure is a rejection, also for a hook whose output is not read.
            return WireAnswer { exit_code: 2, stderr: reason, ..answer };
        }
        if outcome.decision == Action::Allow {
            answer.degrade("allow: Cocode's format cannot express it; the action continues");
        }
        let input = EXPRESSIBLE.modified.iter().find_map(|field| outcome.changed(field));
        let stdout = match input {
            Some(input) => json!({"ModifyInput": {"new_input": input}}).to_string(),
            None => json!("Continue").to_string(),
        };
        WireAnswer { stdout, ..answer }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookweave_machine::options::Options;
    use hookweave_machine::registry::Registry;

    fn invocation() -> Invocation {
        let registry: Registry<()> = Registry::new(Options::default());
        Invocation {
            event: registry.resolve("PreToolUse").unwrap(),
            declared_event: "PreToolUse".to_owned(),
            payload: Map::from_iter([("tool".to_owned(), json!("Bash")), ("args".to_owned(), json!({}))]),
            tool: None,
            project_dir: None,
            empty_transcript: None,
            depth: 0,
        }
    }

    fn says(dialect: &dyn Dialect, code: i32, stdout: &str) -> Option<Value> {
        let exited = Exited { code: Some(code), signal: None, stdout: stdout.into(), stderr: b"bad".to_vec() };
        match dialect.decode(&invocation(), &exited) {
            HandlerResult::Answer(answer) => Some(answer),
            _ => None,
        }
    }

    #[test]
    fn the_hooks_own_settings_say_what_it_reads_and_whether_it_is_read() {
        let reject = r#"{"Reject":{"reason":"no"}}"#;
        for pass_context in [true, false] {
            for parse_result in [true, false] {
                let dialect = variant(pass_context, parse_result);
                assert_eq!(dialect.name(), NAME);
                let encoded = dialect.encode(&invocation());
                assert_eq!(encoded.body.is_null(), !pass_context);
                assert!(encoded.env.contains(&("HOOK_TOOL_NAME".to_owned(), "Bash".to_owned())));
                let block = |reason: &str| Some(json!({"action": "block", "reason": reason}));
                assert_eq!(says(dialect, 0, reject), block("no").filter(|_| parse_result));
                assert_eq!(says(dialect, 1, reject), block("bad"), "a failing command rejects in any case");
            }
        }
    }

    #[test]
    fn only_a_hook_that_takes_too_long_is_passed_over() {
        for (kind, rejects) in [
            (FailureKind::Timeout, false),
            (FailureKind::Cancelled, false),
            (FailureKind::NotStarted, true),
            (FailureKind::Unreachable, true),
            (FailureKind::Exited, true),
        ] {
            let said = COCODE.broken(&invocation(), Failure::new(kind, "it broke"));
            assert_eq!(matches!(said, HandlerResult::Answer(_)), rejects, "{kind}");
        }
    }
}
