//! One permission rule of Claude Code, such as `Bash(git *)` or `Edit(src/**)`, as a condition of a hook.
//!
//! A rule decides whether a hook looks at a call, so in doubt it holds: a command that cannot be parsed, or that is
//! filled in when it runs, is shown to the hook.

mod command;
mod domain;
mod mistakes;

use std::sync::Arc;

use super::MatchResult;
use super::path_rule::{PathRule, glob};
use super::writes::{Access, NamedFiles, Writes};
use crate::match_input::MatchInput;
use crate::path::PathForms;
use crate::pattern::Glob;
use crate::payload::{Host, Kind};
use crate::tool::names as tool_names;
use crate::tool::usual::{self, SHELLS};
use crate::tool::{Likeness, Need};

use hookweave_command::{Language, Line, Reading, Simple, read};

use command::Command;
use domain::Domain;
pub(super) use mistakes::{no_pattern, no_rule};

/// Whether a text reads as a rule, where a sentence for people belongs.
pub(crate) fn reads_as_rule(text: &str) -> bool {
    mistakes::reads_as_rule(text)
}

/// Whether a pattern of a command line is about one command and no further words.
pub(super) fn is_of_one_command(content: &str) -> bool {
    !content.is_empty() && !content.contains('*') && !command::is_of_list(content)
}

/// Tools that a rule about editing covers.
const EDITING: &[&str] = &["Edit", "Write", "MultiEdit", "NotebookEdit"];

/// Tools that a rule about reading covers.
const READING: &[&str] = &["Read", "Glob", "Grep", "LS", "NotebookRead"];

/// Tools that read a file by its address.
const BY_ADDRESS: &[&str] = &["WebFetch", "ReadMcpResource"];

/// The program about whose commands a rule such as `Bash(git push *)` is, as far as that is a plain name.
pub(super) fn program_of(rule: &str) -> Option<&str> {
    let program = rule.strip_prefix("Bash(")?.split([' ', ')']).next()?;
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-+:/".contains(letter);
    (!program.is_empty() && program.chars().all(is_plain)).then_some(program)
}

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
    Path(PathRule),
    Domain(Domain),
    /// One argument, by name.
    Argument(&'static str, Glob),
}

