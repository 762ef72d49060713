//! Commands, webhooks and hosted questions as JavaScript sees them.
//!
//! A hook runs on a thread of the core and comes back through one weak threadsafe function per client, which keeps no
//! process alive and is silent once the environment is gone.

use std::sync::{Arc, OnceLock};

use hookweave::dialects::{self, Exited};
use hookweave::event::Catalogue;
use hookweave::host::{
    EventSpec, Failure, FailureKind, Invocation, NativeHook, Said, TraceContext, from_json, large_integer,
};
use napi::Status;
use napi::bindgen_prelude::{FnArgs, Function};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;
use serde_json::{Map, Value, json};

use crate::error::{Refusal, refuse};

/// What a hook said: its number in the waiting list, and a JSON text.
pub(crate) type Letter = FnArgs<(u32, String)>;

/// Where hooks leave what they said.
pub(crate) type Mailbox = ThreadsafeFunction<Letter, (), Letter, Status, false, true>;

/// Makes a client's mailbox of the function that is called with each letter.
pub(crate) fn mailbox(deliver: Function<'_, Letter, ()>) -> napi::Result<Arc<Mailbox>> {
    let mailbox = deliver.build_threadsafe_function().callee_handled::<false>().weak::<true>().build()?;
    Ok(Arc::new(mailbox))
}

/// A hook from a file, as the driver runs it.
#[napi]
pub struct Native {
    hook: Arc<NativeHook>,
    event: Arc<EventSpec>,
    mailbox: Arc<Mailbox>,
}

impl Native {
    pub(crate) const fn new(hook: Arc<NativeHook>, event: Arc<EventSpec>, mailbox: Arc<Mailbox>) -> Self {
        Self { hook, event, mailbox }
    }

    fn invocation(&self, event: &str, depth: u32) -> Result<Invocation, Refusal> {
        let Value::Object(payload) = from_json(event).map_err(unreadable)? else {
            return Err(Refusal::new("payload_not_json".to_owned(), "an event is an object"));
        };
        Ok(self.hook.invocation(&self.event, payload, depth))
    }
}

#[napi]
impl Native {
    /// Whether the host runs it, through `setJudge` or `setToolCaller`.
    #[napi(getter, catch_unwind)]
    pub fn hosted(&self) -> bool {
        self.hook.is_hosted()
    }

    /// Whether the host has to call a tool, rather than to ask a model.
    #[napi(getter, catch_unwind)]
    pub fn wants_tool(&self) -> bool {
        self.hook.wants_tool()
    }

    /// Whether what it answers when nobody waits for it is to wake the model.
    #[napi(getter, catch_unwind)]
    pub fn wakes(&self) -> bool {
        self.hook.declared().wakes
    }

    /// Starts the hook on an event's canonical JSON text, at a place of a distributed trace; what it said comes to the mailbox
    /// under the ticket.
    #[napi(catch_unwind)]
    pub fn start(
        &self,
        event: String,
        depth: u32,
        ticket: u32,
        trace_parent: Option<String>,
        trace_state: Option<String>,
    ) -> Result<Option<NativeJob>, Refusal> {
        let mailbox = Arc::clone(&self.mailbox);
        let trace = trace_parent.and_then(|parent| TraceContext::parse(&parent, trace_state.as_deref()));
        let job = self.hook.start_in(trace, self.invocation(&event, depth)?, move |said| {
            // A closed mailbox belongs to an environment that is gone, and so is whoever waited.
            mailbox.call(FnArgs::from((ticket, letter(said))), ThreadsafeFunctionCallMode::NonBlocking);
        });
        Ok(job.map(NativeJob))
    }

    /// What the host is asked, as JSON text.
    #[napi(catch_unwind)]
    pub fn question(&self, event: String, depth: u32) -> Result<Option<String>, Refusal> {
        let question = self.hook.question(&self.invocation(&event, depth)?);
        Ok(question.map(|question| question.to_json().to_string()))
    }

    /// What the host's answer means; both are JSON texts.
    #[napi(catch_unwind)]
    pub fn answered(&self, event: String, depth: u32, answer: String) -> Result<String, Refusal> {
        let answer = from_json(&answer).map_err(unreadable)?;
        Ok(letter(self.hook.answered(&self.invocation(&event, depth)?, &answer)))
    }

