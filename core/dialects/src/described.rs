//! Systems of Claude Code's kind, each described by one file of data in `core/dialects/systems`.
//!
//! The file says how the system differs from Claude Code, where its files stand and how `hookweave install` writes into
//! them. Every place that asks for a system's facts takes them from [`SYSTEMS`].

mod check;
mod file;

use std::sync::LazyLock;

use super::claude_code::ClaudeCode;
use super::{Dialect, RunKind};
use hookweave_machine::tool_names::{self, ToolName};

pub use check::Wrong;

/// The files, in the order in which systems are listed.
const FILES: &[&str] = &[
    include_str!("../systems/factory.toml"),
    include_str!("../systems/qwen-code.toml"),
    include_str!("../systems/auggie.toml"),
    include_str!("../systems/continue.toml"),
    include_str!("../systems/devin.toml"),
    include_str!("../systems/qoder.toml"),
    include_str!("../systems/kimi-code.toml"),
    include_str!("../systems/openhands.toml"),
];

/// Every described system.
pub static SYSTEMS: LazyLock<Vec<&'static System>> =
    LazyLock::new(|| FILES.iter().filter_map(|text| read(text).ok()).collect());

/// A system that a file describes.
#[derive(Debug)]
pub struct System {
    /// What users call it.
    pub name: &'static str,
    /// Its own spelling.
    pub title: &'static str,
    /// What it is, for its page.
    pub summary: &'static str,
    /// Whether a program of the system was run against this description.
    pub proved: bool,
    /// Where its files stand.
    pub files: Places,
    /// The variables of its hooks.
    pub variables: Variables,
    /// What an entry of its files may say.
    pub entries: Entries,
    /// How `hookweave install` writes into its settings; `None` where it cannot.
    pub install: Option<Install>,
    /// Lists of permission rules in its settings.
    pub permissions: &'static [Permissions],
    /// What works and what differs, for its page.
    pub facts: &'static [Fact],
    /// What was decided where its documentation is silent, for the reader of the file.
    pub decided: &'static [Decided],
    codec: ClaudeCode,
}

/// Where a system's files stand.
#[derive(Debug)]
pub struct Places {
    /// Below a project, shared.
    pub project: &'static [&'static str],
    /// Below a project, one's own.
    pub local: &'static [&'static str],
    /// Below the user's home.
    pub user: &'static [&'static str],
    /// Below the root of this machine.
    pub machine: &'static [&'static str],
    /// Whether the same hook in several files runs once.
    pub runs_once: bool,
}

impl Places {
    /// The folders in which its files stand, below a project or the home.
    pub fn folders(&self) -> impl Iterator<Item = &'static str> + use<'_> {
        let all = self.project.iter().chain(self.local).chain(self.user);
        all.filter_map(|path| Some(path.split_once('/')?.0)).filter(|folder| *folder != ".config")
    }
}

/// The variables of a system's hooks.
#[derive(Debug)]
pub struct Variables {
    /// Those that name the project's folder.
    pub project: &'static [&'static str],
    /// Those that name the folder of a hook's plugin.
    pub plugin: &'static [&'static str],
}

/// What an entry of a system's files may say.
#[derive(Debug)]
pub struct Entries {
    /// What a hook may run, as `type` says it.
    pub kinds: &'static [&'static str],
    /// Every key that counts.
    pub keys: &'static [&'static str],
    /// Whether a file is TOML with a list of hooks, and not JSON in Claude Code's shape.
    pub is_list: bool,
    /// Whether an entry without `type` is a command.
    pub untyped: bool,
    /// Keys beside the events that are none.
    pub beside_events: &'static [&'static str],
    /// How many seconds one of `timeout` is.
    pub unit: f64,
    /// From this value on `timeout` is in milliseconds.
    pub milliseconds_from: Option<f64>,
    /// The key and the value by which a hook that fails refuses.
    pub fails_closed: Option<(&'static str, &'static str)>,
    /// Whether a plain command is read by Bash, and not by the system's own shell.
    pub uses_bash: bool,
}

/// How `hookweave install` writes into a system's settings.
#[derive(Debug)]
pub struct Install {
    /// The events, by the system's names.
    pub events: &'static [&'static str],
    /// The file below a project.
    pub project: &'static str,
    /// One's own file below a project.
    pub local: Option<&'static str>,
    /// The file below the user's home.
    pub user: Option<&'static str>,
    /// How long an entry lets a hook run; the system's own default when absent.
    pub seconds: Option<f64>,
}

