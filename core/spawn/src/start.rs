//! One program, started in a session of its own.

use std::ffi::{CStr, CString, OsStr, OsString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use crate::files::{Actions, addchdir, check};

/// A program and everything it starts with; it gets nothing of its parent beside.
#[derive(Debug, Clone, Copy)]
pub struct Start<'a> {
    /// The file to run. It is not searched for: a name without a slash is in the directory.
    pub program: &'a Path,
    /// The arguments, beginning with the program's own name.
    pub arguments: &'a [OsString],
    /// The whole environment.
    pub environment: &'a [(OsString, OsString)],
    /// The working directory; the parent's when there is none.
    pub directory: Option<&'a Path>,
    /// Standard input.
    pub stdin: BorrowedFd<'a>,
    /// Standard output.
    pub stdout: BorrowedFd<'a>,
    /// Standard error.
    pub stderr: BorrowedFd<'a>,
    /// What the program finds as descriptor 3, if anything.
    pub report: Option<BorrowedFd<'a>>,
}

/// The number under which a program finds its fourth descriptor.
const REPORT: RawFd = 3;

/// Starts the program as the leader of a new session without a terminal, and gives its process id.
///
/// Signals are as at a login: none blocked, each with its default action. Descriptors beside those given are closed. The
/// caller has to wait for the process, or it stays a zombie.
pub fn start(start: &Start<'_>) -> io::Result<i32> {
    let directory = start.directory.map(|directory| terminated(directory.as_os_str())).transpose()?;
    match directory {
        Some(directory) if addchdir().is_none() => start_through_shell(start, &directory),
        directory => {
            let program = terminated(start.program.as_os_str())?;
            let arguments =
                start.arguments.iter().map(|argument| terminated(argument)).collect::<io::Result<Vec<_>>>()?;
            spawn(start, &program, &arguments, directory.as_deref())
        }
    }
}

/// For a C library that cannot change the directory of what it spawns: the shell does, and becomes the program.
fn start_through_shell(start: &Start<'_>, directory: &CStr) -> io::Result<i32> {
    let mut arguments: Vec<CString> =
        vec![c"sh".into(), c"-c".into(), c"cd \"$0\" && exec \"$@\"".into(), directory.into()];
    arguments.push(terminated(start.program.as_os_str())?);
    for argument in start.arguments.iter().skip(1) {
        arguments.push(terminated(argument)?);
    }
    spawn(start, c"/bin/sh", &arguments, None)
}

fn spawn(start: &Start<'_>, program: &CStr, arguments: &[CString], directory: Option<&CStr>) -> io::Result<i32> {
    let environment =
        start.environment.iter().map(|(name, value)| entry(name, value)).collect::<io::Result<Vec<_>>>()?;
    let argument_pointers = pointers(arguments);
    let environment_pointers = pointers(&environment);
    let stdin = Above::standard(start.stdin)?;
    let stdout = Above::standard(start.stdout)?;
    let stderr = Above::standard(start.stderr)?;
    let report = start.report.map(Above::report).transpose()?;
    let mut actions = Actions::new()?;
    actions.duplicate(stdin.raw(), libc::STDIN_FILENO)?;
    actions.duplicate(stdout.raw(), libc::STDOUT_FILENO)?;
    actions.duplicate(stderr.raw(), libc::STDERR_FILENO)?;
    if let Some(report) = &report {
        actions.duplicate(report.raw(), REPORT)?;
    }
    actions.close_others(if report.is_some() { REPORT + 1 } else { REPORT })?;
    if let Some(directory) = directory {
        actions.change_directory(directory)?;
    }
    let attributes = Attributes::new()?;
    let mut process = 0;
    // SAFETY: the strings live until the call returns and both lists end with null; actions and attributes are
    // initialised. `posix_spawn` does not keep any of the pointers.
    let failed = unsafe {
        libc::posix_spawn(
            &raw mut process,
            program.as_ptr(),
            actions.as_ptr(),
            attributes.0.as_ptr(),
            argument_pointers.as_ptr().cast::<*mut libc::c_char>(),
            environment_pointers.as_ptr().cast::<*mut libc::c_char>(),
        )
    };
    check(failed)?;
    Ok(process)
}

fn terminated(text: &OsStr) -> io::Result<CString> {
    CString::new(text.as_bytes())
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, format!("{} holds a NUL character", shortened(text))))
}

fn entry(name: &OsStr, value: &OsStr) -> io::Result<CString> {
    let mut text = Vec::with_capacity(name.len() + value.len() + 2);
    text.extend_from_slice(name.as_bytes());
    text.push(b'=');
    text.extend_from_slice(value.as_bytes());
    CString::new(text).map_err(|_| {
        let message = format!("the environment variable {} holds a NUL character", shortened(name));
        io::Error::new(io::ErrorKind::InvalidInput, message)
    })
}

fn shortened(text: &OsStr) -> String {
    let text: String = text.to_string_lossy().chars().take(60).collect();
    format!("`{}`", text.escape_debug())
}

fn pointers(strings: &[CString]) -> Vec<*const libc::c_char> {
    strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect()
}

