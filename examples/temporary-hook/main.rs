//! A dry run: one call of one session deploys nothing, and other sessions are not affected.
#![allow(clippy::print_stdout, reason = "what it prints is what the program is for")]

use hookweave::{Engine, Error, Event, FailBehavior, HookError, HookResponse, Session};
use serde_json::{Value, json};

fn command(args: &Value) -> &str {
    args.get("command").and_then(Value::as_str).unwrap_or_default()
}

/// Makes a deployment a rehearsal.
fn dry_run(event: &Event) -> HookResponse {
    let mut args = event.args().clone();
    if let Some(args) = args.as_object_mut() {
        args.insert("command".into(), format!("{} --dry-run", command(event.args())).into());
    }
    HookResponse::continue_().modified(json!({"args": args}))
}

/// The call in question.
async fn deploy(session: &Session) -> Result<(), Error> {
    let bash = |args: Value| async move { Ok::<_, HookError>(format!("ran {}", command(&args))) };
    let call = session.run_tool("Bash", json!({"command": "./deploy.sh shop"}), bash).await?;
    println!("  {}: {}", session.id(), call.output.as_str().unwrap_or_default());
    Ok(())
}

/// Registers the hook for the length of a block, however the block ends.
async fn rehearse(session: &Session, other: &Session) -> Result<(), HookError> {
    let _hook = session.temporary_hook("PreToolUse", |hook| {
        let deployments = hook.name("dry-run").tool("Bash").command_pattern(r"^\./deploy\.sh");
        deployments.fail_behavior(FailBehavior::Block).run(dry_run)
    })?;
    deploy(session).await?;
    deploy(other).await?;
    Err(HookError::from("the rehearsal was broken off"))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let engine = Engine::new();
    let mine = engine.session().set("session_id", "mine").open()?;
    let other = engine.session().set("session_id", "other").open()?;
    println!("before");
    deploy(&mine).await?;
    println!("during");
    if let Err(error) = rehearse(&mine, &other).await {
        println!("  {error}");
    }
    println!("after");
    deploy(&mine).await?;
    println!("hooks that are left: {}", engine.list_hooks().len());
    Ok(())
}
