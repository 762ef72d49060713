//! What a client remembers of an event that was dispatched by some name, so that the next dispatch finds it at once.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hookweave::audit::Audit;
use hookweave::host::{Directory, EventSpec, Plan, Planned, Reuse, Snapshot, check_payload};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};

use crate::convert::PyHost;
use crate::ending::Enter as _;
use crate::errors;
use crate::event::{Class, OwnEvent};
use crate::native::Hook;
use crate::object::{Object, dict_get};

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
    pub(crate) class: Class,
    /// The canonical name, a `str`.
    pub(crate) name: Object,
    /// Where its events happen unless they say so.
    pub(crate) directory: Arc<Directory>,
    memo: RefCell<Memo>,
}

#[derive(Default)]
struct Memo {
    every_payload: Option<Arc<Plan<Handler>>>,
    /// Plans by tool; the string is held, so that its address names it.
    by_tool: Vec<(Object, Arc<Plan<Handler>>)>,
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
            class: Class::of(&class)?,
            name: Object::from_bound(name),
            memo: RefCell::default(),
        })
    }

    /// An event object for a payload.
    #[inline]
    pub(crate) fn event(&self, py: Python<'_>, payload: &Object, filled: Option<&Object>) -> PyResult<OwnEvent> {
        OwnEvent::make(py, &self.class, &self.name, payload, filled, Some(&self.directory))
    }

    /// The hooks that a payload selects; `None` when nobody has ever registered for the event.
    #[inline]
    pub(crate) fn plan(&self, py: Python<'_>, payload: &Object) -> Option<Planned<Handler>> {
        // Neither the look at the payload nor the making of a plan may find the memo in use: both may run Python code.
        let known = self.memo.borrow().every_payload.clone();
        if let Some(plan) = known {
            return Some(Planned { plan, reuse: Reuse::Event });
        }
        let payload = payload.bind(py);
        let tool = dict_get(&payload, intern!(py, "tool"));
        if let Some(plan) = tool.as_ref().and_then(|tool| self.memo.borrow().plan_for(tool)) {
            return Some(Planned { plan, reuse: Reuse::Tool });
        }
        let planned = self.snapshot.plan(&PyHost::new(py), self.snapshot.event(self.spec.name())?, &payload);
        match planned.reuse {
            Reuse::Event => self.memo.borrow_mut().every_payload = Some(Arc::clone(&planned.plan)),
            Reuse::Tool => {
                if let Some(tool) = tool.filter(PyAnyMethods::is_exact_instance_of::<PyString>) {
                    self.memo.borrow_mut().remember(Object::from_bound(tool), &planned.plan);
                }
            }
            Reuse::Never => {}
        }
        Some(planned)
    }
}

impl Memo {
    #[inline]
    fn plan_for(&self, tool: &Bound<'_, PyAny>) -> Option<Arc<Plan<Handler>>> {
        let known = self.by_tool.iter().find(|(known, _)| known.as_ptr() == tool.as_ptr());
        known.map(|(_, plan)| Arc::clone(plan))
    }

    fn remember(&mut self, tool: Object, plan: &Arc<Plan<Handler>>) {
        if self.by_tool.len() < MAX_TOOLS {
            self.by_tool.push((tool, Arc::clone(plan)));
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
    by_name: Vec<(Object, Rc<Known>)>,
}

/// How many names a client remembers; a program that builds names at run time makes a new object each time.
const MAX_NAMES: usize = 128;

impl KnownEvents {
    /// The event that this very string named before, if the hooks are still the same.
    #[inline]
    pub(crate) fn find(&self, version: u64, name: &Bound<'_, PyAny>) -> Option<Rc<Known>> {
        if self.version != version {
            return None;
        }
        let name = name.as_ptr();
        self.by_name.iter().find(|(known, _)| known.as_ptr() == name).map(|(_, known)| Rc::clone(known))
    }

    /// Remembers an event; gives back what has to be dropped outside the cell.
    pub(crate) fn remember(&mut self, version: u64, name: Object, known: &Rc<Known>) -> Vec<(Object, Rc<Known>)> {
        let stale = self.version != version || self.by_name.len() >= MAX_NAMES;
        let old = if stale { std::mem::take(&mut self.by_name) } else { Vec::new() };
        self.version = version;
        self.by_name.push((name, Rc::clone(known)));
        old
    }

    /// Forgets everything; gives back what has to be dropped outside the cell.
    pub(crate) fn forget(&mut self) -> Vec<(Object, Rc<Known>)> {
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
    let cwd = dict_get(payload.as_any(), intern!(py, "cwd"));
    match cwd {
        Some(cwd) if !cwd.is_none() && !cwd.is_exact_instance_of::<PyString>() => place(&payload, &cwd),
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
        check_payload(&PyHost::new(py), own.as_any()).map_err(|error| errors::of(py, &error))?;
        return Ok(Object::from_bound(own));
    }
    check_payload(&PyHost::new(py), payload.as_any()).map_err(|error| errors::of(py, &error))?;
    Ok(Object::from_bound(payload.clone()))
}
