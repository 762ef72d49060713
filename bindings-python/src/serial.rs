//! The core's records as plain Python values, and Python values as JSON.

use hookweave_host::json::{from_json, large_integer, to_json};
use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::errors;
use crate::values::PyHost;

/// Turns anything that serialises into dicts, lists, strings and numbers.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let value = serde_json::to_value(value).map_err(|error| errors::internal(&error.to_string()))?;
    convert(py, &value)
}

/// Turns the fields of an object into a dict.
pub(crate) fn dict<'py>(py: Python<'py>, fields: &Map<String, Value>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, field) in fields {
        dict.set_item(name, convert(py, field)?)?;
    }
    Ok(dict)
}

/// Turns a JSON value into dicts, lists, strings and numbers.
pub(crate) fn convert<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(flag) => flag.into_bound_py_any(py),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into_bound_py_any(py),
            (None, Some(number)) => number.into_bound_py_any(py),
            (None, None) => match large_integer(number) {
                Some(digits) => integer(py, &digits),
                None => number.as_f64().into_bound_py_any(py),
            },
        },
        Value::String(text) => text.into_bound_py_any(py),
        Value::Array(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(convert(py, item)?)?;
            }
            Ok(list.into_any())
        }
        Value::Object(fields) => dict(py, fields).map(Bound::into_any),
    }
}

/// An integer of any length that Python takes: `int` refuses more than `sys.get_int_max_str_digits()` digits.
fn integer<'py>(py: Python<'py>, digits: &str) -> PyResult<Bound<'py, PyAny>> {
    let refuse = |error: PyErr| {
        let why = format!(
            "an integer of {} digits is longer than Python takes ({}); it must be a text",
            digits.trim_start_matches('-').len(),
            error.value(py)
        );
        errors::raise(py, "payload_not_json", &why)
    };
    py.get_type::<PyInt>().call1((digits,)).map_err(refuse)
}

/// A Python value as JSON.
pub(crate) fn to_json_value(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let py = value.py();
    let refuse = |why: String| errors::raise(py, "payload_not_json", &why);
    let text = to_json(&PyHost::new(py), value).map_err(|error| refuse(error.to_string()))?;
    from_json(&text).map_err(|error| refuse(error.to_string()))
}
