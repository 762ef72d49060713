//! Owned references and the few calls into CPython that the hot path makes itself.
//!
//! pyo3's `Py` asks a thread-local on every drop whether the thread may touch Python. This extension starts no thread
//! and never detaches, so every place that drops a reference is attached, and the question can be left out. All use of
//! the C API beside the type objects ([`crate::event`], [`crate::dispatch`]) is gathered here.
#![expect(unsafe_code, reason = "reference counts and calls through the C API; each use says why it is sound")]

use std::cell::{Cell, UnsafeCell};
use std::ffi::c_int;
use std::ptr::{self, NonNull};
use std::rc::Rc;

use pyo3::prelude::*;
use pyo3::{Borrowed, ffi};

use crate::ending;

/// An owned reference to a Python object.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct Object(NonNull<ffi::PyObject>);

// SAFETY: the module asks for the GIL (`gil_used`), and it starts no threads and never detaches: whoever holds an
// `Object` in Rust code is attached, so counts change under the GIL only.
unsafe impl Send for Object {}
// SAFETY: as above; a shared `Object` is only cloned and read under the GIL.
unsafe impl Sync for Object {}

impl Clone for Object {
    #[inline]
    fn clone(&self) -> Self {
        // SAFETY: the pointer is a live object and the thread is attached.
        unsafe { ffi::Py_INCREF(self.0.as_ptr()) };
        Self(self.0)
    }
}

impl Drop for Object {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: this value owns one reference and the thread is attached.
        unsafe { ffi::Py_DECREF(self.0.as_ptr()) };
    }
}

impl Object {
    /// Takes over a reference that the C API returned; `None` for null, with a Python error set.
    ///
    /// # Safety
    /// `pointer` is null or an owned reference.
    #[inline]
    pub(crate) unsafe fn from_owned(pointer: *mut ffi::PyObject) -> Option<Self> {
        NonNull::new(pointer).map(Self)
    }

    #[inline]
    pub(crate) fn of(bound: &Bound<'_, PyAny>) -> Self {
        Self::from_bound(bound.clone())
    }

    #[inline]
    pub(crate) fn from_bound<T>(bound: Bound<'_, T>) -> Self {
        // SAFETY: a `Bound` is never null and gives up its own reference.
        unsafe { Self(NonNull::new_unchecked(bound.into_ptr())) }
    }

    #[inline]
    pub(crate) fn none(py: Python<'_>) -> Self {
        Self::from_bound(py.None().into_bound(py))
    }

    #[inline]
    pub(crate) const fn as_ptr(&self) -> *mut ffi::PyObject {
        self.0.as_ptr()
    }

    #[inline]
    pub(crate) fn into_ptr(self) -> *mut ffi::PyObject {
        let pointer = self.0.as_ptr();
        std::mem::forget(self);
        pointer
    }

    #[inline]
    pub(crate) fn borrow<'a, 'py>(&'a self, py: Python<'py>) -> Borrowed<'a, 'py, PyAny> {
        // SAFETY: the object lives as long as `self`.
        unsafe { Borrowed::from_ptr(py, self.0.as_ptr()) }
    }

    #[inline]
    pub(crate) fn bind<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.borrow(py).to_owned()
    }

    #[inline]
    pub(crate) fn into_bound(self, py: Python<'_>) -> Bound<'_, PyAny> {
        // SAFETY: hands over the reference that this value owned.
        unsafe { Bound::from_owned_ptr(py, self.into_ptr()) }
    }

    #[inline]
    pub(crate) fn is_none(&self) -> bool {
        // SAFETY: `Py_None` is always there.
        self.as_ptr() == unsafe { ffi::Py_None() }
    }

    /// Shows the object to the garbage collector.
    pub(crate) fn visit(&self, visit: &pyo3::gc::PyVisit<'_>) -> Result<(), pyo3::gc::PyTraverseError> {
        // SAFETY: `Py` is one non-null pointer, like this type; the collector only looks at it.
        visit.call(unsafe { &*ptr::from_ref(self).cast::<Py<PyAny>>() })
    }

    /// Whether this is the only reference to the object, so that nobody else can ever see it.
    #[inline]
    pub(crate) fn is_unshared(&self) -> bool {
        // SAFETY: the object is live.
        unsafe { ffi::Py_REFCNT(self.as_ptr()) == 1 }
    }
}

/// Shared state that only threads holding the GIL touch.
///
/// A value is taken out and put back; no reference to the inside leaves the cell while Python code could run.
pub(crate) struct Gil<T>(UnsafeCell<T>);

// SAFETY: see `Object`: the GIL serialises every use.
unsafe impl<T> Send for Gil<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Gil<T> {}