impl Rule {
    /// Reads a rule; `is_own` where it names tools as the engine does, in whatever case.
    pub(super) fn new(text: &str, is_own: bool) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err("the rule is empty; write a tool's name, or `Tool(pattern)`".to_owned());
        }
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
            let fix = mistakes::command(text).unwrap_or_else(|| "write a tool's name, or `Tool(pattern)`".to_owned());
            return Err(format!("`{text}` is no rule; {fix}"));
        }
        if is_own && !text.contains('(') {
            mistakes::of_name(name)?;
        }
        let name = tool_names::from_dialect("claude-code", name);
        let about = content.map_or(Ok(RuleContent::Anything), |content| RuleContent::new(&name, content))?;
        let known = usual::in_other_case(&name).filter(|_| is_own);
        let mut tools = Tools::new(known.unwrap_or(&name), &about, is_own)?;
        if let Tools::Named(named) = &mut tools
            && known.is_some()
        {
            named.push(name.to_string());
        }
        Ok(Self { tools, name: known.map_or_else(|| name.into_owned(), str::to_owned), about })
    }

    /// Whether the rule speaks of a tool that only resembles known ones. One about command lines, addresses or files that are
    /// read speaks of every tool that has them, and one without parentheses of none: it names a tool, not what it does.
    pub(super) fn speaks_of_alike(&self, likeness: Likeness) -> bool {
        match &self.about {
            RuleContent::Anything => false,
            RuleContent::Command(_) | RuleContent::Domain(_) => true,
            _ => self.is_of_addresses() || self.resembles(likeness),
        }
    }

    fn resembles(&self, likeness: Likeness) -> bool {
        likeness.names.iter().any(|name| self.tools.has(name))
    }

    /// Whether it is about files that may be read by their addresses.
    fn is_of_addresses(&self) -> bool {
        matches!(self.about, RuleContent::Path(_)) && BY_ADDRESS.iter().any(|tool| self.tools.has(tool))
    }

    /// Whether the rule speaks of a tool; the names are all that it goes by.
    pub(super) fn speaks_of(&self, names: &[&str]) -> bool {
        let mut aliases = names.iter().flat_map(|name| tool_names::aliases(name));
        names.iter().any(|name| self.tools.has(name)) || aliases.any(|name| self.tools.has(name))
    }

    /// The tools that it names one by one.
    pub(super) const fn tools(&self) -> Option<&Vec<String>> {
        if let Tools::Named(names) = &self.tools { Some(names) } else { None }
    }

    /// Whether it is about what a tool cannot do without.
    pub(super) const fn is_about(&self, need: Need) -> bool {
        match need {
            Need::Command => matches!(self.about, RuleContent::Command(_)),
            Need::Path => matches!(self.about, RuleContent::Path(_)),
            Need::Url => matches!(self.about, RuleContent::Domain(_)),
        }
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
        let verdict = self.judge_call(input);
        // An `allow` for one shell is none for another, which may read the same line otherwise, nor one for writing files one
        // for other changes of them.
        let name = self.name.as_str();
        let is_of_one = SHELLS.contains(&name) || EDITING.contains(&name) && name != "Edit";
        let is_other = is_of_one && !names.contains(&name);
        // What stands beside the address of a file may be any.
        let is_other = is_other
            || matches!(self.about, RuleContent::Path(_)) && BY_ADDRESS.iter().any(|tool| names.contains(tool));
        MatchResult { grants_all: verdict.grants_all && !is_other, ..verdict }
    }

    /// Whether a call is one that the rule speaks of and none of the others takes out again; of command lines only what is
    /// known for sure counts, in doubt also what may be.
    pub(super) fn holds<H: Host>(
        &self,
        names: &[&str],
        lines: &[Arc<Reading>],
        input: &MatchInput<'_, H>,
        unless: &[&Self],
        in_doubt: bool,
    ) -> bool {
        match &self.about {
            RuleContent::Command(command) => {
                let place = |path: &str| input.place(path);
                let mut lines = lines.iter().filter(|line| command.may_hold(line)).peekable();
                lines.peek().is_some() && {
                    let unless = commands(unless);
                    lines.any(|line| command.holds(line, &place, &unless, in_doubt))
                }
            }
            RuleContent::Path(path_rule) if self.speaks_of(names) => {
                let found = input.paths();
                let others = || unless.iter().filter(|rule| rule.speaks_of(names));
                let is_out = |path: &PathForms| {
                    others().any(|rule| matches!(&rule.about, RuleContent::Path(other) if other.judge(path).grants_all))
                };
                found.indeterminate
                    || found.items.iter().any(|path| path_rule.judge(path).selects && !is_out(path))
                    || is_chosen(path_rule, input)
            }
            RuleContent::Domain(_) if !self.speaks_of(names) => self.judge_alike(input).selects,
            _ => self.speaks_of(names) && self.judge_call(input).selects,
        }
    }

    /// Whether a program that is filled in has the words of a command that the rule means.
    pub(super) fn may_be_nameless<H: Host>(&self, lines: &[Arc<Reading>], input: &MatchInput<'_, H>) -> bool {
        let RuleContent::Command(command) = &self.about else { return false };
        lines.iter().any(|line| command.may_be_nameless(line, &|path| input.place(path)))
    }

    /// Whether one of the rules means a command of a line for sure.
    pub(super) fn covers_command(rules: &[&Self], command: &Simple, line: &Line, place: command::Place<'_>) -> bool {
        Command::covers(&commands(rules), command, line, place)
    }

    /// The same of a tool that only resembles known ones: a guard looks at it, and no `allow` counts.
    pub(super) fn judge_alike<H: Host>(&self, input: &MatchInput<'_, H>) -> MatchResult {
        let Some(likeness) = input.likeness().filter(|likeness| self.speaks_of_alike(*likeness)) else {
            return MatchResult::NO;
        };
        let verdict = match &self.about {
            RuleContent::Path(path_rule) if !self.resembles(likeness) => {
                all(input.addressed().items.iter().map(|path| path_rule.judge(path)))
            }
            RuleContent::Domain(domain) if !self.resembles(likeness) => {
                MatchResult::of(input.urls().items.iter().any(|url| domain.may_be_in(url)))
            }
            _ => self.judge_call(input),
        };
        MatchResult { grants_all: false, ..verdict }
    }

    fn judge_call<H: Host>(&self, input: &MatchInput<'_, H>) -> MatchResult {
        match &self.about {
            RuleContent::Anything => MatchResult::YES,
            RuleContent::Command(command) => {
                let (lines, indeterminate) = input.lines();
                if indeterminate {
                    return MatchResult::INDETERMINATE;
                }
                let place = |path: &str| input.place(path);
                let mut verdict = all(lines.iter().map(|line| command.judge(line, &place)));
                let mut handed = lines.iter().flat_map(|line| line.handed());
                verdict.selects |= lines.iter().any(|line| line.hands_too_much())
                    || handed.any(|line| command.is_handed(line, &place));
                verdict.grants_all = verdict.grants_all && input.says_nothing_beside_commands();
                if input.language() == Language::Shell {
                    return verdict;
                }
                // An `allow` goes by what is written, as far as all shells agree about it.
                let grants =
                    |line: &Arc<Reading>| line.is_plain() && command.judge(&read(line.text()), &place).grants_all;
                let grants_all = !lines.is_empty() && lines.iter().all(grants) && input.says_nothing_beside_commands();
                MatchResult { grants_all, ..verdict }
            }
            RuleContent::Path(path_rule) => {
                let found = input.paths();
                let paths = found.items.iter().map(|path| path_rule.judge(path));
                let mut verdict = all(paths);
                verdict.selects |= is_chosen(path_rule, input);
                if found.indeterminate { MatchResult::INDETERMINATE } else { verdict }
            }
            RuleContent::Domain(domain) => {
                let found = input.urls();
                let verdict = all(found.items.iter().map(|url| domain.judge_url(url)));
                if found.indeterminate { MatchResult::INDETERMINATE } else { verdict }
            }
            RuleContent::Argument(name, glob) => {
                judge_argument(input, name, |text| Some(MatchResult::of(glob.is_match(text))))
            }
        }
    }
}

