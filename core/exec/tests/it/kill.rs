//! What is killed with a command, when, and what is not.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::{LONG, Place, appears, dies, ended, exec, kill, lives, shell, text, until, usual};
use hookweave_exec::cancel::Cancel;
use hookweave_exec::command::{CommandError, CommandRun, CommandSpec, run};

/// Lines that leave a process behind in their session; each writes its number to `$0`.
fn strays(file: &str) -> [(&'static str, String); 4] {
    [
        ("in the background", format!("sh -c 'echo $$ >{file}; exec sleep 1000' &")),
        ("a grandchild", format!("(sh -c 'echo $$ >{file}; exec sleep 1000' & wait) &")),
        ("forked twice", format!("( (sh -c 'echo $$ >{file}; exec sleep 1000' &) & )")),
        ("in a group of its own", format!("bash -c 'set -m; sh -c \"echo \\$\\$ >{file}; exec sleep 1000\" &'")),
    ]
}

/// Runs into a time limit and gives what the command wrote to the file before. What a busy machine has not started by then
/// gets a longer limit.
fn stray_of_a_timeout(spec: &CommandSpec, leave_children: bool, file: &Path) -> String {
    let mut limit = Duration::from_millis(300);
    loop {
        let began = Instant::now();
        let given = CommandRun { timeout: Some(limit), leave_children, ..usual(spec) };
        let error = run(&given, &Cancel::new()).unwrap_err();
        assert!(matches!(error, CommandError::TimedOut { limit: reached, .. } if reached == limit), "{error}");
        assert!(error.to_string().contains(&format!("{} ms", limit.as_millis())), "{error}");
        assert!(began.elapsed() >= limit);
        if fs::read_to_string(file).is_ok_and(|text| text.ends_with('\n')) {
            return appears(file);
        }
        assert!(limit < LONG, "{} never appeared", file.display());
        limit *= 4;
    }
}

#[test]
fn a_timeout_kills_everything_in_the_session() {
    for quiet in ["", " >/dev/null 2>&1 </dev/null"] {
        let place = Place::new();
        for (at, (what, line)) in strays(place.file("pid").to_str().unwrap()).into_iter().enumerate() {
            let file = place.file(&format!("pid{at}"));
            let line = line.replace(place.file("pid").to_str().unwrap(), file.to_str().unwrap());
            let spec = shell(format!("{{ {line}\n}}{quiet}; sleep 1000"));
            assert!(dies(&stray_of_a_timeout(&spec, false, &file)), "{what}{quiet}");
        }
    }
}

#[test]
fn what_a_finished_command_left_running_is_killed() {
    let place = Place::new();
    for (at, (what, line)) in strays(place.file("pid").to_str().unwrap()).into_iter().enumerate() {
        let file = place.file(&format!("pid{at}"));
        let line = line.replace(place.file("pid").to_str().unwrap(), file.to_str().unwrap());
        // The command itself waits until its stray is there, and takes long enough once for its number to be listed.
        let spec = shell(format!("{line}\nwhile ! test -s {}; do sleep 0.01; done; echo done", file.display()));
        assert_eq!(text(&ended(&spec).stdout), "done\n", "{what}");
        assert!(dies(&appears(&file)), "{what}");
    }
}

#[test]
fn a_stray_of_a_longer_run_is_found_too() {
    let place = Place::new();
    let file = place.file("pid");
    let line =
        format!("bash -c 'set -m; sh -c \"echo \\$\\$ >{}; exec sleep 1000\" >/dev/null 2>&1 &'", file.display());
    let began = Instant::now();
    ended(&shell(format!("{line}\nwhile ! test -s {}; do sleep 0.01; done; sleep 0.8", file.display())));
    assert!(began.elapsed() > Duration::from_millis(700));
    assert!(dies(&appears(&file)));
}

#[test]
fn a_detached_commands_children_live_on_and_die_at_its_timeout() {
    let place = Place::new();
    let file = place.file("pid");
    let line = format!("sh -c 'echo $$ >{}; exec sleep 1000' >/dev/null 2>&1 &", file.display());
    let spec = shell(format!("{line}\nwhile ! test -s {}; do sleep 0.01; done", file.display()));
    run(&CommandRun { leave_children: true, ..usual(&spec) }, &Cancel::new()).unwrap();
    let stray = appears(&file);
    std::thread::sleep(Duration::from_millis(100));
    assert!(lives(&stray));
    kill(&stray);

    let other = place.file("other");
    let spec = shell(format!("sh -c 'echo $$ >{}; exec sleep 1000' & sleep 1000", other.display()));
    assert!(dies(&stray_of_a_timeout(&spec, true, &other)));
}

#[test]
fn a_child_with_a_session_of_its_own_is_found_by_its_parents_at_a_timeout() {
    let place = Place::new();
    let file = place.file("pid");
    // `setsid --fork --wait` is a living parent of what it put into a new session.
    let spec = shell(format!("setsid --fork --wait sh -c 'echo $$ >{}; exec sleep 1000'", file.display()));
    assert!(dies(&stray_of_a_timeout(&spec, false, &file)));
}

/// The one thing that is out of reach: see the module's documentation.
#[test]
fn a_daemon_that_left_session_and_parents_stays() {
    let place = Place::new();
    let file = place.file("pid");
    let daemon = format!("setsid --fork sh -c 'echo $$ >{}; exec sleep 1000' >/dev/null 2>&1", file.display());
    // It is its own session's leader before it writes its number, and not before: the command waits for that.
    let spec = shell(format!("{daemon}; while ! test -s {}; do sleep 0.01; done", file.display()));
    ended(&spec);
    let daemon = appears(&file);
    std::thread::sleep(Duration::from_millis(100));
    assert!(lives(&daemon), "if this fails the documentation is out of date");
    kill(&daemon);
}

#[test]
fn output_ends_with_the_command_though_a_child_holds_the_pipe() {
    let place = Place::new();
    let file = place.file("pid");
    let daemon = format!("setsid --fork sh -c 'echo $$ >{}; exec sleep 1000'; echo said", file.display());
    for (line, least) in [("sleep 1000 & echo said", 100), (&daemon, 100), ("echo said", 0)] {
        let began = Instant::now();
        // Both children live longer than a command may.
        let exited = ended(&shell(line));
        assert_eq!(text(&exited.stdout), "said\n");
        assert!(began.elapsed() >= Duration::from_millis(least), "{line}");
    }
    kill(&appears(&file));
}

#[test]
fn what_a_child_prints_shortly_after_its_parents_end_is_read() {
    // On a busy machine the child may come to it too late.
    assert!(until(|| ended(&shell("(sleep 0.03; echo child) & echo parent")).stdout == b"parent\nchild\n"));
}

#[test]
fn output_over_the_cap_kills_the_session() {
    let place = Place::new();
    let file = place.file("pid");
    let spec = shell(format!("sh -c 'echo $$ >{}; exec sleep 1000' & yes", file.display()));
    let error = run(&usual(&spec), &Cancel::new()).unwrap_err();
    assert!(matches!(error, CommandError::OutputOverCap { .. }));
    // The stray may not have come to write its number before it was killed.
    std::thread::sleep(Duration::from_millis(50));
    if let Ok(stray) = fs::read_to_string(&file)
        && !stray.trim().is_empty()
    {
        assert!(dies(stray.trim()));
    }
}

#[test]
fn a_cancellation_from_another_thread_ends_it() {
    let place = Place::new();
    let file = place.file("pid");
    let spec = shell(format!("sh -c 'echo $$ >{}; exec sleep 1000' & sleep 1000", file.display()));
    let cancel = Cancel::new();
    let error = std::thread::scope(|scope| {
        let running = scope.spawn(|| run(&usual(&spec), &cancel));
        appears(&file);
        cancel.cancel();
        running.join().unwrap().unwrap_err()
    });
    assert_eq!(error, CommandError::Cancelled { command: spec.line.display() });
    assert!(dies(&appears(&file)));
}

#[test]
fn a_run_that_was_cancelled_before_does_not_start() {
    let place = Place::new();
    let cancel = Cancel::new();
    cancel.cancel();
    let spec = exec("touch", &[place.file("started").to_str().unwrap()]);
    assert!(matches!(run(&usual(&spec), &cancel), Err(CommandError::Cancelled { .. })));
    assert!(!place.file("started").exists());
}

#[test]
fn a_command_that_ignores_every_signal_dies_all_the_same() {
    let spec = shell("trap '' TERM INT HUP QUIT PIPE; while :; do sleep 1; done");
    let given = CommandRun { timeout: Some(Duration::from_millis(200)), ..usual(&spec) };
    assert!(matches!(run(&given, &Cancel::new()), Err(CommandError::TimedOut { .. })));
}

#[test]
fn a_stopped_command_is_killed_at_its_timeout() {
    let spec = shell("kill -STOP $$");
    let given = CommandRun { timeout: Some(Duration::from_millis(200)), ..usual(&spec) };
    assert!(matches!(run(&given, &Cancel::new()), Err(CommandError::TimedOut { .. })));
}

#[test]
fn waiting_costs_no_processor_time() {
    let ticks = || {
        let stat = fs::read_to_string("/proc/thread-self/stat").unwrap();
        let fields: Vec<u64> = stat
            .rsplit(')')
            .next()
            .unwrap()
            .split_whitespace()
            .skip(11)
            .take(2)
            .map(|field| field.parse().unwrap())
            .collect();
        fields.iter().sum::<u64>()
    };
    let before = ticks();
    ended(&shell("sleep 1"));
    // A tick is 10 ms: who asks again and again needs a hundred, and a start on a busy machine some.
    assert!(ticks() - before <= 20);
}
