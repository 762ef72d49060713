//! Names of payload fields as Python strings, made once: making a string and its hash costs more than looking it up.
//!
//! They are read for matchers and for each record of the audit log.
//!
//! Bar: "Python, added to a dispatch by an audit log" of docs/BENCHMARKS.md, <= 500 ns.

use std::cell::RefCell;
use std::ptr;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::object::{Gil, Object};
use crate::once::intern;

/// A dict of more fields is asked for each name: that is quicker than to go through it.
const FEW: usize = 12;

/// Names that the core picks together, and the same as interned strings.
type PickedNames = (&'static [&'static str], &'static [Object]);

/// The fields of a dict that have these names, found in one pass over it.
///
/// `None` when the dict has to be asked for each name: it is large, or has a key whose class says itself what it equals.
#[inline]
pub(crate) fn pick<'py, const N: usize>(
    dict: &Bound<'py, PyDict>,
    names: &'static [&'static str; N],
) -> Option<[Option<Bound<'py, PyAny>>; N]> {
    if dict.len() > FEW {
        return None;
    }
    let keys = interned(dict.py(), names);
    let mut found = [const { None }; N];
    // Nothing in this loop runs Python code, so that the dict stays as it is.
    for (key, value) in dict.iter() {
        let mut place = keys.iter().position(|known| known.as_ptr() == key.as_ptr());
        if place.is_none() {
            let key = key.cast_exact::<PyString>().ok()?;
            place = key.to_str().ok().and_then(|key| names.iter().position(|name| *name == key));
        }
        if let Some(place) = place.and_then(|place| found.get_mut(place)) {
            *place = Some(value);
        }
    }
    Some(found)
}

/// Names as interned strings; made when they are first picked, and kept.
#[inline]
fn interned(py: Python<'_>, names: &'static [&'static str]) -> &'static [Object] {
    static KNOWN: Gil<RefCell<Vec<PickedNames>>> = Gil::new(RefCell::new(Vec::new()));
    let known = KNOWN.get(py);
    if let Some((_, keys)) = known.borrow().iter().find(|known| ptr::eq(known.0, names)) {
        return keys;
    }
    let keys = names.iter().map(|name| Object::from_bound(PyString::intern(py, name)));
    let keys: &[Object] = keys.collect::<Vec<_>>().leak();
    known.borrow_mut().push((names, keys));
    keys
}

/// One of the names that are looked up in most dispatches.
pub(crate) fn common_key<'py>(py: Python<'py>, key: &str) -> Option<&'py Bound<'py, PyString>> {
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
