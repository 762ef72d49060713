//! Why a command could not do what it was asked for.

use std::fmt;
use std::path::Path;

/// What a command came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Everything is as it should be.
    Fine,
    /// It worked, with a negative result: findings, a blocked event, a failed test.
    Findings,
}

impl Verdict {
    /// Findings when there are any.
    pub(crate) const fn of(fine: bool) -> Self {
        if fine { Self::Fine } else { Self::Findings }
    }

    /// The exit code.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Findings => 1,
        }
    }
}

/// The exit code of wrong usage and of input that cannot be read.
pub(crate) const BROKEN: u8 = 2;

/// An error that ends a command, with what to do about it.
#[derive(Debug)]
pub(crate) enum Failed {
    /// What, where, and the fix.
    Message(String),
    /// The reader of the output has closed it.
    NobodyReads,
}

/// What commands give.
pub(crate) type Result<T> = std::result::Result<T, Failed>;

impl Failed {
    /// An error with a text of its own.
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self::Message(what.into())
    }

    /// A file that cannot be read, with what to do about it.
    pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> Self {
        use std::io::ErrorKind;
        let fix = match error.kind() {
            ErrorKind::NotFound => "; name one that exists",
            ErrorKind::IsADirectory => "; name a file in it",
            ErrorKind::PermissionDenied => "; let yourself read it (chmod u+r), or name another one",
            _ => "",
        };
        Self::file(path, format!("cannot be read: {error}{fix}"))
    }

    /// An error about a file.
    pub(crate) fn file(path: &Path, what: impl fmt::Display) -> Self {
        Self::Message(format!("{}: {what}", path.display()))
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message(what) => f.write_str(what),
            Self::NobodyReads => f.write_str("the output is closed"),
        }
    }
}

impl From<hookweave_host::error::Error> for Failed {
    fn from(error: hookweave_host::error::Error) -> Self {
        Self::Message(format!("{} [{}]", error.message(), error.code()))
    }
}

/// Only writing to the terminal fails so: errors of files name the file.
impl From<std::io::Error> for Failed {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Self::NobodyReads,
            _ => Self::Message(format!("the output cannot be written: {error}")),
        }
    }
}

impl From<serde_json::Error> for Failed {
    fn from(error: serde_json::Error) -> Self {
        if error.is_io() { std::io::Error::from(error).into() } else { Self::Message(error.to_string()) }
    }
}
