//! The hooks of Cocode: commands, web servers and callbacks that see a context and say one of three results.
//!
//! ```
//! use std::sync::Arc;
//! use hookweave::compat::cocode::{HookDefinition, HookEventType, HookHandler, HookRegistry, HookResult};
//!
//! let mut registry = HookRegistry::new();
//! registry.register(HookDefinition {
//!     event: HookEventType::PreToolUse,
//!     tool_matcher: Some("Bash*".to_string()),
//!     handler: HookHandler::Inline {
//!         callback: Arc::new(|ctx| match &ctx.tool_input {
//!             Some(input) if input["command"] == "reboot" => HookResult::Reject { reason: "not here".to_string() },
//!             _ => HookResult::Continue,
//!         }),
//!     },
//!     ..Default::default()
//! });
//! # assert_eq!(registry.engine().list_hooks().len(), 1);
//! ```
//!
//! What commands read and how their words are meant is [the dialect's](hookweave_host::dialects::cocode) business. A registry
//! [executes](HookRegistry::execute) by itself, or its [`engine`](HookRegistry::engine) serves a session.

mod context;
mod definition;
mod result;

use std::path::Path;

use crate::engine::{Engine, Event};
use crate::response::HookResponse;
use hookweave_host::dialects::{Dialect, Placement, cocode};
use hookweave_host::error::{Code, Error};
use hookweave_host::files::LoadRequest;
use hookweave_host::hook::HookSpec;
use hookweave_host::options::Profile;

pub use context::{HookContext, HookEventType, ToolOutput};
pub use definition::HttpMethod;
pub use definition::{HookDefinition, HookHandler};
pub use result::HookResult;

/// Why hooks could not be loaded.
pub type HookError = Error;

/// Hooks in the order in which they were registered.
#[derive(Debug)]
pub struct HookRegistry {
    engine: Engine,
    once: Vec<String>,
}

impl Default for HookRegistry {
    fn default() -> Self {
        Self { engine: Engine::of_profile(&Profile::COCODE), once: Vec::new() }
    }
}

impl HookRegistry {
    /// A registry without hooks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a hook.
    ///
    /// A definition that makes no sense (an empty `tool_matcher`, which matches nothing, or a name without a letter) is a guard
    /// that cannot stand: every event of its kind is rejected with the reason, and [`try_register`](Self::try_register) says
    /// it at once.
    pub fn register(&mut self, hook: HookDefinition) {
        let (event, name) = (hook.event, hook.name.clone());
        let Err(error) = self.try_register(hook) else { return };
        let name = name.unwrap_or_else(|| "a hook".to_owned());
        tracing::error!(
            event = event.as_str(),
            hook = name,
            "hook cannot be registered and rejects everything: {error}"
        );
        let reason = format!("{name} cannot be registered: {error}");
        let refuse = move |_: &Event| HookResponse::block(reason.clone());
        let refused = self.engine.on(event.as_str()).mandatory().run(refuse);
        debug_assert!(refused.is_ok(), "the event is known, and the profile has no limits");
    }

    /// Registers a hook and gives its id, or says why the definition makes no sense.
    pub fn try_register(&mut self, hook: HookDefinition) -> Result<String, Error> {
        let HookDefinition { event, handler, once, timeout, name, tool_matcher } = hook;
        let place = cocode::COCODE.place(event.as_str(), tool_matcher.as_deref());
        let Some(Ok(Placement { event: canonical, matcher })) = place else {
            let why = place.and_then(Result::err).unwrap_or_else(|| "there is no such event".to_owned());
            return Err(Error::new(Code::InvalidMatcher, format!("{}: {why}", event.as_str())));
        };
        let timeout = definition::limit(timeout);
        let mut spec = HookSpec::new(canonical);
        (spec.name, spec.matcher, spec.timeout, spec.once) = (name, matcher, timeout, once);
        let id = definition::register(&self.engine, event, spec, handler)?;
        if once {
            self.once.push(id.clone());
        }
        Ok(id)
    }

    /// Runs the hooks of an event.
    ///
    /// The first rejection counts. An event that hooks changed is given back as the new input. What an engine's other hooks
    /// say that Cocode has no word for is a rejection.
    pub async fn execute(&mut self, event: HookEventType, ctx: HookContext) -> HookResult {
        let dispatched = match ctx.to_event(event) {
            Ok(event) => self.engine.dispatch(event).await,
            Err(error) => Err(error),
        };
        match dispatched {
            Ok(outcome) => HookResult::of(&outcome),
            Err(error) => HookResult::Reject { reason: error.to_string() },
        }
    }

    /// Takes out the hooks that run once, also those that have not run.
    pub fn cleanup_once_hooks(&mut self) {
        for id in self.once.drain(..) {
            self.engine.unregister_hook(&id);
        }
    }

    /// The engine behind the registry.
    #[must_use]
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }
}

/// The hooks of a `hooks.toml`. An entry that makes no sense refuses the file: a guard that cannot be read guards nothing.
pub fn load_hooks_from_config(config_path: &Path) -> Result<HookRegistry, HookError> {
    let registry = HookRegistry::new();
    let report = registry.engine.load_files(LoadRequest::file(config_path).dialect("cocode"))?;
    for remark in &report.problems {
        tracing::warn!("{remark}");
    }
    Ok(registry)
}
