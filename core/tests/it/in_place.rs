//! Hooks that change their event in place: what becomes of the changes, and of those that may not be made.

use hookweave::{Action, Event, FailBehavior, FailureKind, HookContext, HookFuture, HookResponse};
use serde_json::{Value, json};

use crate::support::patient;

type Checked = Result<(), Box<dyn std::error::Error>>;

fn make() -> Event {
    Event::pre_tool_use("Bash", json!({"command": "make"}))
}

#[tokio::test]
async fn what_a_hook_changed_is_what_it_modified() -> Checked {
    let engine = patient();
    engine.on("PreToolUse").name("first").run_mut(|ctx: &mut HookContext| {
        ctx.args_mut()["timeout"] = json!(1);
    })?;
    engine.on("PreToolUse").name("second").run_mut(|ctx: &mut HookContext| {
        assert_eq!(ctx.args()["timeout"], 1, "a later hook sees what an earlier one changed");
        ctx["args"]["timeout"] = json!(2);
        assert_eq!((ctx["args"]["timeout"].as_u64(), ctx.event().args()["timeout"].as_u64()), (Some(2), Some(1)));
    })?;
    let outcome = engine.dispatch(make()).await?;
    assert_eq!(outcome.event().args(), &json!({"command": "make", "timeout": 2}));
    assert_eq!((outcome.modified(), outcome.decision()), (vec!["args"], Action::Continue));
    Ok(())
}

#[tokio::test]
async fn only_what_is_other_than_it_was_counts() -> Checked {
    let engine = patient();
    engine.on("PreToolUse").run_mut(|ctx: &mut HookContext| {
        let command = ctx.args()["command"].clone();
        ctx.args_mut()["command"] = command;
        ctx.set("tool", "Bash");
        // Looking for a field that is not there leaves no trace of it.
        assert!(ctx.field_mut("comment").is_null());
    })?;
    let outcome = engine.dispatch(make()).await?;
    assert_eq!((outcome.modified(), outcome.trace()[0].failure.is_none()), (vec![], true));
    Ok(())
}

#[tokio::test]
async fn a_hook_changes_and_refuses_at_once() -> Checked {
    let engine = patient();
    engine.on("PreToolUse").run_mut(|ctx: &mut HookContext| {
        ctx.args_mut()["command"] = json!("make --dry-run");
        HookResponse::block("not today").message("tried")
    })?;
    let outcome = engine.dispatch(make()).await?;
    assert_eq!((outcome.blocked(), outcome.reason()), (true, Some("not today")));
    assert_eq!((outcome.modified(), &outcome.event().args()["command"]), (vec!["args"], &json!("make --dry-run")));
    assert_eq!(outcome.messages().len(), 1);
    Ok(())
}

#[tokio::test]
async fn what_the_answer_says_of_a_field_counts() -> Checked {
    let engine = patient();
    engine.on("GenerateStart").run_mut(|ctx: &mut HookContext| {
        ctx.set("prompt", "changed in place");
        ctx.set("system_prompt", "in place too");
        HookResponse::continue_().modified(json!({"prompt": "said"}))
    })?;
    let start = Event::new("GenerateStart", json!({"prompt": "hello", "model": "m", "tools": []}));
    let outcome = engine.dispatch(start).await?;
    assert_eq!(outcome.event().field("prompt"), "said");
    assert_eq!(outcome.event().field("system_prompt"), "in place too");
    Ok(())
}

#[tokio::test]
async fn a_field_that_hooks_may_not_modify_is_named_and_shuts_the_gate() -> Checked {
    for (field, value) in [("tool", json!("Read")), ("session_id", json!("another")), ("args", Value::Null)] {
        let engine = patient();
        engine.on("PreToolUse").run_mut(move |ctx: &mut HookContext| ctx.set(field, value.clone()))?;
        let outcome = engine.dispatch(make()).await?;
        let trace = outcome.trace();
        let failure = trace[0].failure.as_ref().ok_or("the hook has not failed")?;
        assert_eq!(failure.kind, FailureKind::InvalidAnswer, "{field}");
        assert!(failure.message.contains(&format!("modified.{field}")), "{}", failure.message);
        assert!(outcome.blocked(), "{field}: who changes what it may not meant to restrict");
        assert_eq!(outcome.event().args(), make().args(), "{field}");
    }
    Ok(())
}

#[tokio::test]
async fn a_hook_that_fails_has_changed_nothing() -> Checked {
    let engine = patient();
    engine.on("PreToolUse").name("errs").run_mut(|ctx: &mut HookContext| {
        ctx.args_mut()["command"] = json!("true");
        Err::<(), _>("no")
    })?;
    engine.on("PreToolUse").name("panics").run_mut(|ctx: &mut HookContext| {
        // A text has no members to set.
        ctx["tool"]["name"] = json!("Read");
    })?;
    let outcome = engine.dispatch(make()).await?;
    assert_eq!((outcome.modified(), outcome.event().args()), (vec![], make().args()));
    assert!(outcome.trace().iter().all(|entry| entry.failure.is_some()), "{:?}", outcome.trace());
    Ok(())
}

#[tokio::test]
async fn an_asynchronous_hook_changes_in_place_too() -> Checked {
    let engine = patient();
    engine.on("UserPromptSubmit").run_async_mut(|ctx: &mut HookContext| -> HookFuture<'_> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            let prompt = ctx["prompt"].as_str().unwrap_or_default().replace("secret", "[hidden]");
            ctx.set("prompt", prompt);
            Ok(HookResponse::continue_().inject("a word was hidden"))
        })
    })?;
    let outcome = engine.dispatch(Event::user_prompt_submit("my secret")).await?;
    assert_eq!(outcome.event().field("prompt"), "my [hidden]");
    assert_eq!(outcome.injections().len(), 1);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn what_was_changed_before_the_time_was_over_is_not_heard() -> Checked {
    let engine = patient();
    let hook = engine.on("PreToolUse").timeout(std::time::Duration::from_millis(5)).fail_behavior(FailBehavior::Block);
    hook.run_async_mut(|ctx| {
        Box::pin(async move {
            ctx["args"]["command"] = json!("true");
            std::future::pending::<()>().await;
            Ok(HookResponse::default())
        })
    })?;
    let outcome = engine.dispatch(make()).await?;
    assert_eq!((outcome.blocked(), outcome.modified()), (true, vec![]));
    assert_eq!(outcome.trace()[0].failure.as_ref().map(|failure| failure.kind), Some(FailureKind::Timeout));
    Ok(())
}

#[tokio::test]
async fn a_mandatory_hook_that_changes_the_same_again_passes_its_recheck() -> Checked {
    let engine = patient();
    engine.on("PreToolUse").mandatory().run_mut(|ctx: &mut HookContext| ctx["args"]["dry"] = json!(true))?;
    engine.on("PreToolUse").run_mut(|ctx: &mut HookContext| ctx["args"]["jobs"] = json!(2))?;
    let outcome = engine.dispatch(make()).await?;
    assert_eq!(outcome.event().args(), &json!({"command": "make", "dry": true, "jobs": 2}));
    assert!(!outcome.blocked(), "{:?}", outcome.trace());
    assert_eq!(outcome.trace().len(), 3);
    Ok(())
}
