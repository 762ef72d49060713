//! Takes a dispatch to its outcome: starts outside hooks and waits for them on this thread.
//!
//! It stands beside the Rust driver because that one is an `async fn` on tokio, which would have to start before the first
//! hook could, and keeps a time for each hook; an agent gives its hook command one deadline for all. What drivers have in
//! common is the machine, [`hookweave_host`] and the jobs of outside hooks, and is used here: what is left is a channel.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use hookweave_host::clock::now_ms;
use hookweave_host::dialects::OutcomeValues;
use hookweave_host::dispatch::Report;
use hookweave_host::dispatch::{FailureKind, HandlerResult, HookFailure, Stage, Step, begin, check_depth};
use hookweave_host::envelope::{Envelope, check_payload};
use hookweave_host::exec::outside::{Done, HookInput, OutsideHook};
use hookweave_host::exec::pool::Job;
use hookweave_host::explain::{Explanation, explain};
use hookweave_host::index::{Call, Planned};
use hookweave_host::json::Json;
use hookweave_host::outcome::Outcome as Folded;
use serde_json::{Map, Value};

use crate::clock::{nanos_since, now};
use crate::failed::{Failed, Result};
use crate::left_variables::LeftVariables;
use crate::policy::Policy;

/// The combined answer of all hooks.
pub(crate) type Outcome = Folded<Arc<dyn OutsideHook>, Value>;

/// The stack on which is decided: as much as a process begins with.
pub(crate) const DECIDING_STACK: usize = 8 * 1024 * 1024;

/// How many dispatches this process is nested in, as the engine sets it for its commands.
const DEPTH: &str = "HOOKWEAVE_DEPTH";

/// How long an event's hooks may take together, and since when. Clones are the same deadline.
#[derive(Debug, Clone)]
pub(crate) struct Deadline {
    start: Instant,
    limit: Option<Duration>,
    /// Hooks are waited for, which ends at the deadline by itself.
    waits: Arc<AtomicBool>,
}

impl Deadline {
    /// A limit that begins now; `None` is without end.
    pub(crate) fn within(limit: Option<Duration>) -> Self {
        Self { start: now(), limit, waits: Arc::default() }
    }

    /// Whether hooks are waited for, which keeps the deadline itself.
    pub(crate) fn waits_for_hooks(&self) -> bool {
        self.waits.load(Ordering::Acquire)
    }

    /// What is left of it; `None` is without end.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.limit.map(|limit| limit.saturating_sub(now().saturating_duration_since(self.start)))
    }
}

/// Runs the hooks that an event selects; returns the outcome, and the fields that the engine filled in. Errors: an unknown
/// event, a dispatch that is nested too deeply.
pub(crate) fn dispatch(policy: &Policy, name: &str, payload: &Map<String, Value>) -> Result<(Outcome, Envelope)> {
    dispatch_for(policy, name, payload, &Deadline::within(None), &mut LeftVariables::default())
}

/// The same until a deadline, with what hooks leave for the agent's later commands. Hooks that were not done in time are an
/// error.
pub(crate) fn dispatch_for(
    policy: &Policy,
    name: &str,
    payload: &Map<String, Value>,
    deadline: &Deadline,
    left: &mut LeftVariables,
) -> Result<(Outcome, Envelope)> {
    let depth = depth();
    check_depth(depth)?;
    let snapshot = policy.registry.snapshot();
    let spec = snapshot.resolve(name)?;
    let payload = checked(payload)?;
    let envelope = Envelope::new(now_ms());
    envelope.place(&policy.registry.options().directory);
    let planned = snapshot.event(spec.name()).filter(|_| policy.registry.options().enabled);
    let planned = planned.map(|index| snapshot.plan_dispatch(&Json, index, &&payload)).transpose()?;
    let Some(Planned { plan, reuse }) = planned else {
        return Ok((Folded::without_hooks(snapshot, spec, payload), envelope));
    };
    let event = Arc::clone(&spec);
    let mut step = begin(&Json, snapshot, spec, plan, reuse, payload);
    loop {
        step = match step {
            Step::Done(outcome) => return Ok((*outcome, envelope)),
            Step::Run(stage) => {
                let fill = |given: &Map<String, Value>| envelope.fill(&event, given);
                run(stage, fill, depth, policy.sees_whole_sessions, deadline, left)?
            }
        };
    }
}

/// Why each hook is for an event or not; nothing runs.
pub(crate) fn explained(policy: &Policy, name: &str, payload: &Map<String, Value>) -> Result<Explanation> {
    let snapshot = policy.registry.snapshot();
    let spec = snapshot.resolve(name)?;
    let payload = checked(payload)?;
    Ok(explain(&snapshot, &Json, &spec, &&payload))
}

/// The depth of a dispatch that starts here: one more than that of the hook that this process is.
fn depth() -> u32 {
    let stands = std::env::var(DEPTH).ok().and_then(|depth| depth.parse::<u32>().ok());
    stands.map_or(0, |depth| depth.saturating_add(1))
}

/// A payload that may be dispatched, without the fields that the engine fills in for hooks: matchers do not use those.
pub(crate) fn checked(payload: &Map<String, Value>) -> Result<Value> {
    let payload = Value::Object(payload.clone());
    check_payload(&Json, &&payload)?;
    Ok(payload)
}

/// What a hook at an index of its stage came to, and how long it took.
type Ended = (usize, HandlerResult<Value>, u64);

