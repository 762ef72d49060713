//! Cocode's hooks: the context as JSON, three results, and a failure that is a rejection.

mod decode;
mod encode;
mod events;
mod wire;

use std::time::Duration;

use serde_json::Value;

use super::{
    CommandOutput, Dialect, Encoded, Invocation, OutcomeView, Placement, RunKind, WebResponse, WireAnswer, WireEvent,
    canonical,
};
use events::{EVENTS, tool_matcher};
use hookweave_machine::dispatch::{HandlerResult, HookFailure};
use hookweave_machine::error::Error;
use hookweave_machine::matcher::MatcherSpec;

pub use decode::{input_field, nothing_to_change};

const NAME: &str = "cocode";

/// The hooks of Cocode; two settings of a command hook decide what it reads and whether its output is read.
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
        encode::encode(invocation, self.pass_context)
    }

    fn may_refuse(&self, _invocation: &Invocation) -> bool {
        self.parse_result
    }

    fn decode(&self, invocation: &Invocation, exited: &CommandOutput) -> HandlerResult<Value> {
        decode::decode(invocation, exited, self.parse_result)
    }

    fn decode_web(&self, invocation: &Invocation, answer: &WebResponse) -> HandlerResult<Value> {
        decode::decode_web(invocation, answer)
    }

    fn broken(&self, _invocation: &Invocation, failure: HookFailure<Value>) -> HandlerResult<Value> {
        decode::broken(failure)
    }

    fn event_from_wire(&self, wire: &Value) -> Result<WireEvent, Error> {
        wire::event(wire)
    }

    fn outcome_to_wire(&self, outcome: &OutcomeView<'_>) -> WireAnswer {
        wire::answer(outcome)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;
    use hookweave_machine::dispatch::FailureKind;
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
        let exited = CommandOutput { code: Some(code), signal: None, stdout: stdout.into(), stderr: b"bad".to_vec() };
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
            let result = COCODE.broken(&invocation(), HookFailure::new(kind, "it broke"));
            assert_eq!(matches!(result, HandlerResult::Answer(_)), rejects, "{kind}");
        }
    }
}
