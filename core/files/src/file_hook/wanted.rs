//! The files that hooks asked to have watched, while they ran.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::wakeup::Wakeup;
use crate::config::watch::{Identity, identity};
use hookweave_dialects::Invocation;

/// How many files hooks may name: each costs the system a watch.
const MAX_FILES: usize = 1000;

/// What one dispatch is known by: hooks of the same add up, those of a later one replace the list.
type Dispatch = [Option<Value>; 3];

#[derive(Debug, Default)]
struct List {
    /// With what each was when it was named: it may change before it is watched.
    files: Vec<(PathBuf, Option<Identity>)>,
    dispatch: Dispatch,
    wakeup: Option<Arc<Wakeup>>,
}

/// The list of a client, shared by all of its hooks.
#[derive(Debug, Default)]
pub(crate) struct WantedFiles(Mutex<List>);

impl WantedFiles {
    fn lock(&self) -> MutexGuard<'_, List> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The files, as the hooks named them, and what they were then.
    pub(crate) fn list(&self) -> Vec<(PathBuf, Option<Identity>)> {
        self.lock().files.clone()
    }

    /// What to wake when the list changes; the last one set.
    pub(crate) fn set_wakeup(&self, wakeup: &Arc<Wakeup>) {
        self.lock().wakeup = Some(Arc::clone(wakeup));
    }

    /// Wakes nothing any more, unless another one has been set since.
    pub(crate) fn clear_wakeup(&self, wakeup: &Arc<Wakeup>) {
        let mut list = self.lock();
        if list.wakeup.as_ref().is_some_and(|own| Arc::ptr_eq(own, wakeup)) {
            list.wakeup = None;
        }
    }

    /// Takes `watchPaths` out of what a hook answered; paths that are not absolute name nothing.
    pub(super) fn note(&self, invocation: &Invocation, dialect: &str, answer: &Value) {
        let own = answer.get("ext").and_then(|ext| ext.get(dialect)).and_then(|own| own.get("watchPaths"));
        let Some(paths) = own.and_then(Value::as_array) else { return };
        let paths = paths.iter().filter_map(Value::as_str).map(Path::new).filter(|path| path.is_absolute());
        let dispatch = ["event_type", "session_id", "timestamp"].map(|name| invocation.field(name).cloned());
        let mut list = self.lock();
        let mut files = if list.dispatch == dispatch { list.files.clone() } else { Vec::new() };
        for path in paths {
            if files.len() < MAX_FILES && !files.iter().any(|(file, _)| file == path) {
                let was = list.files.iter().find(|(file, _)| file == path).map(|(_, was)| *was);
                files.push((path.to_path_buf(), was.unwrap_or_else(|| identity(path))));
            }
        }
        list.dispatch = dispatch;
        if files == list.files {
            return;
        }
        list.files = files;
        let wakeup = list.wakeup.clone();
        drop(list);
        if let Some(wakeup) = wakeup {
            wakeup.wake();
        }
    }
}
