//! What the runner needs of a client, however it is driven.

use std::future::Future;
use std::pin::Pin;

use hookweave::audit::AuditOptions;
use serde_json::{Map, Value};

use crate::case::Hook;
use crate::script::Script;

/// A future that may move between threads.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A refused call.
#[derive(Debug, Clone)]
pub struct Fault {
    /// The stable code.
    pub code: String,
    /// The message.
    pub message: String,
}

impl From<hookweave::Error> for Fault {
    fn from(error: hookweave::Error) -> Self {
        Self { code: error.code().to_string(), message: error.message().to_owned() }
    }
}

/// A client under test.
pub trait Client: Send + Sync {
    /// Registers one hook under a name and gives its id.
    fn register(&self, hook: &Hook, name: Option<&str>) -> Result<String, Fault>;
    /// Removes a hook.
    fn unregister(&self, id: &str) -> bool;
    /// Switches a hook on or off.
    fn set_hook_enabled(&self, id: &str, enabled: bool) -> Result<(), Fault>;
    /// Switches the client on or off.
    fn set_enabled(&self, enabled: bool);
    /// Defines an event.
    fn define_event(&self, definition: &Value) -> Result<(), Fault>;
    /// Defines a tool.
    fn define_tool(&self, definition: &Value) -> Result<(), Fault>;
    /// The names of the registered hooks.
    fn hook_names(&self) -> Vec<String>;
    /// Dispatches an event; gives the outcome in canonical form, with `unmatched`.
    fn dispatch<'a>(&'a self, event: &'a str, payload: Value, depth: u32) -> Pending<'a, Result<Value, Fault>>;
    /// Explains an event.
    fn explain(&self, event: &str, payload: Value) -> Result<Value, Fault>;
    /// Loads hooks from files, or from all usual places below a directory; gives the report.
    fn load(&self, _load: &Map<String, Value>) -> Result<Value, Fault> {
        Err(Fault { code: "unsupported".to_owned(), message: "this client loads no files".to_owned() })
    }
    /// Reads all loaded files again; gives the report.
    fn reload(&self) -> Pending<'_, Result<Value, Fault>> {
        Box::pin(async {
            Err(Fault { code: "unsupported".to_owned(), message: "this client loads no files".to_owned() })
        })
    }
    /// Sets who answers the questions of hooks that only the host can run: the `judge` or the `tool_caller`.
    fn answer_questions(&self, part: &str, _answerer: Script) {
        panic!("this client has no {part}");
    }
    /// Notes late answers in the log; a listener that raises panics then.
    fn listen(&self, _raises: Option<&str>) {
        panic!("this client has no late answers");
    }
    /// Keeps an audit log.
    fn keep_log(&self, config: AuditOptions) -> Result<(), Fault>;
    /// Waits until what happened is recorded.
    fn flush_log(&self);
    /// What each hook did so far, in canonical form; counts begin anew when asked.
    fn stats(&self, reset: bool) -> Value;
    /// Closes the client.
    fn close(&self) -> Pending<'_, ()>;
    /// Waits for detached hooks.
    fn drain(&self) -> Pending<'_, ()>;
}
