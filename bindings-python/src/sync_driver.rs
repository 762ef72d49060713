//! The driver of `dispatch_sync`: no event loop, every hook on the caller's thread.

use hookweave_host::dispatch::{FailureKind, HookFailure, Report};
use hookweave_host::error::{Code, Error};
use pyo3::prelude::*;

use crate::clock::{self, now};
use crate::dispatch_state::{self, DispatchState, Start};
use crate::errors;
use crate::finalization::Enter as _;
use crate::object::{self, Awaiting, Inside, Object, call_one};
use crate::once::{Once, intern};
use crate::outcome::Finished;
use crate::registration::Handler;
use crate::task;

/// Runs a dispatch to its end.
pub(crate) fn run(py: Python<'_>, mut state: DispatchState) -> PyResult<Object> {
    let mut finished = state.begin(py)?;
    if finished.is_none() {
        refuse_coroutines(py, &state)?;
    }
    let _inside = Inside::enter(state.depth + 1);
    loop {
        if let Some(finished) = finished {
            return state.outcome(py, finished);
        }
        finished = run_stage(py, &mut state)?;
    }
}

/// Refuses before the first hook runs when a selected one has to be awaited.
fn refuse_coroutines(py: Python<'_>, state: &DispatchState) -> PyResult<()> {
    let Some(call) = state.planned().iter().find(|call| call.entry().handler().is_async) else { return Ok(()) };
    let message = format!(
        "hook {} on {} is a coroutine function; use `await client.dispatch(…)`",
        call.entry().name(),
        call.entry().event().name()
    );
    Err(errors::of(py, &Error::new(Code::AwaitableInSyncDispatch, message)))
}

fn run_stage(py: Python<'_>, state: &mut DispatchState) -> PyResult<Option<Finished>> {
    let calls = state.calls().len();
    if calls > 1 {
        let reports = run_side_by_side(py, state)?;
        return Ok(state.resume(py, reports));
    }
    let report = run_hook(py, state, 0, Start::Alone)?;
    Ok(state.resume(py, [report]))
}

/// Runs a stage of several hooks: those that the core runs at once, the others meanwhile, one after the other.
fn run_side_by_side(py: Python<'_>, state: &mut DispatchState) -> PyResult<Vec<Report<Object>>> {
    let calls = state.calls().to_vec();
    state.hold(py);
    let mut begun = Vec::with_capacity(calls.len());
    for (index, call) in calls.iter().enumerate() {
        if !call.entry().handler().kind.is_run_by_core() || call.entry().detached() {
            begun.push(None);
            continue;
        }
        begun.push(Some(state.start_hook(py, index, Start::Untimed, |_, handler, event| {
            (handler.borrow(py).enter_method(intern!(py, "begin"), (event.borrow(py),)), now())
        })?));
    }
    let mut reports = Vec::with_capacity(calls.len());
    for (index, begun) in begun.iter().enumerate() {
        reports.push(if begun.is_some() { None } else { Some(run_hook(py, state, index, Start::Beside)?) });
    }
    for (index, ((report, begun), call)) in reports.iter_mut().zip(begun).zip(&calls).enumerate() {
        let Some((begun, began)) = begun else { continue };
        let handler = call.entry().handler().callable.borrow(py);
        let result = match begun.and_then(|begun| handler.enter_method(intern!(py, "finish"), (begun,))) {
            Ok(answer) => dispatch_state::answer(py, Object::from_bound(answer)),
            Err(error) if errors::is_failure(py, &error) => state.raised(py, index, error)?,
            Err(error) => return Err(error),
        };
        *report = Some(Report::new(result, clock::nanos(now().saturating_duration_since(began))));
        state.skip_to_now();
    }
    Ok(reports.into_iter().flatten().collect())
}

/// What calling a handler came to.
enum Called {
    Returned(Object),
    Raised(PyErr),
    /// Its thread did not finish in time.
    TimedOut,
}

