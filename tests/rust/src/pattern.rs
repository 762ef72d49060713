//! Holds what came of a case against what it expects.

use serde_json::Value;

use crate::value::{escape, expand};

/// What to make of a member that is written as an empty value and is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// It fits: outcomes leave out what is empty.
    FitsEmpty,
    /// It does not.
    IsAFault,
}

/// Adds a line for each place where a value does not fit a pattern.
pub fn compare(place: &str, pattern: &Value, got: Option<&Value>, missing: Missing, faults: &mut Vec<String>) {
    let mut fault = |wanted: &str| {
        let shown = got.map_or_else(|| "nothing".to_owned(), Value::to_string);
        faults.push(format!("{place}: expected {wanted}, got {shown}"));
    };
    if let Value::Object(fields) = pattern {
        match escape(fields) {
            Some(("$contains", texts)) => {
                let whole = got.and_then(Value::as_str);
                for text in one_or_many(texts) {
                    if !whole.is_some_and(|whole| whole.contains(text)) {
                        fault(&format!("a text with `{text}`"));
                    }
                }
                return;
            }
            Some(("$absent", _)) => {
                if got.is_some() {
                    fault("nothing there");
                }
                return;
            }
            Some(("$kind", kind)) => {
                let fits = match (kind.as_str(), got) {
                    (Some("string"), Some(Value::String(text))) => !text.is_empty(),
                    (Some("number"), Some(Value::Number(_))) => true,
                    _ => false,
                };
                if !fits {
                    fault(&format!("a {kind}"));
                }
                return;
            }
            Some(_) => {
                if let Some(wanted) = expand(pattern)
                    && got != Some(&wanted)
                {
                    fault(&wanted.to_string());
                }
                return;
            }
            None => {}
        }
    }
    match (pattern, got) {
        (pattern, None) if missing == Missing::FitsEmpty && is_empty(pattern) => {}
        (Value::Object(fields), Some(Value::Object(found))) => {
            for (name, pattern) in fields {
                compare(&format!("{place}.{name}"), pattern, found.get(name), missing, faults);
            }
        }
        (Value::Array(items), Some(Value::Array(found))) if items.len() == found.len() => {
            for (index, (pattern, found)) in items.iter().zip(found).enumerate() {
                compare(&format!("{place}[{index}]"), pattern, Some(found), missing, faults);
            }
        }
        (Value::Number(wanted), Some(Value::Number(found))) => {
            if wanted != found && (wanted.as_f64() != found.as_f64() || !(wanted.is_f64() || found.is_f64())) {
                fault(&wanted.to_string());
            }
        }
        (pattern, Some(found)) if pattern == found => {}
        (pattern, _) => fault(&pattern.to_string()),
    }
}

fn is_empty(pattern: &Value) -> bool {
    match pattern {
        Value::Null | Value::Bool(false) => true,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// A text or a list of texts.
pub fn one_or_many(texts: &Value) -> Vec<&str> {
    match texts {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().into_iter().collect(),
    }
}
