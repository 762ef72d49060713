//! Asks a person at the terminal that the program was started from.
//!
//! Languages bring a thread to wait on; what is written and read is all here. The terminal stays in its usual mode, so
//! that a program that dies in the middle of a question leaves nothing broken behind.

#[cfg(unix)]
mod asking;
#[cfg(unix)]
mod device;
#[cfg(unix)]
mod turn;

mod question;

use std::time::Duration;

use crate::cancel::Cancel;

pub use question::{PersonQuestion, Reading, TerminalQuestion};

/// Why the question was not shown or not answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoAnswer(String);

impl NoAnswer {
    fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

/// Asks and waits for the answer, which is one of the options; `None` when it was cancelled before.
///
/// `left` is what the countdown begins with. When it has run down the question still stands, until the caller cancels it:
/// the caller knows what no answer means. Questions are asked one after the other.
#[cfg(unix)]
pub fn ask(question: TerminalQuestion, left: Duration, cancel: &Cancel) -> Result<Option<String>, NoAnswer> {
    asking::ask(question, left, cancel)
}

/// Asks and waits for the answer; without Unix terminals this is always an error.
#[cfg(not(unix))]
pub fn ask(_: TerminalQuestion, _: Duration, _: &Cancel) -> Result<Option<String>, NoAnswer> {
    Err(NoAnswer::new("hookweave asks at terminals of Unix only; give the session another approver"))
}
