//! The handle of one job.

use std::sync::Weak;

use super::state::State;
use crate::cancel::Cancel;

/// A job that waits, runs or has ended; dropping the handle leaves the job alone unless asked otherwise.
#[derive(Debug)]
pub struct Job {
    id: u64,
    cancel: Cancel,
    pool: Weak<State>,
    process: u32,
    cancels_on_drop: bool,
}

impl Job {
    pub(super) fn new(id: u64, cancel: Cancel, pool: Weak<State>, process: u32) -> Self {
        Self { id, cancel, pool, process, cancels_on_drop: false }
    }

    /// A job that no pool runs: cancelling it is all that there is.
    #[must_use]
    pub fn outside(cancel: Cancel) -> Self {
        Self::new(0, cancel, Weak::new(), std::process::id())
    }

    /// Ends the job at once: one that waits is dropped on this thread, one that runs is signalled. Does nothing for a job
    /// that has ended, and in a forked child, where the job is not.
    pub fn cancel(&self) {
        if self.process != std::process::id() {
            return;
        }
        if let Some(pool) = self.pool.upgrade() {
            drop(pool.take_waiting(self.id));
        }
        self.cancel.cancel();
    }

    /// Whether the job was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Makes dropping the handle cancel the job.
    #[must_use]
    pub fn cancel_on_drop(mut self) -> Self {
        self.cancels_on_drop = true;
        self
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if self.cancels_on_drop {
            self.cancel();
        }
    }
}
