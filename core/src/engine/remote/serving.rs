//! The loop of an agent's open address: it accepts connections, moves messages, and registers what workers offer.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

use super::connection::{Connection, Inbox, Incoming, LAST_WORDS};
use super::transport::{Accepted, Listener};
use super::{Clock, log, sleep};
use crate::engine::{Engine, Inner};
use hookweave_host::options::CALLBACK_TIMEOUT;
use hookweave_host::record_refused_worker;
use hookweave_host::remote::{Desk, Hub, HubAction, HubSettings, Level, RemoteHook};

/// Looks after a listener in a task.
pub(super) fn start(
    engine: &Engine,
    listener: Listener,
    settings: HubSettings,
    stop: Arc<Notify>,
) -> (Arc<Desk>, JoinHandle<()>) {
    let bell = Arc::new(Notify::new());
    let clock = Clock::start();
    let max_message = settings.limits.max_message as usize;
    let desk = {
        let bell = Arc::clone(&bell);
        Desk::new(Hub::new(settings), move || clock.ms(), move || bell.notify_one())
    };
    let (inbox, incoming) = Inbox::new(max_message);
    let serving = Serving {
        engine: Arc::downgrade(&engine.inner),
        desk: Arc::clone(&desk),
        inbox,
        connections: BTreeMap::new(),
        hooks: BTreeMap::new(),
    };
    (desk, tokio::spawn(serving.run(listener, incoming, bell, stop)))
}

struct Serving {
    engine: Weak<Inner>,
    desk: Arc<Desk>,
    inbox: Inbox,
    connections: BTreeMap<u64, Connection>,
    /// The engine's ids of registrations.
    hooks: BTreeMap<u64, String>,
}

impl Serving {
    async fn run(
        mut self,
        mut listener: Listener,
        mut incoming: mpsc::Receiver<Incoming>,
        bell: Arc<Notify>,
        stop: Arc<Notify>,
    ) {
        loop {
            let due = self.desk.sleep_ms();
            let actions = tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok(accepted) => self.accept(accepted),
                    Err(error) => {
                        log(Level::Error, &format!("no connection was accepted: {error}"));
                        // Without room for a descriptor the next attempt fails at once too.
                        tokio::time::sleep(Duration::from_millis(50)).await;
                        Vec::new()
                    }
                },
                Some(came) = incoming.recv() => self.came(came),
                () = bell.notified() => self.desk.with(|_, _| ()),
                () = sleep(due) => self.desk.with(Hub::tick),
                () = stop.notified() => break,
            };
            self.act(actions);
        }
        let last = self.desk.close();
        for written in self.act(last) {
            _ = tokio::time::timeout(LAST_WORDS, written).await;
        }
        listener.close().await;
    }

    fn accept(&mut self, accepted: Accepted) -> Vec<HubAction> {
        let mut number = 0;
        let actions = self.desk.with(|hub, now| number = hub.opened(now));
        self.connections.insert(number, accepted.carry(number, self.inbox.clone()));
        actions
    }

    fn came(&mut self, came: Incoming) -> Vec<HubAction> {
        match came {
            Incoming::Message(number, message) => self.desk.with(|hub, now| hub.receive(number, &message, now)),
            Incoming::Unreadable(number, why) => self.desk.with(|hub, _| hub.unreadable(number, &why)),
            Incoming::Lost(number, why) => {
                self.connections.remove(&number);
                self.desk.with(|hub, _| hub.lost(number, &why))
            }
            // An agent does not connect, and does not leave.
            Incoming::Opened(..) => Vec::new(),
            #[cfg(feature = "nats")]
            Incoming::Drained(_) => Vec::new(),
        }
    }

    /// Does what the hub wants; gives what still has to be written of the connections that ended.
    fn act(&mut self, actions: Vec<HubAction>) -> Vec<JoinHandle<()>> {
        let mut actions = VecDeque::from(actions);
        let mut ended = Vec::new();
        while let Some(action) = actions.pop_front() {
            match action {
                HubAction::Send { connection, message } => {
                    let is_taken = self.connections.get(&connection).is_none_or(|open| open.send(message));
                    if !is_taken {
                        self.connections.remove(&connection);
                        actions.extend(self.desk.with(|hub, _| hub.lost(connection, "it does not read what is sent")));
                    }
                }
                HubAction::Close { connection, .. } => {
                    ended.extend(self.connections.remove(&connection).and_then(Connection::end));
                }
                HubAction::Register { registration, spec, .. } => {
                    let link: Arc<Desk> = Arc::clone(&self.desk);
                    let hook = RemoteHook::new(registration, &spec, Some(CALLBACK_TIMEOUT), link);
                    let registered = match self.engine.upgrade() {
                        Some(inner) => Engine { inner }.register_outside(*spec, Arc::new(hook)),
                        None => return ended,
                    };
                    let came_of = registered.map(|id| _ = self.hooks.insert(registration, id));
                    let came_of = came_of.map_err(|error| error.message().to_owned());
                    actions.extend(self.desk.with(|hub, _| hub.registered(registration, came_of)));
                }
                HubAction::Unregister { registration } => {
                    if let (Some(id), Some(inner)) = (self.hooks.remove(&registration), self.engine.upgrade()) {
                        Engine { inner }.unregister_hook(&id);
                    }
                }
                HubAction::Log { level, text } => log(level, &text),
                HubAction::Refused { level, worker, code, text } => {
                    log(level, &text);
                    if let Some(inner) = self.engine.upgrade() {
                        record_refused_worker(&inner.audit, &worker, code, &text);
                    }
                }
                // A desk reports these itself.
                _ => {}
            }
        }
        ended
    }
}

impl Drop for Serving {
    /// Also where the task was aborted: no hook may wait for workers that nobody listens to.
    fn drop(&mut self) {
        let last = self.desk.close();
        drop(self.act(last));
    }
}
