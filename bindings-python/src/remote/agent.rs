//! The agent's end: workers' hooks as outside hooks of a client.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use hookweave_host::audit::Audit;
use hookweave_host::hook::HookSpec;
use hookweave_host::options::CALLBACK_TIMEOUT;
use hookweave_host::record_refused_worker;
use hookweave_host::remote::{Desk, Grants, Hub, HubAction, HubSettings, Limits, Method, RemoteHook};
use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use serde::Deserialize;

use super::clock::RemoteClock;
use super::level;
use crate::client::Client;
use crate::completions::CompletionQueue;
use crate::errors;
use crate::finalization::Enter as _;
use crate::object::{Gil, Object};
use crate::outside_hooks::OutsideHook;
use crate::registration::{Handler, HandlerKind};

#[derive(Deserialize)]
struct Allowed {
    events: Option<Vec<String>>,
    earliest_priority: i32,
    allow: bool,
    modify: bool,
    ask: bool,
    mandatory: bool,
    managed: bool,
}

#[derive(Deserialize)]
struct Settings {
    token: Option<String>,
    grants: Allowed,
    in_flight: u32,
    max_message: u32,
    keepalive_ms: u64,
    queue: usize,
    max_hooks: usize,
    max_workers: usize,
    max_unasked: u32,
}

impl From<Settings> for HubSettings {
    fn from(settings: Settings) -> Self {
        let Settings { token, grants, in_flight, max_message, keepalive_ms, .. } = settings;
        let Allowed { events, earliest_priority, allow, modify, ask, mandatory, managed } = grants;
        Self {
            token,
            grants: Grants { events, earliest_priority, allow, modify, ask, mandatory, managed },
            limits: Limits { in_flight, max_message, keepalive_ms },
            queue: settings.queue,
            max_hooks: settings.max_hooks,
            max_workers: settings.max_workers,
            max_unasked: settings.max_unasked,
        }
    }
}

/// What a worker offered, and then its hook.
enum Hook {
    Offered(Box<HookSpec>),
    InForce(String),
}

type Actions<'py> = Vec<Bound<'py, PyTuple>>;

/// The agent's end of all connections of one address. What it wants done are tuples: `("send", connection, message)`,
/// `("close", connection, reason)`, `("register", registration, worker, name, event)`, `("unregister", registration)`, `("reply",
/// ask, message, refusal)`, `("log", level, text)`, `("refused", level, text, worker, code)`, which is on record already.
#[pyclass(frozen, module = "hookweave._native")]
pub(crate) struct RemoteAgent {
    desk: Arc<Desk>,
    hooks: Gil<RefCell<BTreeMap<u64, Hook>>>,
    audit: Arc<Audit>,
}

impl RemoteAgent {
    fn actions<'py>(&self, py: Python<'py>, actions: Vec<HubAction>) -> PyResult<Actions<'py>> {
        let tuple = |action| {
            Ok(Some(match action {
                HubAction::Send { connection, message } => {
                    ("send", connection, PyBytes::new(py, &message)).into_pyobject(py)?
                }
                HubAction::Close { connection, reason } => ("close", connection, reason).into_pyobject(py)?,
                HubAction::Register { registration, worker, spec } => {
                    let about = ("register", registration, worker, spec.name.clone(), spec.event.clone());
                    let about = about.into_pyobject(py)?;
                    self.hooks.get(py).borrow_mut().insert(registration, Hook::Offered(spec));
                    about
                }
                HubAction::Unregister { registration } => ("unregister", registration).into_pyobject(py)?,
                HubAction::Reply { ask, message } => {
                    let (message, refusal) = match message {
                        Ok(message) => (Some(PyBytes::new(py, &message)), None),
                        Err(why) => (None, Some(why)),
                    };
                    ("reply", ask, message, refusal).into_pyobject(py)?
                }
                HubAction::Log { level: how, text } => ("log", level(how), text).into_pyobject(py)?,
                HubAction::Refused { level: how, worker, code, text } => {
                    py.detach(|| record_refused_worker(&self.audit, &worker, code, &text));
                    ("refused", level(how), text, worker, code).into_pyobject(py)?
                }
                // A desk reports these itself.
                _ => return Ok(None),
            }))
        };
        actions.into_iter().filter_map(|action| tuple(action).transpose()).collect()
    }

    /// Without the interpreter's lock nothing is held here: a thread that cancels a call waits for the desk without it.
    fn with<'py>(&self, py: Python<'py>, act: impl FnOnce(&mut Hub, u64) + Send) -> PyResult<Actions<'py>> {
        let actions = py.detach(|| self.desk.with(act));
        self.actions(py, actions)
    }
}

#[pymethods]
impl RemoteAgent {
    /// The agent's end of a client whose loop is woken through the queue.
    #[new]
    fn new(
        client: &Client,
        settings: &Bound<'_, PyAny>,
        clock: &RemoteClock,
        queue: &CompletionQueue,
    ) -> PyResult<Self> {
        let settings: Settings = super::settings(settings)?;
        let clock = clock.clone();
        let desk = Desk::new(Hub::new(settings.into()), move || clock.ms(), queue.waker());
        Ok(Self { desk, hooks: Gil::new(RefCell::default()), audit: Arc::clone(client.audit()) })
    }

