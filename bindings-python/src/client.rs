//! The client: a registry of handlers with all that belongs to it. `dispatch.rs` adds the ways to dispatch.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookweave_host::audit::Audit;
use hookweave_host::detached::{DetachedQueue, Submitted};
use hookweave_host::error::{Code, Error};
use hookweave_host::event::EventDefinition;
use hookweave_host::file_hook::{Runtime, Settings};
use hookweave_host::files::Files;
use hookweave_host::guard::Guard;
use hookweave_host::options::Options;
use hookweave_host::registry::Registry;
use hookweave_host::tool::ToolDefinition;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::sync::MutexExt as _;
use pyo3::types::{PyDict, PyString, PyType};

use crate::errors;
use crate::event_types;
use crate::logging;
use crate::object::{Gil, Object, visit_all};
use crate::once::intern;
use crate::plan_cache::{CachedEvent, PlanCache};
use crate::registration::{self, Handler};
use crate::serial;
use crate::values::PyHost;

/// The native part of `HookClient`.
#[pyclass(frozen, subclass, module = "hookweave._native")]
pub(crate) struct Client {
    registry: Gil<Registry<Handler>>,
    runtime: Arc<Runtime>,
    files: Files,
    loading: Mutex<()>,
    plans: Gil<RefCell<PlanCache>>,
    detached: Gil<RefCell<DetachedQueue<Object>>>,
    enabled: AtomicBool,
    audit: Arc<Audit>,
    traced: Arc<AtomicBool>,
    /// Who hears that hooks came, went or were switched; each says whether it is still there.
    listeners: Mutex<Vec<Listener>>,
}

type Listener = Box<dyn Fn() -> bool + Send>;

impl Client {
    pub(crate) const fn audit(&self) -> &Arc<Audit> {
        &self.audit
    }

    pub(crate) fn registry<'a>(&'a self, py: Python<'a>) -> &'a Registry<Handler> {
        self.registry.get(py)
    }

    pub(crate) const fn runtime(&self) -> &Arc<Runtime> {
        &self.runtime
    }

    pub(crate) const fn files(&self) -> &Files {
        &self.files
    }

    /// Calls a listener whenever hooks come, go or are switched, while it says that it is there.
    pub(crate) fn tell_of_changes(&self, listener: impl Fn() -> bool + Send + 'static) {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(listener));
    }

