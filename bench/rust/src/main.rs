//! Callbacks and matching in Rust, or with `commands PROGRAM` hooks that are commands, and the `hookweave` command, measured in rounds that a parent
//! process asks for. With `once VARIANT COUNT` it only runs, for a profiler.
//!
//! Protocol: the program prints one JSON line when it is ready; for every line on its standard input it measures each
//! variant once and prints one JSON line with nanoseconds per dispatch.
#![allow(clippy::print_stdout, reason = "the parent reads the figures from the standard output")]

mod audit;
mod commands;
mod policies;
mod sessions;

use std::cell::Cell;
use std::error::Error;
use std::future::Future;
use std::io::BufRead as _;
use std::pin::Pin;
use std::rc::Rc;
use std::time::{Duration, Instant};

use hookweave::{ArgTest, Engine, Event, HookResponse, Registration};
use serde_json::{Map, json};

/// Seconds of one sample; commands are slower and vary more.
const SAMPLE: f64 = 0.02;
const SAMPLE_OF_COMMANDS: f64 = 0.1;
const WARM_UP: Duration = Duration::from_millis(200);
const TIMEOUT: Duration = Duration::from_secs(5);

type Running = Pin<Box<dyn Future<Output = ()>>>;
/// Does so many dispatches.
type Variant = Box<dyn Fn(u32) -> Running>;
type Variants = Vec<(&'static str, Variant)>;
/// A hook as a program without an engine keeps it.
type Boxed = Box<dyn Fn(Event) -> Pending>;
type Pending = Pin<Box<dyn Future<Output = Option<HookResponse>> + Send>>;

fn event(command: &str) -> Event {
    Event::pre_tool_use("Bash", json!({"command": command})).with("session_id", "s1")
}

/// Awaits each boxed function under a timeout of tokio's: what a careful program does without an engine.
fn boxed(count: usize) -> Variant {
    fn hook(_: Event) -> Pending {
        Box::pin(async { None })
    }
    let hooks: Rc<Vec<Boxed>> = Rc::new((0..count).map(|_| Box::new(hook) as Boxed).collect());
    let event = event("ls -la");
    Box::new(move |times| {
        let (hooks, event) = (Rc::clone(&hooks), event.clone());
        Box::pin(async move {
            for _ in 0..times {
                for hook in hooks.iter() {
                    let answer = tokio::time::timeout(TIMEOUT, hook(event.clone())).await;
                    std::hint::black_box(answer.ok());
                }
            }
        })
    })
}

fn dispatching(engine: Engine, command: &str) -> Variant {
    dispatching_event(engine, event(command))
}

fn dispatching_event(engine: Engine, event: Event) -> Variant {
    Box::new(move |times| {
        let (engine, event) = (engine.clone(), event.clone());
        Box::pin(async move {
            for _ in 0..times {
                std::hint::black_box(engine.dispatch(event.clone()).await.ok());
            }
        })
    })
}

fn unlimited() -> Result<Engine, hookweave::Error> {
    Engine::builder().max_hooks_per_event(None).max_total_hooks(None).build()
}

/// So many async hooks that match, and one that does not.
fn asynchronous(count: usize) -> Result<Variant, hookweave::Error> {
    let engine = unlimited()?;
    engine.on("PreToolUse").tool("Write").run(|_: &Event| ())?;
    for _ in 0..count {
        engine.on("PreToolUse").tool("Bash").run_async(|_| async {})?;
    }
    Ok(dispatching(engine, "ls -la"))
}

fn synchronous_hooks(count: usize) -> Result<Engine, hookweave::Error> {
    let engine = unlimited()?;
    for _ in 0..count {
        engine.on("PreToolUse").tool("Bash").run(|_: &Event| ())?;
    }
    Ok(engine)
}

fn synchronous(count: usize) -> Result<Variant, hookweave::Error> {
    Ok(dispatching(synchronous_hooks(count)?, "ls -la"))
}

/// One hook that matches among so many that do not: hooks for other tools, or for other commands.
fn among(total: usize, by_command: bool, command: &str) -> Result<Variant, hookweave::Error> {
    let engine = unlimited()?;
    for number in 1..total {
        let hook = engine.on("PreToolUse");
        let hook = if by_command {
            hook.command_pattern(format!(r"\bjob-{number}\b"))
        } else {
            hook.tool(format!("Tool{number}"))
        };
        hook.run_async(|_| async {})?;
    }
    engine.on("PreToolUse").tool("Bash").run_async(|_| async {})?;
    Ok(dispatching(engine, command))
}

/// One hook that matches among 10,000 that do not, found by something else than the tool or the command.
fn found_by(condition: impl Fn(Registration, usize) -> Registration) -> Result<Engine, hookweave::Error> {
    let engine = unlimited()?;
    for number in 1..10_000 {
        condition(engine.on("PreToolUse"), number).run_async(|_| async {})?;
    }
    engine.on("PreToolUse").tool("Bash").run_async(|_| async {})?;
    Ok(engine)
}

fn by_argument() -> Result<Variant, hookweave::Error> {
    let engine = found_by(|hook, number| hook.arg("command", ArgTest::Regex(format!(r"\bjob-{number}\b"))))?;
    Ok(dispatching(engine, "ls -la"))
}

fn by_session() -> Result<Variant, hookweave::Error> {
    let engine = found_by(|hook, number| hook.session(format!("job-{number}-*")))?;
    let event = event("ls -la").with("session_id", "job-x-1");
    Ok(dispatching_event(engine, event))
}

fn by_rule() -> Result<Variant, hookweave::Error> {
    let engine = found_by(|hook, number| hook.rule(format!("Bash(job-{number} *)")))?;
    Ok(dispatching(engine, "ls -la"))
}

/// Registers one more hook, dispatches, and removes it: what it costs that hooks come and go.
fn one_more() -> Result<Variant, hookweave::Error> {
    let engine = found_by(|hook, number| hook.command_pattern(format!(r"\bjob-{number}\b")))?;
    let event = event("ls -la");
    Ok(Box::new(move |times| {
        let (engine, event) = (engine.clone(), event.clone());
        Box::pin(async move {
            for _ in 0..times {
                let hook = engine.on("PreToolUse").command_pattern("more").run_async(|_| async {});
                std::hint::black_box(engine.dispatch(event.clone()).await.ok());
                if let Ok(hook) = hook {
                    engine.unregister_hook(&hook);
                }
            }
        })
    }))
}

fn long() -> String {
    format!("git log --oneline --decorate && {}echo done", "pytest -q tests/unit && ".repeat(28))
}

/// Sets a variant up.
type Made = fn() -> Result<Variant, hookweave::Error>;

const CALLBACKS: &[(&str, Made)] = &[
    ("boxed functions with tokio timeouts, 1", || Ok(boxed(1))),
    ("hookweave, 1 async hook", || asynchronous(1)),
    ("boxed functions with tokio timeouts, 10", || Ok(boxed(10))),
    ("hookweave, 10 async hooks", || asynchronous(10)),
    ("hookweave, 0 of 1 hooks match", || asynchronous(0)),
    ("hookweave, 10 sync hooks", || synchronous(10)),
    ("added to a dispatch by an audit log", audit::added),
    ("tool of 1 ms", || Ok(sessions::bare())),
    ("tool of 1 ms in a session with 10 hooks", || sessions::judged(&synchronous_hooks(10)?)),
    ("50 hooks, other tools", || among(50, false, "ls -la")),
    ("10,000 hooks, other tools", || among(10_000, false, "ls -la")),
    ("10,000 hooks, command patterns", || among(10_000, true, "ls -la")),
    ("10,000 hooks, command patterns, 700-byte command", || among(10_000, true, &long())),
    ("10,000 hooks, argument patterns", by_argument),
    ("10,000 hooks, session globs", by_session),
    ("10,000 hooks, rules", by_rule),
    ("10,000 hooks, one more registered before each", one_more),
    ("all policies, lines that pass", policies::passing),
    ("all policies, lines that are stopped", policies::stopping),
    ("use of all policies", policies::using),
];

fn callbacks() -> Result<Variants, hookweave::Error> {
    CALLBACKS.iter().map(|(name, made)| Ok((*name, made()?))).collect()
}

thread_local! {
    /// The seconds that a variant has measured by itself.
    static OWN: Cell<Option<f64>> = const { Cell::new(None) };
}

#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
async fn seconds(run: &Variant, count: u32) -> f64 {
    let start = Instant::now();
    run(count).await;
    start.elapsed().as_secs_f64()
}

/// Warms a variant up and finds how many dispatches fill one sample.
async fn calibrate(run: &Variant, sample: f64) -> u32 {
    let (mut count, mut spent) = (1_u32, 0.0);
    loop {
        let took = seconds(run, count).await;
        spent += took;
        if spent > WARM_UP.as_secs_f64() && took > sample / 8.0 {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number")]
            return (f64::from(count) * sample / took).ceil() as u32;
        }
        if took < sample / 4.0 {
            count = count.saturating_mul(2);
        }
    }
}

/// Does so many dispatches of one variant and ends: for a profiler that counts instructions.
async fn once(wanted: &str, count: u32) -> Result<(), Box<dyn Error>> {
    let variant = CALLBACKS.iter().find(|(name, _)| *name == wanted);
    let (_, made) = variant.ok_or_else(|| format!("there is no variant {wanted:?}"))?;
    made()?(count).await;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let sample = if arguments.is_empty() { SAMPLE } else { SAMPLE_OF_COMMANDS };
    let variants = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => callbacks()?,
        ["commands", "large"] => commands::variants(None)?,
        ["commands", hookweave] => commands::variants(Some((*hookweave).to_owned()))?,
        ["once", name, count] => return once(name, count.parse()?).await,
        other => {
            let known = "`commands PROGRAM`, `commands large` and `once VARIANT COUNT`";
            return Err(format!("unknown arguments {other:?}; there are {known}").into());
        }
    };
    let mut counts = Vec::new();
    for (_, run) in &variants {
        counts.push(calibrate(run, sample).await);
    }
    let names: Vec<_> = variants.iter().map(|(name, _)| name).collect();
    println!("{}", json!({"ready": names, "versions": {"hookweave": env!("CARGO_PKG_VERSION")}}));
    for line in std::io::stdin().lock().lines() {
        line?;
        let mut sample = Map::new();
        for ((name, run), &count) in variants.iter().zip(&counts) {
            sample.insert((*name).to_owned(), {
                let took = seconds(run, count).await;
                json!(OWN.take().unwrap_or(took) * 1e9 / f64::from(count))
            });
        }
        println!("{}", json!(sample));
    }
    Ok(())
}
