//! Both ends of a fleet: what stands between an end of the protocol and a broker. The connections are in TypeScript.

use hookweave_host::clock::new_id;
use hookweave_host::remote::{
    BUCKET, BUCKET_TTL_MS, Backoff, FleetAction, FleetAgent, FleetAgentSettings, FleetWorker, FleetWorkerSettings,
    is_name,
};
use napi::bindgen_prelude::{Buffer, Uint8Array};
use napi_derive::napi;

use crate::errors::CodedError;
use crate::remote::{RemoteLevel, from_js, limits, to_js};

/// The bucket in which workers stand.
#[napi(object, object_from_js = false)]
pub struct NativeFleetBucket {
    /// Its name.
    pub name: String,
    /// How many milliseconds it keeps an entry.
    pub ttl: i64,
}

/// The bucket in which workers stand.
#[must_use]
#[napi(catch_unwind)]
pub fn fleet_bucket() -> NativeFleetBucket {
    NativeFleetBucket { name: BUCKET.to_owned(), ttl: to_js(BUCKET_TTL_MS) }
}

/// What kind of thing is to be done.
#[napi(string_enum = "lowercase")]
pub enum FleetActionKind {
    /// Connect to the broker.
    Connect,
    /// The group `group` has a connection.
    Open,
    /// `message` came over the group's connection.
    Deliver,
    /// The group's connection ended, as `text` says.
    Lost,
    /// Take what is sent to `subject`.
    Subscribe,
    /// Take nothing more of `subject`.
    Unsubscribe,
    /// Send `message` to `subject`; answers go to `reply`.
    Publish,
    /// Write `message` under the key `subject`.
    Put,
    /// Delete the key `subject`.
    Delete,
    /// Take no more calls.
    Drain,
    /// Log `text`.
    Log,
}

/// What an end of a fleet wants done.
#[napi(object, object_from_js = false)]
pub struct NativeFleetAction {
    /// What kind of thing it is.
    pub kind: FleetActionKind,
    /// Whose connection it is.
    pub group: Option<String>,
    /// A subject or a key.
    pub subject: Option<String>,
    /// Where answers go.
    pub reply: Option<String>,
    /// Whether one of all workers that take the subject gets each message.
    pub shared: Option<bool>,
    /// What is sent, delivered or written.
    #[napi(ts_type = "Uint8Array")]
    pub message: Option<Buffer>,
    /// A reason, or a line of the log.
    pub text: Option<String>,
    /// How much a line of the log matters.
    pub level: Option<RemoteLevel>,
}

fn action(action: FleetAction) -> Option<NativeFleetAction> {
    let empty = |kind| NativeFleetAction {
        kind,
        group: None,
        subject: None,
        reply: None,
        shared: None,
        message: None,
        text: None,
        level: None,
    };
    let at = |kind, subject| NativeFleetAction { subject: Some(subject), ..empty(kind) };
    Some(match action {
        FleetAction::Connect => empty(FleetActionKind::Connect),
        FleetAction::Open { group } => NativeFleetAction { group: Some(group), ..empty(FleetActionKind::Open) },
        FleetAction::Deliver { group, message } => {
            NativeFleetAction { group: Some(group), message: Some(message.into()), ..empty(FleetActionKind::Deliver) }
        }
        FleetAction::Lost { group, why } => {
            NativeFleetAction { group: Some(group), text: Some(why), ..empty(FleetActionKind::Lost) }
        }
        FleetAction::Subscribe { subject, shared } => {
            NativeFleetAction { shared: Some(shared), ..at(FleetActionKind::Subscribe, subject) }
        }
        FleetAction::Unsubscribe { subject } => at(FleetActionKind::Unsubscribe, subject),
        FleetAction::Publish { subject, reply, message } => {
            NativeFleetAction { reply, message: Some(message.into()), ..at(FleetActionKind::Publish, subject) }
        }
        FleetAction::Put { key, value } => {
            NativeFleetAction { message: Some(value.into()), ..at(FleetActionKind::Put, key) }
        }
        FleetAction::Delete { key } => at(FleetActionKind::Delete, key),
        FleetAction::Drain => empty(FleetActionKind::Drain),
        FleetAction::Log { level, text } => {
            NativeFleetAction { level: Some(level.into()), text: Some(text), ..empty(FleetActionKind::Log) }
        }
        _ => return None,
    })
}

/// A group is a worker's name to agents.
fn check(group: &str) -> Result<(), CodedError> {
    if is_name(group) {
        return Ok(());
    }
    let why = format!("a group's name has 1 to 64 letters, digits, dots, dashes or underscores, unlike `{group}`");
    Err(CodedError::new("invalid_option".to_owned(), why))
}

/// What an agent of fleets is set to; what is absent has its default.
#[napi(object, object_to_js = false)]
pub struct NativeFleetAgentSettings {
    /// The groups whose hooks it takes.
    pub groups: Vec<String>,
    /// What the agent wants workers to know.
    pub token: Option<String>,
    /// Milliseconds after which a worker says that a call still runs.
    pub keepalive: Option<u32>,
    /// Bytes of a message.
    pub max_message: Option<u32>,
}

/// The agent's end: each group is one worker to it.
#[napi]
pub struct NativeFleetAgent {
    agent: FleetAgent,
}

#[napi]
impl NativeFleetAgent {
    /// It connects at once.
    #[napi(constructor, catch_unwind)]
    pub fn new(settings: NativeFleetAgentSettings) -> Result<Self, CodedError> {
        let NativeFleetAgentSettings { groups, token, keepalive, max_message } = settings;
        groups.iter().try_for_each(|group| check(group))?;
        let limits = limits(None, max_message, keepalive);
        let (keepalive_ms, max_message) = (limits.keepalive_ms, limits.max_message);
        let backoff = Backoff::default();
        let settings = FleetAgentSettings { groups, token, keepalive_ms, max_message, backoff };
        Ok(Self { agent: FleetAgent::new(settings) })
    }

