//! Tools of MCP servers, which Gemini CLI calls `mcp_<server>_<tool>`.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::NAME;
use hookweave_machine::tool::ToolDefinition;
use hookweave_machine::tool_names;

/// The server and the tool of the engine's `mcp__<server>__<tool>`.
pub(super) fn parts(tool: &str) -> Option<(&str, &str)> {
    tool.strip_prefix("mcp__")?.split_once("__").filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
}

/// The name by which Gemini's hooks know a tool.
pub(super) fn to_dialect<'t>(tool: &'t str, definition: Option<&'t ToolDefinition>) -> Cow<'t, str> {
    let ours = definition.and_then(|known| known.same_as.as_deref()).unwrap_or(tool);
    match parts(ours) {
        Some((server, tool)) => Cow::Owned(format!("mcp_{server}_{tool}")),
        None => tool_names::to_dialect(NAME, tool, definition),
    }
}

/// Where the tool comes from, as hooks read it.
pub(super) fn context(server: &str, tool: &str) -> Value {
    json!({"server_name": server, "tool_name": tool})
}

/// A pattern over Gemini's `mcp_<server>_<tool>` finds the engine's `mcp__<server>__<tool>` too: from `mcp_` on, one
/// underscore may be two.
pub(super) fn pattern(text: &str) -> String {
    let Some(at) = text.find("mcp_") else { return text.to_owned() };
    let (before, from) = text.split_at(at);
    let mut pattern = before.to_owned();
    let (mut in_class, mut escaped, mut after_underscore) = (false, false, false);
    for letter in from.chars() {
        match letter {
            '[' if !escaped => in_class = true,
            ']' if !escaped => in_class = false,
            _ => {}
        }
        if letter == '_' && !in_class && !escaped {
            if !after_underscore {
                pattern.push_str("(?:__?)");
            }
            after_underscore = true;
        } else {
            pattern.push(letter);
            after_underscore = false;
        }
        escaped = letter == '\\' && !escaped;
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_finds_both_spellings() {
        for text in ["mcp_git_create", "^mcp_[a-z]+_create$", "mcp__git__create", "read_file|mcp_git_.*"] {
            let found = regex::Regex::new(&pattern(text)).unwrap();
            assert!(found.is_match("mcp__git__create"), "{text}");
            assert!(!found.is_match("mcp__other"), "{text}");
        }
        assert_eq!(pattern("read_file"), "read_file");
    }
}
