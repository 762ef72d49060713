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
    "ash",
    "mksh",
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
    "pypy",
    "pypy3",
    "osascript",
    "tclsh",
    "expect",
    "Rscript",
    "ed",
    "ex",
    "vi",
    "vim",
    "nvim",
    "m4",
    "dc",
];

/// Programs that run the program that they are given.
const WRAPPERS: &[&str] = &[
    "exec", "env", "nohup", "command", "builtin", "busybox", "time", "timeout", "nice", "sudo", "doas", "setsid",
    "stdbuf", "xargs", "uv", "uvx", "run", "npx", "bun", "bunx", "deno", "pnpm", "yarn", "poetry",
];

/// Words of the shell after which a command begins.
const RESERVED: &[&str] = &["if", "then", "elif", "else", "while", "until", "do", "!", "{", "coproc"];

/// Programs that run nothing of what they are given, unless an option says so: they read it, write it or look at it.
const DATA: &[&str] = &[
    "cat",
    "tee",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "head",
    "tail",
    "wc",
    "sort",
    "uniq",
    "cut",
    "tr",
    "echo",
    "printf",
    "jq",
    "yq",
    "ls",
    "stat",
    "test",
    "[",
    "[[",
    "touch",
    "rm",
    "mkdir",
    "rmdir",
    "cp",
    "mv",
    "ln",
    "chmod",
    "date",
    "sleep",
    "true",
    "false",
    "exit",
    "return",
    "read",
    "diff",
    "cmp",
    "sha256sum",
    "md5sum",
    "base64",
    "awk",
    "gawk",
    "mawk",
    "sed",
    "logger",
    "curl",
    "wget",
    "make",
    "gmake",
    "which",
    "pgrep",
    "pkill",
];

/// Those of them that write the files that they are given.
const WRITERS: &[&str] = &["tee", "cp", "mv", "ln", "curl", "wget", "sed"];

/// Those of them that run a file which an option names.
const OPTION_RUNNERS: &[&str] = &["awk", "gawk", "mawk", "sed", "jq", "yq", "make", "gmake"];

/// Options of interpreters whose argument is a file of code.
const LOADING: &[&str] =
    &["-f", "-r", "--file", "--require", "--import", "--loader", "--experimental-loader", "--rcfile", "--init-file"];

/// Options of interpreters that take a value which is no file to run.
const VALUED: &[&str] = &["-W", "-X", "-C", "--conditions", "--env-file", "--input-type", "--title"];

/// Options of interpreters whose argument is code.
const CODE: &[&str] = &["-c", "-e", "-p", "--eval", "--print", "-Command"];

/// Programs that run what they find in the project: which files these are, nobody can tell.
const RUNNERS: &[&str] = &[
    "ant",
    "bun",
    "bunx",
    "bundle",
    "cargo",
    "composer",
    "deno",
    "docker-compose",
    "eslint",
    "gmake",
    "go",
    "gradle",
    "grunt",
    "gulp",
    "invoke",
    "jest",
    "just",
    "lefthook",
    "make",
    "mvn",
    "nox",
    "npm",
    "npx",
    "nx",
    "pipenv",
    "pnpm",
    "poetry",
    "pre-commit",
    "pytest",
    "rake",
    "task",
    "tox",
    "turbo",
    "uv",
    "uvx",
    "vitest",
    "yarn",
];

/// Variables whose value names code that programs run as they start.
const RUN_VARIABLES: &[&str] = &[
    "BASH_ENV",
    "ENV",
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_SSH",
    "LD_PRELOAD",
    "DYLD_INSERT_LIBRARIES",
    "NODE_OPTIONS",
    "PERL5OPT",
    "PROMPT_COMMAND",
    "PYTHONSTARTUP",
    "RUBYOPT",
];

/// Variables that name folders with such code.
const FOLDER_VARIABLES: &[&str] = &[
    "CDPATH",
    "GIT_CONFIG_GLOBAL",
    "GIT_DIR",
    "GIT_EXEC_PATH",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "NODE_PATH",
    "PERL5LIB",
    "PYTHONHOME",
    "PYTHONPATH",
    "RUBYLIB",
    "ZDOTDIR",
];

/// Whether a program runs what it finds in the project.
pub(super) fn is_runner(name: &str) -> bool {
    RUNNERS.contains(&name)
}

/// Whether a variable's value names code.
pub(super) fn runs_variable(name: &str) -> bool {
    RUN_VARIABLES.contains(&name)
}

/// Whether a variable's value names a folder of code.
pub(super) fn runs_folder(name: &str) -> bool {
    FOLDER_VARIABLES.contains(&name)
}

/// The files of the project that a program runs when it is given none.
pub(super) fn reads(program: &str) -> &'static [&'static str] {
    match program {
        "make" | "gmake" => &["GNUmakefile", "makefile", "Makefile"],
        "just" => &["justfile", "Justfile", ".justfile"],
        "rake" => &["Rakefile", "rakefile"],
        "npm" | "pnpm" | "yarn" | "bun" => &["package.json"],
        _ => &[],
    }
}

