//! Redaction of the content of spans.

use hookweave_host::audit::Redaction;
use hookweave_host::json::from_json;
use napi_derive::napi;

use crate::errors::{CodedError, coded};

/// JSON text without the secrets in it.
#[napi(catch_unwind)]
pub fn redacted(text: String) -> Result<String, CodedError> {
    let unreadable = |error: serde_json::Error| CodedError::new("payload_not_json".to_owned(), error.to_string());
    let mut value = from_json(&text).map_err(unreadable)?;
    Redaction::default().apply(&mut value).map_err(|error| coded(&error))?;
    Ok(value.to_string())
}
