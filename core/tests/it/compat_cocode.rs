//! Hooks of Cocode, as its documentation has them, with another import and nothing else.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hookweave::compat::cocode::{
    HookContext, HookDefinition, HookEventType, HookHandler, HookRegistry, HookResult, HttpMethod,
};
use hookweave::{Event, HookError};
use serde_json::{Value, json};

type Checked = Result<(), Box<dyn std::error::Error>>;

/// The callback of the documentation, as it stands there.
#[rustfmt::skip]
fn custom_permission_check(registry: &mut HookRegistry) {
// Inline hook for custom permission logic
registry.register(HookDefinition {
    event: HookEventType::PreToolUse,
    tool_matcher: Some("Write".to_string()),
    handler: HookHandler::Inline {
        callback: Arc::new(|ctx| {
            if let Some(input) = &ctx.tool_input {
                let path = input.get("file_path").and_then(|v| v.as_str());
                if let Some(p) = path {
                    // Block writes to sensitive paths
                    if p.contains(".env") || p.contains("credentials") {
                        return HookResult::Reject {
                            reason: "Cannot write to sensitive files".to_string(),
                        };
                    }
                }
            }
            HookResult::Continue
        }),
    },
    ..Default::default()
});
}

fn tool(name: &str, input: Value) -> HookContext {
    HookContext {
        tool_name: Some(name.to_owned()),
        tool_input: Some(input),
        session_id: "session-1".to_owned(),
        cwd: std::env::temp_dir(),
        ..Default::default()
    }
}

async fn before(registry: &mut HookRegistry, name: &str, input: Value) -> HookResult {
    registry.execute(HookEventType::PreToolUse, tool(name, input)).await
}

fn inline(callback: impl Fn(HookContext) -> HookResult + Send + Sync + 'static) -> HookDefinition {
    HookDefinition { handler: HookHandler::Inline { callback: Arc::new(callback) }, ..Default::default() }
}

fn shell(command: &str, pass_context: bool, parse_result: bool) -> HookDefinition {
    let handler = HookHandler::Shell { command: command.to_owned(), pass_context, parse_result };
    HookDefinition { handler, ..Default::default() }
}

fn reject(reason: &str) -> HookResult {
    HookResult::Reject { reason: reason.to_owned() }
}

#[tokio::test]
async fn the_documented_callback_guards_secrets() -> Checked {
    let mut registry = HookRegistry::new();
    custom_permission_check(&mut registry);
    for path in ["/srv/app/.env", "/home/me/.aws/credentials"] {
        let result = before(&mut registry, "Write", json!({"file_path": path})).await;
        assert_eq!(result, reject("Cannot write to sensitive files"), "{path}");
    }
    assert_eq!(before(&mut registry, "Write", json!({"file_path": "/srv/app/main.rs"})).await, HookResult::Continue);
    assert_eq!(before(&mut registry, "Read", json!({"file_path": "/srv/app/.env"})).await, HookResult::Continue);

    let session = registry.engine().session().open()?;
    let write = session.run_tool("Write", json!({"file_path": ".env"}), |args| async move { Ok::<_, HookError>(args) });
    assert_eq!(write.await?.reason.as_deref(), Some("Cannot write to sensitive files"));
    Ok(())
}

#[tokio::test]
async fn results_fold_as_cocode_says() {
    let mut registry = HookRegistry::new();
    registry.register(inline(|ctx| HookResult::ModifyInput {
        new_input: json!({"command": format!("{} one", ctx.tool_input.unwrap_or_default()["command"].as_str().unwrap_or(""))}),
    }));
    assert_eq!(
        before(&mut registry, "Bash", json!({"command": "echo"})).await,
        HookResult::ModifyInput { new_input: json!({"command": "echo one"}) }
    );
    registry.register(inline(|ctx| {
        assert_eq!(
            ctx.tool_input.unwrap_or_default()["command"],
            "echo one",
            "later hooks see what earlier ones changed"
        );
        HookResult::Reject { reason: "first".to_owned() }
    }));
    registry.register(inline(|_| HookResult::Reject { reason: "second".to_owned() }));
    assert_eq!(before(&mut registry, "Bash", json!({"command": "echo"})).await, reject("first"));
    assert!(reject("x").is_reject() && !reject("x").is_modify());
}

