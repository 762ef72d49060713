//! An outside hook that no file declares: the engine runs it as it runs those of files.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use serde_json::json;

use super::*;
use crate::engine::{Engine, LateAnswer};
use hookweave_host::action::Action;
use hookweave_host::exec::pool::Pool;
use hookweave_host::hook::{FailBehavior, HookSpec};

/// Longer than anything here takes on the busiest machine.
const LONG: Duration = Duration::from_secs(120);

/// How a service ends.
#[derive(Debug, Clone, Copy)]
enum End {
    /// It blocks, and says what it was given.
    Block,
    /// It goes on until its limit or its cancellation.
    Wait,
    /// It is gone without a word.
    Vanish,
}

/// A service that looks at events: of no file, on threads of its own.
#[derive(Debug)]
struct Service {
    pool: Pool,
    end: End,
    limit: Option<Duration>,
    /// Told when a run begins and when one is cancelled.
    news: Sender<&'static str>,
}

impl Service {
    fn new(end: End, limit: Option<Duration>) -> (Arc<Self>, Receiver<&'static str>) {
        let (news, heard) = channel();
        (Arc::new(Self { pool: Pool::new(1), end, limit, news }), heard)
    }
}

impl OutsideHook for Service {
    fn start(self: Arc<Self>, input: HookInput, done: Done) -> Option<Job> {
        let service = Arc::clone(&self);
        let job = self.pool.submit(move |cancel| {
            _ = service.news.send("begun");
            match service.end {
                End::Block => {
                    let trace = input.trace.map(|trace| trace.parent().to_owned());
                    let given = json!([input.event.name(), input.payload["args"], input.depth, trace]);
                    done.report(HandlerResult::Answer(json!({"action": "block", "reason": given.to_string()})));
                }
                End::Wait => {
                    let (wake, woken) = channel();
                    let _watch = cancel.watch(move || _ = wake.send(()));
                    if woken.recv_timeout(service.limit.unwrap_or(LONG)).is_ok() {
                        _ = service.news.send("cancelled");
                    } else {
                        done.report(HandlerResult::Failed(HookFailure::timeout(service.limit.unwrap_or_default())));
                    }
                }
                End::Vanish => {}
            }
        });
        job.ok()
    }

    fn limit(&self) -> Option<Duration> {
        self.limit
    }

    fn wakes(&self) -> bool {
        true
    }
}

fn call() -> Event {
    Event::pre_tool_use("Bash", json!({"command": "ls"}))
}

fn named(name: &str) -> HookSpec {
    HookSpec::new("PreToolUse").name(name)
}

#[tokio::test]
async fn it_is_given_the_event_and_answers() {
    const PLACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let engine = Engine::new();
    engine.set_trace_context(|| TraceContext::parse(PLACE, None));
    engine.register_outside(named("service"), Service::new(End::Block, None).0).unwrap();
    let outcome = engine.dispatch(call()).await.unwrap();
    let given = json!(["PreToolUse", {"command": "ls"}, 0, PLACE]).to_string();
    assert_eq!((outcome.decision(), outcome.reason()), (Action::Block, Some(given.as_str())));
    assert_eq!(outcome.trace()[0].hook, "service");
}

#[tokio::test]
async fn its_limit_is_a_timeout_and_the_failure_rule_decides() {
    for (behavior, blocked) in [(FailBehavior::Block, true), (FailBehavior::Continue, false)] {
        let engine = Engine::new();
        let (service, _news) = Service::new(End::Wait, Some(Duration::from_millis(1)));
        engine.register_outside(named("slow").fail_behavior(behavior), service).unwrap();
        let outcome = engine.dispatch(call()).await.unwrap();
        let trace = outcome.trace();
        let failure = trace[0].failure.as_ref().map(|failure| failure.kind);
        assert_eq!((outcome.blocked(), failure), (blocked, Some(FailureKind::Timeout)));
    }
}

#[tokio::test]
async fn one_that_reports_nothing_has_failed() {
    let engine = Engine::new();
    let spec = named("gone").fail_behavior(FailBehavior::Block);
    engine.register_outside(spec, Service::new(End::Vanish, None).0).unwrap();
    let outcome = engine.dispatch(call()).await.unwrap();
    let trace = outcome.trace();
    let failure = trace[0].failure.as_ref().map(|failure| failure.kind);
    assert_eq!((outcome.blocked(), failure), (true, Some(FailureKind::NotStarted)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dispatch_that_is_dropped_cancels_it() {
    let engine = Engine::new();
    let (service, news) = Service::new(End::Wait, None);
    engine.register_outside(named("waits"), service).unwrap();
    let dispatch = tokio::spawn(async move { engine.dispatch(call()).await.is_ok() });
    let heard = tokio::task::spawn_blocking(move || {
        let mut heard = Vec::new();
        while let Ok(word) = news.recv_timeout(LONG) {
            heard.push(word);
            dispatch.abort();
        }
        heard
    });
    assert_eq!(heard.await.unwrap(), ["begun", "cancelled"]);
}

#[tokio::test]
async fn a_detached_one_answers_late_and_wakes_the_model() {
    let engine = Engine::new();
    let (late, answers) = channel();
    engine.on_late_answer(move |answer: LateAnswer| _ = late.send((answer.hook.clone(), answer.wakes)));
    engine.register_outside(named("later").detached(), Service::new(End::Block, None).0).unwrap();
    assert!(!engine.dispatch(call()).await.unwrap().blocked());
    assert!(engine.drain(LONG).await);
    assert_eq!(answers.try_recv(), Ok(("later".to_owned(), true)));
}
