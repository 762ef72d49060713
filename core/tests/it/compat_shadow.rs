//! Hooks of shadow's agents, as its documentation has them, with another import and nothing else.

use hookweave::compat::shadow::{Hook, HookContext, HookEvent, HookRegistry, HookResult, PermissionDecision};
use hookweave::{DenyAll, Event, HookError, HookResponse, Session, ToolOutcome};
use hookweave::{FailureKind, Permission};
use serde_json::{Value, json};

type Checked = Result<(), Box<dyn std::error::Error>>;

/// The agent's own settings, of which the hooks are a part.
struct AgentConfig {
    hooks: HookRegistry,
}

impl AgentConfig {
    fn new(_system_prompt: &str) -> Self {
        Self { hooks: HookRegistry::new() }
    }

    fn with_tools(self, _tools: Vec<&str>) -> Self {
        self
    }

    fn with_hooks(mut self, hooks: HookRegistry) -> Self {
        self.hooks = hooks;
        self
    }

    /// A session that denies every question.
    fn open(&self) -> Result<Session, hookweave::Error> {
        self.hooks.engine().session().permission("*", Permission::Ask).approver(DenyAll).open()
    }
}

/// The example of the documentation, as it stands there.
#[rustfmt::skip]
#[allow(clippy::let_and_return, clippy::expect_used, reason = "the example is as its documentation has it")]
fn usage(tools: Vec<&str>) -> AgentConfig {
use hookweave::compat::shadow::{HookContext, HookEvent, HookRegistry, HookResult};

let mut hooks = HookRegistry::new();

// Block dangerous commands
hooks.add_with_pattern(HookEvent::PreToolUse, "Bash", |ctx: &mut HookContext| {
    let cmd = ctx.tool_input.as_ref()
        .and_then(|v| v.get("command"))
        .and_then(|v| v.as_str())
        .unwrap_or("");

    if cmd.contains("rm -rf /") {
        HookResult::deny("Dangerous command blocked")
    } else {
        HookResult::none()
    }
}).expect("Invalid regex");

// Auto-approve read-only tools
hooks.add_with_pattern(HookEvent::PreToolUse, "^(Read|Glob|Grep)$", |_ctx: &mut HookContext| {
    HookResult::allow()
}).expect("Invalid regex");

// Add to agent config
let config = AgentConfig::new("System prompt")
    .with_tools(tools)
    .with_hooks(hooks);

config
}

async fn call(session: &Session, tool: &str, args: Value) -> Result<ToolOutcome, hookweave::Error> {
    session.run_tool(tool, args, |args| async move { Ok::<_, HookError>(args) }).await
}

#[tokio::test]
async fn the_documented_hooks_block_approve_and_leave_the_rest_to_the_usual_permissions() -> Checked {
    let session = usage(vec!["Bash", "Read"]).open()?;
    let dangerous = call(&session, "Bash", json!({"command": "sudo rm -rf / --no-preserve-root"})).await?;
    assert_eq!((dangerous.ran, dangerous.reason.as_deref()), (false, Some("Dangerous command blocked")));
    for tool in ["Read", "Glob", "Grep"] {
        assert!(call(&session, tool, json!({"file_path": "/etc/motd"})).await?.ran, "{tool} is not asked about");
    }
    for (tool, args) in [("Bash", json!({"command": "ls"})), ("ReadSecret", json!({}))] {
        let asked = call(&session, tool, args).await?;
        assert!(!asked.ran, "{tool} has to be asked about, and everything is denied");
        assert_ne!(asked.reason.as_deref(), Some("Dangerous command blocked"));
    }
    Ok(())
}

#[test]
fn the_documented_hooks_run_by_themselves_without_a_runtime() {
    let hooks = usage(vec![]).hooks;
    let run = |tool: &str, input: Value| hooks.run(&mut HookContext::pre_tool_use(tool, &input, "call-1"));
    assert_eq!(run("Bash", json!({"command": "rm -rf /"})), HookResult::deny("Dangerous command blocked"));
    assert_eq!(run("Bash", json!({"command": "ls"})), HookResult::none());
    assert_eq!(run("Read", json!({})), HookResult::allow());
    assert_eq!(run("ReadSecret", json!({})), HookResult::none());
    assert_eq!((hooks.hook_count(HookEvent::PreToolUse), hooks.has_hooks(HookEvent::PostToolUse)), (2, false));
}

