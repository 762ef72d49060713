//! The built-in events: one row each.

use super::{CatalogueEntry, CatalogueField, FieldKind};
use FieldKind::{Any, Flag, List, Number, Object, Record, Text};

/// A field that must be there and that hooks cannot replace.
const fn has(name: &'static str, kind: FieldKind) -> CatalogueField {
    CatalogueField { name, kind, optional: false, modifiable: false }
}

/// A field that may be missing.
const fn maybe(name: &'static str, kind: FieldKind) -> CatalogueField {
    CatalogueField { name, kind, optional: true, modifiable: false }
}

/// A field that hooks may replace.
const fn edits(name: &'static str, kind: FieldKind) -> CatalogueField {
    CatalogueField { name, kind, optional: false, modifiable: true }
}

/// A field that may be missing and that hooks may set.
const fn may_edit(name: &'static str, kind: FieldKind) -> CatalogueField {
    CatalogueField { name, kind, optional: true, modifiable: true }
}

/// What every event carries beside its own payload; the engine fills what the host leaves out.
pub const COMMON_FIELDS: &[CatalogueField] = &[
    has("event_type", Text),
    has("session_id", Text),
    has("timestamp", Number),
    maybe("cwd", Text),
    maybe("agent_id", Text),
    maybe("metadata", Object),
    maybe("shared", Object),
];

/// An event that observes: no block, no subtype, no path.
const fn notice(
    name: &'static str,
    aliases: &'static [&'static str],
    fields: &'static [CatalogueField],
) -> CatalogueEntry {
    CatalogueEntry { name, aliases, fields, gate: false, subtype: None, path: None }
}

/// An event whose block stops what the agent is about to do.
const fn gate(
    name: &'static str,
    aliases: &'static [&'static str],
    fields: &'static [CatalogueField],
) -> CatalogueEntry {
    CatalogueEntry { name, aliases, fields, gate: true, subtype: None, path: None }
}

impl CatalogueEntry {
    const fn subtype(mut self, field: &'static str) -> Self {
        self.subtype = Some(field);
        self
    }

    const fn path(mut self, field: &'static str) -> Self {
        self.path = Some(field);
        self
    }
}

