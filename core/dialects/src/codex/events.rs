//! Codex's events.

use crate::matching::Target;

/// Every event has the engine's own name; the string matcher is held against this.
pub(super) const EVENTS: &[(&str, Target)] = &[
    ("SessionStart", Target::Subtype),
    ("SessionEnd", Target::Subtype),
    ("UserPromptSubmit", Target::Nothing),
    ("PreToolUse", Target::Tool),
    ("PermissionRequest", Target::Tool),
    ("PostToolUse", Target::Tool),
    ("PreCompact", Target::Subtype),
    ("PostCompact", Target::Subtype),
    ("SubagentStart", Target::Subtype),
    ("SubagentStop", Target::Subtype),
    ("Stop", Target::Nothing),
];

pub(super) fn known(event: &str) -> Option<(&'static str, Target)> {
    EVENTS.iter().copied().find(|(name, _)| *name == event)
}
