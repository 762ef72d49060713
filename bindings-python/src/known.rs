//! What a client remembers of an event that was dispatched by some name, so that the next dispatch finds it at once.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hookweave::audit::Audit;
use hookweave::host::{Directory, EventSpec, Plan, Planned, Reuse, Snapshot, check_payload};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};
use pyo3::{Borrowed, intern};

use crate::convert::PyHost;
use crate::ending::Enter as _;
use crate::errors;
use crate::event::OwnEvent;
use crate::flight::CoreOutcome;
use crate::native::Hook;
use crate::object::{Gil, Object, Shared, dict_get};

/// A registered handler.
#[derive(Debug)]
pub(crate) struct Handler {
    pub(crate) callable: Object,
    /// It blocks, and runs on a thread.
    pub(crate) in_thread: bool,
    /// Calling it gives a coroutine.
    pub(crate) is_async: bool,
    /// It is a hook from a file.
    pub(crate) native: Native,
}

/// Whether a hook comes from a file, and who keeps its time then.
#[derive(Debug)]
pub(crate) enum Native {
    /// It is a function of the host's.
    No,
    /// The core runs it and keeps its time.
    Run,
    /// The host runs it: a question to its model, or a call of its tool.
    Hosted(Hook),
}

impl Native {
    /// Whether the core runs the hook.
    pub(crate) const fn is_run(&self) -> bool {
        matches!(self, Self::Run)
    }

    /// Whether a file declares the hook.
    pub(crate) const fn is_from_file(&self) -> bool {
        !matches!(self, Self::No)
    }
}

impl Handler {
    /// How long the driver lets the hook run.
    #[inline]
    pub(crate) fn limit(&self, timeout: Option<std::time::Duration>) -> Option<std::time::Duration> {
        if self.native.is_run() { None } else { timeout }
    }
}

/// How many tool names an event remembers plans for.
const MAX_TOOLS: usize = 64;

/// An event under the name that a host used, and the plans that hold for more than one payload.
pub(crate) struct Known {
    pub(crate) snapshot: Arc<Snapshot<Handler>>,
    pub(crate) spec: Arc<EventSpec>,
    /// Who keeps a record of dispatches.
    pub(crate) audit: Arc<Audit>,
    /// Whether somebody makes spans of dispatches.
    pub(crate) traced: Arc<AtomicBool>,
    /// The class of event objects.
    pub(crate) class: Object,
    /// The canonical name, a `str`.
    pub(crate) name: Object,
    /// Where its events happen unless they say so.
    pub(crate) directory: Arc<Directory>,
    memo: Gil<Memo>,
    /// An event object that nobody holds any more, for the next dispatch.
    spare: Gil<Option<OwnEvent>>,
}

#[derive(Default)]
struct Memo {
    every_payload: Option<Ready>,
    /// Plans by tool; the string is held, so that its address names it.
    by_tool: Vec<(Object, Ready)>,
}

/// A plan, and the outcome of an earlier dispatch by it in which the next one can begin.
struct Ready {
    plan: Arc<Plan<Handler>>,
    emptied: Option<CoreOutcome>,
}

impl Ready {
    const fn of(plan: Arc<Plan<Handler>>) -> Self {
        Self { plan, emptied: None }
    }

    #[inline]
    fn find(&mut self, reuse: Reuse) -> Found {
        match self.emptied.take() {
            Some(outcome) => Found::Emptied(outcome),
            None => Found::Planned(Planned { plan: Arc::clone(&self.plan), reuse }),
        }
    }
}

/// What there is for a payload.
pub(crate) enum Found {
    /// An outcome in which a dispatch of its hooks can begin anew.
    Emptied(CoreOutcome),
    /// The hooks that it selects.
    Planned(Planned<Handler>),
}

impl Found {
    /// The hooks, where there is no outcome yet.
    pub(crate) fn planned(self) -> Option<Planned<Handler>> {
        match self {
            Self::Planned(planned) => Some(planned),
            Self::Emptied(_) => None,
        }
    }
}

