//! A driver of its own over the host façade, as a binding has one: handlers are scripts, values are JSON.
//!
//! Hooks of a stage start in order and are then driven from the last to the first, so that they finish in the worst
//! order for folding by time.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Instant;

use hookweave::audit::{Audit, AuditOptions};
use hookweave_host::clock::{now_ms, present, ticks};
use hookweave_host::detached::{DetachedQueue, Submitted, refusal};
use hookweave_host::dialects::{self, OutcomeValues, encode_outcome, outcome_to_wire};
use hookweave_host::dispatch::{FailureKind, HandlerResult, HookFailure, Report, Stage, Step, begin, check_depth};
use hookweave_host::envelope::{Envelope, check_payload};
use hookweave_host::error::Error;
use hookweave_host::event::EventDefinition;
use hookweave_host::guard::Guard;
use hookweave_host::hook::HookSpec;
use hookweave_host::index::Call;
use hookweave_host::json::Json;
use hookweave_host::options::Options;
use hookweave_host::outcome::Outcome;
use hookweave_host::registry::{HookId, Registry};
use hookweave_host::tool::ToolDefinition;
use hookweave_host::{call, explain, hook_id};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::LONG;
use crate::case::{Hook, Kind};
use crate::client::{Client, Fault, Pending};
use crate::engine::guard;
use crate::promises::Promises;
use crate::script::{Script, Seen, Theatre};

/// A client over the façade.
pub struct Foreign {
    registry: Registry<Arc<Script>>,
    enabled: AtomicBool,
    theatre: Arc<Theatre>,
    kind: Kind,
    detached: Arc<Detached>,
    audit: Arc<Audit>,
}

/// A detached hook that waits for its place.
struct Job {
    script: Arc<Script>,
    event: Seen,
    limit: Option<std::time::Duration>,
    depth: u32,
}

struct Detached {
    queue: Mutex<DetachedQueue<Job>>,
    theatre: Arc<Theatre>,
    ended: Notify,
}

impl Foreign {
    /// A client with options, whose handlers answer at once or wait.
    pub fn new(options: &Value, theatre: Arc<Theatre>, kind: Kind) -> Result<Self, Fault> {
        let options = Options::read(&Json, &options)?;
        let queue = Mutex::new(DetachedQueue::new(options.max_detached));
        let detached = Arc::new(Detached { queue, theatre: Arc::clone(&theatre), ended: Notify::new() });
        let enabled = AtomicBool::new(options.enabled);
        let (registry, audit) = (Registry::new(options), Audit::new());
        registry.watch(audit.clone());
        Ok(Self { registry, enabled, theatre, kind, detached, audit })
    }

    async fn run(&self, event: &str, payload: Value, depth: u32) -> Result<Value, Fault> {
        self.registry.check_open("dispatch events")?;
        check_depth(depth)?;
        let snapshot = self.registry.snapshot();
        let spec = snapshot.resolve(event)?;
        let payload = checked(payload)?;
        let envelope = Envelope::new(now_ms());
        envelope.place(&self.registry.options().directory);
        let event = Arc::clone(&spec);
        let fill = |given: &Value| match given {
            Value::Object(given) => Value::Object(envelope.fill(&event, given)),
            other => panic!("the payload became {other}"),
        };
        let tools = self.registry.known_tools();
        let text = |error: Error| error.to_string();
        let seen = |given: &Value| Seen {
            whole: fill(given),
            command: call::command(&Json, event.name(), given, tools).map(Value::from).map_err(text),
            paths: call::paths(&Json, event.name(), given, tools).map(Value::from).map_err(text),
        };
        let enabled = self.enabled.load(Ordering::SeqCst);
        let mut step = match snapshot.event(spec.name()) {
            Some(index) if enabled => {
                let planned = snapshot.plan_dispatch(&Json, index, &&payload)?;
                begin(&Json, snapshot, spec, planned.plan, planned.reuse, payload)
            }
            _ => {
                let of = if enabled { Outcome::without_hooks } else { Outcome::empty };
                Step::Done(Box::new(of(snapshot, spec, payload)))
            }
        };
        let mut promises = Promises::default();
        loop {
            match step {
                Step::Run(stage) => step = self.run_stage(stage, &mut promises, &seen, depth).await,
                Step::Done(mut outcome) => {
                    self.audit.dispatched(&Json, &mut outcome, |wait| wait());
                    if enabled {
                        outcome.count(ticks(now()));
                    }
                    promises.check(&outcome, &self.theatre);
                    let mut whole = serde_json::to_value(outcome.summary()).unwrap();
                    let owned = |(name, value): (&str, &Value)| (name.to_owned(), value.clone());
                    let values = OutcomeValues {
                        payload: fill(outcome.payload()).as_object().cloned().unwrap(),
                        original: outcome.originals().map(owned).collect(),
                        ext: outcome.ext().map(owned).collect(),
                    };
                    whole["event"] = values.payload.clone().into();
                    whole["ext"] = values.ext.clone().into();
                    whole["original"] = values.original.clone().into();
                    encodes_alike(&outcome, &values, &whole, &self.theatre);
                    whole["unmatched"] = serde_json::to_value(outcome.unmatched(&Json)).unwrap();
                    return Ok(whole);
                }
            }
        }
    }

