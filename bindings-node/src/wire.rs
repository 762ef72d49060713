//! Events that agents of other systems send to their hooks, and what their hook commands answer.

use hookweave_host::dialects::{event_from_wire, outcome_to_wire};
use hookweave_host::json::from_json;
use napi_derive::napi;
use serde_json::{Value, json};

use crate::errors::{CodedError, coded};
use crate::json::large_integers;

/// What a hook command leaves for the agent that started it.
#[napi(object, object_from_js = false)]
pub struct NativeWireAnswer {
    /// How the command ends.
    pub exit_code: i32,
    /// What it prints.
    pub stdout: String,
    /// What it prints to the other stream.
    pub stderr: String,
    /// What the dialect cannot express.
    pub degraded: Vec<String>,
}

/// What an agent sends to its hooks, read.
#[napi(object, object_from_js = false)]
pub struct NativeWireEvent {
    /// The canonical name.
    pub event: String,
    /// `{"payload": …, "large": […]}`: the canonical payload and the integers in it that are too large for a number.
    pub payload: String,
}

/// Reads what an agent sends to its hooks.
#[napi(catch_unwind)]
pub fn from_wire(dialect: String, data: String) -> Result<NativeWireEvent, CodedError> {
    let event = event_from_wire(&dialect, &data).map_err(|error| coded(&error))?;
    let payload = Value::Object(event.payload);
    let large = large_integers(&payload);
    let payload = json!({"payload": payload, "large": large});
    Ok(NativeWireEvent { event: event.event.to_owned(), payload: payload.to_string() })
}

/// What a hook leaves for its agent, from an outcome's canonical JSON text.
#[napi(catch_unwind)]
pub fn to_wire(dialect: String, outcome: String) -> Result<NativeWireAnswer, CodedError> {
    let outcome = from_json(&outcome).unwrap_or_else(|_| json!({}));
    let answer = outcome_to_wire(&dialect, &outcome).map_err(|error| coded(&error))?;
    Ok(NativeWireAnswer {
        exit_code: answer.exit_code,
        stdout: answer.stdout,
        stderr: answer.stderr,
        degraded: answer.degraded,
    })
}
