//! What a line hands from one program to another: a download to a shell, secrets to the network.
//!
//! A line that is not understood whole is looked at as far as it was read: a shell that runs its input is why it is not.

use hookweave_command::{
    Line, Reading, Simple, Word, is_interpreter, is_only_checked, is_shell, is_shell_of_windows, program_name,
};

/// From where to where something goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// What is fetched is run.
    DownloadToShell,
    /// A file that was fetched is run.
    DownloadedFile,
    /// The variables of the process leave the machine.
    EnvironmentToNetwork,
    /// The variables of the process are printed, or written where they can be read.
    EnvironmentToOutput,
    /// Files of the rule leave the machine.
    FilesToNetwork,
    /// A whole folder leaves the machine as one archive.
    FolderToNetwork,
    /// The value of a variable with a credential's name is printed.
    SecretToOutput,
    /// A program is handed to itself, as a function that calls itself without end does.
    ProgramToItself,
}

impl Flow {
    /// Each value with its word.
    pub const WORDS: &'static [(&'static str, Self)] = &[
        ("download-to-shell", Self::DownloadToShell),
        ("downloaded-file", Self::DownloadedFile),
        ("environment-to-network", Self::EnvironmentToNetwork),
        ("environment-to-output", Self::EnvironmentToOutput),
        ("files-to-network", Self::FilesToNetwork),
        ("folder-to-network", Self::FolderToNetwork),
        ("secret-to-output", Self::SecretToOutput),
        ("program-to-itself", Self::ProgramToItself),
    ];

    /// Whether a line has it; files are looked for by their owner.
    pub(super) fn is_in(self, reading: &Reading) -> bool {
        let line = reading.seen();
        match self {
            Self::DownloadToShell => {
                piped(line, fetches, runs_input)
                    || has(line, fetches) && has(line, runs_filled_code)
                    || reading.line.is_none() && has(line, fetches) && has(line, runs_what_is_filled_in)
            }
            Self::DownloadedFile => runs_downloaded(line),
            Self::EnvironmentToNetwork => {
                piped(line, prints_environment, sends)
                    || has(line, prints_environment)
                        && has(line, |program, args| sends(program, args) && is_filled(args))
            }
            Self::EnvironmentToOutput => has(line, prints_all),
            Self::FilesToNetwork => has(line, sends),
            Self::FolderToNetwork => piped(line, packs_whole, sends) || piped(line, packs, sends_as_it_is),
            Self::ProgramToItself => line.pipes.iter().any(|parts| is_itself(line, parts)),
            Self::SecretToOutput => piped(line, prints_environment, looks_for_secrets) || prints_secret(line),
        }
    }
}

type Test = fn(&str, &[Word]) -> bool;

fn does(command: &Simple, test: Test) -> bool {
    command.runs().any(|(program, args, _)| test(program_name(program), args))
}

fn has(line: &Line, test: Test) -> bool {
    line.commands.iter().any(|command| does(command, test))
}

/// Whether two parts of a pipeline that follow each other are the same program without a word.
fn is_itself(line: &Line, parts: &[std::ops::Range<usize>]) -> bool {
    let alone = |part: &std::ops::Range<usize>| match line.commands.get(part.clone()) {
        Some([command]) => {
            command.words().split_first().filter(|(_, args)| args.is_empty()).map(|(word, _)| word.raw().to_owned())
        }
        _ => None,
    };
    parts.iter().zip(parts.iter().skip(1)).any(|(one, other)| alone(one).is_some_and(|one| Some(one) == alone(other)))
}

/// Whether in one pipeline something is before something else.
fn piped(line: &Line, from: Test, to: Test) -> bool {
    let any = |part: &std::ops::Range<usize>, test| {
        line.commands.get(part.clone()).unwrap_or_default().iter().any(|command| does(command, test))
    };
    line.pipes.iter().any(|parts| {
        let first = parts.iter().position(|part| any(part, from));
        first.is_some_and(|first| parts.iter().skip(first + 1).any(|part| any(part, to)))
    })
}

fn is_filled(args: &[Word]) -> bool {
    args.iter().any(Word::is_filled_in)
}

fn fetches(program: &str, _args: &[Word]) -> bool {
    matches!(program, "curl" | "wget" | "fetch" | "http" | "https" | "xh" | "aria2c" | "lynx" | "w3m")
}

fn sends(program: &str, args: &[Word]) -> bool {
    match program {
        "nc" | "ncat" | "netcat" | "socat" | "telnet" | "ftp" | "sftp" | "scp" | "ssh" => true,
        "openssl" => args.first().is_some_and(|word| word.plain == "s_client"),
        "rsync" => args.iter().any(|word| word.plain.contains(':')),
        "gh" => args.first().is_some_and(|word| word.plain == "gist"),
        "aws" => {
            args.first().is_some_and(|word| word.plain == "s3")
                && args.iter().any(|word| word.plain.starts_with("s3://"))
        }
        _ => fetches(program, args),
    }
}

