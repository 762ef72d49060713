//! Loading hooks from files, for the TypeScript layer: JSON texts out, numbers of hooks by which plans name them.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookweave::config::Directories;
use hookweave::config::lint::lint;
use hookweave::config::load::LoadOptions;
use hookweave::host::{
    Approval, Error, EventSpec, FilesWatch, Host, NativeHook, Noticed, Prepared, QUIET, Request, TrustStore, Watched,
    event_from_wire, from_json, hook_id, outcome_to_wire,
};
use napi::Env;
use napi::bindgen_prelude::{Function, Unknown};
use napi::threadsafe_function::ThreadsafeFunctionCallMode;
use napi_derive::napi;
use serde::Serialize;
use serde_json::{Value, json};

use crate::error::{Refusal, broken, refuse};
use crate::hooks::{NativeHooks, Registered, Ticket};
use crate::host::Values;
use crate::native::{Letter, Native, large_integers, mailbox};

/// A hook from a file that is in force now.
#[napi(object, object_from_js = false)]
pub struct LoadedHook {
    /// As the registry knows it.
    pub hook: Registered,
    /// What runs.
    pub native: Native,
}

/// What came of loading.
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

/// What a hook command leaves for the agent that started it.
#[napi(object, object_from_js = false)]
pub struct NativeWireAnswer {
    /// How the command ends.
    pub exit_code: i32,
    /// What it prints.
    pub stdout: String,
    /// What it prints to the other stream.
    pub stderr: String,
    /// What the dialect cannot express.
    pub degraded: Vec<String>,
}

/// What an agent sends to its hooks, read.
#[napi(object, object_from_js = false)]
pub struct NativeWireEvent {
    /// The canonical name.
    pub event: String,
    /// `{"payload": …, "large": […]}`: the canonical payload and the integers in it that are too large for a number.
    pub payload: String,
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

fn request(
    env: Env,
    options: &Unknown<'_>,
    read: impl for<'v> FnOnce(&'v Values<'v>, &Unknown<'v>) -> Result<Request, Error>,
) -> Result<Request, Refusal> {
    let values = Values::none(&env).map_err(broken)?;
    let slot = values.keep(options);
    read(&values, &values.view(&slot)).map_err(|error| refuse(&error))
}

/// Runs something that registers hooks from files, and gives the new ones beside what it gives.
fn registering<R: Serialize>(
    hooks: &mut NativeHooks,
    deliver: Function<'_, Letter, ()>,
    ids: impl FnOnce(&R) -> &[String],
    run: impl FnOnce(&NativeHooks, &dyn Fn(Arc<NativeHook>, Arc<EventSpec>) -> Ticket) -> Result<R, Error>,
) -> Result<Loaded, Refusal> {
    let letters = match hooks.mailbox() {
        Some(mailbox) => Arc::clone(mailbox),
        none => Arc::clone(none.insert(mailbox(deliver).map_err(broken)?)),
    };
    let next = Cell::new(*hooks.next());
    let made = RefCell::new(Vec::new());
    let wrap = |hook: Arc<NativeHook>, event: Arc<EventSpec>| {
        let number = next.replace(next.get() + 1);
        let ticket = hooks.ticket(number, !hook.is_hosted());
        let native = Native::new(hook, event, Arc::clone(&letters));
        made.borrow_mut().push((number, native));
        ticket
    };
    let result = run(hooks, &wrap);
    *hooks.next() = next.get();
    let report = result.map_err(|error| refuse(&error))?;
    let in_force = ids(&report).iter().filter_map(|id| hooks.registered(hook_id(id).ok()?));
    let mut made = made.into_inner();
    let loaded = in_force.filter_map(|hook| {
        let place = made.iter().position(|(number, _)| *number == hook.number)?;
        Some(LoadedHook { native: made.swap_remove(place).1, hook })
    });
    Ok(Loaded { hooks: loaded.collect(), report: text(&report) })
}

