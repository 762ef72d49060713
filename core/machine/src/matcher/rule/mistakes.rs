//! Rules that could never match what their text suggests, each with the rule that does.

use super::domain::host_of;
use super::{EDITING, READING, SHELLS};
use crate::pattern::mistaken_regex::{self, PROGRAMS};
use crate::tool::{names as tool_names, usual};

/// What ends a command in a line.
const SEPARATORS: &[&str] = &["&&", "||", "|", "&", "|&"];

/// What sends a command's output or input elsewhere.
const REDIRECTIONS: &[&str] = &[">", ">>", "<", "2>", "&>", ">|", "<<", "<<<"];

/// Several rules in one text: `Edit(*.ts)|Write(*.ts)`.
pub(super) fn several(text: &str) -> Result<(), String> {
    let rules: Vec<&str> = text.split_inclusive(')').map(|rule| rule.trim_matches([' ', '|', ','])).collect();
    let is_rule = |rule: &&str| {
        let Some((name, content)) = rule.split_once('(') else { return false };
        !content.is_empty() && !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-*".contains(c))
    };
    let joined = text.split(')').skip(1).any(|behind| behind.trim_start().starts_with(['|', ',']));
    let [first, .., last] = &*rules else { return Ok(()) };
    if !joined || !rules.iter().all(is_rule) {
        return Ok(());
    }
    let fix = [first, last].into_iter().find(|rule| covers(rule, &rules));
    let fix = fix.map(|rule| format!("write `{rule}`, which covers the others"));
    let fix = fix.unwrap_or_else(|| format!("write a hook for each: `{}`", rules.join("`, `")));
    Err(format!("`{text}` is {} rules and would never match; {fix}", rules.len()))
}

/// Whether a rule covers all of these.
fn covers(rule: &str, rules: &[&str]) -> bool {
    let Some((name, content)) = rule.split_once('(') else { return false };
    let group = match name {
        "Edit" => EDITING,
        "Read" => READING,
        "Bash" => SHELLS,
        _ => return false,
    };
    let mut parts = rules.iter().filter_map(|other| other.split_once('('));
    parts.all(|(name, own)| group.contains(&name) && own == content)
}

/// The name of a rule without parentheses, of which no tool is called so.
pub(super) fn of_name(name: &str) -> Result<(), String> {
    if PROGRAMS.contains(&name) {
        return Err(format!(
            "`{name}` is a program and no tool; write `Bash({name} *)`, or `{name}(*)` if a tool is called so"
        ));
    }
    usual::mistaken(name).map_or(Ok(()), Err)
}

/// The rule for a command line that stands where a rule does.
pub(super) fn command(text: &str) -> Option<String> {
    let program = text.split_whitespace().next()?;
    let is_line = PROGRAMS.contains(&program) && !text.contains(['(', ')']);
    is_line.then(|| format!("write `Bash({text})`"))
}

/// Says that a text is a rule, which no call has in an argument.
pub(in super::super) fn no_rule(text: &str) -> Option<String> {
    let is_rule = text.contains('(') && reads_as_rule(text);
    is_rule.then(|| format!("`{text}` would never match: a permission rule is the `rule` of a matcher"))
}

/// Refuses as a regular expression what is a rule, or is written as JavaScript does; `may_have_paths` where it is over texts
/// that have slashes.
pub(in super::super) fn no_pattern(text: &str, may_have_paths: bool) -> Result<(), String> {
    // `Bash(Output|)` is an expression over names.
    let has_line = text.contains(|c: char| c.is_whitespace() || matches!(c, ':' | '/'));
    if let Some(why) = no_rule(text).filter(|_| may_have_paths || has_line) {
        return Err(why);
    }
    match mistaken_regex::of_javascript(text, may_have_paths) {
        Some(meant) => Err(format!("`{text}` is written as in JavaScript and looks for its slashes; write `{meant}`")),
        None => Ok(()),
    }
}

