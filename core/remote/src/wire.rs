//! The messages of `proto/hooks.proto`, written by hand: the build needs no compiler for them, and a test holds both together.

#![expect(missing_docs, reason = "the fields are explained in proto/hooks.proto")]

mod json_bytes;

use prost::{Enumeration, Message};
use serde::{Deserialize, Serialize};

/// A hook that a worker offers.
#[derive(Clone, PartialEq, Message, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RegisterHookRequest {
    #[prost(string, tag = "1")]
    pub event_type: String,
    #[prost(message, optional, tag = "2")]
    pub matcher: Option<HookMatcher>,
    #[prost(message, optional, tag = "3")]
    pub config: Option<HookConfig>,
    #[prost(string, optional, tag = "10")]
    pub hook_id: Option<String>,
    #[prost(string, optional, tag = "11")]
    pub name: Option<String>,
}

/// What came of an offer.
#[derive(Clone, PartialEq, Eq, Message, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RegisterHookResponse {
    #[prost(string, tag = "1")]
    pub hook_id: String,
    #[prost(string, optional, tag = "2")]
    pub refusal: Option<String>,
    #[prost(string, repeated, tag = "3")]
    pub warnings: Vec<String>,
}

/// A hook goes.
#[derive(Clone, PartialEq, Eq, Message, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UnregisterHookRequest {
    #[prost(string, tag = "1")]
    pub hook_id: String,
}

/// A hook is gone.
#[derive(Clone, PartialEq, Eq, Message, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UnregisterHookResponse {
    #[prost(string, tag = "1")]
    pub hook_id: String,
    #[prost(bool, tag = "2")]
    pub removed: bool,
}

/// Asks for the hooks.
#[derive(Clone, PartialEq, Eq, Message, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ListHooksRequest {}

/// The hooks that are registered.
#[derive(Clone, PartialEq, Message, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ListHooksResponse {
    #[prost(message, repeated, tag = "1")]
    pub hooks: Vec<ListedHook>,
}

/// A hook that is registered.
#[derive(Clone, PartialEq, Message, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ListedHook {
    #[prost(string, tag = "1")]
    pub hook_id: String,
    #[prost(string, tag = "2")]
    pub event_type: String,
    #[prost(message, optional, tag = "3")]
    pub matcher: Option<HookMatcher>,
    #[prost(message, optional, tag = "4")]
    pub config: Option<HookConfig>,
    #[prost(string, tag = "5")]
    pub name: String,
}

/// Which events a hook is for.
#[derive(Clone, PartialEq, Eq, Message, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HookMatcher {
    #[prost(string, optional, tag = "1")]
    pub tool: Option<String>,
    #[prost(string, optional, tag = "2")]
    pub path_pattern: Option<String>,
    #[prost(string, optional, tag = "3")]
    pub command_pattern: Option<String>,
    #[prost(bytes = "vec", optional, tag = "10")]
    #[serde(with = "json_bytes::optional")]
    pub conditions: Option<Vec<u8>>,
}

/// A hook's settings.
#[derive(Clone, PartialEq, Eq, Message, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HookConfig {
    #[prost(int32, tag = "1")]
    pub priority: i32,
    #[prost(int32, tag = "2")]
    pub timeout_ms: i32,
    #[prost(bool, tag = "3")]
    pub r#async: bool,
    #[prost(string, optional, tag = "10")]
    pub fail_behavior: Option<String>,
    #[prost(bool, tag = "11")]
    pub no_timeout: bool,
    #[prost(bool, optional, tag = "12")]
    pub mandatory: Option<bool>,
    #[prost(string, optional, tag = "13")]
    pub scope: Option<String>,
    #[prost(string, optional, tag = "14")]
    pub enforcement: Option<String>,
}

/// What an agent sends.
#[derive(Clone, PartialEq, Eq, Message, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HookEvent {
    #[prost(string, tag = "1")]
    pub hook_id: String,
    #[prost(string, tag = "2")]
    pub event_type: String,
    #[prost(string, tag = "3")]
    pub session_id: String,
    #[prost(int64, tag = "4")]
    pub timestamp: i64,
    #[prost(bytes = "vec", tag = "5")]
    #[serde(with = "json_bytes")]
    pub payload: Vec<u8>,
    #[prost(uint64, tag = "10")]
    pub dispatch_id: u64,
    #[prost(uint64, tag = "11")]
    pub time_left_ms: u64,
    #[prost(string, optional, tag = "12")]
    pub traceparent: Option<String>,
    #[prost(string, optional, tag = "13")]
    pub tracestate: Option<String>,
    #[prost(uint32, tag = "14")]
    pub depth: u32,
    #[prost(uint64, tag = "15")]
    pub beat_ms: u64,
    #[prost(message, optional, tag = "20")]
    pub welcome: Option<Welcome>,
    #[prost(message, optional, tag = "21")]
    pub refusal: Option<Refusal>,
    #[prost(message, optional, tag = "22")]
    pub registered: Option<RegisterHookResponse>,
    #[prost(message, optional, tag = "23")]
    pub unregistered: Option<UnregisterHookResponse>,
    #[prost(message, optional, tag = "24")]
    pub cancel: Option<Cancel>,
    #[prost(message, optional, tag = "25")]
    pub ping: Option<Ping>,
    #[prost(message, optional, tag = "26")]
    pub pong: Option<Ping>,
    #[prost(message, optional, tag = "27")]
    pub complete: Option<Complete>,
}

