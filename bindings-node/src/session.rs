//! Sessions as JavaScript sees them: every method begins a flow, whose steps the TypeScript layer carries out.

use std::sync::Arc;

use hookweave::host::{Host as _, from_json};
use hookweave::session::{Permission, Session, ToolCall};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde_json::{Map, Value};

use crate::error::{Refusal, broken, refuse};
use crate::flow::NativeFlow;
use crate::hooks::NativeHooks;
use crate::host::Values;

/// One conversation, or a subagent within it.
#[napi]
pub struct NativeSession {
    session: Arc<Session>,
}

#[napi]
impl NativeSession {
    /// With a session's settings, under the profile of a client.
    #[napi(constructor)]
    pub fn new(env: Env, hooks: &NativeHooks, settings: Unknown<'_>) -> Result<Self, Refusal> {
        let values = Values::none(&env).map_err(broken)?;
        let slot = values.keep(&settings);
        let profile = hooks.registry().snapshot().options().profile;
        let session = Session::read(&values, &values.view(&slot), profile).map_err(|error| refuse(&error))?;
        Ok(Self { session })
    }

    /// A subagent of it.
    #[must_use]
    #[napi]
    pub fn subagent(&self, kind: String, id: Option<String>) -> Self {
        Self { session: self.session.subagent(kind, id) }
    }

    /// The conversation's id.
    #[napi(getter)]
    pub fn id(&self) -> String {
        self.session.id().to_owned()
    }

    /// The subagent's id.
    #[napi(getter)]
    pub fn agent_id(&self) -> Option<String> {
        self.session.agent_id().map(str::to_owned)
    }

    /// The working directory that events carry.
    #[napi(getter)]
    pub fn cwd(&self) -> Option<String> {
        self.session.settings().cwd.clone()
    }

    /// Whether it matters that a hook has run and said nothing.
    #[napi(getter)]
    pub fn hears_silence(&self) -> bool {
        self.session.settings().profile.silence_grants
    }

    /// The environment that hooks left, as JSON text.
    #[napi]
    pub fn env(&self) -> String {
        Value::Object(self.session.env()).to_string()
    }

    /// Adds a rule for tools.
    #[napi]
    pub fn permit(&self, tools: String, permission: String) -> Result<(), Refusal> {
        let permitted = Permission::named(&permission).and_then(|permission| self.session.permit(&tools, permission));
        permitted.map_err(|error| refuse(&error))
    }

    /// The session begins.
    #[napi]
    pub fn start(&self, source: String) -> NativeFlow {
        self.session.start(source).into()
    }

    /// The session ends.
    #[napi]
    pub fn end(&self, reason: String) -> NativeFlow {
        self.session.end(reason).into()
    }

    /// Takes a prompt in.
    #[napi]
    pub fn submit_prompt(&self, prompt: String) -> NativeFlow {
        self.session.submit_prompt(prompt).into()
    }

    /// Makes a tool call; `args` is the number of the value.
    #[napi]
    pub fn run_tool(&self, tool: String, args: u32, tool_use_id: Option<String>) -> NativeFlow {
        self.session.run_tool(ToolCall { tool, args, tool_use_id }).into()
    }

    /// Answers a prompt with a model and tools.
    #[napi]
    pub fn generate(&self, prompt: String, tools: Vec<String>) -> NativeFlow {
        self.session.generate(prompt, tools.into_iter().map(Value::from).collect()).into()
    }

    /// Makes the context shorter.
    #[napi]
    pub fn compact(&self, trigger: String, custom_instructions: Option<String>) -> NativeFlow {
        self.session.compact(trigger, custom_instructions).into()
    }

    /// Says how many tokens the context holds.
    #[napi]
    pub fn note_usage(&self, tokens: f64) -> NativeFlow {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "what is no count is clamped to one"
        )]
        let tokens = tokens as u64;
        self.session.note_usage(tokens).into()
    }

    /// Something that the user should know.
    #[napi]
    pub fn notify(&self, message: String, title: Option<String>, kind: Option<String>) -> NativeFlow {
        self.session.notify(&message, title.as_deref(), kind.as_deref()).into()
    }

    /// A line about the agent's state, from an object as JSON text.
    #[napi]
    pub fn status_line(&self, fields: String) -> Result<NativeFlow, Refusal> {
        Ok(self.session.status_line(object(&fields)?).into())
    }

    /// Files that fit what was typed, from a list as JSON text.
    #[napi]
    pub fn file_suggestions(&self, query: String, suggestions: String) -> Result<NativeFlow, Refusal> {
        let Value::Array(suggestions) = read(&suggestions)? else {
            return Err(Refusal::new("invalid_payload".to_owned(), "suggestions are a list"));
        };
        Ok(self.session.file_suggestions(&query, &suggestions).into())
    }

    /// The agent has done its work; the details are an object as JSON text.
    #[napi]
    pub fn stop(&self, details: String) -> Result<NativeFlow, Refusal> {
        Ok(self.session.stop(Value::Object(object(&details)?)).into())
    }

    /// The agent has ended with an error.
    #[napi]
    pub fn stop_failure(&self, error: String) -> NativeFlow {
        self.session.stop_failure(error).into()
    }

    /// This subagent begins.
    #[napi]
    pub fn start_subagent(&self) -> NativeFlow {
        self.session.start_subagent().into()
    }

    /// This subagent has done its work.
    #[napi]
    pub fn stop_subagent(&self) -> NativeFlow {
        self.session.stop_subagent().into()
    }
}

fn read(text: &str) -> Result<Value, Refusal> {
    from_json(text).map_err(|why| Refusal::new("payload_not_json".to_owned(), why.to_string()))
}

fn object(text: &str) -> Result<Map<String, Value>, Refusal> {
    match read(text)? {
        Value::Object(object) => Ok(object),
        _ => Err(Refusal::new("invalid_payload".to_owned(), "details are an object")),
    }
}
