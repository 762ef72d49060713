//! A client: its settings and hooks, custom events and tools, plans, explanations and detached hooks.

use std::cell::{OnceCell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use hookweave_host::audit::Audit;
use hookweave_host::detached::{DetachedQueue, Submitted, refusal};
use hookweave_host::error::Error;
use hookweave_host::event::EventDefinition;
use hookweave_host::file_hook::{Runtime, Settings};
use hookweave_host::files::Files;
use hookweave_host::guard::Guard;
use hookweave_host::hook::HookSpec;
use hookweave_host::options::{Options, Profile};
use hookweave_host::payload::Host;
use hookweave_host::registry::{Entry, HookId, Registry};
use hookweave_host::stats::HookCounter;
use hookweave_host::tool::ToolDefinition;
use hookweave_host::{call, explain, hook_id};
use napi::Env;
use napi::bindgen_prelude::{ObjectFinalize, Unknown};
use napi_derive::napi;
use rustc_hash::FxHashMap;

use crate::errors::{CodedError, coded, from_napi};
use crate::outside_hooks::CompletionQueue;
use crate::plan::{self, PlannedHooks};
use crate::registration::{DroppedHandlers, HandlerRef, RegisteredGuard, RegisteredHook};
use crate::values::Values;

/// Whether a detached job starts.
#[napi(string_enum = "lowercase")]
pub enum Admission {
    /// It is to be started now.
    Start,
    /// It is to be started when another one has ended.
    Waiting,
    /// Too many wait already.
    Refused,
}

/// The native memory of a client with few hooks, in bytes. Reported to the garbage collector of JavaScript, to which the
/// objects look small.
const CLIENT_BYTES: i64 = 16 * 1024;

/// The hooks of one client.
#[napi(custom_finalize)]
pub struct NativeClient {
    registry: Registry<HandlerRef>,
    /// Stands in for the registry while the client is switched off; made when it first is.
    off: OnceCell<Registry<HandlerRef>>,
    dropped: DroppedHandlers,
    next: u32,
    enabled: bool,
    detached: DetachedQueue<u32>,
    runtime: Arc<Runtime>,
    files: Files,
    completions: Option<Arc<CompletionQueue>>,
    audit: Arc<Audit>,
    /// Where runs are counted, by the hook's number.
    counters: RefCell<FxHashMap<u32, HookCounter>>,
}

impl Drop for NativeClient {
    /// The client is gone, or its thread with everything on it.
    fn drop(&mut self) {
        self.runtime.shutdown(Duration::ZERO);
    }
}

impl ObjectFinalize for NativeClient {
    fn finalize(self, env: Env) -> napi::Result<()> {
        // A panic must not end the process, and no caller is left to get it.
        _ = catch_unwind(AssertUnwindSafe(|| drop(self)));
        env.adjust_external_memory(-CLIENT_BYTES).map(drop)
    }
}

#[napi]
impl NativeClient {
    /// With a client's settings, and the names of those that the TypeScript layer reads.
    #[napi(constructor, catch_unwind)]
    pub fn new(env: Env, options: Unknown<'_>, of_driver: Vec<String>) -> Result<Self, CodedError> {
        let of_driver: Vec<&str> = of_driver.iter().map(String::as_str).collect();
        let values = Values::none(&env).map_err(from_napi)?;
        let slot = values.keep(&options);
        let settings = Settings::read(&values, &values.view(&slot)).map_err(|error| coded(&error))?;
        let options = Options::read_beside(&values, &values.view(&slot), &of_driver).map_err(|error| coded(&error))?;
        let registry = Registry::new(options);
        let audit = Audit::new();
        registry.watch(audit.clone());
        env.adjust_external_memory(CLIENT_BYTES).map_err(from_napi)?;
        Ok(Self {
            enabled: registry.options().enabled,
            detached: DetachedQueue::new(registry.options().max_detached),
            off: OnceCell::new(),
            registry,
            dropped: DroppedHandlers::default(),
            next: 0,
            runtime: Runtime::new(settings),
            files: Files::default(),
            completions: None,
            audit,
            counters: RefCell::default(),
        })
    }

    /// Whether dispatches run any hook.
    #[napi(getter, catch_unwind)]
    pub fn enabled(&self) -> bool {
        self.enabled
    }

    /// Switches all hooks on or off.
    #[napi(setter, catch_unwind)]
    pub fn set_enabled(&mut self, enabled: bool) {
        self.enabled = enabled;
    }

    /// Refuses everything from now on; running dispatches continue.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.registry.close();
    }

    /// The working directory of events that name none; none where it was deleted.
    #[must_use]
    #[napi(catch_unwind)]
    pub fn directory(&self) -> Option<String> {
        self.registry.options().directory.now().map(std::borrow::Cow::into_owned)
    }

    /// The command line of a tool call.
    #[napi(catch_unwind)]
    pub fn event_command(&self, env: Env, event: String, payload: Unknown<'_>) -> Result<String, CodedError> {
        let values = Values::none(&env).map_err(from_napi)?;
        let payload = values.keep(&payload);
        call::command(&values, &event, &payload, self.registry.known_tools()).map_err(|error| coded(&error))
    }

    /// The paths that a tool call names.
    #[napi(catch_unwind)]
    pub fn event_paths(&self, env: Env, event: String, payload: Unknown<'_>) -> Result<Vec<String>, CodedError> {
        let values = Values::none(&env).map_err(from_napi)?;
        let payload = values.keep(&payload);
        call::paths(&values, &event, &payload, self.registry.known_tools()).map_err(|error| coded(&error))
    }

    /// Refuses what a closed client can no longer do.
    #[napi(catch_unwind)]
    pub fn check_open(&self, what: String) -> Result<(), CodedError> {
        self.registry.check_open(&what).map_err(|error| coded(&error))
    }

    /// Adds a hook.
    #[napi(catch_unwind)]
    pub fn register(&mut self, env: Env, event: String, settings: Unknown<'_>) -> Result<RegisteredHook, CodedError> {
        let values = Values::none(&env).map_err(from_napi)?;
        let slot = values.keep(&settings);
        let spec = HookSpec::read(&values, &event, &values.view(&slot)).map_err(|error| coded(&error))?;
        self.add(spec)
    }

    /// Adds a hook that refuses what its rules select: `rule` and `reason`.
    #[napi(catch_unwind)]
    pub fn guard(&mut self, env: Env, settings: Unknown<'_>) -> Result<RegisteredGuard, CodedError> {
        let values = Values::none(&env).map_err(from_napi)?;
        let slot = values.keep(&settings);
        self.add_guard(Guard::read_block(&values, &values.view(&slot)))
    }

    /// Adds a hook that has a person asked about what its rules select: `rule` and perhaps `prompt`.
    #[napi(catch_unwind)]
    pub fn ask_before(&mut self, env: Env, settings: Unknown<'_>) -> Result<RegisteredGuard, CodedError> {
        let values = Values::none(&env).map_err(from_napi)?;
        let slot = values.keep(&settings);
        self.add_guard(Guard::read_ask(&values, &values.view(&slot)))
    }

    /// The numbers of hooks that nothing can call any more, each once.
    #[napi(catch_unwind)]
    pub fn take_dropped(&self) -> Vec<u32> {
        let dropped = self.dropped.take();
        let mut counters = self.counters.borrow_mut();
        for number in &dropped {
            counters.remove(number);
        }
        dropped
    }

    /// Removes a hook; false when it is not there.
    #[napi(catch_unwind)]
    pub fn unregister(&self, id: String) -> bool {
        hook_id(&id).is_ok_and(|id| self.registry.unregister(id))
    }

    /// Switches one hook on or off.
    #[napi(catch_unwind)]
    pub fn set_hook_enabled(&self, id: String, enabled: bool) -> Result<(), CodedError> {
        hook_id(&id).and_then(|id| self.registry.set_enabled(id, enabled)).map_err(|error| coded(&error))
    }

    /// Every hook, in the order in which they run, in the canonical form.
    #[napi(ts_return_type = "unknown[]", catch_unwind)]
    pub fn list<'env>(&self, env: &'env Env) -> Result<Unknown<'env>, CodedError> {
        env.to_js_value(&self.registry.list()).map_err(from_napi)
    }

    /// Adds a custom event.
    #[napi(catch_unwind)]
    pub fn define_event(&self, env: Env, definition: Unknown<'_>) -> Result<(), CodedError> {
        let values = Values::none(&env).map_err(from_napi)?;
        let slot = values.keep(&definition);
        EventDefinition::read(&values, &values.view(&slot))
            .and_then(|definition| self.registry.define_event(&definition))
            .map_err(|error| coded(&error))
    }

    /// Defines a tool of the host by a known one.
    #[napi(catch_unwind)]
    pub fn define_tool(&self, env: Env, definition: Unknown<'_>) -> Result<(), CodedError> {
        let values = Values::none(&env).map_err(from_napi)?;
        let slot = values.keep(&definition);
        ToolDefinition::read(&values, &values.view(&slot))
            .and_then(|definition| self.registry.define_tool(definition.clone()).map(|()| definition))
            .map(|definition| self.runtime.define_tool(definition))
            .map_err(|error| coded(&error))
    }

    /// The hooks that a payload selects, and for which other payloads they are the same.
    #[napi(catch_unwind)]
    pub fn plan(&self, env: Env, event: String, payload: Unknown<'_>) -> Result<PlannedHooks, CodedError> {
        let values = Values::none(&env).map_err(from_napi)?;
        let slot = values.keep(&payload);
        let spec = self.registry.resolve(&event).map_err(|error| coded(&error))?;
        // A profile that wants its events guarded refuses nothing while the client is switched off.
        let off = || Registry::new(Options { profile: &Profile::DEFAULT, ..self.registry.options().clone() });
        let registry = if self.enabled { &self.registry } else { self.off.get_or_init(off) };
        plan::plan(&values, registry, spec, slot, Arc::clone(&self.audit))
    }

    /// Which hooks a payload would run, and why not the others: in the canonical form, and as text.
    #[napi(ts_return_type = "unknown", catch_unwind)]
    pub fn explain<'env>(
        &self,
        env: &'env Env,
        event: String,
        payload: Unknown<'_>,
    ) -> Result<Unknown<'env>, CodedError> {
        self.registry.check_open("explain events").map_err(|error| coded(&error))?;
        let values = Values::none(env).map_err(from_napi)?;
        let slot = values.keep(&payload);
        let spec = self.registry.resolve(&event).map_err(|error| coded(&error))?;
        let view = values.view(&slot);
        plan::check_payload(&values, &view)?;
        let explanation = explain::explain(&self.registry.snapshot(), &values, &spec, &view);
        env.to_js_value(&(&explanation, explanation.to_string())).map_err(from_napi)
    }

    /// Submits a detached job.
    #[napi(catch_unwind)]
    pub fn submit_detached(&mut self, job: u32) -> Admission {
        match self.detached.submit(job) {
            Submitted::Start(_) => Admission::Start,
            Submitted::Waiting => Admission::Waiting,
            Submitted::Refused(_) => Admission::Refused,
        }
    }

    /// Why a detached job was refused.
    #[napi(catch_unwind)]
    pub fn detached_refusal(&self) -> String {
        refusal(self.detached.running())
    }

    /// A detached job has ended; gives the one to start next.
    #[napi(catch_unwind)]
    pub fn finish_detached(&mut self) -> Option<u32> {
        self.detached.finished()
    }

    /// Kills the commands and requests that run, and starts no more; waits at most so many milliseconds for their end.
    #[napi(catch_unwind)]
    pub fn stop(&self, limit: u32) -> bool {
        self.runtime.shutdown(Duration::from_millis(limit.into()))
    }

    /// Whether no detached job runs or waits.
    #[napi(catch_unwind)]
    pub fn detached_idle(&self) -> bool {
        self.detached.is_idle()
    }
}

