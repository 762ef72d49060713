//! Asks a person before anything under production changes; everything else is written at once.
#![allow(clippy::print_stdout, reason = "what it prints is what the program is for")]
#![allow(clippy::indexing_slicing, reason = "what is indexed is JSON, where a missing member is null")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use hookweave::{ApprovalRequest, Engine, Error, Event, FailBehavior, HookError, HookResponse};
use serde_json::{Value, json};

fn engine() -> Result<Engine, Error> {
    let engine = Engine::new();

    // Asks, and gives the person a minute; silence is a no. Wherever the folder lies, and however the path is written.
    // Should the hook itself break, nothing is written.
    engine
        .on("PreToolUse")
        .name("production")
        .tool("Write|Edit")
        .path_pattern("**/production/**")
        .fail_behavior(FailBehavior::Block)
        .run(|event: &Event| {
            let path = text(&event.args()["file_path"]);
            HookResponse::ask(format!("Write {path}?")).ask_with(json!({"timeout_ms": 60_000, "default": "deny"}))
        })?;

    // Changes what is written before the question: a person sees what will run, and that is what runs.
    engine.on("PreToolUse").tool("Write").path_pattern("*.yaml").priority(-10).run(|event: &Event| {
        let mut args = event.args().clone();
        args["content"] = format!("# by agent\n{}", text(&args["content"])).into();
        HookResponse::continue_().modified(json!({"args": args}))
    })?;
    Ok(engine)
}

/// Stands for the person on call, who lets the number of replicas change and nothing else.
async fn on_call(asked: ApprovalRequest) -> Result<String, HookError> {
    println!("    {}\n    {}", asked.prompt, asked.shown.unwrap_or_default());
    let answer = if text(&asked.args["content"]).contains("replicas") { "Allow once" } else { "Deny" };
    println!("    {answer}");
    Ok(answer.to_owned())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let files: Arc<Mutex<BTreeMap<String, String>>> = Arc::default();
    let session = engine()?.session().set("cwd", "/srv/shop").approver(on_call).open()?;
    session.start("startup").await?;
    for (path, content) in [
        ("staging/app.yaml", "debug: true"),
        ("production/app.yaml", "replicas: 4"),
        ("production/app.yaml", "debug: true"),
        ("staging/../production/db.yaml", "host: localhost"),
    ] {
        println!("Write {path}");
        // Stands for a tool that writes files.
        let written = Arc::clone(&files);
        let write = move |args: Value| {
            let (path, content) = (text(&args["file_path"]).to_owned(), text(&args["content"]).to_owned());
            written.lock().unwrap_or_else(PoisonError::into_inner).insert(path, content);
            async { Ok::<_, HookError>("written") }
        };
        let call = session.run_tool("Write", json!({"file_path": path, "content": content}), write).await?;
        println!("    {}", if call.ran { text(&call.output) } else { call.reason.as_deref().unwrap_or_default() });
    }
    session.end("other").await?;
    let files = files.lock().unwrap_or_else(PoisonError::into_inner);
    println!("now there are {}", files.keys().cloned().collect::<Vec<_>>().join(", "));
    Ok(())
}
