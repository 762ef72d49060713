//! Runs the machine's steps on the caller's task, under tokio's clock.

use std::any::Any;
use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use serde_json::Value;
use tracing::field::Empty;
use tracing::level_filters::LevelFilter;
use tracing::{Instrument as _, Span};

use super::detached::Detached;
use super::fast_path::{Halt, run_fast_path};
use super::shared::Shared;
use super::{Event, Outcome};
use crate::engine::handler::{Code, SyncCode};
use crate::response::{HookError, HookResponse};
use hookweave_host::dispatch::{FailureKind, HandlerResult, HookFailure, Report, Stage, Step, Times};
use hookweave_host::index::Call;
use hookweave_host::registry::Entry;

thread_local! {
    /// How deep a dispatch that starts now would be: one more than that of the hook which is being polled.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// The depth of a dispatch that starts here.
pub(super) fn depth() -> u32 {
    DEPTH.get()
}

/// The depth of what a dispatch of some depth runs, until it is dropped.
pub(super) struct Depth(u32);

impl Depth {
    pub(super) fn enter(depth: u32) -> Self {
        Self(DEPTH.replace(depth + 1))
    }
}

impl Drop for Depth {
    fn drop(&mut self) {
        DEPTH.set(self.0);
    }
}

/// Runs code of a hook as part of a dispatch of some depth; a panic is the hook's failure, not the agent's.
pub(super) fn inside<R, V>(depth: u32, run: impl FnOnce() -> R) -> Result<R, HookFailure<V>> {
    let _depth = Depth::enter(depth);
    guarded(run)
}

/// Runs code of a hook; a panic is the hook's failure.
pub(super) fn guarded<R, V>(run: impl FnOnce() -> R) -> Result<R, HookFailure<V>> {
    catch_unwind(AssertUnwindSafe(run)).map_err(panicked)
}

#[cold]
#[expect(clippy::needless_pass_by_value, reason = "a panic is caught by value")]
fn panicked<V>(panic: Box<dyn Any + Send>) -> HookFailure<V> {
    HookFailure::new(FailureKind::Raised, format!("panicked: {}", panic_message(&*panic)))
}

pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

pub(super) fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "the driver measures its hooks")]
    Instant::now()
}

pub(super) fn nanos(from: Instant, to: Instant) -> u64 {
    let took = to.saturating_duration_since(from);
    took.as_secs().saturating_mul(1_000_000_000).saturating_add(took.subsec_nanos().into())
}

/// Hooks of the engine's that run now.
pub(super) type Staged = Stage<Code, Arc<Value>>;

/// Takes a dispatch to its outcome; says when its last hook ended.
///
/// Before a hook starts, `starting` is called to record that.
pub(super) async fn run(
    detached: &Arc<Detached>,
    starting: Option<impl Fn(&mut Staged, usize)>,
    mut step: Step<Code, Arc<Value>>,
    event: Event,
    depth: u32,
) -> (Outcome, Instant) {
    let mut clock = now();
    // The log and spans need each hook by itself.
    let is_heard = starting.is_some() || tracing::Level::INFO <= LevelFilter::current();
    let mut changed: Option<Event> = None;
    loop {
        let mut stage = match step {
            Step::Done(outcome) => return (Outcome::new(event, outcome), clock),
            Step::Run(stage) => stage,
        };
        let shown = changed.as_ref().unwrap_or(&event);
        if !Arc::ptr_eq(shown.shared_payload(), stage.payload()) {
            changed = Some(event.with_payload(Arc::clone(stage.payload())));
        }
        let shown = changed.as_ref().unwrap_or(&event);
        if !is_heard && !stage.ahead().is_empty() {
            step = flow_on(detached, stage, shown, depth, &mut clock).await;
            continue;
        }
        for index in 0..stage.calls().len() {
            stage.started(index);
            if let Some(starting) = &starting {
                starting(&mut stage, index);
            }
        }
        step = if let [call] = stage.calls() {
            // One look at the clock ends a hook and begins the next.
            let (report, ended) = boxed(run_call(detached, call, shown, depth, clock)).await;
            clock = ended;
            stage.resume(&Shared, [report])
        } else {
            let run = |call| boxed(run_call(detached, call, shown, depth, clock));
            let (reports, ended) = all(stage.calls().iter().map(run).collect()).await;
            clock = ended.unwrap_or(clock);
            stage.resume(&Shared, reports)
        };
    }
}

