//! What is logged, and whether a logger wants it.
//!
//! `Logger.isEnabledFor` keeps its answers in a dict, and every dispatch looks there instead of calling it.
//!
//! Bar: "Python, 0 matching hooks / bare loop" of docs/BENCHMARKS.md, <= 1.3x.

use hookweave_host::stats::ReportedFailure;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::finalization::{self, Enter as _};
use crate::object::Object;
use crate::once::{Once, intern};

/// `logging.INFO`.
const INFO: i32 = 20;

struct Logger {
    object: Py<PyAny>,
    /// The logger's own cache of the levels that it is enabled for; absent in a Python that keeps none.
    enabled_levels: Option<Py<PyDict>>,
    level: Py<PyAny>,
}

fn logger(py: Python<'_>) -> PyResult<&Logger> {
    static LOGGER: Once<Logger> = Once::new();
    LOGGER.get_or_make(py, || {
        let logger = finalization::import(py, c"hookweave._logging")?.getattr("logger")?;
        let enabled_levels = logger.getattr_opt("_cache")?.and_then(|cache| cache.cast_into_exact::<PyDict>().ok());
        let level = INFO.into_pyobject(py)?.into_any().unbind();
        Ok(Logger { object: logger.unbind(), enabled_levels: enabled_levels.map(Bound::unbind), level })
    })
}

/// Whether starts and ends of hooks are to be logged.
#[inline]
pub(crate) fn is_on(py: Python<'_>) -> bool {
    let Ok(logger) = logger(py) else { return false };
    if let Some(enabled_levels) = &logger.enabled_levels
        && let Some(enabled) = enabled_levels.bind(py).get_item(&logger.level).ok().flatten()
    {
        return enabled.is_truthy().unwrap_or(false);
    }
    let asked = logger.object.bind(py).enter_method(intern!(py, "isEnabledFor"), (INFO,));
    asked.and_then(|enabled| enabled.is_truthy()).unwrap_or(false)
}

/// Logs that a hook starts.
pub(crate) fn started(py: Python<'_>, event: &Object, hook: &str) -> PyResult<()> {
    static STARTED: Once<Py<PyAny>> = Once::new();
    STARTED.import(py, c"hookweave._logging", "started")?.enter((event.borrow(py), hook)).map(drop)
}

/// Logs the end of a dispatch: of one in which a hook failed, and of any where level info is on.
pub(crate) fn dispatched(
    py: Python<'_>,
    outcome: &Object,
    client: &Object,
    failures: &[ReportedFailure],
) -> PyResult<()> {
    static DISPATCHED: Once<Py<PyAny>> = Once::new();
    let log = DISPATCHED.import(py, c"hookweave._logging", "dispatched")?;
    let times = PyDict::new(py);
    for ReportedFailure { index, times: count } in failures {
        times.set_item(index, count)?;
    }
    log.enter((outcome.borrow(py), client.borrow(py), times)).map(drop)
}

/// Logs warnings about hooks that a person should look at.
pub(crate) fn warned(py: Python<'_>, warnings: &Bound<'_, PyAny>) -> PyResult<()> {
    static WARNED: Once<Py<PyAny>> = Once::new();
    WARNED.import(py, c"hookweave._logging", "warned")?.enter((warnings,)).map(drop)
}

/// Makes spans of a dispatch that is over.
pub(crate) fn traced(py: Python<'_>, outcome: &Object, client: &Object) -> PyResult<()> {
    static TRACED: Once<Py<PyAny>> = Once::new();
    TRACED.import(py, c"hookweave._telemetry", "dispatched")?.enter((outcome.borrow(py), client.borrow(py))).map(drop)
}
