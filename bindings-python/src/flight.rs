//! One dispatch, as far as the two drivers (awaitable and blocking) have it in common.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hookweave::audit::Level;
use hookweave::host::{self, Call, Failure, FailureKind, Planned, Report, Said, Stage, Step, Submitted};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

use crate::client::Client;
use crate::clock;
use crate::convert::{PyHost, answer_of};
use crate::ending::Enter as _;
use crate::errors;
use crate::event::{EventRef, OwnEvent};
use crate::fill;
use crate::known::{Handler, Known, Native};
use crate::log;
use crate::native;
use crate::object::{Object, visit_all};
use crate::outcome;

pub(crate) type Running = Stage<Handler, Object>;

pub(crate) type CoreOutcome = Box<host::Outcome<Handler, Object>>;

/// How a dispatch has ended.
pub(crate) enum Finished {
    /// As the core says.
    Said(CoreOutcome),
    /// Nobody was there to be asked; the core is told so only when somebody looks at the outcome.
    Unasked {
        /// The plan without hooks that was found for an event with hooks.
        planned: Option<Planned<Handler>>,
        payload: Object,
        late: OnceCell<CoreOutcome>,
    },
}

impl Finished {
    /// The core's outcome.
    #[inline]
    pub(crate) fn outcome(&self, py: Python<'_>, known: &Known) -> &host::Outcome<Handler, Object> {
        match self {
            Self::Said(outcome) => outcome,
            Self::Unasked { planned, payload, late } => {
                late.get_or_init(|| unasked(py, known, planned.as_ref(), payload.clone()))
            }
        }
    }

    /// Shows the collector what this owns.
    pub(crate) fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let mut result = Ok(());
        let mut see = |value: &Object| {
            if result.is_ok() {
                result = value.visit(visit);
            }
        };
        match self {
            Self::Said(outcome) => outcome.visit(see),
            Self::Unasked { payload, late, .. } => {
                see(payload);
                if let Some(outcome) = late.get() {
                    outcome.visit(see);
                }
            }
        }
        result
    }

    /// The failures that the log is told of.
    #[inline]
    fn failures_to_tell(&self) -> Vec<host::Told> {
        match self {
            Self::Said(outcome) => outcome.failures_to_tell().collect(),
            Self::Unasked { .. } => Vec::new(),
        }
    }
}

/// The outcome of an event that no hook was asked about.
#[cold]
fn unasked(py: Python<'_>, known: &Known, planned: Option<&Planned<Handler>>, payload: Object) -> CoreOutcome {
    let (snapshot, spec) = (Arc::clone(&known.snapshot), Arc::clone(&known.spec));
    let Some(Planned { plan, reuse }) = planned else {
        return Box::new(host::Outcome::empty(snapshot, spec, payload));
    };
    match host::begin(&PyHost::new(py), snapshot, spec, Arc::clone(plan), *reuse, payload) {
        Step::Done(outcome) => outcome,
        Step::Run(_) => unreachable!("a plan without hooks ends as soon as it begins"),
    }
}

/// A dispatch that was asked for; it owns what it needs until its outcome is made.
pub(crate) struct Flight {
    /// Keeps the client's handlers from being collected while the dispatch runs.
    client: Object,
    known: Rc<Known>,
    payload: Object,
    /// Values that the engine made up, if some hook asked for one.
    filled: Option<Object>,
    stage: Option<Running>,
    /// The last event object, and how often the payload had changed when it was made.
    event: Option<(OwnEvent, u32)>,
    began: u64,
    /// When the last hook ended or the next one started, in nanoseconds; zero before the first.
    clock: u64,
    pub(crate) depth: u32,
    /// Whether the client was switched on when the dispatch was asked for.
    enabled: bool,
    logs: bool,
    /// Whether starts of hooks are recorded.
    records_starts: bool,
}

/// What a dispatch is about.
pub(crate) struct Request {
    pub(crate) known: Rc<Known>,
    pub(crate) payload: Object,
    /// What an event object, given in place of a payload, had made up already.
    pub(crate) filled: Option<Object>,
}

