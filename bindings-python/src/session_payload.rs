//! Payloads of session events and arguments of tools as Python values: the same text becomes the same object each time.
//!
//! Bar: "Python, tool of 1 ms in a session with 10 hooks / the tool alone" of docs/BENCHMARKS.md, <= 1.05x.

use std::cell::RefCell;
use std::sync::Arc;

use hookweave_host::session::{Field, Fields, Surroundings};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use serde_json::{Map, Value};

use crate::keys::common_key;
use crate::object::Object;
use crate::once::intern;
use crate::serial;

/// How many tools' names a session remembers.
const MAX_NAMES: usize = 16;

/// What is the same in many events of one session.
pub(crate) struct SharedValues {
    /// The fields of all of them; copied before it is given away.
    common: Py<PyDict>,
    /// Tools' names, by the texts that the machine has them in: its own copies, so that an address names a text.
    names: RefCell<Names>,
}

#[derive(Default)]
struct Names {
    known: Vec<(Arc<str>, Object)>,
    /// Where the next one goes when all places are taken.
    next: usize,
}

impl Names {
    fn find(&self, name: &Arc<str>) -> Option<Object> {
        self.known.iter().find(|(known, _)| Arc::ptr_eq(known, name)).map(|(_, object)| object.clone())
    }

    /// Takes a name in; gives back what has to be dropped outside the cell.
    fn remember(&mut self, name: (Arc<str>, Object)) -> Option<(Arc<str>, Object)> {
        if self.known.len() < MAX_NAMES {
            self.known.push(name);
            return None;
        }
        let place = self.known.get_mut(self.next)?;
        self.next = (self.next + 1) % MAX_NAMES;
        Some(std::mem::replace(place, name))
    }
}

impl SharedValues {
    pub(crate) fn new(py: Python<'_>, common: &Map<String, Value>) -> PyResult<Self> {
        Ok(Self { common: serial::dict(py, common)?.unbind(), names: RefCell::default() })
    }

    /// A dict of what all events of the session carry.
    pub(crate) fn common<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.common.bind(py).copy()
    }

    /// A tool's name; interned, because plans are found by the address of the name.
    pub(crate) fn name<'py>(&self, py: Python<'py>, name: &Arc<str>) -> Bound<'py, PyAny> {
        if let Some(known) = self.names.borrow().find(name) {
            return known.into_bound(py);
        }
        let made = PyString::intern(py, name).into_any();
        let entry = (Arc::clone(name), Object::of(&made));
        let old = self.names.borrow_mut().remember(entry);
        drop(old);
        made
    }

    /// The payload of an event, but for the values that the host keeps.
    pub(crate) fn payload<'py>(
        &self,
        py: Python<'py>,
        fields: &Fields,
        text: impl Fn(&Arc<str>) -> Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let payload = self.common(py)?;
        for (name, field) in &fields.own {
            let value = match field {
                Field::Text(name_of_tool) if name == "tool" => self.name(py, name_of_tool),
                Field::Text(own) => text(own),
                Field::Surroundings(around) => self.surroundings(py, around)?.into_any(),
                Field::Json(value) => serial::convert(py, value)?,
            };
            set(&payload, name, &value)?;
        }
        Ok(payload)
    }

    fn surroundings<'py>(&self, py: Python<'py>, around: &Surroundings) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item(intern!(py, "working_directory"), around.working_directory.as_deref())?;
        let tools = PyList::new(py, around.recent_tools.iter().map(|name| self.name(py, name)))?;
        dict.set_item(intern!(py, "recent_tools"), tools)?;
        dict.set_item(intern!(py, "token_usage"), serial::convert(py, &around.token_usage)?)?;
        Ok(dict)
    }
}

/// Sets a field of a payload.
pub(crate) fn set(payload: &Bound<'_, PyDict>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    match common_key(payload.py(), name) {
        Some(key) => payload.set_item(key, value),
        None => payload.set_item(name, value),
    }
}
