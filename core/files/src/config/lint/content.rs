//! Rules about what a hook runs: its scripts' places, exit codes, answers and variables.

use super::{Findings, Hook};
use crate::config::scripts::{is_executable, named_programs, named_scripts};
use crate::config::tree::read_text;
use crate::config::{Run, guard::identity};
use hookweave_exec::command::{CommandLine, CommandSpec};
use hookweave_machine::tool_names;

/// Fields in which hooks of a dialect answer in vain, and where its answer stands instead.
const UNREAD: &[(&str, &[&str], &str)] = &[
    ("gemini-cli", &["permissionDecision"], "a top-level `decision` (`deny` or `block`) with a `reason`"),
    ("gemini-cli", &["updatedInput"], "`hookSpecificOutput.tool_input`"),
    (
        "cursor",
        &["permissionDecision", "hookSpecificOutput"],
        "a top-level `permission` (`deny`) with `user_message` and `agent_message`",
    ),
    ("cursor", &["updatedInput"], "`updated_input`"),
    ("copilot", &["updatedInput"], "`modifiedArgs`"),
    (
        "wingman",
        &["permissionDecision", "hookSpecificOutput", "updatedInput"],
        "exit code 2 with the reason on standard error",
    ),
    (
        "cocode",
        &["permissionDecision", "hookSpecificOutput", "updatedInput"],
        "`{\"Reject\": {\"reason\": …}}` or `{\"ModifyInput\": {\"new_input\": …}}`",
    ),
    (
        "hookweave",
        &["permissionDecision", "hookSpecificOutput", "updatedInput"],
        "`action` and `modified`, or set dialect = \"claude-code\"",
    ),
];

/// Variables that published hooks read and that are never set.
const NEVER_SET: &[&str] = &[
    "CLAUDE_TOOL_INPUT",
    "CLAUDE_TOOL_NAME",
    "CLAUDE_TOOL_OUTPUT",
    "CLAUDE_TOOL_ARGS",
    "CLAUDE_TOOL_RESULT",
    "CLAUDE_FILE_PATHS",
    "CLAUDE_FILE_PATH",
    "CLAUDE_MODEL",
    "CLAUDE_EVENT_TYPE",
    "CLAUDE_HOOK_EVENT",
    "CLAUDE_NOTIFICATION",
    "CLAUDE_PROMPT",
    "CLAUDE_USER_PROMPT",
];

/// Fields with what a hook runs.
const RUNS: &[&str] = &["command", "bash", "linux", "osx", "windows", "powershell", "shell", "exec"];

/// Whether a program ends with a code, as shells, Python and Node write it.
fn exits_with(text: &str, code: char) -> bool {
    ["exit ", "exit("].iter().any(|word| {
        text.match_indices(word).any(|(at, _)| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let mut rest = text.get(at + word.len()..).unwrap_or_default().chars();
            let own_word = before.is_none_or(|c| !c.is_alphanumeric() && c != '_');
            own_word && rest.next() == Some(code) && !rest.next().is_some_and(|c| c.is_ascii_digit())
        })
    })
}

/// Dialects in which every exit code but 0 refuses.
const ANY_CODE_BLOCKS: &[&str] = &["cocode"];

pub(super) fn check(hook: &Hook<'_>, findings: &mut Findings<'_>) {
    let Run::Command(command) = &hook.declared.run else { return };
    let line = match &command.line {
        CommandLine::Shell { text, .. } => text.clone(),
        CommandLine::Exec { program, args } => format!("{program} {}", args.join(" ")),
    };
    let mut texts = vec![line];
    for script in named_scripts(hook.declared, hook.roots) {
        // A name with spaces is rather a quoted command.
        let quoted = script.path.to_str().is_some_and(|path| path.contains(char::is_whitespace));
        if identity(&script.path).is_none() && quoted {
            continue;
        }
        if identity(&script.path).is_none() {
            findings.add_at(
                "script-missing",
                RUNS,
                format!(
                    "{} is not there; the hook cannot run: write its path, or take the hook out",
                    script.path.display()
                ),
            );
        } else if script.direct && !is_executable(&script.path) {
            let path = script.path.display();
            findings.add_at("script-not-executable", RUNS, format!("{path} cannot be started; run `chmod +x {path}`"));
        }
        texts.extend(read_text(&script.path));
    }
    check_programs(command, findings);
    let dialect = hook.declared.dialect.name();
    let text = texts.join("\n");
    check_exits(hook, dialect, &text, findings);
    for (_, fields, instead) in UNREAD.iter().filter(|(of, _, _)| *of == dialect) {
        for field in fields.iter().filter(|field| has_word(&text, field)) {
            findings.add_at("unread-field", RUNS, format!("{dialect} does not read `{field}`; it reads {instead}"));
        }
    }
    check_variables(dialect, &text, findings);
    check_names(dialect, &text, findings);
}

