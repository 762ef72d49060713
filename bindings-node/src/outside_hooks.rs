//! Outside hooks: commands, webhooks and hosted questions.
//!
//! A hook runs on a thread of the core; its completion is delivered by one weak threadsafe function per client, which keeps
//! no process alive and does nothing once the environment is gone.

use std::sync::{Arc, OnceLock};

use hookweave_host::dialects::{self, CommandOutput, Invocation};
use hookweave_host::dispatch::{FailureKind, HandlerResult, HookFailure};
use hookweave_host::event::Catalogue;
use hookweave_host::event::EventSpec;
use hookweave_host::exec::outside::{Done, HookInput, HostedHook, OutsideHook};
use hookweave_host::exec::trace_context::TraceContext;
use hookweave_host::json::from_json;
use napi::Status;
use napi::bindgen_prelude::{FnArgs, Function};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;
use serde_json::{Map, Value, json};

use crate::errors::{CodedError, coded};
use crate::json::large_integers;

/// The end of a hook: the number of the wait for it, and its result as JSON text.
pub(crate) type Completion = FnArgs<(u32, String)>;

/// Delivers completions to JavaScript. Weak: it keeps no process alive.
pub(crate) type CompletionQueue = ThreadsafeFunction<Completion, (), Completion, Status, false, true>;

/// Makes a client's completion queue from the function that is called with each completion.
pub(crate) fn completion_queue(deliver: Function<'_, Completion, ()>) -> napi::Result<Arc<CompletionQueue>> {
    let completions = deliver.build_threadsafe_function().callee_handled::<false>().weak::<true>().build()?;
    Ok(Arc::new(completions))
}

/// An outside hook, as the TypeScript layer runs it.
#[napi]
pub struct NativeOutsideHook {
    hook: Arc<dyn OutsideHook>,
    event: Arc<EventSpec>,
    completions: Arc<CompletionQueue>,
}

impl NativeOutsideHook {
    pub(crate) const fn new(
        hook: Arc<dyn OutsideHook>,
        event: Arc<EventSpec>,
        completions: Arc<CompletionQueue>,
    ) -> Self {
        Self { hook, event, completions }
    }

    fn input(&self, event: &str, depth: u32) -> Result<HookInput, CodedError> {
        let Value::Object(payload) = from_json(event).map_err(unreadable)? else {
            return Err(CodedError::new("payload_not_json".to_owned(), "an event is an object"));
        };
        Ok(HookInput::new(Arc::clone(&self.event), payload, depth))
    }

    /// The hook as one that the host runs.
    fn hosted_hook(&self) -> Result<&dyn HostedHook, CodedError> {
        self.hook.hosted().ok_or_else(|| CodedError::new("invalid_hook".to_owned(), "this hook asks the host nothing"))
    }
}

#[napi]
impl NativeOutsideHook {
    /// Whether the host runs it, through `setJudge` or `setToolCaller`.
    #[napi(getter, catch_unwind)]
    pub fn hosted(&self) -> bool {
        self.hook.hosted().is_some()
    }

    /// Whether the host has to call a tool, rather than to ask a model.
    #[napi(getter, catch_unwind)]
    pub fn wants_tool(&self) -> bool {
        self.hook.wants_tool()
    }

    /// Whether a late answer of the detached hook wakes the model.
    #[napi(getter, catch_unwind)]
    pub fn wakes(&self) -> bool {
        self.hook.wakes()
    }

    /// Starts the hook with an event's canonical JSON text and the caller's trace context. The result arrives in the
    /// completion queue under `ticket`.
    #[napi(catch_unwind)]
    pub fn start(
        &self,
        event: String,
        depth: u32,
        ticket: u32,
        trace_parent: Option<String>,
        trace_state: Option<String>,
    ) -> Result<Option<NativeOutsideHookJob>, CodedError> {
        let completions = Arc::clone(&self.completions);
        let trace = trace_parent.and_then(|parent| TraceContext::parse(&parent, trace_state.as_deref()));
        let done = Done::new(move |result| {
            // A closed queue belongs to an environment that is gone, and so is the code that waited.
            completions.call(FnArgs::from((ticket, completion_text(result))), ThreadsafeFunctionCallMode::NonBlocking);
        });
        let input = HookInput { trace, ..self.input(&event, depth)? };
        let job = Arc::clone(&self.hook).start(input, done);
        Ok(job.map(NativeOutsideHookJob))
    }

