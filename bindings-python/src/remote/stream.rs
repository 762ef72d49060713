//! Messages on a stream of bytes.

use std::sync::{Mutex, PoisonError};

use hookweave_host::remote::frames::{self, Frames as Splitter};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Splits what comes over a stream into messages.
#[pyclass(frozen, module = "hookweave._native")]
pub(crate) struct Frames(Mutex<Splitter>);

#[pymethods]
impl Frames {
    #[new]
    const fn new(max_message: usize) -> Self {
        Self(Mutex::new(Splitter::new(max_message)))
    }

    /// The messages that are whole now, and why the stream cannot be read any further, if so.
    fn push<'py>(&self, py: Python<'py>, bytes: &[u8]) -> (Vec<Bound<'py, PyBytes>>, Option<String>) {
        let mut splitter = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        splitter.push(bytes);
        let mut messages = Vec::new();
        loop {
            match splitter.next_message() {
                Ok(Some(message)) => messages.push(PyBytes::new(py, &message)),
                Ok(None) => return (messages, None),
                Err(too_large) => return (messages, Some(too_large.to_string())),
            }
        }
    }
}

/// A message behind its length.
#[pyfunction]
pub(crate) fn frame<'py>(py: Python<'py>, message: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let framed = frames::frame(message);
    let framed = framed.ok_or_else(|| PyValueError::new_err("a message of 4 GiB and more has no length"))?;
    Ok(PyBytes::new(py, &framed))
}