    /// A connection was made: its number, and what is to be done; `peer` is that of its side's calls, if it can make any.
    fn opened<'py>(&self, py: Python<'py>, peer: Option<&str>) -> PyResult<(u64, Actions<'py>)> {
        let mut number = 0;
        let actions = self.with(py, |hub, now| {
            number = match peer {
                Some(peer) => hub.opened_by(peer, now),
                None => hub.opened(now),
            };
        })?;
        Ok((number, actions))
    }

    /// A client calls a method of the service: the number under which `("reply", …)` comes, and what is to be done.
    fn asked<'py>(
        &self,
        py: Python<'py>,
        peer: &str,
        token: Option<&str>,
        method: &str,
        request: &[u8],
    ) -> PyResult<(u64, Actions<'py>)> {
        let method = match method {
            "RegisterHook" => Method::Register,
            "UnregisterHook" => Method::Unregister,
            "ListHooks" => Method::List,
            other => return Err(errors::internal(&format!("the service has no method {other}"))),
        };
        let mut ask = 0;
        let actions = self.with(py, |hub, _| ask = hub.asked(peer, token, method, request))?;
        Ok((ask, actions))
    }

    /// A message came.
    fn receive<'py>(&self, py: Python<'py>, connection: u64, message: &[u8]) -> PyResult<Actions<'py>> {
        self.with(py, |hub, now| hub.receive(connection, message, now))
    }

    /// The stream of a connection cannot be read any further.
    fn unreadable<'py>(&self, py: Python<'py>, connection: u64, why: &str) -> PyResult<Actions<'py>> {
        self.with(py, |hub, _| hub.unreadable(connection, why))
    }

    /// A connection ended.
    fn lost<'py>(&self, py: Python<'py>, connection: u64, why: &str) -> PyResult<Actions<'py>> {
        self.with(py, |hub, _| hub.lost(connection, why))
    }

    /// What came of `("register", …)`; a refusal says why the client did not take the hook.
    fn registered<'py>(&self, py: Python<'py>, registration: u64, refusal: Option<String>) -> PyResult<Actions<'py>> {
        self.with(py, |hub, _| hub.registered(registration, refusal.map_or(Ok(()), Err)))
    }

    /// What is to be done after it was woken.
    fn woken<'py>(&self, py: Python<'py>) -> PyResult<Actions<'py>> {
        self.with(py, |_, _| ())
    }

    /// Does what is due.
    fn tick<'py>(&self, py: Python<'py>) -> PyResult<Actions<'py>> {
        self.with(py, Hub::tick)
    }

    /// Ends it: later calls fail at once.
    fn close<'py>(&self, py: Python<'py>) -> PyResult<Actions<'py>> {
        let actions = py.detach(|| self.desk.close());
        self.actions(py, actions)
    }

    /// In how many seconds `tick` is due; None while nothing is.
    fn due(&self, py: Python<'_>) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "deadlines are far below 2^53 ms")]
        py.detach(|| self.desk.sleep_ms()).map(|ms| ms as f64 / 1000.0)
    }

    /// The workers: `(name, connected, lost, hooks)`.
    fn workers(&self, py: Python<'_>) -> Vec<(String, bool, String, usize)> {
        let workers = py.detach(|| self.desk.workers());
        workers.into_iter().map(|worker| (worker.name, worker.connected, worker.lost, worker.hooks)).collect()
    }

    /// Registers an offered hook with the client; `make` makes its handler of the client and the hook.
    fn register(&self, client: &Bound<'_, Client>, registration: u64, make: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, this) = (client.py(), client.get());
        let refuse = |error| errors::of(py, &error);
        let Some(Hook::Offered(spec)) = self.hooks.get(py).borrow_mut().remove(&registration) else {
            return Err(errors::internal("a hook is registered that no worker offered"));
        };
        let event = this.registry(py).resolve(&spec.event).map_err(refuse)?;
        let link: Arc<Desk> = Arc::clone(&self.desk);
        let hook = RemoteHook::new(registration, &spec, Some(CALLBACK_TIMEOUT), link);
        let callable = make.enter((client, OutsideHook::new(Arc::new(hook), event).into_bound_py_any(py)?))?;
        let handler = Handler {
            callable: Object::from_bound(callable),
            in_thread: false,
            is_async: false,
            kind: HandlerKind::Outside,
        };
        let id = this.registry(py).register(*spec, handler).map_err(refuse)?.to_string();
        self.hooks.get(py).borrow_mut().insert(registration, Hook::InForce(id));
        this.log_observers(py)
    }

    /// Takes a hook out of the client.
    fn unregister(&self, client: &Bound<'_, Client>, registration: u64) {
        let py = client.py();
        let removed = self.hooks.get(py).borrow_mut().remove(&registration);
        if let Some(Hook::InForce(id)) = removed {
            client.get().remove(py, &id);
        }
    }
}
