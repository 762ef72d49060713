//! One dispatch, as far as the two drivers (awaitable and blocking) have it in common.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hookweave_host::audit::AuditLevel;
use hookweave_host::detached::Submitted;
use hookweave_host::dispatch::Times;
use hookweave_host::dispatch::{FailureKind, HandlerResult, HookFailure, Report, Stage, Step};
use hookweave_host::index::Call;
use hookweave_host::{self as host};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::client::Client;
use crate::clock;
use crate::completions;
use crate::envelope;
use crate::errors;
use crate::event::{EventRef, OwnEvent};
use crate::finalization::Enter as _;
use crate::logging;
use crate::object::{Object, visit_all};
use crate::once::{Once, intern};
use crate::outcome::{self, Finished};
use crate::plan_cache::CachedEvent;
use crate::registration::{Handler, HandlerKind};
use crate::values::{PyHost, answer_of, held};

/// What a dispatch is about.
pub(crate) struct Request {
    pub(crate) event: Rc<CachedEvent>,
    pub(crate) payload: Object,
    /// What an event object, given in place of a payload, had made up already.
    pub(crate) filled: Option<Object>,
}

/// How a hook runs that starts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// No other hook runs meanwhile: it may get the event object of the last hook.
    Alone,
    /// Beside others: it gets an event object of its own.
    Beside,
    /// Beside others, and its time is not measured by the dispatch's clock.
    Untimed,
}

/// A dispatch that was asked for; it owns what it needs until its outcome is made.
pub(crate) struct DispatchState {
    /// Keeps the client's handlers from being collected while the dispatch runs.
    client: Object,
    cached: Rc<CachedEvent>,
    payload: Object,
    /// Values that the engine made up, if some hook asked for one.
    filled: Option<Object>,
    stage: Option<Stage<Handler, Object>>,
    /// Durations of hooks of the stage's `ahead` that did not answer, in nanoseconds, until they are reported.
    quiet: Times,
    /// The last event object, and how often the payload had changed when it was made.
    event: Option<(OwnEvent, u32)>,
    began: u64,
    /// When the last hook ended or the next one started, in nanoseconds; zero before the first.
    clock: u64,
    pub(crate) depth: u32,
    /// Whether the client was switched on when the dispatch was asked for.
    enabled: bool,
    logs: bool,
    /// Whether starts of hooks are written to the audit log.
    records_starts: bool,
    /// Whether the payload is a copy that the host cannot change.
    is_held: bool,
}

impl DispatchState {
    pub(crate) fn new(client: Object, request: Request, depth: u32, enabled: bool) -> Self {
        Self {
            client,
            cached: request.event,
            payload: request.payload,
            filled: request.filled,
            stage: None,
            quiet: Times::new(),
            event: None,
            began: 0,
            clock: 0,
            depth,
            enabled,
            logs: false,
            records_starts: false,
            is_held: false,
        }
    }

