//! One event on its way through its hooks. A dispatch holds no clock, thread, future or lock.
//!
//! [`begin`] says which hooks to run; a driver runs them and reports what came of it with [`Stage::resume`]; at last
//! there is an [`Outcome`]. The machine is generic over the handler `T` and over who owns the payload (`V`). A hook that
//! answers nothing costs a push to a list; everything else is kept in [`Details`], made when it is first needed.

use std::sync::Arc;

use crate::error::{Code, Error};
use crate::event::EventSpec;
use crate::fold::Progress;
use crate::index::{Call, Plan, Reuse, Snapshot};
use crate::outcome::Outcome;
use crate::payload::Host;

pub use crate::failure::{FailureKind, HookFailure};
pub use crate::fold::{Details, Failed, HandlerResult, MAX_RECHECKS, Observed, Record, Report, Status, Times};

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
    /// The dispatch is complete.
    Done(Box<Outcome<T, V>>),
}

/// The hooks to run now: one in sequential mode, those of equal priority in parallel mode.
///
/// Owns the suspended dispatch and holds no lock; dropping it abandons the dispatch. Its methods are of three kinds:
///
/// * **to look**: [`calls`](Self::calls) are the hooks to run and [`ahead`](Self::ahead) those that may follow without asking;
///   [`payload`](Self::payload), [`changes`](Self::changes) and [`event`](Self::event) are what they see;
/// * **to report a start**: [`started`](Self::started);
/// * **to advance**: [`resume`](Self::resume) with what came of each hook, [`pass`](Self::pass) past hooks that did not answer.
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

    /// The hooks of this stage and those that follow it as long as none of them answers.
    ///
    /// A driver may run them one after the other without asking, and report those that did not answer with one [`Self::pass`].
    /// Empty in parallel mode, and when a later hook has to be admitted first.
    pub fn ahead(&self) -> &[Call<T>] {
        let progress = &self.making.progress;
        if progress.plan.is_in_turn() && progress.admits_all() {
            progress.plan.calls().get(progress.at..).unwrap_or_default()
        } else {
            &[]
        }
    }

    /// What is on record of the dispatch already.
    pub const fn begun(&mut self) -> &mut Option<Box<crate::observer::Begun>> {
        &mut self.making.progress.begun
    }

    /// What the engine knows of the event.
    pub const fn event(&self) -> &Arc<EventSpec> {
        &self.making.progress.event
    }

    /// What the event was about as it came.
    pub fn about<H: Host<Value = V>>(&self, host: &H, inputs: crate::observer::Inputs) -> crate::observer::EventDigest {
        let making = &self.making;
        crate::observer::EventDigest::of(host, &making.progress.event, making.first_payload(), making.tools(), inputs)
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

    /// Puts copies in the place of the host's values, for a driver that lets other code of the host run while a hook is
    /// awaited: what was judged is what the outcome gives back.
    pub fn hold(&mut self, mut copy: impl FnMut(&V) -> V) {
        self.making.progress.hold(&mut copy);
    }

    /// How often the payload has become another so far; a driver that caches the payload compares this.
    pub fn changes(&self) -> u32 {
        self.making.progress.details.as_ref().map_or(0, |details| details.changes + details.shares)
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

    /// Advances past the first hooks of [`Self::ahead`], which did not answer and were in time: as many as there are durations, in
    /// nanoseconds. Without any it gives the stage as it is.
    pub fn pass<H: Host<Value = V>>(mut self, host: &H, quiet: Times) -> Step<T, V> {
        if quiet.is_empty() {
            return Step::Run(self);
        }
        let progress = &mut self.making.progress;
        if progress.details.is_none() {
            progress.at += quiet.len();
            if progress.quiet.is_empty() {
                progress.quiet = quiet;
            } else {
                progress.quiet.extend(quiet);
            }
        } else {
            for took in quiet {
                let end = progress.at + 1;
                progress.take_stage(host, end, std::iter::once(Report::new(HandlerResult::Nothing, took)));
            }
        }
        next(self.making, host)
    }

    /// Goes on with what came of each hook, in the order of [`Self::calls`].
    ///
    /// A hook without a report counts as cancelled; surplus reports are ignored.
    pub fn resume<H: Host<Value = V>>(mut self, host: &H, reports: impl IntoIterator<Item = Report<V>>) -> Step<T, V> {
        let mut reports = reports.into_iter();
        let first = reports.next();
        let progress = &mut self.making.progress;
        if let Some(Report { result: HandlerResult::Nothing, took, overran: false }) = first
            && progress.details.is_none()
            && self.end == progress.at + 1
        {
            progress.quiet.push(took);
            progress.at = self.end;
            return next(self.making, host);
        }
        progress.take_stage(host, self.end, first.into_iter().chain(reports));
        next(self.making, host)
    }
}
