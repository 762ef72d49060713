//! What a dispatch gives its caller.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use hookweave_host::dispatch::Step;
use hookweave_host::index::Planned;
use hookweave_host::session::{Session, Verdict};
use hookweave_host::{self as host};
use pyo3::exceptions::PyTypeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use serde::Serialize;

use crate::envelope::{self, Fields};
use crate::errors;
use crate::event::OwnEvent;
use crate::finalization::{self, Enter as _};
use crate::object::{Gil, Object, visit_all};
use crate::once::intern;
use crate::plan_cache::CachedEvent;
use crate::registration::Handler;
use crate::serial;
use crate::values::{PyHost, Shape, copy};
use crate::wire;

pub(crate) type CoreOutcome = Box<host::outcome::Outcome<Handler, Object>>;

/// How a dispatch has ended.
pub(crate) enum Finished {
    /// The core has folded the answers of its hooks.
    Folded(CoreOutcome),
    /// No hook was selected; the core makes the outcome when one of its fields is read first.
    NoHooks {
        /// The plan without hooks that was found for an event with hooks.
        planned: Option<Planned<Handler>>,
        payload: Object,
        late: OnceCell<CoreOutcome>,
    },
}

impl Finished {
    /// The core's outcome.
    #[inline]
    pub(crate) fn outcome(&self, py: Python<'_>, event: &CachedEvent) -> &host::outcome::Outcome<Handler, Object> {
        match self {
            Self::Folded(outcome) => outcome,
            Self::NoHooks { planned, payload, late } => {
                late.get_or_init(|| outcome_without_hooks(py, event, planned.as_ref(), payload.clone()))
            }
        }
    }

    /// Shows the collector what this owns.
    pub(crate) fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let mut result = Ok(());
        let mut visit_value = |value: &Object| {
            if result.is_ok() {
                result = value.visit(visit);
            }
        };
        match self {
            Self::Folded(outcome) => outcome.visit(visit_value),
            Self::NoHooks { payload, late, .. } => {
                visit_value(payload);
                if let Some(outcome) = late.get() {
                    outcome.visit(visit_value);
                }
            }
        }
        result
    }

    /// The failures to be logged.
    #[inline]
    pub(crate) fn failures_to_log(&self) -> Vec<host::stats::ReportedFailure> {
        match self {
            Self::Folded(outcome) => outcome.failures_to_log().collect(),
            Self::NoHooks { .. } => Vec::new(),
        }
    }
}

/// The outcome of a dispatch that selected no hook.
#[cold]
fn outcome_without_hooks(
    py: Python<'_>,
    event: &CachedEvent,
    planned: Option<&Planned<Handler>>,
    payload: Object,
) -> CoreOutcome {
    let (snapshot, spec) = (Arc::clone(&event.snapshot), Arc::clone(&event.spec));
    let Some(Planned { plan, reuse }) = planned else {
        return Box::new(host::outcome::Outcome::empty(snapshot, spec, payload));
    };
    match host::dispatch::begin(&PyHost::new(py), snapshot, spec, Arc::clone(plan), *reuse, payload) {
        Step::Done(outcome) => outcome,
        Step::Run(_) => unreachable!("a plan without hooks ends as soon as it begins"),
    }
}

/// The decision of all hooks of one dispatch, with its reasons; the parts are made when they are read first.
#[pyclass(frozen, generic, weakref, module = "hookweave._native")]
pub(crate) struct Outcome(Gil<Inner>);

struct Inner {
    finished: Finished,
    cached: Rc<CachedEvent>,
    filled: OnceCell<Object>,
    event: OnceCell<Object>,
    took: Duration,
}

/// Makes the outcome of a finished dispatch.
#[inline]
pub(crate) fn make(
    py: Python<'_>,
    finished: Finished,
    cached: Rc<CachedEvent>,
    filled: Option<Object>,
    took: Duration,
) -> PyResult<Object> {
    let filled = filled.map_or_else(OnceCell::new, OnceCell::from);
    let inner = Inner { finished, cached, filled, event: OnceCell::new(), took };
    Bound::new(py, Outcome(Gil::new(inner))).map(Object::from_bound)
}

/// Adds the class to the module.
pub(crate) fn add_type(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Outcome>()
}

/// Builds the Python records of one kind: a function of `hookweave.outcome` makes them of a list of dicts.
fn records<'py>(py: Python<'py>, builder: &str, items: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let items = serial::to_python(py, items)?;
    finalization::import(py, c"hookweave.outcome")?.getattr(builder)?.enter((items,))
}

impl Outcome {
    /// The attributes of an outcome that an error names when `await` was forgotten.
    pub(crate) const FIELDS: [&str; 19] = [
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
        "observed",
        "would_block",
        "trace",
        "unmatched",
        "delay",
        "ext",
        "describe",
        "to_dict",
        "to_wire",
    ];

    pub(crate) fn inner<'a>(&'a self, py: Python<'a>) -> &'a host::outcome::Outcome<Handler, Object> {
        let inner = self.0.get(py);
        inner.finished.outcome(py, &inner.cached)
    }