/// A shell that does not find a program ends with 127, which most systems take for a pass.
fn check_programs(command: &CommandSpec, findings: &mut Findings<'_>) {
    let own = command.env.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.into());
    let Some(path) = own.or_else(|| std::env::var_os("PATH")) else { return };
    let folders: Vec<_> = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
    let endings: &[&str] = if cfg!(windows) { &["", ".exe", ".cmd", ".bat", ".com"] } else { &[""] };
    for name in named_programs(command) {
        let found = |folder: &std::path::PathBuf| {
            endings.iter().any(|ending| is_executable(&folder.join(format!("{name}{ending}"))))
        };
        if !folders.iter().any(found) {
            let what = format!("PATH finds no program `{name}`; the hook cannot run: install it, or write its path");
            findings.add_at("program-missing", RUNS, what);
        }
    }
}

fn check_exits(hook: &Hook<'_>, dialect: &str, text: &str, findings: &mut Findings<'_>) {
    let event = hookweave_machine::event::BUILT_IN.iter().find(|known| known.name == hook.declared.spec.event);
    let gate = event.is_none_or(|event| event.gate);
    if !gate || hook.declared.spec.detached || ANY_CODE_BLOCKS.contains(&dialect) {
        return;
    }
    let fails_closed = hook.declared.spec.fail_behavior == Some(hookweave_machine::hook::FailBehavior::Block);
    let answers = ["permissionDecision", "decision", "\"action\"", "permission"].iter().any(|word| text.contains(word));
    if exits_with(text, '1') && !exits_with(text, '2') && !fails_closed && !answers {
        findings.add_at(
            "exit-one-guard",
            RUNS,
            "it exits with 1, which is an error and does not block; exit with 2 to block",
        );
    }
}

fn check_variables(dialect: &str, text: &str, findings: &mut Findings<'_>) {
    for name in NEVER_SET.iter().filter(|name| has_word(text, name)) {
        findings.add_at(
            "unknown-variable",
            RUNS,
            format!("no system sets `{name}`; read the event from standard input, as JSON"),
        );
    }
    if dialect == "codex" && has_word(text, "CLAUDE_PROJECT_DIR") {
        findings.add_at(
            "unknown-variable",
            RUNS,
            "Codex does not set `CLAUDE_PROJECT_DIR`; use `$(git rev-parse --show-toplevel)`",
        );
    }
}

/// A script that waits for `"Bash"` never sees it where that tool is `run_shell_command`.
fn check_names(dialect: &str, text: &str, findings: &mut Findings<'_>) {
    for ours in ["Bash", "Edit", "Write", "Read"] {
        let theirs: Vec<_> = tool_names::rows()
            .filter(|tool| tool.dialect == dialect && tool.ours == ours)
            .flat_map(|tool| tool.theirs)
            .collect();
        let Some(first) = theirs.first() else { continue };
        let quoted = [format!("\"{ours}\""), format!("'{ours}'")];
        let waits = quoted.iter().any(|word| text.contains(word.as_str()));
        if waits && text.contains("tool_name") && !theirs.iter().any(|name| **name == ours || has_word(text, name)) {
            findings.add_at(
                "foreign-tool-name",
                RUNS,
                format!("it waits for the tool `{ours}`, which {dialect} calls `{first}`"),
            );
        }
    }
}

fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}
