//! Programs that only read what their words name. All others may write it.

use hookweave_command::Word;

/// Programs that read, whatever their options.
const READ: &[&str] = &[
    ".",
    ":",
    "[",
    "[[",
    "ack",
    "ag",
    "basename",
    "bat",
    "cat",
    "cd",
    "cksum",
    "cmp",
    "column",
    "comm",
    "cut",
    "declare",
    "diff",
    "dir",
    "dirname",
    "du",
    "echo",
    "egrep",
    "exit",
    "export",
    "eza",
    "false",
    "fgrep",
    "file",
    "fold",
    "grep",
    "head",
    "hexdump",
    "jq",
    "local",
    "ls",
    "lsattr",
    "md5sum",
    "mkdir",
    "more",
    "nl",
    "od",
    "paste",
    "pgrep",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "readlink",
    "readonly",
    "realpath",
    "return",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "shellcheck",
    "sleep",
    "source",
    "stat",
    "strings",
    "tac",
    "tail",
    "test",
    "tr",
    "true",
    "type",
    "typeset",
    "wc",
    "whereis",
    "which",
    "zcat",
];

/// Programs that read, unless they are told to put what they find elsewhere.
const READ_WITHOUT_OUTPUT: &[&str] = &["base64", "less", "sort", "tree"];

/// What the command of GitHub and of GitLab does without bringing files.
const FORGE_BRINGS: &[&str] = &["alias", "checkout", "clone", "codespace", "download", "extension", "fork", "sync"];

/// Whether a program is known to change no file that its words name.
pub(super) fn reads(program: &str, args: &[Word]) -> bool {
    let has = |test: fn(&str) -> bool| args.iter().any(|word| test(&word.plain));
    match program {
        "awk" | "gawk" | "mawk" | "nawk" => {
            !has(|word| word.contains(['>', '|']) || word.contains("system") || word == "inplace")
        }
        "fd" | "fdfind" => !has(is_run_of_fd),
        "find" | "gfind" => !has(is_action),
        "gh" | "glab" => !args.iter().any(|word| FORGE_BRINGS.contains(&word.plain.as_str())),
        "rg" => !has(|word| word.starts_with("--pre")),
        "sed" | "gsed" => !has(edits_in_place) && !has(runs_commands),
        "uniq" => named(args).count() < 2,
        "xxd" => !has(|word| word.starts_with("-r")) && named(args).count() < 2,
        "yq" => !has(edits_in_place),
        _ if READ_WITHOUT_OUTPUT.contains(&program) => !has(is_output),
        _ => READ.contains(&program),
    }
}

/// The words that are no options.
fn named(args: &[Word]) -> impl Iterator<Item = &Word> {
    args.iter().filter(|word| word.plain == "-" || !word.plain.starts_with('-'))
}

/// Whether a program changes no more than the file that it is told to write.
pub(super) fn writes_output_only(program: &str, args: &[Word]) -> bool {
    READ_WITHOUT_OUTPUT.contains(&program) && !args.iter().any(|word| word.plain.starts_with("--compress-program"))
}

/// Whether a word makes `sort`, `less` and their kin write or run something.
fn is_output(word: &str) -> bool {
    word.starts_with("--compress-program") || output(word).is_some()
}

/// What stands behind `-o`, also behind other letters, `-O`, `--output` and the like in the same word.
fn output(word: &str) -> Option<&str> {
    const LONG: &[&str] = &["--output", "--log-file"];
    match word.strip_prefix('-').filter(|short| !short.starts_with('-')) {
        Some(short) => {
            let flags = short.split(['k', 't', 'T', 'S', 'L', 'P', 'I']).next().unwrap_or_default();
            short.get(flags.find(['o', 'O'])? + 1..)
        }
        None => LONG.iter().find_map(|option| word.strip_prefix(option)).map(|file| file.trim_start_matches('=')),
    }
}

/// The files that such options name.
pub(super) fn outputs(args: &[Word]) -> impl Iterator<Item = Word> {
    args.iter().enumerate().filter_map(|(at, word)| match output(&word.plain)? {
        "" => args.get(at + 1).cloned(),
        file => Some(word.with(file)),
    })
}

/// Whether a word of `find` says what is done with what it finds.
pub(super) fn is_action(word: &str) -> bool {
    word == "-delete"
        || word.starts_with("-exec")
        || word.starts_with("-ok")
        || word.starts_with("-fprint")
        || word == "-fls"
}

/// The letters of a word of options before one that has a value.
pub(super) fn flags_of_fd(option: &str) -> &str {
    option.split(['E', 'S', 'c', 'd', 'e', 'j', 'o', 't']).next().unwrap_or_default()
}

/// Whether a word of `fd` says that something is run with what it finds.
pub(super) fn is_run_of_fd(word: &str) -> bool {
    let short = word.strip_prefix('-').filter(|short| !short.starts_with('-'));
    word.starts_with("--exec") || short.is_some_and(|short| flags_of_fd(short).contains(['x', 'X']))
}

fn edits_in_place(option: &str) -> bool {
    let short = option.strip_prefix('-').filter(|short| !short.starts_with('-'));
    option.starts_with("--in-place")
        || short.is_some_and(|short| short.split(['e', 'f']).next().unwrap_or_default().contains('i'))
}

/// Whether a program of `sed` has the command `e`, which runs a line of the shell.
fn runs_commands(word: &str) -> bool {
    word.match_indices("e ").any(|(at, _)| {
        let before = word.get(..at).unwrap_or_default().chars().next_back();
        before.is_none_or(|letter| letter.is_ascii_digit() || "$/;{ \n".contains(letter))
    }) && !word.starts_with('-')
}

/// The files that a program of `sed` writes: what stands behind `w`, up to the end of its line.
pub(super) fn written_by_sed(args: &[Word]) -> impl Iterator<Item = Word> {
    texts_of_sed(args).into_iter().flat_map(|word| {
        let behind = word.plain.match_indices(['w', 'W']).filter_map(|(at, mark)| word.plain.get(at + mark.len()..));
        let files = behind.map(|rest| rest.trim_start().split('\n').next().unwrap_or_default());
        files.filter(|file| !file.is_empty()).map(|file| word.with(file)).collect::<Vec<_>>()
    })
}

/// The programs that `sed` is given: each behind `-e`, else the first word that is no option.
fn texts_of_sed(args: &[Word]) -> Vec<Word> {
    let (mut texts, mut first, mut is_given) = (Vec::new(), None, false);
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let Some(option) = word.plain.strip_prefix('-').filter(|option| !option.is_empty()) else {
            first = first.or(Some(word));
            continue;
        };
        let Some((letter, value)) = option_of_sed(option) else { continue };
        is_given |= matches!(letter, 'e' | 'f');
        let value = value.map_or_else(|| words.next().cloned(), |value| Some(word.with(value)));
        texts.extend(value.filter(|_| letter == 'e'));
    }
    texts.extend(first.filter(|_| !is_given).cloned());
    texts
}

/// An option of `sed` that takes a value, by its letter, and the value that stands in the same word.
fn option_of_sed(option: &str) -> Option<(char, Option<&str>)> {
    if let Some(long) = option.strip_prefix('-') {
        let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
        let known = ["expression", "file", "line-length"].iter().find(|known| known.starts_with(name))?;
        return Some((known.chars().next().filter(|_| !name.is_empty())?, value));
    }
    let (flags, value) = option.split_at_checked(option.find(['e', 'f', 'l'])?)?;
    let mut value = value.chars();
    let letter = value.next().filter(|_| !flags.contains('i'))?;
    Some((letter, Some(value.as_str()).filter(|value| !value.is_empty())))
}
