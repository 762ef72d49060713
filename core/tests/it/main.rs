//! Programs written in Rust against the engine: dispatches, sessions, hooks from files, the audit log.
//!
//! What must be alone in its process stands in programs of its own beside this one: `log.rs` and `spans.rs`, since `tracing` remembers
//! for the whole process whether there is a subscriber, and `memory.rs`, which counts what is allocated.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::format_collect,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::print_stdout,
    clippy::unused_self,
    clippy::unwrap_used,
    missing_docs,
    reason = "tests end with a message, measure time and start programs"
)]

mod audit;
mod closing;
#[cfg(unix)]
mod compat_cocode;
mod compat_cocode_agent;
#[cfg(unix)]
mod compat_configs;
mod compat_shadow;
mod docs;
mod engine;
#[cfg(unix)]
mod file_hooks;
mod hostile_webhooks;
mod in_place;
mod judged_calls;
mod mistakes;
mod open_model_calls;
mod open_tool_calls;
mod outcome_texts;
mod outside;
mod policies;
#[cfg(unix)]
mod recording;
#[cfg(unix)]
mod remote;
mod sessions;
mod stats;
mod support;
mod sync_dispatch;
mod temporary_hooks;
#[cfg(target_os = "linux")]
mod terminal;
mod threads;
#[cfg(unix)]
mod watch;
