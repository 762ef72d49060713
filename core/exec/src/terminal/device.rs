//! The controlling terminal, as one question uses it.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::getpgrp;
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, OutputModes, QueueSelector, Termios, tcflush, tcgetattr, tcgetpgrp,
    tcgetwinsize, tcsetattr,
};

use super::NoAnswer;

const PATH: &str = "/dev/tty";
/// Longer than the longest line that a terminal gives.
const LINE: usize = 8192;
/// How long a terminal that takes no text is waited for, before the caller's cancellation is checked again.
const STOPPED: Duration = Duration::from_millis(100);

/// What came from the person.
pub(super) enum TerminalInput {
    Nothing,
    /// A line, or the part of one that was sent without its end.
    Some(String),
    /// The end of the input.
    End,
}

/// The terminal, in its usual mode until this is dropped.
pub(super) struct Device {
    file: OwnedFd,
    /// How it was, where that was another mode.
    before: Option<Termios>,
    /// Whether it moves its cursor on command.
    obeys: bool,
}

impl Device {
    /// Opens it; there is none for a service, a job in the background, or a program in a pipeline without a session.
    pub(super) fn open() -> Result<Self, NoAnswer> {
        // A stopped terminal, or one whose other end reads nothing, must not hold up the thread.
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = rustix::fs::open(PATH, flags, Mode::empty())
            .map_err(|why| NoAnswer::new(format!("there is no terminal to ask at: {why}")))?;
        // A background process that reads is stopped by the system.
        if tcgetpgrp(&file).map_err(unusable)? != getpgrp() {
            return Err(NoAnswer::new("the program runs in the background of its terminal and cannot ask there"));
        }
        let found = tcgetattr(&file).map_err(unusable)?;
        let usual = usual(found.clone());
        let same = found.local_modes == usual.local_modes
            && found.input_modes == usual.input_modes
            && found.output_modes == usual.output_modes;
        if !same {
            tcsetattr(&file, OptionalActions::Flush, &usual).map_err(unusable)?;
        }
        let obeys = std::env::var_os("TERM").is_some_and(|name| name != OsStr::new("dumb") && !name.is_empty());
        Ok(Self { file, before: (!same).then_some(found), obeys })
    }

    /// How wide it is; 0 when it does not say.
    pub(super) fn columns(&self) -> usize {
        tcgetwinsize(&self.file).map_or(0, |size| size.ws_col.into())
    }

    /// How many rows it has; 0 when it does not say.
    pub(super) fn rows(&self) -> usize {
        tcgetwinsize(&self.file).map_or(0, |size| size.ws_row.into())
    }

    pub(super) const fn obeys(&self) -> bool {
        self.obeys
    }

    /// Throws away what was typed and not read, the beginning of a line too.
    pub(super) fn forget_input(&self) -> Result<(), NoAnswer> {
        tcflush(&self.file, QueueSelector::IFlush).map_err(unusable)
    }

    /// Whether something to read comes within a time.
    pub(super) fn has_input(&self, within: Duration) -> Result<bool, NoAnswer> {
        self.wait(PollFlags::IN, within)
    }

    /// Waits for a line, at most so long.
    pub(super) fn read_input(&self, within: Duration) -> Result<TerminalInput, NoAnswer> {
        if !self.has_input(within)? {
            return Ok(TerminalInput::Nothing);
        }
        let mut line = [0_u8; LINE];
        match rustix::io::read(&self.file, &mut line) {
            // No more input, or no terminal any more.
            Ok(0) | Err(Errno::IO) => Ok(TerminalInput::End),
            Ok(length) => {
                Ok(TerminalInput::Some(String::from_utf8_lossy(line.get(..length).unwrap_or_default()).into_owned()))
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(TerminalInput::Nothing),
            Err(why) => Err(unusable(why)),
        }
    }

    /// Writes a text; gives up when it is cancelled.
    pub(super) fn write(&self, text: &str, given_up: impl Fn() -> bool) -> Result<(), NoAnswer> {
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            match rustix::io::write(&self.file, rest) {
                Ok(written) => rest = rest.get(written..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    if !self.wait(PollFlags::OUT, STOPPED)? && given_up() {
                        return Ok(());
                    }
                }
                Err(why) => return Err(unusable(why)),
            }
        }
        Ok(())
    }

    fn wait(&self, what: PollFlags, within: Duration) -> Result<bool, NoAnswer> {
        let within =
            Timespec::try_from(within).map_err(|_| NoAnswer::new("the terminal was waited for without end"))?;
        let mut files = [PollFd::new(&self.file, what)];
        match poll(&mut files, Some(&within)) {
            Ok(ready) => Ok(ready > 0),
            Err(Errno::INTR) => Ok(false),
            Err(why) => Err(unusable(why)),
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // A terminal that is gone needs no mode.
            let _ = tcsetattr(&self.file, OptionalActions::Drain, before);
        }
    }
}

/// Lines, echo and interrupts, as a shell leaves a terminal.
fn usual(mut mode: Termios) -> Termios {
    mode.local_modes |= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ECHOE | LocalModes::ISIG;
    mode.input_modes |= InputModes::ICRNL;
    mode.output_modes |= OutputModes::OPOST | OutputModes::ONLCR;
    mode
}

fn unusable(why: Errno) -> NoAnswer {
    NoAnswer::new(format!("the terminal cannot be used: {why}"))
}
