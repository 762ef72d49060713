//! The agent's end of the protocol: all connections, the workers behind them, and their hooks.

mod first_version;

use std::collections::BTreeMap;

use crate::action::{HubAction, Level};
use crate::agent_end::{AgentEnd, Refused, Said, finish};
use crate::offer;
use crate::remote_hook::RemoteCall;
use crate::settings::HubSettings;
use crate::wire::{
    Complete, Hello, HookEvent, Refusal, RegisterHookRequest, RegisterHookResponse, UnregisterHookResponse,
};
use first_version::Clients;
pub use first_version::Method;
use hookweave_machine::dispatch::FailureKind;
use hookweave_machine::hook::HookSpec;

/// A hook that is, or is about to be, in the engine.
#[derive(Debug)]
struct Known {
    offer: RegisterHookRequest,
    registration: u64,
    /// The engine has it.
    is_in_force: bool,
    warnings: Vec<String>,
    /// The connection on which the worker offered it last.
    offered_on: u64,
    /// The registration that this one takes the place of.
    replaces: Option<u64>,
}

/// A worker, also while it is lost.
#[derive(Debug)]
struct Worker {
    instance: String,
    connection: Option<u64>,
    lost: String,
    hooks: BTreeMap<String, Known>,
}

/// How one worker stands.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkerInfo {
    /// Its name.
    pub name: String,
    /// Whether it is connected.
    pub connected: bool,
    /// Why it is not; empty where it is.
    pub lost: String,
    /// How many hooks it has in the engine.
    pub hooks: usize,
}

/// The agent's end, as a machine: what came goes in, what is to be done comes out. Times are milliseconds of any clock that
/// does not go back.
#[derive(Debug)]
pub struct Hub {
    settings: HubSettings,
    connections: BTreeMap<u64, AgentEnd>,
    workers: BTreeMap<String, Worker>,
    /// Where each registration belongs: the worker and its id of the hook.
    registrations: BTreeMap<u64, (String, String)>,
    /// The connection of each call.
    calls: BTreeMap<u64, u64>,
    clients: Clients,
    last: u64,
    actions: Vec<HubAction>,
}

/// The refusal of an agent that ends.
const CLOSING: &str = "closing";

impl Hub {
    /// An agent without workers.
    #[must_use]
    pub fn new(settings: HubSettings) -> Self {
        Self {
            settings,
            connections: BTreeMap::new(),
            workers: BTreeMap::new(),
            registrations: BTreeMap::new(),
            calls: BTreeMap::new(),
            clients: Clients::default(),
            last: 0,
            actions: Vec::new(),
        }
    }

    /// What is to be done, in order.
    #[must_use]
    pub fn actions(&mut self) -> Vec<HubAction> {
        let actions = std::mem::take(&mut self.actions);
        for action in &actions {
            if let HubAction::Finished { call, .. } = action {
                self.calls.remove(call);
            }
        }
        actions
    }

    /// When [`tick`](Self::tick) is due.
    #[must_use]
    pub fn next_deadline(&self) -> Option<u64> {
        self.connections.values().map(AgentEnd::next_deadline).min()
    }

    /// The longest message that is taken, for a transport that splits a stream.
    #[must_use]
    pub const fn max_message(&self) -> usize {
        self.settings.limits.max_message as usize
    }

    /// The workers, by name.
    #[must_use]
    pub fn workers(&self) -> Vec<WorkerInfo> {
        let info = |(name, worker): (&String, &Worker)| WorkerInfo {
            name: name.clone(),
            connected: worker.connection.is_some(),
            lost: worker.lost.clone(),
            hooks: worker.hooks.values().filter(|known| known.is_in_force).count(),
        };
        self.workers.iter().map(info).collect()
    }

    fn number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// A connection was made; gives its number.
    pub fn opened(&mut self, now: u64) -> u64 {
        let connection = self.number();
        self.connections.insert(connection, AgentEnd::new(connection, &self.settings, now));
        let unknown = self.connections.values().filter(|end| end.worker.is_none()).count();
        if unknown > self.settings.max_workers {
            let most = self.settings.max_workers;
            let why = format!("{most} connections have sent no hello yet; connect again later");
            self.refuse(connection, &Refused::new("too_many", why));
        }
        connection
    }

