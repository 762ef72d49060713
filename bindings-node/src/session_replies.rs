//! What the TypeScript layer reports to a session's flow: the result of an effect, which gives the next effect.

use hookweave_host::json::from_json;
use hookweave_host::session::{Answer, Called, Reply, Requested, Speaker, read_answer};
use napi::Env;
use napi::bindgen_prelude::{Object, Unknown};
use napi_derive::napi;
use serde_json::{Map, Value};

use crate::dispatch::NativeDispatch;
use crate::errors::{CodedError, from_napi};
use crate::session::NativeSession;
use crate::values::Values;

/// A tool call of the model's.
#[napi(object, object_to_js = false)]
pub struct NativeToolCall {
    /// The tool's name.
    pub tool: String,
    /// The call's id, when the model gave one.
    pub id: Option<String>,
    /// The number of its arguments.
    pub args: u32,
    /// Whether the client has such a tool.
    pub known: bool,
}

/// The speaker of a message of the context.
#[napi(object)]
pub struct NativeSpeaker {
    /// `system`, `user`, `assistant`, `tool`.
    pub role: String,
    /// A compaction keeps it.
    pub pinned: bool,
}

#[napi]
impl NativeSession {
    /// Begins a flow.
    #[napi(catch_unwind)]
    pub fn begin(&self, flow: u32) -> String {
        self.flows.step(flow, Reply::Begin)
    }

    /// The effect is done.
    #[napi(catch_unwind)]
    pub fn done(&self, flow: u32) -> String {
        self.flows.step(flow, Reply::Done)
    }

    /// The effect failed.
    #[napi(catch_unwind)]
    pub fn failed(&self, flow: u32, why: String) -> String {
        self.flows.step(flow, Reply::Failed { why })
    }

    /// Every hook was a no-op.
    #[napi(catch_unwind)]
    pub fn no_op_dispatched(&self, flow: u32) -> String {
        self.flows.step(flow, Reply::Dispatched { verdict: None, value: None, json: Map::new() })
    }

    /// The outcome of a dispatch, the number of the wanted value, and the other wanted fields as the JSON text of an object.
    #[napi(catch_unwind)]
    pub fn dispatched(
        &self,
        flow: u32,
        env: Env,
        dispatch: &NativeDispatch,
        values: Object<'_>,
        value: Option<u32>,
        fields: String,
    ) -> Result<String, CodedError> {
        let verdict = dispatch.verdict(self.machine(), &Values::new(&env, values).map_err(from_napi)?)?;
        let Ok(Value::Object(json)) = from_json(&fields) else {
            return Err(CodedError::new("payload_not_json".to_owned(), "what hooks changed has no JSON form"));
        };
        Ok(self.flows.step(flow, Reply::Dispatched { verdict: Some(Box::new(verdict)), value, json }))
    }

    /// A copy of a value, its JSON text when it has one, and its text for people when it has no JSON form.
    #[napi(catch_unwind)]
    pub fn frozen(&self, flow: u32, value: u32, text: Option<String>, shown: Option<String>) -> String {
        let shown = text.clone().or(shown);
        self.flows.step(flow, Reply::Frozen { value, text, shown })
    }

    /// What the approver has answered: an option, or an object of `option`, `reason` and `args`; `args` is the number of the
    /// latter.
    #[napi(catch_unwind)]
    pub fn chosen(&self, flow: u32, env: Env, answer: Unknown<'_>, args: Option<u32>) -> Result<String, CodedError> {
        let reply = match read_answer(&Values::none(&env).map_err(from_napi)?, &answer) {
            Ok(read) => Reply::Chosen(Answer { option: read.option, reason: read.reason, args: read.args.and(args) }),
            Err(error) => Reply::Failed { why: error.message().to_owned() },
        };
        Ok(self.flows.step(flow, reply))
    }

    /// The session has no approver, so nobody was asked.
    #[napi(catch_unwind)]
    pub fn no_approver(&self, flow: u32) -> String {
        self.flows.step(flow, Reply::NoApprover)
    }

    /// The session's approver allows or denies everything, so nobody was asked.
    #[napi(catch_unwind)]
    pub fn not_asked(&self, flow: u32, allows: bool) -> String {
        self.flows.step(flow, Reply::NotAsked { allows })
    }

    /// The question has timed out.
    #[napi(catch_unwind)]
    pub fn timed_out(&self, flow: u32) -> String {
        self.flows.step(flow, Reply::TimedOut)
    }

    /// The question is answered later.
    #[napi(catch_unwind)]
    pub fn suspended(&self, flow: u32) -> String {
        self.flows.step(flow, Reply::Suspended)
    }

    /// The host's control flow has left the tool: the call counts as not begun.
    #[napi(catch_unwind)]
    pub fn dropped(&self, flow: u32) -> String {
        self.flows.step(flow, Reply::Dropped)
    }

    /// A tool has run.
    #[napi(catch_unwind)]
    pub fn ran(&self, flow: u32, result: u32, error: Option<String>, duration: f64) -> String {
        self.flows.step(flow, Reply::Ran(Called { result, error, duration }))
    }

    /// The model has responded; `usage` is JSON text.
    #[napi(catch_unwind)]
    pub fn responded(
        &self,
        flow: u32,
        response: u32,
        text: String,
        calls: Vec<NativeToolCall>,
        usage: String,
    ) -> String {
        let calls =
            calls.into_iter().map(|NativeToolCall { tool, id, args, known }| Requested { tool, id, args, known });
        let usage = from_json(&usage).unwrap_or_default();
        self.flows.step(flow, Reply::Responded { response, text, calls: calls.collect(), usage })
    }

    /// The conversation as it is: the number of the list that hooks see, and the speaker of each message.
    #[napi(catch_unwind)]
    pub fn context(&self, flow: u32, messages: u32, speakers: Vec<NativeSpeaker>) -> String {
        let speakers = speakers.into_iter().map(|NativeSpeaker { role, pinned }| Speaker { role, pinned }).collect();
        self.flows.step(flow, Reply::Context { messages, speakers })
    }

    /// A text.
    #[napi(catch_unwind)]
    pub fn text(&self, flow: u32, text: String) -> String {
        self.flows.step(flow, Reply::Text { text })
    }

    /// Drops a flow; no effect on one that has ended.
    #[napi(catch_unwind)]
    pub fn release(&self, flow: u32) {
        self.flows.remove(flow);
    }
}
