//! What each dialect calls the tools that every agent has, and their arguments: one table.
//!
//! The engine's own names are those of Claude Code. A tool that is not in the table keeps its name; a host says with
//! `define_tool` that a tool of its own is a known one.

use std::borrow::Cow;
use std::sync::OnceLock;

use serde_json::{Map, Value};

use super::ToolDefinition;

pub use super::usual::{PROGRAMS, WORDS_APART, definition as usual_definition, in_other_case, ours, takes_patches};
// A list of words is a command line for every reader of calls.
pub use hookweave_command::quoted;

/// One tool under the name of one dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolName {
    /// The dialect.
    pub dialect: &'static str,
    /// The engine's name.
    pub ours: &'static str,
    /// The dialect's names: the one that its hooks read first, then others that its matchers take.
    pub theirs: &'static [&'static str],
    /// Arguments with other names: the engine's, the dialect's.
    pub args: &'static [(&'static str, &'static str)],
}

/// A tool of a dialect whose arguments have the engine's names.
const fn same(dialect: &'static str, ours: &'static str, theirs: &'static [&'static str]) -> ToolName {
    ToolName { dialect, ours, theirs, args: &[] }
}

/// A tool of a dialect whose arguments have names of their own.
const fn renamed(
    dialect: &'static str,
    ours: &'static str,
    theirs: &'static [&'static str],
    args: &'static [(&'static str, &'static str)],
) -> ToolName {
    ToolName { dialect, ours, theirs, args }
}

/// Every tool that a built-in dialect calls otherwise; [`rows`] has those of described systems too.
pub const TOOLS: &[ToolName] = &[
    same("claude-code", "Agent", &["Agent", "Task"]),
    same("claude-code", "TaskOutput", &["TaskOutput", "BashOutput", "AgentOutput"]),
    same("claude-code", "TaskStop", &["TaskStop", "KillShell", "KillBash"]),
    // A matcher `Edit` or `Write` hits every patch.
    same("codex", "Edit", &["apply_patch", "Edit", "Write"]),
    same("codex", "Write", &["apply_patch", "Write", "Edit"]),
    same("codex", "Agent", &["spawn_agent", "Agent"]),
    same("gemini-cli", "Bash", &["run_shell_command"]),
    same("gemini-cli", "Edit", &["replace"]),
    same("gemini-cli", "Write", &["write_file"]),
    same("gemini-cli", "Read", &["read_file"]),
    renamed("gemini-cli", "Glob", &["glob"], &[("path", "dir_path")]),
    renamed(
        "gemini-cli",
        "Grep",
        &["grep_search", "search_file_content", "grep"],
        &[("path", "dir_path"), ("glob", "include_pattern")],
    ),
    renamed("gemini-cli", "LS", &["list_directory", "ls"], &[("path", "dir_path")]),
    same("gemini-cli", "WebFetch", &["web_fetch"]),
    same("gemini-cli", "WebSearch", &["google_web_search"]),
    same("gemini-cli", "TodoWrite", &["write_todos"]),
    same("gemini-cli", "AskUserQuestion", &["ask_user"]),
    renamed("gemini-cli", "Skill", &["activate_skill"], &[("skill", "name")]),
    same("gemini-cli", "EnterPlanMode", &["enter_plan_mode"]),
    same("gemini-cli", "ExitPlanMode", &["exit_plan_mode"]),
    same("cursor", "Bash", &["Shell"]),
    same("cursor", "Edit", &["Write", "Edit"]),
    same("cursor", "Agent", &["Task"]),
    same("copilot", "Bash", &["bash"]),
    same("copilot", "PowerShell", &["powershell"]),
    renamed(
        "copilot",
        "Edit",
        &["edit", "str_replace"],
        &[("file_path", "path"), ("old_string", "old_str"), ("new_string", "new_str")],
    ),
    renamed("copilot", "Write", &["create"], &[("file_path", "path"), ("content", "file_text")]),
    renamed("copilot", "Read", &["view"], &[("file_path", "path")]),
    same("copilot", "Grep", &["grep", "rg"]),
    same("copilot", "Glob", &["glob"]),
    renamed("copilot", "Agent", &["task"], &[("subagent_type", "agent_type")]),
    same("copilot", "WebFetch", &["web_fetch"]),
    same("copilot", "WebSearch", &["web_search"]),
    same("copilot", "AskUserQuestion", &["ask_user"]),
    same("wingman", "Bash", &["command_execute", "execute"]),
    same("wingman", "Edit", &["edit_file"]),
    same("wingman", "Write", &["write_file"]),
    same("wingman", "Read", &["read_file"]),
    same("wingman", "LS", &["ls"]),
    same("wingman", "Glob", &["glob"]),
    same("wingman", "Grep", &["grep"]),
    same("wingman", "Agent", &["task"]),
    same("wingman", "TodoWrite", &["write_todos"]),
];

