//! A running dispatch, between two native calls.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use hookweave_host::audit::Audit;
use hookweave_host::clock::present;
use hookweave_host::dispatch::{FailureKind, HandlerResult, HookFailure, Report, Stage, Step};
use hookweave_host::index::Call;
use hookweave_host::outcome::Outcome;
use hookweave_host::payload::Excess;
use hookweave_host::session::{Session, Verdict};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use crate::errors::{CodedError, from_napi};
use crate::registration::HandlerRef;
use crate::values::{Slot, Values};

/// The kind of a hook's result.
#[napi(string_enum = "lowercase")]
pub enum HookResult {
    /// No answer.
    Nothing,
    /// An answer, not yet read.
    Answer,
    /// The hook failed.
    Failed,
    /// The hook reached its timeout.
    Timeout,
    /// The hook was started and is not awaited.
    Detached,
}

/// The report of one hook.
#[napi(object, object_to_js = false)]
pub struct HookReport {
    /// The kind of its result.
    pub result: HookResult,
    /// Nanoseconds.
    pub duration: f64,
    /// The index of the answer, or of what was thrown.
    pub value: Option<u32>,
    /// Why the answer was not copied: `depth` or `size`.
    pub excess: Option<String>,
    /// The failure's kind.
    pub failure_kind: Option<String>,
    /// What went wrong.
    pub message: Option<String>,
    /// The limit of a timeout, in milliseconds.
    pub limit: Option<f64>,
    /// The hook was going to restrict the action.
    pub restricts: Option<bool>,
}

impl HookReport {
    const fn nothing(duration: f64) -> Self {
        Self {
            result: HookResult::Nothing,
            duration,
            value: None,
            excess: None,
            failure_kind: None,
            message: None,
            limit: None,
            restricts: None,
        }
    }
}

/// The state of a dispatch.
#[napi(object, object_from_js = false)]
pub struct DispatchStatus {
    /// Whether the dispatch is complete.
    pub done: bool,
    /// The numbers of the hooks to run now.
    pub hooks: Vec<u32>,
    /// The hooks run one after the other as long as each is a no-op; otherwise all of them start together.
    pub in_turn: bool,
    /// The index of the current payload.
    pub payload: u32,
    /// The strongest decision, once the dispatch is complete.
    pub decision: Option<String>,
    /// Whether the action is blocked.
    pub blocked: bool,
    /// The reason of the decision.
    pub reason: Option<String>,
    /// Whether any hook failed.
    pub failed: bool,
    /// Whether new warnings about hooks are due.
    pub warnings_due: bool,
}

/// A dispatch that has begun, and its state.
#[napi(object, object_from_js = false)]
pub struct BegunDispatch {
    /// The native side of the dispatch.
    pub dispatch: NativeDispatch,
    /// Its state.
    pub status: DispatchStatus,
}

enum State {
    Running(Stage<HandlerRef, Slot>),
    Done(Box<Outcome<HandlerRef, Slot>>),
    Abandoned,
}

/// A dispatch that the TypeScript layer runs.
#[napi]
pub struct NativeDispatch {
    state: RefCell<State>,
    audit: Arc<Audit>,
}

impl NativeDispatch {
    pub(crate) fn begin(
        values: &Values<'_>,
        step: Step<HandlerRef, Slot>,
        hooks: usize,
        no_ops: &[f64],
        reports: &[HookReport],
        audit: Arc<Audit>,
    ) -> BegunDispatch {
        // The TypeScript layer counts dispatches of no-op hooks; here only their details are read.
        let is_over = reports.is_empty() && no_ops.len() == hooks;
        let state = State::from(advance(values, step, no_ops, reports));
        let status = if is_over { state.status() } else { state.counted() };
        BegunDispatch { status, dispatch: Self { state: RefCell::new(state), audit } }
    }

    /// Records a dispatch of no-op hooks; gives why it is blocked.
    pub(crate) fn audit_no_op(
        values: &Values<'_>,
        step: Step<HandlerRef, Slot>,
        no_ops: &[f64],
        audit: &Audit,
    ) -> Option<String> {
        let Step::Done(mut outcome) = advance(values, step, no_ops, &[]) else { return None };
        audit_outcome(audit, values, &mut outcome);
        outcome.blocked().then(|| outcome.reason().unwrap_or_default().to_owned())
    }
}

