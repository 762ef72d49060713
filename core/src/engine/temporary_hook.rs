//! Hooks for the duration of a block.

use super::builder::Registration;
use super::{Engine, Session};
use hookweave_host::error::Error;

/// Keeps a hook registered; dropping it removes the hook.
#[derive(Debug)]
#[must_use = "the hook is removed when this is dropped"]
pub struct TemporaryHook {
    engine: Engine,
    id: String,
}

impl TemporaryHook {
    /// The hook's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Removes the hook, as dropping does.
    pub fn remove(self) {
        drop(self);
    }
}

impl Drop for TemporaryHook {
    fn drop(&mut self) {
        self.engine.unregister_hook(&self.id);
    }
}

impl Engine {
    /// Registers a hook for the duration of a block: it is removed when the result is dropped, also by an error or a panic.
    ///
    /// The closure completes the registration and returns the hook's id, as [`on`](Self::on) and
    /// [`Registration::run`] do.
    ///
    /// ```
    /// use hookweave::{Engine, Event, HookResponse};
    /// use serde_json::json;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
    /// let engine = Engine::new();
    /// {
    ///     let _hook = engine.temporary_hook("PreToolUse", |hook| {
    ///         hook.tool("Bash").run(|_: &Event| HookResponse::stop("maintenance"))
    ///     })?;
    ///     assert!(engine.dispatch(Event::pre_tool_use("Bash", json!({"command": "ls"}))).await?.blocked());
    /// }
    /// assert!(engine.list_hooks().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn temporary_hook(
        &self,
        event: impl Into<String>,
        register: impl FnOnce(Registration) -> Result<String, Error>,
    ) -> Result<TemporaryHook, Error> {
        self.keep(register(self.on(event).temporary()))
    }

    fn keep(&self, registered: Result<String, Error>) -> Result<TemporaryHook, Error> {
        registered.map(|id| TemporaryHook { engine: self.clone(), id })
    }
}

impl Session {
    /// Registers a hook for the duration of a block, for this session and its subagents; of a subagent for it alone.
    ///
    /// The session takes the place of what the registration says with `session`, and in a subagent with `agent`. An id that
    /// no pattern can name is `invalid_matcher`: an empty one, one with a `|`, or with white space at its ends.
    pub fn temporary_hook(
        &self,
        event: impl Into<String>,
        register: impl FnOnce(Registration) -> Result<String, Error>,
    ) -> Result<TemporaryHook, Error> {
        let engine = self.engine();
        let registration = engine.on(event).temporary().only_in(self.id(), self.agent_id())?;
        engine.keep(register(registration))
    }
}
