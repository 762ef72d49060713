//! Variables whose value stands in the line: a word with one of them is known before the line runs.
//!
//! What is known of a word only ever serves rules. Everything else goes by what is written.

use super::words::{Word, is_plain_word};
use super::{Line, variables};

/// Stands for the output of `mktemp`: a name below the folder for temporary files.
pub(super) const TEMPORARY: &str = "${_temporary}";

/// The name that is taken for the output of `mktemp`. No rule means it.
const TEMPORARY_PATH: &str = "/tmp/tmp.XXXXXXXXXX";

/// Stands for the output of `pwd`.
pub(super) const HERE: &str = "${PWD}";

/// Variables that decide what `~`, `pwd` and `mktemp` say.
const USUAL: &[&str] = &["HOME", "PATH", "PWD", "TMPDIR"];

/// Variables of zsh that are more than a text.
const OF_ZSH: &[&str] = &["cdpath", "fpath", "manpath", "path", "pipestatus", "status"];

/// What is known of variables while a line is read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Constants {
    /// Those that have their value from here on.
    set: Vec<(String, String)>,
    /// Those that are given one value and keep it, as a first reading found.
    kept: Option<Vec<String>>,
    /// Those that are certainly given a plain value.
    candidates: Vec<String>,
    /// Every variable that the line sets, once for each time.
    pub(super) assigned: Vec<String>,
    /// Something may set variables that are not named, or make names mean other programs.
    pub(super) is_unsure: bool,
    /// A variable or program that is usually known is not what it was.
    is_unusual: bool,
}

impl Constants {
    /// What a second reading is to know; nothing where it would find nothing more.
    pub(super) fn for_second_reading(&self) -> Option<Self> {
        let is_set = |name: &&str| self.assigned.iter().any(|set| set == name);
        let is_unusual = self.is_unsure || USUAL.iter().any(is_set);
        let is_unsure = self.is_unsure || is_set(&"IFS");
        let times_set = |name: &String| self.assigned.iter().filter(|set| *set == name).count();
        let kept: Vec<String> =
            self.candidates.iter().filter(|name| !is_unsure && times_set(name) == 1).cloned().collect();
        (is_unusual || !kept.is_empty()).then(|| Self { kept: Some(kept), is_unusual, ..Self::default() })
    }

    /// Notes that a variable certainly has a value from here on, as far as this reading knows.
    pub(super) fn define(&mut self, name: &str, value: &Word) {
        let Some(value) = value.known.as_deref().or_else(|| value.fixed()) else { return };
        if !is_plain_word(value.strip_prefix('~').unwrap_or(value)) || OF_ZSH.contains(&name) || variables::is_own(name)
        {
            return;
        }
        match &self.kept {
            None => self.candidates.push(name.to_owned()),
            Some(kept) if kept.iter().any(|known| known == name) => self.set.push((name.to_owned(), value.to_owned())),
            Some(_) => {}
        }
    }

    /// Takes the values away for a text that another shell reads.
    pub(super) fn forget(&mut self) -> Vec<(String, String)> {
        std::mem::take(&mut self.set)
    }

    /// Gives them back.
    pub(super) fn remember(&mut self, set: Vec<(String, String)>) {
        self.set = set;
    }

    /// What a variable is: `$NAME` or `${NAME}` behind nothing or something, and before a text.
    pub(super) fn value(&self, source: &str, is_first: bool, behind: &str) -> Option<&str> {
        if source == TEMPORARY {
            return (!self.is_unusual).then_some(TEMPORARY_PATH);
        }
        let name = source.strip_prefix('$')?;
        let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
        if let Some((_, value)) = self.set.iter().find(|(known, _)| known == name) {
            return (is_first || !value.starts_with(['~', '.'])).then_some(value);
        }
        let behind = behind.trim_start_matches('"');
        let is_folder = is_first && (behind.is_empty() || behind.starts_with('/')) && !self.is_unusual;
        match name {
            "HOME" if is_folder => Some("~"),
            "PWD" if is_folder => Some("."),
            _ => None,
        }
    }
}

impl Line {
    /// Notes that a function is defined, a file read in or a variable taken away.
    pub(super) const fn rebinds(&mut self) {
        self.constants.is_unsure = true;
    }
}

/// What stands for a substitution whose output is known to be a path, by the text within it.
pub(crate) fn stands_for(inside: &str) -> Option<&'static str> {
    let mut words = inside.split([' ', '\t']).filter(|word| !word.is_empty());
    match words.next()? {
        "pwd" => words.next().is_none().then_some(HERE),
        "mktemp" => words.all(|word| matches!(word, "-d" | "-q" | "-dq" | "-qd" | "--directory")).then_some(TEMPORARY),
        _ => None,
    }
}
