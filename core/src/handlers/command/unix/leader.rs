//! The started process itself: how it ended, and that it is waited for.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, WaitIdStatus, waitid};

use super::session;
use crate::handlers::clock::now;

/// How long the engine waits for a killed process to be gone before a thread of its own does.
const GONE_WITHIN: Duration = Duration::from_secs(1);

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ended {
    pub(super) code: Option<i32>,
    pub(super) signal: Option<i32>,
    /// False when somebody else has waited for it.
    pub(super) known: bool,
}

/// The leader of a command's session. It is not waited for before all that it started is dealt with: until then its
/// number cannot become another process's.
pub(super) struct Leader {
    process: Pid,
    exit: Option<OwnedFd>,
    leaves_children: bool,
    started: Instant,
    /// Nothing is left to kill or to wait for.
    done: bool,
}

impl Leader {
    pub(super) fn new(process: i32, leaves_children: bool) -> io::Result<Self> {
        let process = Pid::from_raw(process).ok_or_else(|| io::Error::from(Errno::SRCH))?;
        let exit = hookweave_spawn::exit_event(process.as_raw_pid()).ok();
        Ok(Self { process, exit, leaves_children, started: now(), done: false })
    }

    /// The descriptor that becomes readable at its exit.
    pub(super) fn exit(&self) -> Option<BorrowedFd<'_>> {
        self.exit.as_ref().map(AsFd::as_fd)
    }

    /// Whether there is such a descriptor; else it has to be asked.
    pub(super) fn tells_its_exit(&self) -> bool {
        self.exit.is_some()
    }

    /// How it ended, if it has.
    pub(super) fn ended(&self) -> Option<Ended> {
        self.look(WaitIdOptions::NOWAIT)
    }

    fn look(&self, and: WaitIdOptions) -> Option<Ended> {
        loop {
            return match waitid(WaitId::Pid(self.process), WaitIdOptions::EXITED | WaitIdOptions::NOHANG | and) {
                Ok(Some(status)) => Some(Ended::of(&status)),
                Ok(None) => None,
                Err(Errno::INTR) => continue,
                Err(_) => Some(Ended { code: None, signal: None, known: false }),
            };
        }
    }

    /// Kills what it left behind, unless that may stay, and takes it off the system's list.
    pub(super) fn finish(&mut self) -> Option<Ended> {
        // Once somebody else has waited for it, its number may mean other processes.
        if !self.leaves_children && self.ended().is_some_and(|ended| ended.known) {
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
            Some(ended) if ended.known => session::kill_leftovers(self.process, self.started),
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
        Self { code: status.exit_status(), signal: status.terminating_signal(), known: true }
    }
}
