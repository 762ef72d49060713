//! The engine's list of events as Python data.

use hookweave_host::event::{BUILT_IN, COMMON_FIELDS, CatalogueField};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

fn field<'py>(py: Python<'py>, field: &CatalogueField) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("name", field.name)?;
    dict.set_item("type", field.kind.as_str())?;
    dict.set_item("optional", field.optional)?;
    dict.set_item("modifiable", field.modifiable)?;
    Ok(dict)
}

fn fields<'py>(py: Python<'py>, fields: &[CatalogueField]) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, fields.iter().map(|own| field(py, own)).collect::<PyResult<Vec<_>>>()?)
}

/// Every built-in event.
pub(crate) fn events(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let events = PyList::empty(py);
    for event in BUILT_IN {
        let dict = PyDict::new(py);
        dict.set_item("name", event.name)?;
        dict.set_item("aliases", event.aliases)?;
        dict.set_item("gate", event.gate)?;
        dict.set_item("fields", fields(py, event.fields)?)?;
        dict.set_item("subtype", event.subtype)?;
        dict.set_item("path", event.path)?;
        events.append(dict)?;
    }
    Ok(events.into_any())
}

/// The fields that every event has beside its own.
pub(crate) fn common(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    fields(py, COMMON_FIELDS)
}
