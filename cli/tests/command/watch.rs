//! `hookweave test --watch` runs again when any file changes, and rests otherwise.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::support::Place;

/// Longer than the busiest machine takes.
const LONG: Duration = Duration::from_secs(120);

struct Watching {
    child: Child,
    runs: Receiver<String>,
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Gives what each run prints.
#[expect(clippy::disallowed_methods, reason = "a pipe is read while the test waits with a limit")]
fn each_run(out: ChildStdout) -> Receiver<String> {
    let (sender, runs) = channel();
    std::thread::spawn(move || {
        let mut run = String::new();
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            let _ = writeln!(run, "{line}");
            if line.starts_with("waiting for a change") && sender.send(std::mem::take(&mut run)).is_err() {
                return;
            }
        }
    });
    runs
}

#[expect(clippy::disallowed_methods, reason = "the program is tested as a process")]
fn watch(place: &Place) -> Watching {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hookweave"))
        .args(["test", "--watch"])
        .current_dir(&place.project)
        .env("HOME", place.project.join("no-home"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let runs = each_run(child.stdout.take().unwrap());
    Watching { child, runs }
}

#[test]
fn every_change_is_seen() {
    let place = Place::new();
    // At once, so that nobody reads half of it.
    let write = |file: &str, text: &str| {
        let beside = place.project.with_extension("new");
        std::fs::write(&beside, text).unwrap();
        std::fs::rename(beside, place.project.join(file)).unwrap();
    };
    let policy = std::fs::read_to_string(place.project.join("hookweave.toml")).unwrap();
    let watching = watch(&place);
    let next = |what: &str| {
        // On a busy machine one change may be seen in two runs.
        while !watching.runs.recv_timeout(LONG).unwrap_or_else(|why| panic!("{what}: {why}")).contains(what) {}
    };
    next("3 passed, 0 failed, 1 skipped");
    write("hookweave.toml", &policy.replace("exit 2", "exit 0"));
    next("1 passed, 2 failed");
    // A file that cannot be read is reported, and its fix is noticed too.
    write("hookweave.toml", "hookweave = [");
    next("error:");
    write("hookweave.toml", &policy);
    next("3 passed");
    write(
        "new.hooktest.yaml",
        "hooktest: 1\nfiles: [hookweave.toml]\ncases: [{name: new, tool: Read, expect: continue}]\n",
    );
    next("4 passed");
    std::fs::remove_file(place.project.join("new.hooktest.yaml")).unwrap();
    next("3 passed");
    // It rests while nothing changes.
    let rests = watching.runs.recv_timeout(Duration::from_millis(1500));
    assert!(rests.is_err(), "it ran again though nothing changed: {rests:?}");
}
