//! What of a call a hook's matcher is about, for the person whom the hook has asked.
//!
//! It is found by trying: a command stands out if the matcher selects the line for its sake, and the line without what
//! stands out is not selected. So no comment and no quoted copy of a command draws the eye away from the one that runs.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::directory::Directory;
use crate::escape::escaped;
use crate::event::Catalogue;
use crate::json::{Json, from_json};
use crate::match_input::MatchInput;
use crate::matcher::Matcher;
use crate::outcome::Outcome;
use crate::payload::Host;
use crate::registry::HookId;
use crate::tool::KnownTools;
use hookweave_command::read as read_line;

/// Stands for a command that is left out: it does nothing.
const NOTHING: &str = "true";

/// How many commands of a line are tried one by one; of a longer line all stands out.
const MOST_COMMANDS: usize = 32;

/// A part of a command line. Its text is safe to be shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandPart {
    /// The text.
    pub text: String,
    /// Whether it is for its sake that the hook looks at the line.
    pub met: bool,
}

/// Why a hook looks at a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Met {
    /// The conditions of its matcher, as they are written; `None` for a hook that looks at every call.
    pub why: Option<String>,
    /// The command line, in parts; empty for a call without one.
    pub command: Vec<CommandPart>,
}

impl<T, V> Outcome<T, V> {
    /// Why one of the hooks that answered looks at the event, as it is after all changes.
    pub fn met<H: Host<Value = V>>(&self, host: &H, hook: HookId) -> Met {
        let entry = self.records().iter().map(|record| record.call.entry()).find(|entry| entry.id() == hook);
        let Some(entry) = entry else { return Met::default() };
        let input = || self.progress.snapshot.match_input(host, self.event(), host.view(self.payload()));
        let line = line_of(&input());
        let selects = |line: &str| entry.matcher().judge_rest(&input().with_line(line)).selects;
        Met {
            why: why(entry.matcher(), &input()),
            command: line.map(|line| parts(&line, &met(&line, selects))).unwrap_or_default(),
        }
    }
}

/// The command line of a call whose arguments are given as JSON text, where nothing of it stands out.
#[must_use]
pub fn command_of(tools: &KnownTools, tool: &str, args: &str) -> Vec<CommandPart> {
    let (Ok(args), Ok(event)) = (from_json(args), Catalogue::default().resolve("PreToolUse")) else {
        return Vec::new();
    };
    let (tools, directory) = (tools.now(), Directory::default());
    let payload = json!({"tool": tool, "args": args});
    let line = line_of(&MatchInput::new(&Json, &event, &payload, &tools, &directory));
    line.map(|line| parts(&line, &[])).unwrap_or_default()
}

