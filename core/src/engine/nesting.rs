//! How deep dispatches are nested: a hook may dispatch events itself.

use std::cell::Cell;

use super::panics::guarded;
use hookweave_host::dispatch::HookFailure;

thread_local! {
    /// How deep a dispatch that starts now would be: one more than that of the hook which is being polled.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// The depth of a dispatch that starts here.
pub(super) fn depth() -> u32 {
    DEPTH.get()
}

/// The depth of what a dispatch of some depth runs, until it is dropped.
pub(super) struct Depth(u32);

impl Depth {
    pub(super) fn enter(depth: u32) -> Self {
        Self(DEPTH.replace(depth + 1))
    }
}

impl Drop for Depth {
    fn drop(&mut self) {
        DEPTH.set(self.0);
    }
}

/// Runs code of a hook as part of a dispatch of some depth; a panic is the hook's failure, not the agent's.
pub(super) fn inside<R, V>(depth: u32, run: impl FnOnce() -> R) -> Result<R, HookFailure<V>> {
    let _depth = Depth::enter(depth);
    guarded(run)
}
