//! Waiting for the system to have room for one more program: descriptors, processes, memory.
//!
//! A guard that cannot run because a hundred others run must not be passed over. It waits for them, as long as it may take
//! itself.

use std::io;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::io::Errno;

use crate::cancel::Cancel;
use hookweave_clock::now;

/// How long is waited at first, and at most, before it is tried again.
const PAUSES: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(50));

/// How long is waited when no command of the engine runs that could make room by its end.
const ALONE: Duration = Duration::from_secs(2);

/// How long a command without a time limit waits.
const PATIENCE: Duration = Duration::from_secs(60);

/// How many commands of this process run.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// A command that runs, and makes room when it is dropped.
pub(super) struct Started(());

impl Started {
    pub(super) fn new() -> Self {
        RUNNING.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether the error means that the system has no room, which may pass.
pub(super) fn is_exhausted(error: &io::Error) -> bool {
    let known = [Errno::MFILE, Errno::NFILE, Errno::AGAIN, Errno::NOMEM, Errno::NOBUFS];
    Errno::from_io_error(error).is_some_and(|errno| known.contains(&errno))
}

/// One command's waiting for room.
pub(super) struct Room {
    began: Instant,
    /// When some other command last ran.
    company: Instant,
    limit: Duration,
    pause: Duration,
}

impl Room {
    pub(super) fn new(timeout: Option<Duration>) -> Self {
        let began = now();
        Self { began, company: began, limit: timeout.unwrap_or(PATIENCE), pause: PAUSES.0 }
    }

    pub(super) fn waited(&self) -> Duration {
        now().saturating_duration_since(self.began)
    }

    /// Waits a little; false when it is no use to try again.
    pub(super) fn wait(&mut self, error: &io::Error, cancel: &Cancel) -> bool {
        static TOLD: Once = Once::new();
        TOLD.call_once(|| {
            tracing::warn!(
                "commands of hooks wait for room: {error}; raise the limit (`ulimit -n`), or set max_running lower"
            );
        });
        let time = now();
        if RUNNING.load(Ordering::Relaxed) > 0 {
            self.company = time;
        }
        let alone = time.saturating_duration_since(self.company) >= ALONE;
        if alone || cancel.is_cancelled() || self.waited() + self.pause >= self.limit {
            return false;
        }
        std::thread::sleep(self.pause);
        self.pause = (self.pause * 2).min(PAUSES.1);
        true
    }
}
