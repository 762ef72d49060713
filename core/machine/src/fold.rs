//! What a dispatch knows, from its first hook to its outcome, and what the report of each hook makes of it.
//!
//! A hook that answers nothing costs a push to a list; everything else is kept in [`Details`], made when it is first needed.

mod apply;
mod claims;
mod details;
mod merge;
mod observe;
#[cfg(all(test, shuttle))]
mod races;
mod recheck;
mod report;
mod slots;
mod values;

use std::sync::Arc;

use smallvec::SmallVec;

use crate::event::EventSpec;
use crate::index::{Call, Plan, Reuse, Snapshot};
use crate::payload::Host;

use claims::Claims;
pub use details::{Details, Failed, Record, Status};
pub use observe::Observed;
pub use report::{HandlerResult, Report};

/// How often mandatory hooks look again at what others made of an event, before the dispatch gives up because they do not agree.
pub const MAX_RECHECKS: u32 = 4;

/// Durations of hooks that did not answer; a few need no memory of their own.
pub type Times = SmallVec<[u64; 4]>;

/// What a dispatch knows, from its beginning to its outcome.
#[derive(Debug)]
pub(crate) struct Progress<T, V> {
    pub(crate) snapshot: Arc<Snapshot<T>>,
    pub(crate) event: Arc<EventSpec>,
    pub(crate) plan: Arc<Plan<T>>,
    reuse: Reuse,
    /// The first hook of the plan that has not run.
    pub(crate) at: usize,
    pub(crate) payload: V,
    /// Nanoseconds of each hook so far, while all of them answered nothing.
    pub(crate) quiet: Times,
    pub(crate) details: Option<Box<Details<T, V>>>,
    /// What is on record of it already.
    pub(crate) begun: Option<Box<crate::observer::Begun>>,
    pub(crate) claims: Claims<T>,
}

impl<T, V> Progress<T, V> {
    pub(crate) fn new(
        snapshot: Arc<Snapshot<T>>,
        event: Arc<EventSpec>,
        plan: Arc<Plan<T>>,
        reuse: Reuse,
        payload: V,
    ) -> Self {
        Self {
            snapshot,
            event,
            plan,
            reuse,
            at: 0,
            payload,
            quiet: Times::new(),
            details: None,
            begun: None,
            claims: Claims::default(),
        }
    }

    /// Whether every hook may run as planned: none has to be claimed, no scope is skipped.
    pub(crate) fn admits_all(&self) -> bool {
        self.plan.is_plain() && self.details.as_ref().is_none_or(|details| details.skips.is_empty())
    }

    /// Passes over the hooks of a stage that must not run; `None` when none is left.
    #[cold]
    pub(crate) fn admit(&mut self, end: usize) -> Option<usize> {
        let mut kept = Vec::new();
        let mut dropped = Vec::new();
        let stage = self.plan.calls().get(self.at..end).unwrap_or_default();
        for call in stage {
            let entry = call.entry();
            let skipper = self.details.as_ref().and_then(|details| details.skipper(entry.scope()));
            match skipper.filter(|_| !entry.mandatory()) {
                Some(by) => dropped.push((call.clone(), format!("skipped by `{by}`"))),
                None if entry.once() && !self.claims.take(entry) => {
                    dropped.push((call.clone(), "claimed by another dispatch".to_owned()));
                }
                None => kept.push(call.clone()),
            }
        }
        if dropped.is_empty() {
            return Some(end);
        }
        let details = self.details.get_or_insert_with(|| Details::after(&self.plan, &self.quiet));
        details.stage_begins = details.records.len();
        for (call, why) in dropped {
            details.records.push(Record::skipped(&call, why));
        }
        let left = kept.len();
        let calls = self.plan.calls();
        kept.extend(calls.get(end..).unwrap_or_default().iter().cloned());
        self.plan = Arc::new(Plan::new(kept, self.plan.mode()));
        self.at = 0;
        (left > 0).then_some(left)
    }

    /// Finds out which later hooks the changed event selects.
    fn replan<H: Host<Value = V>>(&mut self, host: &H, last: &Call<T>, tool_changed: bool) {
        if self.reuse == Reuse::Event || (self.reuse == Reuse::Tool && !tool_changed) {
            return;
        }
        let Some(event) = self.snapshot.event(self.event.name()) else { return };
        let planned = self.snapshot.plan(host, event, &host.view(&self.payload));
        let mode = self.plan.mode();
        // The whole stage has had its turn, also the hooks of it that were not selected then.
        let is_later =
            |call: &&Call<T>| call.position() > last.position() && !self.plan.is_together(last.entry(), call.entry());
        let calls = planned.plan.calls().iter().filter(is_later).cloned().collect();
        self.plan = Arc::new(Plan::new(calls, mode));
        self.reuse = planned.reuse;
        self.at = 0;
    }
}
