//! Settings of an engine, and of a hook.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::in_place::{Changing, HookContext, answer};
use super::wording::in_rust;
use super::{Engine, Event};
use crate::engine::handler::{Code, Handler, HookFuture};
use crate::response::IntoResponse;
use hookweave_host::error::Error;
use hookweave_host::hook::{Enforcement, FailBehavior, HookSpec, Scope, Timeout};
use hookweave_host::matcher::{ArgTest, Rules, exact_pattern};
use hookweave_host::options::{Conflict, Mode};

/// Settings of an engine that are not its profile's.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct EngineBuilder {
    settings: Map<String, Value>,
    audit: Option<hookweave_host::audit::AuditOptions>,
}

impl EngineBuilder {
    fn set(mut self, field: &str, value: Value) -> Self {
        self.settings.insert(field.to_owned(), value);
        self
    }

    /// Settings in their wire form, for example `{"profile": "a3s", "default_timeout": 5000}` (milliseconds).
    pub fn settings(mut self, settings: Map<String, Value>) -> Self {
        self.settings.extend(settings);
        self
    }

    /// A named set of defaults: `default`, `a3s` or `shadow`.
    pub fn profile(self, name: &str) -> Self {
        self.set("profile", name.into())
    }

    /// How hooks of equal priority run.
    pub fn mode(self, mode: Mode) -> Self {
        self.set("mode", mode.as_str().into())
    }

    /// How long a hook without a timeout of its own may run; `None` is without end.
    pub fn default_timeout(self, limit: Option<Duration>) -> Self {
        self.set("default_timeout", limit.map_or(Value::Null, |limit| json!(limit.as_secs_f64() * 1000.0)))
    }

    /// What a failure means for hooks that do not say.
    pub fn fail_behavior(self, behavior: FailBehavior) -> Self {
        self.set("fail_behavior", behavior.as_str().into())
    }

    /// Hooks that may be registered for one event; `None` is without limit.
    pub fn max_hooks_per_event(self, limit: Option<usize>) -> Self {
        self.set("max_hooks_per_event", json!(limit))
    }

    /// Hooks that may be registered in all; `None` is without limit.
    pub fn max_total_hooks(self, limit: Option<usize>) -> Self {
        self.set("max_total_hooks", json!(limit))
    }

    /// Detached hooks that run at once.
    pub fn max_detached(self, limit: usize) -> Self {
        self.set("max_detached", json!(limit))
    }

    /// The project's directory, for hooks from files; the process's own directory unless set.
    pub fn project_dir(self, directory: impl AsRef<std::path::Path>) -> Self {
        self.set("project_dir", directory.as_ref().to_string_lossy().into())
    }

    /// Commands and webhooks that run at once; more of them wait.
    pub fn max_running(self, limit: usize) -> Self {
        self.set("max_running", json!(limit))
    }

    /// What comes of it when hooks that run together change one thing differently; nothing of either unless set.
    pub fn conflict(self, conflict: Conflict) -> Self {
        self.set("conflict", conflict.as_str().into())
    }

    /// Whether what hooks decide is acted on, unless a hook says otherwise. [`Enforcement::Observe`] records it as what would have
    /// happened; managed hooks are enforced all the same.
    pub fn enforcement(self, enforcement: Enforcement) -> Self {
        self.set("enforcement", enforcement.as_str().into())
    }

    /// Whether a block ends the dispatch of a gate at once, or the later hooks run too.
    pub fn short_circuit(self, short_circuit: bool) -> Self {
        self.set("short_circuit", short_circuit.into())
    }

    /// Whether dispatches run any hook at first.
    pub fn enabled(self, enabled: bool) -> Self {
        self.set("enabled", enabled.into())
    }

    /// Keeps a record of what hooks do and decide.
    pub fn audit(self, config: hookweave_host::audit::AuditOptions) -> Self {
        Self { audit: Some(config), ..self }
    }

