//! Notices that configuration files change, and says so once they are at rest.

mod contained;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{JoinHandle, ThreadId};
use std::time::Duration;

use notify::RecommendedWatcher;
use rustc_hash::{FxHashMap, FxHashSet};

use contained::Contained;

pub(crate) use super::guard::{Identity, identity};
use hookweave_machine::error::{Code, Error};

/// How long nothing may happen before changes are reported: editors write a file in several steps.
pub const QUIET: Duration = Duration::from_millis(100);

/// After how many postponements changes are reported although more come.
const PATIENCE: u32 = 20;

/// How long dropping waits for a callback that is under way.
const FAREWELL: Duration = Duration::from_secs(2);

/// Looks after files until it is dropped.
///
/// The callback runs on a thread of its own, one call at a time. Dropping ends the thread; it waits for a callback under
/// way, though not for ever, so that a callback that waits for the thread that drops the watch cannot hang either.
pub struct Watch {
    stop: Sender<Message>,
    gone: Receiver<()>,
    thread: Option<JoinHandle<()>>,
    id: ThreadId,
    process: u32,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").finish_non_exhaustive()
    }
}

/// A file that is other than it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The file.
    pub file: PathBuf,
    /// What became of it.
    pub kind: ChangeKind,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// It is there as before, with something else in it, or another file in its place.
    Changed,
    /// It was not there before.
    Added,
    /// It is gone.
    Removed,
}

impl ChangeKind {
    /// The word for it in the event `FileChanged`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Changed => "change",
            Self::Added => "add",
            Self::Removed => "unlink",
        }
    }
}

/// What files were at the last check.
///
/// A watch that follows another one shares it with that, so that one of them reports what changes between the two.
#[derive(Debug, Default)]
pub(crate) struct Sightings(Mutex<FxHashMap<PathBuf, Option<Identity>>>);

impl Sightings {
    fn lock(&self) -> MutexGuard<'_, FxHashMap<PathBuf, Option<Identity>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins with a file as it was at some time before; does nothing where it is known already.
    pub(crate) fn begin(&self, file: &Path, was: Option<Identity>) {
        self.lock().entry(file.to_path_buf()).or_insert(was);
    }

    /// What became of files since the last look.
    fn look(&self, files: &[PathBuf]) -> Vec<Change> {
        let mut seen = self.lock();
        let mut changes = Vec::new();
        for file in files {
            let now = identity(file);
            let was = seen.entry(file.clone()).or_insert(now);
            let kind = match (&was, &now) {
                (was, now) if *was == now => continue,
                (None, _) => ChangeKind::Added,
                (_, None) => ChangeKind::Removed,
                _ => ChangeKind::Changed,
            };
            *was = now;
            changes.push(Change { file: file.clone(), kind });
        }
        changes
    }
}

enum Message {
    /// Something happened in a folder that is watched.
    Stirred,
    Stop,
}

/// What is watched for.
struct State {
    /// In order, each once.
    files: Vec<PathBuf>,
    seen: Arc<Sightings>,
    folders: FxHashSet<PathBuf>,
    watcher: Contained<RecommendedWatcher>,
}

/// Watches files, whether they are there or not, and folders for their direct content; calls with what changed since they
/// were seen, which may have been before this.
pub(crate) fn watch(
    files: impl IntoIterator<Item = PathBuf>,
    seen: Arc<Sightings>,
    quiet: Duration,
    mut changed: impl FnMut(&[Change]) + Send + 'static,
) -> Result<Watch, Error> {
    let (sender, receiver) = channel();
    let (farewell, gone) = channel();
    let (hand, handed) = channel::<State>();
    // Its own thread first: where the system has no more of them, the watcher need not find out.
    let thread = std::thread::Builder::new()
        .name("hookweave-watch".to_owned())
        .spawn(move || {
            if let Ok(mut state) = handed.recv() {
                state.run(&receiver, quiet, &mut changed);
            }
            _ = farewell.send(());
        })
        .map_err(|error| refused(&error))?;
    let stirred = sender.clone();
    let heard = move |event: notify::Result<notify::Event>| {
        // Reading a file is not a change, and answering it would read the file again.
        if !matches!(&event, Ok(event) if event.kind.is_access()) {
            _ = stirred.send(Message::Stirred);
        }
    };
    let watcher = Contained::new(|| notify::recommended_watcher(heard)).map_err(refused)?;
    let mut files: Vec<PathBuf> = files.into_iter().collect();
    files.sort();
    files.dedup();
    for file in &files {
        seen.begin(file, identity(file));
    }
    let mut state = State { files, seen, folders: FxHashSet::default(), watcher };
    let armed = state.arm();
    if state.folders.is_empty() && !state.files.is_empty() {
        return Err(refused(armed.err().unwrap_or_else(|| "none of the folders can be watched".to_owned())));
    }
    // Something may have happened since the files were seen.
    _ = sender.send(Message::Stirred);
    _ = hand.send(state);
    let id = thread.thread().id();
    Ok(Watch { stop: sender, gone, thread: Some(thread), id, process: std::process::id() })
}

