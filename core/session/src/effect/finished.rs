//! What flows end with.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::ValueId;

/// What a flow came to.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Finished {
    /// A tool call.
    Tool(Box<ToolRun>),
    /// A whole answer.
    Generation(Box<Generation>),
    /// One call of the model.
    Model(Box<ModelRun>),
    /// A tool call that counts as not begun: a question is answered later, or the host has left it.
    PutOff,
    /// Anything else.
    Json(Value),
}

impl Finished {
    /// As JSON.
    #[must_use]
    pub fn into_json(self) -> Value {
        match self {
            Self::Tool(run) => serde_json::to_value(run).unwrap_or_default(),
            Self::Generation(generation) => serde_json::to_value(generation).unwrap_or_default(),
            Self::Model(run) => serde_json::to_value(run).unwrap_or_default(),
            Self::PutOff => Value::Null,
            Self::Json(value) => value,
        }
    }
}

/// What came of a tool call.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ToolRun {
    /// The tool's name.
    pub tool: Arc<str>,
    /// The call's id.
    pub tool_use_id: Arc<str>,
    /// Whether the tool was run.
    pub ran: bool,
    /// Whether it ran to its end without failing.
    pub ok: bool,
    /// What was decided before it ran: `continue` or `allow` when it was let through, else `block`, `stop` or `deny`.
    pub decision: &'static str,
    /// Why it did not run.
    pub reason: Option<String>,
    /// Who decided that: a hook, `user`, `timeout` or `host`.
    pub by: Option<String>,
    /// The arguments that it ran with, or would have.
    pub args: ValueId,
    /// Its result, a record with `success` and `output`, as hooks left it; `None` if it did not run, and if hooks changed the
    /// error of a failed run.
    pub result: Option<ValueId>,
    /// Why it failed, as hooks left it.
    pub error: Option<String>,
    /// How often it was run.
    pub attempts: u32,
    /// What hooks object to in what it did, for the model.
    pub feedback: Vec<String>,
    /// What hooks sent to the model about it.
    pub injected: Vec<Injected>,
    /// A hook wants its own output kept out of the transcript.
    pub suppress_output: bool,
    /// A hook wants the agent to stop.
    pub stops: bool,
}

/// Context that a hook gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Injected {
    /// The hook's name.
    pub hook: String,
    /// The text.
    pub content: String,
    /// `system`, `user` or `assistant`.
    pub role: &'static str,
    /// For the next model call only.
    pub ephemeral: bool,
}

/// What came of a prompt that the model was to answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Generation {
    /// `done`, `blocked`, `stopped` (a hook stopped the agent), `failed`, or `limit` (the model was called too often).
    pub status: &'static str,
    /// The model's last text.
    pub text: String,
    /// Why it did not come to its end.
    pub reason: Option<String>,
    /// How often the model was called.
    pub model_calls: u32,
    /// The tool calls, in order.
    pub tools: Vec<ToolRun>,
    /// The model's last response.
    pub response: Option<ValueId>,
}

/// What came of a call of the model.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ModelRun {
    /// `done`, `blocked`, `stopped` (a hook stopped the agent) or `failed`.
    pub status: &'static str,
    /// Why the response is not to be used.
    pub reason: Option<String>,
    /// The text of the response, as hooks left it.
    pub text: String,
    /// The response, as hooks left it.
    pub response: Option<ValueId>,
    /// How often the model was called.
    pub attempts: u32,
}
