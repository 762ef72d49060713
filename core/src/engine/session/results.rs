//! What the methods of a session give.

use serde::Deserialize;
use serde_json::Value;

use super::values::Values;
use crate::engine::Outcome;
use crate::session::ValueId;

/// What came of a tool call.
#[derive(Debug)]
pub struct ToolOutcome {
    /// The tool's name.
    pub tool: String,
    /// The call's id.
    pub tool_use_id: String,
    /// Whether the tool was run.
    pub ran: bool,
    /// Whether it ran to its end without failing.
    pub ok: bool,
    /// What it found or did, as hooks left it; null when it did not run.
    pub output: Value,
    /// What was decided before it ran: `continue`, `allow`, `ask`, `block`, `stop` or `deny`.
    pub decision: String,
    /// Why it did not run.
    pub reason: Option<String>,
    /// Who decided that: a hook, `user`, `timeout` or `host`.
    pub by: Option<String>,
    /// The arguments that it ran with, or would have.
    pub args: Value,
    /// The whole result.
    pub result: Value,
    /// Why it failed.
    pub error: Option<String>,
    /// How often it was run.
    pub attempts: u32,
    /// What hooks object to in what it did, for the model.
    pub feedback: Vec<String>,
    /// What hooks have told the model about it.
    pub injected: Vec<Value>,
    /// A hook wants its own output kept out of the transcript.
    pub suppress_output: bool,
    /// A hook wants the agent to stop.
    pub stops: bool,
    /// What hooks said of each event of the call.
    pub outcomes: Vec<Outcome>,
}

/// A tool call as the machine tells it.
#[derive(Debug, Deserialize)]
pub(super) struct Run {
    tool: String,
    tool_use_id: String,
    ran: bool,
    ok: bool,
    decision: String,
    reason: Option<String>,
    by: Option<String>,
    args: ValueId,
    result: Option<ValueId>,
    error: Option<String>,
    attempts: u32,
    feedback: Vec<String>,
    injected: Vec<Value>,
    suppress_output: bool,
    stops: bool,
}

impl Run {
    pub(super) fn outcome(self, values: &Values, outcomes: Vec<Outcome>) -> ToolOutcome {
        let result = self.result.map_or(Value::Null, |result| values.get(result));
        ToolOutcome {
            tool: self.tool,
            tool_use_id: self.tool_use_id,
            ran: self.ran,
            ok: self.ok,
            output: result.get("output").cloned().unwrap_or_default(),
            decision: self.decision,
            reason: self.reason,
            by: self.by,
            args: values.get(self.args),
            result,
            error: self.error,
            attempts: self.attempts,
            feedback: self.feedback,
            injected: self.injected,
            suppress_output: self.suppress_output,
            stops: self.stops,
            outcomes,
        }
    }
}

/// What came of a prompt that the model was to answer.
#[derive(Debug)]
pub struct Generation {
    /// `done`, `blocked`, `stopped`, `failed` or `limit`.
    pub status: String,
    /// What the model said last.
    pub text: String,
    /// Why it did not come to its end.
    pub reason: Option<String>,
    /// How often the model was called.
    pub model_calls: u32,
    /// The tool calls, in order; what hooks said of all events is in `outcomes`.
    pub tools: Vec<ToolOutcome>,
    /// The model's last response; null when there was none.
    pub response: Value,
    /// What hooks said of each event.
    pub outcomes: Vec<Outcome>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Generated {
    status: String,
    text: String,
    reason: Option<String>,
    model_calls: u32,
    tools: Vec<Run>,
    response: Option<ValueId>,
}

impl Generated {
    pub(super) fn outcome(self, values: &Values, outcomes: Vec<Outcome>) -> Generation {
        Generation {
            status: self.status,
            text: self.text,
            reason: self.reason,
            model_calls: self.model_calls,
            tools: self.tools.into_iter().map(|run| run.outcome(values, Vec::new())).collect(),
            response: self.response.map_or(Value::Null, |response| values.get(response)),
            outcomes,
        }
    }
}
