//! Stages of several hooks, of detached ones, and all stages on trio: a runner written in Python waits for the hooks.

use std::time::Duration;

use hookweave_host::dispatch::{FailureKind, HookFailure, Report};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::clock;
use crate::dispatch_state::{self, DispatchState, Start};
use crate::errors;
use crate::finalization::Enter as _;
use crate::object::Object;
use crate::once::Once;

/// Reports of the hooks of a stage by place; `None` for a hook that the runner waits for.
pub(crate) type Reports = Vec<Option<Report<Object>>>;

/// Starts the hooks of a stage; gives the calls for the runner and the reports that are there already.
pub(crate) fn start<'py>(py: Python<'py>, state: &mut DispatchState) -> PyResult<(Bound<'py, PyList>, Reports)> {
    let calls = state.calls().to_vec();
    let mut reports = Vec::with_capacity(calls.len());
    let awaited = PyList::empty(py);
    for (index, call) in calls.iter().enumerate() {
        if call.entry().detached() {
            reports.push(Some(state.detach(py, index)?));
            continue;
        }
        let tuple =
            state.start_hook(py, index, Start::Beside, |state, _, event| state.call_tuple(py, call, event))??;
        awaited.append(tuple)?;
        reports.push(None);
    }
    Ok((awaited, reports))
}

/// The coroutine of the runner that runs the calls.
pub(crate) fn run(py: Python<'_>, calls: &Bound<'_, PyList>, on_trio: bool) -> PyResult<Object> {
    static ASYNCIO: Once<Py<PyAny>> = Once::new();
    static TRIO: Once<Py<PyAny>> = Once::new();
    let run = if on_trio {
        TRIO.import(py, c"hookweave._trio_runner", "run_stage")?
    } else {
        ASYNCIO.import(py, c"hookweave._asyncio_runner", "run_stage")?
    };
    Ok(Object::from_bound(run.enter((calls,))?))
}

/// The reports of a stage with those of the runner: `(kind, value, seconds)` for each hook that it waited for.
pub(crate) fn finish(
    py: Python<'_>,
    state: &mut DispatchState,
    mut reports: Reports,
    result: &Object,
) -> PyResult<impl Iterator<Item = Report<Object>> + use<>> {
    let calls = state.calls().to_vec();
    let mut given = result.borrow(py).try_iter()?;
    for (index, (report, call)) in
        reports.iter_mut().zip(&calls).enumerate().filter(|(_, (report, _))| report.is_none())
    {
        let item = given.next().ok_or_else(|| errors::internal("a stage lost a report"))??;
        let (kind, value, seconds): (String, Bound<'_, PyAny>, f64) = item.extract()?;
        let took = clock::nanos(Duration::try_from_secs_f64(seconds).unwrap_or_default());
        let limit = call.entry().handler().limit(call.entry().timeout());
        let mut overran = false;
        let result = match kind.as_str() {
            "answer" => {
                overran = limit.is_some_and(|limit| took > clock::nanos(limit));
                dispatch_state::answer(py, Object::from_bound(value))
            }
            "raised" => state.raised(py, index, PyErr::from_value(value))?,
            "cancelled" => {
                let failure = dispatch_state::cancelled(py, PyErr::from_value(value));
                state.failure(py, index, failure)?
            }
            "timeout" => state.failure(py, index, HookFailure::timeout(limit.unwrap_or_default()))?,
            other => state.failure(py, index, HookFailure::new(FailureKind::NotStarted, other))?,
        };
        *report = Some(Report { result, took, overran });
    }
    state.lap();
    Ok(reports.into_iter().flatten())
}
