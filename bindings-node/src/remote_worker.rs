//! The worker's end of the protocol for remote hooks: bytes, times and random numbers go in, actions come out. The sockets are
//! in TypeScript, and so are the handlers.

use hookweave_host::answer::{self, Reading};
use hookweave_host::clock::new_id;
use hookweave_host::dispatch::{FailureKind, HandlerResult, HookFailure, check_depth};
use hookweave_host::envelope::has_tool_use_id;
use hookweave_host::hook_id;
use hookweave_host::json::from_json;
use hookweave_host::remote::wire::RegisterHookRequest;
use hookweave_host::remote::{Backoff, Run, WorkerAction, WorkerEnd, WorkerSettings, WorkerState, is_name, offer};
use napi::Env;
use napi::bindgen_prelude::{BigInt, Buffer, Uint8Array, Unknown};
use napi_derive::napi;
use serde_json::{Value, json};

use crate::client::NativeClient;
use crate::errors::{CodedError, coded, from_napi};
use crate::json::large_integers;
use crate::remote::{RemoteLevel, foreign, from_js, limits, to_js, unreadable};
use crate::values::Values;

/// What a worker is set to; what is absent has its default.
#[napi(object, object_to_js = false)]
pub struct NativeWorkerSettings {
    /// The worker's name.
    pub name: String,
    /// This run of it.
    pub instance: Option<String>,
    /// What the agent wants to know.
    pub token: Option<String>,
    /// Events at once.
    pub in_flight: Option<u32>,
    /// Bytes of a message.
    pub max_message: Option<u32>,
    /// Milliseconds of silence before the agent is asked whether it is there.
    pub keepalive: Option<u32>,
    /// The most milliseconds of waiting after the first failure.
    pub backoff_first: Option<u32>,
    /// The most ever.
    pub backoff_most: Option<u32>,
}

/// What kind of thing is to be done.
#[napi(string_enum = "lowercase")]
pub enum WorkerActionKind {
    /// Connect.
    Connect,
    /// Send `message`.
    Send,
    /// Close the connection.
    Close,
    /// Run the hook `hook` for the event `text`.
    Run,
    /// End the run of `dispatch`.
    Cancel,
    /// The worker stands differently: `state`, and in `text` why it ended.
    State,
    /// Log `text`.
    Log,
}

/// How a worker stands with its agent.
#[napi(string_enum = "lowercase")]
pub enum NativeWorkerState {
    /// It connects, or registers its hooks.
    Connecting,
    /// All its hooks are in force, or refused.
    Ready,
    /// It connects again.
    Waiting,
    /// It ended.
    Closed,
}

/// What a worker's end wants done.
#[napi(object, object_from_js = false)]
pub struct NativeWorkerAction {
    /// What kind of thing it is.
    pub kind: WorkerActionKind,
    /// What is sent.
    #[napi(ts_type = "Uint8Array")]
    pub message: Option<Buffer>,
    /// A reason, a line of the log, or the event: `{"payload": …, "large": […]}`.
    pub text: Option<String>,
    /// What the answer is for.
    pub dispatch: Option<BigInt>,
    /// The worker's id of the hook.
    pub hook: Option<String>,
    /// The event's name.
    pub event: Option<String>,
    /// When the agent waits no longer, or the worker connects again.
    pub at: Option<i64>,
    /// Where the event stands in a distributed trace.
    pub trace_parent: Option<String>,
    /// The rest of that.
    pub trace_state: Option<String>,
    /// How deep the dispatch is nested.
    pub depth: Option<u32>,
    /// How the worker stands.
    pub state: Option<NativeWorkerState>,
    /// How much a line of the log matters.
    pub level: Option<RemoteLevel>,
}

impl NativeWorkerAction {
    const fn new(kind: WorkerActionKind, text: Option<String>) -> Self {
        Self {
            kind,
            text,
            message: None,
            dispatch: None,
            hook: None,
            event: None,
            at: None,
            trace_parent: None,
            trace_state: None,
            depth: None,
            state: None,
            level: None,
        }
    }
}

/// The hooks that a client offers to its agent.
#[napi(object, object_from_js = false)]
pub struct NativeOffers {
    /// The messages that offer them, as JSON text.
    pub offers: String,
    /// Why the others are not offered.
    pub refused: Vec<String>,
}

