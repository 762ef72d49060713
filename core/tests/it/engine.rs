//! What Rust programs get beyond the vectors: panics, cancellation, runtimes, detached hooks, nesting.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hookweave::{Action, Code, Engine, Event, FailBehavior, Handler, HookFuture, HookResponse, TraceEntry};
use serde_json::json;

use crate::support::{LONG, patient};

type Checked = Result<(), Box<dyn std::error::Error>>;

fn ls() -> Event {
    Event::pre_tool_use("Bash", json!({"command": "ls"}))
}

/// Polls a future that must not need to wait.
fn now_or_never<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("the future had to wait"),
    }
}

#[test]
fn callbacks_need_no_runtime() -> Checked {
    let engine = patient();
    engine.on("PreToolUse").run(|_: &Event| HookResponse::block("no"))?;
    engine.on("PostToolUse").run_async(|_| async { HookResponse::continue_().message("seen") })?;
    assert!(now_or_never(engine.dispatch(ls()))?.blocked());
    let after = Event::post_tool_use("Bash", json!({}), json!({"success": true}));
    assert_eq!(now_or_never(engine.dispatch(after))?.messages().len(), 1);
    Ok(())
}

#[test]
fn a_hook_may_be_for_some_subtypes() -> Checked {
    let engine = patient();
    let add = |text: &'static str| move |_: &Event| HookResponse::continue_().message(text);
    engine.on("SessionStart").source("startup|resume").run(add("named"))?;
    engine.on("SessionStart").source_pattern("^res").run(add("fits"))?;
    let messages = |source: &str| -> Result<usize, hookweave::Error> {
        let event = Event::new("SessionStart", json!({"source": source}));
        Ok(now_or_never(engine.dispatch(event))?.messages().len())
    };
    assert_eq!((messages("startup")?, messages("resume")?, messages("clear")?), (1, 2, 0));
    Ok(())
}

#[test]
fn a_hook_that_waits_without_a_runtime_fails_with_the_mend() -> Checked {
    let engine = Engine::new();
    engine.on("PreToolUse").fail_behavior(FailBehavior::Block).run_async(|_| std::future::pending::<()>())?;
    let outcome = now_or_never(engine.dispatch(ls()))?;
    assert!(outcome.blocked());
    assert!(outcome.reason().unwrap_or_default().contains("tokio runtime"), "{:?}", outcome.reason());
    Ok(())
}

#[tokio::test]
async fn a_panic_is_the_hooks_failure() -> Checked {
    let engine = patient();
    engine.on("PreToolUse").name("sync").run(|_: &Event| -> () { panic!("out of luck") })?;
    engine.on("PreToolUse").name("async").run_async(|_| async { panic!("later") as () })?;
    engine
        .on("PreToolUse")
        .name("closed")
        .fail_behavior(FailBehavior::Block)
        .run(|_: &Event| -> () { panic!("shut") })?;
    let outcome = engine.dispatch(ls()).await?;
    let kinds: Vec<_> =
        outcome.trace().iter().map(|entry| entry.failure.as_ref().map(|f| f.message.to_owned())).collect();
    assert_eq!(kinds[0].as_deref(), Some("panicked: out of luck"));
    assert_eq!(kinds[1].as_deref(), Some("panicked: later"));
    assert_eq!(outcome.reason(), Some("hook closed failed: panicked: shut"));
    Ok(())
}

#[tokio::test]
async fn a_timeout_drops_only_the_hook() -> Checked {
    struct Dropped(Arc<AtomicBool>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let dropped = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&dropped);
    let engine = patient();
    engine.on("PreToolUse").name("slow").timeout(Duration::from_millis(20)).run_async(move |_| {
        let guard = Dropped(Arc::clone(&flag));
        async move {
            let _guard = guard;
            std::future::pending::<()>().await;
        }
    })?;
    engine.on("PreToolUse").name("after").run(|_: &Event| HookResponse::allow())?;
    let outcome = engine.dispatch(ls()).await?;
    assert!(dropped.load(Ordering::SeqCst));
    assert_eq!(outcome.decision(), Action::Allow);
    let trace = outcome.trace();
    let failure = trace[0].failure.as_ref().map(|failure| failure.kind.as_str());
    assert_eq!(failure, Some("timeout"));
    Ok(())
}

#[tokio::test]
async fn an_overrun_is_told_and_its_answer_counts() -> Checked {
    let engine = patient();
    engine.on("PreToolUse").timeout(Duration::from_millis(1)).run(|_: &Event| {
        std::thread::sleep(Duration::from_millis(15));
        HookResponse::block("late but heard")
    })?;
    let outcome = engine.dispatch(ls()).await?;
    assert!(outcome.blocked());
    assert!(outcome.trace()[0].overran);
    Ok(())
}

