//! What a driver reports to the machine about one hook.

use crate::failure::HookFailure;

/// What came of running a hook.
#[derive(Debug)]
pub enum HandlerResult<V> {
    /// It answered nothing.
    Nothing,
    /// It answered this, not yet read.
    Answer(V),
    /// It failed.
    Failed(HookFailure<V>),
    /// It was started and is not awaited.
    Detached,
}

/// What came of running a hook, and how long it took.
#[derive(Debug)]
pub struct Report<V> {
    /// What came of it.
    pub result: HandlerResult<V>,
    /// Nanoseconds from its start.
    pub took: u64,
    /// It ran longer than its timeout and could not be interrupted; its answer counts.
    pub overran: bool,
}

impl<V> Report<V> {
    /// A hook that ran in time.
    pub const fn new(result: HandlerResult<V>, took: u64) -> Self {
        Self { result, took, overran: false }
    }
}
