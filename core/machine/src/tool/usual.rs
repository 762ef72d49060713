//! What agents and SDKs usually call the tools that the engine knows, and their arguments: one table.
//!
//! A host whose shell is `bash` or `run_shell_command` expects a rule for `Bash` to hold for it. Names are written here in
//! `snake_case` and known in every usual case (`run-shell-command`, `runShellCommand`, `RunShellCommand`). What a host says
//! with `define_tool` wins over this table.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use super::{Tool, ToolDefinition};

/// Tools that are one known tool, or several.
struct Row {
    /// The engine's names.
    ours: &'static [&'static str],
    /// Usual names.
    names: &'static [&'static str],
}

const USUAL: &[Row] = &[
    Row {
        ours: &["Bash"],
        names: &[
            "bash",
            "bash_command",
            "bash_tool",
            "cmd",
            "container_exec",
            "create_and_run_task",
            "exec_command",
            "execute_bash",
            "execute_command",
            "execute_shell",
            "execute_shell_command",
            "local_shell",
            "run_bash",
            "run_bash_command",
            "run_cmd",
            "run_command",
            "run_in_terminal",
            "run_shell",
            "run_shell_command",
            "run_terminal_cmd",
            "run_terminal_command",
            "sh",
            "shell",
            "shell_command",
            "shell_exec",
            "shell_tool",
            "terminal",
            "unified_exec",
            "zsh",
        ],
    },
    Row {
        ours: &["PowerShell"],
        names: &["execute_powershell", "power_shell", "powershell", "pwsh", "run_powershell"],
    },
    Row {
        ours: &["Read"],
        names: &[
            "file_read",
            "fs_read",
            "open_file",
            "read",
            "read_file",
            "read_files",
            "read_text_file",
            "view",
            "view_file",
        ],
    },
    Row {
        ours: &["Write"],
        names: &[
            "create",
            "create_file",
            "file_write",
            "fs_write",
            "save_file",
            "write",
            "write_file",
            "write_text_file",
            "write_to_file",
        ],
    },
    Row {
        ours: &["Edit"],
        names: &[
            "edit",
            "edit_file",
            "file_edit",
            "insert_edit_into_file",
            "modify_file",
            "multi_replace_string_in_file",
            "replace",
            "replace_in_file",
            "replace_string_in_file",
            "search_and_replace",
            "search_replace",
            "str_replace",
        ],
    },
    // Which of them a call is stands in its arguments, so a rule for any of them has to see it.
    Row {
        ours: &["Edit", "Write", "Read"],
        names: &["str_replace_based_edit_tool", "str_replace_editor", "text_editor"],
    },
    Row { ours: &["Edit", "Write"], names: PATCHES },
    Row { ours: &["MultiEdit"], names: &["multi_edit"] },
    Row { ours: &["NotebookEdit"], names: &["edit_notebook", "notebook_edit"] },
    Row { ours: &["Glob"], names: &["file_search", "find_by_name", "find_files", "glob", "glob_file_search"] },
    Row {
        ours: &["Grep"],
        names: &[
            "find_in_files",
            "grep",
            "grep_search",
            "rg",
            "ripgrep",
            "search_code",
            "search_file_content",
            "search_files",
        ],
    },
    Row { ours: &["LS"], names: &["list_dir", "list_directory", "list_files", "ls", "read_dir"] },
    Row {
        ours: &["WebFetch"],
        names: &["fetch", "fetch_url", "fetch_webpage", "http_get", "read_url_content", "url_fetch", "web_fetch"],
    },
    Row { ours: &["WebSearch"], names: &["google_search", "google_web_search", "search_web", "web_search"] },
    Row { ours: &["Agent", "Task"], names: &["agent", "dispatch_agent", "new_task", "spawn_agent", "task"] },
    Row { ours: &["TodoWrite"], names: &["todo_write", "write_todos"] },
];