/// The module that an option of an interpreter names in the same word: `-mx`, `-Imx`.
pub(super) fn module_of(option: &str) -> Option<&str> {
    let (flags, module) = option.strip_prefix('-')?.split_once('m')?;
    (!module.is_empty() && is_flags(flags)).then_some(module)
}

/// Whether the word behind an option of an interpreter is a module: `-m`, `-Im`.
pub(super) fn takes_module(option: &str) -> bool {
    option.strip_prefix('-').and_then(|letters| letters.strip_suffix('m')).is_some_and(is_flags)
}

/// Whether an option of an interpreter loads code from folders: `perl -Ilib -MGuard`. Python's `-I` is a flag.
pub(super) fn loads_folder(option: &str) -> bool {
    let value = option.strip_prefix("-I").or_else(|| option.strip_prefix("-M")).unwrap_or_default();
    let are_flags = value.len() <= 2 && is_flags(value);
    !are_flags && !takes_module(option) && module_of(option).is_none()
}

fn is_flags(letters: &str) -> bool {
    letters.chars().all(|letter| "bBdEhiIOqsSuvx".contains(letter))
}

/// Whether a program runs the program that it is given.
pub(super) fn is_wrapper(name: &str) -> bool {
    WRAPPERS.contains(&name)
}

/// Whether what follows an option of a wrapper is the directory for its program: `env -iC sub`, `sudo -D sub`.
pub(super) fn is_chdir(option: &str) -> bool {
    matches!(option, "--chdir" | "--cwd" | "--directory") || short_chdir(option) == Some("")
}

/// The directory that an option of a wrapper names in the same word: `-Csub`, `--chdir=sub`.
pub(super) fn chdir_of(option: &str) -> Option<&str> {
    let long = ["--chdir=", "--cwd=", "--directory="].iter().find_map(|name| option.strip_prefix(name));
    long.or_else(|| short_chdir(option)).filter(|directory| !directory.is_empty() && !directory.contains(' '))
}

/// The line that an option of `env` splits into words: `-S'sh x'`, `-iS 'sh x'`, `--split-string='sh x'`.
pub(super) fn split_of(option: &str) -> Option<&str> {
    let short = option.strip_prefix('-').map(|letters| letters.trim_start_matches(['i', '0', 'v']));
    option.strip_prefix("--split-string=").or_else(|| short?.strip_prefix('S'))
}

fn short_chdir(option: &str) -> Option<&str> {
    option.strip_prefix('-')?.trim_start_matches(['i', '0', 'v']).strip_prefix(['C', 'D'])
}

/// Whether a word of the shell stands before a command.
pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// Whether a program takes the files that it is given for data.
pub(super) fn is_data_program(name: &str) -> bool {
    DATA.contains(&name)
}

/// Whether a program that takes files for data writes them.
pub(super) fn writes(name: &str) -> bool {
    WRITERS.contains(&name)
}

/// Whether a word of a program of which nothing is known names an interpreter that it starts, as in `find -exec sh {}`.
pub(super) fn starts_code(name: &str) -> bool {
    is_interpreter(name) && !matches!(name, "." | "source")
}

/// Whether a program that takes files for data runs the one that `-f` names.
pub(super) fn runs_its_option(name: &str) -> bool {
    OPTION_RUNNERS.contains(&name)
}

/// Whether what follows an option of an interpreter is a file of code.
pub(super) fn loads_file(option: &str) -> bool {
    LOADING.contains(&option)
}

/// Whether what follows an option of an interpreter is its value: `-o pipefail`, `-W ignore`.
pub(super) fn takes_value(option: &str, shell: bool) -> bool {
    let letters = option.strip_prefix(['-', '+']).unwrap_or_default();
    let cluster = !letters.is_empty() && letters.chars().all(|c| c.is_ascii_alphabetic());
    VALUED.contains(&option) || shell && cluster && letters.ends_with(['o', 'O'])
}

/// Whether what follows an option of an interpreter is code, also among other options: `sh -exc`, `perl -lne`.
pub(super) fn is_code(option: &str, shell: bool) -> bool {
    let letters = option.strip_prefix('-').unwrap_or_default();
    let cluster = letters.len() <= 8 && letters.chars().all(|letter| letter.is_ascii_alphanumeric());
    let begins_other = letters.starts_with(['r', 'I', 'M', 'm', 'W', 'X', 'C']);
    let holds_one = if shell { letters.contains('c') } else { letters.ends_with(['e', 'E', 'c']) && !begins_other };
    CODE.contains(&option) || cluster && holds_one
}

/// Whether a program, in any version, runs the file that it is given.
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

/// Whether a name ends as those of files do that hold data.
pub(super) fn has_data_ending(text: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "json", "jsonl", "jsonc", "txt", "md", "log", "yaml", "yml", "toml", "lock", "csv", "tsv", "xml", "html",
        "css", "ini", "cfg", "conf", "db", "sqlite", "pid", "out", "err", "tmp", "diff", "patch", "png", "jpg", "svg",
        "pdf", "gz", "zip", "tar", "pem", "crt",
    ];
    Path::new(text).extension().and_then(|ending| ending.to_str()).is_some_and(|ending| ENDINGS.contains(&ending))
}
