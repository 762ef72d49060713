//! Rules about matchers: those that never match, and those that mean something else.

use serde_json::Value;

use super::{Findings, Hook};
use crate::config::Run;
use hookweave_machine::decision::Decision;
use hookweave_machine::error::did_you_mean;
use hookweave_machine::matcher::{MatcherSpec, Rules, is_of_one_command, may_be_regular_expression};
use hookweave_machine::pattern::Pattern;
use hookweave_machine::tool_names::{self, ToolName};

/// Fields with a matcher.
const MATCHER: &[&str] = &["matcher", "tool_matcher", "if", "rule"];

pub(super) fn check(hook: &Hook<'_>, findings: &mut Findings<'_>) {
    let declared = hook.declared;
    let spec = &declared.spec.matcher;
    let written = written(&declared.entry);
    let dialect = declared.dialect.name();
    if let Some(written) = written {
        let mut unconditional = MatcherSpec::default();
        (unconditional.naming, unconditional.rule) = (spec.naming, spec.rule.clone());
        if !matches!(written.trim(), "" | "*") && *spec == unconditional {
            findings.add_at(
                "matcher-ignored",
                MATCHER,
                format!("matcher `{written}` is ignored on {}; the hook runs every time", declared.declared_event),
            );
            return;
        }
    }
    let shown = written.or(spec.tool_pattern.as_deref()).or(spec.tool.as_deref()).unwrap_or_default().to_owned();
    if is_permission_rule(&shown) {
        findings.add_at("matcher-never", MATCHER, format!("matcher `{shown}` is a permission rule and matches no tool's name; write the tool's name, and the rule as `if`"),
        );
        return;
    }
    for rule in spec.rule.iter().flat_map(Rules::iter).filter(|rule| may_be_regular_expression(rule)) {
        findings.add_at(
            "star-regex",
            MATCHER,
            format!(
                "in the rule `{rule}` `.*` is a dot and any text; write ` *` for any arguments, or a `command_pattern` if a regular expression is meant"
            ),
        );
    }
    let is_guard = matches!(declared.run, Run::Decision(Decision::Block(_) | Decision::Ask(_)));
    for rule in spec.rule.iter().flat_map(Rules::iter).filter(|rule| is_guard && is_of_one_command(rule)) {
        let further = rule.trim().strip_suffix(')').map_or("", str::trim_end);
        findings.add_at(
            "one-command",
            MATCHER,
            format!("the rule `{rule}` is for this command without further words; write `{further} *)` for those too"),
        );
    }
    if let Some(names) = &spec.tool {
        for name in names.split('|').map(str::trim).filter(|name| !name.is_empty() && *name != "*") {
            check_name(dialect, name, findings);
        }
    }
    for pattern in [&spec.tool_pattern, &spec.source_pattern, &spec.command_pattern].into_iter().flatten() {
        check_pattern(pattern, findings);
    }
    if let Some(pattern) = spec.tool_pattern.as_ref().filter(|_| !findings.has("matcher-never")) {
        check_tools(dialect, pattern, findings);
    }
}

/// The string matcher as it stands in the file.
fn written(entry: &Value) -> Option<&str> {
    let matcher = entry.get("matcher")?;
    matcher.as_str().or_else(|| matcher.get("matcher")?.as_str())
}

/// `Bash(git *)`.
fn is_permission_rule(text: &str) -> bool {
    let Some((name, rest)) = text.split_once('(') else { return false };
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic()) && rest.ends_with(')') && !rest.contains('|')
}

/// `mcp__server` without a tool.
fn is_server_alone(name: &str) -> bool {
    name.strip_prefix("mcp__")
        .is_some_and(|server| !server.is_empty() && !server.contains("__") && !server.contains('*'))
}

fn check_name(dialect: &str, name: &str, findings: &mut Findings<'_>) {
    if is_server_alone(name) {
        let fix = if dialect == "hookweave" { format!("{name}__*") } else { format!("{name}__.*") };
        findings.add_at(
            "matcher-never",
            MATCHER,
            format!("`{name}` is no tool: tools of a server are called mcp__<server>__<tool>; write `{fix}`"),
        );
        return;
    }
    let foreign = name.contains(['*', '?', '[', '{', ':']) || name.starts_with("mcp__") || name.starts_with("mcp_");
    let known = known(dialect);
    if foreign || known.contains(&name) {
        return;
    }
    let hint = renamed(dialect, name).unwrap_or_else(|| did_you_mean(name, known.iter().copied()));
    findings.add_at(
        "unknown-tool",
        MATCHER,
        format!("{dialect} has no tool `{name}`{hint}; it matches only a tool that the host calls so"),
    );
}