/// The command lines of an event as one text.
pub(crate) fn line_of<H: Host>(input: &MatchInput<'_, H>) -> Option<String> {
    let lines = &input.commands().items;
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The conditions that hold, as they are written.
fn why<H: Host>(matcher: &Matcher, input: &MatchInput<'_, H>) -> Option<String> {
    let why = matcher.met_by(input)?;
    let (lines, _) = input.lines();
    let is_read = lines.iter().all(|line| line.line.is_some()) && !matcher.is_in_doubt(input);
    Some(if is_read { why } else { format!("{why}; not all of the command line is understood") })
}

/// What of a line stands out.
fn met(line: &str, selects: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    if selects(NOTHING) {
        // It is not for its command line that the call is looked at.
        return Vec::new();
    }
    let whole: Vec<Range<usize>> = std::iter::once(0..line.len()).collect();
    let reading = read_line(line);
    if reading.seen().commands.len() > MOST_COMMANDS {
        return whole;
    }
    let spans = reading.spans();
    if spans.is_empty() || spans.len() > MOST_COMMANDS {
        return whole;
    }
    let without = |left_out: &[Range<usize>]| selects(&replaced(line, left_out));
    let alone = |span: &&Range<usize>| {
        let others: Vec<_> = spans.iter().filter(|other| !holds(other, span) && !holds(span, other)).cloned().collect();
        without(&others)
    };
    let needed = |span: &&Range<usize>| !without(std::slice::from_ref(*span));
    let found = innermost(spans.iter().filter(alone));
    if !found.is_empty() && !without(&found) {
        return found;
    }
    let found = innermost(spans.iter().filter(needed));
    if !found.is_empty() && !without(&found) { found } else { whole }
}

fn holds(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Those that hold no other: what a shell is handed stands within the command that starts the shell.
fn innermost<'s>(spans: impl Iterator<Item = &'s Range<usize>>) -> Vec<Range<usize>> {
    let spans: Vec<&Range<usize>> = spans.collect();
    let is_inner = |span: &&&Range<usize>| !spans.iter().any(|other| other != *span && holds(span, other));
    spans.iter().filter(is_inner).map(|span| (*span).clone()).collect()
}

/// The line with these parts of it replaced by what does nothing.
fn replaced(line: &str, spans: &[Range<usize>]) -> String {
    let mut text = String::with_capacity(line.len());
    let mut end = 0;
    for span in spans {
        if span.start >= end {
            text.push_str(line.get(end..span.start).unwrap_or_default());
            text.push_str(NOTHING);
        }
        end = end.max(span.end);
    }
    text.push_str(line.get(end..).unwrap_or_default());
    text
}

/// A line in the parts that stand out and those between them.
fn parts(line: &str, met: &[Range<usize>]) -> Vec<CommandPart> {
    let mut parts = Vec::new();
    let mut add = |text: Option<&str>, met: bool| {
        let text = text.filter(|text| !text.is_empty());
        parts.extend(text.map(|text| CommandPart { text: escaped(text), met }));
    };
    let mut end = 0;
    for span in met {
        add(line.get(end..span.start), false);
        add(line.get(span.start.max(end)..span.end), true);
        end = end.max(span.end);
    }
    add(line.get(end..), false);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::MatcherSpec;
    use crate::tool::Tools;

    /// The line with what stands out in brackets.
    fn marked(spec: MatcherSpec, line: &str) -> String {
        let event = Catalogue::default().resolve("PreToolUse").unwrap();
        let matcher = Matcher::new(spec, &event).unwrap();
        let payload = serde_json::json!({"tool": "Bash", "args": {"command": line}, "cwd": "/work"});
        let (tools, directory) = (Tools::default(), Directory::default());
        let input = || MatchInput::new(&Json, &event, &payload, &tools, &directory);
        let met = met(line, |line| matcher.judge_rest(&input().with_line(line)).selects);
        parts(line, &met)
            .into_iter()
            .map(|part| if part.met { format!("[{}]", part.text) } else { part.text })
            .collect()
    }

    fn by_rule(rule: &str, line: &str) -> String {
        marked(MatcherSpec { rule: Some(rule.into()), ..MatcherSpec::default() }, line)
    }

    #[test]
    fn the_command_stands_out_for_whose_sake_the_hook_looks() {
        let rm = |line| by_rule("Bash(rm -rf *)", line);
        assert_eq!(rm("cd /tmp && rm -fr build; ls"), "cd /tmp && [rm -fr build]; ls");
        assert_eq!(rm("sudo rm -r -f a && rm -rf b"), "[sudo rm -r -f a] && [rm -rf b]");
        assert_eq!(rm("bash -c 'ls; rm -rf x'"), "bash -c 'ls; [rm -rf x]'");
        assert_eq!(rm("echo $(rm -rf x)"), "echo $([rm -rf x])");
    }

    #[test]
    fn several_commands_stand_out_where_none_is_enough() {
        assert_eq!(by_rule("Bash(rm -rf /)", "cd / && ls && rm -rf ."), "[cd /] && ls && [rm -rf .]");
    }

    #[test]
    fn a_copy_of_a_command_that_does_not_run_does_not_stand_out() {
        let rm = |line| by_rule("Bash(rm *)", line);
        assert_eq!(rm("rm x # rm x"), "[rm x] # rm x");
        assert_eq!(rm("bash -c \"rm \\\"x\\\"\" # rm \"x\""), "[bash -c \"rm \\\"x\\\"\"] # rm \"x\"");
    }

    #[test]
    fn all_of_a_line_stands_out_that_is_not_understood() {
        assert_eq!(by_rule("Bash(rm *)", "ls; echo 'rm"), "[ls; echo 'rm]");
    }

    #[test]
    fn nothing_stands_out_where_the_line_is_not_the_reason() {
        assert_eq!(marked(MatcherSpec::default(), "rm -rf /"), "rm -rf /");
    }

    #[test]
    fn a_pattern_of_the_line_is_a_reason_too() {
        let spec = MatcherSpec { command_pattern: Some("git push".to_owned()), ..MatcherSpec::default() };
        assert_eq!(marked(spec, "git add . && git push"), "git add . && [git push]");
    }
}
