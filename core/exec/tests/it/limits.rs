//! Commands in a process whose surroundings are against them. Each test plays in a process of its own.

use std::sync::mpsc::channel;
use std::time::Duration;

use crate::support::{exec, shell, usual};
use hookweave_exec::cancel::Cancel;
use hookweave_exec::command::{CommandError, CommandRun, forgets_children, run};
use hookweave_exec::pool::Pool;
use rustix::process::{WaitId, WaitIdOptions, waitid};

/// Says to the process that the test itself is to be played in it.
const INSIDE: &str = "HOOKWEAVE_TEST_INSIDE";

/// Runs a test of this program again behind the beginning of a shell's line.
fn inside(test: &str, line: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    let program = std::env::current_exe().unwrap();
    let given = format!("{line} \"$0\" --exact limits::{test} --nocapture --test-threads=1");
    let played = std::process::Command::new("sh").args(["-c", &given]).arg(program).env(INSIDE, "1").output().unwrap();
    let printed = String::from_utf8_lossy(&played.stdout).into_owned() + &String::from_utf8_lossy(&played.stderr);
    assert!(played.status.success() && printed.contains("1 passed"), "{printed}");
    false
}

#[test]
fn exit_codes_are_known_where_sigchld_is_ignored() {
    if !inside("exit_codes_are_known_where_sigchld_is_ignored", "exec env --ignore-signal=CHLD") {
        return;
    }
    assert!(forgets_children());
    for code in [0, 1, 2, 77] {
        for _ in 0..10 {
            let spec = shell(format!("cat; echo out; echo err >&2; exit {code}"));
            let given = CommandRun { stdin: b"in ".to_vec(), ..usual(&spec) };
            let exited = run(&given, &Cancel::new()).unwrap();
            assert_eq!(
                (exited.code, exited.stdout.as_slice(), exited.stderr.as_slice()),
                (Some(code), b"in out\n".as_slice(), b"err\n".as_slice())
            );
        }
    }
    // What it started and left behind is killed; a time limit holds.
    let place = crate::support::Place::new();
    let left = shell(format!("(sleep 0.4; touch {}) & exit 2", place.file("left").display()));
    assert_eq!(run(&usual(&left), &Cancel::new()).unwrap().code, Some(2));
    let slow = shell("sleep 1000");
    let slow = CommandRun { timeout: Some(Duration::from_millis(200)), ..usual(&slow) };
    assert!(matches!(run(&slow, &Cancel::new()), Err(CommandError::TimedOut { .. })));
    // A command has no descriptor of the one above it, and its own children are not forgotten.
    let plain = exec("/bin/sh", &["-c", "ls /proc/self/fd | wc -l; (exit 3); exit $?"]);
    let exited = run(&usual(&plain), &Cancel::new()).unwrap();
    assert_eq!((exited.code, String::from_utf8(exited.stdout).unwrap().trim()), (Some(3), "4"));
    std::thread::sleep(Duration::from_millis(600));
    assert!(!place.file("left").exists());
}

#[test]
fn a_command_that_others_wait_for_is_lost_once() {
    if !inside("a_command_that_others_wait_for_is_lost_once", "exec") {
        return;
    }
    std::thread::spawn(|| {
        loop {
            if waitid(WaitId::All, WaitIdOptions::EXITED).is_err() {
                std::thread::yield_now();
            }
        }
    });
    let spec = shell("exit 2");
    let ends: Vec<_> = (0..20).map(|_| run(&usual(&spec), &Cancel::new())).collect();
    let lost = ends.iter().filter(|end| matches!(end, Err(CommandError::Lost { .. }))).count();
    let known = ends.iter().filter(|end| matches!(end, Ok(exited) if exited.code == Some(2))).count();
    assert!(lost <= 1 && lost + known == 20, "{ends:?}");
}

#[test]
fn commands_wait_for_descriptors() {
    if !inside("commands_wait_for_descriptors", "ulimit -n 40; exec") {
        return;
    }
    let pool = Pool::new(40);
    let (report, results) = channel();
    for _ in 0..40 {
        let report = report.clone();
        let job = move |cancel: &Cancel| {
            let spec = shell("sleep 0.1; exit 2");
            report.send(run(&usual(&spec), cancel).map(|exited| exited.code)).unwrap();
        };
        pool.submit(job).unwrap();
    }
    drop(report);
    let ends: Vec<_> = results.iter().collect();
    assert_eq!(ends.len(), 40);
    assert!(ends.iter().all(|end| *end == Ok(Some(2))), "{ends:?}");
}

#[test]
fn a_command_for_which_there_is_never_room_says_so() {
    if !inside("a_command_for_which_there_is_never_room_says_so", "ulimit -n 24; exec") {
        return;
    }
    let mut taken = Vec::new();
    while let Ok(file) = std::fs::File::open("/dev/null") {
        taken.push(file);
    }
    let spec = shell("exit 2");
    let error = run(&CommandRun { timeout: Some(Duration::from_millis(300)), ..usual(&spec) }, &Cancel::new());
    let error = error.unwrap_err();
    assert!(
        matches!(error, CommandError::NoRoom { .. }) && error.to_string().contains("Too many open files"),
        "{error}"
    );
    drop(taken);
    assert_eq!(run(&usual(&spec), &Cancel::new()).unwrap().code, Some(2));
}
