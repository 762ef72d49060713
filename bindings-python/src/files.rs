//! Loading hooks from files, for the Python layer: plain records in and out.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hookweave_host::config::lint::lint;
use hookweave_host::config::load::LoadOptions;
use hookweave_host::config::ready_made::ReadyMade;
use hookweave_host::config::trust::{TrustStore, TrustedHook};
use hookweave_host::error::Error;
use hookweave_host::event::EventSpec;
use hookweave_host::exec::outside::OutsideHook as CoreHook;
use hookweave_host::files::register_ready_made;
use hookweave_host::files::{LoadRequest, Prepared};
use hookweave_host::{self as host};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::client::Client;
use crate::errors;
use crate::finalization::Enter as _;
use crate::object::Object;
use crate::once::Once;
use crate::outside_hooks::OutsideHook;
use crate::registration::{Handler, HandlerKind};
use crate::serial;
use crate::values::PyHost;

/// A reload that has been read and not yet put into force.
#[pyclass(frozen, module = "hookweave._native", name = "Prepared")]
pub(crate) struct PreparedReload(Mutex<Option<Prepared>>);

/// Adds functions and classes to the module.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PreparedReload>()?;
    module.add_function(wrap_pyfunction!(load, module)?)?;
    module.add_function(wrap_pyfunction!(discover, module)?)?;
    module.add_function(wrap_pyfunction!(use_ready_made, module)?)?;
    module.add_function(wrap_pyfunction!(prepare_reload, module)?)?;
    module.add_function(wrap_pyfunction!(keep_hooks, module)?)?;
    module.add_function(wrap_pyfunction!(apply_reload, module)?)?;
    module.add_function(wrap_pyfunction!(watched_files, module)?)?;
    module.add_function(wrap_pyfunction!(lint_file, module)?)?;
    module.add_function(wrap_pyfunction!(approved, module)?)?;
    module.add_function(wrap_pyfunction!(approve, module)?)?;
    module.add_function(wrap_pyfunction!(revoke, module)?)?;
    module.add_function(wrap_pyfunction!(stop_file_hooks, module)?)
}

/// Makes the Python handler of an outside hook.
fn handler(client: &Bound<'_, Client>, hook: Arc<dyn CoreHook>, event: Arc<EventSpec>) -> PyResult<Handler> {
    static CLASS: Once<Py<PyAny>> = Once::new();
    let py = client.py();
    let hosted = hook.hosted().is_some();
    let hook = OutsideHook::new(hook, event);
    let class = CLASS.import(py, c"hookweave._outside_hooks", "OutsideHookHandler")?;
    let callable = class.enter((client, hook.clone()))?;
    let kind = if hosted { HandlerKind::Hosted(hook) } else { HandlerKind::Outside };
    Ok(Handler { callable: Object::from_bound(callable), in_thread: false, is_async: false, kind })
}

/// Runs something that registers handlers; the first exception of making one is what is raised.
fn registering<R>(
    client: &Bound<'_, Client>,
    run: impl FnOnce(&dyn Fn(Arc<dyn CoreHook>, Arc<EventSpec>) -> Handler) -> Result<R, Error>,
) -> PyResult<R> {
    let py = client.py();
    let raised = std::cell::RefCell::new(None);
    let wrap = |hook: Arc<dyn CoreHook>, event: Arc<EventSpec>| {
        handler(client, hook, event).unwrap_or_else(|error| {
            raised.borrow_mut().get_or_insert(error);
            Handler { callable: Object::none(py), in_thread: false, is_async: false, kind: HandlerKind::Function }
        })
    };
    let result = run(&wrap).map_err(|error| errors::of(py, &error));
    match raised.into_inner() {
        Some(error) => Err(error),
        None => result,
    }
}

fn request<'py>(
    py: Python<'py>,
    options: &Bound<'py, PyDict>,
    read: impl FnOnce(&PyHost<'py>, &Bound<'py, PyAny>) -> Result<LoadRequest, Error>,
) -> PyResult<LoadRequest> {
    read(&PyHost::new(py), options.as_any()).map_err(|error| errors::of(py, &error))
}

/// Loads one file.
#[pyfunction]
fn load<'py>(client: &Bound<'py, Client>, path: &str, options: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
    let request = request(client.py(), options, |host, view| LoadRequest::read_file(path, host, view))?;
    load_request(client, request)
}

/// Loads the files at the usual places.
#[pyfunction]
fn discover<'py>(client: &Bound<'py, Client>, cwd: &str, options: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
    let request = request(client.py(), options, |host, view| LoadRequest::read_places(cwd, host, view))?;
    load_request(client, request)
}

fn load_request<'py>(client: &Bound<'py, Client>, request: LoadRequest) -> PyResult<Bound<'py, PyAny>> {
    let this = client.get();
    let guard = this.loading(client.py());
    let report =
        registering(client, |wrap| this.files().load(this.registry(client.py()), this.runtime(), request, wrap))?;
    drop(guard);
    this.log_observers(client.py())?;
    serial::to_python(client.py(), &report)
}

