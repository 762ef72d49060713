//! The agent's end of the protocol for remote hooks: bytes and times go in, actions come out. The sockets are in TypeScript.

use std::sync::Arc;

use hookweave_host::audit::Audit;
use hookweave_host::exec::trace_context::TraceContext;
use hookweave_host::hook::{HookSpec, Timeout};
use hookweave_host::json::from_json;
use hookweave_host::record_refused_worker;
use hookweave_host::remote::{Grants, Hub, HubAction, HubSettings, RemoteCall};
use napi::bindgen_prelude::{Buffer, Uint8Array};
use napi_derive::napi;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::client::NativeClient;
use crate::errors::{CodedError, coded};
use crate::outside_hooks::completion_text;
use crate::registration::RegisteredHook;
use crate::remote::{RemoteLevel, from_js, limits, to_js, unreadable};

/// What workers may do; what is absent has its default.
#[napi(object, object_to_js = false)]
pub struct NativeGrants {
    /// The events that they may have hooks on.
    pub events: Option<Vec<String>>,
    /// The lowest priority of their hooks.
    pub earliest_priority: Option<i32>,
    /// Whether their `allow` and `skip` count.
    pub allow: Option<bool>,
    /// Whether they may change events.
    pub modify: Option<bool>,
    /// Whether they may have a person asked.
    pub ask: Option<bool>,
    /// Whether their hooks may be mandatory.
    pub mandatory: Option<bool>,
    /// Whether their hooks may be managed.
    pub managed: Option<bool>,
}

/// What an agent is set to; what is absent has its default.
#[napi(object, object_to_js = false)]
pub struct NativeHubSettings {
    /// The token that workers must have.
    pub token: Option<String>,
    /// What workers may do.
    pub grants: Option<NativeGrants>,
    /// Events that a worker has at once.
    pub in_flight: Option<u32>,
    /// Bytes of a message.
    pub max_message: Option<u32>,
    /// Milliseconds of silence before a worker is asked whether it is there.
    pub keepalive: Option<u32>,
    /// Events that wait for a worker.
    pub queue: Option<u32>,
    /// Hooks of one worker.
    pub max_hooks: Option<u32>,
    /// Workers at once.
    pub max_workers: Option<u32>,
    /// Unrequested messages within a second.
    pub max_unasked: Option<u32>,
}

impl NativeGrants {
    fn read(self) -> Grants {
        let usual = Grants::default();
        Grants {
            events: self.events.or(usual.events),
            earliest_priority: self.earliest_priority.unwrap_or(usual.earliest_priority),
            allow: self.allow.unwrap_or(usual.allow),
            modify: self.modify.unwrap_or(usual.modify),
            ask: self.ask.unwrap_or(usual.ask),
            mandatory: self.mandatory.unwrap_or(usual.mandatory),
            managed: self.managed.unwrap_or(usual.managed),
        }
    }
}

impl NativeHubSettings {
    fn read(self) -> HubSettings {
        let usual = HubSettings::default();
        let size = |given: Option<u32>, usual: usize| given.map_or(usual, |size| size as usize);
        HubSettings {
            token: self.token,
            grants: self.grants.map_or(usual.grants, NativeGrants::read),
            limits: limits(self.in_flight, self.max_message, self.keepalive),
            queue: size(self.queue, usual.queue),
            max_hooks: size(self.max_hooks, usual.max_hooks),
            max_workers: size(self.max_workers, usual.max_workers),
            max_unasked: self.max_unasked.unwrap_or(usual.max_unasked),
        }
    }
}

/// What kind of thing is to be done.
#[napi(string_enum = "lowercase")]
pub enum HubActionKind {
    /// Send `message` over `connection`.
    Send,
    /// Close `connection`.
    Close,
    /// Register the hook of `registration`.
    Register,
    /// Take the hook of `registration` out.
    Unregister,
    /// The call `number` ended with `text`, a completion.
    Finished,
    /// Log `text`.
    Log,
}

/// What an agent's end wants done.
#[napi(object, object_from_js = false)]
pub struct NativeHubAction {
    /// What kind of thing it is.
    pub kind: HubActionKind,
    /// The connection, registration or call.
    pub number: i64,
    /// What is sent.
    #[napi(ts_type = "Uint8Array")]
    pub message: Option<Buffer>,
    /// A completion, a reason, the name of a worker, or a line of the log.
    pub text: Option<String>,
    /// How much a line of the log matters.
    pub level: Option<RemoteLevel>,
    /// The worker whose refusal, already on record, is logged.
    pub refused: Option<String>,
    /// What kind of refusal it is.
    pub code: Option<String>,
}

