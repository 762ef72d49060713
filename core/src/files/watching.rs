//! What a client watches: the files that its hooks stand in, and the files that its hooks want to hear of.
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
use crate::error::Error;
use crate::native::Runtime;

/// The event that a changed file raises.
const EVENT: &str = "FileChanged";

/// The files that a client watches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Watched {
    /// Files that matter to a reload, whether they are there or not.
    pub own: Vec<PathBuf>,
    /// Files that hooks want to hear of.
    pub wanted: Vec<PathBuf>,
}

/// What happened since somebody asked last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Noticed {
    /// A file that matters to a reload changed.
    pub reload: bool,
    /// Files that hooks want to hear of, with what became of each: `change`, `add` or `unlink`.
    pub files: Vec<(PathBuf, &'static str)>,
}

/// Looks after a client's files until it is dropped.
#[derive(Debug)]
pub struct FilesWatch {
    // Ended before the rest is dropped.
    _watch: Watch,
    /// For the watch that follows this one, as long as this one is there.
    _seen: Arc<Sightings>,
    noticed: Arc<Mutex<Noticed>>,
    bell: Arc<Bell>,
    runtime: Arc<Runtime>,
}

/// Called when there is something to ask for, from any thread.
pub(crate) struct Bell(Box<dyn Fn() + Send + Sync>);

impl std::fmt::Debug for Bell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bell").finish_non_exhaustive()
    }
}

impl Bell {
    pub(crate) fn ring(&self) {
        (self.0)();
    }
}

