//! The hooks that a client has from files: loading, reloading, taking out again.
//!
//! What a file says is the business of [`config`](crate::config), how a hook runs that of [`file_hook`](crate::file_hook); here
//! the two meet a client's registry, in every language.

mod ready_made;
mod request;
mod watching;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::config::Problem;
use crate::config::discover::{Discovery, discover, guard_named};
use crate::config::lint::refuse_errors;
use crate::config::load::{Configuration, FoundFile, LoadOptions, LostApproval, Ready, UntrustedHook, load};
use crate::config::reload::{Change, Changes, Reload, judge};
use crate::config::trust::TrustStore;
use crate::config::watch::Sightings;
use crate::file_hook::{FileHook, Runtime};
use hookweave_exec::outside::OutsideHook;
use hookweave_machine::error::{Code, Error};
use hookweave_machine::event::EventSpec;
use hookweave_machine::hook::{Enforcement, Scope};
use hookweave_machine::observer::ObservedEvent;
use hookweave_machine::registry::{HookId, Registry, Seat};

pub use ready_made::register_ready_made;
pub use request::{FileRequest, LoadRequest, PlacesRequest};
pub use watching::{FilesWatch, PendingChanges, Watched};

/// Makes a host's handler of an outside hook.
pub type Wrap<'w, T> = &'w dyn Fn(Arc<dyn OutsideHook>, Arc<EventSpec>) -> T;

/// What came of loading.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct LoadReport {
    /// The ids of the hooks that are in force now, in order.
    pub hooks: Vec<String>,
    /// The files that were found.
    pub found: Vec<FoundFile>,
    /// Hooks that are not approved, or that changed since; they do not run.
    pub untrusted: Vec<UntrustedHook>,
    /// Approvals of what changed or is gone since; what they guarded is blocked.
    #[serde(skip)]
    pub lost: Vec<LostApproval>,
    /// What could not be taken, and what will surprise.
    pub problems: Vec<Problem>,
    /// Settings for the client that the files hold; they are the host's to apply.
    pub options: Map<String, Value>,
}

/// What came of a reload.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct ReloadReport {
    /// What is in force now.
    #[serde(flatten)]
    pub report: LoadReport,
    /// Hooks that are new, also those that wait for an approval.
    pub added: Vec<Change>,
    /// Hooks that are gone.
    pub removed: Vec<Change>,
    /// Hooks that are other than before.
    pub changed: Vec<Change>,
    /// Why old hooks stayed in force, one text for each file that kept its own.
    pub kept: Vec<String>,
}

/// A request, what it gave, and the hooks that came of it.
#[derive(Debug)]
struct Batch {
    request: LoadRequest,
    configuration: Configuration,
    /// Keeps the hooks before those of files that were loaded later, also after a reload.
    seat: Seat,
    hooks: Vec<HookId>,
    /// The guard of the policy's files, which is none of a file.
    policy_files: Option<HookId>,
    problems: Vec<Problem>,
}

/// The files of one client.
#[derive(Debug, Default)]
pub struct Files {
    batches: Mutex<Vec<Batch>>,
    /// What the watch that is in force has seen.
    seen: Mutex<Weak<Sightings>>,
}

/// A reload that has been read and not yet put into force.
#[derive(Debug)]
pub struct Prepared {
    judged: Vec<(usize, Reload)>,
}

impl Prepared {
    /// The events by which the hooks in force are asked about changes that take protection away: payloads of
    /// `ConfigChange`. A block of one of them keeps everything as it is.
    #[must_use]
    pub fn questions(&self) -> Vec<Value> {
        let changes = self.judged.iter().filter_map(|(_, reload)| match reload {
            Reload::New { changes, .. } => Some(changes),
            Reload::Kept { .. } => None,
        });
        changes.flat_map(Changes::weakening).map(question).collect()
    }
}

fn question(change: &Change) -> Value {
    let file = change.origin.as_ref().map(|origin| origin.file.display().to_string());
    json!({
        "source": change.source,
        "file_path": file,
        "metadata": {"hookweave": {"hook": change.name, "weaker": change.weaker}},
    })
}

