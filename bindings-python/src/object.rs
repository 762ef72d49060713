//! Owned references to Python objects, and the few calls into CPython that the hot path makes itself.
//!
//! pyo3's `Py` asks a thread-local on every drop whether the thread may touch Python. An [`Object`] leaves the question
//! out, and can do so because it cannot get to a thread that may not: it is neither `Send` nor `Sync`, so that neither
//! a closure for [`Python::detach`] nor one for another thread can hold it or refer to it. What CPython itself owns and
//! pyo3 wants to be `Send` and `Sync` for that, the values of classes, keeps its objects in a [`Gil`].
//!
//! Bar: "Python, 1 async hook / bare loop" of docs/BENCHMARKS.md, <= 2.2x.
#![expect(unsafe_code, reason = "reference counts and calls through the C API; each use says why it is sound")]

use std::cell::Cell;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr;

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use pyo3::{Borrowed, ffi};

use crate::finalization;

/// An owned reference to a Python object, met only on threads that hold the GIL.
///
/// * It is made of a `Bound`, and a thread that has one holds the GIL.
/// * It does not get to another thread: it is neither `Send` nor `Sync`, and no thread-local holds one.
/// * CPython calls the functions, methods and slots of this crate with the GIL held. They let go of it in two ways only. In
///   [`Python::detach`] the closure is `Send`, so it can neither own nor borrow an object; objects in the frames around it are
///   neither cloned nor dropped until the GIL is back, which `detach` ensures also when the closure panics. Python code that
///   is called may let go of it and has it back when it returns; where it cannot come back, because the interpreter has ended,
///   the thread sleeps for ever (`finalization`).
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct Object {
    reference: ManuallyDrop<Py<PyAny>>,
    /// Neither `Send` nor `Sync`.
    stays: PhantomData<*mut ()>,
}

/// Zeroed memory is an `Option<Object>` without an object, which the event type relies on: there is room for nothing else.
const _: () = assert!(size_of::<Option<Object>>() == size_of::<*mut ffi::PyObject>());

/// Does not compile when an object can be sent to or shared with another thread: then two implementations fit.
const _: () = {
    trait StaysOnItsThread<Case> {
        const HOLDS: bool = true;
    }
    enum IsSend {}
    enum IsSync {}
    impl<T> StaysOnItsThread<()> for T {}
    impl<T: Send> StaysOnItsThread<IsSend> for T {}
    impl<T: Sync> StaysOnItsThread<IsSync> for T {}
    assert!(<Object as StaysOnItsThread<_>>::HOLDS);
};

impl Clone for Object {
    #[inline]
    fn clone(&self) -> Self {
        // SAFETY: an object is only met on a thread that holds the GIL (see the type).
        let py = unsafe { Python::assume_attached() };
        Self::owning(self.reference.clone_ref(py))
    }
}

impl Drop for Object {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: an object is only met on a thread that holds the GIL (see the type), it owns one reference, and its
        // pointer is not looked at any more.
        unsafe { ffi::Py_DECREF(self.reference.as_ptr()) };
    }
}

impl Object {
    #[inline]
    const fn owning(reference: Py<PyAny>) -> Self {
        Self { reference: ManuallyDrop::new(reference), stays: PhantomData }
    }

    /// Takes over a reference that the C API returned; `None` for null, with a Python error set.
    ///
    /// # Safety
    /// `pointer` is null or an owned reference.
    #[inline]
    pub(crate) unsafe fn from_owned(py: Python<'_>, pointer: *mut ffi::PyObject) -> Option<Self> {
        // SAFETY: as the caller promises.
        unsafe { Bound::from_owned_ptr_or_opt(py, pointer) }.map(Self::from_bound)
    }

    #[inline]
    pub(crate) fn of(bound: &Bound<'_, PyAny>) -> Self {
        Self::from_bound(bound.clone())
    }

    #[inline]
    pub(crate) fn from_bound<T>(bound: Bound<'_, T>) -> Self {
        Self::owning(bound.into_any().unbind())
    }

