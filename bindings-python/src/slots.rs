//! Type slots and methods that pyo3 cannot make, and what every slot made by hand goes through.
//!
//! An awaitable without the slot `am_send` ends by raising `StopIteration`, for every dispatch.
//!
//! Bar: "Python, 1 async hook / bare loop" of docs/BENCHMARKS.md, <= 2.2x.
#![expect(unsafe_code, reason = "slots of type objects; each use says why it is sound")]

use std::ffi::{CStr, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use pyo3::panic::PanicException;
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::True;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};
use pyo3::{Borrowed, PyClass, ffi};

use crate::object::{Object, Sent};

/// A panic as an exception.
fn panicked(payload: &(dyn std::any::Any + Send)) -> PyErr {
    let text = payload.downcast_ref::<String>().map(String::as_str).or_else(|| payload.downcast_ref::<&str>().copied());
    PanicException::new_err(text.unwrap_or("panic in hookweave").to_owned())
}

/// Runs a slot's work with pyo3's bookkeeping, and turns a panic or an error into a Python exception.
pub(crate) fn guarded<R>(failed: R, work: impl FnOnce(Python<'_>) -> PyResult<R>) -> R {
    Python::attach(|py| {
        let error = match catch_unwind(AssertUnwindSafe(|| work(py))) {
            Ok(Ok(value)) => return value,
            Ok(Err(error)) => error,
            Err(payload) => panicked(&*payload),
        };
        error.restore(py);
        failed
    })
}

/// The same without the bookkeeping, for what runs often and can do without.
#[inline]
pub(crate) fn guarded_here<R>(failed: R, work: impl FnOnce() -> PyResult<R>) -> R {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => value,
        Ok(Err(error)) => guarded(failed, |_| Err(error)),
        Err(payload) => guarded(failed, |_| Err(panicked(&*payload))),
    }
}

/// Lets `await` take instances of a class as they are, and resume them without an exception at the end.
///
/// pyo3 cannot fill `am_send`; without it every await ends in a `StopIteration`, which costs ten times as much. The class has an
/// `__await__`, and no class can derive from it.
pub(crate) fn set_await_slots(class: &Bound<'_, PyType>, send: ffi::sendfunc) {
    unsafe extern "C" fn itself(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
        // SAFETY: CPython passes a live object and takes a new reference.
        unsafe { ffi::Py_INCREF(object) };
        object
    }
    let raw = class.as_type_ptr();
    // SAFETY: a live heap type, which is not shared with other threads before the module is there. Its slots are its own, and stand in
    // the type object itself, because it has an `__await__`; else the pointer is null.
    unsafe {
        let slots = (*raw).tp_as_async;
        if !slots.is_null() {
            (*slots).am_await = Some(itself);
            (*slots).am_send = Some(send);
            ffi::PyType_Modified(raw);
        }
    }
}

/// What an `am_send` slot does with its raw arguments.
///
/// # Safety
/// Called by CPython as an `am_send` slot, with `object` an instance of `T`'s class.
#[inline]
pub(crate) unsafe fn send_slot<T: PyClass<Frozen = True> + Sync>(
    object: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
    out: *mut *mut ffi::PyObject,
    step: impl FnOnce(&Bound<'_, T>, &Bound<'_, PyAny>) -> Sent,
) -> ffi::PySendResult {
    // SAFETY: a slot is called attached, on live objects. Both are held on to meanwhile: what runs may drop the caller's references.
    let (py, instance, value) = unsafe {
        let py = Python::assume_attached();
        (py, Borrowed::<PyAny>::from_ptr(py, object).to_owned(), Borrowed::<PyAny>::from_ptr(py, value).to_owned())
    };
    let stepped = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: as the caller promises.
        let this = unsafe { instance.cast_unchecked::<T>() };
        step(this, &value)
    }));
    let (result, given) = match stepped.unwrap_or_else(|payload| Sent::Raised(panicked(&*payload))) {
        Sent::Yielded(value) => (ffi::PySendResult::PYGEN_NEXT, value.into_ptr()),
        Sent::Returned(value) => (ffi::PySendResult::PYGEN_RETURN, value.into_ptr()),
        Sent::Raised(error) => {
            error.restore(py);
            (ffi::PySendResult::PYGEN_ERROR, ptr::null_mut())
        }
    };
    // SAFETY: CPython gives a place for the result.
    unsafe { *out = given };
    result
}

