//! Which events a hook is for: conditions that must all hold.
//!
//! Select on any, allow on all: a hook runs if any form of any candidate matches, and its `allow` counts only if all
//! of them do. What cannot be evaluated holds, and takes the weight from an `allow`. A guard thus cannot be starved
//! by a decoy field.

mod any_of;
mod args;
mod directories;
mod flow;
mod key;
mod path_rule;
mod rule;
mod rules;
mod spec;
mod values;
mod writes;

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::condition::Condition as WhenCondition;
use crate::error::{Code, Error};
use crate::event::EventSpec;
use crate::json::Json;
use crate::match_input::{Found, MatchInput};
use crate::path::{PathForms, base_name};
use crate::pattern::{Names, PathGlob, Pattern, mistaken_regex};
use crate::payload::Host;
use crate::tool::names::{self as tool_names, known_names};
use crate::tool::{Likeness, Need, Tools, usual};

use args::ArgCondition;

pub(crate) use args::TextTest;
pub(crate) use key::Key;

pub use crate::pattern::exact_pattern;
pub use any_of::{AnyOf, Parts};
pub use flow::Flow;
pub(crate) use rule::reads_as_rule;
pub use rules::Rules;
pub use spec::{ArgTest, FIELDS, MatcherSpec};
pub use writes::{Access, FileSet, NamedFiles, Writes};

/// A matcher's result for an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchResult {
    /// The hook runs.
    pub selects: bool,
    /// An `allow` of the hook counts.
    pub grants_all: bool,
}

impl MatchResult {
    const YES: Self = Self { selects: true, grants_all: true };
    const NO: Self = Self { selects: false, grants_all: false };
    /// Unknown: the hook runs, and its `allow` does not count.
    const INDETERMINATE: Self = Self { selects: true, grants_all: false };

    const fn of(holds: bool) -> Self {
        if holds { Self::YES } else { Self::NO }
    }

    const fn and(self, other: Self) -> Self {
        Self { selects: self.selects && other.selects, grants_all: self.grants_all && other.grants_all }
    }

    const fn or(self, other: Self) -> Self {
        Self { selects: self.selects || other.selects, grants_all: self.grants_all || other.grants_all }
    }
}

/// A compiled matcher.
#[derive(Debug, Clone, Default)]
pub struct Matcher {
    spec: MatcherSpec,
    tool: Option<Names>,
    /// The known tools of which `tool` has the names in another case.
    usual: Vec<&'static str>,
    tool_pattern: Option<Pattern>,
    path: Option<PathGlob>,
    command: Option<Pattern>,
    args: Vec<ArgCondition>,
    source: Option<Names>,
    source_pattern: Option<Pattern>,
    base_name: Option<Pattern>,
    /// One of them must hold, if there are any.
    rules: Vec<rule::Rule>,
    session: Option<Names>,
    agent: Option<Names>,
    when: Option<When>,
}

/// A condition as an expression.
#[derive(Debug, Clone)]
struct When {
    condition: WhenCondition,
    /// Its hook was selected because the condition could not be evaluated, and that was logged.
    logged: Arc<AtomicBool>,
}

/// Whether a command rule may be a regular expression, though it may also be meant as it stands: `Bash(rm -rf .*)`.
#[must_use]
pub fn may_be_regular_expression(rule: &str) -> bool {
    let content = rule.trim().strip_suffix(')').and_then(|rule| rule.split_once('('));
    content.is_some_and(|(tool, content)| usual::SHELLS.contains(&tool) && mistaken_regex::may_be_of_command(content))
}

/// Whether a command rule is about one command and no further words: `Bash(git push)`, not `Bash(git push *)`. Of a program
/// whose words are a list, such as `rm`, it is about any of them.
#[must_use]
pub fn is_of_one_command(rule: &str) -> bool {
    let content = rule.trim().strip_suffix(')').and_then(|rule| rule.split_once('('));
    content.is_some_and(|(tool, content)| usual::SHELLS.contains(&tool) && rule::is_of_one_command(content.trim()))
}

