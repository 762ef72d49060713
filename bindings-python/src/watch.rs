//! Noticing that files of hooks change: a thread of the core rings a mailbox, and whoever watches it does the rest.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use hookweave::host;
use pyo3::prelude::*;

use crate::errors;
use crate::native::Mailbox;

/// Looks after files until it is stopped or collected; its thread never enters the interpreter.
#[pyclass(frozen, module = "hookweave._native")]
pub(crate) struct Watch(Mutex<Option<host::Watch>>);

#[pymethods]
impl Watch {
    #[new]
    fn new(py: Python<'_>, files: Vec<PathBuf>, mailbox: &Mailbox) -> PyResult<Self> {
        let ring = mailbox.ringer();
        let watch = py.detach(|| host::watch(files, host::QUIET, move |_| ring()));
        Ok(Self(Mutex::new(Some(watch.map_err(|error| errors::of(py, &error))?))))
    }

    /// Ends the thread.
    fn stop(&self, py: Python<'_>) {
        let watch = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| drop(watch));
    }
}