/// Tools of systems that files describe, in the order in which they became known. Only added to, so that a reader needs no lock.
static ADDED: OnceLock<&'static Added> = OnceLock::new();

#[derive(Debug)]
struct Added {
    rows: &'static [ToolName],
    next: OnceLock<&'static Added>,
}

/// Makes the tools of one described system known for the rest of the process.
pub fn add(rows: &'static [ToolName]) {
    let added: &'static Added = Box::leak(Box::new(Added { rows, next: OnceLock::new() }));
    let mut place = &ADDED;
    while place.set(added).is_err() {
        let Some(taken) = place.get() else { return };
        place = &taken.next;
    }
}

/// What was added, each system's tools together.
fn added() -> impl Iterator<Item = &'static [ToolName]> + use<> {
    std::iter::successors(ADDED.get(), |added| added.next.get()).map(|added| added.rows)
}

/// Every tool that a dialect calls otherwise.
pub fn rows() -> impl Iterator<Item = &'static ToolName> + use<> {
    TOOLS.iter().chain(added().flatten())
}

/// The same of one dialect.
fn rows_of(dialect: &str) -> impl Iterator<Item = &'static ToolName> + use<'_> {
    let own = move |rows: &&'static [ToolName]| rows.first().is_some_and(|row| row.dialect == dialect);
    TOOLS.iter().filter(move |row| row.dialect == dialect).chain(added().filter(own).flatten())
}

/// Names that mean one tool: those that it has had in the versions of the agent whose names are the engine's, today's first.
const ALIASES: &[&[&str]] =
    &[&["Agent", "Task"], &["TaskOutput", "BashOutput", "AgentOutput"], &["TaskStop", "KillShell", "KillBash"]];

/// Every name by which the engine knows a tool, when it has several; matchers hold for each.
#[must_use]
pub fn aliases(tool: &str) -> &'static [&'static str] {
    ALIASES.iter().find(|names| names.contains(&tool)).copied().unwrap_or_default()
}

/// Today's name of a tool.
fn today(tool: &str) -> &str {
    aliases(tool).first().copied().unwrap_or(tool)
}

/// The row of a tool, by the engine's name.
fn row(dialect: &str, ours: &str) -> Option<&'static ToolName> {
    let ours = today(ours);
    rows_of(dialect).find(|row| row.ours == ours)
}

/// The engine's name of a tool: that of the known tool when the host has defined it as one.
fn known<'t>(tool: &'t str, definition: Option<&'t ToolDefinition>) -> &'t str {
    definition.and_then(|definition| definition.same_as.as_deref()).unwrap_or(tool)
}

/// The name by which a dialect's hooks know a tool.
#[must_use]
pub fn to_dialect<'t>(dialect: &str, tool: &'t str, definition: Option<&'t ToolDefinition>) -> Cow<'t, str> {
    let ours = known(tool, definition);
    let row = row(dialect, ours);
    // Who calls a tool by its older name means it, where hooks know that name.
    if today(ours) != ours && row.is_some_and(|row| row.theirs.contains(&ours)) {
        return Cow::Borrowed(ours);
    }
    Cow::Borrowed(row.and_then(|row| row.theirs.first().copied()).unwrap_or(ours))
}

/// The engine's name of what a dialect calls so; the name itself when the table has none.
#[must_use]
pub fn from_dialect<'t>(dialect: &str, theirs: &'t str) -> Cow<'t, str> {
    let rows = || rows_of(dialect);
    let is_sent = |row: &&ToolName| row.theirs.first() == Some(&theirs);
    let is_taken = |row: &&ToolName| row.theirs.contains(&theirs);
    Cow::Borrowed(rows().find(is_sent).or_else(|| rows().find(is_taken)).map_or(theirs, |row| row.ours))
}

