//! Many commands leave nothing behind. One test in a process of its own, since it counts what the process has.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a test ends with a message, and watches the clock"
)]

#[path = "it/support.rs"]
#[allow(dead_code, reason = "this program uses some of it")]
mod support;

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use hookweave_exec::cancel::Cancel;
use hookweave_exec::command::{CommandRun, run};
use hookweave_exec::pool::Pool;
use support::{LONG, exec, shell, until, usual};

/// `HOOKWEAVE_COMMAND_RUNS=10000` runs as many as the promise says; fewer find a leak too, and `make test-all` runs more.
fn runs() -> usize {
    let all = std::env::var("HOOKWEAVE_TEST_ALL").is_ok_and(|all| all == "1");
    std::env::var("HOOKWEAVE_COMMAND_RUNS").map_or(if all { 2000 } else { 400 }, |runs| runs.parse().unwrap())
}

fn names(directory: &str) -> BTreeSet<String> {
    fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn children() -> String {
    let lists = fs::read_dir("/proc/self/task").unwrap().map(|thread| thread.unwrap().path().join("children"));
    lists.filter_map(|list| fs::read_to_string(list).ok()).collect()
}

/// Commands that are cancelled while they start, run or have not begun.
fn cancelled(number: usize) {
    for _ in 0..number {
        let cancel = Cancel::new();
        let spec = shell("sleep 1000");
        std::thread::scope(|scope| {
            let running = scope.spawn(|| run(&usual(&spec), &cancel));
            cancel.cancel();
            running.join().unwrap().unwrap_err();
        });
    }
}

#[test]
fn no_descriptor_no_zombie_and_no_thread_is_left() {
    let pool = Pool::new(4);
    let submit = |kind: usize| {
        pool.submit(move |cancel| {
            let spec = match kind % 40 {
                0 => exec("/nowhere/program", &[]),
                1 => shell("sleep 1000"),
                2 => shell("yes"),
                3 => shell("sleep 1000 >/dev/null 2>&1 & exit 0"),
                _ => exec("/bin/true", &[]),
            };
            let limit = if kind % 40 == 1 { Duration::from_millis(5) } else { LONG };
            let given = CommandRun { timeout: Some(limit), stdin: vec![b'x'; 300], output_cap: 10_000, ..usual(&spec) };
            let outcome = run(&given, cancel);
            assert_eq!(outcome.is_err(), kind % 40 < 3, "{outcome:?}");
        })
        .unwrap();
    };
    (0..40).for_each(submit);
    assert!(pool.drain(LONG));
    let before = names("/proc/self/fd");
    (0..runs()).for_each(submit);
    cancelled(50);
    assert!(pool.drain(Duration::from_secs(600)));
    // Threads that still leave the last job may hold its descriptors for a moment.
    assert!(until(|| names("/proc/self/fd").is_subset(&before)), "descriptors are left");
    assert!(until(|| children().is_empty()), "processes are left");
    let no_thread = || {
        let mut threads = names("/proc/self/task").into_iter();
        threads.all(|id| {
            !fs::read_to_string(format!("/proc/self/task/{id}/comm")).is_ok_and(|name| name.starts_with("hookweave"))
        })
    };
    assert!(until(no_thread), "threads are left");
}