/// The arguments of a call, which the caller keeps alive.
pub(crate) struct Arguments<'a, 'py> {
    positional: &'a [Borrowed<'a, 'py, PyAny>],
    keywords: &'a [Borrowed<'a, 'py, PyAny>],
    /// The keyword arguments' names.
    names: Option<Borrowed<'a, 'py, PyTuple>>,
}

impl<'a, 'py> Arguments<'a, 'py> {
    /// Reads the arguments of a call by `METH_FASTCALL | METH_KEYWORDS`.
    ///
    /// # Safety
    /// `arguments` are `count` live objects and one more for each of `names`, a tuple or null; all stay alive for `'a`.
    unsafe fn read(
        py: Python<'py>,
        arguments: *const *mut ffi::PyObject,
        count: ffi::Py_ssize_t,
        names: *mut ffi::PyObject,
    ) -> PyResult<Self> {
        // SAFETY: as the caller promises. A `Borrowed` is one pointer, and none of them is null.
        unsafe {
            let names = Borrowed::from_ptr_or_opt(py, names).map(Borrowed::cast::<PyTuple>).transpose()?;
            let named = names.as_ref().map_or(0, |names| names.len());
            let count = usize::try_from(count)?;
            let (positional, keywords) = if count + named == 0 {
                (&[][..], &[][..])
            } else {
                std::slice::from_raw_parts(arguments.cast(), count + named).split_at(count)
            };
            Ok(Self { positional, keywords, names })
        }
    }

    /// The positional arguments.
    pub(crate) const fn positional(&self) -> &'a [Borrowed<'a, 'py, PyAny>] {
        self.positional
    }

    /// The keyword arguments as a dict; `None` when there are none.
    #[inline]
    pub(crate) fn keywords(&self) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(names) = self.names.filter(|_| !self.keywords.is_empty()) else { return Ok(None) };
        let dict = PyDict::new(names.py());
        for (name, value) in names.iter().zip(self.keywords) {
            dict.set_item(name.cast::<PyString>()?, value)?;
        }
        Ok(Some(dict))
    }
}

/// A method that reads its own arguments: pyo3 makes a tuple of them first where there are keyword arguments of any name, which costs
/// a third of a dispatch without hooks.
pub(crate) trait Method {
    /// The class that it belongs to.
    type Class: PyClass<Frozen = True> + Sync;
    /// Its name.
    const NAME: &'static CStr;
    /// What `help` shows, signature first.
    const DOC: &'static CStr;

    /// Does the work.
    fn call<'py>(this: &Bound<'py, Self::Class>, arguments: &Arguments<'_, 'py>) -> PyResult<Object>;
}

unsafe extern "C" fn call<M: Method>(
    object: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: CPython calls a method attached, has checked that `object` is an instance of the method's class, and keeps it and the
    // arguments alive until the call returns.
    unsafe {
        let py = Python::assume_attached();
        let this = Borrowed::<PyAny>::from_ptr(py, object);
        guarded_here(ptr::null_mut(), || {
            let arguments = Arguments::read(py, arguments, count, names)?;
            M::call(&this.cast_unchecked::<M::Class>(), &arguments).map(Object::into_ptr)
        })
    }
}

/// Adds a method to a class.
pub(crate) fn add_method<M: Method>(class: &Bound<'_, PyType>) -> PyResult<()> {
    const FLAGS: c_int = ffi::METH_FASTCALL | ffi::METH_KEYWORDS;
    let definition = Box::new(ffi::PyMethodDef {
        ml_name: M::NAME.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: call::<M> },
        ml_flags: FLAGS,
        ml_doc: M::DOC.as_ptr(),
    });
    // SAFETY: `class` is a type, and the definition is leaked, as CPython wants it to live as long as the class.
    let method = unsafe {
        Bound::from_owned_ptr_or_err(class.py(), ffi::PyDescr_NewMethod(class.as_type_ptr(), Box::leak(definition)))?
    };
    class.setattr(M::NAME.to_str().unwrap_or_default(), method)
}
