//! What one of Cocode's hooks sees of an event.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::engine::Event;
use hookweave_host::dialects::cocode::COCODE;
use hookweave_host::dialects::{Dialect, Invocation, WireEvent};
use hookweave_host::error::Error;
use hookweave_host::event::EventSpec;

/// An event of Cocode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum HookEventType {
    /// A tool is about to run.
    #[default]
    PreToolUse,
    /// A tool has run.
    PostToolUse,
    /// A tool has failed.
    PostToolUseFailure,
    /// A prompt came in.
    PrePromptSubmit,
    /// A prompt is part of the conversation.
    PostUserMessage,
    /// A session begins.
    SessionStart,
    /// A session ends.
    SessionEnd,
    /// A subagent begins.
    SubagentStart,
    /// A subagent has ended.
    SubagentStop,
    /// The conversation is about to be compacted.
    PreCompact,
    /// The user gets a notification.
    NotificationEvent,
    /// The status line is drawn.
    StatusLine,
    /// Files are suggested.
    FileSuggestion,
}

impl HookEventType {
    /// The event's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::PostToolUseFailure => "PostToolUseFailure",
            Self::PrePromptSubmit => "PrePromptSubmit",
            Self::PostUserMessage => "PostUserMessage",
            Self::SessionStart => "SessionStart",
            Self::SessionEnd => "SessionEnd",
            Self::SubagentStart => "SubagentStart",
            Self::SubagentStop => "SubagentStop",
            Self::PreCompact => "PreCompact",
            Self::NotificationEvent => "NotificationEvent",
            Self::StatusLine => "StatusLine",
            Self::FileSuggestion => "FileSuggestion",
        }
    }
}

/// What a tool gave, as the engine's events carry it: `success`, `output`, `exit_code`, `duration`.
pub type ToolOutput = Value;

/// What a hook sees.
#[derive(Debug, Clone, Default)]
pub struct HookContext {
    /// What happened.
    pub event: HookEventType,
    /// The tool's name.
    pub tool_name: Option<String>,
    /// The tool's arguments.
    pub tool_input: Option<Value>,
    /// What the tool gave.
    pub tool_output: Option<ToolOutput>,
    /// Why the tool failed.
    pub error: Option<String>,
    /// What the user wrote.
    pub user_prompt: Option<String>,
    /// The conversation.
    pub session_id: String,
    /// The subagent.
    pub agent_id: Option<String>,
    /// The working directory.
    pub cwd: PathBuf,
    /// Variables for hooks; never the environment of the agent.
    pub env: HashMap<String, String>,
}

impl HookContext {
    /// The context as a hook of the dialect is given an event.
    pub(super) fn of(event: HookEventType, spec: &Arc<EventSpec>, source: &Event) -> Self {
        let Value::Object(payload) = source.to_json() else { return Self { event, ..Self::default() } };
        let encoded = COCODE.encode(&Invocation {
            event: Arc::clone(spec),
            declared_event: event.as_str().to_owned(),
            payload,
            tool: None,
            project_dir: None,
            empty_transcript: None,
            depth: 0,
        });
        let given = |name: &str| encoded.body.get(name).filter(|value| !value.is_null()).cloned();
        let text = |name: &str| encoded.body.get(name)?.as_str().map(str::to_owned);
        let env = encoded.body.get("env").and_then(Value::as_object).into_iter().flatten();
        Self {
            event,
            tool_name: text("tool_name"),
            tool_input: given("tool_input"),
            tool_output: given("tool_output"),
            error: text("error"),
            user_prompt: text("user_prompt"),
            session_id: text("session_id").unwrap_or_default(),
            agent_id: text("agent_id"),
            cwd: text("cwd").map(PathBuf::from).unwrap_or_default(),
            env: env.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect(),
        }
    }

    /// The event that the context stands for.
    pub(super) fn to_event(&self, event: HookEventType) -> Result<Event, Error> {
        let text = |text: &str| Some(text).filter(|text| !text.is_empty()).map(str::to_owned);
        let env: Map<String, Value> = self.env.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        let wire = json!({
            "event": event.as_str(),
            "tool_name": self.tool_name,
            "tool_input": self.tool_input,
            "tool_output": self.tool_output,
            "error": self.error,
            "user_prompt": self.user_prompt,
            "session_id": text(&self.session_id),
            "agent_id": self.agent_id,
            "cwd": text(&self.cwd.to_string_lossy()),
            "env": env,
        });
        let WireEvent { event, payload } = COCODE.event_from_wire(&wire)?;
        Ok(Event::new(event, Value::Object(payload)))
    }
}