    /// Shows the collector what this owns.
    pub(crate) fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Self { client, payload, filled, stage, event, .. } = self;
        visit_all([client, payload].into_iter().chain(filled), visit)?;
        visit_all(event.iter().map(|(event, _)| event.object()), visit)?;
        let mut result = Ok(());
        if let Some(stage) = stage {
            stage.visit(|value| {
                if result.is_ok() {
                    result = value.visit(visit);
                }
            });
        }
        result
    }

    /// The canonical event name.
    pub(crate) fn name(&self) -> &Object {
        &self.cached.name
    }

    fn client<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Client>> {
        Ok(self.client.bind(py).cast_into::<Client>()?)
    }

    /// Plans the dispatch; gives its end at once when there is nothing to run.
    #[inline]
    pub(crate) fn begin(&mut self, py: Python<'_>) -> PyResult<Option<Finished>> {
        self.logs = logging::is_on(py);
        self.records_starts = self.cached.audit.effective() >= AuditLevel::Verbose;
        let found = if self.enabled { self.cached.plan(py, &self.payload) } else { Ok(None) };
        let found = found.map_err(|error| errors::of(py, &error))?;
        let payload = self.payload.clone();
        let step = match found {
            Some(planned) if !planned.plan.calls().is_empty() => host::dispatch::begin(
                &PyHost::new(py),
                Arc::clone(&self.cached.snapshot),
                Arc::clone(&self.cached.spec),
                planned.plan,
                planned.reuse,
                payload,
            ),
            _ if self.enabled && self.cached.snapshot.wants_guarded(self.cached.spec.name()) => {
                let (snapshot, spec) = (Arc::clone(&self.cached.snapshot), Arc::clone(&self.cached.spec));
                let outcome = host::outcome::Outcome::without_hooks(snapshot, spec, payload);
                return Ok(Some(Finished::Folded(Box::new(outcome))));
            }
            planned => return Ok(Some(Finished::NoHooks { planned, payload, late: OnceCell::new() })),
        };
        Ok(self.take(step))
    }

    #[inline]
    fn take(&mut self, step: Step<Handler, Object>) -> Option<Finished> {
        match step {
            Step::Run(stage) => {
                self.stage = Some(stage);
                None
            }
            Step::Done(outcome) => Some(Finished::Folded(outcome)),
        }
    }

    /// Copies the payload before other code of the host may run, once: what the hooks of a gate have judged is what the outcome
    /// gives back. A dispatch whose hooks do not wait needs no copy.
    #[inline]
    pub(crate) fn hold(&mut self, py: Python<'_>) {
        if !self.is_held && self.cached.spec.gate() {
            self.is_held = true;
            self.copy_payload(py);
        }
    }

    fn copy_payload(&mut self, py: Python<'_>) {
        let Some(stage) = &mut self.stage else { return };
        stage.hold(|value| held(py, value));
        if let Some((event, _)) = self.event.as_ref().filter(|(_, made_at)| *made_at == stage.changes()) {
            event.view().hold(stage.payload());
        }
    }

    /// The hooks to run now.
    pub(crate) fn calls(&self) -> &[Call<Handler>] {
        self.stage.as_ref().map_or(&[], Stage::calls)
    }

    /// All hooks that were selected when the dispatch began.
    pub(crate) fn planned(&self) -> &[Call<Handler>] {
        self.stage.as_ref().map_or(&[], Stage::planned)
    }

    /// The hook at an index of the stage, or of those that may follow it without asking.
    fn call_at(&self, index: usize) -> Option<&Call<Handler>> {
        let stage = self.stage.as_ref()?;
        stage.calls().get(index).or_else(|| stage.ahead().get(index))
    }

    /// The next hook that may run without asking, behind those that [`Self::note_quiet`] has noted; and its index.
    pub(crate) fn next_ahead(&self) -> Option<(usize, &Call<Handler>)> {
        let index = self.quiet.len();
        Some((index, self.stage.as_ref()?.ahead().get(index)?))
    }

    /// Makes room for the durations of the hooks that may run without asking; false when there are none.
    pub(crate) fn begin_ahead(&mut self) -> bool {
        let count = self.stage.as_ref().map_or(0, |stage| stage.ahead().len());
        self.quiet.reserve_exact(count);
        count > 0
    }

    /// Goes on with the reports of the stage; gives the end when it was the last one.
    #[inline]
    pub(crate) fn resume(
        &mut self,
        py: Python<'_>,
        reports: impl IntoIterator<Item = Report<Object>>,
    ) -> Option<Finished> {
        let stage = self.stage.take()?;
        let step = stage.resume(&PyHost::new(py), reports);
        self.take(step)
    }

    /// Notes that the next hook did not answer and was in time.
    #[inline]
    pub(crate) fn note_quiet(&mut self, took: u64) {
        self.quiet.push(took);
    }

    /// Reports the hooks that [`Self::note_quiet`] has noted; gives the end when they were the last ones.
    #[inline]
    pub(crate) fn pass_quiet(&mut self, py: Python<'_>) -> Option<Finished> {
        let step = self.stage.take()?.pass(&PyHost::new(py), std::mem::take(&mut self.quiet));
        self.take(step)
    }

    /// Goes on after the only hook of a stage ended with a result, in time or not.
    #[inline]
    pub(crate) fn resume_with(&mut self, py: Python<'_>, result: Object, took: u64, limit: u64) -> Option<Finished> {
        self.resume(py, [Report { result: answer(py, result), took, overran: took > limit }])
    }

    /// Drops the suspended machine, so that claims of hooks that never started are given back.
    pub(crate) fn abandon(&mut self) {
        self.stage = None;
        self.event = None;
    }

    /// Starts the hook at an index of the stage: its start is recorded and logged, a `once` hook is used up, the event object
    /// is made, the clock starts, and `call` is called with the handler and the event. Every hook starts here.
    #[inline]
    pub(crate) fn start_hook<R>(
        &mut self,
        py: Python<'_>,
        index: usize,
        how: Start,
        call: impl FnOnce(&mut Self, &Object, &Object) -> R,
    ) -> PyResult<R> {
        let Some(entry) = self.call_at(index).map(Call::entry) else {
            return Err(errors::internal("a call vanished"));
        };
        let (callable, once) = (entry.handler().callable.clone(), entry.once());
        if self.logs || self.records_starts {
            self.report_start(py, index)?;
        }
        if once && let Some(stage) = &mut self.stage {
            stage.started(index);
        }
        let event = if how == Start::Alone { self.event(py)? } else { self.own_event(py)? };
        if how != Start::Untimed {
            self.start_clock();
        }
        Ok(call(self, &callable, &event))
    }

    /// Writes the start of a hook to the audit log and to the logger, as far as they want it.
    #[cold]
    fn report_start(&mut self, py: Python<'_>, index: usize) -> PyResult<()> {
        if self.records_starts
            && let Some(stage) = &mut self.stage
        {
            self.cached.audit.starts(&PyHost::new(py), stage, index, |wait| py.detach(wait));
        }
        // The end of a detached hook is logged with its start.
        let Some(entry) = self.call_at(index).map(Call::entry).filter(|entry| self.logs && !entry.detached()) else {
            return Ok(());
        };
        logging::started(py, &self.cached.name, entry.name())
    }

    /// Starts a hook's time; what passes between two hooks counts for the second one.
    #[inline]
    fn start_clock(&mut self) {
        if self.clock == 0 {
            self.began = clock::ticks();
            self.clock = self.began;
        }
    }

    /// Moves the clock on to now without counting the time for a hook: the stage's hooks were measured by themselves.
    pub(crate) fn skip_to_now(&mut self) {
        self.start_clock();
        self.lap();
    }

    /// Nanoseconds since the last boundary, which is now.
    #[inline]
    pub(crate) fn lap(&mut self) -> u64 {
        let now = clock::ticks();
        let since = std::mem::replace(&mut self.clock, now);
        if since == 0 { 0 } else { now.saturating_sub(since) }
    }

    /// Nanoseconds since the current hook started.
    pub(crate) fn since_start(&self) -> u64 {
        if self.clock == 0 { 0 } else { clock::ticks().saturating_sub(self.clock) }
    }

    /// The event for the next hook: the same object while only this dispatch refers to it.
    #[inline]
    fn event(&mut self, py: Python<'_>) -> PyResult<Object> {
        let changes = self.stage.as_ref().map_or(0, Stage::changes);
        if let Some((event, made_at)) = &self.event {
            if *made_at == changes && event.object().is_unshared() {
                event.view().renew();
                return Ok(event.object().clone());
            }
            self.leave_event(py);
        }
        let payload = self.stage.as_ref().map_or(&self.payload, Stage::payload);
        let event = self.cached.event(py, payload, self.filled.as_ref())?;
        let object = event.object().clone();
        self.event = Some((event, changes));
        Ok(object)
    }

    /// Lets go of the last event object, keeping what was made up for it.
    #[inline]
    fn leave_event(&mut self, py: Python<'_>) {
        let Some((event, _)) = self.event.take() else { return };
        self.filled = if event.object().is_unshared() {
            event.view().filled().or(self.filled.take())
        } else {
            Some(event.view().share_filled(py))
        };
    }

    /// An event object of its own, for a hook that runs beside others.
    fn own_event(&mut self, py: Python<'_>) -> PyResult<Object> {
        if let Some((event, _)) = &self.event {
            self.filled = Some(event.view().share_filled(py));
        }
        self.filled.get_or_insert_with(|| Object::from_bound(PyDict::new(py)));
        let payload = self.stage.as_ref().map_or(&self.payload, Stage::payload);
        self.cached.event(py, payload, self.filled.as_ref()).map(OwnEvent::into_object)
    }

    /// The report of a hook that ended with a result.
    #[inline]
    pub(crate) fn answered(&mut self, py: Python<'_>, index: usize, result: Object) -> Report<Object> {
        let took = self.lap();
        let limit = self.calls().get(index).and_then(|call| call.entry().handler().limit(call.entry().timeout()));
        let overran = limit.is_some_and(|limit| took > clock::nanos(limit));
        Report { result: answer(py, result), took, overran }
    }

    /// The report of a hook that failed.
    pub(crate) fn failed(
        &mut self,
        py: Python<'_>,
        index: usize,
        failure: HookFailure<Object>,
    ) -> PyResult<Report<Object>> {
        let took = self.lap();
        Ok(Report::new(self.failure(py, index, failure)?, took))
    }

    /// What it means that a hook raised.
    pub(crate) fn raised(&mut self, py: Python<'_>, index: usize, error: PyErr) -> PyResult<HandlerResult<Object>> {
        if let Some(failure) = completions::failure_of(py, &error) {
            return Ok(HandlerResult::Failed(failure));
        }
        let message = errors::describe(py, &error);
        let cause = Some(Object::from_bound(error.into_value(py).into_bound(py)));
        self.failure(py, index, HookFailure { kind: FailureKind::Raised, message, cause, meant_to_restrict: false })
    }

    /// What it means that a hook gave no answer; the dialect of a hook that asks the host may turn that into one.
    pub(crate) fn failure(
        &mut self,
        py: Python<'_>,
        index: usize,
        failure: HookFailure<Object>,
    ) -> PyResult<HandlerResult<Object>> {
        let Some(entry) = self.calls().get(index).map(|call| Arc::clone(call.entry())) else {
            return Ok(HandlerResult::Failed(failure));
        };
        let HandlerKind::Hosted(hook) = &entry.handler().kind else { return Ok(HandlerResult::Failed(failure)) };
        let event = self.own_event(py)?;
        Ok(hook.without_answer(py, &event, failure))
    }

    /// Makes the outcome that the host gets.
    #[inline]
    pub(crate) fn outcome(&mut self, py: Python<'_>, mut finished: Finished) -> PyResult<Object> {
        self.leave_event(py);
        if self.clock == 0 && matches!(finished, Finished::Folded(_)) {
            // Every hook was passed over.
            self.start_clock();
        }
        if let Finished::Folded(outcome) = &mut finished
            && let Some(why) = self.filled.as_ref().and_then(|filled| envelope::unshown(py, filled))
        {
            outcome.refuse_unshown(why);
        }
        if let Finished::Folded(outcome) = &mut finished {
            self.cached.audit.dispatched_at(&PyHost::new(py), outcome, self.clock, |wait| py.detach(wait));
        } else if self.cached.audit.is_recording() {
            self.cached.audit.unasked(&PyHost::new(py), finished.outcome(py, &self.cached));
        }
        let took = Duration::from_nanos(self.clock.saturating_sub(self.began));
        let has_warnings = match &finished {
            Finished::Folded(outcome) => outcome.count_alone(self.clock),
            Finished::NoHooks { .. } => self.enabled && self.cached.spec.count_alone(),
        };
        if has_warnings {
            self.client(py)?.get().log_warnings(py)?;
        }
        let failures = finished.failures_to_log();
        let outcome = outcome::make(py, finished, self.cached.clone(), self.filled.take(), took)?;
        if self.logs || !failures.is_empty() {
            logging::dispatched(py, &outcome, &self.client, &failures)?;
        }
        if self.cached.traced.load(Ordering::Relaxed) {
            logging::traced(py, &outcome, &self.client)?;
        }
        Ok(outcome)
    }

    /// Whether starts of hooks are logged or recorded.
    #[inline]
    pub(crate) const fn reports_starts(&self) -> bool {
        self.logs || self.records_starts
    }

    /// Starts the detached hook at an index of the stage.
    pub(crate) fn detach(&mut self, py: Python<'_>, index: usize) -> PyResult<Report<Object>> {
        let call = self.calls().get(index).cloned();
        let job = self.start_hook(py, index, Start::Untimed, |state, _, event| {
            let Some(call) = call else { return Err(errors::internal("a call vanished")) };
            state.detached_job(py, &call, event)
        })??;
        let client = self.client(py)?;
        let reported = match client.get().submit(py, Object::of(&job)) {
            Submitted::Start(_) => {
                job.enter_method(intern!(py, "start"), ())?;
                HandlerResult::Detached
            }
            Submitted::Waiting => {
                job.enter_method(intern!(py, "wait"), ())?;
                HandlerResult::Detached
            }
            Submitted::Refused(_) => {
                let limit = client.get().registry(py).options().max_detached;
                HandlerResult::Failed(HookFailure::new(FailureKind::DetachedLimit, host::detached::refusal(limit)))
            }
        };
        Ok(Report::new(reported, 0))
    }

    fn detached_job<'py>(&self, py: Python<'py>, call: &Call<Handler>, event: &Object) -> PyResult<Bound<'py, PyAny>> {
        static JOB: Once<Py<PyAny>> = Once::new();
        if let Some(event) = EventRef::of(py, event) {
            event.silence();
        }
        let tuple = self.call_tuple(py, call, event)?;
        let arguments = (self.client.borrow(py), self.cached.name.borrow(py), &**call.entry().name(), tuple);
        JOB.import(py, c"hookweave._detached", "Job")?.enter(arguments)
    }

    /// A hook as the Python runners get it: `(handler, event, timeout, in_thread, depth)`.
    pub(crate) fn call_tuple<'py>(
        &self,
        py: Python<'py>,
        call: &Call<Handler>,
        event: &Object,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let handler = call.entry().handler();
        let timeout = handler.limit(call.entry().timeout()).map(|limit| limit.as_secs_f64());
        (handler.callable.borrow(py), event.borrow(py), timeout, handler.in_thread, self.depth + 1).into_pyobject(py)
    }
}

