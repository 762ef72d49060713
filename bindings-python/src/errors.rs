//! The core's errors as Python exceptions; the classes are Python's, chosen by code.

use hookweave_host::error::Error;
use pyo3::exceptions::{PyException, PyRuntimeError};
use pyo3::prelude::*;

use crate::finalization::Enter as _;
use crate::once::Once;

static ERROR_OF: Once<Py<PyAny>> = Once::new();

/// The exception for a code of the core.
pub(crate) fn raise(py: Python<'_>, code: &str, message: &str) -> PyErr {
    ERROR_OF
        .import(py, c"hookweave.errors", "error_of")
        .and_then(|make| make.enter((code, message)))
        .map_or_else(|error| error, PyErr::from_value)
}

/// The exception for an error of the core.
pub(crate) fn of(py: Python<'_>, error: &Error) -> PyErr {
    raise(py, error.code().as_str(), error.message())
}

/// The exception for an internal error, which only a bug of the package causes.
pub(crate) fn internal(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("internal error of hookweave: {what}"))
}

/// Whether an exception that a hook raised is its failure, rather than what ends the program, the task or the greenlet.
pub(crate) fn is_failure(py: Python<'_>, error: &PyErr) -> bool {
    static ASK: Once<Py<PyAny>> = Once::new();
    if error.is_instance_of::<PyException>(py) {
        // A person at the debugger's prompt ends the program, not the hook.
        return !error.get_type(py).name().is_ok_and(|name| name == "BdbQuit");
    }
    let is_control_flow = ASK
        .import(py, c"hookweave._control_flow", "is_control_flow")
        .and_then(|ask| ask.enter((error.value(py),))?.is_truthy());
    !is_control_flow.unwrap_or(true)
}

/// `ValueError: what`; the type alone when there is no text.
pub(crate) fn describe(py: Python<'_>, error: &PyErr) -> String {
    let kind = error.get_type(py).name().map_or_else(|_| "Exception".to_owned(), |name| name.to_string());
    let text = error.value(py).str().ok().and_then(|text| text.to_str().ok().map(str::to_owned)).unwrap_or_default();
    if text.is_empty() { kind } else { format!("{kind}: {text}") }
}
