//! Claude Code: the wire contract that most hooks were written for.
//!
//! Other agents speak it with small differences; a [`Flavour`] says which, and [`described`](super::described) reads it from a file.

mod decode;
mod encode;
pub(super) mod events;
pub(super) mod flavour;
mod place;
mod wire;

use std::time::Duration;

use serde_json::Value;

use super::{
    CommandOutput, Dialect, Encoded, Inherits, Invocation, OutcomeView, Placement, RunKind, WebResponse, WireAnswer,
    WireEvent,
};
use hookweave_machine::dispatch::{HandlerResult, HookFailure};
use hookweave_machine::error::Error;

use flavour::{Flavour, Matchers, Timeouts};

/// The dialect's name.
pub(super) const NAME: &str = "claude-code";

/// Claude Code, or an agent that speaks its dialect with differences of its own.
#[derive(Debug)]
pub struct ClaudeCode {
    flavour: Flavour,
}

/// Claude Code.
pub static CLAUDE_CODE: ClaudeCode = ClaudeCode::new(Flavour {
    name: NAME,
    events: None,
    exit_two: &[],
    matchers: Matchers::ListsAndPatterns,
    input_merges: false,
    plain_is_context: &["UserPromptSubmit", "UserPromptExpansion", "SessionStart"],
    decisions: &[],
    needs_event_name: true,
    reads_stderr: false,
    mode: "default",
    renamed: &[],
    plain_result: false,
    prompt_in_parts: false,
    project_variables: &["CLAUDE_PROJECT_DIR"],
    inherits: Inherits::AllBut(&["OTEL_"]),
    timeouts: Timeouts {
        usual: Duration::from_secs(600),
        by_kind: &[(RunKind::Agent, Duration::from_secs(60)), (RunKind::Prompt, Duration::from_secs(30))],
        by_event: &[
            ("UserPromptSubmit", Duration::from_secs(30)),
            ("SessionEnd", Duration::from_millis(1500)),
            ("MessageDisplay", Duration::from_secs(10)),
        ],
    },
    asks: true,
    rewrites: true,
    refuses_by_decision: false,
    refuses_by_exit_code: false,
    continue_false_blocks: false,
    context_at_top: false,
});

impl ClaudeCode {
    pub(super) const fn new(flavour: Flavour) -> Self {
        Self { flavour }
    }
}

/// The project's directory; the working directory of a host that has none.
pub(super) fn project_dir(invocation: &Invocation) -> Option<String> {
    let project = invocation.project_dir.as_ref().map(|project| project.to_string_lossy().into_owned());
    project.or_else(|| invocation.text("cwd").map(str::to_owned))
}

/// Whether hooks cannot refuse an event: the administrator's settings changed.
fn is_beyond_hooks(invocation: &Invocation) -> bool {
    invocation.event.name() == "ConfigChange" && invocation.text("source") == Some("policy_settings")
}

impl Dialect for ClaudeCode {
    fn name(&self) -> &'static str {
        self.flavour.name
    }

    fn parallel(&self) -> bool {
        true
    }

    fn place(&self, declared_event: &str, matcher: Option<&str>) -> Option<Result<Placement, String>> {
        if declared_event == events::SKILL_LINE.name && self.flavour.name == NAME {
            let matcher = place::matcher(&self.flavour, &events::SKILL_LINE, matcher);
            let matcher = matcher.map(|matcher| matcher.when(events::IS_SKILL_LINE));
            return Some(matcher.map(|matcher| Placement { event: "PreToolUse", matcher }));
        }
        let known = self.flavour.known(declared_event)?;
        let matcher = place::matcher(&self.flavour, known, matcher);
        Some(matcher.map(|matcher| Placement { event: known.name, matcher }))
    }

    fn events(&self) -> Vec<&'static str> {
        self.flavour.names()
    }

    fn timeout(&self, declared_event: &str, kind: RunKind) -> Option<Duration> {
        Some(self.flavour.timeout(declared_event, kind))
    }

    fn inherits(&self) -> Inherits {
        self.flavour.inherits
    }

    fn has(&self, _kind: RunKind) -> bool {
        true
    }

    fn encode(&self, invocation: &Invocation) -> Encoded {
        encode::encode(&self.flavour, invocation)
    }

    fn may_refuse(&self, invocation: &Invocation) -> bool {
        !is_beyond_hooks(invocation)
    }

    fn is_idle(&self, invocation: &Invocation, field: &str, _value: &Value) -> bool {
        let Some(known) = events::asked(invocation.event.name(), &invocation.declared_event) else { return false };
        match field {
            "continue" => known.listens != events::Listens::Both,
            // Where a hook may refuse in other words, this is a refusal in the wrong ones.
            "decision" => !known.blocks && !matches!(known.name, "PermissionRequest" | "PreModelSwitch"),
            _ => false,
        }
    }

    fn decode(&self, invocation: &Invocation, exited: &CommandOutput) -> HandlerResult<Value> {
        decode::decode(&self.flavour, invocation, exited)
    }

    fn decode_web(&self, invocation: &Invocation, answer: &WebResponse) -> HandlerResult<Value> {
        decode::decode_web(&self.flavour, invocation, answer)
    }

    fn decode_hosted(&self, invocation: &Invocation, kind: RunKind, answer: &Value) -> HandlerResult<Value> {
        match decode::decode_hosted(&self.flavour, invocation, kind, answer) {
            HandlerResult::Failed(failure) => self.broken(invocation, failure),
            result => result,
        }
    }

    fn broken(&self, invocation: &Invocation, failure: HookFailure<Value>) -> HandlerResult<Value> {
        // Without a directory there is no worktree, however the hook came to its end.
        let restricts = failure.meant_to_restrict || invocation.event.name() == "WorktreeCreate";
        HandlerResult::Failed(HookFailure { meant_to_restrict: restricts, ..failure })
    }

    fn event_from_wire(&self, wire: &Value) -> Result<WireEvent, Error> {
        wire::event_from_wire(&self.flavour, wire)
    }

    fn outcome_to_wire(&self, outcome: &OutcomeView<'_>) -> WireAnswer {
        wire::outcome_to_wire(&self.flavour, outcome)
    }
}
