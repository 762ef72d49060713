//! What a client offers to its agent, and how one of its hooks runs for it.

use std::time::Duration;

use hookweave_host::dispatch::{FailureKind, HandlerResult, HookFailure, check_depth};
use hookweave_host::json::from_json;
use hookweave_host::remote::{Message as _, offer};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use serde_json::Value;

use crate::client::Client;
use crate::completions::{self, CompletionQueue};
use crate::dispatch_state;
use crate::errors;
use crate::logging;
use crate::nesting;
use crate::object::Object;
use crate::serial;

/// What an agent is offered, and why other hooks are not.
type Offers<'py> = (Vec<Bound<'py, PyBytes>>, Vec<String>);

/// The hooks that an agent is offered, each as its message, and why others are not.
#[pyfunction]
pub(crate) fn remote_offers<'py>(client: &Bound<'py, Client>) -> Offers<'py> {
    let py = client.py();
    let (mut offers, mut refusals) = (Vec::new(), Vec::new());
    let hooks = client.get().registry(py).list();
    for hook in hooks.iter().filter(|hook| hook.enabled && hook.worker.is_none()) {
        match offer(hook) {
            Ok(offer) => offers.push(PyBytes::new(py, &offer.encode_to_vec())),
            Err(why) => refusals.push(why),
        }
    }
    (offers, refusals)
}

/// A hook and its event as the Python runners get it: `(handler, event, timeout, in_thread, depth)`; None where the hook is gone.
///
/// It is called in the task in which the hook is to run, and sets there how deep the dispatch is nested.
#[pyfunction]
pub(crate) fn remote_call<'py>(
    client: &Bound<'py, Client>,
    hook: &str,
    event: &str,
    payload: &str,
    depth: u32,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let (py, this) = (client.py(), client.get());
    check_depth(depth).map_err(|error| errors::of(py, &error))?;
    let id = hookweave_host::hook_id(hook).map_err(|error| errors::of(py, &error))?;
    let Some(entry) = this.registry(py).entry(id) else { return Ok(None) };
    let name = entry.event().name();
    let cached = this.event(py, PyString::new(py, name).as_any())?;
    let given = this.event(py, PyString::new(py, event).as_any())?;
    if given.spec.name() != name {
        return Err(errors::raise(
            py,
            "invalid_payload",
            &format!("the hook is on {name}, and the agent sent {event}"),
        ));
    }
    let refuse = |why: String| errors::raise(py, "invalid_payload", &why);
    let payload = match from_json(payload).map_err(|error| refuse(error.to_string()))? {
        Value::Object(fields) => serial::dict(py, &fields)?,
        _ => return Err(refuse("a payload is an object".to_owned())),
    };
    let filled = Object::from_bound(PyDict::new(py));
    let event = cached.event(py, &Object::from_bound(payload), Some(&filled))?.into_object();
    drop(nesting::set(py, depth + 1)?);
    if logging::is_on(py) {
        logging::started(py, &cached.name, entry.name())?;
    }
    let handler = entry.handler();
    let timeout = handler.limit(entry.timeout()).map(|limit| limit.as_secs_f64());
    (handler.callable.borrow(py), event.borrow(py), timeout, handler.in_thread, depth + 1).into_pyobject(py).map(Some)
}

/// What a runner's report of a hook means, for another process: data instead of objects.
pub(super) fn result_of(
    py: Python<'_>,
    kind: &str,
    value: Bound<'_, PyAny>,
    limit: Option<f64>,
) -> HandlerResult<Value> {
    let failed = |kind, message: String| HandlerResult::Failed(HookFailure::new(kind, message));
    match kind {
        "answer" => plain(py, dispatch_state::answer(py, Object::from_bound(value))),
        "raised" => {
            let error = PyErr::from_value(value);
            match completions::failure_of(py, &error) {
                Some(failure) => plain(py, HandlerResult::Failed(failure)),
                None => failed(FailureKind::Raised, errors::describe(py, &error)),
            }
        }
        "cancelled" => plain(py, HandlerResult::Failed(dispatch_state::cancelled(py, PyErr::from_value(value)))),
        "timeout" => {
            let limit = limit.and_then(|limit| Duration::try_from_secs_f64(limit).ok());
            HandlerResult::Failed(HookFailure::timeout(limit.unwrap_or_default()))
        }
        other => failed(FailureKind::NotStarted, other.to_owned()),
    }
}

fn plain(py: Python<'_>, result: HandlerResult<Object>) -> HandlerResult<Value> {
    match result {
        HandlerResult::Nothing => HandlerResult::Nothing,
        HandlerResult::Detached => HandlerResult::Detached,
        HandlerResult::Answer(answer) => match serial::to_json_value(&answer.bind(py)) {
            Ok(answer) => HandlerResult::Answer(answer),
            // The part that has no JSON form may be what restricts.
            Err(error) => {
                let why = format!("the answer cannot be sent to the agent: {}", error.value(py));
                let failure = HookFailure::new(FailureKind::InvalidAnswer, why);
                HandlerResult::Failed(HookFailure { meant_to_restrict: true, ..failure })
            }
        },
        HandlerResult::Failed(HookFailure { kind, message, meant_to_restrict, .. }) => {
            HandlerResult::Failed(HookFailure { meant_to_restrict, ..HookFailure::new(kind, message) })
        }
    }
}

/// Wakes a queue whenever hooks of the client come, go or are switched, and when it closes; until the queue is gone.
#[pyfunction]
pub(crate) fn watch_hooks(client: &Bound<'_, Client>, queue: &CompletionQueue) {
    client.get().tell_of_changes(queue.weak_waker());
}