#[tokio::test]
async fn dropping_a_dispatch_gives_a_once_hook_back_only_if_it_never_started() -> Checked {
    let engine = Engine::builder().default_timeout(None).build()?;
    engine.on("PreToolUse").priority(-1).name("gatekeeper").run_async(|event| async move {
        if event.args()["wait"] == true {
            std::future::pending::<()>().await;
        }
    })?;
    engine.on("PreToolUse").once().name("once").run(|_: &Event| HookResponse::block("first"))?;
    let waiting = Event::pre_tool_use("Bash", json!({"wait": true}));
    {
        let mut abandoned = pin!(engine.dispatch(waiting));
        assert!(abandoned.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    assert!(engine.dispatch(ls()).await?.blocked());
    assert!(!engine.dispatch(ls()).await?.blocked());
    assert_eq!(engine.list_hooks().len(), 1);
    Ok(())
}

#[tokio::test]
async fn nesting_ends_at_the_limit() -> Checked {
    let engine = patient();
    let runs = Arc::new(AtomicUsize::new(0));
    let (inner, count) = (engine.clone(), Arc::clone(&runs));
    engine.on("PreToolUse").run_async(move |_| {
        let (engine, count) = (inner.clone(), Arc::clone(&count));
        async move {
            count.fetch_add(1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            Box::pin(engine.dispatch(ls())).await.map(|_| ())
        }
    })?;
    engine.dispatch(ls()).await?;
    assert_eq!(runs.load(Ordering::SeqCst), 17);
    Ok(())
}

#[tokio::test]
async fn detached_hooks_are_drained() -> Checked {
    let engine = Engine::builder().default_timeout(None).max_detached(2).build()?;
    let ran = Arc::new(AtomicUsize::new(0));
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let (count, waits) = (Arc::clone(&ran), Arc::clone(&gate));
    engine.on("PostToolUse").detached().run_async(move |_| {
        let (count, waits) = (Arc::clone(&count), Arc::clone(&waits));
        async move {
            waits.acquire().await.unwrap().forget();
            count.fetch_add(1, Ordering::SeqCst);
        }
    })?;
    for _ in 0..6 {
        let event = Event::post_tool_use("Bash", json!({}), json!({"success": true}));
        assert_eq!(engine.dispatch(event).await?.trace()[0].status.as_str(), "detached");
    }
    assert!(!engine.drain(Duration::from_millis(1)).await);
    gate.add_permits(6);
    assert!(engine.drain(LONG).await);
    assert_eq!(ran.load(Ordering::SeqCst), 6);
    Ok(())
}

#[tokio::test]
async fn a_detached_hook_needs_a_runtime_and_says_so() {
    let outcome = std::thread::spawn(|| -> Result<(), hookweave::Error> {
        let engine = patient();
        engine.on("PostToolUse").detached().run(|_: &Event| ())?;
        let outcome = now_or_never(engine.dispatch(Event::post_tool_use("Bash", json!({}), json!({}))))?;
        let trace = outcome.trace();
        let failure = trace[0].failure.as_ref().map(|failure| failure.message.to_owned());
        assert_eq!(failure.as_deref(), Some("a detached hook needs a running tokio runtime"));
        Ok(())
    });
    outcome.join().expect("the thread ran").expect("the dispatch ran");
}

#[tokio::test]
async fn a_handler_can_be_a_type_and_errors_are_failures() -> Checked {
    struct Guard;
    impl Handler for Guard {
        fn handle<'a>(&'a self, event: &'a Event) -> HookFuture<'a> {
            Box::pin(async move {
                let path = event.args()["file_path"].as_str().ok_or("no path")?;
                Ok(HookResponse::block(format!("{path} is off limits")))
            })
        }
    }
    let engine = patient();
    engine.on("PreToolUse").handler(Guard)?;
    let outcome = engine.dispatch(Event::pre_tool_use("Write", json!({"file_path": "/etc/passwd"}))).await?;
    assert_eq!(outcome.reason(), Some("/etc/passwd is off limits"));
    let failed = engine.dispatch(ls()).await?;
    let message = |entry: &TraceEntry<'_>| entry.failure.as_ref().map(|failure| failure.message.to_owned());
    assert_eq!(message(&failed.trace()[0]).as_deref(), Some("no path"));
    Ok(())
}

#[tokio::test]
async fn wrong_calls_are_refused_with_codes() -> Checked {
    let engine = patient();
    let code = |refused: Result<String, hookweave::Error>| refused.unwrap_err().code();
    assert_eq!(code(engine.on("PreToolUs").run(|_: &Event| ())), Code::UnknownEvent);
    assert_eq!(code(engine.on("PreToolUse").tool_pattern("(").run(|_: &Event| ())), Code::InvalidMatcher);
    assert_eq!(code(engine.on("SessionEnd").tool("Bash").run(|_: &Event| ())), Code::MatcherNotApplicable);
    assert_eq!(engine.enable_hook("hook-99").unwrap_err().code(), Code::UnknownHook);
    let refused = engine.dispatch(Event::new("PreToolUse", json!([]))).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidPayload);
    Ok(())
}

#[tokio::test]
async fn a_fresh_event_has_the_fields_that_every_event_has() -> Checked {
    let engine = patient();
    engine.on("PreToolUse").run(|event: &Event| {
        let whole = event.to_json();
        assert_eq!(whole["session_id"], event.session_id());
        HookResponse::continue_().message(whole["session_id"].as_str().unwrap_or_default())
    })?;
    let outcome = engine.dispatch(ls()).await?;
    assert_eq!(outcome.messages()[0].part.text, outcome.event().session_id());
    assert_eq!(outcome.to_json()["event"]["event_type"], "PreToolUse");
    assert!(outcome.event().timestamp() > 1_600_000_000_000);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_dispatches_and_changes_at_once_lose_nothing() -> Checked {
    let engine = Engine::builder().max_hooks_per_event(None).max_total_hooks(None).build()?;
    engine.on("PreToolUse").tool("Bash").run(|_: &Event| HookResponse::block("always"))?;
    let mut tasks = Vec::new();
    for worker in 0..4 {
        let engine = engine.clone();
        tasks.push(tokio::spawn(async move {
            for round in 0..200 {
                let id = engine.on("PreToolUse").name(format!("{worker}-{round}")).run(|_: &Event| ())?;
                assert!(engine.dispatch(ls()).await?.blocked());
                assert!(engine.unregister_hook(&id));
                tokio::task::yield_now().await;
            }
            Ok::<_, hookweave::Error>(())
        }));
    }
    for task in tasks {
        task.await??;
    }
    assert_eq!(engine.list_hooks().len(), 1);
    Ok(())
}
