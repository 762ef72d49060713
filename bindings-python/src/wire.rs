//! Events and answers in the format of an agent's dialect: for hooks that an agent starts, and for handlers written for another
//! system.

use std::sync::{Arc, OnceLock};

use hookweave_host::dialects::{self, CommandOutput};
use hookweave_host::dialects::{Invocation, event_from_wire, outcome_to_wire};
use hookweave_host::event::Catalogue;
use hookweave_host::event::EventSpec;
use hookweave_host::json::{from_json, to_json};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde_json::{Map, Value, json};

use crate::completions;
use crate::errors;
use crate::serial;
use crate::values::PyHost;

/// Adds the functions to the module.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(from_wire, module)?)?;
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

/// The result of a hook of the dialect: `(True, answer)`, or `(False, exception)` of its failure.
#[pyfunction]
fn dialect_answer<'py>(
    py: Python<'py>,
    dialect: &str,
    declared: &str,
    event: &str,
    payload: &str,
    answer: &str,
) -> PyResult<Bound<'py, PyTuple>> {
    let invocation = invocation(py, declared, event, payload)?;
    let dialect = dialects::named(dialect).map_err(|error| errors::of(py, &error))?;
    let exited = CommandOutput { code: Some(0), signal: None, stdout: answer.as_bytes().to_vec(), stderr: Vec::new() };
    completions::result(py, dialects::answer_of_command(dialect, &invocation, &exited))
}

/// Reads what an agent sends to its hooks: the canonical event name and the payload.
#[pyfunction]
fn from_wire<'py>(py: Python<'py>, dialect: &str, text: &str) -> PyResult<(&'static str, Bound<'py, PyAny>)> {
    let event = event_from_wire(dialect, text).map_err(|error| errors::of(py, &error))?;
    Ok((event.event, serial::to_python(py, &event.payload)?))
}

/// The output of a hook for its agent: `(exit_code, stdout, stderr, degraded)`.
pub(crate) fn to_wire<'py>(
    py: Python<'py>,
    dialect: &str,
    outcome: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyTuple>> {
    let text = to_json(&PyHost::new(py), outcome.as_any());
    let text = text.map_err(|error| errors::raise(py, "payload_not_json", &error.to_string()))?;
    let outcome: Value = from_json(&text).unwrap_or_else(|_| json!({}));
    let answer = outcome_to_wire(dialect, &outcome).map_err(|error| errors::of(py, &error))?;
    (answer.exit_code, answer.stdout, answer.stderr, answer.degraded).into_pyobject(py)
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

fn spec(name: &str) -> Result<Arc<EventSpec>, hookweave_host::error::Error> {
    static EVENTS: OnceLock<Catalogue> = OnceLock::new();
    EVENTS.get_or_init(Catalogue::default).resolve(name)
}
