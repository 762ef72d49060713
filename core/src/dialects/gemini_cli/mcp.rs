//! Tools of MCP servers, which Gemini CLI calls `mcp_<server>_<tool>`.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::NAME;
use crate::dialects::tools;
use crate::tool::ToolDefinition;

/// The server and the tool of the engine's `mcp__<server>__<tool>`.
pub(super) fn parts(tool: &str) -> Option<(&str, &str)> {
    tool.strip_prefix("mcp__")?.split_once("__").filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
}

/// The name by which Gemini's hooks know a tool.
pub(super) fn to_dialect<'t>(tool: &'t str, definition: Option<&'t ToolDefinition>) -> Cow<'t, str> {
    let ours = definition.and_then(|known| known.same_as.as_deref()).unwrap_or(tool);
    match parts(ours) {
        Some((server, tool)) => Cow::Owned(format!("mcp_{server}_{tool}")),
        None => tools::to_dialect(NAME, tool, definition),
    }
}

/// Where the tool comes from, as hooks read it.
pub(super) fn context(server: &str, tool: &str) -> Value {
    json!({"server_name": server, "tool_name": tool})
}
