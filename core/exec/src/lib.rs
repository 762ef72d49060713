//! Commands, webhooks and terminal questions, as blocking jobs on a pool of plain threads.
//!
//! **Owns** starting, limiting, cancelling and killing; the guard of webhook addresses; the prompt at a terminal.
//! **Never** knows what a hook is or what its output means. No thread enters an interpreter.
//!
//! # Entry points
//!
//! * [`pool::Pool`] runs a [`pool::Job`] and ends it with a callback; [`cancel::Cancel`] ends it early.
//! * [`command::run`], [`webhook::WebClient`] and [`terminal`] block until the job is done.

pub mod cancel;
pub mod command;
pub mod pool;
pub mod terminal;
pub mod webhook;
