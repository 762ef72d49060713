//! How much is recorded, and how much of an event.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How much is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AuditLevel {
    /// Nothing.
    Off,
    /// What failed, and what became of the log itself.
    Error,
    /// Also what hooks did and decided, what people approved, which tools ran, which hooks there were.
    #[default]
    Info,
    /// Also the start of each hook, and those that were passed over.
    Verbose,
}

impl AuditLevel {
    /// The words for the levels.
    pub(crate) const WORDS: &'static [(&'static str, Self)] =
        &[("off", Self::Off), ("error", Self::Error), ("info", Self::Info), ("verbose", Self::Verbose)];

    /// The level's word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Error => "error",
            Self::Info => "info",
            Self::Verbose => "verbose",
        }
    }

    /// The level of a word; `None` for any other word.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(name, _)| *name == word).map(|(_, level)| *level)
    }

    /// The level that was stored as a number.
    pub(super) const fn of(number: u8) -> Self {
        match number {
            0 => Self::Off,
            1 => Self::Error,
            2 => Self::Info,
            _ => Self::Verbose,
        }
    }
}

impl fmt::Display for AuditLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// When the file is synced to the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fsync {
    /// When the system sees fit: what was written survives the end of the process, not that of the machine.
    #[default]
    Never,
    /// Once for all records that gathered in two milliseconds.
    Grouped,
    /// Nothing gathers: records go to the disk as soon as it is free, with those that came while it was not.
    Record,
}

impl Fsync {
    pub(crate) const WORDS: &'static [(&'static str, Self)] =
        &[("never", Self::Never), ("grouped", Self::Grouped), ("record", Self::Record)];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_ordered_and_named() {
        assert!(
            AuditLevel::Off < AuditLevel::Error
                && AuditLevel::Error < AuditLevel::Info
                && AuditLevel::Info < AuditLevel::Verbose
        );
        for (word, level) in AuditLevel::WORDS {
            assert_eq!((AuditLevel::named(word), level.as_str()), (Some(*level), *word));
            assert_eq!(AuditLevel::of(*level as u8), *level);
        }
        assert_eq!(AuditLevel::named("debug"), None);
    }
}