#[tokio::test]
async fn a_prompt_is_an_input_too_and_later_events_have_none() -> Checked {
    let mut registry = HookRegistry::new();
    let rewrite = |input: Value| move |_: HookContext| HookResult::ModifyInput { new_input: input.clone() };
    let prompt = HookDefinition { event: HookEventType::PrePromptSubmit, ..inline(rewrite(json!("Please."))) };
    registry.register(prompt);
    registry.register(HookDefinition { event: HookEventType::PostToolUse, ..inline(rewrite(json!({}))) });
    let ctx = HookContext { user_prompt: Some("Do it!".to_owned()), ..Default::default() };
    let result = registry.execute(HookEventType::PrePromptSubmit, ctx).await;
    assert_eq!(result, HookResult::ModifyInput { new_input: json!("Please.") });

    let mut after = tool("Edit", json!({}));
    after.tool_output = Some(json!({"success": true, "output": "done"}));
    assert_eq!(registry.execute(HookEventType::PostToolUse, after).await, HookResult::Continue);
    let outcome = registry.engine().dispatch(Event::post_tool_use("Edit", json!({}), json!({}))).await?;
    let notes = outcome.ext().map(|(_, own)| own["notes"].clone()).collect::<Vec<_>>();
    assert_eq!(notes, [json!(["PostToolUse has no input that a hook could change"])]);
    Ok(())
}

#[tokio::test]
async fn a_callback_sees_the_whole_context() {
    let mut registry = HookRegistry::new();
    let check = |ctx: HookContext| {
        let seen = json!([
            format!("{:?}", ctx.event),
            ctx.tool_name,
            ctx.tool_input,
            ctx.tool_output,
            ctx.error,
            ctx.user_prompt,
            ctx.session_id,
            ctx.agent_id,
            ctx.cwd.to_string_lossy(),
            ctx.env.get("STAGE"),
        ]);
        HookResult::Reject { reason: seen.to_string() }
    };
    registry.register(HookDefinition { event: HookEventType::PostToolUseFailure, ..inline(check) });
    let ctx = HookContext {
        error: Some("no such file".to_owned()),
        agent_id: Some("agent-2".to_owned()),
        cwd: PathBuf::from("/srv/app"),
        env: HashMap::from([("STAGE".to_owned(), "test".to_owned())]),
        ..tool("Read", json!({"file_path": "x"}))
    };
    let result = registry.execute(HookEventType::PostToolUseFailure, ctx).await;
    let seen = json!(["PostToolUseFailure", "Read", {"file_path": "x"}, null, "no such file", null, "session-1", "agent-2", "/srv/app", "test"]);
    assert_eq!(result, reject(&seen.to_string()));
}

#[tokio::test]
async fn commands_of_a_program_read_the_context_and_are_read() -> Checked {
    let directory = tempfile::tempdir()?;
    let mut registry = HookRegistry::new();
    registry.register(HookDefinition {
        tool_matcher: Some("Bash*".to_owned()),
        ..shell("cat > context.json; echo \"$HOOK_EVENT $HOOK_TOOL_NAME $HOOK_SESSION_ID\" > env; echo '{\"ModifyInput\":{\"new_input\":{\"command\":\"true\"}}}'", true, true)
    });
    let ctx = HookContext { cwd: directory.path().to_owned(), ..tool("Bash", json!({"command": "ls"})) };
    let result = registry.execute(HookEventType::PreToolUse, ctx).await;
    assert_eq!(result, HookResult::ModifyInput { new_input: json!({"command": "true"}) });
    let context: Value = serde_json::from_slice(&std::fs::read(directory.path().join("context.json"))?)?;
    assert_eq!((&context["event"], &context["tool_input"]), (&json!("PreToolUse"), &json!({"command": "ls"})));
    assert_eq!(std::fs::read_to_string(directory.path().join("env"))?.trim(), "PreToolUse Bash session-1");
    Ok(())
}

