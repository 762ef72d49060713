//! The file in which a hook leaves variables for what comes after it.
//!
//! Each hook has its own, and it goes with the hook. A program that ends hard leaves it behind; so beside each stands one that
//! its program holds locked, and the next program removes those that are not locked.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::{Map, Value};

use super::assignments;
use super::environment::Environment;
use super::transcript::caches;

/// The longest file of variables that is read, in bytes.
const MAX_FILE: u64 = 256 * 1024;

/// How old a file is, at least, that is taken away: a younger one may be about to be locked.
const SETTLED: Duration = Duration::from_secs(60);

const PREFIX: &str = "hookweave-env-";
const VARIABLES: &str = ".sh";
const LOCK: &str = ".lock";

/// A file in which a hook leaves variables.
#[derive(Debug)]
pub(super) struct EnvFile {
    variable: &'static str,
    file: PathBuf,
    /// Held as long as the file is used; a file of its own, for a hook may want to lock the other one.
    _lock: tempfile::NamedTempFile,
}

impl EnvFile {
    pub(super) fn new(variable: &'static str) -> std::io::Result<Self> {
        let folder = folder();
        if let Some(folder) = &folder {
            sweep_once(folder);
        }
        Self::new_in(&folder.unwrap_or_else(std::env::temp_dir), variable)
    }

    fn new_in(folder: &Path, variable: &'static str) -> std::io::Result<Self> {
        let lock = tempfile::Builder::new().prefix(PREFIX).suffix(LOCK).tempfile_in(folder)?;
        fs4::FileExt::try_lock(lock.as_file())?;
        let path = lock.path().with_extension(&VARIABLES[1..]);
        let mut options = std::fs::OpenOptions::new();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.write(true).create_new(true).open(&path)?;
        Ok(Self { variable, file: path, _lock: lock })
    }

    /// The variable that names the file.
    pub(super) fn variable(&self) -> (&'static str, OsString) {
        (self.variable, self.file.as_os_str().to_owned())
    }

    /// What was left, where the variables' values are filled in from what the hook itself was given.
    pub(super) fn read(self, given: &Environment) -> Left {
        let mut bytes = Vec::new();
        let Some(file) = open(&self.file) else { return Left::default() };
        if file.take(MAX_FILE).read_to_end(&mut bytes).is_err() {
            return Left::default();
        }
        if bytes.len() as u64 == MAX_FILE {
            // What is cut off in the middle of a line would mean something else.
            bytes.truncate(bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1));
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Left { variables: assignments::read(&text, |name| given.text(name)), text }
    }
}

/// What a hook left in its file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Left {
    /// The variables that are certain to be set.
    pub(super) variables: Map<String, Value>,
    /// The whole, for a shell.
    pub(super) text: String,
}

/// Opens a file, and nothing else that a hook may have put in its place: a link leads elsewhere, and a pipe never ends.
fn open(path: &Path) -> Option<File> {
    let mut options = std::fs::OpenOptions::new();
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    }
    let file = options.read(true).open(path).ok()?;
    file.metadata().is_ok_and(|found| found.is_file()).then_some(file)
}

impl Drop for EnvFile {
    fn drop(&mut self) {
        take_away(&self.file);
    }
}

/// Removes a file, or what a hook has put in its place; true when it is gone.
fn take_away(file: &Path) -> bool {
    let gone = match std::fs::symlink_metadata(file) {
        Ok(found) if found.is_dir() => std::fs::remove_dir_all(file),
        Ok(_) => std::fs::remove_file(file),
        Err(why) => Err(why),
    };
    gone.is_ok() || gone.is_err_and(|why| why.kind() == std::io::ErrorKind::NotFound)
}

/// The user's own directory for such files; `None` where there is none.
fn folder() -> Option<PathBuf> {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|place| place.is_absolute());
    [runtime, caches()].into_iter().flatten().map(|place| place.join("hookweave").join("env")).find(|place| {
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(place).is_ok() && is_own(place)
    })
}