/// Registers a ready-made hook by its name; gives the ids of its hooks.
#[pyfunction]
fn use_ready_made(client: &Bound<'_, Client>, name: &str, options: &Bound<'_, PyDict>) -> PyResult<Vec<String>> {
    let (py, this) = (client.py(), client.get());
    let hooks = ReadyMade::read(name, &PyHost::new(py), options.as_any()).map_err(|error| errors::of(py, &error))?;
    let ids = registering(client, |wrap| register_ready_made(this.registry(py), this.runtime(), hooks, wrap))?;
    this.hooks_changed();
    this.log_observers(py)?;
    Ok(ids)
}

/// Reads the loaded files again; gives what was read, and the payloads of the `ConfigChange` events to raise first.
#[pyfunction]
fn prepare_reload<'py>(client: &Bound<'py, Client>) -> PyResult<(PreparedReload, Bound<'py, PyAny>)> {
    let this = client.get();
    let _guard = this.loading(client.py());
    let prepared = this.files().prepare(this.registry(client.py()), this.runtime());
    let prepared = prepared.map_err(|error| errors::of(client.py(), &error))?;
    let questions = serial::to_python(client.py(), &prepared.questions())?;
    Ok((PreparedReload(Mutex::new(Some(prepared))), questions))
}

/// The report of a reload that a hook in force has blocked.
#[pyfunction]
fn keep_hooks<'py>(client: &Bound<'py, Client>, why: &str) -> PyResult<Bound<'py, PyAny>> {
    let this = client.get();
    let _guard = this.loading(client.py());
    serial::to_python(client.py(), &this.files().keep(why))
}

/// Puts what was read into force.
#[pyfunction]
fn apply_reload<'py>(client: &Bound<'py, Client>, prepared: &PreparedReload) -> PyResult<Bound<'py, PyAny>> {
    let this = client.get();
    let prepared = prepared.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    let prepared = prepared.ok_or_else(|| errors::internal("a reload was applied twice"))?;
    let guard = this.loading(client.py());
    let report =
        registering(client, |wrap| this.files().apply(this.registry(client.py()), this.runtime(), prepared, wrap))?;
    drop(guard);
    this.log_observers(client.py())?;
    serial::to_python(client.py(), &report)
}

/// What is to be watched: files that matter to a reload, and files whose changes hooks have asked for.
#[pyfunction]
fn watched_files(client: &Bound<'_, Client>) -> (Vec<OsString>, Vec<OsString>) {
    let this = client.get();
    let _guard = this.loading(client.py());
    let watched = this.files().watched(this.runtime());
    (texts(watched.own), texts(watched.wanted))
}

fn texts(paths: Vec<PathBuf>) -> Vec<OsString> {
    paths.into_iter().map(PathBuf::into_os_string).collect()
}

/// Likely mistakes in a file.
#[pyfunction]
#[pyo3(signature = (path, dialect = None))]
fn lint_file<'py>(py: Python<'py>, path: &str, dialect: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    let options = LoadOptions { dialect, ..LoadOptions::default() };
    let findings = lint(Path::new(path), &options).map_err(|error| errors::of(py, &error))?;
    serial::to_python(py, &findings)
}

fn store(py: Python<'_>, path: Option<&str>) -> PyResult<TrustStore> {
    path.map_or_else(TrustStore::of_this_user, |path| Ok(TrustStore::at(path))).map_err(|error| errors::of(py, &error))
}

/// Everything that is approved.
#[pyfunction]
#[pyo3(signature = (path = None))]
fn approved<'py>(py: Python<'py>, path: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    let approved = store(py, path)?.approved().map_err(|error| errors::of(py, &error))?;
    serial::to_python(py, &approved.into_values().collect::<Vec<_>>())
}

/// Approves hooks: records as a report's `untrusted[…]["approval"]` has them.
#[pyfunction]
#[pyo3(signature = (approvals, path = None))]
fn approve(py: Python<'_>, approvals: &Bound<'_, PyList>, path: Option<&str>) -> PyResult<()> {
    let text = host::json::to_json(&PyHost::new(py), approvals.as_any());
    let text = text.map_err(|error| errors::raise(py, "invalid_config", &error.to_string()))?;
    let approvals: Vec<TrustedHook> = serde_json::from_str(&text)
        .map_err(|error| errors::raise(py, "invalid_config", &format!("this is nothing to approve: {error}")))?;
    store(py, path)?.approve(&approvals).map_err(|error| errors::of(py, &error))
}

/// Takes approvals back; gives how many there were.
#[pyfunction]
#[pyo3(signature = (fingerprints, path = None))]
#[expect(clippy::needless_pass_by_value, reason = "pyo3 hands arguments over by value")]
fn revoke(py: Python<'_>, fingerprints: Vec<String>, path: Option<&str>) -> PyResult<usize> {
    let fingerprints: Vec<&str> = fingerprints.iter().map(String::as_str).collect();
    store(py, path)?.revoke(&fingerprints).map_err(|error| errors::of(py, &error))
}

/// Kills what runs; false when something still runs after the limit, in seconds.
#[pyfunction]
fn stop_file_hooks(client: &Bound<'_, Client>, limit: f64) -> bool {
    let runtime = Arc::clone(client.get().runtime());
    client.py().detach(|| runtime.shutdown(std::time::Duration::try_from_secs_f64(limit).unwrap_or_default()))
}
