//! Cocode as the agent: the events that it sends to a hook, and the outcomes that it reads.

use serde_json::{Value, json};

use super::NAME;
use super::events::{EVENTS, FIELDS};
use crate::canonical::{self, Expressible};
use crate::incoming::{self, Incoming};
use crate::{OutcomeView, WireAnswer, WireEvent, output};
use hookweave_machine::action::Action;
use hookweave_machine::error::Error;

const EXPRESSIBLE: Expressible =
    Expressible { name: "Cocode", ask: false, retry: false, modified: &["args", "prompt"] };

/// Reads an event that Cocode sends.
pub(super) fn event(wire: &Value) -> Result<WireEvent, Error> {
    let mut wire = Incoming::new(NAME, wire)?;
    let name = wire.take_text("event").unwrap_or_default();
    let Some((_, event)) = EVENTS.iter().copied().find(|(theirs, _)| *theirs == name) else {
        return Err(incoming::refuse(NAME, format!("there is no event `{}`", output::shown(&name))));
    };
    for (theirs, ours) in FIELDS {
        let Some(value) = wire.take(theirs) else { continue };
        match (*ours, value) {
            ("args", value) if !value.is_object() => {
                let why = format!("`tool_input` must be an object, is {}", output::kind(&value));
                return Err(incoming::refuse(NAME, why));
            }
            ("result", value) if !value.is_object() => wire.put("result", json!({"output": value})),
            (ours, value) => wire.put(ours, value),
        }
    }
    wire.forget("env", &json!({}));
    Ok(wire.event(event))
}

/// An outcome as Cocode reads it.
pub(super) fn answer(outcome: &OutcomeView<'_>) -> WireAnswer {
    let mut answer = WireAnswer::default();
    let refusal = canonical::refusal(outcome, &mut answer, EXPRESSIBLE);
    canonical::leave_out(outcome, &mut answer, EXPRESSIBLE);
    if let Some(reason) = refusal {
        // Any failure is a rejection, also for a hook whose output is not read.
        return WireAnswer { exit_code: 2, stderr: reason, ..answer };
    }
    if outcome.decision == Action::Allow {
        answer.degrade("allow: Cocode's format cannot express it; the action continues");
    }
    let input = EXPRESSIBLE.modified.iter().find_map(|field| outcome.changed(field));
    let stdout = match input {
        Some(input) => json!({"ModifyInput": {"new_input": input}}).to_string(),
        None => json!("Continue").to_string(),
    };
    WireAnswer { stdout, ..answer }
}
