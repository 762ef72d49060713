//! Nothing opens: a call that a guard must refuse never runs, in random cases that every language shares.
//!
//! `HOOKWEAVE_CASES` says how many cases to run and `HOOKWEAVE_SEED` which; then they are written to `target/vectors/opening.json`
//! too, where the other languages find them. `HOOKWEAVE_WRITE=1` writes the file of cases that stands in `tests/vectors/opening`.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test ends where something is not as it should be")]

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use hookweave::{Engine, Event, HookResponse};
use hookweave_vectors::engine::Given;
use hookweave_vectors::opening::{SEED, case, file_of};
use hookweave_vectors::session::{Case, run};
use serde_json::{Value, json};

/// The cases that the other languages run: few of the first 600 that together have nearly all that the first 600 have. One that
/// fails anywhere is added.
const SHARED: [u64; 40] = [
    16, 26, 29, 30, 38, 41, 56, 67, 110, 130, 138, 153, 163, 170, 204, 217, 260, 270, 273, 275, 324, 336, 344, 359,
    360, 374, 381, 455, 463, 478, 486, 501, 513, 519, 546, 562, 570, 573, 575, 581,
];

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap())
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn written(seed: u64, numbers: impl IntoIterator<Item = u64>) -> String {
    let file = file_of(seed, numbers);
    let cases: Vec<String> = file["cases"].as_array().unwrap().iter().map(|case| format!("    {case}")).collect();
    format!("{{\n  \"hookweave\": 1,\n  \"topic\": \"opening\",\n  \"cases\": [\n{}\n  ]\n}}\n", cases.join(",\n"))
}

#[test]
fn nothing_opens() {
    let (seed, count) = (from_environment("HOOKWEAVE_SEED").unwrap_or(SEED), from_environment("HOOKWEAVE_CASES"));
    if let Some(count) = count {
        let path = root().join("target/vectors/opening.json");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, written(seed, 0..count)).unwrap();
    }
    let count = usize::try_from(count.unwrap_or(600)).unwrap();
    let (next, faults) = (AtomicUsize::new(0), std::sync::Mutex::new(Vec::new()));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return;
            }
            let given = if number % 2 == 0 { Given::Closure } else { Given::Future };
            let written = case(seed, u64::try_from(number).unwrap());
            // A hook of Rust's has no way to answer anything but an object.
            let says = |hook: &Value| hook["does"].get("returns").is_some_and(|answer| !answer.is_object());
            if written["hooks"].as_array().unwrap().iter().any(|hook| hook["name"] == "guard" && says(hook)) {
                continue;
            }
            let read: Case = serde_json::from_value(written.clone()).unwrap();
            let found = run(&read, given);
            if !found.is_empty() {
                faults.lock().unwrap().push(format!("{}\n    {written}", found.join("\n    ")));
            }
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|_| _ = scope.spawn(work)));
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "{} of {count} cases of seed {seed} fail:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn the_shared_cases_are_those_that_are_made() {
    let path = root().join("tests/vectors/opening/cases.json");
    let made = written(SEED, SHARED);
    if std::env::var_os("HOOKWEAVE_WRITE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &made).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap();
    assert!(there == made, "the cases are made otherwise now; run this test with HOOKWEAVE_WRITE=1");
}

/// A guard holds from the moment its registration has returned, on any thread that begins the next dispatch.
#[test]
fn a_guard_holds_at_once_on_every_thread() {
    for round in 0..40 {
        let settings = json!({"max_hooks_per_event": null, "max_total_hooks": null});
        let engine = Engine::builder().settings(settings.as_object().unwrap().clone()).build().unwrap();
        // What is there already is what making the index anew takes its time for.
        for number in 0..300 {
            let matcher = json!({"matcher": {"command_pattern": format!("^never-{number}$")}});
            let spec =
                hookweave_host::hook::HookSpec::read(&hookweave_host::json::Json, "PreToolUse", &&matcher).unwrap();
            engine.on("PreToolUse").spec(spec).run(|_: &Event| HookResponse::allow()).unwrap();
        }
        let (holds, passed) = (AtomicBool::new(false), AtomicUsize::new(0));
        let dispatches = || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            let mut after = 0;
            while after < 20 {
                let guarded = holds.load(Ordering::SeqCst);
                let event = Event::new("PreToolUse", json!({"tool": "Bash", "args": {"command": "rm x"}}));
                let outcome = runtime.block_on(engine.dispatch(event)).unwrap();
                after += usize::from(guarded);
                passed.fetch_add(usize::from(guarded && !outcome.blocked()), Ordering::SeqCst);
            }
        };
        std::thread::scope(|scope| {
            (0..3).for_each(|_| _ = scope.spawn(dispatches));
            let guard = engine.on("PreToolUse").name("guard").mandatory();
            guard.run(|_: &Event| HookResponse::block("no")).unwrap();
            holds.store(true, Ordering::SeqCst);
        });
        assert_eq!(passed.into_inner(), 0, "round {round}: dispatches that began behind the registration missed it");
    }
}
