//! The machine of hookweave: which hooks an event selects, in which order they run, how their answers fold into one
//! [`Outcome`](outcome::Outcome), and what a failure means.
//!
//! **Owns** events, payloads, answers, matchers, hooks, the registry with its index, dispatches, outcomes and explanations.
//! **Never** reads a clock, opens a file, starts a thread or calls a hook: a driver does, and reports what came of it. Of the system it
//! asks only for the working and the home directory. Values stay with their host; the machine reads them through [`payload::Host`].
//!
//! # Entry points
//!
//! * [`registry::Registry`] holds hooks, [`index::Snapshot::plan`] selects those of an event.
//! * [`dispatch::begin`] starts a dispatch, [`dispatch::Step`] is what the driver does next.
//! * [`matcher`] decides whether a hook runs, [`answer`] reads what a hook returned.

pub mod action;
pub mod answer;
pub mod call;
pub mod changed;
pub mod condition;
pub mod decision;
pub mod detached;
pub mod directory;
pub mod dispatch;
mod entry;
pub mod error;
pub mod escape;
pub mod event;
pub mod explain;
pub mod failure;
mod fold;
pub mod guard;
pub mod handler_output;
pub mod hex;
pub mod hook;
mod hook_id;
pub mod index;
pub mod json;
pub mod match_input;
pub mod matcher;
pub mod met;
pub mod observer;
pub mod once;
pub mod options;
pub mod outcome;
pub mod path;
pub mod pattern;
pub mod payload;
pub mod read;
pub mod registry;
pub mod sessions;
pub mod stats;
pub mod sync;
mod tally;
pub mod timestamp;
pub mod tool;

pub use error::{Code, Error};
#[doc(inline)]
pub use tool::names as tool_names;