/// The events that rules can be held against.
const RULED: &[&str] = &["PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied"];

impl Matcher {
    /// Compiles a matcher for an event; refuses patterns that do not compile and fields that cannot apply.
    pub fn new(spec: MatcherSpec, event: &EventSpec) -> Result<Self, Error> {
        let spelling = spec.spelling;
        let bad = |field: &str, why: String| {
            Error::new(Code::InvalidMatcher, format!("matcher.{}: {why}", spelling.local(field)))
        };
        let needs = |field: &str, given: bool, applies: bool, what: &str| {
            if !given || applies {
                return Ok(());
            }
            Err(Error::new(
                Code::MatcherNotApplicable,
                format!(
                    "matcher.{} cannot apply to {}: the event has no {what}; take the field out",
                    spelling.local(field),
                    event.name()
                ),
            ))
        };
        needs("tool", spec.tool.is_some(), event.may_have("tool"), "tool")?;
        needs("tool_pattern", spec.tool_pattern.is_some(), event.may_have("tool"), "tool")?;
        needs("command_pattern", spec.command_pattern.is_some(), event.may_have("args"), "args")?;
        needs("args", !spec.args.is_empty(), event.may_have("args"), "args")?;
        let has_path = event.may_have("args") || event.path().is_some();
        needs("path_pattern", spec.path_pattern.is_some(), has_path, "file path")?;
        let has_subject = spec.subject.map_or(event.subtype().is_some(), |field| event.may_have(field));
        needs("source", spec.source.is_some(), has_subject, "subtype")?;
        needs("source_pattern", spec.source_pattern.is_some(), has_subject, "subtype")?;
        needs("base_name", spec.base_name.is_some(), has_path, "file path")?;
        let is_ruled = event.built_in().is_none() || RULED.contains(&event.name());
        needs("rule", spec.rule.is_some(), is_ruled, "call that a rule speaks of")?;

        let names = |field: &str, text: &Option<String>| {
            text.as_deref().map(Names::new).transpose().map_err(|why| bad(field, why))
        };
        let is_own = spec.naming.is_none();
        let pattern = |field: &str, text: &Option<String>| {
            let text = text.as_deref();
            let read =
                text.filter(|_| is_own).map_or(Ok(()), |text| rule::no_pattern(text, field == "command_pattern"));
            read.and_then(|()| text.map(Pattern::new).transpose()).map_err(|why| bad(field, why))
        };
        let args = spec.args.iter().map(|(path, test)| {
            let read = if is_own { test.check() } else { Ok(()) };
            read.and_then(|()| ArgCondition::new(path, test)).map_err(|why| {
                // An argument's own name stays as it is.
                Error::new(Code::InvalidMatcher, format!("matcher.args.{path}: {why}"))
            })
        });
        let tool = spec.tool.as_deref().map(|names| Names::of_tools(names, is_own));
        let tool = tool.transpose().map_err(|why| bad("tool", why))?;
        let tool = tool.filter(|names| !names.is_all());
        Ok(Self {
            usual: tool
                .iter()
                .filter(|_| is_own)
                .flat_map(Names::written)
                .filter_map(|name| usual::in_other_case(name))
                .collect(),
            tool,
            tool_pattern: pattern("tool_pattern", &spec.tool_pattern)?,
            path: spec
                .path_pattern
                .as_deref()
                .map(|glob| rule::no_rule(glob).filter(|_| is_own).map_or_else(|| PathGlob::new(glob), Err))
                .transpose()
                .map_err(|why| bad("path_pattern", why))?,
            command: pattern("command_pattern", &spec.command_pattern)?,
            args: args.collect::<Result<_, _>>()?,
            source: names("source", &spec.source)?.filter(|names| !names.is_all()),
            source_pattern: pattern("source_pattern", &spec.source_pattern)?,
            base_name: pattern("base_name", &spec.base_name)?,
            rules: spec
                .rule
                .iter()
                .flat_map(Rules::iter)
                .map(|text| rule::Rule::new(text, is_own).map_err(|why| bad("rule", why)))
                .collect::<Result<_, _>>()?,
            session: names("session", &spec.session)?.filter(|names| !names.is_all()),
            agent: names("agent", &spec.agent)?.filter(|names| !names.is_all()),
            when: spec
                .when
                .as_deref()
                .map(WhenCondition::new)
                .transpose()
                .and_then(|when| match when.as_ref().and_then(|when| when.unknown_field(event, spelling)) {
                    Some(why) => Err(why),
                    None => Ok(when),
                })
                .map_err(|why| bad("when", why))?
                .map(|condition| When { condition, logged: Arc::default() }),
            spec,
        })
    }

