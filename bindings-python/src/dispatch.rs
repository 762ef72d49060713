//! The ways to dispatch: `dispatch`, `dispatch_sync`, `explain`, and the awaitable that `dispatch` gives.
#![expect(unsafe_code, reason = "one slot function; see slots::send_slot")]

use std::cell::RefCell;

use hookweave_host::envelope::check_payload;
use hookweave_host::{self as host};
use pyo3::exceptions::{PyAttributeError, PyStopIteration, PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};
use pyo3::{PyTypeInfo as _, ffi};

use crate::async_driver::{AsyncDriver, Input};
use crate::client::Client;
use crate::dispatch_state::{DispatchState, Request};
use crate::errors;
use crate::event::EventRef;
use crate::finalization::{self, Enter as _};
use crate::nesting;
use crate::object::{Gil, Object, Sent, dict_get};
use crate::once::intern;
use crate::outcome::Outcome;
use crate::plan_cache::CachedEvent;
use crate::serial;
use crate::slots::{self, Arguments, Method};
use crate::sync_driver;
use crate::values::PyHost;

/// A dispatch on its way. Await it once; until then no hook runs.
///
/// A step borrows the driver for all of its time; a second step meanwhile, from a hook or another task, is refused.
#[pyclass(frozen, generic, module = "hookweave._native")]
pub(crate) struct Dispatch(Gil<RefCell<AsyncDriver>>);

impl Dispatch {
    #[inline]
    fn new(state: DispatchState) -> Self {
        Self(Gil::new(RefCell::new(AsyncDriver::new(state))))
    }

    #[inline]
    fn step(&self, py: Python<'_>, input: Input) -> Sent {
        match self.0.get(py).try_borrow_mut() {
            Ok(mut driver) => driver.step(py, input),
            Err(_) => Sent::Raised(PyValueError::new_err("this dispatch is running already")),
        }
    }
}

unsafe extern "C" fn am_send(
    object: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
    out: *mut *mut ffi::PyObject,
) -> ffi::PySendResult {
    // SAFETY: CPython calls the slot of the `Dispatch` type, where `add_type` put it.
    unsafe {
        slots::send_slot::<Dispatch>(object, value, out, |dispatch, value| {
            dispatch.get().step(dispatch.py(), Input::Send(Object::of(value)))
        })
    }
}

/// Adds the class to the module, makes it a coroutine in Python's eyes, and adds the methods that dispatch to the client.
pub(crate) fn add_type(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let class = Dispatch::type_object(py);
    slots::set_await_slots(&class, am_send);
    finalization::import(py, c"collections.abc")?
        .getattr("Coroutine")?
        .enter_method(intern!(py, "register"), (&class,))?;
    module.add("Dispatch", class)?;
    let client = Client::type_object(py);
    slots::add_method::<DispatchMethod>(&client)?;
    slots::add_method::<DispatchSyncMethod>(&client)?;
    slots::add_method::<ExplainMethod>(&client)
}

/// The event and the payload of a call.
type Given<'a, 'py> = (&'a Bound<'py, PyAny>, Option<&'a Bound<'py, PyAny>>, Option<Bound<'py, PyDict>>);

#[inline]
fn read_arguments<'a, 'py>(arguments: &Arguments<'a, 'py>, method: &str) -> PyResult<Given<'a, 'py>> {
    let (event, payload) = match arguments.positional() {
        [event] => (&**event, None),
        [event, payload] => (&**event, Some(&**payload)),
        _ => {
            let message = format!("{method}() takes an event and perhaps a payload; fields go by name");
            return Err(PyTypeError::new_err(message));
        }
    };
    Ok((event, payload, arguments.keywords()?))
}

/// The dispatch that a call asks for.
#[inline]
fn begin(this: &Bound<'_, Client>, arguments: &Arguments<'_, '_>, method: &str) -> PyResult<DispatchState> {
    let py = this.py();
    let (event, payload, fields) = read_arguments(arguments, method)?;
    let client = this.get();
    client.check_open(py, "dispatch events")?;
    let request = request(client, py, event, payload, fields.as_ref())?;
    let depth = nesting::depth(py);
    host::dispatch::check_depth(depth).map_err(|error| errors::of(py, &error))?;
    Ok(DispatchState::new(Object::of(this.as_any()), request, depth, client.is_enabled()))
}

/// What a call is about.
#[inline]
fn request(
    client: &Client,
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
            let event = client.event(py, &name.bind(py))?;
            let own = with_text_cwd(own.bind(py).cast_into::<PyDict>()?)?;
            return Ok(Request { event, payload: own, filled: view.filled() });
        }
    }
    let event = client.event(py, event)?;
    Ok(Request { event, payload: payload_of(py, payload, fields)?, filled: None })
}

