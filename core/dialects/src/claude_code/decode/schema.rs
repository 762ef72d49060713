//! Which JSON objects are answers: the fields that a hook may print and what they may hold.
//!
//! Unknown fields are no mistake. A known field of another type or with an unknown word voids the whole answer.

use serde_json::{Map, Value};

use crate::claude_code::events::{ClaudeEvent, Holds};
use crate::output::{kind, shown};
use hookweave_machine::error::did_you_mean;

/// Fields that every event shares.
const UNIVERSAL: &[(&str, Holds)] = &[
    ("continue", Holds::Flag),
    ("stopReason", Holds::Text),
    ("suppressOutput", Holds::Flag),
    ("systemMessage", Holds::Text),
    ("terminalSequence", Holds::Text),
    ("decision", Holds::OneOf(&["approve", "block"])),
    ("reason", Holds::Text),
];

/// Says what is wrong with an answer.
pub(crate) fn check(known: &ClaudeEvent, answer: &Map<String, Value>) -> Result<(), String> {
    for (name, holds) in UNIVERSAL {
        field(name, *holds, answer.get(*name))?;
    }
    let specific = match answer.get("hookSpecificOutput") {
        None => return Ok(()),
        Some(Value::Object(specific)) => specific,
        Some(other) => return Err(format!("`hookSpecificOutput` must be an object, is {}", kind(other))),
    };
    if known.specific.is_empty() {
        return Err(format!("{} has no `hookSpecificOutput`", known.name));
    }
    match specific.get("hookEventName") {
        Some(Value::String(name)) if name == known.name => {}
        Some(Value::String(name)) => {
            return Err(format!("`hookSpecificOutput.hookEventName` must be {}, is `{}`", known.name, shown(name)));
        }
        Some(other) => return Err(format!("`hookSpecificOutput.hookEventName` must be a string, is {}", kind(other))),
        None => return Err(format!("`hookSpecificOutput.hookEventName` is missing; it must be {}", known.name)),
    }
    for (name, holds) in known.specific {
        field(&format!("hookSpecificOutput.{name}"), *holds, specific.get(*name))?;
    }
    Ok(())
}

fn field(name: &str, holds: Holds, value: Option<&Value>) -> Result<(), String> {
    let Some(value) = value else { return Ok(()) };
    let wanted = match (holds, value) {
        (Holds::Anything, _)
        | (Holds::Text, Value::String(_))
        | (Holds::Flag, Value::Bool(_))
        | (Holds::Object, Value::Object(_)) => return Ok(()),
        (Holds::Texts, Value::Array(items)) if items.iter().all(Value::is_string) => return Ok(()),
        (Holds::Ruling, Value::Object(ruling)) => return self::ruling(name, ruling),
        (Holds::OneOf(words), Value::String(word)) => {
            if words.contains(&word.as_str()) {
                return Ok(());
            }
            let hint = did_you_mean(word, words.iter().copied());
            return Err(format!("`{name}`: unknown word `{}`{hint}; known are {}", shown(word), words.join(", ")));
        }
        (Holds::Text | Holds::OneOf(_), _) => "a string",
        (Holds::Flag, _) => "true or false",
        (Holds::Object | Holds::Ruling, _) => "an object",
        (Holds::Texts, _) => "a list of strings",
    };
    Err(format!("`{name}` must be {wanted}, is {}", kind(value)))
}

/// The decision of a `PermissionRequest` hook.
fn ruling(name: &str, ruling: &Map<String, Value>) -> Result<(), String> {
    let inner = |field: &str| format!("{name}.{field}");
    let behavior = ruling.get("behavior").ok_or_else(|| format!("`{}` is missing", inner("behavior")))?;
    field(&inner("behavior"), Holds::OneOf(&["allow", "deny"]), Some(behavior))?;
    field(&inner("message"), Holds::Text, ruling.get("message"))?;
    field(&inner("interrupt"), Holds::Flag, ruling.get("interrupt"))?;
    field(&inner("updatedInput"), Holds::Object, ruling.get("updatedInput"))?;
    match ruling.get("updatedPermissions") {
        None | Some(Value::Array(_)) => Ok(()),
        Some(other) => Err(format!("`{}` must be a list, is {}", inner("updatedPermissions"), kind(other))),
    }
}
