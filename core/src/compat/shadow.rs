//! The hooks of shadow's agents: closures that get the event's context and may change it in place.
//!
//! ```
//! use hookweave::compat::shadow::{HookContext, HookEvent, HookRegistry, HookResult};
//! # use serde_json::json;
//!
//! let mut hooks = HookRegistry::new();
//! hooks.add(HookEvent::PreToolUse, |ctx: &mut HookContext| {
//!     if let Some(input) = ctx.tool_input.as_mut() {
//!         input["timeout"] = json!(30_000);
//!     }
//!     HookResult::none()
//! });
//!
//! let mut ctx = HookContext::pre_tool_use("Bash", &json!({"command": "make"}), "call-1");
//! assert_eq!(hooks.run(&mut ctx), HookResult::none());
//! assert_eq!(ctx.tool_input, Some(json!({"command": "make", "timeout": 30_000})));
//! ```
//!
//! Every hook runs, also after a refusal; a refusal is stronger than a grant, and a grant than a question. A registry runs
//! by itself, or its [`engine`](HookRegistry::engine) in a session.

mod context;
mod result;

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use crate::engine::{Engine, Event};
use hookweave_host::error::{Code, Error};
use hookweave_host::options::Profile;
use hookweave_host::pattern::Pattern;

pub use context::{HookContext, HookEvent};
pub use result::{HookResult, PermissionDecision};

/// A hook: a closure, or a type of your own.
pub trait Hook: Send + Sync {
    /// Looks at the context, perhaps changes it, and says what it thinks.
    fn call(&self, ctx: &mut HookContext<'_>) -> HookResult;
}

impl<F> Hook for F
where
    F: for<'a> Fn(&mut HookContext<'a>) -> HookResult + Send + Sync,
{
    fn call(&self, ctx: &mut HookContext<'_>) -> HookResult {
        self(ctx)
    }
}

/// Hooks in the order in which they were added.
#[derive(Debug, Clone)]
pub struct HookRegistry {
    engine: Engine,
}

impl Default for HookRegistry {
    fn default() -> Self {
        Self { engine: Engine::of_profile(&Profile::SHADOW) }
    }
}

impl HookRegistry {
    /// A registry without hooks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a hook for every event of a kind.
    pub fn add<H: Hook + 'static>(&mut self, event: HookEvent, hook: H) -> &mut Self {
        let added = self.register(event, None, hook);
        debug_assert!(added.is_ok(), "the event is known, the profile has no limits, and no pattern can be wrong");
        self
    }

    /// Adds a hook for tools whose name a regular expression finds something in; where there is no tool it gets every event.
    pub fn add_with_pattern<H: Hook + 'static>(
        &mut self,
        event: HookEvent,
        pattern: &str,
        hook: H,
    ) -> Result<&mut Self, Error> {
        self.register(event, Some(pattern), hook)?;
        Ok(self)
    }

    fn register<H: Hook + 'static>(&self, event: HookEvent, pattern: Option<&str>, hook: H) -> Result<String, Error> {
        let mut registration = self.engine.on(event.as_str());
        match pattern {
            Some(pattern) if event.has_tool() => registration = registration.tool_pattern(pattern),
            Some(pattern) => {
                Pattern::new(pattern).map_err(|why| {
                    Error::new(Code::InvalidMatcher, format!("a hook on {}: `{pattern}`: {why}", event.as_str()))
                })?;
            }
            None => {}
        }
        let gate = self.engine.resolve(event.as_str())?.gate();
        registration.run_mut(move |changed| {
            let refuse = |why| HookResult::deny(why).into_response();
            super::guarded(gate, || context::call(&hook, event, changed), refuse)
        })
    }

    /// Whether there is a hook for an event.
    #[must_use]
    pub fn has_hooks(&self, event: HookEvent) -> bool {
        self.hook_count(event) > 0
    }

    /// How many hooks there are for an event.
    #[must_use]
    pub fn hook_count(&self, event: HookEvent) -> usize {
        self.engine.list_hooks().iter().filter(|hook| hook.event == event.as_str()).count()
    }

    /// The engine behind the registry.
    #[must_use]
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Runs the hooks of the context's event; what they changed is in the context afterwards.
    ///
    /// Hooks that [`engine`](Self::engine) was given beside those of the registry must answer at once; when one has to
    /// wait, the result is a refusal that says so.
    pub fn run(&self, ctx: &mut HookContext<'_>) -> HookResult {
        let event: Event = ctx.to_event();
        let outcome = match at_once(self.engine.dispatch(event)) {
            None => return HookResult::deny("a hook has to wait, which `run` cannot; use `engine().dispatch`"),
            Some(Err(error)) => return HookResult::deny(error.to_string()),
            Some(Ok(outcome)) => outcome,
        };
        ctx.take_changes(&outcome);
        HookResult::of(&outcome)
    }
}

/// What a future gives that does not have to wait.
fn at_once<F: Future>(future: F) -> Option<F::Output> {
    match pin!(future).as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}
