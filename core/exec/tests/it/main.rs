//! Commands and webhooks: how they run, end, fail and are cancelled.
//!
//! What counts everything that a process holds stands in programs of its own beside this one.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests end with a message, measure time and start programs"
)]

#[cfg(target_os = "linux")]
mod command;
#[cfg(target_os = "linux")]
mod cost;
#[cfg(target_os = "linux")]
mod kill;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod pool;
#[cfg(target_os = "linux")]
mod support;
mod webhook;