/// What a worker sends.
#[derive(Clone, PartialEq, Message, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HookResponse {
    #[prost(string, tag = "1")]
    pub hook_id: String,
    #[prost(enumeration = "HookAction", tag = "2")]
    pub action: i32,
    #[prost(string, optional, tag = "3")]
    pub reason: Option<String>,
    #[prost(bytes = "vec", optional, tag = "4")]
    #[serde(with = "json_bytes::optional")]
    pub modified: Option<Vec<u8>>,
    #[prost(uint64, tag = "10")]
    pub dispatch_id: u64,
    #[prost(bytes = "vec", optional, tag = "11")]
    #[serde(with = "json_bytes::optional")]
    pub answer: Option<Vec<u8>>,
    #[prost(message, optional, tag = "12")]
    pub failure: Option<Failure>,
    #[prost(message, optional, tag = "20")]
    pub hello: Option<Hello>,
    #[prost(message, optional, tag = "21")]
    pub register: Option<RegisterHookRequest>,
    #[prost(message, optional, tag = "22")]
    pub unregister: Option<UnregisterHookRequest>,
    #[prost(message, optional, tag = "23")]
    pub complete: Option<Complete>,
    #[prost(message, optional, tag = "24")]
    pub ping: Option<Ping>,
    #[prost(message, optional, tag = "25")]
    pub pong: Option<Ping>,
    #[prost(message, optional, tag = "26")]
    pub leave: Option<Leave>,
}

/// What a client of the first version decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Enumeration)]
#[repr(i32)]
pub enum HookAction {
    Continue = 0,
    Block = 1,
    Retry = 2,
    Skip = 3,
}

/// The first message of a worker.
#[derive(Clone, PartialEq, Eq, Message, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Hello {
    #[prost(uint32, tag = "1")]
    pub version: u32,
    #[prost(string, tag = "2")]
    pub worker: String,
    #[prost(string, tag = "3")]
    pub instance: String,
    #[prost(string, optional, tag = "4")]
    pub token: Option<String>,
    #[prost(uint32, tag = "5")]
    pub max_in_flight: u32,
    #[prost(uint32, tag = "6")]
    pub max_message: u32,
}

/// The first message of an agent that takes the worker.
#[derive(Clone, PartialEq, Eq, Message, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Welcome {
    #[prost(uint32, tag = "1")]
    pub version: u32,
    #[prost(uint32, tag = "2")]
    pub max_in_flight: u32,
    #[prost(uint32, tag = "3")]
    pub max_message: u32,
    #[prost(uint64, tag = "4")]
    pub keepalive_ms: u64,
}

/// The last message of an agent that closes the connection.
#[derive(Clone, PartialEq, Eq, Message, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Refusal {
    #[prost(string, tag = "1")]
    pub code: String,
    #[prost(string, tag = "2")]
    pub reason: String,
    #[prost(bool, tag = "3")]
    pub r#final: bool,
}

/// A hook failed.
#[derive(Clone, PartialEq, Eq, Message, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Failure {
    #[prost(string, tag = "1")]
    pub kind: String,
    #[prost(string, tag = "2")]
    pub message: String,
    #[prost(bool, tag = "3")]
    pub meant_to_restrict: bool,
}

/// The agent waits no longer for an answer.
#[derive(Clone, PartialEq, Eq, Message, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Cancel {
    #[prost(uint64, tag = "1")]
    pub dispatch_id: u64,
}

/// Whether the other side is there.
#[derive(Clone, PartialEq, Eq, Message, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ping {
    #[prost(uint64, tag = "1")]
    pub number: u64,
}

/// These are all hooks.
#[derive(Clone, PartialEq, Eq, Message, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Complete {}

/// The worker goes.
#[derive(Clone, PartialEq, Eq, Message, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Leave {}

/// A worker of a fleet, as it stands in the bucket.
#[derive(Clone, PartialEq, Message, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FleetEntry {
    #[prost(uint32, tag = "1")]
    pub version: u32,
    #[prost(string, tag = "2")]
    pub group: String,
    #[prost(string, tag = "3")]
    pub instance: String,
    #[prost(uint64, tag = "4")]
    pub epoch: u64,
    #[prost(uint64, tag = "5")]
    pub lasts_ms: u64,
    #[prost(message, repeated, tag = "6")]
    pub hooks: Vec<RegisterHookRequest>,
}

impl HookEvent {
    /// How many control messages it has; more than one make no sense.
    pub(crate) fn controls(&self) -> usize {
        [
            self.welcome.is_some(),
            self.refusal.is_some(),
            self.registered.is_some(),
            self.unregistered.is_some(),
            self.cancel.is_some(),
            self.ping.is_some(),
            self.pong.is_some(),
            self.complete.is_some(),
        ]
        .into_iter()
        .filter(|&is_there| is_there)
        .count()
    }
}

impl HookResponse {
    /// How many control messages it has; more than one make no sense.
    pub(crate) fn controls(&self) -> usize {
        [
            self.hello.is_some(),
            self.register.is_some(),
            self.unregister.is_some(),
            self.complete.is_some(),
            self.ping.is_some(),
            self.pong.is_some(),
            self.leave.is_some(),
        ]
        .into_iter()
        .filter(|&is_there| is_there)
        .count()
    }
}
