//! Locks and atomics that threads meet at: the standard library's, or those of a model checker.
//!
//! Compiled with `--cfg shuttle` every step of theirs becomes a choice of the checker, which then runs a test under many
//! orders of steps; `make test` does that for the modules called `races`. Code that such a test covers takes its locks and
//! atomics from here.

#[cfg(not(shuttle))]
mod real {
    pub use std::sync::Condvar;
    pub use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    pub use std::sync::{Mutex, MutexGuard};

    pub use arc_swap::ArcSwap;
}

#[cfg(shuttle)]
#[allow(missing_docs, reason = "the names of the standard library, with their meaning there")]
mod checked {
    use std::sync::{Arc, LockResult, PoisonError};
    use std::time::Duration;

    pub use shuttle::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    pub use shuttle::sync::{Mutex, MutexGuard};

    /// Waits that are no longer may be over at any time.
    const SHORT: Duration = Duration::from_millis(10);

    /// `std::sync::Condvar` as the checker sees it. A short wait may be over at any time; a long one lasts until
    /// another thread ends it: a thread that only its time limit would end was not woken, and the checker reports a deadlock.
    #[derive(Debug, Default)]
    pub struct Condvar(shuttle::sync::Condvar);

    #[allow(dead_code, reason = "what code waits for differs by what is built")]
    impl Condvar {
        pub fn new() -> Self {
            Self::default()
        }

        pub fn notify_one(&self) {
            self.0.notify_one();
        }

        pub fn notify_all(&self) {
            self.0.notify_all();
        }

        pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
            self.0.wait(guard)
        }

        pub fn wait_timeout<'a, T>(
            &self,
            guard: MutexGuard<'a, T>,
            _: Duration,
        ) -> LockResult<(MutexGuard<'a, T>, bool)> {
            Ok((self.0.wait(guard).unwrap_or_else(PoisonError::into_inner), false))
        }

        pub fn wait_timeout_while<'a, T>(
            &self,
            guard: MutexGuard<'a, T>,
            limit: Duration,
            condition: impl FnMut(&mut T) -> bool,
        ) -> LockResult<(MutexGuard<'a, T>, bool)> {
            if limit <= SHORT {
                return Ok((guard, true));
            }
            Ok((self.0.wait_while(guard, condition).unwrap_or_else(PoisonError::into_inner), false))
        }
    }

    /// `arc_swap::ArcSwap` as the checker sees it: one step to read, one to write.
    #[derive(Debug)]
    pub struct ArcSwap<T>(Mutex<Arc<T>>);

    impl<T> ArcSwap<T> {
        pub fn from_pointee(value: T) -> Self {
            Self(Mutex::new(Arc::new(value)))
        }

        pub fn load_full(&self) -> Arc<T> {
            Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
        }

        pub fn swap(&self, new: Arc<T>) -> Arc<T> {
            std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), new)
        }
    }
}

/// Runs a test under so many random orders of its threads' steps.
#[cfg(shuttle)]
pub fn check_random(test: impl Fn() + Send + Sync + 'static, orders: usize) {
    let mut config = shuttle::Config::new();
    // Its threads are coroutines, whose stacks are 32 KiB by default: too few for a registry or a log in a debug build.
    config.stack_size = 1 << 20;
    shuttle::Runner::new(shuttle::scheduler::RandomScheduler::new(orders), config).run(test);
}

#[cfg(shuttle)]
pub use checked::*;
#[cfg(not(shuttle))]
pub use real::*;
