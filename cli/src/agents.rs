//! Agents that run commands as hooks: where their settings stand, and how an entry looks there.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use hookweave_host::config::Directories;
use hookweave_host::dialects::described::{SYSTEMS, System};
use hookweave_host::dialects::named;
use hookweave_host::error::did_you_mean;
use hookweave_host::event::BUILT_IN as BUILT_IN_EVENTS;
use serde_json::{Map, Value, json};

use crate::failed::{Failed, Result};
use crate::plugins::PLUGIN_AGENTS;
use crate::reach::Reach;

/// How an agent's settings hold a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `{"hooks": {Event: [{"hooks": [{"type": "command", …}]}]}}`
    Groups,
    /// `{"version": 1, "hooks": {Event: [{"command": …}]}}`
    Flat,
}

/// One agent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Agent {
    /// Its dialect.
    pub(crate) name: &'static str,
    /// How its settings hold a hook.
    pub(crate) shape: Shape,
    /// The events that `hookweave hook` listens to, by the agent's names.
    pub(crate) events: &'static [&'static str],
    /// Its files below the project: shared, and one's own.
    project: (&'static str, Option<&'static str>),
    /// Its file below the user's home.
    user: Option<&'static str>,
    /// How long an entry lets a hook run, in seconds; the agent's own default when absent.
    seconds: Option<f64>,
    /// What an entry says beside its command, given the event and how long it may run.
    entry: Entry,
}

/// How an agent's entry is written.
#[derive(Debug, Clone, Copy)]
enum Entry {
    BuiltIn(fn(&str, &str, Option<f64>) -> Map<String, Value>),
    Described(&'static System),
}

const CLAUDE_EVENTS: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PostToolUseFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "Stop",
    "SessionEnd",
    // Shell lines of skills, which no other event shows.
    "PreSkillShellCommand",
];

/// Copilot has no skills of this kind.
const COPILOT_EVENTS: &[&str] = match CLAUDE_EVENTS {
    [events @ .., _] => events,
    [] => &[],
};

/// Every agent that can be installed into.
pub(crate) static AGENTS: LazyLock<Vec<Agent>> = LazyLock::new(|| {
    let described = SYSTEMS.iter().filter_map(|system| described(system));
    BUILT_IN.iter().copied().chain(described).collect()
});

/// The agent of a system that a file of data describes.
fn described(system: &'static System) -> Option<Agent> {
    let install = system.install.as_ref()?;
    Some(Agent {
        name: system.name,
        shape: Shape::Groups,
        events: install.events,
        project: (install.project, install.local),
        user: install.user,
        seconds: install.seconds,
        entry: Entry::Described(system),
    })
}

