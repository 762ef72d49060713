//! Whether a tool call may change or read a file of a set: by a tool that writes, or by a command line as far as it is understood.
//!
//! In doubt it may. A program that is not known to only read may write what its arguments name.

mod folders;
mod handed;
mod policy;
mod programs;
mod protected;
mod readers;
mod search;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use super::MatchResult;
use super::directories::{directories, has_left, hides, join};
use super::values;
use crate::match_input::MatchInput;
use crate::path::PathForms;
use crate::pattern::Glob;
use crate::payload::Host;
use hookweave_command::{Line, Reading, Simple, Word};
use programs::{Changes, Use};
pub use protected::NamedFiles;
use search::Search;

/// What known tools do with the files that their arguments name, if anything.
const TOOLS: &[(&str, Option<Access>)] = &[
    ("Agent", None),
    ("AskUserQuestion", None),
    ("BashOutput", None),
    ("Edit", Some(Access::Write)),
    ("ExitPlanMode", None),
    ("Glob", Some(Access::Read)),
    ("Grep", Some(Access::Read)),
    ("KillShell", None),
    ("LS", Some(Access::Read)),
    ("LSP", Some(Access::Read)),
    ("MultiEdit", Some(Access::Write)),
    ("NotebookEdit", Some(Access::Write)),
    ("NotebookRead", Some(Access::Read)),
    ("Read", Some(Access::Read)),
    ("ReadMcpResource", Some(Access::Read)),
    ("Skill", None),
    ("Task", None),
    ("TaskOutput", None),
    ("TodoRead", None),
    ("TodoWrite", None),
    ("ToolSearch", None),
    ("WebFetch", Some(Access::Read)),
    ("WebSearch", None),
    ("Write", Some(Access::Write)),
];

/// How many paths of a text that may be a program are looked at.
const MAX_PATHS: usize = 512;

/// What makes a word a pattern of the shell.
const PATTERN: [char; 4] = ['*', '?', '[', '{'];

/// What a command line has where a command's output is filled in.
const FILLED: &str = "${_}";

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

    /// Whether a tool of these names may do that with files.
    pub(super) fn is_of(self, names: &[&str]) -> bool {
        let is_one_of = |tools: &[&str]| names.iter().any(|name| tools.contains(name));
        // One that does nothing of the kind, by any of its names.
        let spares = |access: Self| {
            names.iter().any(|name| TOOLS.iter().any(|(tool, does)| tool == name && *does != Some(access)))
        };
        self.writes() && (!spares(Self::Write) || is_one_of(&["Edit", "Write"]))
            || self.reads() && (!spares(Self::Read) || is_one_of(&["Read"]))
    }
}

/// A set of files, which its owner knows.
pub trait FileSet: fmt::Debug + Send + Sync {
    /// Whether a path is a file of the set, or a folder of such files. It is given from the root if that is known.
    fn has(&self, path: &str) -> bool;
    /// Whether a text names a file of the set by its base name.
    fn is_named_in(&self, text: &str) -> bool;
    /// Whether a file of the set passes a test, by its path from the root, or from any folder in small letters.
    fn may_be_one(&self, _test: &dyn Fn(&str) -> bool) -> bool {
        false
    }
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
    /// Whether a pattern of a shell, of whose last part something is written, becomes the name of a file of the set.
    fn is_matched_for_sure(&self, _pattern: &str) -> bool {
        false
    }
    /// Names of files of the set that a search by a pattern of names finds; closely, only those that the pattern says most of.
    fn names_of(&self, _pattern: &str, _closely: bool) -> Vec<String> {
        Vec::new()
    }
    /// Whether there are files of the set in a folder, given from the root; `here` are the working directory and the project's.
    fn are_below(&self, folder: &str, _here: &[String], present: &[String]) -> bool {
        present.iter().any(|file| above(file).any(|path| path == folder))
    }
    /// The folders in which files of the set belong that are the user's own, be they there or not, from the root.
    fn own_folders(&self) -> &[String] {
        &[]
    }
    /// Whether a path from the root is one of these folders, or leads to it.
    fn is_own_folder(&self, _path: &str) -> bool {
        false
    }
    /// Whether a folder, given from the root, has files that are of the set in a project, as one has at its top.
    fn are_held_by(&self, _folder: &str) -> bool {
        false
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
    /// Only what a line names for sure counts.
    is_sure: bool,
    links: Option<Links>,
}

/// Says where a path from the root leads by links, if anywhere else than it says: from the root, and from each of the folders
/// that it lies in, as they are spelled.
type Links = fn(&str, &[String]) -> Vec<String>;

impl Writes {
    /// Calls that may change one of these files; the label names them to people.
    #[must_use]
    pub fn new(label: &'static str, files: Arc<dyn FileSet>) -> Self {
        Self { label, files, access: Access::Write, is_sure: false, links: None }
    }

