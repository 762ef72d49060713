//! The hook engine for AI agents.
//!
//! An agent raises events (a tool is about to run, a prompt came in, a session ends); hooks observe, modify, block, ask
//! a person or add context. This crate holds the rules: which hooks an event selects, in which order they run, how
//! their answers fold into one [`Outcome`](outcome::Outcome), and what a failure means. Programs written in Rust use
//! `Engine`; the Python and Node packages drive the same machine through [`host`].

pub mod action;
pub mod answer;
#[cfg(feature = "native")]
pub mod audit;
/// The queue of the audit log, built without the rest of it.
#[cfg(all(test, shuttle, not(feature = "native")))]
#[path = "audit/races.rs"]
mod audit_queue;
#[cfg(feature = "engine")]
pub mod compat;
#[cfg(feature = "native")]
pub mod config;
pub mod detached;
#[cfg(all(test, shuttle))]
#[path = "detached/races.rs"]
mod detached_races;
pub mod dialects;
mod directory;
pub mod dispatch;
#[cfg(feature = "engine")]
mod engine;
#[cfg(feature = "host")]
mod envelope;
pub mod error;
pub mod event;
pub mod explain;
#[cfg(feature = "native")]
pub mod files;
#[cfg(feature = "engine")]
mod handler;
#[cfg(feature = "native")]
pub mod handlers;
#[cfg(all(test, shuttle, not(feature = "native")))]
mod handlers {
    pub(crate) mod clock;
}
pub mod hook;
#[cfg(feature = "host")]
pub mod host;
#[cfg(feature = "host")]
mod ids;
pub mod index;
pub mod json;
mod look;
pub mod matcher;
#[cfg(feature = "native")]
pub mod native;
pub mod options;
pub mod outcome;
mod path;
mod pattern;
pub mod payload;
mod read;
#[cfg(feature = "native")]
pub mod recording;
pub mod registry;
#[cfg(feature = "engine")]
mod response;
#[cfg(feature = "host")]
pub mod session;
pub mod stats;
mod sync;
#[cfg(feature = "native")]
pub mod terminal;
pub mod tool;
pub mod witness;

#[cfg(all(feature = "engine", feature = "native"))]
pub use engine::TerminalApprover;
#[cfg(feature = "engine")]
pub use engine::{
    AllowAll, Approval, Approver, Compaction, Context, ContextMessage, DenyAll, Display, Engine, EngineBuilder, Event,
    Generation, HookContext, LateAnswer, LogDisplay, Messages, Model, ModelRequest, ModelResponse, Noticed, Outcome,
    PendingApproval, PendingApprovals, Registration, Running, Session, SessionBuilder, Started, Stopped, Submitted,
    Tool, ToolContext, ToolOutcome, ToolResult, ToolUse,
};
pub use error::{Code, Error};
#[cfg(feature = "engine")]
pub use handler::{Handler, HookError, HookFuture};
#[cfg(feature = "engine")]
pub use response::{HookResponse, IntoResponse};
