//! What a program brings to a session: who is asked, where messages go, tools and a model.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::engine::Outcome;
use crate::response::HookError;
use hookweave_host::error::{Code, Error};
use hookweave_host::exec::terminal::{PersonQuestion, TerminalQuestion};
use hookweave_host::json::Json;
use hookweave_host::met::CommandPart;
use hookweave_host::session::{self, Role};

/// Something under way.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A question to a person. Its texts are safe to be shown: what a screen would obey is written out.
///
/// Its JSON is the same in every language, so that a question may be stored by one process and answered by another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// By which it is decided: a digest of what is asked. The same question of the same call has it again in any process.
    pub id: String,
    /// The session that asks.
    pub session_id: String,
    /// Its subagent that asks; `None` for the session itself.
    pub agent_id: Option<String>,
    /// The event that waits for the answer.
    pub event: String,
    /// The tool; empty when the question is not about one.
    pub tool: String,
    /// The call's id; `None` when it is not about one.
    pub tool_use_id: Option<String>,
    /// The arguments that will be used; null when it is not about a tool.
    pub args: Value,
    /// What it is about as text: the arguments as JSON, or a prompt.
    pub shown: Option<String>,
    /// The command line of the call, in parts; empty when it has none.
    pub command: Vec<CommandPart>,
    /// The hook that asks; `None` when it is the host's own rule.
    pub hook: Option<String>,
    /// The condition for which it asks: of the hook's matcher, or the host's; `None` when there is none.
    pub why: Option<String>,
    /// The reason of the hook's answer, where it is not the question itself.
    pub reason: Option<String>,
    /// The question.
    pub prompt: String,
    /// What can be chosen.
    pub options: Vec<String>,
    /// Those of the options that allow.
    pub granting: Vec<String>,
    /// The time to answer; `timeout_ms` in JSON.
    #[serde(rename = "timeout_ms", with = "milliseconds")]
    pub timeout: Duration,
    /// What happens without an answer in time: `allow` or `deny`.
    pub default: String,
    /// How widely "Allow always" holds beyond the very same arguments: `tool` or `prompt`.
    pub remember: Option<String>,
    /// Whether "Allow always" holds in later sessions too.
    pub persistent: bool,
}

impl ApprovalRequest {
    /// The question of a session's own request.
    pub(super) fn of(session: &session::Session, asked: session::ApprovalRequest, args: Value) -> Self {
        Self {
            id: asked.id,
            session_id: session.id().to_owned(),
            agent_id: session.agent_id().map(str::to_owned),
            event: asked.event.into_owned(),
            tool: asked.tool,
            tool_use_id: asked.tool_use_id,
            args,
            shown: asked.shown,
            command: asked.command,
            hook: asked.hook,
            why: asked.why,
            reason: asked.reason,
            prompt: asked.prompt,
            options: asked.options,
            granting: asked.granting,
            timeout: Duration::from_millis(asked.timeout_ms),
            default: asked.default.to_owned(),
            remember: asked.remember.map(str::to_owned),
            persistent: asked.persistent,
        }
    }
}

impl From<&ApprovalRequest> for TerminalQuestion {
    fn from(request: &ApprovalRequest) -> Self {
        Self::new(PersonQuestion {
            event: request.event.clone(),
            tool: request.tool.clone(),
            agent: request.agent_id.clone(),
            shown: request.shown.clone(),
            command: request.command.clone(),
            hook: request.hook.clone(),
            why: request.why.clone(),
            reason: request.reason.clone(),
            prompt: request.prompt.clone(),
            options: request.options.clone(),
            granting: request.granting.clone(),
            silence_allows: request.default == "allow",
            remember: request.remember.clone(),
            persistent: request.persistent,
        })
    }
}

/// A time in JSON: whole milliseconds.
mod milliseconds {
    use std::time::Duration;

    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_millis)
    }
}

/// The error of an approver whose answer comes later: the call is not made, and ends with [`ApprovalPending`].
///
/// ```
/// use hookweave::{ApprovalPending, ApprovalRequest, Engine, HookError, Suspended, ToolResult};
/// use serde_json::json;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let approver = |_: ApprovalRequest| std::future::ready(Err::<String, HookError>(Suspended.into()));
/// let session = Engine::new().session().set("permissions", "ask").approver(approver).open()?;
/// let run = async |_| Ok::<_, HookError>(ToolResult::new("done"));
/// let error = session.run_tool("Bash", json!({"command": "ls"}), run).await.unwrap_err();
/// assert_eq!(ApprovalPending::of(&error).unwrap().prompt, "Run Bash?");
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Suspended;

impl fmt::Display for Suspended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the question is answered later")
    }
}

