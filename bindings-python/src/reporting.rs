//! Outcomes as text for a person, and as data that stays the same from run to run.

use hookweave_host::error;
use hookweave_host::outcome::Stand;
use pyo3::prelude::*;

use crate::outcome::Outcome;
use crate::serial;
use crate::values::PyHost;

/// Adds the functions to the module.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(did_you_mean, module)?)?;
    module.add_function(wrap_pyfunction!(outcome_snapshot, module)?)
}

/// ` (did you mean `x`?)` when a known name is near, else nothing.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "pyo3 hands arguments over by value")]
fn did_you_mean(name: &str, known: Vec<String>) -> String {
    error::did_you_mean(name, known.iter().map(String::as_str))
}

/// An outcome as data for a snapshot; ``stands`` are texts, the placeholder of each, and whether the name below it differs too.
#[pyfunction]
fn outcome_snapshot<'py>(
    py: Python<'py>,
    outcome: &Outcome,
    stands: Vec<(String, String, bool)>,
) -> PyResult<Bound<'py, PyAny>> {
    let stands: Vec<_> = stands.into_iter().map(|(text, name, with_child)| Stand { text, name, with_child }).collect();
    serial::convert(py, &outcome.inner(py).snapshot(&PyHost::new(py), &stands))
}
