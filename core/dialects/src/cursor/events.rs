//! Cursor's events: which of the engine's each is, for which tools, and what is read of its hooks.

use crate::Invocation;
use crate::matching::Target;

/// One event.
#[derive(Debug, Clone, Copy)]
pub(super) struct CursorEvent {
    /// Its name at home.
    pub(super) name: &'static str,
    /// The engine's name.
    pub(super) event: &'static str,
    /// The tools that it is for, by the engine's names; all when absent.
    pub(super) tools: Option<&'static str>,
    /// What its string matcher is held against.
    pub(super) target: Target,
    /// What is read of a hook's output.
    pub(super) reads: Reads,
}

/// What is read of a hook's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    /// `permission`, and what an `ask` there comes to.
    Permission(Ask),
    /// `continue`.
    Continue,
    /// `followup_message`, which keeps the agent working.
    Followup,
    /// A tool's result, and context beside it.
    Result,
    /// Context for a new session.
    Context,
    /// A message for the user.
    Message,
    /// Nothing.
    Nothing,
}

/// What an `ask` comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    /// The person is asked.
    Asks,
    /// It is accepted and not enforced.
    Ignored,
    /// It is a refusal.
    Denies,
}

const SHELL: Option<&str> = Some("Bash|PowerShell");
const MCP: Option<&str> = Some("mcp__*");
const FILE_EDIT: Option<&str> = Some("Edit|Write|MultiEdit|NotebookEdit");

const fn known(
    name: &'static str,
    event: &'static str,
    tools: Option<&'static str>,
    target: Target,
    reads: Reads,
) -> CursorEvent {
    CursorEvent { name, event, tools, target, reads }
}

/// The event for all tools stands before those for some: it is the home event of the engine's.
pub(super) const EVENTS: &[CursorEvent] = &[
    known("sessionStart", "SessionStart", None, Target::Nothing, Reads::Context),
    known("sessionEnd", "SessionEnd", None, Target::Nothing, Reads::Nothing),
    known("preToolUse", "PreToolUse", None, Target::Tool, Reads::Permission(Ask::Ignored)),
    known("postToolUse", "PostToolUse", None, Target::Tool, Reads::Result),
    known("postToolUseFailure", "PostToolUseFailure", None, Target::Tool, Reads::Nothing),
    known("subagentStart", "SubagentStart", None, Target::Subtype, Reads::Permission(Ask::Denies)),
    known("subagentStop", "SubagentStop", None, Target::Subtype, Reads::Followup),
    known("beforeShellExecution", "PreToolUse", SHELL, Target::Command, Reads::Permission(Ask::Asks)),
    known("afterShellExecution", "PostToolUse", SHELL, Target::Command, Reads::Nothing),
    known("beforeMCPExecution", "PreToolUse", MCP, Target::Tool, Reads::Permission(Ask::Asks)),
    known("afterMCPExecution", "PostToolUse", MCP, Target::Tool, Reads::Nothing),
    known("beforeReadFile", "PreToolUse", Some("Read"), Target::Fixed("Read"), Reads::Permission(Ask::Denies)),
    known("afterFileEdit", "PostToolUse", FILE_EDIT, Target::Fixed("Write"), Reads::Nothing),
    known("beforeSubmitPrompt", "UserPromptSubmit", None, Target::Fixed("UserPromptSubmit"), Reads::Continue),
    known("preCompact", "PreCompact", None, Target::Nothing, Reads::Message),
    known("stop", "Stop", None, Target::Fixed("Stop"), Reads::Followup),
    known("afterAgentResponse", "GenerateEnd", None, Target::Fixed("AgentResponse"), Reads::Nothing),
];

/// The event of a home name.
pub(super) fn named(name: &str) -> Option<&'static CursorEvent> {
    EVENTS.iter().find(|known| known.name == name)
}

/// The event that a canonical one is when nothing says more.
pub(super) fn home_of(event: &str) -> Option<&'static CursorEvent> {
    EVENTS.iter().find(|known| known.event == event)
}

/// The event of an invocation: as its file names it, or the home event of the canonical one.
pub(super) fn of(invocation: &Invocation) -> Option<&'static CursorEvent> {
    named(&invocation.declared_event)
        .filter(|known| known.event == invocation.event.name())
        .or_else(|| home_of(invocation.event.name()))
}