const BUILT_IN: &[Agent] = &[
    Agent {
        name: "claude-code",
        shape: Shape::Groups,
        events: CLAUDE_EVENTS,
        project: (".claude/settings.json", Some(".claude/settings.local.json")),
        user: Some(".claude/settings.json"),
        seconds: None,
        entry: Entry::BuiltIn(|event, command, seconds| {
            let mut entry = in_seconds("timeout")(event, command, seconds);
            // Also when the command is not there, or is killed for being slow.
            if matches!(event, "PreToolUse" | "PreSkillShellCommand" | "PermissionRequest") {
                entry.insert("onFailure".into(), json!("block"));
            }
            entry
        }),
    },
    Agent {
        name: "codex",
        shape: Shape::Groups,
        events: &[
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PermissionRequest",
            "PostToolUse",
            "PreCompact",
            "SubagentStart",
            "SubagentStop",
            "Stop",
            "SessionEnd",
        ],
        project: (".codex/hooks.json", None),
        user: Some(".codex/hooks.json"),
        seconds: None,
        entry: Entry::BuiltIn(|event, command, seconds| in_seconds("timeout")(event, command, seconds)),
    },
    Agent {
        name: "gemini-cli",
        shape: Shape::Groups,
        events: &[
            "SessionStart",
            "BeforeAgent",
            "BeforeTool",
            "AfterTool",
            "AfterAgent",
            "PreCompress",
            "Notification",
            "SessionEnd",
        ],
        project: (".gemini/settings.json", None),
        user: Some(".gemini/settings.json"),
        seconds: None,
        entry: Entry::BuiltIn(|_, command, seconds| {
            let mut entry = typed(command);
            entry.insert("name".into(), json!("hookweave"));
            // Milliseconds, here alone.
            entry.extend(seconds.map(|seconds| ("timeout".to_owned(), number(seconds * 1000.0))));
            entry
        }),
    },
    Agent {
        name: "cursor",
        shape: Shape::Flat,
        events: &[
            "sessionStart",
            "beforeSubmitPrompt",
            "preToolUse",
            "postToolUse",
            "postToolUseFailure",
            "subagentStart",
            "subagentStop",
            "preCompact",
            "stop",
            "sessionEnd",
        ],
        project: (".cursor/hooks.json", None),
        user: Some(".cursor/hooks.json"),
        // It names no default of its own.
        seconds: Some(60.0),
        entry: Entry::BuiltIn(|event, command, seconds| {
            let mut entry = Map::new();
            entry.insert("command".into(), json!(command));
            entry.extend(seconds.map(|seconds| ("timeout".to_owned(), number(seconds))));
            if event == "preToolUse" {
                entry.insert("failClosed".into(), json!(true));
            }
            entry
        }),
    },
    Agent {
        name: "copilot",
        shape: Shape::Flat,
        // In this spelling Copilot says which event it is.
        events: COPILOT_EVENTS,
        project: (".github/hooks/hookweave.json", None),
        user: Some(".copilot/hooks/hookweave.json"),
        seconds: None,
        entry: Entry::BuiltIn(|_, command, seconds| {
            let mut entry = Map::new();
            entry.insert("type".into(), json!("command"));
            entry.insert("bash".into(), json!(command));
            entry.insert("powershell".into(), json!(command));
            entry.extend(seconds.map(|seconds| ("timeoutSec".to_owned(), number(seconds))));
            entry
        }),
    },
    Agent {
        name: "wingman",
        shape: Shape::Groups,
        events: &["PreToolUse", "PostToolUse", "Stop"],
        project: (".wingman/wingman.config.json", None),
        user: None,
        seconds: None,
        entry: Entry::BuiltIn(|event, command, seconds| in_seconds("timeout")(event, command, seconds)),
    },
];

/// The entry of a described system; on the gates it refuses also when the command fails, if the system has a key for that.
fn described_entry(system: &System, event: &str, command: &str, seconds: Option<f64>) -> Map<String, Value> {
    let mut entry = typed(command);
    entry.extend(seconds.map(|seconds| ("timeout".to_owned(), number(system.timeout_of(seconds)))));
    if let Some((key, value)) = system.entries.fails_closed
        && matches!(event, "PreToolUse" | "PermissionRequest")
    {
        entry.insert(key.to_owned(), json!(value));
    }
    entry
}

fn typed(command: &str) -> Map<String, Value> {
    let mut entry = Map::new();
    entry.insert("type".into(), json!("command"));
    entry.insert("command".into(), json!(command));
    entry
}

fn in_seconds(field: &'static str) -> impl Fn(&str, &str, Option<f64>) -> Map<String, Value> {
    move |_, command, seconds| {
        let mut entry = typed(command);
        entry.extend(seconds.map(|seconds| (field.to_owned(), number(seconds))));
        entry
    }
}

/// A number as people write it: whole where it is.
fn number(seconds: f64) -> Value {
    serde_json::from_str(&seconds.to_string()).unwrap_or_else(|_| json!(seconds))
}

/// The names of all agents, for help.
pub(crate) fn agents_help() -> String {
    let plugins = PLUGIN_AGENTS.iter().map(|agent| agent.name);
    let names: Vec<&str> = AGENTS.iter().map(|agent| agent.name).chain(plugins).collect();
    format!("Agents: {}.", names.join(", "))
}

/// The agent of this name.
pub(crate) fn agent(name: &str) -> Result<&'static Agent> {
    AGENTS.iter().find(|agent| agent.name == name).ok_or_else(|| {
        let known: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
        if hookweave_host::dialects::named(name).is_ok() {
            let fix = format!("run `hookweave hook --agent {name}` from it yourself");
            return Failed::new(format!("{name} has no settings file for one command; {fix}"));
        }
        let hint = did_you_mean(name, known.iter().copied());
        Failed::new(format!("unknown agent `{name}`{hint}; known are {}", known.join(", ")))
    })
}

