//! Commands as hooks, beside the same programs started by the bare system call; the loading of a settings file; and the
//! `hookweave` command as an agent's hook.

use std::error::Error;
use std::fs::File;
use std::future::ready;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::time::Duration;

use hookweave::Engine;
use hookweave_host::exec::cancel::Cancel;
use hookweave_host::exec::command::{self, CommandRun, CommandSpec};

use crate::{Variant, Variants, dispatching};

const TRUE: &str = "/usr/bin/true";
const BASH: &str = "/bin/bash";
const HOOKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../hooks");
/// What `install` of `bench/programs.py` writes.
const FIFTY: &str = "target/bench/fifty/.claude/settings.json";
/// A project with a policy, which `install` has the command write and approve of.
const POLICY: &str = "target/bench/policy";
/// An event that the policy lets pass without running anything, and one that it refuses, for which it starts a shell.
const EVENTS: [(&str, &str); 2] =
    [("hookweave hook, an event that passes", "ls -la"), ("hookweave hook, an event that is refused", "rm -rf /")];
const TIMEOUT: Duration = Duration::from_secs(60);

/// Starts a program and waits for its end, and nothing else: the standard library does it by `posix_spawn`.
fn bare(program: &'static str, arguments: &[PathBuf]) -> Variant {
    let arguments = Rc::new(arguments.to_vec());
    Box::new(move |times| {
        for _ in 0..times {
            #[expect(clippy::disallowed_methods, reason = "this is the floor of the benchmark")]
            let ended = File::open(Path::new(HOOKS).join("event.json")).and_then(|event| {
                let mut command = Command::new(program);
                command.args(arguments.iter()).stdin(event).stdout(Stdio::null()).stderr(Stdio::null());
                command.status()
            });
            std::hint::black_box(ended.ok());
        }
        Box::pin(ready(()))
    })
}

/// The same with everything that a hook gets: JSON on stdin, output read, a session of its own, a time limit.
fn handler(program: &'static str, arguments: &[PathBuf]) -> Variant {
    let words = arguments.iter().map(|argument| argument.to_string_lossy().into_owned());
    let spec = Rc::new(CommandSpec::exec(program, words));
    Box::new(move |times| {
        for _ in 0..times {
            let mut run = CommandRun::new(&spec);
            run.stdin = include_bytes!("../../hooks/event.json").to_vec();
            run.env = std::env::vars_os().collect();
            run.timeout = Some(TIMEOUT);
            std::hint::black_box(command::run(&run, &Cancel::new()).ok());
        }
        Box::pin(ready(()))
    })
}

/// The command as Claude Code runs it: from the start of its process to its end, which follows its answer.
fn answering(hookweave: String, command: &str) -> Result<Variant, Box<dyn Error>> {
    let project = std::path::absolute(POLICY)?;
    let store = project.join("trust.json");
    let mut event: serde_json::Value = serde_json::from_slice(include_bytes!("../../hooks/event.json"))?;
    if let Some(input) = event.get_mut("tool_input") {
        *input = serde_json::json!({ "command": command });
    }
    let event = event.to_string();
    let start = move || {
        #[expect(clippy::disallowed_methods, reason = "what is measured is the start of a process")]
        let mut program = Command::new(&hookweave);
        program.args(["hook", "--agent", "claude-code", "--trust-store"]).arg(&store);
        program.env("CLAUDE_PROJECT_DIR", &project).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = program.spawn()?;
        if let Some(mut input) = child.stdin.take() {
            input.write_all(event.as_bytes())?;
        }
        child.wait_with_output()
    };
    let answer = String::from_utf8(start()?.stdout)?;
    let is_refused = answer.contains("\"deny\"") && !answer.contains("could not decide");
    if is_refused != command.starts_with("rm") {
        return Err(format!("`{command}` was answered with {answer:?}").into());
    }
    Ok(Box::new(move |times| {
        for _ in 0..times {
            std::hint::black_box(start().ok());
        }
        Box::pin(ready(()))
    }))
}

/// A dispatch that runs one command on the pool.
fn dispatched() -> Result<Variant, hookweave::Error> {
    let engine = Engine::new();
    engine.load(Path::new(HOOKS).join("hookweave.toml"))?;
    Ok(dispatching(engine, "ls -la"))
}

/// Reads a settings file of fifty hooks and looks at their scripts, in a new engine.
fn loading() -> Variant {
    Box::new(|times| {
        for _ in 0..times {
            std::hint::black_box(Engine::new().load(FIFTY).ok());
        }
        Box::pin(ready(()))
    })
}

/// The variants, with those of the command that is named; without one in a process that holds 2 GiB already.
pub(crate) fn variants(hookweave: Option<String>) -> Result<Variants, Box<dyn Error>> {
    if hookweave.is_none() {
        // Written to, or the system would only promise the memory; and never given back.
        std::hint::black_box(Box::leak(vec![1_u8; 2 << 30].into_boxed_slice()));
    }
    let guard = [Path::new(HOOKS).join("guard.sh")];
    let mut variants = vec![
        ("posix_spawn of true", bare(TRUE, &[])),
        ("command true", handler(TRUE, &[])),
        ("posix_spawn of a bash hook", bare(BASH, &guard)),
        ("bash hook", handler(BASH, &guard)),
        ("dispatch, command true", dispatched()?),
    ];
    if let Some(hookweave) = hookweave {
        variants.push(("loading 50 hooks", loading()));
        for (name, command) in EVENTS {
            variants.push((name, answering(hookweave.clone(), command)?));
        }
    }
    Ok(variants)
}
