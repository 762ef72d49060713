//! What spans of dispatches and tool calls may say.

use hookweave_host::audit::Redaction;
use hookweave_host::json::from_json;
use pyo3::prelude::*;

use crate::errors;

/// JSON text without the secrets in it.
#[pyfunction]
pub(crate) fn redacted(py: Python<'_>, text: &str) -> PyResult<String> {
    let mut value = from_json(text).map_err(|error| errors::internal(&error.to_string()))?;
    Redaction::default().apply(&mut value).map_err(|error| errors::of(py, &error))?;
    Ok(value.to_string())
}
