//! The awaitable that `client.dispatch` gives: it runs the hooks inline on the caller's task.
#![expect(unsafe_code, reason = "one slot function; see slots::send_slot")]

use std::cell::RefCell;

use pyo3::exceptions::{PyAttributeError, PyStopIteration, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyType;
use pyo3::{PyTypeInfo as _, ffi, intern};

use crate::driver::{Driver, Input};
use crate::ending::Enter as _;
use crate::flight::Flight;
use crate::object::{Gil, Object, Sent};
use crate::outcome::Outcome;
use crate::slots;

/// A dispatch on its way. Await it once; until then no hook runs.
///
/// Whoever steps it has the driver for that time, whatever Python code runs meanwhile; a second one is refused.
#[pyclass(frozen, generic, module = "hookweave._native")]
pub(crate) struct Dispatch(Gil<RefCell<Driver>>);

impl Dispatch {
    #[inline]
    pub(crate) fn new(flight: Flight) -> Self {
        Self(Gil::new(RefCell::new(Driver::new(flight))))
    }

    #[inline]
    fn step(&self, py: Python<'_>, input: Input) -> Sent {
        match self.0.get(py).try_borrow_mut() {
            Ok(mut driver) => driver.step(py, input),
            Err(_) => Sent::Raised(PyValueError::new_err("this dispatch is running already")),
        }
    }
}

unsafe extern "C" fn am_send(
    object: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
    out: *mut *mut ffi::PyObject,
) -> ffi::PySendResult {
    // SAFETY: CPython calls the slot of the `Dispatch` type, where `add_type` put it.
    unsafe {
        slots::send_slot::<Dispatch>(object, value, out, |dispatch, value| {
            dispatch.get().step(dispatch.py(), Input::Send(Object::of(value)))
        })
    }
}

/// Adds the class to the module and makes it a coroutine in Python's eyes.
pub(crate) fn add_type(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let class = Dispatch::type_object(py);
    slots::set_await_slots(&class, am_send);
    py.import("collections.abc")?.getattr("Coroutine")?.enter_method(intern!(py, "register"), (&class,))?;
    module.add("Dispatch", class)
}

#[pymethods]
impl Dispatch {
    fn __await__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        plain(py, self.step(py, Input::Send(Object::none(py))))
    }

    /// Goes on with a value; raises `StopIteration` with the outcome at the end.
    fn send(&self, py: Python<'_>, value: Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        plain(py, self.step(py, Input::Send(Object::from_bound(value))))
    }

    /// Raises an exception where the current hook waits.
    #[pyo3(signature = (kind, value = None, traceback = None, /))]
    fn throw(
        &self,
        py: Python<'_>,
        kind: Bound<'_, PyAny>,
        value: Option<Bound<'_, PyAny>>,
        traceback: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let exception = match value.filter(|value| !value.is_none()) {
            Some(value) if value.is_instance_of::<pyo3::exceptions::PyBaseException>() => value,
            Some(value) => kind.enter((value,))?,
            None if kind.is_instance_of::<PyType>() => kind.enter(())?,
            None => kind,
        };
        if let Some(traceback) = traceback.filter(|traceback| !traceback.is_none()) {
            exception.setattr(intern!(py, "__traceback__"), traceback)?;
        }
        plain(py, self.step(py, Input::Throw(PyErr::from_value(exception))))
    }

    /// Ends the dispatch without an outcome; the current hook is closed.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        match self.0.get(py).try_borrow_mut() {
            Ok(mut driver) => driver.close(py),
            Err(_) => Err(PyValueError::new_err("this dispatch is running already")),
        }
    }

    #[getter(__name__)]
    fn name(&self, py: Python<'_>) -> PyResult<String> {
        match self.0.get(py).try_borrow() {
            Ok(driver) => Ok(format!("dispatch of {}", driver.name().borrow(py).str()?)),
            Err(_) => Ok("dispatch".to_owned()),
        }
    }

    #[getter(__qualname__)]
    fn qualname(&self, py: Python<'_>) -> PyResult<String> {
        self.name(py)
    }

    /// Asked for what only an outcome has: an `await` was forgotten.
    #[cold]
    #[expect(clippy::unused_self, reason = "the signature of the protocol")]
    fn __getattr__(&self, name: &str) -> PyResult<Py<PyAny>> {
        let hint = if Outcome::FIELDS.contains(&name) {
            format!(": it has not run; write `(await client.dispatch(…)).{name}`")
        } else {
            String::new()
        };
        Err(PyAttributeError::new_err(format!("a dispatch has no attribute '{name}'{hint}")))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<{}>", self.name(py)?))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // One that is being stepped is held by whoever steps it; what it has is no garbage.
        self.0.traverse(&visit).try_borrow().map_or(Ok(()), |driver| driver.visit(&visit))
    }

    fn __clear__(&self, py: Python<'_>) {
        if let Ok(mut driver) = self.0.get(py).try_borrow_mut() {
            driver.clear();
        }
    }
}

/// A step's result in the terms of an iterator.
fn plain(py: Python<'_>, sent: Sent) -> PyResult<Py<PyAny>> {
    match sent {
        Sent::Yielded(value) => Ok(value.into_bound(py).unbind()),
        Sent::Returned(value) => Err(PyStopIteration::new_err((value.into_bound(py).unbind(),))),
        Sent::Raised(error) => Err(error),
    }
}
