//! One file under the hands of a reader: typed access to its fields, and what is wrong with them.

use std::time::Duration;

use serde_json::Value;

use super::tree::{Kind, Lines, MAX_FILE, Node, Unreadable, parse_json, parse_toml};
use super::{Declared, Loaded, Problem, Source, Switches};
use crate::error::did_you_mean;
use crate::hook::Timeout;

/// How many problems of one file are listed.
const MAX_PROBLEMS: usize = 100;

/// How many hooks one file may declare.
pub(super) const MAX_HOOKS: usize = 1_000;

/// A mistake in an entry, which is left out because of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wrong {
    pub(super) at: usize,
    pub(super) place: String,
    pub(super) message: String,
}

pub(super) type Take<T> = Result<T, Wrong>;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    Json,
    JsonWithComments,
    Toml,
}

/// A value with its place in the file.
#[derive(Debug, Clone)]
pub(super) struct Spot<'n> {
    pub(super) node: &'n Node,
    pub(super) place: String,
}

/// What a reader gathers from one file.
#[derive(Debug)]
pub(super) struct Reading<'s> {
    pub(super) source: &'s Source<'s>,
    lines: Lines,
    loaded: Loaded,
    unlisted: usize,
}

impl<'s> Reading<'s> {
    /// Parses a file and hands its top to a reader; a file that cannot be parsed is one problem.
    pub(super) fn of(
        text: &str,
        syntax: Syntax,
        source: &'s Source<'s>,
        read: impl FnOnce(&mut Self, &Spot<'_>),
    ) -> Loaded {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let mut reading = Self { source, lines: Lines::new(text), loaded: Loaded::default(), unlisted: 0 };
        match parse(text, syntax) {
            Ok(node) => {
                let top = Spot { node: &node, place: String::new() };
                reading.report_duplicates(&top);
                read(&mut reading, &top);
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
            self.loaded.problems.push(self.problem(0, String::new(), message, true));
        }
        self.loaded
    }

    fn problem(&self, at: usize, place: String, message: String, fatal: bool) -> Problem {
        Problem { file: self.source.file.clone(), place, line: Some(self.lines.line(at)), message, fatal }
    }

    fn add(&mut self, at: usize, place: String, message: String, fatal: bool) {
        if self.loaded.problems.len() >= MAX_PROBLEMS {
            self.unlisted += 1;
            return;
        }
        let problem = self.problem(at, place, message, fatal);
        self.loaded.problems.push(problem);
    }

    /// Notes something that will surprise; the entry is taken.
    pub(super) fn remark(&mut self, spot: &Spot<'_>, message: impl Into<String>) {
        self.add(spot.node.at, spot.place.clone(), message.into(), false);
    }

    /// Notes a mistake for which an entry is left out.
    pub(super) fn refuse(&mut self, wrong: Wrong) {
        self.add(wrong.at, wrong.place, wrong.message, true);
    }

    /// Takes a value, or notes what is wrong with it.
    pub(super) fn take<T>(&mut self, taken: Take<T>) -> Option<T> {
        taken.map_err(|wrong| self.refuse(wrong)).ok()
    }

    /// The whole file makes no sense.
    pub(super) fn broken(&mut self, wrong: Wrong) {
        self.loaded.broken = true;
        self.refuse(wrong);
    }

    pub(super) fn push(&mut self, spot: &Spot<'_>, declared: Declared) {
        if self.loaded.hooks.len() >= MAX_HOOKS {
            self.refuse(spot.wrong(format!("the file declares more than {MAX_HOOKS} hooks; this one is left out")));
        } else {
            self.loaded.hooks.push(declared);
        }
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
                        self.add(
                            field.at,
                            place,
                            "given twice; only the last one counts: take the others out".to_owned(),
                            false,
                        );
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
        return Err(Unreadable { at: 0, why: format!("it has {} bytes; at most {MAX_FILE} are taken", text.len()) });
    }
    match syntax {
        Syntax::Json => parse_json(text, false),
        Syntax::JsonWithComments => parse_json(text, true),
        Syntax::Toml => parse_toml(text),
    }
}

/// The place of a field below another place.
fn step(place: &str, name: &str) -> String {
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ':'));
    match (place.is_empty(), plain) {
        (true, true) => name.to_owned(),
        (false, true) => format!("{place}.{name}"),
        (_, false) => format!("{place}[{}]", Value::from(name)),
    }
}

impl<'n> Spot<'n> {
    pub(super) fn wrong(&self, message: impl Into<String>) -> Wrong {
        Wrong { at: self.node.at, place: self.place.clone(), message: message.into() }
    }

    /// A field's value, null included.
    pub(super) fn given(&self, name: &str) -> Option<Self> {
        self.node.get(name).map(|node| Self { node, place: step(&self.place, name) })
    }

    /// A field's value, unless it is missing or null.
    pub(super) fn get(&self, name: &str) -> Option<Self> {
        self.given(name).filter(|spot| spot.node.kind != Kind::Null)
    }

