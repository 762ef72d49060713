//! The clock of one end of a connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use pyo3::prelude::*;

use crate::clock::now;

/// What a running clock shows instead of a time that was set.
const RUNS: u64 = u64::MAX;

/// Milliseconds since it was made, or the time that it was set to.
#[pyclass(frozen, module = "hookweave._native")]
#[derive(Clone)]
pub(crate) struct RemoteClock {
    began: Instant,
    set: Arc<AtomicU64>,
}

#[pymethods]
impl RemoteClock {
    #[new]
    #[pyo3(signature = (at = None))]
    fn new(at: Option<u64>) -> Self {
        Self { began: now(), set: Arc::new(AtomicU64::new(at.unwrap_or(RUNS))) }
    }

    /// Stops it at a time.
    fn set(&self, at: u64) {
        self.set.store(at, Ordering::Relaxed);
    }

    /// The time, in milliseconds.
    pub(super) fn ms(&self) -> u64 {
        match self.set.load(Ordering::Relaxed) {
            RUNS => u64::try_from(now().saturating_duration_since(self.began).as_millis()).unwrap_or(RUNS - 1),
            at => at,
        }
    }
}
