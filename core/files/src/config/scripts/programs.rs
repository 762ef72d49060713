//! The programs that a line starts by their name alone, as far as that can be told without being a shell.

use hookweave_exec::command::{CommandLine, CommandSpec, Shell};

/// What shells do themselves.
const BUILT_IN: &[&str] = &[
    "alias", "bg", "break", "cd", "command", "continue", "declare", "echo", "eval", "exec", "exit", "export", "false",
    "fg", "getopts", "hash", "jobs", "kill", "let", "local", "mapfile", "popd", "printf", "pushd", "pwd", "read",
    "readonly", "return", "set", "shift", "shopt", "source", "test", "times", "trap", "true", "type", "typeset",
    "ulimit", "umask", "unalias", "unset", "wait", "in", "select",
];

/// The longest line that is looked at, in bytes: each name is looked for in all of it.
const MAX_LENGTH: usize = 4096;

/// The names of programs that `PATH` has to find, each once. None where the line is not clear enough to say so.
pub(in crate::config) fn named_programs(command: &CommandSpec) -> Vec<String> {
    let mut names = Vec::new();
    match &command.line {
        CommandLine::Exec { program, .. } => add(&mut names, program),
        // Its start-up files may say where programs are.
        CommandLine::Shell { shell: Shell::Login | Shell::PowerShell, .. } => {}
        CommandLine::Shell { text, shell } => {
            if *shell == Shell::Bash {
                add(&mut names, "bash");
            }
            // A function may be a program of the line's own.
            let is_clear =
                text.len() <= MAX_LENGTH && !["()", "function ", "PATH="].iter().any(|sign| text.contains(sign));
            if is_clear {
                line(&mut names, text);
            }
        }
    }
    names
}

fn line(names: &mut Vec<String>, text: &str) {
    let reading = hookweave_command::read(text);
    for command in reading.line.iter().flat_map(|line| &line.commands) {
        let Some(name) = command.words().first().and_then(|word| word.fixed()) else { continue };
        let asks = ["command -v ", "which ", "type ", "hash "];
        let is_asked_for = asks.iter().any(|ask| text.contains(&format!("{ask}{name}")));
        if !is_asked_for && !BUILT_IN.contains(&name) {
            add(names, name);
        }
    }
}

fn add(names: &mut Vec<String>, name: &str) {
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+'));
    if plain && !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        named_programs(&CommandSpec::shell(text)).join(" ")
    }

    #[test]
    fn programs_stand_where_a_command_begins() {
        assert_eq!(of("guard --strict"), "guard");
        assert_eq!(of("A=1 guard && B=2 other | jq . > out.json 2>&1; cd x; ./a.sh"), "guard other jq");
        assert_eq!(of("if grep -q x; then guard; else exit 2; fi"), "grep guard");
        assert_eq!(of("x=$(git rev-parse HEAD); echo $x"), "git");
        assert_eq!(of("case $x in a|b) c;; esac"), "c");
        assert_eq!(of("cat <<E\nx\nE"), "cat");
        assert_eq!(of("[ -f a ] || exit 0"), "");
    }

    #[test]
    fn what_is_not_clear_or_asked_for_is_not_named() {
        for text in ["a() { b; }; a", "$X y", "PATH=/x:$PATH; a", "command -v jq || exit; jq .", "'open"] {
            assert_eq!(of(text), "", "{text}");
        }
    }
}
