//! One permission rule of Claude Code, such as `Bash(git *)` or `Edit(src/**)`, as a condition of a hook.
//!
//! A rule decides whether a hook looks at a call, so in doubt it holds: a command that cannot be parsed, or that is
//! filled in when it runs, is shown to the hook.

mod command;
mod domain;
mod files;
mod mistakes;
mod path_rule;

use super::MatchResult;
use crate::match_input::MatchInput;
use crate::pattern::Glob;
use crate::payload::{Host, Kind};
use crate::tool::names as tool_names;
use crate::tool::usual::SHELLS;

use command::Command;
use domain::Domain;
use files::Files;
pub(super) use path_rule::PathRule;

/// Tools that a rule about editing covers.
const EDITING: &[&str] = &["Edit", "Write", "MultiEdit", "NotebookEdit"];

/// Tools that a rule about reading covers.
const READING: &[&str] = &["Read", "Glob", "Grep", "LS", "NotebookRead"];

/// A compiled rule.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    /// The tool as the rule names it.
    name: String,
    tools: Tools,
    about: RuleContent,
}

#[derive(Debug, Clone)]
enum Tools {
    /// Any of these.
    Named(Vec<String>),
    /// Every tool of an MCP server.
    Server(String),
    /// Names that match.
    Glob(Glob),
}

/// What stands in the parentheses.
#[derive(Debug, Clone)]
enum RuleContent {
    Anything,
    Command(Command),
    Path(PathRule, Files),
    Domain(Domain),
    /// One argument, by name.
    Argument(&'static str, Glob),
}

impl Rule {
    pub(super) fn new(text: &str) -> Result<Self, String> {
        let text = text.trim();
        mistakes::several(text)?;
        let (name, content) = match text.split_once('(') {
            None => (text, None),
            Some((name, rest)) => {
                let content = rest.strip_suffix(')').ok_or_else(|| format!("`{text}` has no `)` at its end"))?;
                (name.trim(), Some(content.trim()).filter(|content| !matches!(*content, "" | "*")))
            }
        };
        let is_name = |letter: char| letter.is_alphanumeric() || "_-*.:".contains(letter);
        if name.is_empty() || !name.chars().all(is_name) {
            return Err(format!("`{text}` is no rule; write a tool's name, or `Tool(pattern)`"));
        }
        let name = tool_names::from_dialect("claude-code", name);
        let about = content.map_or(Ok(RuleContent::Anything), |content| RuleContent::new(&name, content))?;
        Ok(Self { tools: Tools::new(&name, &about)?, name: name.into_owned(), about })
    }

    /// Whether the rule speaks of a tool; the names are all that it goes by.
    pub(super) fn speaks_of(&self, names: &[&str]) -> bool {
        self.is_about(names) || self.files().is_some_and(|files| files.speaks_of(names))
    }

    /// Whether it is about a tool of these names, so that its `allow` may cover a call of it.
    fn is_about(&self, names: &[&str]) -> bool {
        let mut aliases = names.iter().flat_map(|name| tool_names::aliases(name));
        names.iter().any(|name| self.tools.has(name)) || aliases.any(|name| self.tools.has(name))
    }

    /// The files that it is about.
    const fn files(&self) -> Option<&Files> {
        if let RuleContent::Path(_, files) = &self.about { Some(files) } else { None }
    }

    /// The tools that it names one by one.
    pub(super) const fn tools(&self) -> Option<&Vec<String>> {
        if let Tools::Named(names) = &self.tools { Some(names) } else { None }
    }

    /// Whether it is about a command line.
    pub(super) const fn is_about_command(&self) -> bool {
        matches!(self.about, RuleContent::Command(_))
    }

    /// The programs of which one must stand in a line that is understood whole; `None` if the rule is about something else.
    pub(super) fn programs(&self) -> Option<Vec<&str>> {
        if let RuleContent::Command(command) = &self.about { command.programs() } else { None }
    }

    /// Whether a call is one that the rule speaks of; the names are all that the tool goes by.
    pub(super) fn judge<H: Host>(&self, names: Option<&[&str]>, input: &MatchInput<'_, H>) -> MatchResult {
        let Some(names) = names else { return MatchResult::INDETERMINATE };
        if !self.speaks_of(names) {
            return MatchResult::NO;
        }
        let touches = || self.files().is_some_and(|files| input.event().gates_tools() && files.touches(names, input));
        if !self.is_about(names) {
            return MatchResult { selects: touches(), grants_all: false };
        }
        let verdict = self.judge_call(names, input);
        let verdict = MatchResult { selects: verdict.selects || touches(), ..verdict };
        // An `allow` for one shell is none for another, which may read the same line otherwise.
        let is_other_shell = SHELLS.contains(&self.name.as_str()) && !names.contains(&self.name.as_str());
        MatchResult { grants_all: verdict.grants_all && !is_other_shell, ..verdict }
    }