/// Runs the hooks of a stage and those that follow it, up to the first that has something to say.
async fn flow_on(
    detached: &Arc<Detached>,
    stage: Staged,
    event: &Event,
    depth: u32,
    clock: &mut Instant,
) -> Step<Code, Arc<Value>> {
    let calls = stage.ahead();
    let mut times = Times::with_capacity(calls.len());
    let ended =
        match poll_fn(|context| Poll::Ready(run_fast_path(calls, event, depth, clock, &mut times, context))).await {
            None => None,
            Some(Halt::Ended(ended)) => Some(ended),
            Some(Halt::Other(call)) => Some(boxed(run_call(detached, call, event, depth, *clock)).await),
            Some(Halt::Pending(call, future)) => {
                let timed = Timed::pending(future, call.entry().timeout(), depth);
                let handler_result = timed.await.map_or_else(HandlerResult::Failed, read);
                let ended = now();
                Some((Report::new(handler_result, nanos(*clock, ended)), ended))
            }
        };
    match (stage.pass(&Shared, times), ended) {
        (Step::Run(stage), Some((report, ended))) => {
            *clock = ended;
            stage.resume(&Shared, [report])
        }
        (step, _) => step,
    }
}

/// One hook on its way, in a box of its own: it takes more than most dispatches need.
type BoxedHookRun<'a> = Pin<Box<dyn Future<Output = Ended> + Send + 'a>>;

fn boxed<'a>(running: impl Future<Output = Ended> + Send + 'a) -> BoxedHookRun<'a> {
    Box::pin(running)
}

/// What came of a hook, and when it ended.
pub(super) type Ended = (Report<Arc<Value>>, Instant);

