//! Panics of hooks, which are failures of theirs and never the agent's.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hookweave_host::dispatch::{FailureKind, HookFailure};

/// Runs code of a hook; a panic is the hook's failure.
pub(super) fn guarded<R, V>(run: impl FnOnce() -> R) -> Result<R, HookFailure<V>> {
    catch_unwind(AssertUnwindSafe(run)).map_err(panicked)
}

#[cold]
#[expect(clippy::needless_pass_by_value, reason = "a panic is caught by value")]
fn panicked<V>(panic: Box<dyn Any + Send>) -> HookFailure<V> {
    HookFailure::new(FailureKind::Raised, format!("panicked: {}", panic_message(&*panic)))
}

pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
