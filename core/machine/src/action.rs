//! What a hook can decide.

use std::fmt;

use serde::Serialize;

/// A decision, in the words of the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Action {
    /// No objection.
    #[default]
    Continue,
    /// Yes, without asking a person.
    Allow,
    /// A person decides.
    Ask,
    /// No.
    Block,
    /// Do it again, after a delay.
    Retry,
    /// Pass over the later hooks of the same scope.
    Skip,
    /// No, and the agent stops.
    Stop,
}

impl Action {
    /// Each action with the word that the wire has for it.
    pub const WORDS: &'static [(&'static str, Self)] = &[
        ("continue", Self::Continue),
        ("allow", Self::Allow),
        ("ask", Self::Ask),
        ("block", Self::Block),
        ("retry", Self::Retry),
        ("skip", Self::Skip),
        ("stop", Self::Stop),
    ];

    /// The action's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Continue => "continue",
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Block => "block",
            Self::Retry => "retry",
            Self::Skip => "skip",
            Self::Stop => "stop",
        }
    }

    /// Whether the action is against what the agent is about to do.
    #[must_use]
    pub const fn refuses(self) -> bool {
        matches!(self, Self::Block | Self::Stop)
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
