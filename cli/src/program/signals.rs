//! Leaves it to a program to decide what signals mean, and ends what it leaves behind.

use std::io::{self, IsTerminal as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, test_kill_process_group, waitid,
};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};

use crate::clock::now;

/// What passes signals on to a program.
pub(super) struct Passing {
    handle: Handle,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Passing {
    fn drop(&mut self) {
        self.handle.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Starts a program; until what is given with it is dropped, signals that are meant for both do not end this process. Where it
/// leads a group, the whole group gets them.
pub(super) fn start(command: &mut Command, leads: bool) -> io::Result<(Child, Passing)> {
    // From here on they are held back from this process; the program begins with what is usual.
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM])?;
    let handle = signals.handle();
    if leads {
        command.process_group(0);
    }
    let child = command.spawn()?;
    // A terminal sends these two to both already, and twice would mean something else to many programs.
    let at_terminal = !leads && io::stdin().is_terminal();
    let pid = pid_of(&child);
    let send = if leads { kill_process_group } else { kill_process };
    let pass_on = move || {
        for signal in signals.forever() {
            let is_delivered = at_terminal && matches!(signal, SIGINT | SIGQUIT);
            if let (Some(pid), Some(signal), false) = (pid, Signal::from_named_raw(signal), is_delivered) {
                let _ = send(pid, signal);
            }
        }
    };
    let thread = std::thread::Builder::new().name("hookweave-signals".to_owned()).spawn(pass_on).ok();
    Ok((child, Passing { handle, thread }))
}

/// How long what is left of a group may take to end.
const LEAVE: Duration = Duration::from_secs(1);

/// How long is waited before it is looked again whether anything is left.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// Whether a program has ended. It is not waited for, so that no other program can have its number yet.
pub(super) fn has_ended(child: &Child) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    pid_of(child).is_none_or(|pid| !matches!(waitid(WaitId::Pid(pid), options), Ok(None)))
}

/// Kills a program with its group.
pub(super) fn kill_group(child: &Child) {
    let _ = pid_of(child).map(|pid| kill_process_group(pid, Signal::KILL));
}

/// Waits for a program that has ended, and ends what is left of its group: first asked to, then killed.
pub(super) fn end_group(child: &mut Child) -> io::Result<ExitStatus> {
    let Some(pid) = pid_of(child) else { return child.wait() };
    let _ = kill_process_group(pid, Signal::TERM);
    let status = child.wait()?;
    let until = now() + LEAVE;
    while test_kill_process_group(pid).is_ok() {
        if now() >= until {
            let _ = kill_process_group(pid, Signal::KILL);
            break;
        }
        std::thread::sleep(LOOK_AGAIN);
    }
    Ok(status)
}

fn pid_of(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}
