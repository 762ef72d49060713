//! The worker's side: the broker as the agent of a worker's end.

use std::collections::BTreeMap;

use prost::Message;

use super::{FleetAction, FleetEntry, call_subject, cancel_subject, hook_id, key, room, said};
use crate::action::Level;
use crate::settings::{Limits, VERSION};
use crate::wire::{
    Cancel, Complete, Failure, HookEvent, HookResponse, Leave, Ping, Refusal, RegisterHookRequest,
    RegisterHookResponse, UnregisterHookResponse, Welcome,
};
use hookweave_machine::dispatch::FailureKind;

/// What a worker of a fleet is set to.
#[derive(Debug, Clone)]
pub struct FleetWorkerSettings {
    /// The group that it is in.
    pub group: String,
    /// This run of it: random.
    pub instance: String,
    /// When this run began, in milliseconds since the epoch.
    pub epoch: u64,
    /// The bounds of this worker.
    pub limits: Limits,
    /// How long the bucket keeps an entry, in milliseconds.
    pub bucket_ttl_ms: u64,
    /// The longest message that the broker takes, in bytes.
    pub max_payload: u32,
}

/// A hook of this worker.
#[derive(Debug)]
struct Offered {
    /// The worker's own id of it.
    own: String,
    offer: RegisterHookRequest,
}

/// A call that runs.
#[derive(Debug)]
struct Running {
    reply: String,
    /// The agent's number and id, for the answer.
    dispatch: u64,
    hook: String,
    beat_ms: u64,
    /// When the agent was told last that it runs.
    said: u64,
    /// When the agent waits no longer.
    until: Option<u64>,
}

/// Stands between one connection of a [`WorkerEnd`](crate::WorkerEnd) and the broker, as a machine.
#[derive(Debug)]
pub struct FleetWorker {
    settings: FleetWorkerSettings,
    refusal: Option<String>,
    hooks: BTreeMap<String, Offered>,
    calls: BTreeMap<u64, Running>,
    last: u64,
    /// When the entry was written last.
    written: Option<u64>,
    /// All that was offered is in the entry that is being written.
    is_complete: bool,
    leaves: bool,
    actions: Vec<FleetAction>,
}

impl FleetWorker {
    /// A worker on a connection to the broker.
    #[must_use]
    pub const fn new(settings: FleetWorkerSettings) -> Self {
        Self {
            settings,
            refusal: None,
            hooks: BTreeMap::new(),
            calls: BTreeMap::new(),
            last: 0,
            written: None,
            is_complete: false,
            leaves: false,
            actions: Vec::new(),
        }
    }

    /// A worker that the broker refuses for good.
    #[must_use]
    pub fn refused(settings: FleetWorkerSettings, why: impl Into<String>) -> Self {
        Self { refusal: Some(why.into()), ..Self::new(settings) }
    }

    /// What is to be done, in order.
    #[must_use]
    pub fn actions(&mut self) -> Vec<FleetAction> {
        std::mem::take(&mut self.actions)
    }

    /// When [`tick`](Self::tick) is due.
    #[must_use]
    pub fn next_deadline(&self) -> Option<u64> {
        let renewal = self.written.filter(|_| !self.leaves).map(|at| at.saturating_add(self.renew_ms()));
        let calls = self.calls.values().flat_map(|call| {
            let beat = (call.beat_ms > 0).then(|| call.said.saturating_add(call.beat_ms));
            [beat, call.until]
        });
        calls.chain([renewal]).flatten().min()
    }

    /// The worker's end sends a message.
    pub fn sent(&mut self, message: &[u8], now: u64) {
        let Ok(response) = HookResponse::decode(message) else { return };
        if response.hello.is_some() {
            self.greet();
        } else if let Some(offer) = response.register {
            self.offered(offer);
        } else if let Some(unregister) = response.unregister {
            self.withdrawn(unregister.hook_id);
        } else if response.complete.is_some() {
            self.is_complete = true;
            self.write(now);
        } else if let Some(ping) = response.ping {
            // The broker's own client looks after the connection.
            self.deliver(&HookEvent { pong: Some(ping), ..HookEvent::default() });
        } else if response.leave.is_some() {
            self.leave();
        } else if response.controls() == 0 {
            self.answered(response);
        }
    }

