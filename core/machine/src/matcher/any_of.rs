//! What a rule of a policy looks for: a call is selected if any part of it holds.
//!
//! A policy that people install must not stop what they type all day. So unlike a matcher's `rule`, its rules go by what is
//! known for sure, and a line that is not understood whole is a part of its own.
//!
//! Policies have thousands of rules, and a process may start for each call. So nothing is compiled before a call asks for it.

mod by_program;

use std::sync::{Arc, OnceLock};

use serde::{Serialize, Serializer};
use smallvec::SmallVec;

use super::flow::Flow;
use super::rule::Rule;
use super::writes::{Access, Writes};
use super::{MatchResult, NamedFiles};
use crate::match_input::MatchInput;
use crate::pattern::Pattern;
use crate::payload::Host;
use crate::tool::{Likeness, Need};
use by_program::ByProgram;
use hookweave_command::{Line, Simple};

/// Texts as they are built into the engine.
type Texts = &'static [&'static str];

/// The parts as a policy writes them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Parts {
    /// Permission rules.
    pub rules: Texts,
    /// Rules for what is taken out again: commands and paths that they cover for sure.
    pub unless: Texts,
    /// Rules hold in doubt too: what is filled in when the line runs may be what they name.
    pub in_doubt: bool,
    /// Files that calls may read.
    pub reads: Texts,
    /// Files that calls may write.
    pub writes: Texts,
    /// What a line hands from one program to another. With files to the network, the files are those of the rule.
    pub flow: Option<Flow>,
    /// Regular expressions over code that lines hand to interpreters.
    pub code: Texts,
    /// The code is looked for in the statements too that tools for databases are given.
    pub statements: bool,
    /// Lines that are not understood whole.
    pub unread: bool,
    /// Lines whose program is filled in when they run.
    pub nameless: bool,
    /// The same where the words behind it are those of one of these commands.
    pub nameless_as: Texts,
}

/// What a rule of a policy looks for.
#[derive(Debug, Clone)]
pub struct AnyOf {
    label: &'static str,
    compiled: Arc<Compiled>,
}

#[derive(Debug)]
struct Compiled {
    rules: ByProgram,
    unless: ByProgram,
    nameless_as: Lazily<Vec<Rule>>,
    files: Lazily<Vec<Writes>>,
    code: Lazily<Vec<Pattern>>,
    parts: Parts,
}

/// What is compiled when a call first asks for it; nothing if it cannot be read.
#[derive(Debug)]
struct Lazily<T>(OnceLock<Option<T>>);

impl<T> Lazily<T> {
    const fn new() -> Self {
        Self(OnceLock::new())
    }

    fn get(&self, compile: impl FnOnce() -> Result<T, String>) -> Option<&T> {
        if let Some(compiled) = self.0.get() {
            return compiled.as_ref();
        }
        let compiled = compile().ok();
        // No thread waits for another one that compiles: in a forked child that thread would not exist.
        self.0.get_or_init(|| compiled).as_ref()
    }
}

impl Parts {
    /// Compiles all that there is.
    ///
    /// # Errors
    ///
    /// Says what cannot be read.
    pub fn check(&self) -> Result<(), String> {
        for text in self.rules.iter().chain(self.unless).chain(self.nameless_as) {
            Rule::new(text, true)?;
        }
        self.files().and_then(|_| self.patterns()).map(|_| ())
    }

    /// Each kind of access with the files that are looked for.
    fn accesses(&self) -> impl Iterator<Item = (Access, Texts)> {
        let all = [(Access::Read, self.reads), (Access::Write, self.writes)];
        all.into_iter().filter(|(_, files)| !files.is_empty())
    }

    /// Whether lines are looked at as a whole.
    fn has_lines(&self) -> bool {
        let has_program = self.flow.is_none() && !self.unread && !self.nameless && self.nameless_as.is_empty();
        !has_program || !self.code.is_empty()
    }

    fn has_files(&self) -> bool {
        self.accesses().next().is_some()
    }

    fn files(&self) -> Result<Vec<Writes>, String> {
        let compiled = self.accesses().map(|(access, patterns)| {
            let files = NamedFiles::new(patterns)?;
            Ok(Writes::new("files of a policy", Arc::new(files)).access(access).named_for_sure())
        });
        compiled.collect()
    }

    fn patterns(&self) -> Result<Vec<Pattern>, String> {
        self.code.iter().map(|text| Pattern::new(text)).collect()
    }
}

impl AnyOf {
    /// Takes the parts; the label names them to people.
    ///
    /// # Errors
    ///
    /// Says which rule cannot be read, of those that are not about the commands of one program, and what files miss.
    pub fn new(label: &'static str, parts: Parts) -> Result<Self, String> {
        let needs_home = parts.accesses().any(|(_, files)| files.iter().any(|file| file.starts_with("~/")));
        if needs_home && std::env::home_dir().is_none() {
            return Err("`~/` in its files needs a home directory, and there is none".to_owned());
        }
        let (rules, unless) = (ByProgram::new(parts.rules)?, ByProgram::new(parts.unless)?);
        let (nameless_as, files, code) = (Lazily::new(), Lazily::new(), Lazily::new());
        let compiled = Compiled { rules, unless, nameless_as, files, code, parts };
        Ok(Self { label, compiled: Arc::new(compiled) })
    }

