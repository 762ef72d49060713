//! What spans of dispatches and tool calls may say.

use hookweave::audit::Redaction;
use hookweave::host::from_json;
use napi_derive::napi;

use crate::error::{Refusal, refuse};

/// JSON text without the secrets in it.
#[napi(catch_unwind)]
pub fn redacted(text: String) -> Result<String, Refusal> {
    let unreadable = |error: serde_json::Error| Refusal::new("payload_not_json".to_owned(), error.to_string());
    let mut value = from_json(&text).map_err(unreadable)?;
    Redaction::default().apply(&mut value).map_err(|error| refuse(&error))?;
    Ok(value.to_string())
}