/// The answer that a handler's result is.
#[inline]
pub(crate) fn answer(py: Python<'_>, result: Object) -> HandlerResult<Object> {
    if result.is_none() {
        return HandlerResult::Nothing;
    }
    match answer_of(py, result) {
        Ok(answer) => HandlerResult::Answer(answer),
        Err(error) => {
            let message = format!("the answer cannot be read: {}", errors::describe(py, &error));
            let cause = Some(Object::from_bound(error.into_value(py).into_bound(py)));
            let kind = FailureKind::InvalidAnswer;
            HandlerResult::Failed(HookFailure { kind, message, cause, meant_to_restrict: true })
        }
    }
}

/// A timeout in nanoseconds; the largest number for none.
#[inline]
pub(crate) fn limit_of(call: &Call<Handler>) -> u64 {
    call.entry().handler().limit(call.entry().timeout()).map_or(u64::MAX, clock::nanos)
}

/// The failure of a hook that was cancelled by something else than its dispatch.
pub(crate) fn cancelled(py: Python<'_>, error: PyErr) -> HookFailure<Object> {
    let cause = Some(Object::from_bound(error.into_value(py).into_bound(py)));
    let message = "the hook was cancelled, though its dispatch was not".to_owned();
    HookFailure { kind: FailureKind::Cancelled, message, cause, meant_to_restrict: false }
}
