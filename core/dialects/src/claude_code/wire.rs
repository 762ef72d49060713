//! Claude Code as the agent: the events that it sends to a hook, and the outcomes that it reads.

mod outcome;

use serde_json::{Value, json};

use super::encode::{COMMON, batched, result_output};
use super::events::SKILL_LINE;
use super::flavour::Flavour;
use crate::incoming::{Incoming, refuse};
use crate::{WireEvent, tool_names};
use hookweave_machine::error::Error;

pub(super) use outcome::write as outcome_to_wire;

const FROM_WIRE: [(&str, &str); 3] = [("tool_name", "tool"), ("tool_input", "args"), ("tool_response", "result")];

/// Reads what the agent sends to its hooks.
pub(crate) fn event_from_wire(flavour: &Flavour, wire: &Value) -> Result<WireEvent, Error> {
    let wire = flavour.in_common_words(wire);
    let mut incoming = Incoming::new(flavour.name, &wire)?;
    let mut named = incoming.event_name(flavour.field("hook_event_name"))?;
    if flavour.name == super::NAME && named == SKILL_LINE.name {
        incoming.keep("hook_event_name", SKILL_LINE.name);
        "PreToolUse".clone_into(&mut named);
    }
    let event = flavour.known(&named).ok_or_else(|| {
        let names: Vec<_> = flavour.names();
        let hint = hookweave_machine::error::did_you_mean(&named, names.iter().copied());
        refuse(flavour.name, format!("no event is called `{named}` (`{}`){hint}", flavour.field("hook_event_name")))
    })?;
    for name in COMMON {
        incoming.moves(&[name], name);
    }
    let theirs = incoming.take_text("tool_name").filter(|_| event.is_about_a_tool());
    let tool = theirs.map(|theirs| tool_names::seen(flavour.name, &theirs).into_owned());
    if event.is_about_a_tool() {
        if let Some(tool) = &tool {
            incoming.put("tool", tool.as_str());
        }
        match incoming.input(&["tool_input"], event.name)? {
            Some(Value::Object(input)) => {
                let args =
                    tool_names::args_from_dialect(flavour.name, tool.as_deref().unwrap_or_default(), None, &input);
                incoming.put("args", args);
            }
            Some(other) => incoming.put("args", other),
            None => {}
        }
    }
    if flavour.prompt_in_parts
        && let Some(parts) = incoming.peek("prompt").and_then(Value::as_array)
    {
        let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
        let text = texts.join("\n");
        incoming.take("prompt");
        incoming.put("prompt", text);
    }
    for (ours, theirs) in event.fields {
        incoming.moves(&[theirs], ours);
    }
    match event.name {
        "PostToolUse" => {
            let response = incoming.take("tool_response").unwrap_or(Value::Null);
            let output = result_output(tool.as_deref().unwrap_or_default(), response);
            incoming.put("result", json!({"success": true, "output": output}));
            if let Some(duration) = incoming.take("duration_ms") {
                incoming.put_within("result", "duration", duration);
            }
        }
        "PostToolBatch" => {
            if let Some(Value::Array(calls)) = incoming.take("tool_calls") {
                incoming.put("tool_calls", calls.iter().map(|call| batched(call, &FROM_WIRE)).collect::<Vec<_>>());
            }
        }
        "Stop" => incoming.moves(&["stop_hook_active"], "stop_hook_active"),
        _ => {}
    }
    Ok(incoming.event(event.name))
}
