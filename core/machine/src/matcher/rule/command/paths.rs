//! Operands of rules as paths: `/usr/`, `//usr` and `usr` behind `cd /` are `/usr`.
//!
//! This only ever adds to what a rule selects, as all of what it means does.

use std::cell::OnceCell;
use std::rc::Rc;

use super::wild::{Wild, may_become};
use crate::matcher::directories::{directories, is_chain, join};
use crate::matcher::values::UNKNOWN;
use crate::path::{PathForms, is_absolute};
use hookweave_command::{Line, Simple, Word};

/// The places that a path may mean: from the working directory, and from the project's.
pub(in crate::matcher) type Place<'p> = &'p dyn Fn(&str) -> Rc<[PathForms; 2]>;

/// Where the words of a line may lie.
pub(super) struct Spot<'p> {
    line: &'p Line,
    place: Place<'p>,
    directories: OnceCell<Vec<String>>,
    /// What changes the folder has left the one before for sure, where a chain of commands says so.
    leaves: bool,
    /// It is asked what an exception covers: all that a pattern of the shell may become.
    is_of_exception: bool,
    /// Only what is known for sure counts.
    pub(super) is_sure: bool,
}

/// An operand of a rule, as a text and as a path.
#[derive(Debug, Clone)]
pub(super) struct Operand {
    text: Wild,
    /// `None` for what is no path.
    path: Option<String>,
}

impl Operand {
    pub(super) fn new(token: &str) -> Self {
        let variable = |name: &str, stands_for: &str| {
            let rest = token.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
            Some(format!("{stands_for}{rest}"))
        };
        let known = variable("$HOME", "~").or_else(|| variable("$PWD", "."));
        let path = known.unwrap_or_else(|| token.to_owned());
        let is_path = !path.is_empty() && !path.contains('\\');
        Self { text: Wild::new(token), path: is_path.then_some(path) }
    }

    /// Whether a word of a line may be the operand.
    pub(super) fn may_be(&self, word: &Word, spot: &Spot<'_>) -> bool {
        if spot.is_sure && word.is_filled_in() {
            return false;
        }
        let is_text = match word.fixed() {
            None if spot.is_of_exception => self.text.is_match(&word.plain),
            _ if spot.is_sure => self.text.is_surely(word),
            _ => self.text.may_be(word),
        };
        // All that is in a folder is what its path says, where that is known: `*` may be any text.
        let is_text = is_text && !(is_all_of_here(word) && spot.is_elsewhere());
        is_text || self.path.as_ref().is_some_and(|path| spot.may_lie_at(path, word))
    }
}

impl<'p> Spot<'p> {
    pub(super) fn new(line: &'p Line, place: Place<'p>) -> Self {
        Self { line, place, directories: OnceCell::new(), leaves: false, is_of_exception: false, is_sure: false }
    }

    /// The same, where only what is known for sure counts.
    pub(super) fn sure(line: &'p Line, place: Place<'p>) -> Self {
        Self { is_sure: true, ..Self::new(line, place) }
    }

    /// The same for what is taken out of a rule again.
    pub(super) fn of_exception(line: &'p Line, place: Place<'p>) -> Self {
        Self { is_of_exception: true, ..Self::sure(line, place) }
    }

    /// The same where a chain of commands has left the folder before `cd`.
    pub(super) fn leaving(self) -> Self {
        Self { leaves: is_chain(self.line), ..self }
    }

