//! An agent (`serve`) or a worker (`work`) at an address, as in the other languages of this folder.
#![allow(clippy::print_stdout, reason = "what it prints is what the test reads")]

use std::io::{BufRead as _, stdin};

use hookweave::remote::{ConnectOptions, ServeOptions};
use hookweave::{Engine, Error, Event, FailBehavior, HookResponse};
use serde_json::json;

/// Dispatches until the input ends.
async fn serve(engine: &Engine, address: &str) -> Result<(), Error> {
    let serving = engine.serve(address, ServeOptions::default())?;
    println!("{}", serving.address());
    let (sender, mut lines) = tokio::sync::mpsc::unbounded_channel();
    let reader = std::thread::Builder::new().spawn(move || {
        stdin().lock().lines().map_while(Result::ok).try_for_each(|line| sender.send(line)).ok();
    });
    while let Some(line) = lines.recv().await {
        let (tool, command) = line.split_once(' ').unwrap_or_default();
        let outcome = engine.dispatch(Event::pre_tool_use(tool, json!({"command": command}))).await?;
        println!("{}", json!([outcome.decision().as_str(), outcome.reason(), outcome.event().args()["command"]]));
    }
    drop(reader);
    serving.close().await;
    Ok(())
}

/// Has the hooks until it is killed.
async fn work(engine: &Engine, address: &str) -> Result<(), Error> {
    let guard = engine.on("PreToolUse").name("guard").tool("Bash").fail_behavior(FailBehavior::Block).timeout(None);
    guard.run_async(|event: Event| async move {
        let command = event.args()["command"].as_str().unwrap_or_default().to_owned();
        if command == "wait" {
            println!("waits");
            std::future::pending::<()>().await;
        }
        if command.starts_with("rm") {
            return HookResponse::block("no rm");
        }
        HookResponse::continue_().modified(json!({"args": {"command": format!("nice {command}")}}))
    })?;
    let note = engine.on("PreToolUse").name("note").tool("Note").fail_behavior(FailBehavior::Continue).timeout(None);
    note.run(|_: &Event| HookResponse::block("noted"))?;
    let options = ConnectOptions { name: Some("guards".to_owned()), ..ConnectOptions::default() };
    let mut connection = engine.connect(address, options)?;
    connection.ready().await?;
    println!("ready");
    std::future::pending().await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let (role, address) = (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
    let engine = Engine::new();
    if role == "serve" { serve(&engine, &address).await } else { work(&engine, &address).await }
}
