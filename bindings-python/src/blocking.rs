//! The driver of `dispatch_sync`: no event loop, every hook on the caller's thread.

use hookweave::host::{Code, Error, Failure, FailureKind, Report};
use pyo3::exceptions::{PyException, PyTimeoutError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::clock::{self, now};
use crate::deadline;
use crate::ending::Enter as _;
use crate::errors;
use crate::flight::{self, Finished, Flight};
use crate::object::{self, Awaiting, Inside, Object, call_one};

/// Runs a dispatch to its end.
pub(crate) fn run(py: Python<'_>, mut flight: Flight) -> PyResult<Object> {
    let mut finished = flight.begin(py);
    if finished.is_none() {
        refuse_coroutines(py, &flight)?;
    }
    let _inside = Inside::enter(flight.depth + 1);
    loop {
        if let Some(finished) = finished {
            return flight.outcome(py, finished);
        }
        finished = stage(py, &mut flight)?;
    }
}

/// Refuses before the first hook runs when a selected one has to be awaited.
fn refuse_coroutines(py: Python<'_>, flight: &Flight) -> PyResult<()> {
    let Some(call) = flight.planned().iter().find(|call| call.entry().handler().is_async) else { return Ok(()) };
    let message = format!(
        "hook {} on {} is a coroutine function; use `await client.dispatch(…)`",
        call.entry().name(),
        call.entry().event().name()
    );
    Err(errors::of(py, &Error::new(Code::AwaitableInSyncDispatch, message)))
}

fn stage(py: Python<'_>, flight: &mut Flight) -> PyResult<Option<Finished>> {
    let calls = flight.calls().len();
    if calls > 1 {
        let reports = side_by_side(py, flight)?;
        return Ok(flight.resume(py, reports));
    }
    let report = one(py, flight, 0, false)?;
    Ok(flight.resume(py, [report]))
}

/// Runs a stage of several hooks: those that the core runs at once, the others meanwhile, one after the other.
fn side_by_side(py: Python<'_>, flight: &mut Flight) -> PyResult<Vec<Report<Object>>> {
    let calls = flight.calls().to_vec();
    let mut begun = Vec::with_capacity(calls.len());
    for (index, call) in calls.iter().enumerate() {
        let handler = call.entry().handler();
        if !handler.native.is_run() || call.entry().detached() {
            begun.push(None);
            continue;
        }
        flight.log_start(py, index)?;
        if let Some(stage) = flight.stage_mut() {
            stage.started(index);
        }
        let event = flight.own_event(py)?;
        begun.push(Some((handler.callable.borrow(py).enter_method(intern!(py, "begin"), (event.borrow(py),)), now())));
    }
    let mut reports = Vec::with_capacity(calls.len());
    for (index, begun) in begun.iter().enumerate() {
        reports.push(if begun.is_some() { None } else { Some(one(py, flight, index, true)?) });
    }
    for (index, ((report, begun), call)) in reports.iter_mut().zip(begun).zip(&calls).enumerate() {
        let Some((begun, began)) = begun else { continue };
        let handler = call.entry().handler().callable.borrow(py);
        let said = match begun.and_then(|begun| handler.enter_method(intern!(py, "finish"), (begun,))) {
            Ok(answer) => Flight::said(py, Object::from_bound(answer)),
            Err(error) if error.is_instance_of::<PyException>(py) => flight.raised(py, index, error)?,
            Err(error) => return Err(error),
        };
        *report = Some(Report::new(said, clock::nanos(now().saturating_duration_since(began))));
        flight.start_clock();
        flight.lap();
    }
    Ok(reports.into_iter().flatten().collect())
}

fn one(py: Python<'_>, flight: &mut Flight, index: usize, beside_others: bool) -> PyResult<Report<Object>> {
    let Some(call) = flight.calls().get(index) else { return Err(errors::broken("a call vanished")) };
    let entry = std::sync::Arc::clone(call.entry());
    if entry.detached() {
        return flight.detach(py, index);
    }
    flight.log_start(py, index)?;
    if let Some(stage) = flight.stage_mut() {
        stage.started(index);
    }
    let event = if beside_others { flight.own_event(py)? } else { flight.event(py)? };
    flight.start_clock();
    let handler = entry.handler();
    let result = if handler.native.is_from_file() {
        handler.callable.borrow(py).enter_method(intern!(py, "run_sync"), (event.borrow(py),)).map(Object::from_bound)
    } else if handler.in_thread {
        in_thread(py, handler, &event, entry.timeout(), flight.depth + 1)
    } else {
        call_one(py, &handler.callable, &event).ok_or_else(|| PyErr::fetch(py))
    };
    drop(event);
    match result {
        Ok(result) if object::awaiting(&result) == Awaiting::Nothing => Ok(flight.answered_at(py, index, result)),
        Ok(awaitable) => flight.failed(py, index, unexpected(py, &awaitable)),
        Err(error) if handler.in_thread && error.is_instance_of::<Overdue>(py) => {
            flight.failed(py, index, Failure::timeout(entry.timeout().unwrap_or_default()))
        }
        Err(error) if error.is_instance_of::<PyException>(py) => {
            let took = flight.lap();
            Ok(Report::new(flight.raised(py, index, error)?, took))
        }
        Err(error) if error.is_instance(py, &deadline::cancelled_error(py)?) => {
            flight.failed(py, index, flight::cancelled(py, error))
        }
        Err(error) => Err(error),
    }
}

pyo3::create_exception!(_native, Overdue, PyTimeoutError, "A thread did not finish in time; never leaves this file.");

/// Runs a blocking handler on a thread and waits for it, at most as long as its timeout.
fn in_thread(
    py: Python<'_>,
    handler: &crate::known::Handler,
    event: &Object,
    limit: Option<std::time::Duration>,
    depth: u32,
) -> PyResult<Object> {
    static WAIT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let wait = WAIT.import(py, "hookweave._threads", "run_blocking")?;
    let seconds = limit.map(|limit| limit.as_secs_f64());
    let (kind, value): (String, Bound<'_, PyAny>) =
        wait.enter((handler.callable.borrow(py), event.borrow(py), depth, seconds))?.extract()?;
    match kind.as_str() {
        "answer" => Ok(Object::from_bound(value)),
        "timeout" => Err(Overdue::new_err(())),
        _ => Err(PyErr::from_value(value)),
    }
}

/// Closes an awaitable that nobody can await; on a gate it counts as a block, since nobody knows what it would say.
fn unexpected(py: Python<'_>, awaitable: &Object) -> Failure<Object> {
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
    Failure { meant_to_restrict: true, ..Failure::new(FailureKind::InvalidAnswer, message) }
}