    /// Whether the line has changed to folders that are known, and neither this one nor above it, before it names files by
    /// patterns.
    fn is_elsewhere(&self) -> bool {
        let before = self.line.commands.iter().take_while(|command| !command.changes_directory());
        let names_all = |command: &Simple| command.words().iter().all(|word| word.fixed().is_some());
        let Some(all) = directories(self.line).filter(|_| self.leaves && before.into_iter().all(names_all)) else {
            return false;
        };
        let here = self.full(".");
        let is_below = |path: &str, folder: &str| {
            path.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let is_named = |folder: &str| {
            let odd = |part: &str| part.starts_with(['+', '~']) || part.contains([UNKNOWN, '*', '?', '[', '{', '$']);
            !folder.strip_prefix("~/").unwrap_or(folder).split('/').any(odd)
        };
        let is_other = |folder: &str| {
            let is_known = |place: &String| {
                is_absolute(place) && here.iter().all(|here| is_absolute(here) && !is_below(here, place))
            };
            is_named(folder) && self.full(folder).iter().all(is_known)
        };
        all.len() > 1 && all.iter().skip(1).all(|folder| is_other(folder))
    }

    /// The directories in which the line may work. One that is not known has [`UNKNOWN`] in it.
    fn directories(&self) -> &[String] {
        let all = || directories(self.line).unwrap_or_else(|| vec![String::new(), UNKNOWN.to_string()]);
        self.directories.get_or_init(|| {
            let mut all = all();
            // What begins with `cd` works in the first folder no more.
            if self.is_sure && all.len() > 1 && self.line.commands.first().is_some_and(Simple::changes_directory) {
                all.remove(0);
            }
            all
        })
    }

    /// Whether a word may be the path of a rule, from one of the directories in which the line works.
    fn may_lie_at(&self, wanted: &str, word: &Word) -> bool {
        if word.is_filled_in() {
            return self.may_begin(wanted, word);
        }
        let path = word.plain.as_str();
        let is_pattern = word.fixed().is_none();
        let folder = is_pattern.then(|| whole_folder(path)).flatten();
        if !is_pattern && !may_end_alike(wanted, path) {
            return false;
        }
        if !is_turned(wanted) && !is_turned(path) && folder.is_none() && self.directories().len() == 1 {
            return false;
        }
        let wanted = self.full(wanted);
        let is_there = |found: &str| wanted.iter().any(|wanted| is_same(wanted, found));
        let here = self.full(".");
        // `/*` means what is named from the root, not every path there is.
        let holds_all = wanted.iter().any(|wanted| holds(wanted, &here));
        // What a pattern names behind a `cd` that must have worked is not named from the first folder.
        let has_left = is_all_of_here(word) && self.is_elsewhere();
        self.directories().iter().filter(|from| !(has_left && from.is_empty())).any(|from| {
            if holds_all && !join(from, path).starts_with(['/', '~']) {
                return false;
            }
            if from.contains(UNKNOWN) && !path.starts_with(['/', '~']) {
                return !self.is_sure && wanted.iter().any(|wanted| may_lie_below(wanted, folder.unwrap_or(path)));
            }
            folder.is_some_and(|folder| self.full(&join(from, folder)).iter().any(|found| is_there(found)))
                || self.full(&join(from, path)).iter().any(|found| {
                    if !is_pattern && !from.contains(['*', '?', '[', '{']) {
                        return is_there(found);
                    }
                    !self.is_of_exception
                        && wanted.iter().any(|wanted| !wanted.contains('*') && may_become(found, wanted))
                })
        })
    }

    /// Whether a word of which only the beginning is known may be the path of a rule.
    fn may_begin(&self, wanted: &str, word: &Word) -> bool {
        let start = word.known_start();
        if start.is_empty() || !is_turned(start) && self.directories().len() == 1 {
            return false;
        }
        let wanted = self.full(wanted.split('*').next().unwrap_or_default());
        self.directories().iter().any(|from| {
            let start = join(from, start);
            let is_rooted = start.starts_with(['/', '~']);
            self.full(&start).iter().any(|start| {
                wanted.iter().any(|wanted| wanted.starts_with(start) || is_rooted && start.starts_with(wanted))
            })
        })
    }

    /// The places of a path, from the root where that is known.
    fn full(&self, path: &str) -> Vec<String> {
        (self.place)(path).iter().flat_map(|path| &path.places).map(|place| place.full.clone()).collect()
    }
}

/// Whether a path is written otherwise than as plain names from here.
fn is_turned(path: &str) -> bool {
    path.starts_with(['/', '~', '.']) || path.ends_with('/') || path.contains("//") || path.contains("/.")
}

/// Whether the last names of two paths are no different ones.
fn may_end_alike(wanted: &str, path: &str) -> bool {
    let last = |path: &str| path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
    let (wanted, path) = (last(wanted), last(path));
    let is_name = |name: &str| !matches!(name, "" | "." | ".." | "~") && !name.contains('*');
    !is_name(&wanted) || !is_name(&path) || wanted == path
}

/// Whether a place is that of a rule, in which `*` is any text.
fn is_same(wanted: &str, found: &str) -> bool {
    if wanted.contains('*') { Wild::new(wanted).is_match(found) } else { wanted == found }
}

/// Whether a pattern of a rule covers all that is below one of these directories.
fn holds(wanted: &str, here: &[String]) -> bool {
    wanted.split_once('*').is_some_and(|(start, _)| here.iter().any(|here| format!("{here}/").starts_with(start)))
}

/// Whether a path that begins in an unknown directory may be a place.
fn may_lie_below(wanted: &str, path: &str) -> bool {
    let names = path.split('/').filter(|name| !matches!(*name, "" | "." | ".."));
    let rest = names.collect::<Vec<_>>().join("/");
    rest.is_empty() || wanted.strip_suffix(rest.as_str()).is_some_and(|above| above.is_empty() || above.ends_with('/'))
}

/// Whether a word is a pattern of all that is in the working directory.
fn is_all_of_here(word: &Word) -> bool {
    word.fixed().is_none() && whole_folder(&word.plain) == Some(".")
}

/// The folder of which a pattern of a shell names all that is in it: `/usr/*`.
fn whole_folder(pattern: &str) -> Option<&str> {
    let (folder, last) = match pattern.rsplit_once('/') {
        Some(("", last)) => ("/", last),
        Some(parts) => parts,
        None => (".", pattern),
    };
    last.chars().all(|letter| "*.,?!{}[]".contains(letter)).then_some(folder)
}
