//! The engine for programs written in Rust.

mod audit;
mod blocking;
mod builder;
mod clock;
mod closing;
mod deadline;
mod detached;
mod dispatching;
mod driver;
mod event;
mod fast_path;
mod file_hooks;
mod handler;
mod hook_run;
mod in_place;
mod nesting;
mod outcome;
mod outside_hook;
mod panics;
pub(crate) mod remote;
mod session;
mod shared;
mod temporary_hook;
mod watching;
mod wording;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use handler::Code;
use hookweave_host::clock::present;
use hookweave_host::error::{Code as ErrorCode, Error};
use hookweave_host::event::{BUILT_IN, CatalogueEntry, EventDefinition, EventSpec};
use hookweave_host::explain::{Explanation, explain};
use hookweave_host::guard::Guard;
use hookweave_host::hook_id;
use hookweave_host::json::Json;
use hookweave_host::matcher::Rules;
use hookweave_host::options::{Options, Profile};
use hookweave_host::registry::{HookInfo, Registry};
use hookweave_host::stats::Stats;
use hookweave_host::tool::ToolDefinition;

pub use builder::{EngineBuilder, Registration};
pub use detached::LateAnswer;
pub use event::Event;
pub use handler::{Handler, HookFuture};
pub use in_place::HookContext;
pub use outcome::Outcome;
pub use session::*;
pub use temporary_hook::TemporaryHook;

pub(crate) use outside_hook::OutsideCode;
pub(crate) use panics::panic_message;

use detached::Detached;
use shared::Shared;

use crate::response::{HookError, HookResponse};

/// Registers hooks and dispatches events to them.
///
/// Cheap to clone; clones share their hooks.
///
/// ```
/// use hookweave::{Engine, Event, HookResponse};
/// use serde_json::json;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let engine = Engine::new();
/// engine.on("PreToolUse").tool("Bash").run(|event: &Event| {
///     let command = event.args()["command"].as_str().unwrap_or_default();
///     command.contains("rm -rf /").then(|| HookResponse::block("dangerous command"))
/// })?;
/// let outcome = engine.dispatch(Event::pre_tool_use("Bash", json!({"command": "rm -rf /"}))).await?;
/// assert!(outcome.blocked());
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Engine {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    registry: Registry<Code>,
    enabled: AtomicBool,
    detached: Arc<Detached>,
    hosted: Hosted,
    file_hooks: file_hooks::FileHooks,
    audit: Arc<hookweave_host::audit::Audit>,
    /// Hooks came, went or were switched: an agent that has them is told.
    changed: tokio::sync::watch::Sender<()>,
}

impl Default for Inner {
    fn default() -> Self {
        Self::new(Options::default(), hookweave_host::file_hook::Settings::default())
    }
}

impl Inner {
    fn new(options: Options, settings: hookweave_host::file_hook::Settings) -> Self {
        let (enabled, max_detached) = (options.enabled, options.max_detached);
        let registry = Registry::new(options);
        let audit = hookweave_host::audit::Audit::new();
        registry.watch(audit.clone());
        Self {
            enabled: AtomicBool::new(enabled),
            detached: Arc::new(Detached::new(max_detached)),
            registry,
            hosted: Hosted::default(),
            file_hooks: file_hooks::FileHooks::new(settings),
            audit,
            changed: tokio::sync::watch::Sender::new(()),
        }
    }
}

