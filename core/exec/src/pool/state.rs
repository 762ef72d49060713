//! The queue and the threads of a pool in one process.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{Job, PoolError};
use crate::cancel::Cancel;
use hookweave_clock::now;

/// How long a thread waits for more before it ends.
const IDLE: Duration = Duration::from_secs(5);

/// Enough for a TLS handshake in a debug build; only what is used becomes memory.
const STACK: usize = 1024 * 1024;

type Work = Box<dyn FnOnce(&Cancel) + Send>;

/// A job that has not started.
pub(super) struct QueuedJob {
    id: u64,
    cancel: Cancel,
    work: Work,
}

/// Everything that the threads share.
pub(super) struct State {
    process: u32,
    max_running: usize,
    inner: Mutex<Inner>,
    /// A job waits, or the pool was closed.
    wake: Condvar,
    /// Nothing runs and nothing waits.
    quiet: Condvar,
}

#[derive(Default)]
struct Inner {
    next: u64,
    waiting: VecDeque<QueuedJob>,
    running: Vec<(u64, Cancel)>,
    threads: usize,
    idle: usize,
    /// How many callers wait until it is idle: without one, waking them would be a system call for nothing.
    watchers: usize,
    closed: bool,
}

impl Inner {
    fn is_quiet(&self) -> bool {
        self.waiting.is_empty() && self.running.is_empty()
    }
}

impl State {
    pub(super) fn new(max_running: usize) -> Self {
        Self {
            process: std::process::id(),
            max_running,
            inner: Mutex::default(),
            wake: Condvar::new(),
            quiet: Condvar::new(),
        }
    }

    pub(super) fn max_running(&self) -> usize {
        self.max_running
    }

    /// Whether this is the process that made it.
    pub(super) fn is_here(&self) -> bool {
        self.process == std::process::id()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn submit(self: &Arc<Self>, work: Work) -> Result<Job, PoolError> {
        let cancel = Cancel::new();
        let mut inner = self.lock();
        if inner.closed {
            return Err(PoolError::Closed);
        }
        inner.next += 1;
        let id = inner.next;
        inner.waiting.push_back(QueuedJob { id, cancel: cancel.clone(), work });
        // An idle thread serves one waiting job; the rest need threads of their own.
        if inner.waiting.len() <= inner.idle {
            drop(inner);
            self.wake.notify_one();
        } else if inner.threads < self.max_running {
            inner.threads += 1;
            drop(inner);
            if let Err(error) = self.start_thread() {
                self.lost_thread(id, error)?;
            }
        }
        Ok(Job::new(id, cancel, Arc::downgrade(self), self.process))
    }

    fn start_thread(self: &Arc<Self>) -> std::io::Result<()> {
        let this = Arc::clone(self);
        let builder = std::thread::Builder::new().name("hookweave-hook".to_owned()).stack_size(STACK);
        builder.spawn(move || this.work()).map(drop)
    }

    /// A thread could not be started: the others will come to the job, if there are any.
    fn lost_thread(&self, id: u64, error: std::io::Error) -> Result<(), PoolError> {
        let mut inner = self.lock();
        inner.threads -= 1;
        if inner.threads > 0 {
            return Ok(());
        }
        drop(inner);
        drop(self.take_waiting(id));
        Err(PoolError::NoThread(error))
    }

    /// What each thread does until it was idle for long enough.
    fn work(&self) {
        #[cfg(unix)]
        hookweave_spawn::hold_signals();
        let mut inner = self.lock();
        loop {
            if let Some(job) = inner.waiting.pop_front() {
                inner.running.push((job.id, job.cancel.clone()));
                drop(inner);
                let (work, cancel) = (job.work, job.cancel);
                if catch_unwind(AssertUnwindSafe(|| work(&cancel))).is_err() {
                    tracing::error!("a hook's own job panicked; the other hooks continue");
                }
                inner = self.lock();
                inner.running.retain(|(id, _)| *id != job.id);
                self.notify_if_quiet(&inner);
                continue;
            }
            if inner.closed {
                break;
            }
            inner.idle += 1;
            let (woken, waited) = self.wake.wait_timeout(inner, IDLE).unwrap_or_else(PoisonError::into_inner);
            inner = woken;
            inner.idle -= 1;
            if waited.timed_out() && inner.waiting.is_empty() {
                break;
            }
        }
        inner.threads -= 1;
    }

    /// Takes a job back that has not started; the caller drops it, without the lock.
    pub(super) fn take_waiting(&self, id: u64) -> Option<QueuedJob> {
        let mut inner = self.lock();
        let at = inner.waiting.iter().position(|job| job.id == id)?;
        let taken = inner.waiting.remove(at);
        self.notify_if_quiet(&inner);
        taken
    }

    pub(super) fn load(&self) -> (usize, usize) {
        let inner = self.lock();
        (inner.running.len(), inner.waiting.len())
    }

    pub(super) fn close(&self) {
        let (waiting, running) = {
            let mut inner = self.lock();
            inner.closed = true;
            let waiting = std::mem::take(&mut inner.waiting);
            let running: Vec<Cancel> = inner.running.iter().map(|(_, cancel)| cancel.clone()).collect();
            self.notify_if_quiet(&inner);
            (waiting, running)
        };
        self.wake.notify_all();
        for job in &waiting {
            job.cancel.cancel();
        }
        drop(waiting);
        for cancel in running {
            cancel.cancel();
        }
    }

    fn notify_if_quiet(&self, inner: &Inner) {
        if inner.watchers > 0 && inner.is_quiet() {
            self.quiet.notify_all();
        }
    }

    pub(super) fn wait_quiet(&self, limit: Duration) -> bool {
        let until = now().checked_add(limit);
        let mut inner = self.lock();
        inner.watchers += 1;
        while !inner.is_quiet() {
            let Some(until) = until else {
                inner = self.quiet.wait(inner).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = until.saturating_duration_since(now());
            if left.is_zero() {
                break;
            }
            inner = self.quiet.wait_timeout(inner, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        inner.watchers -= 1;
        inner.is_quiet()
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State")
            .field("process", &self.process)
            .field("max_running", &self.max_running)
            .finish_non_exhaustive()
    }
}
