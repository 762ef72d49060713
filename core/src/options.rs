//! An engine's settings and the profiles that bundle them.

use std::time::Duration;

use crate::action::Action;
use crate::error::{Code, Error, did_you_mean};
use crate::hook::{FailBehavior, Timeout};
use crate::payload::Host;
use crate::read::Reader;

/// How hooks of equal priority run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// One after the other, each seeing what earlier ones modified.
    Sequential,
    /// Together, all seeing the same event.
    Parallel,
}

impl Mode {
    const WORDS: &'static [(&'static str, Self)] = &[("sequential", Self::Sequential), ("parallel", Self::Parallel)];
}

/// A named set of defaults that reproduces an existing system's semantics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Profile {
    /// What users call it.
    pub name: &'static str,
    /// How hooks of equal priority run.
    pub mode: Mode,
    /// Decisions from strongest to weakest.
    pub precedence: &'static [Action],
    /// Whether a block ends the dispatch of a gate at once.
    pub short_circuit: bool,
    /// Hooks per event and in all that programs may register.
    pub hook_limits: Option<(usize, usize)>,
    /// How long a hook may run when neither it nor the client says.
    pub timeout: Option<Duration>,
}

const USUAL_PRECEDENCE: &[Action] =
    &[Action::Stop, Action::Block, Action::Ask, Action::Retry, Action::Allow, Action::Continue];

/// The limits on hooks that programs register: per event, in all.
pub const HOOK_LIMITS: (usize, usize) = (10, 50);

/// How many hooks files may declare; they count apart from those that programs register.
pub const MAX_FILE_HOOKS: usize = 1000;

/// How long a callback may run unless someone says otherwise.
pub const CALLBACK_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a `PermissionRequest` hook may run: it may be waiting for a person.
pub const PERMISSION_TIMEOUT: Duration = Duration::from_secs(300);

/// How many detached hooks run at once unless someone says otherwise.
pub const MAX_DETACHED: usize = 64;

impl Profile {
    /// What a client has that asks for nothing else.
    pub const DEFAULT: Self = Self {
        name: "default",
        mode: Mode::Sequential,
        precedence: USUAL_PRECEDENCE,
        short_circuit: true,
        hook_limits: Some(HOOK_LIMITS),
        timeout: Some(CALLBACK_TIMEOUT),
    };

    /// The profiles that there are.
    pub const ALL: &'static [Self] = &[
        Self::DEFAULT,
        Self { name: "a3s", mode: Mode::Parallel, ..Self::DEFAULT },
        Self {
            name: "shadow",
            precedence: &[Action::Stop, Action::Block, Action::Allow, Action::Ask, Action::Retry, Action::Continue],
            short_circuit: false,
            hook_limits: None,
            timeout: None,
            ..Self::DEFAULT
        },
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

/// An engine's settings, resolved against its profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Where the defaults came from.
    pub profile: &'static Profile,
    /// How hooks of equal priority run.
    pub mode: Mode,
    /// Whether dispatches run any hook.
    pub enabled: bool,
    /// How long a hook without a timeout of its own may run; `None` is without end.
    pub default_timeout: Option<Duration>,
    /// Whether the default timeout was set by the program (it then holds for `PermissionRequest` too).
    pub timeout_was_set: bool,
    /// What a failure means for hooks that do not say.
    pub fail_behavior: FailBehavior,
    /// Hooks that programs may register for one event; `None` is without limit.
    pub max_hooks_per_event: Option<usize>,
    /// Hooks that programs may register in all; `None` is without limit.
    pub max_total_hooks: Option<usize>,
    /// Detached hooks that run at once.
    pub max_detached: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self::of(&Profile::DEFAULT)
    }
}

