//! What programs do with the files that their arguments name.

use std::borrow::Cow;

use hookweave_command::{Simple, Word, program_name};

/// Programs that only read what their arguments name.
const READ: &[&str] = &[
    ".",
    "[",
    "[[",
    "ack",
    "ag",
    "awk",
    "base64",
    "basename",
    "bat",
    "cat",
    "cd",
    "cksum",
    "cmp",
    "column",
    "comm",
    "cut",
    "diff",
    "dir",
    "dirname",
    "du",
    "echo",
    "egrep",
    "eza",
    "false",
    "fd",
    "fgrep",
    "file",
    "fold",
    "gawk",
    "grep",
    "head",
    "hexdump",
    "jq",
    "less",
    "ls",
    "lsattr",
    "md5sum",
    "mkdir",
    "more",
    "nl",
    "od",
    "paste",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "readlink",
    "realpath",
    "rg",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "shellcheck",
    "sort",
    "source",
    "stat",
    "strings",
    "tac",
    "tail",
    "test",
    "tr",
    "tree",
    "true",
    "type",
    "uniq",
    "wc",
    "which",
    "xxd",
    "yq",
    "zcat",
];

/// Programs that write what their arguments name; others that are in neither list may.
const WRITE: &[&str] = &[
    "chgrp", "chmod", "chown", "cp", "dd", "ed", "ex", "install", "ln", "mv", "nano", "patch", "perl", "rm", "rmdir",
    "rsync", "ruby", "sed", "shred", "sponge", "tee", "touch", "truncate", "unlink", "vi", "vim",
];

/// Programs that take away the folders that they are given, with all that is in them.
const REMOVE: &[&str] = &["mv", "rm", "rmdir", "shred", "unlink"];

/// Programs that put what they are given into the last one.
const PUT: &[&str] = &["cp", "install", "ln", "mv", "rsync"];

/// Programs whose first argument is a script that they run.
const RUN: &[&str] = &["bash", "bun", "dash", "deno", "ksh", "node", "python", "python3", "ruby", "sh", "zsh"];

/// What git does with files without changing them.
const GIT_READS: &[&str] = &[
    "add",
    "annotate",
    "blame",
    "branch",
    "cat-file",
    "check-attr",
    "check-ignore",
    "commit",
    "describe",
    "diff",
    "fetch",
    "grep",
    "hash-object",
    "log",
    "ls-files",
    "ls-tree",
    "push",
    "remote",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "status",
    "tag",
];

/// What a command does to files.
pub(super) enum Use<'c> {
    /// It changes none that its words name.
    Nothing,
    /// It changes what a policy is made of, whatever else its words say.
    Policy,
    /// Which files it changes does not stand in its words.
    Unknown,
    /// It may change these.
    Files(Changes<'c>),
}

/// What the words of a command name.
#[derive(Default)]
pub(super) struct Changes<'c> {
    /// Files that it may write.
    pub(super) written: Vec<Cow<'c, Word>>,
    /// Folders that it takes away, with all that is in them.
    pub(super) removed: Vec<Cow<'c, Word>>,
    /// Files that it writes if the other word is a folder.
    pub(super) put: Vec<(Cow<'c, Word>, Cow<'c, Word>)>,
}

