//! An agent in Rust that a worker in another language guards.
#![allow(clippy::print_stdout, reason = "what it prints is what the program is for")]

use std::io::{BufRead as _, BufReader, Error as IoError};
use std::process::{Child, Command, Stdio};

use hookweave::remote::ServeOptions;
use hookweave::{Engine, Event};
use serde_json::json;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What the hooks say of a command; the agent would run it if they let it.
async fn ask(agent: &Engine, command: &str) -> Result<(), Failure> {
    let outcome = agent.dispatch(Event::pre_tool_use("Bash", json!({"command": command}))).await?;
    let because = outcome.reason().filter(|_| command.contains("--force"));
    let because = because.map(|reason| format!(", because {reason}")).unwrap_or_default();
    println!("{command}: {}{because}", outcome.decision().as_str());
    Ok(())
}

/// Starts a worker, and waits until it is ready.
#[expect(clippy::disallowed_methods, reason = "the worker is a process of its own")]
fn start(address: &str) -> Result<Child, IoError> {
    let mut worker = Command::new("python3").args(["worker.py", address]).stdout(Stdio::piped()).spawn()?;
    if let Some(output) = &mut worker.stdout {
        BufReader::new(output).read_line(&mut String::new())?;
    }
    Ok(worker)
}

/// With a worker, and without it.
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let agent = Engine::new();
    let address = format!("unix://{}/hooks.sock", std::env::current_dir()?.display());
    let serving = agent.serve(&address, ServeOptions::default())?;
    // On a thread of its own: the agent serves meanwhile.
    let mut worker = tokio::task::spawn_blocking(move || start(&address)).await??;
    let name = agent.list_hooks().first().map(|hook| hook.name.clone()).unwrap_or_default();
    println!("the worker is ready: {name}");
    ask(&agent, "git push").await?;
    ask(&agent, "git push --force").await?;
    worker.kill()?;
    worker.wait()?;
    println!("the worker is killed");
    ask(&agent, "git push").await?;
    serving.close().await;
    Ok(())
}
