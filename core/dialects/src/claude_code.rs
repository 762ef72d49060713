//! Claude Code: the wire contract that most hooks were written for.
//!
//! Other agents speak it with small differences; a [`Flavour`] says which.

mod decode;
mod encode;
mod events;
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

/// The dialect's name.
pub(super) const NAME: &str = "claude-code";

/// Claude Code, or an agent that speaks its dialect with differences of its own.
#[derive(Debug)]
pub struct ClaudeCode {
    flavour: Flavour,
}

/// How an agent differs from others of the dialect.
#[derive(Debug)]
pub(super) struct Flavour {
    pub(super) name: &'static str,
    /// Whether the agent has an event of Claude Code.
    pub(super) has: fn(&str) -> bool,
    /// Whether `updatedInput` holds only what changes.
    pub(super) input_merges: bool,
    /// Whether text that is no JSON is context for the model.
    pub(super) plain_is_context: fn(&str) -> bool,
    /// The permission mode of a host that does not say.
    pub(super) mode: &'static str,
    /// The variables of a hook's process.
    pub(super) env: fn(&Invocation) -> Vec<(String, String)>,
    /// What a process inherits.
    pub(super) inherits: Inherits,
    /// How long a hook may run, by event and kind.
    pub(super) timeout: fn(&str, RunKind) -> Duration,
}

/// Claude Code.
pub static CLAUDE_CODE: ClaudeCode = ClaudeCode::new(Flavour {
    name: NAME,
    has: |_| true,
    input_merges: false,
    plain_is_context: |event| matches!(event, "UserPromptSubmit" | "UserPromptExpansion" | "SessionStart"),
    mode: "default",
    env,
    inherits: Inherits::AllBut(&["OTEL_"]),
    timeout,
});

impl ClaudeCode {
    pub(super) const fn new(flavour: Flavour) -> Self {
        Self { flavour }
    }
}

fn timeout(event: &str, kind: RunKind) -> Duration {
    let seconds = match (event, kind) {
        (_, RunKind::Agent) => 60,
        (_, RunKind::Prompt) | ("UserPromptSubmit", _) => 30,
        ("SessionEnd", _) => return Duration::from_millis(1500),
        ("MessageDisplay", _) => 10,
        _ => 600,
    };
    Duration::from_secs(seconds)
}

fn env(invocation: &Invocation) -> Vec<(String, String)> {
    let mut env = vec![("CLAUDECODE".to_owned(), "1".to_owned())];
    env.extend(project_dir(invocation).map(|project| ("CLAUDE_PROJECT_DIR".to_owned(), project)));
    let effort = invocation.own(NAME, "effort").and_then(|effort| effort.get("level").unwrap_or(effort).as_str());
    env.extend(effort.map(|level| ("CLAUDE_EFFORT".to_owned(), level.to_owned())));
    env
}

/// The project's directory; the working directory of a host that has none.
pub(super) fn project_dir(invocation: &Invocation) -> Option<String> {
    let project = invocation.project_dir.as_ref().map(|project| project.to_string_lossy().into_owned());
    project.or_else(|| invocation.text("cwd").map(str::to_owned))
}

/// The names of the events that a flavour has.
fn names(flavour: &Flavour) -> Vec<&'static str> {
    let own = (flavour.name == NAME).then_some(events::SKILL_LINE.name);
    events::EVENTS.iter().map(|event| event.name).filter(|name| (flavour.has)(name)).chain(own).collect()
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
            let matcher = place::matcher(&events::SKILL_LINE, matcher, NAME);
            let matcher = matcher.map(|matcher| matcher.when(events::IS_SKILL_LINE));
            return Some(matcher.map(|matcher| Placement { event: "PreToolUse", matcher }));
        }
        let known = events::known(declared_event).filter(|event| (self.flavour.has)(event.name))?;
        let matcher = place::matcher(known, matcher, self.flavour.name);
        Some(matcher.map(|matcher| Placement { event: known.name, matcher }))
    }

    fn events(&self) -> Vec<&'static str> {
        names(&self.flavour)
    }

    fn timeout(&self, declared_event: &str, kind: RunKind) -> Option<Duration> {
        Some((self.flavour.timeout)(declared_event, kind))
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