fn refused(why: impl fmt::Display) -> Error {
    Error::new(Code::InvalidConfig, format!("configuration files cannot be watched: {why}; reload by hand"))
}

impl State {
    fn run(&mut self, receiver: &Receiver<Message>, quiet: Duration, changed: &mut impl FnMut(&[Change])) {
        loop {
            match receiver.recv() {
                Ok(Message::Stirred) => {}
                Ok(Message::Stop) | Err(_) => return,
            }
            for _ in 0..PATIENCE {
                match receiver.recv_timeout(quiet) {
                    Ok(Message::Stirred) => {}
                    Err(RecvTimeoutError::Timeout) => break,
                    Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                }
            }
            // Armed before looking, so that a file that appears in a new folder meanwhile is seen by either.
            if let Err(why) = self.arm() {
                tracing::warn!("a folder cannot be watched any more: {why}");
            }
            let changes = self.seen.look(&self.files);
            if !changes.is_empty() {
                changed(&changes);
            }
        }
    }

    /// Watches the folder of each file, or the nearest one above it that is there.
    fn arm(&mut self) -> Result<(), String> {
        let wanted: FxHashSet<PathBuf> = self.files.iter().flat_map(|file| folders(file)).collect();
        for gone in self.folders.difference(&wanted) {
            self.watcher.unwatch(gone);
        }
        // Watched anew each time: a folder that was deleted and made again is another one.
        let mut failed = Ok(());
        self.folders.clear();
        for dir in wanted {
            match self.watcher.watch(&dir) {
                Ok(()) => _ = self.folders.insert(dir),
                Err(why) => failed = Err(why),
            }
        }
        failed
    }
}

/// The folder in which a change of a file shows, and the file itself where it is a folder.
fn folders(file: &Path) -> impl Iterator<Item = PathBuf> {
    let above = file.ancestors().skip(1).find(|dir| dir.is_dir()).map(Path::to_path_buf);
    let own = file.is_dir().then(|| file.to_path_buf());
    above.into_iter().chain(own)
}

impl Drop for Watch {
    fn drop(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        // A forked child has the memory of the thread but not the thread.
        if self.process != std::process::id() {
            std::mem::forget(thread);
            return;
        }
        _ = self.stop.send(Message::Stop);
        if std::thread::current().id() == self.id {
            return;
        }
        if self.gone.recv_timeout(FAREWELL) != Err(RecvTimeoutError::Timeout) {
            _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched(files: &[PathBuf]) -> (Watch, Receiver<Vec<Change>>) {
        let (sender, receiver) = channel();
        let watch = watch(files.to_vec(), Arc::default(), Duration::from_millis(30), move |changed| {
            _ = sender.send(changed.to_vec());
        });
        (watch.unwrap(), receiver)
    }

    fn only(file: &Path, kind: ChangeKind) -> [Change; 1] {
        [Change { file: file.to_path_buf(), kind }]
    }

    const LONG: Duration = Duration::from_secs(120);

    /// Waits until this is told; a change may be told twice before, once while the file is half written.
    fn told(changes: &Receiver<Vec<Change>>, wanted: &[Change]) {
        while changes.recv_timeout(LONG).unwrap() != wanted {}
    }

    #[test]
    fn a_change_a_replacement_and_a_removal_are_told() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("settings.json");
        std::fs::write(&file, "{}").unwrap();
        let (_watch, changes) = watched(std::slice::from_ref(&file));
        std::fs::write(&file, "{ }").unwrap();
        told(&changes, &only(&file, ChangeKind::Changed));
        std::fs::write(dir.path().join("other"), "{\"a\": 1}").unwrap();
        std::fs::rename(dir.path().join("other"), &file).unwrap();
        told(&changes, &only(&file, ChangeKind::Changed));
        std::fs::remove_file(&file).unwrap();
        told(&changes, &only(&file, ChangeKind::Removed));
    }

    #[test]
    fn a_file_in_a_folder_that_is_not_there_yet_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(".claude/deep/settings.json");
        let (_watch, changes) = watched(std::slice::from_ref(&file));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::thread::sleep(Duration::from_millis(200));
        std::fs::write(&file, "{}").unwrap();
        told(&changes, &only(&file, ChangeKind::Added));
    }

    #[test]
    fn other_files_are_not_told_and_reading_is_no_change() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("settings.json");
        std::fs::write(&file, "{}").unwrap();
        let (_watch, changes) = watched(std::slice::from_ref(&file));
        std::fs::write(dir.path().join("other.json"), "{}").unwrap();
        std::fs::read(&file).unwrap();
        assert!(changes.recv_timeout(Duration::from_millis(300)).is_err());
    }

    #[test]
    fn dropping_ends_it_even_while_a_callback_hangs() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        let (entered, inside) = channel();
        let (release, wait) = channel::<()>();
        let watch = watch([file.clone()], Arc::default(), Duration::from_millis(10), move |_| {
            _ = entered.send(());
            _ = wait.recv();
        })
        .unwrap();
        std::fs::write(&file, "x").unwrap();
        inside.recv_timeout(LONG).unwrap();
        drop(watch);
        drop(release);
    }
}
