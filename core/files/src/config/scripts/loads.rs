//! The files that scripts load: what a shell script sources and starts, what a Python, JavaScript or Ruby script imports
//! from its own folder.
//!
//! A guard whose rules stand in a file beside it is only as good as that file. What is computed when a script runs is not
//! found, but for the usual ways of naming a script's own folder.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::interpreters::{Given, given, is_interpreter};
use super::places::{is_of_system, without_dots};
use super::shebang;
use crate::open::open_file;
use hookweave_command::{Starts, Word, is_shell, program_name};

/// How many files the scripts of one hook may load.
const MAX_LOADED: usize = 256;

/// How much of a script is read, in bytes.
const MAX_READ: u64 = 256 * 1024;

/// How shell scripts name their own folder.
const OWN_FOLDER: &[&str] = &[
    "$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)",
    "$(cd \"$(dirname \"$0\")\" && pwd)",
    "$(dirname \"${BASH_SOURCE[0]}\")",
    "$(dirname \"$BASH_SOURCE\")",
    "$(dirname \"$0\")",
    "$(dirname $0)",
    "${BASH_SOURCE[0]%/*}",
    "${BASH_SOURCE%/*}",
    "${0%/*}",
    "$CLAUDE_PROJECT_DIR",
    "${CLAUDE_PROJECT_DIR}",
];

/// Endings of what JavaScript loads by a relative path.
const MODULES: &[&str] = &["", ".js", ".mjs", ".cjs", ".ts", ".mts", ".json", "/index.js", "/index.ts"];

#[derive(Clone, Copy)]
enum Language {
    Shell,
    Python,
    JavaScript,
    Ruby,
}

/// Adds what the scripts load, and what that loads in turn; says whether a new file may be loaded in place of these. An
/// error when it is too much.
pub(super) fn add(scripts: &mut Vec<PathBuf>, directory: Option<&Path>) -> Result<bool, String> {
    let mut next = 0;
    let mut imports = false;
    let mut folders = Folders::default();
    while let Some(script) = scripts.get(next).cloned() {
        next += 1;
        // Modules are looked for by names that several files may have.
        imports |= matches!(language(&script), Some(Language::Python | Language::JavaScript));
        for loaded in loaded_by(&script, directory, &mut folders) {
            if scripts.contains(&loaded) || is_of_system(&loaded) {
                continue;
            }
            if scripts.len() >= MAX_LOADED {
                return Err(format!("its scripts load {MAX_LOADED} files or more, too many to look at"));
            }
            scripts.push(loaded);
        }
    }
    Ok(imports)
}

/// The files that are there of those that a script names.
fn loaded_by(script: &Path, directory: Option<&Path>, folders: &mut Folders) -> Vec<PathBuf> {
    let (Some(folder), Some(language)) = (script.parent(), language(script)) else { return Vec::new() };
    let Some(text) = text(script) else { return Vec::new() };
    let beside = |name: &str| vec![folder.join(name)];
    let candidates: Vec<PathBuf> = match language {
        Language::Shell => {
            let from = [directory, Some(folder)].into_iter().flatten();
            let names = of_shell(&text);
            from.flat_map(|from| names.iter().map(|name| from.join(name)).collect::<Vec<_>>()).collect()
        }
        Language::Python => text
            .lines()
            .flat_map(of_python)
            .flat_map(|name| {
                let endings = folders.endings_of_module(&folder.join(&name));
                endings.into_iter().map(move |ending| format!("{name}{ending}"))
            })
            .flat_map(|name| beside(&name))
            .collect(),
        Language::JavaScript => relative_texts(&text)
            .flat_map(|name| MODULES.iter().map(move |ending| format!("{name}{ending}")))
            .flat_map(|name| beside(&name))
            .collect(),
        Language::Ruby => text.lines().filter_map(of_ruby).flat_map(|name| beside(&name)).collect(),
    };
    candidates.into_iter().filter(|path| path.is_file()).map(|path| without_dots(&path)).collect()
}

fn language(script: &Path) -> Option<Language> {
    match script.extension().and_then(|ending| ending.to_str()) {
        Some("sh" | "bash" | "zsh" | "ksh") => Some(Language::Shell),
        Some("py") => Some(Language::Python),
        Some("js" | "mjs" | "cjs" | "ts" | "mts") => Some(Language::JavaScript),
        Some("rb") => Some(Language::Ruby),
        Some(_) => None,
        None => {
            let started = shebang(script);
            let mut programs = started.split_whitespace().map(program_name);
            programs.find_map(|program| match program {
                _ if is_shell(program) => Some(Language::Shell),
                _ if program.starts_with("python") => Some(Language::Python),
                "node" | "bun" | "tsx" => Some(Language::JavaScript),
                "ruby" => Some(Language::Ruby),
                _ => None,
            })
        }
    }
}

