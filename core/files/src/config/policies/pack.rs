//! The packs, read from their data.

use std::sync::OnceLock;

use hookweave_machine::matcher::{AnyOf, Flow, Parts};

// The tables of `core/files/policies/*.toml`, written when the engine is built. `lines` is used with every other.
include!(concat!(env!("OUT_DIR"), "/policies.rs"));

/// The packs, by their names.
pub const fn packs() -> &'static [Pack] {
    &PACKS
}

/// A pack of rules.
#[derive(Debug)]
#[non_exhaustive]
pub struct Pack {
    /// Its name.
    pub name: &'static str,
    /// What it is about.
    pub about: &'static str,
    /// Its rules.
    pub rules: &'static [Rule],
}

/// One rule of a pack.
#[derive(Debug)]
#[non_exhaustive]
pub struct Rule {
    /// Its name with that of its pack: `git.reset-hard`.
    pub id: &'static str,
    /// What it decides.
    pub answer: Answer,
    /// From which level on it counts.
    pub level: Level,
    /// Why, for the model and the person.
    pub reason: &'static str,
    /// What to do instead.
    pub suggest: &'static str,
    parts: Parts,
    /// What it looks for, made when it is first used.
    compiled: OnceLock<AnyOf>,
}

impl Rule {
    /// Whether files that calls write are a part of what it looks for.
    pub(super) const fn looks_at_writes(&self) -> bool {
        !self.parts.writes.is_empty()
    }
}

/// What a rule decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// A person is asked.
    Ask,
    /// The call is refused.
    Block,
}

impl Answer {
    /// Each value with its word.
    pub const WORDS: &'static [(&'static str, Self)] = &[("ask", Self::Ask), ("block", Self::Block)];

    /// The value's word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Block => "block",
        }
    }
}

/// How much a policy stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What cannot be undone.
    Standard,
    /// Also what people differ about.
    Strict,
    /// Also what only may be dangerous.
    Paranoid,
}

impl Level {
    /// Each value with its word.
    pub const WORDS: &'static [(&'static str, Self)] =
        &[("standard", Self::Standard), ("strict", Self::Strict), ("paranoid", Self::Paranoid)];

    /// The value's word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Strict => "strict",
            Self::Paranoid => "paranoid",
        }
    }
}

impl Rule {
    /// What a model or a person reads.
    #[must_use]
    pub fn told(&self) -> String {
        format!("{} ({}). Instead: {}", self.reason, self.id, self.suggest)
    }

    /// What it looks for.
    pub(in crate::config) fn compiled(&self) -> Result<AnyOf, String> {
        if let Some(compiled) = self.compiled.get() {
            return Ok(compiled.clone());
        }
        let compiled = AnyOf::new(self.id, self.parts).map_err(|why| format!("{}: {why}", self.id))?;
        // No thread waits for another one that makes it: in a forked child that thread would not exist.
        Ok(self.compiled.get_or_init(|| compiled).clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_rules_look_for_can_be_read() {
        let rules = packs().iter().flat_map(|pack| pack.rules);
        let wrong: Vec<String> =
            rules.filter_map(|rule| rule.parts.check().err().map(|why| format!("{}: {why}", rule.id))).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn what_stands_in_braces_is_one_word() {
        let rules = packs().iter().flat_map(|pack| pack.rules);
        let texts = rules.flat_map(|rule| rule.parts.rules.iter().chain(rule.parts.unless));
        let commands = texts.filter_map(|text| text.strip_prefix("Bash(")?.strip_suffix(')'));
        let words = commands.flat_map(str::split_whitespace);
        let values = words
            .map(|word| word.split_once('=').filter(|(flag, _)| flag.starts_with('-')).map_or(word, |flag| flag.1));
        let wrong: Vec<&str> = values.filter(|value| value.starts_with('{') != value.ends_with('}')).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