/// Tools whose paths stand in the text of a patch.
const PATCHES: &[&str] = &["apply_diff", "apply_patch", "patch"];

/// Tools that cannot do anything without a file.
pub(crate) const OF_FILES: &[&str] = &["Read", "Write", "Edit", "MultiEdit", "NotebookEdit"];

/// Other tools that agents have, by the engine's names.
const FURTHER: &[&str] = &[
    "AskUserQuestion",
    "BashOutput",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "KillShell",
    "ListMcpResources",
    "LSP",
    "Monitor",
    "NotebookRead",
    "ReadMcpResource",
    "SendMessage",
    "Skill",
    "SlashCommand",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoRead",
    "ToolSearch",
];

/// How an argument holds what a call runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// A command line, or the words of one.
    Line,
    /// Several lines.
    Lines,
    /// An object with a command.
    Command,
    /// A program whose words stand apart.
    Program,
    /// Such words.
    Words,
    /// What is typed into a shell.
    Typed,
}

/// Arguments that hold what a call runs, in every tool and case, nearest first.
const RUN: &[(Holds, &[&str])] = &[
    (Holds::Line, &["command", "cmd", "command_line", "cmd_line", "shell_command", "bash_command"]),
    (Holds::Lines, &["commands", "cmds", "command_lines"]),
    (Holds::Command, &["task"]),
    (Holds::Program, &PROGRAMS),
    (Holds::Words, &WORDS_APART),
];

/// The same of shells.
const RUN_BY_SHELLS: &[(Holds, &[&str])] = &[(Holds::Line, &["script", "code"])];

/// The same of tools that type into a shell.
const RUN_WHEN_TYPED: &[(Holds, &[&str])] = &[(Holds::Typed, &["chars", "input", "text", "keys", "data"])];

/// Arguments that hold the words of a command apart from its program.
pub const WORDS_APART: [&str; 4] = ["args", "arguments", "argv", "parameters"];

/// Arguments that hold a program whose words stand apart.
pub const PROGRAMS: [&str; 2] = ["program", "executable"];

/// Tools that type into a shell that runs.
const TYPING: &[&str] = &[
    "process_write",
    "send_input",
    "send_keys",
    "send_stdin",
    "send_to_terminal",
    "terminal_input",
    "terminal_send",
    "terminal_write",
    "type_in_terminal",
    "write_stdin",
    "write_to_process",
    "write_to_terminal",
];

/// Arguments that name what in a page or a window is typed into, which is no shell.
const ELEMENTS: &[&str] = &["by", "css", "element", "locator", "ref", "selector", "uid", "xpath"];

/// What tools are to guards only: names of shells that other tools may have too, and readers that systems of hooks call so.
const ALIKE: &[Row] = &[
    Row { ours: &["Bash"], names: &["command", "console", "exec", "execute", "execute_script", "run", "run_script"] },
    Row { ours: &["Bash"], names: TYPING },
    Row { ours: &["Read"], names: &["read_many_files"] },
    Row { ours: &["ReadMcpResource"], names: &["access_mcp_resource", "read_mcp_resource", "read_resource"] },
];

/// What runs code in a command line, by language. A shell's code is a line itself.
const PYTHON: &[&str] = &["python3 -c"];
const JAVASCRIPT: &[&str] = &["node -e"];
const SHELLS_CODE: &[&str] = &[SHELL];
const LANGUAGES: &[(&str, &[&str])] = &[
    ("bash", SHELLS_CODE),
    ("javascript", JAVASCRIPT),
    ("js", JAVASCRIPT),
    ("node", JAVASCRIPT),
    ("nodejs", JAVASCRIPT),
    ("perl", &["perl -e"]),
    ("php", &["php -r"]),
    ("py", PYTHON),
    ("python", PYTHON),
    ("ruby", &["ruby -e"]),
    ("sh", SHELLS_CODE),
    ("shell", SHELLS_CODE),
    ("ts", JAVASCRIPT),
    ("typescript", JAVASCRIPT),
    ("zsh", SHELLS_CODE),
];