impl<'c> Changes<'c> {
    const fn of(written: Vec<Cow<'c, Word>>) -> Use<'c> {
        Use::Files(Self { written, removed: Vec::new(), put: Vec::new() })
    }
}

/// Whether a command's program is known to change what its words name.
pub(super) fn is_writer(command: &Simple) -> bool {
    running(command).is_some_and(|(program, args, _)| match program {
        "awk" | "find" | "gawk" | "gfind" | "git" | "gsed" | "sort" | "yq" => true,
        "perl" | "ruby" => args.iter().any(|word| edits_in_place(&word.plain)),
        _ => WRITE.contains(&program),
    })
}

/// What a command may write.
pub(super) fn usage(command: &Simple) -> Use<'_> {
    let Some((program, args, is_fed)) = running(command) else { return Use::Nothing };
    let known = |list: &[&str]| list.contains(&program);
    let has = |test: fn(&str) -> bool| args.iter().any(|word| test(&word.plain));
    match program {
        "hookweave" if changes_policy(args) => return Use::Policy,
        "hookweave" if !has(|word| word == "--fix" || word.starts_with("-o") || word.starts_with("--out")) => {
            return Use::Nothing;
        }
        "git" => return git(args),
        "find" | "gfind" if !has(is_action) => return Use::Nothing,
        "sed" | "gsed" if !has(edits_in_place) => return Use::Nothing,
        "awk" | "gawk" if has(|word| word == "inplace") => return Changes::of(operands(args)),
        "sort" if has(|word| word.starts_with("-o")) => return Changes::of(operands(args)),
        "yq" if has(edits_in_place) => return Changes::of(operands(args)),
        _ if known(READ) => return Use::Nothing,
        _ if is_fed => return Use::Unknown,
        _ => {}
    }
    let mut words = operands(args);
    if known(RUN) && !words.is_empty() {
        words.remove(0);
    }
    let mut removed = if known(REMOVE) || program == "find" { words.clone() } else { Vec::new() };
    if known(PUT) {
        // What something is put into stays.
        removed.pop();
        let (written, put) = put(program, args, words);
        return Use::Files(Changes { written, removed, put });
    }
    Use::Files(Changes { written: words, removed, put: Vec::new() })
}

/// Programs that say the names that they are given, and read no file.
const SAY: &[&str] = &[
    "basename", "cd", "dirname", "echo", "false", "mkdir", "popd", "printf", "pushd", "pwd", "touch", "true", "type",
    "which",
];

/// The words of a command that name what it may read: any, unless it is known to read none.
pub(super) fn read_words(command: &Simple) -> Vec<Cow<'_, Word>> {
    match running(command) {
        Some((program, args, _)) if !SAY.contains(&program) => operands(args),
        _ => Vec::new(),
    }
}

/// The program that a command runs, with its arguments: for one that runs another, the other.
pub(super) fn running(command: &Simple) -> Option<(&str, &[Word], bool)> {
    let mut calls = command.calls().map(|(program, args, is_fed)| (program_name(program), args, is_fed));
    let first = calls.next()?;
    let is_find = matches!(first.0, "find" | "gfind");
    if !command.wraps() || is_find && !first.1.iter().any(|word| is_action(&word.plain)) {
        return Some(first);
    }
    // `.` is a folder here.
    let reads = |name: &str| READ.contains(&name) && name != ".";
    let is_known = |name: &str| {
        reads(name)
            || super::readers::is_reader(name)
            || WRITE.contains(&name)
            || RUN.contains(&name)
            || matches!(name, "git" | "hookweave")
    };
    match calls.find(|(name, ..)| is_known(name)) {
        // What writes counts for all words of the command: `find x -exec rm {} \;`.
        Some((name, _, is_fed)) if is_find && WRITE.contains(&name) => Some((name, first.1, is_fed)),
        Some(known) => Some(known),
        None => Some(first),
    }
}

/// Whether a word of `find` says what is done with what it finds.
fn is_action(word: &str) -> bool {
    word == "-delete"
        || word.starts_with("-exec")
        || word.starts_with("-ok")
        || word.starts_with("-fprint")
        || word == "-fls"
}

fn edits_in_place(option: &str) -> bool {
    let short = option.strip_prefix('-').filter(|short| !short.starts_with('-'));
    option.starts_with("--in-place")
        || short.is_some_and(|short| short.split(['e', 'f']).next().unwrap_or_default().contains('i'))
}

