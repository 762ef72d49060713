//! Runs the hooks of one dispatch on the task that awaits it, and suspends where a hook waits.

use std::time::Duration;

use hookweave_host::dispatch::{HandlerResult, HookFailure, Report};
use pyo3::exceptions::{PyRuntimeError, PyRuntimeWarning, PyStopIteration, PyTypeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use crate::deadline::{self, ArmedDeadline};
use crate::dispatch_state::{self, DispatchState, Start, limit_of};
use crate::errors;
use crate::fast_path::{self, Halt};
use crate::finalization::Enter as _;
use crate::nesting;
use crate::object::{self, Awaiting, Inside, Object, Sent, call_one, visit_all};
use crate::once::{Once, intern};
use crate::outcome::Finished;
use crate::parallel_stage::{self, Reports};
use crate::task::{self, Task};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    New,
    Running,
    Over,
}

/// Runs the hooks of one dispatch, step by step.
pub(crate) struct AsyncDriver {
    phase: Phase,
    state: DispatchState,
    /// What is being awaited: a handler's coroutine, or that of a runner written in Python.
    current: Option<Object>,
    /// While a runner runs the stage: the reports that are there already, by place.
    stage_reports: Option<Reports>,
    on_trio: bool,
    /// Nanoseconds that the current hook may take.
    limit: u64,
    task: Option<Task>,
    deadline: Option<ArmedDeadline>,
    /// The cancellation that was thrown into the current hook.
    cancellation: Option<Object>,
    suspended: Option<nesting::SuspendedDispatch>,
    /// Takes the depth back out of the task's context.
    depth_token: Option<Object>,
}

/// How a hook that waited has ended.
enum Ended {
    ByItself,
    TooLate,
    /// The dispatch itself is cancelled.
    Cancelled(PyErr),
}

/// With what a step begins.
pub(crate) enum Input {
    Send(Object),
    Throw(PyErr),
}

/// How far a step came.
enum Progress {
    /// A hook waits for what it yielded.
    Waits(Object),
    Finished(Finished),
}

/// What is to be done after a hook was started.
enum Next {
    /// The current awaitable is to be stepped, if there is one; else the next hook starts.
    Step,
    /// The current awaitable was stepped.
    Stepped(Sent),
    Finished(Finished),
}

impl From<Option<Finished>> for Next {
    fn from(finished: Option<Finished>) -> Self {
        finished.map_or(Self::Step, Self::Finished)
    }
}

/// What a coroutine's `throw` gave, in the terms of a step.
fn throw_into(py: Python<'_>, awaitable: &Object, error: PyErr) -> Sent {
    let value = error.value(py).clone();
    let function = match awaitable.borrow(py).getattr_opt(intern!(py, "throw")) {
        Ok(Some(function)) => function,
        Ok(None) => return Sent::Raised(error),
        Err(error) => return Sent::Raised(error),
    };
    match function.enter((value,)) {
        Ok(value) => Sent::Yielded(Object::from_bound(value)),
        Err(error) if error.is_instance_of::<PyStopIteration>(py) => {
            match error.value(py).getattr(intern!(py, "value")) {
                Ok(value) => Sent::Returned(Object::from_bound(value)),
                Err(error) => Sent::Raised(error),
            }
        }
        Err(error) => Sent::Raised(error),
    }
}

impl AsyncDriver {
    #[inline]
    pub(crate) const fn new(state: DispatchState) -> Self {
        Self {
            phase: Phase::New,
            state,
            current: None,
            stage_reports: None,
            on_trio: false,
            limit: u64::MAX,
            task: None,
            deadline: None,
            cancellation: None,
            suspended: None,
            depth_token: None,
        }
    }

    /// The name of the event.
    pub(crate) fn name(&self) -> &Object {
        self.state.name()
    }

    /// Goes on until a hook waits, or to the end.
    #[inline]
    pub(crate) fn step(&mut self, py: Python<'_>, input: Input) -> Sent {
        let result = match self.advance(py, input) {
            Ok(Progress::Waits(yielded)) => return Sent::Yielded(yielded),
            Ok(Progress::Finished(finished)) => self.state.outcome(py, finished),
            Err(error) => Err(error),
        };
        self.phase = Phase::Over;
        self.clean_up(py);
        result.map_or_else(Sent::Raised, Sent::Returned)
    }

