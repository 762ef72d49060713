//! Counts the calls of a tool and refuses those beyond a limit.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};

use hookweave_machine::Error;
use hookweave_machine::dispatch::HandlerResult;
use hookweave_machine::payload::Host;
use hookweave_machine::read::Reader;
use hookweave_machine::sessions::SessionLookup;

/// The largest limit: each call that counts is remembered.
pub(crate) const MOST: usize = 100_000;

/// The sessions and agents whose calls are remembered; beyond, all others count as one.
const MOST_COUNTED: usize = 10_000;

/// For how long calls count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Per {
    /// As long as the session lasts.
    Session,
    /// From one prompt to the next.
    Turn,
    /// So many milliseconds.
    Milliseconds(f64),
}

impl Per {
    pub(crate) fn read<H: Host>(reader: &Reader<'_, H>) -> Result<Self, Error> {
        if reader.value("per").is_none() {
            return Ok(Self::Session);
        }
        if reader.text("per").is_ok() {
            let word = reader.word("per", &[("session", Self::Session), ("turn", Self::Turn)])?;
            return Ok(word.unwrap_or(Self::Session));
        }
        match reader.duration_ms("per")? {
            Some(ms) if ms > 0.0 && ms.is_finite() => Ok(Self::Milliseconds(ms)),
            _ => Err(reader.refuse("per", "must be `session`, `turn` or a time greater than 0")),
        }
    }
}

impl std::fmt::Display for Per {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Session => f.write_str("per session"),
            Self::Turn => f.write_str("per turn"),
            Self::Milliseconds(ms) => write!(f, "in {} seconds", ms / 1000.0),
        }
    }
}

/// A limit with the calls that were made.
#[derive(Debug)]
pub struct Limit {
    tool: String,
    max: usize,
    per: Per,
    /// Calls whose session is not known count together.
    in_session: bool,
    counted: Mutex<FxHashMap<Whose, Counted>>,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let calls = if self.max == 1 { "call" } else { "calls" };
        write!(f, "{} {calls} of {} {}", self.max, self.tool, self.per)
    }
}

impl PartialEq for Limit {
    /// What was counted is no setting.
    fn eq(&self, other: &Self) -> bool {
        (&self.tool, self.max, self.per) == (&other.tool, other.max, other.per)
    }
}

/// A session and an agent in it.
type Whose = (String, String);

/// The calls that count, each by its id and the time of its dispatch: one that is checked again is no other.
#[derive(Debug, Default)]
struct Counted {
    turn: Option<u64>,
    calls: FxHashMap<(String, String), f64>,
}

impl Limit {
    pub(crate) fn new(tool: &str, max: usize, per: Per) -> Self {
        Self { tool: tool.to_owned(), max, per, in_session: true, counted: Mutex::default() }
    }

    /// The same for calls without a session.
    pub(crate) fn without_session(&self) -> Self {
        Self { in_session: false, ..Self::new(&self.tool, self.max, self.per) }
    }

    pub(super) fn answer(&self, payload: &Map<String, Value>, sessions: &dyn SessionLookup) -> HandlerResult<Value> {
        let text = |field: &str| match payload.get(field) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        let session = if self.in_session { text("session_id") } else { String::new() };
        let agent = text("agent_id");
        let facts = sessions.facts(&session, Some(agent.as_str()).filter(|agent| !agent.is_empty()));
        let turn = facts.map(|facts| facts.turn).filter(|_| self.per == Per::Turn);
        // A time that is no number is the latest: its call counts for ever.
        let at = payload.get("timestamp").and_then(Value::as_f64).unwrap_or(f64::MAX);
        let call = (text("tool_use_id"), text("timestamp"));
        if self.counts((session, agent), call, at, turn) {
            return HandlerResult::Nothing;
        }
        let reason = format!("the limit of {self} is reached; continue without it");
        HandlerResult::Answer(json!({"action": "block", "reason": reason}))
    }

    /// Counts a call; false when it is beyond the limit.
    fn counts(&self, whose: Whose, call: (String, String), at: f64, turn: Option<u64>) -> bool {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = counted.contains_key(&whose) || counted.len() < MOST_COUNTED;
        let Counted { turn: known, calls } =
            counted.entry(if is_known { whose } else { Whose::default() }).or_default();
        if *known != turn {
            *known = turn;
            calls.clear();
        }
        if let Per::Milliseconds(ms) = self.per {
            calls.retain(|_, made| *made > at - ms);
        }
        if calls.contains_key(&call) {
            return true;
        }
        let has_room = calls.len() < self.max;
        if has_room {
            calls.insert(call, at);
        }
        has_room
    }
}
