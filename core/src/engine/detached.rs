//! Hooks that are started and not awaited.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Notify;

use super::Event;
use super::clock::now;
use super::hook_run::run_entry;
use crate::engine::handler::Code;
use hookweave_host::detached::{DetachedQueue, Submitted, refusal};
use hookweave_host::dispatch::{FailureKind, HandlerResult, HookFailure};
use hookweave_host::registry::Entry;

/// A hook that waits for its place.
#[derive(Debug)]
struct Job {
    entry: Arc<Entry<Code>>,
    event: Event,
    depth: u32,
}

/// The detached hooks of one engine.
pub(super) struct Detached {
    queue: Mutex<DetachedQueue<Job>>,
    limit: usize,
    idle: Notify,
    late: RwLock<Option<Arc<Listener>>>,
}

/// The late answer of a detached hook.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LateAnswer {
    /// The hook's name.
    pub hook: String,
    /// The event's canonical name.
    pub event: String,
    /// The answer in its canonical form: context, messages, a reason. It decides nothing any more.
    pub answer: Value,
    /// The hook objects, and asks to notify the model at once (`asyncRewake`).
    pub wakes: bool,
}

type Listener = dyn Fn(LateAnswer) + Send + Sync;

impl std::fmt::Debug for Detached {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Detached").field("queue", &self.queue).finish_non_exhaustive()
    }
}

impl Detached {
    pub(super) fn new(limit: usize) -> Self {
        Self { queue: Mutex::new(DetachedQueue::new(limit)), limit, idle: Notify::new(), late: RwLock::default() }
    }

    /// Sets the callback for late answers.
    pub(super) fn listen(&self, listener: Arc<Listener>) {
        *self.late.write().unwrap_or_else(PoisonError::into_inner) = Some(listener);
    }

    fn notify(&self, job: &Job, answer: &Value) {
        let listener = self.late.read().unwrap_or_else(PoisonError::into_inner).clone();
        let (event, hook) = (job.event.name(), &**job.entry.name());
        let Some(listener) = listener else {
            tracing::info!(event, hook, %answer, "a detached hook answered, and there is no listener");
            return;
        };
        let late = LateAnswer {
            hook: hook.to_owned(),
            event: event.to_owned(),
            answer: answer.clone(),
            wakes: job.entry.handler().wakes() && matches!(answer["action"].as_str(), Some("block" | "stop")),
        };
        // The hooks that wait for their place must not go down with it.
        if catch_unwind(AssertUnwindSafe(|| listener(late))).is_err() {
            tracing::warn!(event, hook, "a listener to late answers panicked");
        }
    }

    fn lock(&self) -> MutexGuard<'_, DetachedQueue<Job>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a hook, or lets it wait.
    pub(super) fn start(
        self: &Arc<Self>,
        entry: Arc<Entry<Code>>,
        event: Event,
        depth: u32,
    ) -> Result<(), HookFailure<Arc<Value>>> {
        let runtime = tokio::runtime::Handle::try_current()
            .map_err(|_| HookFailure::new(FailureKind::NotStarted, "a detached hook needs a running tokio runtime"))?;
        match self.lock().submit(Job { entry, event, depth }) {
            Submitted::Waiting => Ok(()),
            Submitted::Refused(_) => Err(HookFailure::new(FailureKind::DetachedLimit, refusal(self.limit))),
            Submitted::Start(job) => {
                let this = Arc::clone(self);
                drop(runtime.spawn(async move { this.work(job).await }));
                Ok(())
            }
        }
    }

    /// Runs a job and then the waiting ones, one after the other, in the job's slot.
    async fn work(&self, first: Job) {
        let mut place = JobSlot { detached: self, taken: true };
        let mut next = Some(first);
        while let Some(job) = next {
            let (report, _) = run_entry(&job.entry, &job.event, job.depth, now()).await;
            match report.result {
                HandlerResult::Failed(failure) => {
                    let (event, hook) = (job.event.name(), &**job.entry.name());
                    tracing::warn!(
                        event,
                        hook,
                        kind = failure.kind.as_str(),
                        "detached hook failed: {}",
                        failure.message
                    );
                }
                HandlerResult::Answer(answer) => self.notify(&job, &answer),
                HandlerResult::Nothing | HandlerResult::Detached => {}
            }
            next = self.lock().finished();
        }
        place.taken = false;
        self.notify_if_idle();
    }

    fn notify_if_idle(&self) {
        if self.lock().is_idle() {
            self.idle.notify_waiters();
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.lock().is_idle()
    }

    /// Waits until nothing runs; false when the time is up before.
    pub(super) async fn drain(&self, limit: Duration) -> bool {
        let waiting = async {
            loop {
                let notified = self.idle.notified();
                if self.lock().is_idle() {
                    return;
                }
                notified.await;
            }
        };
        tokio::time::timeout(limit, waiting).await.is_ok()
    }
}

/// Gives the place back when a runtime that shuts down drops a job half-way.
struct JobSlot<'a> {
    detached: &'a Detached,
    taken: bool,
}

impl Drop for JobSlot<'_> {
    fn drop(&mut self) {
        if self.taken {
            drop(self.detached.lock().reset());
            self.detached.idle.notify_waiters();
        }
    }
}