/// Loads one file.
#[napi(catch_unwind)]
pub fn load(
    env: Env,
    hooks: &mut NativeHooks,
    path: String,
    options: Unknown<'_>,
    #[napi(ts_arg_type = "(ticket: number, text: string) => void")] deliver: Function<'_, Letter, ()>,
) -> Result<Loaded, Refusal> {
    let request = request(env, &options, |values, view| Request::read_file(&path, values, view))?;
    load_request(hooks, request, deliver)
}

/// Loads what stands at the usual places.
#[napi(catch_unwind)]
pub fn discover(
    env: Env,
    hooks: &mut NativeHooks,
    cwd: String,
    options: Unknown<'_>,
    #[napi(ts_arg_type = "(ticket: number, text: string) => void")] deliver: Function<'_, Letter, ()>,
) -> Result<Loaded, Refusal> {
    let request = request(env, &options, |values, view| Request::read_places(&cwd, values, view))?;
    load_request(hooks, request, deliver)
}

fn load_request(
    hooks: &mut NativeHooks,
    request: Request,
    deliver: Function<'_, Letter, ()>,
) -> Result<Loaded, Refusal> {
    registering(
        hooks,
        deliver,
        |report: &hookweave::host::FilesReport| &report.hooks,
        |hooks, wrap| hooks.files().load(hooks.registry(), hooks.runtime(), request, wrap),
    )
}

/// Reads the loaded files again.
#[napi(catch_unwind)]
pub fn prepare_reload(hooks: &NativeHooks) -> Result<PreparedReload, Refusal> {
    let prepared = hooks.files().prepare(hooks.registry(), hooks.runtime());
    Ok(PreparedReload { prepared: Some(prepared.map_err(|error| refuse(&error))?) })
}

/// The report of a reload that a hook in force has blocked, as JSON text.
#[napi(catch_unwind)]
pub fn keep_hooks(hooks: &NativeHooks, why: String) -> String {
    text(&hooks.files().keep(&why))
}

/// Puts what was read into force.
#[napi(catch_unwind)]
pub fn apply_reload(
    hooks: &mut NativeHooks,
    prepared: &mut PreparedReload,
    #[napi(ts_arg_type = "(ticket: number, text: string) => void")] deliver: Function<'_, Letter, ()>,
) -> Result<Loaded, Refusal> {
    let prepared = prepared.prepared.take();
    let twice = || Refusal::new("invalid_config".to_owned(), "a reload was applied twice");
    let prepared = prepared.ok_or_else(twice)?;
    registering(
        hooks,
        deliver,
        |reloaded: &hookweave::host::Reloaded| &reloaded.report.hooks,
        |hooks, wrap| hooks.files().apply(hooks.registry(), hooks.runtime(), prepared, wrap),
    )
}

/// Files that matter to a reload, and, after an empty text, files that hooks want to hear of.
#[napi(catch_unwind)]
pub fn watched_files(hooks: &NativeHooks) -> Vec<String> {
    let Watched { own, wanted } = hooks.files().watched(hooks.runtime());
    let path = |file: &PathBuf| file.display().to_string();
    own.iter().map(path).chain([String::new()]).chain(wanted.iter().map(path)).collect()
}

/// Looks after the files of a client until it is stopped.
#[napi]
pub struct NativeWatch {
    watch: Option<FilesWatch>,
}

/// What a watch noticed.
#[napi(object, object_from_js = false)]
pub struct NativeNoticed {
    /// A file that matters to a reload changed.
    pub reload: bool,
    /// Payloads of `FileChanged`, as the JSON text of a list.
    pub files: String,
}

#[napi]
impl NativeWatch {
    /// What happened since the last call.
    #[napi(catch_unwind)]
    pub fn take(&self) -> NativeNoticed {
        let Noticed { reload, files } = self.watch.as_ref().map(FilesWatch::take).unwrap_or_default();
        let files =
            files.into_iter().map(|(file, event)| json!({"file_path": file.display().to_string(), "event": event}));
        NativeNoticed { reload, files: Value::Array(files.collect()).to_string() }
    }

