//! What became of each selected hook, in a form for people and wires.

use serde::Serialize;

use crate::action::Action;
use crate::failure::FailureKind;
use crate::fold::{Observed, Record, Status};
use crate::hook::FailBehavior;
use crate::index::Call;

/// One line of a trace.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TraceEntry<'a> {
    /// The hook's name.
    pub hook: &'a str,
    /// Its id.
    pub id: String,
    /// What became of it.
    pub status: Status,
    /// Microseconds from its start; 0 when it did not run.
    pub duration_us: f64,
    /// What it decided, or what the failure rule made of its failure.
    pub action: Action,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
    /// What it would have done, if it observes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed: Option<&'a Observed>,
    /// The payload fields that it changed.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub modified: &'a [String],
    /// It is an `allow` that does not count.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub void: bool,
    /// Whose modifications it replaced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overrode: Vec<Overridden<'a>>,
    /// In a recheck it changed its own result again: the hook is not idempotent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub not_idempotent: bool,
    /// How it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure<'a>>,
    /// It ran longer than its timeout and could not be interrupted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub overran: bool,
    /// Why it was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'a str>,
}

/// A field that an earlier hook had set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Overridden<'a> {
    /// The payload field.
    pub field: &'a str,
    /// The earlier hook's name.
    pub hook: &'a str,
}

/// A failure in a trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Failure<'a> {
    /// How the hook failed.
    pub kind: FailureKind,
    /// What went wrong.
    pub message: &'a str,
    /// What the failure rule made of it.
    pub became: FailBehavior,
}

#[expect(clippy::cast_precision_loss, reason = "microseconds for a reader")]
fn micros(nanos: u64) -> f64 {
    nanos as f64 / 1000.0
}

impl<'a> TraceEntry<'a> {
    /// A hook that ran and answered nothing.
    pub(crate) fn quiet<T>(call: &'a Call<T>, took: u64) -> Self {
        Self {
            hook: call.entry().name(),
            id: call.entry().id().to_string(),
            status: Status::Ran,
            duration_us: micros(took),
            action: Action::Continue,
            reason: None,
            observed: None,
            modified: &[],
            void: false,
            overrode: Vec::new(),
            not_idempotent: false,
            failure: None,
            overran: false,
            why: None,
        }
    }

    pub(crate) fn of<T, V>(record: &'a Record<T, V>, changes: u32) -> Self {
        Self {
            status: record.status,
            action: record.action,
            reason: record.reason.as_deref(),
            observed: record.observed.as_deref(),
            modified: &record.modified,
            void: record.is_void(changes),
            overrode: record.overrode.iter().map(|(field, hook)| Overridden { field, hook }).collect(),
            not_idempotent: record.again,
            failure: record.failure.as_ref().map(|failed| Failure {
                kind: failed.kind,
                message: &failed.message,
                became: failed.became,
            }),
            overran: record.overran,
            why: record.why.as_deref(),
            ..Self::quiet(&record.call, record.took)
        }
    }
}
