//! Dialects for hooks that are functions: the event in a system's words, and what the function's answer means.

use std::sync::{Arc, OnceLock};

use hookweave::dialects::{self, Exited};
use hookweave::event::Catalogue;
use hookweave::host::{EventSpec, Invocation, from_json};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use serde_json::{Map, Value};

use crate::errors;
use crate::native::letter;
use crate::serial;

/// Adds the functions to the module.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(dialect_event, module)?)?;
    module.add_function(wrap_pyfunction!(dialect_question, module)?)?;
    module.add_function(wrap_pyfunction!(dialect_answer, module)?)
}

/// The canonical event that a dialect's name of an event means; nothing when it has no such event.
#[pyfunction]
fn dialect_event(py: Python<'_>, dialect: &str, declared: &str) -> PyResult<Option<&'static str>> {
    let dialect = dialects::named(dialect).map_err(|error| errors::of(py, &error))?;
    Ok(dialect.place(declared, None).and_then(Result::ok).map(|place| place.event))
}

/// The event as a hook of the dialect reads it; the payload is JSON text by the engine's names.
#[pyfunction]
fn dialect_question<'py>(
    py: Python<'py>,
    dialect: &str,
    declared: &str,
    event: &str,
    payload: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let invocation = invocation(py, declared, event, payload)?;
    let dialect = dialects::named(dialect).map_err(|error| errors::of(py, &error))?;
    serial::to_python(py, &dialect.encode(&invocation).body)
}

/// What a hook of the dialect means by its answer: `(True, answer)`, or `(False, exception)` of its failure.
#[pyfunction]
fn dialect_answer<'py>(
    py: Python<'py>,
    dialect: &str,
    declared: &str,
    event: &str,
    payload: &str,
    said: &str,
) -> PyResult<Bound<'py, PyTuple>> {
    let invocation = invocation(py, declared, event, payload)?;
    let dialect = dialects::named(dialect).map_err(|error| errors::of(py, &error))?;
    let exited = Exited { code: Some(0), signal: None, stdout: said.as_bytes().to_vec(), stderr: Vec::new() };
    letter(py, dialects::answer_of_command(dialect, &invocation, &exited))
}

fn invocation(py: Python<'_>, declared: &str, event: &str, payload: &str) -> PyResult<Invocation> {
    let event = spec(event).map_err(|error| errors::of(py, &error))?;
    let payload = match from_json(payload) {
        Ok(Value::Object(payload)) => payload,
        Ok(_) => Map::new(),
        Err(error) => return Err(errors::raise(py, "payload_not_json", &error.to_string())),
    };
    let declared_event = declared.to_owned();
    Ok(Invocation { event, declared_event, payload, tool: None, project_dir: None, empty_transcript: None, depth: 0 })
}

fn spec(name: &str) -> Result<Arc<EventSpec>, hookweave::Error> {
    static EVENTS: OnceLock<Catalogue> = OnceLock::new();
    EVENTS.get_or_init(Catalogue::default).resolve(name)
}
