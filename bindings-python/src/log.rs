//! Whether anyone listens to the logger, and what it is told.
//!
//! `Logger.isEnabledFor` keeps its verdicts in a dict; looking there costs a few nanoseconds, calling it a hundred.

use hookweave::host::Told;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

use crate::ending::Enter as _;
use crate::object::Object;

/// `logging.INFO`.
const INFO: i32 = 20;

struct Listening {
    logger: Py<PyAny>,
    /// The logger's own memory of what it is enabled for; absent in a Python that keeps none.
    verdicts: Option<Py<PyDict>>,
    level: Py<PyAny>,
}

fn listening(py: Python<'_>) -> PyResult<&'static Listening> {
    static LISTENING: PyOnceLock<Listening> = PyOnceLock::new();
    LISTENING.get_or_try_init(py, || {
        let logger = py.import("hookweave._logging")?.getattr("logger")?;
        let verdicts = logger.getattr_opt("_cache")?.and_then(|cache| cache.cast_into_exact::<PyDict>().ok());
        let level = INFO.into_pyobject(py)?.into_any().unbind();
        Ok(Listening { logger: logger.unbind(), verdicts: verdicts.map(Bound::unbind), level })
    })
}

/// Whether starts and ends of hooks are to be logged.
#[inline]
pub(crate) fn is_on(py: Python<'_>) -> bool {
    let Ok(listening) = listening(py) else { return false };
    if let Some(verdicts) = &listening.verdicts
        && let Some(verdict) = verdicts.bind(py).get_item(&listening.level).ok().flatten()
    {
        return verdict.is_truthy().unwrap_or(false);
    }
    let asked = listening.logger.bind(py).enter_method(intern!(py, "isEnabledFor"), (INFO,));
    asked.and_then(|verdict| verdict.is_truthy()).unwrap_or(false)
}

/// Tells that a hook starts.
pub(crate) fn started(py: Python<'_>, event: &Object, hook: &str) -> PyResult<()> {
    static STARTED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    STARTED.import(py, "hookweave._logging", "started")?.enter((event.borrow(py), hook)).map(drop)
}

/// Tells what became of a dispatch in which something failed, or of any when someone listens.
pub(crate) fn dispatched(py: Python<'_>, outcome: &Object, client: &Object, told: &[Told]) -> PyResult<()> {
    static DISPATCHED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let tell = DISPATCHED.import(py, "hookweave._logging", "dispatched")?;
    let times = PyDict::new(py);
    for Told { index, times: failed } in told {
        times.set_item(index, failed)?;
    }
    tell.enter((outcome.borrow(py), client.borrow(py), times)).map(drop)
}

/// Tells of hooks that a person should look at.
pub(crate) fn warned(py: Python<'_>, warnings: &Bound<'_, PyAny>) -> PyResult<()> {
    static WARNED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    WARNED.import(py, "hookweave._logging", "warned")?.enter((warnings,)).map(drop)
}

/// Tells whoever makes spans of a dispatch that is over.
pub(crate) fn traced(py: Python<'_>, outcome: &Object, client: &Object) -> PyResult<()> {
    static TRACED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    TRACED.import(py, "hookweave._telemetry", "dispatched")?.enter((outcome.borrow(py), client.borrow(py))).map(drop)
}
