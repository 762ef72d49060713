//! Runs the machine's steps on the caller's task, under tokio's clock.

use std::any::Any;
use std::cell::Cell;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::detached::Detached;
use super::shared::Shared;
use super::{Event, Outcome};
use crate::dispatch::{Failure, FailureKind, Report, Said, Step};
use crate::handler::{Code, HookError, HookFuture};
use crate::index::Call;
use crate::registry::Entry;
use crate::response::HookResponse;

thread_local! {
    /// How deep a dispatch that starts now would be: one more than that of the hook which is being polled.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// The depth of a dispatch that starts here.
pub(super) fn depth() -> u32 {
    DEPTH.get()
}

/// Runs code of a hook as part of a dispatch of some depth; a panic is the hook's failure, not the agent's.
fn inside<R>(depth: u32, run: impl FnOnce() -> R) -> Result<R, Failure<Arc<Value>>> {
    struct Restore(u32);
    impl Drop for Restore {
        fn drop(&mut self) {
            DEPTH.set(self.0);
        }
    }
    let _restore = Restore(DEPTH.replace(depth + 1));
    catch_unwind(AssertUnwindSafe(run))
        .map_err(|panic| Failure::new(FailureKind::Raised, format!("panicked: {}", panic_message(&*panic))))
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

pub(super) fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "the engine's driver is the one place that measures time")]
    Instant::now()
}

fn nanos(since: Instant) -> u64 {
    u64::try_from(now().saturating_duration_since(since).as_nanos()).unwrap_or(u64::MAX)
}

/// Takes a dispatch to its outcome.
pub(super) async fn run(
    detached: &Arc<Detached>,
    mut step: Step<Code, Arc<Value>>,
    event: Event,
    depth: u32,
) -> Outcome {
    let mut shown = event.clone();
    loop {
        let mut stage = match step {
            Step::Done(outcome) => return Outcome::new(&event, outcome),
            Step::Run(stage) => stage,
        };
        if !Arc::ptr_eq(shown.shared_payload(), stage.payload()) {
            shown = event.with_payload(Arc::clone(stage.payload()));
        }
        for index in 0..stage.calls().len() {
            stage.started(index);
        }
        step = if let [call] = stage.calls() {
            let report = run_call(detached, call, &shown, depth).await;
            stage.resume(&Shared, [report])
        } else {
            let running =
                stage.calls().iter().map(|call| Box::pin(run_call(detached, call, &shown, depth)) as Running<'_>);
            let reports = all(running.collect()).await;
            stage.resume(&Shared, reports)
        };
    }
}

/// One hook of a parallel stage on its way.
type Running<'a> = Pin<Box<dyn Future<Output = Report<Arc<Value>>> + Send + 'a>>;

/// Polls the hooks of a stage together; their reports come in the order of the hooks.
async fn all(mut running: Vec<Running<'_>>) -> Vec<Report<Arc<Value>>> {
    let mut reports: Vec<Option<Report<Arc<Value>>>> = running.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        let mut waiting = false;
        for (hook, report) in running.iter_mut().zip(&mut reports).filter(|(_, report)| report.is_none()) {
            match hook.as_mut().poll(context) {
                Poll::Ready(ready) => *report = Some(ready),
                Poll::Pending => waiting = true,
            }
        }
        if waiting { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    reports.into_iter().flatten().collect()
}

async fn run_call(detached: &Arc<Detached>, call: &Call<Code>, event: &Event, depth: u32) -> Report<Arc<Value>> {
    let entry = call.entry();
    if entry.detached() {
        let said =
            detached.start(Arc::clone(entry), event.clone(), depth).map_or_else(Said::Failed, |()| Said::Detached);
        return Report::new(said, 0);
    }
    run_entry(entry, event, depth).await
}

/// Runs one handler to its end or its timeout.
pub(super) async fn run_entry(entry: &Entry<Code>, event: &Event, depth: u32) -> Report<Arc<Value>> {
    let began = now();
    match entry.handler() {
        Code::Sync(run) => {
            let said = inside(depth, || run(event)).map_or_else(Said::Failed, read);
            let took = nanos(began);
            let overran = entry.timeout().is_some_and(|limit| u128::from(took) > limit.as_nanos());
            Report { said, took, overran }
        }
        Code::Async(handler) => {
            let said = match inside(depth, || handler.handle(event)) {
                Err(failure) => Said::Failed(failure),
                Ok(future) => HookRun { future, limit: entry.timeout(), timer: None, depth }.await,
            };
            Report::new(said, nanos(began))
        }
    }
}

fn read(answered: Result<HookResponse, HookError>) -> Said<Arc<Value>> {
    match answered {
        Ok(response) if response.is_empty() => Said::Nothing,
        Ok(response) => Said::Answer(Arc::new(response.into_json())),
        Err(error) => Said::Failed(Failure::new(FailureKind::Raised, error.to_string())),
    }
}

/// A handler's future; a timer is armed only when it suspends.
struct HookRun<'a> {
    future: HookFuture<'a>,
    limit: Option<Duration>,
    timer: Option<Pin<Box<tokio::time::Sleep>>>,
    depth: u32,
}

impl Future for HookRun<'_> {
    type Output = Said<Arc<Value>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        match inside(this.depth, || this.future.as_mut().poll(context)) {
            Err(failure) => return Poll::Ready(Said::Failed(failure)),
            Ok(Poll::Ready(answered)) => return Poll::Ready(read(answered)),
            Ok(Poll::Pending) => {}
        }
        let Some(limit) = this.limit else { return Poll::Pending };
        let timer = match &mut this.timer {
            Some(timer) => timer,
            None => match arm(limit) {
                Ok(timer) => this.timer.insert(timer),
                Err(failure) => return Poll::Ready(Said::Failed(failure)),
            },
        };
        timer.as_mut().poll(context).map(|()| Said::Failed(Failure::timeout(limit)))
    }
}

/// Starts a timer, or says that there is no clock to time by.
fn arm(limit: Duration) -> Result<Pin<Box<tokio::time::Sleep>>, Failure<Arc<Value>>> {
    let no_clock = || {
        let why = "the hook has a timeout, which needs a tokio runtime with time enabled; dispatch inside one, or set no timeout";
        Failure::new(FailureKind::NotStarted, why)
    };
    if tokio::runtime::Handle::try_current().is_err() {
        return Err(no_clock());
    }
    catch_unwind(|| Box::pin(tokio::time::sleep(limit))).map_err(|_| no_clock())
}
