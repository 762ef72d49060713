//! Both ends of a fleet: what stands between an end of the protocol and a broker.

use std::sync::{Mutex, PoisonError};

use hookweave_host::remote::{
    BUCKET, BUCKET_TTL_MS, Backoff, FleetAction, FleetAgent as Agent, FleetAgentSettings, FleetWorker as Worker,
    FleetWorkerSettings, Limits, is_name,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use serde::Deserialize;

use super::level;
use crate::errors;

/// What is to be done: `("connect",)`, `("open", group)`, `("deliver", group, message)`, `("lost", group, why)`, `("subscribe",
/// subject, shared)`, `("unsubscribe", subject)`, `("publish", subject, reply, message)`, `("put", key, value)`, `("delete", key)`,
/// `("drain",)`, `("log", level, text)`.
type Actions<'py> = Vec<Bound<'py, PyTuple>>;

/// The bucket's name, and how many seconds it keeps an entry.
pub(super) fn add_bucket(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("FLEET_BUCKET", (BUCKET, BUCKET_TTL_MS / 1000))
}

fn tuples(py: Python<'_>, actions: Vec<FleetAction>) -> PyResult<Actions<'_>> {
    let tuple = |action| {
        Ok(Some(match action {
            FleetAction::Connect => ("connect",).into_pyobject(py)?,
            FleetAction::Open { group } => ("open", group).into_pyobject(py)?,
            FleetAction::Deliver { group, message } => {
                ("deliver", group, PyBytes::new(py, &message)).into_pyobject(py)?
            }
            FleetAction::Lost { group, why } => ("lost", group, why).into_pyobject(py)?,
            FleetAction::Subscribe { subject, shared } => ("subscribe", subject, shared).into_pyobject(py)?,
            FleetAction::Unsubscribe { subject } => ("unsubscribe", subject).into_pyobject(py)?,
            FleetAction::Publish { subject, reply, message } => {
                ("publish", subject, reply, PyBytes::new(py, &message)).into_pyobject(py)?
            }
            FleetAction::Put { key, value } => ("put", key, PyBytes::new(py, &value)).into_pyobject(py)?,
            FleetAction::Delete { key } => ("delete", key).into_pyobject(py)?,
            FleetAction::Drain => ("drain",).into_pyobject(py)?,
            FleetAction::Log { level: how, text } => ("log", level(how), text).into_pyobject(py)?,
            _ => return Ok(None),
        }))
    };
    actions.into_iter().filter_map(|action| tuple(action).transpose()).collect()
}

/// A group is a worker's name to agents.
fn check(py: Python<'_>, group: &str) -> PyResult<()> {
    if is_name(group) {
        return Ok(());
    }
    let why = format!("a group's name has 1 to 64 letters, digits, dots, dashes or underscores, unlike `{group}`");
    Err(errors::raise(py, "invalid_option", &why))
}

#[derive(Deserialize)]
struct AgentSettings {
    groups: Vec<String>,
    token: Option<String>,
    keepalive_ms: u64,
    max_message: u32,
}

/// The agent's end: each group is one worker to it.
#[pyclass(frozen, module = "hookweave._native")]
pub(crate) struct FleetAgent(Mutex<Agent>);

impl FleetAgent {
    fn with<'py>(&self, py: Python<'py>, act: impl FnOnce(&mut Agent)) -> PyResult<Actions<'py>> {
        let actions = {
            let mut agent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            act(&mut agent);
            agent.actions()
        };
        tuples(py, actions)
    }
}

#[pymethods]
impl FleetAgent {
    #[new]
    fn new(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let AgentSettings { groups, token, keepalive_ms, max_message } = super::settings(given)?;
        groups.iter().try_for_each(|group| check(given.py(), group))?;
        let backoff = Backoff::default();
        let settings = FleetAgentSettings { groups, token, keepalive_ms, max_message, backoff };
        Ok(Self(Mutex::new(Agent::new(settings))))
    }

