//! The client: a registry of handlers, and the ways to dispatch to them.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookweave::audit::Audit;
use hookweave::host::{
    self, Code, DetachedQueue, Error, EventDefinition, Files, HookSpec, Options, Registry, Runtime, Settings,
    Submitted, ToolDefinition,
};
use pyo3::PyTypeInfo as _;
use pyo3::exceptions::PyTypeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::MutexExt as _;
use pyo3::types::{PyDict, PyString};

use crate::blocking;
use crate::convert::PyHost;
use crate::dispatch::Dispatch;
use crate::ending::Enter as _;
use crate::errors;
use crate::event::EventRef;
use crate::flight::{Flight, Request};
use crate::known::{Handler, Known, KnownEvents, Native, payload_of, placed};
use crate::log;
use crate::nesting;
use crate::object::{Gil, Object, visit_all};
use crate::serial;
use crate::slots::{self, Arguments, Method};

/// The native part of `HookClient`.
#[pyclass(frozen, subclass, module = "hookweave._native")]
pub(crate) struct Client {
    registry: Gil<Registry<Handler>>,
    runtime: Arc<Runtime>,
    files: Files,
    loading: Mutex<()>,
    known: Gil<RefCell<KnownEvents>>,
    detached: Gil<RefCell<DetachedQueue<Object>>>,
    enabled: AtomicBool,
    audit: Arc<Audit>,
    traced: Arc<AtomicBool>,
}

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

    /// The turn of one thread to load, held while Python code makes handlers; who waits for it lets others run.
    pub(crate) fn loading(&self, py: Python<'_>) -> MutexGuard<'_, ()> {
        self.loading.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses what a closed client can no longer do.
    #[inline]
    pub(crate) fn check_open(&self, py: Python<'_>, what: &str) -> PyResult<()> {
        self.registry(py).check_open(what).map_err(|error| errors::of(py, &error))
    }

    /// Asks for a place for a detached hook.
    pub(crate) fn submit(&self, py: Python<'_>, job: Object) -> Submitted<Object> {
        self.detached.get(py).borrow_mut().submit(job)
    }

    /// The event that a name means, with its plans.
    #[inline]
    fn known(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<Rc<Known>> {
        let version = self.registry(py).version();
        let known = self.known.get(py).borrow().find(version, name);
        known.map_or_else(|| self.learn(py, name), Ok)
    }

    #[cold]
    fn learn(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<Rc<Known>> {
        let Ok(text) = name.cast::<PyString>() else {
            let kind = name.get_type().name()?.to_string();
            let message = format!("an event is a name or an event object, not a value of type {kind}");
            return Err(errors::of(py, &Error::new(Code::UnknownEvent, message)));
        };
        let version = self.registry(py).version();
        let snapshot = self.registry(py).snapshot();
        let spec = snapshot.resolve(text.to_str()?).map_err(|error| errors::of(py, &error))?;
        let known = Rc::new(Known::new(py, snapshot, spec, Arc::clone(&self.audit), Arc::clone(&self.traced))?);
        // A name of a derived class may refer to anything, which the collector would have to know.
        if text.is_exact_instance_of::<PyString>() {
            let old = self.known.get(py).borrow_mut().remember(version, Object::of(name), &known);
            drop(old);
        }
        Ok(known)
    }

    /// What a call of `dispatch` is about.
    #[inline]
    fn request(
        &self,
        py: Python<'_>,
        event: &Bound<'_, PyAny>,
        payload: Option<&Bound<'_, PyAny>>,
        fields: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Request> {
        if !event.is_instance_of::<PyString>() {
            let object = Object::of(event);
            if let Some(view) = EventRef::of(py, &object)
                && let (Some(name), Some(own)) = (view.name(), view.payload())
            {
                if payload.is_some() || fields.is_some() {
                    return Err(errors::raise(
                        py,
                        "invalid_payload",
                        "an event object brings its own fields; give nothing else",
                    ));
                }
                let known = self.known(py, &name.bind(py))?;
                let own = placed(own.bind(py).cast_into::<PyDict>()?)?;
                return Ok(Request { known, payload: own, filled: view.filled() });
            }
        }
        let known = self.known(py, event)?;
        Ok(Request { known, payload: payload_of(py, payload, fields)?, filled: None })
    }

    #[inline]
    fn flight(
        slf: &Bound<'_, Self>,
        event: &Bound<'_, PyAny>,
        payload: Option<&Bound<'_, PyAny>>,
        fields: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Flight> {
        let py = slf.py();
        let this = slf.get();
        this.check_open(py, "dispatch events")?;
        let request = this.request(py, event, payload, fields)?;
        let depth = nesting::depth(py);
        host::check_depth(depth).map_err(|error| errors::of(py, &error))?;
        Ok(Flight::new(Object::of(slf.as_any()), request, depth, this.enabled.load(Ordering::Relaxed)))
    }
}

/// `dispatch`, the one method whose arguments are read by hand.
struct DispatchMethod;

impl Method for DispatchMethod {
    type Class = Client;
    const NAME: &'static std::ffi::CStr = c"dispatch";
    const DOC: &'static std::ffi::CStr = c"dispatch($self, event, payload=None, /, **fields)\n--\n\n\
        Starts a dispatch; await what it gives.";

    #[inline]
    fn call<'py>(this: &Bound<'py, Client>, arguments: &Arguments<'_, 'py>) -> PyResult<Object> {
        let (event, payload) = match arguments.positional() {
            [event] => (event, None),
            [event, payload] => (event, Some(&**payload)),
            _ => {
                return Err(PyTypeError::new_err("dispatch() takes an event and perhaps a payload; fields go by name"));
            }
        };
        let flight = Client::flight(this, event, payload, arguments.keywords()?.as_ref())?;
        Bound::new(this.py(), Dispatch::new(flight)).map(Object::from_bound)
    }
}

/// Adds the class to the module.
pub(crate) fn add_type(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Client>()?;
    slots::add_method::<DispatchMethod>(&Client::type_object(module.py()))
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
            known: Gil::new(RefCell::default()),
            registry: Gil::new(registry),
            audit,
            traced: Arc::default(),
        })
    }

    /// Dispatches on this thread, without an event loop; every selected handler must be synchronous.
    #[pyo3(signature = (event, payload = None, /, **fields))]
    fn dispatch_sync(
        slf: &Bound<'_, Self>,
        event: &Bound<'_, PyAny>,
        payload: Option<&Bound<'_, PyAny>>,
        fields: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let flight = Self::flight(slf, event, payload, fields)?;
        blocking::run(slf.py(), flight).map(|outcome| outcome.into_bound(slf.py()).unbind())
    }

    /// Which hooks an event would run and why not the others, assuming that every hook continues; runs nothing.
    #[pyo3(signature = (event, payload = None, /, **fields))]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        event: &Bound<'py, PyAny>,
        payload: Option<&Bound<'py, PyAny>>,
        fields: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.check_open(py, "explain events")?;
        let request = self.request(py, event, payload, fields)?;
        let host = PyHost::new(py);
        let Known { snapshot, spec, .. } = &*request.known;
        let explanation = host::explain(snapshot, &host, spec, &request.payload.bind(py));
        let hooks = serial::to_python(py, &explanation.hooks)?;
        py.import("hookweave.outcome")?.getattr("explained")?.enter((hooks,))
    }

    /// Removes a hook; False when it is not there (any more).
    fn unregister_hook(&self, py: Python<'_>, id: &str) -> bool {
        host::hook_id(id).is_ok_and(|id| self.registry(py).unregister(id))
    }

    /// Switches a hook on again.
    fn enable_hook(&self, py: Python<'_>, id: &str) -> PyResult<()> {
        self.switch(py, id, true)
    }

    /// Switches a hook off without removing it.
    fn disable_hook(&self, py: Python<'_>, id: &str) -> PyResult<()> {
        self.switch(py, id, false)
    }

    /// Says whether somebody makes spans of dispatches.
    fn _set_traced(&self, traced: bool) {
        self.traced.store(traced, Ordering::Relaxed);
    }

    /// What each hook did so far, in the canonical form; counts begin anew when asked.
    fn _stats<'py>(&self, py: Python<'py>, reset: bool) -> PyResult<Bound<'py, PyAny>> {
        serial::to_python(py, &self.registry(py).stats(host::present(), reset))
    }

    /// Every event that the engine knows by itself, as data.
    #[expect(clippy::unused_self, reason = "a method, so that custom events can join the list")]
    fn catalogue<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        crate::catalogue::events(py)
    }

    /// Whether dispatches run hooks; a client that is off gives empty outcomes.
    #[getter]
    fn enabled(&self) -> bool {
        self.enabled.load(Ordering::Relaxed)
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
        let refuse = |error: Error| errors::of(py, &error);
        let spec = HookSpec::read(&PyHost::new(py), event, options.as_any()).map_err(refuse)?;
        if in_thread && is_async {
            let message = format!(
                "hook on {event}: run_in_thread is for blocking handlers, and this one is a coroutine function"
            );
            return Err(refuse(Error::new(Code::InvalidHook, message)));
        }
        let handler = Handler { callable: Object::of(callable), in_thread, is_async, native: Native::No };
        Ok(self.registry(py).register(spec, handler).map_err(refuse)?.to_string())
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

    /// Says that a detached hook has ended; gives the job that may start in its place.
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
            "a client holds functions of this process and cannot be pickled; make one in each process",
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
        let known = self.known.get(py).borrow_mut().forget();
        let jobs = self.detached.get(py).borrow_mut().reset();
        drop((known, jobs));
    }
}

impl Client {
    /// Tells the log of hooks that a person should look at.
    #[cold]
    pub(crate) fn tell_warnings(&self, py: Python<'_>) -> PyResult<()> {
        let warnings = self.registry(py).new_warnings();
        if warnings.is_empty() { Ok(()) } else { log::warned(py, &serial::to_python(py, &warnings)?) }
    }

    fn switch(&self, py: Python<'_>, id: &str, enabled: bool) -> PyResult<()> {
        let id = host::hook_id(id);
        id.and_then(|id| self.registry(py).set_enabled(id, enabled)).map_err(|error| errors::of(py, &error))
    }
}
