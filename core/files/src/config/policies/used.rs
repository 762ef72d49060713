//! From the names that a file or a program gives to rules.

use super::pack::{Answer, Level, Pack, Rule, packs};
use hookweave_machine::error::did_you_mean;

/// The pack that is used with every other.
const ALWAYS: &str = "lines";

/// What is said of one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// It does not count.
    Off,
    /// It counts at every level, with this answer.
    On(Answer),
}

impl Setting {
    /// Each value with its word.
    pub const WORDS: &'static [(&'static str, Self)] =
        &[("off", Self::Off), ("ask", Self::On(Answer::Ask)), ("block", Self::On(Answer::Block))];
}

/// Which of the names is wrong, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrong {
    /// That of a pack, by its place in the list.
    Use(usize, String),
    /// That of a rule.
    Rule(String, String),
}

impl Wrong {
    /// Why.
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            Self::Use(_, why) | Self::Rule(_, why) => why,
        }
    }
}

/// A rule that counts.
#[derive(Debug, Clone, Copy)]
pub struct Chosen {
    /// The number of the name that brought it.
    pub at: usize,
    /// The rule.
    pub rule: &'static Rule,
    /// What it decides here.
    pub answer: Answer,
}

/// The rules that count of packs that are used.
pub fn chosen(uses: &[String], settings: &[(String, Setting)]) -> Result<Vec<Chosen>, Wrong> {
    let known = packs();
    let mut used: Vec<(usize, &'static Pack, Level)> = Vec::new();
    for (at, name) in uses.iter().enumerate() {
        let (pack, level) = named(known, name).map_err(|why| Wrong::Use(at, why))?;
        if used.iter().any(|(_, earlier, _)| earlier.name == pack.name) {
            return Err(Wrong::Use(at, format!("`{}` is used twice; take one of them out", pack.name)));
        }
        used.push((at, pack, level));
    }
    if let Some(highest) = used.iter().map(|(_, _, level)| *level).max()
        && !used.iter().any(|(_, pack, _)| pack.name == ALWAYS)
    {
        used.extend(known.iter().filter(|pack| pack.name == ALWAYS).map(|pack| (0, pack, highest)));
    }
    for (id, _) in settings {
        check(known, &used, id).map_err(|why| Wrong::Rule(id.clone(), why))?;
    }
    let mut chosen = Vec::new();
    for (at, pack, level) in used {
        for rule in pack.rules {
            let setting = settings.iter().rev().find(|(id, _)| *id == rule.id).map(|(_, setting)| *setting);
            let answer = match setting {
                Some(Setting::Off) => continue,
                Some(Setting::On(answer)) => answer,
                None if rule.level > level => continue,
                None => rule.answer,
            };
            chosen.push(Chosen { at, rule, answer });
        }
    }
    // What refuses comes first, so that no person is asked about what is refused anyway; then what names a command, which
    // says more of `rm -rf ~` than what names one of the files that go with it.
    chosen.sort_by_key(|chosen| (chosen.answer != Answer::Block, chosen.rule.looks_at_writes()));
    Ok(chosen)
}

/// The pack and the level that a name such as `secrets:strict` means.
fn named(known: &'static [Pack], name: &str) -> Result<(&'static Pack, Level), String> {
    let (pack, level) = name.split_once(':').map_or((name, None), |(pack, level)| (pack, Some(level)));
    let names = || known.iter().map(|pack| pack.name);
    let found = known.iter().find(|known| known.name == pack).ok_or_else(|| {
        let hint = did_you_mean(pack, names());
        format!("`{pack}` is no policy{hint}; known are {}", names().collect::<Vec<_>>().join(", "))
    })?;
    let Some(level) = level else { return Ok((found, Level::Standard)) };
    let words = || Level::WORDS.iter().map(|(word, _)| *word);
    let meant = Level::WORDS.iter().find(|(word, _)| *word == level).map(|(_, level)| *level);
    let level = meant.ok_or_else(|| {
        let hint = did_you_mean(level, words());
        format!("`{level}` is no level of a policy{hint}; known are {}", words().collect::<Vec<_>>().join(", "))
    })?;
    Ok((found, level))
}

/// Whether a rule of this name is in one of the packs that are used.
fn check(known: &[Pack], used: &[(usize, &Pack, Level)], id: &str) -> Result<(), String> {
    let of = |packs: &mut dyn Iterator<Item = &Pack>| packs.flat_map(|pack| pack.rules).any(|rule| rule.id == id);
    if of(&mut used.iter().map(|(_, pack, _)| *pack)) {
        return Ok(());
    }
    let pack = id.split('.').next().unwrap_or_default();
    if of(&mut known.iter()) {
        return Err(format!(
            "`{id}` is a rule of the policy `{pack}`, which is not used here; use it, or take this out"
        ));
    }
    let ids = || known.iter().flat_map(|pack| pack.rules).map(|rule| rule.id);
    let hint = did_you_mean(id, ids());
    Err(format!("`{id}` is no rule of a policy{hint}; `hookweave policies` lists them"))
}
