//! Commands as hooks, beside the same programs started by the bare system call; and the loading of a settings file.

use std::error::Error;
use std::fs::File;
use std::future::ready;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::time::Duration;

use hookweave::Engine;
use hookweave::handlers::cancel::Cancel;
use hookweave::handlers::command::{self, CommandRun, CommandSpec};

use crate::{Variant, Variants, dispatching};

const TRUE: &str = "/usr/bin/true";
const BASH: &str = "/bin/bash";
const HOOKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../hooks");
/// What `install` of `bench/programs.py` writes.
const FIFTY: &str = "target/bench/fifty/.claude/settings.json";
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

/// The variants; in a process that already holds so many bytes when `ballast` is set.
pub(crate) fn variants(ballast: bool) -> Result<Variants, Box<dyn Error>> {
    if ballast {
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
    if !ballast {
        variants.push(("loading 50 hooks", loading()));
    }
    Ok(variants)
}