    /// What it means that the host has set nobody to answer.
    #[napi(catch_unwind)]
    pub fn unanswered(&self, event: String, depth: u32) -> Result<String, Refusal> {
        Ok(letter(self.hook.unanswered(&self.invocation(&event, depth)?)))
    }

    /// What it means that whoever was asked threw something.
    #[napi(catch_unwind)]
    pub fn broken(&self, event: String, depth: u32, message: String) -> Result<String, Refusal> {
        let failure = Failure::new(FailureKind::Raised, message);
        Ok(letter(self.hook.broken(&self.invocation(&event, depth)?, failure)))
    }

    /// What it means that whoever was asked has used up the hook's time.
    #[napi(catch_unwind)]
    pub fn late(&self, event: String, depth: u32) -> Result<String, Refusal> {
        Ok(letter(self.hook.late(&self.invocation(&event, depth)?)))
    }
}

/// A hook that runs or waits for its turn.
#[napi]
pub struct NativeJob(hookweave::host::Job);

#[napi]
impl NativeJob {
    /// Kills the hook's processes, or drops its connection.
    #[napi(catch_unwind)]
    pub fn cancel(&self) {
        self.0.cancel();
    }
}

fn unreadable(error: serde_json::Error) -> Refusal {
    Refusal::new("payload_not_json".to_owned(), error.to_string())
}

/// Integers that a number of JavaScript's does not hold exactly: their places and their digits.
pub(crate) fn large_integers(value: &Value) -> Vec<(Vec<Value>, String)> {
    const EXACT: u64 = 1 << 53;
    let mut found = Vec::new();
    let mut open = vec![(Vec::new(), value)];
    while let Some((place, value)) = open.pop() {
        let below = |step: Value| {
            let mut place = place.clone();
            place.push(step);
            place
        };
        match value {
            Value::Number(number) => {
                let size = number.as_i64().map(i64::unsigned_abs).or_else(|| number.as_u64());
                if size.is_some_and(|size| size > EXACT) {
                    found.push((place, number.to_string()));
                } else if let Some(digits) = large_integer(number) {
                    found.push((place, digits));
                }
            }
            Value::Array(items) => {
                open.extend(items.iter().enumerate().map(|(index, item)| (below(index.into()), item)));
            }
            Value::Object(fields) => {
                open.extend(fields.iter().map(|(name, item)| (below(name.as_str().into()), item)));
            }
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }
    found
}

/// What a hook of a dialect that is a function means by its answer, which is JSON text, as a letter.
#[napi(catch_unwind)]
pub fn dialect_answer(dialect: String, event: String, said: String) -> Result<String, Refusal> {
    static EVENTS: OnceLock<Catalogue> = OnceLock::new();
    let dialect = dialects::named(&dialect).map_err(|error| refuse(&error))?;
    let event = EVENTS.get_or_init(Catalogue::default).resolve(&event).map_err(|error| refuse(&error))?;
    let invocation = Invocation {
        declared_event: event.name().to_owned(),
        event,
        payload: Map::new(),
        tool: None,
        project_dir: None,
        empty_transcript: None,
        depth: 0,
    };
    let exited = Exited { code: Some(0), signal: None, stdout: said.into_bytes(), stderr: Vec::new() };
    Ok(letter(dialects::answer_of_command(dialect, &invocation, &exited)))
}

/// What a hook said: `{"answer": …}`, perhaps with `large`, `{"failed": {"kind", "message", "restricts"}}` or `{}`.
fn letter(said: Said<Value>) -> String {
    let letter = match said {
        Said::Nothing | Said::Detached => json!({}),
        Said::Answer(answer) => {
            let large = large_integers(&answer);
            if large.is_empty() { json!({"answer": answer}) } else { json!({"answer": answer, "large": large}) }
        }
        Said::Failed(Failure { kind, message, meant_to_restrict, .. }) => {
            json!({"failed": {"kind": kind.as_str(), "message": message, "restricts": meant_to_restrict}})
        }
    };
    letter.to_string()
}
