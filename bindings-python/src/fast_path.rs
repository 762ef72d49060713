//! Hooks that follow each other, as long as none of them answers: nearly all that ever run.
//!
//! What such a run needs is looked up once, and a hook costs the core one addition to a list of times. The run stops at the
//! first hook that answers, fails, waits, or runs elsewhere, and the driver goes on with that one.
//!
//! Bar: "Python, 10 async hooks / bare loop" of docs/BENCHMARKS.md, <= 2x.
//! Bar: "Python, 10 sync hooks / bare loop of 10 async ones" of docs/BENCHMARKS.md, <= 0.9x.

use hookweave_host::index::Call;
use pyo3::prelude::*;

use crate::dispatch_state::{DispatchState, Start, limit_of};
use crate::object::{self, Awaiting, Object, Sent, call_one};
use crate::outcome::Finished;

/// Why a run of hooks has stopped.
pub(crate) enum Halt {
    /// The next hook does not run inline; it has not started.
    NotInline,
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
    /// Calling a hook has raised.
    Raised {
        /// What it raised.
        error: PyErr,
        /// How long the hook may take, in nanoseconds.
        limit: u64,
    },
    /// The last hook did not answer either; the end of the dispatch, unless there are more hooks to run.
    Passed(Option<Finished>),
}

/// Runs the next hooks, one after the other, while they answer nothing in time.
#[inline]
pub(crate) fn run(py: Python<'_>, state: &mut DispatchState) -> PyResult<Halt> {
    let halt = run_quiet(py, state)?;
    let finished = state.pass_quiet(py);
    Ok(halt.unwrap_or(Halt::Passed(finished)))
}

/// The hook at which the run stops; none when all of them have passed.
#[inline]
fn run_quiet(py: Python<'_>, state: &mut DispatchState) -> PyResult<Option<Halt>> {
    if state.reports_starts() || !state.begin_ahead() {
        return Ok(Some(Halt::NotInline));
    }
    let none = Object::none(py);
    while let Some((index, call)) = state.next_ahead() {
        if !is_inline(call) {
            return Ok(Some(Halt::NotInline));
        }
        let limit = limit_of(call);
        let called = state.start_hook(py, index, Start::Alone, |_, callable, event| call_one(py, callable, event))?;
        let Some(mut result) = called else { return Ok(Some(Halt::Raised { error: PyErr::fetch(py), limit })) };
        if !result.is_none() {
            let coroutine = match object::awaiting(&result) {
                Awaiting::Nothing => None,
                Awaiting::Coroutine => Some(result.clone()),
                Awaiting::Awaitable => match object::await_iter(py, &result) {
                    Some(iterator) => Some(iterator),
                    None => return Ok(Some(Halt::Raised { error: PyErr::fetch(py), limit })),
                },
            };
            if let Some(coroutine) = coroutine {
                match object::send(py, &coroutine, none.borrow(py)) {
                    Sent::Returned(value) => result = value,
                    sent => return Ok(Some(Halt::Stepped { coroutine, sent, limit })),
                }
            }
        }
        let took = state.lap();
        if !result.is_none() || took > limit {
            return Ok(Some(Halt::Ended { result, took, limit }));
        }
        state.note_quiet(took);
    }
    Ok(None)
}

/// Whether a hook is called right here, on the task of its dispatch.
#[inline]
fn is_inline(call: &Call<crate::registration::Handler>) -> bool {
    !call.entry().handler().in_thread && !call.entry().detached()
}
