//! A dispatch between two crossings.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use hookweave::audit::Audit;
use hookweave::host::{Call, Excess, Failure, FailureKind, Outcome, Report, Said, Stage, Step, present};
use hookweave::session::{Session, Verdict};
use napi::Env;
use napi::bindgen_prelude::{Object, Unknown};
use napi_derive::napi;

use crate::audit;
use crate::error::{Refusal, broken};
use crate::hooks::Ticket;
use crate::host::{Slot, Values};

/// What a hook said, as the driver reports it.
#[napi(string_enum = "lowercase")]
pub enum Saying {
    /// Nothing.
    Nothing,
    /// An answer, not yet read.
    Answer,
    /// It failed.
    Failed,
    /// Its time was over.
    Timeout,
    /// It was started and is not awaited.
    Detached,
}

/// What came of one hook.
#[napi(object, object_to_js = false)]
pub struct Reported {
    /// What it said.
    pub said: Saying,
    /// Nanoseconds that it took.
    pub took: f64,
    /// The place of the answer, or of what was thrown.
    pub value: Option<u32>,
    /// The answer was left uncopied because it is too much: `depth` or `size`.
    pub excess: Option<String>,
    /// The failure's kind.
    pub kind: Option<String>,
    /// What went wrong.
    pub message: Option<String>,
    /// The limit of a timeout, in milliseconds.
    pub limit: Option<f64>,
    /// The failure is one of a hook that was going to restrict.
    pub restricts: Option<bool>,
}

impl Reported {
    const fn nothing(took: f64) -> Self {
        Self {
            said: Saying::Nothing,
            took,
            value: None,
            excess: None,
            kind: None,
            message: None,
            limit: None,
            restricts: None,
        }
    }
}

/// Where a dispatch stands.
#[napi(object, object_from_js = false)]
pub struct Stand {
    /// Whether everything is said.
    pub done: bool,
    /// The numbers of the hooks to run now.
    pub calls: Vec<u32>,
    /// They run one after the other, as long as each has nothing to say; otherwise all of them start together.
    pub in_turn: bool,
    /// The place of the payload as it is now.
    pub payload: u32,
    /// The strongest decision, once all is said.
    pub decision: Option<String>,
    /// Whether what the agent is about to do must not happen.
    pub blocked: bool,
    /// The reason of the decision.
    pub reason: Option<String>,
    /// Whether any hook failed.
    pub failed: bool,
    /// Whether it is time to look for hooks that a person should know of.
    pub look: bool,
}

/// A dispatch that has begun, and where it stands.
#[napi(object, object_from_js = false)]
pub struct Began {
    /// The native side of the dispatch.
    pub run: NativeRun,
    /// Where it stands.
    pub stand: Stand,
}

enum State {
    Running(Stage<Ticket, Slot>),
    Done(Box<Outcome<Ticket, Slot>>),
    Abandoned,
}

/// A dispatch that a driver runs.
#[napi]
pub struct NativeRun {
    state: RefCell<State>,
    audit: Arc<Audit>,
}

impl NativeRun {
    pub(crate) fn begin(
        values: &Values<'_>,
        step: Step<Ticket, Slot>,
        hooks: usize,
        quiet: &[f64],
        reports: &[Reported],
        audit: Arc<Audit>,
    ) -> Began {
        // A dispatch in which no hook said anything is counted by the driver; here somebody only asks what it came to.
        let is_over = reports.is_empty() && quiet.len() == hooks;
        let state = State::from(advance(values, step, quiet, reports));
        let stand = if is_over { state.stand() } else { state.counted() };
        Began { stand, run: Self { state: RefCell::new(state), audit } }
    }

    /// Records a quiet dispatch; gives why it is blocked.
    pub(crate) fn audit_quiet(
        values: &Values<'_>,
        step: Step<Ticket, Slot>,
        quiet: &[f64],
        audit: &Audit,
    ) -> Option<String> {
        let Step::Done(mut outcome) = advance(values, step, quiet, &[]) else { return None };
        audit::dispatched(audit, values, &mut outcome);
        outcome.blocked().then(|| outcome.reason().unwrap_or_default().to_owned())
    }
}

impl From<Step<Ticket, Slot>> for State {
    fn from(step: Step<Ticket, Slot>) -> Self {
        match step {
            Step::Run(stage) => Self::Running(stage),
            Step::Done(outcome) => Self::Done(outcome),
        }
    }
}

impl State {
    /// Where it stands; a dispatch that is over is counted.
    fn counted(&self) -> Stand {
        let look = matches!(self, Self::Done(outcome) if outcome.count(present().ticks));
        Stand { look, ..self.stand() }
    }

