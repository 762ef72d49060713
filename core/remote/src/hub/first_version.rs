//! Clients of the first version of the service: they register by calls, have no name, and know no messages but events and answers.

use std::collections::{BTreeMap, BTreeSet};

use prost::Message;

use super::{Hub, Worker};
use crate::action::{HubAction, Level};
use crate::token;
use crate::wire::{
    ListHooksRequest, ListHooksResponse, ListedHook, RegisterHookRequest, RegisterHookResponse, UnregisterHookRequest,
    UnregisterHookResponse,
};

/// What a client asks for by a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// `RegisterHook`.
    Register,
    /// `UnregisterHook`.
    Unregister,
    /// `ListHooks`.
    List,
}

/// Who asks by calls, and what was not answered yet.
#[derive(Debug, Default)]
pub(super) struct Clients {
    /// The name that the agent gave to each, by where it calls from.
    names: BTreeMap<String, String>,
    /// Where each stream comes from that has not said hello.
    streams: BTreeMap<u64, String>,
    /// The calls that wait for a registration: of a client, under its id of the hook.
    registering: BTreeMap<(String, String), u64>,
    /// Those that have had a stream: without one they are lost.
    had_stream: BTreeSet<String>,
    last: u64,
}

impl Hub {
    /// A connection was made by a side that may have made calls too: `peer` is the same for both.
    pub fn opened_by(&mut self, peer: &str, now: u64) -> u64 {
        let connection = self.opened(now);
        self.clients.streams.insert(connection, peer.to_owned());
        if let Some(name) = self.clients.names.get(peer).cloned() {
            self.adopt(&name, connection);
        }
        connection
    }

    /// A client calls a method; gives the call's number, which ends by [`HubAction::Reply`].
    pub fn asked(&mut self, peer: &str, given: Option<&str>, method: Method, request: &[u8]) -> u64 {
        let ask = self.number();
        let replied = if token::is_right(self.settings.token.as_deref(), given) {
            match method {
                Method::Register => self.register_by_call(peer, request, ask),
                Method::Unregister => self.unregister_by_call(peer, request).map(Some),
                Method::List => self.list_by_call(peer, request).map(Some),
            }
        } else {
            let why = "the agent wants its token; send it as `authorization: Bearer …` in the metadata";
            let worker = self.clients.names.get(peer).map_or("unknown", String::as_str).to_owned();
            let text = format!("a call of the worker `{worker}` was refused (bad_token): {why}");
            self.actions.push(HubAction::Refused { level: Level::Warning, worker, code: "bad_token", text });
            Err(why.to_owned())
        };
        match replied {
            Ok(None) => {}
            Ok(Some(message)) => self.actions.push(HubAction::Reply { ask, message: Ok(message) }),
            Err(why) => self.actions.push(HubAction::Reply { ask, message: Err(why) }),
        }
        ask
    }

    /// What came of a registration by call; false where it was offered on a stream.
    pub(super) fn reply(&mut self, client: &str, response: &RegisterHookResponse) -> bool {
        let key = (client.to_owned(), response.hook_id.clone());
        let Some(ask) = self.clients.registering.remove(&key) else { return false };
        let message = match &response.refusal {
            None => Ok(response.encode_to_vec()),
            Some(why) => Err(why.clone()),
        };
        self.actions.push(HubAction::Reply { ask, message });
        true
    }

    /// Forgets a connection that has ended, or has said who it is.
    pub(super) fn forget_stream(&mut self, connection: u64) {
        self.clients.streams.remove(&connection);
    }

    /// Forgets a client that is gone and has no hooks; false where it stays.
    pub(super) fn forget_idle(&mut self, name: &str) -> bool {
        let is_idle = |worker: &Worker| worker.connection.is_none() && worker.hooks.is_empty();
        let is_client = self.clients.names.values().any(|client| client == name);
        if !is_client || !self.workers.get(name).is_some_and(is_idle) {
            return false;
        }
        self.workers.remove(name);
        self.clients.had_stream.remove(name);
        self.clients.names.retain(|_, client| client != name);
        true
    }

    fn register_by_call(&mut self, peer: &str, request: &[u8], ask: u64) -> Result<Option<Vec<u8>>, String> {
        let mut offer = RegisterHookRequest::decode(request).map_err(|error| unreadable(&error))?;
        let name = self.client(peer)?;
        // Two registrations that are alike are two hooks.
        let id = offer.hook_id.get_or_insert_with(|| format!("hook-{ask}")).clone();
        let connection = self.workers.get(&name).and_then(|worker| worker.connection);
        let lost = self.take_lost(&name, &offer);
        self.clients.registering.insert((name.clone(), id.clone()), ask);
        let offered = self.offered_by(&name, connection.unwrap_or_default(), offer, lost);
        offered.map(|()| None).map_err(|refused| {
            self.clients.registering.remove(&(name, id));
            refused.reason
        })
    }