    /// The same for paths that lead to the files by links.
    #[must_use]
    pub fn following(self, links: Links) -> Self {
        Self { links: Some(links), ..self }
    }

    /// The same for calls that read them too, or only those.
    #[must_use]
    pub fn access(self, access: Access) -> Self {
        Self { access, ..self }
    }

    /// The same where only files count that a line names for sure.
    #[must_use]
    pub fn named_for_sure(self) -> Self {
        Self { is_sure: true, ..self }
    }

    /// What the files are called.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        self.label
    }

    /// Whether a tool may do with files what is looked for.
    pub(super) fn speaks_of(&self, names: &[&str]) -> bool {
        self.access.is_of(names)
    }

    pub(super) fn judge<H: Host>(&self, input: &MatchInput<'_, H>) -> MatchResult {
        self.judge_without(input, &|_, _| false)
    }

    /// The same where some commands of a line are not looked at.
    pub(super) fn judge_without<H: Host>(
        &self,
        input: &MatchInput<'_, H>,
        is_left_out: &dyn Fn(&Simple, &Line) -> bool,
    ) -> MatchResult {
        match input.tool_names() {
            None => return MatchResult::INDETERMINATE,
            Some(names) if !self.speaks_of(&names) => return MatchResult::NO,
            Some(_) => {}
        }
        MatchResult::of(self.touched(input, is_left_out).is_some())
    }

    /// Whether a call touches a file only because of what a line may do that is not understood whole.
    pub(super) fn is_in_doubt<H: Host>(&self, input: &MatchInput<'_, H>) -> bool {
        let (lines, _) = input.lines();
        lines.iter().any(|line| line.line.is_none())
            && self.touched(input, &|_, _| false).is_some()
            && Self { is_sure: true, ..self.clone() }.touched(input, &|_, _| false).is_none()
    }

    /// Which file of the set a call touches, as people read it; `None` when the call is not known to touch one.
    pub(super) fn why<H: Host>(&self, input: &MatchInput<'_, H>) -> Option<String> {
        let names = input.tool_names();
        if names.as_ref().is_some_and(|names| !self.speaks_of(names)) {
            return None;
        }
        Some(match self.touched(input, &|_, _| false)? {
            Touched::Named(name) => format!("`{name}`"),
            Touched::Unnamed => "a file that the call does not name".to_owned(),
        })
    }

