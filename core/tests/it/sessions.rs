//! Sessions in Rust programs: what the vectors cannot say.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hookweave::{
    Approval, ApprovalPending, ApprovalRequest, Engine, Event, HookError, HookResponse, PendingApprovals, Permission,
    Session, Suspended, Tool, ToolContext, ToolDefinition, ToolOutcome, ToolResult,
};
use serde_json::{Value, json};

use crate::support::patient;

fn asking(engine: &Engine) -> hookweave::SessionBuilder {
    engine.session().permission("*", Permission::Ask)
}

async fn echo(session: &Session, args: Value) -> ToolOutcome {
    session.run_tool("Echo", args, |args| async move { Ok::<_, HookError>(args) }).await.unwrap()
}

#[tokio::test]
async fn a_question_waits_until_it_is_decided() {
    let (engine, queue) = (patient(), PendingApprovals::default());
    let session = asking(&engine).approver(queue.clone()).open().unwrap();
    let calling = tokio::spawn({
        let session = session.clone();
        async move { echo(&session, json!({"n": 1})).await }
    });
    let pending = loop {
        match queue.pending().as_slice() {
            [one] => break one.clone(),
            _ => tokio::task::yield_now().await,
        }
    };
    assert_eq!(pending.args, json!({"n": 1}));
    assert_eq!(queue.decide(&pending.id, "Sure").unwrap_err().code().to_string(), "unknown_approval");
    assert_eq!(queue.decide("other", "Deny").unwrap_err().code().to_string(), "unknown_approval");
    queue.decide(&pending.id, "Allow once").unwrap();
    assert!(calling.await.unwrap().ran);
    assert!(queue.pending().is_empty());
}

#[tokio::test]
async fn a_pending_question_is_decided_with_a_reason_or_edited_arguments() {
    let (engine, queue) = (patient(), PendingApprovals::default());
    let session = asking(&engine).approver(queue.clone()).open().unwrap();
    let decided = async |answer: Approval| {
        let deciding = async {
            while queue.pending().is_empty() {
                tokio::task::yield_now().await;
            }
            queue.decide(&queue.pending()[0].id, answer).unwrap();
        };
        tokio::join!(echo(&session, json!({"n": 1})), deciding).0
    };
    let edited = decided(Approval::new("Allow once").args(json!({"n": 2}))).await;
    assert!(edited.ran && edited.output == json!({"n": 2}));
    let denied = decided(Approval::new("Deny").reason("Not today.")).await;
    assert_eq!(denied.reason.as_deref(), Some("user denied: Run Echo? (the host): Not today."));
}

#[tokio::test]
async fn dropping_a_call_takes_its_question_back() {
    let (engine, queue) = (patient(), PendingApprovals::default());
    let session = asking(&engine).approver(queue.clone()).open().unwrap();
    let call = tokio::time::timeout(Duration::from_millis(20), echo(&session, json!({})));
    assert!(call.await.is_err());
    assert!(queue.pending().is_empty());
}

