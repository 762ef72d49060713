//! Scripts of a loaded hook under watch: a hook whose script changed after loading does not run.

use std::fs::Metadata;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, TryLockError};

use sha2::{Digest as _, Sha256};

use super::scripts::{Listing, Named};
use crate::open::open_file;

/// The largest script that is hashed, in bytes.
pub(super) const MAX_SCRIPT: u64 = 16 * 1024 * 1024;

/// Watches the scripts of one hook.
#[derive(Debug, Default)]
pub struct Guard {
    scripts: Vec<Watched>,
    /// The command that names them.
    named: Option<Named>,
    /// What comes to be there later may run too.
    open: bool,
}

#[derive(Debug)]
struct Watched {
    path: PathBuf,
    content: Content,
    /// The file's identity when the content was last known to be this one.
    seen: Mutex<Option<Identity>>,
}

/// What stood at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    Hash([u8; 32]),
    /// Nothing.
    Missing,
    /// Something that cannot be read as a script, and why.
    Unreadable(String),
}

/// By what a changed file is noticed without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    #[cfg(unix)]
    numbers: [i64; 7],
    #[cfg(not(unix))]
    numbers: (u64, Option<std::time::SystemTime>, Option<std::time::SystemTime>),
}

impl Identity {
    #[cfg(unix)]
    #[expect(clippy::cast_possible_wrap, reason = "the numbers are only compared")]
    fn of(meta: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self {
            numbers: [
                meta.dev() as i64,
                meta.ino() as i64,
                meta.size() as i64,
                meta.mtime(),
                meta.mtime_nsec(),
                meta.ctime(),
                meta.ctime_nsec(),
            ],
        }
    }

    #[cfg(not(unix))]
    fn of(meta: &Metadata) -> Self {
        Self { numbers: (meta.len(), meta.modified().ok(), meta.created().ok()) }
    }
}

/// What the file system says of a path now; `None` when nothing is there.
pub(crate) fn identity(path: &Path) -> Option<Identity> {
    std::fs::metadata(path).ok().map(|meta| Identity::of(&meta))
}

/// Reads what stands at a path; its identity is that of the file that was read.
pub(super) fn content(path: &Path) -> (Content, Option<Identity>) {
    // Checked before it is opened: opening a pipe waits for a writer.
    let meta = match std::fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return (Content::Missing, None),
        Err(error) => return (Content::Unreadable(error.to_string()), None),
    };
    let identity = Some(Identity::of(&meta));
    if !meta.is_file() {
        return (Content::Unreadable("it is no file".to_owned()), identity);
    }
    match hash(path) {
        Ok((hash, identity)) => (Content::Hash(hash), Some(identity)),
        Err(error) => (Content::Unreadable(error.to_string()), identity),
    }
}

fn hash(path: &Path) -> io::Result<([u8; 32], Identity)> {
    let file = open_file(path)?;
    let identity = Identity::of(&file.metadata()?);
    let mut hasher = Sha256::new();
    let mut reader = file.take(MAX_SCRIPT + 1);
    let mut buffer = vec![0_u8; 64 * 1024];
    let mut total: u64 = 0;
    loop {
        let count = reader.read(&mut buffer)?;
        if count == 0 {
            return Ok((hasher.finalize().into(), identity));
        }
        total += count as u64;
        if total > MAX_SCRIPT {
            return Err(io::Error::other(format!("it is longer than {MAX_SCRIPT} bytes, the most that is checked")));
        }
        hasher.update(buffer.get(..count).unwrap_or_default());
    }
}

impl Guard {
    /// Watches scripts as they are now.
    #[must_use]
    pub fn new(paths: &[PathBuf]) -> Self {
        let scripts = paths.iter().map(|path| {
            let (content, identity) = content(path);
            Watched { path: path.clone(), content, seen: Mutex::new(identity) }
        });
        Self { scripts: scripts.collect(), ..Self::default() }
    }

    /// Watches the scripts that a command runs in the directory in which it is approved.
    pub(super) fn of(named: Named, listing: &Listing) -> Self {
        Self { open: listing.open, named: Some(named), ..Self::new(&listing.scripts) }
    }

    /// The scripts that are watched.
    pub fn scripts(&self) -> impl Iterator<Item = &Path> {
        self.scripts.iter().map(|script| script.path.as_path())
    }