/// Stands for a shell, which needs no program to run its code.
pub(crate) const SHELL: &str = "sh";

/// What runs code of a language that the call does not say, or that is not known.
pub(crate) const ANY_LANGUAGE: &[&str] = &["python3 -c", "node -e"];

/// Tools that run code, by the last part of their names, behind what runs the same code in a command line.
const INTERPRETERS: &[(&[&str], &[&str])] = &[
    (
        PYTHON,
        &[
            "code_interpreter",
            "execute_cell",
            "execute_python",
            "execute_python_code",
            "ipython",
            "jupyter",
            "jupyter_execute",
            "python",
            "python3",
            "python_exec",
            "python_interpreter",
            "python_repl",
            "python_repl_ast",
            "python_tool",
            "run_cell",
            "run_python",
            "run_python_code",
        ],
    ),
    (ANY_LANGUAGE, &["code_runner", "eval", "exec_code", "execute_code", "run_code"]),
    (JAVASCRIPT, &["execute_javascript", "javascript", "node", "node_repl", "run_javascript", "run_js", "run_node"]),
];

/// Arguments of theirs that hold the code.
pub(crate) const CODES: [&str; 8] =
    ["code", "cell", "input", "python_code", "query", "script", "source", "source_code"];

/// Arguments that hold paths, in every case, those that tools with usual names have first.
const PATHS: &[&str] = &[
    "file_path",
    "file_name",
    "file",
    "target_file",
    "absolute_path",
    "relative_workspace_path",
    "dir_path",
    "directory",
    "dir",
    "target_directory",
    "directory_path",
    "body_file",
    "dest",
    "destination",
    "destination_file",
    "destination_path",
    "dest_path",
    "dst",
    "dst_path",
    "file_names",
    "file_paths",
    "files",
    "folder",
    "folder_path",
    "folders",
    "from",
    "from_path",
    "in_file",
    "input_file",
    "input_path",
    "local_file",
    "local_path",
    "new_path",
    "notebook_path",
    "old_path",
    "out_file",
    "output_dir",
    "output_file",
    "output_path",
    "path",
    "paths",
    "relative_path",
    "source",
    "source_file",
    "source_path",
    "src",
    "src_path",
    "target_folder",
    "target_path",
    "to",
    "to_path",
];

/// Those of them that mean something else in other tools: a number or an object in one is no path.
const OTHER_THINGS_TOO: &[&str] = &["dest", "destination", "dst", "folder", "folders", "from", "source", "src", "to"];

/// Arguments that hold the folder in which a call works, in every case.
const FOLDERS: &[&str] = &[
    "base_dir",
    "base_directory",
    "base_folder",
    "base_path",
    "chdir",
    "current_directory",
    "cwd",
    "project_dir",
    "project_path",
    "project_root",
    "repo_path",
    "root",
    "root_dir",
    "root_directory",
    "root_path",
    "workdir",
    "work_folder",
    "working_dir",
    "working_directory",
    "workspace",
    "workspace_dir",
    "workspace_folder",
    "workspace_path",
    "workspace_root",
];

/// The same of shells, which take no other folder.
const SHELL_FOLDERS: &[&str] = &["dir", "directory", "folder"];

/// Arguments of shells that change nothing of what their commands do, whatever their case.
const HARMLESS_BESIDE_COMMANDS: &[&str] = &[
    "background",
    "description",
    "explanation",
    "isbackground",
    "justification",
    "maxoutputlength",
    "maxoutputtokens",
    "mode",
    "reason",
    "runinbackground",
    "thought",
    "timeout",
    "timeoutms",
    "timeoutseconds",
    "yieldtimems",
];

/// Arguments that hold an address, in every case.
const URL_WORDS: &[&str] = &["href", "link", "uri", "url", "urls"];

