//! What one of shadow's hooks sees of an event, and may change.

use serde_json::{Map, Value, json};

use super::Hook;
use crate::engine::{Event, Outcome};
use crate::response::HookResponse;

/// An event of shadow's agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HookEvent {
    /// A tool is about to run.
    PreToolUse,
    /// A tool has run.
    PostToolUse,
    /// A tool has failed.
    PostToolUseFailure,
    /// A prompt came in.
    UserPromptSubmit,
}

impl HookEvent {
    /// The event's name, which is the engine's too.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::PostToolUseFailure => "PostToolUseFailure",
            Self::UserPromptSubmit => "UserPromptSubmit",
        }
    }

    pub(super) const fn has_tool(self) -> bool {
        !matches!(self, Self::UserPromptSubmit)
    }
}

/// What a hook sees. Before a tool runs `tool_input` may be changed, and on a prompt `user_prompt`; a change of `tool_name`,
/// or of these two at another time, is an invalid answer that names the field. The rest is there to be looked at.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HookContext<'a> {
    /// What happened.
    pub event: HookEvent,
    /// The tool's name.
    pub tool_name: Option<String>,
    /// The tool's arguments; `None` after a hook is no change.
    pub tool_input: Option<Value>,
    /// The call's id.
    pub tool_use_id: Option<String>,
    /// What the tool gave.
    pub tool_result: Option<&'a Value>,
    /// Why the tool failed.
    pub error: Option<String>,
    /// What the user wrote; `None` after a hook is no change.
    pub user_prompt: Option<String>,
    payload: Option<&'a Value>,
}

impl<'a> HookContext<'a> {
    const fn new(event: HookEvent) -> Self {
        Self {
            event,
            tool_name: None,
            tool_input: None,
            tool_use_id: None,
            tool_result: None,
            error: None,
            user_prompt: None,
            payload: None,
        }
    }

    fn of_tool(event: HookEvent, tool: &str, input: &Value, id: &str) -> Self {
        Self {
            tool_name: Some(tool.to_owned()),
            tool_input: Some(input.clone()),
            tool_use_id: Some(id.to_owned()),
            ..Self::new(event)
        }
    }

    /// A tool is about to run.
    #[must_use]
    pub fn pre_tool_use(tool: &str, input: &Value, tool_use_id: &str) -> Self {
        Self::of_tool(HookEvent::PreToolUse, tool, input, tool_use_id)
    }

    /// A tool has run.
    #[must_use]
    pub fn post_tool_use(tool: &str, input: &Value, tool_use_id: &str, result: &'a Value) -> Self {
        Self { tool_result: Some(result), ..Self::of_tool(HookEvent::PostToolUse, tool, input, tool_use_id) }
    }

    /// A tool has failed.
    #[must_use]
    pub fn post_tool_use_failure(tool: &str, input: &Value, tool_use_id: &str, error: &str) -> Self {
        let context = Self::of_tool(HookEvent::PostToolUseFailure, tool, input, tool_use_id);
        Self { error: Some(error.to_owned()), ..context }
    }

    /// A prompt came in.
    #[must_use]
    pub fn user_prompt_submit(prompt: &str) -> Self {
        Self { user_prompt: Some(prompt.to_owned()), ..Self::new(HookEvent::UserPromptSubmit) }
    }

    /// Everything else that the event carries, by the engine's names: `session_id`, `cwd`, `metadata`.
    #[must_use]
    pub const fn payload(&self) -> Option<&'a Value> {
        self.payload
    }

    fn of_event(event: HookEvent, source: &'a Event) -> Self {
        let given = |name: &str| Some(source.field(name)).filter(|value| !value.is_null());
        let text = |name: &str| given(name).and_then(Value::as_str).map(str::to_owned);
        Self {
            tool_name: text("tool"),
            tool_input: given("args").filter(|_| event.has_tool()).cloned(),
            tool_use_id: event.has_tool().then(|| source.tool_use_id().to_owned()),
            tool_result: given("result"),
            error: given("error").map(error_text),
            user_prompt: text("prompt"),
            payload: Some(source.payload()),
            ..Self::new(event)
        }
    }

    /// The event that the context stands for.
    pub(super) fn to_event(&self) -> Event {
        let mut fields = self.payload.and_then(Value::as_object).cloned().unwrap_or_default();
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                fields.insert(name.to_owned(), value);
            }
        };
        put("tool", self.tool_name.clone().map(Value::from));
        put("args", self.tool_input.clone());
        put("tool_use_id", self.tool_use_id.clone().map(Value::from));
        put("result", self.tool_result.map(result_record));
        put("error", self.error.clone().map(Value::from));
        put("prompt", self.user_prompt.clone().map(Value::from));
        Event::new(self.event.as_str(), Value::Object(fields))
    }

    /// Takes over what hooks changed.
    pub(super) fn take_changes(&mut self, outcome: &Outcome) {
        for field in outcome.modified() {
            match field {
                "args" => self.tool_input = Some(outcome.event().args().clone()),
                "prompt" => self.user_prompt = outcome.event().field("prompt").as_str().map(str::to_owned),
                _ => {}
            }
        }
    }
}

/// A result as the engine's events carry it.
fn result_record(result: &Value) -> Value {
    if result.is_object() { result.clone() } else { json!({"output": result}) }
}

fn error_text(error: &Value) -> String {
    let message = error.as_str().or_else(|| error.get("message").and_then(Value::as_str));
    message.map_or_else(|| error.to_string(), str::to_owned)
}

/// Runs one hook; what it made of its context is written back into the engine's.
pub(super) fn call(hook: &dyn Hook, event: HookEvent, changed: &mut crate::HookContext) -> HookResponse {
    let source = changed.event().clone();
    let mut context = HookContext::of_event(event, &source);
    let result = hook.call(&mut context);
    let HookContext { tool_name, tool_input, user_prompt, .. } = context;
    let given: Map<String, Value> =
        [("tool", tool_name.map(Value::from)), ("args", tool_input), ("prompt", user_prompt.map(Value::from))]
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)))
            .collect();
    for (field, value) in given {
        changed.set(&field, value);
    }
    result.into_response()
}
