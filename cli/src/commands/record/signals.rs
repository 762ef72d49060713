//! Waits for a program and leaves it to decide what signals mean.

use std::io::{self, IsTerminal as _};
use std::process::{Child, Command, ExitStatus};

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

/// Starts a program and waits for it; signals that are meant for both do not end this process before it.
pub(super) fn wait(command: &mut Command) -> io::Result<ExitStatus> {
    // From here on they are held back from this process; the program begins with what is usual.
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM])?;
    let handle = signals.handle();
    let mut child = command.spawn()?;
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
    let thread = std::thread::Builder::new().name("hookweave-signals".to_owned()).spawn(pass_on);
    let status = child.wait();
    handle.close();
    if let Ok(thread) = thread {
        let _ = thread.join();
    }
    status
}

fn pid_of(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}