    #[inline]
    pub(crate) fn none(py: Python<'_>) -> Self {
        Self::owning(py.None())
    }

    #[inline]
    pub(crate) fn as_ptr(&self) -> *mut ffi::PyObject {
        self.reference.as_ptr()
    }

    /// The same reference, for pyo3 and for CPython.
    #[inline]
    pub(crate) fn into_py(self) -> Py<PyAny> {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: `this` is neither dropped nor used again.
        unsafe { ManuallyDrop::take(&mut this.reference) }
    }

    #[inline]
    pub(crate) fn into_ptr(self) -> *mut ffi::PyObject {
        self.into_py().into_ptr()
    }

    #[inline]
    pub(crate) fn borrow<'a, 'py>(&'a self, py: Python<'py>) -> Borrowed<'a, 'py, PyAny> {
        self.reference.bind_borrowed(py)
    }

    #[inline]
    pub(crate) fn bind<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.reference.bind(py).clone()
    }

    #[inline]
    pub(crate) fn into_bound(self, py: Python<'_>) -> Bound<'_, PyAny> {
        self.into_py().into_bound(py)
    }

    #[inline]
    pub(crate) fn is_none(&self) -> bool {
        // SAFETY: `Py_None` is always there.
        self.as_ptr() == unsafe { ffi::Py_None() }
    }

    /// Whether this is the only reference to the object.
    #[inline]
    pub(crate) fn is_unshared(&self) -> bool {
        // SAFETY: the object is live.
        unsafe { ffi::Py_REFCNT(self.as_ptr()) == 1 }
    }

    /// Shows the object to the garbage collector.
    pub(crate) fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&*self.reference)
    }
}

/// Shows what there is to the garbage collector.
pub(crate) fn visit_all<'a>(
    objects: impl IntoIterator<Item = &'a Object>,
    visit: &PyVisit<'_>,
) -> Result<(), PyTraverseError> {
    objects.into_iter().try_for_each(|object| object.visit(visit))
}

/// What only threads that hold the GIL look at, in a place that Rust takes for shared between threads: the value of a
/// Python class, or a static.
///
/// Who looks shows that it holds the GIL. What is inside need be neither `Send` nor `Sync`; where it can change, it is in a
/// [`Cell`] or a `RefCell`, because Python code that is called meanwhile may come here again.
pub(crate) struct Gil<T>(ManuallyDrop<T>);

// SAFETY: a `Gil` gives access to its value only against a token for the GIL, and drops it only where the GIL is held, so the
// GIL serialises all that threads do with it. A thread may keep a reference to the value while it is in `Python::detach`, where it
// cannot use it; what another thread changes meanwhile is in cells, and a `RefCell` that is borrowed refuses. Nothing inside is
// bound to a thread: `Object`s belong to the process.
unsafe impl<T> Send for Gil<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Gil<T> {}

impl<T> Gil<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(ManuallyDrop::new(value))
    }

    /// Looks at the value.
    #[inline]
    pub(crate) fn get<'a>(&'a self, _py: Python<'a>) -> &'a T {
        &self.0
    }

    /// Looks at the value for the garbage collector, which runs on a thread that holds the GIL.
    #[inline]
    pub(crate) fn traverse<'a>(&'a self, _visit: &'a PyVisit<'_>) -> &'a T {
        &self.0
    }
}

impl<T> Drop for Gil<T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the function has no conditions.
        let holds_the_gil = unsafe { ffi::PyGILState_Check() } == 1;
        debug_assert!(holds_the_gil, "a value of Python's is dropped without the GIL");
        if holds_the_gil {
            // SAFETY: dropped once, and on a thread that holds the GIL. Elsewhere it is leaked.
            unsafe { ManuallyDrop::drop(&mut self.0) };
        }
    }
}

/// What one step of an awaitable gave.
pub(crate) enum Sent {
    /// It waits for what it yielded.
    Yielded(Object),
    /// It is finished.
    Returned(Object),
    Raised(PyErr),
}

