//! What a word of a command line is by its looks: an interpreter, a wrapper, an option, a script.

use std::path::Path;

/// Programs that run the file that they are given.
const INTERPRETERS: &[&str] = &[
    ".",
    "source",
    "sh",
    "bash",
    "zsh",
    "dash",
    "ksh",
    "fish",
    "pwsh",
    "powershell",
    "node",
    "tsx",
    "ts-node",
    "ruby",
    "perl",
    "php",
    "lua",
    "python",
    "python2",
    "python3",
];

/// Programs that run the program that they are given.
const WRAPPERS: &[&str] = &[
    "exec", "env", "nohup", "command", "time", "timeout", "nice", "sudo", "doas", "setsid", "stdbuf", "xargs", "uv",
    "uvx", "run", "npx", "bun", "bunx", "deno", "pnpm", "yarn", "poetry",
];

/// Options of interpreters whose argument is code, or the name of something that is no file here.
const CODE: &[&str] =
    &["-c", "-e", "-m", "-p", "-lc", "-ec", "-euc", "-exc", "-ic", "-cl", "--eval", "--print", "-Command"];

/// Whether a program runs the program that it is given.
pub(super) fn is_wrapper(name: &str) -> bool {
    WRAPPERS.contains(&name)
}

/// Whether what follows an option is code.
pub(super) fn is_code(option: &str) -> bool {
    CODE.contains(&option)
}

/// Whether a program runs the file that it is given, whatever its version.
pub(super) fn is_interpreter(name: &str) -> bool {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.contains(&name) || !plain.is_empty() && INTERPRETERS.contains(&plain)
}

/// Whether a word sets a variable, as before a command.
pub(super) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// A number with or without a unit, as `timeout` takes it.
pub(super) fn is_count(word: &str) -> bool {
    let digits = word.trim_end_matches(['s', 'm', 'h']);
    !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit() || c == '.')
}

/// Whether a name ends as those of scripts and programs do.
pub(super) fn has_script_ending(text: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "sh", "bash", "zsh", "fish", "ps1", "py", "js", "mjs", "cjs", "ts", "mts", "rb", "pl", "php", "lua", "awk",
        "jq", "bat", "cmd", "exe",
    ];
    Path::new(text).extension().and_then(|ending| ending.to_str()).is_some_and(|ending| ENDINGS.contains(&ending))
}
