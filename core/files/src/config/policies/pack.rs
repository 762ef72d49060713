//! The packs, read from their data.

use std::sync::{LazyLock, OnceLock};

use crate::config::reading::{Spot, Take};
use crate::config::tree::parse_toml;
use hookweave_machine::matcher::{Access, AnyOf, Flow, Parts, files_of_policy};

/// Each pack with its data. `lines` is used with every other.
const DATA: &[(&str, &str)] = &[
    ("agent-files", include_str!("../../../policies/agent-files.toml")),
    ("cloud", include_str!("../../../policies/cloud.toml")),
    ("containers", include_str!("../../../policies/containers.toml")),
    ("databases", include_str!("../../../policies/databases.toml")),
    ("download-and-run", include_str!("../../../policies/download-and-run.toml")),
    ("exfiltration", include_str!("../../../policies/exfiltration.toml")),
    ("filesystem", include_str!("../../../policies/filesystem.toml")),
    ("git", include_str!("../../../policies/git.toml")),
    ("interpreters", include_str!("../../../policies/interpreters.toml")),
    ("lines", include_str!("../../../policies/lines.toml")),
    ("packages", include_str!("../../../policies/packages.toml")),
    ("permissions", include_str!("../../../policies/permissions.toml")),
    ("processes", include_str!("../../../policies/processes.toml")),
    ("secrets", include_str!("../../../policies/secrets.toml")),
];

const FIELDS: &[&str] = &[
    "id", "answer", "level", "reason", "suggest", "rules", "unless", "in_doubt", "reads", "writes", "flow", "code",
    "unread", "nameless",
];

static PACKS: LazyLock<Vec<Result<Pack, String>>> =
    LazyLock::new(|| DATA.iter().map(|(name, text)| Pack::read(name, text)).collect());

/// The packs, each of which may be unreadable only if the engine was built with broken data.
pub fn packs() -> impl Iterator<Item = Result<&'static Pack, &'static str>> {
    PACKS.iter().map(|pack| pack.as_ref().map_err(String::as_str))
}

/// A pack of rules.
#[derive(Debug)]
#[non_exhaustive]
pub struct Pack {
    /// Its name.
    pub name: &'static str,
    /// What it is about.
    pub about: String,
    /// Its rules.
    pub rules: Vec<Rule>,
}

/// One rule of a pack.
#[derive(Debug)]
#[non_exhaustive]
pub struct Rule {
    /// Its name with that of its pack: `git.reset-hard`.
    pub id: String,
    /// What it decides.
    pub answer: Answer,
    /// From which level on it counts.
    pub level: Level,
    /// Why, for the model and the person.
    pub reason: String,
    /// What to do instead.
    pub suggest: String,
    pub(super) parts: Parts,
    /// What it looks for, compiled when it is first used.
    compiled: OnceLock<AnyOf>,
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
        let compiled = AnyOf::new(self.id.clone(), self.parts.clone()).map_err(|why| format!("{}: {why}", self.id))?;
        // No thread waits for another one that compiles it: in a forked child that thread would not exist.
        Ok(self.compiled.get_or_init(|| compiled).clone())
    }
}

impl Pack {
    fn read(name: &'static str, text: &str) -> Result<Self, String> {
        let node = parse_toml(text).map_err(|unreadable| format!("the policy `{name}`: {}", unreadable.why))?;
        let top = Spot { node: &node, place: String::new() };
        read(name, &top).map_err(|wrong| format!("the policy `{name}`: {}: {}", wrong.place, wrong.message))
    }
}

fn read(name: &'static str, top: &Spot<'_>) -> Take<Pack> {
    top.only(&["about", "rules"])?;
    let rules = top.get("rules").ok_or_else(|| top.wrong("has no rules"))?;
    let rules = rules.items()?.iter().map(|entry| read_rule(name, entry)).collect::<Take<_>>()?;
    Ok(Pack { name, about: top.required_text("about")?, rules })
}

fn read_rule(pack: &str, entry: &Spot<'_>) -> Take<Rule> {
    entry.only(FIELDS)?;
    let texts = |field: &str| entry.texts(field).map(Option::unwrap_or_default);
    let flag = |field: &str| entry.flag(field).map(|flag| flag.unwrap_or(false));
    let mut files = Vec::new();
    for (field, access) in [("reads", Access::Read), ("writes", Access::Write)] {
        if let Some(patterns) = entry.texts(field)? {
            files.push(files_of_policy(&patterns, access).map_err(|why| entry.wrong(why))?);
        }
    }
    let missing = |field: &str| entry.wrong(format!("`{field}` is missing; add it"));
    Ok(Rule {
        id: format!("{pack}.{}", entry.required_text("id")?),
        answer: entry.word("answer", Answer::WORDS)?.ok_or_else(|| missing("answer"))?,
        level: entry.word("level", Level::WORDS)?.unwrap_or(Level::Standard),
        reason: entry.required_text("reason")?,
        suggest: entry.required_text("suggest")?,
        parts: Parts {
            rules: texts("rules")?,
            unless: texts("unless")?,
            in_doubt: flag("in_doubt")?,
            files,
            flow: entry.word("flow", Flow::WORDS)?,
            code: texts("code")?,
            unread: flag("unread")?,
            nameless: flag("nameless")?,
        },
        compiled: OnceLock::new(),
    })
}
