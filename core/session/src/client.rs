//! What a session has from the client that opens it.

use std::sync::Arc;

use hookweave_machine::observer::Observer;
use hookweave_machine::options::{Directory, Profile};
use hookweave_machine::registry::Registry;
use hookweave_machine::sessions::Sessions;
use hookweave_machine::tool::KnownTools;

/// What a session has from the client that opens it.
#[derive(Debug, Clone)]
pub struct Client {
    /// Some systems report more of a failed run, or take silence for consent.
    pub(super) profile: &'static Profile,
    /// Where its events happen, when the session does not say so itself.
    pub(super) directory: Directory,
    /// The tools that the host has defined, also later.
    pub(super) tools: Arc<KnownTools>,
    /// Where its conditions learn about open sessions.
    pub(super) sessions: Sessions,
    /// Who keeps a record of tool calls and approvals.
    pub(super) observer: Option<Arc<dyn Observer>>,
}

impl Client {
    /// The client with these hooks.
    #[must_use]
    pub fn of<T>(registry: &Registry<T>) -> Self {
        Self {
            profile: registry.options().profile,
            directory: registry.options().directory.clone(),
            tools: Arc::clone(registry.known_tools()),
            sessions: registry.options().sessions.clone(),
            observer: registry.observer().cloned(),
        }
    }
}
