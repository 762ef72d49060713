//! Dispatching for programs without an async runtime.

use super::{Engine, Event, Outcome};
use hookweave_host::error::{Code, Error};

impl Engine {
    /// Raises an event and waits on this thread until its hooks have answered: for programs without an async runtime.
    ///
    /// Hooks that are futures and time limits run on a small runtime of this call; what they spawn and do not wait for
    /// ends with it. Inside an async runtime, where waiting would stop the tasks that are waited for, it is refused.
    ///
    /// ```
    /// use hookweave::{Engine, Event, HookResponse};
    /// use serde_json::json;
    ///
    /// let engine = Engine::new();
    /// engine.on("PreToolUse").run(|_: &Event| HookResponse::block("not today"))?;
    /// let outcome = engine.dispatch_sync(Event::pre_tool_use("Bash", json!({"command": "ls"})))?;
    /// assert_eq!(outcome.reason(), Some("not today"));
    /// # Ok::<(), hookweave::Error>(())
    /// ```
    pub fn dispatch_sync(&self, event: Event) -> Result<Outcome, Error> {
        if tokio::runtime::Handle::try_current().is_ok() {
            let why =
                "dispatch_sync waits on its thread, which belongs to an async runtime here; await dispatch instead";
            return Err(Error::new(Code::AwaitableInSyncDispatch, why));
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let runtime = runtime.map_err(|why| {
            Error::new(Code::AwaitableInSyncDispatch, format!("dispatch_sync cannot wait, as no runtime starts: {why}"))
        })?;
        runtime.block_on(self.dispatch(event))
    }
}
