//! Agents and workers of different languages, as programs of their own: a worker guards the agent, and is killed.
//!
//! The programs are in `tests/remote`. `HOOKWEAVE_PYTHON` and `HOOKWEAVE_NODE` name other interpreters than the checkout's and `node`.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test ends where something is not as it should be"
)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// Longer than anything here takes on the busiest machine.
const LONG: Duration = Duration::from_secs(120);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Python,
    Node,
    Rust,
}

const LANGUAGES: [Language; 3] = [Language::Python, Language::Node, Language::Rust];

impl Language {
    #[expect(clippy::disallowed_methods, reason = "the programs are processes of their own")]
    fn command(self) -> Command {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
        let interpreter = |name: &str, usual: PathBuf| std::env::var_os(name).map_or(usual, PathBuf::from);
        let (program, script) = match self {
            Self::Python => (interpreter("HOOKWEAVE_PYTHON", root.join(".venv/bin/python")), Some("program.py")),
            Self::Node => (interpreter("HOOKWEAVE_NODE", "node".into()), Some("program.mjs")),
            Self::Rust => (env!("CARGO_BIN_EXE_remote-program").into(), None),
        };
        let mut command = Command::new(program);
        command.args(script.map(|name| root.join("tests/remote").join(name)));
        command
    }
}

/// A running program; it is killed when the test is done with it.
struct Program {
    language: Language,
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Program {
    fn start(language: Language, role: &str, address: &str) -> Self {
        let mut command = language.command();
        let child = command.args([role, address]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.unwrap_or_else(|error| panic!("{language:?} cannot be started: {error}"));
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, lines) = channel();
        let reading =
            move || BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| sender.send(line));
        std::thread::Builder::new().spawn(reading).unwrap();
        Self { language, child, input, lines }
    }

    fn line(&self) -> String {
        self.lines.recv_timeout(LONG).unwrap_or_else(|error| panic!("{:?} said nothing: {error}", self.language))
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    /// What the agent made of a call: decision, reason, command.
    fn dispatch(&mut self, call: &str) -> Value {
        self.say(call);
        serde_json::from_str(&self.line()).unwrap()
    }

    fn kill(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}

fn guarded(agent: Language, worker: Language, address: &str) {
    let case = format!("{agent:?} guarded by {worker:?} at {address}");
    let mut agent = Program::start(agent, "serve", address);
    let address = agent.line();
    let mut worker = Program::start(worker, "work", &address);
    assert_eq!(worker.line(), "ready", "{case}");
    assert_eq!(agent.dispatch("Bash rm x"), json!(["block", "no rm", "rm x"]), "{case}");
    assert_eq!(agent.dispatch("Bash ls"), json!(["continue", null, "nice ls"]), "{case}");
    assert_eq!(agent.dispatch("Note x"), json!(["block", "noted", "x"]), "{case}");
    // It dies while it has an event: each hook's failure rule decides.
    agent.say("Bash wait");
    assert_eq!(worker.line(), "waits", "{case}");
    worker.kill();
    let lost: Value = serde_json::from_str(&agent.line()).unwrap();
    assert!(lost[0] == "block" && lost[1].as_str().unwrap().contains("guard"), "{case}: {lost}");
    assert_eq!(agent.dispatch("Bash ls")[0], "block", "{case}");
    assert_eq!(agent.dispatch("Note x"), json!(["continue", null, "x"]), "{case}");
}

fn each_by_each(address: impl Fn() -> String) {
    for agent in LANGUAGES {
        for worker in LANGUAGES.into_iter().filter(|worker| *worker != agent) {
            guarded(agent, worker, &address());
        }
    }
}

#[test]
fn each_language_is_guarded_by_each_other_over_unix_sockets() {
    let folder = tempfile::tempdir().unwrap();
    // A killed agent leaves its socket behind, which the next one takes away.
    each_by_each(|| format!("unix://{}/s", folder.path().display()));
}

#[test]
fn each_language_is_guarded_by_each_other_over_grpc() {
    each_by_each(|| "grpc://127.0.0.1:0".to_owned());
}
