//! What a dispatch gives its caller.

use std::cell::OnceCell;
use std::rc::Rc;
use std::time::Duration;

use hookweave::host;
use hookweave::session::{Session, Verdict};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use serde::Serialize;

use crate::convert::{PyHost, Shape, copy};
use crate::ending::Enter as _;
use crate::event::OwnEvent;
use crate::fill::{self, Fields};
use crate::flight::Finished;
use crate::known::{Handler, Known};
use crate::object::{Gil, Object, visit_all};
use crate::serial;

/// The decision of all hooks of one dispatch, with its reasons; the parts are made when they are asked for.
#[pyclass(frozen, generic, module = "hookweave._native")]
pub(crate) struct Outcome(Gil<Inner>);

struct Inner {
    finished: Finished,
    known: Rc<Known>,
    filled: OnceCell<Object>,
    event: OnceCell<Object>,
    took: Duration,
}

/// Makes the outcome of a finished dispatch.
#[inline]
pub(crate) fn make(
    py: Python<'_>,
    finished: Finished,
    known: Rc<Known>,
    filled: Option<Object>,
    took: Duration,
) -> PyResult<Object> {
    let filled = filled.map_or_else(OnceCell::new, OnceCell::from);
    let inner = Inner { finished, known, filled, event: OnceCell::new(), took };
    Bound::new(py, Outcome(Gil::new(inner))).map(Object::from_bound)
}

/// Adds the class to the module.
pub(crate) fn add_type(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Outcome>()
}

/// Builds the Python records of one kind: a function of `hookweave.outcome` makes them of a list of dicts.
fn records<'py>(py: Python<'py>, builder: &str, items: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let items = serial::to_python(py, items)?;
    py.import("hookweave.outcome")?.getattr(builder)?.enter((items,))
}

impl Outcome {
    /// What programs ask an outcome for.
    pub(crate) const FIELDS: [&str; 16] = [
        "decision",
        "blocked",
        "reason",
        "event",
        "modified",
        "injections",
        "messages",
        "asks",
        "feedback",
        "votes",
        "trace",
        "unmatched",
        "delay",
        "ext",
        "to_dict",
        "to_wire",
    ];

    pub(crate) fn inner<'a>(&'a self, py: Python<'a>) -> &'a host::Outcome<Handler, Object> {
        let inner = self.0.get(py);
        inner.finished.outcome(py, &inner.known)
    }

    /// Whether a session that does not hear silence has nothing to learn from it.
    pub(crate) fn is_silent(&self, py: Python<'_>, hears_silence: bool) -> bool {
        !hears_silence
            && match &self.0.get(py).finished {
                Finished::Said(outcome) => outcome.is_quiet(),
                Finished::Unasked { .. } => true,
            }
    }

    /// What a session needs of it; `None` when there was nobody to be asked.
    pub(crate) fn verdict(&self, py: Python<'_>, session: &Session) -> Option<Verdict> {
        match &self.0.get(py).finished {
            Finished::Unasked { .. } if !session.hears_silence() => None,
            _ => Some(session.verdict(self.inner(py), &PyHost::new(py))),
        }
    }

    /// Tells a session what hooks left in its environment.
    pub(crate) fn tell(&self, py: Python<'_>, session: &Session) {
        if let Finished::Said(outcome) = &self.0.get(py).finished {
            session.heard(outcome, &PyHost::new(py));
        }
    }

    fn filled<'a>(&'a self, py: Python<'a>) -> &'a Object {
        // Making a dict may run Python code that comes here too: the first one made counts.
        let made = &self.0.get(py).filled;
        made.get().unwrap_or_else(|| {
            let new = Object::from_bound(PyDict::new(py));
            made.get_or_init(|| new)
        })
    }

    fn whole<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let known = &self.0.get(py).known;
        let (payload, filled) = (self.inner(py).payload(), self.filled(py));
        fill::whole(py, &known.name, payload, filled, &known.directory, Fields::CopiedIfPossible)
    }
}

