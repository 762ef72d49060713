//! Outside hooks as Python sees them: commands, webhooks, and questions to the host's model or tools.
//!
//! A hook runs on a thread of the core. The result reaches an event loop through a completion queue, and a blocked thread
//! through [`BegunOutsideHook`].

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use hookweave_host::dispatch::{FailureKind, HandlerResult, HookFailure};
use hookweave_host::event::EventSpec;
use hookweave_host::exec::outside::{Done, HookInput, HostedHook, OutsideHook as CoreHook};
use hookweave_host::exec::trace_context::TraceContext;
use hookweave_host::json::from_json;
use hookweave_host::{self as host};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use serde_json::Value;

use crate::completions::{self, CompletionQueue};
use crate::errors;
use crate::event::EventRef;
use crate::finalization::Enter as _;
use crate::nesting;
use crate::object::Object;
use crate::once::Once;
use crate::serial;

/// How often a blocking wait looks for Ctrl-C.
const SIGNAL_PAUSE: Duration = Duration::from_millis(50);

/// An outside hook, as the handlers in `hookweave/_outside_hooks.py` run it.
#[pyclass(frozen, module = "hookweave._native")]
#[derive(Debug, Clone)]
pub(crate) struct OutsideHook {
    hook: Arc<dyn CoreHook>,
    event: Arc<EventSpec>,
}

impl OutsideHook {
    pub(crate) const fn new(hook: Arc<dyn CoreHook>, event: Arc<EventSpec>) -> Self {
        Self { hook, event }
    }

    fn input(&self, py: Python<'_>, event: &Bound<'_, PyAny>) -> PyResult<HookInput> {
        let object = Object::of(event);
        let view = EventRef::of(py, &object).ok_or_else(|| errors::internal("an outside hook was given no event"))?;
        let payload = view.json(py).map_err(|error| not_json(py, &error.value(py).to_string()))?;
        let payload = from_json(&payload).map_err(|error| not_json(py, &format!("the event: {error}")))?;
        let Value::Object(payload) = payload else { return Err(errors::internal("an event is an object")) };
        Ok(HookInput::new(Arc::clone(&self.event), payload, nesting::depth(py).saturating_sub(1)))
    }

    /// Starts the hook in the caller's trace.
    fn start_in_trace(
        &self,
        event: &Bound<'_, PyAny>,
        report: impl FnOnce(HandlerResult<Value>) + Send + 'static,
    ) -> PyResult<Option<host::exec::pool::Job>> {
        let py = event.py();
        let input = match (self.input(py, event), self.hook.without_event()) {
            (Err(_), Some(answer)) => {
                report(HandlerResult::Answer(answer));
                return Ok(None);
            }
            (input, _) => input?,
        };
        let input = HookInput { trace: trace_context(py)?, ..input };
        Ok(Arc::clone(&self.hook).start(input, Done::new(report)))
    }

    /// The hook as one that the host runs.
    fn hosted_hook(&self) -> PyResult<&dyn HostedHook> {
        self.hook.hosted().ok_or_else(|| errors::internal("this hook asks nothing"))
    }

    /// What it means that the host gave no answer: the hook's dialect may know that the action must not happen then.
    pub(crate) fn without_answer(
        &self,
        py: Python<'_>,
        event: &Object,
        failure: HookFailure<Object>,
    ) -> HandlerResult<Object> {
        let HookFailure { kind, message, cause, meant_to_restrict } = failure;
        let failed = |meant_to_restrict, kind, message| {
            HandlerResult::Failed(HookFailure { kind, message, cause, meant_to_restrict })
        };
        let Ok(input) = self.input(py, &event.bind(py)) else { return failed(true, kind, message) };
        let failure = HookFailure { kind, message, cause: None, meant_to_restrict };
        match self.hook.broken(&input, failure) {
            HandlerResult::Nothing | HandlerResult::Detached => HandlerResult::Nothing,
            HandlerResult::Answer(answer) => match serial::to_python(py, &answer) {
                Ok(answer) => HandlerResult::Answer(Object::from_bound(answer)),
                Err(why) => failed(true, FailureKind::InvalidAnswer, why.value(py).to_string()),
            },
            HandlerResult::Failed(HookFailure { kind, message, meant_to_restrict, .. }) => {
                failed(meant_to_restrict, kind, message)
            }
        }
    }
}

#[pymethods]
impl OutsideHook {
    /// Whether the host runs it, through `set_judge` or `set_tool_caller`.
    #[getter]
    fn hosted(&self) -> bool {
        self.hook.hosted().is_some()
    }

    /// Whether the host has to call a tool, rather than to ask a model.
    #[getter]
    fn wants_tool(&self) -> bool {
        self.hook.wants_tool()
    }

    /// Whether its refusal is to wake the model when it runs in the background.
    #[getter]
    fn wakes(&self) -> bool {
        self.hook.wakes()
    }

