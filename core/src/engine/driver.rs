//! Runs the machine's steps on the caller's task, under tokio's clock.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use serde_json::Value;
use tracing::level_filters::LevelFilter;

use super::clock::{nanos, now};
use super::deadline::Timed;
use super::detached::Detached;
use super::fast_path::{Halt, run_fast_path};
use super::hook_run::{Ended, read, run_entry};
use super::shared::Shared;
use super::{Event, Outcome};
use crate::engine::handler::Code;
use hookweave_host::dispatch::{HandlerResult, Report, Stage, Step, Times};
use hookweave_host::index::Call;

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
