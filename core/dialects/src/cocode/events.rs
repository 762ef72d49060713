//! Cocode's events, the fields of its context, and its matcher of tools.

use super::NAME;
use hookweave_machine::matcher::MatcherSpec;

/// Cocode's event names with the engine's.
pub(super) const EVENTS: &[(&str, &str)] = &[
    ("PreToolUse", "PreToolUse"),
    ("PostToolUse", "PostToolUse"),
    ("PostToolUseFailure", "PostToolUseFailure"),
    ("PrePromptSubmit", "UserPromptSubmit"),
    ("PostUserMessage", "PostUserMessage"),
    ("SessionStart", "SessionStart"),
    ("SessionEnd", "SessionEnd"),
    ("SubagentStart", "SubagentStart"),
    ("SubagentStop", "SubagentStop"),
    ("PreCompact", "PreCompact"),
    ("NotificationEvent", "Notification"),
    ("StatusLine", "StatusLine"),
    ("FileSuggestion", "FileSuggestion"),
];

/// The context's fields with those of the engine's payloads.
pub(super) const FIELDS: &[(&str, &str)] = &[
    ("tool_name", "tool"),
    ("tool_input", "args"),
    ("tool_output", "result"),
    ("error", "error"),
    ("user_prompt", "prompt"),
    ("session_id", "session_id"),
    ("agent_id", "agent_id"),
    ("cwd", "cwd"),
];

/// A tool's name by its beginning, or the whole name.
pub(super) fn tool_matcher(matcher: &str) -> Result<MatcherSpec, String> {
    if matcher.is_empty() {
        return Err("`tool_matcher` is empty and matches no tool; leave it out, or write `*`, to match all".to_owned());
    }
    let (name, prefix) = matcher.strip_suffix('*').map_or((matcher, false), |name| (name, true));
    if prefix && name.is_empty() {
        return Ok(MatcherSpec::default());
    }
    // `mcp.*` is the beginning `mcp.` here, and a regular expression to whom the engine's names are written for.
    let is_name = name.chars().all(|letter| letter.is_alphanumeric() || "_-:/.".contains(letter));
    if is_name && !(prefix && name.ends_with('.')) {
        return Ok(MatcherSpec::default().tool(matcher).naming(NAME));
    }
    let end = if prefix { "" } else { "$" };
    let pattern = format!("^{}{end}", regex::escape(name));
    Ok(MatcherSpec::default().tool_pattern(pattern).naming(NAME))
}