    /// What the matcher was made from.
    #[must_use]
    pub const fn spec(&self) -> &MatcherSpec {
        &self.spec
    }

    pub(crate) const fn tests_tool(&self) -> bool {
        self.tool.is_some() || self.tool_pattern.is_some()
    }

    /// Whether it looks at what a tool cannot do without.
    pub(crate) fn reads(&self, need: Need) -> bool {
        let (argument, pattern) = match need {
            Need::Command => ("command", self.command.is_some() || self.spec.writes.is_some()),
            Need::Path => {
                let pattern = self.path.is_some() || self.base_name.is_some() || self.spec.writes.is_some();
                ("file_path", pattern)
            }
            Need::Url => ("url", false),
        };
        pattern
            || self.spec.any_of.as_ref().is_some_and(|any_of| any_of.is_about(need))
            || self.rules.iter().any(|rule| rule.is_about(need))
            || self.spec.args.iter().any(|(path, _)| path == argument)
            || self.when.as_ref().is_some_and(|when| when.condition.reads(&["args", argument]))
    }

    /// The tools that it asks for, where no tool that may come is one of them.
    pub(crate) fn unknown_tools(&self, tools: &Tools, seen: &[String]) -> Option<String> {
        let may_come = |name: &String| tools.may_come(name, seen);
        let of_tool = self.tool.as_ref().and_then(Names::exact).map(|names| names.iter().collect());
        if let Some(names) = of_tool.or_else(|| self.tools_of_rules()) {
            if !self.usual.is_empty() {
                return None;
            }
            let written = || names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join("|");
            return (!names.iter().any(|name| may_come(name))).then(written);
        }
        let fits = |name: &str| self.judge_tool(Some(&[name])).selects;
        let pattern = self.tool_pattern.as_ref().filter(|_| self.tool.is_none() && self.spec.naming.is_none())?;
        let is_known = usual::known().any(fits) || tools.defined_names().chain(seen).any(|name| fits(name));
        let written = self.spec.tool_pattern.clone().filter(|written| !written.to_lowercase().contains("mcp"))?;
        (!is_known && pattern.is_match("mcp__server__tool") == Some(false)).then_some(written)
    }

    /// The tools that its rules name; `None` if one of them names none.
    fn tools_of_rules(&self) -> Option<Vec<&String>> {
        let each: Option<Vec<&Vec<String>>> = self.rules.iter().map(rule::Rule::tools).collect();
        each.filter(|each| !each.is_empty()).map(|each| each.into_iter().flatten().collect())
    }

    /// Whether it names a tool of these names; one that looks at what any tool writes or does names none.
    pub(crate) fn names_tool(&self, names: &[&str]) -> bool {
        let names_some = self.tests_tool() || !self.rules.is_empty();
        names_some && self.judge_tool(Some(names)).selects && self.rule_speaks_of(Some(names), None)
    }

    /// Whether anything beside the tool decides.
    pub(crate) fn tests_more_than_tool(&self) -> bool {
        // Which host asks does not matter to whether there are any.
        self.conditions::<Json>().next().is_some()
    }