/// Whether a program sends what it reads without a word of what it is.
fn sends_as_it_is(program: &str, args: &[Word]) -> bool {
    !matches!(program, "ssh" | "scp" | "sftp" | "rsync" | "aws" | "gh")
        && !fetches(program, args)
        && sends(program, args)
}

/// Whether a program packs files into an archive that it prints.
fn packs(program: &str, args: &[Word]) -> bool {
    let first = || args.first().map(|word| word.plain.trim_start_matches('-')).unwrap_or_default();
    let is_one = |texts: &[&str]| args.iter().any(|word| texts.contains(&word.plain.as_str()));
    match program {
        "tar" | "gtar" | "bsdtar" => {
            let is_file = |word: &Word| word.plain.starts_with("--file=") && word.plain != "--file=-";
            let short = first();
            let names_file = short.contains('f') && !is_one(&["-"]) || args.iter().any(is_file);
            (short.contains('c') && !short.starts_with("c=") || is_one(&["--create"])) && !names_file
        }
        "zip" => is_one(&["-"]),
        "cpio" => is_one(&["-o", "--create"]),
        _ => false,
    }
}

/// Whether it packs all of the working directory, of the home folder or of the machine.
fn packs_whole(program: &str, args: &[Word]) -> bool {
    let is_whole = |word: &Word| {
        matches!(
            word.plain.trim_end_matches('/'),
            "." | ".." | "*" | "~" | "" | "${HOME}" | "$HOME" | "$PWD" | "/home" | "/etc" | "/root"
        )
    };
    packs(program, args) && args.iter().any(is_whole)
}

fn prints_environment(program: &str, args: &[Word]) -> bool {
    program == "printenv" || prints_all(program, args)
}

/// Whether a program prints all variables.
fn prints_all(program: &str, args: &[Word]) -> bool {
    match program {
        "printenv" => args.iter().all(|word| matches!(word.plain.as_str(), "-0" | "--null")),
        "env" => runs_nothing(args),
        "export" | "declare" | "typeset" => {
            args.iter().all(|word| matches!(word.plain.as_str(), "-p" | "-x" | "-xp" | "-px"))
        }
        "set" => args.is_empty(),
        _ => false,
    }
}

/// Whether `env` runs no command, and leaves the variables as they are.
fn runs_nothing(args: &[Word]) -> bool {
    let mut words = args.iter().map(|word| word.plain.as_str());
    while let Some(word) = words.next() {
        match word {
            "-u" | "--unset" | "-C" | "--chdir" => drop(words.next()),
            "-" | "-i" | "--ignore-environment" | "--help" | "--version" => return false,
            _ if word.starts_with("-S") || word.starts_with("--split-string") => return false,
            _ if word.starts_with('-') || word.contains('=') => {}
            _ => return false,
        }
    }
    true
}

/// Whether a program picks the lines of variables with a credential's name.
fn looks_for_secrets(program: &str, args: &[Word]) -> bool {
    let is_search = matches!(program, "grep" | "egrep" | "rg" | "ag" | "awk" | "sed");
    is_search && !args.iter().any(|word| matches!(word.plain.as_str(), "-c" | "-q" | "--count" | "--quiet")) && {
        let mut words =
            args.iter().flat_map(|word| word.plain.split(|letter: char| !letter.is_alphanumeric() && letter != '_'));
        words.any(|word| {
            SECRET_PARTS.contains(&word.to_ascii_uppercase().as_str()) || is_secret(&word.to_ascii_uppercase())
        })
    }
}

/// Words in the names of variables that hold credentials, each of which alone finds them.
const SECRET_PARTS: &[&str] = &["KEY", "PASS", "SECRET", "TOKEN", "CREDENTIAL", "AUTH"];

/// Whether a variable of this name holds a credential.
fn is_secret(name: &str) -> bool {
    let parts =
        ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE_KEY", "CREDENTIAL"];
    parts.iter().any(|part| name.contains(part)) || ["_PASS", "_PAT", "_PWD"].iter().any(|end| name.ends_with(end))
}

/// Whether a line shows what a variable of a credential holds: no file and no other program takes it.
fn prints_secret(line: &Line) -> bool {
    let is_shown = |at: usize| {
        let is_taken = |parts: &Vec<std::ops::Range<usize>>| {
            parts.split_last().is_some_and(|(_, before)| before.iter().any(|part| part.contains(&at)))
        };
        line.writes.is_empty() && !line.pipes.iter().any(is_taken)
    };
    let mut commands = line.commands.iter().enumerate();
    commands.any(|(at, command)| {
        let does = does(command, |program, args| {
            matches!(program, "echo" | "printf" | "print")
                && args.iter().any(|word| word.is_filled_in() && fills_secret(word.raw()))
                || matches!(program, "printenv") && args.iter().any(|word| is_secret(&word.plain))
                || matches!(program, "declare" | "typeset")
                    && args.first().is_some_and(|word| word.plain == "-p")
                    && args.iter().any(|word| is_secret(&word.plain))
        });
        does && is_shown(at)
    })
}

