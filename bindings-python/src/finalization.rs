//! Calls into Python on threads that the end of the interpreter may find there.
//!
//! Before Python 3.14 a thread that asks for the interpreter after its end is itself ended: `pthread_exit` unwinds its
//! stack, and where that meets Rust the whole process is aborted. Here such a thread sleeps instead, as it does from 3.14 on,
//! and the process ends without it.
#![expect(
    unsafe_code,
    reason = "pyo3 declares these calls as if nothing unwound out of them; each use says why it is sound"
)]

use std::ffi::CStr;

use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use pyo3::{BoundObject as _, ffi};

#[cfg(unix)]
mod unwinding {
    use std::ffi::c_char;

    use pyo3::ffi::{PyObject, PySendResult};

    // The same functions as in `pyo3::ffi`, where the compiler takes for granted that nothing unwinds out of them.
    unsafe extern "C-unwind" {
        pub(super) fn PyObject_CallOneArg(callable: *mut PyObject, argument: *mut PyObject) -> *mut PyObject;
        pub(super) fn PyObject_CallObject(callable: *mut PyObject, arguments: *mut PyObject) -> *mut PyObject;
        pub(super) fn PyImport_ImportModule(name: *const c_char) -> *mut PyObject;
        pub(super) fn PyIter_Send(
            iterator: *mut PyObject,
            value: *mut PyObject,
            result: *mut *mut PyObject,
        ) -> PySendResult;
    }
}
#[cfg(not(unix))]
use pyo3::ffi as unwinding;

/// Lets no unwinding pass.
struct Stay;

impl Drop for Stay {
    fn drop(&mut self) {
        loop {
            std::thread::park();
        }
    }
}

/// Calls with one argument; null means that a Python error is set.
///
/// # Safety
///
/// The thread is attached, and both are live objects.
#[inline]
pub(crate) unsafe fn call_one(callable: *mut ffi::PyObject, argument: *mut ffi::PyObject) -> *mut ffi::PyObject {
    let stay = Stay;
    // SAFETY: the caller's promise.
    let result = unsafe { unwinding::PyObject_CallOneArg(callable, argument) };
    std::mem::forget(stay);
    result
}

/// Resumes an iterator or coroutine with a value; `result` is filled unless a Python error is set.
///
/// # Safety
///
/// The thread is attached, both are live objects, and `result` can be written.
#[inline]
pub(crate) unsafe fn send(
    iterator: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
    result: *mut *mut ffi::PyObject,
) -> ffi::PySendResult {
    let stay = Stay;
    // SAFETY: the caller's promise.
    let sent = unsafe { unwinding::PyIter_Send(iterator, value, result) };
    std::mem::forget(stay);
    sent
}

/// Imports a module.
///
/// Not by `PyImport_Import`: pyo3 has calls of that inlined here, and the compiler then takes what pyo3 says of it for granted.
pub(crate) fn import<'py>(py: Python<'py>, name: &CStr) -> PyResult<Bound<'py, PyAny>> {
    let stay = Stay;
    // SAFETY: a thread that has a token is attached, and the name ends with a null.
    let module = unsafe { unwinding::PyImport_ImportModule(name.as_ptr()) };
    std::mem::forget(stay);
    // SAFETY: the module is owned, or null with an error set.
    unsafe { Bound::from_owned_ptr_or_err(py, module) }
}

/// What runs Python code, in the place of pyo3's `call…`.
pub(crate) trait Enter<'py> {
    /// Calls it.
    fn enter<A>(&self, arguments: A) -> PyResult<Bound<'py, PyAny>>
    where
        A: IntoPyObject<'py, Target = PyTuple, Error: Into<PyErr>>;

    /// Calls a method of it.
    fn enter_method<A>(&self, name: &Bound<'py, PyString>, arguments: A) -> PyResult<Bound<'py, PyAny>>
    where
        A: IntoPyObject<'py, Target = PyTuple, Error: Into<PyErr>>;
}

impl<'py, T> Enter<'py> for Bound<'py, T> {
    fn enter<A>(&self, arguments: A) -> PyResult<Bound<'py, PyAny>>
    where
        A: IntoPyObject<'py, Target = PyTuple, Error: Into<PyErr>>,
    {
        let arguments = arguments.into_pyobject(self.py()).map_err(Into::into)?.into_bound();
        let stay = Stay;
        // SAFETY: a thread that has a `Bound` is attached, and both are live objects.
        let result = unsafe { unwinding::PyObject_CallObject(self.as_ptr(), arguments.as_ptr()) };
        std::mem::forget(stay);
        // SAFETY: the result is owned, or null with an error set.
        unsafe { Bound::from_owned_ptr_or_err(self.py(), result) }
    }

    fn enter_method<A>(&self, name: &Bound<'py, PyString>, arguments: A) -> PyResult<Bound<'py, PyAny>>
    where
        A: IntoPyObject<'py, Target = PyTuple, Error: Into<PyErr>>,
    {
        self.as_any().getattr(name)?.enter(arguments)
    }
}
