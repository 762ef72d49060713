//! A command as a hook: a program in a session of its own, given JSON and asked for its exit code and output.
//!
//! The program runs without a terminal, without descriptors of the host and with exactly the environment it is given. It
//! and everything it started is killed at its timeout, when the dispatch is cancelled, when it prints too much, and, unless
//! it is detached, when it has finished. The kill is `SIGKILL` at once: a hook had its time before, and a caller that
//! waits for the answer should not wait for a hook's cleanup too. What a process cannot be kept from on any system is to fork twice
//! *and* open a session of its own; that is how a daemon leaves, and such a process is out of reach.

mod directory;
mod environment;
mod error;
mod program;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::cancel::Cancel;

pub use error::{CommandError, Stream};
pub use hookweave_machine::handler_output::CommandOutput;

/// How much a command may print on each stream by default.
pub const DEFAULT_OUTPUT_CAP: usize = 1024 * 1024;

/// How long output is still read after the command itself has exited, for what it started and left behind.
pub const OUTPUT_ENDS: Duration = Duration::from_millis(100);

/// What reads a command that is one line of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Shell {
    /// `/bin/sh -c`; on Windows the `bash` of Git.
    Posix,
    /// `bash -c`, the `bash` that `PATH` finds.
    Bash,
    /// PowerShell, as `pwsh` or `powershell`.
    PowerShell,
    /// The user's own shell, `$SHELL -lc`; on Windows `cmd.exe /C`.
    Login,
}

/// What to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandLine {
    /// A line that a shell reads.
    Shell {
        /// The line, handed over as it is.
        text: String,
        /// Who reads it.
        shell: Shell,
    },
    /// A program and its arguments, which no shell looks at.
    Exec {
        /// A path, or a name that `PATH` finds.
        program: String,
        /// The arguments after the program's name.
        args: Vec<String>,
    },
}

/// A command as a hook is registered with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandSpec {
    /// What to run.
    pub line: CommandLine,
    /// Variables of this hook; the builder of [`CommandRun::env`] adds them.
    pub env: Vec<(String, String)>,
    /// Where to run, instead of the event's directory; relative to that one.
    pub directory: Option<PathBuf>,
}

/// One start of a command: what it gets.
#[derive(Debug, Clone)]
pub struct CommandRun<'a> {
    /// The command.
    pub spec: &'a CommandSpec,
    /// What it can read.
    pub stdin: Vec<u8>,
    /// The complete environment. NUL characters in values are left out and very long values cut: neither can be given.
    pub env: Vec<(OsString, OsString)>,
    /// Where to run: the first that can be entered. With none given it is the host's own directory; when none
    /// of those given can be entered nothing runs, since a guard that looks elsewhere judges something else.
    pub directories: Vec<PathBuf>,
    /// How long it may run, counted from its start.
    pub timeout: Option<Duration>,
    /// How much it may print on each stream.
    pub output_cap: usize,
    /// Whether what it started may outlive it.
    pub leave_children: bool,
}

impl<'a> CommandRun<'a> {
    /// A run with nothing on stdin, an empty environment, no timeout and the usual cap.
    #[must_use]
    pub fn new(spec: &'a CommandSpec) -> Self {
        Self {
            spec,
            stdin: Vec::new(),
            env: Vec::new(),
            directories: Vec::new(),
            timeout: None,
            output_cap: DEFAULT_OUTPUT_CAP,
            leave_children: false,
        }
    }
}

impl CommandSpec {
    /// A line for `/bin/sh`.
    #[must_use]
    pub fn shell(text: impl Into<String>) -> Self {
        Self::of(CommandLine::Shell { text: text.into(), shell: Shell::Posix })
    }

    /// A program with arguments.
    #[must_use]
    pub fn exec<A: Into<String>>(program: impl Into<String>, args: impl IntoIterator<Item = A>) -> Self {
        let args = args.into_iter().map(Into::into).collect();
        Self::of(CommandLine::Exec { program: program.into(), args })
    }

    /// A line or a program without settings of its own.
    #[must_use]
    pub fn of(line: CommandLine) -> Self {
        Self { line, env: Vec::new(), directory: None }
    }
}

impl CommandLine {
    /// The command as messages show it: one short line without control characters.
    #[must_use]
    pub fn display(&self) -> String {
        let whole = match self {
            Self::Shell { text, .. } => text.clone(),
            Self::Exec { program, args } => {
                std::iter::once(program).chain(args).map(String::as_str).collect::<Vec<_>>().join(" ")
            }
        };
        let mut short: String = whole.trim().chars().take(120).flat_map(char::escape_debug).collect();
        if whole.trim().chars().nth(120).is_some() {
            short.push('…');
        }
        short
    }
}

/// Whether the system forgets how this process's children end, because the host ignores `SIGCHLD`. Commands run all the
/// same: a shell of their own reports how they end.
#[must_use]
pub fn forgets_children() -> bool {
    #[cfg(unix)]
    return hookweave_spawn::forgets_children();
    #[cfg(windows)]
    return false;
}

/// Runs a command to its end and blocks this thread meanwhile; `cancel` ends it from another one.
pub fn run(run: &CommandRun<'_>, cancel: &Cancel) -> Result<CommandOutput, CommandError> {
    #[cfg(unix)]
    return unix::run(run, cancel);
    #[cfg(windows)]
    return windows::run(run, cancel);
}
