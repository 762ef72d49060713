//! The agent's side: each group as one worker of its hub.

use std::collections::BTreeMap;

use prost::Message;

use super::{FleetAction, FleetEntry, call_subject, cancel_subject, key, keys, room, said, token};
use crate::action::Level;
use crate::answer::shortened;
use crate::backoff::Backoff;
use crate::settings::{PATIENCE_MS, VERSION};
use crate::wire::{
    Cancel, Complete, Failure, Hello, HookEvent, HookResponse, Leave, RegisterHookRequest, UnregisterHookRequest,
};
use hookweave_machine::dispatch::FailureKind;

/// How many workers are tried with a call that each says it did not take.
const MOST_TRIES: u32 = 3;

/// What an agent of fleets is set to.
#[derive(Debug, Clone)]
pub struct FleetAgentSettings {
    /// The groups whose hooks it takes.
    pub groups: Vec<String>,
    /// What the agent's hub wants its workers to know; the broker is who knows workers here.
    pub token: Option<String>,
    /// How often a worker says that a call still runs, in milliseconds.
    pub keepalive_ms: u64,
    /// The longest message, in bytes.
    pub max_message: u32,
    /// How long it waits before it connects to the broker again.
    pub backoff: Backoff,
}

/// How the agent stands with the broker.
#[derive(Debug)]
enum Broker {
    Connecting,
    Waiting { until: u64 },
    Connected { inbox: String, max_payload: u32, has_all: bool },
}

/// How a worker's entry stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// It counts until then.
    Live { until: u64 },
    /// The broker was lost; its bucket says what became of it.
    Unknown,
    /// It was not renewed; the number is its place among what happened.
    Lost { since: u64 },
}

#[derive(Debug)]
struct Member {
    epoch: u64,
    hooks: BTreeMap<String, RegisterHookRequest>,
    standing: Standing,
    /// When it came first: its place among what happened.
    came: u64,
}

impl Member {
    const fn is_live(&self) -> bool {
        matches!(self.standing, Standing::Live { .. })
    }
}

/// How the group's connection to the hub stands.
#[derive(Debug, Default, PartialEq, Eq)]
enum Connection {
    /// The hub has nothing of the group.
    #[default]
    None,
    Open,
    /// The hub has said goodbye to hooks that go, and ends what runs.
    Leaving,
    /// The hub keeps hooks that fail.
    Lost,
    /// The hub refused the group, which is offered again then.
    Refused {
        until: u64,
    },
}

#[derive(Debug, Default)]
struct Group {
    members: BTreeMap<String, Member>,
    connection: Connection,
    offered: BTreeMap<String, RegisterHookRequest>,
}

/// A call on its way.
#[derive(Debug)]
struct Call {
    group: String,
    hook: String,
    message: Vec<u8>,
    tries: u32,
    heard: u64,
}

/// Stands between an agent's [`Hub`](crate::Hub) and the broker, as a machine.
#[derive(Debug)]
pub struct FleetAgent {
    settings: FleetAgentSettings,
    broker: Broker,
    groups: BTreeMap<String, Group>,
    calls: BTreeMap<u64, Call>,
    failures: u32,
    happened: u64,
    actions: Vec<FleetAction>,
}

impl FleetAgent {
    /// An agent that connects at once.
    #[must_use]
    pub fn new(settings: FleetAgentSettings) -> Self {
        let groups = settings.groups.iter().map(|group| (group.clone(), Group::default())).collect();
        Self {
            settings,
            broker: Broker::Connecting,
            groups,
            calls: BTreeMap::new(),
            failures: 0,
            happened: 0,
            actions: vec![FleetAction::Connect],
        }
    }

    /// What is to be done, in order.
    #[must_use]
    pub fn actions(&mut self) -> Vec<FleetAction> {
        std::mem::take(&mut self.actions)
    }

