//! Classes whose dead instances are kept and used again, and methods without argument parsing.
//!
//! A dispatch makes two short-lived objects. pyo3's own free list takes a lock on both ends, and its argument parser
//! builds what a call with two positional arguments does not need; together they cost as much as calling a hook.
#![expect(unsafe_code, reason = "takes over a class's destructor and adds a method; each use says why it is sound")]

use std::ffi::{CStr, c_int};
use std::ptr::{self, NonNull};

use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::True;
use pyo3::types::PyType;
use pyo3::{Borrowed, PyClass, ffi};

use crate::object::{Gil, Object};

/// How many dead instances of a class are kept.
const MAX_KEPT: usize = 64;

/// The dead instances of a class, and the destructor that pyo3 gave it.
pub(crate) struct Recycler(Gil<Kept>);

struct Kept {
    /// Instances without a value and without references; each still holds its reference to the class.
    dead: Vec<NonNull<ffi::PyObject>>,
    destroy: Option<ffi::destructor>,
}

impl Recycler {
    pub(crate) const fn new() -> Self {
        Self(Gil::new(Kept { dead: Vec::new(), destroy: None }))
    }
}

/// A class with a recycler. Instances must not be tracked by the garbage collector nor have weak references.
pub(crate) trait Recycled: PyClass<Frozen = True> + Sync + Into<PyClassInitializer<Self>> {
    /// Where its dead instances are kept.
    fn recycler() -> &'static Recycler;

    /// Ends the value of a dead instance.
    ///
    /// # Safety
    /// `value` is a live value that nobody looks at afterwards.
    #[inline]
    unsafe fn end(_py: Python<'_>, value: *mut Self) {
        // SAFETY: as the caller promises.
        unsafe { ptr::drop_in_place(value) };
    }
}

/// The address of the Rust value inside an instance.
unsafe fn value_of<T: Recycled>(py: Python<'_>, object: *mut ffi::PyObject) -> *mut T {
    // SAFETY: the caller knows that `object` is an instance of `T`'s class; only an address is computed.
    unsafe { ptr::from_ref(Borrowed::<PyAny>::from_ptr(py, object).cast_unchecked::<T>().get()).cast_mut() }
}

/// Makes an instance, of a dead one if there is one.
#[inline]
pub(crate) fn make<T: Recycled>(py: Python<'_>, value: T) -> PyResult<Object> {
    let Some(dead) = T::recycler().0.with(py, |kept| kept.dead.pop()) else {
        return Bound::new(py, value).map(Object::from_bound);
    };
    // SAFETY: a kept instance has the class's layout, no value and no references; it gets one of each.
    unsafe {
        ptr::write(value_of::<T>(py, dead.as_ptr()), value);
        ffi::Py_INCREF(dead.as_ptr());
        Object::from_owned(dead.as_ptr()).ok_or_else(|| PyErr::fetch(py))
    }
}

unsafe extern "C" fn bury<T: Recycled>(object: *mut ffi::PyObject) {
    // SAFETY: CPython destroys attached, once, and nobody refers to the instance any more.
    unsafe {
        let py = Python::assume_attached();
        let (full, destroy) = T::recycler().0.with(py, |kept| (kept.dead.len() >= MAX_KEPT, kept.destroy));
        match destroy {
            Some(destroy) if full => destroy(object),
            _ => {
                // Dropping the value may run Python code; the instance is kept only afterwards.
                T::end(py, value_of::<T>(py, object));
                if let Some(object) = NonNull::new(object) {
                    T::recycler().0.with(py, |kept| kept.dead.push(object));
                }
            }
        }
    }
}

/// Has a class's instances recycled from now on.
pub(crate) fn install<T: Recycled>(class: &Bound<'_, PyType>) {
    let raw = class.as_ptr().cast::<ffi::PyTypeObject>();
    // SAFETY: a live heap type without instances; its destructor is replaced by one that calls it or does its work.
    unsafe {
        let own = (*raw).tp_dealloc;
        T::recycler().0.with(class.py(), |kept| kept.destroy = own);
        (*raw).tp_dealloc = Some(bury::<T>);
        ffi::PyType_Modified(raw);
    }
}