/// What stands in the parentheses of a rule about a command line.
pub(super) fn of_command(tool: &str, content: &str) -> Result<(), String> {
    if let Some((name, value)) = argument(content).filter(|(name, _)| !matches!(*name, "command" | "cmd")) {
        return Err(format!(
            "`{tool}({content})` would look for a program of that name; for an argument of the call write `tool = \"{tool}\"` and `args = {{ {name} = \"{value}\" }}` instead of the rule"
        ));
    }
    if let Some(meant) = dressed(content) {
        return Err(format!(
            "`{tool}({content})` would never match: a rule is the command as it is in a line, with `*` for any text; write {}",
            listed(tool, &meant)
        ));
    }
    let either = |rules: &[String], fallback: &str| match rules {
        [] => fallback.to_owned(),
        rules => format!("{}, or {fallback}", listed(tool, rules)),
    };
    if let Some(meant) = mistaken_regex::of_command(content) {
        let fix = either(&meant, "the regular expression as `command_pattern`");
        return Err(format!(
            "`{tool}({content})` is a regular expression and would never match; a rule has only `*`, for any text: write {fix}"
        ));
    }
    let behind = behind_variables(content);
    if behind.len() < content.len() {
        let meant: Vec<String> = Some(behind).filter(|rest| !rest.is_empty()).into_iter().map(str::to_owned).collect();
        let fix = either(&meant, "a `command_pattern`");
        return Err(format!(
            "`{tool}({content})` would never match: a rule is held against a command without the variables before it; write {fix}"
        ));
    }
    let words: Vec<&str> = unquoted_words(content).collect();
    if let Some(at) = words.iter().position(|word| ends_command(word)) {
        let (before, behind) = words.split_at(at);
        let (end, behind) = behind.split_first().unwrap_or((&"", &[]));
        let end = end.strip_suffix(';').filter(|end| !end.is_empty());
        let sides = [before.iter().copied().chain(end).collect::<Vec<_>>().join(" "), behind.join(" ")];
        let sides = sides.iter().filter(|side| !matches!(side.as_str(), "" | "*"));
        let rules: Vec<String> = sides.map(|side| format!("`{tool}({side})`")).collect();
        let fix = if rules.is_empty() { format!("`{tool}`") } else { rules.join(" and ") };
        return Err(format!(
            "`{tool}({content})` would never match: a rule is held against each command of a line alone; write {fix}"
        ));
    }
    if let Some(at) = words.iter().position(|word| REDIRECTIONS.contains(&word.trim_start_matches('*'))) {
        let before = words.get(..at).unwrap_or_default().join(" ");
        return Err(format!(
            "`{tool}({content})` would never match: a rule is held against the words of a command, without its redirections; write `{tool}({before})`, or a `command_pattern`"
        ));
    }
    Ok(())
}

/// What a text means that is dressed as something else: quoted as a whole, a regular expression's `.*rm.*` or `/rm -rf/`, a
/// prompt's `$ rm`, an argument's `command: rm`, or several rules in a list.
fn dressed(content: &str) -> Option<Vec<String>> {
    let inside = |quote: char| content.strip_prefix(quote)?.strip_suffix(quote).filter(|inner| !inner.contains(quote));
    let is_line = |inner: &&str| inner.trim().contains(char::is_whitespace);
    let one = |inner: &str| Some(vec![inner.trim().to_owned()]);
    if let Some(inner) = ['"', '\'', '`'].into_iter().find_map(inside).filter(is_line) {
        return one(inner);
    }
    // `command:*` is the program `command` with any words.
    let named = content.strip_prefix("command:").or_else(|| content.strip_prefix("cmd:"));
    let named = named.filter(|line| !line.is_empty() && !line.starts_with('*'));
    if let Some(inner) = content.strip_prefix("$ ").or(named) {
        return one(inner);
    }
    if let Some(inner) = content.strip_prefix(".*") {
        return one(&format!("*{}", inner.replace(".*", "*")));
    }
    if let Some(inner) = content.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')).filter(is_line) {
        return one(&format!("{inner} *"));
    }
    let rules: Vec<String> = content.split(['\n', ',']).map(|rule| rule.trim().to_owned()).collect();
    let is_list = content.contains('\n') || content.contains("*, ");
    (is_list && rules.iter().all(|rule| !rule.is_empty())).then_some(rules)
}

/// Rules for these contents, as they are written.
fn listed(tool: &str, contents: &[String]) -> String {
    contents.iter().map(|content| format!("`{tool}({content})`")).collect::<Vec<_>>().join(" and ")
}