impl Options {
    /// A profile's defaults.
    #[must_use]
    pub fn of(profile: &'static Profile) -> Self {
        Self {
            profile,
            mode: profile.mode,
            enabled: true,
            default_timeout: profile.timeout,
            timeout_was_set: false,
            fail_behavior: FailBehavior::Continue,
            max_hooks_per_event: profile.hook_limits.map(|(per_event, _)| per_event),
            max_total_hooks: profile.hook_limits.map(|(_, total)| total),
            max_detached: MAX_DETACHED,
        }
    }

    /// Reads settings from a host's object; a field that is not given keeps its profile's default, a limit or timeout
    /// that is null is off.
    pub fn read<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Result<Self, Error> {
        let reader = Reader::new(host, view, Code::InvalidOption, "options")?;
        reader.only(&[
            "profile",
            "mode",
            "enabled",
            "default_timeout",
            "fail_behavior",
            "max_hooks_per_event",
            "max_total_hooks",
            "max_detached",
        ])?;
        let mut options = match reader.text("profile")? {
            Some(name) => Self::of(Profile::named(&name)?),
            None => Self::default(),
        };
        if let Some(mode) = reader.word("mode", Mode::WORDS)? {
            options.mode = mode;
        }
        options.enabled = reader.flag("enabled")?.unwrap_or(true);
        match Timeout::read(&reader, "default_timeout")? {
            Timeout::Default => {}
            Timeout::Never => (options.default_timeout, options.timeout_was_set) = (None, true),
            Timeout::After(limit) => (options.default_timeout, options.timeout_was_set) = (Some(limit), true),
        }
        options.fail_behavior = reader.word("fail_behavior", FailBehavior::WORDS)?.unwrap_or_default();
        let limit = |field: &str, default: Option<usize>| -> Result<Option<usize>, Error> {
            if reader.given(field).is_none() {
                return Ok(default);
            }
            let Some(number) = reader.integer(field)? else { return Ok(None) };
            usize::try_from(number)
                .ok()
                .filter(|number| *number > 0)
                .map(Some)
                .ok_or_else(|| reader.refuse(field, "must be at least 1; null switches the limit off"))
        };
        options.max_hooks_per_event = limit("max_hooks_per_event", options.max_hooks_per_event)?;
        options.max_total_hooks = limit("max_total_hooks", options.max_total_hooks)?;
        options.max_detached = limit("max_detached", Some(options.max_detached))?
            .ok_or_else(|| reader.refuse("max_detached", "cannot be switched off; give a number"))?;
        Ok(options)
    }

    /// How long a hook of this event may run.
    pub(crate) fn timeout_for(&self, event: &str, timeout: Timeout) -> Option<Duration> {
        match timeout {
            Timeout::Never => None,
            Timeout::After(limit) => Some(limit),
            Timeout::Default if event == "PermissionRequest" && !self.timeout_was_set => {
                self.default_timeout.map(|_| PERMISSION_TIMEOUT)
            }
            Timeout::Default => self.default_timeout,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::Json;
    use serde_json::json;

    #[test]
    fn limits_are_numbers_or_off() {
        let read = |settings: serde_json::Value| Options::read(&Json, &&settings);
        assert_eq!(read(json!({"max_total_hooks": null})).unwrap().max_total_hooks, None);
        assert_eq!(read(json!({})).unwrap().max_total_hooks, Some(50));
        assert_eq!(read(json!({"profile": "shadow"})).unwrap().max_total_hooks, None);
        assert!(read(json!({"max_total_hooks": 0})).is_err());
        assert!(read(json!({"max_detached": null})).is_err());
        assert_eq!(read(json!({"profile": "shadw"})).unwrap_err().code(), Code::UnknownProfile);
    }

    #[test]
    fn permission_hooks_may_wait_for_a_person() {
        let options = Options::default();
        assert_eq!(options.timeout_for("PermissionRequest", Timeout::Default), Some(PERMISSION_TIMEOUT));
        assert_eq!(options.timeout_for("PreToolUse", Timeout::Default), Some(CALLBACK_TIMEOUT));
    }
}
