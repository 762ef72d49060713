//! Locks and atomics that threads meet at: the standard library's, or those of a model checker.
//!
//! Compiled with `--cfg shuttle` every step of theirs becomes a choice of the checker, which then runs a test under many
//! orders of steps; `make test` does that for the modules called `races`. Code that such a test covers takes its locks and
//! atomics from here.

#[cfg(not(shuttle))]
mod real {
    pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    pub(crate) use std::sync::{Mutex, MutexGuard};

    pub(crate) use arc_swap::ArcSwap;
}

#[cfg(shuttle)]
mod checked {
    use std::sync::{Arc, PoisonError};

    pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    pub(crate) use shuttle::sync::{Mutex, MutexGuard};

    /// `arc_swap::ArcSwap` as the checker sees it: one step to read, one to write.
    #[derive(Debug)]
    pub(crate) struct ArcSwap<T>(Mutex<Arc<T>>);

    impl<T> ArcSwap<T> {
        pub(crate) fn from_pointee(value: T) -> Self {
            Self(Mutex::new(Arc::new(value)))
        }

        pub(crate) fn load_full(&self) -> Arc<T> {
            Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
        }

        pub(crate) fn swap(&self, new: Arc<T>) -> Arc<T> {
            std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), new)
        }
    }
}

#[cfg(shuttle)]
pub(crate) use checked::*;
#[cfg(not(shuttle))]
pub(crate) use real::*;
