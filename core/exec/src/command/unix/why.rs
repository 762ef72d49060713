//! Why a program could not be started, from the system's error and the files that are there.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use crate::command::program::Program;

/// The reason in words, with the system's own in brackets.
pub(super) fn explain(error: &io::Error, program: &Program, directory: Option<&Path>) -> String {
    let file = located(program, directory);
    let shown = file.display();
    if let Some(directory) = directory
        && !directory.is_dir()
    {
        return format!("its directory `{}` is gone ({error})", directory.display());
    }
    match Errno::from_io_error(error) {
        Some(Errno::NOENT | Errno::NOTDIR) if file.exists() => match interpreter(&file) {
            Some(name) => format!("`{shown}` names `{name}` in its first line, which does not exist ({error})"),
            None => format!("a library or loader that `{shown}` needs does not exist ({error})"),
        },
        Some(Errno::NOENT | Errno::NOTDIR) => format!("there is no program `{shown}` ({error})"),
        Some(Errno::ACCESS) if file.is_dir() => format!("`{shown}` is a directory ({error})"),
        Some(Errno::ACCESS) => format!("`{shown}` is not executable; chmod +x makes it so ({error})"),
        Some(Errno::NOEXEC) => format!("`{shown}` is no program of this system ({error})"),
        Some(Errno::TOOBIG) => format!("the arguments and the environment of `{shown}` are too long ({error})"),
        Some(_) => format!("`{shown}`: {error}"),
        None => error.to_string(),
    }
}

/// Whether the system refused a file only because it is a script whose first line names no interpreter.
pub(super) fn is_script(error: &io::Error, program: &Program, directory: Option<&Path>) -> bool {
    Errno::from_io_error(error) == Some(Errno::NOEXEC)
        && beginning(&located(program, directory)).is_some_and(|bytes| !bytes.is_empty() && !bytes.contains(&0))
}

fn located(program: &Program, directory: Option<&Path>) -> PathBuf {
    directory.map_or_else(|| program.file.clone(), |directory| directory.join(&program.file))
}

/// The program that a script's first line names.
fn interpreter(script: &Path) -> Option<String> {
    let bytes = beginning(script)?;
    let line = bytes.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    // A carriage return belongs to the name for the system, which is why a script from Windows does not start.
    let name = line.trim_matches([' ', '\t']).split([' ', '\t']).next()?;
    Some(name.escape_debug().to_string())
}

fn beginning(file: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(256).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