    /// The question to the host, as JSON text.
    #[napi(catch_unwind)]
    pub fn question(&self, event: String, depth: u32) -> Result<Option<String>, CodedError> {
        let question = self.hosted_hook()?.question(&self.input(&event, depth)?);
        Ok(question.map(|question| question.to_json().to_string()))
    }

    /// The completion for the host's answer; both are JSON texts.
    #[napi(catch_unwind)]
    pub fn answered(&self, event: String, depth: u32, answer: String) -> Result<String, CodedError> {
        let answer = from_json(&answer).map_err(unreadable)?;
        Ok(completion_text(self.hosted_hook()?.answered(&self.input(&event, depth)?, &answer)))
    }

    /// The completion for an event that has no JSON form; absent where that is a failure.
    #[napi(getter, catch_unwind)]
    pub fn without_event(&self) -> Option<String> {
        self.hook.without_event().map(|answer| completion_text(HandlerResult::Answer(answer)))
    }

    /// The completion when the host has set no function to answer.
    #[napi(catch_unwind)]
    pub fn unanswered(&self, event: String, depth: u32) -> Result<String, CodedError> {
        Ok(completion_text(self.hook.unanswered(&self.input(&event, depth)?)))
    }

    /// The completion when the host's function threw.
    #[napi(catch_unwind)]
    pub fn broken(&self, event: String, depth: u32, message: String) -> Result<String, CodedError> {
        let failure = HookFailure::new(FailureKind::Raised, message);
        Ok(completion_text(self.hook.broken(&self.input(&event, depth)?, failure)))
    }

    /// The completion when the host's function did not answer before the timeout.
    #[napi(catch_unwind)]
    pub fn late(&self, event: String, depth: u32) -> Result<String, CodedError> {
        Ok(completion_text(self.hook.late(&self.input(&event, depth)?)))
    }
}

/// A hook that runs or is queued.
#[napi]
pub struct NativeOutsideHookJob(hookweave_host::exec::pool::Job);

#[napi]
impl NativeOutsideHookJob {
    /// Kills the hook's processes, or drops its connection.
    #[napi(catch_unwind)]
    pub fn cancel(&self) {
        self.0.cancel();
    }
}

fn unreadable(error: serde_json::Error) -> CodedError {
    CodedError::new("payload_not_json".to_owned(), error.to_string())
}

/// The meaning, as a completion, of the JSON text that a hook returned which is a function of a dialect.
#[napi(catch_unwind)]
pub fn dialect_answer(dialect: String, event: String, returned: String) -> Result<String, CodedError> {
    static EVENTS: OnceLock<Catalogue> = OnceLock::new();
    let dialect = dialects::named(&dialect).map_err(|error| coded(&error))?;
    let event = EVENTS.get_or_init(Catalogue::default).resolve(&event).map_err(|error| coded(&error))?;
    let invocation = Invocation {
        declared_event: event.name().to_owned(),
        event,
        payload: Map::new(),
        tool: None,
        project_dir: None,
        empty_transcript: None,
        depth: 0,
    };
    let exited = CommandOutput { code: Some(0), signal: None, stdout: returned.into_bytes(), stderr: Vec::new() };
    Ok(completion_text(dialects::answer_of_command(dialect, &invocation, &exited)))
}

/// The JSON text of a result: `{"answer": …}`, perhaps with `large`, `{"failed": {"kind", "message", "restricts"}}` or `{}`.
pub(crate) fn completion_text(result: HandlerResult<Value>) -> String {
    let completion = match result {
        HandlerResult::Nothing | HandlerResult::Detached => json!({}),
        HandlerResult::Answer(answer) => {
            let large = large_integers(&answer);
            if large.is_empty() { json!({"answer": answer}) } else { json!({"answer": answer, "large": large}) }
        }
        HandlerResult::Failed(HookFailure { kind, message, meant_to_restrict, .. }) => {
            json!({"failed": {"kind": kind.as_str(), "message": message, "restricts": meant_to_restrict}})
        }
    };
    completion.to_string()
}