    pub(super) fn contents(&self) -> impl Iterator<Item = (&Path, &Content)> {
        self.scripts.iter().map(|script| (script.path.as_path(), &script.content))
    }

    /// Says which script changed since the hook was loaded.
    ///
    /// An unchanged script costs one look at its identity; a touched one is read and compared.
    pub fn check(&self) -> Result<(), String> {
        self.scripts.iter().try_for_each(Watched::check)
    }

    /// The same for a run in a directory: what the command names runs there.
    ///
    /// In another directory than that in which it was loaded the same words are other files. They must hold the same.
    pub fn check_in(&self, directory: Option<&Path>) -> Result<(), String> {
        self.check()?;
        let Some(named) = &self.named else { return Ok(()) };
        let Some(approved) = named.directory() else { return Ok(()) };
        let directory = directory.filter(|directory| !is_same(directory, approved));
        if directory.is_none() && !self.open {
            return Ok(());
        }
        let Listing { scripts: now, .. } = named.list(directory);
        for (watched, path) in self.scripts.iter().zip(&now).filter(|(watched, path)| watched.path != **path) {
            if directory.is_none() || content(path).0 != watched.content {
                return Err(other(path, watched, directory));
            }
        }
        let more = now.get(self.scripts.len()..).and_then(<[PathBuf]>::first);
        match more {
            Some(path) => Err(format!(
                "{} would run too and was not there when the hook was loaded; look at it, then reload",
                path.display()
            )),
            None if now.len() < self.scripts.len() => Err(missing(self.scripts.get(now.len()), directory)),
            None => Ok(()),
        }
    }
}