impl From<Step<HandlerRef, Slot>> for State {
    fn from(step: Step<HandlerRef, Slot>) -> Self {
        match step {
            Step::Run(stage) => Self::Running(stage),
            Step::Done(outcome) => Self::Done(outcome),
        }
    }
}

impl State {
    /// Its state; a dispatch that is over is counted.
    fn counted(&self) -> DispatchStatus {
        let warnings_due = matches!(self, Self::Done(outcome) if outcome.count(present().ticks));
        DispatchStatus { warnings_due, ..self.status() }
    }

    fn status(&self) -> DispatchStatus {
        match self {
            Self::Running(stage) => DispatchStatus {
                done: false,
                in_turn: !stage.ahead().is_empty(),
                hooks: if stage.ahead().is_empty() { stage.calls() } else { stage.ahead() }
                    .iter()
                    .map(|call| call.entry().handler().number)
                    .collect(),
                payload: stage.payload().0,
                decision: None,
                blocked: false,
                reason: None,
                failed: false,
                warnings_due: false,
            },
            Self::Done(outcome) => DispatchStatus {
                done: true,
                in_turn: false,
                hooks: Vec::new(),
                payload: outcome.payload().0,
                decision: Some(outcome.decision().as_str().to_owned()),
                blocked: outcome.blocked(),
                reason: outcome.reason().map(str::to_owned),
                failed: outcome.failures().next().is_some(),
                warnings_due: false,
            },
            Self::Abandoned => DispatchStatus {
                done: true,
                in_turn: false,
                hooks: Vec::new(),
                payload: 0,
                decision: None,
                blocked: false,
                reason: None,
                failed: false,
                warnings_due: false,
            },
        }
    }
}

/// Records a dispatch that is over.
fn audit_outcome(audit: &Audit, values: &Values<'_>, outcome: &mut Outcome<HandlerRef, Slot>) {
    audit.dispatched(values, outcome, |wait| wait());
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "negative and huge durations are clamped")]
pub(crate) fn nanos(duration: f64) -> u64 {
    duration.max(0.0) as u64
}

fn failure(report: &HookReport) -> HookFailure<Slot> {
    let known = report.failure_kind.as_deref();
    let kind = FailureKind::ALL.iter().copied().find(|kind| Some(kind.as_str()) == known);
    let kind = kind.unwrap_or(FailureKind::Raised);
    let mut failure = HookFailure::new(kind, report.message.clone().unwrap_or_default());
    failure.cause = report.value.map(Slot);
    failure.meant_to_restrict = report.restricts.unwrap_or(false);
    failure
}

fn core_report(call: Option<&Call<HandlerRef>>, report: &HookReport) -> Report<Slot> {
    let result = match report.result {
        HookResult::Nothing => HandlerResult::Nothing,
        HookResult::Answer => HandlerResult::Answer(Slot(report.value.unwrap_or(0))),
        HookResult::Detached => HandlerResult::Detached,
        HookResult::Failed => HandlerResult::Failed(failure(report)),
        HookResult::Timeout => HandlerResult::Failed(HookFailure::timeout(Duration::from_secs_f64(
            report.limit.unwrap_or(0.0).max(0.0) / 1000.0,
        ))),
    };
    let took = nanos(report.duration);
    // A handler that holds the thread cannot be interrupted: it has answered, only too late.
    let limit = call.and_then(|call| call.entry().handler().limit(call.entry().timeout()));
    let limit = limit.map_or(u128::MAX, |limit| limit.as_nanos());
    let overran = u128::from(took) > limit && matches!(result, HandlerResult::Nothing | HandlerResult::Answer(_));
    Report { result, took, overran }
}

/// Advances by no-op hooks, and then by the reports of the stage after them.
fn advance(
    values: &Values<'_>,
    mut step: Step<HandlerRef, Slot>,
    no_ops: &[f64],
    reports: &[HookReport],
) -> Step<HandlerRef, Slot> {
    for duration in no_ops {
        step = match step {
            Step::Run(stage) => resume(values, stage, &[HookReport::nothing(*duration)]),
            done @ Step::Done(_) => done,
        };
    }
    match step {
        Step::Run(stage) if !reports.is_empty() => resume(values, stage, reports),
        other => other,
    }
}

