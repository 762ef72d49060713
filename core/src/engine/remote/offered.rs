//! What an engine offers to its agent, and how it runs one of its hooks for it.

use std::sync::Arc;

use serde_json::Value;

use crate::engine::clock::now;
use crate::engine::hook_run::run_entry;
use crate::engine::{Engine, Event};
use hookweave_host::dispatch::{FailureKind, HandlerResult, HookFailure, check_depth};
use hookweave_host::error::Error;
use hookweave_host::hook_id;
use hookweave_host::remote::wire::RegisterHookRequest;
use hookweave_host::remote::{Run, offer};

impl Engine {
    /// The hooks that an agent is offered; those that cannot be are named in the log.
    pub(super) fn offered(&self) -> Vec<RegisterHookRequest> {
        let hooks = self.list_hooks();
        let own = hooks.iter().filter(|hook| hook.enabled && hook.worker.is_none());
        own.filter_map(|hook| offer(hook).inspect_err(|why| tracing::warn!("{why}")).ok()).collect()
    }

    /// Runs one hook as a dispatch would.
    pub(super) async fn run_offered(&self, run: Run) -> HandlerResult<Value> {
        let refuse = |error: &Error| {
            // The event must not get past a guard by what it is.
            let failure = HookFailure::new(FailureKind::NotStarted, error.message().to_owned());
            HandlerResult::Failed(HookFailure { meant_to_restrict: true, ..failure })
        };
        if let Err(error) = check_depth(run.depth) {
            return refuse(&error);
        }
        let entry = match hook_id(&run.hook) {
            Ok(id) => self.inner.registry.entry(id),
            Err(error) => return refuse(&error),
        };
        let Some(entry) = entry else {
            let why = "the worker took the hook out while it was called";
            return HandlerResult::Failed(HookFailure::new(FailureKind::NotStarted, why));
        };
        let snapshot = self.inner.registry.snapshot();
        let event = match Event::new(&*run.event, run.payload).resolved(
            entry.event(),
            &snapshot.options().directory,
            self.inner.registry.known_tools(),
        ) {
            Ok(event) => event,
            Err(error) => return refuse(&error),
        };
        let (report, _) = run_entry(&entry, &event, run.depth, now()).await;
        match report.result {
            HandlerResult::Nothing => HandlerResult::Nothing,
            HandlerResult::Detached => HandlerResult::Detached,
            HandlerResult::Answer(answer) => HandlerResult::Answer(Arc::unwrap_or_clone(answer)),
            HandlerResult::Failed(HookFailure { kind, message, meant_to_restrict, .. }) => {
                HandlerResult::Failed(HookFailure { meant_to_restrict, ..HookFailure::new(kind, message) })
            }
        }
    }
}
