//! The programs of `tests/remote`: an agent or a worker in each language, which tests start, ask and kill.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use serde_json::Value;

use crate::support::LONG;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Python,
    Node,
    Rust,
}

pub(crate) const LANGUAGES: [Language; 3] = [Language::Python, Language::Node, Language::Rust];

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
pub(crate) struct Program {
    language: Language,
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Program {
    /// An agent, which writes where it serves; its audit log is a file, and it waits so many milliseconds for a sign of life.
    pub(crate) fn agent(language: Language, address: &str, log: &Path, keepalive_ms: u32) -> Self {
        let mut command = language.command();
        command.args(["serve", address]).arg(log).arg(keepalive_ms.to_string());
        Self::start(language, command)
    }

    /// A worker, which is ready.
    pub(crate) fn worker(language: Language, address: &str, name: &str) -> Self {
        let mut command = language.command();
        command.args(["work", address, name]);
        let worker = Self::start(language, command);
        worker.says("ready");
        worker
    }

    fn start(language: Language, mut command: Command) -> Self {
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.unwrap_or_else(|error| panic!("{language:?} cannot be started: {error}"));
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let (sender, lines) = channel();
        let reading =
            move || BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| sender.send(line));
        std::thread::Builder::new().spawn(reading).unwrap();
        Self { language, child, input, lines }
    }

    pub(crate) fn line(&self) -> String {
        self.lines.recv_timeout(LONG).unwrap_or_else(|error| panic!("{:?} wrote nothing: {error}", self.language))
    }

    /// Waits until it has written its next line, which is this one.
    pub(crate) fn says(&self, line: &str) {
        assert_eq!(self.line(), line, "{:?}", self.language);
    }

    pub(crate) fn say(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    /// What came of the last line.
    pub(crate) fn answer(&self) -> Value {
        serde_json::from_str(&self.line()).unwrap()
    }

    /// Has it do something, and gives what came of that.
    pub(crate) fn ask(&mut self, line: &str) -> Value {
        self.say(line);
        self.answer()
    }

    /// What comes of a call of Bash or Note: decision, reason, command, and each hook with its failure.
    pub(crate) fn call(&mut self, call: &str) -> Value {
        self.ask(&format!("1 {call}"))[0].take()
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, name: &str) {
        #[expect(clippy::disallowed_methods, reason = "the signal is for a process of its own")]
        let sent = Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    /// Ends it as its user does: it writes its log, and leaves.
    pub(crate) fn end(&mut self) {
        self.input = None;
        self.says("closed");
    }

    /// Ends it at once, as `kill -9` does.
    pub(crate) fn kill(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}