impl std::error::Error for Suspended {}

/// A tool call waits for a person's answer and was not made; the source of an error of the code `approval_pending`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ApprovalPending {
    /// What the person is asked.
    pub request: ApprovalRequest,
}

impl ApprovalPending {
    /// The question that an error is about; `None` for any other error.
    #[must_use]
    pub fn of(error: &Error) -> Option<&ApprovalRequest> {
        let source = std::error::Error::source(error)?;
        source.downcast_ref::<Self>().map(|pending| &pending.request)
    }

    pub(super) fn error(request: ApprovalRequest) -> Error {
        let pending = Self { request };
        Error::new(Code::ApprovalPending, pending.to_string()).because(pending)
    }
}

impl fmt::Display for ApprovalPending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ApprovalRequest { id, tool, prompt, .. } = &self.request;
        write!(f, "a person has to answer {prompt:?} about {tool} first; make the call again with `answers` to {id}")
    }
}

impl std::error::Error for ApprovalPending {}

/// What an approver answers; an option alone is an answer too.
///
/// ```
/// use hookweave::Approval;
/// use serde_json::json;
///
/// let no = Approval::new("Deny").reason("Use the staging database.");
/// let yes = Approval::new("Allow once").args(json!({"command": "ls -l"}));
/// assert_eq!(Approval::from("Deny").option, no.option);
/// assert!(yes.args.is_some());
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Approval {
    /// One of the options.
    pub option: String,
    /// A sentence for the model, and for the record.
    pub reason: Option<String>,
    /// The arguments that the tool is to be called with; hooks check them again.
    pub args: Option<Value>,
}

impl Approval {
    /// An option.
    #[must_use]
    pub fn new(option: impl Into<String>) -> Self {
        Self { option: option.into(), reason: None, args: None }
    }

    /// A sentence for the model, and for the record.
    #[must_use]
    pub fn reason(self, reason: impl Into<String>) -> Self {
        Self { reason: Some(reason.into()), ..self }
    }

    /// The arguments that the tool is to be called with; hooks check them again.
    #[must_use]
    pub fn args(self, args: Value) -> Self {
        Self { args: Some(args), ..self }
    }

    /// An answer that came as JSON: an option, or an object of `option`, `reason` and `args`. Other fields are an error.
    pub fn from_json(answer: &Value) -> Result<Self, Error> {
        let session::Answer { option, reason, args } = session::read_answer(&Json, &answer)?;
        Ok(Self { option, reason, args: args.cloned() })
    }

    /// The answer as an object, which the core reads.
    pub(super) fn to_value(&self) -> Value {
        json!({"option": self.option, "reason": self.reason, "args": self.args})
    }
}

impl<O: Into<String>> From<O> for Approval {
    fn from(option: O) -> Self {
        Self::new(option)
    }
}

/// Who is asked.
pub trait Approver: Send + Sync {
    /// Asks; gives one of the options. Anything else is refused and logged as an error, and so is an error but [`Suspended`].
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Result<Approval, HookError>>;

    /// Whether it allows or denies every question without asking anyone; `None` for one that asks.
    #[doc(hidden)]
    fn decides_all(&self) -> Option<bool> {
        None
    }
}

impl<C, F, A> Approver for C
where
    C: Fn(ApprovalRequest) -> F + Send + Sync,
    F: Future<Output = Result<A, HookError>> + Send + 'static,
    A: Into<Approval>,
{
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Result<Approval, HookError>> {
        let asked = self(request.clone());
        Box::pin(async move { asked.await.map(Into::into) })
    }
}

/// A message of the conversation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ContextMessage {
    /// Who says it.
    pub role: Role,
    /// Its content: text, a response, or a tool's result.
    pub content: Value,
    /// Where it comes from: `source`, and for what hooks say `hook_name`, `event` and `timestamp`.
    pub metadata: Map<String, Value>,
}

impl ContextMessage {
    /// A message without metadata.
    #[must_use]
    pub fn new(role: Role, content: impl Into<Value>) -> Self {
        Self { role, content: content.into(), metadata: Map::new() }
    }

    /// Sets a field of the metadata: `pinned` keeps the message in every compaction.
    #[must_use]
    pub fn with(mut self, field: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.insert(field.into(), value.into());
        self
    }
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
#[non_exhaustive]
pub struct ToolContext {
    /// The session's id.
    pub session_id: String,
    /// The call's id.
    pub tool_use_id: String,
    /// Variables that hooks left.
    pub env: Map<String, Value>,
}

impl ToolContext {
    /// What a tool receives in a session for which hooks left no variables: to call a tool without a session.
    #[must_use]
    pub fn new(session_id: impl Into<String>, tool_use_id: impl Into<String>) -> Self {
        Self { session_id: session_id.into(), tool_use_id: tool_use_id.into(), env: Map::new() }
    }
}

/// What a tool gives; any value that becomes JSON is a result too.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolResult {
    /// What it found or did.
    pub output: Value,
    /// Whether it did what it should.
    pub success: bool,
    /// The exit code of its command, when it has one.
    pub exit_code: Option<i64>,
}