/// The tools that a dialect has names for.
fn rows(dialect: &str) -> impl Iterator<Item = &'static ToolName> {
    tool_names::rows().filter(move |tool| tool.dialect == dialect)
}

/// A dialect's own names.
fn own(dialect: &str) -> impl Iterator<Item = &'static str> {
    rows(dialect).flat_map(|tool| tool.theirs.iter().copied())
}

/// What a dialect calls a tool that it does not know by the engine's name.
fn renamed(dialect: &str, ours: &str) -> Option<String> {
    let tool = rows(dialect).find(|tool| tool.ours == ours && !tool.theirs.contains(&ours))?;
    Some(format!("; its `{ours}` is called `{}`", tool.theirs.first()?))
}

/// Tools by every name under which the dialect's hooks see them.
fn known(dialect: &str) -> Vec<&'static str> {
    // A tool that the dialect calls otherwise is not seen by the engine's name.
    tool_names::ours().filter(|ours| rows(dialect).all(|tool| tool.ours != *ours)).chain(own(dialect)).collect()
}

fn check_pattern(pattern: &str, findings: &mut Findings<'_>) {
    let letters: Vec<char> = pattern.chars().collect();
    let at = |index: usize| letters.get(index).copied();
    let mut bracket = false;
    for (index, letter) in letters.iter().enumerate() {
        let before = index.checked_sub(1).and_then(at);
        if before == Some('\\') {
            continue;
        }
        match letter {
            '[' => bracket = true,
            ']' => bracket = false,
            '^' if !bracket && !matches!(before, None | Some('(' | '|' | ':' | '^')) => {
                let what = format!("in `{pattern}` text stands before `^`, so it never matches; put `^` first");
                findings.add_at("matcher-never", MATCHER, what);
            }
            '$' if !bracket && !matches!(at(index + 1), None | Some(')' | '|' | '$')) => {
                let what = format!("in `{pattern}` text follows `$`, so it never matches; put `$` last");
                findings.add_at("matcher-never", MATCHER, what);
            }
            // `\S*` repeats a class of letters, which is meant.
            '*' if !bracket
                && before.is_some_and(char::is_alphabetic)
                && index.checked_sub(2).and_then(at) != Some('\\') =>
            {
                let what = format!(
                    "`{pattern}` is a regular expression, in which `{}*` is any number of that letter; write `.*` for any text",
                    before.unwrap_or(' ')
                );
                findings.add_at("star-regex", MATCHER, what);
            }
            _ => {}
        }
    }
}

fn check_tools(dialect: &str, pattern: &str, findings: &mut Findings<'_>) {
    let Ok(compiled) = Pattern::new(pattern) else { return };
    let hits = |name: &str| compiled.is_match(name) != Some(false);
    let samples = ["mcp__server__tool", "mcp__server", "mcp_server_tool", "MCP:tool"];
    if own(dialect).chain(samples).any(hits) || pattern.to_lowercase().contains("mcp") {
        let alone = pattern.trim_start_matches('^').trim_end_matches('$');
        if pattern.ends_with('$') && is_server_alone(alone) {
            check_name(dialect, alone, findings);
        }
        return;
    }
    // Only then the names that any agent may use: `Bash` would be found in `BashOutput`.
    if let Some(fix) = rows(dialect).filter(|tool| hits(tool.ours)).find_map(|tool| renamed(dialect, tool.ours)) {
        findings.add_at("unknown-tool", MATCHER, format!("`{pattern}` matches no tool that {dialect} has{fix}"));
        return;
    }
    let known = known(dialect);
    if known.iter().any(|name| hits(name)) {
        return;
    }
    let plain: String = pattern.chars().filter(|c| c.is_alphanumeric() || *c == '_').collect();
    let hint = did_you_mean(&plain, known.iter().copied());
    findings.add_at("unknown-tool", MATCHER, format!("`{pattern}` matches no tool that {dialect} has{hint}"));
}