/// Resumes an iterator or coroutine with a value.
#[inline]
pub(crate) fn send(py: Python<'_>, awaitable: &Object, value: Borrowed<'_, '_, PyAny>) -> Sent {
    let mut out = ptr::null_mut();
    // SAFETY: `awaitable` and `value` are live, and `out` can be written.
    let result = unsafe { finalization::send(awaitable.as_ptr(), value.as_ptr(), &raw mut out) };
    if result == ffi::PySendResult::PYGEN_ERROR {
        return Sent::Raised(PyErr::fetch(py));
    }
    // SAFETY: on the two other results `out` is an owned reference.
    match unsafe { Object::from_owned(py, out) } {
        Some(value) if result == ffi::PySendResult::PYGEN_RETURN => Sent::Returned(value),
        Some(value) => Sent::Yielded(value),
        None => Sent::Raised(PyErr::fetch(py)),
    }
}

/// Calls with one argument; `None` means that a Python error is set.
#[inline]
pub(crate) fn call_one(py: Python<'_>, callable: &Object, argument: &Object) -> Option<Object> {
    // SAFETY: both are live objects; the result is owned, or null with an error set.
    unsafe { Object::from_owned(py, finalization::call_one(callable.as_ptr(), argument.as_ptr())) }
}

/// The value of a key in a dict, also of a derived class, whose own methods are not asked; `None` also where a key in the dict
/// cannot be compared.
#[inline]
pub(crate) fn dict_get<'py>(dict: &Bound<'py, PyAny>, key: &Bound<'py, PyString>) -> Option<Bound<'py, PyAny>> {
    dict.cast::<PyDict>().ok()?.get_item(key).ok()?
}

/// What a handler's result has to go through before it is an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Awaiting {
    /// It is the answer.
    Nothing,
    /// It is a coroutine, which can be stepped as it is.
    Coroutine,
    /// It has `__await__`, which gives an iterator to step.
    Awaitable,
}

/// Distinguishes an answer from something to be awaited.
#[inline]
pub(crate) fn awaiting(result: &Object) -> Awaiting {
    // SAFETY: a live object has a type, whose slots are fixed structures or null.
    unsafe {
        if ffi::PyCoro_CheckExact(result.as_ptr()) != 0 {
            return Awaiting::Coroutine;
        }
        let slots = (*ffi::Py_TYPE(result.as_ptr())).tp_as_async;
        if !slots.is_null() && (*slots).am_await.is_some() {
            return Awaiting::Awaitable;
        }
        Awaiting::Nothing
    }
}

/// The iterator behind an awaitable; `None` means that a Python error is set.
pub(crate) fn await_iter(py: Python<'_>, awaitable: &Object) -> Option<Object> {
    // SAFETY: `awaiting` found the slot; the result is owned or null with an error set.
    unsafe {
        let slots = (*ffi::Py_TYPE(awaitable.as_ptr())).tp_as_async;
        let function = if slots.is_null() { None } else { (*slots).am_await };
        if let Some(function) = function {
            Object::from_owned(py, function(awaitable.as_ptr()))
        } else {
            pyo3::exceptions::PyTypeError::new_err("this cannot be awaited any more").restore(py);
            None
        }
    }
}

thread_local! {
    /// How many dispatches enclose the Python code that runs on this thread right now.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// The nesting depth of the code that is calling.
#[inline]
pub(crate) fn depth() -> u32 {
    DEPTH.get()
}

/// Marks, while it lives, that the code this thread runs belongs to a hook at this depth.
pub(crate) struct Inside {
    before: u32,
    /// It belongs to the thread that entered.
    stays: PhantomData<*mut ()>,
}

impl Inside {
    #[inline]
    pub(crate) fn enter(depth: u32) -> Self {
        Self { before: DEPTH.replace(depth), stays: PhantomData }
    }
}

impl Drop for Inside {
    #[inline]
    fn drop(&mut self) {
        DEPTH.set(self.before);
    }
}

/// Whether the running interpreter is the main one; the extension's shared state belongs to one interpreter.
pub(crate) fn in_main_interpreter(_py: Python<'_>) -> bool {
    // SAFETY: the thread is attached, so that it has a current interpreter.
    unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) == 0 }
}