/// Whether no other user can put anything there.
fn is_own(folder: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let own = rustix::process::geteuid().as_raw();
        std::fs::symlink_metadata(folder)
            .is_ok_and(|found| found.is_dir() && found.uid() == own && found.mode() & 0o022 == 0)
    }
    #[cfg(not(unix))]
    {
        std::fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir())
    }
}

/// Takes away what programs that ended hard have left, once in a process.
fn sweep_once(folder: &Path) {
    static SWEPT_BY: AtomicU32 = AtomicU32::new(0);
    let process = std::process::id();
    if SWEPT_BY.swap(process, Ordering::Relaxed) != process {
        sweep(folder, SETTLED);
    }
}

fn sweep(folder: &Path, settled: Duration) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        if name.starts_with(PREFIX) && name.ends_with(LOCK) && is_left_behind(&path, settled) {
            // The lock last: as long as it is there, a later program removes the other one.
            if take_away(&path.with_extension(&VARIABLES[1..])) {
                _ = std::fs::remove_file(&path);
            }
        }
    }
}

fn is_left_behind(lock: &Path, settled: Duration) -> bool {
    let old =
        std::fs::symlink_metadata(lock).and_then(|found| found.modified()).ok().and_then(|made| made.elapsed().ok());
    let Ok(file) = File::open(lock) else { return false };
    old.is_some_and(|old| old >= settled) && fs4::FileExt::try_lock(&file).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> usize {
        std::fs::read_dir(folder).map_or(0, Iterator::count)
    }

    #[test]
    fn only_what_nobody_holds_is_taken_away() {
        let folder = tempfile::tempdir().unwrap();
        let held = EnvFile::new_in(folder.path(), "FILE").unwrap();
        let dead = EnvFile::new_in(folder.path(), "FILE").unwrap();
        let variables = dead.file.clone();
        let lock = variables.with_extension(&LOCK[1..]);
        // As after a hard death: the files are there, and the lock is gone with its process.
        std::fs::copy(&variables, variables.with_extension("kept")).unwrap();
        std::fs::copy(&lock, folder.path().join("hookweave-env-dead.lock")).unwrap();
        std::fs::rename(variables.with_extension("kept"), folder.path().join("hookweave-env-dead.sh")).unwrap();
        drop(dead);
        std::fs::write(folder.path().join("other.lock"), "").unwrap();
        assert_eq!(names(folder.path()), 5);
        sweep(folder.path(), SETTLED);
        assert_eq!(names(folder.path()), 5, "it may be about to be locked");
        sweep(folder.path(), Duration::ZERO);
        assert_eq!(names(folder.path()), 3);
        assert!(Path::new(&held.variable().1).exists());
        drop(held);
        assert_eq!(names(folder.path()), 1);
    }

    #[cfg(unix)]
    #[test]
    fn what_a_hook_puts_in_the_place_of_its_file_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let file = EnvFile::new_in(folder.path(), "FILE").unwrap();
        std::fs::remove_file(&file.file).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &file.file).unwrap();
        assert!(file.read(&Environment::default()) == Left::default());
        assert_eq!(names(folder.path()), 0);
        let file = EnvFile::new_in(folder.path(), "FILE").unwrap();
        std::fs::remove_file(&file.file).unwrap();
        #[expect(clippy::disallowed_methods, reason = "a test may start a program")]
        std::process::Command::new("mkfifo").arg(&file.file).status().unwrap();
        assert!(file.read(&Environment::default()) == Left::default());
        let file = EnvFile::new_in(folder.path(), "FILE").unwrap();
        std::fs::remove_file(&file.file).unwrap();
        std::fs::create_dir_all(file.file.join("a/b")).unwrap();
        assert!(file.read(&Environment::default()) == Left::default());
        assert_eq!(names(folder.path()), 0, "a directory goes as well");
    }
}
