//! The engine for programs written in Rust.

#[cfg(feature = "native")]
mod audit;
mod blocking;
mod builder;
mod closing;
mod detached;
mod driver;
mod event;
mod flow;
mod in_place;
#[cfg(feature = "native")]
mod native;
mod outcome;
mod session;
mod shared;
#[cfg(feature = "native")]
mod watching;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tracing::Instrument as _;

use crate::dispatch::{begin, check_depth};
use crate::error::{Code as ErrorCode, Error};
use crate::event::{EventDefinition, EventSpec};
use crate::explain::{Explanation, explain};
use crate::handler::Code;
use crate::host::{hook_id, present, ticks};
use crate::index::Planned;
use crate::options::{Options, Profile};
use crate::outcome::Outcome as Folded;
use crate::payload::Json;
use crate::registry::{HookInfo, Registry};
use crate::stats::Stats;
use crate::tool::ToolDefinition;

pub use builder::{EngineBuilder, Registration};
pub use detached::LateAnswer;
pub use event::Event;
pub use in_place::HookContext;
pub use outcome::Outcome;
pub use session::*;

#[cfg(feature = "native")]
pub(crate) use native::NativeCode;

use detached::Detached;
use shared::Shared;

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
    #[cfg(feature = "native")]
    natives: native::Natives,
    #[cfg(feature = "native")]
    audit: Arc<crate::audit::Audit>,
}

impl Default for Inner {
    fn default() -> Self {
        Self::new(
            Options::default(),
            #[cfg(feature = "native")]
            crate::native::Settings::default(),
        )
    }
}

impl Inner {
    fn new(options: Options, #[cfg(feature = "native")] settings: crate::native::Settings) -> Self {
        let (enabled, max_detached) = (options.enabled, options.max_detached);
        let registry = Registry::new(options);
        #[cfg(feature = "native")]
        let audit = crate::audit::Audit::new();
        #[cfg(feature = "native")]
        registry.watch(audit.clone());
        Self {
            enabled: AtomicBool::new(enabled),
            detached: Arc::new(Detached::new(max_detached)),
            registry,
            hosted: Hosted::default(),
            #[cfg(feature = "native")]
            natives: native::Natives::new(settings),
            #[cfg(feature = "native")]
            audit,
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
        let inner = Inner::new(
            Options::of(profile),
            #[cfg(feature = "native")]
            crate::native::Settings::default(),
        );
        Self { inner: Arc::new(inner) }
    }

    /// An engine with settings of its own.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    pub(crate) fn with_settings(settings: &serde_json::Value) -> Result<Self, Error> {
        let inner = Inner::new(
            Options::read(&Json, &settings)?,
            #[cfg(feature = "native")]
            crate::native::Settings::read(&Json, &settings)?,
        );
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Begins to register a hook for an event, by its name or an alias.
    pub fn on(&self, event: impl Into<String>) -> Registration {
        Registration::new(self.clone(), event.into())
    }

    /// Removes a hook; false when it is not there (any more).
    pub fn unregister(&self, id: &str) -> bool {
        hook_id(id).is_ok_and(|id| self.inner.registry.unregister(id))
    }

    /// Switches a hook on.
    pub fn enable_hook(&self, id: &str) -> Result<(), Error> {
        self.inner.registry.set_enabled(hook_id(id)?, true)
    }

    /// Switches a hook off; it stays registered.
    pub fn disable_hook(&self, id: &str) -> Result<(), Error> {
        self.inner.registry.set_enabled(hook_id(id)?, false)
    }

    /// Every hook, in the order in which they run.
    #[must_use]
    pub fn hooks(&self) -> Vec<HookInfo> {
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
        #[cfg(feature = "native")]
        self.inner.natives.define_tool(definition);
        Ok(())
    }

    /// Runs the hooks that an event selects and folds what they say.
    ///
    /// A failed hook is not an error: it is in the trace, and its `fail_behavior` decided. An error is an event that
    /// nobody knows, a payload that is no object, a dispatch that is nested too deeply, or an engine that was closed.
    pub async fn dispatch(&self, event: Event) -> Result<Outcome, Error> {
        self.inner.registry.check_open("dispatch events")?;
        let depth = driver::depth();
        check_depth(depth)?;
        let snapshot = self.inner.registry.snapshot();
        let index = snapshot.event(event.name());
        let spec = index.map_or_else(|| snapshot.resolve(event.name()), |index| Ok(Arc::clone(index.spec())))?;
        let event = event.resolved(&spec)?;
        let is_enabled = self.is_enabled();
        let planned = index.filter(|_| is_enabled).map(|index| snapshot.plan(&Shared, index, &event.payload()));
        let Some(Planned { plan, reuse }) = planned else {
            if is_enabled {
                spec.count(1);
            }
            let unasked = Box::new(Folded::empty(snapshot, spec, Arc::clone(event.shared_payload())));
            #[cfg(feature = "native")]
            self.inner.audit.unasked(&Shared, &unasked);
            return Ok(Outcome::new(event, unasked));
        };
        let span = dispatch_span(&event);
        span.in_scope(|| {
            tracing::debug!(event = event.name(), selected = plan.calls().len(), depth, "hooks selected");
        });
        let step = begin(&Shared, snapshot, spec, plan, reuse, Arc::clone(event.shared_payload()));
        let running = driver::run(&self.inner.detached, self.starting(), step, event, depth);
        #[cfg_attr(not(feature = "native"), expect(unused_mut, reason = "only an audit can change an outcome"))]
        let (mut outcome, ended) = if span.is_disabled() {
            running.await
        } else {
            // In a box, so that those of whom nobody listens to spans need not carry it about.
            Box::pin(running.instrument(span.clone())).await
        };
        let ended = ticks(ended);
        #[cfg(feature = "native")]
        self.inner.audit.dispatched_at(&Shared, outcome.inner_mut(), ended, |wait| wait());
        if !span.is_disabled() {
            span.record("decision", outcome.decision().as_str());
            span.record("blocked", outcome.blocked());
        }
        if outcome.inner().count(ended) {
            self.tell_warnings();
        }
        Ok(outcome)
    }

    /// Records that a hook is about to run, where that is recorded.
    #[cfg(feature = "native")]
    fn starting(&self) -> Option<impl Fn(&mut driver::Staged, usize)> {
        let audit = &self.inner.audit;
        let starting = |stage: &mut driver::Staged, index| audit.starts(&Shared, stage, index, |wait| wait());
        (audit.effective() >= crate::audit::Level::Verbose).then_some(starting)
    }

    #[cfg(not(feature = "native"))]
    fn starting(&self) -> Option<impl Fn(&mut driver::Staged, usize)> {
        None::<fn(&mut driver::Staged, usize)>
    }

    #[cold]
    fn tell_warnings(&self) {
        for warning in self.inner.registry.new_warnings() {
            tracing::warn!(hook = %warning.hook, event = %warning.event, kind = ?warning.kind, "{warning}");
        }
    }

    /// What each hook did so far, and what is wrong with it; see [`crate::stats`].
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
    pub(crate) fn witness(&self) -> Option<Arc<dyn crate::witness::Witness>> {
        self.inner.registry.witness().cloned()
    }

    /// Refuses what a closed engine can no longer do.
    pub(crate) fn check_open(&self, what: &str) -> Result<(), Error> {
        self.inner.registry.check_open(what)
    }

    pub(crate) fn profile(&self) -> &'static Profile {
        self.inner.registry.snapshot().options().profile
    }