impl ToolResult {
    /// What a tool found or did.
    #[must_use]
    pub fn new(output: impl Into<Value>) -> Self {
        Self { output: output.into(), success: true, exit_code: None }
    }

    /// What a tool says that did not do what it should; an error of [`Tool::run`] means the same.
    #[must_use]
    pub fn failed(output: impl Into<Value>) -> Self {
        Self { success: false, ..Self::new(output) }
    }

    /// The exit code of its command.
    #[must_use]
    pub fn exit_code(self, code: i64) -> Self {
        Self { exit_code: Some(code), ..self }
    }
}

impl<V: Into<Value>> From<V> for ToolResult {
    fn from(output: V) -> Self {
        Self::new(output)
    }
}

/// Something that an agent can do.
pub trait Tool: Send + Sync {
    /// Does it; an error is a failed run.
    fn run(&self, args: Value, context: ToolContext) -> BoxFuture<'_, Result<ToolResult, HookError>>;
}

/// Names the future and its result, so that both live as long as the closure.
struct ClosureTool<C, F, R>(C, PhantomData<fn() -> (F, R)>);

impl<C, F, R> Tool for ClosureTool<C, F, R>
where
    C: Fn(Value) -> F + Send + Sync,
    F: Future<Output = Result<R, HookError>> + Send,
    R: Into<ToolResult>,
{
    fn run(&self, args: Value, _: ToolContext) -> BoxFuture<'_, Result<ToolResult, HookError>> {
        let running = (self.0)(args);
        Box::pin(async move { running.await.map(Into::into) })
    }
}

/// A tool of a closure over its arguments.
pub(crate) fn closure_tool<F, R>(run: impl Fn(Value) -> F + Send + Sync) -> impl Tool
where
    F: Future<Output = Result<R, HookError>> + Send,
    R: Into<ToolResult>,
{
    ClosureTool(run, PhantomData)
}

/// What the model is given.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
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

impl ModelRequest {
    /// A prompt alone: to call a model without a session.
    #[must_use]
    pub fn new(prompt: impl Into<String>) -> Self {
        Self { prompt: prompt.into(), system_prompt: None, tools: Vec::new(), messages: Vec::new() }
    }
}

/// A tool that the model calls.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolCall {
    /// The call's id, when the model gave one.
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// The arguments.
    pub args: Value,
}

impl ToolCall {
    /// A call without an id.
    #[must_use]
    pub fn new(name: impl Into<String>, args: Value) -> Self {
        Self { id: None, name: name.into(), args }
    }

    /// The call's id, as the model gave it.
    #[must_use]
    pub fn id(self, id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..self }
    }
}

/// What the model answers.
///
/// ```
/// use hookweave::{ModelResponse, ToolCall};
/// use serde_json::json;
///
/// let response = ModelResponse::new("Let me look.").tool_call(ToolCall::new("Read", json!({"file_path": "a.txt"})));
/// assert_eq!(response.tool_calls[0].name, "Read");
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelResponse {
    /// Its text.
    pub text: String,
    /// The tools that it calls, in order.
    pub tool_calls: Vec<ToolCall>,
    /// What it cost; `total_tokens` is read.
    pub usage: Value,
}

impl ModelResponse {
    /// A text, and no tool calls.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Adds a tool call.
    #[must_use]
    pub fn tool_call(mut self, call: ToolCall) -> Self {
        self.tool_calls.push(call);
        self
    }

    /// What the response cost; `total_tokens` is read.
    #[must_use]
    pub fn usage(self, usage: Value) -> Self {
        Self { usage, ..self }
    }
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
    pub(super) approver: Option<Arc<dyn Approver>>,
    pub(super) context: Arc<dyn Context>,
    pub(super) display: Arc<dyn Display>,
    pub(super) observer: Option<Observer>,
}

/// The callback for the outcome of every event of a session.
pub(super) type Observer = Arc<dyn Fn(&Outcome) + Send + Sync>;

impl Default for Parts {
    fn default() -> Self {
        Self { approver: None, context: Arc::new(Messages::default()), display: Arc::new(LogDisplay), observer: None }
    }
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").finish_non_exhaustive()
    }
}
