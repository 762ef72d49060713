//! What a model, an agent or an MCP tool of the host meant.

use serde_json::Value;

use super::decode_text;
use crate::claude_code::flavour::Flavour;
use crate::draft::Draft;
use crate::hosted::{HostedVerdict, tool_text, verdict};
use crate::{Invocation, RunKind};
use hookweave_machine::dispatch::HandlerResult;

/// Reads what the host's part answered.
///
/// A prompt that refuses ends the turn; one that its file marks with `continueOnBlock` is read as an agent's answer,
/// which does not.
pub(crate) fn decode(
    flavour: &Flavour,
    invocation: &Invocation,
    run: RunKind,
    response: &Value,
) -> HandlerResult<Value> {
    if run == RunKind::McpTool {
        return match tool_text(response) {
            Ok(_) if response.is_null() => HandlerResult::Nothing,
            Ok(text) => decode_text(flavour, invocation, &text),
            Err(failure) => failure,
        };
    }
    match verdict(response) {
        Ok(HostedVerdict::Passes) => HandlerResult::Nothing,
        Ok(HostedVerdict::Refuses { reason, impossible }) => refuses(flavour, invocation, run, reason, impossible),
        Err(failure) => failure,
    }
}

fn refuses(
    flavour: &Flavour,
    invocation: &Invocation,
    run: RunKind,
    reason: Option<String>,
    impossible: bool,
) -> HandlerResult<Value> {
    let mut draft = Draft::new(flavour.name, invocation);
    match invocation.event.name() {
        event @ ("PermissionRequest" | "PermissionDenied") => {
            draft.note(format!("a prompt decides nothing on {event}: {}", reason.unwrap_or_default()));
        }
        // The goal cannot be reached, so there is no reason to continue.
        "Stop" | "SubagentStop" if impossible => {
            draft.note(format!("the model finds the condition impossible to meet: {}", reason.unwrap_or_default()));
        }
        "PreToolUse" | "PostToolUse" if run == RunKind::Prompt => draft.decide("stop", reason),
        _ => draft.decide("block", reason),
    }
    draft.into_result()
}