impl From<PyResult<Object>> for Called {
    fn from(result: PyResult<Object>) -> Self {
        result.map_or_else(Self::Raised, Self::Returned)
    }
}

fn run_hook(py: Python<'_>, state: &mut DispatchState, index: usize, how: Start) -> PyResult<Report<Object>> {
    let Some(entry) = state.calls().get(index).map(|call| std::sync::Arc::clone(call.entry())) else {
        return Err(errors::internal("a call vanished"));
    };
    if entry.detached() {
        return state.detach(py, index);
    }
    let (handler, limit) = (entry.handler(), entry.timeout());
    if handler.kind.is_outside() || handler.in_thread {
        // Other threads of the host run meanwhile.
        state.hold(py);
    }
    let called = state.start_hook(py, index, how, |state, callable, event| {
        if handler.kind.is_outside() {
            let answer = callable.borrow(py).enter_method(intern!(py, "run_sync"), (event.borrow(py),));
            Called::from(answer.map(Object::from_bound))
        } else if handler.in_thread {
            run_in_thread(py, handler, event, limit, state.depth + 1).unwrap_or_else(Called::Raised)
        } else {
            Called::from(call_one(py, callable, event).ok_or_else(|| PyErr::fetch(py)))
        }
    })?;
    match called {
        Called::Returned(result) if object::awaiting(&result) == Awaiting::Nothing => {
            Ok(state.answered(py, index, result))
        }
        Called::Returned(awaitable) => state.failed(py, index, unexpected(py, &awaitable)),
        Called::TimedOut => state.failed(py, index, HookFailure::timeout(limit.unwrap_or_default())),
        Called::Raised(error) if errors::is_failure(py, &error) => {
            let took = state.lap();
            Ok(Report::new(state.raised(py, index, error)?, took))
        }
        Called::Raised(error) if error.is_instance(py, &task::cancelled_error(py)?) => {
            state.failed(py, index, dispatch_state::cancelled(py, error))
        }
        Called::Raised(error) => Err(error),
    }
}

/// Runs a blocking handler on a thread and waits for it, at most as long as its timeout.
fn run_in_thread(
    py: Python<'_>,
    handler: &Handler,
    event: &Object,
    limit: Option<std::time::Duration>,
    depth: u32,
) -> PyResult<Called> {
    static WAIT: Once<Py<PyAny>> = Once::new();
    let wait = WAIT.import(py, c"hookweave._threads", "run_blocking")?;
    let seconds = limit.map(|limit| limit.as_secs_f64());
    let (kind, value): (String, Bound<'_, PyAny>) =
        wait.enter((handler.callable.borrow(py), event.borrow(py), depth, seconds))?.extract()?;
    Ok(match kind.as_str() {
        "answer" => Called::Returned(Object::from_bound(value)),
        "timeout" => Called::TimedOut,
        _ => Called::Raised(PyErr::from_value(value)),
    })
}

/// Closes an awaitable that cannot be awaited here; on a gate it counts as a block, since its answer is unknown.
fn unexpected(py: Python<'_>, awaitable: &Object) -> HookFailure<Object> {
    let awaitable = awaitable.borrow(py);
    let kind = awaitable.get_type().name().map_or_else(|_| "awaitable".to_owned(), |name| name.to_string());
    let stop = if awaitable.hasattr(intern!(py, "close")).unwrap_or(false) {
        intern!(py, "close")
    } else {
        intern!(py, "cancel")
    };
    if let Err(error) = awaitable.enter_method(stop, ())
        && awaitable.hasattr(stop).unwrap_or(false)
    {
        error.write_unraisable(py, Some(&awaitable));
    }
    let message =
        format!("the handler gave a {kind}, which dispatch_sync cannot await; use `await client.dispatch(…)`");
    HookFailure { meant_to_restrict: true, ..HookFailure::new(FailureKind::InvalidAnswer, message) }
}
