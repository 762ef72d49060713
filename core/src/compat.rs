//! The interfaces of other hook systems: hooks that were written for one of them run with another import and nothing else.
//!
//! A module has the names of one system. Behind each registry stands an [`Engine`](crate::Engine) with that system's profile:
//! it matches, orders and folds, and can be dispatched to, opened as a session, or given hooks of other kinds.

pub mod cocode;
pub mod shadow;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Runs code of a guard that has no word for its own failure: on a gate a panic refuses, for the reason that is given, since
/// a guard that broke has allowed nothing. Elsewhere it is a failure like any other.
fn guarded<R>(gate: bool, run: impl FnOnce() -> R, refuse: impl FnOnce(String) -> R) -> R {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => result,
        Err(panic) if gate => refuse(format!("the hook panicked: {}", crate::engine::panic_message(&*panic))),
        Err(panic) => resume_unwind(panic),
    }
}
