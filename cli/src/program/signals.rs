//! Leaves it to a program to decide what signals mean.

use std::io::{self, IsTerminal as _};
use std::process::{Child, Command};
use std::thread::JoinHandle;

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};

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

/// Starts a program; until what is given with it is dropped, signals that are meant for both do not end this process.
pub(super) fn start(command: &mut Command) -> io::Result<(Child, Passing)> {
    // From here on they are held back from this process; the program begins with what is usual.
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM])?;
    let handle = signals.handle();
    let child = command.spawn()?;
    // A terminal sends these two to both already, and twice would mean something else to many programs.
    let at_terminal = io::stdin().is_terminal();
    let pid = pid_of(&child);
    let pass_on = move || {
        for signal in signals.forever() {
            let is_delivered = at_terminal && matches!(signal, SIGINT | SIGQUIT);
            if let (Some(pid), Some(signal), false) = (pid, Signal::from_named_raw(signal), is_delivered) {
                let _ = kill_process(pid, signal);
            }
        }
    };
    let thread = std::thread::Builder::new().name("hookweave-signals".to_owned()).spawn(pass_on).ok();
    Ok((child, Passing { handle, thread }))
}

fn pid_of(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}
