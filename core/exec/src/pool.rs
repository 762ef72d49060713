//! The threads on which blocking hooks run: few, started on demand, gone when idle.

mod job;
mod state;

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;

use super::cancel::Cancel;
use state::State;

pub use job::Job;

/// How many jobs run at once by default.
pub const DEFAULT_RUNNING: usize = 32;

/// Runs blocking jobs, a bounded number at once; the others wait in order.
///
/// Its threads are plain threads that never enter a foreign interpreter, and nothing waits for them when the process
/// exits. In a forked child the pool starts anew, with nothing of the parent's: the parent's threads do not exist there, and
/// what they had locked at the fork stays locked, so that it is never looked at again.
#[derive(Debug)]
pub struct Pool {
    state: ArcSwap<State>,
}

/// Why a job was not taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PoolError {
    /// The pool was shut down.
    #[error("the engine is shut down and starts no more hooks")]
    Closed,
    /// The system gives no thread, and none of the pool's runs.
    #[error("no thread for the hook could be started: {0}")]
    NoThread(#[source] std::io::Error),
}

impl Default for Pool {
    fn default() -> Self {
        Self::new(DEFAULT_RUNNING)
    }
}

impl Pool {
    /// A pool that runs at most so many jobs at once, and one when the number is 0. No thread starts before a job.
    #[must_use]
    pub fn new(max_running: usize) -> Self {
        Self { state: ArcSwap::from_pointee(State::new(max_running.max(1))) }
    }

    /// Hands a job over; it starts when a place is free. The job gets the means to notice that it is cancelled.
    ///
    /// A job that is cancelled before it starts is dropped without running.
    pub fn submit(&self, job: impl FnOnce(&Cancel) + Send + 'static) -> Result<Job, PoolError> {
        self.state().submit(Box::new(job))
    }

    /// How many jobs run and how many wait.
    pub fn load(&self) -> (usize, usize) {
        self.state().load()
    }

    /// Waits until no job runs or waits; false when the time is up before.
    pub fn drain(&self, limit: Duration) -> bool {
        self.state().wait_quiet(limit)
    }

    /// Cancels every job and takes no more; waits so long for the running ones to end, and says whether they did.
    ///
    /// A host calls it when it exits: what a command started has a session of its own and would live on.
    pub fn shutdown(&self, limit: Duration) -> bool {
        let state = self.state();
        state.close();
        state.wait_quiet(limit)
    }

    fn state(&self) -> Arc<State> {
        let state = self.state.load_full();
        if state.is_here() {
            return state;
        }
        self.state.compare_and_swap(&state, Arc::new(State::new(state.max_running())));
        // The parent's state is kept for ever: a thread that does not exist here may hold its lock.
        std::mem::forget(state);
        self.state.load_full()
    }
}
