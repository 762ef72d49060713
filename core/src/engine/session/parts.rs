//! What a program brings to a session: who is asked, where messages go, tools and a model.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value};

use super::approvers::DenyAll;
use crate::engine::Outcome;
use crate::engine::handler::HookError;
use hookweave_host::session::{ApprovalRequest, Role};

/// Something under way.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A question to a person, with the very arguments that would be used.
#[derive(Debug, Clone, PartialEq)]
pub struct Approval {
    /// The conversation that asks.
    pub session_id: String,
    /// Its subagent that asks; `None` for the conversation itself.
    pub agent_id: Option<String>,
    /// The question; its texts are safe to be shown.
    pub request: ApprovalRequest,
    /// The arguments; null when it is not about a tool.
    pub args: Value,
}

impl Approval {
    /// How long the person has.
    #[must_use]
    pub const fn timeout(&self) -> Duration {
        Duration::from_millis(self.request.timeout_ms)
    }
}

/// Who is asked.
pub trait Approver: Send + Sync {
    /// Asks; gives one of the options. Anything else denies, and so does an error.
    fn approve<'a>(&'a self, approval: &'a Approval) -> BoxFuture<'a, Result<String, HookError>>;
}

impl<C, F> Approver for C
where
    C: Fn(Approval) -> F + Send + Sync,
    F: Future<Output = Result<String, HookError>> + Send + 'static,
{
    fn approve<'a>(&'a self, approval: &'a Approval) -> BoxFuture<'a, Result<String, HookError>> {
        Box::pin(self(approval.clone()))
    }
}

/// A message of the conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextMessage {
    /// Who says it.
    pub role: Role,
    /// What is said: text, a response, or a tool's result.
    pub content: Value,
    /// Where it comes from: `source`, and for what hooks say `hook_name`, `event` and `timestamp`.
    pub metadata: Map<String, Value>,
}

/// Where the conversation is kept.
pub trait Context: Send + Sync {
    /// Takes a message in; an error is shown to the user and stops nothing.
    fn add_message(&self, message: ContextMessage) -> Result<(), HookError>;

    /// The conversation, for the model.
    fn messages(&self) -> Vec<ContextMessage>;

    /// Takes a shorter conversation in its place; a context that cannot refuses, and is never made shorter.
    fn replace_messages(&self, messages: Vec<ContextMessage>) -> Result<(), HookError> {
        drop(messages);
        Err("this context has no `replace_messages`".into())
    }
}

/// A conversation in memory.
#[derive(Debug, Default)]
pub struct Messages {
    messages: Mutex<Vec<ContextMessage>>,
}

impl Messages {
    fn lock(&self) -> MutexGuard<'_, Vec<ContextMessage>> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Context for Messages {
    fn add_message(&self, message: ContextMessage) -> Result<(), HookError> {
        self.lock().push(message);
        Ok(())
    }

    fn messages(&self) -> Vec<ContextMessage> {
        self.lock().clone()
    }

    fn replace_messages(&self, messages: Vec<ContextMessage>) -> Result<(), HookError> {
        *self.lock() = messages;
        Ok(())
    }
}

/// Where the user reads.
pub trait Display: Send + Sync {
    /// Shows a text; the level is `info`, `warning` or `error`, the source a hook's name or `hookweave`.
    fn show_message(&self, text: &str, level: &str, source: &str);
}

/// Shows messages in the log.
#[derive(Debug, Clone, Copy, Default)]
pub struct LogDisplay;

impl Display for LogDisplay {
    fn show_message(&self, text: &str, level: &str, source: &str) {
        match level {
            "error" => tracing::error!(source, "{text}"),
            "warning" => tracing::warn!(source, "{text}"),
            _ => tracing::info!(source, "{text}"),
        }
    }
}

/// What a tool receives beside its arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolContext {
    /// The session's id.
    pub session_id: String,
    /// The call's id.
    pub tool_use_id: String,
    /// Variables that hooks left.
    pub env: Map<String, Value>,
}

/// What a tool gives.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// What it found or did.
    pub output: Value,
    /// Whether it did what it should.
    pub success: bool,
    /// The exit code of its command, when it has one.
    pub exit_code: Option<i64>,
}

impl<V: Into<Value>> From<V> for ToolResult {
    fn from(output: V) -> Self {
        Self { output: output.into(), success: true, exit_code: None }
    }
}

/// Something that an agent can do.
pub trait Tool: Send + Sync {
    /// Does it; an error is a failed run.
    fn run(&self, args: Value, context: ToolContext) -> BoxFuture<'_, Result<ToolResult, HookError>>;
}

struct ClosureTool<C>(C);

impl<C, F, R> Tool for ClosureTool<C>
where
    C: Fn(Value) -> F + Send + Sync,
    F: Future<Output = Result<R, HookError>> + Send + 'static,
    R: Into<ToolResult>,
{
    fn run(&self, args: Value, _: ToolContext) -> BoxFuture<'_, Result<ToolResult, HookError>> {
        let running = (self.0)(args);
        Box::pin(async move { running.await.map(Into::into) })
    }
}

/// A tool of a closure over its arguments.
pub(crate) fn closure_tool<F, R>(run: impl Fn(Value) -> F + Send + Sync + 'static) -> impl Tool + 'static
where
    F: Future<Output = Result<R, HookError>> + Send + 'static,
    R: Into<ToolResult> + 'static,
{
    ClosureTool(run)
}

/// What the model is given.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    /// What the user asked for.
    pub prompt: String,
    /// The instructions.
    pub system_prompt: Option<String>,
    /// The names of the tools that it may call.
    pub tools: Vec<Value>,
    /// The conversation; at its end what hooks added for this call only.
    pub messages: Vec<ContextMessage>,
}

/// A tool that the model calls.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolUse {
    /// The call's id, when the model gave one.
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// The arguments.
    pub args: Value,
}

/// What the model answers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelResponse {
    /// Its text.
    pub text: String,
    /// The tools that it calls, in order.
    pub tool_calls: Vec<ToolUse>,
    /// What it cost; `total_tokens` is read.
    pub usage: Value,
}

/// The host's model.
pub trait Model: Send + Sync {
    /// Answers; an error raises `GenerateError`.
    fn respond(&self, request: ModelRequest) -> BoxFuture<'_, Result<ModelResponse, HookError>>;
}

impl<C, F> Model for C
where
    C: Fn(ModelRequest) -> F + Send + Sync,
    F: Future<Output = Result<ModelResponse, HookError>> + Send + 'static,
{
    fn respond(&self, request: ModelRequest) -> BoxFuture<'_, Result<ModelResponse, HookError>> {
        Box::pin(self(request))
    }
}

/// What a session was given.
pub(crate) struct Parts {
    pub(super) approver: Arc<dyn Approver>,
    pub(super) context: Arc<dyn Context>,
    pub(super) display: Arc<dyn Display>,
    pub(super) observer: Option<Observer>,
}

/// The callback for the outcome of every event of a session.
pub(super) type Observer = Arc<dyn Fn(&Outcome) + Send + Sync>;

impl Default for Parts {
    fn default() -> Self {
        Self {
            approver: Arc::new(DenyAll),
            context: Arc::new(Messages::default()),
            display: Arc::new(LogDisplay),
            observer: None,
        }
    }
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").finish_non_exhaustive()
    }
}