/// A hook that an agent calls.
#[napi(object, object_from_js = false)]
pub struct NativeOfferedHook {
    /// The number by which the TypeScript layer finds it.
    pub number: u32,
    /// The event's canonical name.
    pub event: String,
    /// Whether the engine fills in a missing tool call id.
    pub has_tool_use_id: bool,
}

/// A worker's end of its connection.
#[napi]
pub struct NativeWorkerEnd {
    end: WorkerEnd,
}

#[napi]
impl NativeWorkerEnd {
    /// It connects at once.
    #[napi(constructor, catch_unwind)]
    pub fn new(settings: NativeWorkerSettings) -> Result<Self, CodedError> {
        let NativeWorkerSettings { name, instance, token, .. } = settings;
        if !is_name(&name) {
            let why =
                format!("a worker's name has 1 to 64 letters, digits, dots, dashes or underscores, unlike `{name}`");
            return Err(CodedError::new("invalid_option".to_owned(), why));
        }
        let usual = Backoff::default();
        let backoff = Backoff {
            first_ms: settings.backoff_first.map_or(usual.first_ms, u64::from),
            most_ms: settings.backoff_most.map_or(usual.most_ms, u64::from),
        };
        let limits = limits(settings.in_flight, settings.max_message, settings.keepalive);
        let instance = instance.unwrap_or_else(new_id);
        let settings = WorkerSettings { token, limits, backoff, ..WorkerSettings::new(name, instance) };
        Ok(Self { end: WorkerEnd::new(settings) })
    }

    /// These are all the hooks, as `offers` of the client gives them.
    #[napi(catch_unwind)]
    pub fn offer(&mut self, offers: String, now: i64) -> Result<(), CodedError> {
        let offers: Vec<RegisterHookRequest> = serde_json::from_str(&offers).map_err(unreadable)?;
        self.end.offer(offers, from_js(now));
        Ok(())
    }

    /// The connection was made.
    #[napi(catch_unwind)]
    pub fn opened(&mut self, now: i64) {
        self.end.opened(from_js(now));
    }

    /// A message came.
    #[napi(catch_unwind)]
    pub fn receive(&mut self, message: Uint8Array, now: i64, random: u32) {
        self.end.receive(&message, from_js(now), random.into());
    }

    /// The connection ended, or could not be made.
    #[napi(catch_unwind)]
    pub fn lost(&mut self, why: String, now: i64, random: u32) {
        self.end.lost(&why, from_js(now), random.into());
    }

    /// A hook has run; the text is a completion.
    #[napi(catch_unwind)]
    pub fn answered(&mut self, dispatch: BigInt, result: String) -> Result<(), CodedError> {
        let result = read_completion(&result).map_err(unreadable)?;
        self.end.answered(foreign(&dispatch), &result);
        Ok(())
    }

    /// Does what is due.
    #[napi(catch_unwind)]
    pub fn tick(&mut self, now: i64, random: u32) {
        self.end.tick(from_js(now), random.into());
    }

    /// When `tick` is due.
    #[napi(catch_unwind)]
    pub fn next_deadline(&self) -> Option<i64> {
        self.end.next_deadline().map(to_js)
    }

    /// Takes nothing new, and goes when what runs has ended.
    #[napi(catch_unwind)]
    pub fn leave(&mut self) {
        self.end.leave();
    }

    /// What is to be done, in order.
    #[napi(catch_unwind)]
    pub fn actions(&mut self) -> Vec<NativeWorkerAction> {
        self.end.actions().into_iter().filter_map(action).collect()
    }
}