impl Engine {
    /// An engine with the default profile.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub(crate) fn of_profile(profile: &'static Profile) -> Self {
        let inner = Inner::new(Options::of(profile), hookweave_host::file_hook::Settings::default());
        Self { inner: Arc::new(inner) }
    }

    /// An engine with settings of its own.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    pub(crate) fn with_settings(settings: &serde_json::Value) -> Result<Self, Error> {
        let inner =
            Inner::new(Options::read(&Json, &settings)?, hookweave_host::file_hook::Settings::read(&Json, &settings)?);
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Begins to register a hook for an event, by its name or an alias.
    pub fn on(&self, event: impl Into<String>) -> Registration {
        Registration::new(self.clone(), event.into())
    }

    /// Refuses the tool calls that a permission rule selects, or one of several; gives the hook's id.
    ///
    /// The hook has no handler: it cannot fail, it is mandatory, and it looks again at what later hooks change.
    ///
    /// ```
    /// # fn main() -> Result<(), hookweave::Error> {
    /// let engine = hookweave::Engine::new();
    /// engine.guard("Bash(rm -rf *)", "deleting whole folders is forbidden")?;
    /// engine.guard(["Bash(sudo *)", "Bash(su *)"], "no other user's rights")?;
    /// # Ok(()) }
    /// ```
    pub fn guard(&self, rule: impl Into<Rules>, reason: impl AsRef<str>) -> Result<String, Error> {
        self.register_guard(Guard::block(rule, reason.as_ref())?)
    }

    /// The same as [`Self::guard`] under a name of its own, by which outcomes, traces and the log call it.
    pub fn named_guard(&self, name: &str, rule: impl Into<Rules>, reason: impl AsRef<str>) -> Result<String, Error> {
        self.register_guard(Guard::block(rule, reason.as_ref())?.named(name))
    }

    /// Has a person asked before the tool calls that a permission rule selects, or one of several; gives the hook's id.
    ///
    /// As [`Self::guard`] it cannot fail and is mandatory. Without a prompt the question names the tool.
    pub fn ask_before(&self, rule: impl Into<Rules>, prompt: Option<&str>) -> Result<String, Error> {
        self.register_guard(Guard::ask(rule, prompt)?)
    }

    /// The same as [`Self::ask_before`] under a name of its own.
    pub fn named_ask_before(&self, name: &str, rule: impl Into<Rules>, prompt: Option<&str>) -> Result<String, Error> {
        self.register_guard(Guard::ask(rule, prompt)?.named(name))
    }

    fn register_guard(&self, Guard { spec, decision }: Guard) -> Result<String, Error> {
        let answer = decision.answer();
        let answer = move |_: &Event| {
            HookResponse::from_json(answer.clone()).map_err(|other| HookError::from(format!("{other} is no answer")))
        };
        Registration::new(self.clone(), spec.event.clone()).spec(spec).run(answer)
    }

    /// Removes a hook; false when it is not there (any more).
    pub fn unregister_hook(&self, id: &str) -> bool {
        let removed = hook_id(id).is_ok_and(|id| self.inner.registry.unregister(id));
        self.hooks_changed();
        removed
    }

    /// Switches a hook on.
    pub fn enable_hook(&self, id: &str) -> Result<(), Error> {
        self.inner.registry.set_enabled(hook_id(id)?, true)?;
        self.hooks_changed();
        Ok(())
    }

    /// Switches a hook off; it stays registered.
    pub fn disable_hook(&self, id: &str) -> Result<(), Error> {
        self.inner.registry.set_enabled(hook_id(id)?, false)?;
        self.hooks_changed();
        Ok(())
    }

    /// Tells an agent that has this engine's hooks.
    fn hooks_changed(&self) {
        self.inner.changed.send_replace(());
    }

    /// Every hook, in the order in which they run.
    #[must_use]
    pub fn list_hooks(&self) -> Vec<HookInfo> {
        self.inner.registry.list()
    }

    /// Switches the whole engine on or off; switched off, every dispatch continues.
    pub fn set_enabled(&self, enabled: bool) {
        self.inner.enabled.store(enabled, Ordering::Release);
    }

    /// Whether dispatches run any hook.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.inner.enabled.load(Ordering::Acquire)
    }

    /// Adds a custom event.
    pub fn define_event(&self, name: &str, gate: bool, modifiable: &[&str]) -> Result<(), Error> {
        let modifiable = modifiable.iter().map(|&field| field.to_owned()).collect();
        self.inner.registry.define_event(&EventDefinition { name: name.to_owned(), gate, modifiable })
    }

    /// Says which known tool a host's tool is, and which of its arguments hold a command and file paths.
    pub fn define_tool(&self, definition: ToolDefinition) -> Result<(), Error> {
        self.inner.registry.define_tool(definition.clone())?;
        self.inner.file_hooks.define_tool(definition);
        Ok(())
    }

    /// Every event that the engine knows by itself, as data; the fields that all events have are not repeated.
    #[must_use]
    pub const fn catalogue(&self) -> &'static [CatalogueEntry] {
        BUILT_IN
    }

    /// What each hook did so far, and what is wrong with it; see [`hookweave_host::stats`].
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.inner.registry.stats(present(), false)
    }

    /// What each hook did so far; counts begin anew.
    pub fn reset_stats(&self) -> Stats {
        self.inner.registry.stats(present(), true)
    }

    /// Begins to open a session.
    #[must_use]
    pub fn session(&self) -> SessionBuilder {
        SessionBuilder::new(self.clone())
    }

    /// Makes a tool known to the sessions of this engine, in place of another one of that name.
    pub fn register_tool(&self, name: &str, tool: Arc<dyn Tool>) {
        self.inner.hosted.add_tool(name, tool);
    }

    /// Sets the model of this engine's sessions.
    pub fn register_model(&self, model: Arc<dyn Model>) {
        self.inner.hosted.set_model(model);
    }

    pub(crate) fn hosted(&self) -> &Hosted {
        &self.inner.hosted
    }

    /// The event of a name or alias.
    pub(crate) fn resolve(&self, event: &str) -> Result<Arc<EventSpec>, Error> {
        self.inner.registry.resolve(event)
    }

    /// Who keeps a record of what sessions do.
    /// What a session has from this engine.
    pub(crate) fn for_session(&self) -> hookweave_host::session::Client {
        hookweave_host::session::Client::of(&self.inner.registry)
    }

    /// Refuses what a closed engine can no longer do.
    pub(crate) fn check_open(&self, what: &str) -> Result<(), Error> {
        self.inner.registry.check_open(what).map_err(wording::in_rust)
    }

    /// Says which hooks an event would run, and why not the others, without running anything.
    pub fn explain(&self, event: &Event) -> Result<Explanation, Error> {
        self.check_open("explain events")?;
        let snapshot = self.inner.registry.snapshot();
        let spec = snapshot.resolve(event.name())?;
        let event = event.clone().resolved(&spec, &snapshot.options().directory, self.inner.registry.known_tools())?;
        Ok(explain(&snapshot, &Shared, &spec, &event.payload()))
    }

    /// Sets the callback for answers of detached hooks; it is called on the runtime that ran the hook. Without one such an
    /// answer is logged.
    pub fn on_late_answer(&self, listener: impl Fn(LateAnswer) + Send + Sync + 'static) {
        self.inner.detached.listen(Arc::new(listener));
    }

    /// Waits until no detached hook runs; false when the time is up before.
    pub async fn drain(&self, limit: Duration) -> bool {
        self.inner.detached.drain(limit).await
    }
}

/// A payload that is not an object.
pub(crate) fn not_an_object(event: &str) -> Error {
    Error::new(
        ErrorCode::InvalidPayload,
        format!("the payload of {event} must be an object, such as `json!({{\"tool\": \"Bash\", \"args\": {{}}}})`"),
    )
}