impl FilesWatch {
    /// What happened since the last call; nothing at all when hooks only want to hear of other files than before.
    #[must_use]
    pub fn take(&self) -> Noticed {
        std::mem::take(&mut *self.noticed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds what the watch before this one noticed and nobody took.
    #[cfg(feature = "engine")]
    pub(crate) fn add(&self, missed: Noticed) {
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
        self.runtime.wanted_files().forget_bell(&self.bell);
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
    /// want to hear of other files than this watch looks after.
    pub fn watch(
        &self,
        runtime: &Arc<Runtime>,
        quiet: Duration,
        ring: impl Fn() + Send + Sync + 'static,
    ) -> Result<FilesWatch, Error> {
        let Watched { own, wanted } = self.watched(runtime);
        let bell = Arc::new(Bell(Box::new(ring)));
        let noticed = Arc::new(Mutex::new(Noticed::default()));
        let (told, rung) = (Arc::clone(&noticed), Arc::clone(&bell));
        let all = own.iter().chain(&wanted).cloned().collect::<Vec<_>>();
        let seen = self.sightings();
        for (file, was) in runtime.wanted_files().list() {
            seen.begin(&file, was);
        }
        let watch = watch(all, Arc::clone(&seen), quiet, move |changes| {
            told.lock().unwrap_or_else(PoisonError::into_inner).add(changes, &own, &wanted);
            rung.ring();
        })?;
        runtime.wanted_files().set_bell(&bell);
        Ok(FilesWatch { _watch: watch, _seen: seen, noticed, bell, runtime: Arc::clone(runtime) })
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

impl Noticed {
    /// Both lists are sorted. A file that changes again before anybody asks is told once, as what became of it last.
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
mod tests {
    use std::fs;
    use std::sync::mpsc::{Receiver, channel};

    use serde_json::json;

    use super::*;
    use crate::dispatch::Said;
    use crate::event::EventSpec;
    use crate::files::Request;
    use crate::native::{NativeHook, Settings};
    use crate::options::Options;
    use crate::registry::Registry;

    const LONG: Duration = Duration::from_secs(10);

    struct Project {
        dir: tempfile::TempDir,
        files: Files,
        runtime: Arc<Runtime>,
        hooks: Vec<(Arc<NativeHook>, Arc<EventSpec>)>,
    }

    impl Project {
        /// With these groups of hooks on `FileChanged` or `SessionStart`: matcher and command.
        fn new(event: &str, groups: &[(&str, &str)]) -> Self {
            let dir = tempfile::tempdir().unwrap();
            let settings = dir.path().join(".claude/settings.json");
            let groups = groups.iter().map(
                |(matcher, command)| json!({"matcher": matcher, "hooks": [{"type": "command", "command": command}]}),
            );
            let text = json!({"hooks": {event: groups.collect::<Vec<_>>()}}).to_string();
            fs::create_dir(dir.path().join(".claude")).unwrap();
            fs::write(&settings, text).unwrap();
            let runtime = Runtime::new(Settings { project_dir: Some(dir.path().to_path_buf()), ..Settings::default() });
            let (files, made) = (Files::default(), std::cell::RefCell::new(Vec::new()));
            let registry = Registry::<()>::new(Options::default());
            files
                .load(&registry, &runtime, Request::file(settings), &|hook, event| {
                    made.borrow_mut().push((hook, event));
                })
                .unwrap();
            Self { dir, files, runtime, hooks: made.into_inner() }
        }

        fn at(&self, name: &str) -> PathBuf {
            self.dir.path().join(name)
        }

        fn watch(&self) -> (FilesWatch, Receiver<()>) {
            let (sender, rung) = channel();
            let ring = move || _ = sender.send(());
            (self.files.watch(&self.runtime, Duration::from_millis(30), ring).unwrap(), rung)
        }

        fn run(&self, at: usize, timestamp: u64) {
            let (hook, event) = &self.hooks[at];
            let payload =
                json!({"event_type": event.name(), "session_id": "s", "timestamp": timestamp, "source": "startup"});
            let invocation = hook.invocation(event, payload.as_object().unwrap().clone(), 0);
            let (sender, done) = channel();
            let _job = hook.start(invocation, move |said| _ = sender.send(said));
            assert!(matches!(done.recv_timeout(LONG).unwrap(), Said::Answer(_)));
        }
    }

    #[test]
    fn a_matcher_names_files_of_the_project() {
        let project =
            Project::new("FileChanged", &[(".envrc|.env", "true"), ("*", "true"), ("a/b|..|/etc/passwd| x ", "true")]);
        let watched = project.files.watched(&project.runtime);
        assert_eq!(watched.wanted, [project.at(".env"), project.at(".envrc"), project.at("x")]);
        assert!(watched.own.contains(&project.at(".claude/settings.json")));
        let others = Project::new("PostToolUse", &[("Edit|Write", "true")]);
        assert!(others.files.watched(&others.runtime).wanted.is_empty());
    }

    #[test]
    fn what_became_of_a_file_is_told_and_a_reload_only_of_hooks_own_files() {
        let project = Project::new("FileChanged", &[(".env", "true")]);
        let (watch, rung) = project.watch();
        for (word, step) in [("add", Some("A=1")), ("change", Some("A=22")), ("unlink", None)] {
            match step {
                Some(text) => fs::write(project.at(".env"), text).unwrap(),
                None => fs::remove_file(project.at(".env")).unwrap(),
            }
            rung.recv_timeout(LONG).unwrap();
            assert_eq!(watch.take(), Noticed { reload: false, files: vec![(project.at(".env"), word)] });
        }
        fs::write(project.at(".claude/settings.json"), "{}").unwrap();
        rung.recv_timeout(LONG).unwrap();
        assert_eq!(watch.take(), Noticed { reload: true, files: Vec::new() });
        assert_eq!(watch.take(), Noticed::default());
    }

    #[test]
    fn what_changes_while_one_watch_follows_another_is_told() {
        let project = Project::new("FileChanged", &[(".env", "true")]);
        fs::write(project.at(".env"), "A=1").unwrap();
        let never = Duration::from_secs(600);
        let old = project.files.watch(&project.runtime, never, || {}).unwrap();
        fs::write(project.at(".env"), "A=22").unwrap();
        let (new, rung) = project.watch();
        drop(old);
        rung.recv_timeout(LONG).unwrap();
        assert_eq!(new.take().files, [(project.at(".env"), "change")]);
        drop(new);
        fs::remove_file(project.at(".env")).unwrap();
        let (_later, rung) = project.watch();
        assert!(rung.recv_timeout(Duration::from_millis(300)).is_err(), "nobody watched then");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_changes_between_being_named_and_being_watched_is_told() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path().to_str().unwrap();
        let says =
            format!(r#"echo '{{"hookSpecificOutput":{{"hookEventName":"SessionStart","watchPaths":["{path}"]}}}}'"#);
        let project = Project::new("SessionStart", &[("", &says)]);
        project.run(0, 1);
        fs::write(file.path(), "changed").unwrap();
        project.run(0, 2);
        let (watch, rung) = project.watch();
        rung.recv_timeout(LONG).unwrap();
        assert_eq!(watch.take().files, [(file.path().to_path_buf(), "change")]);
    }

    #[test]
    fn a_file_that_changes_often_is_told_once() {
        let (file, other) = (PathBuf::from("/p/.env"), PathBuf::from("/p/settings.json"));
        let mut noticed = Noticed::default();
        for kind in [crate::config::watch::ChangeKind::Removed, crate::config::watch::ChangeKind::Added] {
            let change = Change { file: file.clone(), kind };
            noticed.add(&[change], std::slice::from_ref(&other), std::slice::from_ref(&file));
        }
        assert_eq!(noticed, Noticed { reload: false, files: vec![(file, "add")] });
    }

    #[cfg(unix)]
    #[test]
    fn hooks_of_one_dispatch_add_up_and_a_later_one_replaces_what_they_want() {
        let says = |paths: &str| {
            format!(r#"echo '{{"hookSpecificOutput":{{"hookEventName":"SessionStart","watchPaths":{paths}}}}}'"#)
        };
        let (one, two, none) = (says(r#"["/w/a","b"]"#), says(r#"["/w/c","/w/a"]"#), says("[]"));
        let project = Project::new("SessionStart", &[("", &one), ("", &two), ("", &none)]);
        let (watch, rung) = project.watch();
        let wanted = || project.files.watched(&project.runtime).wanted;
        project.run(0, 1);
        rung.recv_timeout(LONG).unwrap();
        project.run(1, 1);
        rung.recv_timeout(LONG).unwrap();
        assert_eq!(wanted(), [PathBuf::from("/w/a"), PathBuf::from("/w/c")]);
        assert_eq!(watch.take(), Noticed::default());
        project.run(1, 1);
        assert!(rung.try_recv().is_err(), "nothing is other than before");
        drop(watch);
        project.run(2, 2);
        assert!(rung.try_recv().is_err(), "nobody watches any more");
        assert!(wanted().is_empty());
    }
}
