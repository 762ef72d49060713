//! Sessions for programs written in Rust: the machine of [`hookweave_host::session`], carried out on the caller's task.

mod approvers;
mod builder;
mod driver;
mod hosted;
mod open_model_call;
mod open_tool_call;
mod parts;
mod results;
mod spans;
mod terminal;
mod values;

use std::future::Future;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{Engine, Event};
use crate::response::HookError;
use hookweave_host::error::{Code, Error};
use hookweave_host::session::{ModelPrompt, Session as Machine, ToolRequest};

pub use approvers::{AllowAll, DenyAll, PendingApprovals};
pub use builder::SessionBuilder;
pub use hookweave_host::session::{Compaction, NoticeResult, Started, Stopped, Submitted};
pub(crate) use hosted::Hosted;
pub use open_model_call::OpenModelCall;
pub use open_tool_call::OpenToolCall;
pub use parts::{
    Approval, ApprovalPending, ApprovalRequest, Approver, BoxFuture, Context, ContextMessage, Display, LogDisplay,
    Messages, Model, ModelRequest, ModelResponse, Suspended, Tool, ToolCall, ToolContext, ToolResult,
};
pub use results::{Generation, ModelOutcome, ToolOutcome};
pub use terminal::TerminalApprover;

use driver::Driver;
use parts::{Parts, closure_tool};

/// One conversation: what its hooks say is acted on, the same way in every language.
///
/// Cheap to clone; clones are the same conversation. Dropping a future of a method cancels what it was doing.
#[derive(Debug, Clone)]
pub struct Session {
    engine: Engine,
    machine: Arc<Machine>,
    parts: Arc<Parts>,
}

impl Session {
    pub(crate) const fn new(engine: Engine, machine: Arc<Machine>, parts: Arc<Parts>) -> Self {
        Self { engine, machine, parts }
    }

