//! Where the words of a command point: directories, and the variables whose values are known.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::Roots;
use hookweave_dialects::described::{SYSTEMS, Variables};

/// Directories whose files belong to the system: whoever can change them needs no hook.
const SYSTEM: &[&str] =
    &["/bin", "/sbin", "/usr", "/lib", "/lib64", "/nix/store", "/opt/homebrew", "/System", "/dev", "/proc"];

/// Variables in which agents name the project's folder, or the plugin's.
const PROJECT: &[&str] = &["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR", "HOOKWEAVE_PROJECT_DIR"];
const PLUGIN: &[&str] = &["CLAUDE_PLUGIN_ROOT", "PLUGIN_ROOT"];

/// How many of the variables that a line sets are looked at.
const MAX_SET: usize = 32;

/// What a command's words are read against.
pub(super) struct Places<'r> {
    roots: Roots<'r>,
    plugin: Option<&'r Path>,
    base: Option<PathBuf>,
    /// The hook's own variables.
    env: &'r [(String, String)],
}

/// Whether a variable has this meaning in a described system.
fn is_described(name: &str, which: fn(&Variables) -> &'static [&'static str]) -> bool {
    SYSTEMS.iter().any(|system| which(&system.variables).contains(&name))
}

pub(super) fn is_of_system(path: &Path) -> bool {
    SYSTEM.iter().any(|folder| path.starts_with(folder))
}

impl<'r> Places<'r> {
    pub(super) const fn new(
        roots: Roots<'r>,
        plugin: Option<&'r Path>,
        base: Option<PathBuf>,
        env: &'r [(String, String)],
    ) -> Self {
        Self { roots, plugin, base, env }
    }

    pub(super) const fn project(&self) -> Option<&Path> {
        self.roots.project
    }