    /// Looks no more.
    #[napi(catch_unwind)]
    pub fn stop(&mut self) {
        self.watch = None;
    }
}

/// Looks after a client's files and calls when there is something to take; keeps no process alive.
#[napi(catch_unwind)]
pub fn watch_files(
    hooks: &NativeHooks,
    #[napi(ts_arg_type = "() => void")] changed: Function<'_, (), ()>,
) -> Result<NativeWatch, Refusal> {
    let bell = changed.build_threadsafe_function::<()>().callee_handled::<false>().weak::<true>();
    let bell = bell.build().map_err(broken)?;
    let watch = hooks.files().watch(hooks.runtime(), QUIET, move || {
        bell.call((), ThreadsafeFunctionCallMode::NonBlocking);
    });
    Ok(NativeWatch { watch: Some(watch.map_err(|error| refuse(&error))?) })
}

/// What will surprise in a file, as JSON text.
#[napi(catch_unwind)]
pub fn lint_file(path: String, dialect: Option<String>) -> Result<String, Refusal> {
    let options = LoadOptions { dialect: dialect.as_deref(), ..LoadOptions::default() };
    let findings = lint(Path::new(&path), &options).map_err(|error| refuse(&error))?;
    Ok(text(&findings))
}

fn store(path: Option<String>) -> Result<TrustStore, Refusal> {
    path.map(TrustStore::at).or_else(|| TrustStore::usual(&Directories::of_this_user())).ok_or_else(|| {
        let why = "there is no home directory to keep approvals in; name a file for them";
        Refusal::new("invalid_config".to_owned(), why)
    })
}

/// Everything that is approved, as JSON text.
#[napi(catch_unwind)]
pub fn approved(path: Option<String>) -> Result<String, Refusal> {
    let approved = store(path)?.approved().map_err(|error| refuse(&error))?;
    Ok(text(&approved.into_values().collect::<Vec<_>>()))
}

/// Approves hooks, given as the JSON text of a list of approvals.
#[napi(catch_unwind)]
pub fn approve(approvals: String, path: Option<String>) -> Result<(), Refusal> {
    let approvals: Vec<Approval> = serde_json::from_str(&approvals)
        .map_err(|error| Refusal::new("invalid_config".to_owned(), format!("this is nothing to approve: {error}")))?;
    store(path)?.approve(&approvals).map_err(|error| refuse(&error))
}

/// Takes approvals back; gives how many there were.
#[napi(catch_unwind)]
pub fn revoke(fingerprints: Vec<String>, path: Option<String>) -> Result<u32, Refusal> {
    let fingerprints: Vec<&str> = fingerprints.iter().map(String::as_str).collect();
    let revoked = store(path)?.revoke(&fingerprints).map_err(|error| refuse(&error))?;
    Ok(u32::try_from(revoked).unwrap_or(u32::MAX))
}

/// Reads what an agent sends to its hooks.
#[napi(catch_unwind)]
pub fn from_wire(dialect: String, data: String) -> Result<NativeWireEvent, Refusal> {
    let event = event_from_wire(&dialect, &data).map_err(|error| refuse(&error))?;
    let payload = Value::Object(event.payload);
    let large = large_integers(&payload);
    let payload = json!({"payload": payload, "large": large});
    Ok(NativeWireEvent { event: event.event.to_owned(), payload: payload.to_string() })
}

/// What a hook leaves for its agent, from an outcome's canonical JSON text.
#[napi(catch_unwind)]
pub fn to_wire(dialect: String, outcome: String) -> Result<NativeWireAnswer, Refusal> {
    let outcome = from_json(&outcome).unwrap_or_else(|_| json!({}));
    let answer = outcome_to_wire(&dialect, &outcome).map_err(|error| refuse(&error))?;
    Ok(NativeWireAnswer {
        exit_code: answer.exit_code,
        stdout: answer.stdout,
        stderr: answer.stderr,
        degraded: answer.degraded,
    })
}
