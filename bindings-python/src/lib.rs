//! The native half of the Python package `hookweave`.
//!
//! The rules are the core's; here a dispatch is driven on the caller's own task or thread: handlers are called, their
//! coroutines stepped inline, and a timer is armed only when one of them waits.
//!
//! A dispatch goes through these files, in this order: `dispatch.rs` reads the arguments, `client.rs` and `plan_cache.rs` find
//! the hooks, `dispatch_state.rs` starts each of them and takes in its report, and `outcome.rs` makes what the caller gets. What
//! happens next is decided by `sync_driver.rs` for `dispatch_sync`, and else by `async_driver.rs`, with `fast_path.rs` for hooks
//! that answer nothing and `deadline.rs` for those that wait. Other files are called for one value or one call each.

mod async_driver;
mod audit;
mod client;
mod clock;
mod completions;
mod deadline;
mod dispatch;
mod dispatch_state;
mod envelope;
mod errors;
mod event;
mod event_types;
mod fast_path;
mod files;
mod finalization;
mod keys;
mod logging;
mod nesting;
mod object;
mod once;
mod outcome;
mod outside_hooks;
mod parallel_stage;
mod plan_cache;
mod registration;
mod remote;
mod reporting;
mod serial;
mod session;
mod session_flow;
mod session_payload;
mod session_results;
mod slots;
mod sync_driver;
mod task;
mod telemetry;
mod terminal;
mod values;
mod watch;
mod wire;

use hookweave_host::call;
use pyo3::prelude::*;
use pyo3::type_object::PyTypeInfo as _;
use pyo3::types::{PyDict, PyMapping, PyString, PyType};

use envelope::Fields;
use event::EventRef;
use finalization::Enter as _;
use object::{Inside, Object};

/// All use of Python objects here relies on the GIL, so a free-threaded interpreter is asked to switch it on.
#[pymodule(gil_used = true)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    if !object::in_main_interpreter(py) {
        return Err(errors::raise(
            py,
            "unsupported_interpreter",
            "hookweave runs in the main interpreter only; import it there, or use a process instead of a sub-interpreter",
        ));
    }
    make_late_types(py);
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    event::add_types(module)?;
    client::add_type(module)?;
    dispatch::add_type(module)?;
    outcome::add_type(module)?;
    outside_hooks::add_types(module)?;
    module.add_class::<completions::CompletionQueue>()?;
    files::add_to(module)?;
    audit::add_to(module)?;
    wire::add_to(module)?;
    reporting::add_to(module)?;
    remote::add_to(module)?;
    module.add_class::<watch::Watch>()?;
    module.add_class::<session::Session>()?;
    module.add_class::<session_flow::Flow>()?;
    module.add_class::<terminal::TerminalQuestion>()?;
    module.add_class::<terminal::Asking>()?;
    module.add_function(wrap_pyfunction!(registration::exact_pattern, module)?)?;
    module.add_function(wrap_pyfunction!(values::freeze, module)?)?;
    module.add_function(wrap_pyfunction!(values::owned, module)?)?;
    module.add_function(wrap_pyfunction!(task::cancel_requests, module)?)?;
    module.add_function(wrap_pyfunction!(telemetry::redacted, module)?)?;
    module.add_function(wrap_pyfunction!(set_classes, module)?)?;
    module.add_function(wrap_pyfunction!(known_events, module)?)?;
    module.add_function(wrap_pyfunction!(event_item, module)?)?;
    module.add_function(wrap_pyfunction!(event_dict, module)?)?;
    module.add_function(wrap_pyfunction!(event_json, module)?)?;
    module.add_function(wrap_pyfunction!(event_command, module)?)?;
    module.add_function(wrap_pyfunction!(event_paths, module)?)?;
    module.add_function(wrap_pyfunction!(call_at_depth, module)?)
}

/// Makes what pyo3 would make inside a lock when a dispatch first needs it; `once` says why it must not.
fn make_late_types(py: Python<'_>) {
    pyo3::panic::PanicException::type_object(py);
    deadline::TimerCallback::type_object(py);
    values::Copying::type_object(py);
    // Whether anything but a dict is a mapping is asked of `collections.abc.Mapping`, which is looked up for it.
    _ = py.None().bind(py).cast::<PyMapping>();
}

/// Sets the Python classes that the extension makes and reads.
#[pyfunction]
fn set_classes(record: &Bound<'_, PyType>, response: &Bound<'_, PyType>) {
    values::set_classes(record.py(), record, response);
}

/// The engine's catalogue: its events, and the fields that all of them have.
#[pyfunction]
fn known_events(py: Python<'_>) -> PyResult<(Bound<'_, PyAny>, Bound<'_, PyAny>)> {
    Ok((event_types::events(py)?, event_types::common(py)?.into_any()))
}

fn with_event<R>(event: &Bound<'_, PyAny>, look: impl FnOnce(EventRef<'_>) -> PyResult<R>) -> PyResult<R> {
    let object = Object::of(event);
    let view = EventRef::of(event.py(), &object);
    look(view.ok_or_else(|| pyo3::exceptions::PyTypeError::new_err("an event is expected"))?)
}

/// A field by name; `KeyError` where the payload lacks it and nothing is made up.
#[pyfunction]
fn event_item<'py>(event: &Bound<'py, PyAny>, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
    let py = event.py();
    let name = &PyString::intern(py, name.to_str()?);
    with_event(event, |view| match view.read(py, name, event::shape_of(name))? {
        Some(value) => Ok(value.into_bound(py)),
        None => Err(pyo3::exceptions::PyKeyError::new_err(name.clone().unbind())),
    })
}

/// The whole payload as plain containers.
#[pyfunction]
fn event_dict<'py>(event: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    with_event(event, |view| view.whole(event.py(), Fields::Copied))
}

/// The whole payload as canonical JSON text.
#[pyfunction]
fn event_json(event: &Bound<'_, PyAny>) -> PyResult<String> {
    with_event(event, |view| view.json(event.py()))
}

/// The command line of a tool call.
#[pyfunction]
fn event_command(event: &Bound<'_, PyAny>) -> PyResult<String> {
    with_event(event, |view| view.judged(event.py(), call::command))
}

/// The paths that an event names.
#[pyfunction]
fn event_paths(event: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    with_event(event, |view| view.judged(event.py(), call::paths))
}

/// Calls a handler so that dispatches inside it know how deep they are, also those on threads and loops that it waits for.
///
/// Its context has to be its own.
#[pyfunction]
fn call_at_depth<'py>(
    handler: &Bound<'py, PyAny>,
    event: &Bound<'py, PyAny>,
    depth: u32,
) -> PyResult<Bound<'py, PyAny>> {
    nesting::set_in_context(event.py(), depth)?;
    let _suspended = nesting::SuspendedDispatch::new();
    let _inside = Inside::enter(depth);
    handler.enter((event,))
}
