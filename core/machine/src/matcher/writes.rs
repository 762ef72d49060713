//! Whether a tool call may change or read a file of a set: by a tool that writes, or by a command line as far as it is understood.
//!
//! In doubt it may. A program that is not known to only read may write what its arguments name.

mod directories;
mod programs;
mod protected;
mod readers;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;
use std::sync::Arc;

use super::MatchResult;
use crate::match_input::MatchInput;
use crate::path::PathForms;
use crate::pattern::Glob;
use crate::payload::Host;
pub(super) use directories::{directories, join};
use hookweave_command::{Line, Reading, Simple, Word};
use programs::Use;
pub use protected::NamedFiles;

/// Tools that change no file, whatever their arguments name.
const HARMLESS: &[&str] = &[
    "Agent",
    "AskUserQuestion",
    "BashOutput",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "KillShell",
    "LS",
    "LSP",
    "NotebookRead",
    "Read",
    "Skill",
    "Task",
    "TaskOutput",
    "TodoRead",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
];

/// Tools that show nothing of the files that their arguments name.
const SHOWS_NOTHING: &[&str] = &[
    "Agent",
    "AskUserQuestion",
    "BashOutput",
    "Edit",
    "ExitPlanMode",
    "KillShell",
    "MultiEdit",
    "NotebookEdit",
    "Skill",
    "Task",
    "TaskOutput",
    "TodoRead",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "Write",
];

/// What is done with the files that is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// They may be changed.
    #[default]
    Write,
    /// They may be read.
    Read,
    /// Either.
    Any,
}

impl Access {
    /// Each value with its word.
    pub const WORDS: &'static [(&'static str, Self)] =
        &[("write", Self::Write), ("read", Self::Read), ("any", Self::Any)];

    /// The value's word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Read => "read",
            Self::Any => "any",
        }
    }

    const fn writes(self) -> bool {
        !matches!(self, Self::Read)
    }

    const fn reads(self) -> bool {
        !matches!(self, Self::Write)
    }
}

/// A set of files, which its owner knows.
pub trait FileSet: fmt::Debug + Send + Sync {
    /// Whether a path is a file of the set, or a folder of such files. It is given from the root if that is known.
    fn has(&self, path: &str) -> bool;
    /// Whether a text names a file of the set by its base name.
    fn is_named_in(&self, text: &str) -> bool;
    /// Whether a folder is at a path.
    fn is_folder(&self, path: &str) -> bool;
    /// The files of the set that are there now, from the root.
    fn present(&self) -> Vec<String>;
    /// Whether a pattern of a shell, from the root, may match a file of the set or a folder of such files; `present` are those
    /// that are there.
    fn may_be_matched(&self, pattern: &str, present: &[String]) -> bool {
        let glob = Glob::new(pattern, |glob| glob.literal_separator(true).empty_alternates(true));
        // What cannot be read as a pattern here may be one to a shell.
        let Ok(glob) = glob else { return true };
        let is_match = |path: &str| glob.is_match(path) && !hides(pattern, path);
        present.iter().any(|file| above(file).any(is_match))
    }
    /// The paths of the set, or above it, that a pattern of a shell is seen to name.
    fn named_by(&self, _pattern: &str) -> Vec<String> {
        Vec::new()
    }
    /// Whether there are files of the set in a folder, given from the root; `here` are the working directory and the project's.
    fn are_below(&self, folder: &str, _here: &[String], present: &[String]) -> bool {
        present.iter().any(|file| above(file).any(|path| path == folder))
    }
    /// Whether the files decide what agents may do, so that a program may change them without naming them.
    fn is_of_policy(&self) -> bool {
        true
    }
}

/// The files whose writing a matcher looks for.
#[derive(Debug, Clone)]
pub struct Writes {
    label: &'static str,
    files: Arc<dyn FileSet>,
    access: Access,
}

impl Writes {
    /// Calls that may change one of these files; the label names them to people.
    #[must_use]
    pub fn new(label: &'static str, files: Arc<dyn FileSet>) -> Self {
        Self { label, files, access: Access::Write }
    }

