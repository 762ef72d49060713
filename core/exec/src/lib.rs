//! Outside hooks as drivers hold them, and what they run on: commands, webhooks, a pool of plain threads.
//!
//! **Owns** starting, limiting, cancelling and killing; the guard of webhook addresses; the prompt at a terminal.
//! **Never** knows where a hook comes from or what its output means. No thread enters an interpreter.
//!
//! # Entry points
//!
//! * [`outside::OutsideHook`] is a hook that a driver starts, waits for and cancels.
//! * [`pool::Pool`] runs a [`pool::Job`] and ends it with a callback; [`cancel::Cancel`] ends it early.
//! * [`command::run`], [`webhook::WebClient`] and [`terminal`] block until the job is done.

pub mod cancel;
pub mod command;
pub mod outside;
pub mod pool;
pub mod terminal;
pub mod trace_context;
pub mod webhook;