/// A list of permission rules in a system's settings.
#[derive(Debug)]
pub struct Permissions {
    /// The keys that lead to it.
    pub keys: &'static [&'static str],
    /// What its rules do: `deny`, `ask` or `allow`.
    pub ruling: &'static str,
}

/// A fact for a system's page.
#[derive(Debug)]
pub struct Fact {
    /// What it is about.
    pub topic: &'static str,
    /// The fact.
    pub text: &'static str,
}

/// A decision for a system's page.
#[derive(Debug)]
pub struct Decided {
    /// What the documentation leaves open.
    pub question: &'static str,
    /// What is done here.
    pub answer: &'static str,
    /// Why.
    pub reason: &'static str,
}

impl System {
    /// Its codec.
    #[must_use]
    pub fn dialect(&'static self) -> &'static dyn Dialect {
        &self.codec
    }

    /// Its tools that have other names than the engine's.
    pub fn tools(&self) -> impl Iterator<Item = &'static ToolName> + use<'_> {
        tool_names::rows().filter(|row| row.dialect == self.name)
    }

    /// How long a hook may run whose entry says `timeout = value`.
    #[must_use]
    pub fn seconds(&self, value: f64) -> f64 {
        match self.entries.milliseconds_from {
            Some(from) if value >= from => value / 1000.0,
            _ => value * self.entries.unit,
        }
    }

    /// What `timeout` says for a number of seconds: in milliseconds where both are read, so that older versions agree.
    #[must_use]
    pub fn timeout_of(&self, seconds: f64) -> f64 {
        match self.entries.milliseconds_from {
            Some(from) if seconds * 1000.0 >= from => seconds * 1000.0,
            _ => seconds / self.entries.unit,
        }
    }

    /// Whether a hook of a kind can run at home.
    #[must_use]
    pub fn runs(&self, kind: RunKind) -> bool {
        let word = match kind {
            RunKind::Command => "command",
            RunKind::Webhook => "http",
            RunKind::McpTool => "mcp_tool",
            RunKind::Prompt => "prompt",
            RunKind::Agent => "agent",
            RunKind::Decision => return false,
        };
        self.entries.kinds.contains(&word)
    }
}

impl PartialEq for System {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for System {}

impl std::hash::Hash for System {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

/// The described system of this name.
#[must_use]
pub fn system(name: &str) -> Option<&'static System> {
    SYSTEMS.iter().copied().find(|system| system.name == name)
}

/// Reads a description, and makes its tools known.
fn read(text: &str) -> Result<&'static System, Wrong> {
    let (system, tools) = check::check(text)?;
    tool_names::add(tools);
    Ok(Box::leak(Box::new(system)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_read() {
        for text in FILES {
            let name = text.lines().find(|line| line.starts_with("name")).unwrap();
            let system = read(text).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
            let others = SYSTEMS.iter().filter(|other| other.name == system.name).count();
            assert_eq!(others, 1, "{name} is there once");
        }
    }

    #[test]
    fn a_mistake_is_named_with_its_line_and_the_fix() {
        let text = FILES.first().unwrap();
        for (from, to, says) in [
            ("title =", "titel =", "unknown field `titel` (did you mean `title`?)"),
            (
                "\"PreToolUse\",",
                "\"PreToolUze\",",
                "Claude Code has no event `PreToolUze` (did you mean `PreToolUse`?)",
            ),
            ("name = \"factory\"", "name = \"Factory 2\"", "is no name"),
            ("FACTORY_PROJECT_DIR", "FACTORY_HERE", "must end in `_PROJECT_DIR`"),
            ("\".factory/hooks.json\"", "\"/etc/hooks.json\"", "is no path below a folder"),
        ] {
            assert!(text.contains(from), "{from}");
            let wrong = read(&text.replacen(from, to, 1)).unwrap_err();
            assert!(wrong.message.contains(says), "{wrong}");
            let line = text.lines().position(|line| line.contains(from)).unwrap() + 1;
            assert_eq!(wrong.line, line, "{wrong}");
        }
    }
}
