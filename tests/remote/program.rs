//! An agent (`serve`) or a worker (`work`) at an address, as in the other languages of this folder.
#![allow(clippy::print_stdout, clippy::panic, reason = "what it prints is what the test reads, and a mistake ends it")]

use std::io::{BufRead as _, stdin};
use std::time::Duration;

use hookweave::audit::AuditOptions;
use hookweave::remote::{ConnectOptions, Limits, ServeOptions};
use hookweave::{Engine, Error, Event, FailBehavior, HookResponse, Outcome};
use serde_json::{Value, json};

/// What a dispatch came to: decision, reason, command, and each hook with its failure.
fn shown(outcome: &Outcome) -> Value {
    let trace = outcome.trace().into_iter();
    let trace: Vec<_> =
        trace.map(|entry| json!([entry.hook, entry.failure.as_ref().map(|failure| failure.kind.as_str())])).collect();
    json!([outcome.decision().as_str(), outcome.reason(), outcome.event().args()["command"], trace])
}

/// Does what each line says until the input ends.
async fn serve(address: &str, log: &str, keepalive: &str) -> Result<(), Error> {
    let engine = Engine::builder().default_timeout(None).audit(AuditOptions::file(log)).build()?;
    let limits = Limits { keepalive_ms: keepalive.parse().unwrap_or_default(), ..Limits::default() };
    let mut options = ServeOptions { limits, ..ServeOptions::default() };
    if address.starts_with("nats:") {
        options.groups = ["guards", "near"].map(str::to_owned).into();
    }
    let serving = engine.serve(address, options)?;
    serving.ready().await?;
    println!("{}", serving.address());
    let (sender, mut lines) = tokio::sync::mpsc::unbounded_channel();
    let reader = std::thread::Builder::new().spawn(move || {
        stdin().lock().lines().map_while(Result::ok).try_for_each(|line| sender.send(line)).ok();
    });
    while let Some(line) = lines.recv().await {
        if line == "list" {
            let hooks = engine.list_hooks().into_iter();
            println!("{}", hooks.map(|hook| json!([hook.name, hook.worker])).collect::<Value>());
            continue;
        }
        let (times, call) = line.split_once(' ').unwrap_or_default();
        let (tool, command) = call.split_once(' ').unwrap_or_default();
        let calls: Vec<_> = (0..times.parse().unwrap_or(0))
            .map(|_| {
                let (engine, event) = (engine.clone(), Event::pre_tool_use(tool, json!({"command": command})));
                tokio::spawn(async move { engine.dispatch(event).await })
            })
            .collect();
        let mut outcomes = Vec::new();
        for call in calls {
            outcomes.push(shown(&call.await.unwrap_or_else(|error| panic!("{error}"))?));
        }
        println!("{}", Value::from(outcomes));
    }
    drop(reader);
    serving.close().await;
    engine.close(Duration::from_secs(120)).await;
    println!("closed");
    Ok(())
}

/// Says when it is dropped.
struct Ends;
impl Drop for Ends {
    fn drop(&mut self) {
        println!("cancelled");
    }
}

/// Has the hooks until it is killed.
async fn work(address: &str, name: &str) -> Result<(), Error> {
    let engine = Engine::new();
    let guard = engine.on("PreToolUse").name("guard").tool("Bash").fail_behavior(FailBehavior::Block).timeout(None);
    guard.run_async(|event: Event| async move {
        let command = event.args()["command"].as_str().unwrap_or_default().to_owned();
        if command == "wait" {
            let _ends = Ends;
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
    let mut options = ConnectOptions::default();
    let place = if address.starts_with("nats:") { &mut options.group } else { &mut options.name };
    *place = Some(name.to_owned());
    let mut connection = engine.connect(address, options)?;
    connection.ready().await?;
    println!("ready");
    std::future::pending().await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve", address, log, keepalive] => serve(address, log, keepalive).await,
        ["work", address, name] => work(address, name).await,
        _ => panic!("serve ADDRESS LOG KEEPALIVE, or work ADDRESS NAME"),
    }
}
