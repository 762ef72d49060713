//! What the engine makes up where a payload lacks it.

use hookweave::host::{BUILT_IN, new_id, now_ms};
use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::convert::{Shape, copy};
use crate::object::{Object, dict_get};

/// A made-up value of a field, or `None` for a field that stays away.
pub(crate) fn value(py: Python<'_>, event: &Object, field: &Bound<'_, PyString>) -> PyResult<Option<Object>> {
    let made = match field.to_str()? {
        "event_type" => event.bind(py),
        "session_id" => new_id().into_bound_py_any(py)?,
        "tool_use_id" if has_tool_use_id(event.borrow(py).cast::<PyString>()?.to_str()?) => new_id().into_bound_py_any(py)?,
        "timestamp" => now_ms().into_bound_py_any(py)?,
        "metadata" => PyDict::new(py).into_any(),
        _ => return Ok(None),
    };
    Ok(Some(Object::from_bound(made)))
}

fn has_tool_use_id(event: &str) -> bool {
    let known = BUILT_IN.iter().find(|known| known.name == event);
    known.is_some_and(|known| known.fields.iter().any(|field| field.name == "tool_use_id"))
}

/// The fields that every event has, in the order in which they are shown.
const ALWAYS: &[&str] = &["event_type", "session_id", "timestamp", "tool_use_id", "metadata"];

/// The whole payload with what was made up, as plain containers that the caller owns.
pub(crate) fn whole<'py>(
    py: Python<'py>,
    event: &Object,
    payload: &Object,
    filled: &Object,
) -> PyResult<Bound<'py, PyDict>> {
    let whole = PyDict::new(py);
    whole.set_item("event_type", event.borrow(py))?;
    let payload = payload.borrow(py);
    for (name, field) in payload.cast::<PyDict>()?.iter() {
        let field = copy(&field, Shape::Plain, hookweave::host::MAX_NESTING)
            .map_err(|deep| crate::errors::raise(py, "payload_too_deep", &format!("{name}: {deep}")))?;
        whole.set_item(name, field)?;
    }
    let filled = filled.borrow(py);
    for name in ALWAYS {
        let name = PyString::intern(py, name);
        if whole.contains(&name)? {
            continue;
        }
        if let Some(made) = dict_get(py, filled, name.as_ptr()) {
            whole.set_item(&name, made)?;
        } else if let Some(made) = value(py, event, &name)? {
            filled.cast::<PyDict>()?.set_item(&name, made.borrow(py))?;
            whole.set_item(&name, made.borrow(py))?;
        }
    }
    Ok(whole)
}