    /// The patterns of the keys to watch.
    #[napi(catch_unwind)]
    pub fn keys(&self) -> Vec<String> {
        self.agent.keys()
    }

    /// The broker is connected.
    #[napi(catch_unwind)]
    pub fn connected(&mut self, inbox: String, max_payload: u32) {
        self.agent.connected(&inbox, max_payload);
    }

    /// An entry of the bucket; absent where it was deleted.
    #[napi(catch_unwind)]
    pub fn entry(&mut self, key: String, value: Option<Uint8Array>, now: i64) {
        self.agent.entry(&key, value.as_deref(), from_js(now));
    }

    /// Every entry that the bucket had was told.
    #[napi(catch_unwind)]
    pub fn has_all(&mut self) {
        self.agent.has_all();
    }

    /// The broker is lost.
    #[napi(catch_unwind)]
    pub fn lost(&mut self, why: String, now: i64, random: u32) {
        self.agent.lost(&why, from_js(now), random.into());
    }

    /// The agent sends a message to a group.
    #[napi(catch_unwind)]
    pub fn sent(&mut self, group: String, message: Uint8Array, now: i64) {
        self.agent.sent(&group, &message, from_js(now));
    }

    /// The agent closed a group's connection.
    #[napi(catch_unwind)]
    pub fn closed(&mut self, group: String, now: i64) {
        self.agent.closed(&group, from_js(now));
    }

    /// Something came below the inbox.
    #[napi(catch_unwind)]
    pub fn replied(&mut self, subject: String, message: Uint8Array, now: i64) {
        self.agent.replied(&subject, &message, from_js(now));
    }

    /// Nobody takes the call of a subject below the inbox.
    #[napi(catch_unwind)]
    pub fn unanswered(&mut self, subject: String) {
        self.agent.unanswered(&subject);
    }

    /// Does what is due.
    #[napi(catch_unwind)]
    pub fn tick(&mut self, now: i64) {
        self.agent.tick(from_js(now));
    }

    /// When `tick` is due.
    #[napi(catch_unwind)]
    pub fn next_deadline(&self) -> Option<i64> {
        self.agent.next_deadline().map(to_js)
    }

    /// What is to be done, in order.
    #[napi(catch_unwind)]
    pub fn actions(&mut self) -> Vec<NativeFleetAction> {
        self.agent.actions().into_iter().filter_map(action).collect()
    }
}

/// What a worker of a fleet is set to; what is absent has its default.
#[napi(object, object_to_js = false)]
pub struct NativeFleetWorkerSettings {
    /// The group that it is in.
    pub group: String,
    /// This run of it.
    pub instance: Option<String>,
    /// When this run began, in milliseconds since the epoch.
    pub epoch: i64,
    /// Calls at once.
    pub in_flight: Option<u32>,
    /// Bytes of a message.
    pub max_message: Option<u32>,
    /// Milliseconds after which its entry is renewed.
    pub keepalive: Option<u32>,
    /// Milliseconds for which the bucket keeps an entry.
    pub bucket_ttl: i64,
    /// Bytes of a message of the broker.
    pub max_payload: u32,
    /// Why the broker does not take it, for good.
    pub refusal: Option<String>,
}

/// The worker's end, on one connection to the broker.
#[napi]
pub struct NativeFleetWorker {
    worker: FleetWorker,
}

#[napi]
impl NativeFleetWorker {
    /// The broker is connected.
    #[napi(constructor, catch_unwind)]
    pub fn new(settings: NativeFleetWorkerSettings) -> Result<Self, CodedError> {
        check(&settings.group)?;
        let own = FleetWorkerSettings {
            group: settings.group,
            instance: settings.instance.unwrap_or_else(new_id),
            epoch: from_js(settings.epoch),
            limits: limits(settings.in_flight, settings.max_message, settings.keepalive),
            bucket_ttl_ms: from_js(settings.bucket_ttl),
            max_payload: settings.max_payload,
        };
        let worker = match settings.refusal {
            Some(why) => FleetWorker::refused(own, why),
            None => FleetWorker::new(own),
        };
        Ok(Self { worker })
    }

    /// The worker sends a message.
    #[napi(catch_unwind)]
    pub fn sent(&mut self, message: Uint8Array, now: i64) {
        self.worker.sent(&message, from_js(now));
    }

    /// The entry was written.
    #[napi(catch_unwind)]
    pub fn stored(&mut self) {
        self.worker.stored();
    }

    /// A call came.
    #[napi(catch_unwind)]
    pub fn called(&mut self, reply: String, message: Uint8Array, now: i64) {
        self.worker.called(&reply, &message, from_js(now));
    }

    /// Nobody waits for the answer to a call.
    #[napi(catch_unwind)]
    pub fn cancelled(&mut self, reply: String) {
        self.worker.cancelled(&reply);
    }

    /// Does what is due.
    #[napi(catch_unwind)]
    pub fn tick(&mut self, now: i64) {
        self.worker.tick(from_js(now));
    }

    /// The worker is done with this connection.
    #[napi(catch_unwind)]
    pub fn end(&mut self) {
        self.worker.end();
    }

    /// When `tick` is due.
    #[napi(catch_unwind)]
    pub fn next_deadline(&self) -> Option<i64> {
        self.worker.next_deadline().map(to_js)
    }

    /// What is to be done, in order.
    #[napi(catch_unwind)]
    pub fn actions(&mut self) -> Vec<NativeFleetAction> {
        self.worker.actions().into_iter().filter_map(action).collect()
    }
}