/// Arguments that hold a statement for a database, whatever their case.
const STATEMENT_WORDS: &[&str] = &["sql", "sqlquery", "sqlstatement", "sqltext", "statement", "statements"];

/// The same of tools whose names say that they are for databases.
const QUERY_WORDS: &[&str] = &["command", "q", "queries", "query", "querystring", "querytext", "script", "text"];

/// Words in the names of tools for databases, beside those with `sql` or `db` in them.
const DATABASES: &[&str] = &[
    "bigquery",
    "clickhouse",
    "cockroach",
    "database",
    "databases",
    "neon",
    "oracle",
    "pg",
    "planetscale",
    "postgres",
    "prisma",
    "query",
    "redshift",
    "snowflake",
    "supabase",
    "trino",
    "turso",
];

/// Words for every tool, which no tool is called.
const EVERY: &[&str] = &["default", "everything", "otherwise"];

/// The tools that run command lines.
pub(crate) const SHELLS: &[&str] = &["Bash", "PowerShell", "Monitor"];

/// Every usual name in every usual case.
static BY_NAME: LazyLock<FxHashMap<String, Tool>> = LazyLock::new(|| {
    let tools = USUAL.iter().flat_map(|row| row.names.iter().map(move |name| (row, *name)));
    tools.flat_map(|(row, name)| cases(name).into_iter().map(move |case| (case, tool(row, name)))).collect()
});

fn tool(row: &Row, name: &str) -> Tool {
    Tool {
        same_as: row.ours.iter().map(|name| (*name).to_owned()).collect(),
        commands: Vec::new(),
        paths: Vec::new(),
        is_patch: PATCHES.contains(&name),
        is_several: row.ours.len() > 1 && !row.ours.contains(&"Agent"),
        schema: None,
    }
}

/// What tools are to guards by the last part of their names: what they usually are, and what they are to guards only.
static BY_LAST_PART: LazyLock<FxHashMap<String, Tool>> = LazyLock::new(|| {
    let rows = ALIKE.iter().flat_map(|row| row.names.iter().map(move |name| (row, *name)));
    let of_rows = rows.flat_map(|(row, name)| cases(name).into_iter().map(move |case| (case, tool(row, name))));
    let own = USUAL.iter().flat_map(|row| row.ours).map(|ours| {
        let row = Row { ours: std::slice::from_ref(ours), names: &[] };
        ((*ours).to_owned(), tool(&row, ours))
    });
    of_rows.chain(own).collect()
});

/// What a tool resembles that has none of the known names, by the last part of its own: `mcp__fs__read_file` reads.
pub(crate) fn alike(name: &str) -> Option<&'static Tool> {
    last_parts(name).find_map(|part| usual(part).or_else(|| BY_LAST_PART.get(part)))
}

/// What runs the code of such a tool in a command line: `python3 -c`.
pub(crate) fn interpreter(name: &str) -> Option<&'static [&'static str]> {
    let is_it = |part: &str, names: &[&str]| names.iter().any(|name| letters(name).eq(letters(part)));
    let of_part = |part| INTERPRETERS.iter().find(|(_, names)| is_it(part, names)).map(|(programs, _)| *programs);
    last_parts(name).find_map(of_part)
}

/// The same of a language, by its name and perhaps a version: `python3`.
pub(crate) fn interpreters_of(language: Option<&str>) -> &'static [&'static str] {
    let name = language.unwrap_or_default().trim().to_lowercase();
    let name = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    LANGUAGES.iter().find(|(known, _)| *known == name).map_or(ANY_LANGUAGE, |(_, programs)| programs)
}

/// A name, and each of its ends that may be the name of a tool.
fn last_parts(name: &str) -> impl Iterator<Item = &str> {
    let ends = name.match_indices("__").map(|(at, sign)| at + sign.len());
    let signs = name.match_indices(['.', '/', ':', '-']).map(|(at, _)| at + 1);
    std::iter::once(0).chain(ends).chain(signs).filter_map(|at| name.get(at..))
}

