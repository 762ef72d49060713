//! The audit log of a client, and how one is verified.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hookweave_host::audit::{self, Anchor, AuditLevel, AuditOptions, LONGEST_WAIT};
use hookweave_host::error::{Code, Error};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::client::Client;
use crate::completions::CompletionQueue;
use crate::errors;
use crate::serial;
use crate::values::PyHost;

/// Records for the Python thread that delivers them; the log's own thread never enters the interpreter.
#[pyclass(frozen, module = "hookweave._native")]
pub(crate) struct Outbox(Arc<audit::Outbox>);

#[pymethods]
impl Outbox {
    /// Waits at most so many seconds for a record; False when the log is closed and no record will come.
    fn wait(&self, py: Python<'_>, seconds: f64) -> bool {
        py.detach(|| self.0.wait(limit(seconds)))
    }

    /// At most so many lines, and how many were lost before them.
    fn fetch(&self, most: usize) -> (Vec<String>, u64) {
        self.0.fetch(most)
    }

    /// Whether everything was fetched.
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Closes the outbox: no record will come.
    fn close(&self) {
        self.0.close();
    }
}

/// Adds functions and classes to the module.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Outbox>()?;
    module.add_function(wrap_pyfunction!(configure_audit, module)?)?;
    module.add_function(wrap_pyfunction!(set_audit_level, module)?)?;
    module.add_function(wrap_pyfunction!(flush_audit, module)?)?;
    module.add_function(wrap_pyfunction!(close_audit, module)?)?;
    module.add_function(wrap_pyfunction!(audit_state, module)?)?;
    module.add_function(wrap_pyfunction!(verify_audit, module)?)
}

fn limit(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX).min(Duration::from_secs(1 << 31))
}

/// Opens a client's log anew; gives the outbox with the records for Python, if there is a listener.
#[pyfunction]
#[pyo3(signature = (client, options, delivers, queue = None))]
fn configure_audit(
    client: &Bound<'_, Client>,
    options: &Bound<'_, PyAny>,
    delivers: bool,
    queue: Option<&CompletionQueue>,
) -> PyResult<Option<Outbox>> {
    let py = client.py();
    client.get().check_open(py, "configure its audit log")?;
    let config = AuditOptions::read(&PyHost::new(py), options).map_err(|error| errors::of(py, &error))?;
    let outbox = delivers.then(|| match queue {
        Some(queue) => audit::Outbox::new(LONGEST_WAIT, queue.waker()),
        None => audit::Outbox::new(LONGEST_WAIT, || {}),
    });
    let config = match &outbox {
        Some(outbox) => config.sink(outbox.sink()),
        None => config,
    };
    let audit = Arc::clone(client.get().audit());
    py.detach(|| audit.configure(config)).map_err(|error| errors::of(py, &error))?;
    Ok(outbox.map(Outbox))
}

/// Changes how much is recorded; False when records go nowhere.
#[pyfunction]
fn set_audit_level(client: &Bound<'_, Client>, level: &str) -> PyResult<bool> {
    let py = client.py();
    client.get().check_open(py, "configure its audit log")?;
    let level = AuditLevel::named(level).ok_or_else(|| {
        let why = format!("audit level `{level}` is unknown; known are off, error, info, verbose");
        errors::of(py, &Error::new(Code::InvalidOption, why))
    })?;
    let audit = Arc::clone(client.get().audit());
    py.detach(|| audit.set_level(level));
    Ok(audit.has_destination())
}

/// Waits until all is written; False if the seconds passed first.
#[pyfunction]
fn flush_audit(client: &Bound<'_, Client>, seconds: f64) -> bool {
    let audit = Arc::clone(client.get().audit());
    client.py().detach(|| audit.flush(limit(seconds)))
}

/// Writes what is left and closes the log; False if the seconds passed first.
#[pyfunction]
fn close_audit(client: &Bound<'_, Client>, seconds: f64) -> bool {
    let audit = Arc::clone(client.get().audit());
    client.py().detach(|| audit.close(limit(seconds)))
}

/// The level, the file, the anchor of the last written record, and the error that keeps the log from being written.
#[pyfunction]
fn audit_state(client: &Bound<'_, Client>) -> (&'static str, Option<OsString>, Option<String>, Option<String>) {
    let audit = client.get().audit();
    (
        audit.level().as_str(),
        audit.file().map(PathBuf::into_os_string),
        audit.anchor().map(|anchor| anchor.to_string()),
        audit.trouble(),
    )
}

fn read_anchor(py: Python<'_>, given: &Bound<'_, PyAny>) -> PyResult<Anchor> {
    let text = match given.cast::<PyString>() {
        Ok(text) => text.to_string_lossy().into_owned(),
        // Something else than text is refused with the same message, with its `repr`.
        Err(_) => format!("{}", given.repr()?),
    };
    text.parse().map_err(|error| errors::of(py, &error))
}

/// Verifies that a log is complete and unchanged; the report names the first record that is not.
#[pyfunction]
fn verify_audit<'py>(py: Python<'py>, path: &str, anchor: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    let anchor = anchor.map(|given| read_anchor(py, given)).transpose()?;
    let report = py.detach(|| audit::verify(path.as_ref(), anchor.as_ref())).map_err(|error| errors::of(py, &error))?;
    serial::to_python(py, &report)
}