/// The name under which hooks see what an agent calls so: as it came where the agent has several names for the tool and
/// the engine has this one too.
#[must_use]
pub fn seen<'t>(dialect: &str, theirs: &'t str) -> Cow<'t, str> {
    let ours = from_dialect(dialect, theirs);
    let is_usual = to_dialect(dialect, &ours, None) == theirs;
    if !is_usual && aliases(&ours).contains(&theirs) { Cow::Borrowed(theirs) } else { ours }
}

/// Every name by which a dialect's matchers know a tool of the engine's name, except that name itself.
pub fn names(dialect: &str, ours: &str) -> impl Iterator<Item = &'static str> + use<> {
    row(dialect, ours).map_or(&[][..], |row| row.theirs).iter().copied()
}

/// A tool's names, those that it had before, and those that a dialect has for it.
pub(crate) fn known_names<'n>(names: &[&'n str], dialect: Option<&str>) -> Vec<&'n str> {
    let mut known = names.to_vec();
    known.extend(names.iter().flat_map(|name| aliases(name)));
    if let Some(dialect) = dialect {
        for theirs in names.iter().flat_map(|name| self::names(dialect, name)) {
            known.push(theirs);
        }
    }
    known
}

/// A tool's arguments by the dialect's names.
///
/// Names are exchanged, not overwritten: an argument that happens to have the dialect's name takes the other's, so
/// that a decoy never covers the argument that the tool really reads, and [`args_from_dialect`] undoes it exactly.
#[must_use]
pub fn args_to_dialect(
    dialect: &str,
    tool: &str,
    definition: Option<&ToolDefinition>,
    args: &Map<String, Value>,
) -> Map<String, Value> {
    let pairs = exchanges(dialect, tool, definition);
    rename(args, |name| pairs.iter().fold(name, |name, pair| exchanged(name, pair)))
}

/// A tool's arguments by the host's names, from the dialect's.
#[must_use]
pub fn args_from_dialect(
    dialect: &str,
    tool: &str,
    definition: Option<&ToolDefinition>,
    args: &Map<String, Value>,
) -> Map<String, Value> {
    let pairs = exchanges(dialect, tool, definition);
    rename(args, |name| pairs.iter().rev().fold(name, |name, pair| exchanged(name, pair)))
}

/// Which names change places, in order: the host's with the engine's, then the engine's with the dialect's.
fn exchanges<'d>(dialect: &str, tool: &'d str, definition: Option<&'d ToolDefinition>) -> Vec<(&'d str, &'d str)> {
    let ours = known(tool, definition);
    let mut pairs = Vec::new();
    if let Some(definition) = definition {
        pairs.extend(definition.command.as_deref().map(|own| (own, "command")));
        let path = match ours {
            "NotebookEdit" => "notebook_path",
            "Glob" | "Grep" | "LS" => "path",
            _ => "file_path",
        };
        pairs.extend(definition.paths.first().map(|own| (own.as_str(), path)));
        pairs.extend(texts_of(&definition.name));
    }
    pairs.extend(row(dialect, ours).map_or(&[][..], |row| row.args));
    pairs.retain(|(from, to)| from != to);
    pairs
}

/// What VS Code's tools call the texts that they change, and the engine's names.
fn texts_of(tool: &str) -> &'static [(&'static str, &'static str)] {
    match tool {
        "replace_string_in_file" | "replaceStringInFile" => &[("oldString", "old_string"), ("newString", "new_string")],
        "insert_edit_into_file" | "insertEditIntoFile" => &[("code", "new_string")],
        _ => &[],
    }
}

fn exchanged<'n>(name: &'n str, pair: &(&'n str, &'n str)) -> &'n str {
    match *pair {
        (from, to) if name == from => to,
        (from, to) if name == to => from,
        _ => name,
    }
}