impl NativeHubAction {
    fn new(kind: HubActionKind, number: u64, text: Option<String>) -> Self {
        Self { kind, number: to_js(number), message: None, text, level: None, refused: None, code: None }
    }
}

/// A worker's hook in the engine.
#[napi(object, object_from_js = false)]
pub struct NativeRemoteHook {
    /// As the registry knows it.
    pub hook: RegisteredHook,
    /// How long a call may take, in milliseconds; absent is without end.
    pub limit: Option<f64>,
}

/// An event for a worker's hook.
#[napi(object, object_to_js = false)]
pub struct NativeRemoteCall {
    /// The event's canonical name.
    pub name: String,
    /// Its canonical JSON text.
    pub event: String,
    /// How long the call may take, in milliseconds; absent is without end.
    pub limit: Option<f64>,
    /// How deep the dispatch is nested.
    pub depth: u32,
    /// The caller's place in a distributed trace.
    pub trace_parent: Option<String>,
    /// The rest of that.
    pub trace_state: Option<String>,
}

/// One worker, as it stands.
#[napi(object, object_from_js = false)]
pub struct NativeWorkerInfo {
    /// Its name.
    pub name: String,
    /// Whether it is connected.
    pub connected: bool,
    /// Why it is not; empty where it is.
    pub lost: String,
    /// How many hooks it has in the engine.
    pub hooks: u32,
}

/// An agent's end of all connections.
#[napi]
pub struct NativeHub {
    hub: Hub,
    /// Hooks that are to be registered.
    offered: FxHashMap<u64, (String, Box<HookSpec>)>,
    audit: Arc<Audit>,
}

#[napi]
impl NativeHub {
    /// That of a client, without workers.
    #[must_use]
    #[napi(constructor, catch_unwind)]
    pub fn new(client: &NativeClient, settings: NativeHubSettings) -> Self {
        let audit = Arc::clone(client.audit());
        Self { hub: Hub::new(settings.read()), offered: FxHashMap::default(), audit }
    }

    /// A connection was made; gives its number.
    #[napi(catch_unwind)]
    pub fn opened(&mut self, now: i64) -> i64 {
        to_js(self.hub.opened(from_js(now)))
    }

    /// A message came.
    #[napi(catch_unwind)]
    pub fn receive(&mut self, connection: i64, message: Uint8Array, now: i64) {
        self.hub.receive(from_js(connection), &message, from_js(now));
    }

    /// A connection ended.
    #[napi(catch_unwind)]
    pub fn lost(&mut self, connection: i64, why: String) {
        self.hub.lost(from_js(connection), &why);
    }

    /// The stream of a connection cannot be read any further.
    #[napi(catch_unwind)]
    pub fn unreadable(&mut self, connection: i64, why: String) {
        self.hub.unreadable(from_js(connection), &why);
    }

    /// The settings of a hook that is to be registered, as JSON text.
    #[napi(catch_unwind)]
    pub fn offer(&self, registration: i64) -> Option<String> {
        let (_, spec) = self.offered.get(&from_js(registration))?;
        let timeout = match spec.timeout {
            Timeout::After(limit) => json!(limit.as_secs_f64() * 1000.0),
            Timeout::Never => json!("never"),
            Timeout::Default => json!("default"),
        };
        let settings = json!({
            "event": spec.event, "name": spec.name, "matcher": spec.matcher, "priority": spec.priority,
            "timeout": timeout, "fail_behavior": spec.fail_behavior, "mandatory": spec.is_mandatory(),
            "scope": spec.scope, "detached": spec.detached,
        });
        Some(settings.to_string())
    }

    /// Registers an offered hook in a client; then say what came of it by `registered`.
    #[napi(catch_unwind)]
    pub fn register(&mut self, hooks: &mut NativeClient, registration: i64) -> Result<NativeRemoteHook, CodedError> {
        let registration = from_js(registration);
        let gone = || CodedError::new("unknown_hook".to_owned(), "the worker does not offer the hook any more");
        let (worker, spec) = self.offered.remove(&registration).ok_or_else(gone)?;
        let (hook, entry) = hooks.add_outside(spec.worker(&worker))?;
        Ok(NativeRemoteHook { hook, limit: entry.timeout().map(|limit| limit.as_secs_f64() * 1000.0) })
    }

    /// What came of a registration; a text says why the client did not take the hook.
    #[napi(catch_unwind)]
    pub fn registered(&mut self, registration: i64, refusal: Option<String>) {
        self.hub.registered(from_js(registration), refusal.map_or(Ok(()), Err));
    }