    fn stand(&self) -> Stand {
        match self {
            Self::Running(stage) => Stand {
                done: false,
                in_turn: !stage.ahead().is_empty(),
                calls: if stage.ahead().is_empty() { stage.calls() } else { stage.ahead() }
                    .iter()
                    .map(|call| call.entry().handler().number)
                    .collect(),
                payload: stage.payload().0,
                decision: None,
                blocked: false,
                reason: None,
                failed: false,
                look: false,
            },
            Self::Done(outcome) => Stand {
                done: true,
                in_turn: false,
                calls: Vec::new(),
                payload: outcome.payload().0,
                decision: Some(outcome.decision().as_str().to_owned()),
                blocked: outcome.blocked(),
                reason: outcome.reason().map(str::to_owned),
                failed: outcome.failures().next().is_some(),
                look: false,
            },
            Self::Abandoned => Stand {
                done: true,
                in_turn: false,
                calls: Vec::new(),
                payload: 0,
                decision: None,
                blocked: false,
                reason: None,
                failed: false,
                look: false,
            },
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "negative and huge durations are clamped")]
pub(crate) fn nanos(took: f64) -> u64 {
    took.max(0.0) as u64
}

fn failure(reported: &Reported) -> Failure<Slot> {
    let known = reported.kind.as_deref();
    let kind = FailureKind::ALL.iter().copied().find(|kind| Some(kind.as_str()) == known);
    let kind = kind.unwrap_or(FailureKind::Raised);
    let mut failure = Failure::new(kind, reported.message.clone().unwrap_or_default());
    failure.cause = reported.value.map(Slot);
    failure.meant_to_restrict = reported.restricts.unwrap_or(false);
    failure
}

fn report(call: Option<&Call<Ticket>>, reported: &Reported) -> Report<Slot> {
    let said = match reported.said {
        Saying::Nothing => Said::Nothing,
        Saying::Answer => Said::Answer(Slot(reported.value.unwrap_or(0))),
        Saying::Detached => Said::Detached,
        Saying::Failed => Said::Failed(failure(reported)),
        Saying::Timeout => {
            Said::Failed(Failure::timeout(Duration::from_secs_f64(reported.limit.unwrap_or(0.0).max(0.0) / 1000.0)))
        }
    };
    let took = nanos(reported.took);
    // A handler that holds the thread cannot be interrupted: it has answered, only too late.
    let limit = call.and_then(|call| call.entry().handler().limit(call.entry().timeout()));
    let limit = limit.map_or(u128::MAX, |limit| limit.as_nanos());
    let overran = u128::from(took) > limit && matches!(said, Said::Nothing | Said::Answer(_));
    Report { said, took, overran }
}

/// Goes on with hooks that had nothing to say, and then with what came of the stage after them.
fn advance(
    values: &Values<'_>,
    mut step: Step<Ticket, Slot>,
    quiet: &[f64],
    reports: &[Reported],
) -> Step<Ticket, Slot> {
    for took in quiet {
        step = match step {
            Step::Run(stage) => resume(values, stage, &[Reported::nothing(*took)]),
            done @ Step::Done(_) => done,
        };
    }
    match step {
        Step::Run(stage) if !reports.is_empty() => resume(values, stage, reports),
        other => other,
    }
}

fn resume(values: &Values<'_>, stage: Stage<Ticket, Slot>, reports: &[Reported]) -> Step<Ticket, Slot> {
    values.set_excess(reports.iter().find_map(|report| match report.excess.as_deref()? {
        "size" => Some(Excess::Size),
        _ => Some(Excess::Depth),
    }));
    let calls = stage.calls().to_vec();
    let reports: Vec<_> = reports.iter().enumerate().map(|(place, said)| report(calls.get(place), said)).collect();
    stage.resume(values, reports)
}

#[napi]
impl NativeRun {
    /// Says that the handler at a place of the stage starts: a `once` hook is used up from here on.
    #[napi(catch_unwind)]
    pub fn started(&self, index: u32) {
        if let State::Running(stage) = &mut *self.state.borrow_mut() {
            stage.started(index as usize);
        }
    }

    /// Records that the hook at a place is about to run, and waits until that is written.
    #[napi(catch_unwind)]
    pub fn audit_start(&self, env: Env, values: Object<'_>, place: u32) -> Result<(), Refusal> {
        let values = Values::new(&env, values).map_err(broken)?;
        if let State::Running(stage) = &mut *self.state.borrow_mut() {
            self.audit.starts(&values, stage, place as usize, |wait| wait());
        }
        Ok(())
    }

    /// Goes on with what came of the hooks: nanoseconds of those that had nothing to say, then the others.
    #[napi(catch_unwind)]
    pub fn resume(
        &self,
        env: Env,
        values: Object<'_>,
        quiet: Vec<f64>,
        reports: Vec<Reported>,
    ) -> Result<Stand, Refusal> {
        let values = Values::new(&env, values).map_err(broken)?;
        let mut state = self.state.borrow_mut();
        if let State::Running(stage) = std::mem::replace(&mut *state, State::Abandoned) {
            *state = State::from(advance(&values, Step::Run(stage), &quiet, &reports));
            return Ok(state.counted());
        }
        Ok(state.stand())
    }