fn rename<'a>(args: &'a Map<String, Value>, new: impl Fn(&'a str) -> &'a str) -> Map<String, Value> {
    args.iter().map(|(name, value)| (new(name).to_owned(), value.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn names_go_there_and_back() {
        assert_eq!(to_dialect("gemini-cli", "Bash", None), "run_shell_command");
        assert_eq!(from_dialect("gemini-cli", "grep"), "Grep");
        assert_eq!(to_dialect("gemini-cli", "mcp__x__y", None), "mcp__x__y");
        assert_eq!(from_dialect("copilot", "str_replace"), "Edit");
        assert_eq!(from_dialect("cursor", "Task"), "Agent");
        assert!(names("claude-code", "Agent").any(|name| name == "Task"));
        assert_eq!(names("cocode", "Bash").count(), 0);
    }

    #[test]
    fn an_older_name_of_a_tool_stays_and_is_known() {
        assert_eq!(seen("claude-code", "Task"), "Task");
        assert_eq!(seen("cursor", "Task"), "Agent");
        assert_eq!(seen("claude-code", "KillBash"), "KillBash");
        assert_eq!(seen("copilot", "task"), "Agent");
        assert_eq!(seen("gemini-cli", "run_shell_command"), "Bash");
        assert_eq!(to_dialect("claude-code", "Task", None), "Task");
        assert_eq!(to_dialect("claude-code", "Agent", None), "Agent");
        assert_eq!(to_dialect("copilot", "Task", None), "task");
        assert_eq!(to_dialect("codex", "Edit", None), "apply_patch");
        for row in TOOLS.iter().filter(|row| row.dialect == "claude-code") {
            assert_eq!(aliases(row.ours), row.theirs, "the names of {} are those of the table", row.ours);
        }
        // Which arguments a tool has does not hang on its name.
        let args = object(&json!({"subagent_type": "a"}));
        assert_eq!(args_to_dialect("copilot", "Task", None, &args).keys().next().unwrap(), "agent_type");
    }

    #[test]
    fn a_hosts_own_tool_is_the_known_one_in_every_dialect() {
        let shell = ToolDefinition {
            name: "sh".into(),
            same_as: Some("Bash".into()),
            command: Some("cmd".into()),
            ..ToolDefinition::default()
        };
        assert_eq!(to_dialect("gemini-cli", "sh", Some(&shell)), "run_shell_command");
        let args = object(&json!({"cmd": "rm", "command": "ls"}));
        let theirs = args_to_dialect("gemini-cli", "sh", Some(&shell), &args);
        assert_eq!(Value::Object(theirs.clone()), json!({"command": "rm", "cmd": "ls"}));
        assert_eq!(args_from_dialect("gemini-cli", "sh", Some(&shell), &theirs), args);
    }

    #[test]
    fn arguments_go_there_and_back_through_both_renamings() {
        let edit = ToolDefinition {
            name: "patch".into(),
            same_as: Some("Edit".into()),
            paths: vec!["target".into(), "second".into()],
            ..ToolDefinition::default()
        };
        let args = object(&json!({"target": "a.rs", "old_string": "x", "new_string": "y", "file_path": "decoy"}));
        let theirs = args_to_dialect("copilot", "patch", Some(&edit), &args);
        assert_eq!(theirs.get("path"), Some(&json!("a.rs")));
        assert_eq!(theirs.get("old_str"), Some(&json!("x")));
        assert_eq!(args_from_dialect("copilot", "patch", Some(&edit), &theirs), args);
    }

    #[test]
    fn tools_that_are_added_are_known_from_then_on() {
        const FIRST: &[ToolName] = &[renamed("added-first", "Bash", &["go"], &[("command", "line")])];
        const SECOND: &[ToolName] = &[same("added-second", "Read", &["look"])];
        assert_eq!(to_dialect("added-first", "Bash", None), "Bash");
        add(FIRST);
        add(SECOND);
        assert_eq!(to_dialect("added-first", "Bash", None), "go");
        assert_eq!(from_dialect("added-second", "look"), "Read");
        assert_eq!(names("added-first", "Bash").collect::<Vec<_>>(), ["go"]);
        let args = object(&json!({"command": "ls"}));
        assert_eq!(args_to_dialect("added-first", "Bash", None, &args).keys().next().unwrap(), "line");
    }

    #[test]
    fn every_row_is_there_once() {
        for (index, row) in TOOLS.iter().enumerate() {
            assert!(!row.theirs.is_empty(), "{row:?}");
            let again =
                TOOLS.iter().skip(index + 1).any(|other| other.dialect == row.dialect && other.ours == row.ours);
            assert!(!again, "{row:?} is there twice");
        }
    }
}
