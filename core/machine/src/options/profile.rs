//! Named sets of defaults, one for each hook system whose programs feel at home here.

use std::time::Duration;

use crate::action::Action;
use crate::error::{Code, Error, did_you_mean};
use crate::failure::{FailBehavior, FailureKind};

use super::{CALLBACK_TIMEOUT, HOOK_LIMITS, Mode, PERMISSION_TIMEOUT};

/// A named set of defaults that reproduces an existing system's semantics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Profile {
    /// What users call it.
    pub name: &'static str,
    /// How hooks of equal priority run.
    pub mode: Mode,
    /// Decisions from strongest to weakest. Every action is listed, also those that the system lacks: none is lost.
    pub precedence: &'static [Action],
    /// Whether a block ends the dispatch of a gate at once.
    pub short_circuit: bool,
    /// Hooks per event and in all that programs may register.
    pub hook_limits: Option<(usize, usize)>,
    /// How long a hook may run when neither it nor the client says.
    pub timeout: Option<Duration>,
    /// The events whose hooks have another timeout, when neither the hook nor the client says.
    pub event_timeouts: &'static [(&'static str, Duration)],
    /// The shortest and the longest timeout of a hook that a program registers; others are moved to the nearer one.
    pub timeout_bounds: Option<(Duration, Duration)>,
    /// The events whose hooks are detached, unless such a hook is mandatory.
    pub detached: &'static [&'static str],
    /// The failures that block when neither the hook nor the client says what a failure means.
    pub blocking_failures: &'static [FailureKind],
    /// What a failure means for hooks that do not say, when the client does not either.
    pub fail_behavior: FailBehavior,
    /// The events on which a failure blocks all the same: guards of what has not happened yet.
    pub closed_events: &'static [&'static str],
    /// The events that are refused when no hook is registered for them.
    pub guarded: &'static [&'static str],
    /// Whether a block stops every event, not gates only.
    pub every_event_is_a_gate: bool,
    /// Whether a hook's `allow` counts; else it is void.
    pub grants: bool,
    /// Whether a `PermissionRequest` hook of the program's that answers `continue` has granted what was asked.
    pub continue_grants: bool,
    /// Whether `PostToolUse` follows a run that failed too.
    pub post_tool_after_failure: bool,
}

const USUAL_PRECEDENCE: &[Action] =
    &[Action::Stop, Action::Block, Action::Ask, Action::Retry, Action::Allow, Action::Continue];

const MINUTE: Duration = Duration::from_secs(60);
const TEN_MINUTES: Duration = Duration::from_secs(600);

impl Profile {
    /// What a client has that asks for nothing else.
    pub const DEFAULT: Self = Self {
        name: "default",
        mode: Mode::Sequential,
        precedence: USUAL_PRECEDENCE,
        short_circuit: true,
        hook_limits: None,
        timeout: Some(CALLBACK_TIMEOUT),
        event_timeouts: &[("PermissionRequest", PERMISSION_TIMEOUT)],
        timeout_bounds: None,
        detached: &[],
        blocking_failures: &[],
        fail_behavior: FailBehavior::Continue,
        closed_events: &[],
        guarded: &[],
        every_event_is_a_gate: false,
        grants: true,
        continue_grants: false,
        post_tool_after_failure: false,
    };

    const A3S: Self = Self {
        name: "a3s",
        mode: Mode::Parallel,
        hook_limits: Some(HOOK_LIMITS),
        continue_grants: true,
        post_tool_after_failure: true,
        ..Self::DEFAULT
    };

    /// a3s-code runs hooks one after the other, and a guard that fails there has refused.
    const A3S_CODE: Self = Self {
        name: "a3s-code",
        hook_limits: None,
        timeout: Some(Duration::from_secs(30)),
        event_timeouts: &[],
        closed_events: &["PreToolUse", "PermissionRequest", "PreCompact", "UserPromptSubmit"],
        continue_grants: true,
        post_tool_after_failure: true,
        ..Self::DEFAULT
    };

    /// What runs after the tool or the turn is started and forgotten there.
    const WINGMAN: Self = Self {
        name: "wingman",
        timeout: Some(MINUTE),
        timeout_bounds: Some((Duration::from_secs(1), TEN_MINUTES)),
        detached: &["PostToolUse", "Stop"],
        post_tool_after_failure: true,
        ..Self::DEFAULT
    };

