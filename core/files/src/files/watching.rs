//! What a client watches: the files that its hooks stand in, and the files that its hooks ask to have watched.
//!
//! Claude Code's hooks on `FileChanged` name files by their matcher, a list of names that stand in the project's
//! directory, and by `watchPaths` in what they answer. A change of one raises the event; a change of a hook's own file
//! is for a reload.

use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::{Batch, Files};
use crate::config::Declared;
use crate::config::watch::{Change, Sightings, Watch, watch};
use crate::file_hook::{Runtime, Wakeup};
use hookweave_machine::error::Error;

/// The event that a changed file raises.
const EVENT: &str = "FileChanged";

/// The files that a client watches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Watched {
    /// Files that matter to a reload, whether they are there or not.
    pub own: Vec<PathBuf>,
    /// Files that hooks ask to have watched.
    pub wanted: Vec<PathBuf>,
}

/// What happened since the last call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PendingChanges {
    /// A file that matters to a reload changed.
    pub reload: bool,
    /// Files that hooks ask to have watched, with what became of each: `change`, `add` or `unlink`.
    pub files: Vec<(PathBuf, &'static str)>,
}

/// Looks after a client's files until it is dropped.
#[derive(Debug)]
pub struct FilesWatch {
    // Ended before the rest is dropped.
    _watch: Watch,
    /// For the watch that follows this one, as long as this one is there.
    _seen: Arc<Sightings>,
    noticed: Arc<Mutex<PendingChanges>>,
    wakeup: Arc<Wakeup>,
    runtime: Arc<Runtime>,
}

impl FilesWatch {
    /// What happened since the last call; nothing at all when hooks only ask for other files than before.
    #[must_use]
    pub fn take(&self) -> PendingChanges {
        std::mem::take(&mut *self.noticed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds what the previous watch noticed and was not taken.
    pub fn add(&self, missed: PendingChanges) {
        let mut noticed = self.noticed.lock().unwrap_or_else(PoisonError::into_inner);
        noticed.reload |= missed.reload;
        for (file, what) in missed.files {
            if !noticed.files.iter().any(|(known, _)| *known == file) {
                noticed.files.push((file, what));
            }
        }
    }
}

impl Drop for FilesWatch {
    fn drop(&mut self) {
        self.runtime.wanted_files().clear_wakeup(&self.wakeup);
    }
}

impl Files {
    /// What is to be watched now.
    pub fn watched(&self, runtime: &Runtime) -> Watched {
        let batches = self.lock();
        let mut own: Vec<_> = batches.iter().flat_map(|batch| batch.configuration.watched.clone()).collect();
        own.sort();
        own.dedup();
        let project = runtime.project_dir().unwrap_or_default();
        let mut wanted: Vec<_> =
            batches.iter().flat_map(Batch::declared).flat_map(|hook| named(hook, &project)).collect();
        wanted.extend(runtime.wanted_files().list().into_iter().map(|(file, _)| file));
        wanted.sort();
        wanted.dedup();
        Watched { own, wanted }
    }

    /// Watches what is to be watched now; `ring` is called when there is something to ask the watch for, and when hooks
    /// ask for other files than this watch has.
    pub fn watch(
        &self,
        runtime: &Arc<Runtime>,
        quiet: Duration,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Result<FilesWatch, Error> {
        let Watched { own, wanted } = self.watched(runtime);
        let wakeup = Arc::new(Wakeup::new(wake));
        let noticed = Arc::new(Mutex::new(PendingChanges::default()));
        let (pending, waker) = (Arc::clone(&noticed), Arc::clone(&wakeup));
        let all = own.iter().chain(&wanted).cloned().collect::<Vec<_>>();
        let seen = self.sightings();
        for (file, was) in runtime.wanted_files().list() {
            seen.begin(&file, was);
        }
        let watch = watch(all, Arc::clone(&seen), quiet, move |changes| {
            pending.lock().unwrap_or_else(PoisonError::into_inner).add(changes, &own, &wanted);
            waker.wake();
        })?;
        runtime.wanted_files().set_wakeup(&wakeup);
        Ok(FilesWatch { _watch: watch, _seen: seen, noticed, wakeup, runtime: Arc::clone(runtime) })
    }

    /// What was seen by the watch that the next one follows.
    fn sightings(&self) -> Arc<Sightings> {
        let mut last = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        last.upgrade().unwrap_or_else(|| {
            let seen = Arc::default();
            *last = Arc::downgrade(&seen);
            seen
        })
    }
}

impl PendingChanges {
    /// Both lists are sorted. A file that changes again before the next call is reported once, as what became of it last.
    fn add(&mut self, changes: &[Change], own: &[PathBuf], wanted: &[PathBuf]) {
        for change in changes {
            self.reload |= own.binary_search(&change.file).is_ok();
            if wanted.binary_search(&change.file).is_ok() {
                self.files.retain(|(file, _)| *file != change.file);
                self.files.push((change.file.clone(), change.kind.as_str()));
            }
        }
    }
}

impl Batch {
    fn declared(&self) -> impl Iterator<Item = &Declared> {
        self.configuration.hooks.iter().map(|ready| &ready.declared)
    }
}

/// The files that the matcher of a hook names: literal names, also where the matcher is read as an expression.
fn named(hook: &Declared, project: &Path) -> Vec<PathBuf> {
    if hook.declared_event != EVENT || hook.dialect.name() != "claude-code" {
        return Vec::new();
    }
    let matcher = hook.entry.get("matcher").and_then(Value::as_str).unwrap_or_default();
    let names = matcher.split('|').map(str::trim).filter(|name| *name != "*" && is_name(name));
    names.map(|name| project.join(name)).collect()
}

/// Whether a text is the name of a file and no way to one: a matcher is held against names.
fn is_name(text: &str) -> bool {
    let mut parts = Path::new(text).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None))
}

#[cfg(test)]
mod tests;