/// The words that may name files: no options, but what stands behind their `=`; not what is left out.
pub(super) fn operands(args: &[Word]) -> Vec<Cow<'_, Word>> {
    let mut words = Vec::new();
    let mut is_left_out = false;
    let mut are_options = true;
    for word in args {
        let text = word.plain.as_str();
        if std::mem::take(&mut is_left_out) {
            continue;
        }
        if text == "--" {
            are_options = false;
        } else if text.starts_with("--exclude") {
            is_left_out = !text.contains('=');
        } else if let Some((name, value)) = text.split_once('=').filter(|(name, _)| !name.contains('/')) {
            if name != "if" {
                words.push(Cow::Owned(word.with(value)));
            }
        } else if !(are_options && text.starts_with('-')) {
            words.push(Cow::Borrowed(word));
        }
    }
    words
}

/// What `cp` and its kin write: the last word, or what is given below it; `mv` and `ln` what they are given too.
fn put<'w>(program: &str, args: &'w [Word], mut words: Vec<Cow<'w, Word>>) -> PutWords<'w> {
    let has_target = args.iter().any(|word| word.plain.starts_with("-t") || word.plain.starts_with("--target"));
    if has_target {
        return (words, Vec::new());
    }
    let Some(last) = words.pop() else { return (words, Vec::new()) };
    let below = words.iter().filter_map(|source| {
        let name = source.plain.trim_end_matches('/').rsplit('/').next()?;
        Some((last.clone(), Cow::Owned(source.with(&format!("{}/{name}", last.plain)))))
    });
    let below = below.collect();
    if !matches!(program, "mv" | "ln") {
        words.clear();
    }
    words.push(last);
    (words, below)
}

/// What is written, and what is if the folder beside it is one.
type PutWords<'w> = (Vec<Cow<'w, Word>>, Vec<(Cow<'w, Word>, Cow<'w, Word>)>);

fn git(args: &[Word]) -> Use<'_> {
    let mut rest = args;
    while let Some((word, behind)) = rest.split_first() {
        match word.plain.as_str() {
            "-c" | "-C" | "--git-dir" | "--work-tree" => {
                if behind.first().is_some_and(|value| names_hooks_path(&value.plain)) {
                    return Use::Policy;
                }
                rest = behind.get(1..).unwrap_or_default();
            }
            option if option.starts_with('-') => rest = behind,
            "config" => {
                return if sets_hooks_path(behind) { Use::Policy } else { Changes::of(operands(behind)) };
            }
            verb if GIT_READS.contains(&verb) => return Use::Nothing,
            verb => {
                let written = operands(behind);
                let removed = if matches!(verb, "rm" | "mv") { written.clone() } else { Vec::new() };
                return Use::Files(Changes { written, removed, put: Vec::new() });
            }
        }
    }
    Use::Nothing
}

/// Git's setting of the folder in which it finds hooks.
fn names_hooks_path(word: &str) -> bool {
    word.to_ascii_lowercase().starts_with("core.hookspath")
}

/// Whether `git config` changes where hooks are found.
fn sets_hooks_path(args: &[Word]) -> bool {
    let Some(at) = args.iter().position(|word| names_hooks_path(&word.plain)) else { return false };
    let asks = |word: &Word| word.plain.starts_with("--get") || matches!(word.plain.as_str(), "get" | "-l" | "--list");
    let takes_away = |word: &Word| word.plain.starts_with("--unset") || word.plain == "unset";
    !args.iter().any(asks) && (args.len() > at + 1 || args.iter().any(takes_away))
}

/// Whether a command of hookweave changes the policy, its approvals or agents' settings.
fn changes_policy(args: &[Word]) -> bool {
    let mut verbs = args.iter().map(|word| word.plain.as_str()).filter(|word| !word.starts_with('-'));
    match verbs.next() {
        Some("trust") => verbs.next().is_some_and(|verb| matches!(verb, "approve" | "revoke")),
        Some(verb) => matches!(verb, "init" | "install" | "uninstall"),
        None => false,
    }
}
