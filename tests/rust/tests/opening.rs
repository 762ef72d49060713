//! Nothing opens: a call that a guard must refuse never runs, in random cases that every language shares.
//!
//! `HOOKWEAVE_CASES` says how many cases to run and `HOOKWEAVE_SEED` which; then they are written to `target/vectors/opening.json`
//! too, where the other languages find them. `HOOKWEAVE_WRITE=1` writes the file of cases that stands in `tests/vectors/opening`.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test ends where something is not as it should be")]

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use hookweave_vectors::engine::Given;
use hookweave_vectors::opening::{SEED, case, file_of};
use hookweave_vectors::session::{Case, run};
use serde_json::Value;

/// The cases that the other languages run.
const SHARED: u64 = 160;

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap())
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn written(seed: u64, count: u64) -> String {
    let file = file_of(seed, count);
    let cases: Vec<String> = file["cases"].as_array().unwrap().iter().map(|case| format!("    {case}")).collect();
    format!("{{\n  \"hookweave\": 1,\n  \"topic\": \"opening\",\n  \"cases\": [\n{}\n  ]\n}}\n", cases.join(",\n"))
}

#[test]
fn nothing_opens() {
    let (seed, count) = (from_environment("HOOKWEAVE_SEED").unwrap_or(SEED), from_environment("HOOKWEAVE_CASES"));
    if let Some(count) = count {
        let path = root().join("target/vectors/opening.json");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, written(seed, count)).unwrap();
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
