//! The ids of hooks.

use std::fmt;

/// Names one registered hook for as long as its client lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HookId(u64);

impl HookId {
    /// The id with a number.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number in the id, which is also the order of registration.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }

    /// Reads `hook-17`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        text.strip_prefix("hook-")?.parse().ok().map(Self)
    }
}

impl fmt::Display for HookId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hook-{}", self.0)
    }
}