    #[inline]
    fn clean_up(&mut self, py: Python<'_>) {
        if self.suspended.is_some() || self.depth_token.is_some() {
            self.suspended = None;
            // The task may be the one that owns this dispatch, and the garbage collector does not look in here.
            self.task = None;
            if let Some(token) = self.depth_token.take() {
                nesting::reset(py, token);
            }
        }
    }

    /// Runs until a hook waits, or to the end.
    #[inline]
    fn advance(&mut self, py: Python<'_>, input: Input) -> PyResult<Progress> {
        let _inside = Inside::enter(self.state.depth + 1);
        let none = Object::none(py);
        let mut sent = match input {
            Input::Send(given) => {
                if let Some(finished) = self.begin(py, &given)? {
                    return Ok(Progress::Finished(finished));
                }
                self.current.as_ref().map(|current| object::send(py, current, given.borrow(py)))
            }
            Input::Throw(error) => Some(self.throw(py, error)?),
        };
        loop {
            let finished = match sent {
                Some(Sent::Yielded(yielded)) => {
                    self.suspend(py)?;
                    return Ok(Progress::Waits(yielded));
                }
                Some(Sent::Returned(result)) => {
                    self.current = None;
                    self.returned(py, result)?
                }
                Some(Sent::Raised(error)) => {
                    self.current = None;
                    Python::attach(|py| self.raised(py, error))?
                }
                None => None,
            };
            if let Some(finished) = finished {
                return Ok(Progress::Finished(finished));
            }
            sent = match self.start_next(py)? {
                Next::Finished(finished) => return Ok(Progress::Finished(finished)),
                Next::Stepped(sent) => Some(sent),
                Next::Step => self.current.as_ref().map(|current| object::send(py, current, none.borrow(py))),
            };
        }
    }

    #[inline]
    fn begin(&mut self, py: Python<'_>, given: &Object) -> PyResult<Option<Finished>> {
        match self.phase {
            Phase::Running => return Ok(None),
            Phase::Over => return Err(PyRuntimeError::new_err("this dispatch was awaited already")),
            Phase::New => {}
        }
        if !given.is_none() {
            return Err(PyTypeError::new_err("can't send a value to a dispatch that has not begun"));
        }
        self.phase = Phase::Running;
        if nesting::is_tracked() {
            self.depth_token = Some(nesting::set(py, self.state.depth + 1)?);
        }
        let finished = self.state.begin(py)?;
        if finished.is_none() {
            self.on_trio = task::is_on_trio(py)?;
        }
        Ok(finished)
    }

    /// Raises an exception where the current hook waits.
    fn throw(&mut self, py: Python<'_>, error: PyErr) -> PyResult<Sent> {
        if self.phase == Phase::Over {
            return Err(PyRuntimeError::new_err("this dispatch was awaited already"));
        }
        self.phase = Phase::Running;
        let Some(current) = &self.current else { return Err(error) };
        if error.is_instance(py, &task::cancelled_error(py)?) {
            self.cancellation = Some(Object::of(error.value(py)));
        }
        Ok(throw_into(py, current, error))
    }

    /// Runs the next hooks as far as they do not answer.
    #[inline]
    fn start_next(&mut self, py: Python<'_>) -> PyResult<Next> {
        let halt = if self.on_trio { Halt::NotInline } else { fast_path::run(py, &mut self.state)? };
        match halt {
            Halt::Passed(finished) => Ok(finished.into()),
            Halt::Ended { result, took, limit } => {
                self.limit = limit;
                Ok(self.state.resume_with(py, result, took, limit).into())
            }
            Halt::Stepped { coroutine, sent, limit } => {
                self.limit = limit;
                self.current = Some(coroutine);
                Ok(Next::Stepped(sent))
            }
            Halt::Raised { error, limit } => {
                self.limit = limit;
                Python::attach(|py| self.raised(py, error)).map(Next::from)
            }
            Halt::NotInline => self.start(py).map(Next::from),
        }
    }

