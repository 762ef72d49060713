//! What a client remembers of an event that was dispatched under some name, so that the next dispatch finds its hooks at once.
//!
//! Without the cache every dispatch would resolve the name and match every hook again; a dispatch to one quiet hook takes less
//! than either.
//!
//! Bar: "Python, 0 matching hooks / bare loop" of docs/BENCHMARKS.md, <= 1.3x.
//! Bar: "Python, 10,000 hooks / 50 hooks" of docs/BENCHMARKS.md, <= 2x.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hookweave_host::audit::Audit;
use hookweave_host::error::Error;
use hookweave_host::event::EventSpec;
use hookweave_host::index::{Plan, Planned, Reuse, Snapshot};
use hookweave_host::tool::KnownTools;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};

use crate::event::{Around, Class, OwnEvent};
use crate::object::{Object, dict_get};
use crate::once::{Once, intern};
use crate::registration::Handler;
use crate::values::PyHost;

/// How many tool names an event remembers plans for.
const MAX_TOOLS: usize = 64;

/// An event under the name that a host used, and the plans that hold for more than one payload.
pub(crate) struct CachedEvent {
    pub(crate) snapshot: Arc<Snapshot<Handler>>,
    pub(crate) spec: Arc<EventSpec>,
    /// The client's audit log, which records dispatches.
    pub(crate) audit: Arc<Audit>,
    /// Whether the client is traced: spans are made of its dispatches.
    pub(crate) traced: Arc<AtomicBool>,
    /// The class of event objects.
    pub(crate) class: Class,
    /// The canonical name, a `str`.
    pub(crate) name: Object,
    /// What event objects need to know of the client.
    pub(crate) around: Arc<Around>,
    plans: RefCell<Plans>,
}

#[derive(Default)]
struct Plans {
    every_payload: Option<Arc<Plan<Handler>>>,
    /// Plans by tool; the string is held, so that its address names it.
    by_tool: Vec<(Object, Arc<Plan<Handler>>)>,
}

impl CachedEvent {
    pub(crate) fn new(
        py: Python<'_>,
        snapshot: Arc<Snapshot<Handler>>,
        spec: Arc<EventSpec>,
        tools: &Arc<KnownTools>,
        audit: Arc<Audit>,
        traced: Arc<AtomicBool>,
    ) -> PyResult<Self> {
        let name = PyString::intern(py, spec.name());
        let class = classes(py)?.get_item(&name)?;
        let class = class.map_or_else(|| base_class(py), Ok)?;
        Ok(Self {
            around: Arc::new(Around { directory: snapshot.options().directory.clone(), tools: Arc::clone(tools) }),
            snapshot,
            spec,
            audit,
            traced,
            class: Class::of(&class)?,
            name: Object::from_bound(name),
            plans: RefCell::default(),
        })
    }

    /// An event object for a payload.
    #[inline]
    pub(crate) fn event(&self, py: Python<'_>, payload: &Object, filled: Option<&Object>) -> PyResult<OwnEvent> {
        OwnEvent::make(py, &self.class, &self.name, payload, filled, Some(&self.around))
    }

    /// The hooks that a payload selects; `None` when no hook was ever registered for the event.
    #[inline]
    pub(crate) fn plan(&self, py: Python<'_>, payload: &Object) -> Result<Option<Planned<Handler>>, Error> {
        // Reading the payload and making a plan may run Python code, so neither happens while the plans are borrowed.
        let cached = self.plans.borrow().every_payload.clone();
        if let Some(plan) = cached {
            return Ok(Some(Planned { plan, reuse: Reuse::Event }));
        }
        let payload = payload.bind(py);
        let tool = dict_get(&payload, intern!(py, "tool"));
        if let Some(plan) = tool.as_ref().and_then(|tool| self.plans.borrow().plan_for(tool)) {
            return Ok(Some(Planned { plan, reuse: Reuse::Tool }));
        }
        let Some(index) = self.snapshot.event(self.spec.name()) else { return Ok(None) };
        let planned = self.snapshot.plan_dispatch(&PyHost::new(py), index, &payload)?;
        match planned.reuse {
            Reuse::Event => self.plans.borrow_mut().every_payload = Some(Arc::clone(&planned.plan)),
            Reuse::Tool => {
                if let Some(tool) = tool.filter(PyAnyMethods::is_exact_instance_of::<PyString>) {
                    self.plans.borrow_mut().remember(Object::from_bound(tool), &planned.plan);
                }
            }
            Reuse::Never => {}
        }
        Ok(Some(planned))
    }
}

impl Plans {
    #[inline]
    fn plan_for(&self, tool: &Bound<'_, PyAny>) -> Option<Arc<Plan<Handler>>> {
        let found = self.by_tool.iter().find(|(name, _)| name.as_ptr() == tool.as_ptr());
        found.map(|(_, plan)| Arc::clone(plan))
    }

    fn remember(&mut self, tool: Object, plan: &Arc<Plan<Handler>>) {
        if self.by_tool.len() < MAX_TOOLS {
            self.by_tool.push((tool, Arc::clone(plan)));
        }
    }
}

/// `hookweave.event.CLASSES`: event classes by canonical name.
fn classes(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    static CLASSES: Once<Py<PyDict>> = Once::new();
    CLASSES.import(py, c"hookweave.event", "CLASSES").cloned()
}

fn base_class(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    static BASE: Once<Py<PyType>> = Once::new();
    BASE.import(py, c"hookweave.event", "Event").map(|class| class.clone().into_any())
}

/// Events by the `str` object that named them: literals are interned, so an address is as good as a name.
#[derive(Default)]
pub(crate) struct PlanCache {
    version: u64,
    by_name: Vec<(Object, Rc<CachedEvent>)>,
}

/// How many names a client remembers; a program that builds names at run time makes a new object each time.
const MAX_NAMES: usize = 128;

impl PlanCache {
    /// The event that this very string named before, if the hooks are still the same.
    #[inline]
    pub(crate) fn find(&self, version: u64, name: &Bound<'_, PyAny>) -> Option<Rc<CachedEvent>> {
        if self.version != version {
            return None;
        }
        let name = name.as_ptr();
        self.by_name.iter().find(|(cached, _)| cached.as_ptr() == name).map(|(_, event)| Rc::clone(event))
    }

    /// Remembers an event; gives back what has to be dropped outside the cell.
    pub(crate) fn remember(
        &mut self,
        version: u64,
        name: Object,
        event: &Rc<CachedEvent>,
    ) -> Vec<(Object, Rc<CachedEvent>)> {
        let stale = self.version != version || self.by_name.len() >= MAX_NAMES;
        let old = if stale { std::mem::take(&mut self.by_name) } else { Vec::new() };
        self.version = version;
        self.by_name.push((name, Rc::clone(event)));
        old
    }

    /// Forgets everything; gives back what has to be dropped outside the cell.
    pub(crate) fn forget(&mut self) -> Vec<(Object, Rc<CachedEvent>)> {
        std::mem::take(&mut self.by_name)
    }
}
