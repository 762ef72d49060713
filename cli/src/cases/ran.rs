//! What came of test cases.

use std::path::PathBuf;

use serde::Serialize;

/// What came of a file.
#[derive(Debug, Serialize)]
pub(crate) struct RanFile {
    /// Its name.
    pub(crate) name: String,
    /// Its cases, in order.
    pub(crate) cases: Vec<Ran>,
    /// The files that it depends on.
    #[serde(skip)]
    pub(crate) depends: Vec<PathBuf>,
}

/// What came of a case.
#[derive(Debug, Serialize)]
pub(crate) struct Ran {
    /// Its name.
    pub(crate) name: String,
    /// Whether it holds.
    #[serde(flatten)]
    pub(crate) state: State,
    /// How long it took.
    pub(crate) seconds: f64,
    /// Of one that does not hold: the call, and what became of every hook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) outcome: Option<String>,
}

impl Ran {
    /// Every difference, then the call and what became of every hook.
    pub(crate) fn lines(&self) -> Vec<&str> {
        let State::Failed(why) = &self.state else { return Vec::new() };
        let outcome = self.outcome.iter().flat_map(|outcome| outcome.lines());
        why.iter().map(String::as_str).chain(outcome).collect()
    }
}

/// Whether a case holds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case", tag = "state", content = "why")]
pub(crate) enum State {
    /// It does.
    Passed,
    /// It does not; every difference.
    Failed(Vec<String>),
    /// It was not tried, and why.
    Skipped(String),
}
