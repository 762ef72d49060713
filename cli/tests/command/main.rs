//! The program as people start it: what it prints, its exit codes, and what the pages about it show.
//!
//! The commands around it (`sed`, `date`) are those of Linux.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::format_push_string,
    reason = "a test ends with a message"
)]

mod attacks;
mod golden;
mod outputs;
mod pages;
mod remote;
mod support;
mod together;
mod watch;