/// Starts the hooks of a stage together and waits for all that are awaited.
fn run(
    mut stage: Stage<Arc<dyn OutsideHook>, Value>,
    fill: impl Fn(&Map<String, Value>) -> Map<String, Value>,
    depth: u32,
    may_count: bool,
    deadline: &Deadline,
    left: &mut LeftVariables,
) -> Result<Step<Arc<dyn OutsideHook>, Value>> {
    for index in 0..stage.calls().len() {
        stage.started(index);
    }
    let (sender, receiver) = channel();
    let mut jobs = Vec::new();
    let mut awaited = 0;
    for (index, call) in stage.calls().iter().enumerate() {
        let entry = call.entry();
        let hook = entry.handler();
        let payload = stage.payload().as_object().map(&fill).unwrap_or_default();
        let input = HookInput::new(Arc::clone(entry.event()), payload, depth);
        if entry.detached() {
            // It is not awaited here; the end of the process waits for the runtime.
            let late = left.late(entry.enforcement());
            drop(Arc::clone(hook).start(input, Done::new(move |result| late.take(result))));
            continue;
        }
        awaited += 1;
        let began = now();
        if hook.hosted().is_some() {
            let why =
                "it asks a model or calls a tool, which only an agent can do; the command runs commands and webhooks";
            let failure = HookFailure::new(FailureKind::NotStarted, why);
            let _ = sender.send((index, hook.broken(&input, failure), nanos_since(began)));
            continue;
        }
        if hook.counts() && !may_count {
            let why = "it counts the calls of a session, and this command ends after one; count them in the program that \
                       runs the agent";
            let failure = HookFailure::new(FailureKind::NotStarted, why);
            let _ = sender.send((index, HandlerResult::Failed(failure), nanos_since(began)));
            continue;
        }
        let sender = sender.clone();
        let done = Done::new(move |result| drop(sender.send((index, result, nanos_since(began)))));
        jobs.extend(Arc::clone(hook).start(input, done));
    }
    drop(sender);
    deadline.waits.store(true, Ordering::Release);
    // It is still waiting, for whoever asks, where the time is up: what runs is killed, and the error says so.
    let mut ended = collect(&receiver, awaited, deadline, jobs)?;
    deadline.waits.store(false, Ordering::Release);
    ended.sort_by_key(|(index, ..)| *index);
    for (index, result, _) in &mut ended {
        let enforcement = stage.calls().get(*index).map(|call| call.entry().enforcement());
        left.take(result, enforcement);
    }
    let reports = reports(stage.calls(), ended);
    Ok(stage.resume(&Json, reports))
}

/// Waits for so many hooks; what still runs at the deadline is killed.
fn collect(receiver: &Receiver<Ended>, awaited: usize, deadline: &Deadline, jobs: Vec<Job>) -> Result<Vec<Ended>> {
    let _kills: Vec<Job> = jobs.into_iter().map(Job::cancel_on_drop).collect();
    let mut ended = Vec::with_capacity(awaited);
    while ended.len() < awaited {
        let next = match deadline.left() {
            None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(left) => receiver.recv_timeout(left),
        };
        match next {
            Ok(report) => ended.push(report),
            // A hook that is dropped without a word counts as cancelled, which the machine knows.
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                let limit = deadline.limit.unwrap_or_default();
                return Err(Failed::new(format!("its hooks did not finish within {limit:?}")));
            }
        }
    }
    Ok(ended)
}

/// The reports in the order of the calls.
fn reports(calls: &[Call<Arc<dyn OutsideHook>>], mut ended: Vec<Ended>) -> Vec<Report<Value>> {
    let cancelled = || {
        HandlerResult::Failed(HookFailure::new(FailureKind::Cancelled, "the hook exited without reporting a result"))
    };
    let report = |(index, call): (usize, &Call<Arc<dyn OutsideHook>>)| {
        if call.entry().detached() {
            return Report::new(HandlerResult::Detached, 0);
        }
        match ended.iter().position(|(at, ..)| *at == index) {
            Some(found) => {
                let (_, result, took) = ended.swap_remove(found);
                Report::new(result, took)
            }
            None => Report::new(cancelled(), 0),
        }
    };
    calls.iter().enumerate().map(report).collect()
}

/// An outcome's canonical form, the same in every language.
pub(crate) fn outcome_json(outcome: &Outcome, envelope: &Envelope) -> Map<String, Value> {
    let Ok(Value::Object(mut whole)) = serde_json::to_value(outcome.summary()) else { return Map::new() };
    let OutcomeValues { payload, original, ext } = outcome_values(outcome, envelope);
    whole.insert("event".into(), Value::Object(payload));
    whole.insert("ext".into(), Value::Object(ext));
    if !outcome.modified().is_empty() {
        whole.insert("original".into(), Value::Object(original));
    }
    whole
}

/// The values of an outcome, with what the engine fills in.
pub(crate) fn outcome_values(outcome: &Outcome, envelope: &Envelope) -> OutcomeValues {
    let owned = |(name, value): (&str, &Value)| (name.to_owned(), value.clone());
    let payload = outcome.payload().as_object().map(|payload| envelope.fill(outcome.event(), payload));
    OutcomeValues {
        payload: payload.unwrap_or_default(),
        original: outcome.originals().map(owned).collect(),
        ext: outcome.ext().map(owned).collect(),
    }
}