    /// What is to be done when it begins.
    fn begin<'py>(&self, py: Python<'py>) -> PyResult<Actions<'py>> {
        self.with(py, |_| ())
    }

    /// The patterns of the keys to watch.
    fn keys(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).keys()
    }

    /// The broker is connected.
    fn connected<'py>(&self, py: Python<'py>, inbox: &str, max_payload: u32) -> PyResult<Actions<'py>> {
        self.with(py, |agent| agent.connected(inbox, max_payload))
    }

    /// An entry of the bucket; None where it was deleted.
    #[pyo3(signature = (key, value, now))]
    fn entry<'py>(&self, py: Python<'py>, key: &str, value: Option<&[u8]>, now: u64) -> PyResult<Actions<'py>> {
        self.with(py, |agent| agent.entry(key, value, now))
    }

    /// Every entry that the bucket had was told.
    fn has_all<'py>(&self, py: Python<'py>) -> PyResult<Actions<'py>> {
        self.with(py, Agent::has_all)
    }

    /// The broker is lost.
    fn lost<'py>(&self, py: Python<'py>, why: &str, now: u64, random: u64) -> PyResult<Actions<'py>> {
        self.with(py, |agent| agent.lost(why, now, random))
    }

    /// The agent sends a message to a group.
    fn sent<'py>(&self, py: Python<'py>, group: &str, message: &[u8], now: u64) -> PyResult<Actions<'py>> {
        self.with(py, |agent| agent.sent(group, message, now))
    }

    /// The agent closed a group's connection.
    fn closed<'py>(&self, py: Python<'py>, group: &str, now: u64) -> PyResult<Actions<'py>> {
        self.with(py, |agent| agent.closed(group, now))
    }

    /// Something came below the inbox.
    fn replied<'py>(&self, py: Python<'py>, subject: &str, message: &[u8], now: u64) -> PyResult<Actions<'py>> {
        self.with(py, |agent| agent.replied(subject, message, now))
    }

    /// Nobody takes the call of a subject below the inbox.
    fn unanswered<'py>(&self, py: Python<'py>, subject: &str) -> PyResult<Actions<'py>> {
        self.with(py, |agent| agent.unanswered(subject))
    }

    /// Does what is due.
    fn tick<'py>(&self, py: Python<'py>, now: u64) -> PyResult<Actions<'py>> {
        self.with(py, |agent| agent.tick(now))
    }

    /// When `tick` is due.
    fn due(&self) -> Option<u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).next_deadline()
    }
}

#[derive(Deserialize)]
struct WorkerSettings {
    group: String,
    instance: String,
    epoch: u64,
    in_flight: u32,
    max_message: u32,
    keepalive_ms: u64,
    bucket_ttl_ms: u64,
    max_payload: u32,
}

/// The worker's end, on one connection to the broker.
#[pyclass(frozen, module = "hookweave._native")]
pub(crate) struct FleetWorker(Mutex<Worker>);

impl FleetWorker {
    fn with<'py>(&self, py: Python<'py>, act: impl FnOnce(&mut Worker)) -> PyResult<Actions<'py>> {
        let actions = {
            let mut worker = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            act(&mut worker);
            worker.actions()
        };
        tuples(py, actions)
    }
}

#[pymethods]
impl FleetWorker {
    /// `refusal` says why the broker does not take it, for good.
    #[new]
    #[pyo3(signature = (given, refusal = None))]
    fn new(given: &Bound<'_, PyAny>, refusal: Option<String>) -> PyResult<Self> {
        let WorkerSettings { group, instance, epoch, in_flight, max_message, keepalive_ms, bucket_ttl_ms, max_payload } =
            super::settings(given)?;
        check(given.py(), &group)?;
        let limits = Limits { in_flight, max_message, keepalive_ms };
        let settings = FleetWorkerSettings { group, instance, epoch, limits, bucket_ttl_ms, max_payload };
        let worker = match refusal {
            Some(why) => Worker::refused(settings, why),
            None => Worker::new(settings),
        };
        Ok(Self(Mutex::new(worker)))
    }

    /// The worker sends a message.
    fn sent<'py>(&self, py: Python<'py>, message: &[u8], now: u64) -> PyResult<Actions<'py>> {
        self.with(py, |worker| worker.sent(message, now))
    }

    /// The entry was written.
    fn stored<'py>(&self, py: Python<'py>) -> PyResult<Actions<'py>> {
        self.with(py, Worker::stored)
    }

    /// A call came.
    fn called<'py>(&self, py: Python<'py>, reply: &str, message: &[u8], now: u64) -> PyResult<Actions<'py>> {
        self.with(py, |worker| worker.called(reply, message, now))
    }

    /// Nobody waits for the answer to a call.
    fn cancelled<'py>(&self, py: Python<'py>, reply: &str) -> PyResult<Actions<'py>> {
        self.with(py, |worker| worker.cancelled(reply))
    }

    /// Does what is due.
    fn tick<'py>(&self, py: Python<'py>, now: u64) -> PyResult<Actions<'py>> {
        self.with(py, |worker| worker.tick(now))
    }

    /// The worker is done with this connection.
    fn end<'py>(&self, py: Python<'py>) -> PyResult<Actions<'py>> {
        self.with(py, Worker::end)
    }

    /// When `tick` is due.
    fn due(&self) -> Option<u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).next_deadline()
    }
}
