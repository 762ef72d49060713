//! Hooks for the duration of a block.

use hookweave::{Code, Event, HookResponse, Session};
use serde_json::json;

use crate::support::patient;

type Checked = Result<(), Box<dyn std::error::Error>>;

fn no(_: &Event) -> HookResponse {
    HookResponse::block("no")
}

async fn blocked(session: &Session) -> Result<bool, hookweave::Error> {
    Ok(session.dispatch(Event::pre_tool_use("Bash", json!({}))).await?.blocked())
}

#[tokio::test]
async fn a_temporary_hook_ends_with_its_guard() -> Checked {
    let engine = patient();
    let hook = engine.temporary_hook("PreToolUse", |hook| hook.name("guard").run(no))?;
    let listed = engine.list_hooks();
    assert_eq!((listed.len(), &*listed[0].id, listed[0].temporary), (1, hook.id(), true));
    assert!(engine.dispatch(Event::pre_tool_use("Bash", json!({}))).await?.blocked());
    hook.remove();
    assert!(!engine.dispatch(Event::pre_tool_use("Bash", json!({}))).await?.blocked());

    let fails = || -> Checked {
        let _hook = engine.temporary_hook("PreToolUse", |hook| hook.run(no))?;
        assert_eq!(engine.list_hooks().len(), 1);
        Err("broken off".into())
    };
    assert!(fails().is_err() && engine.list_hooks().is_empty());
    let refused = engine.temporary_hook("PreToolUse", |hook| hook.tool_pattern("(").run(no)).unwrap_err();
    assert_eq!(refused.code(), Code::InvalidMatcher);
    Ok(())
}

#[tokio::test]
async fn a_hook_of_a_session_is_for_it_and_its_subagents_alone() -> Checked {
    let engine = patient();
    let mine = engine.session().set("session_id", "job [*]").open()?;
    let others = ["job [1]", "job *"].map(|id| engine.session().set("session_id", id).open());
    let child = mine.subagent("worker", None).await?.map_err(|_| "refused")?;
    let hook = mine.temporary_hook("PreToolUse", |hook| hook.session("*").run(no))?;
    assert!(blocked(&mine).await? && blocked(&child).await?);
    for other in others {
        assert!(!blocked(&other?).await?);
    }
    hook.remove();
    let _hook = child.temporary_hook("PreToolUse", |hook| hook.agent("*").run(no))?;
    assert_eq!((blocked(&mine).await?, blocked(&child).await?), (false, true));
    Ok(())
}

#[tokio::test]
async fn a_session_that_no_pattern_can_name_has_no_hooks_of_its_own() -> Checked {
    let engine = patient();
    for id in ["a|b", " a", "a\n"] {
        let session = engine.session().set("session_id", id).open()?;
        let refused = session.temporary_hook("PreToolUse", |hook| hook.run(no)).unwrap_err();
        assert_eq!(refused.code(), Code::InvalidMatcher);
        assert!(refused.message().contains("no pattern can name"), "{refused}");
    }
    assert!(engine.list_hooks().is_empty());
    Ok(())
}