    /// The engine; refuses unknown profiles, settings that make no sense, and an audit log that cannot be written.
    pub fn build(self) -> Result<Engine, Error> {
        let engine = Engine::with_settings(&Value::Object(self.settings)).map_err(in_rust)?;
        if let Some(config) = self.audit {
            engine.audit().configure(config)?;
        }
        Ok(engine)
    }
}

/// A hook about to be registered; it is in force after [`Self::run`] and its like, or [`Self::handler`].
#[derive(Debug)]
#[must_use = "nothing is registered before run (or its like) or handler"]
pub struct Registration {
    engine: Engine,
    spec: HookSpec,
    is_temporary: bool,
    session: Option<String>,
    agent: Option<String>,
}

impl Registration {
    pub(super) fn new(engine: Engine, event: String) -> Self {
        Self { engine, spec: HookSpec::new(event), is_temporary: false, session: None, agent: None }
    }

    /// Marks the hook as one for the duration of a block.
    pub(super) const fn temporary(mut self) -> Self {
        self.is_temporary = true;
        self
    }

    /// Restricts the hook to one session, or to one of its subagents, regardless of its matcher.
    pub(super) fn only_in(mut self, session: &str, agent: Option<&str>) -> Result<Self, Error> {
        self.session = Some(exact_pattern(session)?);
        self.agent = agent.map(exact_pattern).transpose()?;
        Ok(self)
    }

    /// Takes every setting from a spec; the event stays.
    pub fn spec(mut self, spec: HookSpec) -> Self {
        let event = std::mem::replace(&mut self.spec, spec).event;
        self.spec.event = event;
        self
    }