#[test]
fn input_and_prompt_are_changed_in_place() {
    let mut hooks = HookRegistry::new();
    hooks
        .add(HookEvent::PreToolUse, |ctx: &mut HookContext| {
            if let Some(input) = ctx.tool_input.as_mut() {
                input["timeout"] = json!(30);
            }
            HookResult::none()
        })
        .add(HookEvent::PreToolUse, |ctx: &mut HookContext| {
            let timeout = ctx.tool_input.as_ref().map(|input| input["timeout"].clone());
            assert_eq!(timeout, Some(json!(30)), "a later hook sees what an earlier one changed");
            ctx.tool_input = None;
            HookResult::deny("no")
        })
        .add(HookEvent::UserPromptSubmit, |ctx: &mut HookContext| {
            ctx.user_prompt = ctx.user_prompt.as_ref().map(|prompt| prompt.to_uppercase());
            HookResult::none()
        });

    let mut call = HookContext::pre_tool_use("Bash", &json!({"command": "make"}), "call-1");
    assert_eq!(hooks.run(&mut call), HookResult::deny("no"));
    assert_eq!(call.tool_input, Some(json!({"command": "make", "timeout": 30})));

    let mut prompt = HookContext::user_prompt_submit("hello");
    assert_eq!(hooks.run(&mut prompt), HookResult::none());
    assert_eq!(prompt.user_prompt.as_deref(), Some("HELLO"));
}

#[tokio::test]
async fn what_was_changed_in_place_is_what_runs() -> Checked {
    let mut hooks = HookRegistry::new();
    hooks.add(HookEvent::PreToolUse, |ctx: &mut HookContext| {
        ctx.tool_input = Some(json!({"file_path": "/srv/remote/notes.txt"}));
        HookResult::allow()
    });
    let session = AgentConfig::new("").with_hooks(hooks).open()?;
    let outcome = call(&session, "Read", json!({"file_path": "/notes.txt"})).await?;
    assert_eq!(outcome.output, json!({"file_path": "/srv/remote/notes.txt"}));
    Ok(())
}

#[test]
fn all_hooks_run_and_the_strongest_result_counts() {
    let results = [HookResult::none(), HookResult::ask(), HookResult::allow(), HookResult::deny("no")];
    for (weaker, stronger) in [(0, 1), (1, 2), (2, 3), (0, 3), (1, 3), (0, 2)] {
        for order in [[weaker, stronger], [stronger, weaker]] {
            let mut hooks = HookRegistry::new();
            let ran = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
            for index in order {
                let (result, ran) = (results[index].clone(), std::sync::Arc::clone(&ran));
                hooks.add(HookEvent::PreToolUse, move |_ctx: &mut HookContext| {
                    ran.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                    result.clone()
                });
            }
            let result = hooks.run(&mut HookContext::pre_tool_use("Bash", &json!({}), "call-1"));
            assert_eq!(result.decision, results[stronger].decision, "{order:?}");
            assert_eq!(ran.load(std::sync::atomic::Ordering::SeqCst), 2, "{order:?}");
        }
    }
}

#[test]
fn later_events_are_observed() {
    let mut hooks = HookRegistry::new();
    hooks.add(HookEvent::PostToolUse, |ctx: &mut HookContext| {
        assert_eq!(ctx.tool_result, Some(&json!({"output": "done"})));
        assert_eq!((ctx.event, ctx.tool_use_id.as_deref()), (HookEvent::PostToolUse, Some("call-7")));
        HookResult::deny("look again")
    });
    hooks.add(HookEvent::PostToolUseFailure, |ctx: &mut HookContext| {
        assert_eq!(ctx.error.as_deref(), Some("no such file"));
        HookResult::none()
    });
    let result = json!({"output": "done"});
    let result = hooks.run(&mut HookContext::post_tool_use("Bash", &json!({}), "call-7", &result));
    assert_eq!(result, HookResult::deny("look again"), "feedback, for whoever wants it");
    let failed = &mut HookContext::post_tool_use_failure("Read", &json!({}), "call-8", "no such file");
    assert_eq!(hooks.run(failed), HookResult::none());
}

