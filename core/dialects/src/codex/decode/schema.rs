//! The output that Codex accepts: every key known, every value of the right type.

use serde::Deserialize;
use serde_json::{Map, Value};

/// Everything that a hook can say; which of it an event takes is [`Output::read`]'s business.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the names are those of the wire")]
pub(super) struct Output {
    #[serde(default = "yes")]
    pub(super) r#continue: bool,
    #[serde(default)]
    pub(super) stop_reason: Option<String>,
    #[serde(default)]
    pub(super) suppress_output: bool,
    #[serde(default)]
    pub(super) system_message: Option<String>,
    #[serde(default)]
    pub(super) decision: Option<Decision>,
    #[serde(default)]
    pub(super) reason: Option<String>,
    #[serde(default)]
    pub(super) hook_specific_output: Option<Specific>,
}

const fn yes() -> bool {
    true
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Decision {
    Approve,
    Block,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Specific {
    #[expect(dead_code, reason = "Codex wants the name of an event there and does not compare it")]
    hook_event_name: EventName,
    #[serde(default)]
    pub(super) permission_decision: Option<Permission>,
    #[serde(default)]
    pub(super) permission_decision_reason: Option<String>,
    #[serde(default)]
    pub(super) updated_input: Option<Value>,
    #[serde(default)]
    pub(super) additional_context: Option<String>,
    #[serde(default)]
    pub(super) decision: Option<PermissionVerdict>,
    #[serde(default)]
    pub(super) updated_tool_output: Option<Value>,
    #[serde(default, rename = "updatedMCPToolOutput")]
    pub(super) updated_mcp_tool_output: Option<Value>,
}

#[derive(Debug, Deserialize)]
enum EventName {
    PreToolUse,
    PermissionRequest,
    PostToolUse,
    PreCompact,
    PostCompact,
    SessionStart,
    SessionEnd,
    UserPromptSubmit,
    SubagentStart,
    SubagentStop,
    Stop,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Permission {
    Allow,
    Deny,
    Ask,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PermissionVerdict {
    pub(super) behavior: Behavior,
    #[serde(default)]
    pub(super) updated_input: Option<Value>,
    #[serde(default)]
    pub(super) updated_permissions: Option<Value>,
    #[serde(default)]
    pub(super) message: Option<String>,
    #[serde(default)]
    pub(super) interrupt: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Behavior {
    Allow,
    Deny,
}

/// The keys that an event takes beside the ones of every event: at the top, and in `hookSpecificOutput`.
fn keys(event: &str) -> (&'static [&'static str], &'static [&'static str]) {
    match event {
        "PreToolUse" => (
            &["decision", "reason", "hookSpecificOutput"],
            &["permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"],
        ),
        "PermissionRequest" => (&["hookSpecificOutput"], &["decision"]),
        "PostToolUse" => (
            &["decision", "reason", "hookSpecificOutput"],
            &["additionalContext", "updatedToolOutput", "updatedMCPToolOutput"],
        ),
        "UserPromptSubmit" => (&["decision", "reason", "hookSpecificOutput"], &["additionalContext"]),
        "SessionStart" | "SubagentStart" => (&["hookSpecificOutput"], &["additionalContext"]),
        "Stop" | "SubagentStop" => (&["decision", "reason"], &[]),
        _ => (&[], &[]),
    }
}

impl Output {
    /// Reads an object as the output of a hook for this event.
    pub(super) fn read(event: &str, fields: Map<String, Value>) -> Result<Self, String> {
        let (top, specific) = keys(event);
        let always = ["continue", "stopReason", "suppressOutput", "systemMessage"];
        let unknown = |key: &&String| !always.contains(&key.as_str()) && !top.contains(&key.as_str());
        if let Some(key) = fields.keys().find(unknown) {
            return Err(format!("unknown key `{key}` on {event}"));
        }
        if let Some(Value::Object(inner)) = fields.get("hookSpecificOutput") {
            let unknown = |key: &&String| key.as_str() != "hookEventName" && !specific.contains(&key.as_str());
            if let Some(key) = inner.keys().find(unknown) {
                return Err(format!("unknown key `hookSpecificOutput.{key}` on {event}"));
            }
        }
        let output: Self = serde_json::from_value(Value::Object(fields)).map_err(|why| why.to_string())?;
        if output.decision == Some(Decision::Approve) && event != "PreToolUse" {
            return Err(format!("`decision: approve` is no word of {event}"));
        }
        Ok(output)
    }
}