    /// The same for calls that read them too, or only those.
    #[must_use]
    pub fn access(self, access: Access) -> Self {
        Self { access, ..self }
    }

    /// What the files are called.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        self.label
    }

    /// Whether a tool may do with files what is looked for.
    pub(super) fn speaks_of(&self, names: &[&str]) -> bool {
        let is_one_of = |tools: &[&str]| names.iter().any(|name| tools.contains(name));
        self.access.writes() && (!is_one_of(HARMLESS) || is_one_of(&["Edit", "Write"]))
            || self.access.reads() && (!is_one_of(SHOWS_NOTHING) || is_one_of(&["Read"]))
    }

    pub(super) fn judge<H: Host>(&self, input: &MatchInput<'_, H>) -> MatchResult {
        match input.tool_names() {
            None => return MatchResult::INDETERMINATE,
            Some(names) if !self.speaks_of(&names) => return MatchResult::NO,
            Some(_) => {}
        }
        let paths = input.paths();
        if paths.indeterminate || input.lines().1 || paths.items.iter().any(|path| self.has(path)) {
            return MatchResult::YES;
        }
        MatchResult::of(any_line(&*self.files, self.access, Doubt::Counts, input))
    }

    fn has(&self, path: &PathForms) -> bool {
        path.forms().any(|form| self.files.has(form))
    }
}

/// Whether a command line reads or changes a file of the set by a program that is known to do so, or is not understood and
/// names one.
pub(super) fn lines_touch<H: Host>(files: &dyn FileSet, access: Access, input: &MatchInput<'_, H>) -> bool {
    input.lines().1 || any_line(files, access, Doubt::IsNone, input)
}

/// What is taken of a program of which it is not known what it does with files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doubt {
    /// It may do with them what is looked for.
    Counts,
    /// It does nothing.
    IsNone,
}

fn any_line<H: Host>(files: &dyn FileSet, access: Access, doubt: Doubt, input: &MatchInput<'_, H>) -> bool {
    let is_foreign = input.tool_names().is_some_and(|names| names.contains(&"PowerShell"));
    let place = |path: &str| input.place(path);
    input.lines().0.iter().any(|reading| {
        // A line of another shell's is read as far as all shells agree.
        let line = reading.line.as_ref().filter(|_| !is_foreign || reading.is_plain());
        match line {
            None => files.is_named_in(reading.text()),
            Some(line) => {
                Lines { files, access, doubt, reading, place: &place, present: OnceCell::new() }.touches(line)
            }
        }
    })
}

impl PartialEq for Writes {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.files, &other.files) && self.access == other.access
    }
}

impl serde::Serialize for Writes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.label)
    }
}

/// A line held against the set.
struct Lines<'l> {
    files: &'l dyn FileSet,
    access: Access,
    doubt: Doubt,
    reading: &'l Reading,
    /// The places that a path may mean.
    place: &'l dyn Fn(&str) -> [PathForms; 2],
    present: OnceCell<Vec<String>>,
}