/// Whether a pattern by which a tool chooses files may choose one that a rule means.
fn is_chosen<H: Host>(rule: &PathRule, input: &MatchInput<'_, H>) -> bool {
    let globs = input.globs();
    !globs.is_empty()
        && NamedFiles::new(&[rule.written()]).map_or(true, |files| {
            Writes::new("files of a rule", Arc::new(files)).access(Access::Read).chosen(input, &globs).is_some()
        })
}

/// The rules about command lines.
fn commands<'r>(rules: &[&'r Rule]) -> Vec<&'r Command> {
    let about = rules.iter().map(|rule| &rule.about);
    about.filter_map(|about| if let RuleContent::Command(command) = about { Some(command) } else { None }).collect()
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
    fn new(name: &str, about: &RuleContent, is_own: bool) -> Result<Self, String> {
        if name.strip_prefix("mcp__").is_some_and(|server| !server.contains("__")) {
            return Ok(Self::Server(format!("{name}__")));
        }
        if name.contains('*') {
            return glob(name, false).map(Self::Glob);
        }
        let covered = |group: &[&str]| group.contains(&name) && matches!(about, RuleContent::Path(_));
        let named = if name == "Bash" {
            SHELLS.iter().map(|&name| name.to_owned()).collect()
        } else if covered(EDITING) && (is_own || name == "Edit") {
            // Who keeps a file from `Write` means that it does not change. In other systems a rule is for its one tool.
            EDITING.iter().map(|&name| name.to_owned()).collect()
        } else if covered(READING) && name == "Read" {
            READING.iter().chain(BY_ADDRESS).map(|&name| name.to_owned()).collect()
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
            return Ok(Self::Command(Command::new(content)));
        }
        if EDITING.contains(&tool) || READING.contains(&tool) {
            return PathRule::new(content).map(Self::Path);
        }
        let argument = match tool {
            "WebFetch" => {
                return Domain::new(&mistakes::domain(content)?).map(Self::Domain);
            }
            "WebSearch" => "query",
            "Agent" => "subagent_type",
            "Skill" => "skill",
            _ => return Err(mistakes::of_tool(tool, content)),
        };
        glob(content, false).map(|glob| Self::Argument(argument, glob))
    }
}
