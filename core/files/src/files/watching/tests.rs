//! What files are looked after, and what is noticed of them.

use std::fs;
use std::sync::mpsc::{Receiver, channel};

use serde_json::json;

use super::*;
use crate::file_hook::Settings;
use crate::files::LoadRequest;
use hookweave_exec::outside::{Done, HookInput, OutsideHook};
use hookweave_machine::dispatch::HandlerResult;
use hookweave_machine::event::EventSpec;
use hookweave_machine::options::Options;
use hookweave_machine::registry::Registry;

const LONG: Duration = Duration::from_secs(120);

struct Project {
    dir: tempfile::TempDir,
    files: Files,
    runtime: Arc<Runtime>,
    hooks: Vec<(Arc<dyn OutsideHook>, Arc<EventSpec>)>,
}

impl Project {
    /// With these groups of hooks on `FileChanged` or `SessionStart`: matcher and command.
    fn new(event: &str, groups: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let settings = dir.path().join(".claude/settings.json");
        let groups = groups
            .iter()
            .map(|(matcher, command)| json!({"matcher": matcher, "hooks": [{"type": "command", "command": command}]}));
        let text = json!({"hooks": {event: groups.collect::<Vec<_>>()}}).to_string();
        fs::create_dir(dir.path().join(".claude")).unwrap();
        fs::write(&settings, text).unwrap();
        let runtime = Runtime::new(Settings { project_dir: Some(dir.path().to_path_buf()), ..Settings::default() });
        let (files, made) = (Files::default(), std::cell::RefCell::new(Vec::new()));
        let registry = Registry::<()>::new(Options::default());
        files
            .load(&registry, &runtime, LoadRequest::file(settings).into(), &|hook, event| {
                made.borrow_mut().push((hook, event));
            })
            .unwrap();
        Self { dir, files, runtime, hooks: made.into_inner() }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a file at once, so that nobody sees half of it.
    fn put(&self, name: &str, text: &str) {
        fs::write(self.at("beside"), text).unwrap();
        fs::rename(self.at("beside"), self.at(name)).unwrap();
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
        let input = HookInput::new(Arc::clone(event), payload.as_object().unwrap().clone(), 0);
        let (sender, done) = channel();
        let _job = Arc::clone(hook).start(input, Done::new(move |result| _ = sender.send(result)));
        assert!(matches!(done.recv_timeout(LONG).unwrap(), HandlerResult::Answer(_)));
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
            Some(text) => project.put(".env", text),
            None => fs::remove_file(project.at(".env")).unwrap(),
        }
        rung.recv_timeout(LONG).unwrap();
        assert_eq!(watch.take(), PendingChanges { reload: false, files: vec![(project.at(".env"), word)] });
    }
    project.put(".claude/settings.json", "{}");
    rung.recv_timeout(LONG).unwrap();
    assert_eq!(watch.take(), PendingChanges { reload: true, files: Vec::new() });
    assert_eq!(watch.take(), PendingChanges::default());
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
    let says = format!(r#"echo '{{"hookSpecificOutput":{{"hookEventName":"SessionStart","watchPaths":["{path}"]}}}}'"#);
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
    let mut noticed = PendingChanges::default();
    for kind in [crate::config::watch::ChangeKind::Removed, crate::config::watch::ChangeKind::Added] {
        let change = Change { file: file.clone(), kind };
        noticed.add(&[change], std::slice::from_ref(&other), std::slice::from_ref(&file));
    }
    assert_eq!(noticed, PendingChanges { reload: false, files: vec![(file, "add")] });
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
    assert_eq!(watch.take(), PendingChanges::default());
    project.run(1, 1);
    assert!(rung.try_recv().is_err(), "nothing is other than before");
    drop(watch);
    project.run(2, 2);
    assert!(rung.try_recv().is_err(), "nobody watches any more");
    assert!(wanted().is_empty());
}