/// Whether a word holds the whole value of such a variable, not its length nor whether it is set.
fn fills_secret(raw: &str) -> bool {
    raw.split('$').skip(1).any(|behind| {
        let is_braced = behind.starts_with('{');
        let text = behind.strip_prefix('{').unwrap_or(behind);
        let end = text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(text.len());
        let (name, rest) = text.split_at_checked(end).unwrap_or((text, ""));
        is_secret(name) && (!is_braced || rest.starts_with('}'))
    })
}

/// Whether a program runs as code one word that is filled in: `python3 -c "$(curl …)"`, `python3 <(curl …)`.
fn runs_filled_code(program: &str, args: &[Word]) -> bool {
    let fetched = |word: &Word| word.is_filled_in() && !word.plain.contains([' ', ';']);
    let is_code = |(flag, word): (&Word, &Word)| {
        matches!(flag.plain.as_str(), "-c" | "-e" | "-r" | "--eval" | "-p" | "-E") && fetched(word)
    };
    (is_interpreter(program) || is_shell(program))
        && (args.first().is_some_and(|word| fetched(word) && !word.plain.starts_with('-'))
            || args.iter().zip(args.iter().skip(1)).any(is_code))
}

/// Whether a program hands its input to another one elsewhere, or makes what stands in it.
fn hands_input_on(program: &str, args: &[Word]) -> bool {
    let last = || args.last().map(|word| program_name(word.plain.split_whitespace().next().unwrap_or_default()));
    match program {
        "ssh" => last().is_some_and(is_shell),
        "docker" | "podman" | "nerdctl" => {
            args.first().is_some_and(|word| word.plain == "exec" || word.plain == "compose")
                && last().is_some_and(is_shell)
        }
        "kubectl" | "oc" => {
            let is_one = |text: &str| args.iter().any(|word| word.plain == text);
            let is_rehearsed = args.iter().any(|word| word.plain.starts_with("--dry-run"));
            is_one("exec") && last().is_some_and(is_shell)
                || (is_one("apply") || is_one("create")) && is_one("-") && !is_rehearsed
        }
        "deno" | "bun" => args.iter().any(|word| word.plain == "-"),
        _ => false,
    }
}

/// Whether a program runs what it reads from its input.
fn runs_input(program: &str, args: &[Word]) -> bool {
    if hands_input_on(program, args) {
        return true;
    }
    if is_shell(program) && is_only_checked(args) {
        return false;
    }
    let operand = args.iter().find(|word| !word.plain.starts_with('-') || word.plain == "-");
    let reads_input = operand.is_none_or(|word| matches!(word.plain.as_str(), "-" | "/dev/stdin"));
    let has = |flags: &[&str]| args.iter().any(|word| flags.contains(&word.plain.as_str()));
    if is_shell(program) || is_shell_of_windows(program) {
        return reads_input
            || has(&["-s"])
            || args.first().is_some_and(|word| word.plain == "-s" || word.plain == "-es");
    }
    is_interpreter(program)
        && !program.ends_with("awk")
        && reads_input
        && !has(&["--version", "-V", "-v", "--help", "-h", "-c", "-e", "-m", "-r", "-p"])
}

/// Whether a shell runs a text that is filled in when the line runs.
fn runs_what_is_filled_in(program: &str, args: &[Word]) -> bool {
    (is_shell(program) || is_shell_of_windows(program) || matches!(program, "eval" | "source" | ".")) && is_filled(args)
}

/// Whether a file that the line fetches is run by it.
fn runs_downloaded(line: &Line) -> bool {
    let mut files: Vec<&str> = Vec::new();
    for (program, args, _) in line.commands.iter().flat_map(Simple::runs) {
        if !fetches(program_name(program), args) {
            continue;
        }
        let outputs = args.iter().zip(args.iter().skip(1)).filter(|(option, _)| {
            matches!(option.plain.as_str(), "--output" | "--output-document")
                || option.plain.starts_with('-')
                    && !option.plain.starts_with("--")
                    && option.plain.ends_with(['o', 'O'])
        });
        files.extend(outputs.map(|(_, file)| base(&file.plain)));
        files.extend(args.iter().filter(|word| word.plain.contains("://")).map(|word| base(&word.plain)));
        files.extend(line.writes.iter().map(|word| base(&word.plain)));
    }
    files.retain(|file| !file.is_empty() && *file != "-");
    let is_one = |path: &str| files.contains(&base(path));
    !files.is_empty()
        && line.commands.iter().flat_map(Simple::runs).any(|(program, args, _)| {
            let name = program_name(program);
            let operand = args.iter().find(|word| !word.plain.starts_with('-'));
            let script = || operand.is_some_and(|word| is_one(&word.plain));
            program.contains('/') && is_one(program)
                || (is_shell(name) || is_interpreter(name) || matches!(name, "source" | ".")) && script()
        })
}

/// The name of a file, or of what an address names.
fn base(path: &str) -> &str {
    let path = path.split(['?', '#']).next().unwrap_or(path);
    path.rsplit('/').next().unwrap_or(path)
}
