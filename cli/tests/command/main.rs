//! The program as people start it: what it prints, its exit codes, and what the pages about it show.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::format_push_string, reason = "a test ends with a message")]

mod golden;
mod pages;
mod support;