/// What an argument holds of what a tool of these kinds runs.
pub(crate) fn holds(argument: &str, is_of_shell: bool, is_typed: bool) -> Option<Holds> {
    let further = [(RUN_BY_SHELLS, is_of_shell), (RUN_WHEN_TYPED, is_typed)].into_iter();
    let tables = std::iter::once(RUN).chain(further.filter(|(_, is_one)| *is_one).map(|(table, _)| table));
    tables.flatten().find(|(_, words)| is_word(argument, words)).map(|(holds, _)| *holds)
}

/// Whether an argument that holds what runs has a name by which hooks from files get it too.
pub(crate) fn is_engines_command(argument: &str) -> bool {
    RUN.iter().any(|(holds, words)| match holds {
        Holds::Line | Holds::Lines | Holds::Command => words.first() == Some(&argument),
        Holds::Program => words.contains(&argument),
        Holds::Words | Holds::Typed => false,
    })
}

/// Whether a tool of this name types into a shell, with these arguments.
pub(crate) fn types(name: &str, arguments: &[String]) -> bool {
    let is_one = |part| TYPING.iter().any(|name| letters(name).eq(letters(part)));
    last_parts(name).any(is_one) && !arguments.iter().any(|argument| is_word(argument, ELEMENTS))
}

/// The usual spellings of such arguments, for a tool whose own cannot all be listed.
pub(crate) fn spelled_lines() -> Vec<String> {
    spellings(RUN.iter().chain(RUN_BY_SHELLS).chain(RUN_WHEN_TYPED).flat_map(|(_, words)| *words))
}

/// The same of paths and addresses.
pub(crate) fn spelled() -> Vec<String> {
    spellings(PATHS.iter().chain(URL_WORDS))
}

/// Whether an argument of this name holds a path or several.
pub(crate) fn names_path(argument: &str) -> bool {
    is_word(argument, PATHS)
}

/// Whether an argument of this name holds the folder in which a call works.
pub(crate) fn names_folder(argument: &str, is_of_shell: bool) -> bool {
    is_word(argument, FOLDERS) || is_of_shell && is_word(argument, SHELL_FOLDERS)
}

/// Whether an argument of a shell changes nothing of what its commands do.
pub(crate) fn is_harmless_beside_commands(argument: &str) -> bool {
    is_word(argument, HARMLESS_BESIDE_COMMANDS)
}

/// The usual spellings of such arguments, for a call whose own cannot all be listed.
pub(crate) fn spelled_folders() -> Vec<String> {
    spellings(FOLDERS.iter().chain(SHELL_FOLDERS))
}

/// Whether an argument that may hold a path is something else where it is no text.
pub(crate) fn may_name_no_path(argument: &str) -> bool {
    is_word(argument, OTHER_THINGS_TOO)
}

/// Whether an argument of this name holds an address.
pub(crate) fn names_url(argument: &str) -> bool {
    is_word(argument, URL_WORDS)
}

/// Whether a tool of this name may be given statements for a database: none that the engine knows.
pub(crate) fn may_take_statements(name: &str) -> bool {
    !is_ours(name) && usual(name).is_none()
}

/// Whether the name of a tool says that it is for databases.
pub(crate) fn is_of_databases(name: &str) -> bool {
    let name = name.to_lowercase();
    let mut words = name.split(|letter: char| !letter.is_alphanumeric());
    words.any(|word| word.contains("sql") || word.contains("db") || DATABASES.contains(&word))
}

/// Whether an argument of this name holds a statement.
pub(crate) fn names_statement(argument: &str, is_of_databases: bool) -> bool {
    is_word(argument, STATEMENT_WORDS) || is_of_databases && is_word(argument, QUERY_WORDS)
}

/// The usual spellings of such arguments, for a tool whose own cannot all be listed.
pub(crate) fn spelled_statements() -> Vec<String> {
    spellings(STATEMENT_WORDS.iter().chain(QUERY_WORDS))
}

