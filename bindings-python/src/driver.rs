//! Runs the hooks of one dispatch on the task that awaits it, and halts where a hook waits.

mod stage;

use std::time::Duration;

use hookweave::host::{Failure, Report, Said};
use pyo3::exceptions::{PyException, PyRuntimeError, PyRuntimeWarning, PyStopIteration, PyTypeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::ahead::Halt;
use crate::caller::{self, Task};
use crate::deadline::{self, Armed};
use crate::ending::Enter as _;
use crate::errors;
use crate::flight::{self, Finished, Flight, limit_of};
use crate::nesting;
use crate::object::{self, Awaiting, Inside, Object, Sent, call_one, visit_all};

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Begun,
    Over,
}

/// Runs the hooks of one dispatch, step by step.
pub(crate) struct Driver {
    state: State,
    flight: Flight,
    /// What is being awaited: a handler's coroutine, or a helper written in Python.
    current: Option<Object>,
    /// While a helper runs the stage: the reports that are there already, by place.
    helper: Option<Vec<Option<Report<Object>>>>,
    on_trio: bool,
    /// Nanoseconds that the current hook may take.
    limit: u64,
    task: Option<Task>,
    armed: Option<Armed>,
    /// The cancellation that was thrown into the current hook.
    thrown: Option<Object>,
    waiting: Option<nesting::Waiting>,
    told_depth: Option<Object>,
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

/// Why a driver stops: with an outcome or with an exception.
enum Stop {
    Outcome(Finished),
    Error(PyErr),
}

impl From<PyErr> for Stop {
    fn from(error: PyErr) -> Self {
        Self::Error(error)
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

impl Driver {
    #[inline]
    pub(crate) const fn new(flight: Flight) -> Self {
        Self {
            state: State::New,
            flight,
            current: None,
            helper: None,
            on_trio: false,
            limit: u64::MAX,
            task: None,
            armed: None,
            thrown: None,
            waiting: None,
            told_depth: None,
        }
    }

    /// The name of the event.
    pub(crate) fn name(&self) -> &Object {
        self.flight.name()
    }

    /// Goes on until a hook waits, or to the end.
    #[inline]
    pub(crate) fn step(&mut self, py: Python<'_>, input: Input) -> Sent {
        let result = match self.advance(py, input) {
            Ok(Some(yielded)) => return Sent::Yielded(yielded),
            Ok(None) => Err(errors::broken("a dispatch stopped half-way")),
            Err(Stop::Outcome(finished)) => self.flight.outcome(py, finished),
            Err(Stop::Error(error)) => Err(error),
        };
        self.state = State::Over;
        self.clean_up(py);
        result.map_or_else(Sent::Raised, Sent::Returned)
    }

    #[inline]
    fn clean_up(&mut self, py: Python<'_>) {
        if self.waiting.is_some() || self.told_depth.is_some() {
            self.waiting = None;
            // The task may be the one that owns this dispatch, and the garbage collector does not look in here.
            self.task = None;
            if let Some(token) = self.told_depth.take() {
                nesting::reset(py, token);
            }
        }
    }

    /// Runs until a hook waits; an end of any kind leaves through `Err`.
    #[inline]
    fn advance(&mut self, py: Python<'_>, input: Input) -> Result<Option<Object>, Stop> {
        let _inside = Inside::enter(self.flight.depth + 1);
        let none = Object::none(py);
        let mut sent = match input {
            Input::Send(given) => {
                self.begin(py, &given)?;
                self.current.as_ref().map(|current| object::send(py, current, given.borrow(py)))
            }
            Input::Throw(error) => Some(self.throw(py, error)?),
        };
        loop {
            match sent {
                Some(Sent::Yielded(yielded)) => {
                    self.suspend(py)?;
                    return Ok(Some(yielded));
                }
                Some(Sent::Returned(result)) => {
                    self.current = None;
                    self.returned(py, result)?;
                }
                Some(Sent::Raised(error)) => {
                    self.current = None;
                    Python::attach(|py| self.raised(py, error))?;
                }
                None => {}
            }
            sent = self.go_on(py)?;
            if sent.is_none() {
                sent = self.current.as_ref().map(|current| object::send(py, current, none.borrow(py)));
            }
        }
    }

    #[inline]
    fn begin(&mut self, py: Python<'_>, given: &Object) -> Result<(), Stop> {
        match self.state {
            State::Begun => return Ok(()),
            State::Over => return Err(PyRuntimeError::new_err("this dispatch was awaited already").into()),
            State::New => {}
        }
        if !given.is_none() {
            return Err(PyTypeError::new_err("can't send a value to a dispatch that has not begun").into());
        }
        self.state = State::Begun;
        if nesting::is_tracked() {
            self.told_depth = Some(nesting::set(py, self.flight.depth + 1)?);
        }
        if let Some(finished) = self.flight.begin(py) {
            return Err(Stop::Outcome(finished));
        }
        self.on_trio = caller::is_on_trio(py)?;
        Ok(())
    }

    /// Raises an exception where the current hook waits.
    fn throw(&mut self, py: Python<'_>, error: PyErr) -> Result<Sent, Stop> {
        if self.state == State::Over {
            return Err(PyRuntimeError::new_err("this dispatch was awaited already").into());
        }
        self.state = State::Begun;
        let Some(current) = &self.current else { return Err(error.into()) };
        if error.is_instance(py, &deadline::cancelled_error(py)?) {
            self.thrown = Some(Object::of(error.value(py)));
        }
        Ok(throw_into(py, current, error))
    }

    /// Runs the next hooks, as far as they have nothing to say; gives what the coroutine of one gave that did not return. None leaves
    /// it to the caller to step what is then the current awaitable, if there is one.
    #[inline]
    fn go_on(&mut self, py: Python<'_>) -> Result<Option<Sent>, Stop> {
        let halt = if self.on_trio { Halt::Elsewhere } else { self.flight.run_ahead(py)? };
        match halt {
            Halt::Over(None) => {}
            Halt::Over(Some(finished)) => return Err(Stop::Outcome(finished)),
            Halt::Ended { result, took, limit } => {
                self.limit = limit;
                self.answered(py, result, took)?;
            }
            Halt::Stepped { coroutine, sent, limit } => {
                self.limit = limit;
                self.current = Some(coroutine);
                return Ok(Some(sent));
            }
            Halt::Raised { limit } => {
                self.limit = limit;
                let error = PyErr::fetch(py);
                Python::attach(|py| self.raised(py, error))?;
            }
            Halt::Elsewhere => self.start(py)?,
        }
        Ok(None)
    }

    /// Starts the next hook or stage; what is to be stepped is the current awaitable then.
    fn start(&mut self, py: Python<'_>) -> Result<(), Stop> {
        let [call] = self.flight.calls() else { return self.start_stage(py) };
        let entry = call.entry();
        if self.on_trio || entry.detached() {
            return self.start_stage(py);
        }
        self.limit = limit_of(call);
        let handler = entry.handler();
        let (callable, in_thread, once) = (handler.callable.clone(), handler.in_thread, entry.once());
        self.flight.log_start(py, 0)?;
        if once && let Some(stage) = self.flight.stage_mut() {
            stage.started(0);
        }
        let event = self.flight.event(py)?;
        self.flight.start_clock();
        let result =
            if in_thread { Some(self.in_thread(py, &callable, &event)?) } else { call_one(py, &callable, &event) };
        drop(event);
        let Some(result) = result else {
            let error = PyErr::fetch(py);
            return Python::attach(|py| self.raised(py, error));
        };
        let iterator = match object::awaiting(&result) {
            Awaiting::Nothing => {
                let took = self.flight.lap();
                return self.answered(py, result, took);
            }
            Awaiting::Coroutine => Some(result),
            Awaiting::Awaitable => object::await_iter(py, &result),
        };
        if iterator.is_none() {
            let error = PyErr::fetch(py);
            return Python::attach(|py| self.raised(py, error));
        }
        self.current = iterator;
        Ok(())
    }

    fn in_thread(&self, py: Python<'_>, callable: &Object, event: &Object) -> PyResult<Object> {
        static RUN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let run = RUN.import(py, "hookweave._stage", "run_threaded")?;
        run.enter((callable.borrow(py), event.borrow(py), self.flight.depth + 1)).map(Object::from_bound)
    }

    /// Goes on after a stage.
    #[inline]
    fn resume(&mut self, py: Python<'_>, reports: impl IntoIterator<Item = Report<Object>>) -> Result<(), Stop> {
        match self.flight.resume(py, reports) {
            Some(finished) => Err(Stop::Outcome(finished)),
            None => Ok(()),
        }
    }

    /// Goes on after the current hook answered by itself.
    #[inline]
    fn answered(&mut self, py: Python<'_>, result: Object, took: u64) -> Result<(), Stop> {
        match self.flight.resume_with(py, result, took, self.limit) {
            Some(finished) => Err(Stop::Outcome(finished)),
            None => Ok(()),
        }
    }

    #[inline]
    fn returned(&mut self, py: Python<'_>, result: Object) -> Result<(), Stop> {
        if self.helper.is_some() {
            return self.stage_returned(py, &result);
        }
        if self.armed.is_none() && self.thrown.is_none() {
            let took = self.flight.lap();
            return self.answered(py, result, took);
        }
        match self.ended(py)? {
            Ended::ByItself => {
                let took = self.flight.lap();
                self.answered(py, result, took)
            }
            Ended::TooLate => {
                let report = self.timed_out(py)?;
                self.resume(py, [report])
            }
            Ended::Cancelled(error) => Err(error.into()),
        }
    }

    #[cold]
    fn raised(&mut self, py: Python<'_>, error: PyErr) -> Result<(), Stop> {
        if self.helper.take().is_some() {
            return Err(error.into());
        }
        let is_cancel = error.is_instance(py, &deadline::cancelled_error(py)?);
        if !is_cancel && !error.is_instance_of::<PyException>(py) {
            return Err(error.into());
        }
        let report = match self.ended(py)? {
            Ended::TooLate => self.timed_out(py)?,
            Ended::Cancelled(thrown) => return Err(if is_cancel { error } else { thrown }.into()),
            Ended::ByItself if is_cancel => self.flight.failed(py, 0, flight::cancelled(py, error))?,
            Ended::ByItself => {
                let took = self.flight.lap();
                Report::new(self.flight.raised(py, 0, error)?, took)
            }
        };
        self.resume(py, [report])
    }

    fn timed_out(&mut self, py: Python<'_>) -> PyResult<Report<Object>> {
        self.flight.failed(py, 0, Failure::timeout(Duration::from_nanos(self.limit)))
    }

    /// Finds out why a hook that waited has ended, and gives back the cancel request that the deadline made.
    fn ended(&mut self, py: Python<'_>) -> PyResult<Ended> {
        let rung = self.armed.take().is_some_and(|armed| armed.has_rung());
        let thrown = self.thrown.take();
        if !rung && thrown.is_none() {
            return Ok(Ended::ByItself);
        }
        let Some(task) = &self.task else {
            // Nobody counts requests outside a task: a cancellation that came from outside is one of the dispatch.
            return Ok(
                thrown.map_or(Ended::ByItself, |thrown| Ended::Cancelled(PyErr::from_value(thrown.into_bound(py))))
            );
        };
        let count = if rung { intern!(py, "uncancel") } else { intern!(py, "cancelling") };
        let open: i64 = task.object.borrow(py).enter_method(count, ())?.extract()?;
        if open > task.requests {
            let error = match thrown {
                Some(thrown) => thrown.into_bound(py),
                None => deadline::cancelled_error(py)?.enter(())?,
            };
            return Ok(Ended::Cancelled(PyErr::from_value(error)));
        }
        Ok(if rung { Ended::TooLate } else { Ended::ByItself })
    }

    /// Notes that the current hook waits, and arms its deadline.
    #[inline]
    fn suspend(&mut self, py: Python<'_>) -> PyResult<()> {
        if self.waiting.is_none() {
            self.waiting = Some(nesting::Waiting::new());
        }
        if self.helper.is_some() || self.armed.is_some() {
            return Ok(());
        }
        if self.task.is_none() {
            self.task = caller::find_task(py)?;
        }
        let Some(task) = self.task.as_ref().filter(|_| self.limit < u64::MAX) else { return Ok(()) };
        let left = Duration::from_nanos(self.limit.saturating_sub(self.flight.since_start()));
        self.armed = Some(deadline::arm(py, &task.event_loop, &task.object, left)?);
        Ok(())
    }

    /// Shows the collector what this owns, but for what is counted with others: alarms and the client's plans.
    pub(crate) fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Self { flight, current, helper, task, thrown, told_depth, .. } = self;
        flight.visit(visit)?;
        visit_all(current.iter().chain(thrown).chain(told_depth), visit)?;
        visit_all(task.iter().flat_map(|task| [&task.event_loop, &task.object]), visit)?;
        let said = helper.iter().flatten().flatten().filter_map(|report| match &report.said {
            Said::Answer(answer) => Some(answer),
            Said::Failed(failure) => failure.cause.as_ref(),
            Said::Nothing | Said::Detached => None,
        });
        visit_all(said, visit)
    }

    /// Lets go of what may refer to this dispatch, which nobody can step any more.
    pub(crate) fn clear(&mut self) {
        if self.state == State::Begun {
            self.state = State::Over;
        }
        self.flight.abandon();
        let parts = (self.current.take(), self.helper.take(), self.task.take(), self.armed.take());
        drop((parts, self.thrown.take(), self.told_depth.take()));
    }

    /// Ends the dispatch without an outcome; the current hook is closed.
    pub(crate) fn close(&mut self, py: Python<'_>) -> PyResult<()> {
        self.state = State::Over;
        self.armed = None;
        let closed = match self.current.take() {
            Some(current) => match current.borrow(py).getattr_opt(intern!(py, "close"))? {
                Some(close) => close.enter(()).map(drop),
                None => Ok(()),
            },
            None => Ok(()),
        };
        self.flight.abandon();
        self.clean_up(py);
        closed
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if self.state == State::New {
            Python::attach(|py| {
                // A destructor may run while another exception is on its way, which a warning must not replace.
                let pending = PyErr::take(py);
                let name = self.flight.name().borrow(py).to_string();
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
