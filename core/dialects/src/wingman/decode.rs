//! What a Wingman hook means by its exit code.

use serde_json::Value;

use crate::{CommandOutput, Invocation, canonical};
use hookweave_machine::dispatch::HandlerResult;

pub(super) fn decode(invocation: &Invocation, exited: &CommandOutput) -> HandlerResult<Value> {
    match exited.code {
        Some(0) => HandlerResult::Nothing,
        Some(2) if invocation.event.name() == "PreToolUse" => canonical::block(exited),
        // On later events every failure is logged and the agent goes on.
        _ => canonical::exited(exited),
    }
}