/// The letters of a name, whatever its case.
fn letters(name: &str) -> impl Iterator<Item = u8> + '_ {
    name.bytes().filter(|byte| !matches!(byte, b'_' | b'-')).map(|byte| byte.to_ascii_lowercase())
}

/// Whether a name is one of these words, in whatever case.
fn is_word(name: &str, words: &[&str]) -> bool {
    words.iter().any(|word| letters(name).eq(letters(word)))
}

/// Words in their usual cases.
fn spellings<'w>(words: impl Iterator<Item = &'w &'w str>) -> Vec<String> {
    let mut spelled: Vec<String> = words.flat_map(|word| cases(word)).collect();
    spelled.sort_unstable();
    spelled.dedup();
    spelled
}

/// `run_command`, `run-command`, `runCommand`, `RunCommand`; none of them the engine's own name.
fn cases(name: &str) -> Vec<String> {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect::<String>()
    };
    let pascal: String = name.split('_').map(capital).collect();
    let first = name.split('_').next().unwrap_or_default();
    let camel = format!("{first}{}", pascal.get(first.len()..).unwrap_or_default());
    let mut cases = vec![name.to_owned(), name.replace('_', "-"), camel, pascal];
    cases.retain(|case| !is_ours(case));
    cases
}

/// Whether the engine itself calls a tool so.
pub(crate) fn is_ours(name: &str) -> bool {
    ours().any(|ours| ours == name)
}

/// The engine's own names of tools.
pub fn ours() -> impl Iterator<Item = &'static str> {
    USUAL.iter().flat_map(|row| row.ours).chain(FURTHER).copied()
}

/// Every name of a tool that needs no definition, in the case of the table.
pub(crate) fn known() -> impl Iterator<Item = &'static str> {
    ours().chain(USUAL.iter().flat_map(|row| row.names).copied())
}

/// The known tool that is usually called so.
pub(crate) fn usual(name: &str) -> Option<&'static Tool> {
    BY_NAME.get(name)
}

/// The known tool of which a name is another case: `bash` and `BASH` are `Bash`, and `web_fetch` is `WebFetch`.
#[must_use]
pub fn in_other_case(name: &str) -> Option<&'static str> {
    ours().find(|ours| letters(name).eq(letters(ours))).filter(|ours| *ours != name)
}

/// What a name of a tool certainly means otherwise: every tool, or a known one with two letters in the wrong order. Other
/// names near a known one may be tools of the host's (`Tasks`).
pub(crate) fn mistaken(name: &str) -> Option<String> {
    if EVERY.iter().any(|word| word.eq_ignore_ascii_case(name)) {
        return Some(format!("`{name}` names no tool: write `*` for every tool"));
    }
    let given: Vec<u8> = letters(name).collect();
    let is_swapped = |ours: &&str| {
        let known: Vec<u8> = letters(ours).collect();
        let at = given.iter().zip(&known).position(|(one, other)| one != other);
        let swapped = at.filter(|_| known.len() == given.len() && known.len() >= 4).map(|at| {
            let mut swapped = given.clone();
            if at + 1 < swapped.len() {
                swapped.swap(at, at + 1);
            }
            swapped
        });
        swapped.is_some_and(|swapped| swapped == known)
    };
    let meant = ours().find(is_swapped)?;
    Some(format!("`{name}` names no tool (did you mean `{meant}`?)"))
}

/// Words in the names of tools, each with the known tool that does such a thing.
const WORDS: &[(&str, &[&str])] = &[
    ("Bash", &["bash", "sh", "shell", "terminal", "cmd", "command", "commands", "exec", "execute"]),
    ("Read", &["read", "view", "cat"]),
    ("Write", &["write", "create", "save"]),
    ("Edit", &["edit", "modify", "replace", "patch"]),
    ("WebFetch", &["fetch", "url", "http", "browse", "download"]),
];