/// A descriptor above those that are put in place, so that putting one of them there cannot overwrite another.
struct Above<'a> {
    given: BorrowedFd<'a>,
    moved: Option<OwnedFd>,
}

impl<'a> Above<'a> {
    fn standard(given: BorrowedFd<'a>) -> io::Result<Self> {
        let moved = if given.as_raw_fd() > libc::STDERR_FILENO { None } else { Some(given.try_clone_to_owned()?) };
        Ok(Self { given, moved })
    }

    fn report(given: BorrowedFd<'a>) -> io::Result<Self> {
        if given.as_raw_fd() > REPORT {
            return Ok(Self { given, moved: None });
        }
        // SAFETY: asks for a duplicate of an open descriptor, which is ours alone when it is given.
        let moved = unsafe {
            let moved = libc::fcntl(given.as_raw_fd(), libc::F_DUPFD_CLOEXEC, REPORT + 1);
            if moved < 0 {
                return Err(io::Error::last_os_error());
            }
            OwnedFd::from_raw_fd(moved)
        };
        Ok(Self { given, moved: Some(moved) })
    }

    fn raw(&self) -> RawFd {
        self.moved.as_ref().map_or_else(|| self.given.as_raw_fd(), AsRawFd::as_raw_fd)
    }
}

struct Attributes(MaybeUninit<libc::posix_spawnattr_t>);

impl Attributes {
    fn new() -> io::Result<Self> {
        let mut attributes = MaybeUninit::uninit();
        // SAFETY: the place is writable; the call initialises it.
        check(unsafe { libc::posix_spawnattr_init(attributes.as_mut_ptr()) })?;
        let mut this = Self(attributes);
        let mut none = MaybeUninit::<libc::sigset_t>::uninit();
        let mut all = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: the sets are writable and initialised here before they are read; the attributes are initialised.
        unsafe {
            libc::sigemptyset(none.as_mut_ptr());
            libc::sigfillset(all.as_mut_ptr());
            check(libc::posix_spawnattr_setsigmask(this.0.as_mut_ptr(), none.as_ptr()))?;
            check(libc::posix_spawnattr_setsigdefault(this.0.as_mut_ptr(), all.as_ptr()))?;
            check(libc::posix_spawnattr_setflags(this.0.as_mut_ptr(), FLAGS))?;
        }
        Ok(this)
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: initialised in `new`, destroyed once.
        unsafe { libc::posix_spawnattr_destroy(self.0.as_mut_ptr()) };
    }
}

#[cfg(target_vendor = "apple")]
const SESSION: libc::c_int = 0x0400 | libc::POSIX_SPAWN_CLOEXEC_DEFAULT;
#[cfg(any(target_os = "linux", target_os = "android"))]
const SESSION: libc::c_int = libc::POSIX_SPAWN_SETSID as libc::c_int;
/// Elsewhere a process group of its own is all that there is.
#[cfg(not(any(target_vendor = "apple", target_os = "linux", target_os = "android")))]
const SESSION: libc::c_int = libc::POSIX_SPAWN_SETPGROUP as libc::c_int;

#[expect(clippy::cast_possible_truncation, reason = "the flags are bits of a short")]
#[allow(clippy::cast_lossless, clippy::unnecessary_cast, reason = "the constants' types differ between systems")]
const FLAGS: libc::c_short = (SESSION
    | libc::POSIX_SPAWN_SETSIGMASK as libc::c_int
    | libc::POSIX_SPAWN_SETSIGDEF as libc::c_int) as libc::c_short;

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::fd::AsFd;

    fn printed(spawn: impl FnOnce(&Start<'_>) -> io::Result<i32>, start: Start<'_>) -> String {
        let (mut reader, writer) = io::pipe().unwrap();
        let process = spawn(&Start { stdout: writer.as_fd(), ..start }).unwrap();
        drop(writer);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        let mut status = 0;
        // SAFETY: the place is writable and the process is this test's own child.
        assert_eq!(unsafe { libc::waitpid(process, &raw mut status, 0) }, process);
        assert_eq!(status, 0);
        text
    }

    #[test]
    fn a_c_library_that_cannot_change_the_directory_does_the_same_by_the_shell() {
        let null = std::fs::File::open("/dev/null").unwrap();
        let directory = std::env::temp_dir().join(format!("it's \"odd\" $HOME {}", std::process::id()));
        std::fs::create_dir(&directory).unwrap();
        let arguments = ["sh", "-c", "pwd -P; printf '%s|' \"$@\"", "name", "a b", "$x"].map(OsString::from);
        let start = Start {
            program: Path::new("/bin/sh"),
            arguments: &arguments,
            environment: &[],
            directory: Some(&directory),
            stdin: null.as_fd(),
            stdout: null.as_fd(),
            stderr: null.as_fd(),
            report: None,
        };
        let path = terminated(directory.as_os_str()).unwrap();
        let plain = printed(super::start, start);
        let through_shell = printed(|start| start_through_shell(start, &path), start);
        std::fs::remove_dir(&directory).unwrap();
        assert!(plain.ends_with("\na b|$x|") && plain.contains("it's \"odd\" $HOME"), "{plain}");
        assert_eq!(plain, through_shell);
    }
}
