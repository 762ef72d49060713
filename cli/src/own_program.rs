//! Whether what an agent starts as hookweave is this program, and finds what this one finds.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::hook_command::split;

/// Programs that start another one by its name, which is the next word.
const LAUNCHERS: &[&str] = &["bunx", "npx", "uvx"];

/// Variables that let another program start, or another store of approvals or policy of the user's be found.
const VARIABLES: &[&str] = &[
    "APPDATA",
    "BASH_ENV",
    "CLAUDE_CODE_SHELL_PREFIX",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_LIBRARY_PATH",
    "HOME",
    "LD_AUDIT",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "USERPROFILE",
    "XDG_CONFIG_HOME",
];

/// Variables by which the interpreter of a hook's script loads other code.
const LOADERS: &[&str] = &[
    "NODE_OPTIONS",
    "NODE_PATH",
    "PERL5LIB",
    "PERL5OPT",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONUSERBASE",
    "RUBYLIB",
    "RUBYOPT",
];

/// Variables by which a hook's script reads other files.
const READ: &[&str] = &["CLAUDE_PROJECT_DIR"];

/// How the names of those begin by which git in a hook's script, or hookweave itself, reads other settings.
const READ_BEGIN: &[&str] = &["GIT_CONFIG", "HOOKWEAVE_"];

/// This program's file.
pub(crate) fn own_file() -> PathBuf {
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("hookweave"))
}

/// A file by its own name, also where a link leads to it.
fn real(file: &Path) -> PathBuf {
    std::fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf())
}

/// Whether a file is this program.
fn is_own(file: &Path) -> bool {
    real(file) == real(&own_file())
}

/// Whether a command line starts this program: by its name, by a path, or through a launcher. Relative paths lead from a
/// project.
pub(crate) fn is_started_by(line: &str, project: &Path) -> bool {
    let words = split(line);
    let is_named = |word: &str| ["hookweave", "hookweave.exe", "hookweave.cmd"].contains(&word);
    match words.as_slice() {
        [launcher, word, ..] if LAUNCHERS.contains(&launcher.as_str()) => word == "hookweave",
        [program, ..] => is_named(program) || program.contains(['/', '\\']) && is_own(&project.join(program)),
        [] => false,
    }
}

/// Whether the program of a command line is there. Relative paths lead from a project.
pub(crate) fn is_there(program: &str, project: &Path) -> bool {
    if program.contains(['/', '\\']) { project.join(program).is_file() } else { on_path(program) }
}

/// Whether a program is found by its name.
pub(crate) fn on_path(program: &str) -> bool {
    let Some(path) = std::env::var_os("PATH") else { return false };
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path)
        .any(|folder| folder.join(&name).is_file() || folder.join(format!("{program}.cmd")).is_file())
}

/// The first file of a search path that is called as this program.
fn first_on(path: &OsStr) -> Option<PathBuf> {
    let name = format!("hookweave{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(path).map(|folder| folder.join(&name)).find(|file| file.is_file())
}

/// The first file on PATH that is called as this program, if it is neither this one nor a script that starts it.
pub(crate) fn other_on_path() -> Option<PathBuf> {
    let first = first_on(&std::env::var_os("PATH")?)?;
    let starts_it =
        std::fs::read_to_string(&first).is_ok_and(|text| text.starts_with("#!") && text.contains("hookweave"));
    (!is_own(&first) && !starts_it).then_some(first)
}

/// What the variables of settings change of which program is started, and of what it and the scripts of hooks find.
pub(crate) fn misleading(env: Option<&Value>) -> Vec<String> {
    let Misleading { mut faults, loaders } = Misleading::of(env);
    faults.extend(loaders.iter().map(|loader| format!("{loader}; take it out")));
    faults
}

/// What variables of settings change.
#[derive(Debug, Default)]
pub(crate) struct Misleading {
    /// Of which program is started, and of what it finds.
    pub(crate) faults: Vec<String>,
    /// Of what interpreters load: servers often need them, and a hook's script gets them too.
    pub(crate) loaders: Vec<String>,
}

impl Misleading {
    /// Looks at the variables.
    pub(crate) fn of(env: Option<&Value>) -> Self {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let usual = std::env::var_os("PATH").and_then(|path| first_on(&path)).map(|file| real(&file));
        let Self { mut faults, mut loaders } = Self::default();
        for (name, value) in env.and_then(Value::as_object).into_iter().flatten() {
            let value = text(value);
            let is_as_here = std::env::var_os(name).is_some_and(|own| own == *value);
            if is_as_here {
                continue;
            }
            if name == "PATH" {
                match first_on(value.as_ref()) {
                    // A script that starts this one is the same as on the person's own PATH, which is judged by itself.
                    Some(first) if is_own(&first) || usual.as_ref() == Some(&real(&first)) => {}
                    Some(first) => {
                        let first = first.display();
                        faults
                            .push(format!("`env` sets `PATH`, which leads to another hookweave, {first}; take it out"));
                    }
                    None => faults.push("`env` sets `PATH`, which leads to no hookweave; take it out".to_owned()),
                }
            } else if VARIABLES.contains(&name.as_str()) {
                faults.push(format!(
                "`env` sets `{name}` to `{value}`, so that another program decides or other approvals count; take it out"
            ));
            } else if LOADERS.contains(&name.as_str()) {
                loaders.push(format!("`env` sets `{name}` to `{value}`, so that a hook may load other code"));
            } else if READ.contains(&name.as_str()) || READ_BEGIN.iter().any(|start| name.starts_with(start)) {
                faults.push(format!(
                    "`env` sets `{name}` to `{value}`, so that a hook may read other settings; take it out"
                ));
            }
        }
        Self { faults, loaders }
    }
}
