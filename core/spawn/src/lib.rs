//! Starts a program in a session of its own, by `posix_spawn`, whose cost does not grow with the parent's memory.
//!
//! The standard library can start a process group without copying the parent, but a session only after a `fork`, which
//! copies the page tables and stops a parent of 2 GiB for tens of milliseconds. This crate holds the calls that need
//! `unsafe` for it, and nothing else: hookweave's core, which forbids `unsafe`, decides what to start and when to kill it.
//! On Windows the crate is empty.

#![cfg_attr(unix, expect(unsafe_code, reason = "the C API of the system; each use says why it is sound"))]

#[cfg(unix)]
mod exit;
#[cfg(unix)]
mod files;
#[cfg(unix)]
mod forks;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod start;

#[cfg(unix)]
pub use exit::{exit_event, forgets_children, session_of};
#[cfg(unix)]
pub use forks::forks;
#[cfg(unix)]
pub use signals::{hold_signals, write_quietly};
#[cfg(unix)]
pub use start::{Start, start};