    /// Starts the next hook or stage; what is to be stepped is the current awaitable then.
    fn start(&mut self, py: Python<'_>) -> PyResult<Option<Finished>> {
        let [call] = self.state.calls() else { return self.start_stage(py) };
        let entry = call.entry();
        if self.on_trio || entry.detached() {
            return self.start_stage(py);
        }
        self.limit = limit_of(call);
        let in_thread = entry.handler().in_thread;
        let result = self.state.start_hook(py, 0, Start::Alone, |state, callable, event| {
            if in_thread {
                run_in_thread(py, callable, event, state.depth + 1).map(Some)
            } else {
                Ok(call_one(py, callable, event))
            }
        })??;
        let iterator = match result {
            None => None,
            Some(result) => match object::awaiting(&result) {
                Awaiting::Nothing => {
                    let took = self.state.lap();
                    return Ok(self.state.resume_with(py, result, took, self.limit));
                }
                Awaiting::Coroutine => Some(result),
                Awaiting::Awaitable => object::await_iter(py, &result),
            },
        };
        if iterator.is_none() {
            let error = PyErr::fetch(py);
            return Python::attach(|py| self.raised(py, error));
        }
        self.current = iterator;
        Ok(None)
    }

    /// Starts a whole stage: detached hooks here, the others in a runner written in Python.
    fn start_stage(&mut self, py: Python<'_>) -> PyResult<Option<Finished>> {
        let count = self.state.calls().len();
        // Their events are made before any of them runs.
        self.state.hold(py);
        let (calls, reports) = parallel_stage::start(py, &mut self.state)?;
        if calls.is_empty() {
            return Ok(self.state.resume(py, reports.into_iter().flatten()));
        }
        if self.depth_token.is_none() && count > 1 {
            // The handlers run as tasks of their own, where the thread-local does not reach.
            self.depth_token = Some(nesting::set(py, self.state.depth + 1)?);
        }
        self.current = Some(parallel_stage::run(py, &calls, self.on_trio)?);
        self.stage_reports = Some(reports);
        Ok(None)
    }

    #[inline]
    fn returned(&mut self, py: Python<'_>, result: Object) -> PyResult<Option<Finished>> {
        if let Some(reports) = self.stage_reports.take() {
            let reports = parallel_stage::finish(py, &mut self.state, reports, &result)?;
            return Ok(self.state.resume(py, reports));
        }
        if self.deadline.is_none() && self.cancellation.is_none() {
            let took = self.state.lap();
            return Ok(self.state.resume_with(py, result, took, self.limit));
        }
        match self.ended(py)? {
            Ended::ByItself => {
                let took = self.state.lap();
                Ok(self.state.resume_with(py, result, took, self.limit))
            }
            Ended::TooLate => {
                let report = self.timed_out(py)?;
                Ok(self.state.resume(py, [report]))
            }
            Ended::Cancelled(error) => Err(error),
        }
    }

    #[cold]
    fn raised(&mut self, py: Python<'_>, error: PyErr) -> PyResult<Option<Finished>> {
        if self.stage_reports.take().is_some() {
            return Err(error);
        }
        let is_cancel = error.is_instance(py, &task::cancelled_error(py)?);
        if !is_cancel && !errors::is_failure(py, &error) {
            return Err(error);
        }
        let report = match self.ended(py)? {
            Ended::TooLate => self.timed_out(py)?,
            Ended::Cancelled(cancellation) => return Err(if is_cancel { error } else { cancellation }),
            Ended::ByItself if is_cancel => self.state.failed(py, 0, dispatch_state::cancelled(py, error))?,
            Ended::ByItself => {
                let took = self.state.lap();
                Report::new(self.state.raised(py, 0, error)?, took)
            }
        };
        Ok(self.state.resume(py, [report]))
    }

    fn timed_out(&mut self, py: Python<'_>) -> PyResult<Report<Object>> {
        self.state.failed(py, 0, HookFailure::timeout(Duration::from_nanos(self.limit)))
    }

