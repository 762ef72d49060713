//! Events in the words of another agent, and outcomes in theirs.

use hookweave::Event;
use hookweave_host::dialects::outcome_to_wire;
use serde_json::{Value, json};

use crate::case::Dispatch;
use crate::check::check_refusal;
use crate::client::Fault;
use crate::pattern::{Missing, compare};
use crate::value::escape;

/// The dispatch of an event that an agent has sent; any other as it is.
pub(crate) fn read(dispatch: &Dispatch) -> Result<Dispatch, Fault> {
    let Some(sent) = &dispatch.from_wire else { return Ok(dispatch.clone()) };
    let text = sent["data"].as_str().map_or_else(|| sent["data"].to_string(), str::to_owned);
    let event = Event::from_wire(sent["dialect"].as_str().unwrap(), &text)?;
    Ok(Dispatch { event: event.name().to_owned(), payload: event.payload().clone(), ..dispatch.clone() })
}

/// Holds what an outcome leaves for an agent against what is expected.
pub(crate) fn check(wanted: &Value, outcome: &Value, faults: &mut Vec<String>) {
    let answer = match outcome_to_wire(wanted["dialect"].as_str().unwrap(), outcome) {
        Ok(answer) => answer,
        Err(error) => return check_refusal("to_wire", wanted.get("error"), Some(error.into()), faults),
    };
    check_refusal("to_wire", wanted.get("error"), None, faults);
    let mut got = json!({
        "dialect": wanted["dialect"], "exit_code": answer.exit_code, "stdout": answer.stdout, "stderr": answer.stderr,
        "degraded": answer.degraded,
    });
    // A pattern that is an object is one for the JSON that is printed.
    if wanted["stdout"].as_object().is_some_and(|pattern| escape(pattern).is_none()) {
        got["stdout"] = serde_json::from_str(&answer.stdout).unwrap_or(Value::String(answer.stdout));
    }
    compare("to_wire", wanted, Some(&got), Missing::IsAFault, faults);
}
