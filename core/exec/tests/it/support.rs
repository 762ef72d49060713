//! What the tests of commands share.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use hookweave_exec::cancel::Cancel;
use hookweave_exec::command::{CommandError, CommandLine, CommandOutput, CommandRun, CommandSpec, run};

/// Longer than anything here takes on the busiest machine. What must be killed would outlive it.
pub(crate) const LONG: Duration = Duration::from_secs(120);

/// Waits until something holds; false where it never does.
pub(crate) fn until(mut holds: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + LONG;
    loop {
        if holds() {
            return true;
        }
        if Instant::now() > end {
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A directory that is gone when the test ends.
pub(crate) struct Place(PathBuf);

impl Place {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("hookweave-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path.canonicalize().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// An executable file.
    pub(crate) fn script(&self, name: &str, text: &str) -> String {
        let file = self.file(name);
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        file.to_str().unwrap().to_owned()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn shell(text: impl Into<String>) -> CommandSpec {
    of(CommandLine::Shell { text: text.into(), shell: hookweave_exec::command::Shell::Posix })
}

pub(crate) fn exec(program: &str, args: &[&str]) -> CommandSpec {
    of(CommandLine::Exec { program: program.to_owned(), args: args.iter().map(|arg| (*arg).to_owned()).collect() })
}

pub(crate) fn of(line: CommandLine) -> CommandSpec {
    CommandSpec { line, env: Vec::new(), directory: None }
}

/// A run as an agent would start it: with `PATH`, and never for ever.
pub(crate) fn usual(spec: &CommandSpec) -> CommandRun<'_> {
    let path = std::env::var_os("PATH").unwrap();
    CommandRun { env: vec![("PATH".into(), path)], timeout: Some(LONG), ..CommandRun::new(spec) }
}

pub(crate) fn ended(spec: &CommandSpec) -> CommandOutput {
    run(&usual(spec), &Cancel::new()).unwrap()
}

pub(crate) fn failed(spec: &CommandSpec) -> CommandError {
    run(&usual(spec), &Cancel::new()).unwrap_err()
}

pub(crate) fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

pub(crate) fn variable(name: &str, value: &str) -> (OsString, OsString) {
    (name.into(), value.into())
}

/// Waits until a file holds something, and gives it.
pub(crate) fn appears(file: &Path) -> String {
    let written = || fs::read_to_string(file).ok().filter(|text| text.ends_with('\n'));
    assert!(until(|| written().is_some()), "{} never appeared", file.display());
    written().unwrap().trim().to_owned()
}

/// Whether a process is there and is no zombie.
pub(crate) fn lives(process: &str) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{process}/stat")) else { return false };
    !stat.rsplit(')').next().unwrap().trim_start().starts_with(['Z', 'X'])
}

/// Whether a process goes: a kill takes effect a little later.
pub(crate) fn dies(process: &str) -> bool {
    until(|| !lives(process))
}

/// Ends what a test left alive on purpose.
pub(crate) fn kill(process: &str) {
    let process = rustix::process::Pid::from_raw(process.parse().unwrap()).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::KILL).unwrap();
}
