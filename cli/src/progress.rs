//! How far long work has come: one line on standard error, for people at a terminal only.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use crate::clock::now;

/// Work that is done sooner is not worth a word.
const PATIENCE: Duration = Duration::from_millis(500);

/// How often the line is rewritten.
const PAUSE: Duration = Duration::from_millis(100);

/// Goes back to the line's beginning and wipes it.
const WIPE: &str = "\r\x1b[2K";

/// A line that is rewritten while work continues, and wiped at the end.
#[derive(Debug)]
pub(crate) struct Progress {
    /// What is done, in a word: the line must fit into the narrowest terminal.
    what: &'static str,
    is_shown: bool,
    next: Instant,
    /// It is shown now.
    stands: bool,
}

impl Progress {
    /// Of some work; not shown with JSON output, in a file, a pipe or the log of a service.
    pub(crate) fn new(what: &'static str, for_programs: bool) -> Self {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "false");
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        let is_shown = !for_programs && std::io::stderr().is_terminal() && !is_dumb && !set("CI");
        Self { what, is_shown, next: now() + PATIENCE, stands: false }
    }

    /// Whether it is shown.
    pub(crate) const fn is_shown(&self) -> bool {
        self.is_shown
    }

    /// So much of the whole is done.
    pub(crate) fn part(&mut self, done: u64, whole: u64) {
        self.redraw(|what| match done.saturating_mul(100).checked_div(whole) {
            Some(percent) => format!("{what} {} %", percent.min(100)),
            None => what.to_owned(),
        });
    }

    /// So many of a number are done.
    pub(crate) fn count(&mut self, done: usize, whole: usize) {
        self.redraw(|what| format!("{what} {done}/{whole}"));
    }

    fn redraw(&mut self, line: impl FnOnce(&str) -> String) {
        if !self.is_shown || now() < self.next {
            return;
        }
        self.next = now() + PAUSE;
        self.stands = true;
        let mut err = std::io::stderr().lock();
        let _ = write!(err, "{WIPE}{}", line(self.what)).and_then(|()| err.flush());
    }

    /// Makes room for something else.
    pub(crate) fn wipe(&mut self) {
        if std::mem::take(&mut self.stands) {
            let mut err = std::io::stderr().lock();
            let _ = write!(err, "{WIPE}").and_then(|()| err.flush());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.wipe();
    }
}
