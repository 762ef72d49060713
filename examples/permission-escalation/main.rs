//! An agent that may only read asks for more: once, for the whole session, or in vain.
#![allow(clippy::print_stdout, reason = "what it prints is what the program is for")]

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use hookweave::{ApprovalRequest, Engine, Error, Event, FailBehavior, HookError, HookResponse, Permission, Session};
use serde_json::json;

/// The person of this run: what they answer, in the order in which they are asked.
const ANSWERS: [&str; 3] = ["Allow once", "Allow always", "Deny"];

fn engine() -> Result<Engine, Error> {
    let engine = Engine::new();

    // Asks before the first write; "Allow always" then holds for every write of the session.
    engine.on("PreToolUse").name("read-only").tool("Write").fail_behavior(FailBehavior::Block).run(|_| {
        HookResponse::ask("The agent has only been reading. Let it write?").ask_with(json!({"remember": "tool"}))
    })?;

    // A file with secrets is denied without a question, and no "Allow always" applies to it.
    engine
        .on("PermissionRequest")
        .name("secrets")
        .path_pattern("**/.env*")
        .fail_behavior(FailBehavior::Block)
        .run(|_| HookResponse::block("files with secrets stay as they are"))?;

    // Scratch files need no question.
    engine.on("PermissionRequest").name("scratch").path_pattern("/tmp/**").run(|_| HookResponse::allow())?;

    // Says who let it pass: a person, what they said before, or a hook.
    engine.on("PermissionGranted").run(|event: &Event| {
        println!("    granted by {}", event.field("by").as_str().unwrap_or_default());
    })?;
    Ok(engine)
}

/// Begins a session in which a person answers as the list says.
fn session(engine: &Engine, asked: &'static AtomicUsize) -> Result<Session, Error> {
    let person = |question: ApprovalRequest| {
        let answer = ANSWERS.get(asked.fetch_add(1, Relaxed)).copied().unwrap_or("Deny");
        println!("    {} {answer}", question.prompt);
        async move { Ok::<_, HookError>(answer.to_owned()) }
    };
    let session = engine.session().set("cwd", "/home/dev/shop");
    let permitted = session.permission("Read", Permission::Allow).permission("Write", Permission::Ask);
    permitted.permission("*", Permission::Deny).approver(person).open()
}

/// Makes one call and says what became of it.
async fn attempt(session: &Session, tool: &str, path: &str) -> Result<(), Error> {
    println!("{tool} {path}");
    let call = session.run_tool(tool, json!({"file_path": path}), |_| async { Ok::<_, HookError>("done") }).await?;
    if call.ran {
        println!("    {}", call.output.as_str().unwrap_or_default());
    } else {
        println!("    refused by {}: {}", call.by.unwrap_or_default(), call.reason.unwrap_or_default());
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    let engine = engine()?;
    // Two sessions: what is granted in the first says nothing about the second.
    let first = session(&engine, &ASKED)?;
    attempt(&first, "Read", "src/app.py").await?;
    attempt(&first, "Write", "/tmp/notes.md").await?;
    attempt(&first, "Write", "src/app.py").await?;
    attempt(&first, "Write", "src/app.py").await?;
    attempt(&first, "Write", "src/other.py").await?;
    attempt(&first, "Write", "src/.env").await?;
    attempt(&first, "Delete", "src/app.py").await?;
    first.end("other").await?;
    println!("another session");
    let second = session(&engine, &ASKED)?;
    attempt(&second, "Write", "src/app.py").await?;
    second.end("other").await
}
