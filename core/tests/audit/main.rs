//! The audit log, as programs use it and as attackers and accidents treat it.
#![cfg(all(feature = "engine", feature = "native"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::format_collect,
    clippy::needless_pass_by_value,
    clippy::print_stdout,
    clippy::unused_self,
    unsafe_code,
    reason = "a test ends with a message; clocks, processes and forks are what is tested"
)]

mod disk;
mod dispatches;
mod failing;
mod processes;
mod quiet;
mod redaction;
mod required;
mod rotation;
mod size;
mod support;
mod taken;
mod tampering;
mod telling;
