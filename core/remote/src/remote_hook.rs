//! A worker's hook as the engine's drivers hold it: an outside hook like a command.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use hookweave_exec::cancel::Cancel;
use hookweave_exec::outside::{Done, HookInput, OutsideHook};
use hookweave_exec::pool::Job;
use hookweave_exec::trace_context::TraceContext;
use hookweave_machine::hook::{HookSpec, Timeout};

/// An event on its way to a worker.
#[derive(Debug, Clone)]
pub struct RemoteCall {
    /// The event's canonical name.
    pub event: String,
    /// The event.
    pub payload: Map<String, Value>,
    /// How long the hook may take, in milliseconds; `None` is without end.
    pub limit_ms: Option<u64>,
    /// The host's place in a distributed trace.
    pub trace: Option<TraceContext>,
    /// How deep the dispatch is nested.
    pub depth: u32,
}

/// The way to the workers.
pub trait Link: Send + Sync + fmt::Debug {
    /// Sends an event to the hook of a registration; `done` gets what comes of it. A call that is cancelled ends at once.
    fn call(&self, registration: u64, call: RemoteCall, cancel: &Cancel, done: Done);
}

/// A hook whose handler a worker has.
#[derive(Debug)]
pub struct RemoteHook {
    registration: u64,
    limit: Option<Duration>,
    link: Arc<dyn Link>,
}

impl RemoteHook {
    /// A hook of this registration; the spec is the one that its engine registers.
    #[must_use]
    pub fn new(registration: u64, spec: &HookSpec, default_limit: Option<Duration>, link: Arc<dyn Link>) -> Self {
        let limit = match spec.timeout {
            Timeout::After(limit) => Some(limit),
            Timeout::Never => None,
            Timeout::Default => default_limit,
        };
        Self { registration, limit, link }
    }
}

impl OutsideHook for RemoteHook {
    fn start(self: Arc<Self>, input: HookInput, done: Done) -> Option<Job> {
        let call = RemoteCall {
            event: input.event.name().to_owned(),
            payload: input.payload,
            limit_ms: self.limit.map(|limit| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX).max(1)),
            trace: input.trace,
            depth: input.depth,
        };
        let cancel = Cancel::new();
        self.link.call(self.registration, call, &cancel, done);
        Some(Job::outside(cancel))
    }

    fn limit(&self) -> Option<Duration> {
        self.limit
    }
}
