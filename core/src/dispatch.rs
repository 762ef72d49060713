//! One event on its way through its hooks: a machine without clocks, threads, futures or locks.
//!
//! [`begin`] says which hooks to run; a driver runs them and reports what came of it with [`Stage::resume`]; at last
//! there is an [`Outcome`]. The machine is generic over the handler `T` and over who owns the payload (`V`). A hook that
//! answers nothing costs a push to a list; everything else is kept in [`Loud`], made when it is first needed.

mod apply;
mod claims;
mod failure;
mod loud;
mod merge;
#[cfg(all(test, shuttle))]
mod races;
mod recheck;
mod report;
mod slots;
mod values;

use std::sync::Arc;

use smallvec::SmallVec;

use crate::error::{Code, Error};
use crate::event::EventSpec;
use crate::index::{Call, Plan, Reuse, Snapshot};
use crate::outcome::Outcome;
use crate::payload::Host;

use claims::Claims;
pub(crate) use loud::{Loud, Record};

pub use failure::{Failure, FailureKind};
pub use loud::Status;
pub use report::{Report, Said};

/// How deep dispatches may nest: a hook that dispatches, whose hook dispatches, and so on.
pub const MAX_DEPTH: u32 = 16;

/// How often mandatory hooks look again at what others made of an event, before it is said that they do not agree.
pub const MAX_RECHECKS: u32 = 4;

/// Refuses a dispatch that is nested too deeply; the outermost one has depth 0.
pub fn check_depth(depth: u32) -> Result<(), Error> {
    if depth <= MAX_DEPTH {
        return Ok(());
    }
    Err(Error::new(
        Code::NestedTooDeep,
        format!("dispatches are nested deeper than {MAX_DEPTH}; a hook seems to raise the event that it listens to"),
    ))
}

/// Where a dispatch stands.
#[derive(Debug)]
pub enum Step<T, V> {
    /// Hooks have to run.
    Run(Stage<T, V>),
    /// Everything is said.
    Done(Box<Outcome<T, V>>),
}

/// The hooks to run now: one in sequential mode, those of equal priority in parallel mode.
///
/// Owns the suspended dispatch and holds no lock; dropping it abandons the dispatch.
#[derive(Debug)]
pub struct Stage<T, V> {
    /// The outcome in the making: allocated once, when the dispatch begins.
    making: Box<Outcome<T, V>>,
    end: usize,
}

/// Durations of quiet hooks; a few need no memory of their own.
pub(crate) type Times = SmallVec<[u64; 4]>;

/// What a dispatch knows, from its beginning to its outcome.
#[derive(Debug)]
pub(crate) struct Running<T, V> {
    pub(crate) snapshot: Arc<Snapshot<T>>,
    pub(crate) event: Arc<EventSpec>,
    pub(crate) plan: Arc<Plan<T>>,
    reuse: Reuse,
    at: usize,
    pub(crate) payload: V,
    /// Nanoseconds of each hook so far, while all of them answered nothing.
    pub(crate) quiet: Times,
    pub(crate) loud: Option<Box<Loud<T, V>>>,
    /// What is on record of it already.
    #[cfg(feature = "native")]
    pub(crate) begun: Option<Box<crate::witness::Begun>>,
    claims: Claims<T>,
}

/// Starts a dispatch.
pub fn begin<T, H: Host>(
    host: &H,
    snapshot: Arc<Snapshot<T>>,
    event: Arc<EventSpec>,
    plan: Arc<Plan<T>>,
    reuse: Reuse,
    payload: H::Value,
) -> Step<T, H::Value> {
    next(Box::new(Outcome::of(Running::new(snapshot, event, plan, reuse, payload))), host)
}

/// Finds the next hooks to run, or ends.
fn next<T, H: Host>(mut making: Box<Outcome<T, H::Value>>, host: &H) -> Step<T, H::Value> {
    let running = &mut making.running;
    loop {
        if running.at < running.plan.calls().len() {
            let end = running.plan.stage_end(running.at);
            if running.admits_all() {
                return Step::Run(Stage { making, end });
            }
            if let Some(end) = running.admit(end) {
                return Step::Run(Stage { making, end });
            }
        } else if !running.begin_recheck(host) {
            making.decide();
            return Step::Done(making);
        }
    }
}

impl<T, V> Stage<T, V> {
    /// The hooks to run; detached ones are to be started and not awaited.
    pub fn calls(&self) -> &[Call<T>] {
        self.making.running.plan.calls().get(self.making.running.at..self.end).unwrap_or_default()
    }

    /// The hooks of this stage and those that follow it as long as all of them answer nothing.
    ///
    /// A driver may run them one by one without asking, and report a whole run of quiet ones with [`Self::resume`]
    /// calls at the end. Empty in parallel mode, and when a later hook has to be admitted first.
    pub fn ahead(&self) -> &[Call<T>] {
        let running = &self.making.running;
        if running.plan.is_in_turn() && running.admits_all() {
            running.plan.calls().get(running.at..).unwrap_or_default()
        } else {
            &[]
        }
    }

    /// Whether the hooks of [`Self::ahead`] may be passed one behind the other: there are some, and nobody has said anything yet.
    #[inline]
    pub fn is_flowing(&self) -> bool {
        self.making.running.loud.is_none() && !self.ahead().is_empty()
    }

    /// How long each hook took that has run so far and said nothing, to be added to and given back.
    #[cfg(feature = "engine")]
    pub(crate) fn take_times(&mut self) -> Times {
        std::mem::take(&mut self.making.running.quiet)
    }