    /// Sends an event to the hook of a registration; gives the call's number.
    #[napi(catch_unwind)]
    pub fn call(&mut self, registration: i64, call: NativeRemoteCall, now: i64) -> Result<i64, CodedError> {
        let NativeRemoteCall { name, event, limit, depth, trace_parent, trace_state } = call;
        let Value::Object(payload) = from_json(&event).map_err(unreadable)? else {
            return Err(CodedError::new("payload_not_json".to_owned(), "an event is an object"));
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at least 1, and no limit is longer"
        )]
        let call = RemoteCall {
            event: name,
            payload,
            limit_ms: limit.map(|limit| limit.max(1.0) as u64),
            trace: trace_parent.and_then(|parent| TraceContext::parse(&parent, trace_state.as_deref())),
            depth,
        };
        Ok(to_js(self.hub.call(from_js(registration), call, from_js(now))))
    }

    /// Ends a call that nobody waits for.
    #[napi(catch_unwind)]
    pub fn cancel(&mut self, call: i64, now: i64) {
        self.hub.cancel(from_js(call), from_js(now));
    }

    /// Does what is due.
    #[napi(catch_unwind)]
    pub fn tick(&mut self, now: i64) {
        self.hub.tick(from_js(now));
    }

    /// When `tick` is due.
    #[napi(catch_unwind)]
    pub fn next_deadline(&self) -> Option<i64> {
        self.hub.next_deadline().map(to_js)
    }

    /// Ends everything.
    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.hub.close();
    }

    /// The workers, by name.
    #[napi(catch_unwind)]
    pub fn workers(&self) -> Vec<NativeWorkerInfo> {
        let info = |worker: hookweave_host::remote::WorkerInfo| NativeWorkerInfo {
            name: worker.name,
            connected: worker.connected,
            lost: worker.lost,
            hooks: u32::try_from(worker.hooks).unwrap_or(u32::MAX),
        };
        self.hub.workers().into_iter().map(info).collect()
    }

    /// What is to be done, in order.
    #[napi(catch_unwind)]
    pub fn actions(&mut self) -> Vec<NativeHubAction> {
        let actions = self.hub.actions();
        actions.into_iter().filter_map(|action| self.action(action)).collect()
    }

    fn action(&mut self, action: HubAction) -> Option<NativeHubAction> {
        Some(match action {
            HubAction::Send { connection, message } => NativeHubAction {
                message: Some(message.into()),
                ..NativeHubAction::new(HubActionKind::Send, connection, None)
            },
            HubAction::Close { connection, reason } => {
                NativeHubAction::new(HubActionKind::Close, connection, Some(reason))
            }
            HubAction::Register { registration, worker, spec } => {
                self.offered.insert(registration, (worker.clone(), spec));
                NativeHubAction::new(HubActionKind::Register, registration, Some(worker))
            }
            HubAction::Unregister { registration } => {
                self.offered.remove(&registration);
                NativeHubAction::new(HubActionKind::Unregister, registration, None)
            }
            HubAction::Finished { call, result } => {
                NativeHubAction::new(HubActionKind::Finished, call, Some(completion_text(result)))
            }
            HubAction::Refused { level, worker, code, text } => {
                record_refused_worker(&self.audit, &worker, code, &text);
                NativeHubAction {
                    level: Some(level.into()),
                    refused: Some(worker),
                    code: Some(code.to_owned()),
                    ..NativeHubAction::new(HubActionKind::Log, 0, Some(text))
                }
            }
            HubAction::Log { level, text } => {
                NativeHubAction { level: Some(level.into()), ..NativeHubAction::new(HubActionKind::Log, 0, Some(text)) }
            }
            _ => return None,
        })
    }
}

impl NativeClient {
    /// Adds a hook whose timeout is not the TypeScript layer's to enforce.
    fn add_outside(&mut self, spec: HookSpec) -> Result<(RegisteredHook, Arc<RemoteEntry>), CodedError> {
        let number = *self.next();
        *self.next() += 1;
        let handler = self.handler_ref(number, true);
        let id = self.registry().register(spec, handler).map_err(|error| coded(&error))?;
        let gone = || CodedError::new("unknown_hook".to_owned(), "the hook is gone already");
        let hook = self.registered(id).ok_or_else(gone)?;
        Ok((hook, self.registry().entry(id).ok_or_else(gone)?))
    }
}

type RemoteEntry = hookweave_host::registry::Entry<crate::registration::HandlerRef>;