    /// The entry was written.
    pub fn stored(&mut self) {
        if std::mem::take(&mut self.is_complete) {
            self.deliver(&HookEvent { complete: Some(Complete {}), ..HookEvent::default() });
        }
    }

    /// A call came; its answer goes to `reply`.
    pub fn called(&mut self, reply: &str, message: &[u8], now: u64) {
        let Ok(mut event) = HookEvent::decode(message) else {
            let text = "a call cannot be read, and is not answered; its agent and this worker speak different versions";
            return self.log(Level::Warning, text.to_owned());
        };
        let (dispatch, hook) = (event.dispatch_id, event.hook_id.clone());
        let is_free = !self.leaves && self.calls.len() < self.settings.limits.in_flight as usize;
        let Some(own) = self.hooks.get(&hook).filter(|_| is_free).map(|known| known.own.clone()) else {
            // Another worker may have it: this one did nothing.
            let leave = Some(Leave {});
            let refused = HookResponse { hook_id: hook, dispatch_id: dispatch, leave, ..HookResponse::default() };
            return self.publish(reply, &refused);
        };
        let most = self.settings.limits.max_message as usize;
        if message.len() > most {
            let length = message.len();
            let failure = Some(Failure {
                kind: FailureKind::NotStarted.as_str().to_owned(),
                message: format!("the event has {length} bytes, and the worker takes {most}; raise max_message there"),
                // An event must not get past a guard by its size.
                meant_to_restrict: true,
            });
            let failed = HookResponse { hook_id: hook, dispatch_id: dispatch, failure, ..HookResponse::default() };
            return self.publish(reply, &failed);
        }
        self.last += 1;
        let until = (event.time_left_ms > 0).then(|| now.saturating_add(event.time_left_ms));
        let running = Running { reply: reply.to_owned(), dispatch, hook, beat_ms: event.beat_ms, said: now, until };
        self.calls.insert(self.last, running);
        (event.dispatch_id, event.hook_id, event.beat_ms) = (self.last, own, 0);
        self.deliver(&event);
    }

    /// The agent whose answers go to `reply` waits no longer; it may be a call of another worker.
    pub fn cancelled(&mut self, reply: &str) {
        let Some(number) = self.calls.iter().find(|(_, call)| call.reply == reply).map(|(number, _)| *number) else {
            return;
        };
        self.calls.remove(&number);
        let cancel = Some(Cancel { dispatch_id: number });
        self.deliver(&HookEvent { cancel, ..HookEvent::default() });
    }

    /// Does what is due: renews the entry, and says what still runs.
    pub fn tick(&mut self, now: u64) {
        // The worker's end has ended these too.
        self.calls.retain(|_, call| call.until.is_none_or(|until| now < until));
        let mut beats = Vec::new();
        for call in self.calls.values_mut() {
            if call.beat_ms > 0 && now >= call.said.saturating_add(call.beat_ms) {
                call.said = now;
                let ping = Some(Ping { number: 0 });
                let (hook_id, dispatch_id) = (call.hook.clone(), call.dispatch);
                let beat = HookResponse { hook_id, dispatch_id, ping, ..HookResponse::default() };
                beats.push((call.reply.clone(), beat));
            }
        }
        for (reply, beat) in beats {
            self.publish(&reply, &beat);
        }
        if !self.leaves && self.written.is_some_and(|at| now >= at.saturating_add(self.renew_ms())) {
            self.write(now);
        }
    }

    /// The worker's end is done with this connection. Unless it left before it is lost: its entry ends by itself.
    pub fn end(&mut self) {
        if !std::mem::replace(&mut self.leaves, true) && self.refusal.is_none() {
            self.actions.push(FleetAction::Drain);
        }
    }

    /// How often the entry is renewed: as often as a connection would be looked after, and before the bucket forgets it.
    fn renew_ms(&self) -> u64 {
        self.settings.limits.keepalive_ms.min(self.settings.bucket_ttl_ms / 3).max(1)
    }