/// Polls the hooks of a stage together; their reports come in the order of the hooks, with the time of the last.
async fn all(mut running: Vec<BoxedHookRun<'_>>) -> (Vec<Report<Arc<Value>>>, Option<Instant>) {
    let mut ended: Vec<Option<Ended>> = running.iter().map(|_| None).collect();
    poll_fn(|context| {
        let mut waiting = false;
        for (hook, ended) in running.iter_mut().zip(&mut ended).filter(|(_, ended)| ended.is_none()) {
            match hook.as_mut().poll(context) {
                Poll::Ready(ready) => *ended = Some(ready),
                Poll::Pending => waiting = true,
            }
        }
        if waiting { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    let last = ended.iter().flatten().map(|(_, ended)| *ended).max();
    (ended.into_iter().flatten().map(|(report, _)| report).collect(), last)
}

async fn run_call(detached: &Arc<Detached>, call: &Call<Code>, event: &Event, depth: u32, began: Instant) -> Ended {
    let entry = call.entry();
    if entry.detached() {
        let started = detached.start(Arc::clone(entry), event.clone(), depth);
        return (Report::new(started.map_or_else(HandlerResult::Failed, |()| HandlerResult::Detached), 0), began);
    }
    run_entry(entry, event, depth, began).await
}

/// Runs a closure that answers at once. It cannot be interrupted: past its timeout its answer counts all the same.
fn run_sync(entry: &Entry<Code>, run: &SyncCode, event: &Event, depth: u32, began: Instant) -> Ended {
    let span = hook_span(entry);
    let _within = span.enter();
    log_start(entry);
    let handler_result = inside(depth, || run(event)).map_or_else(HandlerResult::Failed, read);
    let ended = now();
    let took = nanos(began, ended);
    let overran = overran(entry, took);
    record_end(&span, entry, &handler_result, took);
    (Report { result: handler_result, took, overran }, ended)
}

/// Whether a hook that cannot be interrupted took longer than it may.
pub(super) fn overran(entry: &Entry<Code>, took: u64) -> bool {
    entry.timeout().is_some_and(|limit| u128::from(took) > limit.as_nanos())
}

/// Runs one handler to its end or its timeout.
pub(super) async fn run_entry(entry: &Entry<Code>, event: &Event, depth: u32, began: Instant) -> Ended {
    match entry.handler() {
        Code::Sync(run) => run_sync(entry, run, event, depth, began),
        Code::File(hook) => {
            let span = hook_span(entry);
            span.in_scope(|| log_start(entry));
            let handler_result = hook.run(entry.event(), event, depth).instrument(span.clone()).await;
            let ended = now();
            let took = nanos(began, ended);
            record_end(&span, entry, &handler_result, took);
            (Report::new(handler_result, took), ended)
        }
        Code::Async(handler) => {
            let span = hook_span(entry);
            span.in_scope(|| log_start(entry));
            let handler_result = match span.in_scope(|| inside(depth, || handler.handle(event))) {
                Err(failure) => HandlerResult::Failed(failure),
                Ok(future) => {
                    let timed = Timed::new(future, entry.timeout(), depth).instrument(span.clone());
                    timed.await.map_or_else(HandlerResult::Failed, read)
                }
            };
            let ended = now();
            let took = nanos(began, ended);
            record_end(&span, entry, &handler_result, took);
            (Report::new(handler_result, took), ended)
        }
    }
}

fn log_start(entry: &Entry<Code>) {
    tracing::info!(event = entry.event().name(), hook = %entry.name(), matcher = ?entry.matcher().spec(), "hook starts");
}

/// A hook's own span, without cost while no subscriber listens.
fn hook_span(entry: &Entry<Code>) -> Span {
    tracing::debug_span!("hookweave.hook", hook = %entry.name(), event = entry.event().name(), outcome = Empty)
}

/// Says in its span what a hook came to, and in the log that it ended.
fn record_end<V>(span: &Span, entry: &Entry<Code>, handler_result: &HandlerResult<V>, took: u64) {
    let outcome = match handler_result {
        HandlerResult::Nothing => "nothing",
        HandlerResult::Answer(_) => "answer",
        HandlerResult::Detached => "detached",
        HandlerResult::Failed(failure) => failure.kind.as_str(),
    };
    span.record("outcome", outcome);
    span.in_scope(|| log_end(entry, took));
}

fn log_end(entry: &Entry<Code>, took: u64) {
    tracing::info!(event = entry.event().name(), hook = %entry.name(), micros = took / 1000, "hook ended");
}

pub(super) fn read(answered: Result<HookResponse, HookError>) -> HandlerResult<Arc<Value>> {
    match answered {
        Ok(response) if response.is_empty() => HandlerResult::Nothing,
        Ok(response) => HandlerResult::Answer(Arc::new(response.into_json())),
        Err(error) => HandlerResult::Failed(HookFailure::new(FailureKind::Raised, error.to_string())),
    }
}

/// A future of a hook's; a timer is armed only when it suspends.
pub(super) struct Timed<F, V> {
    future: F,
    limit: Option<Duration>,
    timer: Option<Pin<Box<tokio::time::Sleep>>>,
    depth: u32,
    /// It was just polled, and is not done.
    polled: bool,
    failure: PhantomData<fn() -> V>,
}

impl<F, V> Timed<F, V> {
    /// Bounds a future that runs as part of a dispatch of some depth.
    pub(super) const fn new(future: F, limit: Option<Duration>, depth: u32) -> Self {
        Self { future, limit, timer: None, depth, polled: false, failure: PhantomData }
    }

    /// The same of a future that was polled once and is not done.
    pub(super) fn pending(future: F, limit: Option<Duration>, depth: u32) -> Self {
        Self { polled: true, ..Self::new(future, limit, depth) }
    }
}

impl<F: Future + Unpin, V> Future for Timed<F, V> {
    type Output = Result<F::Output, HookFailure<V>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        if !std::mem::take(&mut this.polled) {
            match inside(this.depth, || Pin::new(&mut this.future).poll(context)) {
                Err(failure) => return Poll::Ready(Err(failure)),
                Ok(Poll::Ready(output)) => return Poll::Ready(Ok(output)),
                Ok(Poll::Pending) => {}
            }
        }
        let Some(limit) = this.limit else { return Poll::Pending };
        let timer = match &mut this.timer {
            Some(timer) => timer,
            None => match arm(limit) {
                Ok(timer) => this.timer.insert(timer),
                Err(failure) => return Poll::Ready(Err(failure)),
            },
        };
        timer.as_mut().poll(context).map(|()| Err(HookFailure::timeout(limit)))
    }
}

/// Starts a timer, or says that there is no clock to time by.
fn arm<V>(limit: Duration) -> Result<Pin<Box<tokio::time::Sleep>>, HookFailure<V>> {
    let no_clock = || {
        let why = "the hook has a timeout, which needs a tokio runtime with time enabled; dispatch inside one, or set no timeout";
        HookFailure::new(FailureKind::NotStarted, why)
    };
    if tokio::runtime::Handle::try_current().is_err() {
        return Err(no_clock());
    }
    catch_unwind(|| Box::pin(tokio::time::sleep(limit))).map_err(|_| no_clock())
}
