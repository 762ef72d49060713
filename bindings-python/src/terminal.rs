//! Questions at a terminal as Python sees them.

use std::time::Duration;

use hookweave_host::exec::cancel::Cancel;
use hookweave_host::exec::terminal::{self, Reading, TerminalQuestion as Question};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors;
use crate::values::PyHost;

fn question(request: &Bound<'_, PyDict>) -> PyResult<Question> {
    let py = request.py();
    let question = Question::read_request(&PyHost::new(py), request.as_any());
    question.map_err(|error| errors::of(py, &error))
}

/// A question as a person reads it, and what typed lines answer.
#[pyclass(module = "hookweave._native")]
pub(crate) struct TerminalQuestion(Question);

#[pymethods]
impl TerminalQuestion {
    #[new]
    fn new(request: &Bound<'_, PyDict>, columns: usize, rows: usize) -> PyResult<Self> {
        Ok(Self(question(request)?.for_width(columns).for_height(rows)))
    }

    /// The whole question.
    #[getter]
    fn text(&self) -> String {
        self.0.text()
    }

    /// What stands before the cursor.
    fn invitation(&self, left_ms: u64) -> String {
        self.0.invitation(left_ms)
    }

    /// What a line means: `chosen`, `again` or `over`, and an option, a text to be shown, or the reason.
    #[pyo3(signature = (line))]
    fn read(&mut self, line: Option<&str>) -> (&'static str, String) {
        match self.0.read(line) {
            Reading::Chosen(option) => ("chosen", option),
            Reading::Again(text) => ("again", text),
            Reading::Over(why) => ("over", why.to_owned()),
        }
    }
}

/// One question on the screen.
#[pyclass(frozen, module = "hookweave._native")]
pub(crate) struct Asking {
    question: Question,
    left: Duration,
    cancel: Cancel,
}

#[pymethods]
impl Asking {
    #[new]
    fn new(request: &Bound<'_, PyDict>, seconds: f64) -> PyResult<Self> {
        let left = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        Ok(Self { question: question(request)?, left, cancel: Cancel::new() })
    }

    /// Waits for the answer, on a thread of the caller's: the option, or None and why there is none.
    fn ask(&self, py: Python<'_>) -> (Option<String>, Option<String>) {
        match py.detach(|| terminal::ask(self.question.clone(), self.left, &self.cancel)) {
            Ok(option) => (option, None),
            Err(why) => (None, Some(why.to_string())),
        }
    }

    /// Takes the question off the screen.
    fn cancel(&self) {
        self.cancel.cancel();
    }
}
