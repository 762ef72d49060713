//! What a hook that speaks the engine's own wire means by its exit code and output.

use serde_json::Value;

use super::{NAME, without_version};
use crate::hosted::{self, HostedVerdict};
use crate::output::{self, Json};
use crate::{CommandOutput, Invocation, RunKind, WebResponse, canonical, draft};
use hookweave_machine::dispatch::{FailureKind, HandlerResult};

pub(super) fn decode(invocation: &Invocation, exited: &CommandOutput) -> HandlerResult<Value> {
    match exited.code {
        Some(0) => read_answer(invocation, &output::text(&exited.stdout)),
        Some(2) => canonical::block(exited),
        _ => canonical::exited(exited),
    }
}

pub(super) fn decode_web(invocation: &Invocation, answer: &WebResponse) -> HandlerResult<Value> {
    let body = output::text(&answer.body);
    if (200..300).contains(&answer.status) {
        return read_answer(invocation, &body);
    }
    let line = output::first_line(&body);
    let what = format!("status {}{}{line}", answer.status, if line.is_empty() { "" } else { ": " });
    draft::failed(FailureKind::Unreachable, what)
}

pub(super) fn decode_hosted(invocation: &Invocation, kind: RunKind, answer: &Value) -> HandlerResult<Value> {
    if kind == RunKind::McpTool {
        return hosted::tool_text(answer).map_or_else(|failure| failure, |text| read_answer(invocation, &text));
    }
    match hosted::verdict(answer) {
        Ok(HostedVerdict::Passes) => HandlerResult::Nothing,
        Ok(HostedVerdict::Refuses { reason, .. }) => {
            let mut draft = draft::Draft::new(NAME, invocation);
            let ends_the_turn = kind == RunKind::Prompt && invocation.event.may_have("tool");
            draft.decide(if ends_the_turn { "stop" } else { "block" }, reason);
            draft.into_result()
        }
        Err(failure) => failure,
    }
}

/// Reads an answer as strictly as the engine reads that of a callback.
fn read_answer(invocation: &Invocation, text: &str) -> HandlerResult<Value> {
    let text = output::trim(text);
    if text.is_empty() {
        return HandlerResult::Nothing;
    }
    match output::parse(text) {
        Json::Object(fields) if !fields.contains_key("hookweave") => canonical::checked(invocation, fields),
        Json::Object(fields) => {
            let mut rest = fields.clone();
            rest.shift_remove("hookweave");
            match without_version(fields) {
                Ok(answer) => canonical::checked(invocation, answer),
                Err(why) => canonical::invalid_answer(why, canonical::restricts(invocation, &Value::Object(rest))),
            }
        }
        _ => {
            let what = format!("an answer is a JSON object or nothing, not `{}`", output::first_line(text));
            canonical::invalid_answer(what, canonical::text_restricts(invocation, text))
        }
    }
}
