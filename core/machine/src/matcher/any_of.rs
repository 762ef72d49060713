//! What a rule of a policy looks for: a call is selected if any part of it holds.
//!
//! A policy that people install must not stop what they type all day. So unlike a matcher's `rule`, its rules go by what is
//! known for sure, and a line that is not understood whole is a part of its own.

use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::MatchResult;
use super::flow::Flow;
use super::rule::Rule;
use super::writes::{Access, Writes};
use crate::match_input::MatchInput;
use crate::pattern::Pattern;
use crate::payload::Host;
use crate::tool::{Likeness, Need};
use hookweave_command::{Line, Reading, Simple};

/// The parts as a policy writes them.
#[derive(Debug, Clone, Default)]
pub struct Parts {
    /// Permission rules.
    pub rules: Vec<String>,
    /// Rules for what is taken out again: commands and paths that they cover for sure.
    pub unless: Vec<String>,
    /// Rules hold in doubt too: what is filled in when the line runs may be what they name.
    pub in_doubt: bool,
    /// Files that calls may read or write.
    pub files: Vec<Writes>,
    /// What a line hands from one program to another. With files to the network, the files are those of the rule.
    pub flow: Option<Flow>,
    /// Regular expressions over code that lines hand to interpreters.
    pub code: Vec<String>,
    /// Lines that are not understood whole.
    pub unread: bool,
    /// Lines whose program is filled in when they run.
    pub nameless: bool,
}

/// What a rule of a policy looks for.
#[derive(Debug, Clone)]
pub struct AnyOf {
    label: String,
    compiled: Arc<Compiled>,
}

#[derive(Debug)]
struct Compiled {
    rules: Vec<Rule>,
    unless: Vec<Rule>,
    code: Vec<Pattern>,
    parts: Parts,
}

impl AnyOf {
    /// Compiles the parts; the label names them to people.
    pub fn new(label: impl Into<String>, parts: Parts) -> Result<Self, String> {
        let rules = |texts: &[String]| texts.iter().map(|text| Rule::new(text, true)).collect::<Result<Vec<_>, _>>();
        let code = parts.code.iter().map(|text| Pattern::new(text)).collect::<Result<_, _>>()?;
        let compiled = Compiled { rules: rules(&parts.rules)?, unless: rules(&parts.unless)?, code, parts };
        Ok(Self { label: label.into(), compiled: Arc::new(compiled) })
    }

    /// What the rule is called.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Whether it looks at what a tool cannot do without.
    pub(super) fn is_about(&self, need: Need) -> bool {
        let files = !self.compiled.parts.files.is_empty();
        match need {
            Need::Command => self.reads_lines() || files,
            Need::Path => files || self.compiled.rules.iter().any(|rule| rule.is_about(need)),
            Need::Url => self.compiled.rules.iter().any(|rule| rule.is_about(need)),
        }
    }

    /// The programs of which one must stand in a line that is understood whole, or in its code; `None` if it looks at more
    /// than commands of programs.
    pub(super) fn programs(&self) -> Option<Vec<&str>> {
        let Compiled { rules, code, parts, .. } = &*self.compiled;
        let looks_at_more =
            parts.flow.is_some() || parts.unread || parts.nameless || !code.is_empty() || !parts.files.is_empty();
        if looks_at_more { None } else { Rule::programs_of(rules) }
    }

    fn reads_lines(&self) -> bool {
        let Compiled { rules, code, parts, .. } = &*self.compiled;
        let is_of_flow = parts.flow.is_some() || parts.unread || parts.nameless || !code.is_empty();
        is_of_flow || rules.iter().any(|rule| rule.is_about(Need::Command))
    }

    /// Whether a tool of these names may be selected.
    pub(super) fn speaks_of(&self, names: &[&str], likeness: Option<Likeness>) -> bool {
        let Compiled { rules, parts, .. } = &*self.compiled;
        let alike = |rule: &Rule| likeness.is_some_and(|likeness| rule.speaks_of_alike(likeness));
        let runs_lines = names.iter().any(|name| crate::tool::usual::SHELLS.contains(name)) || likeness.is_some();
        self.reads_lines() && runs_lines
            || parts.files.iter().any(|files| files.speaks_of(names))
            || rules.iter().any(|rule| rule.speaks_of(names) || alike(rule))
    }

    pub(super) fn judge<H: Host>(&self, input: &MatchInput<'_, H>) -> MatchResult {
        let selects = input.known_as().is_none_or(|names| self.selects(&names, input));
        MatchResult { selects, grants_all: false }
    }

    fn selects<H: Host>(&self, names: &[&str], input: &MatchInput<'_, H>) -> bool {
        let Compiled { rules, unless, code, parts } = &*self.compiled;
        let (all, is_unreadable) =
            if self.reads_lines() || !parts.files.is_empty() { input.lines_with_coded() } else { (&[][..], false) };
        if is_unreadable {
            return true;
        }
        let is_named = |names: &[&str]| rules.iter().any(|rule| rule.holds(names, all, input, unless, parts.in_doubt));
        if is_named(names) {
            return true;
        }
        let likeness = input.likeness().map(|likeness| likeness.names.iter().map(String::as_str).collect::<Vec<_>>());
        if likeness.is_some_and(|names| is_named(&names)) {
            return true;
        }
        let flows = |flow: Flow| all.iter().any(|reading| flow.is_in(reading));
        if parts.flow.is_some_and(|flow| flow != Flow::FilesToNetwork && flows(flow)) {
            return true;
        }
        let place = |path: &str| input.place(path);
        let is_left_out = |command: &Simple, line: &Line| Rule::covers_command(unless, command, line, &place);
        let wants_files = parts.flow != Some(Flow::FilesToNetwork) || flows(Flow::FilesToNetwork);
        if wants_files && parts.files.iter().any(|files| files.judge_without(input, &is_left_out).selects) {
            return true;
        }
        if !code.is_empty() {
            let mut codes = all.iter().flat_map(|line| line.code());
            if codes.any(|text| code.iter().any(|pattern| pattern.is_match(&text.text) != Some(false))) {
                return true;
            }
        }
        let (lines, _) = if parts.unread || parts.nameless { input.lines() } else { (&[][..], false) };
        let is_cut = |line: &Reading| line.code().iter().any(|code| code.is_cut);
        parts.unread && lines.iter().any(|line| line.line.is_none() || is_cut(line))
            || parts.nameless && lines.iter().any(|line| line.line.is_some() && line.is_open)
    }
}

impl PartialEq for AnyOf {
    fn eq(&self, other: &Self) -> bool {
        self.label == other.label && Arc::ptr_eq(&self.compiled, &other.compiled)
    }
}

impl Serialize for AnyOf {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.label)
    }
}

/// Files by patterns, as a part of a rule.
pub fn files_of_policy(patterns: &[String], access: Access) -> Result<Writes, String> {
    let files = super::NamedFiles::new(patterns)?;
    Ok(Writes::new("files of a policy", Arc::new(files)).access(access).named_for_sure())
}