    fn greet(&mut self) {
        if let Some(why) = &self.refusal {
            let refusal = Some(Refusal { code: "broker".to_owned(), reason: why.clone(), r#final: true });
            return self.deliver(&HookEvent { refusal, ..HookEvent::default() });
        }
        let Limits { in_flight, max_message, keepalive_ms } = self.settings.limits;
        let max_message = room(max_message, self.settings.max_payload);
        let welcome = Some(Welcome { version: VERSION, max_in_flight: in_flight, max_message, keepalive_ms });
        self.deliver(&HookEvent { welcome, ..HookEvent::default() });
        let subject = cancel_subject(&self.settings.group);
        self.actions.push(FleetAction::Subscribe { subject, shared: false });
    }

    fn offered(&mut self, offer: RegisterHookRequest) {
        let own = offer.hook_id.clone().unwrap_or_default();
        let refusal = match hook_id(&offer) {
            Err(why) => Some(why),
            Ok(id) if self.hooks.get(&id).is_some_and(|known| known.own != own) => Some(
                "another hook of this worker has its name and event, by which a group tells hooks apart; rename one"
                    .to_owned(),
            ),
            Ok(id) => {
                // It may have had another name.
                let old = self.hooks.iter().find(|(_, known)| known.own == own).map(|(old, _)| old.clone());
                match old {
                    Some(old) if old == id => {}
                    old => {
                        if let Some(old) = old {
                            self.forget(&old);
                        }
                        let subject = call_subject(&self.settings.group, &id);
                        self.actions.push(FleetAction::Subscribe { subject, shared: true });
                    }
                }
                let offer = RegisterHookRequest { hook_id: Some(id.clone()), ..offer };
                self.hooks.insert(id, Offered { own: own.clone(), offer });
                None
            }
        };
        let registered = Some(RegisterHookResponse { hook_id: own, refusal, warnings: Vec::new() });
        self.deliver(&HookEvent { registered, ..HookEvent::default() });
    }

    fn withdrawn(&mut self, own: String) {
        let id = self.hooks.iter().find(|(_, known)| known.own == own).map(|(id, _)| id.clone());
        let removed = id.is_some();
        if let Some(id) = id {
            self.forget(&id);
            if let Some(at) = self.written {
                self.write(at);
            }
        }
        let unregistered = Some(UnregisterHookResponse { hook_id: own, removed });
        self.deliver(&HookEvent { unregistered, ..HookEvent::default() });
    }

    fn forget(&mut self, id: &str) {
        self.hooks.remove(id);
        let subject = call_subject(&self.settings.group, id);
        self.actions.push(FleetAction::Unsubscribe { subject });
    }

    fn answered(&mut self, response: HookResponse) {
        let Some(call) = self.calls.remove(&response.dispatch_id) else { return };
        let answer = HookResponse { hook_id: call.hook, dispatch_id: call.dispatch, ..response };
        self.publish(&call.reply, &answer);
    }

    fn leave(&mut self) {
        if std::mem::replace(&mut self.leaves, true) || self.refusal.is_some() {
            return;
        }
        let FleetWorkerSettings { group, instance, .. } = &self.settings;
        if self.written.is_some() {
            self.actions.push(FleetAction::Delete { key: key(group, instance) });
        }
        self.actions.push(FleetAction::Drain);
    }

    /// Writes the entry; it counts for two renewals.
    fn write(&mut self, now: u64) {
        let FleetWorkerSettings { group, instance, epoch, max_payload, .. } = &self.settings;
        let entry = FleetEntry {
            version: VERSION,
            group: group.clone(),
            instance: instance.clone(),
            epoch: *epoch,
            lasts_ms: 2 * self.renew_ms(),
            hooks: self.hooks.values().map(|known| known.offer.clone()).collect(),
        };
        let value = entry.encode_to_vec();
        if value.len() > *max_payload as usize {
            let reason = format!(
                "the hooks of the worker have {} bytes, and the broker takes {max_payload}; offer fewer, or raise max_payload there",
                value.len()
            );
            let refusal = Some(Refusal { code: "too_large".to_owned(), reason, r#final: true });
            return self.deliver(&HookEvent { refusal, ..HookEvent::default() });
        }
        let key = key(group, instance);
        self.written = Some(now);
        self.actions.push(FleetAction::Put { key, value });
    }

    fn deliver(&mut self, event: &HookEvent) {
        let (group, message) = (self.settings.group.clone(), event.encode_to_vec());
        self.actions.push(FleetAction::Deliver { group, message });
    }

    fn publish(&mut self, subject: &str, response: &HookResponse) {
        self.actions.push(FleetAction::Publish { subject: subject.to_owned(), reply: None, message: said(response) });
    }

    fn log(&mut self, level: Level, text: String) {
        self.actions.push(FleetAction::Log { level, text });
    }
}