impl NativeClient {
    pub(crate) const fn registry(&self) -> &Registry<HandlerRef> {
        &self.registry
    }

    pub(crate) const fn counters(&self) -> &RefCell<FxHashMap<u32, HookCounter>> {
        &self.counters
    }

    pub(crate) const fn audit(&self) -> &Arc<Audit> {
        &self.audit
    }

    pub(crate) const fn runtime(&self) -> &Arc<Runtime> {
        &self.runtime
    }

    pub(crate) const fn files(&self) -> &Files {
        &self.files
    }

    pub(crate) const fn completions(&mut self) -> &mut Option<Arc<CompletionQueue>> {
        &mut self.completions
    }

    /// The number that the next hook gets.
    pub(crate) const fn next(&mut self) -> &mut u32 {
        &mut self.next
    }

    /// What the registry keeps of a handler.
    pub(crate) fn handler_ref(&self, number: u32, core_timeout: bool) -> HandlerRef {
        HandlerRef::new(number, core_timeout, self.dropped.clone())
    }

    fn add(&mut self, spec: HookSpec) -> Result<RegisteredHook, CodedError> {
        let handler = self.handler_ref(self.next, false);
        self.next += 1;
        let id = self.registry.register(spec, handler).map_err(|error| coded(&error))?;
        self.registered(id).ok_or_else(|| CodedError::new("unknown_hook".to_owned(), "the hook is gone already"))
    }

    fn add_guard(&mut self, guard: Result<Guard, Error>) -> Result<RegisteredGuard, CodedError> {
        let Guard { spec, decision } = guard.map_err(|error| coded(&error))?;
        Ok(RegisteredGuard { hook: self.add(spec)?, answer: decision.answer().to_string() })
    }

    /// A hook as the TypeScript layer calls it; `None` when it was removed.
    pub(crate) fn registered(&self, id: HookId) -> Option<RegisteredHook> {
        let entry: Arc<Entry<HandlerRef>> = self.registry.entry(id)?;
        let handler = entry.handler();
        self.counters.borrow_mut().insert(handler.number, entry.counter());
        Some(RegisteredHook {
            id: id.to_string(),
            name: entry.name().to_string(),
            number: handler.number,
            timeout: handler.limit(entry.timeout()).map(|limit| limit.as_secs_f64() * 1000.0),
            detached: entry.detached(),
            once: entry.once(),
        })
    }
}