    async fn run_stage(
        &self,
        mut stage: Stage<Arc<Script>, Value>,
        promises: &mut Promises,
        seen: &(dyn Fn(&Value) -> Seen + Sync),
        depth: u32,
    ) -> Step<Arc<Script>, Value> {
        let calls: Vec<Call<Arc<Script>>> = stage.calls().to_vec();
        let payload = seen(&promises.payload(&stage));
        let mut running: Vec<Running<'_>> = Vec::new();
        for (index, call) in calls.iter().enumerate() {
            self.audit.starts(&Json, &mut stage, index, |wait| wait());
            stage.started(index);
            let mut hook = self.start(call, payload.clone(), depth);
            poll_fn(|context| {
                hook.poll(context);
                Poll::Ready(())
            })
            .await;
            running.push(hook);
        }
        poll_fn(|context| {
            let mut all = true;
            for hook in running.iter_mut().rev() {
                all &= hook.poll(context);
            }
            if all { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        let reports: Vec<_> = running.into_iter().map(|hook| hook.report.expect("every hook has ended")).collect();
        promises.note(&stage, &reports, &self.theatre);
        match reports.as_slice() {
            [Report { result: HandlerResult::Nothing, took, overran: false }] if !stage.ahead().is_empty() => {
                stage.pass(&Json, [*took].into_iter().collect())
            }
            _ => stage.resume(&Json, reports),
        }
    }

    fn start<'a>(&'a self, call: &Call<Arc<Script>>, event: Seen, depth: u32) -> Running<'a> {
        let entry = call.entry();
        let script = Arc::clone(entry.handler());
        let limit = entry.timeout();
        if entry.detached() {
            let result = if self.detached.submit(Job { script, event, limit, depth }) {
                HandlerResult::Detached
            } else {
                let why = refusal(self.registry.options().max_detached);
                HandlerResult::Failed(HookFailure::new(FailureKind::DetachedLimit, why))
            };
            return Running { future: None, report: Some(Report::new(result, 0)) };
        }
        let began = now();
        if self.kind == Kind::Sync {
            let result = handler_result(self.theatre.perform_sync(&script.begin(&self.theatre, &event), &event));
            let overran = limit.is_some_and(|limit| began.elapsed() > limit);
            return Running { future: None, report: Some(Report { overran, ..Report::new(result, took(began)) }) };
        }
        let theatre = &self.theatre;
        let future = async move {
            let deed = script.begin(theatre, &event);
            let run = theatre.perform(deed, event, depth);
            let result = match limit {
                None => handler_result(run.await),
                Some(limit) => match tokio::time::timeout(limit, run).await {
                    Ok(result) => handler_result(result),
                    Err(_) => HandlerResult::Failed(HookFailure::timeout(limit)),
                },
            };
            Report::new(result, took(began))
        };
        Running { future: Some(Box::pin(future)), report: None }
    }
}

/// A hook of a stage.
struct Running<'a> {
    future: Option<Pin<Box<dyn Future<Output = Report<Value>> + Send + 'a>>>,
    report: Option<Report<Value>>,
}

impl Running<'_> {
    /// Drives the hook on; true when it has ended.
    fn poll(&mut self, context: &mut Context<'_>) -> bool {
        if let Some(future) = &mut self.future
            && let Poll::Ready(report) = future.as_mut().poll(context)
        {
            self.report = Some(report);
            self.future = None;
        }
        self.future.is_none()
    }
}

impl Detached {
    /// Takes a job in; false when too many wait.
    fn submit(self: &Arc<Self>, job: Job) -> bool {
        let submitted = self.queue.lock().unwrap().submit(job);
        match submitted {
            Submitted::Start(job) => {
                tokio::spawn(Arc::clone(self).work(job));
                true
            }
            Submitted::Waiting => true,
            Submitted::Refused(_) => false,
        }
    }

    async fn work(self: Arc<Self>, mut job: Job) {
        loop {
            let deed = job.script.begin(&self.theatre, &job.event);
            let run = self.theatre.perform(deed, job.event, job.depth);
            let _unheard = match job.limit {
                Some(limit) => tokio::time::timeout(limit, run).await.ok(),
                None => Some(run.await),
            };
            let next = self.queue.lock().unwrap().finished();
            match next {
                Some(next) => job = next,
                None => break,
            }
        }
        self.ended.notify_waiters();
    }
}

