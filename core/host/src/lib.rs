//! The one door for drivers: the Rust engine, both bindings and the command are written on this crate alone.
//!
//! **Owns** the envelope of an event (`session_id`, `metadata`, `timestamp`) and nothing else; the rest is exported from the crates
//! below. **Never** holds a rule that a crate below could hold.
//!
//! # Entry points
//!
//! A driver registers hooks in a [`Registry`], plans a payload with [`Snapshot::plan`], and runs the steps that [`begin`] gives. It
//! owns what the machine must not have: callables, clocks, timers, tasks.

pub mod envelope;

pub use hookweave_audit as audit;
pub use hookweave_dialects as dialects;
pub use hookweave_exec as exec;
pub use hookweave_files::{config, file_hook, files};
pub use hookweave_machine::{
    action, answer, detached, directory, dispatch, error, escape, event, explain, handler_output, hook, index, json,
    match_input, matcher, observer, options, outcome, path, pattern, payload, read, registry, stats, sync, timestamp,
    tool, tool_names,
};
pub use hookweave_session as session;

pub use envelope::{Envelope, FILLED_IN, check_payload, has_tool_use_id, is_missing};
pub use hookweave_dialects::{WireAnswer, WireEvent, event_from_wire, outcome_to_wire};
pub use hookweave_machine::action::Action;
pub use hookweave_machine::answer::{Injection, Message, Question};
pub use hookweave_machine::detached::{DetachedQueue, MAX_WAITING, Submitted, refusal};
pub use hookweave_machine::directory::Directory;
pub use hookweave_machine::dispatch::{
    FailureKind, HandlerResult, HookFailure, MAX_DEPTH, Report, Stage, Status, Step, begin, check_depth,
};
pub use hookweave_machine::error::{Code, Error};
pub use hookweave_machine::event::{
    BUILT_IN, COMMON_FIELDS, CatalogueEntry, CatalogueField, EventDefinition, EventSpec, FieldKind, Modifiable,
};
pub use hookweave_machine::explain::{ExplainedHook, Explanation, explain};
pub use hookweave_machine::hook::{FailBehavior, HookSpec, Scope, Timeout};
pub use hookweave_machine::index::{Call, EventIndex, Plan, Planned, Reuse, Snapshot};
pub use hookweave_machine::json::{NotJson, from_json, large_integer, to_json, to_shown};
pub use hookweave_machine::matcher::{ArgTest, MatcherSpec};
pub use hookweave_machine::options::{Mode, Options, Profile};
pub use hookweave_machine::outcome::{Outcome, Summary, TraceEntry, Unmatched, Vote};
pub use hookweave_machine::payload::{BadKey, Excess, Host, Kind, MAX_NESTING, MAX_VALUES, Made, Room, Spelling};
pub use hookweave_machine::registry::{Entry, HookId, HookInfo, Registry};
pub use hookweave_machine::stats::{HookCounter, Now, ReportedFailure, Stats, Warning};
pub use hookweave_machine::tool::ToolDefinition;

pub use hookweave_clock::{new_id, now, now_ms, present, ticks};
pub use hookweave_dialects::Invocation;
pub use hookweave_exec::pool::Job;
pub use hookweave_files::config::trust::{Trust, TrustStore, TrustedHook};
pub use hookweave_files::config::watch::QUIET;
pub use hookweave_files::file_hook::{FileHook, HostQuestion, Runtime, Settings, TraceContext};
pub use hookweave_files::files::{
    Files, FilesWatch, LoadReport, LoadRequest, PendingChanges, Prepared, ReloadReport, Watched,
};

/// Parses a hook's id, or says that no hook can have it.
pub fn hook_id(text: &str) -> Result<HookId, Error> {
    HookId::parse(text).ok_or_else(|| hookweave_machine::registry::unknown_hook(text))
}