impl Lines<'_> {
    /// The files of the set that are there now.
    fn present(&self) -> &[String] {
        self.present.get_or_init(|| self.files.present())
    }

    fn touches(&self, line: &Line) -> bool {
        let Some(directories) = directories(line) else {
            return self.files.is_named_in(self.reading.text());
        };
        self.access.writes() && self.writes(line, &directories) || self.access.reads() && self.reads(line, &directories)
    }

    fn reads(&self, line: &Line, directories: &[String]) -> bool {
        let names = |word: &Word| self.names(word, directories);
        line.reads.iter().any(names)
            || line.commands.iter().flat_map(|command| self.read_words(command)).any(|word| names(&word))
    }

    fn read_words<'c>(&self, command: &'c Simple) -> Vec<Cow<'c, Word>> {
        match self.doubt {
            Doubt::Counts => programs::read_words(command),
            Doubt::IsNone => readers::words(command),
        }
    }

    fn usage<'c>(&self, command: &'c Simple) -> Use<'c> {
        if self.doubt == Doubt::Counts || programs::is_writer(command) {
            return programs::usage(command);
        }
        Use::Nothing
    }

    fn writes(&self, line: &Line, directories: &[String]) -> bool {
        let names = |word: &Word| self.names(word, directories);
        line.writes.iter().any(names)
            || line.commands.iter().any(|command| match self.usage(command) {
                Use::Nothing => false,
                Use::Policy => self.files.is_of_policy(),
                Use::Unknown => self.files.is_named_in(self.reading.text()),
                Use::Files(changes) => {
                    changes.written.iter().any(|word| names(word))
                        || changes.removed.iter().any(|word| self.holds_some(word, directories))
                        || changes.put.iter().any(|(into, word)| names(word) && self.is_folder(into, directories))
                }
            })
    }

    /// Whether a word may name a file of the set.
    fn names(&self, word: &Word, directories: &[String]) -> bool {
        let word = &*word.known();
        let text = word.plain.as_str();
        let is_there = directories.iter().any(|from| self.is_in_set(&join(from, text)));
        if is_there || word.fixed().is_none() && self.may_become(word, directories) {
            return true;
        }
        // Where it is unknown in which directory a line works, the name alone says what it may be.
        let is_astray = directories.iter().any(|from| from.contains('$'));
        is_astray && !text.starts_with(['/', '~']) && self.files.is_named_in(text)
    }

    fn is_in_set(&self, path: &str) -> bool {
        (self.place)(path).iter().flat_map(PathForms::forms).any(|form| self.files.has(form))
    }

    /// Whether a word that is filled in when the line runs may become a file of the set.
    fn may_become(&self, word: &Word, directories: &[String]) -> bool {
        if word.is_filled_in() {
            let last = word.plain.rsplit('/').next().unwrap_or_default();
            return last.contains('$') && self.files.is_named_in(self.reading.text());
        }
        directories.iter().any(|from| {
            (self.place)(&join(from, &word.plain))
                .iter()
                .flat_map(|path| &path.places)
                .any(|place| self.may_match(&place.full))
        })
    }

    /// Whether a pattern of a shell may match a file of the set or a folder of such files.
    fn may_match(&self, pattern: &str) -> bool {
        if self.doubt == Doubt::IsNone {
            return self.files.named_by(pattern).iter().any(|path| self.is_in_set(path));
        }
        pattern.contains('{') && self.files.is_named_in(pattern) || self.files.may_be_matched(pattern, self.present())
    }

    /// Whether a word may name a folder.
    fn is_folder(&self, word: &Word, directories: &[String]) -> bool {
        word.fixed().is_none()
            || directories.iter().any(|from| {
                let mut places = (self.place)(&join(from, &word.plain)).into_iter().flat_map(|path| path.places);
                places.any(|place| self.files.is_folder(&place.full))
            })
    }

    /// Whether a word names a folder in which there are files of the set.
    fn holds_some(&self, word: &Word, directories: &[String]) -> bool {
        let present = self.present();
        let places = (self.place)(".").into_iter().flat_map(|path| path.places);
        let here: Vec<String> = places.map(|place| place.full).collect();
        directories.iter().any(|from| {
            (self.place)(&join(from, &word.plain))
                .iter()
                .any(|path| path.places.iter().any(|place| self.files.are_below(&place.full, &here, present)))
        })
    }
}

/// A path and the folders that it lies in.
fn above(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| {
        path.rsplit_once('/').map(|(above, _)| above).filter(|path| !path.is_empty())
    })
}

/// Whether a part of a path begins with a dot where its pattern begins with none: shells leave such names out.
pub(super) fn hides(pattern: &str, path: &str) -> bool {
    let is_open = |part: &str| part.starts_with(['*', '?', '[']);
    pattern.split('/').zip(path.split('/')).any(|(pattern, part)| is_open(pattern) && part.starts_with('.'))
}