    /// Whether the tool says anything about whether the hook is selected.
    pub(crate) const fn depends_on_tool(&self) -> bool {
        self.tests_tool() || !self.rules.is_empty() || self.spec.writes.is_some() || self.spec.any_of.is_some()
    }

    /// Whether one of the matcher's rules may hold for a tool of these names, or for what it resembles if they say nothing.
    pub(crate) fn rule_speaks_of(&self, names: Option<&[&str]>, likeness: Option<Likeness>) -> bool {
        let Some(names) = names else { return true };
        let may_write = self.spec.writes.as_ref().is_none_or(|writes| writes.speaks_of(names));
        let known = known_names(names, Some(self.rule_naming()));
        let likeness = likeness.filter(|_| self.is_own());
        let may_write = may_write && self.spec.any_of.as_ref().is_none_or(|any_of| any_of.speaks_of(&known, likeness));
        if self.rules.is_empty() {
            return may_write;
        }
        let alike = |rule: &rule::Rule| likeness.is_some_and(|likeness| rule.speaks_of_alike(likeness));
        may_write && self.rules.iter().any(|rule| rule.speaks_of(&known) || alike(rule))
    }

    /// Whether its names for tools are the engine's, and not those of another system, whose rules say what they say there.
    const fn is_own(&self) -> bool {
        self.spec.naming.is_none()
    }