impl Flight {
    pub(crate) fn new(client: Object, request: Request, depth: u32, enabled: bool) -> Self {
        Self {
            client,
            known: request.known,
            payload: request.payload,
            filled: request.filled,
            stage: None,
            event: None,
            began: 0,
            clock: 0,
            depth,
            enabled,
            logs: false,
            records_starts: false,
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
        &self.known.name
    }

    pub(crate) fn client<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Client>> {
        Ok(self.client.bind(py).cast_into::<Client>()?)
    }

    /// Plans the dispatch; gives its outcome at once when there is nothing to run.
    #[inline]
    pub(crate) fn begin(&mut self, py: Python<'_>) -> Option<Finished> {
        self.logs = log::is_on(py);
        self.records_starts = self.known.audit.effective() >= Level::Verbose;
        let found = if self.enabled { self.known.plan(py, &self.payload) } else { None };
        let payload = self.payload.clone();
        let step = match found {
            Some(planned) if !planned.plan.calls().is_empty() => host::begin(
                &PyHost::new(py),
                Arc::clone(&self.known.snapshot),
                Arc::clone(&self.known.spec),
                planned.plan,
                planned.reuse,
                payload,
            ),
            planned => return Some(Finished::Unasked { planned, payload, late: OnceCell::new() }),
        };
        self.take(step)
    }

    #[inline]
    fn take(&mut self, step: Step<Handler, Object>) -> Option<Finished> {
        match step {
            Step::Run(stage) => {
                self.stage = Some(stage);
                None
            }
            Step::Done(outcome) => Some(Finished::Said(outcome)),
        }
    }

    /// The hooks to run now.
    pub(crate) fn calls(&self) -> &[Call<Handler>] {
        self.stage.as_ref().map_or(&[], Stage::calls)
    }

    pub(crate) fn stage(&self) -> Option<&Running> {
        self.stage.as_ref()
    }

    pub(crate) fn stage_mut(&mut self) -> Option<&mut Running> {
        self.stage.as_mut()
    }

    /// Goes on with the reports of the stage; gives the outcome when it was the last one.
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

    /// Goes on after all hooks that [`Stage::go_past`] went past.
    #[inline]
    pub(crate) fn finish(&mut self, host: &PyHost) -> Option<Finished> {
        let step = self.stage.take()?.finish(host);
        self.take(step)
    }

    /// Goes on after the only hook of a stage ended with a result, in time or not.
    #[inline]
    pub(crate) fn resume_with(&mut self, py: Python<'_>, result: Object, took: u64, limit: u64) -> Option<Finished> {
        if result.is_none() && took <= limit {
            let stage = self.stage.take()?;
            let step = stage.pass(&PyHost::new(py), took);
            return self.take(step);
        }
        self.resume(py, [Report { said: Self::said(py, result), took, overran: took > limit }])
    }

    /// Drops the suspended machine, so that claims of hooks that never started are given back.
    pub(crate) fn abandon(&mut self) {
        self.stage = None;
        self.event = None;
    }

    /// Starts a hook's time; the time between hooks belongs to none.
    #[inline]
    pub(crate) fn start_clock(&mut self) {
        if self.clock == 0 {
            self.began = clock::ticks();
            self.clock = self.began;
        }
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

    /// The event for the next hook: the same object while nobody holds it but this dispatch.
    #[inline]
    pub(crate) fn event(&mut self, py: Python<'_>) -> PyResult<Object> {
        let changes = self.stage.as_ref().map_or(0, Stage::changes);
        if let Some((event, made_at)) = &self.event {
            if *made_at == changes && event.object().is_unshared() {
                event.view().renew();
                return Ok(event.object().clone());
            }
            self.leave_event(py);
        }
        let payload = self.stage.as_ref().map_or(&self.payload, Stage::payload);
        let event = self.known.event(py, payload, self.filled.as_ref())?;
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
    pub(crate) fn own_event(&mut self, py: Python<'_>) -> PyResult<Object> {
        if let Some((event, _)) = &self.event {
            self.filled = Some(event.view().share_filled(py));
        }
        self.filled.get_or_insert_with(|| Object::from_bound(PyDict::new(py)));
        let payload = self.stage.as_ref().map_or(&self.payload, Stage::payload);
        self.known.event(py, payload, self.filled.as_ref()).map(OwnEvent::into_object)
    }

    /// What the core is told of a handler's result.
    #[inline]
    pub(crate) fn said(py: Python<'_>, result: Object) -> Said<Object> {
        if result.is_none() { Said::Nothing } else { Said::Answer(answer_of(py, result)) }
    }

    /// All hooks that were selected when the dispatch began.
    pub(crate) fn planned(&self) -> &[Call<Handler>] {
        self.stage.as_ref().map_or(&[], Stage::planned)
    }

    /// What the core is told of a hook that ended with an answer.
    #[inline]
    pub(crate) fn answered_at(&mut self, py: Python<'_>, index: usize, result: Object) -> Report<Object> {
        let took = self.lap();
        let limit = self.calls().get(index).and_then(|call| call.entry().handler().limit(call.entry().timeout()));
        let overran = limit.is_some_and(|limit| took > clock::nanos(limit));
        Report { said: Self::said(py, result), took, overran }
    }

    /// What the core is told of a hook that failed.
    pub(crate) fn failed(
        &mut self,
        py: Python<'_>,
        index: usize,
        failure: Failure<Object>,
    ) -> PyResult<Report<Object>> {
        let took = self.lap();
        Ok(Report::new(self.fallen(py, index, failure)?, took))
    }

    /// What the core is told of a hook that raised.
    pub(crate) fn raised(&mut self, py: Python<'_>, index: usize, error: PyErr) -> PyResult<Said<Object>> {
        if let Some(failure) = native::failure_of(py, &error) {
            return Ok(Said::Failed(failure));
        }
        let message = describe(py, &error);
        let cause = Some(Object::from_bound(error.into_value(py).into_bound(py)));
        self.fallen(py, index, Failure { kind: FailureKind::Raised, message, cause, meant_to_restrict: false })
    }

    /// What it means that a hook came to no answer; of one that asks the host its dialect says so.
    pub(crate) fn fallen(&mut self, py: Python<'_>, index: usize, failure: Failure<Object>) -> PyResult<Said<Object>> {
        let hosted = self.calls().get(index).filter(|call| matches!(call.entry().handler().native, Native::Hosted(_)));
        let Some(call) = hosted.cloned() else { return Ok(Said::Failed(failure)) };
        let Native::Hosted(hook) = &call.entry().handler().native else { return Ok(Said::Failed(failure)) };
        let event = self.own_event(py)?;
        Ok(hook.broken(py, &event, failure))
    }

    /// Makes the outcome that the host gets.
    #[inline]
    pub(crate) fn outcome(&mut self, py: Python<'_>, mut finished: Finished) -> PyResult<Object> {
        self.leave_event(py);
        if self.clock == 0 && matches!(finished, Finished::Said(_)) {
            // Every hook was passed over.
            self.start_clock();
        }
        if let Finished::Said(outcome) = &mut finished
            && let Some(why) = self.filled.as_ref().and_then(|filled| fill::unshown(py, filled))
        {
            outcome.refuse(why);
        }
        if let Finished::Said(outcome) = &mut finished {
            self.known.audit.dispatched_at(&PyHost::new(py), outcome, self.clock, |wait| py.detach(wait));
        } else if self.known.audit.is_recording() {
            self.known.audit.unasked(&PyHost::new(py), finished.outcome(py, &self.known));
        }
        let took = Duration::from_nanos(self.clock.saturating_sub(self.began));
        let looks = match &finished {
            Finished::Said(outcome) => outcome.count_alone(self.clock),
            Finished::Unasked { .. } => self.enabled && self.known.spec.count_alone(),
        };
        if looks {
            self.client(py)?.get().tell_warnings(py)?;
        }
        let told = finished.failures_to_tell();
        let outcome = outcome::make(py, finished, self.known.clone(), self.filled.take(), took)?;
        if self.logs || !told.is_empty() {
            log::dispatched(py, &outcome, &self.client, &told)?;
        }
        if self.known.traced.load(Ordering::Relaxed) {
            log::traced(py, &outcome, &self.client)?;
        }
        Ok(outcome)
    }

    /// Records that a hook is about to run, where that is recorded.
    #[inline]
    fn record_start(&mut self, py: Python<'_>, index: usize) {
        if self.records_starts
            && let Some(stage) = &mut self.stage
        {
            self.known.audit.starts(&PyHost::new(py), stage, index, |wait| py.detach(wait));
        }
    }

    /// Whether anybody is told that hooks start.
    #[inline]
    pub(crate) const fn tells_starts(&self) -> bool {
        self.logs || self.records_starts
    }

    /// Tells whoever listens that a hook starts.
    #[inline]
    pub(crate) fn log_start(&mut self, py: Python<'_>, index: usize) -> PyResult<()> {
        self.record_start(py, index);
        if !self.logs {
            return Ok(());
        }
        let hook = self.calls().get(index).map(|call| call.entry().name().to_string());
        log::started(py, &self.known.name, hook.as_deref().unwrap_or_default())
    }

    /// Starts the detached hook at an index of the stage.
    pub(crate) fn detach(&mut self, py: Python<'_>, index: usize) -> PyResult<Report<Object>> {
        static JOB: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let Some(call) = self.calls().get(index).cloned() else { return Err(errors::broken("a call vanished")) };
        self.record_start(py, index);
        if let Some(stage) = self.stage.as_mut() {
            stage.started(index);
        }
        let event = self.own_event(py)?;
        if let Some(event) = EventRef::of(py, &event) {
            event.silence();
        }
        let call_tuple = call_of(py, &call, &event, self.depth + 1)?;
        let entry = call.entry();
        let arguments = (self.client.borrow(py), self.known.name.borrow(py), &**entry.name(), call_tuple);
        let job = JOB.import(py, "hookweave._detached", "Job")?.enter(arguments)?;
        let client = self.client(py)?;
        let said = match client.get().submit(py, Object::of(&job)) {
            Submitted::Start(_) => {
                job.enter_method(intern!(py, "start"), ())?;
                Said::Detached
            }
            Submitted::Waiting => {
                job.enter_method(intern!(py, "wait"), ())?;
                Said::Detached
            }
            Submitted::Refused(_) => {
                let limit = client.get().registry(py).options().max_detached;
                Said::Failed(Failure::new(FailureKind::DetachedLimit, host::refusal(limit)))
            }
        };
        Ok(Report::new(said, 0))
    }
}

/// A hook as the Python helpers get it: `(handler, event, timeout, in_thread, depth)`.
pub(crate) fn call_of<'py>(
    py: Python<'py>,
    call: &Call<Handler>,
    event: &Object,
    depth: u32,
) -> PyResult<Bound<'py, pyo3::types::PyTuple>> {
    let handler = call.entry().handler();
    let timeout = handler.limit(call.entry().timeout()).map(|limit| limit.as_secs_f64());
    (handler.callable.borrow(py), event.borrow(py), timeout, handler.in_thread, depth).into_pyobject(py)
}

/// A timeout in nanoseconds; none is one that never passes.
#[inline]
pub(crate) fn limit_of(call: &Call<Handler>) -> u64 {
    call.entry().handler().limit(call.entry().timeout()).map_or(u64::MAX, clock::nanos)
}

/// `ValueError: what`; the type alone when there is no text.
pub(crate) fn describe(py: Python<'_>, error: &PyErr) -> String {
    let kind = error.get_type(py).name().map_or_else(|_| "Exception".to_owned(), |name| name.to_string());
    let text = error.value(py).str().ok().and_then(|text| text.to_str().ok().map(str::to_owned)).unwrap_or_default();
    if text.is_empty() { kind } else { format!("{kind}: {text}") }
}

/// A hook that somebody cancelled though nobody cancelled the dispatch.
pub(crate) fn cancelled(py: Python<'_>, error: PyErr) -> Failure<Object> {
    let cause = Some(Object::from_bound(error.into_value(py).into_bound(py)));
    let message = "the hook was cancelled, though its dispatch was not".to_owned();
    Failure { kind: FailureKind::Cancelled, message, cause, meant_to_restrict: false }
}