impl Known {
    pub(crate) fn new(
        py: Python<'_>,
        snapshot: Arc<Snapshot<Handler>>,
        spec: Arc<EventSpec>,
        audit: Arc<Audit>,
        traced: Arc<AtomicBool>,
    ) -> PyResult<Self> {
        let name = PyString::intern(py, spec.name());
        let class = classes(py)?.get_item(&name)?;
        let class = class.map_or_else(|| base_class(py), Ok)?;
        Ok(Self {
            directory: Arc::new(snapshot.options().directory.clone()),
            snapshot,
            spec,
            audit,
            traced,
            class: Object::from_bound(class),
            name: Object::from_bound(name),
            memo: Gil::new(Memo::default()),
            spare: Gil::new(None),
        })
    }

    /// An event object for a payload.
    #[inline]
    pub(crate) fn event(&self, py: Python<'_>, payload: &Object, filled: Option<&Object>) -> PyResult<OwnEvent> {
        match self.spare.with(py, Option::take) {
            Some(event) => {
                event.refill(payload, filled);
                Ok(event)
            }
            None => OwnEvent::make(py, &self.class, &self.name, payload, filled, Some(&self.directory)),
        }
    }

    /// Keeps an event object that only the caller holds.
    #[inline]
    pub(crate) fn give_back(&self, py: Python<'_>, event: OwnEvent) {
        event.empty();
        let surplus = self.spare.with(py, |spare| spare.replace(event));
        drop(surplus);
    }

    /// The hooks that a payload selects; `None` when nobody has ever registered for the event.
    #[inline]
    pub(crate) fn plan(&self, py: Python<'_>, payload: &Object) -> Option<Found> {
        let known = self.memo.with(py, |memo| memo.every_payload.as_mut().map(|ready| ready.find(Reuse::Event)));
        if known.is_some() {
            return known;
        }
        let tool = dict_get(py, payload.borrow(py), intern!(py, "tool").as_ptr());
        let known = tool.and_then(|tool| self.memo.with(py, |memo| memo.plan_for(tool)));
        if known.is_some() {
            return known;
        }
        let host = PyHost::new(py);
        let planned = self.snapshot.plan(&host, self.snapshot.event(self.spec.name())?, &payload.borrow(py));
        match planned.reuse {
            Reuse::Event => self.memo.with(py, |memo| memo.every_payload = Some(Ready::of(Arc::clone(&planned.plan)))),
            Reuse::Tool => {
                if let Some(tool) = tool.filter(|tool| tool.is_exact_instance_of::<PyString>()) {
                    let tool = Object::of(&tool);
                    self.memo.with(py, |memo| {
                        if memo.by_tool.len() < MAX_TOOLS {
                            memo.by_tool.push((tool, Ready::of(Arc::clone(&planned.plan))));
                        }
                    });
                }
            }
            Reuse::Never => {}
        }
        Some(Found::Planned(planned))
    }

    /// Keeps the memory of an outcome that nobody has any more for the next dispatch by the same plan.
    #[inline]
    pub(crate) fn keep(&self, py: Python<'_>, mut outcome: CoreOutcome) {
        let Some(payload) = outcome.clear(Object::none(py)) else { return };
        // What is dropped here may run Python code, which must find the memo as it is to be.
        let surplus = self.memo.with(py, |memo| memo.keep(outcome));
        drop((surplus, payload));
    }
}

impl Memo {
    #[inline]
    fn plan_for(&mut self, tool: Borrowed<'_, '_, PyAny>) -> Option<Found> {
        let tool = tool.as_ptr();
        let known = self.by_tool.iter_mut().find(|(known, _)| known.as_ptr() == tool);
        known.map(|(_, ready)| ready.find(Reuse::Tool))
    }

    /// Keeps an emptied outcome where its plan is remembered; gives it back when there is one already, or the plan is forgotten.
    #[inline]
    fn keep(&mut self, outcome: CoreOutcome) -> Option<CoreOutcome> {
        let mut all = self.every_payload.iter_mut().chain(self.by_tool.iter_mut().map(|(_, ready)| ready));
        match all.find(|ready| Arc::ptr_eq(&ready.plan, outcome.plan())) {
            Some(ready) => ready.emptied.replace(outcome),
            None => Some(outcome),
        }
    }
}

/// `hookweave.events.CLASSES`: event classes by canonical name.
fn classes(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    static CLASSES: pyo3::sync::PyOnceLock<Py<PyDict>> = pyo3::sync::PyOnceLock::new();
    CLASSES.import(py, "hookweave.event", "CLASSES").cloned()
}