    /// Goes past the first hooks of [`Self::ahead`], which have answered nothing: as many as there are times more than before.
    #[cfg(feature = "engine")]
    pub(crate) fn pass_many(&mut self, times: Times) {
        let running = &mut self.making.running;
        running.at = times.len();
        running.quiet = times;
        self.end = (running.at + 1).min(running.plan.calls().len());
    }

    /// Goes past the first hook of [`Self::ahead`], which has answered nothing in time; the hook behind it is then the one to run.
    ///
    /// Only where [`Self::is_flowing`] has said so for the whole run of hooks, at whose end [`Self::finish`] goes on.
    #[inline]
    pub fn go_past(&mut self, took: u64) {
        let running = &mut self.making.running;
        running.quiet.push(took);
        running.at = self.end;
        self.end = (running.at + 1).min(running.plan.calls().len());
    }

    /// Goes on when all hooks of [`Self::ahead`] were passed.
    #[inline]
    pub fn finish<H: Host<Value = V>>(self, host: &H) -> Step<T, V> {
        next(self.making, host)
    }

    /// The hooks of this stage and, where they may run without asking, those that follow it.
    pub fn from_here(&self) -> &[Call<T>] {
        let ahead = self.ahead();
        if ahead.is_empty() { self.calls() } else { ahead }
    }

    /// What is on record of the dispatch already.
    #[cfg(feature = "native")]
    pub(crate) const fn begun(&mut self) -> &mut Option<Box<crate::witness::Begun>> {
        &mut self.making.running.begun
    }

    /// What the engine knows of the event.
    #[cfg(feature = "native")]
    pub(crate) const fn event(&self) -> &Arc<EventSpec> {
        &self.making.running.event
    }

    /// What the event was about as it came.
    #[cfg(feature = "native")]
    pub(crate) fn about<H: Host<Value = V>>(&self, host: &H, inputs: crate::witness::Inputs) -> crate::witness::About {
        let making = &self.making;
        crate::witness::About::of(host, &making.running.event, making.first_payload(), making.tools(), inputs)
    }

    /// The hooks that are selected as things stand, from the first of the plan on.
    pub fn planned(&self) -> &[Call<T>] {
        self.making.running.plan.calls()
    }

    /// The event's payload as these hooks have to see it.
    pub fn payload(&self) -> &V {
        &self.making.running.payload
    }

    /// How often hooks have changed the payload so far; whoever shows it to hooks anew looks at this.
    pub fn changes(&self) -> u32 {
        self.making.running.loud.as_ref().map_or(0, |loud| loud.changes)
    }

    /// Whether these hooks look again, at what others have made of the event.
    pub fn is_recheck(&self) -> bool {
        self.making.running.loud.as_ref().is_some_and(|loud| loud.is_rechecking())
    }

    /// Says that the handler at an index starts: from here on a `once` hook is used up.
    pub fn started(&mut self, index: usize) {
        let at = self.making.running.at + index;
        if let Some(call) = self.making.running.plan.calls().get(at).filter(|call| call.entry().once()) {
            self.making.running.claims.spend(call.entry());
        }
    }

    /// Whether this is one hook and nobody has said anything yet.
    #[inline]
    fn is_quiet(&self) -> bool {
        self.making.running.loud.is_none() && self.end == self.making.running.at + 1
    }

    /// Goes on after a stage of one hook that answered nothing in time, as [`Self::resume`] would.
    #[inline]
    pub fn pass<H: Host<Value = V>>(mut self, host: &H, took: u64) -> Step<T, V> {
        if !self.is_quiet() {
            return self.resume(host, [Report::new(Said::Nothing, took)]);
        }
        let running = &mut self.making.running;
        running.quiet.push(took);
        running.at = self.end;
        next(self.making, host)
    }

    /// Goes on with what came of each hook, in the order of [`Self::calls`].
    ///
    /// A hook without a report counts as cancelled; surplus reports are ignored.
    pub fn resume<H: Host<Value = V>>(mut self, host: &H, reports: impl IntoIterator<Item = Report<V>>) -> Step<T, V> {
        let mut reports = reports.into_iter();
        let first = reports.next();
        if let Some(Report { said: Said::Nothing, took, overran: false }) = first
            && self.is_quiet()
        {
            return self.pass(host, took);
        }
        self.making.running.take_stage(host, self.end, first.into_iter().chain(reports));
        next(self.making, host)
    }
}

impl<T, V> Running<T, V> {
    pub(crate) fn new(
        snapshot: Arc<Snapshot<T>>,
        event: Arc<EventSpec>,
        plan: Arc<Plan<T>>,
        reuse: Reuse,
        payload: V,
    ) -> Self {
        let quiet = Times::with_capacity(plan.calls().len());
        Self {
            snapshot,
            event,
            plan,
            reuse,
            at: 0,
            payload,
            quiet,
            loud: None,
            #[cfg(feature = "native")]
            begun: None,
            claims: Claims::default(),
        }
    }

    /// Whether every hook may run as planned: none has to be claimed, no scope is skipped.
    fn admits_all(&self) -> bool {
        self.plan.is_plain() && self.loud.as_ref().is_none_or(|loud| loud.skips.is_empty())
    }

    /// Passes over the hooks of a stage that must not run; `None` when none is left.
    #[cold]
    fn admit(&mut self, end: usize) -> Option<usize> {
        let mut kept = Vec::new();
        let mut dropped = Vec::new();
        let stage = self.plan.calls().get(self.at..end).unwrap_or_default();
        for call in stage {
            let entry = call.entry();
            let skipper = self.loud.as_ref().and_then(|loud| loud.skipper(entry.scope()));
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
        let loud = self.loud.get_or_insert_with(|| Loud::after(&self.plan, &self.quiet));
        loud.stage_begins = loud.records.len();
        for (call, why) in dropped {
            loud.records.push(Record::skipped(&call, why));
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
