//! One timer per asyncio loop for every hook that waits there.
//!
//! Arming costs an insertion into an ordered map; the loop's own timer is set only when the earliest deadline moves
//! forward. When it rings, the task of each hook that is over its time is cancelled; its awaitable tells that cancel from
//! a foreign one by [`Alarm::has_rung`].

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::clock;
use crate::ending::Enter as _;
use crate::object::{Gil, Object};

/// A waiting hook's deadline.
#[derive(Debug)]
pub(crate) struct Alarm {
    task: Object,
    rung: Cell<bool>,
}

impl Alarm {
    /// Whether the deadline has passed and the task was cancelled for it.
    pub(crate) fn has_rung(&self) -> bool {
        self.rung.get()
    }
}

type Place = (Instant, u64);

struct LoopTimer {
    event_loop: Object,
    waiting: BTreeMap<Place, std::rc::Rc<Alarm>>,
    /// When the loop's timer rings, and its handle.
    armed: Option<(Instant, Object)>,
}

#[derive(Default)]
struct Timers {
    loops: Vec<LoopTimer>,
    next: u64,
}

static TIMERS: Gil<RefCell<Option<Timers>>> = Gil::new(RefCell::new(None));

impl Timers {
    fn of(&mut self, event_loop: *mut pyo3::ffi::PyObject) -> Option<&mut LoopTimer> {
        self.loops.iter_mut().find(|timer| timer.event_loop.as_ptr() == event_loop)
    }
}

/// Looks at the timers, or changes them, without running Python code: what is taken out is dropped by the caller.
fn with<R>(py: Python<'_>, look: impl FnOnce(&mut Timers) -> R) -> R {
    look(TIMERS.get(py).borrow_mut().get_or_insert_default())
}

/// An armed deadline; dropping it disarms.
pub(crate) struct Armed {
    event_loop: Object,
    place: Place,
    alarm: std::rc::Rc<Alarm>,
}

impl Armed {
    pub(crate) fn has_rung(&self) -> bool {
        self.alarm.has_rung()
    }
}

impl Drop for Armed {
    fn drop(&mut self) {
        let removed = Python::attach(|py| {
            with(py, |timers| timers.of(self.event_loop.as_ptr()).and_then(|timer| timer.waiting.remove(&self.place)))
        });
        drop(removed);
    }
}

/// Arms a deadline for a task that is about to wait.
pub(crate) fn arm(py: Python<'_>, event_loop: &Object, task: &Object, left: Duration) -> PyResult<Armed> {
    let now = clock::now();
    let due = now + left;
    let alarm = std::rc::Rc::new(Alarm { task: task.clone(), rung: Cell::new(false) });
    let key = event_loop.as_ptr();
    if with(py, |timers| timers.of(key).is_none()) {
        let dropped = forget_closed_loops(py)?;
        drop(dropped);
        with(py, |timers| {
            timers.loops.push(LoopTimer { event_loop: event_loop.clone(), waiting: BTreeMap::new(), armed: None });
        });
    }
    let (place, earlier) = with(py, |timers| {
        timers.next += 1;
        let place = (due, timers.next);
        let earlier = timers.of(key).is_some_and(|timer| {
            timer.waiting.insert(place, std::rc::Rc::clone(&alarm));
            timer.armed.as_ref().is_none_or(|(rings, _)| due < *rings)
        });
        (place, earlier)
    });
    let armed = Armed { event_loop: event_loop.clone(), place, alarm };
    if earlier {
        set_timer(py, event_loop, due, left)?;
    }
    Ok(armed)
}

/// Sets the loop's timer, in place of one that would ring later.
fn set_timer(py: Python<'_>, event_loop: &Object, due: Instant, left: Duration) -> PyResult<()> {
    let bell = Bound::new(py, Bell { event_loop: event_loop.as_ptr() as usize })?;
    let handle = event_loop.borrow(py).enter_method(intern!(py, "call_later"), (left.as_secs_f64(), bell))?;
    let handle = Object::from_bound(handle);
    let old = with(py, |timers| timers.of(event_loop.as_ptr()).and_then(|timer| timer.armed.replace((due, handle))));
    if let Some((_, old)) = old {
        old.borrow(py).enter_method(intern!(py, "cancel"), ())?;
    }
    Ok(())
}