    /// What traces and reasons call the hook.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.spec.name = Some(name.into());
        self
    }

    /// Tool names split on `|`, each exact or a glob.
    pub fn tool(mut self, names: impl Into<String>) -> Self {
        self.spec.matcher.tool = Some(names.into());
        self
    }

    /// A regular expression over the tool's name.
    pub fn tool_pattern(mut self, pattern: impl Into<String>) -> Self {
        self.spec.matcher.tool_pattern = Some(pattern.into());
        self
    }

    /// A glob over the event's file paths.
    pub fn path_pattern(mut self, glob: impl Into<String>) -> Self {
        self.spec.matcher.path_pattern = Some(glob.into());
        self
    }

    /// A regular expression over `args.command`.
    pub fn command_pattern(mut self, pattern: impl Into<String>) -> Self {
        self.spec.matcher.command_pattern = Some(pattern.into());
        self
    }

    /// A permission rule such as `Bash(git *)` or `Edit(src/**)`, which looks at every command of a line or every file; or
    /// several of which one must hold.
    pub fn rule(mut self, rule: impl Into<Rules>) -> Self {
        self.spec.matcher.rule = Some(rule.into());
        self
    }

    /// A test of one argument by its dotted path.
    pub fn arg(mut self, path: impl Into<String>, test: ArgTest) -> Self {
        self.spec.matcher.args.push((path.into(), test));
        self
    }

    /// Names or globs over the event's own subtype.
    pub fn source(mut self, names: impl Into<String>) -> Self {
        self.spec.matcher.source = Some(names.into());
        self
    }

    /// A regular expression over the event's own subtype.
    pub fn source_pattern(mut self, pattern: impl Into<String>) -> Self {
        self.spec.matcher.source_pattern = Some(pattern.into());
        self
    }

    /// An expression over the event and the state of its session, such as `session.tool_calls > 50`.
    pub fn when(mut self, expression: impl Into<String>) -> Self {
        self.spec.matcher.when = Some(expression.into());
        self
    }

    /// Globs over the session's id.
    pub fn session(mut self, globs: impl Into<String>) -> Self {
        self.spec.matcher.session = Some(globs.into());
        self
    }

    /// Globs over the agent's id.
    pub fn agent(mut self, globs: impl Into<String>) -> Self {
        self.spec.matcher.agent = Some(globs.into());
        self
    }

    /// Lower runs earlier; defaults to 0.
    pub const fn priority(mut self, priority: i32) -> Self {
        self.spec.priority = priority;
        self
    }

    /// Who loaded the hook.
    pub const fn scope(mut self, scope: Scope) -> Self {
        self.spec.scope = scope;
        self
    }

    /// How long the hook may run; `None` is without end.
    pub fn timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.spec.timeout = limit.into().map_or(Timeout::Never, Timeout::After);
        self
    }

    /// What the hook's failure means.
    pub const fn fail_behavior(mut self, behavior: FailBehavior) -> Self {
        self.spec.fail_behavior = Some(behavior);
        self
    }

    /// Whether what the hook decides is acted on, whatever the engine says of its hooks.
    pub const fn enforcement(mut self, enforcement: Enforcement) -> Self {
        self.spec.enforcement = Some(enforcement);
        self
    }

    /// The hook runs at most once.
    pub const fn once(mut self) -> Self {
        self.spec.once = true;
        self
    }

    /// The hook is never skipped and rechecks what others change after it.
    pub const fn mandatory(mut self) -> Self {
        self.spec.mandatory = Some(true);
        self
    }

    /// The hook is not mandatory, though its `fail_behavior` is block: it is neither rechecked nor safe from a skip.
    pub const fn not_mandatory(mut self) -> Self {
        self.spec.mandatory = Some(false);
        self
    }

    /// The hook is started and not awaited. It needs a running tokio runtime.
    pub const fn detached(mut self) -> Self {
        self.spec.detached = true;
        self
    }

    /// Registers a closure that answers at once; gives the hook's id.
    ///
    /// It runs inline and cannot be interrupted: past its timeout its answer counts and the trace says so.
    pub fn run<R: IntoResponse>(self, run: impl Fn(&Event) -> R + Send + Sync + 'static) -> Result<String, Error> {
        self.register(Code::of_closure(run))
    }

    /// Registers a closure that returns a future; gives the hook's id.
    pub fn run_async<F, R>(self, run: impl Fn(Event) -> F + Send + Sync + 'static) -> Result<String, Error>
    where
        F: Future<Output = R> + Send + 'static,
        R: IntoResponse,
    {
        self.register(Code::of_async(run))
    }

    /// Registers a closure that may change the event in place; gives the hook's id.
    ///
    /// What it changed is the `modified` of its answer, in addition to the rest of it. A changed field that hooks may not modify
    /// makes the answer invalid, and a closure that fails has changed nothing.
    ///
    /// ```
    /// use hookweave::{Engine, Event, HookContext};
    /// use serde_json::json;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
    /// let engine = Engine::new();
    /// engine.on("PreToolUse").tool("Bash").run_mut(|ctx: &mut HookContext| ctx["args"]["timeout"] = json!(30_000))?;
    /// let outcome = engine.dispatch(Event::pre_tool_use("Bash", json!({"command": "make"}))).await?;
    /// assert_eq!(outcome.event().args(), &json!({"command": "make", "timeout": 30_000}));
    /// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_mut<R: IntoResponse>(
        self,
        run: impl Fn(&mut HookContext) -> R + Send + Sync + 'static,
    ) -> Result<String, Error> {
        self.register(Code::Sync(Box::new(move |event| answer(event, &run))))
    }

    /// Registers a closure that may change the event in place and gives a boxed future; gives the hook's id.
    pub fn run_async_mut(
        self,
        run: impl for<'c> Fn(&'c mut HookContext) -> HookFuture<'c> + Send + Sync + 'static,
    ) -> Result<String, Error> {
        self.handler(Changing(run))
    }

    /// Registers a handler of a type of your own; gives the hook's id.
    pub fn handler(self, handler: impl Handler) -> Result<String, Error> {
        self.register(Code::Async(Arc::new(handler)))
    }

    fn register(mut self, code: Code) -> Result<String, Error> {
        self.spec.temporary |= self.is_temporary;
        let matcher = &mut self.spec.matcher;
        matcher.session = self.session.or_else(|| matcher.session.take());
        matcher.agent = self.agent.or_else(|| matcher.agent.take());
        let id = self.engine.inner.registry.register(self.spec, code).map_err(in_rust)?;
        self.engine.hooks_changed();
        self.engine.log_observers();
        Ok(id.to_string())
    }
}
