//! The machine shaped for a foreign driver: what the Python and Node bindings translate one to one.
//!
//! A driver registers hooks in a [`Registry`], plans a payload with [`Snapshot::plan`], and runs the steps that
//! [`begin`] gives. It owns everything that the machine must not have: callables, clocks, timers, tasks.

use std::sync::OnceLock;
use std::time::Instant;

pub use crate::action::Action;
pub use crate::answer::{Ask, Injection, Message};
pub use crate::detached::{DetachedQueue, MAX_WAITING, Submitted, refusal};
pub use crate::dialects::{WireAnswer, WireEvent, event_from_wire, outcome_to_wire};
pub use crate::directory::Directory;
pub use crate::dispatch::{Failure, FailureKind, MAX_DEPTH, Report, Said, Stage, Status, Step, begin, check_depth};
pub use crate::envelope::{Envelope, FILLED_IN, check_payload, has_tool_use_id, is_missing};
pub use crate::error::{Code, Error};
pub use crate::event::{BUILT_IN, BuiltIn, COMMON_FIELDS, EventDefinition, EventSpec, Field, FieldKind, Modifiable};
pub use crate::explain::{Explained, Explanation, explain};
pub use crate::hook::{FailBehavior, HookSpec, Scope, Timeout};
pub use crate::index::{Call, EventIndex, Plan, Planned, Reuse, Snapshot};
pub use crate::json::{NotJson, from_json, large_integer, to_json, to_shown};
pub use crate::matcher::{ArgTest, MatcherSpec};
pub use crate::options::{Mode, Options, Profile};
pub use crate::outcome::{Outcome, Summary, TraceEntry, Unmatched, Vote};
pub use crate::payload::{BadKey, Excess, Host, Kind, MAX_NESTING, MAX_VALUES, Made, Room, Spelling};
pub use crate::registry::{Entry, HookId, HookInfo, Registry};
pub use crate::stats::{HookCounter, Now, Stats, Told, Warning};
pub use crate::tool::ToolDefinition;

#[cfg(feature = "native")]
pub use crate::{
    config::{
        trust::{Approval, Trust, TrustStore},
        watch::QUIET,
    },
    dialects::Invocation,
    files::{Files, FilesWatch, Noticed, Prepared, Reloaded, Report as FilesReport, Request, Watched},
    handlers::pool::Job,
    native::{NativeHook, Question, Runtime, Settings, TraceContext},
};

/// Milliseconds since the epoch.
#[must_use]
pub fn now_ms() -> u64 {
    #[expect(clippy::disallowed_methods, reason = "the one place where the wall clock is read")]
    let now = std::time::SystemTime::now();
    now.duration_since(std::time::UNIX_EPOCH).map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// A moment in nanoseconds on the clock of statistics; only differences mean something.
#[must_use]
pub fn ticks(moment: Instant) -> u64 {
    u64::try_from(moment.saturating_duration_since(zero()).as_nanos()).unwrap_or(u64::MAX)
}

/// The present, as statistics are asked for.
#[must_use]
pub fn present() -> Now {
    let zero = zero();
    #[expect(clippy::disallowed_methods, reason = "statistics say when hooks last ran")]
    let now = Instant::now();
    Now { ticks: ticks(now.max(zero)), epoch_ms: now_ms() }
}

/// Where the clock of statistics begins: when it is first asked, so that no moment that counts is before.
fn zero() -> Instant {
    static ZERO: OnceLock<Instant> = OnceLock::new();
    #[expect(clippy::disallowed_methods, reason = "the zero of the clock that drivers' own readings are compared with")]
    *ZERO.get_or_init(Instant::now)
}

/// A random id for a session or a tool call that the host did not name.
#[must_use]
pub fn new_id() -> String {
    crate::ids::new_id()
}

/// Parses a hook's id, or says that no hook can have it.
pub fn hook_id(text: &str) -> Result<HookId, Error> {
    HookId::parse(text).ok_or_else(|| crate::registry::unknown_hook(text))
}
