//! What is registered for an event: a function of the host's, a guard, or an outside hook.

use hookweave_host::error::{Code, Error};
use hookweave_host::guard::Guard;
use hookweave_host::hook::HookSpec;
use hookweave_host::matcher;
use hookweave_host::registry::Registry;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;

use crate::errors;
use crate::object::Object;
use crate::outside_hooks::OutsideHook;
use crate::serial;
use crate::values::PyHost;

/// A pattern that fits this name or id and no other.
#[pyfunction]
pub(crate) fn exact_pattern(py: Python<'_>, name: &str) -> PyResult<String> {
    matcher::exact_pattern(name).map_err(|error| errors::of(py, &error))
}

/// A registered handler.
#[derive(Debug)]
pub(crate) struct Handler {
    pub(crate) callable: Object,
    /// It blocks, and runs on a thread.
    pub(crate) in_thread: bool,
    /// Calling it gives a coroutine.
    pub(crate) is_async: bool,
    pub(crate) kind: HandlerKind,
}

/// Where a handler comes from, and who enforces its timeout.
#[derive(Debug)]
pub(crate) enum HandlerKind {
    /// A function of the host's.
    Function,
    /// A guard: the same answer each time.
    Guard,
    /// An outside hook that the core runs; it keeps its own timeout.
    Outside,
    /// An outside hook that the host runs: a question to its model, or a call of its tool.
    Hosted(OutsideHook),
}

impl HandlerKind {
    /// Whether the core runs the hook.
    pub(crate) const fn is_run_by_core(&self) -> bool {
        matches!(self, Self::Outside)
    }

    /// Whether it is an outside hook.
    pub(crate) const fn is_outside(&self) -> bool {
        matches!(self, Self::Outside | Self::Hosted(_))
    }

    /// Whether the program gave the function that runs.
    pub(crate) const fn is_function(&self) -> bool {
        matches!(self, Self::Function)
    }
}

impl Handler {
    /// How long the binding lets the hook run; `None` where the core enforces the timeout.
    #[inline]
    pub(crate) fn limit(&self, timeout: Option<std::time::Duration>) -> Option<std::time::Duration> {
        if self.kind.is_run_by_core() { None } else { timeout }
    }
}

/// Registers a function of the host's; gives the hook's id.
pub(crate) fn register(
    py: Python<'_>,
    registry: &Registry<Handler>,
    event: &str,
    callable: &Bound<'_, PyAny>,
    options: &Bound<'_, PyDict>,
    in_thread: bool,
    is_async: bool,
) -> PyResult<String> {
    let refuse = |error: Error| errors::of(py, &error);
    let spec = HookSpec::read_beside(&PyHost::new(py), event, options.as_any(), &["run_in_thread"]).map_err(refuse)?;
    if in_thread && is_async {
        let message =
            format!("hook on {event}: run_in_thread is for blocking handlers, and this one is a coroutine function");
        return Err(refuse(Error::new(Code::InvalidHook, message)));
    }
    let handler = Handler { callable: Object::of(callable), in_thread, is_async, kind: HandlerKind::Function };
    Ok(registry.register(spec, handler).map_err(refuse)?.to_string())
}

/// What a guard runs: it gives its answer, whatever the event.
#[pyclass(frozen, module = "hookweave._native")]
pub(crate) struct GuardAnswer(Value);

#[pymethods]
impl GuardAnswer {
    fn __call__<'py>(&self, event: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        serial::to_python(event.py(), &self.0)
    }
}

/// Registers a guard; gives the hook's id.
pub(crate) fn register_guard(
    py: Python<'_>,
    registry: &Registry<Handler>,
    guard: Result<Guard, Error>,
) -> PyResult<String> {
    let refuse = |error: Error| errors::of(py, &error);
    let Guard { spec, decision } = guard.map_err(refuse)?;
    let callable = Object::of(Bound::new(py, GuardAnswer(decision.answer()))?.as_any());
    let handler = Handler { callable, in_thread: false, is_async: false, kind: HandlerKind::Guard };
    Ok(registry.register(spec, handler).map_err(refuse)?.to_string())
}
