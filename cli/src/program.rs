//! Programs that the command runs in its own place: they get its signals, and it ends as they do.

#[cfg(unix)]
mod signals;

use std::ffi::OsString;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

use crate::failed::{BROKEN, Failed, Result};

/// A program that runs.
pub(crate) struct Running {
    pub(crate) child: Child,
    #[cfg(unix)]
    _signals: signals::Passing,
}

/// A program and its arguments, as words of the command line.
pub(crate) fn command_of(words: &[OsString]) -> Result<Command> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(Failed::new("no program is given; write it after --"));
    };
    #[expect(clippy::disallowed_methods, reason = "it is the user's own program, which runs in place of this one")]
    let mut command = Command::new(program);
    command.args(arguments);
    Ok(command)
}

/// Starts a program. Signals that are meant for both do not end this process before it.
pub(crate) fn start(command: &mut Command) -> Result<Running> {
    #[cfg(unix)]
    let started = signals::start(command).map(|(child, passing)| Running { child, _signals: passing });
    #[cfg(not(unix))]
    let started = command.spawn().map(|child| Running { child });
    started.map_err(|why| {
        let program = Path::new(command.get_program());
        Failed::file(program, format!("cannot be started: {why}; name a program as your shell would find it"))
    })
}

impl Running {
    /// Waits for its end.
    pub(crate) fn wait(mut self) -> Result<ExitStatus> {
        self.child.wait().map_err(|why| Failed::new(format!("the program cannot be waited for: {why}")))
    }
}

/// Ends as a program did, so that its caller sees the same; returns its exit code.
pub(crate) fn ended_as(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let _ = signal_hook::low_level::emulate_default_handler(signal);
        return u8::try_from(128 + signal).unwrap_or(BROKEN);
    }
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(BROKEN)
}
