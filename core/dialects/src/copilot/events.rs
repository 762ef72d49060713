//! Copilot's events, each in two spellings that stand for two forms of the payload.

use crate::Invocation;
use crate::matching::Target;

/// One event under one name.
#[derive(Debug, Clone, Copy)]
pub(super) struct CopilotEvent {
    /// The name in a file.
    pub(super) name: &'static str,
    /// The engine's name.
    pub(super) event: &'static str,
    /// What its string matcher is held against.
    pub(super) target: Target,
    /// The form that VS Code's extension understands too: `snake_case`, the event's name, times as text.
    pub(super) snake: bool,
    /// Matchers are read, and tools named, as in Claude Code.
    pub(super) claude_matcher: bool,
}

const fn camel(name: &'static str, event: &'static str, target: Target) -> CopilotEvent {
    CopilotEvent { name, event, target, snake: false, claude_matcher: false }
}

const fn snake(name: &'static str, event: &'static str, target: Target) -> CopilotEvent {
    CopilotEvent { name, event, target, snake: true, claude_matcher: false }
}

const fn claude(name: &'static str) -> CopilotEvent {
    CopilotEvent { name, event: name, target: Target::Tool, snake: true, claude_matcher: true }
}

/// Copilot's own spelling stands first: it is the home event of the engine's.
pub(super) const EVENTS: &[CopilotEvent] = &[
    camel("sessionStart", "SessionStart", Target::Nothing),
    camel("sessionEnd", "SessionEnd", Target::Nothing),
    camel("userPromptSubmitted", "UserPromptSubmit", Target::Nothing),
    camel("preToolUse", "PreToolUse", Target::Tool),
    camel("postToolUse", "PostToolUse", Target::Tool),
    camel("postToolUseFailure", "PostToolUseFailure", Target::Nothing),
    camel("permissionRequest", "PermissionRequest", Target::Tool),
    camel("agentStop", "Stop", Target::Nothing),
    camel("subagentStart", "SubagentStart", Target::Subtype),
    camel("subagentStop", "SubagentStop", Target::Nothing),
    camel("errorOccurred", "StopFailure", Target::Nothing),
    camel("preCompact", "PreCompact", Target::Subtype),
    camel("notification", "Notification", Target::Subtype),
    snake("SessionStart", "SessionStart", Target::Nothing),
    snake("SessionEnd", "SessionEnd", Target::Nothing),
    snake("UserPromptSubmit", "UserPromptSubmit", Target::Nothing),
    claude("PreToolUse"),
    snake("PostToolUse", "PostToolUse", Target::Tool),
    snake("PostToolUseFailure", "PostToolUseFailure", Target::Nothing),
    claude("PermissionRequest"),
    snake("Stop", "Stop", Target::Nothing),
    snake("SubagentStart", "SubagentStart", Target::Subtype),
    snake("SubagentStop", "SubagentStop", Target::Nothing),
    snake("ErrorOccurred", "StopFailure", Target::Nothing),
    snake("PreCompact", "PreCompact", Target::Subtype),
    snake("Notification", "Notification", Target::Subtype),
];

/// The event of a name in a file.
pub(super) fn named(name: &str) -> Option<&'static CopilotEvent> {
    EVENTS.iter().find(|known| known.name == name)
}

/// The event that a canonical one is when nothing says more.
pub(super) fn home_of(event: &str) -> Option<&'static CopilotEvent> {
    EVENTS.iter().find(|known| known.event == event)
}

/// The event of an invocation: as its file names it, or the home event of the canonical one.
pub(super) fn of(invocation: &Invocation) -> Option<&'static CopilotEvent> {
    named(&invocation.declared_event)
        .filter(|known| known.event == invocation.event.name())
        .or_else(|| home_of(invocation.event.name()))
}
