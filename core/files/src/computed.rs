//! Hooks that look at an event and decide at once: no process runs, and no code of the host.

mod limit;
mod redaction;

use std::sync::Arc;

use serde_json::{Map, Value};

use hookweave_machine::dispatch::HandlerResult;
use hookweave_machine::sessions::SessionLookup;

pub(crate) use limit::MOST;
pub use limit::{Limit, Per};
pub use redaction::Redacted;

/// What such a hook does.
#[derive(Debug, Clone, PartialEq)]
pub enum Computed {
    /// Takes secrets out of a field.
    Redaction(Redacted),
    /// Counts calls.
    Limit(Arc<Limit>),
}

impl Computed {
    /// What it answers to an event, which has the common fields filled in.
    pub(crate) fn answer(&self, payload: &Map<String, Value>, sessions: &dyn SessionLookup) -> HandlerResult<Value> {
        match self {
            Self::Redaction(redacted) => redacted.answer(payload),
            Self::Limit(limit) => limit.answer(payload, sessions),
        }
    }

    /// What it answers to an event that has no JSON form; `None` where that is a failure, which blocks.
    pub(crate) fn without_event(&self) -> Option<Value> {
        match self {
            Self::Redaction(redacted) => Some(redacted.withheld()),
            Self::Limit(_) => None,
        }
    }
}

impl std::fmt::Display for Computed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Redaction(redacted) => write!(f, "redact-secrets: {}", redacted.field),
            Self::Limit(limit) => write!(f, "limit-calls: {limit}"),
        }
    }
}