/// The known tool that a tool may be by the words of its name; `None` where they say nothing.
pub(crate) fn likely(name: &str) -> Option<&'static str> {
    let mut words = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_uppercase() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    let is_in = |known: &[&str]| words.split(|c: char| !c.is_alphanumeric()).any(|word| known.contains(&word));
    WORDS.iter().find(|(_, known)| is_in(known)).map(|(ours, _)| *ours)
}

/// What a host would say with `define_tool` of a tool with a usual name, for these arguments.
#[must_use]
pub fn definition(name: &str, args: Option<&Value>) -> Option<ToolDefinition> {
    let none = Map::new();
    let args = args.and_then(Value::as_object).unwrap_or(&none);
    let ours = ["file_path", "notebook_path", "path"];
    let path = ours.iter().find(|name| args.contains_key(**name)).map(|name| (*name).to_owned());
    if OF_FILES.contains(&name) {
        let path = args.keys().find(|name| names_path(name)).filter(|_| path.is_none())?;
        return Some(ToolDefinition::new(name).path(path));
    }
    let tool = usual(name).filter(|tool| !tool.is_patch)?;
    let is_shell = tool.same_as.iter().any(|name| SHELLS.contains(&name.as_str()));
    let named = |word: &&str| args.keys().find(|name| letters(name).eq(letters(word))).cloned();
    let lines = RUN.iter().chain(RUN_BY_SHELLS).filter(|(holds, _)| *holds == Holds::Line);
    let mut lines = lines.flat_map(|(_, words)| *words).filter(|_| is_shell && !args.contains_key("command"));
    let given = || PATHS.iter().filter(|_| !is_shell).find_map(named);
    Some(ToolDefinition {
        same_as: tool.same_as.first().cloned(),
        command: lines.find_map(named),
        paths: path.or_else(given).into_iter().collect(),
        ..ToolDefinition::new(name)
    })
}

/// Whether a tool of this name is usually given a patch.
#[must_use]
pub fn takes_patches(name: &str) -> bool {
    usual(name).is_some_and(|tool| tool.is_patch)
}

/// The addresses that stand in a text, each up to where the next one begins.
pub(crate) fn addresses_in(text: &str) -> impl Iterator<Item = &str> {
    let is_of_scheme = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
    let begin = move |at: usize| text.get(..at).unwrap_or_default().trim_end_matches(is_of_scheme).len();
    let mut begins: Vec<usize> = text.match_indices("://").map(|(at, _)| begin(at)).collect();
    begins.dedup();
    let ends: Vec<usize> = begins.iter().skip(1).copied().chain([text.len()]).collect();
    begins.into_iter().zip(ends).filter_map(move |(begin, end)| {
        let is_end = |letter: char| letter.is_whitespace() || "<>\"`".contains(letter);
        let address = text.get(begin..end)?.split(is_end).next()?;
        Some(address.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '\'', '*']))
    })
}