/// Lets `await` take instances of a class as they are, and resume them without an exception at the end.
///
/// pyo3 cannot fill `am_send`; without it every await ends in a `StopIteration`, which costs ten times as much.
pub(crate) fn set_await_slots(class: &Bound<'_, PyType>, send: ffi::sendfunc) {
    unsafe extern "C" fn itself(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
        // SAFETY: CPython passes a live object and takes a new reference.
        unsafe { ffi::Py_INCREF(object) };
        object
    }
    let raw = class.as_ptr().cast::<ffi::PyTypeObject>();
    // SAFETY: a live heap type whose `__await__` gave it the async slots; nobody has awaited an instance yet.
    unsafe {
        let slots = (*raw).tp_as_async;
        if !slots.is_null() {
            (*slots).am_await = Some(itself);
            (*slots).am_send = Some(send);
            ffi::PyType_Modified(raw);
        }
    }
}

/// The arguments of a call, borrowed from the caller.
pub(crate) struct Arguments<'a, 'py> {
    py: Python<'py>,
    positional: &'a [*mut ffi::PyObject],
    keywords: &'a [*mut ffi::PyObject],
    names: *mut ffi::PyObject,
}

impl<'a, 'py> Arguments<'a, 'py> {
    pub(crate) fn len(&self) -> usize {
        self.positional.len()
    }

    /// A positional argument.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<Borrowed<'a, 'py, PyAny>> {
        let argument = self.positional.get(index)?;
        // SAFETY: the caller keeps its arguments alive during the call.
        Some(unsafe { Borrowed::from_ptr(self.py, *argument) })
    }

    /// The keyword arguments as a dict; `None` when there are none.
    #[inline]
    pub(crate) fn keywords(&self) -> PyResult<Option<Bound<'py, pyo3::types::PyDict>>> {
        if self.keywords.is_empty() {
            return Ok(None);
        }
        let dict = pyo3::types::PyDict::new(self.py);
        for (index, value) in self.keywords.iter().enumerate() {
            // SAFETY: `names` is a tuple with a name for each keyword argument, alive during the call.
            let (name, value) = unsafe {
                let name = ffi::PyTuple_GetItem(self.names, ffi::Py_ssize_t::try_from(index)?);
                (Borrowed::<PyAny>::from_ptr(self.py, name), Borrowed::<PyAny>::from_ptr(self.py, *value))
            };
            dict.set_item(name, value)?;
        }
        Ok(Some(dict))
    }
}

/// A method that reads its own arguments.
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
    // SAFETY: CPython calls attached, checked that `object` is an instance of the method's class, and passes `count`
    // positional arguments followed by one for each name.
    unsafe {
        let py = Python::assume_attached();
        let this = Borrowed::<PyAny>::from_ptr(py, object);
        let count = usize::try_from(count).unwrap_or_default();
        let named = if names.is_null() { 0 } else { usize::try_from(ffi::PyTuple_Size(names)).unwrap_or_default() };
        let (positional, keywords) = if count + named == 0 {
            (&[][..], &[][..])
        } else {
            std::slice::from_raw_parts(arguments, count + named).split_at(count)
        };
        let arguments = Arguments { py, positional, keywords, names };
        match M::call(&this.cast_unchecked::<M::Class>(), &arguments) {
            Ok(value) => value.into_ptr(),
            Err(error) => {
                error.restore(py);
                ptr::null_mut()
            }
        }
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
    // SAFETY: the definition is leaked, as CPython wants it to live as long as the class.
    let method = unsafe {
        let raw = class.as_ptr().cast::<ffi::PyTypeObject>();
        Bound::from_owned_ptr_or_err(class.py(), ffi::PyDescr_NewMethod(raw, Box::leak(definition)))?
    };
    class.setattr(M::NAME.to_str().unwrap_or_default(), method)
}
