//! The events of Claude Code: what each carries, what its hooks may say, and what exit code 2 does.

/// What a string matcher is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// The tool's name.
    Tool,
    /// A payload field.
    Field(&'static str),
    /// The base name of the changed file.
    BaseName,
    /// Nothing: a matcher there is ignored.
    Nothing,
}

/// What exit code 2 does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Two {
    /// Stops what the agent is about to do.
    Blocks,
    /// Shows stderr to the model.
    TellsModel,
    /// Shows stderr to the user.
    TellsUser,
    /// Nothing.
    Ignored,
    /// As every other exit code but 0: what was to be made is not made.
    Fails,
}

/// Which of `continue` and `systemMessage` an event listens to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listens {
    /// Both.
    Both,
    /// The message.
    Message,
    /// Neither.
    Neither,
}

/// What a field of `hookSpecificOutput` may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    Text,
    Flag,
    Object,
    Texts,
    Anything,
    OneOf(&'static [&'static str]),
    /// The decision of a `PermissionRequest` hook.
    Ruling,
}

/// One event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClaudeEvent {
    pub(crate) name: &'static str,
    pub(crate) target: Target,
    pub(crate) two: Two,
    /// Whether `decision: "block"` counts.
    pub(crate) blocks: bool,
    pub(crate) listens: Listens,
    /// Whether `permission_mode` stands on stdin.
    pub(crate) has_mode: bool,
    /// Payload fields that stand on stdin: the engine's name and the wire's.
    pub(crate) fields: &'static [(&'static str, &'static str)],
    /// Fields of `hookSpecificOutput`; an event without any has no such object.
    pub(crate) specific: &'static [(&'static str, Holds)],
}

const fn event(name: &'static str, target: Target, two: Two) -> ClaudeEvent {
    ClaudeEvent { name, target, two, blocks: false, listens: Listens::Both, has_mode: true, fields: &[], specific: &[] }
}

impl ClaudeEvent {
    const fn fields(mut self, fields: &'static [(&'static str, &'static str)]) -> Self {
        self.fields = fields;
        self
    }

    const fn answers(mut self, specific: &'static [(&'static str, Holds)]) -> Self {
        self.specific = specific;
        self
    }

    const fn blocks(mut self) -> Self {
        self.blocks = true;
        self
    }

    const fn listens(mut self, listens: Listens) -> Self {
        self.listens = listens;
        self
    }

    const fn without_mode(mut self) -> Self {
        self.has_mode = false;
        self
    }

    /// Whether the payload names a tool call.
    pub(crate) fn is_about_a_tool(&self) -> bool {
        self.target == Target::Tool
    }
}

const CONTEXT: (&str, Holds) = ("additionalContext", Holds::Text);

const TASK: &[(&str, &str)] = &[
    ("task_id", "task_id"),
    ("task_subject", "task_subject"),
    ("task_description", "task_description"),
    ("teammate_name", "teammate_name"),
    ("team_name", "team_name"),
];

const MODEL_SWITCH: &[(&str, &str)] = &[
    ("from_model", "from_model"),
    ("to_model", "to_model"),
    ("requested_model", "requested_model"),
    ("source", "source"),
    ("context_tokens", "context_tokens"),
];

const ELICITED: &[(&str, Holds)] =
    &[("action", Holds::OneOf(&["accept", "decline", "cancel"])), ("content", Holds::Object)];

