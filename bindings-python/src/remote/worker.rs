//! The worker's end: what it offers, and the events that it is given.

use std::sync::{Mutex, PoisonError};

use hookweave_host::dispatch::{FailureKind, HandlerResult, HookFailure};
use hookweave_host::remote::wire::RegisterHookRequest;
use hookweave_host::remote::{
    Backoff, Limits, Message as _, WorkerAction, WorkerEnd, WorkerSettings, WorkerState, is_name,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use serde::Deserialize;
use serde_json::Value;

use super::level;
use super::offered::result_of;
use crate::errors;

#[derive(Deserialize)]
struct Settings {
    name: String,
    instance: String,
    token: Option<String>,
    in_flight: u32,
    max_message: u32,
    keepalive_ms: u64,
    first_ms: u64,
    most_ms: u64,
}

/// The worker's end of one connection, which is made again when it is lost. What it wants done are tuples: `("connect",)`, `("send",
/// message)`, `("close", reason)`, `("run", dispatch, hook, event, payload, depth)`, `("cancel", dispatch)`, `("state", state, until,
/// reason)`, `("log", level, text)`.
#[pyclass(frozen, module = "hookweave._native")]
pub(crate) struct RemoteWorker(Mutex<WorkerEnd>);

type Actions<'py> = Vec<Bound<'py, PyTuple>>;

impl RemoteWorker {
    fn with<'py>(&self, py: Python<'py>, act: impl FnOnce(&mut WorkerEnd)) -> PyResult<Actions<'py>> {
        let actions = {
            let mut end = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            act(&mut end);
            end.actions()
        };
        let tuple = |action| {
            Ok(Some(match action {
                WorkerAction::Connect => ("connect",).into_pyobject(py)?,
                WorkerAction::Send { message } => ("send", PyBytes::new(py, &message)).into_pyobject(py)?,
                WorkerAction::Close { reason } => ("close", reason).into_pyobject(py)?,
                WorkerAction::Run(run) => {
                    let payload = run.payload.to_string();
                    ("run", run.dispatch, run.hook, run.event, payload, run.depth).into_pyobject(py)?
                }
                WorkerAction::Cancel { dispatch } => ("cancel", dispatch).into_pyobject(py)?,
                WorkerAction::State(state) => {
                    let (name, until, reason) = match state {
                        WorkerState::Connecting => ("connecting", None, None),
                        WorkerState::Ready => ("ready", None, None),
                        WorkerState::Waiting { until } => ("waiting", Some(until), None),
                        WorkerState::Closed { reason } => ("closed", None, Some(reason)),
                    };
                    ("state", name, until, reason).into_pyobject(py)?
                }
                WorkerAction::Log { level: how, text } => ("log", level(how), text).into_pyobject(py)?,
                _ => return Ok(None),
            }))
        };
        actions.into_iter().filter_map(|action| tuple(action).transpose()).collect()
    }
}

#[pymethods]
impl RemoteWorker {
    #[new]
    fn new(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Settings { name, instance, token, in_flight, max_message, keepalive_ms, first_ms, most_ms } =
            super::settings(given)?;
        if !is_name(&name) {
            let why =
                format!("a worker's name has 1 to 64 letters, digits, dots, dashes or underscores, unlike `{name}`");
            return Err(errors::raise(given.py(), "invalid_option", &why));
        }
        let settings = WorkerSettings {
            token,
            limits: Limits { in_flight, max_message, keepalive_ms },
            backoff: Backoff { first_ms, most_ms },
            ..WorkerSettings::new(name, instance)
        };
        Ok(Self(Mutex::new(WorkerEnd::new(settings))))
    }

    /// These are all hooks of the worker, each as its message.
    #[expect(clippy::needless_pass_by_value, reason = "pyo3 hands arguments over by value")]
    fn offer<'py>(&self, py: Python<'py>, offers: Vec<Bound<'py, PyBytes>>, now: u64) -> PyResult<Actions<'py>> {
        let read = |offer: &Bound<'py, PyBytes>| RegisterHookRequest::decode(offer.as_bytes());
        let offers: Result<Vec<_>, _> = offers.iter().map(read).collect();
        let offers = offers.map_err(|error| PyValueError::new_err(error.to_string()))?;
        self.with(py, |end| end.offer(offers, now))
    }

    /// What is to be done when it begins.
    fn begin<'py>(&self, py: Python<'py>) -> PyResult<Actions<'py>> {
        self.with(py, |_| ())
    }

    /// The connection was made.
    fn opened<'py>(&self, py: Python<'py>, now: u64) -> PyResult<Actions<'py>> {
        self.with(py, |end| end.opened(now))
    }

    /// A message came.
    fn receive<'py>(&self, py: Python<'py>, message: &[u8], now: u64, random: u64) -> PyResult<Actions<'py>> {
        self.with(py, |end| end.receive(message, now, random))
    }

    /// The connection ended, or could not be made.
    fn lost<'py>(&self, py: Python<'py>, why: &str, now: u64, random: u64) -> PyResult<Actions<'py>> {
        self.with(py, |end| end.lost(why, now, random))
    }

    /// A hook has run: what it reported, as the Python runners say it.
    fn answered<'py>(
        &self,
        py: Python<'py>,
        dispatch: u64,
        kind: &str,
        value: Bound<'py, PyAny>,
        limit: Option<f64>,
    ) -> PyResult<Actions<'py>> {
        let result = result_of(py, kind, value, limit);
        self.with(py, |end| end.answered(dispatch, &result))
    }

    /// A hook could not be run; `restricts` says that on a gate it counts as a block.
    fn not_started<'py>(&self, py: Python<'py>, dispatch: u64, why: &str, restricts: bool) -> PyResult<Actions<'py>> {
        let failure = HookFailure { meant_to_restrict: restricts, ..HookFailure::new(FailureKind::NotStarted, why) };
        self.with(py, |end| end.answered(dispatch, &HandlerResult::<Value>::Failed(failure)))
    }

    /// Does what is due.
    fn tick<'py>(&self, py: Python<'py>, now: u64, random: u64) -> PyResult<Actions<'py>> {
        self.with(py, |end| end.tick(now, random))
    }

    /// Takes nothing new, and goes when what runs has ended.
    fn leave<'py>(&self, py: Python<'py>) -> PyResult<Actions<'py>> {
        self.with(py, WorkerEnd::leave)
    }

    /// When `tick` is due.
    fn due(&self) -> Option<u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).next_deadline()
    }
}
