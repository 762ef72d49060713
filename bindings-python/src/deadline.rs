//! One timer per asyncio loop for every hook that waits there.
//!
//! Arming costs an insertion into an ordered map; the loop's own timer is set only when the earliest deadline moves
//! forward. When the timer fires, the task of each hook whose timeout has passed is cancelled; its dispatch distinguishes
//! that cancel from one by the program by [`ArmedDeadline::has_expired`].
//!
//! Bar: "Python, suspending hook with timeout / bare loop" of docs/BENCHMARKS.md, <= 1.4x.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::clock;
use crate::finalization::Enter as _;
use crate::object::{Gil, Object};
use crate::once::intern;

/// The deadline of a hook that waits.
#[derive(Debug)]
struct Deadline {
    task: Object,
    has_expired: Cell<bool>,
}

/// A deadline's place in the order of a loop's deadlines: when it is due, and a number that distinguishes equal ones.
type Due = (Instant, u64);

struct LoopTimer {
    event_loop: Object,
    waiting: BTreeMap<Due, Rc<Deadline>>,
    /// When the loop's own timer fires, and its handle.
    armed: Option<(Instant, Object)>,
}

#[derive(Default)]
struct Deadlines {
    loops: Vec<LoopTimer>,
    next: u64,
}

static DEADLINES: Gil<RefCell<Option<Deadlines>>> = Gil::new(RefCell::new(None));

impl Deadlines {
    fn of(&mut self, event_loop: *mut pyo3::ffi::PyObject) -> Option<&mut LoopTimer> {
        self.loops.iter_mut().find(|timer| timer.event_loop.as_ptr() == event_loop)
    }
}

/// Reads or changes the deadlines without running Python code: the caller drops what is taken out.
fn with<R>(py: Python<'_>, work: impl FnOnce(&mut Deadlines) -> R) -> R {
    work(DEADLINES.get(py).borrow_mut().get_or_insert_default())
}

/// An armed deadline; dropping it disarms.
pub(crate) struct ArmedDeadline {
    event_loop: Object,
    due: Due,
    deadline: Rc<Deadline>,
}

impl ArmedDeadline {
    /// Whether the deadline has passed and the task was cancelled for it.
    pub(crate) fn has_expired(&self) -> bool {
        self.deadline.has_expired.get()
    }
}

impl Drop for ArmedDeadline {
    fn drop(&mut self) {
        let removed = Python::attach(|py| {
            with(py, |deadlines| {
                deadlines.of(self.event_loop.as_ptr()).and_then(|timer| timer.waiting.remove(&self.due))
            })
        });
        drop(removed);
    }
}

/// Arms a deadline for a task that is about to wait.
pub(crate) fn arm(py: Python<'_>, event_loop: &Object, task: &Object, left: Duration) -> PyResult<ArmedDeadline> {
    let now = clock::now();
    let instant = now + left;
    let deadline = Rc::new(Deadline { task: task.clone(), has_expired: Cell::new(false) });
    let key = event_loop.as_ptr();
    if with(py, |deadlines| deadlines.of(key).is_none()) {
        let dropped = forget_closed_loops(py)?;
        drop(dropped);
        with(py, |deadlines| {
            deadlines.loops.push(LoopTimer { event_loop: event_loop.clone(), waiting: BTreeMap::new(), armed: None });
        });
    }
    let (due, is_earliest) = with(py, |deadlines| {
        deadlines.next += 1;
        let due = (instant, deadlines.next);
        let is_earliest = deadlines.of(key).is_some_and(|timer| {
            timer.waiting.insert(due, Rc::clone(&deadline));
            timer.armed.as_ref().is_none_or(|(fires, _)| instant < *fires)
        });
        (due, is_earliest)
    });
    let armed = ArmedDeadline { event_loop: event_loop.clone(), due, deadline };
    if is_earliest {
        set_timer(py, event_loop, instant, left)?;
    }
    Ok(armed)
}

/// Sets the loop's timer, in place of one that would fire later.
fn set_timer(py: Python<'_>, event_loop: &Object, due: Instant, left: Duration) -> PyResult<()> {
    let callback = Bound::new(py, TimerCallback { event_loop: event_loop.as_ptr() as usize })?;
    let handle = event_loop.borrow(py).enter_method(intern!(py, "call_later"), (left.as_secs_f64(), callback))?;
    let handle = Object::from_bound(handle);
    let old =
        with(py, |deadlines| deadlines.of(event_loop.as_ptr()).and_then(|timer| timer.armed.replace((due, handle))));
    if let Some((_, old)) = old {
        old.borrow(py).enter_method(intern!(py, "cancel"), ())?;
    }
    Ok(())
}

/// Removes the deadlines of loops that were closed while a timer was set; the caller drops them.
fn forget_closed_loops(py: Python<'_>) -> PyResult<Vec<LoopTimer>> {
    let loops: Vec<Object> =
        with(py, |deadlines| deadlines.loops.iter().map(|timer| timer.event_loop.clone()).collect());
    let mut closed = Vec::new();
    for event_loop in loops {
        if event_loop.borrow(py).enter_method(intern!(py, "is_closed"), ())?.is_truthy()? {
            closed.push(event_loop);
        }
    }
    Ok(with(py, |deadlines| {
        let is_closed =
            |timer: &LoopTimer| closed.iter().any(|event_loop| event_loop.as_ptr() == timer.event_loop.as_ptr());
        deadlines.loops.extract_if(.., |timer| is_closed(timer)).collect()
    }))
}

/// What an event loop calls when its earliest deadline has come.
#[pyclass(frozen, module = "hookweave._native")]
pub(crate) struct TimerCallback {
    /// The loop's address; the timer holds the loop while this can be called.
    event_loop: usize,
}

#[pymethods]
impl TimerCallback {
    fn __call__(&self, py: Python<'_>) -> PyResult<()> {
        let key = self.event_loop as *mut pyo3::ffi::PyObject;
        let now = clock::now();
        let (expired, used) = with(py, |deadlines| {
            let Some(timer) = deadlines.of(key) else { return (Vec::new(), None) };
            let later = timer.waiting.split_off(&(now, u64::MAX));
            let expired = std::mem::replace(&mut timer.waiting, later);
            (expired.into_values().collect(), timer.armed.take())
        });
        drop(used);
        for deadline in expired {
            deadline.has_expired.set(true);
            let message = intern!(py, "the hook's timeout has passed");
            deadline.task.borrow(py).enter_method(intern!(py, "cancel"), (message,))?;
        }
        let (next, idle) = with(py, |deadlines| {
            let index = deadlines.loops.iter().position(|timer| timer.event_loop.as_ptr() == key);
            let Some(index) = index else { return (None, None) };
            let next =
                deadlines.loops.get(index).and_then(|timer| timer.waiting.first_key_value().map(|(due, _)| due.0));
            let idle = if next.is_none() { Some(deadlines.loops.swap_remove(index)) } else { None };
            let event_loop =
                deadlines.loops.get(index).filter(|_| next.is_some()).map(|timer| timer.event_loop.clone());
            (next.zip(event_loop), idle)
        });
        drop(idle);
        if let Some((due, event_loop)) = next {
            set_timer(py, &event_loop, due, due.saturating_duration_since(clock::now()))?;
        }
        Ok(())
    }
}
