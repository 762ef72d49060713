//! Hooks from configuration files: find, read, merge, trust, lint, reload and run them.
//!
//! **Owns** file formats and their usual places, what an approval of a file covers, and the hooks that files declare.
//! **Never** interprets a hook's output itself: that is a dialect's. Nothing runs that is not trusted.
//!
//! # Entry points
//!
//! * [`config::load`] finds, reads and merges; [`config::trust`] approves; [`config::lint`] reports likely mistakes.
//! * [`file_hook`] runs one hook of a file; [`files`] holds what a client has loaded and reloads it.
//! * [`config::ready_made`] has the hooks that the engine brings along.

pub mod approvals;
pub mod computed;
pub mod config;
pub mod file_hook;
pub mod files;
mod open;
