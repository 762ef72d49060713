//! Outside hooks in an engine: started, awaited and cancelled on the task that dispatches.

#[cfg(test)]
mod tests;

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, PoisonError, RwLock};

use serde_json::Value;

use super::Event;
use super::deadline::Timed;
use super::nesting::inside;
use crate::response::HookError;
use hookweave_host::dispatch::{FailureKind, HandlerResult, HookFailure};
use hookweave_host::event::EventSpec;
use hookweave_host::exec::outside::{Done, HookInput, HostQuestion, HostedHook, OutsideHook};
use hookweave_host::exec::pool::Job;
use hookweave_host::exec::trace_context::TraceContext;

/// What a host answers to a question.
type Answering = Pin<Box<dyn Future<Output = Result<Value, HookError>> + Send>>;

type Answer = dyn Fn(HostQuestion) -> Answering + Send + Sync;

type Trace = dyn Fn() -> Option<TraceContext> + Send + Sync;

/// Who answers the questions of hooks that only the host can run.
#[derive(Default)]
pub(super) struct Hosts {
    judge: RwLock<Option<Arc<Answer>>>,
    tools: RwLock<Option<Arc<Answer>>>,
    trace: RwLock<Option<Arc<Trace>>>,
}

impl std::fmt::Debug for Hosts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hosts").finish_non_exhaustive()
    }
}

impl Hosts {
    pub(super) fn set_judge(&self, answer: impl Fn(HostQuestion) -> Answering + Send + Sync + 'static) {
        *self.judge.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(answer));
    }

    pub(super) fn set_tools(&self, answer: impl Fn(HostQuestion) -> Answering + Send + Sync + 'static) {
        *self.tools.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(answer));
    }

    pub(super) fn set_trace(&self, trace: impl Fn() -> Option<TraceContext> + Send + Sync + 'static) {
        *self.trace.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(trace));
    }

    fn trace(&self) -> Option<TraceContext> {
        let trace = self.trace.read().unwrap_or_else(PoisonError::into_inner).clone();
        trace.and_then(|trace| trace())
    }

    fn who_answers(&self, question: &HostQuestion) -> Option<Arc<Answer>> {
        let answers = match question {
            HostQuestion::Judge { .. } => &self.judge,
            HostQuestion::Tool { .. } => &self.tools,
            _ => return None,
        };
        answers.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// An outside hook of one engine.
#[derive(Debug, Clone)]
pub(crate) struct OutsideCode {
    hook: Arc<dyn OutsideHook>,
    hosts: Arc<Hosts>,
}

impl OutsideCode {
    pub(super) const fn new(hook: Arc<dyn OutsideHook>, hosts: Arc<Hosts>) -> Self {
        Self { hook, hosts }
    }

    pub(crate) fn wakes(&self) -> bool {
        self.hook.wakes()
    }

    /// Runs the hook to its end; dropping the future ends it.
    pub(super) async fn run(&self, spec: &Arc<EventSpec>, event: &Event, depth: u32) -> HandlerResult<Arc<Value>> {
        let Value::Object(payload) = event.to_json() else { return HandlerResult::Nothing };
        let input = HookInput::new(Arc::clone(spec), payload, depth);
        shared(match self.hook.hosted() {
            Some(hosted) => self.ask(hosted, &input).await,
            None => self.wait(input).await,
        })
    }

    async fn wait(&self, input: HookInput) -> HandlerResult<Value> {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let done = Done::new(move |handler_result| drop(sender.send(handler_result)));
        let job = Arc::clone(&self.hook).start(HookInput { trace: self.hosts.trace(), ..input }, done);
        let _kills = job.map(Job::cancel_on_drop);
        receiver.await.unwrap_or_else(|_| {
            HandlerResult::Failed(HookFailure::new(FailureKind::NotStarted, "the hook was dropped"))
        })
    }

    async fn ask(&self, hosted: &dyn HostedHook, input: &HookInput) -> HandlerResult<Value> {
        let Some(question) = hosted.question(input) else { return HandlerResult::Nothing };
        let Some(answer) = self.hosts.who_answers(&question) else {
            return self.hook.unanswered(input);
        };
        let answered = match inside(input.depth, || answer(question)) {
            Ok(answering) => Timed::new(answering, self.hook.limit(), input.depth).await,
            Err(panicked) => Err(panicked),
        };
        match answered {
            Ok(Ok(answer)) => hosted.answered(input, &answer),
            Ok(Err(why)) => self.hook.broken(input, HookFailure::new(FailureKind::Raised, why.to_string())),
            Err(failure) => self.hook.broken(input, failure),
        }
    }
}

fn shared(handler_result: HandlerResult<Value>) -> HandlerResult<Arc<Value>> {
    match handler_result {
        HandlerResult::Nothing => HandlerResult::Nothing,
        HandlerResult::Detached => HandlerResult::Detached,
        HandlerResult::Answer(answer) => HandlerResult::Answer(Arc::new(answer)),
        HandlerResult::Failed(HookFailure { kind, message, meant_to_restrict, cause }) => {
            HandlerResult::Failed(HookFailure { kind, message, meant_to_restrict, cause: cause.map(Arc::new) })
        }
    }
}