    /// The conversation's id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.machine.id()
    }

    /// The subagent's id; `None` for the conversation itself.
    #[must_use]
    pub fn agent_id(&self) -> Option<&str> {
        self.machine.agent_id()
    }

    /// The environment that hooks left for tools and commands.
    #[must_use]
    pub fn env(&self) -> Map<String, Value> {
        self.machine.env()
    }

    /// Raises `SessionStart`; the source is `startup`, `resume` or what else began it.
    pub async fn start(&self, source: &str) -> Result<Started, Error> {
        self.driver().run(self.machine.start(source.to_owned())).await
    }

    /// Raises `SessionEnd` and forgets what was approved; with a closed engine no hook gets it.
    pub async fn end(&self, reason: &str) -> Result<(), Error> {
        if self.engine.is_closed() {
            return Ok(());
        }
        self.driver().run::<Stopped>(self.machine.end(reason.to_owned())).await.map(drop)
    }

    /// Takes a prompt in: hooks may change or refuse it.
    pub async fn submit_prompt(&self, prompt: &str) -> Result<Submitted, Error> {
        self.driver().run(self.machine.submit_prompt(prompt.to_owned())).await
    }

    /// Makes a tool call: hooks and, if need be, a person judge it, the closure runs it, hooks look at what came of it.
    ///
    /// The closure may borrow: it runs on this task, and is done when the future is. Hooks may have it run more than once.
    ///
    /// ```
    /// use hookweave::{AllowAll, Engine};
    /// use serde_json::json;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
    /// let session = Engine::new().session().open()?;
    /// let files = std::collections::HashMap::from([("a.txt", "one line")]);
    /// let read = session.run_tool("Read", json!({"file_path": "a.txt"}), async |args| {
    ///     Ok(files[args["file_path"].as_str().unwrap_or_default()])
    /// });
    /// assert_eq!(read.await?.output, "one line");
    /// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn run_tool<F, R>(
        &self,
        tool: &str,
        args: Value,
        run: impl Fn(Value) -> F + Send + Sync,
    ) -> Result<ToolOutcome, Error>
    where
        F: Future<Output = Result<R, HookError>> + Send,
        R: Into<ToolResult>,
    {
        self.call(tool, args, None, Vec::new(), &closure_tool(run)).await
    }

    /// Makes a call of a tool that the engine knows by [`Engine::register_tool`].
    pub async fn execute_tool(&self, tool: &str, args: Value) -> Result<ToolOutcome, Error> {
        let Some(known) = self.engine.hosted().tool(tool) else { return Err(self.engine.hosted().unknown_tool(tool)) };
        self.call(tool, args, None, Vec::new(), &*known).await
    }

    /// Makes a tool call with all options.
    pub async fn use_tool(
        &self,
        tool: &str,
        args: Value,
        tool_use_id: Option<String>,
        run: Arc<dyn Tool>,
    ) -> Result<ToolOutcome, Error> {
        self.call(tool, args, tool_use_id, Vec::new(), &*run).await
    }

    /// Makes a tool call again that ended with [`ApprovalPending`]: `answers` has what a person said, by the ids of questions.
    ///
    /// The same question of the same call (`tool_use_id`, tool and arguments) is answered with it; any other is asked. A
    /// denial refuses the call even if no hook asks any more.
    pub async fn resume_tool(
        &self,
        tool: &str,
        args: Value,
        tool_use_id: &str,
        answers: impl IntoIterator<Item = (String, Approval)>,
        run: Arc<dyn Tool>,
    ) -> Result<ToolOutcome, Error> {
        let answers = answers.into_iter().collect();
        self.call(tool, args, Some(tool_use_id.to_owned()), answers, &*run).await
    }

    /// Makes the first half of a tool call: hooks and, if need be, a person judge it; the caller runs the tool.
    ///
    /// Where a tool is one function, [`run_tool`](Self::run_tool) does both halves. `answers` are those of
    /// [`resume_tool`](Self::resume_tool).
    pub async fn begin_tool(
        &self,
        tool: &str,
        args: Value,
        tool_use_id: Option<String>,
        answers: impl IntoIterator<Item = (String, Approval)>,
    ) -> Result<OpenToolCall<'_>, Error> {
        let mut driver = self.driver().of_tool(tool);
        let args = driver.keep(args);
        let answers = Some(driver.answers(answers.into_iter().collect())?);
        let request = ToolRequest { tool: tool.to_owned(), args, tool_use_id, answers };
        OpenToolCall::begin(driver, self.machine.run_tool(request)).await
    }

    /// Makes the first half of a call of the model: hooks and, if need be, a person judge what it is given; the caller
    /// calls it.
    ///
    /// Without a system prompt it is the session's; `tools` are the names of those that the model may call.
    pub async fn begin_model(
        &self,
        prompt: &str,
        system_prompt: Option<&str>,
        tools: Vec<Value>,
    ) -> Result<OpenModelCall<'_>, Error> {
        let (prompt, system_prompt) = (prompt.to_owned(), system_prompt.map(str::to_owned));
        let flow = self.machine.call_model(ModelPrompt { prompt, system_prompt, tools });
        OpenModelCall::begin(self.driver(), flow).await
    }

    async fn call(
        &self,
        tool: &str,
        args: Value,
        tool_use_id: Option<String>,
        answers: Vec<(String, Approval)>,
        run: &dyn Tool,
    ) -> Result<ToolOutcome, Error> {
        let mut driver = self.driver().with_tool(tool, run);
        let args = driver.keep(args);
        let answers = Some(driver.answers(answers)?);
        driver.run_tool(self.machine.run_tool(ToolRequest { tool: tool.to_owned(), args, tool_use_id, answers })).await
    }

    /// Answers a prompt with the model and the tools that the engine knows.
    pub async fn generate(&self, prompt: &str) -> Result<Generation, Error> {
        let Some(model) = self.engine.hosted().model() else {
            return Err(Error::new(Code::NoModel, "no model is registered; call register_model first"));
        };
        let tools = self.engine.hosted().tool_names().into_iter().map(Value::from).collect();
        self.driver().with_model(model).generate(self.machine.generate(prompt.to_owned(), tools)).await
    }

    /// Makes the context shorter: the closure is given the messages that go and what hooks want kept, and makes the summary that
    /// takes their place. Instructions, messages whose metadata says `pinned`, and the most recent ones (`keep_recent`) stay.
    pub async fn compact<F>(
        &self,
        trigger: &str,
        custom_instructions: Option<String>,
        summarise: impl Fn(Vec<ContextMessage>, Option<String>) -> F + Send + Sync,
    ) -> Result<Compaction, Error>
    where
        F: Future<Output = Result<String, HookError>> + Send,
    {
        let flow = self.machine.compact(trigger.to_owned(), custom_instructions);
        self.driver().compact(flow, &summarise).await
    }

    /// Says how many tokens the context holds; hooks are warned when that is much.
    pub async fn note_usage(&self, tokens: u64) -> Result<(), Error> {
        self.driver().finish(self.machine.note_usage(tokens)).await.map(drop)
    }

    /// Raises `Notification`.
    pub async fn notify(&self, message: &str, title: Option<&str>, kind: Option<&str>) -> Result<NoticeResult, Error> {
        self.driver().run(self.machine.notify(message, title, kind)).await
    }

    /// Asks hooks for a line about the agent's state.
    pub async fn status_line(&self, fields: Map<String, Value>) -> Result<Option<String>, Error> {
        let noticed: NoticeResult = self.driver().run(self.machine.status_line(fields)).await?;
        Ok(noticed.value.as_ref().and_then(Value::as_str).map(str::to_owned))
    }

    /// Asks hooks for files that fit what the user has begun to type; as given when they have nothing to say.
    pub async fn suggest_files(&self, query: &str, suggestions: Vec<Value>) -> Result<Vec<Value>, Error> {
        let noticed: NoticeResult = self.driver().run(self.machine.file_suggestions(query, &suggestions)).await?;
        Ok(match noticed.value {
            Some(Value::Array(chosen)) => chosen,
            _ => suggestions,
        })
    }

    /// The agent has done its work; hooks may keep it at it, and the reason is in the context then.
    pub async fn stop(&self, last_message: Option<&str>, status: &str) -> Result<Stopped, Error> {
        let details = json!({"last_message": last_message, "status": status});
        self.driver().run(self.machine.stop(details)).await
    }

    /// The same with these fields of the event: what is not given is filled in, such as the files that tools of the session
    /// changed.
    pub async fn stop_with(&self, details: Map<String, Value>) -> Result<Stopped, Error> {
        self.driver().run(self.machine.stop(Value::Object(details))).await
    }

    /// The agent has ended with an error.
    pub async fn stop_failure(&self, error: &str) -> Result<(), Error> {
        self.driver().run::<Stopped>(self.machine.stop_failure(error.to_owned())).await.map(drop)
    }

    /// Begins a subagent: same hooks, same id, its own `agent_id`. `Err` is what refused it.
    pub async fn subagent(&self, kind: &str, id: Option<String>) -> Result<Result<Self, Started>, Error> {
        let machine = self.machine.subagent(kind.to_owned(), id);
        let child = Self { machine, ..self.clone() };
        let started: Started = child.driver().run(child.machine.start_subagent()).await?;
        Ok(if started.accepted { Ok(child) } else { Err(started) })
    }

    /// This subagent has done its work; hooks may keep it at it.
    pub async fn stop_subagent(&self) -> Result<Stopped, Error> {
        self.driver().run(self.machine.stop_subagent()).await
    }

    /// Raises any other event, as [`Engine::dispatch`] does, with what every event of the session carries.
    ///
    /// ```
    /// use hookweave::{Engine, Event};
    /// use serde_json::json;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
    /// let engine = Engine::new();
    /// engine.define_event("Deploy", true, &["target"])?;
    /// let session = engine.session().set("session_id", "s-1").open()?;
    /// let outcome = session.dispatch(Event::new("Deploy", json!({"target": "staging"}))).await?;
    /// assert_eq!(outcome.event().session_id(), "s-1");
    /// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn dispatch(&self, event: Event) -> Result<super::Outcome, Error> {
        self.driver().raise(event).await
    }

    pub(super) const fn engine(&self) -> &Engine {
        &self.engine
    }

    fn driver(&self) -> Driver<'_> {
        Driver::new(self)
    }
}