    /// A command or server that fails there refuses; only one that takes too long is passed over.
    pub const COCODE: Self = Self {
        name: "cocode",
        timeout: Some(TEN_MINUTES),
        event_timeouts: &[],
        blocking_failures: &[FailureKind::Exited, FailureKind::NotStarted, FailureKind::Lost, FailureKind::Unreachable],
        ..Self::DEFAULT
    };

    /// Hooks there may refuse anything and grant nothing.
    const AMPLIFIER: Self = Self {
        name: "amplifier",
        timeout: None,
        event_timeouts: &[],
        every_event_is_a_gate: true,
        grants: false,
        ..Self::DEFAULT
    };

    /// The rules of shadow's hooks.
    pub const SHADOW: Self = Self {
        name: "shadow",
        precedence: &[Action::Stop, Action::Block, Action::Allow, Action::Ask, Action::Retry, Action::Continue],
        short_circuit: false,
        timeout: None,
        event_timeouts: &[],
        ..Self::DEFAULT
    };

    const CLAUDE_CODE: Self = Self {
        name: "claude-code",
        mode: Mode::Parallel,
        timeout: Some(TEN_MINUTES),
        event_timeouts: &[
            ("UserPromptSubmit", Duration::from_secs(30)),
            ("MessageDisplay", Duration::from_secs(10)),
            ("SessionEnd", Duration::from_millis(1500)),
        ],
        ..Self::DEFAULT
    };

    /// Hooks there guard eight points of an agent, fail closed, and a point that none guards is refused.
    const AGENT_HOOKS: Self = Self {
        name: "agent-hooks",
        hook_limits: None,
        fail_behavior: FailBehavior::Block,
        guarded: &[
            "SessionStart",
            "UserPromptSubmit",
            "GenerateStart",
            "GenerateEnd",
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "agent:output",
            "SessionEnd",
        ],
        every_event_is_a_gate: true,
        ..Self::DEFAULT
    };

    /// The profiles that there are.
    pub const ALL: &'static [Self] = &[
        Self::DEFAULT,
        Self::A3S,
        Self::A3S_CODE,
        Self::WINGMAN,
        Self::COCODE,
        Self::AMPLIFIER,
        Self::SHADOW,
        Self::CLAUDE_CODE,
        Self::AGENT_HOOKS,
    ];

    /// The profile of this name, or [`Code::UnknownProfile`].
    pub fn named(name: &str) -> Result<&'static Self, Error> {
        Self::ALL.iter().find(|profile| profile.name == name).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|profile| profile.name).collect();
            Error::new(
                Code::UnknownProfile,
                format!(
                    "unknown profile `{name}`{}; known are {}",
                    did_you_mean(name, names.iter().copied()),
                    names.join(", ")
                ),
            )
        })
    }

    /// How strong a decision is among others; larger wins.
    #[must_use]
    pub fn rank(&self, action: Action) -> usize {
        self.precedence.iter().rev().position(|known| *known == action).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_decision_has_its_place_in_every_profile() {
        for profile in Profile::ALL {
            let mut listed: Vec<_> = profile.precedence.iter().map(|action| action.as_str()).collect();
            listed.sort_unstable();
            assert_eq!(listed, ["allow", "ask", "block", "continue", "retry", "stop"], "{}", profile.name);
            assert_eq!(profile.rank(Action::Continue), 0, "{}", profile.name);
        }
    }

    #[test]
    fn every_event_that_a_profile_names_is_known() {
        let known = |name: &str| crate::event::BUILT_IN.iter().any(|event| event.name == name);
        for profile in Profile::ALL {
            assert!(profile.detached.iter().all(|name| known(name)), "{}", profile.name);
            assert!(profile.guarded.iter().all(|name| name.contains(':') || known(name)), "{}", profile.name);
            assert!(profile.closed_events.iter().all(|name| known(name)), "{}", profile.name);
            assert!(profile.event_timeouts.iter().all(|(name, _)| known(name)), "{}", profile.name);
        }
    }
}
