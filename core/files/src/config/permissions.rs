//! Permission rules of settings files: what a system enforces by itself, and no hook.
//!
//! They are read so that nothing that refuses is lost without a word where another agent takes over.

use std::path::Path;

use serde::Serialize;

use super::load::{LoadOptions, unreadable};
use super::recognise::{Format, recognise};
use super::tree::read_text;
use super::tree::{Kind, Node, parse_json};
use hookweave_dialects::described::{Permissions, System};
use hookweave_machine::error::Error;

/// What a permission rule does with a call that it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ruling {
    /// Refuses it.
    Deny,
    /// Asks a person.
    Ask,
    /// Lets it run without asking.
    Allow,
}

/// A list of permission rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PermissionList {
    /// Where it stands in the file, such as `permissions.deny`.
    pub name: String,
    /// What its rules do.
    pub ruling: Ruling,
    /// The rules as they are written.
    pub rules: Vec<String>,
    /// Whether they are written as `rule` of a matcher is.
    pub is_rule_syntax: bool,
}

impl PermissionList {
    /// Whether its rules can be the matchers of hooks.
    #[must_use]
    pub const fn can_be_guards(&self) -> bool {
        self.is_rule_syntax
    }
}

/// A system's lists: the keys that lead to one, what it does, and whether its rules are written as Claude Code's.
type Place = (&'static [&'static str], Ruling, bool);

const CLAUDE: &[Place] = &[
    (&["permissions", "deny"], Ruling::Deny, true),
    (&["permissions", "ask"], Ruling::Ask, true),
    (&["permissions", "allow"], Ruling::Allow, true),
];

const GEMINI: &[Place] = &[
    (&["tools", "exclude"], Ruling::Deny, false),
    (&["excludeTools"], Ruling::Deny, false),
    (&["tools", "allowed"], Ruling::Allow, false),
    (&["allowedTools"], Ruling::Allow, false),
];

/// The lists of a described system.
fn described(system: &System) -> Vec<Place> {
    let place = |list: &Permissions| {
        let ruling = match list.ruling {
            "deny" => Ruling::Deny,
            "ask" => Ruling::Ask,
            _ => Ruling::Allow,
        };
        (list.keys, ruling, false)
    };
    system.permissions.iter().map(place).collect()
}

/// The permission rules of a settings file; [`InvalidConfig`](hookweave_machine::error::Code::InvalidConfig) when it
/// cannot be opened or its format is unknown. A file that cannot be parsed has none.
pub fn permissions(file: &Path, options: &LoadOptions<'_>) -> Result<Vec<PermissionList>, Error> {
    let text = read_text(file).map_err(|error| unreadable(file, &error))?;
    let format = recognise(file, &text, options.dialect)?.format;
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    Ok(parse_json(text, true).map(|top| lists_of(&top, format)).unwrap_or_default())
}

/// The lists of a file's tree that have a rule.
pub(super) fn lists_of(top: &Node, format: Format) -> Vec<PermissionList> {
    let places = match format {
        Format::Claude | Format::CocodeJson => CLAUDE.to_vec(),
        Format::Gemini => GEMINI.to_vec(),
        Format::Described(system) => described(system),
        _ => Vec::new(),
    };
    let list = |(keys, ruling, is_rule_syntax): &Place| {
        let node = keys.iter().try_fold(top, |node, key| node.get(key))?;
        let Kind::List(items) = &node.kind else { return None };
        let text = |item: &Node| if let Kind::Text(text) = &item.kind { Some(text.clone()) } else { None };
        let rules: Vec<String> = items.iter().filter_map(text).collect();
        let name = keys.join(".");
        (!rules.is_empty()).then_some(PermissionList { name, ruling: *ruling, rules, is_rule_syntax: *is_rule_syntax })
    };
    places.iter().filter_map(list).collect()
}
