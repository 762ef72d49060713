//! Wingman as the agent: the events that it sends to a hook, and the outcomes that it reads.

use serde_json::{Map, Value, json};

use super::NAME;
use super::events::EVENTS;
use crate::canonical::{self, Expressible};
use crate::incoming::{self, Incoming};
use crate::{OutcomeView, WireAnswer, WireEvent, output, tool_names};
use hookweave_machine::error::Error;

/// What a Wingman agent understands: a refusal before a tool, nothing else.
const EXPRESSIBLE: Expressible = Expressible { name: "Wingman", ask: false, retry: false, modified: &[] };

/// Reads an event that Wingman sends.
pub(super) fn event(wire: &Value) -> Result<WireEvent, Error> {
    let mut wire = Incoming::new(NAME, wire)?;
    let name = wire.take_text("hook_event_name").unwrap_or_default();
    let Some(event) = EVENTS.iter().copied().find(|event| *event == name) else {
        let why = format!("`hook_event_name` is `{}`; known are {}", output::shown(&name), EVENTS.join(", "));
        return Err(incoming::refuse(NAME, why));
    };
    wire.moves(&["session_id"], "session_id");
    wire.moves(&["cwd"], "cwd");
    if event != "Stop" {
        let theirs = wire.take_text("tool_name").unwrap_or_default();
        if theirs.is_empty() {
            return Err(incoming::refuse(NAME, "`tool_name` is missing"));
        }
        let tool = tool_names::seen(NAME, &theirs);
        let args = match wire.input(&["tool_input"], event)? {
            None => Map::new(),
            Some(Value::Object(args)) => tool_names::args_from_dialect(NAME, &tool, None, &args),
            Some(other) => {
                let why = format!("`tool_input` must be an object, is {}", output::kind(&other));
                return Err(incoming::refuse(NAME, why));
            }
        };
        wire.put("tool", &*tool);
        wire.put("args", args);
        wire.moves(&["tool_use_id"], "tool_use_id");
    }
    if event == "PostToolUse" {
        let output = wire.take("tool_output").unwrap_or_default();
        wire.put("result", json!({"output": output}));
    }
    Ok(wire.event(event))
}

/// An outcome as Wingman reads it.
pub(super) fn answer(outcome: &OutcomeView<'_>) -> WireAnswer {
    let mut answer = WireAnswer::default();
    let refusal = canonical::refusal(outcome, &mut answer, EXPRESSIBLE);
    canonical::leave_out(outcome, &mut answer, EXPRESSIBLE);
    let Some(reason) = refusal else { return answer };
    if outcome.event.event != "PreToolUse" {
        answer.degrade("block: Wingman logs it and continues, after a tool and at the end");
    }
    WireAnswer { exit_code: 2, stderr: reason, ..answer }
}