fn action(action: WorkerAction) -> Option<NativeWorkerAction> {
    Some(match action {
        WorkerAction::Connect => NativeWorkerAction::new(WorkerActionKind::Connect, None),
        WorkerAction::Send { message } => NativeWorkerAction {
            message: Some(message.into()),
            ..NativeWorkerAction::new(WorkerActionKind::Send, None)
        },
        WorkerAction::Close { reason } => NativeWorkerAction::new(WorkerActionKind::Close, Some(reason)),
        WorkerAction::Run(run) => {
            let Run { dispatch, hook, event, payload, deadline, trace, depth } = *run;
            let large = large_integers(&payload);
            let (trace_parent, trace_state) = trace.map_or((None, None), |(parent, state)| (Some(parent), state));
            NativeWorkerAction {
                dispatch: Some(dispatch.into()),
                hook: Some(hook),
                event: Some(event),
                at: deadline.map(to_js),
                trace_parent,
                trace_state,
                depth: Some(depth),
                ..NativeWorkerAction::new(
                    WorkerActionKind::Run,
                    Some(json!({"payload": payload, "large": large}).to_string()),
                )
            }
        }
        WorkerAction::Cancel { dispatch } => NativeWorkerAction {
            dispatch: Some(dispatch.into()),
            ..NativeWorkerAction::new(WorkerActionKind::Cancel, None)
        },
        WorkerAction::State(state) => {
            let (state, at, text) = match state {
                WorkerState::Connecting => (NativeWorkerState::Connecting, None, None),
                WorkerState::Ready => (NativeWorkerState::Ready, None, None),
                WorkerState::Waiting { until } => (NativeWorkerState::Waiting, Some(to_js(until)), None),
                WorkerState::Closed { reason } => (NativeWorkerState::Closed, None, Some(reason)),
            };
            NativeWorkerAction { state: Some(state), at, ..NativeWorkerAction::new(WorkerActionKind::State, text) }
        }
        WorkerAction::Log { level, text } => NativeWorkerAction {
            level: Some(level.into()),
            ..NativeWorkerAction::new(WorkerActionKind::Log, Some(text))
        },
        _ => return None,
    })
}

/// Reads a completion, as `completion_text` writes it.
fn read_completion(text: &str) -> serde_json::Result<HandlerResult<Value>> {
    let mut completion = from_json(text)?;
    let mut take = |name: &str| completion.get_mut(name).map(Value::take);
    if let Some(failed) = take("failed") {
        let word = |name: &str| failed.get(name).and_then(Value::as_str).unwrap_or_default();
        let kind = FailureKind::ALL.iter().copied().find(|kind| kind.as_str() == word("kind"));
        return Ok(HandlerResult::Failed(HookFailure {
            meant_to_restrict: failed.get("restricts") == Some(&Value::Bool(true)),
            ..HookFailure::new(kind.unwrap_or(FailureKind::Raised), word("message"))
        }));
    }
    Ok(take("answer").map_or(HandlerResult::Nothing, HandlerResult::Answer))
}

/// Why an answer to an event cannot be read.
#[napi(object, object_from_js = false)]
pub struct NativeInvalidAnswer {
    /// What is wrong and where.
    pub message: String,
    /// It meant to restrict.
    pub restricts: bool,
}

#[napi]
impl NativeClient {
    /// The hooks that an agent is offered.
    #[napi(catch_unwind)]
    pub fn offers(&self) -> NativeOffers {
        let hooks = self.registry().list();
        let own = hooks.iter().filter(|hook| hook.enabled && hook.worker.is_none());
        let (mut offers, mut refused) = (Vec::new(), Vec::new());
        for hook in own {
            match offer(hook) {
                Ok(message) => offers.push(message),
                Err(why) => refused.push(why),
            }
        }
        NativeOffers { offers: json!(offers).to_string(), refused }
    }

    /// The hook that an agent calls with an event at a depth; throws where it must not run.
    #[napi(catch_unwind)]
    pub fn offered_hook(&self, id: String, depth: u32) -> Result<Option<NativeOfferedHook>, CodedError> {
        check_depth(depth).map_err(|error| coded(&error))?;
        let entry = hook_id(&id).ok().and_then(|id| self.registry().entry(id));
        Ok(entry.map(|entry| NativeOfferedHook {
            number: entry.handler().number,
            event: entry.event().name().to_owned(),
            has_tool_use_id: has_tool_use_id(entry.event()),
        }))
    }

    /// What is wrong with an answer to an event; absent where it can be read.
    #[napi(catch_unwind)]
    pub fn check_answer(
        &self,
        env: Env,
        event: String,
        answer: Unknown<'_>,
    ) -> Result<Option<NativeInvalidAnswer>, CodedError> {
        let event = self.registry().resolve(&event).map_err(|error| coded(&error))?;
        let values = Values::none(&env).map_err(from_napi)?;
        Ok(match answer::read(&values, &event, &answer) {
            Reading::Nothing | Reading::Answer(_) => None,
            Reading::Invalid(invalid) => {
                Some(NativeInvalidAnswer { message: invalid.message, restricts: invalid.meant_to_restrict })
            }
        })
    }
}
