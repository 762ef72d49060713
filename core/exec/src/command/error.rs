//! Why a command gave no answer.

use std::fmt;
use std::time::Duration;

use super::{CommandLine, CommandRun};
use hookweave_machine::escape::escaped;

/// A command that did not come to its own end. Each message names the command and has the system's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// The program could not be started.
    #[error("`{command}` could not be started: {reason}")]
    NotStarted {
        /// The hook's command.
        command: String,
        /// What is missing, in the system's words.
        reason: String,
    },
    /// The directory that the event names is not there. To run elsewhere would be to judge something else.
    #[error("`{command}` could not be started: {reason}")]
    NoDirectory {
        /// The hook's command.
        command: String,
        /// Which directory, what is wrong with it, and the fix.
        reason: String,
    },
    /// The system had no room for one more program for as long as it may take.
    #[error("`{command}` could not be started: the system has no room for it, tried for {}: {reason}", seconds(*waited))]
    NoRoom {
        /// The hook's command.
        command: String,
        /// What is exhausted, in the system's words.
        reason: String,
        /// How long it was tried.
        waited: Duration,
    },
    /// It ran too long and was killed, with all that it had started.
    #[error("`{command}` did not end within {} and was killed", seconds(*limit))]
    TimedOut {
        /// The hook's command.
        command: String,
        /// How long it had.
        limit: Duration,
    },
    /// It printed too much and was killed; nothing of it was read.
    #[error("`{command}` printed more than {cap} bytes on {stream} and was killed")]
    OutputOverCap {
        /// The hook's command.
        command: String,
        /// Where it printed too much.
        stream: Stream,
        /// How much it may print.
        cap: usize,
    },
    /// The dispatch was cancelled, and the command with it.
    #[error("`{command}` was cancelled")]
    Cancelled {
        /// The hook's command.
        command: String,
    },
    /// It ended, or may have; how is unknown.
    #[error("how `{command}` ended is not known: {reason}")]
    Lost {
        /// The hook's command.
        command: String,
        /// What went wrong, in the system's words.
        reason: String,
    },
}

/// One of the two streams that a command prints on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Its answer.
    Stdout,
    /// Its errors.
    Stderr,
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        })
    }
}

impl CommandError {
    pub(super) fn not_started(line: &CommandLine, reason: impl Into<String>) -> Self {
        Self::NotStarted { command: line.display(), reason: legible(reason) }
    }

    pub(super) fn no_directory(run: &CommandRun<'_>, reason: impl Into<String>) -> Self {
        Self::NoDirectory { command: run.spec.line.display(), reason: legible(reason) }
    }

    pub(super) fn no_room(run: &CommandRun<'_>, reason: impl Into<String>, waited: Duration) -> Self {
        Self::NoRoom { command: run.spec.line.display(), reason: legible(reason), waited }
    }

    pub(super) fn timed_out(run: &CommandRun<'_>) -> Self {
        Self::TimedOut { command: run.spec.line.display(), limit: run.timeout.unwrap_or_default() }
    }

    pub(super) fn over_cap(run: &CommandRun<'_>, stream: Stream) -> Self {
        Self::OutputOverCap { command: run.spec.line.display(), stream, cap: run.output_cap }
    }

    pub(super) fn cancelled(run: &CommandRun<'_>) -> Self {
        Self::Cancelled { command: run.spec.line.display() }
    }

    pub(super) fn lost(run: &CommandRun<'_>, reason: impl Into<String>) -> Self {
        Self::Lost { command: run.spec.line.display(), reason: legible(reason) }
    }
}

/// A reason may name a directory of the event's or a program of the hook's: nothing in it may be obeyed by a screen.
fn legible(reason: impl Into<String>) -> String {
    escaped(&reason.into())
}

fn seconds(limit: Duration) -> String {
    if limit.subsec_millis() == 0 { format!("{} s", limit.as_secs()) } else { format!("{} ms", limit.as_millis()) }
}