fn base_class(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    static BASE: pyo3::sync::PyOnceLock<Py<PyType>> = pyo3::sync::PyOnceLock::new();
    BASE.import(py, "hookweave.event", "Event").map(|class| class.clone().into_any())
}

/// Known events by the `str` object that named them: literals are interned, so an address is as good as a name.
#[derive(Default)]
pub(crate) struct KnownEvents {
    version: u64,
    by_name: Vec<(Object, Shared<Known>)>,
}

/// How many names a client remembers; a program that builds names at run time makes a new object each time.
const MAX_NAMES: usize = 128;

impl KnownEvents {
    /// The event that this very string named before, if the hooks are still the same.
    #[inline]
    pub(crate) fn find(&self, version: u64, name: &Bound<'_, PyAny>) -> Option<Shared<Known>> {
        if self.version != version {
            return None;
        }
        let name = name.as_ptr();
        self.by_name.iter().find(|(known, _)| known.as_ptr() == name).map(|(_, known)| known.clone())
    }

    /// Remembers an event; gives back what has to be dropped outside the cell.
    pub(crate) fn remember(
        &mut self,
        version: u64,
        name: Object,
        known: &Shared<Known>,
    ) -> Vec<(Object, Shared<Known>)> {
        let stale = self.version != version || self.by_name.len() >= MAX_NAMES;
        let old = if stale { std::mem::take(&mut self.by_name) } else { Vec::new() };
        self.version = version;
        self.by_name.push((name, known.clone()));
        old
    }

    /// Forgets everything; gives back what has to be dropped outside the cell.
    pub(crate) fn forget(&mut self) -> Vec<(Object, Shared<Known>)> {
        std::mem::take(&mut self.by_name)
    }
}

/// The payload that a dispatch was given: a dict kept as it is, or one made of keyword arguments.
pub(crate) fn payload_of(
    py: Python<'_>,
    payload: Option<&Bound<'_, PyAny>>,
    fields: Option<&Bound<'_, PyDict>>,
) -> PyResult<Object> {
    let Some(payload) = payload.filter(|payload| !payload.is_none()) else {
        return placed(fields.map_or_else(|| PyDict::new(py), Clone::clone));
    };
    let given = if let Ok(given) = payload.cast::<PyDict>() {
        given.clone()
    } else if let Ok(mapping) = payload.cast::<pyo3::types::PyMapping>() {
        let made = PyDict::new(py);
        made.update(mapping)?;
        made
    } else {
        let kind = payload.get_type().name()?.to_string();
        return Err(errors::raise(
            py,
            "invalid_payload",
            &format!("a payload is a mapping of fields, not a value of type {kind}"),
        ));
    };
    let Some(fields) = fields else { return placed(given) };
    let both = given.copy()?;
    both.update(fields.as_mapping())?;
    placed(both)
}

/// A payload whose `cwd` is text: a path of another type is taken as its text, and anything else is refused.
#[inline]
pub(crate) fn placed(payload: Bound<'_, PyDict>) -> PyResult<Object> {
    let py = payload.py();
    let cwd = dict_get(py, payload.as_any().as_borrowed(), intern!(py, "cwd").as_ptr());
    match cwd {
        Some(cwd) if !cwd.is_none() && !cwd.is_exact_instance_of::<PyString>() => place(&payload, &cwd.to_owned()),
        _ => Ok(Object::from_bound(payload)),
    }
}

#[cold]
fn place(payload: &Bound<'_, PyDict>, cwd: &Bound<'_, PyAny>) -> PyResult<Object> {
    let py = payload.py();
    if cwd.get_type().hasattr(intern!(py, "__fspath__"))? {
        let path = py.import("os")?.getattr("fspath")?.enter((cwd,))?;
        let own = payload.copy()?;
        own.set_item(intern!(py, "cwd"), path)?;
        check_payload(&PyHost::new(py), &own.as_any().as_borrowed()).map_err(|error| errors::of(py, &error))?;
        return Ok(Object::from_bound(own));
    }
    check_payload(&PyHost::new(py), &payload.as_any().as_borrowed()).map_err(|error| errors::of(py, &error))?;
    Ok(Object::from_bound(payload.clone()))
}