/// `client.dispatch`.
struct DispatchMethod;

impl Method for DispatchMethod {
    type Class = Client;
    const NAME: &'static std::ffi::CStr = c"dispatch";
    const DOC: &'static std::ffi::CStr = c"dispatch($self, event, payload=None, /, **fields)\n--\n\n\
        Starts a dispatch; await what it gives.";

    #[inline]
    fn call<'py>(this: &Bound<'py, Client>, arguments: &Arguments<'_, 'py>) -> PyResult<Object> {
        let state = begin(this, arguments, "dispatch")?;
        Bound::new(this.py(), Dispatch::new(state)).map(Object::from_bound)
    }
}

/// `client.dispatch_sync`.
struct DispatchSyncMethod;

impl Method for DispatchSyncMethod {
    type Class = Client;
    const NAME: &'static std::ffi::CStr = c"dispatch_sync";
    const DOC: &'static std::ffi::CStr = c"dispatch_sync($self, event, payload=None, /, **fields)\n--\n\n\
        Dispatches on this thread, without an event loop; every selected handler must be synchronous.";

    #[inline]
    fn call<'py>(this: &Bound<'py, Client>, arguments: &Arguments<'_, 'py>) -> PyResult<Object> {
        sync_driver::run(this.py(), begin(this, arguments, "dispatch_sync")?)
    }
}

/// `client.explain`.
struct ExplainMethod;

impl Method for ExplainMethod {
    type Class = Client;
    const NAME: &'static std::ffi::CStr = c"explain";
    const DOC: &'static std::ffi::CStr = c"explain($self, event, payload=None, /, **fields)\n--\n\n\
        Which hooks an event would run and why not the others, assuming that every hook continues; runs nothing.";

    fn call<'py>(this: &Bound<'py, Client>, arguments: &Arguments<'_, 'py>) -> PyResult<Object> {
        let py = this.py();
        let (event, payload, fields) = read_arguments(arguments, "explain")?;
        this.get().check_open(py, "explain events")?;
        let request = request(this.get(), py, event, payload, fields.as_ref())?;
        let CachedEvent { snapshot, spec, .. } = &*request.event;
        let explanation = host::explain::explain(snapshot, &PyHost::new(py), spec, &request.payload.bind(py));
        let record = serial::to_python(py, &explanation)?;
        finalization::import(py, c"hookweave.outcome")?
            .getattr("explanation")?
            .enter((record, explanation.to_string()))
            .map(Object::from_bound)
    }
}