impl<T: Default> Default for Gil<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> Gil<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// Looks at or changes the value; the closure must not run Python code, not even by dropping an object.
    #[inline]
    pub(crate) fn with<R>(&self, _py: Python<'_>, look: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: the GIL is held and the closure runs no Python code, so nothing else can reach the value meanwhile.
        look(unsafe { &mut *self.0.get() })
    }
}

/// The right to touch Python, without a lifetime.
///
/// The core's trait for hosts has views that borrow from the host; a host that itself borrows the interpreter's token
/// cannot implement it. One of these is made for a call into the core and does not outlive it.
pub(crate) struct Attached(());

impl Attached {
    pub(crate) const fn new(_py: Python<'_>) -> Self {
        Self(())
    }

    #[inline]
    #[expect(clippy::unused_self, reason = "having one is what allows it")]
    pub(crate) fn py(&self) -> Python<'_> {
        // SAFETY: made while attached, and this extension never detaches.
        unsafe { Python::assume_attached() }
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
pub(crate) fn send(py: Python<'_>, awaitable: &Object, value: *mut ffi::PyObject) -> Sent {
    let mut out = ptr::null_mut();
    // SAFETY: `awaitable` is live, `value` is a borrowed live object, `out` is filled unless an error is set.
    match unsafe { ending::send(awaitable.as_ptr(), value, &raw mut out) } {
        // SAFETY: on these two results `out` is an owned reference.
        ffi::PySendResult::PYGEN_RETURN => match unsafe { Object::from_owned(out) } {
            Some(value) => Sent::Returned(value),
            None => Sent::Raised(PyErr::fetch(py)),
        },
        // SAFETY: as above.
        ffi::PySendResult::PYGEN_NEXT => match unsafe { Object::from_owned(out) } {
            Some(value) => Sent::Yielded(value),
            None => Sent::Raised(PyErr::fetch(py)),
        },
        ffi::PySendResult::PYGEN_ERROR => Sent::Raised(PyErr::fetch(py)),
    }
}

/// Calls with one argument; `None` means that a Python error is set.
#[inline]
pub(crate) fn call_one(callable: &Object, argument: &Object) -> Option<Object> {
    // SAFETY: both are live objects; the result is owned or null with an error set.
    unsafe { Object::from_owned(ending::call_one(callable.as_ptr(), argument.as_ptr())) }
}

/// The value of an exact `str` key in an exact or subclassed `dict`, without running an overridden method.
#[inline]
pub(crate) fn dict_get<'a, 'py>(
    py: Python<'py>,
    dict: Borrowed<'a, 'py, PyAny>,
    key: *mut ffi::PyObject,
) -> Option<Borrowed<'a, 'py, PyAny>> {
    // SAFETY: the callers checked that `dict` is a dict and `key` is a live string; the borrowed result lives as long as
    // the dict is left alone, which it is: the core only looks.
    unsafe {
        let found = ffi::PyDict_GetItemWithError(dict.as_ptr(), key);
        if found.is_null() {
            if !ffi::PyErr_Occurred().is_null() {
                ffi::PyErr_Clear();
            }
            return None;
        }
        Some(Borrowed::from_ptr(py, found))
    }
}

/// A borrowed item of an exact or subclassed `list` or `tuple`.
#[inline]
pub(crate) fn item_get<'a, 'py>(
    py: Python<'py>,
    list: Borrowed<'a, 'py, PyAny>,
    index: usize,
) -> Option<Borrowed<'a, 'py, PyAny>> {
    let index = ffi::Py_ssize_t::try_from(index).ok()?;
    // SAFETY: the bounds are checked, and the item lives as long as the list is left alone (see `dict_get`).
    unsafe {
        let pointer = if ffi::PyList_Check(list.as_ptr()) != 0 && index < ffi::PyList_GET_SIZE(list.as_ptr()) {
            ffi::PyList_GET_ITEM(list.as_ptr(), index)
        } else if ffi::PyTuple_Check(list.as_ptr()) != 0 && index < ffi::PyTuple_GET_SIZE(list.as_ptr()) {
            ffi::PyTuple_GET_ITEM(list.as_ptr(), index)
        } else {
            return None;
        };
        Borrowed::from_ptr_or_opt(py, pointer)
    }
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

/// Tells an answer from something to be awaited.
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
pub(crate) fn await_iter(awaitable: &Object) -> Option<Object> {
    // SAFETY: `awaiting` found the slot; the result is owned or null with an error set.
    unsafe {
        let slots = (*ffi::Py_TYPE(awaitable.as_ptr())).tp_as_async;
        let function = (*slots).am_await?;
        Object::from_owned(function(awaitable.as_ptr()))
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
    /// This thread's cell; looking a thread-local up costs more than using it.
    cell: *const Cell<u32>,
    before: u32,
}

impl Inside {
    #[inline]
    pub(crate) fn enter(depth: u32) -> Self {
        DEPTH.with(|cell| Self { cell: ptr::from_ref(cell), before: cell.replace(depth) })
    }
}

impl Drop for Inside {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: a raw pointer is not `Send`, so this is the thread that entered, and it has not ended.
        unsafe { (*self.cell).set(self.before) };
    }
}

/// A value with several owners, counted under the GIL.
pub(crate) struct Shared<T>(Rc<T>);

// SAFETY: see `Object`: the GIL serialises every use of the count, and the value itself is `Send` and `Sync`.
unsafe impl<T: Send + Sync> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Shared<T> {}

impl<T> Shared<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Rc::new(value))
    }
}

