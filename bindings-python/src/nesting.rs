//! How deep dispatches nest.
//!
//! A hook that dispatches is found by a thread-local, exactly and for free. A hook that starts a task which dispatches
//! is found by a context variable; since setting one costs as much as calling a hook, that is done only once dispatches
//! were seen to overlap, which such a hook causes.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use pyo3::prelude::*;

use crate::finalization;
use crate::object::{self, Object};
use crate::once::{Once, intern};

static SUSPENDED: AtomicUsize = AtomicUsize::new(0);
static TRACKED: AtomicBool = AtomicBool::new(false);

fn variable(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static VARIABLE: Once<Py<PyAny>> = Once::new();
    let made = VARIABLE.get_or_make(py, || {
        finalization::import(py, c"contextvars")?.getattr("ContextVar")?.call1(("hookweave_depth",)).map(Bound::unbind)
    });
    made.map(|variable| variable.bind(py))
}

/// The depth of a dispatch that the running code asks for.
#[inline]
pub(crate) fn depth(py: Python<'_>) -> u32 {
    let inline = object::depth();
    if inline == 0 && SUSPENDED.load(Ordering::Relaxed) > 0 {
        TRACKED.store(true, Ordering::Relaxed);
    }
    if TRACKED.load(Ordering::Relaxed) { inline.max(of_context(py)) } else { inline }
}

#[cold]
fn of_context(py: Python<'_>) -> u32 {
    variable(py).and_then(|variable| variable.call_method1(intern!(py, "get"), (0,))?.extract()).unwrap_or(0)
}

/// Whether the depth has to be set in the context of tasks.
#[inline]
pub(crate) fn is_tracked() -> bool {
    TRACKED.load(Ordering::Relaxed)
}

/// Sets the depth for tasks that are started from here on.
#[cold]
pub(crate) fn set(py: Python<'_>, depth: u32) -> PyResult<Object> {
    TRACKED.store(true, Ordering::Relaxed);
    set_in_context(py, depth)
}

/// Sets the depth in the context only: dispatches begin to look there when they are seen to overlap.
pub(crate) fn set_in_context(py: Python<'_>, depth: u32) -> PyResult<Object> {
    variable(py)?.call_method1(intern!(py, "set"), (depth,)).map(Object::from_bound)
}

/// Takes back what `set` has set.
#[cold]
pub(crate) fn reset(py: Python<'_>, token: Object) {
    let done = variable(py).and_then(|variable| variable.call_method1(intern!(py, "reset"), (token.into_bound(py),)));
    // The dispatch is driven in another context than the one it began in, where there is nothing to take back.
    drop(done);
}

/// Counts a dispatch that waits, while it lives.
pub(crate) struct SuspendedDispatch(());

impl SuspendedDispatch {
    pub(crate) fn new() -> Self {
        SUSPENDED.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for SuspendedDispatch {
    fn drop(&mut self) {
        SUSPENDED.fetch_sub(1, Ordering::Relaxed);
    }
}
