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
        "fd" | "fdfind" => !has(|word| matches!(word, "-x" | "-X") || word.starts_with("--exec")),
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

/// `-o`, also behind other letters, `-O`, `--output` and what makes `sort` and `less` write or run something.
fn is_output(word: &str) -> bool {
    const LONG: &[&str] = &["--output", "--log-file", "--compress-program"];
    match word.strip_prefix('-').filter(|short| !short.starts_with('-')) {
        Some(short) => short.split(['k', 't', 'T', 'S', 'L', 'P', 'I']).next().unwrap_or_default().contains(['o', 'O']),
        None => LONG.iter().any(|option| word.starts_with(option)),
    }
}

/// Whether a word of `find` says what is done with what it finds.
pub(super) fn is_action(word: &str) -> bool {
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

/// Whether a program of `sed` has the command `e`, which runs a line of the shell.
fn runs_commands(word: &str) -> bool {
    word.match_indices("e ").any(|(at, _)| {
        let before = word.get(..at).unwrap_or_default().chars().next_back();
        before.is_none_or(|letter| letter.is_ascii_digit() || "$/;{ \n".contains(letter))
    }) && !word.starts_with('-')
}

/// The files that a program of `sed` writes: what stands behind `w`, up to the end of its line.
pub(super) fn written_by_sed(args: &[Word]) -> impl Iterator<Item = Word> {
    args.iter().flat_map(|word| {
        let behind = word.plain.match_indices(['w', 'W']).filter_map(|(at, mark)| word.plain.get(at + mark.len()..));
        let files = behind.map(|rest| rest.trim_start().split('\n').next().unwrap_or_default());
        files.filter(|file| !file.is_empty()).map(|file| word.with(file))
    })
}
