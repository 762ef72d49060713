//! What each end is set to, and the limits that both keep.

use crate::backoff::Backoff;
use crate::grants::Grants;

/// The version of the protocol.
pub const VERSION: u32 = 1;

/// The longest message, in bytes, unless set otherwise.
pub const MAX_MESSAGE: u32 = 4 * 1024 * 1024;

/// How long a first message, a welcome or an acknowledgement is waited for, in milliseconds.
pub(crate) const PATIENCE_MS: u64 = 10_000;

/// What both ends bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Events that a worker has at once; the lower bound of both ends counts.
    pub in_flight: u32,
    /// The longest message, in bytes.
    pub max_message: u32,
    /// How long a connection may be silent before it is asked whether it is there, in milliseconds.
    pub keepalive_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { in_flight: 64, max_message: MAX_MESSAGE, keepalive_ms: 15_000 }
    }
}

/// What an agent is set to.
#[derive(Debug, Clone)]
pub struct HubSettings {
    /// The token that workers must have; `None` takes any.
    pub token: Option<String>,
    /// What workers may do.
    pub grants: Grants,
    /// The bounds of a connection.
    pub limits: Limits,
    /// Events that wait for a worker that has as many as it takes.
    pub queue: usize,
    /// Hooks of one worker.
    pub max_hooks: usize,
    /// Workers that are known at once, those that are lost included, and connections that said nothing yet.
    pub max_workers: usize,
    /// Messages within a second that nobody asked the worker for.
    pub max_unasked: u32,
}

impl Default for HubSettings {
    fn default() -> Self {
        Self {
            token: None,
            grants: Grants::default(),
            limits: Limits::default(),
            queue: 1024,
            max_hooks: 1000,
            max_workers: 1000,
            max_unasked: 5000,
        }
    }
}

/// What a worker is set to.
#[derive(Debug, Clone)]
pub struct WorkerSettings {
    /// The worker's name, the same after a restart, for one worker at a time.
    pub name: String,
    /// This run of the worker: random.
    pub instance: String,
    /// What the agent wants to know.
    pub token: Option<String>,
    /// The bounds of a connection.
    pub limits: Limits,
    /// How long it waits before it connects again.
    pub backoff: Backoff,
}

impl WorkerSettings {
    /// A worker of a name, and the random id of this run of it.
    pub fn new(name: impl Into<String>, instance: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            instance: instance.into(),
            token: None,
            limits: Limits::default(),
            backoff: Backoff::default(),
        }
    }
}

/// Whether a worker may be called so: its name is a part of messages and of ids.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    (1..=64).contains(&name.len()) && name.bytes().all(fits)
}