    /// Seconds that it may run; None for no limit.
    #[getter]
    fn timeout(&self) -> Option<f64> {
        self.hook.limit().map(|limit| limit.as_secs_f64())
    }

    /// Starts the hook; the result is put into the queue under the ticket.
    fn start(
        &self,
        event: &Bound<'_, PyAny>,
        queue: &CompletionQueue,
        ticket: u64,
    ) -> PyResult<Option<Job>> {
        Ok(self.start_in_trace(event, queue.sender(ticket))?.map(Job))
    }

    /// Starts the hook for a thread that is going to wait for it.
    fn begin(&self, event: &Bound<'_, PyAny>) -> PyResult<BegunOutsideHook> {
        let result = Arc::new(ResultCell::default());
        let filled = Arc::clone(&result);
        let job = self.start_in_trace(event, move |reported| filled.set(reported))?;
        Ok(BegunOutsideHook { result, job: job.map(host::exec::pool::Job::cancel_on_drop) })
    }

    /// What the host is asked: `{"kind": "prompt" | "agent", "prompt", "model"}` or `{"kind": "mcp_tool", …}`.
    fn question<'py>(&self, py: Python<'py>, event: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let question = self.hosted_hook()?.question(&self.input(py, event)?);
        let question = question.ok_or_else(|| errors::internal("this hook asks nothing"))?;
        serial::to_python(py, &question.to_json())
    }

    /// The result of the host's answer, given as JSON text.
    fn answered<'py>(&self, py: Python<'py>, event: &Bound<'py, PyAny>, answer: &str) -> PyResult<Bound<'py, PyTuple>> {
        let answer = from_json(answer).map_err(|error| errors::internal(&error.to_string()))?;
        completions::result(py, self.hosted_hook()?.answered(&self.input(py, event)?, &answer))
    }

    /// The result where the host has set no function to answer.
    fn unanswered<'py>(&self, py: Python<'py>, event: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
        completions::result(py, self.hook.unanswered(&self.input(py, event)?))
    }
}

/// The failure of a hook that cannot be given its event; it blocks on a gate, because a payload must not get past a guard by it.
fn not_json(py: Python<'_>, why: &str) -> PyErr {
    let message = format!("payload_not_json: the hook cannot be given the event as JSON: {why}");
    completions::restricting(py, FailureKind::NotStarted, &message)
}

/// The caller's place in a distributed trace, if the host traces.
fn trace_context(py: Python<'_>) -> PyResult<Option<TraceContext>> {
    static CURRENT: Once<Py<PyAny>> = Once::new();
    let current = CURRENT.import(py, c"hookweave._telemetry", "current")?.enter(())?;
    let current: Option<(String, Option<String>)> = current.extract()?;
    Ok(current.and_then(|(parent, state)| TraceContext::parse(&parent, state.as_deref())))
}

/// A hook that runs or waits for its turn.
#[pyclass(frozen, module = "hookweave._native")]
pub(crate) struct Job(host::exec::pool::Job);

#[pymethods]
impl Job {
    /// Kills the hook's processes, or drops its connection.
    fn cancel(&self, py: Python<'_>) {
        py.detach(|| self.0.cancel());
    }
}

/// A hook that a thread has begun; dropping it kills the hook.
#[pyclass(frozen, module = "hookweave._native")]
pub(crate) struct BegunOutsideHook {
    result: Arc<ResultCell>,
    job: Option<host::exec::pool::Job>,
}

#[pymethods]
impl BegunOutsideHook {
    /// Waits for the hook without the interpreter's lock; Ctrl-C ends the wait.
    fn wait<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        loop {
            match py.detach(|| self.result.wait(SIGNAL_PAUSE)) {
                Some(reported) => return completions::result(py, reported),
                None => py.check_signals().inspect_err(|_| self.cancel(py))?,
            }
        }
    }
}

impl BegunOutsideHook {
    /// Kills the hook now: the exception's traceback may keep this alive.
    fn cancel(&self, py: Python<'_>) {
        py.detach(|| self.job.as_ref().map(host::exec::pool::Job::cancel));
    }
}

/// The result of one hook, for the thread that waits for it.
#[derive(Default)]
struct ResultCell {
    reported: Mutex<Option<HandlerResult<Value>>>,
    is_set: Condvar,
}

impl ResultCell {
    fn set(&self, reported: HandlerResult<Value>) {
        *self.reported.lock().unwrap_or_else(PoisonError::into_inner) = Some(reported);
        self.is_set.notify_one();
    }

    fn wait(&self, limit: Duration) -> Option<HandlerResult<Value>> {
        let reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.is_set.wait_timeout_while(reported, limit, |reported| reported.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.take()
    }
}

/// Adds the classes to the module.
pub(crate) fn add_types(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<OutsideHook>()?;
    module.add_class::<BegunOutsideHook>()?;
    module.add_class::<Job>()
}