/// The payload that a dispatch was given: a dict kept as it is, or one made of keyword arguments.
fn payload_of(
    py: Python<'_>,
    payload: Option<&Bound<'_, PyAny>>,
    fields: Option<&Bound<'_, PyDict>>,
) -> PyResult<Object> {
    let Some(payload) = payload.filter(|payload| !payload.is_none()) else {
        return with_text_cwd(fields.map_or_else(|| PyDict::new(py), Clone::clone));
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
    let Some(fields) = fields else { return with_text_cwd(given) };
    let both = given.copy()?;
    both.update(fields.as_mapping())?;
    with_text_cwd(both)
}

/// A payload whose `cwd` is text: a path of another type is taken as its text, and anything else is refused.
#[inline]
fn with_text_cwd(payload: Bound<'_, PyDict>) -> PyResult<Object> {
    let py = payload.py();
    let cwd = dict_get(payload.as_any(), intern!(py, "cwd"));
    match cwd {
        Some(cwd) if !cwd.is_none() && !cwd.is_exact_instance_of::<PyString>() => convert_cwd(&payload, &cwd),
        _ => Ok(Object::from_bound(payload)),
    }
}

#[cold]
fn convert_cwd(payload: &Bound<'_, PyDict>, cwd: &Bound<'_, PyAny>) -> PyResult<Object> {
    let py = payload.py();
    if cwd.get_type().hasattr(intern!(py, "__fspath__"))? {
        let path = finalization::import(py, c"os")?.getattr("fspath")?.enter((cwd,))?;
        let own = payload.copy()?;
        own.set_item(intern!(py, "cwd"), path)?;
        check_payload(&PyHost::new(py), own.as_any()).map_err(|error| errors::of(py, &error))?;
        return Ok(Object::from_bound(own));
    }
    check_payload(&PyHost::new(py), payload.as_any()).map_err(|error| errors::of(py, &error))?;
    Ok(Object::from_bound(payload.clone()))
}

#[pymethods]
impl Dispatch {
    fn __await__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        plain(py, self.step(py, Input::Send(Object::none(py))))
    }

    /// Goes on with a value; raises `StopIteration` with the outcome at the end.
    fn send(&self, py: Python<'_>, value: Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        plain(py, self.step(py, Input::Send(Object::from_bound(value))))
    }

    /// Raises an exception where the current hook waits.
    #[pyo3(signature = (kind, value = None, traceback = None, /))]
    fn throw(
        &self,
        py: Python<'_>,
        kind: Bound<'_, PyAny>,
        value: Option<Bound<'_, PyAny>>,
        traceback: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let exception = match value.filter(|value| !value.is_none()) {
            Some(value) if value.is_instance_of::<pyo3::exceptions::PyBaseException>() => value,
            Some(value) => kind.enter((value,))?,
            None if kind.is_instance_of::<PyType>() => kind.enter(())?,
            None => kind,
        };
        if let Some(traceback) = traceback.filter(|traceback| !traceback.is_none()) {
            exception.setattr(intern!(py, "__traceback__"), traceback)?;
        }
        plain(py, self.step(py, Input::Throw(PyErr::from_value(exception))))
    }

    /// Ends the dispatch without an outcome; the current hook is closed.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        match self.0.get(py).try_borrow_mut() {
            Ok(mut driver) => driver.close(py),
            Err(_) => Err(PyValueError::new_err("this dispatch is running already")),
        }
    }

    #[getter(__name__)]
    fn name(&self, py: Python<'_>) -> PyResult<String> {
        match self.0.get(py).try_borrow() {
            Ok(driver) => Ok(format!("dispatch of {}", driver.name().borrow(py).str()?)),
            Err(_) => Ok("dispatch".to_owned()),
        }
    }

    #[getter(__qualname__)]
    fn qualname(&self, py: Python<'_>) -> PyResult<String> {
        self.name(py)
    }

    /// Asked for what only an outcome has: an `await` was forgotten.
    #[cold]
    #[expect(clippy::unused_self, reason = "the signature of the protocol")]
    fn __getattr__(&self, name: &str) -> PyResult<Py<PyAny>> {
        let hint = if Outcome::FIELDS.contains(&name) {
            format!(": it has not run; write `(await client.dispatch(…)).{name}`")
        } else {
            String::new()
        };
        Err(PyAttributeError::new_err(format!("a dispatch has no attribute '{name}'{hint}")))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<{}>", self.name(py)?))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // One that is being stepped is held by the code that steps it, and is no garbage.
        self.0.traverse(&visit).try_borrow().map_or(Ok(()), |driver| driver.visit(&visit))
    }

    fn __clear__(&self, py: Python<'_>) {
        if let Ok(mut driver) = self.0.get(py).try_borrow_mut() {
            driver.clear();
        }
    }
}

/// A step's result in the terms of an iterator.
fn plain(py: Python<'_>, sent: Sent) -> PyResult<Py<PyAny>> {
    match sent {
        Sent::Yielded(value) => Ok(value.into_bound(py).unbind()),
        Sent::Returned(value) => Err(PyStopIteration::new_err((value.into_bound(py).unbind(),))),
        Sent::Raised(error) => Err(error),
    }
}
