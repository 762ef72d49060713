//! Which file a command line runs, and with which arguments.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::environment::value_of;
use super::{CommandLine, CommandRun, Shell};

/// A file to run and its arguments, beginning with the program's own name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Program {
    pub(super) file: PathBuf,
    pub(super) arguments: Vec<OsString>,
}

/// Where programs are searched when the environment has no `PATH`.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Runs the line in PowerShell and exits with the code of the last program: `-Command` makes every other code a 1, and a
/// hook's 2 means something.
const POWERSHELL_EXIT: &str = "\n$ok = $?; if ($LASTEXITCODE) { exit $LASTEXITCODE }; if (-not $ok) { exit 1 }";

/// The program of a run, or what is missing.
pub(super) fn resolve(run: &CommandRun<'_>) -> Result<Program, String> {
    match &run.spec.line {
        CommandLine::Exec { program, args } => {
            let file = if has_directory(program) { PathBuf::from(program) } else { search(run, &[program])? };
            Ok(Program::new(file, program, args.iter().map(OsString::from)))
        }
        CommandLine::Shell { text, shell } => shell_program(run, text, *shell),
    }
}

impl Program {
    fn new(file: PathBuf, name: impl Into<OsString>, rest: impl IntoIterator<Item = OsString>) -> Self {
        Self { file, arguments: std::iter::once(name.into()).chain(rest).collect() }
    }

    /// The same program below a shell that reports on descriptor 3 how it ended, for a process whose children are forgotten.
    /// The shell's number may mean another process soon afterwards, so that it kills what was left behind itself.
    #[cfg(unix)]
    pub(super) fn reported(&self, leaves_children: bool) -> Self {
        const REPORT: &str = "\"$@\" 3>&-; echo $? >&3";
        let line = if leaves_children { REPORT.to_owned() } else { format!("{REPORT}; kill -9 0") };
        let shell_arguments =
            [OsString::from("-c"), OsString::from(line), OsString::from("sh"), self.file.clone().into()];
        let rest = shell_arguments.into_iter().chain(self.arguments.iter().skip(1).cloned());
        Self::new(PathBuf::from("/bin/sh"), "sh", rest)
    }

    /// The same file as a script for the shell, as `execvp` runs scripts without a first line that names who reads them.
    #[cfg(unix)]
    pub(super) fn as_script(&self) -> Self {
        let script = self.file.clone().into_os_string();
        let rest = std::iter::once(script).chain(self.arguments.iter().skip(1).cloned());
        Self::new(PathBuf::from("/bin/sh"), "sh", rest)
    }
}

fn shell_program(run: &CommandRun<'_>, text: &str, shell: Shell) -> Result<Program, String> {
    let line = |flag: &str| [OsString::from(flag), OsString::from(text)];
    match shell {
        Shell::Posix if cfg!(unix) => Ok(Program::new(PathBuf::from("/bin/sh"), "sh", line("-c"))),
        Shell::Posix | Shell::Bash => Ok(Program::new(search(run, &["bash"])?, "bash", line("-c"))),
        Shell::Login if cfg!(unix) => {
            let file = value_of(&run.env, "SHELL").map(PathBuf::from);
            let file = file.filter(|file| file.is_absolute()).unwrap_or_else(|| PathBuf::from("/bin/sh"));
            let name = file.file_name().unwrap_or(file.as_os_str()).to_owned();
            Ok(Program::new(file, name, line("-lc")))
        }
        Shell::Login => Ok(Program::new(search(run, &["cmd"])?, "cmd", line("/C"))),
        Shell::PowerShell => {
            let file = search(run, &["pwsh", "powershell"])?;
            let arguments = ["-NoLogo", "-NoProfile", "-NonInteractive", "-Command"].map(OsString::from);
            let script = OsString::from(format!("{text}{POWERSHELL_EXIT}"));
            Ok(Program::new(file, "pwsh", arguments.into_iter().chain([script])))
        }
    }
}

fn has_directory(program: &str) -> bool {
    program.chars().any(std::path::is_separator)
}

/// The first of the names that the command's own `PATH` finds.
///
/// Relative entries are passed over: a command runs where a repository says what is there, and a repository must not
/// supply the shell.
fn search(run: &CommandRun<'_>, names: &[&str]) -> Result<PathBuf, String> {
    let path = value_of(&run.env, "PATH").unwrap_or(OsStr::new(USUAL_PATH));
    let mut not_executable = None;
    for name in names {
        for directory in std::env::split_paths(path).filter(|directory| directory.is_absolute()) {
            for candidate in with_extensions(&directory.join(name)) {
                if !candidate.is_file() {
                    continue;
                }
                if may_execute(&candidate) {
                    return Ok(candidate);
                }
                not_executable.get_or_insert(candidate);
            }
        }
    }
    let wanted = names.join("` or `");
    Err(match not_executable {
        Some(file) => format!("`{}` is not executable (permission denied); chmod +x makes it so", file.display()),
        None => format!("no program `{wanted}` in PATH (no such file or directory)"),
    })
}

#[cfg(unix)]
fn with_extensions(file: &Path) -> [PathBuf; 1] {
    [file.to_path_buf()]
}

#[cfg(not(unix))]
fn with_extensions(file: &Path) -> Vec<PathBuf> {
    let named = ["exe", "cmd", "bat", "com"].map(|extension| file.with_extension(extension));
    if file.extension().is_some() { vec![file.to_path_buf()] } else { named.to_vec() }
}

#[cfg(unix)]
fn may_execute(file: &Path) -> bool {
    rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn may_execute(_file: &Path) -> bool {
    true
}
