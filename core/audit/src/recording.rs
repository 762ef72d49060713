//! Recordings: what dispatches were about and what came of them, to be replayed against other hooks.
//!
//! A recording is a file with one line of JSON for each dispatch. `hookweave record` names it in the environment of a program
//! ([`FILE`]), and from then on every client in that program and in those that it starts adds to it, in any language.
//! Without it a client records nothing and has no overhead.

mod came;
mod recorder;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::REDACTED;
use hookweave_clock::now_ms;
use hookweave_machine::json::from_json;
use hookweave_machine::observer::payload_json;
use hookweave_machine::outcome::Outcome;
use hookweave_machine::payload::Host;

pub use came::Came;
pub use recorder::{FILE, MAX_BYTES, Recorder, SECRETS, USUAL_MAX_BYTES};

/// The version of the format.
pub const VERSION: u32 = 1;

/// The largest payload that is recorded, as JSON text in bytes.
const LARGEST_PAYLOAD: usize = 4 * 1024 * 1024;

/// One recorded dispatch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// The format's version, [`VERSION`].
    pub hookweave_record: u32,
    /// When, in milliseconds since the epoch.
    pub time_ms: u64,
    /// The agent that raised it, when it was one that runs `hookweave hook`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The dialects and scopes whose hooks it was asked of, where that is known; all of them when it names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sources: Option<Vec<String>>,
    /// The hooks files that were named instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The event.
    pub event: String,
    /// Its fields by the engine's names, as they came.
    #[serde(default)]
    pub payload: Map<String, Value>,
    /// Why the payload is not there, when it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// What came of it.
    pub came: Came,
}

impl Recorded {
    /// A dispatch of a payload that is JSON already.
    pub fn new<H: Host, T>(host: &H, outcome: &Outcome<T, H::Value>, payload: Map<String, Value>) -> Self {
        Self {
            hookweave_record: VERSION,
            time_ms: now_ms(),
            agent: None,
            sources: None,
            files: Vec::new(),
            event: outcome.event().name().to_owned(),
            payload,
            left_out: None,
            came: Came::of(host, outcome),
        }
    }

    /// A dispatch with its payload as it came, in the engine's own spelling.
    pub(crate) fn of<H: Host, T>(host: &H, outcome: &Outcome<T, H::Value>) -> Self {
        let text = payload_json(host, outcome.event(), outcome.first_payload(), LARGEST_PAYLOAD);
        let payload = text.and_then(|text| from_json(&text).map_err(|why| why.to_string()));
        let mut recorded = Self::new(host, outcome, Map::new());
        match payload {
            Ok(Value::Object(payload)) => recorded.payload = payload,
            Ok(_) => recorded.left_out = Some("the payload is no object".to_owned()),
            Err(why) => recorded.left_out = Some(why),
        }
        recorded
    }

    /// Whether secrets were redacted in the event: hooks may decide otherwise without them.
    #[must_use]
    pub fn is_redacted(&self) -> bool {
        self.payload.values().any(holds_redacted)
    }
}

fn holds_redacted(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(REDACTED),
        Value::Array(items) => items.iter().any(holds_redacted),
        Value::Object(fields) => fields.iter().any(|(name, value)| name.contains(REDACTED) || holds_redacted(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