/// What stands behind the variables that a command is given: `FOO=1 make *`.
fn behind_variables(content: &str) -> &str {
    let mut rest = content;
    loop {
        let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let is_name = |name: &str| {
            name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        };
        let is_variable = word.split_once('=').is_some_and(|(name, _)| is_name(name.trim_end_matches('+')));
        if !is_variable || word.contains(['\'', '"', '`', '$']) {
            return rest;
        }
        rest = behind.trim_start();
    }
}

/// What stands in the parentheses of `WebFetch`: `domain:` and the host that it names.
pub(super) fn domain(content: &str) -> Result<String, String> {
    let given = content.strip_prefix("domain:").map(str::trim);
    // `host:example.com` has no such key, `example.com:443` has a port.
    let is_key = |rest: &str| !rest.starts_with("//") && !rest.starts_with(|c: char| c.is_ascii_digit());
    let bare = content.split_once(':').map(|(_, rest)| rest).filter(|rest| is_key(rest));
    let host = host_of(given.or(bare).unwrap_or(content));
    let fix = match &host {
        Some(host) => format!("write `WebFetch(domain:{host})`"),
        None => "write the name of a host, such as `WebFetch(domain:example.com)`".to_owned(),
    };
    match (given, host) {
        (Some(given), Some(host)) if given.trim_end_matches('.').to_lowercase() == host => Ok(host),
        (Some(_), _) => {
            Err(format!("`WebFetch({content})` would never match: `domain:` takes the name of a host alone; {fix}"))
        }
        (None, _) => Err(format!("`WebFetch({content})`: {fix}")),
    }
}

/// Whether a text reads as a rule, where a sentence for people belongs: `Bash(dd *)`, `Write`, `mcp__github`.
pub(super) fn reads_as_rule(text: &str) -> bool {
    let text = text.trim();
    let is_mcp = |name: &str| name.starts_with("mcp__") && !name.contains(char::is_whitespace);
    match text.split_once('(') {
        Some((name, rest)) => {
            rest.ends_with(')') && (usual::is_ours(name) || is_mcp(name) || usual::usual(name).is_some())
        }
        None => usual::is_ours(text) || is_mcp(text),
    }
}

/// Whether another command begins behind a word. The `;` of `find -exec` stands alone.
fn ends_command(word: &str) -> bool {
    let is_glued = word.len() > 1 && word.ends_with(';') && !word.ends_with("\\;");
    is_glued || SEPARATORS.contains(&word.trim_start_matches('*'))
}

/// `run_in_background:true`.
fn argument(content: &str) -> Option<(&str, &str)> {
    let (name, value) = content.split_once(':')?;
    let is_name = name.len() > 1 && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let is_value = !value.is_empty() && value.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
    (is_name && is_value).then_some((name, value))
}

/// The words of a text that no quotes hold.
fn unquoted_words(text: &str) -> impl Iterator<Item = &str> {
    let mut quote = None;
    text.split_whitespace().filter(move |word| {
        let was_quoted = quote.is_some();
        for letter in word.chars().filter(|letter| matches!(letter, '\'' | '"')) {
            quote = match quote {
                None => Some(letter),
                Some(open) if open == letter => None,
                open => open,
            };
        }
        !was_quoted || quote.is_none() && !word.ends_with(['\'', '"'])
    })
}

/// A tool of which rules with parentheses say nothing.
pub(super) fn of_tool(tool: &str, content: &str) -> String {
    let known = ["WebFetch", "WebSearch", "Agent", "Skill"];
    let mut known = SHELLS.iter().chain(EDITING).chain(READING).chain(&known);
    let of_dialect = || tool_names::rows().find(|row| row.theirs.contains(&tool)).map(|row| row.ours);
    let ours = known.find(|known| known.eq_ignore_ascii_case(tool)).copied().or_else(of_dialect);
    match ours {
        Some(ours) => format!("`{tool}({content})`: rules name tools as Claude Code does; write `{ours}({content})`"),
        None => format!(
            "the parentheses of `{tool}({content})` have no meaning; write `{tool}` for every call of it, and test its arguments with `args`"
        ),
    }
}
