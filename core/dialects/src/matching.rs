//! String matchers of other systems, put in terms of the engine's own conditions.

use hookweave_machine::matcher::MatcherSpec;
use hookweave_machine::pattern::Pattern;

/// What a string matcher is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// The tool's name, as the dialect knows it.
    Tool,
    /// The event's own subtype.
    Subtype,
    /// The shell command.
    Command,
    /// A name that never varies, so that the matcher either always or never holds.
    Fixed(&'static str),
    /// Nothing: the system ignores matchers there.
    Nothing,
}

/// A condition that one of these names is there; names have no letters that a glob would read.
pub(super) fn names(target: Target, names: &str, naming: &'static str) -> Result<MatcherSpec, String> {
    let list: Vec<&str> = names.split('|').filter(|name| !name.is_empty()).collect();
    if list.is_empty() {
        return Err(format!("matcher `{names}` names nothing and never matches; take it out to match all"));
    }
    let joined = list.join("|");
    let spec = MatcherSpec::default().naming(naming);
    Ok(match target {
        Target::Tool => spec.tool(joined),
        Target::Subtype => spec.source(joined),
        Target::Command => pattern(target, &literal(names), naming)?,
        Target::Fixed(known) if !list.contains(&known) => return Err(never(names, known)),
        Target::Fixed(_) | Target::Nothing => MatcherSpec::default(),
    })
}

/// A condition that a regular expression is found, anywhere.
pub(super) fn pattern(target: Target, text: &str, naming: &'static str) -> Result<MatcherSpec, String> {
    let compiled = Pattern::new(text).map_err(|why| format!("matcher {why}"))?;
    let spec = MatcherSpec::default().naming(naming);
    Ok(match target {
        Target::Tool => spec.tool_pattern(text),
        Target::Subtype => spec.source_pattern(text),
        Target::Command => spec.command_pattern(text),
        Target::Fixed(known) if compiled.is_match(known) == Some(false) => return Err(never(text, known)),
        Target::Fixed(_) | Target::Nothing => MatcherSpec::default(),
    })
}

fn never(text: &str, known: &str) -> String {
    format!("matcher `{text}` is held against `{known}` alone here and never matches; take it out")
}

/// The regular expression that finds this text and nothing else.
pub(super) fn literal(text: &str) -> String {
    format!("^{}$", regex::escape(text))
}

/// A whole-text expression; one that only compiles with its wrapping is refused.
pub(super) fn anchored(text: &str) -> Result<String, String> {
    Pattern::new(text).map_err(|why| format!("matcher {why}"))?;
    Ok(format!("^(?:{text})$"))
}

/// Whether every letter of a matcher is one of a name.
pub(super) fn is_plain(text: &str) -> bool {
    text.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '|'))
}