fn resume(values: &Values<'_>, stage: Stage<HandlerRef, Slot>, reports: &[HookReport]) -> Step<HandlerRef, Slot> {
    values.set_excess(reports.iter().find_map(|report| match report.excess.as_deref()? {
        "size" => Some(Excess::Size),
        _ => Some(Excess::Depth),
    }));
    let calls = stage.calls().to_vec();
    let reports: Vec<_> =
        reports.iter().enumerate().map(|(place, report)| core_report(calls.get(place), report)).collect();
    stage.resume(values, reports)
}

#[napi]
impl NativeDispatch {
    /// The handler at an index of the stage starts: a `once` hook is used up from here on.
    #[napi(catch_unwind)]
    pub fn started(&self, index: u32) {
        if let State::Running(stage) = &mut *self.state.borrow_mut() {
            stage.started(index as usize);
        }
    }

    /// Records that the hook at an index is about to run, and waits until that is written.
    #[napi(catch_unwind)]
    pub fn audit_start(&self, env: Env, values: Object<'_>, place: u32) -> Result<(), CodedError> {
        let values = Values::new(&env, values).map_err(from_napi)?;
        if let State::Running(stage) = &mut *self.state.borrow_mut() {
            self.audit.starts(&values, stage, place as usize, |wait| wait());
        }
        Ok(())
    }

    /// Continues with the nanoseconds of no-op hooks, and then the reports of the others.
    #[napi(catch_unwind)]
    pub fn resume(
        &self,
        env: Env,
        values: Object<'_>,
        no_ops: Vec<f64>,
        reports: Vec<HookReport>,
    ) -> Result<DispatchStatus, CodedError> {
        let values = Values::new(&env, values).map_err(from_napi)?;
        let mut state = self.state.borrow_mut();
        if let State::Running(stage) = std::mem::replace(&mut *state, State::Abandoned) {
            *state = State::from(advance(&values, Step::Run(stage), &no_ops, &reports));
            return Ok(state.counted());
        }
        Ok(state.status())
    }

    /// Records the dispatch, which is over; gives its state after that.
    #[napi(catch_unwind)]
    pub fn audit(&self, env: Env, values: Object<'_>) -> Result<DispatchStatus, CodedError> {
        let values = Values::new(&env, values).map_err(from_napi)?;
        let mut state = self.state.borrow_mut();
        if let State::Done(outcome) = &mut *state {
            audit_outcome(&self.audit, &values, outcome);
        }
        Ok(state.status())
    }

    /// Blocks the action because it could not be recorded.
    #[napi(catch_unwind)]
    pub fn refuse(&self, why: String) -> DispatchStatus {
        let mut state = self.state.borrow_mut();
        if let State::Done(outcome) = &mut *state {
            outcome.refuse(why);
        }
        state.status()
    }

    /// Blocks the action because it could not be shown to a hook; not where all hooks observe.
    #[napi(catch_unwind)]
    pub fn refuse_unshown(&self, why: String) -> DispatchStatus {
        let mut state = self.state.borrow_mut();
        if let State::Done(outcome) = &mut *state {
            outcome.refuse_unshown(why);
        }
        state.status()
    }

    /// Abandons the dispatch; claims of hooks that never started are released.
    #[napi(catch_unwind)]
    pub fn abandon(&self) {
        *self.state.borrow_mut() = State::Abandoned;
    }
}

impl NativeDispatch {
    /// What a session needs of the outcome.
    pub(crate) fn verdict(&self, session: &Session, values: &Values<'_>) -> Result<Verdict, CodedError> {
        self.read(|outcome| session.verdict(outcome, values))
    }

    /// Applies the environment variables of the outcome to a session.
    pub(crate) fn apply_env(&self, session: &Session, values: &Values<'_>) -> Result<(), CodedError> {
        self.read(|outcome| session.keep_variables(outcome, values))
    }

    pub(crate) fn read<R>(&self, read: impl FnOnce(&Outcome<HandlerRef, Slot>) -> R) -> Result<R, CodedError> {
        match &*self.state.borrow() {
            State::Done(outcome) => Ok(read(outcome)),
            _ => Err(CodedError::new("invalid_payload".to_owned(), "the dispatch has no outcome yet")),
        }
    }
}
