//! What is made once and kept for ever.
//!
//! pyo3's `PyOnceLock`, and its `intern!` with it, lets other threads run while it holds a lock. A child that is forked then
//! waits for that lock for ever, and a thread that the end of the interpreter finds there aborts the process. Here is no lock:
//! who looks holds the GIL.

use std::cell::OnceCell;
use std::ffi::CStr;

use pyo3::prelude::*;
use pyo3::type_object::PyTypeCheck;
use pyo3::types::PyString;

use crate::finalization;
use crate::object::Gil;

pub(crate) struct Once<T>(Gil<OnceCell<T>>);

impl<T> Once<T> {
    pub(crate) const fn new() -> Self {
        Self(Gil::new(OnceCell::new()))
    }

    #[inline]
    pub(crate) fn get<'a>(&'a self, py: Python<'a>) -> Option<&'a T> {
        self.0.get(py).get()
    }

    /// What there is, or else what `make` gives, which may come here again; what was kept first stays.
    #[inline]
    pub(crate) fn get_or_make<'a>(&'a self, py: Python<'a>, make: impl FnOnce() -> PyResult<T>) -> PyResult<&'a T> {
        if let Some(kept) = self.get(py) {
            return Ok(kept);
        }
        let made = make()?;
        Ok(self.0.get(py).get_or_init(|| made))
    }
}

impl<T: PyTypeCheck> Once<Py<T>> {
    /// What a module has by a name. Whoever made the client has imported the module.
    #[inline]
    pub(crate) fn import<'py>(&'py self, py: Python<'py>, module: &CStr, name: &str) -> PyResult<&'py Bound<'py, T>> {
        let kept =
            self.get_or_make(py, || Ok(finalization::import(py, module)?.getattr(name)?.cast_into::<T>()?.unbind()))?;
        Ok(kept.bind(py))
    }
}

/// A name as the one `str` object that there is of it.
pub(crate) struct Interned(&'static str, Once<Py<PyString>>);

impl Interned {
    pub(crate) const fn new(text: &'static str) -> Self {
        Self(text, Once::new())
    }

    #[inline]
    pub(crate) fn get<'py>(&'py self, py: Python<'py>) -> &'py Bound<'py, PyString> {
        let cell = self.1.0.get(py);
        cell.get_or_init(|| PyString::intern(py, self.0).unbind()).bind(py)
    }
}

/// The `str` object of a literal name.
macro_rules! intern {
    ($py:expr, $text:expr) => {{
        static INTERNED: $crate::once::Interned = $crate::once::Interned::new($text);
        INTERNED.get($py)
    }};
}
pub(crate) use intern;
