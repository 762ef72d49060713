//! A tool call in two halves: what is judged before the tool runs, and what is made of its result.

use std::fmt;
use std::time::Instant;

use serde_json::Value;

use super::driver::{Driver, Half};
use super::parts::{ToolContext, ToolResult};
use super::results::ToolOutcome;
use crate::engine::clock::now;
use crate::response::HookError;
use hookweave_host::error::{Code, Error};
use hookweave_host::session::{Flow, Reply};

/// A tool call whose tool the caller runs, for frameworks that say when a tool begins and when it has ended.
///
/// [`Session::begin_tool`](super::Session::begin_tool) makes it, once hooks and, if need be, a person have judged the call.
/// It is a loop because a hook may have a failed tool run again. A call that is dropped while its tool is still to run counts
/// as not begun: no event is raised, and hooks that run once may run again.
///
/// ```
/// use hookweave::Engine;
/// use serde_json::json;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let session = Engine::new().session().open()?;
/// let mut call = session.begin_tool("Read", json!({"file_path": "a.txt"}), None, []).await?;
/// while let Some(args) = call.args() {
///     match std::fs::read_to_string(args["file_path"].as_str().unwrap_or_default()) {
///         Ok(text) => call.succeeded(text).await?,
///         Err(why) => call.failed(why).await?,
///     }
/// }
/// assert!(!call.outcome()?.ok, "there is no such file");
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct OpenToolCall<'s> {
    driver: Option<Driver<'s>>,
    flow: Flow,
    running: Option<Running>,
    outcome: Option<ToolOutcome>,
}

/// A tool that is to run.
#[derive(Debug)]
struct Running {
    tool: String,
    args: Value,
    context: ToolContext,
    began: Instant,
}

impl<'s> OpenToolCall<'s> {
    pub(super) async fn begin(driver: Driver<'s>, flow: Flow) -> Result<Self, Error> {
        let mut call = Self { driver: Some(driver), flow, running: None, outcome: None };
        call.go(Reply::Begin).await?;
        Ok(call)
    }

    /// The arguments to run the tool with, as hooks left them; `None` when it is not to run, or not any more.
    #[must_use]
    pub fn args(&self) -> Option<&Value> {
        self.running.as_ref().map(|running| &running.args)
    }

    /// The name of the tool that is to run.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.running.as_ref().map(|running| running.tool.as_str())
    }

    /// The call's id and the variables that hooks left, while the tool is to run.
    #[must_use]
    pub fn context(&self) -> Option<&ToolContext> {
        self.running.as_ref().map(|running| &running.context)
    }

    /// The tool has run and gave this; hooks look at it, and may change it.
    pub async fn succeeded(&mut self, result: impl Into<ToolResult>) -> Result<(), Error> {
        self.ran(Ok(result.into())).await
    }

    /// The tool has run and failed; hooks may have it run again.
    pub async fn failed(&mut self, why: impl Into<HookError>) -> Result<(), Error> {
        self.ran(Err(why.into())).await
    }

    /// What came of the call; an error where its tool is still to run.
    pub fn outcome(mut self) -> Result<ToolOutcome, Error> {
        self.outcome.take().ok_or_else(|| {
            let why = "the tool call has no outcome: its tool is still to run; call `succeeded` or `failed` first";
            Error::new(Code::InvalidPayload, why)
        })
    }

    async fn ran(&mut self, result: Result<ToolResult, HookError>) -> Result<(), Error> {
        let (Some(driver), Some(running)) = (&mut self.driver, self.running.take()) else {
            return Err(Error::new(Code::InvalidPayload, "the tool is not to run; look at `args` first"));
        };
        let reply = driver.ran(result, now().saturating_duration_since(running.began));
        self.go(reply).await
    }

    async fn go(&mut self, reply: Reply) -> Result<(), Error> {
        let Some(driver) = &mut self.driver else { return Ok(()) };
        match driver.until_tool(&mut self.flow, reply).await? {
            Half::Open((tool, args, context)) => {
                self.running = Some(Running { tool, args, context, began: now() });
            }
            Half::Over(finished) => {
                if let Some(driver) = self.driver.take() {
                    self.outcome = Some(driver.tool_outcome(finished)?);
                }
            }
        }
        Ok(())
    }
}

impl fmt::Debug for OpenToolCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenToolCall")
            .field("running", &self.running)
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}

impl Drop for OpenToolCall<'_> {
    fn drop(&mut self) {
        if self.running.is_some() {
            _ = self.flow.step(Reply::Dropped);
        }
    }
}
