//! Outside hooks: hooks that run outside of the host's language, in another process, on a server or by the host's own model.
//!
//! A driver holds an [`OutsideHook`] and need not know what it is. The hook starts, keeps its own time and reads its own
//! result; the driver waits, and cancels. A hook that the host runs is a [`HostedHook`] too: the driver asks the host,
//! and keeps the time.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::pool::Job;
use crate::trace_context::TraceContext;
use hookweave_machine::dispatch::{FailureKind, HandlerResult, HookFailure};
use hookweave_machine::event::EventSpec;

/// An event as an outside hook is given it.
#[derive(Debug, Clone)]
pub struct HookInput {
    /// What the engine knows of the event.
    pub event: Arc<EventSpec>,
    /// The event's JSON by the engine's names, with the common fields filled in.
    pub payload: Map<String, Value>,
    /// How deep the dispatch is nested; 0 for the outermost.
    pub depth: u32,
    /// The host's place in a distributed trace; `None` is the place that the process was started in.
    pub trace: Option<TraceContext>,
}

impl HookInput {
    /// An event outside of a trace of the host's.
    #[must_use]
    pub const fn new(event: Arc<EventSpec>, payload: Map<String, Value>, depth: u32) -> Self {
        Self { event, payload, depth, trace: None }
    }
}

/// A hook that runs outside of the host's language.
pub trait OutsideHook: fmt::Debug + Send + Sync {
    /// Starts the hook; `done` gets its result, from whichever thread ends it.
    ///
    /// The hook keeps to its [`limit`](Self::limit), which begins when the hook itself begins. Cancelling the job ends it at
    /// once. `None` where nothing is left to cancel. What the hook needs of the process is read here, on the caller's thread.
    fn start(self: Arc<Self>, input: HookInput, done: Done) -> Option<Job>;

    /// How long the hook may run; `None` is without end.
    fn limit(&self) -> Option<Duration>;

    /// Whether its refusal should wake the model when it runs detached.
    fn wakes(&self) -> bool {
        false
    }

    /// The answer that it always gives, where nothing runs.
    fn fixed_answer(&self) -> Option<Value> {
        None
    }

    /// What it answers to an event that has no JSON form; `None` where that is a failure.
    fn without_event(&self) -> Option<Value> {
        None
    }

    /// Whether it counts events, so that it decides nothing in a program that ends after one.
    fn counts(&self) -> bool {
        false
    }

    /// The hook as one that the host runs; `None` where it runs by itself.
    fn hosted(&self) -> Option<&dyn HostedHook> {
        None
    }

    /// What it means that the host gave no answer: its code raised, was cancelled, or was too late.
    ///
    /// Every driver reports it to the hook, which may know that the action must not happen then.
    fn broken(&self, _input: &HookInput, failure: HookFailure<Value>) -> HandlerResult<Value> {
        HandlerResult::Failed(failure)
    }
}

/// A hook that only the host can run, by a model, an agent or a tool of its own.
pub trait HostedHook: Send + Sync {
    /// Whether the host has to call a tool, rather than to ask a model.
    fn wants_tool(&self) -> bool;

    /// What the host is asked to do; `None` where the hook asks nothing.
    fn question(&self, input: &HookInput) -> Option<HostQuestion>;

    /// What the host's answer means.
    fn answered(&self, input: &HookInput, answer: &Value) -> HandlerResult<Value>;
}

impl dyn OutsideHook {
    /// The result when the host's answer took longer than the hook's limit.
    #[must_use]
    pub fn late(&self, input: &HookInput) -> HandlerResult<Value> {
        self.broken(input, HookFailure::timeout(self.limit().unwrap_or_default()))
    }

    /// The result when the host has no callback for the hook's question.
    #[must_use]
    pub fn unanswered(&self, input: &HookInput) -> HandlerResult<Value> {
        let (what, fix) = if self.wants_tool() {
            ("calls a tool of an MCP server", "set_tool_caller")
        } else {
            ("asks a model", "set_judge")
        };
        let why = format!("the hook {what}, and the host has no callback for it; call {fix} first");
        self.broken(input, HookFailure::new(FailureKind::NotStarted, why))
    }

    /// Whether the host runs it, by calling a tool.
    #[must_use]
    pub fn wants_tool(&self) -> bool {
        self.hosted().is_some_and(HostedHook::wants_tool)
    }
}

/// What a host is asked to do for a hook.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum HostQuestion {
    /// Ask a model, or an agent that may use tools, and give back its answer: `{"ok": true}` or
    /// `{"ok": false, "reason": "…"}`.
    Judge {
        /// The whole prompt.
        prompt: String,
        /// The model that the file names.
        model: Option<String>,
        /// Whether an agent is asked.
        agent: bool,
    },
    /// Call a tool of an MCP server and give back its text.
    Tool {
        /// The server's name.
        server: String,
        /// The tool's name.
        tool: String,
        /// The tool's input.
        input: Map<String, Value>,
    },
}

impl HostQuestion {
    /// The question for hosts in other languages.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Judge { prompt, model, agent } => {
                json!({"kind": if *agent { "agent" } else { "prompt" }, "prompt": prompt, "model": model})
            }
            Self::Tool { server, tool, input } => {
                json!({"kind": "mcp_tool", "server": server, "tool": tool, "input": input})
            }
        }
    }
}

/// Where a started hook reports its result: exactly once, also when it is dropped without a report.
pub struct Done(Option<Box<dyn FnOnce(HandlerResult<Value>) + Send>>);

impl Done {
    /// Reports to a driver.
    #[must_use]
    pub fn new(report: impl FnOnce(HandlerResult<Value>) + Send + 'static) -> Self {
        Self(Some(Box::new(report)))
    }

    /// Reports what came of the hook.
    pub fn report(mut self, handler_result: HandlerResult<Value>) {
        if let Some(report) = self.0.take() {
            report(handler_result);
        }
    }
}

impl fmt::Debug for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Done").finish_non_exhaustive()
    }
}

impl Drop for Done {
    fn drop(&mut self) {
        let Some(report) = self.0.take() else { return };
        if std::thread::panicking() {
            // Nothing shows what the hook wanted, so that a gate stays shut, as for a command whose end is lost.
            let why = "its answer is lost: the engine panicked while the hook ran; please report it";
            report(HandlerResult::Failed(HookFailure {
                meant_to_restrict: true,
                ..HookFailure::new(FailureKind::Lost, why)
            }));
            return;
        }
        let why = "the hook was not run: it was cancelled, the engine is shut down, or the system gives no thread";
        report(HandlerResult::Failed(HookFailure::new(FailureKind::NotStarted, why)));
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
    use std::sync::mpsc::channel;

    use super::*;

    /// What is reported of a hook whose job ends so, without an answer.
    fn reported(ends: impl FnOnce()) -> HookFailure<Value> {
        let (report, reports) = channel();
        let done = Done::new(move |handler_result| _ = report.send(handler_result));
        _ = catch_unwind(AssertUnwindSafe(move || {
            let _done = done;
            ends();
        }));
        match reports.recv() {
            Ok(HandlerResult::Failed(failure)) => failure,
            other => panic_any(format!("a failure is reported, not {other:?}")),
        }
    }

    #[test]
    fn a_hook_whose_job_panics_keeps_a_gate_shut() {
        let failure = reported(|| panic_any("a library panics"));
        assert!(failure.kind == FailureKind::Lost && failure.meant_to_restrict, "{failure:?}");
        let failure = reported(|| ());
        assert!(failure.kind == FailureKind::NotStarted && !failure.meant_to_restrict, "{failure:?}");
    }
}
