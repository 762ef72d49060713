//! One activity of a session in steps: each reply gives the next thing to do, as a dict whose `do` names it.

use std::sync::Mutex;

use hookweave::host::{MAX_NESTING, TooDeep, to_json};
use hookweave::session::{Called, Flow as Machine, Reply, Requested, ValueId};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use serde_json::Value;

use crate::convert::PyHost;
use crate::errors;
use crate::outcome::Outcome;
use crate::serial;
use crate::session::json;

/// Something that a session does.
#[pyclass(frozen, module = "hookweave._native")]
pub(crate) struct Flow(Mutex<Machine>);

impl Flow {
    pub(crate) fn new(flow: Machine) -> Self {
        Self(Mutex::new(flow))
    }

    fn step<'py>(&self, py: Python<'py>, reply: Reply) -> PyResult<Bound<'py, PyAny>> {
        let effect = match self.0.try_lock() {
            Ok(mut flow) => flow.step(reply),
            Err(_) => return Err(errors::broken("a flow was driven twice")),
        };
        serial::to_python(py, &effect)
    }
}

#[pymethods]
impl Flow {
    fn begin<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.step(py, Reply::Begin)
    }

    fn done<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.step(py, Reply::Done)
    }

    fn failed<'py>(&self, py: Python<'py>, why: String) -> PyResult<Bound<'py, PyAny>> {
        self.step(py, Reply::Failed { why })
    }

    /// What hooks said, and the final values that were wanted.
    fn dispatched<'py>(
        &self,
        outcome: &Bound<'py, Outcome>,
        value: Option<ValueId>,
        fields: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = outcome.py();
        let Value::Object(fields) = json(fields.as_any())? else { return Err(errors::broken("a dict is an object")) };
        let verdict = outcome.get().verdict(py).map(Box::new);
        self.step(py, Reply::Dispatched { verdict, value, json: fields })
    }

    fn frozen<'py>(&self, py: Python<'py>, value: ValueId, text: Option<String>) -> PyResult<Bound<'py, PyAny>> {
        self.step(py, Reply::Frozen { value, text })
    }

    fn chosen<'py>(&self, py: Python<'py>, option: String) -> PyResult<Bound<'py, PyAny>> {
        self.step(py, Reply::Chosen { option })
    }

    fn timed_out<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.step(py, Reply::TimedOut)
    }

    /// How a tool's run ended; the duration in milliseconds.
    fn ran<'py>(
        &self,
        py: Python<'py>,
        result: ValueId,
        error: Option<String>,
        duration: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.step(py, Reply::Ran(Called { result, error, duration }))
    }

    /// What the model answered; calls are `(tool, id, args, known)`.
    fn responded<'py>(
        &self,
        response: ValueId,
        text: String,
        calls: Vec<(String, Option<String>, ValueId, bool)>,
        usage: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = usage.py();
        let usage = json(usage)?;
        let calls = calls.into_iter().map(|(tool, id, args, known)| Requested { tool, id, args, known }).collect();
        self.step(py, Reply::Responded { response, text, calls, usage })
    }

    fn text<'py>(&self, py: Python<'py>, text: String) -> PyResult<Bound<'py, PyAny>> {
        self.step(py, Reply::Text { text })
    }
}

/// A copy made of plain containers that nobody else holds, and its JSON text if it has one.
#[pyfunction]
pub(crate) fn freeze<'py>(value: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Option<String>)> {
    let copy = owned(value)?;
    let text = to_json(&PyHost::new(value.py()), &copy.as_borrowed()).ok();
    Ok((copy, text))
}

/// A copy made of plain containers that nobody else holds.
#[pyfunction]
pub(crate) fn owned<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    plain(value, MAX_NESTING).map_err(|deep| errors::raise(value.py(), "payload_too_deep", &deep.to_string()))
}

/// Unlike what hooks are given, subclasses of containers are copied too: whoever has made one may hold it.
fn plain<'py>(value: &Bound<'py, PyAny>, left: usize) -> Result<Bound<'py, PyAny>, TooDeep> {
    let py = value.py();
    if let Ok(fields) = value.cast::<PyDict>() {
        let inner = left.checked_sub(1).ok_or(TooDeep)?;
        let made = PyDict::new(py);
        for (key, field) in fields.iter() {
            // A key that was in a dict goes into another one; nothing can fail but memory.
            _ = made.set_item(key, plain(&field, inner)?);
        }
        return Ok(made.into_any());
    }
    if let Ok(items) = value.cast::<PyList>() {
        let inner = left.checked_sub(1).ok_or(TooDeep)?;
        let made = PyList::empty(py);
        for item in items.iter() {
            _ = made.append(plain(&item, inner)?);
        }
        return Ok(made.into_any());
    }
    if let Ok(items) = value.cast::<PyTuple>() {
        let inner = left.checked_sub(1).ok_or(TooDeep)?;
        let made = items.iter().map(|item| plain(&item, inner)).collect::<Result<Vec<_>, _>>()?;
        return Ok(PyTuple::new(py, made).map_or_else(|_| value.clone(), Bound::into_any));
    }
    Ok(value.clone())
}
