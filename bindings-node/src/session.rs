//! Sessions: a method begins a flow and gives its number; the TypeScript layer carries out its effects.

use std::sync::Arc;

use hookweave_host::json::from_json;
use hookweave_host::payload::Host as _;
use hookweave_host::session::{Answer, Answers, Client, ModelPrompt, Permission, Session, ToolRequest, read_answer};
use napi::Env;
use napi::bindgen_prelude::{Object, Unknown};
use napi_derive::napi;
use serde_json::{Map, Value};

use crate::client::NativeClient;
use crate::dispatch::NativeDispatch;
use crate::errors::{CodedError, coded, from_napi};
use crate::session_flow::Flows;
use crate::values::Values;

/// One conversation, or a subagent within it.
#[napi]
pub struct NativeSession {
    session: Arc<Session>,
    pub(crate) flows: Flows,
}

#[napi]
impl NativeSession {
    /// With a session's settings, under the profile of a client, and the names of those that the TypeScript layer reads.
    #[napi(constructor, catch_unwind)]
    pub fn new(
        env: Env,
        client: &NativeClient,
        settings: Unknown<'_>,
        of_driver: Vec<String>,
    ) -> Result<Self, CodedError> {
        client.registry().check_open("open sessions").map_err(|error| coded(&error))?;
        let values = Values::none(&env).map_err(from_napi)?;
        let slot = values.keep(&settings);
        let profile = Client::of(client.registry());
        let of_driver: Vec<&str> = of_driver.iter().map(String::as_str).collect();
        let session =
            Session::read(&values, &values.view(&slot), profile, &of_driver).map_err(|error| coded(&error))?;
        client.runtime().open(&session).map_err(|error| coded(&error))?;
        Ok(Self { session, flows: Flows::default() })
    }

    /// Applies the environment variables of an outcome whose event the host raised itself.
    #[napi(catch_unwind)]
    pub fn apply_env(&self, env: Env, dispatch: &NativeDispatch, values: Object<'_>) -> Result<(), CodedError> {
        dispatch.apply_env(&self.session, &Values::new(&env, values).map_err(from_napi)?)
    }

    /// A subagent of it.
    #[must_use]
    #[napi(catch_unwind)]
    pub fn subagent(&self, kind: String, id: Option<String>) -> Self {
        Self { session: self.session.subagent(kind, id), flows: Flows::default() }
    }

    /// The conversation's id.
    #[napi(getter, catch_unwind)]
    pub fn id(&self) -> String {
        self.session.id().to_owned()
    }

    /// The subagent's id.
    #[napi(getter, catch_unwind)]
    pub fn agent_id(&self) -> Option<String> {
        self.session.agent_id().map(str::to_owned)
    }

    /// The subagent's kind.
    #[napi(getter, catch_unwind)]
    pub fn agent_type(&self) -> Option<String> {
        self.session.agent_type().map(str::to_owned)
    }

    /// The working directory that events carry.
    #[napi(getter, catch_unwind)]
    pub fn cwd(&self) -> Option<String> {
        self.session.cwd()
    }

    /// Whether outcomes of dispatches in which every hook was a no-op are needed.
    #[napi(getter, catch_unwind)]
    pub fn needs_no_op_outcomes(&self) -> bool {
        self.session.wants_no_op_outcomes()
    }

    /// The environment that hooks left, as JSON text.
    #[napi(catch_unwind)]
    pub fn env(&self) -> String {
        Value::Object(self.session.env()).to_string()
    }

    /// Adds a rule for tools.
    #[napi(catch_unwind)]
    pub fn permit(&self, tools: String, permission: String) -> Result<(), CodedError> {
        let permitted = Permission::named(&permission).and_then(|permission| self.session.permit(&tools, permission));
        permitted.map_err(|error| coded(&error))
    }

    /// The session begins.
    #[napi(catch_unwind)]
    pub fn start(&self, source: String) -> u32 {
        self.flows.add(self.session.start(source))
    }

    /// The session ends.
    #[napi(catch_unwind)]
    pub fn end(&self, reason: String) -> u32 {
        self.flows.add(self.session.end(reason))
    }

    /// Takes a prompt in.
    #[napi(catch_unwind)]
    pub fn submit_prompt(&self, prompt: String) -> u32 {
        self.flows.add(self.session.submit_prompt(prompt))
    }

    /// Makes a tool call; `args` is the number of the value.
    #[napi(catch_unwind)]
    pub fn run_tool(&self, tool: String, args: u32, tool_use_id: String) -> u32 {
        let call = ToolRequest { tool, args, tool_use_id: Some(tool_use_id), answers: Some(Vec::new()) };
        self.flows.add(self.session.run_tool(call))
    }