    /// The fields of an object in their order; of two with one name the last.
    pub(super) fn fields(&self) -> Vec<(&'n str, Self)> {
        let all = self.node.fields();
        let mut fields: Vec<(&'n str, Self)> = Vec::with_capacity(all.len());
        let mut index = rustc_hash::FxHashMap::default();
        for field in all {
            let spot = Self { node: &field.value, place: step(&self.place, &field.name) };
            match index.insert(field.name.as_str(), fields.len()) {
                Some(earlier) => {
                    index.insert(field.name.as_str(), earlier);
                    if let Some(slot) = fields.get_mut(earlier) {
                        slot.1 = spot;
                    }
                }
                None => fields.push((&field.name, spot)),
            }
        }
        fields
    }

    pub(super) fn must_be_object(&self) -> Take<()> {
        match self.node.kind {
            Kind::Object(_) => Ok(()),
            _ => Err(self.wrong(format!("must be an object, is {}", self.node.words()))),
        }
    }

    /// The elements of a list.
    pub(super) fn items(&self) -> Take<Vec<Self>> {
        let Kind::List(items) = &self.node.kind else {
            return Err(self.wrong(format!("must be a list, is {}", self.node.words())));
        };
        let spot = |(index, node)| Self { node, place: format!("{}[{index}]", self.place) };
        Ok(items.iter().enumerate().map(spot).collect())
    }

    pub(super) fn as_text(&self) -> Take<&'n str> {
        match &self.node.kind {
            Kind::Text(text) => Ok(text),
            _ => Err(self.wrong(format!("must be a string, is {}", self.node.words()))),
        }
    }

    pub(super) fn text(&self, name: &str) -> Take<Option<String>> {
        self.get(name).map(|spot| spot.as_text().map(str::to_owned)).transpose()
    }

    /// A text that must be there and say something.
    pub(super) fn required_text(&self, name: &str) -> Take<String> {
        let text = self.text(name)?.ok_or_else(|| self.wrong(format!("`{name}` is missing; add it")))?;
        if text.trim().is_empty() {
            return Err(self.given(name).unwrap_or_else(|| self.clone()).wrong("is empty; say what to run"));
        }
        if text.contains('\0') {
            return Err(self.given(name).unwrap_or_else(|| self.clone()).wrong("holds a NUL character; take it out"));
        }
        Ok(text)
    }

    pub(super) fn flag(&self, name: &str) -> Take<Option<bool>> {
        self.get(name)
            .map(|spot| match spot.node.kind {
                Kind::Bool(flag) => Ok(flag),
                _ => Err(spot.wrong(format!("must be true or false, is {}", spot.node.words()))),
            })
            .transpose()
    }

    /// A duration in a unit of so many seconds; longer than 0 and at most a year.
    pub(super) fn duration(&self, name: &str, unit: f64) -> Take<Option<Duration>> {
        let Some(spot) = self.get(name) else { return Ok(None) };
        let unit_name = if unit < 1.0 { "milliseconds" } else { "seconds" };
        let Kind::Number(number) = &spot.node.kind else {
            return Err(spot.wrong(format!("must be a number of {unit_name}, is {}", spot.node.words())));
        };
        let seconds = number.as_f64().unwrap_or(f64::INFINITY) * unit;
        bounded(seconds).map(Some).map_err(|why| spot.wrong(why))
    }

    pub(super) fn texts(&self, name: &str) -> Take<Option<Vec<String>>> {
        let Some(spot) = self.get(name) else { return Ok(None) };
        spot.items()?.iter().map(|item| item.as_text().map(str::to_owned)).collect::<Take<_>>().map(Some)
    }

    /// An object of strings.
    pub(super) fn pairs(&self, name: &str) -> Take<Vec<(String, String)>> {
        let Some(spot) = self.get(name) else { return Ok(Vec::new()) };
        spot.must_be_object()?;
        spot.fields().into_iter().map(|(name, value)| Ok((name.to_owned(), value.as_text()?.to_owned()))).collect()
    }

    /// One of some words.
    pub(super) fn word<T: Copy>(&self, name: &str, known: &[(&str, T)]) -> Take<Option<T>> {
        let Some(spot) = self.get(name) else { return Ok(None) };
        let text = spot.as_text()?;
        known.iter().find(|(word, _)| *word == text).map(|(_, value)| Some(*value)).ok_or_else(|| {
            let words: Vec<_> = known.iter().map(|(word, _)| *word).collect();
            let hint = did_you_mean(text, words.iter().copied());
            spot.wrong(format!("unknown value `{}`{hint}; known are {}", cut(text), words.join(", ")))
        })
    }

    /// Refuses fields that are not in the list.
    pub(super) fn only(&self, known: &[&str]) -> Take<()> {
        self.must_be_object()?;
        for field in self.node.fields() {
            if field.value.kind == Kind::Null {
                let place = step(&self.place, &field.name);
                return Err(Wrong { at: field.at, place, message: "is null; leave it out instead".to_owned() });
            }
            if !known.contains(&field.name.as_str()) {
                let hint = did_you_mean(&field.name, known.iter().copied());
                return Err(Wrong {
                    at: field.at,
                    place: step(&self.place, &field.name),
                    message: format!("unknown field{hint}; known are {}", known.join(", ")),
                });
            }
        }
        Ok(())
    }
}

/// A number of seconds as a time that a hook may run.
pub(super) fn bounded(seconds: f64) -> Result<Duration, String> {
    if seconds.is_nan() || seconds <= 0.0 {
        return Err("must be greater than 0".to_owned());
    }
    let duration = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    if duration > Timeout::MAX {
        return Err("is longer than a year".to_owned());
    }
    if duration.is_zero() {
        return Err("is too short; write a longer time".to_owned());
    }
    Ok(duration)
}

/// The beginning of a text, for messages.
pub(super) fn cut(text: &str) -> String {
    let mut short: String = text.chars().take(80).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short.replace(|c: char| c.is_control(), " ")
}
