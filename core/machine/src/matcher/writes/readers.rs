//! Programs that are known to read what their words name, and show or send it.

use std::borrow::Cow;

use super::programs::{operands, running};
use hookweave_command::{Simple, Word};

/// Programs that read every file that they are given.
const READ_ALL: &[&str] = &[
    ".",
    "base32",
    "base64",
    "bat",
    "bzip2",
    "cat",
    "cksum",
    "cmp",
    "column",
    "comm",
    "cut",
    "diff",
    "ed",
    "ex",
    "expand",
    "fmt",
    "fold",
    "gzip",
    "hd",
    "head",
    "hexdump",
    "less",
    "md5sum",
    "more",
    "nano",
    "nl",
    "od",
    "paste",
    "pr",
    "rev",
    "sdiff",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "shuf",
    "sort",
    "source",
    "split",
    "strings",
    "tac",
    "tail",
    "tar",
    "uniq",
    "vi",
    "view",
    "vim",
    "vimdiff",
    "wc",
    "xxd",
    "xz",
    "zcat",
    "zip",
];

/// Programs whose first word is what they look for or do, with their options that take a value.
const WITH_SCRIPT: &[(&str, &[&str])] = &[
    ("ack", FIND),
    ("ag", FIND),
    ("awk", AWK),
    ("egrep", FIND),
    ("fgrep", FIND),
    ("gawk", AWK),
    ("grep", FIND),
    ("gsed", &["-l"]),
    ("jq", &["--indent"]),
    ("rg", FIND),
    ("sed", &["-l"]),
    ("yq", &[]),
];

const FIND: &[&str] = &["-A", "-B", "-C", "-D", "-d", "-g", "-m", "-T", "-t", "--glob", "--include", "--type"];

const AWK: &[&str] = &["-F", "-v"];

/// Programs that read all but the last of what they are given.
const COPY: &[&str] = &["cp", "install", "mv", "rsync", "scp"];

/// Programs that send what an option names.
const SEND: &[&str] = &["curl", "wget"];

/// What git shows of the files that its words name.
const GIT_SHOWS: &[&str] = &["annotate", "blame", "cat-file", "diff", "grep", "log", "show"];

/// Whether a program is known to read files.
pub(super) fn is_reader(program: &str) -> bool {
    let is_named = |names: &[&str]| names.contains(&program);
    // `.` is a folder to a program that runs others.
    program != "." && is_named(READ_ALL) || is_named(COPY) || is_named(SEND) || script_of(program).is_some()
}

/// The words of a command that name what it reads.
pub(super) fn words(command: &Simple) -> Vec<Cow<'_, Word>> {
    let Some((program, args, _)) = running(command) else { return Vec::new() };
    if let Some(valued) = script_of(program) {
        return operands_behind_script(args, valued);
    }
    match program {
        "dd" => args.iter().filter_map(|word| behind(word, "if=")).collect(),
        "git" => git(args),
        _ if READ_ALL.contains(&program) => operands(args),
        _ if SEND.contains(&program) => sent(args),
        _ if COPY.contains(&program) => {
            let mut words = operands(args);
            words.pop();
            words
        }
        _ => Vec::new(),
    }
}

fn script_of(program: &str) -> Option<&'static [&'static str]> {
    WITH_SCRIPT.iter().find(|(name, _)| *name == program).map(|(_, valued)| *valued)
}

/// The words that name files where the first one is a script or what is looked for, unless an option gives that.
fn operands_behind_script<'w>(args: &'w [Word], valued: &[&str]) -> Vec<Cow<'w, Word>> {
    let gives = |word: &Word| {
        ["-e", "-f", "--expression", "--file", "--regexp", "--from-file"]
            .iter()
            .any(|option| word.plain.starts_with(option))
    };
    let mut is_script = !args.iter().any(gives);
    let mut is_value = false;
    let mut words = Vec::new();
    for word in args {
        let text = word.plain.as_str();
        if std::mem::take(&mut is_value) {
            continue;
        }
        is_value = valued.contains(&text);
        if text.starts_with('-') {
            continue;
        }
        if !std::mem::take(&mut is_script) {
            words.push(Cow::Borrowed(word));
        }
    }
    words
}

/// A file that is sent: `-d @file`, `-F x=@file`, `-T file`, `file:///file`.
fn sent(args: &[Word]) -> Vec<Cow<'_, Word>> {
    let mut words = Vec::new();
    let mut is_file = false;
    for word in args {
        let text = word.plain.as_str();
        if std::mem::take(&mut is_file) {
            words.push(Cow::Borrowed(word));
        }
        is_file = matches!(text, "-K" | "-T" | "--config" | "--upload-file" | "--post-file" | "--body-file");
        let is_mark =
            |(before, _): &(&str, &str)| before.is_empty() || before.starts_with('-') || before.ends_with('=');
        let marked = text.split_once('@').filter(is_mark).or_else(|| text.split_once("=<"));
        let marked = marked.map(|(_, file)| file.split(';').next().unwrap_or(file));
        let joined = ["-T", "--upload-file=", "--post-file=", "--body-file="]
            .iter()
            .find_map(|option| text.strip_prefix(option));
        let address = text.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("file:")).map(|_| text);
        words.extend([marked, joined, address].into_iter().flatten().map(|file| Cow::Owned(word.with(file))));
    }
    words
}

/// The files that git shows: `git show HEAD:file`, `git diff -- file`.
fn git(args: &[Word]) -> Vec<Cow<'_, Word>> {
    let mut rest = args;
    while let Some((word, behind)) = rest.split_first() {
        match word.plain.as_str() {
            "-c" | "-C" | "--git-dir" | "--work-tree" => rest = behind.get(1..).unwrap_or_default(),
            option if option.starts_with('-') => rest = behind,
            "grep" => return operands_behind_script(behind, FIND),
            verb if GIT_SHOWS.contains(&verb) => {
                let of_commit = |word: &Word| Some(Cow::Owned(word.with(word.plain.split_once(':')?.1)));
                return operands(behind).into_iter().chain(behind.iter().filter_map(of_commit)).collect();
            }
            _ => return Vec::new(),
        }
    }
    Vec::new()
}

/// What stands behind the beginning of a word.
fn behind<'w>(word: &'w Word, start: &str) -> Option<Cow<'w, Word>> {
    word.plain.strip_prefix(start).map(|text| Cow::Owned(word.with(text)))
}