    fn touched<H: Host>(
        &self,
        input: &MatchInput<'_, H>,
        is_left_out: &dyn Fn(&Simple, &Line) -> bool,
    ) -> Option<Touched> {
        let paths = input.paths();
        let place = |path: &str| input.place(path);
        if let Some(path) = paths.items.iter().find(|path| self.has(std::slice::from_ref(path), &place)) {
            return Some(Touched::Named(path.raw.clone()));
        }
        if self.access.reads()
            && let Some(glob) = self.chosen(input, &input.globs())
        {
            return Some(Touched::Named(glob));
        }
        let (lines, is_unreadable) = input.lines();
        if paths.indeterminate || is_unreadable {
            return Some(Touched::Unnamed);
        }
        // What is worked out serves rules that go by what is known for sure.
        let written = input.written().filter(|_| self.is_sure);
        // Where a command that is handed on begins may be a guess. Of what makes a policy the words speak, wherever they stand.
        let looks_behind = !self.is_sure && !self.files.is_of_policy();
        let handed = lines.iter().filter(|_| looks_behind).flat_map(|line| line.handed());
        lines.iter().chain(written).chain(handed).find_map(|reading| match self.looked_at(reading) {
            None => self.is_named_in(reading.text(), &place).then_some(Touched::Unnamed),
            Some(line) => {
                let (files, access, is_sure, present) = (&*self.files, self.access, self.is_sure, OnceCell::new());
                let (set, place) = (self, &place);
                Lines { set, files, access, is_sure, reading, line, place, is_left_out, present }.touched()
            }
        })
    }

    /// The pattern by which a tool chooses a file of the set.
    pub(super) fn chosen<H: Host>(&self, input: &MatchInput<'_, H>, globs: &[Cow<'_, str>]) -> Option<String> {
        if globs.is_empty() {
            return None;
        }
        let (folders, place) = (input.searched(), |path: &str| input.place(path));
        globs.iter().find(|glob| self.is_searched(glob, &folders, &place)).map(|glob| glob.clone().into_owned())
    }

    /// What is looked at of a line; nothing where that is its text. To rules that go by what is known for sure it is what was
    /// read of it: another rule asks about the rest.
    fn looked_at<'r>(&self, reading: &'r Reading) -> Option<&'r Line> {
        if self.is_sure { Some(reading.seen()) } else { reading.line.as_ref() }
    }

    /// Whether a search in the files that a pattern chooses looks into one of the set.
    fn is_searched(&self, glob: &str, folders: &[&str], place: &dyn Fn(&str) -> Rc<[PathForms; 2]>) -> bool {
        if glob.starts_with('!') {
            return false;
        }
        values::texts(&Word::of(glob), &Line::default()).iter().any(|glob| {
            let (within, name) = glob.rsplit_once('/').unwrap_or((".", glob));
            let within = within.split('/').filter(|part| !part.contains('*')).collect::<Vec<_>>().join("/");
            let within = if within.is_empty() { "." } else { within.trim_start_matches('/') };
            self.files.names_of(name, self.is_sure).iter().any(|name| {
                let is_one = |folder: &&str| self.has(&*place(&format!("{folder}/{within}/{name}")), place);
                folders.iter().any(is_one)
            })
        })
    }

    /// Whether a line that is not understood names a file of the set, hookweave and what changes a policy, or a folder of the
    /// user's own and what makes links.
    fn is_named_in(&self, text: &str, place: &dyn Fn(&str) -> Rc<[PathForms; 2]>) -> bool {
        let is_own = |path: &str| {
            let places = place(path);
            places.iter().flat_map(|path| &path.places).any(|place| self.files.is_own_folder(&place.full))
        };
        let links = || folders::makes_links(text) && paths_in(text).take(MAX_PATHS).any(is_own);
        self.files.is_named_in(text) || self.files.is_of_policy() && (policy::changes_by_text(text) || links())
    }

    /// Whether one of some paths is that of a file of the set, or leads to it.
    fn has(&self, paths: &[PathForms], place: &dyn Fn(&str) -> Rc<[PathForms; 2]>) -> bool {
        let has = |path: &PathForms| path.forms().any(|form| self.files.has(form));
        if paths.iter().any(has) {
            return true;
        }
        let Some(links) = self.links else { return false };
        let here: Vec<String> =
            place(".").iter().flat_map(|path| &path.places).map(|place| place.full.clone()).collect();
        let mut places = paths.iter().flat_map(|path| &path.places);
        places.any(|at| links(&at.full, &here).iter().any(|led| place(led).iter().any(has)))
    }
}

