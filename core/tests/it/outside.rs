//! Types that grow: a program can still make what it gives, and read what it is given.

use std::time::Duration;

use hookweave::audit::{AuditLevel, AuditOptions, AuditReport, Fsync, Inputs, Redaction, Rotation, verify};
use hookweave::{
    Action, AllowAll, ArgTest, ContextMessage, Engine, Event, FailBehavior, FailureKind, HookResponse, HookSpec,
    LoadReport, LoadRequest, MatcherSpec, ModelRequest, ModelResponse, Role, Scope, Timeout, ToolCall, ToolContext,
    ToolDefinition, ToolOutcome, ToolResult, Trust,
};
use serde_json::json;

use crate::support::{LONG, patient};

type Checked = Result<(), Box<dyn std::error::Error + Send + Sync>>;

#[tokio::test]
async fn a_hook_is_registered_by_a_spec() -> Checked {
    let engine = patient();
    engine.define_tool(ToolDefinition::new("sandbox").same_as("Bash").command("line").path("files"))?;
    let matcher = MatcherSpec::default().tool("Bash").arg("line", ArgTest::Regex("rm".into()));
    let spec = HookSpec::new("PreToolUse")
        .name("guard")
        .matcher(matcher)
        .priority(-1)
        .scope(Scope::User)
        .timeout(Timeout::After(Duration::from_secs(1)))
        .fail_behavior(FailBehavior::Block)
        .mandatory(false);
    engine.on("PreToolUse").spec(spec).run(|_: &Event| HookResponse::block("no"))?;
    let outcome = engine.dispatch(Event::pre_tool_use("sandbox", json!({"line": "rm -r x"}))).await?;
    // A decision that a later version adds is none that lets the call pass unseen.
    let passes = matches!(outcome.decision(), Action::Continue | Action::Allow);
    assert!(!passes && outcome.trace()[0].hook == "guard");
    assert_eq!(FailureKind::ALL.len(), 9);
    Ok(())
}

#[tokio::test]
async fn an_audit_log_is_set_up_and_verified() -> Checked {
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("audit.jsonl");
    let mut rotation = Rotation::default().max_bytes(1_000_000).max_age(Duration::from_secs(3600));
    rotation.keep = Some(3);
    let options = AuditOptions::file(&log)
        .level(AuditLevel::Verbose)
        .inputs(Inputs::Redacted)
        .fsync(Fsync::Grouped)
        .rotation(rotation)
        .redaction(Redaction::default().key("badge").pattern("customer-[0-9]+"))
        .queue(100)
        .wait(Duration::from_millis(100))
        .key("of this project")
        .required();
    let engine = Engine::builder().audit(options).build()?;
    engine.on("PreToolUse").run(|_: &Event| HookResponse::allow())?;
    engine.dispatch(Event::pre_tool_use("Bash", json!({"command": "ls"}))).await?;
    assert!(engine.close(LONG).await);
    let AuditReport { whole, problems, .. } = verify(&log, None)?;
    assert!(whole && problems.is_empty());
    Ok(())
}

#[test]
fn files_are_loaded_with_options() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("settings.json");
    std::fs::write(&path, r#"{"hooks": {"PreToolUze": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#)?;
    let engine = patient();
    let file = LoadRequest::file(&path).dialect("claude-code").scope(Scope::User);
    assert!(engine.load_files(file.clone()).is_err());
    let LoadReport { hooks, problems, .. } = engine.load_files(file.partial())?;
    assert_eq!((hooks.len(), problems.len()), (0, 1));
    let project = LoadRequest::places(folder.path()).source("project").source("claude-code").trust(Trust::All);
    let store = folder.path().join("trust.json");
    assert!(engine.load_files(project.store(store).refuse_untrusted().plugin(folder.path()))?.hooks.is_empty());
    Ok(())
}

#[tokio::test]
async fn a_tool_and_a_model_are_called_without_a_session_and_with_one() -> Checked {
    let engine = patient();
    engine.register_tool("Echo", std::sync::Arc::new(Echo));
    engine.register_model(std::sync::Arc::new(async |request: ModelRequest| {
        let answered = request.messages.iter().any(|message| message.role == Role::Tool);
        let call = ToolCall::new("Echo", json!({"text": "hi"})).id("call-1");
        let usage = json!({"total_tokens": 7});
        Ok(if answered { ModelResponse::new("done") } else { ModelResponse::default().tool_call(call).usage(usage) })
    }));
    let alone = hookweave::Tool::run(&Echo, json!({"text": "hi"}), ToolContext::new("s-1", "call-1")).await?;
    assert_eq!(alone, ToolResult::new("hi").exit_code(0));
    assert!(!ToolResult::failed("no").success);

    let session = engine.session().approver(AllowAll).open()?;
    let generation = session.generate("say hi").await?;
    assert_eq!((generation.text.as_str(), generation.tools.len()), ("done", 1));
    let pinned = ContextMessage::new(Role::System, "Be brief.").with("pinned", true);
    assert_eq!(pinned.metadata["pinned"], true);
    let prompt = ModelRequest::new("say hi");
    assert!(prompt.messages.is_empty());
    Ok(())
}

/// A closure of a tool may borrow, and so may its future.
#[tokio::test]
async fn a_tool_may_borrow() -> Checked {
    let session = patient().session().open()?;
    let files = std::collections::HashMap::from([("a.txt".to_owned(), "one line".to_owned())]);
    let read = async |args: serde_json::Value| {
        tokio::task::yield_now().await;
        Ok(files[args["file_path"].as_str().unwrap_or_default()].as_str())
    };
    let ToolOutcome { output, ran, .. } = session.run_tool("Read", json!({"file_path": "a.txt"}), read).await?;
    assert_eq!((output, ran), (json!("one line"), true));
    Ok(())
}

#[tokio::test]
async fn an_engine_and_a_session_dispatch_the_same_event() -> Checked {
    let engine = patient();
    engine.define_event("Deploy", true, &["target"])?;
    let session = engine.session().set("session_id", "s-1").open()?;
    let event = Event::new("Deploy", json!({"target": "staging"}));
    assert_eq!(session.dispatch(event.clone()).await?.event().session_id(), "s-1");
    let alone = engine.dispatch(event).await?;
    assert_ne!(alone.event().session_id(), "s-1");
    assert_eq!(alone.event().field("target"), "staging");
    Ok(())
}

struct Echo;

impl hookweave::Tool for Echo {
    fn run(
        &self,
        args: serde_json::Value,
        _: ToolContext,
    ) -> hookweave::BoxFuture<'_, Result<ToolResult, hookweave::HookError>> {
        Box::pin(async move { Ok(ToolResult::new(args["text"].clone()).exit_code(0)) })
    }
}