impl Files {
    fn lock(&self) -> MutexGuard<'_, Vec<Batch>> {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads what is asked for and registers its hooks.
    ///
    /// An entry that makes no sense refuses the file with it, unless the request is partial: then it is a [`Problem`] and
    /// spares the rest.
    pub fn load<T>(
        &self,
        registry: &Registry<T>,
        runtime: &Arc<Runtime>,
        request: LoadRequest,
        wrap: Wrap<'_, T>,
    ) -> Result<LoadReport, Error> {
        registry.check_open("load hooks from files")?;
        let _known = hookweave_machine::pattern::PatternCache::hold();
        let configuration = read(&request, registry, runtime)?;
        let seat = registry.seat();
        let mut batch =
            Batch { request, configuration, seat, hooks: Vec::new(), policy_files: None, problems: Vec::new() };
        batch.register(registry, runtime, wrap)?;
        let report = batch.report();
        self.lock().push(batch);
        notify_observer(registry, &report);
        Ok(report)
    }

    /// Registers the guard of the policy's files for an agent that is judged by files that a person named: one for all that
    /// are loaded, however often one of them is named. A program that loads a file decides by itself who may change it.
    pub fn guard_named<T>(
        &self,
        registry: &Registry<T>,
        runtime: &Arc<Runtime>,
        cwd: &Path,
        wrap: Wrap<'_, T>,
    ) -> Result<(), Error> {
        let batches = self.lock();
        if let Some(guard) = guard_named(cwd, batches.iter().map(|batch| &batch.configuration))? {
            register(registry, (registry.seat(), None), runtime, &guard, wrap)?;
        }
        Ok(())
    }

    /// Reads every file again without changing what is in force.
    pub fn prepare<T>(&self, registry: &Registry<T>, runtime: &Arc<Runtime>) -> Result<Prepared, Error> {
        registry.check_open("reload files")?;
        let batches = self.lock();
        let judged = batches.iter().enumerate();
        let judged =
            judged.map(|(at, batch)| (at, judge(&batch.configuration, read(&batch.request, registry, runtime))));
        Ok(Prepared { judged: judged.collect() })
    }

    /// Puts what was read into force, between dispatches: one that runs keeps the hooks that it began with.
    pub fn apply<T>(
        &self,
        registry: &Registry<T>,
        runtime: &Arc<Runtime>,
        prepared: Prepared,
        wrap: Wrap<'_, T>,
    ) -> Result<ReloadReport, Error> {
        registry.check_open("reload files")?;
        let mut batches = self.lock();
        let mut reloaded = ReloadReport::default();
        for (at, reload) in prepared.judged {
            let Some(batch) = batches.get_mut(at) else { continue };
            match reload {
                Reload::Kept { problems, message } => {
                    reloaded.kept.push(message);
                    reloaded.report.problems.extend(problems);
                }
                Reload::New { changes, .. } if changes.is_empty() => {}
                Reload::New { configuration, changes } => {
                    let old = std::mem::take(&mut batch.hooks);
                    let guard = batch.policy_files.take();
                    let before = std::mem::replace(&mut batch.configuration, *configuration);
                    // The new ones first: no dispatch may find neither.
                    if let Err(error) = batch.register(registry, runtime, wrap) {
                        (batch.hooks, batch.policy_files, batch.configuration) = (old, guard, before);
                        reloaded.kept.push(error.message().to_owned());
                        continue;
                    }
                    for id in old.into_iter().chain(guard) {
                        registry.unregister(id);
                    }
                    reloaded.added.extend(changes.added);
                    reloaded.removed.extend(changes.removed);
                    reloaded.changed.extend(changes.changed);
                }
            }
        }
        for batch in batches.iter() {
            reloaded.report.add(batch.report());
        }
        notify_observer(registry, &reloaded.report);
        Ok(reloaded)
    }

    /// The report of a reload that a hook in force has blocked: everything stays as it is.
    pub fn keep(&self, why: &str) -> ReloadReport {
        let mut reloaded = ReloadReport { kept: vec![why.to_owned()], ..ReloadReport::default() };
        for batch in self.lock().iter() {
            reloaded.report.add(batch.report());
        }
        reloaded
    }
}

/// Reports the loaded files to the observer.
fn notify_observer<T>(registry: &Registry<T>, report: &LoadReport) {
    let Some(observer) = registry.observer() else { return };
    observer.observe(ObservedEvent::Loaded {
        files: report.found.iter().map(|found| found.file.display().to_string()).collect(),
        hooks: report.hooks.len(),
        problems: report.problems.iter().map(ToString::to_string).collect(),
        untrusted: report.untrusted.len(),
    });
}