    /// What the rule is called.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        self.label
    }

    /// Whether it looks at what a tool cannot do without.
    pub(super) fn is_about(&self, need: Need) -> bool {
        let Compiled { rules, parts, .. } = &*self.compiled;
        match need {
            Need::Command => self.reads_lines() || parts.has_files(),
            Need::Path => parts.has_files() || rules.is_about(need),
            Need::Url => rules.is_about(need),
        }
    }

    /// The programs of which one must stand in a line that is understood whole, or in its code; `None` if it looks at more
    /// than commands of programs.
    pub(super) fn programs(&self) -> Option<Vec<&str>> {
        let Compiled { rules, parts, .. } = &*self.compiled;
        if parts.has_lines() || parts.has_files() { None } else { rules.programs() }
    }

    fn reads_lines(&self) -> bool {
        let Compiled { rules, parts, .. } = &*self.compiled;
        parts.has_lines() || rules.is_about(Need::Command)
    }

    /// Whether a tool of these names may be selected.
    pub(super) fn speaks_of(&self, names: &[&str], likeness: Option<Likeness>) -> bool {
        let Compiled { rules, parts, .. } = &*self.compiled;
        let runs_lines = names.iter().any(|name| crate::tool::usual::SHELLS.contains(name)) || likeness.is_some();
        self.reads_lines() && runs_lines
            || parts.accesses().any(|(access, _)| access.is_of(names))
            || parts.statements && names.iter().all(|name| crate::tool::usual::may_take_statements(name))
            || rules.speaks_of(names, likeness)
    }

    pub(super) fn judge<H: Host>(&self, input: &MatchInput<'_, H>) -> MatchResult {
        let selects = input.known_as().is_none_or(|names| self.selects(&names, input).unwrap_or(true));
        MatchResult { selects, grants_all: false }
    }

    /// Nothing if a part of it cannot be read.
    fn selects<H: Host>(&self, names: &[&str], input: &MatchInput<'_, H>) -> Option<bool> {
        let Compiled { rules, unless, nameless_as, files, code, parts } = &*self.compiled;
        let (all, is_unreadable) =
            if self.reads_lines() || parts.has_files() { input.lines_with_coded() } else { (&[][..], false) };
        if is_unreadable {
            return Some(true);
        }
        let (rules, unless) = (rules.of(all)?, unless.of(all)?);
        let is_named = |names: &[&str]| rules.iter().any(|rule| rule.holds(names, all, input, &unless, parts.in_doubt));
        if is_named(names) {
            return Some(true);
        }
        let likeness = input.likeness().map(|likeness| likeness.names.iter().map(String::as_str).collect::<Vec<_>>());
        if likeness.is_some_and(|names| is_named(&names)) {
            return Some(true);
        }
        let flows = |flow: Flow| all.iter().any(|reading| flow.is_in(reading));
        if parts.flow.is_some_and(|flow| flow != Flow::FilesToNetwork && flows(flow)) {
            return Some(true);
        }
        if parts.has_files() && (parts.flow != Some(Flow::FilesToNetwork) || flows(Flow::FilesToNetwork)) {
            let place = |path: &str| input.place(path);
            let is_left_out = |command: &Simple, line: &Line| Rule::covers_command(&unless, command, line, &place);
            let files = files.get(|| parts.files())?;
            if files.iter().any(|files| files.judge_without(input, &is_left_out).selects) {
                return Some(true);
            }
        }
        if !parts.code.is_empty() {
            let statements = if parts.statements { input.statements() } else { SmallVec::new() };
            let codes = all.iter().flat_map(|line| line.code()).map(|code| code.text.as_str());
            let mut codes = codes.chain(statements.iter().map(|text| &**text)).peekable();
            if codes.peek().is_some() {
                let code = code.get(|| parts.patterns())?;
                if codes.any(|text| code.iter().any(|pattern| pattern.is_match(text) != Some(false))) {
                    return Some(true);
                }
            }
        }
        if !parts.nameless_as.is_empty() && all.iter().any(|line| line.is_open) {
            let compile = || parts.nameless_as.iter().map(|text| Rule::new(text, true)).collect();
            let rules = nameless_as.get(compile)?;
            if rules.iter().any(|rule| rule.may_be_nameless(all, input)) {
                return Some(true);
            }
        }
        let (lines, _) = if parts.unread || parts.nameless { input.lines() } else { (&[][..], false) };
        let is_unread = parts.unread && lines.iter().any(|line| line.line.is_none() || line.is_cut());
        Some(is_unread || parts.nameless && lines.iter().any(|line| line.line.is_some() && line.is_open))
    }
}

impl PartialEq for AnyOf {
    fn eq(&self, other: &Self) -> bool {
        self.label == other.label && Arc::ptr_eq(&self.compiled, &other.compiled)
    }
}

impl Serialize for AnyOf {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.label)
    }
}