/// Drops the timers of loops that were closed while a timer was set; gives them back to be dropped by the caller.
fn forget_closed_loops(py: Python<'_>) -> PyResult<Vec<LoopTimer>> {
    let loops: Vec<Object> = with(py, |timers| timers.loops.iter().map(|timer| timer.event_loop.clone()).collect());
    let mut closed = Vec::new();
    for event_loop in loops {
        if event_loop.borrow(py).enter_method(intern!(py, "is_closed"), ())?.is_truthy()? {
            closed.push(event_loop);
        }
    }
    Ok(with(py, |timers| {
        let is_closed =
            |timer: &LoopTimer| closed.iter().any(|event_loop| event_loop.as_ptr() == timer.event_loop.as_ptr());
        timers.loops.extract_if(.., |timer| is_closed(timer)).collect()
    }))
}

/// What an event loop calls when its earliest deadline has come.
#[pyclass(frozen, module = "hookweave._native")]
struct Bell {
    /// The loop's address; the timer holds the loop while this can be called.
    event_loop: usize,
}

#[pymethods]
impl Bell {
    fn __call__(&self, py: Python<'_>) -> PyResult<()> {
        let key = self.event_loop as *mut pyo3::ffi::PyObject;
        let now = clock::now();
        let (due, used) = with(py, |timers| {
            let Some(timer) = timers.of(key) else { return (Vec::new(), None) };
            let later = timer.waiting.split_off(&(now, u64::MAX));
            let due = std::mem::replace(&mut timer.waiting, later);
            (due.into_values().collect(), timer.armed.take())
        });
        drop(used);
        for alarm in due {
            alarm.rung.set(true);
            alarm
                .task
                .borrow(py)
                .enter_method(intern!(py, "cancel"), (intern!(py, "the hook's timeout has passed"),))?;
        }
        let (next, idle) = with(py, |timers| {
            let place = timers.loops.iter().position(|timer| timer.event_loop.as_ptr() == key);
            let Some(place) = place else { return (None, None) };
            let next =
                timers.loops.get(place).and_then(|timer| timer.waiting.first_key_value().map(|(place, _)| place.0));
            let idle = if next.is_none() { Some(timers.loops.swap_remove(place)) } else { None };
            let event_loop = timers.loops.get(place).filter(|_| next.is_some()).map(|timer| timer.event_loop.clone());
            (next.zip(event_loop), idle)
        });
        drop(idle);
        if let Some((due, event_loop)) = next {
            set_timer(py, &event_loop, due, due.saturating_duration_since(clock::now()))?;
        }
        Ok(())
    }
}

fn cached<'py>(py: Python<'py>, cell: &'static PyOnceLock<Py<PyAny>>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    cell.import(py, "asyncio", name).cloned()
}

/// The loop that runs on this thread; `None` outside asyncio.
pub(crate) fn running_loop(py: Python<'_>) -> Option<Object> {
    static RUNNING: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let found = cached(py, &RUNNING, "_get_running_loop").ok()?.enter(()).ok()?;
    (!found.is_none()).then(|| Object::from_bound(found))
}

/// The asyncio task that runs on this thread; `None` outside a task.
pub(crate) fn current_task(py: Python<'_>, event_loop: &Object) -> Option<Object> {
    static CURRENT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let found = cached(py, &CURRENT, "current_task").ok()?.enter((event_loop.borrow(py),)).ok()?;
    (!found.is_none()).then(|| Object::from_bound(found))
}

/// How often the running task was asked to end; None where nobody counts: on trio, and outside a task.
#[pyfunction]
pub(crate) fn cancel_requests(py: Python<'_>) -> PyResult<Option<i64>> {
    if crate::caller::is_on_trio(py)? {
        return Ok(None);
    }
    let Some(task) = running_loop(py).and_then(|event_loop| current_task(py, &event_loop)) else { return Ok(None) };
    task.borrow(py).enter_method(intern!(py, "cancelling"), ())?.extract().map(Some)
}

/// `asyncio.CancelledError`.
pub(crate) fn cancelled_error(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    cached(py, &CLASS, "CancelledError")
}