    /// Records the dispatch, which is over; says where it stands then.
    #[napi(catch_unwind)]
    pub fn audit(&self, env: Env, values: Object<'_>) -> Result<Stand, Refusal> {
        let values = Values::new(&env, values).map_err(broken)?;
        let mut state = self.state.borrow_mut();
        if let State::Done(outcome) = &mut *state {
            audit::dispatched(&self.audit, &values, outcome);
        }
        Ok(state.stand())
    }

    /// Blocks what the agent is about to do because it could not be recorded, or not be shown to a hook.
    #[napi(catch_unwind)]
    pub fn refuse(&self, why: String) -> Stand {
        let mut state = self.state.borrow_mut();
        if let State::Done(outcome) = &mut *state {
            outcome.refuse(why);
        }
        state.stand()
    }

    /// Gives the dispatch up; claims of hooks that never started are released.
    #[napi(catch_unwind)]
    pub fn abandon(&self) {
        *self.state.borrow_mut() = State::Abandoned;
    }

    /// Everything of the outcome but the event and `ext`, in the canonical form.
    #[napi(ts_return_type = "unknown", catch_unwind)]
    pub fn summary<'env>(&self, env: &'env Env) -> Result<Unknown<'env>, Refusal> {
        self.read(|outcome| env.to_js_value(&outcome.summary()))?.map_err(broken)
    }

    /// Why the other hooks of the event were not selected.
    #[napi(ts_return_type = "unknown[]", catch_unwind)]
    pub fn unmatched<'env>(&self, env: &'env Env, values: Object<'_>) -> Result<Unknown<'env>, Refusal> {
        let values = Values::new(env, values).map_err(broken)?;
        self.read(|outcome| env.to_js_value(&outcome.unmatched(&values)))?.map_err(broken)
    }

    /// The dialects of `ext` and the places of their values.
    #[napi(ts_return_type = "[string, number][]", catch_unwind)]
    pub fn ext<'env>(&self, env: &'env Env) -> Result<Unknown<'env>, Refusal> {
        let pairs =
            self.read(|outcome| outcome.ext().map(|(dialect, slot)| (dialect.to_owned(), slot.0)).collect::<Vec<_>>())?;
        env.to_js_value(&pairs).map_err(broken)
    }

    /// The fields that hooks changed and the places of what they were.
    #[napi(ts_return_type = "[string, number][]", catch_unwind)]
    pub fn originals<'env>(&self, env: &'env Env) -> Result<Unknown<'env>, Refusal> {
        let pairs = self
            .read(|outcome| outcome.originals().map(|(field, slot)| (field.to_owned(), slot.0)).collect::<Vec<_>>())?;
        env.to_js_value(&pairs).map_err(broken)
    }

    /// The failures that the log is told of: their indices in the trace, and how often the hook has failed by now.
    #[napi(ts_return_type = "[number, number][]", catch_unwind)]
    pub fn failures_to_tell<'env>(&self, env: &'env Env) -> Result<Unknown<'env>, Refusal> {
        let told =
            self.read(|outcome| outcome.failures_to_tell().map(|told| (told.index, told.times)).collect::<Vec<_>>())?;
        env.to_js_value(&told).map_err(broken)
    }

    /// The indices of failures in the trace, and the places of what was thrown there.
    #[napi(ts_return_type = "[number, number][]", catch_unwind)]
    pub fn causes<'env>(&self, env: &'env Env) -> Result<Unknown<'env>, Refusal> {
        let pairs = self.read(|outcome| {
            let failures = outcome.failures().map(|(index, _)| index);
            failures.filter_map(|index| Some((index, outcome.cause(index)?.0))).collect::<Vec<_>>()
        })?;
        env.to_js_value(&pairs).map_err(broken)
    }
}

impl NativeRun {
    /// What a session needs of the outcome.
    pub(crate) fn verdict(&self, session: &Session, values: &Values<'_>) -> Result<Verdict, Refusal> {
        self.read(|outcome| session.verdict(outcome, values))
    }

    /// Tells a session what hooks left in its environment.
    pub(crate) fn tell(&self, session: &Session, values: &Values<'_>) -> Result<(), Refusal> {
        self.read(|outcome| session.heard(outcome, values))
    }

    pub(crate) fn read<R>(&self, read: impl FnOnce(&Outcome<Ticket, Slot>) -> R) -> Result<R, Refusal> {
        match &*self.state.borrow() {
            State::Done(outcome) => Ok(read(outcome)),
            _ => Err(Refusal::new("invalid_payload".to_owned(), "the dispatch has no outcome yet")),
        }
    }
}