    /// Tells that hooks came, went or were switched.
    pub(crate) fn hooks_changed(&self) {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner).retain(|listener| listener());
    }

    /// Removes a hook; false when it is not there (any more).
    pub(crate) fn remove(&self, py: Python<'_>, id: &str) -> bool {
        let removed = hookweave_host::hook_id(id).is_ok_and(|id| self.registry(py).unregister(id));
        self.hooks_changed();
        removed
    }

    /// One thread loads at a time, while Python code makes handlers; waiting for it lets other threads run.
    pub(crate) fn loading(&self, py: Python<'_>) -> MutexGuard<'_, ()> {
        self.loading.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses what a closed client can no longer do.
    #[inline]
    pub(crate) fn check_open(&self, py: Python<'_>, what: &str) -> PyResult<()> {
        self.registry(py).check_open(what).map_err(|error| errors::of(py, &error))
    }

    /// Asks for a place among the running detached hooks.
    pub(crate) fn submit(&self, py: Python<'_>, job: Object) -> Submitted<Object> {
        self.detached.get(py).borrow_mut().submit(job)
    }

    /// Whether dispatches run hooks.
    pub(crate) fn is_enabled(&self) -> bool {
        self.enabled.load(Ordering::Relaxed)
    }

    /// The event that a name means, with its plans.
    #[inline]
    pub(crate) fn event(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<Rc<CachedEvent>> {
        let version = self.registry(py).version();
        let cached = self.plans.get(py).borrow().find(version, name);
        cached.map_or_else(|| self.resolve(py, name), Ok)
    }

    #[cold]
    fn resolve(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<Rc<CachedEvent>> {
        let Ok(text) = name.cast::<PyString>() else {
            let kind = name.get_type().name()?.to_string();
            let message = match name.cast::<PyType>() {
                Ok(class) => {
                    let class = class.name()?;
                    format!("an event is a name or an event object, not the class {class}; make one: {class}(…)")
                }
                Err(_) => format!("an event is a name or an event object, not a value of type {kind}"),
            };
            return Err(errors::of(py, &Error::new(Code::UnknownEvent, message)));
        };
        let version = self.registry(py).version();
        let snapshot = self.registry(py).snapshot();
        let spec = snapshot.resolve(text.to_str()?).map_err(|error| errors::of(py, &error))?;
        let (audit, traced) = (Arc::clone(&self.audit), Arc::clone(&self.traced));
        let tools = self.registry(py).known_tools();
        let event = Rc::new(CachedEvent::new(py, snapshot, spec, tools, audit, traced)?);
        // A name of a derived class may refer to anything, which the collector would have to know.
        if text.is_exact_instance_of::<PyString>() {
            let old = self.plans.get(py).borrow_mut().remember(version, Object::of(name), &event);
            drop(old);
        }
        Ok(event)
    }

    fn add_guard(&self, py: Python<'_>, guard: Result<Guard, Error>) -> PyResult<String> {
        let id = registration::register_guard(py, self.registry(py), guard)?;
        self.hooks_changed();
        self.log_observers(py)?;
        Ok(id)
    }

    /// Logs that hooks observe, once: a guard that is not enforced must not go unseen.
    #[inline]
    pub(crate) fn log_observers(&self, py: Python<'_>) -> PyResult<()> {
        if self.registry(py).has_unseen_observer() { self.log_warnings(py) } else { Ok(()) }
    }

    /// Logs warnings about hooks that a person should look at.
    #[cold]
    pub(crate) fn log_warnings(&self, py: Python<'_>) -> PyResult<()> {
        let warnings = self.registry(py).new_warnings();
        if warnings.is_empty() { Ok(()) } else { logging::warned(py, &serial::to_python(py, &warnings)?) }
    }
}

/// Adds the class to the module.
pub(crate) fn add_type(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Client>()
}

#[pymethods]
impl Client {
    #[new]
    fn new(py: Python<'_>, options: &Bound<'_, PyAny>) -> PyResult<Self> {
        let host = PyHost::new(py);
        let settings = Settings::read(&host, options).map_err(|error| errors::of(py, &error))?;
        let options = Options::read(&host, options).map_err(|error| errors::of(py, &error))?;
        let registry = Registry::new(options.clone());
        let audit = Audit::new();
        registry.watch(audit.clone());
        Ok(Self {
            runtime: Runtime::new(settings),
            files: Files::default(),
            loading: Mutex::new(()),
            detached: Gil::new(RefCell::new(DetachedQueue::new(options.max_detached))),
            enabled: AtomicBool::new(options.enabled),
            plans: Gil::new(RefCell::default()),
            registry: Gil::new(registry),
            audit,
            traced: Arc::default(),
            listeners: Mutex::default(),
        })
    }

    /// Removes a hook; False when it is not there (any more).
    fn unregister_hook(&self, py: Python<'_>, id: &str) -> bool {
        self.remove(py, id)
    }

    /// Switches a hook on again.
    fn enable_hook(&self, py: Python<'_>, id: &str) -> PyResult<()> {
        self.switch(py, id, true)
    }

    /// Switches a hook off without removing it.
    fn disable_hook(&self, py: Python<'_>, id: &str) -> PyResult<()> {
        self.switch(py, id, false)
    }

    /// Sets whether spans are made of dispatches.
    fn _set_traced(&self, traced: bool) {
        self.traced.store(traced, Ordering::Relaxed);
    }

    /// What each hook did so far, in the canonical form; counts begin anew when asked.
    fn _stats<'py>(&self, py: Python<'py>, reset: bool) -> PyResult<Bound<'py, PyAny>> {
        serial::to_python(py, &self.registry(py).stats(hookweave_host::clock::present(), reset))
    }

    /// Every event that the engine knows by itself, as data.
    #[expect(clippy::unused_self, reason = "a method, so that custom events can join the list")]
    fn catalogue<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        event_types::events(py)
    }

    /// Whether dispatches run hooks; a client that is off gives empty outcomes.
    #[getter]
    fn enabled(&self) -> bool {
        self.is_enabled()
    }

    #[setter]
    fn set_enabled(&self, enabled: bool) {
        self.enabled.store(enabled, Ordering::Relaxed);
    }

    /// Whether the client was closed.
    #[getter]
    fn closed(&self, py: Python<'_>) -> bool {
        self.registry(py).is_closed()
    }

    fn _add(
        &self,
        py: Python<'_>,
        event: &str,
        callable: &Bound<'_, PyAny>,
        options: &Bound<'_, PyDict>,
        in_thread: bool,
        is_async: bool,
    ) -> PyResult<String> {
        let id = registration::register(py, self.registry(py), event, callable, options, in_thread, is_async)?;
        self.hooks_changed();
        self.log_observers(py)?;
        Ok(id)
    }

    fn _guard(&self, py: Python<'_>, settings: &Bound<'_, PyAny>) -> PyResult<String> {
        self.add_guard(py, Guard::read_block(&PyHost::new(py), settings))
    }

    fn _ask_before(&self, py: Python<'_>, settings: &Bound<'_, PyAny>) -> PyResult<String> {
        self.add_guard(py, Guard::read_ask(&PyHost::new(py), settings))
    }

    /// The function that was registered under an id; `None` for a guard and a hook from a file, and when there is none (any more).
    fn _function(&self, py: Python<'_>, id: &str) -> Option<Py<PyAny>> {
        let entry = self.registry(py).entry(hookweave_host::hook_id(id).ok()?)?;
        let handler = entry.handler();
        handler.kind.is_function().then(|| handler.callable.clone().into_py())
    }

    fn _hooks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        serial::to_python(py, &self.registry(py).list())
    }

    fn _define_event(&self, py: Python<'_>, definition: &Bound<'_, PyAny>) -> PyResult<()> {
        let definition = EventDefinition::read(&PyHost::new(py), definition);
        definition
            .and_then(|definition| self.registry(py).define_event(&definition))
            .map_err(|error| errors::of(py, &error))
    }

    fn _define_tool(&self, py: Python<'_>, definition: &Bound<'_, PyAny>) -> PyResult<()> {
        let definition = ToolDefinition::read(&PyHost::new(py), definition);
        definition
            .and_then(|definition| {
                self.registry(py).define_tool(definition.clone())?;
                self.runtime.define_tool(definition);
                Ok(())
            })
            .map_err(|error| errors::of(py, &error))
    }

    /// Notes that a detached hook has ended; gives the job that may start in its place.
    fn _detached_finished<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.detached.get(py).borrow_mut().finished().map(|job| job.into_bound(py))
    }

    /// Forgets detached hooks: a forked child has none of its parent's.
    fn _forget_detached(&self, py: Python<'_>) {
        let jobs = self.detached.get(py).borrow_mut().reset();
        drop(jobs);
    }

    fn _close(&self, py: Python<'_>) {
        self.registry(py).close();
        self.hooks_changed();
    }

    /// Refuses what a closed client can no longer do.
    fn _check_open(&self, py: Python<'_>, what: &str) -> PyResult<()> {
        self.check_open(py, what)
    }

    #[expect(clippy::unused_self, reason = "the signature of the protocol")]
    fn __reduce__(&self, py: Python<'_>) -> PyResult<()> {
        Err(errors::raise(
            py,
            "not_picklable",
            "a client holds functions of this process and cannot be pickled or copied; make one in each process",
        ))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let name = slf.get_type().getattr(intern!(slf.py(), "__name__"))?;
        let state = if slf.get().closed(slf.py()) { "closed" } else { "open" };
        Ok(format!("<{name} with {} hooks, {state}>", slf.get().registry(slf.py()).list().len()))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // Each handler is owned once, by its entry; snapshots and running dispatches share the entry.
        let mut result = Ok(());
        self.registry.traverse(&visit).visit(|handler| {
            if result.is_ok() {
                result = handler.callable.visit(&visit);
            }
        });
        result?;
        // While jobs are taken in or out, this is in use, and nothing of it garbage.
        self.detached.traverse(&visit).try_borrow().map_or(Ok(()), |queue| visit_all(queue.waiting_jobs(), &visit))
    }

    fn __clear__(&self, py: Python<'_>) {
        self.registry(py).clear();
        drop(self.registry(py).snapshot());
        let plans = self.plans.get(py).borrow_mut().forget();
        let jobs = self.detached.get(py).borrow_mut().reset();
        drop((plans, jobs));
    }
}

impl Client {
    fn switch(&self, py: Python<'_>, id: &str, enabled: bool) -> PyResult<()> {
        let id = hookweave_host::hook_id(id);
        id.and_then(|id| self.registry(py).set_enabled(id, enabled)).map_err(|error| errors::of(py, &error))?;
        self.hooks_changed();
        Ok(())
    }
}