    fn unregister_by_call(&mut self, peer: &str, request: &[u8]) -> Result<Vec<u8>, String> {
        let UnregisterHookRequest { hook_id } =
            UnregisterHookRequest::decode(request).map_err(|error| unreadable(&error))?;
        let name = self.clients.names.get(peer).cloned();
        let worker = name.and_then(|name| self.workers.get_mut(&name));
        let removed = worker.and_then(|worker| worker.hooks.remove(&hook_id));
        let response = UnregisterHookResponse { hook_id, removed: removed.is_some() };
        self.withdraw(removed);
        if let Some(name) = self.clients.names.get(peer).cloned() {
            self.forget_idle(&name);
        }
        Ok(response.encode_to_vec())
    }

    fn list_by_call(&self, peer: &str, request: &[u8]) -> Result<Vec<u8>, String> {
        ListHooksRequest::decode(request).map_err(|error| unreadable(&error))?;
        let worker = self.clients.names.get(peer).and_then(|name| self.workers.get_key_value(name));
        let list = |(name, worker): (&String, &Worker)| -> Vec<ListedHook> {
            let in_force = worker.hooks.iter().filter(|(_, known)| known.is_in_force);
            let listed = in_force.map(|(id, known)| ListedHook {
                hook_id: id.clone(),
                event_type: known.offer.event_type.clone(),
                matcher: known.offer.matcher.clone(),
                config: known.offer.config.clone(),
                name: format!("{name}/{}", known.offer.name.as_ref().unwrap_or(id)),
            });
            listed.collect()
        };
        Ok(ListHooksResponse { hooks: worker.map(list).unwrap_or_default() }.encode_to_vec())
    }

    /// The name of a client, which it gets with its first registration; a stream of its own is its stream from now on.
    fn client(&mut self, peer: &str) -> Result<String, String> {
        if let Some(name) = self.clients.names.get(peer).filter(|name| self.workers.contains_key(*name)) {
            return Ok(name.clone());
        }
        let most = self.settings.max_workers;
        if self.workers.len() >= most {
            return Err(format!(
                "the agent knows {most} workers, which is all that it may; raise max_workers in the agent"
            ));
        }
        self.clients.last += 1;
        // No worker can call itself so.
        let name = format!("client:{}", self.clients.last);
        let lost = "it has opened no stream yet".to_owned();
        let worker = Worker { instance: String::new(), connection: None, lost, hooks: BTreeMap::new() };
        self.workers.insert(name.clone(), worker);
        self.clients.names.insert(peer.to_owned(), name.clone());
        let open = self.clients.streams.iter().find(|(_, from)| *from == peer).map(|(connection, _)| *connection);
        if let Some(connection) = open {
            self.adopt(&name, connection);
        }
        Ok(name)
    }

    /// Makes a connection the stream of a client that has registered.
    fn adopt(&mut self, name: &str, connection: u64) {
        let Some(worker) = self.workers.get_mut(name) else { return };
        let earlier = worker.connection.replace(connection);
        worker.lost.clear();
        self.clients.had_stream.insert(name.to_owned());
        for known in worker.hooks.values_mut() {
            known.offered_on = connection;
        }
        self.forget_stream(connection);
        if let Some(end) = self.connections.get_mut(&connection) {
            end.is_first_version(name);
        }
        if let Some(earlier) = earlier {
            let reason = "the client opened another stream".to_owned();
            self.actions.push(HubAction::Close { connection: earlier, reason: reason.clone() });
            self.lost(earlier, &reason);
        }
        let text = format!("the client `{name}` is connected; it speaks the first version of the service");
        self.actions.push(HubAction::Log { level: Level::Info, text });
    }

    /// Takes the hook of a client that is gone and registered the very same: it has come back, and has no name to be known by.
    fn take_lost(&mut self, name: &str, offer: &RegisterHookRequest) -> Option<u64> {
        let names: Vec<String> = self.clients.had_stream.iter().filter(|other| *other != name).cloned().collect();
        for other in names {
            let Some(worker) = self.workers.get_mut(&other).filter(|worker| worker.connection.is_none()) else {
                continue;
            };
            let is_same = |own: &RegisterHookRequest| {
                own.event_type == offer.event_type && own.matcher == offer.matcher && own.config == offer.config
            };
            let found = worker.hooks.iter().find(|(_, known)| known.is_in_force && is_same(&known.offer));
            let Some(id) = found.map(|(id, _)| id.clone()) else { continue };
            let taken = worker.hooks.remove(&id);
            self.forget_idle(&other);
            return taken.map(|known| known.registration);
        }
        None
    }
}

fn unreadable(error: &prost::DecodeError) -> String {
    format!("the request cannot be read ({error}); send the message of the method")
}
