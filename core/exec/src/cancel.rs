//! Cancels a running job from any thread.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Watcher = Box<dyn FnOnce() + Send>;

/// Set once; every watcher runs.
///
/// A job that blocks watches it with something that wakes the blocking call: a command writes to a pipe that it polls, a
/// webhook shuts its socket down.
#[derive(Clone, Default)]
pub struct Cancel {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    cancelled: AtomicBool,
    watchers: Mutex<Watchers>,
}

#[derive(Default)]
struct Watchers {
    next: u64,
    waiting: Vec<(u64, Watcher)>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Watchers> {
        self.watchers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cancel {
    /// Not cancelled yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.shared.cancelled.load(Ordering::Acquire)
    }

    /// Tells it: every watcher runs on this thread, each once.
    pub fn cancel(&self) {
        let waiting = {
            let mut watchers = self.shared.lock();
            self.shared.cancelled.store(true, Ordering::Release);
            std::mem::take(&mut watchers.waiting)
        };
        for (_, watcher) in waiting {
            watcher();
        }
    }

    /// Runs `wake` on cancellation, at once when it was cancelled already, never after the watch is dropped and `wake` has
    /// not begun.
    #[must_use = "the watch ends when it is dropped"]
    pub fn watch(&self, wake: impl FnOnce() + Send + 'static) -> Watch {
        let mut watchers = self.shared.lock();
        if self.is_cancelled() {
            drop(watchers);
            wake();
            return Watch { shared: Arc::clone(&self.shared), id: 0 };
        }
        watchers.next += 1;
        let id = watchers.next;
        watchers.waiting.push((id, Box::new(wake)));
        drop(watchers);
        Watch { shared: Arc::clone(&self.shared), id }
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancel").field("is_cancelled", &self.is_cancelled()).finish()
    }
}

/// A watcher's place; dropping it ends the watch.
pub struct Watch {
    shared: Arc<Shared>,
    id: u64,
}

impl Drop for Watch {
    fn drop(&mut self) {
        let ended = {
            let mut watchers = self.shared.lock();
            let at = watchers.waiting.iter().position(|(id, _)| *id == self.id);
            at.map(|at| watchers.waiting.swap_remove(at))
        };
        drop(ended);
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    #[test]
    fn a_watcher_hears_it_once_and_a_dropped_one_never() {
        let heard = Arc::new(AtomicU32::new(0));
        let count = || {
            let heard = Arc::clone(&heard);
            move || {
                heard.fetch_add(1, Ordering::SeqCst);
            }
        };
        let cancel = Cancel::new();
        let _kept = cancel.watch(count());
        drop(cancel.watch(count()));
        assert!(!cancel.is_cancelled());
        cancel.cancel();
        cancel.cancel();
        assert_eq!(heard.load(Ordering::SeqCst), 1);
        let _late = cancel.watch(count());
        assert_eq!(heard.load(Ordering::SeqCst), 2);
    }
}
