//! What the methods of a session give.

use serde_json::Value;

use super::values::Values;
use crate::engine::Outcome;
use hookweave_host::session::{Generation as Answered, ModelRun, ToolRun};

/// What came of a tool call.
#[derive(Debug)]
#[non_exhaustive]
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
    /// What hooks sent to the model about it.
    pub injected: Vec<Value>,
    /// A hook wants its own output kept out of the transcript.
    pub suppress_output: bool,
    /// A hook wants the agent to stop.
    pub stops: bool,
    /// The outcome of each event of the call.
    pub outcomes: Vec<Outcome>,
}

impl ToolOutcome {
    /// What the machine reports of a tool call, with the values in place of their numbers.
    pub(super) fn of(run: ToolRun, values: &Values, outcomes: Vec<Outcome>) -> Self {
        let result = run.result.map_or(Value::Null, |result| values.get(result));
        Self {
            tool: (*run.tool).to_owned(),
            tool_use_id: (*run.tool_use_id).to_owned(),
            ran: run.ran,
            ok: run.ok,
            output: result.get("output").cloned().or_else(|| output_of_failure(&run)).unwrap_or_default(),
            decision: run.decision.to_owned(),
            reason: run.reason,
            by: run.by,
            args: values.get(run.args),
            result,
            error: run.error,
            attempts: run.attempts,
            feedback: run.feedback,
            injected: run
                .injected
                .iter()
                .map(|injection| serde_json::to_value(injection).unwrap_or_default())
                .collect(),
            suppress_output: run.suppress_output,
            stops: run.stops,
            outcomes,
        }
    }
}

/// What the model is shown of a failed run whose error hooks changed.
fn output_of_failure(run: &ToolRun) -> Option<Value> {
    run.error.clone().filter(|_| run.ran && run.result.is_none()).map(Value::from)
}

/// What came of a prompt that the model was to answer.
#[derive(Debug)]
#[non_exhaustive]
pub struct Generation {
    /// `done`, `blocked`, `stopped`, `failed` or `limit`.
    pub status: String,
    /// The model's last text.
    pub text: String,
    /// Why it did not come to its end.
    pub reason: Option<String>,
    /// How often the model was called.
    pub model_calls: u32,
    /// The tool calls, in order; the outcomes of all events are in `outcomes`.
    pub tools: Vec<ToolOutcome>,
    /// The model's last response; null when there was none.
    pub response: Value,
    /// The outcome of each event.
    pub outcomes: Vec<Outcome>,
}

impl Generation {
    /// The same of a whole answer.
    pub(super) fn of(generation: Answered, values: &Values, outcomes: Vec<Outcome>) -> Self {
        Self {
            status: generation.status.to_owned(),
            text: generation.text,
            reason: generation.reason,
            model_calls: generation.model_calls,
            tools: generation.tools.into_iter().map(|run| ToolOutcome::of(run, values, Vec::new())).collect(),
            response: generation.response.map_or(Value::Null, |response| values.get(response)),
            outcomes,
        }
    }
}

/// What came of a call of the model in halves.
#[derive(Debug)]
#[non_exhaustive]
pub struct ModelOutcome {
    /// `done`, `blocked`, `stopped` (a hook stopped the agent) or `failed`.
    pub status: String,
    /// Why the response is not to be used.
    pub reason: Option<String>,
    /// The text of the response, as hooks left it.
    pub text: String,
    /// The response, as hooks left it; null when there was none.
    pub response: Value,
    /// How often the model was called.
    pub attempts: u32,
    /// The outcome of each event of the call.
    pub outcomes: Vec<Outcome>,
}

impl ModelOutcome {
    pub(super) fn of(run: ModelRun, values: &Values, outcomes: Vec<Outcome>) -> Self {
        let ModelRun { status, reason, text, response, attempts } = run;
        let response = response.map_or(Value::Null, |response| values.get(response));
        Self { status: status.to_owned(), reason, text, response, attempts, outcomes }
    }
}
