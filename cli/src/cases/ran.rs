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