    fn judge_call<H: Host>(&self, names: &[&str], input: &MatchInput<'_, H>) -> MatchResult {
        match &self.about {
            RuleContent::Anything => MatchResult::YES,
            RuleContent::Command(command) => {
                let (lines, indeterminate) = input.lines();
                let is_foreign = names.contains(&"PowerShell") && lines.iter().any(|line| !line.is_plain());
                // A line of another shell's is read as far as all shells agree.
                if indeterminate || is_foreign {
                    MatchResult::INDETERMINATE
                } else {
                    let place = |path: &str| input.place(path);
                    all(lines.iter().map(|line| command.judge(line, &place)))
                }
            }
            RuleContent::Path(path_rule, _) => {
                let found = input.paths();
                let paths = found.items.iter().map(|path| path_rule.judge(path));
                let verdict = all(paths);
                if found.indeterminate { MatchResult::INDETERMINATE } else { verdict }
            }
            RuleContent::Domain(domain) => judge_argument(input, "url", |url| {
                url::Url::parse(url.trim()).ok()?.host_str().map(|host| domain.judge(host.trim_end_matches('.')))
            }),
            RuleContent::Argument(name, glob) => {
                judge_argument(input, name, |text| Some(MatchResult::of(glob.is_match(text))))
            }
        }
    }
}

/// Holds if any does; an `allow` counts if all do.
fn all(verdicts: impl Iterator<Item = MatchResult>) -> MatchResult {
    let mut any = MatchResult::NO;
    let mut every = true;
    for verdict in verdicts {
        any.selects |= verdict.selects;
        every &= verdict.grants_all;
    }
    MatchResult { selects: any.selects, grants_all: any.selects && every }
}

fn judge_argument<H: Host>(
    input: &MatchInput<'_, H>,
    name: &str,
    test: impl Fn(&str) -> Option<MatchResult>,
) -> MatchResult {
    let found = input.argument(name);
    if found.indeterminate {
        return MatchResult::INDETERMINATE;
    }
    let Some(value) = found.items.first() else { return MatchResult::NO };
    match input.host().kind(value) {
        Kind::Text(text) => test(&text).unwrap_or(MatchResult::INDETERMINATE),
        _ => MatchResult::INDETERMINATE,
    }
}

impl Tools {
    fn new(name: &str, about: &RuleContent) -> Result<Self, String> {
        if name.strip_prefix("mcp__").is_some_and(|server| !server.contains("__")) {
            return Ok(Self::Server(format!("{name}__")));
        }
        if name.contains('*') {
            return glob(name, false).map(Self::Glob);
        }
        let covered = |group: &[&str]| group.contains(&name) && matches!(about, RuleContent::Path(..));
        let named = if name == "Bash" {
            SHELLS.iter().map(|&name| name.to_owned()).collect()
        } else if covered(EDITING) && name == "Edit" {
            EDITING.iter().map(|&name| name.to_owned()).collect()
        } else if covered(READING) && name == "Read" {
            READING.iter().map(|&name| name.to_owned()).collect()
        } else {
            vec![name.to_owned()]
        };
        Ok(Self::Named(named))
    }

    fn has(&self, name: &str) -> bool {
        match self {
            Self::Named(named) => named.iter().any(|known| known == name),
            Self::Server(prefix) => name.starts_with(prefix.as_str()),
            Self::Glob(glob) => glob.is_match(name),
        }
    }
}

impl RuleContent {
    fn new(tool: &str, content: &str) -> Result<Self, String> {
        if SHELLS.contains(&tool) {
            mistakes::of_command(tool, content)?;
            return Command::new(content).map(Self::Command);
        }
        if EDITING.contains(&tool) || READING.contains(&tool) {
            return Ok(Self::Path(PathRule::new(content)?, Files::new(tool, content)?));
        }
        let argument = match tool {
            "WebFetch" => {
                let domain = content
                    .strip_prefix("domain:")
                    .ok_or_else(|| format!("`WebFetch({content})`: write `WebFetch(domain:{content})`"))?;
                return Domain::new(domain.trim()).map(Self::Domain);
            }
            "WebSearch" => "query",
            "Agent" => "subagent_type",
            "Skill" => "skill",
            _ => return Err(mistakes::of_tool(tool, content)),
        };
        glob(content, false).map(|glob| Self::Argument(argument, glob))
    }
}

fn glob(text: &str, by_directory: bool) -> Result<Glob, String> {
    Glob::new(text, |glob| glob.literal_separator(by_directory).backslash_escape(true).empty_alternates(true))
}
