//! A model's response, as the core reads it.

use hookweave_host::session::{Arguments, ParsedCall, ParsedResponse};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde_json::{Value, json};

use crate::errors::{CodedError, coded, from_napi};
use crate::json::text_of;
use crate::values::Values;

/// The parts of a model's response, as JSON text: `text`, `usage`, and the `calls`, each with its `tool`, its `id`, and
/// its `args` unless they are an object of the response. Throws `invalid_payload` for a response that cannot be read.
#[napi(catch_unwind)]
pub fn read_response(env: Env, response: Unknown<'_>) -> Result<String, CodedError> {
    let values = Values::none(&env).map_err(from_napi)?;
    let ParsedResponse { text, calls, usage } =
        hookweave_host::session::read_response(&values, &response).map_err(|error| coded(&error))?;
    let call = |ParsedCall { tool, id, args }: ParsedCall<_>| match args {
        Arguments::Parsed(args) => json!({"tool": tool, "id": id, "args": args}),
        Arguments::Given(_) => json!({"tool": tool, "id": id}),
    };
    let calls: Vec<Value> = calls.into_iter().map(call).collect();
    let parsed = json!({"text": text, "calls": calls, "usage": usage.to_string()});
    text_of(&parsed)
        .ok_or_else(|| CodedError::new("invalid_payload".to_owned(), "the model's response has no JSON form"))
}