    /// The dialect whose names for tools a rule means.
    fn rule_naming(&self) -> &'static str {
        self.spec.naming.unwrap_or("claude-code")
    }

    /// The conditions on the tool, whose answer depends on nothing but the tool.
    pub(crate) fn judge_tool(&self, names: Option<&[&str]>) -> MatchResult {
        if !self.tests_tool() {
            return MatchResult::YES;
        }
        let Some(names) = names else { return MatchResult::INDETERMINATE };
        let known = known_names(names, self.spec.naming);
        let tool = self.tool.as_ref().map_or(MatchResult::YES, |tool| {
            MatchResult::of(known.iter().any(|name| tool.matches(name) || self.usual.contains(name)))
        });
        tool.and(self.tool_pattern.as_ref().map_or(MatchResult::YES, |pattern| {
            let verdict = judge_texts(pattern, &known, false);
            // Another word for the same tool: a pattern speaks of one of them, never of all.
            let fits = |name: &str| pattern.is_match(name) == Some(true);
            let named = self.spec.naming.is_some() && known.iter().any(|name| fits(name));
            let each = names.iter().all(|name| fits(name) || tool_names::aliases(name).iter().any(|alias| fits(alias)));
            MatchResult { grants_all: verdict.grants_all || named || each, ..verdict }
        }))
    }

    /// The conditions on everything else.
    pub(crate) fn judge_rest<H: Host>(&self, input: &MatchInput<'_, H>) -> MatchResult {
        let mut verdict = MatchResult::YES;
        for (_, judge) in self.conditions() {
            verdict = verdict.and(judge(self, input));
            if !verdict.selects {
                return MatchResult::NO;
            }
        }
        verdict
    }

    /// Why an event is not for this hook; `None` when it is.
    pub(crate) fn why_not<H: Host>(&self, input: &MatchInput<'_, H>) -> Option<String> {
        if !self.judge_tool(input.tool_names().as_deref()).selects {
            let tool = input.tool_names().map(|names| names.join("`, `")).unwrap_or_default();
            let wanted = self.spec.tool.as_deref().or(self.spec.tool_pattern.as_deref()).unwrap_or_default();
            return Some(format!("tool `{tool}` does not match `{wanted}`"));
        }
        let (field, _) = self.conditions().find(|(_, judge)| !judge(self, input).selects)?;
        let written = self.spec.shown(field);
        Some(match self.when.as_ref().filter(|_| field == "when") {
            Some(when) => format!("matcher.when `{written}` is false: {}", when.condition.values(input)),
            None => format!("matcher.{field} `{written}` does not match"),
        })
    }

    /// Why an event is for this hook, where its matcher does not say it by itself: an expression that cannot be evaluated, one
    /// of several rules, a file of a set.
    pub(crate) fn why<H: Host>(&self, input: &MatchInput<'_, H>) -> Option<String> {
        if let Some(why) = self.when.as_ref().and_then(|when| when.condition.holds(input).err()) {
            let written = self.spec.shown("when");
            return Some(format!("matcher.when `{written}` cannot be evaluated, so the hook runs: {why}"));
        }
        if self.rules_are_in_doubt(input)
            && let Some(rule) = self.rules_that_hold(input).next()
        {
            return Some(format!("matcher.rule `{rule}` may match: not all of the command line is understood"));
        }
        if let Some(rule) = self.rule_of_several(input) {
            return Some(format!("matcher.rule `{rule}` matches"));
        }
        let writes = self.spec.writes.as_ref()?;
        Some(format!("matcher.writes `{}` matches {}", writes.label(), writes.why(input)?))
    }

    /// The conditions that hold for an event, as they are written; `None` where there are none.
    pub(crate) fn met_by<H: Host>(&self, input: &MatchInput<'_, H>) -> Option<String> {
        let shown = |field: &str| match field {
            "rule" => self.rules_that_hold(input).map(|rule| format!("rule `{rule}`")).collect::<Vec<_>>().join(", "),
            _ => format!("{field} `{}`", self.spec.shown(field)),
        };
        let held = self.conditions::<H>().map(|(field, _)| shown(field));
        let tool = self.spec.tool.as_deref().map(|tool| format!("tool `{tool}`"));
        let tool = tool.or_else(|| self.spec.tool_pattern.as_deref().map(|tool| format!("tool_pattern `{tool}`")));
        let all: Vec<String> = tool.into_iter().chain(held).collect();
        let unknown = self.when.as_ref().and_then(|when| when.condition.holds(input).err());
        let unknown = unknown.map(|why| format!("; `when` cannot be evaluated: {why}")).unwrap_or_default();
        (!all.is_empty()).then(|| all.join(", ") + &unknown)
    }

    /// The first of several rules that speaks of a call.
    fn rule_of_several<H: Host>(&self, input: &MatchInput<'_, H>) -> Option<&str> {
        self.rules_that_hold(input).next().filter(|_| self.rules.len() > 1)
    }

    /// Whether it is for an event only because of what a command line may do that is not understood whole.
    pub(crate) fn is_in_doubt<H: Host>(&self, input: &MatchInput<'_, H>) -> bool {
        self.rules_are_in_doubt(input) || self.spec.writes.as_ref().is_some_and(|writes| writes.is_in_doubt(input))
    }

    /// Whether its rules hold for no command that is known, and only because of what the line may run beside.
    fn rules_are_in_doubt<H: Host>(&self, input: &MatchInput<'_, H>) -> bool {
        let (lines, _) = input.lines();
        if self.rules.is_empty() || lines.iter().all(|line| line.line.is_some() && !line.is_open) {
            return false;
        }
        let Some(names) = input.tool_names() else { return false };
        let known = known_names(&names, Some(self.rule_naming()));
        !self.rules.iter().any(|rule| rule.holds(&known, lines, input, &[], false))
    }

    /// The rules that speak of a call, as they are written.
    fn rules_that_hold<H: Host>(&self, input: &MatchInput<'_, H>) -> impl Iterator<Item = &str> {
        let known = input.tool_names().map(|names| known_names(&names, Some(self.rule_naming())));
        let written = self.spec.rule.iter().flat_map(Rules::iter);
        let holds = move |rule: &rule::Rule| {
            rule.judge(known.as_deref(), input).selects || self.is_own() && rule.judge_alike(input).selects
        };
        self.rules.iter().zip(written).filter(move |(rule, _)| holds(rule)).map(|(_, written)| written)
    }

    fn conditions<'v, H: Host + 'v>(&self) -> impl Iterator<Item = (&'static str, Condition<'v, H>)> + use<'_, 'v, H> {
        let all: [(&'static str, bool, Condition<'v, H>); 12] = [
            ("source", self.source.is_some(), Self::judge_source),
            ("source_pattern", self.source_pattern.is_some(), Self::judge_source_pattern),
            ("session", self.session.is_some(), Self::judge_session),
            ("agent", self.agent.is_some(), Self::judge_agent),
            ("path_pattern", self.path.is_some(), Self::judge_path),
            ("base_name", self.base_name.is_some(), Self::judge_base_name),
            ("command_pattern", self.command.is_some(), Self::judge_command),
            ("rule", self.spec.rule.is_some(), Self::judge_rule),
            ("any_of", self.spec.any_of.is_some(), Self::judge_any_of),
            ("writes", self.spec.writes.is_some(), Self::judge_writes),
            ("args", !self.args.is_empty(), Self::judge_args),
            ("when", self.when.is_some(), Self::judge_when),
        ];
        all.into_iter().filter(|(_, given, _)| *given).map(|(field, _, judge)| (field, judge))
    }

    /// What the string matchers of dialects look at.
    fn subject<'v, H: Host>(&self, input: &MatchInput<'v, H>) -> Found<Cow<'v, str>> {
        self.spec.subject.or(input.event().subtype()).map_or(Found::none(), |field| input.text(field))
    }

    fn judge_source<H: Host>(&self, input: &MatchInput<'_, H>) -> MatchResult {
        judge_name(self.source.as_ref(), &self.subject(input))
    }

    fn judge_source_pattern<H: Host>(&self, input: &MatchInput<'_, H>) -> MatchResult {
        let Some(pattern) = &self.source_pattern else { return MatchResult::YES };
        let found = self.subject(input);
        let texts: Vec<&str> = found.items.iter().map(|text| &**text).collect();
        judge_texts(pattern, &texts, found.indeterminate)
    }

    fn judge_base_name<H: Host>(&self, input: &MatchInput<'_, H>) -> MatchResult {
        let Some(pattern) = &self.base_name else { return MatchResult::YES };
        let found = input.paths();
        let names: Vec<&str> = found.items.iter().flat_map(PathForms::forms).map(base_name).collect();
        judge_texts(pattern, &names, found.indeterminate || found.items.iter().any(PathForms::has_open_name))
    }

    fn judge_rule<H: Host>(&self, input: &MatchInput<'_, H>) -> MatchResult {
        if self.rules.is_empty() {
            return MatchResult::YES;
        }
        let naming = self.rule_naming();
        let judge = |names: Option<Vec<&str>>| {
            let known = names.map(|names| known_names(&names, Some(naming)));
            let judged = self.rules.iter().map(|rule| rule.judge(known.as_deref(), input));
            judged.fold(MatchResult::NO, MatchResult::or)
        };
        let mut verdict = judge(input.tool_names());
        if self.is_own() {
            verdict = self.rules.iter().map(|rule| rule.judge_alike(input)).fold(verdict, MatchResult::or);
        }
        if verdict.grants_all && input.is_several() {
            let own = judge(input.tool().map(|tool| vec![tool]));
            return MatchResult { grants_all: own.grants_all, ..verdict };
        }
        verdict
    }

    fn judge_any_of<H: Host>(&self, input: &MatchInput<'_, H>) -> MatchResult {
        self.spec.any_of.as_ref().map_or(MatchResult::YES, |any_of| any_of.judge(input))
    }

    fn judge_writes<H: Host>(&self, input: &MatchInput<'_, H>) -> MatchResult {
        self.spec.writes.as_ref().map_or(MatchResult::YES, |writes| writes.judge(input))
    }

    fn judge_session<H: Host>(&self, input: &MatchInput<'_, H>) -> MatchResult {
        judge_name(self.session.as_ref(), &input.text("session_id"))
    }

    fn judge_agent<H: Host>(&self, input: &MatchInput<'_, H>) -> MatchResult {
        judge_name(self.agent.as_ref(), &input.text("agent_id"))
    }

    fn judge_command<H: Host>(&self, input: &MatchInput<'_, H>) -> MatchResult {
        let Some(pattern) = &self.command else { return MatchResult::YES };
        let found = input.commands();
        let texts: Vec<&str> = found.items.iter().map(|text| &**text).collect();
        judge_texts(pattern, &texts, found.indeterminate)
    }

    fn judge_path<H: Host>(&self, input: &MatchInput<'_, H>) -> MatchResult {
        let Some(glob) = &self.path else { return MatchResult::YES };
        let found: &Found<PathForms> = input.paths();
        if found.indeterminate || found.items.iter().any(|path| glob.is_open(path)) {
            return MatchResult::INDETERMINATE;
        }
        MatchResult {
            selects: found.items.iter().any(|path| glob.selects(path)),
            grants_all: !found.items.is_empty() && found.items.iter().all(|path| glob.matches_all_forms(path)),
        }
    }

    fn judge_args<H: Host>(&self, input: &MatchInput<'_, H>) -> MatchResult {
        self.args.iter().map(|condition| condition.judge(input)).fold(MatchResult::YES, MatchResult::and)
    }

    fn judge_when<H: Host>(&self, input: &MatchInput<'_, H>) -> MatchResult {
        let Some(when) = &self.when else { return MatchResult::YES };
        match when.condition.holds(input) {
            Ok(holds) => MatchResult::of(holds),
            Err(why) => {
                let condition = self.spec.when.as_deref().unwrap_or_default();
                if when.logged.swap(true, Ordering::Relaxed) {
                    tracing::debug!(condition, "a condition cannot be evaluated, so its hook runs: {why}");
                } else {
                    tracing::warn!(condition, "a condition cannot be evaluated, so its hook runs: {why}");
                }
                MatchResult::INDETERMINATE
            }
        }
    }
}

