//! What a line hands from one program to another: a download to a shell, secrets to the network.
//!
//! A line that is not understood whole is looked at as far as it was read: a shell that runs its input is why it is not.

use hookweave_command::{Line, Reading, Simple, Word, is_interpreter, is_shell, program_name};

/// From where to where something goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// What is fetched is run.
    DownloadToShell,
    /// A file that was fetched is run.
    DownloadedFile,
    /// The variables of the process leave the machine.
    EnvironmentToNetwork,
    /// Files of the rule leave the machine.
    FilesToNetwork,
}

impl Flow {
    /// Each value with its word.
    pub const WORDS: &'static [(&'static str, Self)] = &[
        ("download-to-shell", Self::DownloadToShell),
        ("downloaded-file", Self::DownloadedFile),
        ("environment-to-network", Self::EnvironmentToNetwork),
        ("files-to-network", Self::FilesToNetwork),
    ];

    /// Whether a line has it; files are looked for by their owner.
    pub(super) fn is_in(self, reading: &Reading) -> bool {
        let line = reading.seen();
        match self {
            Self::DownloadToShell => {
                piped(line, fetches, runs_input)
                    || reading.line.is_none() && has(line, fetches) && has(line, runs_what_is_filled_in)
            }
            Self::DownloadedFile => runs_downloaded(line),
            Self::EnvironmentToNetwork => {
                piped(line, prints_environment, sends)
                    || has(line, prints_environment)
                        && has(line, |program, args| sends(program, args) && is_filled(args))
            }
            Self::FilesToNetwork => has(line, sends),
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

fn prints_environment(program: &str, args: &[Word]) -> bool {
    match program {
        "printenv" => true,
        "env" => args.iter().all(|word| word.plain.starts_with('-')),
        "export" | "declare" | "typeset" => {
            args.iter().all(|word| matches!(word.plain.as_str(), "-p" | "-x" | "-xp" | "-px"))
        }
        "set" => args.is_empty(),
        _ => false,
    }
}

/// Whether a program runs what it reads from its input.
fn runs_input(program: &str, args: &[Word]) -> bool {
    let operand = args.iter().find(|word| !word.plain.starts_with('-') || word.plain == "-");
    let reads_input = operand.is_none_or(|word| matches!(word.plain.as_str(), "-" | "/dev/stdin"));
    let has = |flags: &[&str]| args.iter().any(|word| flags.contains(&word.plain.as_str()));
    if is_shell(program) {
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
    (is_shell(program) || matches!(program, "eval" | "source" | ".")) && is_filled(args)
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
