//! What a closed engine refuses and what of it still works, beyond the vectors.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hookweave::audit::{AuditLevel, AuditOptions};
use hookweave::{Event, HookResponse};
use serde_json::json;

use crate::support::{LONG, patient};

fn ls() -> Event {
    Event::pre_tool_use("Bash", json!({"command": "ls"}))
}

#[track_caller]
fn refused<T>(result: Result<T, hookweave::Error>, what: &str) {
    let Err(error) = result else { panic!("a closed engine can still {what}") };
    assert_eq!(error.code().as_str(), "client_closed");
    assert!(error.message().contains(what), "{error}");
}

#[tokio::test]
async fn everything_that_would_make_something_happen_is_refused() {
    let engine = patient();
    let session = engine.session().open().unwrap();
    assert!(engine.close(Duration::ZERO).await);
    assert!(engine.is_closed());
    refused(engine.dispatch(ls()).await, "dispatch events");
    refused(engine.explain(&ls()), "explain events");
    refused(engine.on("Stop").run(|_: &Event| ()), "register hooks");
    refused(engine.define_event("deploy:late", true, &[]), "define events");
    refused(engine.load("no-such-file.json"), "load hooks from files");
    refused(engine.discover("."), "load hooks from files");
    refused(engine.reload().await, "reload files");
    refused(engine.watch(|_| ()), "watch files");
    refused(engine.session().open(), "open sessions");
    refused(engine.configure_audit(AuditOptions::default()), "configure its audit log");
    refused(engine.set_hook_audit_level(AuditLevel::Info), "configure its audit log");
    refused(session.run_tool("Bash", json!({}), |_| async { Ok("ran") }).await, "dispatch events");
    session.end("other").await.unwrap();
}

#[test]
fn synchronous_programs_close_without_a_runtime() {
    let engine = patient();
    let closing = pin!(engine.close(Duration::from_secs(1)));
    assert_eq!(closing.poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(true));
    refused(engine.dispatch_sync(ls()), "dispatch events");
}

#[tokio::test]
async fn what_runs_already_goes_on() {
    let engine = patient();
    let closes = engine.clone();
    let id = engine.on("PreToolUse").run_async(move |_| {
        let engine = closes.clone();
        async move {
            engine.close(Duration::ZERO).await;
            let late = engine.on("Stop").run(|_: &Event| ());
            HookResponse::continue_().message(late.unwrap_err().message().to_owned())
        }
    });
    id.unwrap();
    engine.on("PreToolUse").run(|_: &Event| HookResponse::block("still guarded")).unwrap();
    let outcome = engine.dispatch(ls()).await.unwrap();
    assert_eq!(outcome.reason(), Some("still guarded"));
    assert!(outcome.messages()[0].part.text.contains("closed"), "{:?}", outcome.messages());
}

#[tokio::test]
async fn detached_hooks_are_waited_for_as_long_as_is_said() {
    let engine = patient();
    let gate = Arc::new(tokio::sync::Notify::new());
    let waits = Arc::clone(&gate);
    let detached = engine.on("Stop").detached().run_async(move |_| {
        let waits = Arc::clone(&waits);
        async move { waits.notified().await }
    });
    detached.unwrap();
    engine.dispatch(Event::new("Stop", json!({}))).await.unwrap();
    assert!(!engine.close(Duration::from_millis(20)).await, "the hook still runs");
    gate.notify_one();
    assert!(engine.close(LONG).await, "closing again waits again");
}