/// Every event, in the order of the documentation.
pub(crate) const EVENTS: &[ClaudeEvent] = &[
    event("SessionStart", Target::Field("source"), Two::TellsUser)
        .without_mode()
        .fields(&[("source", "source"), ("model", "model")])
        .answers(&[
            CONTEXT,
            ("initialUserMessage", Holds::Text),
            ("sessionTitle", Holds::Text),
            ("watchPaths", Holds::Texts),
            ("reloadSkills", Holds::Flag),
        ]),
    event("Setup", Target::Field("trigger"), Two::TellsUser)
        .without_mode()
        .fields(&[("trigger", "trigger")])
        .answers(&[CONTEXT]),
    event("InstructionsLoaded", Target::Field("load_reason"), Two::Ignored)
        .listens(Listens::Neither)
        .without_mode()
        .fields(&[
            ("file_path", "file_path"),
            ("memory_type", "memory_type"),
            ("load_reason", "load_reason"),
            ("globs", "globs"),
            ("trigger_file_path", "trigger_file_path"),
            ("parent_file_path", "parent_file_path"),
        ]),
    event("UserPromptSubmit", Target::Nothing, Two::Blocks).blocks().fields(&[("prompt", "prompt")]).answers(&[
        CONTEXT,
        ("sessionTitle", Holds::Text),
        ("suppressOriginalPrompt", Holds::Flag),
    ]),
    event("UserPromptExpansion", Target::Field("command_name"), Two::Blocks)
        .blocks()
        .fields(&[
            ("expansion_type", "expansion_type"),
            ("command_name", "command_name"),
            ("command_args", "command_args"),
            ("command_source", "command_source"),
            ("prompt", "prompt"),
        ])
        .answers(&[CONTEXT, ("suppressOriginalPrompt", Holds::Flag)]),
    event("MessageDisplay", Target::Nothing, Two::Ignored)
        .listens(Listens::Neither)
        .without_mode()
        .fields(&[
            ("turn_id", "turn_id"),
            ("message_id", "message_id"),
            ("index", "index"),
            ("final", "final"),
            ("delta", "delta"),
        ])
        .answers(&[("displayContent", Holds::Text)]),
    event("PreToolUse", Target::Tool, Two::Blocks).blocks().fields(&[("tool_use_id", "tool_use_id")]).answers(&[
        ("permissionDecision", Holds::OneOf(&["allow", "deny", "ask", "defer"])),
        ("permissionDecisionReason", Holds::Text),
        ("updatedInput", Holds::Object),
        CONTEXT,
    ]),
    event("PermissionRequest", Target::Tool, Two::Ignored).answers(&[("decision", Holds::Ruling)]),
    event("PermissionDenied", Target::Tool, Two::Ignored)
        .fields(&[("tool_use_id", "tool_use_id"), ("reason", "reason")])
        .answers(&[("retry", Holds::Flag)]),
    event("PostToolUse", Target::Tool, Two::TellsModel).blocks().fields(&[("tool_use_id", "tool_use_id")]).answers(&[
        CONTEXT,
        ("updatedToolOutput", Holds::Anything),
        ("updatedMCPToolOutput", Holds::Anything),
        ("classifierContext", Holds::Text),
    ]),
    event("PostToolUseFailure", Target::Tool, Two::TellsModel)
        .blocks()
        .fields(&[("tool_use_id", "tool_use_id"), ("error", "error"), ("duration", "duration_ms")])
        .answers(&[CONTEXT]),
    event("PostToolBatch", Target::Nothing, Two::Blocks).blocks().answers(&[CONTEXT]),
    event("Notification", Target::Field("kind"), Two::Ignored)
        .listens(Listens::Neither)
        .without_mode()
        .fields(&[("message", "message"), ("title", "title"), ("kind", "notification_type")])
        .answers(&[CONTEXT]),
    event("SubagentStart", Target::Field("agent_type"), Two::TellsUser)
        .without_mode()
        .fields(&[("agent_type", "agent_type")])
        .answers(&[CONTEXT]),
    event("SubagentStop", Target::Field("agent_type"), Two::Blocks)
        .blocks()
        .fields(&[("agent_type", "agent_type")])
        .answers(&[CONTEXT]),
    event("TaskCreated", Target::Nothing, Two::Blocks).blocks().listens(Listens::Message).fields(TASK),
    event("TaskCompleted", Target::Nothing, Two::Blocks).fields(TASK),
    event("TeammateIdle", Target::Nothing, Two::Blocks)
        .fields(&[("teammate_name", "teammate_name"), ("team_name", "team_name")]),
    event("Stop", Target::Nothing, Two::Blocks)
        .blocks()
        .fields(&[("last_message", "last_assistant_message")])
        .answers(&[CONTEXT]),
    event("StopFailure", Target::Field("error"), Two::Ignored)
        .listens(Listens::Neither)
        .without_mode()
        .fields(&[("error", "error")]),
    event("PreCompact", Target::Field("trigger"), Two::Blocks)
        .blocks()
        .listens(Listens::Neither)
        .without_mode()
        .fields(&[("trigger", "trigger"), ("custom_instructions", "custom_instructions")]),
    event("PostCompact", Target::Field("trigger"), Two::TellsUser)
        .listens(Listens::Neither)
        .without_mode()
        .fields(&[("trigger", "trigger"), ("summary", "compact_summary")]),
    event("PreModelSwitch", Target::Field("source"), Two::Blocks).without_mode().fields(MODEL_SWITCH).answers(&[
        ("permissionDecision", Holds::OneOf(&["allow", "deny", "ask"])),
        ("permissionDecisionReason", Holds::Text),
    ]),
    event("PostModelSwitch", Target::Field("source"), Two::Ignored)
        .without_mode()
        .fields(MODEL_SWITCH)
        .answers(&[CONTEXT]),
    event("ConfigChange", Target::Field("source"), Two::Blocks)
        .blocks()
        .listens(Listens::Neither)
        .without_mode()
        .fields(&[("source", "source"), ("file_path", "file_path")]),
    event("CwdChanged", Target::Nothing, Two::TellsUser)
        .listens(Listens::Message)
        .without_mode()
        .fields(&[("old_cwd", "old_cwd"), ("new_cwd", "new_cwd")])
        .answers(&[("watchPaths", Holds::Texts)]),
    event("DirectoryAdded", Target::Field("source"), Two::Ignored)
        .without_mode()
        .fields(&[("directory", "directory"), ("source", "source")]),
    event("FileChanged", Target::BaseName, Two::TellsUser)
        .listens(Listens::Message)
        .without_mode()
        .fields(&[("file_path", "file_path"), ("event", "event")])
        .answers(&[("watchPaths", Holds::Texts)]),
    event("WorktreeCreate", Target::Nothing, Two::Fails)
        .listens(Listens::Neither)
        .without_mode()
        .fields(&[("name", "name")])
        .answers(&[("worktreePath", Holds::Text)]),
    event("WorktreeRemove", Target::Nothing, Two::Ignored)
        .listens(Listens::Neither)
        .without_mode()
        .fields(&[("worktree_path", "worktree_path")]),
    event("Elicitation", Target::Field("mcp_server_name"), Two::Blocks)
        .listens(Listens::Neither)
        .fields(&[
            ("mcp_server_name", "mcp_server_name"),
            ("message", "message"),
            ("mode", "mode"),
            ("url", "url"),
            ("elicitation_id", "elicitation_id"),
            ("requested_schema", "requested_schema"),
        ])
        .answers(ELICITED),
    event("ElicitationResult", Target::Field("mcp_server_name"), Two::Blocks)
        .listens(Listens::Neither)
        .fields(&[
            ("mcp_server_name", "mcp_server_name"),
            ("action", "action"),
            ("content", "content"),
            ("mode", "mode"),
            ("elicitation_id", "elicitation_id"),
        ])
        .answers(ELICITED),
    event("SessionEnd", Target::Field("reason"), Two::TellsUser)
        .listens(Listens::Neither)
        .without_mode()
        .fields(&[("reason", "reason")]),
];