/// Whether two paths are one directory.
fn is_same(one: &Path, other: &Path) -> bool {
    one == other || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

fn other(path: &Path, watched: &Watched, directory: Option<&Path>) -> String {
    let (path, approved) = (path.display(), watched.path.display());
    match directory {
        None => format!("{path} would run too and was not there when the hook was loaded; look at it, then reload"),
        Some(directory) => format!(
            "in {} it would run {path}, which is not what was loaded as {approved}; name the script by the project's folder, \
             in Claude Code's files as `\"$CLAUDE_PROJECT_DIR\"/…`",
            directory.display()
        ),
    }
}

fn missing(watched: Option<&Watched>, directory: Option<&Path>) -> String {
    let script = watched.map(|watched| watched.path.display().to_string()).unwrap_or_default();
    match directory {
        None => format!("its script {script} is not found any more; look at it, then reload"),
        Some(directory) => format!(
            "in {} it does not run {script}, with which it was loaded; name the script by the project's folder, in \
             Claude Code's files as `\"$CLAUDE_PROJECT_DIR\"/…`",
            directory.display()
        ),
    }
}

impl Watched {
    fn check(&self) -> Result<(), String> {
        let now = identity(&self.path);
        // Whoever else looks at it is not waited for: in a forked child it may be a thread that does not exist there.
        let mut seen = match self.seen.try_lock() {
            Ok(seen) => Some(seen),
            Err(TryLockError::Poisoned(seen)) => Some(seen.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        if seen.as_ref().is_some_and(|seen| now == **seen) {
            return Ok(());
        }
        let (found, identity) = content(&self.path);
        let same = match (&found, &self.content) {
            (Content::Unreadable(_), Content::Unreadable(_)) => true,
            (found, content) => found == content,
        };
        if same {
            if let Some(seen) = &mut seen {
                **seen = identity;
            }
            return Ok(());
        }
        let what = match (&found, &self.content) {
            (Content::Missing, _) => "is gone".to_owned(),
            (_, Content::Missing) => "was not there when the hook was loaded".to_owned(),
            (Content::Unreadable(why), _) => format!("cannot be checked any more: {why}"),
            _ => "changed after the hook was loaded".to_owned(),
        };
        Err(format!("its script {} {what}; look at it, then reload", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_touched_script_is_the_same_and_a_changed_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.sh");
        std::fs::write(&path, "exit 0").unwrap();
        let guard = Guard::new(&[path.clone(), dir.path().join("missing.sh")]);
        guard.check().unwrap();
        std::fs::write(&path, "exit 0").unwrap();
        guard.check().unwrap();
        std::fs::write(&path, "exit 1").unwrap();
        assert!(guard.check().unwrap_err().contains("changed after the hook was loaded"));
        std::fs::remove_file(&path).unwrap();
        assert!(guard.check().unwrap_err().contains("is gone"));
        std::fs::write(&path, "exit 0").unwrap();
        guard.check().unwrap();
        std::fs::write(dir.path().join("missing.sh"), "x").unwrap();
        assert!(guard.check().unwrap_err().contains("was not there"));
    }

    #[test]
    fn a_script_that_is_swapped_for_one_of_the_same_size_and_time_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let (path, other) = (dir.path().join("a.sh"), dir.path().join("b.sh"));
        std::fs::write(&path, "exit 0").unwrap();
        let time = std::fs::metadata(&path).unwrap().modified().unwrap();
        let guard = Guard::new(std::slice::from_ref(&path));
        std::fs::write(&other, "exit 1").unwrap();
        std::fs::File::options().write(true).open(&other).unwrap().set_modified(time).unwrap();
        std::fs::rename(&other, &path).unwrap();
        assert!(guard.check().is_err());
    }

    fn guard_of(line: &str, project: &Path) -> Guard {
        use crate::config::load::{LoadOptions, load};
        let file = project.join("hookweave.json");
        let entry = serde_json::json!({"event": "PreToolUse", "command": line});
        std::fs::write(&file, serde_json::json!({"hookweave": 1, "hooks": [entry]}).to_string()).unwrap();
        let options = LoadOptions { project_dir: Some(project.to_path_buf()), ..LoadOptions::default() };
        let mut configuration = load(&file, &options).unwrap();
        std::sync::Arc::into_inner(configuration.hooks.remove(0).guard).unwrap()
    }

    #[test]
    fn what_was_loaded_is_what_runs_in_every_directory() {
        let dir = tempfile::tempdir().unwrap();
        let (project, sub) = (dir.path(), dir.path().join("sub"));
        std::fs::create_dir(&sub).unwrap();
        std::fs::write(project.join("g.sh"), "exit 2").unwrap();
        std::fs::write(project.join("g.py"), "exit(2)").unwrap();
        for line in ["./g.sh", "sh g.sh", "python3 -m g", "cat g.sh | sh"] {
            let guard = guard_of(line, project);
            guard.check_in(Some(project)).unwrap();
            guard.check_in(None).unwrap();
            guard.check_in(Some(&sub)).unwrap_err();
            for (name, text) in [("g.sh", "exit 0"), ("g.py", "exit(0)")] {
                std::fs::write(sub.join(name), text).unwrap();
            }
            let why = guard.check_in(Some(&sub)).unwrap_err();
            assert!(why.contains("CLAUDE_PROJECT_DIR"), "{line}: {why}");
            // The same content elsewhere is what was approved.
            for name in ["g.sh", "g.py"] {
                std::fs::copy(project.join(name), sub.join(name)).unwrap();
            }
            guard.check_in(Some(&sub)).unwrap();
            for name in ["g.sh", "g.py"] {
                std::fs::remove_file(sub.join(name)).unwrap();
            }
        }
        guard_of("\"$HOOKWEAVE_PROJECT_DIR\"/g.sh", project).check_in(Some(&sub)).unwrap();
        guard_of("jq -r .tool_name", project).check_in(Some(&sub)).unwrap();
    }

    #[test]
    fn a_file_that_a_pattern_means_later_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let hooks = dir.path().join("hooks");
        std::fs::create_dir(&hooks).unwrap();
        std::fs::write(hooks.join("b.sh"), "exit 0").unwrap();
        let guard = guard_of("sh hooks/*", dir.path());
        guard.check_in(Some(dir.path())).unwrap();
        std::fs::write(hooks.join("a.sh"), "exit 1").unwrap();
        assert!(guard.check_in(Some(dir.path())).unwrap_err().contains("was not there"));
        std::fs::remove_file(hooks.join("a.sh")).unwrap();
        guard.check_in(Some(dir.path())).unwrap();
        std::fs::write(hooks.join("c.sh"), "exit 1").unwrap();
        assert!(guard.check_in(Some(dir.path())).unwrap_err().contains("was not there"));
    }
}
