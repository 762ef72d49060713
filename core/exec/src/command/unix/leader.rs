//! The started process itself: how it ended, and that it is waited for.

use std::cell::Cell;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, WaitIdStatus, waitid};

use super::session;
use hookweave_clock::now;

/// How long the engine waits for a killed process to be gone before a thread of its own does.
const GONE_WITHIN: Duration = Duration::from_secs(1);

/// Another part of the process has waited for the command.
static FORGOTTEN: AtomicBool = AtomicBool::new(false);

/// Whether the system may not report how a command ends that starts now.
pub(super) fn is_forgotten() -> bool {
    FORGOTTEN.load(Ordering::Relaxed) || hookweave_spawn::forgets_children()
}

/// Notes that the end of a command was lost: from now on a shell reports how each ends.
pub(super) fn forgotten() {
    FORGOTTEN.store(true, Ordering::Relaxed);
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ended {
    pub(super) code: Option<i32>,
    pub(super) signal: Option<i32>,
    /// False when another part of the process has waited for it, and it has not reported its exit.
    pub(super) known: bool,
    /// It was not waited for yet, so that its number cannot mean another process.
    held: bool,
}

/// The leader of a command's session. It is not waited for before all that it started is dealt with: until then its
/// number cannot become another process's.
pub(super) struct Leader {
    process: Pid,
    exit: Option<OwnedFd>,
    /// Where a shell reports how the command ended, when the system will not.
    report: Option<OwnedFd>,
    leaves_children: bool,
    started: Instant,
    /// The code that was read from the report.
    reported: Cell<Option<i32>>,
    /// Nothing is left to kill or to wait for.
    done: bool,
}

impl Leader {
    pub(super) fn new(process: i32, report: Option<OwnedFd>, leaves_children: bool) -> io::Result<Self> {
        let process = Pid::from_raw(process).ok_or_else(|| io::Error::from(Errno::SRCH))?;
        let exit = hookweave_spawn::exit_event(process.as_raw_pid()).ok();
        Ok(Self { process, exit, report, leaves_children, started: now(), reported: Cell::new(None), done: false })
    }

    /// The descriptor that becomes readable at its exit.
    pub(super) fn exit(&self) -> Option<BorrowedFd<'_>> {
        self.exit.as_ref().map(AsFd::as_fd)
    }

    /// Whether there is such a descriptor; else it has to be asked.
    pub(super) fn reports_exit(&self) -> bool {
        self.exit.is_some()
    }

    /// How it ended, if it has.
    pub(super) fn ended(&self) -> Option<Ended> {
        self.look(WaitIdOptions::NOWAIT)
    }

    fn look(&self, and: WaitIdOptions) -> Option<Ended> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | and;
        loop {
            let reported = match self.by_descriptor(options) {
                None | Some(Err(Errno::INVAL)) => waitid(WaitId::Pid(self.process), options),
                Some(reported) => reported,
            };
            return match reported {
                Ok(Some(status)) => Some(self.reported(true).unwrap_or_else(|| Ended::of(&status))),
                Ok(None) => None,
                Err(Errno::INTR) => continue,
                Err(_) => {
                    let unknown = Ended { code: None, signal: None, known: false, held: false };
                    Some(self.reported(false).unwrap_or(unknown))
                }
            };
        }
    }

    /// Asks for this very process: its number may mean another one by now, when other code has waited for it.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn by_descriptor(&self, options: WaitIdOptions) -> Option<rustix::io::Result<Option<WaitIdStatus>>> {
        self.exit().map(|exit| waitid(WaitId::PidFd(exit), options))
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    #[expect(clippy::unused_self, reason = "other systems have such a descriptor")]
    fn by_descriptor(&self, _options: WaitIdOptions) -> Option<rustix::io::Result<Option<WaitIdStatus>>> {
        None
    }

    /// What the shell above the command has reported of its end.
    fn reported(&self, held: bool) -> Option<Ended> {
        let mut reported = self.reported.get();
        if reported.is_none() {
            let mut bytes = [0; 16];
            let read = rustix::io::read(self.report.as_ref()?, &mut bytes).ok()?;
            reported = std::str::from_utf8(bytes.get(..read)?).ok()?.trim_end().parse().ok();
            self.reported.set(reported);
        }
        reported.map(|code| Ended { code: Some(code), signal: None, known: true, held })
    }

    /// Kills what it left behind, unless that may stay, and takes it off the system's list.
    pub(super) fn finish(&mut self) -> Option<Ended> {
        // Once other code has waited for it, its number may mean other processes.
        if !self.leaves_children && self.ended().is_some_and(|ended| ended.held) {
            session::kill_leftovers(self.process, self.started);
        }
        self.done = true;
        self.look(WaitIdOptions::empty())
    }

    /// Waits for a killed process, briefly.
    fn wait(&self) -> bool {
        let until = now() + GONE_WITHIN;
        loop {
            if self.look(WaitIdOptions::empty()).is_some() {
                return true;
            }
            let left = until.saturating_duration_since(now());
            if left.is_zero() {
                return false;
            }
            let mut polled: Vec<PollFd<'_>> = self.exit.iter().map(|exit| PollFd::new(exit, PollFlags::IN)).collect();
            let step = if polled.is_empty() { Duration::from_millis(5).min(left) } else { left };
            let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(step.subsec_nanos().max(1)) };
            let _ = poll(&mut polled, Some(&timeout));
        }
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        match self.ended() {
            None => session::kill_all(self.process),
            Some(ended) if ended.held => session::kill_leftovers(self.process, self.started),
            Some(_) => return,
        }
        if !self.wait() {
            wait_elsewhere(self.process);
        }
    }
}

/// Leaves a process that does not die, because it hangs in the system, to a thread that has nothing else to do.
fn wait_elsewhere(process: Pid) {
    let builder = std::thread::Builder::new().name("hookweave-wait".to_owned()).stack_size(64 * 1024);
    let waiting = builder.spawn(move || {
        hookweave_spawn::hold_signals();
        while matches!(waitid(WaitId::Pid(process), WaitIdOptions::EXITED), Err(Errno::INTR)) {}
    });
    if let Err(error) = waiting {
        tracing::warn!("the killed command {} stays a zombie: {error}", process.as_raw_pid());
    }
}

impl Ended {
    fn of(status: &WaitIdStatus) -> Self {
        Self { code: status.exit_status(), signal: status.terminating_signal(), known: true, held: true }
    }
}