    /// A message came.
    pub fn receive(&mut self, connection: u64, message: &[u8], now: u64) {
        let Some(end) = self.connections.get_mut(&connection) else { return };
        let heard = match end.receive(message, &self.settings, now, &mut self.actions) {
            Ok(None) => Ok(()),
            Ok(Some(Said::Hello(hello))) => self.greet(connection, &hello),
            Ok(Some(Said::Register(offer))) => self.offered(connection, offer),
            Ok(Some(Said::Unregister(hook))) => {
                self.withdrawn(connection, &hook);
                Ok(())
            }
            Ok(Some(Said::Complete)) => {
                self.all_offered(connection);
                Ok(())
            }
            Ok(Some(Said::Leave)) => {
                self.leaves(connection);
                Ok(())
            }
            Err(refused) => Err(refused),
        };
        if let Err(refused) = heard {
            self.refuse(connection, &refused);
        }
        self.let_go(connection);
    }

    /// A connection ended, or its stream cannot be read any further.
    pub fn lost(&mut self, connection: u64, why: &str) {
        let Some(mut end) = self.connections.remove(&connection) else { return };
        self.forget_stream(connection);
        end.end_calls(why, &mut self.actions);
        let name = end.name().to_owned();
        let Some(worker) = self.workers.get_mut(&name).filter(|worker| worker.connection == Some(connection)) else {
            return;
        };
        worker.connection = None;
        why.clone_into(&mut worker.lost);
        if end.leaves {
            self.workers.remove(&name);
            return;
        }
        if self.forget_idle(&name) {
            return;
        }
        let text = format!("the worker `{name}` is lost: {why}; its hooks stay, and fail until it is back");
        self.actions.push(HubAction::Log { level: Level::Warning, text });
    }

    /// The stream of a connection cannot be read any further: the worker is told why, and refused.
    pub fn unreadable(&mut self, connection: u64, why: &str) {
        if self.connections.contains_key(&connection) {
            self.refuse(connection, &Refused::finally("unreadable", why));
        }
    }

    /// What came of [`HubAction::Register`]; an error says why the engine did not take the hook.
    pub fn registered(&mut self, registration: u64, came_of: Result<(), String>) {
        let Some((name, hook)) = self.registrations.get(&registration).cloned() else {
            if came_of.is_ok() {
                // It went while it was registered.
                self.actions.push(HubAction::Unregister { registration });
            }
            return;
        };
        let Some(worker) = self.workers.get_mut(&name) else { return };
        let Some(known) = worker.hooks.get_mut(&hook) else { return };
        let connection = worker.connection;
        let response = match came_of {
            Ok(()) => {
                known.is_in_force = true;
                let warnings = known.warnings.clone();
                if let Some(replaced) = known.replaces.take() {
                    self.registrations.remove(&replaced);
                    self.actions.push(HubAction::Unregister { registration: replaced });
                }
                RegisterHookResponse { hook_id: hook.clone(), refusal: None, warnings }
            }
            Err(why) => {
                // The hook that it was to replace goes too: the worker does not have it any more.
                if let Some(replaced) = known.replaces.take() {
                    self.registrations.remove(&replaced);
                    self.actions.push(HubAction::Unregister { registration: replaced });
                }
                worker.hooks.remove(&hook);
                self.registrations.remove(&registration);
                self.actions.push(refused_hook(&name, &hook, &why));
                RegisterHookResponse { hook_id: hook.clone(), refusal: Some(why), warnings: Vec::new() }
            }
        };
        if let (false, Some(connection)) = (self.reply(&name, &response), connection) {
            self.send(connection, &HookEvent { registered: Some(response), ..HookEvent::default() });
            self.confirm(connection);
        }
    }

