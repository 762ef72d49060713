//! A value of a file with its place: typed access to it, and what is wrong with it.

use std::time::Duration;

use serde_json::Value;

use crate::config::tree::{Field, Kind, Node};
use hookweave_machine::error::{did_you_mean, surely_meant};
use hookweave_machine::hook::Timeout;

/// A mistake in an entry, which is left out because of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::config) struct Wrong {
    pub(in crate::config) at: usize,
    pub(in crate::config) place: String,
    pub(in crate::config) message: String,
    /// The word that stands at `at`, and the one that was surely meant.
    pub(in crate::config) misspelt: Option<(String, String)>,
    /// The file counts without the entry: a newer version of its system may know what is unknown here.
    pub(in crate::config) spared: bool,
}

impl Wrong {
    /// Spares the file, unless a known word was surely meant.
    pub(in crate::config) fn newer(self) -> Self {
        Self { spared: self.misspelt.is_none(), ..self }
    }
}

pub(in crate::config) type Take<T> = Result<T, Wrong>;

/// A value with its place in the file.
#[derive(Debug, Clone)]
pub(in crate::config) struct Spot<'n> {
    pub(in crate::config) node: &'n Node,
    pub(in crate::config) place: String,
}

/// The place of a field below another place.
pub(in crate::config) fn step(place: &str, name: &str) -> String {
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ':'));
    match (place.is_empty(), plain) {
        (true, true) => name.to_owned(),
        (false, true) => format!("{place}.{name}"),
        (_, false) => format!("{place}[{}]", Value::from(name)),
    }
}

impl<'n> Spot<'n> {
    pub(in crate::config) fn wrong(&self, message: impl Into<String>) -> Wrong {
        Wrong { at: self.node.at, place: self.place.clone(), message: message.into(), misspelt: None, spared: false }
    }

    /// A field's value, null included.
    pub(in crate::config) fn given(&self, name: &str) -> Option<Self> {
        self.node.get(name).map(|node| Self { node, place: step(&self.place, name) })
    }

    /// A field's value, unless it is missing or null.
    pub(in crate::config) fn get(&self, name: &str) -> Option<Self> {
        self.given(name).filter(|spot| spot.node.kind != Kind::Null)
    }

    /// The fields of an object in their order; of two with one name the last.
    pub(in crate::config) fn fields(&self) -> Vec<(&'n str, Self)> {
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

    pub(in crate::config) fn must_be_object(&self) -> Take<()> {
        match self.node.kind {
            Kind::Object(_) => Ok(()),
            _ => Err(self.wrong(format!("must be an object, is {}", self.node.words()))),
        }
    }

    /// The elements of a list.
    pub(in crate::config) fn items(&self) -> Take<Vec<Self>> {
        let Kind::List(items) = &self.node.kind else {
            return Err(self.wrong(format!("must be a list, is {}", self.node.words())));
        };
        let spot = |(index, node)| Self { node, place: format!("{}[{index}]", self.place) };
        Ok(items.iter().enumerate().map(spot).collect())
    }

    pub(in crate::config) fn as_text(&self) -> Take<&'n str> {
        match &self.node.kind {
            Kind::Text(text) => Ok(text),
            _ => Err(self.wrong(format!("must be a string, is {}", self.node.words()))),
        }
    }

    pub(in crate::config) fn text(&self, name: &str) -> Take<Option<String>> {
        self.get(name).map(|spot| spot.as_text().map(str::to_owned)).transpose()
    }

    /// A text that must be there and say something.
    pub(in crate::config) fn required_text(&self, name: &str) -> Take<String> {
        let text = self.text(name)?.ok_or_else(|| self.wrong(format!("`{name}` is missing; add it")))?;
        if text.trim().is_empty() {
            return Err(self.given(name).unwrap_or_else(|| self.clone()).wrong("is empty; say what to run"));
        }
        if text.contains('\0') {
            return Err(self.given(name).unwrap_or_else(|| self.clone()).wrong("holds a NUL character; take it out"));
        }
        Ok(text)
    }

    pub(in crate::config) fn flag(&self, name: &str) -> Take<Option<bool>> {
        self.get(name)
            .map(|spot| match spot.node.kind {
                Kind::Bool(flag) => Ok(flag),
                _ => Err(spot.wrong(format!("must be true or false, is {}", spot.node.words()))),
            })
            .transpose()
    }