    /// The patterns of the keys that are to be watched in the bucket.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        self.groups.keys().map(|group| keys(group)).collect()
    }

    /// When [`tick`](Self::tick) is due.
    #[must_use]
    pub fn next_deadline(&self) -> Option<u64> {
        if let Broker::Waiting { until } = self.broker {
            return Some(until);
        }
        let calls = self.calls.values().map(|call| call.heard.saturating_add(self.patience()));
        let groups = self.groups.values().flat_map(|group| {
            let refused = match group.connection {
                Connection::Refused { until } => Some(until),
                _ => None,
            };
            let entries = group.members.values().filter_map(|member| match member.standing {
                Standing::Live { until } => Some(until),
                _ => None,
            });
            entries.chain(refused)
        });
        calls.chain(groups).min()
    }

    /// The broker is connected: answers go to subjects below `inbox`, and a message has at most so many bytes.
    pub fn connected(&mut self, inbox: &str, max_payload: u32) {
        self.broker = Broker::Connected { inbox: inbox.to_owned(), max_payload, has_all: false };
    }

    /// An entry of the bucket; `None` where it was deleted.
    pub fn entry(&mut self, at: &str, value: Option<&[u8]>, now: u64) {
        let Some((group, instance)) = at.split_once('.') else { return };
        let Some(name) = self.groups.keys().find(|name| token(name) == group).cloned() else { return };
        let Some(value) = value.filter(|value| !value.is_empty()) else {
            self.groups.entry(name.clone()).or_default().members.remove(instance);
            return self.settle(&name);
        };
        let read = FleetEntry::decode(value).map_err(|error| error.to_string()).and_then(|entry| {
            if entry.version != VERSION {
                let theirs = entry.version;
                return Err(format!("it is of version {theirs} of the protocol, and this agent speaks {VERSION}"));
            }
            if key(&entry.group, &entry.instance) == at { Ok(entry) } else { Err("it names another worker".to_owned()) }
        });
        let entry = match read {
            Ok(entry) => entry,
            Err(why) => {
                let text = format!("the entry `{}` of the bucket does not count: {}", shortened(at), shortened(&why));
                return self.log(Level::Warning, text);
            }
        };
        let FleetEntry { epoch, lasts_ms, hooks, .. } = entry;
        let named = hooks.into_iter().filter_map(|offer| Some((offer.hook_id.clone()?, offer)));
        let standing = Standing::Live { until: now.saturating_add(lasts_ms) };
        let known = self.groups.get(&name).and_then(|group| group.members.get(instance));
        let came = known.map_or_else(|| self.happened + 1, |known| known.came);
        self.happened = self.happened.max(came);
        let member = Member { epoch, hooks: named.collect(), standing, came };
        self.groups.entry(name.clone()).or_default().members.insert(instance.to_owned(), member);
        self.settle(&name);
    }

    /// Every entry that the bucket had was told.
    pub fn has_all(&mut self) {
        let Broker::Connected { has_all, .. } = &mut self.broker else { return };
        *has_all = true;
        self.failures = 0;
        self.happened += 1;
        let since = self.happened;
        for group in self.groups.values_mut() {
            for member in group.members.values_mut().filter(|member| member.standing == Standing::Unknown) {
                member.standing = Standing::Lost { since };
            }
        }
        self.settle_all();
    }

    /// The connection to the broker ended, or could not be made. `random` spreads the next attempts of many agents.
    pub fn lost(&mut self, why: &str, now: u64, random: u64) {
        if matches!(self.broker, Broker::Waiting { .. }) {
            return;
        }
        self.failures = self.failures.saturating_add(1);
        self.broker =
            Broker::Waiting { until: now.saturating_add(self.settings.backoff.delay_ms(self.failures, random)) };
        self.log(Level::Warning, format!("no connection to the broker: {}; connecting again", shortened(why)));
        // The hub ends each call as lost.
        self.calls.clear();
        for (name, group) in &mut self.groups {
            for member in group.members.values_mut().filter(|member| member.is_live()) {
                member.standing = Standing::Unknown;
            }
            if matches!(group.connection, Connection::Open | Connection::Leaving) {
                let is_left = group.connection == Connection::Leaving;
                group.connection = if is_left { Connection::None } else { Connection::Lost };
                let why = format!("the broker is lost: {why}");
                self.actions.push(FleetAction::Lost { group: name.clone(), why });
            }
        }
    }

    /// The hub sends a message to a group.
    pub fn sent(&mut self, group: &str, message: &[u8], now: u64) {
        let Ok(event) = HookEvent::decode(message) else { return };
        if let Some(ping) = event.ping {
            // The broker's own client looks after the connection, and entries say who is there.
            self.deliver(group, &HookResponse { pong: Some(ping), ..HookResponse::default() });
        } else if let Some(cancel) = event.cancel {
            self.cancel(cancel.dispatch_id);
        } else if event.controls() == 0 {
            let (id, hook) = (event.dispatch_id, event.hook_id.clone());
            let message = HookEvent { beat_ms: self.settings.keepalive_ms, ..event }.encode_to_vec();
            self.calls.insert(id, Call { group: group.to_owned(), hook, message, tries: 0, heard: now });
            self.attempt(id);
        }
    }

    /// The hub closed a group's connection.
    pub fn closed(&mut self, name: &str, now: u64) {
        let left: Vec<u64> = self.calls.iter().filter(|(_, call)| call.group == name).map(|(id, _)| *id).collect();
        for id in left {
            self.cancel(id);
        }
        let Some(group) = self.groups.get_mut(name) else { return };
        group.connection = match group.connection {
            Connection::Open => Connection::Refused { until: now.saturating_add(PATIENCE_MS) },
            _ => Connection::None,
        };
        self.settle(name);
    }

    /// Something came for a call, at its subject below the inbox.
    pub fn replied(&mut self, subject: &str, message: &[u8], now: u64) {
        let Some(id) = number(subject) else { return };
        // Late ones have no effect.
        let Some(call) = self.calls.get_mut(&id) else { return };
        let most = self.settings.max_message as usize;
        if message.len() > most {
            let why = format!("the answer has {} bytes, and the agent takes {most}; raise max_message", message.len());
            return self.fail(id, FailureKind::InvalidAnswer, &why, true);
        }
        let Ok(response) = HookResponse::decode(message) else {
            return self.fail(id, FailureKind::InvalidAnswer, "the worker's answer cannot be read", true);
        };
        if response.dispatch_id != id || response.hook_id != call.hook {
            return self.log(Level::Warning, format!("an answer at `{subject}` is of another call; it has no effect"));
        }
        call.heard = now;
        if response.leave.is_some() {
            // That worker did nothing with it, so that another one may have it.
            if call.tries < MOST_TRIES {
                return self.attempt(id);
            }
            let why = format!(
                "{MOST_TRIES} workers of the group `{}` took no more; start more, or raise in_flight there",
                call.group
            );
            self.fail(id, FailureKind::NotStarted, &why, false);
        } else if response.controls() == 0 {
            let group = call.group.clone();
            self.calls.remove(&id);
            self.deliver(&group, &response);
        }
    }

    /// The broker knows nobody who takes the call of a subject below the inbox.
    pub fn unanswered(&mut self, subject: &str) {
        let Some(id) = number(subject) else { return };
        let Some(call) = self.calls.get(&id) else { return };
        let why = format!("no worker of the group `{}` that has the hook is connected; start one", call.group);
        self.fail(id, FailureKind::Unreachable, &why, false);
    }

    /// Does what is due: connects again, forgets who does not renew, ends silent calls.
    pub fn tick(&mut self, now: u64) {
        if let Broker::Waiting { until } = self.broker {
            if now >= until {
                self.broker = Broker::Connecting;
                self.actions.push(FleetAction::Connect);
            }
            return;
        }
        for group in self.groups.values_mut() {
            for member in group.members.values_mut() {
                if matches!(member.standing, Standing::Live { until } if now >= until) {
                    self.happened += 1;
                    member.standing = Standing::Lost { since: self.happened };
                }
            }
            if matches!(group.connection, Connection::Refused { until } if now >= until) {
                group.connection = Connection::None;
            }
        }
        let patience = self.patience();
        let silent = |call: &Call| now >= call.heard.saturating_add(patience);
        let silent: Vec<u64> = self.calls.iter().filter(|(_, call)| silent(call)).map(|(id, _)| *id).collect();
        for id in silent {
            let why = format!("the worker was lost before it answered: no message came from it for {patience} ms");
            self.tell_cancelled(id);
            self.fail(id, FailureKind::Lost, &why, false);
        }
        self.settle_all();
    }

    /// How long a call may be silent.
    const fn patience(&self) -> u64 {
        self.settings.keepalive_ms.saturating_mul(2)
    }

    fn settle_all(&mut self) {
        let names: Vec<String> = self.groups.keys().cloned().collect();
        for name in names {
            self.settle(&name);
        }
    }

    /// Brings what the hub knows of a group to what its workers offer.
    fn settle(&mut self, name: &str) {
        let Broker::Connected { has_all: true, max_payload, .. } = self.broker else { return };
        let Some(group) = self.groups.get_mut(name) else { return };
        // A worker that came after others were lost says what the group is now.
        let newest = group.members.values().filter(|member| member.is_live()).map(|member| member.came).max();
        group.members.retain(
            |_, member| !matches!(member.standing, Standing::Lost { since } if newest.is_some_and(|came| came > since)),
        );
        // Of a hook that workers offer differently, the one that began last counts, and those that are there before lost ones.
        let mut members: Vec<(&String, &Member)> = group.members.iter().collect();
        members.sort_by_key(|(instance, member)| (member.is_live(), member.epoch, *instance));
        let mut wanted = BTreeMap::new();
        for (_, member) in members {
            wanted.extend(member.hooks.iter().map(|(id, offer)| (id.clone(), offer.clone())));
        }
        let mut said = Vec::new();
        let (is_there, is_known) = (newest.is_some(), !group.members.is_empty());
        let opens = match (&group.connection, is_there, is_known) {
            // They wait for the hub.
            (Connection::Leaving | Connection::Refused { .. }, ..)
            | (Connection::None, false, _)
            // A lost group that nobody is in any more has to say goodbye.
            | (Connection::Lost, false, true) => return,
            (Connection::Open, false, true) => {
                group.connection = Connection::Lost;
                let why = "none of its workers renewed its entry".to_owned();
                self.calls.retain(|_, call| call.group != name);
                return self.actions.push(FleetAction::Lost { group: name.to_owned(), why });
            }
            (Connection::None | Connection::Lost, ..) => true,
            (Connection::Open, ..) => false,
        };
        if opens {
            group.offered.clear();
            let hello = Hello {
                version: VERSION,
                worker: name.to_owned(),
                instance: "group".to_owned(),
                token: self.settings.token.clone(),
                max_in_flight: 0,
                max_message: room(self.settings.max_message, max_payload),
            };
            said.push(HookResponse { hello: Some(hello), ..HookResponse::default() });
        }
        group.connection = Connection::Open;
        if is_there {
            for id in group.offered.keys().filter(|id| !wanted.contains_key(*id)) {
                let unregister = Some(UnregisterHookRequest { hook_id: id.clone() });
                said.push(HookResponse { unregister, ..HookResponse::default() });
            }
            let before = said.len();
            for (id, offer) in &wanted {
                if group.offered.get(id) != Some(offer) {
                    said.push(HookResponse { register: Some(offer.clone()), ..HookResponse::default() });
                }
            }
            if opens || said.len() > before {
                said.push(HookResponse { complete: Some(Complete {}), ..HookResponse::default() });
            }
            group.offered = wanted;
        } else {
            group.connection = Connection::Leaving;
            said.push(HookResponse { leave: Some(Leave {}), ..HookResponse::default() });
        }
        if opens {
            self.actions.push(FleetAction::Open { group: name.to_owned() });
        }
        for response in said {
            self.deliver(name, &response);
        }
    }

    /// Gives a call to any worker that has its hook.
    fn attempt(&mut self, id: u64) {
        let Broker::Connected { inbox, .. } = &self.broker else { return };
        let Some(call) = self.calls.get_mut(&id) else { return };
        call.tries += 1;
        self.actions.push(FleetAction::Publish {
            subject: call_subject(&call.group, &call.hook),
            reply: Some(format!("{inbox}.{id}")),
            message: call.message.clone(),
        });
    }

    fn cancel(&mut self, id: u64) {
        self.tell_cancelled(id);
        self.calls.remove(&id);
    }

    /// Tells the workers of the group: one of them may have the call.
    fn tell_cancelled(&mut self, id: u64) {
        let (Broker::Connected { inbox, .. }, Some(call)) = (&self.broker, self.calls.get(&id)) else { return };
        let cancel = Some(Cancel { dispatch_id: id });
        self.actions.push(FleetAction::Publish {
            subject: cancel_subject(&call.group),
            reply: Some(format!("{inbox}.{id}")),
            message: HookEvent { cancel, ..HookEvent::default() }.encode_to_vec(),
        });
    }

    fn fail(&mut self, id: u64, kind: FailureKind, why: &str, meant_to_restrict: bool) {
        let Some(Call { group, hook, .. }) = self.calls.remove(&id) else { return };
        let failure = Some(Failure { kind: kind.as_str().to_owned(), message: why.to_owned(), meant_to_restrict });
        self.deliver(&group, &HookResponse { hook_id: hook, dispatch_id: id, failure, ..HookResponse::default() });
    }

    fn deliver(&mut self, group: &str, response: &HookResponse) {
        self.actions.push(FleetAction::Deliver { group: group.to_owned(), message: said(response) });
    }

    fn log(&mut self, level: Level, text: String) {
        self.actions.push(FleetAction::Log { level, text });
    }
}

/// The number of a call, which ends its subject.
fn number(subject: &str) -> Option<u64> {
    subject.rsplit('.').next()?.parse().ok()
}
