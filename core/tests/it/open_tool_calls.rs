//! Tool calls in halves: calls that are left, and what is said at the wrong time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hookweave::{Event, HookResponse, ToolResult};
use serde_json::json;

use crate::support::patient;

#[tokio::test]
async fn a_call_that_is_dropped_counts_as_not_begun() {
    let (engine, asked) = (patient(), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&asked);
    let hook = move |_: &Event| {
        count.fetch_add(1, Ordering::SeqCst);
        HookResponse::continue_()
    };
    engine.on("PreToolUse").once().run(hook).unwrap();
    let session = engine.session().open().unwrap();
    let begin = || session.begin_tool("Bash", json!({"command": "ls"}), None, []);
    drop(begin().await.unwrap());
    begin().await.unwrap().succeeded("ran").await.unwrap();
    assert_eq!((asked.load(Ordering::SeqCst), begin().await.unwrap().args().is_some()), (2, true));
    assert_eq!(asked.load(Ordering::SeqCst), 2, "it is used up once the tool has run");
}

#[tokio::test]
async fn a_call_is_ended_once_and_has_an_outcome_then() {
    let session = patient().session().open().unwrap();
    let mut call = session.begin_tool("Bash", json!({"command": "ls"}), Some("t1".to_owned()), []).await.unwrap();
    assert_eq!((call.tool(), call.context().map(|context| &*context.tool_use_id)), (Some("Bash"), Some("t1")));
    let early = session.begin_tool("Bash", json!({}), None, []).await.unwrap().outcome().unwrap_err();
    assert!(early.to_string().contains("its tool is still to run"), "{early}");
    call.succeeded(ToolResult::from("ran")).await.unwrap();
    let twice = call.failed("late").await.unwrap_err();
    assert!(twice.to_string().contains("the tool is not to run"), "{twice}");
    assert_eq!(call.outcome().unwrap().output, "ran");
}
