//! The task that awaits a dispatch: one of asyncio, one of trio, or none.

use std::cell::Cell;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::finalization::Enter as _;
use crate::object::{Gil, Object};
use crate::once::{Once, intern};

/// The asyncio task that awaits a dispatch.
pub(crate) struct Task {
    pub(crate) event_loop: Object,
    pub(crate) object: Object,
    /// Cancel requests that were open before the dispatch waited for the first time; they are not for it.
    pub(crate) requests: i64,
}

/// The asyncio task that is stepping this dispatch.
#[cold]
pub(crate) fn find_task(py: Python<'_>) -> PyResult<Option<Task>> {
    let Some(event_loop) = running_loop(py) else { return Ok(None) };
    let Some(task) = current_task(py, &event_loop) else { return Ok(None) };
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
    static MODULES: Once<Py<PyDict>> = Once::new();
    /// How many modules were loaded when trio was last looked for, and whether it was among them.
    static CHECKED: Gil<Cell<(usize, bool)>> = Gil::new(Cell::new((0, false)));
    let modules = MODULES.import(py, c"sys", "modules")?;
    let count = modules.len();
    let (checked, mut is_loaded) = CHECKED.get(py).get();
    if checked != count {
        is_loaded = modules.contains(intern!(py, "trio"))?;
        CHECKED.get(py).set((count, is_loaded));
    }
    if is_loaded { is_in_trio_task(py) } else { Ok(false) }
}

#[cold]
fn is_in_trio_task(py: Python<'_>) -> PyResult<bool> {
    static IN_TASK: Once<Py<PyAny>> = Once::new();
    IN_TASK.import(py, c"hookweave._trio_runner", "in_task")?.enter(())?.is_truthy()
}

fn cached<'py>(py: Python<'py>, cell: &'static Once<Py<PyAny>>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    cell.import(py, c"asyncio", name).cloned()
}

/// The loop that runs on this thread; `None` outside asyncio.
fn running_loop(py: Python<'_>) -> Option<Object> {
    static RUNNING: Once<Py<PyAny>> = Once::new();
    let found = cached(py, &RUNNING, "_get_running_loop").ok()?.enter(()).ok()?;
    (!found.is_none()).then(|| Object::from_bound(found))
}

/// The asyncio task that runs on this thread; `None` outside a task.
fn current_task(py: Python<'_>, event_loop: &Object) -> Option<Object> {
    static CURRENT: Once<Py<PyAny>> = Once::new();
    let found = cached(py, &CURRENT, "current_task").ok()?.enter((event_loop.borrow(py),)).ok()?;
    (!found.is_none()).then(|| Object::from_bound(found))
}

/// How often the running task was asked to end; None on trio and outside a task, where requests are not counted.
#[pyfunction]
pub(crate) fn cancel_requests(py: Python<'_>) -> PyResult<Option<i64>> {
    if is_on_trio(py)? {
        return Ok(None);
    }
    let Some(task) = running_loop(py).and_then(|event_loop| current_task(py, &event_loop)) else { return Ok(None) };
    task.borrow(py).enter_method(intern!(py, "cancelling"), ())?.extract().map(Some)
}

/// `asyncio.CancelledError`.
pub(crate) fn cancelled_error(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    static CLASS: Once<Py<PyAny>> = Once::new();
    cached(py, &CLASS, "CancelledError")
}
