//! Stages of several hooks, which a helper written in Python waits for.

use std::time::Duration;

use hookweave::host::{Failure, FailureKind, Report};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyList;

use super::{Driver, Stop};
use crate::clock;
use crate::ending::Enter as _;
use crate::errors;
use crate::flight::{self, Flight, call_of};
use crate::nesting;
use crate::object::Object;

impl Driver {
    /// Hands a whole stage to a helper written in Python; detached hooks are started here.
    pub(super) fn start_stage(&mut self, py: Python<'_>) -> Result<(), Stop> {
        static ASYNCIO: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        static TRIO: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let calls = self.flight.calls().to_vec();
        let mut reports = Vec::with_capacity(calls.len());
        let awaited = PyList::empty(py);
        for (index, call) in calls.iter().enumerate() {
            if call.entry().detached() {
                reports.push(Some(self.flight.detach(py, index)?));
                continue;
            }
            self.flight.log_start(py, index)?;
            if let Some(stage) = self.flight.stage_mut() {
                stage.started(index);
            }
            let event = self.flight.own_event(py)?;
            awaited.append(call_of(py, call, &event, self.flight.depth + 1)?)?;
            reports.push(None);
        }
        if awaited.is_empty() {
            return self.resume(py, reports.into_iter().flatten());
        }
        if self.told_depth.is_none() && calls.len() > 1 {
            // The handlers run as tasks of their own, where the thread-local does not reach.
            self.told_depth = Some(nesting::set(py, self.flight.depth + 1)?);
        }
        self.flight.start_clock();
        let run = if self.on_trio {
            TRIO.import(py, "hookweave._trio", "run_stage")?
        } else {
            ASYNCIO.import(py, "hookweave._stage", "run_stage")?
        };
        self.current = Some(Object::from_bound(run.enter((awaited,))?));
        self.helper = Some(reports);
        Ok(())
    }

    /// Takes in the reports of a helper: `(kind, value, seconds)` for each awaited hook.
    pub(super) fn stage_returned(&mut self, py: Python<'_>, result: &Object) -> Result<(), Stop> {
        let mut reports = self.helper.take().unwrap_or_default();
        let calls = self.flight.calls().to_vec();
        let mut given = result.borrow(py).try_iter()?;
        for (index, (report, call)) in
            reports.iter_mut().zip(&calls).enumerate().filter(|(_, (report, _))| report.is_none())
        {
            let item = given.next().ok_or_else(|| errors::broken("a stage lost a report"))??;
            let (kind, value, seconds): (String, Bound<'_, PyAny>, f64) = item.extract()?;
            let took = clock::nanos(Duration::try_from_secs_f64(seconds).unwrap_or_default());
            let limit = call.entry().handler().limit(call.entry().timeout());
            let mut overran = false;
            let said = match kind.as_str() {
                "answer" => {
                    overran = limit.is_some_and(|limit| took > clock::nanos(limit));
                    Flight::said(py, Object::from_bound(value))
                }
                "raised" => self.flight.raised(py, index, PyErr::from_value(value))?,
                "cancelled" => {
                    let failure = flight::cancelled(py, PyErr::from_value(value));
                    self.flight.fallen(py, index, failure)?
                }
                "timeout" => self.flight.fallen(py, index, Failure::timeout(limit.unwrap_or_default()))?,
                other => self.flight.fallen(py, index, Failure::new(FailureKind::NotStarted, other))?,
            };
            *report = Some(Report { said, took, overran });
        }
        self.flight.lap();
        self.resume(py, reports.into_iter().flatten())
    }
}