impl Client for Foreign {
    fn register(&self, hook: &Hook, name: Option<&str>) -> Result<String, Fault> {
        if let Some(Guard { spec, decision }) = guard(hook)? {
            let answer = decision.answer();
            let hook: Hook = serde_json::from_value(json!({"does": {"answer": answer}})).expect("a hook that answers");
            let script = Script::new(&hook, spec.name.as_deref());
            return Ok(self.registry.register(spec, Arc::new(script))?.to_string());
        }
        let spec = HookSpec::read(&Json, &hook.event, &&hook.settings(name))?;
        let id: HookId = self.registry.register(spec, Arc::new(Script::new(hook, name)))?;
        Ok(id.to_string())
    }

    fn unregister(&self, id: &str) -> bool {
        hook_id(id).is_ok_and(|id| self.registry.unregister(id))
    }

    fn set_hook_enabled(&self, id: &str, enabled: bool) -> Result<(), Fault> {
        Ok(self.registry.set_enabled(hook_id(id)?, enabled)?)
    }

    fn close(&self) -> Pending<'_, ()> {
        self.registry.close();
        Box::pin(std::future::ready(()))
    }

    fn keep_log(&self, config: AuditOptions) -> Result<(), Fault> {
        self.registry.check_open("configure its audit log")?;
        Ok(self.audit.configure(config)?)
    }

    fn flush_log(&self) {
        assert!(self.audit.flush(LONG), "the audit log is written");
    }

    fn stats(&self, reset: bool) -> Value {
        serde_json::to_value(self.registry.stats(present(), reset)).unwrap()
    }

    fn set_enabled(&self, enabled: bool) {
        self.enabled.store(enabled, Ordering::SeqCst);
    }

    fn define_event(&self, definition: &Value) -> Result<(), Fault> {
        Ok(self.registry.define_event(&EventDefinition::read(&Json, &definition)?)?)
    }

    fn define_tool(&self, definition: &Value) -> Result<(), Fault> {
        Ok(self.registry.define_tool(ToolDefinition::read(&Json, &definition)?)?)
    }

    fn hook_names(&self) -> Vec<String> {
        self.registry.list().into_iter().map(|hook| hook.name).collect()
    }

    fn dispatch<'a>(&'a self, event: &'a str, payload: Value, depth: u32) -> Pending<'a, Result<Value, Fault>> {
        Box::pin(self.run(event, payload, depth))
    }

    fn explain(&self, event: &str, payload: Value) -> Result<Value, Fault> {
        self.registry.check_open("explain events")?;
        let snapshot = self.registry.snapshot();
        let spec = snapshot.resolve(event)?;
        let payload = checked(payload)?;
        Ok(serde_json::to_value(explain::explain(&snapshot, &Json, &spec, &&payload)).unwrap())
    }

    fn drain(&self) -> Pending<'_, ()> {
        Box::pin(async {
            loop {
                let ended = self.detached.ended.notified();
                if self.detached.queue.lock().unwrap().is_idle() {
                    return;
                }
                ended.await;
            }
        })
    }
}

/// Complains where an agent would read something else from the canonical form than from the typed outcome.
fn encodes_alike<T>(outcome: &Outcome<T, Value>, values: &OutcomeValues, whole: &Value, theatre: &Theatre) {
    for dialect in dialects::ALL.iter().map(|dialect| dialect.name()) {
        let typed = encode_outcome(dialect, outcome, values, Vec::new()).map_err(|error| error.to_string());
        let read = outcome_to_wire(dialect, whole).map_err(|error| error.to_string());
        if typed != read {
            theatre.complain(format!("{dialect}: the typed outcome becomes {typed:?}, its canonical form {read:?}"));
        }
    }
}

/// A payload that may be dispatched.
fn checked(payload: Value) -> Result<Value, Error> {
    if !payload.is_object() {
        return Err(Error::new(hookweave::Code::InvalidPayload, "the payload must be an object"));
    }
    check_payload(&Json, &&payload)?;
    Ok(payload)
}

fn handler_result(result: Result<Option<Value>, String>) -> HandlerResult<Value> {
    match result {
        Ok(None) => HandlerResult::Nothing,
        Ok(Some(answer)) => HandlerResult::Answer(answer),
        Err(message) => {
            let cause = Some(json!({ "raised": message }));
            HandlerResult::Failed(HookFailure { cause, ..HookFailure::new(FailureKind::Raised, message) })
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a driver measures its hooks")]
fn now() -> Instant {
    Instant::now()
}

fn took(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