    /// Finds out why a hook that waited has ended, and gives back the cancel request that its deadline made.
    fn ended(&mut self, py: Python<'_>) -> PyResult<Ended> {
        let has_expired = self.deadline.take().is_some_and(|deadline| deadline.has_expired());
        let cancellation = self.cancellation.take();
        if !has_expired && cancellation.is_none() {
            return Ok(Ended::ByItself);
        }
        let Some(task) = &self.task else {
            // Requests are not counted outside a task: a cancellation that came from outside is one of the dispatch.
            return Ok(
                cancellation.map_or(Ended::ByItself, |error| Ended::Cancelled(PyErr::from_value(error.into_bound(py))))
            );
        };
        let count = if has_expired { intern!(py, "uncancel") } else { intern!(py, "cancelling") };
        let open: i64 = task.object.borrow(py).enter_method(count, ())?.extract()?;
        if open > task.requests {
            let error = match cancellation {
                Some(cancellation) => cancellation.into_bound(py),
                None => task::cancelled_error(py)?.enter(())?,
            };
            return Ok(Ended::Cancelled(PyErr::from_value(error)));
        }
        Ok(if has_expired { Ended::TooLate } else { Ended::ByItself })
    }

    /// Notes that the current hook waits, and arms its deadline.
    #[inline]
    fn suspend(&mut self, py: Python<'_>) -> PyResult<()> {
        if self.suspended.is_none() {
            self.state.hold(py);
            self.suspended = Some(nesting::SuspendedDispatch::new());
        }
        if self.stage_reports.is_some() || self.deadline.is_some() {
            return Ok(());
        }
        if self.task.is_none() {
            self.task = task::find_task(py)?;
        }
        let Some(task) = self.task.as_ref().filter(|_| self.limit < u64::MAX) else { return Ok(()) };
        let left = Duration::from_nanos(self.limit.saturating_sub(self.state.since_start()));
        self.deadline = Some(deadline::arm(py, &task.event_loop, &task.object, left)?);
        Ok(())
    }

    /// Shows the collector what this owns, but for what is counted with others: deadlines and the client's plans.
    pub(crate) fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Self { state, current, stage_reports, task, cancellation, depth_token, .. } = self;
        state.visit(visit)?;
        visit_all(current.iter().chain(cancellation).chain(depth_token), visit)?;
        visit_all(task.iter().flat_map(|task| [&task.event_loop, &task.object]), visit)?;
        let reported = stage_reports.iter().flatten().flatten().filter_map(|report| match &report.result {
            HandlerResult::Answer(answer) => Some(answer),
            HandlerResult::Failed(failure) => failure.cause.as_ref(),
            HandlerResult::Nothing | HandlerResult::Detached => None,
        });
        visit_all(reported, visit)
    }

    /// Lets go of all that may refer to this dispatch, which cannot be stepped any more.
    pub(crate) fn clear(&mut self) {
        if self.phase == Phase::Running {
            self.phase = Phase::Over;
        }
        self.state.abandon();
        let parts = (self.current.take(), self.stage_reports.take(), self.task.take(), self.deadline.take());
        drop((parts, self.cancellation.take(), self.depth_token.take()));
    }

    /// Ends the dispatch without an outcome; the current hook is closed.
    pub(crate) fn close(&mut self, py: Python<'_>) -> PyResult<()> {
        self.phase = Phase::Over;
        self.deadline = None;
        let closed = match self.current.take() {
            Some(current) => match current.borrow(py).getattr_opt(intern!(py, "close"))? {
                Some(close) => close.enter(()).map(drop),
                None => Ok(()),
            },
            None => Ok(()),
        };
        self.state.abandon();
        self.clean_up(py);
        closed
    }
}

/// A coroutine that waits for a blocking handler on a thread.
fn run_in_thread(py: Python<'_>, callable: &Object, event: &Object, depth: u32) -> PyResult<Object> {
    static RUN: Once<Py<PyAny>> = Once::new();
    let run = RUN.import(py, c"hookweave._asyncio_runner", "run_threaded")?;
    run.enter((callable.borrow(py), event.borrow(py), depth)).map(Object::from_bound)
}

impl Drop for AsyncDriver {
    fn drop(&mut self) {
        if self.phase == Phase::New {
            Python::attach(|py| {
                // A destructor may run while another exception is on its way, which a warning must not replace.
                let pending = PyErr::take(py);
                let name = self.state.name().borrow(py).to_string();
                let text = std::ffi::CString::new(format!("dispatch of {name} was never awaited, so no hook has run"));
                let warned = PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &text.unwrap_or_default(), 1);
                if let Err(error) = warned {
                    error.write_unraisable(py, None);
                }
                if let Some(pending) = pending {
                    pending.restore(py);
                }
            });
        }
    }
}