impl PartialEq for Writes {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.files, &other.files) && self.access == other.access && self.is_sure == other.is_sure
    }
}

impl serde::Serialize for Writes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.label)
    }
}

/// What of a call touches the set.
enum Touched {
    /// This path, or this word of a command line.
    Named(String),
    /// No single one, or what is not understood.
    Unnamed,
}

impl Touched {
    fn by(word: &Word) -> Self {
        Self::Named(word.plain.clone())
    }
}

/// A line held against the set.
struct Lines<'l> {
    set: &'l Writes,
    files: &'l dyn FileSet,
    access: Access,
    is_sure: bool,
    reading: &'l Reading,
    line: &'l Line,
    /// The places that a path may mean.
    place: &'l dyn Fn(&str) -> Rc<[PathForms; 2]>,
    /// The commands that are not looked at.
    is_left_out: &'l dyn Fn(&Simple, &Line) -> bool,
    present: OnceCell<Vec<String>>,
}

impl Lines<'_> {
    /// The files of the set that are there now.
    fn present(&self) -> &[String] {
        self.present.get_or_init(|| self.files.present())
    }

    fn commands(&self) -> impl Iterator<Item = &Simple> {
        self.line.commands.iter().filter(|command| !(self.is_left_out)(command, self.line))
    }

    fn touched(&self) -> Option<Touched> {
        let Some(mut directories) = directories(self.line) else {
            return self.files.is_named_in(self.reading.text()).then_some(Touched::Unnamed);
        };
        if directories.len() > 1 && has_left(self.line) {
            directories.remove(0);
        }
        let written = self.access.writes().then(|| self.written(&directories)).flatten();
        written.or_else(|| self.access.reads().then(|| self.read(&directories)).flatten())
    }

    fn read(&self, directories: &[String]) -> Option<Touched> {
        self.read_by_name(directories).or_else(|| self.is_handed_on(directories).then_some(Touched::Unnamed))
    }

    /// What of a line's words names a file of the set that is read.
    fn read_by_name(&self, directories: &[String]) -> Option<Touched> {
        let names = |word: &Word| self.names(word, directories);
        let words = if self.is_sure { programs::surely_read_words } else { programs::read_words };
        let read = self.line.reads.iter().find(|word| names(word)).map(Touched::by);
        read.or_else(|| self.commands().flat_map(words).find(|word| names(word)).map(|word| Touched::by(&word)))
    }

    fn written(&self, directories: &[String]) -> Option<Touched> {
        let names = |word: &Word| self.names(word, directories);
        if let Some(word) = self.line.writes.iter().find(|word| names(word) || self.is_computed(word)) {
            return Some(Touched::by(word));
        }
        if self.files.is_of_policy() && (policy::ends_processes(self.line) || policy::schedules_file(self.line)) {
            return Some(Touched::Unnamed);
        }
        if self.files.is_of_policy()
            && let Some(word) = self.copied_program(directories)
        {
            return Some(Touched::by(&word));
        }
        self.commands().find_map(|command| {
            if self.files.is_of_policy()
                && let Some(word) = self.reached(command, directories)
            {
                return Some(Touched::by(&word));
            }
            let is_touched = match programs::usage(command, self.files.is_of_policy()) {
                Use::Nothing => false,
                Use::Policy => self.files.is_of_policy(),
                Use::Fed => self.feeds(directories),
                Use::Found(search) => self.finds(&search, directories) || search.runs.iter().any(names),
                Use::Files(changes) => return self.changed(&changes, directories),
            };
            is_touched.then_some(Touched::Unnamed)
        })
    }

    /// The word by which a line copies the program: under another name it does the same, and nothing tells it apart.
    fn copied_program(&self, directories: &[String]) -> Option<Word> {
        let is_written = !self.line.writes.is_empty();
        let is_it = |word: &Word| {
            policy::is_program(&word.plain) && self.names(word, directories)
                || word.is_filled_in() && policy::looks_up_program(self.line)
        };
        let read = self.line.reads.iter().filter(|_| is_written).find(|word| is_it(word)).cloned();
        let mut copied = self.commands().flat_map(|command| programs::copied_words(command, is_written));
        read.or_else(|| copied.find(|word| is_it(word)).map(Cow::into_owned))
    }

    /// What of a command's words may be a file of the set that it changes.
    fn changed(&self, changes: &Changes<'_>, directories: &[String]) -> Option<Touched> {
        let names = |word: &Word| self.names(word, directories);
        let is_found = || self.files.is_of_policy() && policy::looks_up_program(self.line);
        let written = changes.written.iter().find(|word| names(word) || word.is_filled_in() && is_found());
        // What is gone can be put in place under its own name.
        let is_own = |word: &Word| self.is_own(word, directories) && !self.is_home(word, directories);
        let is_taken = |word: &Word| self.holds_some(word, directories) || is_own(word);
        let removed = || changes.removed.iter().find(|word| is_taken(word));
        let put = || {
            let mut put = changes.put.iter();
            put.find(|(into, word)| names(word) && self.is_folder(into, directories)).map(|(_, word)| word)
        };
        if let Some(word) = written.or_else(removed).or_else(put) {
            return Some(Touched::by(word));
        }
        let is_said = changes.texts.iter().any(|word| self.says(word, directories))
            || changes.is_told && self.text_says(self.reading.text(), directories);
        is_said.then_some(Touched::Unnamed)
    }

    /// Whether a word that may be a program names a file of the set.
    fn says(&self, word: &Word, directories: &[String]) -> bool {
        values::texts(word, self.line).iter().any(|text| self.text_says(text, directories))
    }

    fn text_says(&self, text: &str, directories: &[String]) -> bool {
        let is_one = |path: &str| {
            directories.iter().any(|from| self.is_in_set(&join(from, path)))
                || self.files.is_of_policy() && self.is_reached_by_text(text, path)
        };
        paths_in(text).take(MAX_PATHS).any(is_one) || self.files.is_of_policy() && policy::changes_by_text(text)
    }

    /// Whether a file is written whose name a command prints, unless that makes a new file.
    fn is_computed(&self, word: &Word) -> bool {
        if !self.files.is_of_policy() {
            return false;
        }
        if word.plain == FILLED {
            return !makes_files(self.reading.text(), '>');
        }
        let name = word.plain.trim_start_matches(['$', '{']).trim_end_matches('}');
        let is_filled = |(known, value): &(String, Option<Word>)| {
            known == name && value.as_ref().is_some_and(|value| value.plain == FILLED)
        };
        self.line.assigned.iter().any(is_filled) && !makes_files(self.reading.text(), '=')
    }

    /// Whether commands of the line print names that may be those of the set.
    fn feeds(&self, directories: &[String]) -> bool {
        let words = || self.line.commands.iter().flat_map(|command| command.words().iter().skip(1));
        self.files.is_named_in(self.reading.text())
            || words().any(|word| self.names(word, directories))
            || search::of_line(self.line).any(|search| self.finds(&search, directories))
    }

    /// Whether a search may find a file of the set.
    fn finds(&self, search: &Search<'_>, directories: &[String]) -> bool {
        let here = Word::of(".");
        let folders: Vec<&Word> = if search.folders.is_empty() { vec![&here] } else { search.folders.clone() };
        let is_meant = |name: &String| self.meant(name).iter().any(|name| self.files.is_named_in(name));
        let is_chosen = |name: &String| self.is_called(name) || is_meant(name);
        let is_chosen =
            search.names.as_ref().is_none_or(|names| names.iter().any(is_chosen)) || search.is_open && !self.is_sure;
        // All that is below a folder of the set is in it, whatever its name.
        let is_whole = |word: &Word| !self.files.is_of_policy() && self.names(word, directories);
        let may_hold = |word: &Word| self.names(word, directories) || self.holds_some(word, directories);
        folders.iter().any(|word| is_whole(word) || is_chosen && may_hold(word))
    }

    /// Whether a pattern of a name may be that of a file of the set, or of a folder of such files.
    fn is_called(&self, name: &str) -> bool {
        let pattern: String =
            name.chars().map(|letter| if "*?[".contains(letter) { values::UNKNOWN } else { letter }).collect();
        let pattern = pattern.to_lowercase();
        let fits = |path: &str| values::fits(&pattern, &path.rsplit('/').next().unwrap_or(path).to_lowercase());
        self.present().iter().any(|file| above(file).any(fits)) || self.files.may_be_matched(name, &[])
    }

    /// Whether a word may name a file of the set.
    fn names(&self, word: &Word, directories: &[String]) -> bool {
        if self.is_sure {
            return self.names_for_sure(word, directories);
        }
        let is_pattern = word.fixed().is_none();
        let may_name = |text: &str| {
            directories.iter().any(|from| self.may_name(&join(from, text), is_pattern || from.contains(PATTERN)))
        };
        let texts = values::texts(word, self.line);
        if texts.iter().any(|text| may_name(text) || behind_at(text).is_some_and(may_name)) {
            return true;
        }
        let text = word.plain.as_str();
        if word.is_filled_in() {
            let last = text.rsplit('/').next().unwrap_or_default();
            return last.contains('$') && self.files.is_named_in(self.reading.text());
        }
        // Where it is unknown in which directory a line works, the name alone says what it may be.
        let is_astray = directories.iter().any(|from| from.contains(values::UNKNOWN));
        is_astray && !text.starts_with(['/', '~']) && self.files.is_named_in(text)
    }

    /// Whether a word names a file of the set whatever is filled in: its last part has to be known.
    fn names_for_sure(&self, word: &Word, directories: &[String]) -> bool {
        let word = word.known();
        let texts = values::texts(&word, self.line);
        let behind = texts.iter().filter_map(|text| behind_at(text));
        texts.iter().map(String::as_str).chain(behind).any(|text| {
            let last = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            if last.is_empty() || last.contains(values::UNKNOWN) {
                return false;
            }
            directories.iter().any(|from| {
                let path = join(from, text).replace(values::UNKNOWN, "x");
                let is_pattern = word.fixed().is_none() && last.contains(PATTERN);
                self.is_in_set(&path) || is_pattern && self.files.is_matched_for_sure(&path)
            })
        })
    }

    /// Whether a path, of which parts may be unknown or patterns, may be that of a file of the set.
    fn may_name(&self, path: &str, is_pattern: bool) -> bool {
        if values::is_unknown(path) {
            return false;
        }
        let is_open = path.contains(values::UNKNOWN);
        let is_pattern = is_pattern && path.contains(PATTERN);
        if !is_open && self.is_in_set(path) {
            return true;
        }
        let places = (self.place)(path);
        let mut places = places.iter().flat_map(|path| &path.places);
        (is_open || is_pattern)
            && places.any(|place| is_open && self.may_become(&place.full) || is_pattern && self.may_match(&place.full))
    }

    fn is_in_set(&self, path: &str) -> bool {
        self.set.has(&*(self.place)(path), self.place)
    }

    /// Whether a path from the root of which parts are unknown may be that of a file of the set.
    fn may_become(&self, path: &str) -> bool {
        let ends = || path.match_indices('/').filter_map(|(at, _)| path.get(at + 1..));
        let is_known_in_part = |end: &&str| end.contains(values::UNKNOWN) && !values::is_unknown(end);
        let path = path.to_lowercase();
        let ends: Vec<String> = ends().filter(is_known_in_part).map(str::to_lowercase).collect();
        let fits = |known: &str| {
            if known.starts_with('/') {
                values::fits(&path, known)
            } else {
                ends.iter().any(|end| values::fits(end, known))
            }
        };
        self.files.may_be_one(&fits) || self.is_in_set(&path.replace(values::UNKNOWN, "x"))
    }

    /// Whether a pattern of a shell may match a file of the set or a folder of such files; behind the last part that is a
    /// pattern, the file need not be there.
    fn may_match(&self, pattern: &str) -> bool {
        let is_pattern = |part: &str| part.contains(['*', '?', '[']);
        let present = self.present();
        if self.may_match_own(pattern) {
            return true;
        }
        if pattern.contains('{') && self.files.is_named_in(pattern) || self.files.may_be_matched(pattern, present) {
            return true;
        }
        let parts: Vec<&str> = pattern.split('/').collect();
        let Some(last) = parts.iter().rposition(|part| is_pattern(part)).filter(|last| last + 1 < parts.len()) else {
            return false;
        };
        let (folder, rest) = parts.split_at(last + 1);
        let folder = folder.join("/");
        let glob = Glob::new(&folder, |glob| glob.literal_separator(true).empty_alternates(true));
        let Ok(glob) = glob else { return true };
        let mut folders = present.iter().flat_map(|file| above(file));
        folders.any(|path| {
            glob.is_match(path) && !hides(&folder, path) && self.is_in_set(&format!("{path}/{}", rest.join("/")))
        })
    }

    /// Whether a word may name a folder.
    fn is_folder(&self, word: &Word, directories: &[String]) -> bool {
        word.fixed().is_none()
            || directories.iter().any(|from| {
                let paths = (self.place)(&join(from, &word.plain));
                paths.iter().flat_map(|path| &path.places).any(|place| self.files.is_folder(&place.full))
            })
    }

    /// Whether a word names a folder in which there are files of the set.
    fn holds_some(&self, word: &Word, directories: &[String]) -> bool {
        let present = self.present();
        let paths = (self.place)(".");
        let here: Vec<String> = paths.iter().flat_map(|path| &path.places).map(|place| place.full.clone()).collect();
        let is_above =
            |place: &str| place == "/" || here.iter().any(|here| format!("{here}/").starts_with(&format!("{place}/")));
        if self.is_sure && word.fixed().is_none() {
            return false;
        }
        let texts = values::texts(word, self.line);
        texts.iter().any(|text| {
            directories.iter().any(|from| {
                let paths = (self.place)(&join(from, text));
                paths.iter().flat_map(|path| &path.places).any(|place| {
                    !(self.is_sure && is_above(&place.full)) && self.files.are_below(&place.full, &here, present)
                })
            })
        })
    }
}

