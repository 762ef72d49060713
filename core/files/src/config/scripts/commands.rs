//! The programs that a line starts by their name alone, as far as that can be told without being a shell.

use std::path::Path;

use super::SYSTEM;
use super::programs::{is_assignment, is_reserved};
use super::tokens::{Token, tokens};
use hookweave_exec::command::{CommandLine, CommandSpec, Shell};

/// What shells do themselves.
const BUILT_IN: &[&str] = &[
    "alias", "bg", "break", "cd", "command", "continue", "declare", "echo", "eval", "exec", "exit", "export", "false",
    "fg", "getopts", "hash", "jobs", "kill", "let", "local", "mapfile", "popd", "printf", "pushd", "pwd", "read",
    "readonly", "return", "set", "shift", "shopt", "source", "test", "times", "trap", "true", "type", "typeset",
    "ulimit", "umask", "unalias", "unset", "wait", "done", "fi", "esac", "for", "in", "select",
];

/// Signs of a line in which a word at the beginning may be no program: patterns, arithmetic, lists, functions, texts.
const UNCLEAR: &[&str] = &["<<", "case ", "((", "[[", "=(", "()", "function ", "PATH=", "#"];

/// The longest line that is looked at, in bytes: each name is looked for in all of it.
const MAX_LENGTH: usize = 4096;

/// The names of programs that `PATH` has to find, each once. None where the line is not clear enough to say so.
pub(in crate::config) fn named_programs(command: &CommandSpec) -> Vec<String> {
    let mut names = Vec::new();
    match &command.line {
        CommandLine::Exec { program, .. } => add(&mut names, program),
        CommandLine::Shell { text, shell } => {
            match shell {
                // Its start-up files may say where programs are.
                Shell::Login => return names,
                Shell::Bash => add(&mut names, "bash"),
                _ => {}
            }
            let is_clear = *shell != Shell::PowerShell && text.len() <= MAX_LENGTH;
            if is_clear && !UNCLEAR.iter().any(|sign| text.contains(sign)) {
                line(&mut names, text);
            }
        }
    }
    names
}

/// Whether a word at the beginning of a command is a program of the machine, not one of the project or the shell.
pub(super) fn is_of_machine(word: &str) -> bool {
    let is_named = !word.contains('/') && !BUILT_IN.contains(&word) && !matches!(word, ":" | "}" | "case");
    is_named || SYSTEM.iter().any(|folder| Path::new(word).starts_with(folder))
}

fn line(names: &mut Vec<String>, text: &str) {
    let (mut begins, mut written) = (true, false);
    for token in tokens(text) {
        match token {
            Token::End(_) => begins = true,
            Token::Into => written = true,
            Token::Word(_) if written => written = false,
            Token::Word(word) if begins => {
                begins = is_assignment(&word) || is_reserved(&word);
                let asked = ["command -v ", "which ", "type ", "hash "]
                    .iter()
                    .any(|ask| text.contains(&format!("{ask}{word}")));
                if !begins && !asked && !BUILT_IN.contains(&word.as_str()) {
                    add(names, &word);
                }
            }
            Token::Word(_) => {}
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
        assert_eq!(of("[ -f a ] || exit 0"), "");
    }

    #[test]
    fn what_is_not_clear_or_asked_for_is_not_named() {
        for text in [
            "a() { b; }; a",
            "case $x in a|b) c;; esac",
            "cat <<E\nx\nE",
            "$X y",
            "PATH=/x:$PATH; a",
            "command -v jq || exit; jq .",
        ] {
            assert_eq!(of(text).replace("exit", ""), "", "{text}");
        }
    }
}
