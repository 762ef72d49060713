//! One event on its way through its hooks: a machine without clocks, threads, futures or locks.
//!
//! [`begin`] says which hooks to run; a driver runs them and reports what came of it with [`Stage::resume`]; at last
//! there is an [`Outcome`]. The machine is generic over the handler `T` and over who owns the payload (`V`). A hook that
//! answers nothing costs a push to a list; everything else is kept in [`Details`], made when it is first needed.

#[cfg(all(test, shuttle))]
mod races;

use std::sync::Arc;

use crate::error::{Code, Error};
use crate::event::EventSpec;
use crate::fold::Progress;
use crate::index::{Call, Plan, Reuse, Snapshot};
use crate::outcome::Outcome;
use crate::payload::Host;

pub use crate::failure::{Failure, FailureKind};
pub use crate::fold::{Details, MAX_RECHECKS, Record, Report, Said, Status, Times};

/// How deep dispatches may nest: a hook that dispatches, whose hook dispatches, and so on.
pub const MAX_DEPTH: u32 = 16;

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

/// Starts a dispatch.
pub fn begin<T, H: Host>(
    host: &H,
    snapshot: Arc<Snapshot<T>>,
    event: Arc<EventSpec>,
    plan: Arc<Plan<T>>,
    reuse: Reuse,
    payload: H::Value,
) -> Step<T, H::Value> {
    next(Box::new(Outcome::of(Progress::new(snapshot, event, plan, reuse, payload))), host)
}

/// Finds the next hooks to run, or ends.
fn next<T, H: Host>(mut making: Box<Outcome<T, H::Value>>, host: &H) -> Step<T, H::Value> {
    let progress = &mut making.progress;
    loop {
        if progress.at < progress.plan.calls().len() {
            let end = progress.plan.stage_end(progress.at);
            if progress.admits_all() {
                return Step::Run(Stage { making, end });
            }
            if let Some(end) = progress.admit(end) {
                return Step::Run(Stage { making, end });
            }
        } else if !progress.begin_recheck(host) {
            making.decide();
            return Step::Done(making);
        }
    }
}

impl<T, V> Stage<T, V> {
    /// The hooks to run; detached ones are to be started and not awaited.
    pub fn calls(&self) -> &[Call<T>] {
        self.making.progress.plan.calls().get(self.making.progress.at..self.end).unwrap_or_default()
    }

    /// The hooks of this stage and those that follow it as long as all of them answer nothing.
    ///
    /// A driver may run them one by one without asking, and report a whole run of quiet ones with [`Self::resume`]
    /// calls at the end. Empty in parallel mode, and when a later hook has to be admitted first.
    pub fn ahead(&self) -> &[Call<T>] {
        let progress = &self.making.progress;
        if progress.plan.is_in_turn() && progress.admits_all() {
            progress.plan.calls().get(progress.at..).unwrap_or_default()
        } else {
            &[]
        }
    }

    /// Whether the hooks of [`Self::ahead`] may be passed one behind the other: there are some, and nobody has said anything yet.
    #[inline]
    pub fn is_flowing(&self) -> bool {
        self.making.progress.details.is_none() && !self.ahead().is_empty()
    }

    /// How long each hook took that has run so far and said nothing, to be added to and given back.
    pub fn take_times(&mut self) -> Times {
        std::mem::take(&mut self.making.progress.quiet)
    }

    /// Goes past the first hooks of [`Self::ahead`], which have answered nothing: as many as there are times more than before.
    pub fn pass_many(&mut self, times: Times) {
        let progress = &mut self.making.progress;
        progress.at = times.len();
        progress.quiet = times;
        self.end = (progress.at + 1).min(progress.plan.calls().len());
    }

    /// Goes past the first hook of [`Self::ahead`], which has answered nothing in time; the hook behind it is then the one to run.
    ///
    /// Only where [`Self::is_flowing`] has said so for the whole run of hooks, at whose end [`Self::finish`] goes on.
    #[inline]
    pub fn go_past(&mut self, took: u64) {
        let progress = &mut self.making.progress;
        progress.quiet.push(took);
        progress.at = self.end;
        self.end = (progress.at + 1).min(progress.plan.calls().len());
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
    pub const fn begun(&mut self) -> &mut Option<Box<crate::witness::Begun>> {
        &mut self.making.progress.begun
    }

    /// What the engine knows of the event.
    pub const fn event(&self) -> &Arc<EventSpec> {
        &self.making.progress.event
    }

    /// What the event was about as it came.
    pub fn about<H: Host<Value = V>>(&self, host: &H, inputs: crate::witness::Inputs) -> crate::witness::About {
        let making = &self.making;
        crate::witness::About::of(host, &making.progress.event, making.first_payload(), making.tools(), inputs)
    }

    /// The hooks that are selected as things stand, from the first of the plan on.
    pub fn planned(&self) -> &[Call<T>] {
        self.making.progress.plan.calls()
    }

    /// The event's payload as these hooks have to see it.
    pub fn payload(&self) -> &V {
        &self.making.progress.payload
    }

    /// Shows every value that the suspended dispatch owns, each as often as it is owned.
    pub fn visit(&self, mut see: impl FnMut(&V)) {
        self.making.progress.visit(&mut see);
    }

    /// How often hooks have changed the payload so far; whoever shows it to hooks anew looks at this.
    pub fn changes(&self) -> u32 {
        self.making.progress.details.as_ref().map_or(0, |details| details.changes)
    }

    /// Whether these hooks look again, at what others have made of the event.
    pub fn is_recheck(&self) -> bool {
        self.making.progress.details.as_ref().is_some_and(|details| details.is_rechecking())
    }

    /// Says that the handler at an index starts: from here on a `once` hook is used up.
    pub fn started(&mut self, index: usize) {
        let at = self.making.progress.at + index;
        if let Some(call) = self.making.progress.plan.calls().get(at).filter(|call| call.entry().once()) {
            self.making.progress.claims.spend(call.entry());
        }
    }

    /// Whether this is one hook and nobody has said anything yet.
    #[inline]
    fn is_quiet(&self) -> bool {
        self.making.progress.details.is_none() && self.end == self.making.progress.at + 1
    }

    /// Goes on after a stage of one hook that answered nothing in time, as [`Self::resume`] would.
    #[inline]
    pub fn pass<H: Host<Value = V>>(mut self, host: &H, took: u64) -> Step<T, V> {
        if !self.is_quiet() {
            return self.resume(host, [Report::new(Said::Nothing, took)]);
        }
        let progress = &mut self.making.progress;
        progress.quiet.push(took);
        progress.at = self.end;
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
        self.making.progress.take_stage(host, self.end, first.into_iter().chain(reports));
        next(self.making, host)
    }
}
