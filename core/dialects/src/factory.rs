//! Factory's Droid: Claude Code's contract with nine events, tools of its own names, and inputs that merge.

use std::time::Duration;

use super::claude_code::{ClaudeCode, Flavour, project_dir};
use super::{Inherits, Invocation};

/// The events that Droid has.
const EVENTS: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "Notification",
    "SubagentStop",
    "Stop",
    "PreCompact",
    "SessionEnd",
];

/// Factory's Droid.
pub static FACTORY: ClaudeCode = ClaudeCode::new(Flavour {
    name: "factory",
    has: |event| EVENTS.contains(&event),
    input_merges: true,
    plain_is_context: |event| matches!(event, "UserPromptSubmit" | "SessionStart"),
    mode: "off",
    env,
    inherits: Inherits::AllBut(&[]),
    timeout: |_, _| Duration::from_secs(60),
});

fn env(invocation: &Invocation) -> Vec<(String, String)> {
    project_dir(invocation).map(|project| ("FACTORY_PROJECT_DIR".to_owned(), project)).into_iter().collect()
}
