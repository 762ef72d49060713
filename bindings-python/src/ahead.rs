//! Hooks that follow each other, as long as none of them has anything to say: nearly all that ever run.
//!
//! What such a run needs is looked up once. At the first hook that answers, fails, waits, or runs elsewhere it halts, and the
//! driver goes on as with any hook.

use hookweave::host::Stage;
use pyo3::prelude::*;

use crate::convert::PyHost;
use crate::flight::{Finished, Flight, limit_of};
use crate::object::{self, Awaiting, Object, Sent, call_one};

/// Why a run of hooks has halted.
pub(crate) enum Halt {
    /// The next hook is none that runs here; it has not started.
    Elsewhere,
    /// A hook has come to an end.
    Ended {
        /// What it gave.
        result: Object,
        /// How long it took, in nanoseconds.
        took: u64,
        /// How long it may take.
        limit: u64,
    },
    /// A hook's coroutine was stepped and did not return.
    Stepped {
        /// The coroutine, or the iterator of another awaitable.
        coroutine: Object,
        /// What it gave instead.
        sent: Sent,
        /// How long it may take, in nanoseconds.
        limit: u64,
    },
    /// Calling a hook has raised what is set as the Python error.
    Raised {
        /// How long the hook may take, in nanoseconds.
        limit: u64,
    },
    /// The last hook had nothing to say either; the outcome, unless there are more hooks to run.
    Over(Option<Finished>),
}

impl Flight {
    /// Runs the next hooks, one after the other, while they answer nothing in time.
    #[inline]
    pub(crate) fn run_ahead(&mut self, py: Python<'_>) -> PyResult<Halt> {
        if self.tells_starts() || !self.stage().is_some_and(Stage::is_flowing) {
            return Ok(Halt::Elsewhere);
        }
        let none = Object::none(py);
        while let Some(call) = self.calls().first() {
            let (entry, limit) = (call.entry(), limit_of(call));
            let handler = entry.handler();
            if handler.in_thread || entry.detached() {
                return Ok(Halt::Elsewhere);
            }
            let callable = handler.callable.clone();
            let event = self.event(py)?;
            self.start_clock();
            let called = call_one(py, &callable, &event);
            drop(event);
            let Some(mut result) = called else { return Ok(Halt::Raised { limit }) };
            if !result.is_none() {
                let coroutine = match object::awaiting(&result) {
                    Awaiting::Nothing => None,
                    Awaiting::Coroutine => Some(result.clone()),
                    Awaiting::Awaitable => match object::await_iter(py, &result) {
                        Some(iterator) => Some(iterator),
                        None => return Ok(Halt::Raised { limit }),
                    },
                };
                if let Some(coroutine) = coroutine {
                    match object::send(py, &coroutine, none.borrow(py)) {
                        Sent::Returned(value) => result = value,
                        sent => return Ok(Halt::Stepped { coroutine, sent, limit }),
                    }
                }
            }
            let took = self.lap();
            if !result.is_none() || took > limit {
                return Ok(Halt::Ended { result, took, limit });
            }
            if let Some(stage) = self.stage_mut() {
                stage.go_past(took);
            }
        }
        Ok(Halt::Over(self.finish(&PyHost::new(py))))
    }
}