    /// Says which hooks an event would run, and why not the others, without running anything.
    pub fn explain(&self, event: &Event) -> Result<Explanation, Error> {
        self.inner.registry.check_open("explain events")?;
        let snapshot = self.inner.registry.snapshot();
        let spec = snapshot.resolve(event.name())?;
        let event = event.clone().resolved(&spec)?;
        Ok(explain(&snapshot, &Shared, &spec, &event.payload()))
    }

    /// Sets who hears what detached hooks answer; it is called on the runtime that ran the hook. Without one such an
    /// answer is logged.
    pub fn on_late_answer(&self, listener: impl Fn(LateAnswer) + Send + Sync + 'static) {
        self.inner.detached.listen(Arc::new(listener));
    }

    /// Waits until no detached hook runs; false when the time is up before.
    pub async fn drain(&self, limit: Duration) -> bool {
        self.inner.detached.drain(limit).await
    }
}

/// The span of a dispatch, below which those of its hooks are; it costs nothing while nobody listens.
fn dispatch_span(event: &Event) -> tracing::Span {
    use tracing::field::Empty;

    let span = tracing::debug_span!(
        "hookweave.dispatch",
        event = event.name(),
        tool = Empty,
        session = Empty,
        decision = Empty,
        blocked = Empty
    );
    if !span.is_disabled() {
        let payload = event.payload();
        for (name, field) in [("tool", "tool"), ("session", "session_id")] {
            if let Some(text) = payload.get(field).and_then(serde_json::Value::as_str) {
                span.record(name, text);
            }
        }
    }
    span
}

/// A payload that is not an object.
pub(crate) fn not_an_object(event: &str) -> Error {
    Error::new(ErrorCode::InvalidPayload, format!("the payload of {event} must be an object"))
}