/// The files that a patch names.
pub(crate) fn patched(patch: &str) -> impl Iterator<Item = &str> {
    const PLACES: &[&str] =
        &["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ", "+++ ", "--- "];
    patch.lines().filter_map(|line| {
        let line = line.trim_start();
        let path = PLACES.iter().find_map(|place| line.strip_prefix(place))?;
        let path = path.split('\t').next().unwrap_or_default().trim();
        let path = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path);
        Some(path).filter(|path| !matches!(*path, "" | "/dev/null"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_usual_name_stands_once_and_is_none_of_the_engines() {
        let mut names: Vec<_> = USUAL.iter().flat_map(|row| row.names.iter().flat_map(|name| cases(name))).collect();
        assert!(names.iter().all(|name| !is_ours(name)));
        names.sort_unstable();
        let all = names.len();
        names.dedup_by(|one, other| one == other && !one.contains(['-', '_']));
        assert!(names.len() <= all && usual("Bash").is_none() && usual("WebFetch").is_none());
        let mut written: Vec<_> = USUAL.iter().flat_map(|row| row.names).collect();
        let all = written.len();
        written.sort_unstable();
        written.dedup();
        assert_eq!(written.len(), all);
    }

    #[test]
    fn every_usual_case_of_a_name_is_known() {
        for name in ["run_shell_command", "run-shell-command", "runShellCommand", "RunShellCommand", "bash", "Shell"] {
            assert_eq!(usual(name).map(|tool| &tool.same_as[..]), Some(&["Bash".to_owned()][..]), "{name}");
        }
        assert!(usual("runshell").is_none() && usual("get_weather").is_none());
    }

    #[test]
    fn the_last_part_of_a_name_says_what_a_tool_resembles() {
        let ours = |name| alike(name).and_then(|tool| tool.same_as.first()).map(String::as_str);
        for name in ["mcp__shell__run", "exec", "Execute", "container.exec", "server/bash", "mcp__a__b__shell", "x-run"]
        {
            assert_eq!(ours(name), Some("Bash"), "{name}");
        }
        assert_eq!(ours("mcp__fs__read_file"), Some("Read"));
        assert_eq!(ours("mcp__fs__Read"), Some("Read"));
        for name in ["mcp__db__query", "rerun", "mcp__fs__", "", "bread"] {
            assert_eq!(ours(name), None, "{name}");
        }
    }

    #[test]
    fn the_words_of_a_name_say_what_a_tool_may_be() {
        for (name, ours) in [
            ("exec", Some("Bash")),
            ("runShell", Some("Bash")),
            ("read_many_files", Some("Read")),
            ("save-note", Some("Write")),
            ("fetchPage", Some("WebFetch")),
            ("computer", None),
            ("jail", None),
        ] {
            assert_eq!(likely(name), ours, "{name}");
            assert!(ours.is_none_or(is_ours));
        }
    }

    #[test]
    fn a_known_name_in_another_case_is_the_tool() {
        assert_eq!(in_other_case("bash"), Some("Bash"));
        assert_eq!(in_other_case("web-fetch"), Some("WebFetch"));
        assert_eq!((in_other_case("task"), in_other_case("BASH")), (Some("Task"), Some("Bash")));
        assert_eq!((in_other_case("shell"), in_other_case("Bash"), in_other_case("apply_patch")), (None, None, None));
    }

    #[test]
    fn an_argument_names_a_path_in_any_case() {
        assert!(["filePath", "FILE_PATH", "target-file", "AbsolutePath", "files"].iter().all(|name| names_path(name)));
        assert!(!["profile", "xpath", "content", "fil\u{212a}"].iter().any(|name| names_path(name)));
        assert!(names_url("URL") && !names_url("curl"));
    }

    #[test]
    fn hooks_from_files_get_the_arguments_by_the_engines_names() {
        let shell = definition("run_command", Some(&json!({"CommandLine": "ls"}))).unwrap();
        assert_eq!((shell.same_as.as_deref(), shell.command.as_deref()), (Some("Bash"), Some("CommandLine")));
        let shell = definition("bash", Some(&json!({"command": "ls", "cmd": "decoy"}))).unwrap();
        assert_eq!(shell.command, None);
        let edit = definition("edit_file", Some(&json!({"target_file": "a"}))).unwrap();
        assert_eq!(edit.paths, ["target_file"]);
        let read = definition("Read", Some(&json!({"filePath": "a"}))).unwrap();
        assert_eq!((read.same_as, read.paths), (None, vec!["filePath".to_owned()]));
        assert_eq!(definition("Read", Some(&json!({"file_path": "a", "file": "b"}))), None);
        assert_eq!(definition("get_weather", None), None);
    }

    #[test]
    fn a_patch_names_its_files() {
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n*** Move to: b.rs\n@@\n--- a/c.rs\n+++ /dev/null\n";
        assert_eq!(patched(patch).collect::<Vec<_>>(), ["src/a.rs", "b.rs", "c.rs"]);
    }
}
