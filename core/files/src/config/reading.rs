//! One file under the hands of a reader: what it declares, and what is wrong with it.

mod spot;
mod twice;

use super::tree::{Kind, Lines, MAX_FILE, Node, Unreadable, parse_json, parse_toml};
use super::trust::hash;
use super::{Declared, Fix, Loaded, Problem, Run, Source, Switches};
use serde_json::json;

pub(super) use spot::{Spot, Take, Wrong, bounded, cut, step};

/// How many problems of one file are listed.
const MAX_PROBLEMS: usize = 100;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    Json,
    JsonWithComments,
    Toml,
}

/// What a reader gathers from one file.
#[derive(Debug)]
pub(super) struct Reading<'s> {
    pub(super) source: &'s Source<'s>,
    lines: Lines<'s>,
    loaded: Loaded,
    unlisted: usize,
    /// Whether an entry was left out for one of them.
    unlisted_fatal: bool,
}

impl<'s> Reading<'s> {
    /// Parses a file and hands its top to a reader; a file that cannot be parsed is one problem.
    pub(super) fn of(
        text: &'s str,
        syntax: Syntax,
        source: &'s Source<'s>,
        read: impl FnOnce(&mut Self, &Spot<'_>),
    ) -> Loaded {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let mut reading =
            Self { source, lines: Lines::new(text), loaded: Loaded::default(), unlisted: 0, unlisted_fatal: false };
        match parse(text, syntax) {
            Ok(mut node) => {
                reading.report_duplicates(&Spot { node: &node, place: String::new() });
                twice::put_together(&mut node, &source.dialect.events());
                read(&mut reading, &Spot { node: &node, place: String::new() });
            }
            Err(unreadable) => {
                let what = if syntax == Syntax::Toml { "TOML" } else { "JSON" };
                reading.loaded.broken = true;
                reading.add(
                    unreadable.at,
                    String::new(),
                    format!("no {what} that can be read: {}", unreadable.why),
                    true,
                );
            }
        }
        reading.finish()
    }

    fn finish(mut self) -> Loaded {
        if self.unlisted > 0 {
            let message = format!("{} further problems are not listed", self.unlisted);
            self.loaded.problems.push(self.problem(0, String::new(), message, self.unlisted_fatal));
        }
        self.loaded
    }

    fn problem(&self, at: usize, place: String, message: String, fatal: bool) -> Problem {
        let (line, column) = (Some(self.lines.line(at)), Some(self.lines.column(at)));
        Problem { file: self.source.file.clone(), place, line, column, message, fatal, fix: None }
    }

    fn add(&mut self, at: usize, place: String, message: String, fatal: bool) {
        if self.loaded.problems.len() >= MAX_PROBLEMS {
            self.unlisted += 1;
            self.unlisted_fatal |= fatal;
            return;
        }
        let problem = self.problem(at, place, message, fatal);
        self.loaded.problems.push(problem);
    }

    /// Sets variables for all commands of the file; those that a command has of its own win. An approval covers their values,
    /// and keeps no more of them than a hash: they may be secrets.
    pub(super) fn give_variables(&mut self, variables: &[(String, String)]) {
        let digest = hash(&json!(variables));
        for declared in &mut self.loaded.hooks {
            let Run::Command(spec) = &mut declared.run else { continue };
            spec.env.splice(0..0, variables.iter().cloned());
            if let Some(entry) = declared.entry.as_object_mut() {
                entry.insert("env".to_owned(), json!(digest));
            }
        }
    }

    /// Notes something that will surprise; the entry is taken.
    pub(super) fn remark(&mut self, spot: &Spot<'_>, message: impl Into<String>) {
        self.add(spot.node.at, spot.place.clone(), message.into(), false);
    }

    /// Notes a mistake for which an entry is left out.
    pub(super) fn refuse(&mut self, wrong: Wrong) {
        let Wrong { at, place, mut message, misspelt, spared } = wrong;
        let listed = self.loaded.problems.len();
        if spared {
            message.push_str("; this is left out, and the rest of the file counts");
        }
        self.add(at, place, message, !spared);
        let range = misspelt.as_ref().and_then(|(given, _)| self.lines.word(at, given));
        if let (Some((_, meant)), Some(range), Some(problem)) = (misspelt, range, self.loaded.problems.get_mut(listed))
        {
            problem.fix = Some(Fix { range, text: meant });
        }
    }

    /// Takes a value, or notes what is wrong with it.
    pub(super) fn take<T>(&mut self, taken: Take<T>) -> Option<T> {
        taken.map_err(|wrong| self.refuse(wrong)).ok()
    }

    /// The same for something on an event of the file's system: where no hook guards, a mistake costs only itself.
    pub(super) fn take_on<T>(&mut self, event: &str, taken: Take<T>) -> Option<T> {
        self.take(taken.map_err(|wrong| Wrong { spared: wrong.spared || !self.guards(event), ..wrong }))
    }

    /// The whole file makes no sense.
    pub(super) fn broken(&mut self, wrong: Wrong) {
        self.loaded.broken = true;
        self.refuse(wrong);
    }

    pub(super) fn push(&mut self, declared: Declared) {
        self.loaded.hooks.push(declared);
    }

    pub(super) fn line(&self, at: usize) -> usize {
        self.lines.line(at)
    }

    pub(super) const fn switches(&mut self) -> &mut Switches {
        &mut self.loaded.switches
    }

    /// The top of a file must be an object.
    pub(super) fn object<'n>(&mut self, top: &Spot<'n>) -> Option<Spot<'n>> {
        if matches!(top.node.kind, Kind::Object(_)) {
            return Some(top.clone());
        }
        self.broken(top.wrong(format!("the file must hold an object, not {}", top.node.words())));
        None
    }

    fn report_duplicates(&mut self, spot: &Spot<'_>) {
        match &spot.node.kind {
            Kind::Object(fields) => {
                let mut seen = rustc_hash::FxHashSet::default();
                for field in fields {
                    if !seen.insert(field.name.as_str()) {
                        let place = step(&spot.place, &field.name);
                        let message =
                            "given twice; of hooks both count, of anything else only the last: make one of them";
                        self.add(field.at, place, message.to_owned(), false);
                    }
                }
                for field in fields {
                    self.report_duplicates(&Spot { node: &field.value, place: step(&spot.place, &field.name) });
                }
            }
            Kind::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.report_duplicates(&Spot { node: item, place: format!("{}[{index}]", spot.place) });
                }
            }
            _ => {}
        }
    }
}

fn parse(text: &str, syntax: Syntax) -> Result<Node, Unreadable> {
    if text.len() > MAX_FILE {
        return Err(Unreadable { at: 0, why: format!("it has {} bytes; at most {MAX_FILE} are allowed", text.len()) });
    }
    match syntax {
        Syntax::Json => parse_json(text, false),
        Syntax::JsonWithComments => parse_json(text, true),
        Syntax::Toml => parse_toml(text),
    }
}
