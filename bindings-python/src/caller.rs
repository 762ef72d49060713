//! Who awaits a dispatch: a task of asyncio, one of trio, or neither.

use std::cell::Cell;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

use crate::deadline;
use crate::ending::Enter as _;
use crate::object::{Gil, Object};

/// The asyncio task that awaits this dispatch.
pub(crate) struct Task {
    pub(crate) event_loop: Object,
    pub(crate) object: Object,
    /// Cancel requests that were open before the dispatch waited for the first time; they are not for it.
    pub(crate) requests: i64,
}

/// The asyncio task that is stepping this dispatch.
#[cold]
pub(crate) fn find_task(py: Python<'_>) -> PyResult<Option<Task>> {
    let Some(event_loop) = deadline::running_loop(py) else { return Ok(None) };
    let Some(task) = deadline::current_task(py, &event_loop) else { return Ok(None) };
    let mut requests: i64 = task.borrow(py).enter_method(intern!(py, "cancelling"), ())?.extract()?;
    if requests > 0
        && task
            .borrow(py)
            .getattr_opt(intern!(py, "_must_cancel"))?
            .is_some_and(|must| must.is_truthy().unwrap_or(false))
    {
        // A hook has cancelled its own task; the request is still to be delivered, and it is for this dispatch.
        requests -= 1;
    }
    Ok(Some(Task { event_loop, object: task, requests }))
}

/// Whether the caller runs inside trio, found out without importing it.
#[inline]
pub(crate) fn is_on_trio(py: Python<'_>) -> PyResult<bool> {
    static MODULES: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    /// How many modules there were when trio was last looked for, and whether it was there.
    static SEEN: Gil<Cell<(usize, bool)>> = Gil::new(Cell::new((0, false)));
    let modules = MODULES.import(py, "sys", "modules")?;
    let count = modules.len();
    let (seen, mut is_there) = SEEN.get(py).get();
    if seen != count {
        is_there = modules.contains(intern!(py, "trio"))?;
        SEEN.get(py).set((count, is_there));
    }
    if is_there { asks_trio(py) } else { Ok(false) }
}

#[cold]
fn asks_trio(py: Python<'_>) -> PyResult<bool> {
    static IN_TASK: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    IN_TASK.import(py, "hookweave._trio", "in_task")?.enter(())?.is_truthy()
}