/// Whether every command of a text whose output stands right behind a sign is `mktemp`.
fn makes_files(text: &str, sign: char) -> bool {
    let behind = text.split(sign).skip(1).map(|rest| rest.trim_start_matches([' ', '\t', '"', '&', '|']));
    let mut commands = behind.filter_map(|rest| rest.strip_prefix("$(").or_else(|| rest.strip_prefix('`')));
    commands.all(|command| command.trim_start().starts_with("mktemp"))
}

/// The file that a word hands over: `@FILE` of `curl -d`, `name=@FILE;type=…` of `curl -F`.
fn behind_at(text: &str) -> Option<&str> {
    let (_, file) = text.rsplit_once('@')?;
    file.split(';').next().filter(|file| !file.is_empty())
}

/// What of a text may be paths.
fn paths_in(text: &str) -> impl Iterator<Item = &str> {
    let is_of_path = |letter: char| letter.is_alphanumeric() || "._-/~".contains(letter);
    let paths = text.split(move |letter: char| !is_of_path(letter));
    paths.filter(|path| *path == "~" || path.contains(char::is_alphabetic))
}

/// A path and the folders that it lies in.
fn above(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| {
        path.rsplit_once('/').map(|(above, _)| above).filter(|path| !path.is_empty())
    })
}