#[tokio::test]
async fn a_command_or_server_that_fails_has_said_no_and_one_that_takes_too_long_nothing() {
    let slow = HookDefinition { timeout: Duration::from_millis(50), ..shell("sleep 1000", false, false) };
    let nowhere = HookHandler::Webhook {
        url: "http://127.0.0.1:9/hook".to_owned(),
        method: HttpMethod::default(),
        headers: HashMap::new(),
    };
    for (definition, rejects) in [
        (shell("echo not so >&2; exit 1", false, false), Some("not so")),
        (shell("no-such-program-anywhere", false, false), Some("not found")),
        (HookDefinition { handler: nowhere, ..Default::default() }, Some("127.0.0.1")),
        (slow, None),
    ] {
        let text = format!("{definition:?}");
        let mut registry = HookRegistry::new();
        registry.register(definition);
        let result = before(&mut registry, "Bash", json!({})).await;
        match (result, rejects) {
            (HookResult::Continue, None) => {}
            (HookResult::Reject { reason }, Some(why)) => assert!(reason.contains(why), "{text}: {reason}"),
            (result, _) => assert!(result.is_reject() == rejects.is_some(), "{text}: {result:?}"),
        }
    }
}

#[tokio::test]
async fn a_hook_that_runs_once_is_then_gone() {
    let ran = Arc::new(AtomicUsize::new(0));
    let once = |ran: &Arc<AtomicUsize>| {
        let ran = Arc::clone(ran);
        let count = move |_: HookContext| {
            ran.fetch_add(1, Ordering::SeqCst);
            HookResult::Continue
        };
        HookDefinition { once: true, ..inline(count) }
    };
    let mut registry = HookRegistry::new();
    registry.register(once(&ran));
    before(&mut registry, "Bash", json!({})).await;
    before(&mut registry, "Bash", json!({})).await;
    assert_eq!(ran.load(Ordering::SeqCst), 1);
    registry.register(once(&ran));
    registry.cleanup_once_hooks();
    before(&mut registry, "Bash", json!({})).await;
    assert_eq!((ran.load(Ordering::SeqCst), registry.engine().list_hooks().len()), (1, 0));
}

#[tokio::test]
async fn a_guard_that_cannot_stand_lets_nothing_through() -> Checked {
    let empty =
        HookDefinition { tool_matcher: Some(String::new()), name: Some("guard".to_owned()), ..Default::default() };
    let mut registry = HookRegistry::new();
    let error = registry.try_register(empty.clone()).err().ok_or("the definition was taken")?;
    assert_eq!((error.code().as_str(), registry.engine().list_hooks().len()), ("invalid_matcher", 0));
    registry.register(empty);
    let HookResult::Reject { reason } = before(&mut registry, "Bash", json!({})).await else {
        return Err("the call went through".into());
    };
    assert!(reason.contains("guard") && reason.contains("tool_matcher"), "{reason}");
    Ok(())
}

#[tokio::test]
async fn what_is_no_input_of_a_tool_is_refused() {
    let mut registry = HookRegistry::new();
    let result = before(&mut registry, "Bash", json!("ls")).await;
    assert!(result.is_reject(), "{result:?}");
}

#[tokio::test]
async fn timeouts_beyond_all_bounds_are_taken() {
    for timeout in [Duration::ZERO, Duration::MAX] {
        let mut registry = HookRegistry::new();
        registry.register(HookDefinition { timeout, ..inline(|_| HookResult::Reject { reason: "no".to_owned() }) });
        assert_eq!(before(&mut registry, "Bash", json!({})).await, reject("no"), "{timeout:?}");
    }
}

#[tokio::test]
async fn a_guard_that_panics_or_whose_directory_is_gone_rejects() {
    let mut registry = HookRegistry::new();
    registry.register(inline(|_| std::panic::panic_any("no list of hosts")));
    let result = before(&mut registry, "Bash", json!({"command": "ls"})).await;
    assert_eq!(result, HookResult::Reject { reason: "the hook panicked: no list of hosts".to_owned() });

    let mut registry = HookRegistry::new();
    registry.register(HookDefinition {
        handler: HookHandler::Shell {
            command: "test ! -e secret".to_owned(),
            pass_context: false,
            parse_result: false,
        },
        ..Default::default()
    });
    let gone = tempfile::tempdir().unwrap().path().join("gone");
    let ctx = HookContext { cwd: gone, ..tool("Bash", json!({"command": "ls"})) };
    let HookResult::Reject { reason } = registry.execute(HookEventType::PreToolUse, ctx).await else {
        panic!("a guard that ran elsewhere judged another tree");
    };
    assert!(reason.contains("gone` is gone"), "{reason}");
}