    /// A duration in a unit of so many seconds; longer than 0 and at most a year.
    pub(in crate::config) fn duration(&self, name: &str, unit: f64) -> Take<Option<Duration>> {
        let Some(spot) = self.get(name) else { return Ok(None) };
        let unit_name = if unit < 1.0 { "milliseconds" } else { "seconds" };
        let Kind::Number(number) = &spot.node.kind else {
            return Err(spot.wrong(format!("must be a number of {unit_name}, is {}", spot.node.words())));
        };
        let seconds = number.as_f64().unwrap_or(f64::INFINITY) * unit;
        bounded(seconds).map(Some).map_err(|why| spot.wrong(why))
    }

    pub(in crate::config) fn texts(&self, name: &str) -> Take<Option<Vec<String>>> {
        let Some(spot) = self.get(name) else { return Ok(None) };
        spot.items()?.iter().map(|item| item.as_text().map(str::to_owned)).collect::<Take<_>>().map(Some)
    }

    /// An object of strings.
    pub(in crate::config) fn pairs(&self, name: &str) -> Take<Vec<(String, String)>> {
        let Some(spot) = self.get(name) else { return Ok(Vec::new()) };
        spot.must_be_object()?;
        spot.fields().into_iter().map(|(name, value)| Ok((name.to_owned(), value.as_text()?.to_owned()))).collect()
    }

    /// One of some words.
    pub(in crate::config) fn word<T: Copy>(&self, name: &str, known: &[(&str, T)]) -> Take<Option<T>> {
        let Some(spot) = self.get(name) else { return Ok(None) };
        let text = spot.as_text()?;
        known.iter().find(|(word, _)| *word == text).map(|(_, value)| Some(*value)).ok_or_else(|| {
            let words: Vec<_> = known.iter().map(|(word, _)| *word).collect();
            let hint = did_you_mean(text, words.iter().copied());
            let message = format!("unknown value `{}`{hint}; known are {}", cut(text), words.join(", "));
            let meant = surely_meant(text, words.iter().copied()).map(|meant| (text.to_owned(), meant.to_owned()));
            Wrong { misspelt: meant, ..spot.wrong(message) }
        })
    }

    /// The kind of a handler; one that is unknown may be that of a newer version.
    pub(in crate::config) fn kind<T: Copy>(&self, known: &[(&str, T)]) -> Take<Option<T>> {
        self.text("type")?;
        self.word("type", known).map_err(Wrong::newer)
    }

    /// A field's name with the one that was surely meant, unless that one is given too.
    pub(in crate::config) fn misspelt(&self, name: &str, known: &[&str]) -> Option<(String, String)> {
        let meant = surely_meant(name, known.iter().copied()).filter(|meant| self.node.get(meant).is_none())?;
        Some((name.to_owned(), meant.to_owned()))
    }

    /// Refuses fields that are not in the list.
    pub(in crate::config) fn only(&self, known: &[&str]) -> Take<()> {
        self.must_be_object()?;
        self.unknown(known).into_iter().next().map_or(Ok(()), Err)
    }

    /// What is wrong with each field that is null or not in the list.
    pub(in crate::config) fn unknown(&self, known: &[&str]) -> Vec<Wrong> {
        let wrong = |field: &Field| {
            let place = step(&self.place, &field.name);
            let (message, misspelt) = if field.value.kind == Kind::Null {
                ("is null; leave it out instead".to_owned(), None)
            } else if known.contains(&field.name.as_str()) {
                return None;
            } else {
                let hint = did_you_mean(&field.name, known.iter().copied());
                let message = format!("unknown field{hint}; known are {}", known.join(", "));
                (message, self.misspelt(&field.name, known))
            };
            Some(Wrong { at: field.at, place, message, misspelt, spared: false })
        };
        self.node.fields().iter().filter_map(wrong).collect()
    }
}

/// A number of seconds as a time that a hook may run.
pub(in crate::config) fn bounded(seconds: f64) -> Result<Duration, String> {
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
pub(in crate::config) fn cut(text: &str) -> String {
    let mut short: String = text.chars().take(80).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short.replace(|c: char| c.is_control(), " ")
}