#[tokio::test]
async fn dropping_a_call_ends_its_tool() {
    struct Ended(Arc<AtomicUsize>);
    impl Drop for Ended {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let ended = Arc::new(AtomicUsize::new(0));
    let session = patient().session().open().unwrap();
    let guard = Arc::clone(&ended);
    let call = session.run_tool("Wait", json!({}), move |_| {
        let guard = Ended(Arc::clone(&guard));
        async move {
            let _guard = guard;
            tokio::time::sleep(Duration::from_secs(60)).await;
            Ok::<_, HookError>("late")
        }
    });
    assert!(tokio::time::timeout(Duration::from_millis(20), call).await.is_err());
    assert_eq!(ended.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn sessions_at_once_never_mix() {
    const SESSIONS: usize = 100;
    const CALLS: usize = 50;
    let engine = patient();
    engine
        .on("PreToolUse")
        .run_async(|event: Event| async move {
            tokio::task::yield_now().await;
            let n = event.args()["n"].clone();
            let args = json!({"n": n, "judged_in": event.to_json()["session_id"]});
            HookResponse::continue_().modified(json!({"args": args})).inject(format!("call {n}"))
        })
        .unwrap();
    let run = |number: usize| {
        let engine = engine.clone();
        async move {
            let id = format!("session-{number}");
            let context = Arc::new(hookweave::Messages::default());
            let session = engine.session().set("session_id", id.clone()).context(context.clone()).open().unwrap();
            for n in 0..CALLS {
                let outcome = echo(&session, json!({"n": n})).await;
                assert_eq!(outcome.output, json!({"n": n, "judged_in": id}));
            }
            let messages = hookweave::Context::messages(&*context);
            let contents: Vec<String> =
                messages.iter().map(|message| message.content.as_str().unwrap().to_owned()).collect();
            assert_eq!(contents, (0..CALLS).map(|n| format!("call {n}")).collect::<Vec<_>>());
        }
    };
    let running: Vec<_> = (0..SESSIONS).map(|number| tokio::spawn(run(number))).collect();
    for one in running {
        one.await.unwrap();
    }
}

#[tokio::test]
async fn what_hooks_make_of_arguments_has_to_satisfy_the_tool_s_schema() {
    let engine = patient();
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let definition = |schema| ToolDefinition::new("Echo").schema(schema);
    let refused = engine.define_tool(definition(json!({"type": "no such type"}))).unwrap_err();
    assert_eq!(refused.code().to_string(), "invalid_tool_definition");
    let outside = engine.define_tool(definition(json!({"$ref": "file:///etc/hostname"}))).unwrap_err();
    assert!(outside.message().contains("outside of the schema"), "{}", outside.message());
    engine.define_tool(definition(schema)).unwrap();
    let hook = engine
        .on("PreToolUse")
        .run(|_: &Event| HookResponse::continue_().modified(json!({"args": json!({"n": "many"})})))
        .unwrap();
    let session = engine.session().open().unwrap();
    let outcome = echo(&session, json!({"n": 1})).await;
    assert!(!outcome.ran);
    let reason = outcome.reason.unwrap();
    assert!(reason.contains("modified.args.n") && reason.contains("Echo"), "{reason}");
    engine.unregister_hook(&hook);
    engine
        .on("PreToolUse")
        .run(|_: &Event| HookResponse::continue_().modified(json!({"args": json!({"n": 2})})))
        .unwrap();
    assert_eq!(echo(&session, json!({"n": 1})).await.output, json!({"n": 2}));
}

#[tokio::test]
async fn an_approver_may_be_a_closure() {
    let engine = patient();
    let approver = |approval: ApprovalRequest| async move {
        Ok(if approval.args["n"] == 1 { "Allow once" } else { "Deny" }.to_owned())
    };
    let session = asking(&engine).approver(approver).open().unwrap();
    assert!(echo(&session, json!({"n": 1})).await.ran);
    let denied = echo(&session, json!({"n": 2})).await;
    assert_eq!((denied.ran, denied.decision.as_str()), (false, "deny"));
}

#[tokio::test]
async fn an_approver_that_holds_up_its_caller_may_be_too_late() {
    let engine = patient();
    let ask = HookResponse::ask("run?").ask_with(json!({"timeout_ms": 20}));
    engine.on("PreToolUse").run(move |_: &Event| ask.clone()).unwrap();
    let approver = |_: ApprovalRequest| async {
        std::thread::sleep(Duration::from_millis(200));
        Ok("Allow once".to_owned())
    };
    let session = engine.session().approver(approver).open().unwrap();
    let outcome = echo(&session, json!({})).await;
    assert_eq!((outcome.ran, outcome.by.as_deref()), (false, Some("timeout")));
}

#[tokio::test]
async fn options_that_make_no_sense_are_refused() {
    let engine = patient();
    for (option, value, part) in [
        ("permisions", json!("ask"), "permissions"),
        ("permissions", json!("maybe"), "allow, ask, deny"),
        ("permissions", json!({"Bash": true}), "permissions"),
        ("max_retries", json!(-1), "negative"),
        ("context_threshold", json!(2.0), "context_threshold"),
    ] {
        let refused = engine.session().set(option, value).open().unwrap_err();
        assert_eq!(refused.code().to_string(), "invalid_option");
        assert!(refused.message().contains(part), "{}", refused.message());
    }
}

#[tokio::test]
async fn tools_and_models_that_nobody_registered_are_named() {
    let session = patient().session().open().unwrap();
    let tool = session.execute_tool("Bash", json!({})).await.unwrap_err();
    assert_eq!(tool.code().to_string(), "unknown_tool");
    let model = session.generate("hello").await.unwrap_err();
    assert_eq!(model.code().to_string(), "no_model");
}

#[tokio::test]
async fn what_is_approved_after_the_end_is_not_remembered() {
    let (engine, queue) = (patient(), PendingApprovals::default());
    let session = asking(&engine).approver(queue.clone()).open().unwrap();
    let next = || async {
        loop {
            match queue.pending().as_slice() {
                [one] => break one.id.clone(),
                _ => tokio::task::yield_now().await,
            }
        }
    };
    let call = || {
        let session = session.clone();
        tokio::spawn(async move { echo(&session, json!({"n": 1})).await })
    };
    let calling = call();
    let asked = next().await;
    session.end("other").await.unwrap();
    queue.decide(&asked, "Allow always").unwrap();
    assert!(calling.await.unwrap().ran);
    let calling = call();
    queue.decide(&next().await, "Deny").unwrap();
    assert!(!calling.await.unwrap().ran);
}

#[tokio::test]
async fn an_approval_is_kept_for_later_sessions() {
    let state = tempfile::tempdir().unwrap();
    let file = state.path().join("approvals.json").to_str().unwrap().to_owned();
    let asked = Arc::new(AtomicUsize::new(0));
    for (number, times) in [(1, 1), (1, 1), (2, 2)] {
        let count = Arc::clone(&asked);
        let approver = move |request: ApprovalRequest| {
            count.fetch_add(1, Ordering::SeqCst);
            async move { Ok(if request.persistent { "Allow always" } else { "Deny" }.to_owned()) }
        };
        let engine = patient();
        let session = asking(&engine).approver(approver).set("keep_approvals", file.clone()).open().unwrap();
        assert!(echo(&session, json!({"n": number})).await.ran);
        assert_eq!(asked.load(Ordering::SeqCst), times);
    }
    let refused = patient().session().set("keep_approvals", "here.json").open().unwrap_err();
    assert_eq!(refused.code().to_string(), "invalid_option");
}

/// A tool that gives back its arguments.
struct Echo;

impl Tool for Echo {
    fn run(&self, args: Value, _: ToolContext) -> hookweave::BoxFuture<'_, Result<ToolResult, HookError>> {
        Box::pin(async move { Ok(args.into()) })
    }
}

#[tokio::test]
async fn a_question_is_stored_and_answered_by_another_engine() {
    let later = |_: ApprovalRequest| async { Err::<String, HookError>(Suspended.into()) };
    let open = |engine: &Engine| asking(engine).set("session_id", "s1").approver(later).open().unwrap();
    let (args, id) = (json!({"command": "ls"}), "t1".to_owned());
    let first = open(&patient());
    let error = first.use_tool("Bash", args.clone(), Some(id.clone()), Arc::new(Echo)).await.unwrap_err();
    assert_eq!(error.code().to_string(), "approval_pending");
    let stored = serde_json::to_string(ApprovalPending::of(&error).unwrap()).unwrap();
    let request: ApprovalRequest = serde_json::from_str(&stored).unwrap();
    assert_eq!((request.tool_use_id.as_deref(), request.timeout), (Some("t1"), Duration::from_secs(300)));
    assert!(error.to_string().contains(&request.id));
    let second = open(&patient());
    let answers = [(request.id, Approval::new("Allow once").args(json!({"command": "ls -l"})))];
    let outcome = second.resume_tool("Bash", args, &id, answers, Arc::new(Echo)).await.unwrap();
    assert_eq!(outcome.output, json!({"command": "ls -l"}));
}

#[tokio::test]
async fn a_call_that_is_dropped_while_a_person_is_asked_uses_up_no_hook() {
    let (engine, queue) = (patient(), PendingApprovals::default());
    engine.on("PreToolUse").once().run(|_: &Event| HookResponse::ask("sure?")).unwrap();
    let session = engine.session().approver(queue.clone()).open().unwrap();
    for _ in 0..2 {
        let mut call = Box::pin(echo(&session, json!({"n": 1})));
        let asked = async {
            while queue.pending().is_empty() {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            _ = &mut call => panic!("the call waits for a person"),
            () = asked => {}
        }
        drop(call);
        assert!(queue.pending().is_empty());
    }
    assert_eq!(engine.list_hooks().len(), 1);
}