    /// Whether it holds nothing for a session that needs no outcomes without an answer.
    pub(crate) fn is_no_op(&self, py: Python<'_>, wants_no_op_outcomes: bool) -> bool {
        !wants_no_op_outcomes
            && match &self.0.get(py).finished {
                // A session may have to give back the run of a `once` hook.
                Finished::Folded(outcome) => outcome.is_quiet() && outcome.plan().is_plain(),
                Finished::NoHooks { .. } => true,
            }
    }

    /// What a session needs of it; `None` when no hook was selected.
    pub(crate) fn verdict(&self, py: Python<'_>, session: &Session) -> Option<Verdict> {
        match &self.0.get(py).finished {
            Finished::NoHooks { .. } if !session.wants_no_op_outcomes() => None,
            _ => Some(session.verdict(self.inner(py), &PyHost::new(py))),
        }
    }

    /// Adds to a session what hooks left in its environment.
    pub(crate) fn report_to(&self, py: Python<'_>, session: &Session) {
        if let Finished::Folded(outcome) = &self.0.get(py).finished {
            session.keep_variables(outcome, &PyHost::new(py));
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
        let cached = &self.0.get(py).cached;
        let (payload, filled) = (self.inner(py).payload(), self.filled(py));
        envelope::whole(py, &cached.name, payload, filled, &cached.around.directory, Fields::CopiedIfPossible)
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
        let Inner { cached, event, .. } = self.0.get(py);
        if let Some(event) = event.get() {
            return Ok(event.clone().into_py());
        }
        let (payload, filled) = (self.inner(py).payload(), Some(self.filled(py)));
        let made = OwnEvent::make(py, &cached.class, &cached.name, payload, filled, Some(&cached.around))?;
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

    /// What hooks that observe would have done.
    #[getter]
    fn observed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        records(py, "observed", &self.inner(py).observed())
    }

    /// Whether a hook that observes would have blocked what the agent is about to do.
    #[getter]
    fn would_block(&self, py: Python<'_>) -> bool {
        self.inner(py).would_block()
    }

    /// What only one dialect has, by dialect.
    #[getter]
    fn ext<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let ext = PyDict::new(py);
        for (dialect, value) in self.inner(py).ext() {
            let value = copy(&value.borrow(py), Shape::Plain, host::payload::MAX_NESTING)
                .map_err(|excess| errors::raise(py, excess.code().as_str(), &format!("ext.{dialect}: {excess}")))?;
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
        finalization::import(py, c"hookweave.outcome")?.getattr("trace")?.enter((items, causes))
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
            for (field, given) in self.inner(py).originals() {
                let given = given.borrow(py);
                match copy(&given, Shape::Plain, host::payload::MAX_NESTING) {
                    Ok(copied) => original.set_item(field, copied)?,
                    // The host gave it like this, and can read it all the same.
                    Err(_) => original.set_item(field, given)?,
                }
            }
            dict.set_item(intern!(py, "original"), original)?;
        }
        Ok(dict)
    }

    /// The exit code, stdout and stderr that an agent of a dialect understands as this outcome.
    fn to_wire<'py>(&self, py: Python<'py>, dialect: &str) -> PyResult<Bound<'py, PyAny>> {
        let answer = wire::to_wire(py, dialect, &self.to_dict(py)?)?;
        finalization::import(py, c"hookweave.files")?.getattr("wire_answer")?.enter((answer,))
    }

    /// Who decided what and why, and what became of every hook of the event, as text for a person.
    fn describe(&self, py: Python<'_>) -> String {
        self.inner(py).describe(&PyHost::new(py))
    }

    fn __str__(&self, py: Python<'_>) -> String {
        self.describe(py).trim_end().to_owned()
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    /// Nothing of it can be changed, so that a copy would be the same.
    fn __deepcopy__(slf: Py<Self>, memo: &Bound<'_, PyAny>) -> Py<Self> {
        let _ = memo;
        slf
    }

    #[expect(clippy::unused_self, reason = "the signature of the protocol")]
    fn __reduce__(&self, py: Python<'_>) -> PyResult<()> {
        Err(errors::raise(
            py,
            "not_picklable",
            "an outcome refers to hooks of this process and cannot be pickled; pickle its `to_dict()`",
        ))
    }

    /// An outcome that blocks would be true.
    #[expect(clippy::unused_self, reason = "Python asks an object")]
    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err("an outcome is neither true nor false; look at its `blocked` or `decision`"))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let reason = self.inner(py).reason().map_or_else(String::new, |reason| format!(" because {reason:?}"));
        let blocked = if self.inner(py).blocked() { ", blocked" } else { "" };
        format!("<Outcome of {}: {}{blocked}{reason}>", self.0.get(py).cached.spec.name(), self.inner(py).decision())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // There is no `__clear__`: all that an outcome refers to was there before it, so that a cycle through it leads through
        // something that can be changed, and that is where the collector breaks it.
        let Inner { finished, filled, event, .. } = self.0.traverse(&visit);
        finished.visit(&visit)?;
        visit_all(filled.get().into_iter().chain(event.get()), &visit)
    }
}
