//! How a hook can fail, and what that means for the action.

use std::fmt;

use serde::Serialize;

/// What a failed hook means for the action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailBehavior {
    /// Fail-open: the action continues.
    #[default]
    Continue,
    /// Fail-closed: the action is blocked.
    Block,
}

impl FailBehavior {
    /// Each behavior with the word that the wire has for it.
    pub const WORDS: &'static [(&'static str, Self)] = &[("continue", Self::Continue), ("block", Self::Block)];

    /// The behaviour's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Continue => "continue",
            Self::Block => "block",
        }
    }
}

/// The kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailureKind {
    /// The handler raised, threw, rejected or panicked.
    Raised,
    /// The handler took longer than it may.
    Timeout,
    /// The handler's answer cannot be read.
    InvalidAnswer,
    /// The handler was cancelled though the dispatch was not.
    Cancelled,
    /// The handler could not be started.
    NotStarted,
    /// Too many detached hooks wait already.
    DetachedLimit,
    /// A command ended in a way that says that it failed.
    Exited,
    /// A command ended in an unknown way.
    Lost,
    /// A web server could not be reached, was not allowed, or refused.
    Unreachable,
}

impl FailureKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::Raised,
        Self::Timeout,
        Self::InvalidAnswer,
        Self::Cancelled,
        Self::NotStarted,
        Self::DetachedLimit,
        Self::Exited,
        Self::Lost,
        Self::Unreachable,
    ];

    /// The kind's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Raised => "raised",
            Self::Timeout => "timeout",
            Self::InvalidAnswer => "invalid_answer",
            Self::Cancelled => "cancelled",
            Self::NotStarted => "not_started",
            Self::DetachedLimit => "detached_limit",
            Self::Exited => "exited",
            Self::Lost => "lost",
            Self::Unreachable => "unreachable",
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A failed hook, before the failure rule.
#[derive(Debug)]
pub struct HookFailure<V> {
    /// How it failed.
    pub kind: FailureKind,
    /// What went wrong, for a person.
    pub message: String,
    /// The host's own exception, for the trace.
    pub cause: Option<V>,
    /// The hook meant to restrict: on a gate this counts as a block, even if the hook fails open.
    pub meant_to_restrict: bool,
}

impl<V> HookFailure<V> {
    /// A failure without an exception of the host.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), cause: None, meant_to_restrict: false }
    }

    /// A hook that ran into its timeout.
    #[must_use]
    pub fn timeout(limit: std::time::Duration) -> Self {
        Self::new(FailureKind::Timeout, format!("no answer within {} ms", limit.as_secs_f64() * 1000.0))
    }
}