#[pymethods]
impl Outcome {
    /// The strongest decision.
    #[getter]
    fn decision<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::intern(py, self.inner(py).decision().as_str())
    }

    /// Whether what the agent is about to do must not happen.
    #[getter]
    fn blocked(&self, py: Python<'_>) -> bool {
        self.inner(py).blocked()
    }

    /// The reason of the first hook with the winning decision.
    #[getter]
    fn reason<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyString>> {
        self.inner(py).reason().map(|reason| PyString::new(py, reason))
    }

    /// The final event.
    #[getter]
    pub(crate) fn event(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let Inner { known, event, .. } = self.0.get(py);
        if let Some(event) = event.get() {
            return Ok(event.clone().into_py());
        }
        let (payload, filled) = (self.inner(py).payload(), Some(self.filled(py)));
        let made = OwnEvent::make(py, &known.class, &known.name, payload, filled, Some(&known.directory))?;
        Ok(event.get_or_init(|| made.into_object()).clone().into_py())
    }

    /// The names of the payload fields that hooks changed.
    #[getter]
    pub(crate) fn modified<'a>(&'a self, py: Python<'a>) -> Vec<&'a str> {
        self.inner(py).modified()
    }

    /// What each hook decided that decided anything.
    #[getter]
    fn votes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        records(py, "votes", &self.inner(py).votes())
    }

    /// Context for the model.
    #[getter]
    fn injections<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        records(py, "injections", &self.inner(py).injections())
    }

    /// What the user should see.
    #[getter]
    fn messages<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        records(py, "messages", &self.inner(py).messages())
    }

    /// What a person should decide.
    #[getter]
    fn asks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        records(py, "questions", &self.inner(py).asks())
    }

    /// Objections to an event that cannot be blocked any more, for the model.
    #[getter]
    fn feedback<'a>(&'a self, py: Python<'a>) -> Vec<&'a str> {
        self.inner(py).feedback()
    }

    /// The longest delay that a retry asked for, in seconds.
    #[getter]
    fn delay(&self, py: Python<'_>) -> f64 {
        Duration::from_millis(self.inner(py).delay_ms()).as_secs_f64()
    }

    /// Whether a hook wants its own output kept out of the transcript.
    #[getter]
    fn suppress_output(&self, py: Python<'_>) -> bool {
        self.inner(py).suppress_output()
    }

    /// What only one dialect has, by dialect.
    #[getter]
    fn ext<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let ext = PyDict::new(py);
        for (dialect, value) in self.inner(py).ext() {
            let value = copy(&value.borrow(py), Shape::Plain, host::MAX_NESTING).map_err(|excess| {
                crate::errors::raise(py, excess.code().as_str(), &format!("ext.{dialect}: {excess}"))
            })?;
            ext.set_item(dialect, value)?;
        }
        Ok(ext)
    }

    /// What became of each selected hook.
    #[getter]
    fn trace<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let trace = self.inner(py).trace();
        let causes = PyList::empty(py);
        for index in 0..trace.len() {
            match self.inner(py).cause(index) {
                Some(cause) => causes.append(cause.borrow(py))?,
                None => causes.append(py.None())?,
            }
        }
        let items = serial::to_python(py, &trace)?;
        py.import("hookweave.outcome")?.getattr("trace")?.enter((items, causes))
    }

    /// Seconds from the start of the first hook to the end of the last.
    #[getter]
    fn duration(&self, py: Python<'_>) -> f64 {
        self.0.get(py).took.as_secs_f64()
    }

    /// The hooks of the event that were not selected, and why; derived when asked for.
    #[getter]
    fn unmatched<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        records(py, "unmatched", &self.inner(py).unmatched(&PyHost::new(py)))
    }

    /// The canonical form, the same in every language: `snake_case`, milliseconds.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item(intern!(py, "event"), self.whole(py)?)?;
        let summary = serial::to_python(py, &self.inner(py).summary())?.cast_into::<PyDict>()?;
        dict.update(summary.as_mapping())?;
        dict.set_item(intern!(py, "ext"), self.ext(py)?)?;
        if !self.inner(py).modified().is_empty() {
            let original = PyDict::new(py);
            for (field, came) in self.inner(py).originals() {
                let came = came.borrow(py);
                match copy(&came, Shape::Plain, host::MAX_NESTING) {
                    Ok(copied) => original.set_item(field, copied)?,
                    // It came like this from the host, and can be looked at all the same.
                    Err(_) => original.set_item(field, came)?,
                }
            }
            dict.set_item(intern!(py, "original"), original)?;
        }
        Ok(dict)
    }

    /// The exit code, stdout and stderr that an agent of a dialect understands as this outcome.
    fn to_wire<'py>(&self, py: Python<'py>, dialect: &str) -> PyResult<Bound<'py, PyAny>> {
        let answer = crate::files::to_wire(py, dialect, &self.to_dict(py)?)?;
        py.import("hookweave.files")?.getattr("wire_answer")?.enter((answer,))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let reason = self.inner(py).reason().map_or_else(String::new, |reason| format!(" because {reason:?}"));
        let blocked = if self.inner(py).blocked() { ", blocked" } else { "" };
        format!("<Outcome of {}: {}{blocked}{reason}>", self.0.get(py).known.spec.name(), self.inner(py).decision())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // There is no `__clear__`: whatever an outcome refers to was there before it, so that a cycle through it leads through
        // something that can be changed, and that is where the collector breaks it.
        let Inner { finished, filled, event, .. } = self.0.traverse(&visit);
        finished.visit(&visit)?;
        visit_all(filled.get().into_iter().chain(event.get()), &visit)
    }
}
