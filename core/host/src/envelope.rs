//! What every event carries, where its host leaves it out.
//!
//! The same rule in all languages: a field that is missing or null is filled in once per dispatch, and other values stay as
//! they are, also those of a wrong type. Matchers and the audit log use the payload as the host gave it.

use std::sync::OnceLock;

use serde_json::{Map, Value};

use hookweave_machine::directory::Directory;
use hookweave_machine::error::{Code, Error};
use hookweave_machine::event::EventSpec;
use hookweave_machine::payload::{Host, Kind};

/// The fields that the engine fills in, in the order in which they are shown after `event_type`.
pub const FILLED_IN: [&str; 5] = ["session_id", "timestamp", "tool_use_id", "cwd", "metadata"];

/// What the engine fills in where a host leaves it out, once per dispatch and only when asked.
#[derive(Debug)]
pub struct Envelope {
    session_id: OnceLock<Value>,
    timestamp: Value,
    tool_use_id: OnceLock<Value>,
    directory: OnceLock<Directory>,
    cwd: OnceLock<Option<Value>>,
    metadata: Value,
}

impl Envelope {
    /// For a dispatch that begins at a time, in milliseconds since the epoch.
    #[must_use]
    pub fn new(began_ms: u64) -> Self {
        Self {
            session_id: OnceLock::new(),
            timestamp: began_ms.into(),
            tool_use_id: OnceLock::new(),
            directory: OnceLock::new(),
            cwd: OnceLock::new(),
            metadata: Value::Object(Map::new()),
        }
    }

    /// Says where the events of the client happen that dispatches; the first one stays.
    pub fn place(&self, directory: &Directory) {
        _ = self.directory.set(directory.clone());
    }

    /// The value of a field that the host omits or sets to null; `None` for a field that the engine does not fill in.
    ///
    /// Only events about tools have a `tool_use_id`, and there is no `cwd` if the working directory was deleted.
    pub fn value(&self, field: &str, has_tool_use_id: bool) -> Option<&Value> {
        let new_id = || hookweave_clock::new_id().into();
        match field {
            "session_id" => Some(self.session_id.get_or_init(new_id)),
            "timestamp" => Some(&self.timestamp),
            "tool_use_id" if has_tool_use_id => Some(self.tool_use_id.get_or_init(new_id)),
            "cwd" => {
                let now = || self.directory.get_or_init(Directory::default).now().map(|now| now.into_owned().into());
                self.cwd.get_or_init(now).as_ref()
            }
            "metadata" => Some(&self.metadata),
            _ => None,
        }
    }

    /// A payload with all of it, in the order in which fields are shown.
    #[must_use]
    pub fn fill(&self, event: &EventSpec, given: &Map<String, Value>) -> Map<String, Value> {
        self.fill_as(event.name(), has_tool_use_id(event), given)
    }

    /// [`fill`](Self::fill) for an event that is known by name alone.
    pub fn fill_as(&self, event: &str, has_tool_use_id: bool, given: &Map<String, Value>) -> Map<String, Value> {
        let mut whole = Map::new();
        whole.insert("event_type".to_owned(), event.into());
        for field in FILLED_IN {
            if is_missing(given.get(field))
                && let Some(value) = self.value(field, has_tool_use_id)
            {
                whole.insert(field.to_owned(), value.clone());
            }
        }
        for (name, value) in given {
            if !whole.contains_key(name) {
                whole.insert(name.clone(), value.clone());
            }
        }
        whole
    }
}

/// Whether a field counts as missing, so that the engine fills it in.
#[must_use]
pub fn is_missing(given: Option<&Value>) -> bool {
    given.is_none_or(Value::is_null)
}

/// Whether events of this kind have the id of a tool call.
#[must_use]
pub fn has_tool_use_id(event: &EventSpec) -> bool {
    event.built_in().is_some() && event.may_have("tool_use_id")
}

/// Refuses a payload whose working directory is no text: guards would look at another place, or at none.
pub fn check_payload<'v, H: Host>(host: &'v H, payload: &H::View<'v>) -> Result<(), Error> {
    let Some(cwd) = host.field(payload, "cwd") else { return Ok(()) };
    match host.kind(&cwd) {
        Kind::Absent | Kind::Null | Kind::Text(_) | Kind::BadText => Ok(()),
        kind => {
            let message = format!("`cwd` of an event must be the path of a directory as text, is {}", kind.words());
            Err(Error::new(Code::InvalidPayload, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_missing_or_null_is_filled_in_once_and_what_is_given_stays() {
        let envelope = Envelope::new(7);
        let given = json!({"session_id": null, "metadata": [1], "tool": "Bash", "event_type": "tool:pre"});
        let Value::Object(given) = given else { unreachable!() };
        let whole = envelope.fill_as("PreToolUse", true, &given);
        assert_eq!((&whole["event_type"], &whole["timestamp"]), (&json!("PreToolUse"), &json!(7)));
        assert_eq!((&whole["metadata"], &whole["tool"]), (&json!([1]), &json!("Bash")));
        for field in FILLED_IN.into_iter().filter(|field| is_missing(given.get(*field))) {
            assert_eq!(envelope.value(field, true), Some(&whole[field]), "{field}");
        }
        assert_eq!(whole, envelope.fill_as("PreToolUse", true, &given));
        assert_eq!((envelope.value("tool_use_id", false), envelope.value("agent_id", true)), (None, None));
    }
}