    /// The same of a call that was suspended: the ids of questions, what was answered to each, and the numbers of the
    /// arguments in the answers.
    #[napi(catch_unwind)]
    #[allow(clippy::too_many_arguments, reason = "an object for them would be made for every call")]
    pub fn run_tool_answered(
        &self,
        env: Env,
        tool: String,
        args: u32,
        tool_use_id: String,
        ids: Vec<String>,
        answers: Vec<Unknown<'_>>,
        edited: Vec<Option<u32>>,
    ) -> Result<u32, CodedError> {
        let values = Values::none(&env).map_err(from_napi)?;
        let read = |((id, answer), edited): ((String, Unknown<'_>), Option<u32>)| {
            let read = read_answer(&values, &answer).map_err(|error| coded(&error))?;
            Ok((id, Answer { option: read.option, reason: read.reason, args: read.args.and(edited) }))
        };
        let answers = ids.into_iter().zip(answers).zip(edited).map(read).collect::<Result<Answers, CodedError>>()?;
        let call = ToolRequest { tool, args, tool_use_id: Some(tool_use_id), answers: Some(answers) };
        Ok(self.flows.add(self.session.run_tool(call)))
    }

    /// Makes a call of the model; `tools` is JSON text.
    #[napi(catch_unwind)]
    pub fn call_model(&self, prompt: String, system_prompt: Option<String>, tools: String) -> Result<u32, CodedError> {
        let Value::Array(tools) = read(&tools)? else {
            return Err(CodedError::new("invalid_payload".to_owned(), "tools are a list"));
        };
        Ok(self.flows.add(self.session.call_model(ModelPrompt { prompt, system_prompt, tools })))
    }

    /// Answers a prompt with a model and tools.
    #[napi(catch_unwind)]
    pub fn generate(&self, prompt: String, tools: Vec<String>) -> u32 {
        self.flows.add(self.session.generate(prompt, tools.into_iter().map(Value::from).collect()))
    }

    /// Makes the context shorter.
    #[napi(catch_unwind)]
    pub fn compact(&self, trigger: String, custom_instructions: Option<String>) -> u32 {
        self.flows.add(self.session.compact(trigger, custom_instructions))
    }

    /// The context holds so many tokens.
    #[napi(catch_unwind)]
    pub fn note_usage(&self, tokens: f64) -> u32 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "what is no count is clamped to one"
        )]
        let tokens = tokens as u64;
        self.flows.add(self.session.note_usage(tokens))
    }

    /// Something that the user should know.
    #[napi(catch_unwind)]
    pub fn notify(&self, message: String, title: Option<String>, kind: Option<String>) -> u32 {
        self.flows.add(self.session.notify(&message, title.as_deref(), kind.as_deref()))
    }

    /// A line about the agent's state, from an object as JSON text.
    #[napi(catch_unwind)]
    pub fn status_line(&self, fields: String) -> Result<u32, CodedError> {
        Ok(self.flows.add(self.session.status_line(object(&fields)?)))
    }

    /// Files that fit what was typed, from a list as JSON text.
    #[napi(catch_unwind)]
    pub fn file_suggestions(&self, query: String, suggestions: String) -> Result<u32, CodedError> {
        let Value::Array(suggestions) = read(&suggestions)? else {
            return Err(CodedError::new("invalid_payload".to_owned(), "suggestions are a list"));
        };
        Ok(self.flows.add(self.session.file_suggestions(&query, &suggestions)))
    }

    /// The agent has done its work; the details are an object as JSON text.
    #[napi(catch_unwind)]
    pub fn stop(&self, details: String) -> Result<u32, CodedError> {
        Ok(self.flows.add(self.session.stop(Value::Object(object(&details)?))))
    }

    /// The agent has ended with an error.
    #[napi(catch_unwind)]
    pub fn stop_failure(&self, error: String) -> u32 {
        self.flows.add(self.session.stop_failure(error))
    }

    /// This subagent begins.
    #[napi(catch_unwind)]
    pub fn start_subagent(&self) -> u32 {
        self.flows.add(self.session.start_subagent())
    }

    /// This subagent has done its work.
    #[napi(catch_unwind)]
    pub fn stop_subagent(&self) -> u32 {
        self.flows.add(self.session.stop_subagent())
    }
}

fn read(text: &str) -> Result<Value, CodedError> {
    from_json(text).map_err(|why| CodedError::new("payload_not_json".to_owned(), why.to_string()))
}

fn object(text: &str) -> Result<Map<String, Value>, CodedError> {
    match read(text)? {
        Value::Object(object) => Ok(object),
        _ => Err(CodedError::new("invalid_payload".to_owned(), "details are an object")),
    }
}

impl NativeSession {
    /// The session as the core has it.
    pub(crate) const fn machine(&self) -> &Arc<Session> {
        &self.session
    }
}
