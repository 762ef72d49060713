//! The sessions that are open, as far as conditions may know of them.

use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

/// What conditions may know of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SessionFacts {
    /// Prompts so far.
    pub turn: u64,
    /// Tools that have run so far, those of subagents too.
    pub tool_calls: u64,
    /// Those of them that failed.
    pub tool_failures: u64,
    /// Calls of the model so far, those of subagents too.
    pub model_calls: u64,
    /// When the session was opened, in milliseconds since the epoch.
    pub started: u64,
    /// How long ago that was, in milliseconds.
    pub age_ms: u64,
}

impl SessionFacts {
    /// The names of the facts.
    pub(crate) const NAMES: &'static [&'static str] =
        &["turn", "tool_calls", "tool_failures", "model_calls", "started", "age_ms"];

    /// A fact by its name.
    pub(crate) fn get(&self, name: &str) -> Option<u64> {
        Some(match name {
            "turn" => self.turn,
            "tool_calls" => self.tool_calls,
            "tool_failures" => self.tool_failures,
            "model_calls" => self.model_calls,
            "started" => self.started,
            "age_ms" => self.age_ms,
            _ => return None,
        })
    }
}

/// Knows the sessions of a client.
pub trait SessionLookup: Debug + Send + Sync {
    /// What is known of a session by its id, and the subagent in it that an event belongs to; `None` when it is not open.
    fn facts(&self, session: &str, agent: Option<&str>) -> Option<SessionFacts>;
}

/// Where the machine learns about the sessions of its client; nowhere before one is opened.
#[derive(Debug, Clone, Default)]
pub struct Sessions(Arc<OnceLock<Arc<dyn SessionLookup>>>);

impl Sessions {
    /// Sets who knows them; the first stays.
    pub fn set(&self, lookup: Arc<dyn SessionLookup>) {
        self.0.get_or_init(|| lookup);
    }

    pub(crate) fn facts(&self, session: &str, agent: Option<&str>) -> Option<SessionFacts> {
        self.0.get()?.facts(session, agent)
    }
}

impl PartialEq for Sessions {
    /// Which sessions are open is no setting.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
