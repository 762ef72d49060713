//! Runs the conformance vectors of `tests/vectors` against the core.
//!
//! Every case runs in up to four styles: [`engine`] with closures, futures and handlers, and [`foreign`], a driver of its
//! own over the host façade, as the bindings have one. Cases with files run in one style of their own, in a [`file_hooks`]
//! place. `tests/vectors/README.md` explains the format.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "a fault in a vector or in this runner shall end the test with its place"
)]

use std::time::Duration;

/// Longer than anything takes on the busiest machine.
const LONG: Duration = Duration::from_secs(120);

/// In milliseconds: where a case sets none, no hook runs into the default timeout.
const TEN_MINUTES: u64 = 600_000;

pub mod case;
mod check;
pub mod client;
pub mod engine;
pub mod file_hooks;
pub mod foreign;
pub mod opening;
pub mod pattern;
mod promises;
pub mod runner;
pub mod script;
mod server;
pub mod session;
pub mod value;
mod wire;
