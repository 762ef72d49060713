//! Dispatching without an async runtime.

use std::time::Duration;

use hookweave::{Event, HookResponse};
use serde_json::json;

use crate::support::{LONG, patient};

fn ls() -> Event {
    Event::pre_tool_use("Bash", json!({"command": "ls"}))
}

#[test]
fn closures_and_futures_answer() {
    let engine = patient();
    engine.on("PreToolUse").name("closure").run(|_: &Event| HookResponse::allow()).unwrap();
    let slow = |_| async {
        tokio::time::sleep(Duration::from_millis(5)).await;
        HookResponse::block("late but in time")
    };
    engine.on("PreToolUse").name("future").timeout(LONG).run_async(slow).unwrap();
    let outcome = engine.dispatch_sync(ls()).unwrap();
    assert_eq!((outcome.blocked(), outcome.reason()), (true, Some("late but in time")));
    assert_eq!(outcome.trace().len(), 2);
}

#[test]
fn time_limits_hold() {
    let engine = patient();
    let never = |_| async {
        std::future::pending::<()>().await;
        HookResponse::allow()
    };
    engine.on("PreToolUse").timeout(Duration::from_millis(20)).run_async(never).unwrap();
    let outcome = engine.dispatch_sync(ls()).unwrap();
    assert_eq!(outcome.to_json()["trace"][0]["failure"]["kind"], "timeout", "{}", outcome.to_json());
}

#[cfg(unix)]
#[test]
fn commands_answer() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hookweave.toml");
    let hook = "hookweave = 1\n[[hooks]]\nevent = \"PreToolUse\"\ncommand = \"echo not today >&2; exit 2\"\n";
    std::fs::write(&file, hook).unwrap();
    let engine = patient();
    engine.load(&file).unwrap();
    assert_eq!(engine.dispatch_sync(ls()).unwrap().reason(), Some("not today"));
}

#[tokio::test]
async fn inside_a_runtime_it_is_refused() {
    let refused = patient().dispatch_sync(ls()).unwrap_err();
    assert_eq!(refused.code().to_string(), "awaitable_in_sync_dispatch");
    assert!(refused.to_string().contains("await dispatch instead"), "{refused}");
}