    /// Sends an event to the hook of a registration; gives the call's number, which ends by [`HubAction::Finished`].
    pub fn call(&mut self, registration: u64, call: RemoteCall, now: u64) -> u64 {
        let id = self.number();
        let Some((name, hook)) = self.registrations.get(&registration) else {
            let why = "the hook went while it was being called: its worker withdrew it, or left";
            finish(id, FailureKind::Unreachable, why, &mut self.actions);
            return id;
        };
        let worker = self.workers.get(name);
        // A registration that another one takes the place of is of a hook that the worker does not have any more.
        let known = worker.and_then(|worker| worker.hooks.get(hook));
        let is_offered = |connection: u64| {
            known.is_some_and(|known| known.offered_on == connection && known.registration == registration)
        };
        let connection = worker.and_then(|worker| worker.connection);
        if let Some(connection) = connection.filter(|connection| is_offered(*connection))
            && let Some(end) = self.connections.get_mut(&connection)
        {
            self.calls.insert(id, connection);
            let config = known.and_then(|known| known.offer.config.as_ref());
            let detached = config.is_some_and(|config| config.r#async);
            end.call((id, hook, detached), call, now, &mut self.actions);
            return id;
        }
        let why = match worker {
            Some(Worker { connection: Some(_), .. }) => "is back and has not offered the hook again yet",
            Some(worker) => &format!("is not connected ({}); start it again", worker.lost),
            None => "is gone",
        };
        let why = format!("the worker `{name}` {why}");
        finish(id, FailureKind::Unreachable, why, &mut self.actions);
        id
    }

    /// Ends a call that nobody waits for.
    pub fn cancel(&mut self, call: u64, now: u64) {
        let Some(&connection) = self.calls.get(&call) else { return };
        let Some(end) = self.connections.get_mut(&connection) else { return };
        end.cancel(call, now, &mut self.actions);
        self.let_go(connection);
    }

    /// Does what is due: late calls end, and silent connections are asked and closed.
    pub fn tick(&mut self, now: u64) {
        let connections: Vec<u64> = self.connections.keys().copied().collect();
        for connection in connections {
            let Some(end) = self.connections.get_mut(&connection) else { continue };
            if let Err(refused) = end.tick(now, &mut self.actions) {
                self.refuse(connection, &refused);
            }
            self.let_go(connection);
        }
    }

    /// Ends the agent's side: every connection is closed, every call and hook ends.
    pub fn close(&mut self) {
        let connections: Vec<u64> = self.connections.keys().copied().collect();
        for connection in connections {
            self.refuse(connection, &Refused::new(CLOSING, "the agent closes; connect again later"));
        }
        self.workers.clear();
        self.clients = Clients::default();
        for registration in std::mem::take(&mut self.registrations).into_keys() {
            self.actions.push(HubAction::Unregister { registration });
        }
    }

    fn send(&mut self, connection: u64, event: &HookEvent) {
        if let Some(end) = self.connections.get(&connection) {
            end.send(event, &mut self.actions);
        }
    }

    /// Closes a connection and says why; other connections do not notice.
    fn refuse(&mut self, connection: u64, refused: &Refused) {
        let Refused { code, reason, is_final } = refused;
        let refusal = Refusal { code: (*code).to_owned(), reason: reason.clone(), r#final: *is_final };
        self.send(connection, &HookEvent { refusal: Some(refusal), ..HookEvent::default() });
        let name = self.connections.get(&connection).map_or("unknown", AgentEnd::name);
        let text = format!("a connection of the worker `{name}` was refused ({code}): {reason}");
        let (level, worker) = (Level::Warning, name.to_owned());
        // Where the agent itself ends, nothing is held against the worker.
        let is_end = *code == CLOSING;
        self.actions.push(if is_end {
            HubAction::Log { level, text }
        } else {
            HubAction::Refused { level, worker, code, text }
        });
        self.actions.push(HubAction::Close { connection, reason: reason.clone() });
        self.lost(connection, reason);
    }

    /// Closes the connection of a worker that leaves, when it has nothing to do any more.
    fn let_go(&mut self, connection: u64) {
        if self.connections.get(&connection).is_some_and(AgentEnd::has_left) {
            self.actions.push(HubAction::Close { connection, reason: "the worker left".to_owned() });
            self.lost(connection, "it left");
        }
    }

    fn greet(&mut self, connection: u64, hello: &Hello) -> Result<(), Refused> {
        let name = &hello.worker;
        self.forget_stream(connection);
        if let Some(worker) = self.workers.get(name) {
            let is_same = worker.instance == hello.instance;
            match worker.connection {
                Some(_) if !is_same => {
                    return Err(Refused::new(
                        "name_taken",
                        format!("another worker is connected as `{name}`; give each a name of its own"),
                    ));
                }
                // The worker noticed before the agent that the connection is dead.
                Some(old) => {
                    self.actions
                        .push(HubAction::Close { connection: old, reason: "the worker connected again".to_owned() });
                    self.lost(old, "the worker connected again");
                }
                None => {}
            }
        } else if self.workers.len() >= self.settings.max_workers {
            let most = self.settings.max_workers;
            let why =
                format!("the agent knows {most} workers, which is all that it may; raise max_workers in the agent");
            return Err(Refused::new("too_many", why));
        }
        let worker = self.workers.entry(name.clone()).or_insert_with(|| Worker {
            instance: String::new(),
            connection: None,
            lost: String::new(),
            hooks: BTreeMap::new(),
        });
        worker.instance.clone_from(&hello.instance);
        worker.connection = Some(connection);
        worker.lost.clear();
        if let Some(end) = self.connections.get_mut(&connection) {
            end.welcome(hello, &self.settings, &mut self.actions);
        }
        let text = format!("the worker `{name}` is connected");
        self.actions.push(HubAction::Log { level: Level::Info, text });
        Ok(())
    }

    /// The worker offers a hook.
    fn offered(&mut self, connection: u64, offer: RegisterHookRequest) -> Result<(), Refused> {
        let Some(name) = self.connections.get(&connection).and_then(|end| end.worker.clone()) else { return Ok(()) };
        self.offered_by(&name, connection, offer, None)
    }

    /// The same by name; the new hook takes the place of a registration that is gone otherwise.
    fn offered_by(
        &mut self,
        name: &str,
        connection: u64,
        offer: RegisterHookRequest,
        gone: Option<u64>,
    ) -> Result<(), Refused> {
        let hook = offer::id(&offer).map_err(|why| Refused::finally("unreadable", why))?.to_owned();
        let number = self.last + 1;
        let Some(worker) = self.workers.get_mut(name) else { return Ok(()) };
        let count = worker.hooks.len();
        if let Some(known) = worker.hooks.get_mut(&hook).filter(|known| known.offer == offer) {
            known.offered_on = connection;
            if known.is_in_force {
                let warnings = known.warnings.clone();
                let response = RegisterHookResponse { hook_id: hook, refusal: None, warnings };
                self.acknowledge(name, connection, response);
            }
            return Ok(());
        }
        let known = worker.hooks.get(&hook);
        let accepted = if known.is_none() && count >= self.settings.max_hooks {
            let most = self.settings.max_hooks;
            Err(format!("the worker `{name}` has {most} hooks, which is all that it may; raise max_hooks in the agent"))
        } else {
            offer::read(name, &hook, &offer, &self.settings.grants)
        };
        match accepted {
            Ok(accepted) => {
                let replaced = worker.hooks.remove(&hook);
                let (spec, warnings) = (accepted.spec.worker(name), accepted.warnings);
                for warning in &warnings {
                    let text = format!("the hook `{hook}`: {warning}");
                    self.actions.push(HubAction::Log { level: Level::Warning, text });
                }
                // One that is not in force yet goes when the engine has answered for it.
                let mut replaces = gone;
                if let Some(replaced) = replaced {
                    if replaced.is_in_force {
                        replaces = Some(replaced.registration);
                    } else {
                        replaces = replaced.replaces;
                        self.registrations.remove(&replaced.registration);
                    }
                }
                let known = Known {
                    offer,
                    registration: number,
                    is_in_force: false,
                    warnings,
                    offered_on: connection,
                    replaces,
                };
                worker.hooks.insert(hook.clone(), known);
                self.last = number;
                self.registrations.insert(number, (name.to_owned(), hook));
                self.register(number, name.to_owned(), spec);
            }
            Err(why) => {
                self.actions.push(refused_hook(name, &hook, &why));
                let removed = worker.hooks.remove(&hook);
                self.withdraw(removed);
                if let Some(gone) = gone {
                    self.registrations.remove(&gone);
                    self.actions.push(HubAction::Unregister { registration: gone });
                }
                let response = RegisterHookResponse { hook_id: hook, refusal: Some(why), warnings: Vec::new() };
                self.acknowledge(name, connection, response);
            }
        }
        Ok(())
    }

    /// Says what came of an offer, where it came from.
    fn acknowledge(&mut self, name: &str, connection: u64, response: RegisterHookResponse) {
        if !self.reply(name, &response) {
            self.send(connection, &HookEvent { registered: Some(response), ..HookEvent::default() });
        }
    }

    fn register(&mut self, registration: u64, worker: String, spec: HookSpec) {
        self.actions.push(HubAction::Register { registration, worker, spec: Box::new(spec) });
    }

    /// Takes hooks out of the engine.
    fn withdraw(&mut self, hooks: impl IntoIterator<Item = Known>) {
        for known in hooks {
            self.registrations.remove(&known.registration);
            if known.is_in_force {
                self.actions.push(HubAction::Unregister { registration: known.registration });
            }
            if let Some(replaced) = known.replaces {
                self.registrations.remove(&replaced);
                self.actions.push(HubAction::Unregister { registration: replaced });
            }
        }
    }

    fn worker_of(&mut self, connection: u64) -> Option<&mut Worker> {
        let name = self.connections.get(&connection)?.worker.as_ref()?;
        self.workers.get_mut(name).filter(|worker| worker.connection == Some(connection))
    }

    fn withdrawn(&mut self, connection: u64, hook: &str) {
        let removed = self.worker_of(connection).and_then(|worker| worker.hooks.remove(hook));
        let response = UnregisterHookResponse { hook_id: hook.to_owned(), removed: removed.is_some() };
        self.withdraw(removed);
        self.send(connection, &HookEvent { unregistered: Some(response), ..HookEvent::default() });
    }

    /// The worker has offered all that it has: what an earlier run of it had, and this one has not, goes.
    fn all_offered(&mut self, connection: u64) {
        if let Some(worker) = self.worker_of(connection) {
            let (kept, gone) =
                std::mem::take(&mut worker.hooks).into_iter().partition(|(_, known)| known.offered_on == connection);
            worker.hooks = kept;
            let gone: BTreeMap<String, Known> = gone;
            self.withdraw(gone.into_values());
        }
        if let Some(end) = self.connections.get_mut(&connection) {
            end.is_complete = true;
        }
        self.confirm(connection);
    }

    /// Tells the worker that all its hooks are in force, as soon as they are.
    fn confirm(&mut self, connection: u64) {
        let is_settled =
            self.worker_of(connection).is_some_and(|worker| worker.hooks.values().all(|known| known.is_in_force));
        let Some(end) = self.connections.get_mut(&connection) else { return };
        if is_settled && std::mem::take(&mut end.is_complete) {
            self.send(connection, &HookEvent { complete: Some(Complete {}), ..HookEvent::default() });
        }
    }

    /// The worker takes nothing new: its hooks go, and what it has goes on.
    fn leaves(&mut self, connection: u64) {
        let hooks = self.worker_of(connection).map(|worker| std::mem::take(&mut worker.hooks)).unwrap_or_default();
        self.withdraw(hooks.into_values());
        if let Some(end) = self.connections.get_mut(&connection) {
            end.leaves = true;
            let text = format!("the worker `{}` leaves", end.name());
            self.actions.push(HubAction::Log { level: Level::Info, text });
        }
    }
}

fn refused_hook(worker: &str, hook: &str, why: &str) -> HubAction {
    let text = format!("the hook `{hook}` of the worker `{worker}` is not registered: {why}");
    HubAction::Refused { level: Level::Error, worker: worker.to_owned(), code: "hook", text }
}