impl<T> Clone for Shared<T> {
    #[inline]
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<T> std::ops::Deref for Shared<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

/// Whether the running interpreter is the main one; the extension's shared state belongs to one interpreter.
pub(crate) fn in_main_interpreter() -> bool {
    // SAFETY: called while attached, where the current interpreter is never null.
    unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) == 0 }
}

/// Whether a type has instances with this layout as its base.
#[inline]
pub(crate) fn is_instance(object: *mut ffi::PyObject, class: *mut ffi::PyTypeObject) -> bool {
    // SAFETY: both are live.
    let found: c_int = unsafe { ffi::PyObject_TypeCheck(object, class) };
    found != 0
}

/// Whether an object is a `str` and of no class derived from it, so that it equals what has the same letters.
#[inline]
pub(crate) fn is_exact_text(object: *mut ffi::PyObject) -> bool {
    // SAFETY: the object is live.
    unsafe { ffi::PyUnicode_CheckExact(object) != 0 }
}

/// The UTF-8 form of a `str`; `None` if it has lone surrogates.
#[inline]
pub(crate) fn utf8<'v>(text: Borrowed<'v, '_, PyAny>) -> Option<&'v str> {
    let mut length = 0;
    // SAFETY: the caller checked that this is a `str`; CPython caches the bytes inside the object, which lives for `'v`.
    unsafe {
        let bytes = ffi::PyUnicode_AsUTF8AndSize(text.as_ptr(), &raw mut length);
        if bytes.is_null() {
            ffi::PyErr_Clear();
            return None;
        }
        let length = usize::try_from(length).ok()?;
        Some(std::str::from_utf8_unchecked(std::slice::from_raw_parts(bytes.cast(), length)))
    }
}

/// A value that one activity at a time may change, however long it takes and whatever Python code runs meanwhile.
pub(crate) struct Exclusive<T> {
    busy: Cell<bool>,
    value: UnsafeCell<T>,
}

// SAFETY: see `Object`: the GIL serialises every use, and `busy` keeps a second activity out while the first one has let
// other threads run.
unsafe impl<T> Send for Exclusive<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Exclusive<T> {}

impl<T> Exclusive<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self { busy: Cell::new(false), value: UnsafeCell::new(value) }
    }

    /// Runs with the value, or gives `None` when it is in use already (by this thread further up, or by another).
    #[inline]
    pub(crate) fn enter<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        struct Leave<'a>(&'a Cell<bool>);
        impl Drop for Leave<'_> {
            fn drop(&mut self) {
                self.0.set(false);
            }
        }
        if self.busy.replace(true) {
            return None;
        }
        let _leave = Leave(&self.busy);
        // SAFETY: `busy` was unset, so no other reference to the value exists until `_leave` is dropped.
        Some(work(unsafe { &mut *self.value.get() }))
    }
}

/// What a driver's `am_send` slot does with its raw arguments.
///
/// # Safety
/// Called by CPython as an `am_send` slot, with `object` an instance of `T`'s class.
#[inline]
pub(crate) unsafe fn send_slot<T: pyo3::PyClass<Frozen = pyo3::pyclass::boolean_struct::True> + Sync>(
    object: *mut ffi::PyObject,
    out: *mut *mut ffi::PyObject,
    step: impl FnOnce(Python<'_>, &T) -> Sent,
) -> ffi::PySendResult {
    // SAFETY: a slot is called attached, on a live instance of the class.
    let (py, instance) = unsafe {
        let py = Python::assume_attached();
        (py, Borrowed::<PyAny>::from_ptr(py, object))
    };
    // SAFETY: as the caller promises.
    let this = unsafe { instance.cast_unchecked::<T>() };
    let (result, value) = match step(py, this.get()) {
        Sent::Yielded(value) => (ffi::PySendResult::PYGEN_NEXT, value.into_ptr()),
        Sent::Returned(value) => (ffi::PySendResult::PYGEN_RETURN, value.into_ptr()),
        Sent::Raised(error) => {
            error.restore(py);
            (ffi::PySendResult::PYGEN_ERROR, ptr::null_mut())
        }
    };
    // SAFETY: CPython gives a place for the result.
    unsafe { *out = value };
    result
}
