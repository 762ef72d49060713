//! Names of payload fields as Python strings, made once: making a string and its hash costs more than looking it up.
#![expect(unsafe_code, reason = "goes through a dict with the C API; the use says why it is sound")]

use std::ptr;

use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3::{Borrowed, ffi, intern};

use crate::object::{Gil, Object, is_exact_text, utf8};

/// A dict of more fields is asked for each name: that is quicker than to go through it.
const FEW: ffi::Py_ssize_t = 12;

/// Names that the core picks together, and the same as interned strings.
type Known = (&'static [&'static str], &'static [Object]);

/// The fields of a dict that have these names, found in one pass over it.
///
/// `None` when the dict has to be asked for each name: it is large, or has a key whose class says itself what it equals.
#[inline]
pub(crate) fn pick<'v, const N: usize>(
    py: Python<'v>,
    dict: Borrowed<'v, 'v, PyAny>,
    names: &'static [&'static str; N],
) -> Option<[Option<Borrowed<'v, 'v, PyAny>>; N]> {
    // SAFETY: the caller checked that this is a dict.
    let size = unsafe { ffi::PyDict_Size(dict.as_ptr()) };
    if size > FEW {
        return None;
    }
    let keys = interned(py, names);
    let mut found = [None; N];
    let (mut at, mut key, mut value) = (0, ptr::null_mut(), ptr::null_mut());
    for _ in 0..size {
        // SAFETY: nothing in this loop runs Python code, so the dict stays as it is; what it gives lives as long as the dict is
        // left alone, which it is: the core only looks.
        if unsafe { ffi::PyDict_Next(dict.as_ptr(), &raw mut at, &raw mut key, &raw mut value) } == 0 {
            break;
        }
        let mut place = keys.iter().position(|known| known.as_ptr() == key);
        if place.is_none() {
            if !is_exact_text(key) {
                return None;
            }
            // SAFETY: as above.
            let key = utf8(unsafe { Borrowed::from_ptr(py, key) });
            place = key.and_then(|key| names.iter().position(|name| *name == key));
        }
        if let Some(place) = place.and_then(|place| found.get_mut(place)) {
            // SAFETY: as above.
            *place = Some(unsafe { Borrowed::from_ptr(py, value) });
        }
    }
    Some(found)
}

/// Names as interned strings; made when they are first picked, and kept.
#[inline]
fn interned(py: Python<'_>, names: &'static [&'static str]) -> &'static [Object] {
    static KNOWN: Gil<Vec<Known>> = Gil::new(Vec::new());
    let is_same = |known: &&Known| ptr::eq(known.0, names);
    if let Some(keys) = KNOWN.with(py, |all| all.iter().find(is_same).map(|(_, keys)| *keys)) {
        return keys;
    }
    let keys = names.iter().map(|name| Object::from_bound(PyString::intern(py, name)));
    let keys: &[Object] = keys.collect::<Vec<_>>().leak();
    KNOWN.with(py, |all| all.push((names, keys)));
    keys
}

/// One of the names that are looked up in most dispatches.
pub(crate) fn usual_key<'py>(py: Python<'py>, key: &str) -> Option<&'py Bound<'py, PyString>> {
    macro_rules! among {
        ($($name:literal),*) => {
            match key {
                $($name => Some(intern!(py, $name)),)*
                _ => None,
            }
        };
    }
    among!(
        "tool",
        "args",
        "session_id",
        "agent_id",
        "tool_use_id",
        "context",
        "result",
        "cwd",
        "command",
        "file_path",
        "path",
        "notebook_path",
        "paths",
        "files",
        "source"
    )
}
