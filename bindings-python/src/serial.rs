//! The core's own records as plain Python values.

use hookweave::host::large_integer;
use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::errors;

/// Turns anything that serialises into dicts, lists, strings and numbers.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let value = serde_json::to_value(value).map_err(|error| errors::broken(&error.to_string()))?;
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
                Some(digits) => py.get_type::<PyInt>().call1((digits,)),
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
