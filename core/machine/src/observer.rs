//! The interface to the audit log: what happens to hooks and through them.
//!
//! The machine reports its events to an [`Observer`]; whether and where they are written is the observer's concern.

mod event_digest;
mod trust;

use std::fmt::Debug;
use std::sync::Arc;

use crate::hook::{Enforcement, Origin, Scope};
use crate::hook_id::HookId;

pub use event_digest::EventDigest;
pub use event_digest::Part;
pub use event_digest::payload_json;
pub use event_digest::{beginning, each_text, tagged};
pub use trust::{ApprovedHook, TrustObserver, each_trust_observer, observe_trust};

/// What is kept of an event's payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Inputs {
    /// A keyed digest of what matchers look at: with the key it proves that an input was this one, and reveals nothing else.
    #[default]
    Digest,
    /// The digest and the payload, where secrets are blacked out and long texts are cut.
    Redacted,
    /// The digest and the whole payload; only secrets are blacked out.
    Full,
}

impl Inputs {
    /// Each value with the word that the wire has for it.
    pub const WORDS: &'static [(&'static str, Self)] =
        &[("digest", Self::Digest), ("redacted", Self::Redacted), ("full", Self::Full)];
}

/// A hook, as far as a record names it.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Named<'s> {
    pub id: &'s str,
    pub name: &'s str,
    pub event: &'s str,
    pub scope: Scope,
    pub enforcement: Enforcement,
    pub origin: Option<&'s Origin>,
}

/// What became of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Change {
    Registered,
    Removed,
    Enabled,
    Disabled,
}

/// Who does something, within a session.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the names say it")]
pub struct InSession<'s> {
    pub session: &'s str,
    pub agent: Option<&'s str>,
    pub tool: &'s str,
    pub tool_use_id: Option<&'s str>,
}

/// Something that happened.
#[derive(Debug)]
pub enum ObservedEvent<'s> {
    /// A hook came, went, or was switched.
    Hook(Change, Named<'s>),
    /// Hooks were loaded from files, or loaded anew.
    Loaded {
        /// The files that were found.
        files: Vec<String>,
        /// How many hooks they have.
        hooks: usize,
        /// What is wrong with them.
        problems: Vec<String>,
        /// How many hooks are not approved.
        untrusted: usize,
    },
    /// A person is asked.
    Asked {
        /// About which tool, in which session.
        about: InSession<'s>,
        /// The event that waits.
        event: &'s str,
        /// The hook that asks; `None` is the host's own rule.
        hook: Option<&'s str>,
        /// Which one of that name.
        hook_id: Option<HookId>,
        /// The question.
        prompt: &'s str,
        /// What can be chosen.
        options: &'s [String],
    },
    /// It was decided.
    Decided {
        /// About which tool, in which session.
        about: InSession<'s>,
        /// The event that waited.
        event: &'s str,
        /// The hook that asked.
        hook: Option<&'s str>,
        /// Which one of that name.
        hook_id: Option<HookId>,
        /// Whether it may go on.
        granted: bool,
        /// By whom: `user`, `remembered`, `timeout`, `host` or a hook.
        by: &'s str,
        /// Why not.
        reason: Option<&'s str>,
        /// What a person chose, when it was one of the options.
        option: Option<&'s str>,
        /// What the answer is remembered for from now on: `call`, `prompt` or `tool`.
        remembered: Option<&'static str>,
    },
    /// A worker of remote hooks was refused.
    WorkerRefused {
        /// The worker, as far as it is known.
        worker: &'s str,
        /// What kind of refusal it is.
        code: &'s str,
        /// What happened.
        reason: &'s str,
    },
    /// A session is about to run a tool.
    ToolStarts {
        /// Which tool, in which session.
        about: InSession<'s>,
        /// What it is given.
        input: Option<Arc<EventDigest>>,
    },
    /// A session was asked to run a tool.
    ToolRun {
        /// Which tool, in which session.
        about: InSession<'s>,
        /// What it was given.
        input: Option<Arc<EventDigest>>,
        /// Whether it ran, and whether it ran to its end without failing.
        ran: bool,
        /// Whether it ran to its end without failing.
        ok: bool,
        /// What was decided.
        decision: &'s str,
        /// Why it did not run.
        reason: Option<&'s str>,
        /// Who decided that.
        by: Option<&'s str>,
        /// Why it failed.
        error: Option<&'s str>,
        /// How often it was run.
        attempts: u32,
    },
}

/// What is on record of a dispatch before it is over: its number there, and what it is about.
#[derive(Debug)]
pub struct Begun {
    /// The number of the dispatch in the log.
    pub number: u64,
    /// What it is about.
    pub about: EventDigest,
}

/// Receives what happens, for the audit log.
pub trait Observer: Debug + Send + Sync {
    /// Records an event.
    fn observe(&self, seen: ObservedEvent<'_>);

    /// What is kept of payloads; `None` when tool runs are not recorded.
    fn inputs(&self) -> Option<Inputs>;

    /// Takes note of what is about to be done, where that has to be on record first, and waits until it is; why it may not be
    /// done, or `None` when it may.
    fn refuses(&self, before: ObservedEvent<'_>) -> Option<String>;

    /// Whether events have to be on record before they happen: the caller waits then.
    fn is_binding(&self) -> bool;
}