fn text(script: &Path) -> Option<String> {
    let mut text = Vec::new();
    open_file(script).ok()?.take(MAX_READ).read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// The files that a shell script sources or starts.
fn of_shell(text: &str) -> Vec<String> {
    let filled = own_folder_filled(text);
    let reading = hookweave_command::read(&filled);
    let Some(line) = &reading.line else { return filled.lines().filter_map(sourced).collect() };
    let mut names = Vec::new();
    for command in &line.commands {
        let Starts::Program(words) = command.starts() else { continue };
        let Some(program) = words.first().and_then(Word::fixed) else { continue };
        let name = program_name(program);
        if program.contains('/') {
            names.push(program.to_owned());
        }
        if is_interpreter(name) {
            let files = given(name, words.get(1..).unwrap_or_default()).unwrap_or_default().into_iter();
            names.extend(files.filter_map(|given| match given {
                Given::File(file) => Some(file.to_owned()),
                Given::Module(_) | Given::Code(_) => None,
            }));
        }
    }
    names
}

/// A script with its own folder as `.`, also where a variable holds it.
fn own_folder_filled(text: &str) -> String {
    let filled = OWN_FOLDER.iter().fold(text.to_owned(), |text, way| text.replace(way, "."));
    let holds = |line: &str| {
        let (name, value) = line.trim().split_once('=')?;
        let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        (is_name && value.trim_matches('"') == ".").then(|| name.to_owned())
    };
    let names: Vec<String> = filled.lines().filter_map(holds).collect();
    names
        .iter()
        .fold(filled, |text, name| text.replace(&format!("${{{name}}}"), ".").replace(&format!("${name}/"), "./"))
}

/// The file that a line sources, where the script is not understood as a whole.
fn sourced(line: &str) -> Option<String> {
    let (program, file) = line.trim().split_once(char::is_whitespace)?;
    let file = file.split_whitespace().next()?.trim_matches(['"', '\'', ';']);
    matches!(program, "." | "source").then(|| file.to_owned())
}

/// The modules in a script's folder that a line of Python may import.
fn of_python(line: &str) -> Vec<String> {
    let line = line.trim();
    let modules = match (line.strip_prefix("import "), line.strip_prefix("from ")) {
        (Some(modules), _) => modules.split(',').map(|module| module.trim().to_owned()).collect(),
        (_, Some(rest)) => {
            let (module, names) = rest.split_once(" import ").unwrap_or((rest, ""));
            let names = names.trim_matches(['(', ')']).split(',').map(|name| format!("{module}.{}", name.trim()));
            std::iter::once(module.to_owned()).chain(names).collect()
        }
        _ => Vec::new(),
    };
    modules.iter().flat_map(|module| paths_of_module(module)).collect()
}

/// The paths of a module and of the packages around it: `a.b as c` is `a` and `a/b`.
fn paths_of_module(module: &str) -> Vec<String> {
    let module = module.split_whitespace().next().unwrap_or_default();
    let name = module.trim_start_matches('.');
    let mut path = "../".repeat((module.len() - name.len()).saturating_sub(1));
    let mut paths = Vec::new();
    for part in name.split('.').filter(|part| !part.is_empty()) {
        path.push_str(part);
        paths.push(path.clone());
        path.push('/');
    }
    paths
}

/// The names in folders, each of which is listed once while a hook's files are looked for.
#[derive(Debug, Default)]
pub(super) struct Folders(FxHashMap<PathBuf, Vec<String>>);

impl Folders {
    fn names(&mut self, folder: &Path) -> &[String] {
        self.0.entry(folder.to_path_buf()).or_insert_with(|| {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
        })
    }

    /// The endings of the files that are there of a module of Python: its source, compiled code, an extension of the
    /// interpreter (`.cpython-312-x86_64-linux-gnu.so`), or the beginning of a package.
    pub(super) fn endings_of_module(&mut self, path: &Path) -> Vec<String> {
        let mut endings = self.endings(path, "");
        endings.extend(self.endings(&path.join("__init__"), "/__init__"));
        endings.extend(self.endings(&path.join("__main__"), "/__main__"));
        endings.sort();
        endings
    }

    fn endings(&mut self, path: &Path, before: &str) -> Vec<String> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
            return Vec::new();
        };
        // `.abi3.so` too.
        let is_module = |ending: &&str| {
            let last = ending.starts_with('.').then(|| ending.rsplit('.').next()).flatten();
            matches!(*ending, ".py" | ".pyc") || matches!(last, Some("so" | "pyd"))
        };
        let endings = self.names(folder).iter().filter_map(|file| file.strip_prefix(name));
        endings.filter(is_module).map(|ending| format!("{before}{ending}")).collect()
    }
}

/// The file that a line of Ruby loads from beside its own.
fn of_ruby(line: &str) -> Option<String> {
    let file = line.trim().strip_prefix("require_relative")?.trim_matches([' ', '(', ')', '"', '\'']);
    Some(if Path::new(file).extension().is_some() { file.to_owned() } else { format!("{file}.rb") })
}

/// Texts of JavaScript that begin like a relative path.
fn relative_texts(text: &str) -> impl Iterator<Item = &str> {
    text.split(['"', '\'', '`']).filter(|part| part.starts_with("./") || part.starts_with("../"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_listed_once() {
        let dir = tempfile::tempdir().unwrap();
        let make = |name: &str| std::fs::write(dir.path().join(name), "").unwrap();
        make("rules.py");
        let mut folders = Folders::default();
        assert_eq!(folders.endings_of_module(&dir.path().join("rules")), [".py"]);
        make("rules.pyc");
        make("words.py");
        assert_eq!(folders.endings_of_module(&dir.path().join("rules")), [".py"]);
        assert_eq!(Folders::default().endings_of_module(&dir.path().join("rules")), [".py", ".pyc"]);
    }
}