    /// Whether the hook sets a variable.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.env.iter().any(|(known, _)| known == name)
    }

    fn value(&self, name: &str) -> Option<&str> {
        let directory = match name {
            "HOME" => self.roots.home,
            "PWD" => self.base.as_deref(),
            _ if PLUGIN.contains(&name) || is_described(name, |variables| variables.plugin) => self.plugin,
            _ if PROJECT.contains(&name) || is_described(name, |variables| variables.project) => self.roots.project,
            _ => None,
        };
        let own = self.env.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        own.or_else(|| directory.and_then(Path::to_str))
    }

    /// The directory in which relative paths begin; another may be set.
    pub(super) const fn base(&mut self) -> &mut Option<PathBuf> {
        &mut self.base
    }

    /// Steps into a directory, if it is there and no link can lead elsewhere.
    pub(super) fn enter(&mut self, word: &str) -> bool {
        let folder = self.resolve(word).filter(|path| path.is_dir() && !word.starts_with('-') && !word.contains(".."));
        let is_there = folder.is_some();
        self.base = folder.or_else(|| self.base.take());
        is_there
    }

    /// The path that a word is.
    pub(super) fn resolve(&self, word: &str) -> Option<PathBuf> {
        let word = self.unmarked(word);
        let path = match (word.strip_prefix("~/"), self.roots.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => PathBuf::from(&word),
        };
        let path = if path.is_absolute() { path } else { self.base.as_ref()?.join(path) };
        (!word.is_empty() && !word.contains('\0') && word.len() <= 4096).then(|| without_dots(&path))
    }

    /// The line with the variables filled in whose values are known: the hook's, the agent's, and those that it sets once to
    /// a plain text. A directory with odd letters is marked, and read in [`resolve`](Self::resolve).
    pub(super) fn filled(&self, line: &str) -> String {
        let line =
            line.replace("$(git rev-parse --show-toplevel)", "${HOOKWEAVE_PROJECT_DIR}").replace("$(pwd)", "${PWD}");
        // Each is looked for in the whole line.
        let is_known = |(_, (name, value)): &(usize, (&str, &str))| {
            !value.is_empty() && line.contains(name) && times_named(&line, name) == 0
        };
        let known: Vec<(usize, (&str, &str))> = self.marked().enumerate().filter(is_known).collect();
        let line = fill(&line, true, |name| {
            let (at, (_, value)) = known.iter().find(|(_, (known, _))| *known == name)?;
            if is_plain(value) {
                return Some((*value).to_owned());
            }
            value.starts_with('/').then(|| format!("/@{at}@"))
        });
        if line.contains("IFS") {
            return line;
        }
        let set = set_once(&line);
        fill(&line, false, |name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    fn marked(&self) -> impl Iterator<Item = (&str, &str)> {
        let own = self.env.iter().map(|(name, _)| name.as_str());
        let names = own.chain(["HOME", "PWD"]).chain(PLUGIN.iter().chain(PROJECT).copied());
        names.map(|name| (name, self.value(name).unwrap_or_default()))
    }

    fn unmarked(&self, word: &str) -> String {
        let inside = word.strip_prefix("/@").and_then(|rest| rest.split_once('@'));
        let known = inside.and_then(|(at, rest)| Some((self.marked().nth(at.parse().ok()?)?.1, rest)));
        known.map_or_else(|| word.to_owned(), |(value, rest)| format!("{value}{rest}"))
    }
}

/// Puts values in the place of variables; between single quotes only where a program that gets the text knows them too.
fn fill(line: &str, is_exported: bool, value: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let (mut single, mut double) = (false, false);
    let mut rest = line;
    while let Some((before, from)) = rest.find(['\\', '\'', '"', '$']).and_then(|at| rest.split_at_checked(at)) {
        out.push_str(before);
        let mut letters = from.chars();
        let Some(letter) = letters.next() else { break };
        rest = letters.as_str();
        match letter {
            '\\' if !single => {
                out.push(letter);
                out.extend(letters.next());
                rest = letters.as_str();
                continue;
            }
            '\'' if !double => single = !single,
            '"' if !single => double = !double,
            '$' if is_exported || !single => {
                let filled = parameter(rest).and_then(|(name, behind)| Some((value(name)?, behind)));
                if let Some((value, behind)) = filled {
                    out.push_str(&value);
                    rest = behind;
                    continue;
                }
            }
            _ => {}
        }
        out.push(letter);
    }
    out.push_str(rest);
    out
}

/// The name of a variable behind its `$`, and what follows: `X`, `{X}`, `{X:-otherwise}`.
fn parameter(text: &str) -> Option<(&str, &str)> {
    let (inside, behind) = match text.strip_prefix('{') {
        Some(braced) => braced.split_once('}')?,
        None => text.split_at_checked(text.find(|letter| !is_of_name(letter)).unwrap_or(text.len()))?,
    };
    let (name, operator) =
        inside.split_at_checked(inside.find(|letter| !is_of_name(letter)).unwrap_or(inside.len()))?;
    let is_known = operator.is_empty() || operator.starts_with(":-") || operator.starts_with('-');
    (is_known && !name.is_empty()).then_some((name, behind))
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

fn is_plain(text: &str) -> bool {
    text.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-./+:@%,".contains(letter))
}

/// How often a line names a variable other than to fill it in: to set, read or export it.
fn times_named(line: &str, name: &str) -> usize {
    let is_named = |(at, _): &(usize, &str)| {
        let before = line.get(..*at).unwrap_or_default();
        let behind = line.get(at + name.len()..).unwrap_or_default();
        !before.ends_with(|letter| is_of_name(letter) || letter == '$')
            && !before.ends_with("${")
            && !behind.starts_with(is_of_name)
    };
    line.match_indices(name).filter(is_named).count()
}

/// The words of a line that set a variable.
fn assignments(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let words = line.split(|letter: char| letter.is_whitespace() || ";&|({".contains(letter));
    words.filter_map(|word| word.split_once('=')).filter(|(name, _)| !name.is_empty() && name.chars().all(is_of_name))
}

/// Whether a line sets a variable.
pub(super) fn assigns(line: &str, name: &str) -> bool {
    assignments(line).any(|(known, _)| known.trim_start_matches(['"', '\'']) == name)
}

/// The variables that a line sets once to a plain text.
fn set_once(line: &str) -> Vec<(&str, &str)> {
    // Each is looked for in the whole line.
    let set = assignments(line).take(MAX_SET).map(|(name, value)| (name, value.trim_matches('"').trim_matches('\'')));
    set.filter(|(name, value)| is_plain(value) && times_named(line, name) == 1).collect()
}

/// `cd DIR` at the beginning of a line and what then runs there, in every case.
pub(super) fn leading_cd(line: &str) -> Option<(&str, &str)> {
    let behind = line.trim_start().strip_prefix("cd ")?;
    let (directory, rest) = behind.split_at_checked(behind.find([';', '&', '|', '\n'])?)?;
    let leaves = || {
        let otherwise = rest.strip_prefix("||")?.trim_start();
        let code = otherwise.strip_prefix("exit").or_else(|| otherwise.strip_prefix("return"))?;
        code.trim_start_matches(|letter: char| letter == ' ' || letter.is_ascii_digit()).strip_prefix([';', '\n'])
    };
    let then = rest.strip_prefix("&&").or_else(|| rest.strip_prefix([';', '\n'])).or_else(leaves)?;
    Some((directory, then))
}

/// The words of a line that is not understood, each with whether it is the known part of a path that is filled in. What is
/// only written is left out.
pub(super) fn loose_words(line: &str) -> BTreeSet<(String, bool)> {
    const ENDS: &str = "'\"`;|&()<>{}=:,![]*?$\\#";
    let is_end = |letter: char| letter.is_whitespace() || ENDS.contains(letter);
    let is_written = |at: usize| {
        let before = line.get(..at).unwrap_or_default().trim_end_matches([' ', '"', '\'']);
        let is_file = !before.ends_with("=>") && before.ends_with('>');
        is_file || before.ends_with("tee") || before.ends_with("tee -a")
    };
    let mut words = BTreeSet::new();
    let mut at = 0;
    for piece in line.split_inclusive(is_end) {
        let word = piece.trim_end_matches(is_end).trim_start_matches(['-', '+']);
        let is_part = word.ends_with('/') && piece.ends_with(['$', '*', '?', '[', '{', '`', '"', '\'']);
        if !word.is_empty() && !is_written(at) {
            words.insert((word.to_owned(), is_part));
        }
        at += piece.len();
    }
    // A name with a blank stands in quotes.
    let quoted = line.split(['"', '\'']).filter(|text| text.contains(' ')).map(|text| (text.to_owned(), false));
    words.extend(quoted);
    words
}

/// The path without `.` and `..`; the system goes up from what a link points to.
pub(super) fn without_dots(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                if out.is_symlink() {
                    out = out.canonicalize().unwrap_or(out);
                }
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}
