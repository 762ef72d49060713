//! Amplifier's events, and its names of the engine's fields.

/// Amplifier's event names with the engine's; the first of an event is the one that is sent.
pub(super) const EVENTS: &[(&str, &str)] = &[
    ("session:start", "SessionStart"),
    ("session:end", "SessionEnd"),
    ("prompt:submit", "UserPromptSubmit"),
    ("provider:request", "GenerateStart"),
    ("provider:response", "GenerateEnd"),
    ("error:provider", "GenerateError"),
    ("provider:error", "GenerateError"),
    ("tool:pre", "PreToolUse"),
    ("tool:post", "PostToolUse"),
    ("tool:error", "PostToolUseFailure"),
    ("error:tool", "PostToolUseFailure"),
    ("decision:tool_resolution", "ToolResolution"),
    ("orchestrator:complete", "Stop"),
    ("error:orchestrator", "StopFailure"),
    ("error:orchestration", "StopFailure"),
    ("agent:spawn", "SubagentStart"),
    ("agent:complete", "SubagentStop"),
    ("context:pre_compact", "PreCompact"),
    ("context:pre-compact", "PreCompact"),
    ("context:post_compact", "PostCompact"),
    ("user:notification", "Notification"),
];

/// Fields with another name in the data: the event or `*`, the engine's name, Amplifier's.
const KEYS: &[(&str, &str, &str)] = &[
    ("PreToolUse", "tool", "tool_name"),
    ("PostToolUse", "tool", "tool_name"),
    ("PostToolUseFailure", "tool", "tool_name"),
    ("ToolResolution", "tool", "selected_tool"),
    ("ToolResolution", "candidates", "available_tools"),
    ("*", "args", "tool_input"),
    ("*", "result", "tool_result"),
    ("*", "tool_use_id", "tool_call_id"),
    ("*", "duration", "duration_ms"),
    ("*", "last_message", "final_message"),
    ("*", "kind", "notification_type"),
    ("*", "agent_type", "agent_name"),
];

/// Amplifier's key of a field.
pub(super) fn key<'f>(event: &str, field: &'f str) -> &'f str {
    let here = |row: &&(&str, &str, &'static str)| (row.0 == event || row.0 == "*") && row.1 == field;
    KEYS.iter().find(here).map_or(field, |row| row.2)
}

/// The engine's field under a key.
pub(super) fn field<'k>(event: &str, key: &'k str) -> &'k str {
    let here = |row: &&(&str, &'static str, &str)| (row.0 == event || row.0 == "*") && row.2 == key;
    KEYS.iter().find(here).map_or(key, |row| row.1)
}

/// The engine's name of an event.
pub(super) fn event(name: &str) -> Option<&'static str> {
    EVENTS.iter().find(|(theirs, _)| *theirs == name).map(|(_, event)| *event)
}

/// Amplifier's name of an event.
pub(super) fn event_name(event: &str) -> Option<&'static str> {
    EVENTS.iter().find(|(_, ours)| *ours == event).map(|(theirs, _)| *theirs)
}
