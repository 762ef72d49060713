//! The hook engine for AI agents.
//!
//! An agent raises events (a tool is about to run, a prompt came in, a session ends); hooks observe, modify, block, ask
//! a person or add context. [`Engine`] registers hooks and dispatches events on tokio, on the calling task; [`Session`] does
//! what an agent does with the outcomes.
//!
//! **Owns** what only a Rust program has: hooks that are futures, typed events, the tokio driver, and the interfaces of other systems in
//! [`compat`]. **Never** holds a rule of its own: those are in the crates that it re-exports, and the Python and Node packages
//! run by the same ones.

pub mod compat;
mod engine;
mod response;

#[doc(inline)]
pub use hookweave_host::{
    action, answer, audit, config, dialects, dispatch, error, event, exec, explain, file_hook, files, hook, index,
    json, matcher, observer, options, outcome, payload, registry, session, stats, tool,
};

pub use engine::{
    AllowAll, ApprovalRequest, Approver, BoxFuture, Compaction, Context, ContextMessage, DenyAll, Display, Engine,
    EngineBuilder, Event, Generation, Handler, HookContext, HookFuture, LateAnswer, LogDisplay, Messages, Model,
    ModelRequest, ModelResponse, NoticeResult, Outcome, PendingApprovals, Registration, Session, SessionBuilder,
    Started, Stopped, Submitted, TemporaryHook, TerminalApprover, Tool, ToolCall, ToolContext, ToolOutcome, ToolResult,
};
pub use error::{Code, Error};
pub use response::{HookError, HookResponse, IntoResponse};
