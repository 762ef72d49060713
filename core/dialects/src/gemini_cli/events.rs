//! Gemini CLI's events, under names of its own.

use crate::Invocation;
use crate::matching::Target;

/// An event of Gemini CLI.
#[derive(Debug, Clone, Copy)]
pub(super) struct GeminiEvent {
    /// Its name at home.
    pub(super) name: &'static str,
    /// The engine's name.
    pub(super) event: &'static str,
    /// What its string matcher is held against.
    pub(super) target: Target,
    /// Whether `decision` and `continue` are read.
    pub(super) decides: bool,
}

const fn known(name: &'static str, event: &'static str, target: Target, decides: bool) -> GeminiEvent {
    GeminiEvent { name, event, target, decides }
}

pub(super) const EVENTS: &[GeminiEvent] = &[
    known("SessionStart", "SessionStart", Target::Subtype, false),
    known("SessionEnd", "SessionEnd", Target::Subtype, false),
    known("BeforeAgent", "UserPromptSubmit", Target::Nothing, true),
    known("AfterAgent", "Stop", Target::Nothing, true),
    known("BeforeModel", "GenerateStart", Target::Nothing, true),
    known("AfterModel", "GenerateEnd", Target::Nothing, true),
    // It chooses among the tools of a request to the model, and those are a field of the request.
    known(SELECTION, "GenerateStart", Target::Nothing, false),
    known("BeforeTool", "PreToolUse", Target::Tool, true),
    known("AfterTool", "PostToolUse", Target::Tool, true),
    known("PreCompress", "PreCompact", Target::Subtype, false),
    known("Notification", "Notification", Target::Nothing, false),
];

/// The one event that shares its canonical event with another.
pub(super) const SELECTION: &str = "BeforeToolSelection";

pub(super) fn named(name: &str) -> Option<&'static GeminiEvent> {
    EVENTS.iter().find(|known| known.name == name)
}

/// The event of an invocation: as its file names it, or the home event of the canonical one.
pub(super) fn of(invocation: &Invocation) -> Option<&'static GeminiEvent> {
    named(&invocation.declared_event)
        .filter(|known| known.event == invocation.event.name())
        .or_else(|| EVENTS.iter().find(|known| known.event == invocation.event.name()))
}