fn read<T>(request: &LoadRequest, registry: &Registry<T>, runtime: &Arc<Runtime>) -> Result<Configuration, Error> {
    let catalogue = registry.catalogue();
    let configuration = match request {
        LoadRequest::File(FileRequest { path, dialect, scope, strict, partial, .. }) => load(
            path,
            &LoadOptions {
                dialect: dialect.as_deref(),
                strict: *strict,
                partial: *partial,
                scope: *scope,
                project_dir: runtime.own_project_dir().map(Path::to_path_buf),
                catalogue: Some(&catalogue),
                ..LoadOptions::default()
            },
        ),
        LoadRequest::Places(options) => {
            let PlacesRequest { cwd, sources, trust, store, refuse_untrusted, strict, partial, agent, plugins, .. } =
                options;
            discover(&Discovery {
                sources: sources.clone(),
                trust: *trust,
                store: store.as_ref().map(TrustStore::at),
                strict: *strict,
                partial: *partial,
                refuse_untrusted: *refuse_untrusted,
                agent: agent.clone(),
                plugins: plugins.clone(),
                catalogue: Some(&catalogue),
                ..Discovery::new(cwd)
            })
        }
    }?;
    if let LoadRequest::File(FileRequest { strict: true, .. })
    | LoadRequest::Places(PlacesRequest { strict: true, .. }) = request
    {
        refuse_errors(&configuration, &catalogue)?;
    }
    Ok(configuration)
}

impl LoadReport {
    fn add(&mut self, other: Self) {
        self.hooks.extend(other.hooks);
        self.found.extend(other.found);
        self.untrusted.extend(other.untrusted);
        self.lost.extend(other.lost);
        self.problems.extend(other.problems);
        self.options.extend(other.options);
    }
}

impl Batch {
    /// Registers every hook that may run; what the registry refuses is a problem of its entry.
    fn register<T>(&mut self, registry: &Registry<T>, runtime: &Arc<Runtime>, wrap: Wrap<'_, T>) -> Result<(), Error> {
        self.problems.clear();
        let mut may_leave_out = true;
        for ready in self.configuration.in_force() {
            match register(registry, (self.seat, self.request.enforcement()), runtime, ready, wrap) {
                Ok(id) => self.hooks.push(id),
                Err(error) => {
                    may_leave_out &= self.request.may_leave_out(ready.declared.spec.scope);
                    self.problems.push(refused(ready, &error));
                }
            }
        }
        if may_leave_out {
            if let Some(guard) = &self.configuration.policy_files {
                // It enforces whatever the request says, as managed hooks do.
                self.policy_files = Some(register(registry, (self.seat, None), runtime, guard, wrap)?);
            }
            return Ok(());
        }
        for id in self.hooks.drain(..) {
            registry.unregister(id);
        }
        let lines: Vec<String> = self.problems.iter().map(ToString::to_string).collect();
        Err(Error::new(Code::InvalidConfig, lines.join("\n")))
    }

    fn report(&self) -> LoadReport {
        LoadReport {
            hooks: self.hooks.iter().map(ToString::to_string).collect(),
            found: self.configuration.found.clone(),
            untrusted: self.configuration.untrusted.clone(),
            lost: self.configuration.lost.clone(),
            problems: self.configuration.problems.iter().chain(&self.problems).cloned().collect(),
            options: self.configuration.options.clone(),
        }
    }
}

fn register<T>(
    registry: &Registry<T>,
    (seat, enforcement): (Seat, Option<Enforcement>),
    runtime: &Arc<Runtime>,
    ready: &Ready,
    wrap: Wrap<'_, T>,
) -> Result<HookId, Error> {
    let mut declared = ready.declared.clone();
    if declared.spec.scope != Scope::Managed {
        declared.spec.enforcement = declared.spec.enforcement.or(enforcement);
    }
    // To wake the model is to act on what the hook decided.
    declared.wakes &= declared.spec.enforcement(registry.options().enforcement) == Enforcement::Enforce;
    if let Some(origin) = &mut declared.spec.origin {
        Arc::make_mut(origin).fingerprint = Some(ready.fingerprint.clone());
    }
    let spec = declared.spec.clone();
    let event = registry.resolve(&spec.event)?;
    let hook = FileHook::new(declared, Some(Arc::clone(&ready.guard)), Arc::clone(runtime));
    registry.register_at(Some(seat), spec, wrap(Arc::new(hook), event))
}

fn refused(ready: &Ready, error: &Error) -> Problem {
    match ready.declared.spec.origin.as_deref() {
        Some(origin) => Problem::of_hook(origin, error.message(), true),
        None => Problem::of_file(std::path::PathBuf::new(), error.message(), true),
    }
}
