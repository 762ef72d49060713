//! Why a command could not do what it was asked for.

use std::fmt;
use std::path::{Path, PathBuf};

use hookweave_host::config::Problem;

/// What a command came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Everything is as it should be.
    Fine,
    /// It worked, with a negative result: findings, a blocked event, a failed test.
    Findings,
    /// A person is asked.
    Asks,
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
            Self::Asks => 3,
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
    /// A place in a text that cannot be read.
    Place(Box<Place>),
    /// Mistakes in hooks files, and what can be done beside fixing them.
    Problems(Vec<Problem>, String),
    /// The reader of the output has closed it.
    NobodyReads,
}

/// A place in a text that people wrote.
#[derive(Debug)]
pub(crate) struct Place {
    /// The file, as it was named.
    pub(crate) file: PathBuf,
    /// Its text.
    pub(crate) text: String,
    /// The line, from 1.
    pub(crate) line: usize,
    /// The column in characters, from 1.
    pub(crate) column: usize,
    /// What is wrong.
    pub(crate) what: String,
    /// What to do about it.
    pub(crate) fix: String,
}

/// What commands give.
pub(crate) type Result<T> = std::result::Result<T, Failed>;

impl Failed {
    /// An error with a text of its own.
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self::Message(what.into())
    }

    /// A mistake at a line and a column, both from 1, with what to do behind a semicolon.
    pub(crate) fn at(file: &Path, text: &str, (line, column): (usize, usize), what: impl Into<String>) -> Self {
        let what = what.into();
        let (what, fix) = match what.split_once("; ") {
            Some((what, fix)) => (what.to_owned(), fix.to_owned()),
            None => (what, String::new()),
        };
        Self::Place(Box::new(Place { file: file.to_path_buf(), text: text.to_owned(), line, column, what, fix }))
    }

    /// A text that is no JSON, with its parser's message and place.
    pub(crate) fn no_json(file: &Path, text: &str, why: &str) -> Self {
        let place = why.rsplit_once(" at line ").and_then(|(what, place)| {
            let (line, column) = place.split_once(" column ")?;
            Some((what, (line.parse().ok()?, column.parse::<usize>().ok()?.max(1))))
        });
        match place {
            Some((what, place)) => Self::at(file, text, place, format!("no JSON: {what}")),
            None => Self::file(file, format!("is no JSON: {why}")),
        }
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
            Self::Place(place) => {
                let Place { file, line, column, what, fix, .. } = &**place;
                write!(f, "{}:{line}:{column}: {what}", file.display())?;
                if fix.is_empty() { Ok(()) } else { write!(f, "; {fix}") }
            }
            Self::Problems(problems, fix) => {
                problems.iter().try_for_each(|problem| writeln!(f, "{problem}"))?;
                f.write_str(fix)
            }
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
