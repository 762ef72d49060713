//! Watching files for changes: a thread of the core wakes a completion queue, and the code that watches the queue reloads.

use std::ffi::OsString;
use std::sync::{Mutex, PoisonError};

use hookweave_host::config::watch::QUIET;
use hookweave_host::files::FilesWatch;
use pyo3::prelude::*;

use crate::client::Client;
use crate::completions::CompletionQueue;
use crate::errors;

/// Watches a client's files until it is stopped or collected; its thread never enters the interpreter.
#[pyclass(frozen, module = "hookweave._native")]
pub(crate) struct Watch(Mutex<Option<FilesWatch>>);

#[pymethods]
impl Watch {
    #[new]
    fn new(client: &Bound<'_, Client>, queue: &CompletionQueue) -> PyResult<Self> {
        let (py, this) = (client.py(), client.get());
        let wake = queue.waker();
        let _turn = this.loading(py);
        let watch = py.detach(|| this.files().watch(this.runtime(), QUIET, wake));
        Ok(Self(Mutex::new(Some(watch.map_err(|error| errors::of(py, &error))?))))
    }

    /// What happened since the last call: whether to reload, and the changed files that hooks have asked for.
    fn take(&self) -> (bool, Vec<(OsString, &'static str)>) {
        let watch = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let changes = watch.as_ref().map(FilesWatch::take).unwrap_or_default();
        let files = changes.files.into_iter().map(|(file, change)| (file.into_os_string(), change));
        (changes.reload, files.collect())
    }

    /// Ends the thread.
    fn stop(&self, py: Python<'_>) {
        let watch = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| drop(watch));
    }
}