#[tokio::test]
async fn a_change_that_has_no_effect_is_named() -> Checked {
    let mut hooks = HookRegistry::new();
    hooks.add(HookEvent::PreToolUse, |ctx: &mut HookContext| {
        ctx.tool_name = Some("Read".to_owned());
        HookResult::none()
    });
    hooks.add(HookEvent::PostToolUse, |ctx: &mut HookContext| {
        ctx.tool_input = Some(json!({"rewritten": "too late"}));
        HookResult::none()
    });
    for (event, field) in [
        (Event::pre_tool_use("Bash", json!({})), "modified.tool"),
        (Event::post_tool_use("Bash", json!({}), json!({"output": ""})), "modified.args"),
    ] {
        let outcome = hooks.engine().dispatch(event).await?;
        let trace = outcome.trace();
        let failure = trace[0].failure.as_ref().ok_or("the hook has not failed")?;
        assert!(failure.kind == FailureKind::InvalidAnswer && failure.message.contains(field), "{}", failure.message);
    }
    Ok(())
}

#[test]
fn a_pattern_is_about_tools_and_has_to_be_one() -> Checked {
    let mut hooks = HookRegistry::new();
    let deny = |_ctx: &mut HookContext| HookResult::deny("no");
    for event in [HookEvent::PreToolUse, HookEvent::UserPromptSubmit] {
        let error = hooks.add_with_pattern(event, "(", deny).err().ok_or("the pattern was taken")?;
        assert_eq!(error.code().as_str(), "invalid_matcher");
        assert!(error.message().contains(event.as_str()), "{error}");
    }
    assert_eq!(hooks.engine().list_hooks().len(), 0);
    hooks.add_with_pattern(HookEvent::UserPromptSubmit, "Bash", deny)?;
    let result = hooks.run(&mut HookContext::user_prompt_submit("hello"));
    assert_eq!(result.decision, Some(PermissionDecision::Deny), "a prompt has no tool that a pattern could be about");
    Ok(())
}

#[test]
fn a_type_of_the_program_s_own_is_a_hook_too() {
    struct Banned(Vec<&'static str>);
    impl Hook for Banned {
        fn call(&self, ctx: &mut HookContext<'_>) -> HookResult {
            match ctx.tool_name.as_deref() {
                Some(tool) if self.0.contains(&tool) => HookResult::deny(format!("{tool} is banned")),
                _ => HookResult::none(),
            }
        }
    }
    let mut hooks = HookRegistry::new();
    hooks.add(HookEvent::PreToolUse, Banned(vec!["WebFetch"]));
    let result = hooks.run(&mut HookContext::pre_tool_use("WebFetch", &json!({}), "call-1"));
    assert_eq!(result.reason.as_deref(), Some("WebFetch is banned"));
}

#[test]
fn a_hook_that_has_to_wait_is_a_refusal_for_run() -> Checked {
    let mut hooks = HookRegistry::new();
    hooks.add(HookEvent::PreToolUse, |_ctx: &mut HookContext| HookResult::allow());
    hooks.engine().on("PreToolUse").run_async(|_| async {
        std::future::pending::<()>().await;
        HookResponse::allow()
    })?;
    let result = hooks.run(&mut HookContext::pre_tool_use("Bash", &json!({}), "call-1"));
    assert_eq!(result.decision, Some(PermissionDecision::Deny));
    assert!(result.reason.unwrap_or_default().contains("engine().dispatch"));
    Ok(())
}

#[test]
fn a_guard_that_panics_refuses_and_changes_nothing() {
    let mut hooks = HookRegistry::new();
    hooks.add(HookEvent::PreToolUse, |ctx: &mut HookContext| {
        ctx.tool_input = Some(json!({"command": "other"}));
        std::panic::panic_any("no list of hosts")
    });
    hooks.add(HookEvent::PostToolUse, |_: &mut HookContext| std::panic::panic_any("no log"));
    let mut ctx = HookContext::pre_tool_use("Bash", &json!({"command": "ls"}), "call-1");
    let result = hooks.run(&mut ctx);
    assert_eq!(result, HookResult::deny("the hook panicked: no list of hosts"));
    assert_eq!(ctx.tool_input, Some(json!({"command": "ls"})));
    // What has happened is not refused.
    let result = json!({"output": "x"});
    let mut after = HookContext::post_tool_use("Bash", &json!({}), "call-1", &result);
    assert_eq!(hooks.run(&mut after), HookResult::none());
}
