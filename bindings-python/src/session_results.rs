//! The result of a tool call as the fields of a `ToolOutcome`.

use hookweave_host::session::ToolRun;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::once::{Once, intern};
use crate::serial;

/// The host's own values of a call.
pub(crate) struct Own<'py> {
    pub(crate) tool: Bound<'py, PyAny>,
    pub(crate) tool_use_id: Bound<'py, PyAny>,
    pub(crate) args: Bound<'py, PyAny>,
    pub(crate) result: Option<Bound<'py, PyAny>>,
}

/// All fields in their order, with their values where no hook answered; `error` is a text.
pub(crate) fn fields<'py>(py: Python<'py>, run: &ToolRun, own: Own<'py>) -> PyResult<Bound<'py, PyDict>> {
    let dict = defaults(py)?.copy()?;
    dict.set_item(intern!(py, "tool"), own.tool)?;
    dict.set_item(intern!(py, "tool_use_id"), own.tool_use_id)?;
    dict.set_item(intern!(py, "args"), own.args)?;
    if let Some(result) = own.result {
        let output = result.cast::<PyDict>().ok().and_then(|result| result.get_item(intern!(py, "output")).transpose());
        if let Some(output) = output {
            dict.set_item(intern!(py, "output"), output?)?;
        }
        dict.set_item(intern!(py, "result"), result)?;
    } else if run.ran {
        // A failed run whose error hooks changed.
        dict.set_item(intern!(py, "output"), run.error.as_deref())?;
    }
    dict.set_item(intern!(py, "feedback"), PyList::new(py, &run.feedback)?)?;
    let injected =
        if run.injected.is_empty() { PyList::empty(py).into_any() } else { serial::to_python(py, &run.injected)? };
    dict.set_item(intern!(py, "injected"), injected)?;
    if !run.ok || !run.ran || run.attempts != 1 {
        dict.set_item(intern!(py, "ran"), run.ran)?;
        dict.set_item(intern!(py, "ok"), run.ok)?;
        dict.set_item(intern!(py, "attempts"), run.attempts)?;
        dict.set_item(intern!(py, "reason"), run.reason.as_deref())?;
        dict.set_item(intern!(py, "by"), run.by.as_deref())?;
        dict.set_item(intern!(py, "error"), run.error.as_deref())?;
    }
    if run.decision != DEFAULT_DECISION {
        dict.set_item(intern!(py, "decision"), run.decision)?;
    }
    if run.suppress_output {
        dict.set_item(intern!(py, "suppress_output"), true)?;
    }
    if run.stops {
        dict.set_item(intern!(py, "stops"), true)?;
    }
    Ok(dict)
}

/// The decision when no hook answers.
const DEFAULT_DECISION: &str = "continue";

fn defaults(py: Python<'_>) -> PyResult<&Bound<'_, PyDict>> {
    static DEFAULTS: Once<Py<PyDict>> = Once::new();
    let made = DEFAULTS.get_or_make(py, || {
        let dict = PyDict::new(py);
        for name in ["tool", "tool_use_id"] {
            dict.set_item(name, py.None())?;
        }
        dict.set_item("ran", true)?;
        dict.set_item("ok", true)?;
        dict.set_item("output", py.None())?;
        dict.set_item("decision", DEFAULT_DECISION)?;
        for name in ["reason", "by", "args", "result", "error"] {
            dict.set_item(name, py.None())?;
        }
        dict.set_item("attempts", 1)?;
        for name in ["feedback", "injected"] {
            dict.set_item(name, py.None())?;
        }
        dict.set_item("suppress_output", false)?;
        dict.set_item("stops", false)?;
        dict.set_item("outcomes", py.None())?;
        PyResult::Ok(dict.unbind())
    })?;
    Ok(made.bind(py))
}
