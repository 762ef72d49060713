//! JSON texts for the TypeScript layer, and the integers in them that a JavaScript number does not hold exactly.

use hookweave_host::json::{large_integer, to_json, to_shown};
use hookweave_host::payload::Host;
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Serialize;
use serde_json::{Value, json};

use crate::errors::{CodedError, from_napi};
use crate::values::Values;

/// The text of any value for people.
#[napi(catch_unwind)]
pub fn shown_text(env: Env, value: Unknown<'_>) -> Result<String, CodedError> {
    let values = Values::none(&env).map_err(from_napi)?;
    let slot = values.keep(&value);
    Ok(to_shown(&values, &values.view(&slot)))
}

/// A value's JSON text; throws `payload_not_json`.
#[napi(catch_unwind)]
pub fn json_text(env: Env, value: Unknown<'_>) -> Result<String, CodedError> {
    let values = Values::none(&env).map_err(from_napi)?;
    let slot = values.keep(&value);
    let text = to_json(&values, &values.view(&slot));
    text.map_err(|not_json| CodedError::new("payload_not_json".to_owned(), not_json.to_string()))
}

/// The integers in a value that a JavaScript number does not hold exactly: their paths and their digits.
pub(crate) fn large_integers(value: &Value) -> Vec<(Vec<Value>, String)> {
    const EXACT: u64 = 1 << 53;
    let mut found = Vec::new();
    let mut open = vec![(Vec::new(), value)];
    while let Some((place, value)) = open.pop() {
        let below = |step: Value| {
            let mut place = place.clone();
            place.push(step);
            place
        };
        match value {
            Value::Number(number) => {
                let size = number.as_i64().map(i64::unsigned_abs).or_else(|| number.as_u64());
                if size.is_some_and(|size| size > EXACT) {
                    found.push((place, number.to_string()));
                } else if let Some(digits) = large_integer(number) {
                    found.push((place, digits));
                }
            }
            Value::Array(items) => {
                open.extend(items.iter().enumerate().map(|(index, item)| (below(index.into()), item)));
            }
            Value::Object(fields) => {
                open.extend(fields.iter().map(|(name, item)| (below(name.as_str().into()), item)));
            }
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }
    found
}

/// A value as JSON text; an object gets a field `large` with the integers that a JavaScript number does not hold.
pub(crate) fn text_of(effect: &impl Serialize) -> Option<String> {
    let text = serde_json::to_string(effect).ok()?;
    if !may_hold_large_integers(&text) {
        return Some(text);
    }
    let mut effect = serde_json::to_value(effect).ok()?;
    let large = large_integers(&effect);
    if let (false, Value::Object(fields)) = (large.is_empty(), &mut effect) {
        fields.insert("large".to_owned(), json!(large));
    }
    Some(effect.to_string())
}

/// Whether a text has as many digits in a row as an integer that a number of JavaScript's does not hold.
fn may_hold_large_integers(text: &str) -> bool {
    const DIGITS: usize = 16;
    let mut digits = 0;
    text.bytes().any(|byte| {
        digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        digits >= DIGITS
    })
}