/// One condition held against an event.
type Condition<'v, H> = fn(&Matcher, &MatchInput<'v, H>) -> MatchResult;

fn judge_name(names: Option<&Names>, found: &Found<Cow<'_, str>>) -> MatchResult {
    let Some(names) = names else { return MatchResult::YES };
    if found.indeterminate {
        return MatchResult::INDETERMINATE;
    }
    MatchResult::of(found.items.iter().any(|name| names.matches(name)))
}

fn judge_texts(pattern: &Pattern, texts: &[&str], indeterminate: bool) -> MatchResult {
    if indeterminate {
        return MatchResult::INDETERMINATE;
    }
    let hits: Vec<Option<bool>> = texts.iter().map(|text| pattern.is_match(text)).collect();
    MatchResult {
        selects: hits.iter().any(|hit| *hit != Some(false)),
        grants_all: !hits.is_empty() && hits.iter().all(|hit| *hit == Some(true)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;
    use hookweave_command::lines_read;

    #[test]
    fn a_thousand_rules_read_a_line_once() {
        let catalogue = crate::event::Catalogue::default();
        let event = catalogue.resolve("PreToolUse").unwrap();
        let rules: Vec<Matcher> = (0..1000)
            .map(|number| {
                let rule = Some(format!("Bash(program{number} *)").into());
                Matcher::new(MatcherSpec { rule, ..MatcherSpec::default() }, &event).unwrap()
            })
            .collect();
        let payload =
            serde_json::json!({"tool": "Bash", "args": {"command": "cd x && program7 | (ls; cat $(pwd)) > y"}});
        let (tools, directory) = (crate::tool::Tools::default(), crate::directory::Directory::default());
        let before = lines_read();
        for _ in 0..2 {
            // Planned, and planned again.
            let input = crate::match_input::MatchInput::new(&Json, &event, &payload, &tools, &directory);
            assert_eq!(rules.iter().filter(|rule| rule.judge_rest(&input).selects).count(), 1);
        }
        assert_eq!(lines_read() - before, 1);
    }
}
