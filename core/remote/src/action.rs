//! What a machine wants done, and told.

use serde::Serialize;
use serde_json::Value;

use hookweave_machine::dispatch::HandlerResult;
use hookweave_machine::hook::HookSpec;

/// How much a line of the log matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// It is as it should be.
    Info,
    /// Something was not taken.
    Warning,
    /// Something does not work.
    Error,
}

/// What an agent's end wants done, in order.
#[derive(Debug)]
#[non_exhaustive]
pub enum HubAction {
    /// Send a message.
    Send {
        /// Over this connection.
        connection: u64,
        /// The message, without its length.
        message: Vec<u8>,
    },
    /// Close a connection when all that was to be sent is sent; nothing more comes of it.
    Close {
        /// This connection.
        connection: u64,
        /// Why.
        reason: String,
    },
    /// Register a hook in the engine, then say what came of it by [`Hub::registered`](crate::Hub::registered).
    Register {
        /// The number by which the hook is called and goes.
        registration: u64,
        /// Whose hook it is.
        worker: String,
        /// Its settings.
        spec: Box<HookSpec>,
    },
    /// Take a hook out of the engine.
    Unregister {
        /// The number of [`Self::Register`].
        registration: u64,
    },
    /// A call has ended; each does so once.
    Finished {
        /// The number that [`Hub::call`](crate::Hub::call) gave.
        call: u64,
        /// What came of it.
        result: HandlerResult<Value>,
    },
    /// A call of a client has ended; each does so once.
    Reply {
        /// The number that [`Hub::asked`](crate::Hub::asked) gave.
        ask: u64,
        /// The answer, or why there is none.
        message: Result<Vec<u8>, String>,
    },
    /// Tell whoever runs the agent.
    Log {
        /// How much it matters.
        level: Level,
        /// What happened.
        text: String,
    },
    /// Tell whoever runs the agent that a worker was refused, and put it on record.
    Refused {
        /// How much it matters.
        level: Level,
        /// The worker, as far as it is known.
        worker: String,
        /// What kind of refusal it is: that of the wire, or `hook` for one of its hooks.
        code: &'static str,
        /// What happened.
        text: String,
    },
}

/// How a worker stands with its agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum WorkerState {
    /// It connects, or registers its hooks.
    Connecting,
    /// All its hooks are in force, or refused.
    Ready,
    /// It was refused or lost, and connects again.
    Waiting {
        /// At this time.
        until: u64,
    },
    /// It ended, and does not connect again.
    Closed {
        /// Why.
        reason: String,
    },
}

/// An event for a hook of a worker.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// What the answer is for.
    pub dispatch: u64,
    /// The worker's id of the hook.
    pub hook: String,
    /// The event's canonical name.
    pub event: String,
    /// The event.
    pub payload: Value,
    /// When the agent waits no longer, on the worker's clock; `None` is never.
    pub deadline: Option<u64>,
    /// Where it stands in a distributed trace: `traceparent` and `tracestate`.
    pub trace: Option<(String, Option<String>)>,
    /// How deep the dispatch is nested.
    pub depth: u32,
}

/// What a worker's end wants done, in order.
#[derive(Debug)]
#[non_exhaustive]
pub enum WorkerAction {
    /// Connect, then say what came of it by [`WorkerEnd::opened`](crate::WorkerEnd::opened) or
    /// [`WorkerEnd::lost`](crate::WorkerEnd::lost).
    Connect,
    /// Send a message.
    Send {
        /// The message, without its length.
        message: Vec<u8>,
    },
    /// Close the connection when all that was to be sent is sent. The machine knows that it is gone.
    Close {
        /// Why.
        reason: String,
    },
    /// Run a hook, then say what came of it by [`WorkerEnd::answered`](crate::WorkerEnd::answered).
    Run(Box<Run>),
    /// End a run: nobody waits for it.
    Cancel {
        /// Of this event.
        dispatch: u64,
    },
    /// The worker stands differently with its agent.
    State(WorkerState),
    /// Tell whoever runs the worker.
    Log {
        /// How much it matters.
        level: Level,
        /// What happened.
        text: String,
    },
}
