//! The one door for drivers: the Rust engine, both bindings and the command are written on this crate alone.
//!
//! **Owns** the envelope of an event (`session_id`, `metadata`, `timestamp`) and calls that every driver makes alike; the rest is
//! exported from the crates below. **Never** holds a rule that a crate below could hold.
//!
//! # Entry points
//!
//! Each crate below is a module here, or its modules are. A driver registers hooks in a [`Registry`](registry::Registry), plans a
//! payload with [`Snapshot::plan`](index::Snapshot::plan), and runs the steps that [`begin`](dispatch::begin) gives. It owns
//! what the machine must not have: callables, clocks, timers, tasks.

pub mod envelope;

pub use hookweave_audit as audit;
pub use hookweave_clock as clock;
pub use hookweave_command as command;
pub use hookweave_dialects as dialects;
pub use hookweave_exec as exec;
pub use hookweave_files::{approvals, computed, config, file_hook, files};
pub use hookweave_machine::{
    action, answer, call, decision, detached, directory, dispatch, error, escape, event, explain, guard, hook, index,
    json, matcher, met, observer, options, outcome, pattern, payload, registry, stats, tool,
};
pub use hookweave_remote as remote;
pub use hookweave_session as session;

use audit::Audit;
use error::Error;
use observer::{ObservedEvent, Observer as _};
use registry::HookId;

/// Parses a hook's id, or says that no hook can have it.
pub fn hook_id(text: &str) -> Result<HookId, Error> {
    HookId::parse(text).ok_or_else(|| registry::unknown_hook(text))
}

/// Puts on record that a worker, or one of its hooks, was refused (`HubAction::Refused`).
pub fn record_refused_worker(audit: &Audit, worker: &str, code: &str, reason: &str) {
    audit.observe(ObservedEvent::WorkerRefused { worker, code, reason });
}
