//! Loads hooks from files: reports as JSON texts, hooks as numbers that plans refer to.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookweave_host::config::lint::lint;
use hookweave_host::config::load::LoadOptions;
use hookweave_host::config::ready_made::ReadyMade;
use hookweave_host::config::trust::{TrustStore, TrustedHook};
use hookweave_host::config::watch::QUIET;
use hookweave_host::error::Error;
use hookweave_host::event::EventSpec;
use hookweave_host::exec::outside::OutsideHook;
use hookweave_host::files::register_ready_made;
use hookweave_host::files::{FilesWatch, LoadRequest, PendingChanges, Prepared, Watched};
use hookweave_host::hook_id;
use hookweave_host::payload::Host;
use napi::Env;
use napi::bindgen_prelude::{Function, Unknown};
use napi::threadsafe_function::ThreadsafeFunctionCallMode;
use napi_derive::napi;
use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::{Value, json};

use crate::client::NativeClient;
use crate::errors::{CodedError, coded, from_napi};
use crate::outside_hooks::{Completion, NativeOutsideHook, completion_queue};
use crate::registration::{HandlerRef, RegisteredHook};
use crate::values::Values;

/// A hook from a file that is in force now.
#[napi(object, object_from_js = false)]
pub struct LoadedHook {
    /// As the registry knows it.
    pub hook: RegisteredHook,
    /// The hook itself.
    pub native: NativeOutsideHook,
}

/// The result of loading.
#[napi(object, object_from_js = false)]
pub struct Loaded {
    /// The report in the canonical form, as JSON text.
    pub report: String,
    /// The hooks that are new.
    pub hooks: Vec<LoadedHook>,
}

/// A reload that has been read and not yet put into force.
#[napi]
pub struct PreparedReload {
    prepared: Option<Prepared>,
}

#[napi]
impl PreparedReload {
    /// The payloads of the `ConfigChange` events to raise first, in the canonical form, as JSON text.
    #[napi(catch_unwind)]
    pub fn questions(&self) -> String {
        text(&self.prepared.as_ref().map(Prepared::questions).unwrap_or_default())
    }
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

fn request<R>(
    env: Env,
    options: &Unknown<'_>,
    read: impl for<'v> FnOnce(&'v Values<'v>, &Unknown<'v>) -> Result<R, Error>,
) -> Result<R, CodedError> {
    let values = Values::none(&env).map_err(from_napi)?;
    let slot = values.keep(options);
    read(&values, &values.view(&slot)).map_err(|error| coded(&error))
}

/// Runs a function that registers hooks from files; gives its report and the new hooks.
fn registering<R: Serialize>(
    hooks: &mut NativeClient,
    deliver: Function<'_, Completion, ()>,
    run: impl FnOnce(&NativeClient, &dyn Fn(Arc<dyn OutsideHook>, Arc<EventSpec>) -> HandlerRef) -> Result<R, Error>,
) -> Result<Loaded, CodedError> {
    let completions = match hooks.completions() {
        Some(completions) => Arc::clone(completions),
        none => Arc::clone(none.insert(completion_queue(deliver).map_err(from_napi)?)),
    };
    let next = Cell::new(*hooks.next());
    let made = RefCell::new(Vec::new());
    let wrap = |hook: Arc<dyn OutsideHook>, event: Arc<EventSpec>| {
        let number = next.replace(next.get() + 1);
        let handler = hooks.handler_ref(number, hook.hosted().is_none());
        let native = NativeOutsideHook::new(hook, event, Arc::clone(&completions));
        made.borrow_mut().push((number, native));
        handler
    };
    let result = run(hooks, &wrap);
    *hooks.next() = next.get();
    let report = result.map_err(|error| coded(&error))?;
    // Not those of the report, which names hooks of files: the guard of the policy's own files is none.
    let in_force = hooks.registry().list().into_iter().filter_map(|hook| hooks.registered(hook_id(&hook.id).ok()?));
    let mut made: FxHashMap<u32, NativeOutsideHook> = made.into_inner().into_iter().collect();
    let loaded = in_force.filter_map(|hook| Some(LoadedHook { native: made.remove(&hook.number)?, hook }));
    Ok(Loaded { hooks: loaded.collect(), report: text(&report) })
}

/// Loads one file.
#[napi(catch_unwind)]
pub fn load(
    env: Env,
    hooks: &mut NativeClient,
    path: String,
    options: Unknown<'_>,
    #[napi(ts_arg_type = "(ticket: number, text: string) => void")] deliver: Function<'_, Completion, ()>,
) -> Result<Loaded, CodedError> {
    let request = request(env, &options, |values, view| LoadRequest::read_file(&path, values, view))?;
    load_request(hooks, request, deliver)
}

/// Loads hooks from their usual places.
#[napi(catch_unwind)]
pub fn discover(
    env: Env,
    hooks: &mut NativeClient,
    cwd: String,
    options: Unknown<'_>,
    #[napi(ts_arg_type = "(ticket: number, text: string) => void")] deliver: Function<'_, Completion, ()>,
) -> Result<Loaded, CodedError> {
    let request = request(env, &options, |values, view| LoadRequest::read_places(&cwd, values, view))?;
    load_request(hooks, request, deliver)
}

fn load_request(
    hooks: &mut NativeClient,
    request: LoadRequest,
    deliver: Function<'_, Completion, ()>,
) -> Result<Loaded, CodedError> {
    registering(hooks, deliver, |hooks, wrap| hooks.files().load(hooks.registry(), hooks.runtime(), request, wrap))
}

