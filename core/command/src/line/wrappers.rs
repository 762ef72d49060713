//! Programs that run the command in their arguments, and the texts by which rules know a command.

use super::words::{Word, is_name, is_plain_word};
use super::{Line, Simple, program_name};

/// Programs that run the command in their arguments.
const WRAPPERS: &[&str] = &[
    "builtin",
    "busybox",
    "caffeinate",
    "catchsegv",
    "chroot",
    "chrt",
    "command",
    "dbus-run-session",
    "doas",
    "env",
    "exec",
    "find",
    "firejail",
    "flock",
    "gfind",
    "gtimeout",
    "ionice",
    "linux32",
    "linux64",
    "nice",
    "nocorrect",
    "noglob",
    "nohup",
    "nsenter",
    "parallel",
    "pkexec",
    "rlwrap",
    "runuser",
    "script",
    "setarch",
    "setpriv",
    "setsid",
    "sg",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "taskset",
    "time",
    "timeout",
    "toybox",
    "unbuffer",
    "unshare",
    "watch",
    "xargs",
    "xvfb-run",
];

/// Those of them that take a whole command line as one argument.
const TAKE_LINES: &[&str] = &["flock", "parallel", "runuser", "script", "sg", "su", "unbuffer", "watch"];

/// Those of them that change nothing of the command but how it is waited for.
const PEELED: &[&str] = &["command", "nice", "nohup", "time"];

/// Options of `xargs` that take a value.
const XARGS_VALUED: &[&str] = &[
    "-n",
    "-P",
    "-L",
    "-s",
    "-d",
    "-a",
    "-E",
    "--max-args",
    "--max-procs",
    "--max-lines",
    "--max-chars",
    "--delimiter",
    "--arg-file",
    "--eof",
];

pub(super) fn wraps(name: &str) -> bool {
    WRAPPERS.contains(&name) || name.starts_with("ld-linux") || name.starts_with("ld-musl")
}

/// Whether a program looks for others anywhere in its arguments.
pub(super) fn finds_programs(name: &str) -> bool {
    takes_lines(name) || matches!(name, "find" | "gfind" | "xargs")
}

pub(super) fn takes_lines(name: &str) -> bool {
    TAKE_LINES.contains(&name)
}

/// Whether it is clear which word of a wrapper's is the program: `None` when it may be one that is filled in.
pub(super) fn is_certain(words: &[Word]) -> Option<()> {
    let mut options = false;
    for word in words.iter().skip(1) {
        let is_assignment = word.plain.split_once('=').is_some_and(|(name, _)| is_name(name));
        if is_assignment && !word.is_patterned {
            continue;
        }
        let text = word.fixed()?;
        if text.starts_with('-') {
            options = true;
        } else if !options && !text.starts_with(|c: char| c.is_ascii_digit()) {
            return Some(());
        }
    }
    Some(())
}

/// `xargs`: a program that its input names, or a command that its input is put into, may be any.
pub(super) fn xargs(args: &[Word]) -> Option<()> {
    let mut args = args.iter();
    let mut replaced: Option<String> = None;
    while let Some(arg) = args.next() {
        let word = arg.fixed()?;
        if matches!(word, "-I" | "-J") {
            replaced = Some(args.next()?.fixed()?.to_owned());
        } else if let Some(mark) = word.strip_prefix("-I").or_else(|| word.strip_prefix("--replace=")) {
            replaced = Some(mark.to_owned());
        } else if word.starts_with("-i") || word == "--replace" {
            replaced =
                Some(word.get(2..).filter(|mark| !mark.is_empty() && word != "--replace").unwrap_or("{}").to_owned());
        } else if XARGS_VALUED.contains(&word) {
            args.next()?;
        } else if !word.starts_with('-') {
            let runs_more = wraps(program_name(word)) || program_name(word).ends_with("sh") || word == "eval";
            let is_filled = replaced.is_some_and(|mark| word.contains(&mark));
            return (!runs_more && !is_filled).then_some(());
        }
    }
    // It prints what it is given.
    Some(())
}

/// `find`: a program that it is to run must be named.
pub(super) fn find(args: &[Word]) -> Option<()> {
    let runs = |word: &Word| matches!(word.plain.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir");
    let mut pairs = args.iter().zip(args.iter().skip(1)).filter(|(option, _)| runs(option));
    pairs
        .all(|(_, program)| {
            let is_named = program.fixed().is_some_and(|name| !name.contains("{}"));
            is_named && !wraps(program_name(&program.plain)) && !program_name(&program.plain).ends_with("sh")
        })
        .then_some(())
}

/// Adds a command, and for a program that runs another one every command that its arguments may be.
pub(super) fn push(line: &mut Line, words: &[Word], wraps: bool) {
    let Some(name) = words.first() else { return };
    let mut texts = Vec::new();
    for from in 0..if wraps { words.len() } else { 1 } {
        let rest = words.get(from..).unwrap_or_default();
        let raw = join(rest, |word| &word.raw);
        let plain = join(rest, |word| &word.plain);
        // `/bin/rm` is `rm`.
        let based = rest.first().filter(|first| first.plain.contains('/')).map(|first| {
            let (_, args) = plain.split_at_checked(first.plain.len()).unwrap_or_default();
            format!("{}{args}", program_name(&first.plain))
        });
        for text in [Some(raw), Some(plain), based].into_iter().flatten() {
            let text = text.trim().to_owned();
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
    }
    let is_nameless = name.is_dynamic || name.is_patterned;
    line.commands.push(Simple {
        exact: if is_nameless { Vec::new() } else { exact(words) },
        texts,
        is_nameless,
        words: words.to_vec(),
        wraps,
    });
}

/// The command as an `allow` may mean it.
fn exact(words: &[Word]) -> Vec<String> {
    let mut texts = Vec::new();
    let mut rest = words;
    while let Some(name) = rest.first().filter(|name| is_plain_word(&name.plain)) {
        texts.extend([join(rest, |word| &word.raw), join(rest, |word| &word.plain)]);
        rest = match (name.plain.as_str(), rest) {
            ("timeout", [_, limit, behind @ ..]) if is_count(&limit.plain) => behind,
            (name, [_, behind @ ..]) if PEELED.contains(&name) => behind,
            _ => break,
        };
    }
    texts.dedup();
    texts
}

/// A number with or without a unit, as `timeout` takes it.
fn is_count(text: &str) -> bool {
    let digits = text.trim_end_matches(['s', 'm', 'h']);
    !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit() || c == '.')
}

fn join(words: &[Word], pick: fn(&Word) -> &str) -> String {
    let mut text = String::new();
    for word in words {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(pick(word));
    }
    text
}