/// A shell line of a skill, which at home is no tool call but for the engine is one: guards of `PreToolUse` see it.
///
/// There a question and new input stop the line as a denial does, and an allow adds nothing.
pub(crate) static SKILL_LINE: ClaudeEvent = event("PreSkillShellCommand", Target::Tool, Two::Blocks)
    .blocks()
    .fields(&[("tool_use_id", "tool_use_id")])
    .answers(&[
        ("permissionDecision", Holds::OneOf(&["allow", "deny", "ask", "defer"])),
        ("permissionDecisionReason", Holds::Text),
        ("updatedInput", Holds::Anything),
    ]);

/// Selects such a line among the tool calls.
pub(crate) const IS_SKILL_LINE: &str = "has(event.metadata[\"claude-code\"].hook_event_name) && \
    event.metadata[\"claude-code\"].hook_event_name == \"PreSkillShellCommand\"";

/// The event of this name.
pub(crate) fn known(name: &str) -> Option<&'static ClaudeEvent> {
    EVENTS.iter().find(|event| event.name == name)
}

/// The event that a hook is asked about, by the name under which its file declares it.
pub(crate) fn asked(name: &str, declared: &str) -> Option<&'static ClaudeEvent> {
    if declared == SKILL_LINE.name && name == "PreToolUse" { Some(&SKILL_LINE) } else { known(name) }
}