/// Registers a ready-made hook by its name; its hooks are in order.
#[napi(catch_unwind)]
pub fn use_ready_made(
    env: Env,
    hooks: &mut NativeClient,
    name: String,
    options: Unknown<'_>,
    #[napi(ts_arg_type = "(ticket: number, text: string) => void")] deliver: Function<'_, Completion, ()>,
) -> Result<Loaded, CodedError> {
    let ready = request(env, &options, |values, view| ReadyMade::read(&name, values, view))?;
    registering(hooks, deliver, |hooks, wrap| register_ready_made(hooks.registry(), hooks.runtime(), ready, wrap))
}

/// Reads the loaded files again.
#[napi(catch_unwind)]
pub fn prepare_reload(hooks: &NativeClient) -> Result<PreparedReload, CodedError> {
    let prepared = hooks.files().prepare(hooks.registry(), hooks.runtime());
    Ok(PreparedReload { prepared: Some(prepared.map_err(|error| coded(&error))?) })
}

/// The report of a reload that a hook in force has blocked, as JSON text.
#[napi(catch_unwind)]
pub fn keep_hooks(hooks: &NativeClient, why: String) -> String {
    text(&hooks.files().keep(&why))
}

/// Puts what was read into force.
#[napi(catch_unwind)]
pub fn apply_reload(
    hooks: &mut NativeClient,
    prepared: &mut PreparedReload,
    #[napi(ts_arg_type = "(ticket: number, text: string) => void")] deliver: Function<'_, Completion, ()>,
) -> Result<Loaded, CodedError> {
    let prepared = prepared.prepared.take();
    let twice = || CodedError::new("invalid_config".to_owned(), "a reload was applied twice");
    let prepared = prepared.ok_or_else(twice)?;
    registering(hooks, deliver, |hooks, wrap| hooks.files().apply(hooks.registry(), hooks.runtime(), prepared, wrap))
}

/// The files of a reload and, after an empty text, the files that hooks watch.
#[napi(catch_unwind)]
pub fn watched_files(hooks: &NativeClient) -> Vec<String> {
    let Watched { own, wanted } = hooks.files().watched(hooks.runtime());
    let path = |file: &PathBuf| file.display().to_string();
    own.iter().map(path).chain([String::new()]).chain(wanted.iter().map(path)).collect()
}

/// Watches the files of a client until it is stopped.
#[napi]
pub struct NativeWatch {
    watch: Option<FilesWatch>,
}

/// Changes that a watch noticed.
#[napi(object, object_from_js = false)]
pub struct NativeFileChanges {
    /// A file that matters to a reload changed.
    pub reload: bool,
    /// Payloads of `FileChanged`, as the JSON text of a list.
    pub files: String,
}

#[napi]
impl NativeWatch {
    /// The changes since the last call.
    #[napi(catch_unwind)]
    pub fn take(&self) -> NativeFileChanges {
        let PendingChanges { reload, files } = self.watch.as_ref().map(FilesWatch::take).unwrap_or_default();
        let files =
            files.into_iter().map(|(file, event)| json!({"file_path": file.display().to_string(), "event": event}));
        NativeFileChanges { reload, files: Value::Array(files.collect()).to_string() }
    }

    /// Stops watching.
    #[napi(catch_unwind)]
    pub fn stop(&mut self) {
        self.watch = None;
    }
}

/// Watches a client's files and calls the function on changes; keeps no process alive.
#[napi(catch_unwind)]
pub fn watch_files(
    hooks: &NativeClient,
    #[napi(ts_arg_type = "() => void")] changed: Function<'_, (), ()>,
) -> Result<NativeWatch, CodedError> {
    let wakeup = changed.build_threadsafe_function::<()>().callee_handled::<false>().weak::<true>();
    let wakeup = wakeup.build().map_err(from_napi)?;
    let watch = hooks.files().watch(hooks.runtime(), QUIET, move || {
        wakeup.call((), ThreadsafeFunctionCallMode::NonBlocking);
    });
    Ok(NativeWatch { watch: Some(watch.map_err(|error| coded(&error))?) })
}

/// Likely mistakes in a file, as JSON text.
#[napi(catch_unwind)]
pub fn lint_file(path: String, dialect: Option<String>) -> Result<String, CodedError> {
    let options = LoadOptions { dialect: dialect.as_deref(), ..LoadOptions::default() };
    let findings = lint(Path::new(&path), &options).map_err(|error| coded(&error))?;
    Ok(text(&findings))
}

fn store(path: Option<String>) -> Result<TrustStore, CodedError> {
    path.map_or_else(TrustStore::of_this_user, |path| Ok(TrustStore::at(path))).map_err(|error| coded(&error))
}

/// Everything that is approved, as JSON text.
#[napi(catch_unwind)]
pub fn approved(path: Option<String>) -> Result<String, CodedError> {
    let approved = store(path)?.approved().map_err(|error| coded(&error))?;
    Ok(text(&approved.into_values().collect::<Vec<_>>()))
}

/// Approves hooks, given as the JSON text of a list of approvals.
#[napi(catch_unwind)]
pub fn approve(approvals: String, path: Option<String>) -> Result<(), CodedError> {
    let approvals: Vec<TrustedHook> = serde_json::from_str(&approvals).map_err(|error| {
        CodedError::new("invalid_config".to_owned(), format!("this is nothing to approve: {error}"))
    })?;
    store(path)?.approve(&approvals).map_err(|error| coded(&error))
}

/// Revokes approvals; gives how many there were.
#[napi(catch_unwind)]
pub fn revoke(fingerprints: Vec<String>, path: Option<String>) -> Result<u32, CodedError> {
    let fingerprints: Vec<&str> = fingerprints.iter().map(String::as_str).collect();
    let revoked = store(path)?.revoke(&fingerprints).map_err(|error| coded(&error))?;
    Ok(u32::try_from(revoked).unwrap_or(u32::MAX))
}