impl Agent {
    /// The settings file, and the directory that it must not lead out of.
    pub(crate) fn file(&self, reach: Reach, project: &Path) -> Result<(PathBuf, PathBuf)> {
        let missing = |what: &str| Failed::new(format!("{} has no settings {what}; use --scope project", self.name));
        match reach {
            Reach::Project => Ok((project.join(self.project.0), project.to_path_buf())),
            Reach::Local => {
                let file = self.project.1.ok_or_else(|| missing("of your own for a project"))?;
                Ok((project.join(file), project.to_path_buf()))
            }
            Reach::Managed => self.managed_file(),
            Reach::User => {
                let below = self.user.ok_or_else(|| missing("for all projects"))?;
                let directories = Directories::of_this_user();
                let home = directories.home.ok_or_else(|| Failed::new("you have no home directory; set HOME"))?;
                let own = match self.name {
                    "claude-code" => directories.claude,
                    "codex" => directories.codex,
                    _ => None,
                };
                let file = own.and_then(|own| Some(own.join(Path::new(below).file_name()?)));
                let base = file.as_ref().and_then(|file| file.parent().map(Path::to_path_buf));
                Ok((file.unwrap_or_else(|| home.join(below)), base.unwrap_or(home)))
            }
        }
    }

    /// The administrator's file, and the root of the machine.
    fn managed_file(&self) -> Result<(PathBuf, PathBuf)> {
        let directories = Directories::of_this_user();
        let file = directories.managed_file(self.name);
        let (Some(file), Some(machine)) = (file, directories.machine) else {
            let what = "has no settings file for a whole machine; use --scope project or --scope user";
            return Err(Failed::new(format!("{} {what}", self.name)));
        };
        if file.extension().is_none_or(|ending| ending != "json") {
            return Err(Failed::file(&file, "holds other settings too and is no JSON; add the entries there by hand"));
        }
        Ok((file, machine))
    }

    /// Its files below a project.
    pub(crate) fn project_files(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.project.0).chain(self.project.1)
    }

    /// Whether a file is one of its settings, of any project or of a user.
    pub(crate) fn has(&self, file: &Path) -> bool {
        self.project_files().chain(self.user).any(|own| file.ends_with(own))
    }

    /// Where a person sees that a project is set up for it: its settings there, else their folder.
    pub(crate) fn trace(&self, project: &Path) -> Option<PathBuf> {
        let files = self.project_files().map(|file| project.join(file));
        let folders = self.project_files().filter_map(|file| Some(project.join(Path::new(file).parent()?)));
        files.chain(folders).find(|path| path.exists())
    }

    /// The engine's event that one of its own is, if a refusal of it stops something.
    pub(crate) fn gate(&self, event: &str) -> Option<&'static str> {
        let placed = named(self.name).ok()?.place(event, None)?.ok()?.event;
        BUILT_IN_EVENTS.iter().find(|event| event.name == placed && event.gate).map(|event| event.name)
    }

    /// The entry of an event.
    pub(crate) fn entry(&self, event: &str, command: &str, seconds: Option<f64>) -> Value {
        let seconds = seconds.or(self.seconds);
        Value::Object(match self.entry {
            Entry::BuiltIn(entry) => entry(event, command, seconds),
            Entry::Described(system) => described_entry(system, event, command, seconds),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::AGENTS;

    #[test]
    fn the_page_of_systems_says_which_can_be_installed_into() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/compatibility.md");
        let page = std::fs::read_to_string(page).unwrap();
        let rows = page.lines().filter(|line| line.starts_with("| ["));
        let head = page.lines().find(|line| line.starts_with("| system |")).unwrap();
        let column = head.split(" | ").position(|column| column == "`hookweave install`").unwrap();
        let says = |row: &str| row.split(" | ").nth(column).unwrap() == "yes";
        let listed = rows.filter(|row| says(row)).map(|row| row.split('`').nth(1).unwrap().to_owned());
        let (mut listed, mut known) = (listed.collect::<Vec<_>>(), AGENTS.iter().map(|a| a.name).collect::<Vec<_>>());
        listed.sort_unstable();
        known.sort_unstable();
        assert_eq!(listed, known);
    }
}
