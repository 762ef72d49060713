#![doc = include_str!("../README.md")]
//!
//! # Where things are
//!
//! [`Engine`] registers hooks and dispatches events on the calling task; [`Session`] does what an agent does with the outcomes.
//! All types that a program names are here at the root, except those of the audit log, in [`audit`], of workers, in [`remote`], and of other systems, in
//! [`compat`]. The features `grpc` and `nats`, both off unless turned on, add ways to workers to [`remote`].
//!
//! **Owns** what only a Rust program has: hooks that are futures, typed events, the tokio driver, and the interfaces of other systems in
//! [`compat`]. **Never** holds a rule of its own: those are in the crates that it re-exports, and the Python and Node packages
//! run by the same ones.

pub mod audit;
pub mod compat;
mod engine;
pub mod remote;
mod response;

#[doc(inline)]
pub use hookweave_host::action::Action;
#[doc(inline)]
pub use hookweave_host::answer::{Injection, Message, Question};
pub use hookweave_host::computed::Per;
#[doc(inline)]
pub use hookweave_host::config::lint::{Finding, Severity};
#[doc(inline)]
pub use hookweave_host::config::load::{FoundFile, LostApproval, UntrustedHook};
#[doc(inline)]
pub use hookweave_host::config::reload::Change;
#[doc(inline)]
pub use hookweave_host::config::trust::{Trust, TrustStore, TrustedHook};
#[doc(inline)]
pub use hookweave_host::config::{Fix, Problem};
#[doc(inline)]
pub use hookweave_host::dialects::WireAnswer;
#[doc(inline)]
pub use hookweave_host::dispatch::{FailureKind, Observed, Status};
#[doc(inline)]
pub use hookweave_host::event::{CatalogueEntry, CatalogueField, FieldKind};
#[doc(inline)]
pub use hookweave_host::exec::outside::HostQuestion;
#[doc(inline)]
pub use hookweave_host::exec::terminal::{Reading, TerminalQuestion};
#[doc(inline)]
pub use hookweave_host::exec::trace_context::TraceContext;
#[doc(inline)]
pub use hookweave_host::explain::{ExplainedHook, Explanation};
#[doc(inline)]
pub use hookweave_host::files::{FileRequest, LoadReport, LoadRequest, PlacesRequest, ReloadReport};
#[doc(inline)]
pub use hookweave_host::hook::{Enforcement, FailBehavior, HookSpec, Origin, Scope, Timeout};
#[doc(inline)]
pub use hookweave_host::matcher::{Access, ArgTest, MatcherSpec, Rules};
pub use hookweave_host::met::CommandPart;
#[doc(inline)]
pub use hookweave_host::options::{Conflict, Mode};
#[doc(inline)]
pub use hookweave_host::outcome::{Failure, FromHook, Overridden, Stand, TraceEntry, Unmatched, Vote};
#[doc(inline)]
pub use hookweave_host::registry::HookInfo;
#[doc(inline)]
pub use hookweave_host::session::{Permission, Role};
#[doc(inline)]
pub use hookweave_host::stats::{Durations, HookStats, HookWarning, Stats, WarningKind};
#[doc(inline)]
pub use hookweave_host::tool::ToolDefinition;

pub use engine::{
    AllowAll, Approval, ApprovalPending, ApprovalRequest, Approver, BoxFuture, Compaction, Context, ContextMessage,
    DenyAll, Display, Engine, EngineBuilder, Event, Generation, Handler, HookContext, HookFuture, LateAnswer,
    LogDisplay, Messages, Model, ModelOutcome, ModelRequest, ModelResponse, NoticeResult, OpenModelCall, OpenToolCall,
    Outcome, PendingApprovals, Registration, Session, SessionBuilder, Started, Stopped, Submitted, Suspended,
    TemporaryHook, TerminalApprover, Tool, ToolCall, ToolContext, ToolOutcome, ToolResult,
};
#[doc(inline)]
pub use hookweave_host::error::{Code, Error};
pub use response::{HookError, HookResponse, IntoResponse};
