//! Keeps a log of who did what and what became of it, in which nothing can be changed without being noticed.
#![allow(clippy::print_stdout, reason = "what it prints is what the program is for")]
#![allow(clippy::indexing_slicing, reason = "what is indexed is JSON, where a missing member is null")]

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Duration;

use hookweave::audit::{AuditOptions, Inputs, Kind, read, verify};
use hookweave::{Engine, HookError, Permission};
use serde_json::{Value, json};

const LOG: &str = "audit.jsonl";

fn engine() -> Result<Engine, hookweave::Error> {
    // Redacted: what a call was about is kept, secrets in it are blacked out. Required: what cannot be recorded is not done.
    let audit = AuditOptions::file(LOG).inputs(Inputs::Redacted).required();
    let engine = Engine::builder().audit(audit).build()?;

    // What is refused is in the log as well.
    engine.guard("Bash(sudo *)", "sudo is forbidden")?;
    Ok(engine)
}

/// Stands for a tool that runs commands; there is no `make` on this machine.
async fn bash(args: Value) -> Result<&'static str, HookError> {
    if text(&args["command"]).starts_with("make") { Err("make: not found".into()) } else { Ok("done") }
}

/// A session and its subagent at work; there is no approver for the deployment.
async fn work(engine: &Engine) -> Result<(), hookweave::Error> {
    let session = engine.session().set("session_id", "parcel-318").permission("Deploy", Permission::Ask).open()?;
    session.start("startup").await?;
    session.run_tool("Bash", json!({"command": "ls", "api_key": "sk-1234567890abcdef"}), bash).await?;
    session.run_tool("Bash", json!({"command": "sudo make install"}), bash).await?;
    session.run_tool("Deploy", json!({"url": "https://shop.test"}), bash).await?;
    if let Ok(reviewer) = session.subagent("reviewer", Some("reviewer-1".into())).await? {
        reviewer.run_tool("Bash", json!({"command": "make test"}), bash).await?;
        reviewer.stop_subagent().await?;
    }
    session.end("other").await
}

/// Prints what one record of a tool call tells.
fn show(record: &Value) {
    let (details, args) = (&record["details"], &record["input"]["payload"]["args"]);
    let by = details["by"].as_str().map(|by| format!(" by {by}")).unwrap_or_default();
    let why = record["reason"].as_str().or(details["error"].as_str()).map(|why| format!(": {why}")).unwrap_or_default();
    println!("{}: {} {args}", record["agent"].as_str().unwrap_or("main"), text(&record["tool"]));
    println!("    {}{by}{why}", text(&record["outcome"]));
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let engine = engine()?;
    work(&engine).await?;
    if !engine.flush_audit(Duration::from_secs(60)) {
        return Err("the log was not written in time".into());
    }
    let log = Path::new(LOG);
    for line in read(log)? {
        let record = line?.record()?;
        if record.kind == Kind::ToolRun {
            show(&serde_json::to_value(record)?);
        }
    }

    // Kept in another place, it proves later that nothing is missing at the end.
    let anchor = engine.audit().anchor();
    let whole = |whole| if whole { "whole" } else { "not whole" };
    println!("the log is {}", whole(verify(log, anchor.as_ref())?.whole));
    println!("a change to the log hides the request for sudo");
    fs::write(log, fs::read_to_string(log)?.replace("sudo make install", "make install"))?;
    let report = verify(log, anchor.as_ref())?;
    let problem = report.problems.first().ok_or("nothing was noticed")?;
    println!("the log is {}: record {} was {}", whole(report.whole), problem.seq, text(&json!(problem.kind)));
    Ok(())
}
