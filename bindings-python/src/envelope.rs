//! The fields that the engine fills in, as Python values.

use hookweave_host::clock::now_ms;
use hookweave_host::directory::Directory;
use hookweave_host::envelope::{Envelope, FILLED_IN};
use hookweave_host::event::BUILT_IN;
use hookweave_host::payload::MAX_NESTING;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::errors;
use crate::object::{Object, dict_get};
use crate::serial;
use crate::values::{Shape, copy};

/// A new value for a field, or `None` for a field that stays missing. The caller keeps it for the dispatch.
pub(crate) fn value(
    py: Python<'_>,
    event: &Object,
    field: &Bound<'_, PyString>,
    directory: &Directory,
) -> PyResult<Option<Object>> {
    let has_tool_use_id = has_tool_use_id(event.borrow(py).cast::<PyString>()?.to_str()?);
    let envelope = Envelope::new(now_ms());
    envelope.place(directory);
    let made = envelope.value(field.to_str()?, has_tool_use_id);
    made.map(|made| serial::convert(py, made).map(Object::from_bound)).transpose()
}

fn has_tool_use_id(event: &str) -> bool {
    let known = BUILT_IN.iter().find(|known| known.name == event);
    known.is_some_and(|known| known.fields.iter().any(|field| field.name == "tool_use_id"))
}

/// Whether the engine fills a field in where the payload has none.
pub(crate) fn is_made_up(field: &Bound<'_, PyString>) -> bool {
    field.to_str().is_ok_and(|field| FILLED_IN.contains(&field))
}

/// What becomes of a field in a copy of the whole payload.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fields {
    /// Plain containers that the caller owns; one that nests too deep is an error.
    Copied,
    /// The same, but what nests too deep is shared: an outcome can always be looked at.
    CopiedIfPossible,
    /// As the host gave them, for reading only.
    Shared,
}

/// Notes among what was made up for a dispatch that a hook could not be shown something of its event.
///
/// The key is none that a field can have. It is there once the dispatch is over.
pub(crate) fn note_unshown(py: Python<'_>, filled: &Object, what: &str) {
    if let Ok(filled) = filled.borrow(py).cast::<PyDict>() {
        // A new key in a dict of ours fails only for memory.
        _ = filled.set_item(py.None(), format!("hooks cannot be shown the event: {what}"));
    }
}

/// What of the event of a dispatch a hook could not be shown, and why.
pub(crate) fn unshown(py: Python<'_>, filled: &Object) -> Option<String> {
    let filled = filled.borrow(py);
    let why = filled.cast::<PyDict>().ok()?.get_item(py.None()).ok()??;
    why.cast::<PyString>().ok()?.to_str().ok().map(str::to_owned)
}

/// The whole payload with what was made up.
pub(crate) fn whole<'py>(
    py: Python<'py>,
    event: &Object,
    payload: &Object,
    filled: &Object,
    directory: &Directory,
    fields: Fields,
) -> PyResult<Bound<'py, PyDict>> {
    let whole = PyDict::new(py);
    whole.set_item("event_type", event.borrow(py))?;
    let payload = payload.borrow(py);
    for (name, field) in payload.cast::<PyDict>()?.iter() {
        if name.eq("event_type")? {
            // The host may have used an alias.
            continue;
        }
        let kept = match fields {
            Fields::Shared => field,
            Fields::CopiedIfPossible => copy(&field, Shape::Plain, MAX_NESTING).unwrap_or(field),
            Fields::Copied => copy(&field, Shape::Plain, MAX_NESTING)
                .map_err(|excess| errors::raise(py, excess.code().as_str(), &format!("{name}: {excess}")))?,
        };
        whole.set_item(name, kept)?;
    }
    let filled = filled.borrow(py);
    for name in FILLED_IN {
        let name = PyString::intern(py, name);
        if whole.get_item(&name)?.is_some_and(|given| !given.is_none()) {
            continue;
        }
        if let Some(made) = dict_get(&filled, &name) {
            whole.set_item(&name, made)?;
        } else if let Some(made) = value(py, event, &name, directory)? {
            filled.cast::<PyDict>()?.set_item(&name, made.borrow(py))?;
            whole.set_item(&name, made.borrow(py))?;
        }
    }
    Ok(whole)
}
