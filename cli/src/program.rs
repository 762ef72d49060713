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
    started(command, false)
}

/// The same with a group of its own, where the system has groups: it can be ended with all that it starts.
pub(crate) fn start_group(command: &mut Command) -> Result<Running> {
    started(command, true)
}

fn started(command: &mut Command, leads: bool) -> Result<Running> {
    #[cfg(unix)]
    let started = signals::start(command, leads).map(|(child, passing)| Running { child, _signals: passing });
    #[cfg(not(unix))]
    let _ = leads;
    #[cfg(not(unix))]
    let started = command.spawn().map(|child| Running { child });
    started.map_err(|why| {
        let program = Path::new(command.get_program());
        Failed::file(program, format!("cannot be started: {why}; name a program as your shell would find it"))
    })
}

impl Running {
    /// Whether it has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        #[cfg(unix)]
        return signals::has_ended(&self.child);
        #[cfg(not(unix))]
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }

    /// Kills it, with its group where it leads one.
    pub(crate) fn kill_group(&mut self) {
        #[cfg(unix)]
        signals::kill_group(&self.child);
        #[cfg(not(unix))]
        drop(self.child.kill());
    }

    /// Waits for its end, and ends what is left of the group that it leads.
    pub(crate) fn end_group(mut self) -> Result<ExitStatus> {
        #[cfg(unix)]
        let ended = signals::end_group(&mut self.child);
        #[cfg(not(unix))]
        let ended = self.child.wait();
        ended.map_err(|why| Failed::new(format!("the program cannot be waited for: {why}")))
    }

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