/// The catalogue.
pub const BUILT_IN: &[CatalogueEntry] = &[
    notice("SessionStart", &["session:start", "session_start"], &[has("source", Text), maybe("model", Any)])
        .subtype("source"),
    notice("SessionEnd", &["session:end", "session_end"], &[has("reason", Text)]).subtype("reason"),
    gate(
        "UserPromptSubmit",
        &["PrePromptSubmit", "prompt:submit", "BeforeAgent", "userPromptSubmitted", "beforeSubmitPrompt", "pre_prompt"],
        &[edits("prompt", Text)],
    ),
    notice("PostUserMessage", &[], &[has("prompt", Text)]),
    gate(
        "GenerateStart",
        &["generate_start", "provider:request", "BeforeModel"],
        &[edits("prompt", Text), may_edit("system_prompt", Text), has("model", Any), edits("tools", List)],
    ),
    notice(
        "GenerateEnd",
        &["generate_end", "provider:response", "AfterModel"],
        &[has("prompt", Text), edits("response", Record), has("model", Any)],
    ),
    gate(
        "PreToolUse",
        &["tool:pre", "pre_tool_use", "BeforeTool", "preToolUse"],
        &[has("tool", Text), edits("args", Object), has("tool_use_id", Text), maybe("context", Record)],
    ),
    notice(
        "PostToolUse",
        &["tool:post", "post_tool_use", "AfterTool", "postToolUse"],
        &[has("tool", Text), has("args", Object), has("tool_use_id", Text), edits("result", Record)],
    ),
    notice(
        "PostToolUseFailure",
        &["ToolError", "tool:error", "postToolUseFailure"],
        &[
            has("tool", Text),
            has("args", Object),
            has("tool_use_id", Text),
            edits("error", Any),
            maybe("duration", Number),
        ],
    ),
    gate(
        "PermissionRequest",
        &["permissionRequest", "permission_request"],
        &[has("tool", Text), edits("args", Object), maybe("prompt", Text)],
    ),
    notice("PermissionGranted", &[], &[has("tool", Text), has("args", Object), maybe("by", Text)]),
    notice(
        "PermissionDenied",
        &[],
        &[has("tool", Text), has("args", Object), maybe("reason", Text), maybe("by", Text)],
    ),
    gate(
        "SubagentStart",
        &["subagentStart"],
        &[has("agent_id", Text), has("agent_type", Text), maybe("parent_session_id", Text)],
    )
    .subtype("agent_type"),
    gate(
        "SubagentStop",
        &["subagentStop"],
        &[has("agent_id", Text), has("agent_type", Text), maybe("parent_session_id", Text)],
    )
    .subtype("agent_type"),
    gate(
        "PreCompact",
        &["PreCompress", "preCompact", "context:pre_compact", "pre_compact"],
        &[has("trigger", Text), may_edit("custom_instructions", Text), maybe("messages", List)],
    )
    .subtype("trigger"),
    notice("PostCompact", &["context:post_compact", "post_compact"], &[has("trigger", Text), maybe("summary", Text)])
        .subtype("trigger"),
    notice(
        "ContextWarning",
        &[],
        &[has("usage", Any), has("limit", Number), maybe("ratio", Number), maybe("threshold", Number)],
    ),
    notice(
        "Notification",
        &["NotificationEvent", "user:notification"],
        &[has("message", Text), maybe("title", Text), maybe("kind", Text)],
    )
    .subtype("kind"),
    gate(
        "Stop",
        &["agentStop", "AfterAgent", "orchestrator:complete", "post_response"],
        &[
            maybe("last_message", Text),
            maybe("turn_count", Number),
            maybe("duration", Number),
            maybe("status", Text),
            maybe("changed_files", List),
            maybe("stop_hook_active", Flag),
        ],
    ),
    notice("StopFailure", &["errorOccurred", "error:orchestrator"], &[has("error", Any)]),
    notice(
        "ToolResolution",
        &["decision:tool_resolution", "DECISION_TOOL_RESOLUTION"],
        &[has("tool", Text), maybe("candidates", List)],
    ),
    notice("GenerateError", &["error:provider"], &[has("error", Any), maybe("model", Any)]),
    notice("StatusLine", &[], &[may_edit("text", Text)]),
    notice("FileSuggestion", &[], &[has("query", Text), may_edit("suggestions", List)]),
    notice("Setup", &[], &[has("trigger", Text)]).subtype("trigger"),
    notice(
        "InstructionsLoaded",
        &[],
        &[
            has("file_path", Text),
            maybe("memory_type", Text),
            maybe("load_reason", Text),
            maybe("globs", List),
            maybe("trigger_file_path", Text),
            maybe("parent_file_path", Text),
        ],
    )
    .subtype("load_reason")
    .path("file_path"),
    gate(
        "UserPromptExpansion",
        &[],
        &[
            maybe("expansion_type", Text),
            has("command_name", Text),
            maybe("command_args", Text),
            maybe("command_source", Text),
            has("prompt", Text),
        ],
    )
    .subtype("command_name"),
    notice(
        "MessageDisplay",
        &[],
        &[
            maybe("turn_id", Text),
            maybe("message_id", Text),
            maybe("index", Number),
            maybe("final", Flag),
            maybe("delta", Text),
        ],
    ),
    gate("PostToolBatch", &[], &[has("tool_calls", List)]),
    gate(
        "TaskCreated",
        &[],
        &[
            has("task_id", Text),
            has("task_subject", Text),
            maybe("task_description", Text),
            maybe("teammate_name", Text),
            maybe("team_name", Text),
        ],
    ),
    gate(
        "TaskCompleted",
        &[],
        &[
            has("task_id", Text),
            has("task_subject", Text),
            maybe("task_description", Text),
            maybe("teammate_name", Text),
            maybe("team_name", Text),
        ],
    ),
    gate("TeammateIdle", &[], &[has("teammate_name", Text), maybe("team_name", Text)]),
    gate(
        "PreModelSwitch",
        &[],
        &[
            has("from_model", Any),
            has("to_model", Any),
            maybe("requested_model", Any),
            maybe("source", Text),
            maybe("context_tokens", Number),
        ],
    )
    .subtype("source"),
    notice(
        "PostModelSwitch",
        &[],
        &[has("from_model", Any), has("to_model", Any), maybe("requested_model", Any), maybe("source", Text)],
    )
    .subtype("source"),
    gate("ConfigChange", &[], &[has("source", Text), maybe("file_path", Text)]).subtype("source").path("file_path"),
    notice("CwdChanged", &[], &[has("old_cwd", Text), has("new_cwd", Text)]).path("new_cwd"),
    notice("DirectoryAdded", &[], &[has("directory", Text), maybe("source", Text)]).subtype("source").path("directory"),
    notice("FileChanged", &[], &[has("file_path", Text), has("event", Text)]).subtype("event").path("file_path"),
    gate("WorktreeCreate", &[], &[has("name", Text)]),
    notice("WorktreeRemove", &[], &[has("worktree_path", Text)]).path("worktree_path"),
    gate(
        "Elicitation",
        &[],
        &[
            has("mcp_server_name", Text),
            has("message", Text),
            maybe("mode", Text),
            maybe("url", Text),
            maybe("elicitation_id", Text),
            maybe("requested_schema", Object),
        ],
    )
    .subtype("mcp_server_name"),
    gate(
        "ElicitationResult",
        &[],
        &[
            has("mcp_server_name", Text),
            has("action", Text),
            maybe("content", Object),
            maybe("mode", Text),
            maybe("elicitation_id", Text),
        ],
    )
    .subtype("mcp_server_name"),
];
