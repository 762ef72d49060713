//! What a Cursor hook means by its exit code and output.

use serde_json::{Map, Value};

use super::NAME;
use super::events::{Ask, CursorEvent, Reads, of};
use crate::draft::{Draft, failed, refused};
use crate::output::{self, Json};
use crate::{CommandOutput, Invocation, canonical, tool_names};
use hookweave_machine::dispatch::{FailureKind, HandlerResult};

const NO_REASON: &str = "the hook gave no reason";

pub(super) fn decode(invocation: &Invocation, exited: &CommandOutput) -> HandlerResult<Value> {
    let Some(known) = of(invocation) else {
        return failed(FailureKind::InvalidAnswer, "Cursor has no such event");
    };
    let (stdout, stderr) = (output::text(&exited.stdout), output::text(&exited.stderr));
    match exited.code {
        Some(0) if stdout.is_empty() || known.reads == Reads::Nothing => HandlerResult::Nothing,
        Some(0) => match output::parse(&stdout) {
            Json::Object(fields) => answer(invocation, known, &fields),
            Json::Unreadable(why) => refused(FailureKind::InvalidAnswer, format!("the output cannot be read: {why}")),
            Json::Not | Json::Other(_) => {
                let what = format!("the output is no JSON object: {}", output::first_line(&stdout));
                failed(FailureKind::InvalidAnswer, what)
            }
        },
        Some(2) if blocks(known.reads, &stderr) => {
            let mut draft = Draft::new(NAME, invocation);
            let words = match output::parse(&stdout) {
                Json::Object(fields) => Words::of(&fields),
                _ => Words::default(),
            };
            let reason = Some(stderr.as_ref()).filter(|text| !text.is_empty());
            words.refuse(&mut draft, reason);
            draft.into_result()
        }
        code => failed(FailureKind::Exited, output::ending(code, exited.signal, &stdout, &stderr)),
    }
}

/// A question on an event where Cursor accepts it and does not ask.
pub(super) fn is_idle(invocation: &Invocation, field: &str, value: &Value) -> bool {
    let ignores = of(invocation).is_some_and(|known| known.reads == Reads::Permission(Ask::Ignored));
    ignores && matches!(field, "permission" | "decision") && value == "ask"
}

/// Where exit code 2 is a refusal. An agent is not kept at work without a word of what is left to do.
fn blocks(reads: Reads, stderr: &str) -> bool {
    match reads {
        Reads::Permission(_) | Reads::Continue => true,
        Reads::Followup => !stderr.is_empty(),
        Reads::Result | Reads::Context | Reads::Message | Reads::Nothing => false,
    }
}

/// What a hook says beside its decision; the spellings of older versions count too.
#[derive(Debug, Default)]
struct Words {
    user: Option<String>,
    agent: Option<String>,
}

impl Words {
    fn of(fields: &Map<String, Value>) -> Self {
        Self {
            user: text(fields, &["user_message", "userMessage"]),
            agent: text(fields, &["agent_message", "agentMessage", "reason"]),
        }
    }

    fn refuse(self, draft: &mut Draft<'_>, otherwise: Option<&str>) {
        let reason = self.agent.as_deref().or(self.user.as_deref()).or(otherwise).unwrap_or(NO_REASON);
        draft.decide("block", Some(reason.to_owned()));
        if let Some(user) = self.user.as_deref().filter(|user| *user != reason) {
            draft.message(user, "warning");
        }
    }
}

fn text(fields: &Map<String, Value>, names: &[&str]) -> Option<String> {
    let given = names.iter().find_map(|name| fields.get(*name).and_then(Value::as_str));
    given.filter(|text| !text.is_empty()).map(str::to_owned)
}

fn answer(invocation: &Invocation, known: &CursorEvent, fields: &Map<String, Value>) -> HandlerResult<Value> {
    let mut draft = Draft::new(NAME, invocation);
    match known.reads {
        Reads::Permission(ask) => {
            if let Err(reason) = permission(&mut draft, invocation, known, ask, fields) {
                return reason;
            }
        }
        Reads::Continue => match fields.get("continue") {
            Some(Value::Bool(false)) => Words::of(fields).refuse(&mut draft, None),
            Some(Value::Bool(true) | Value::Null) | None => {}
            Some(other) => return canonical::unknown_word("continue", other),
        },
        Reads::Followup => followup(&mut draft, invocation, known, fields),
        Reads::Result => result(&mut draft, invocation, fields),
        Reads::Context => {
            if let Some(env) = fields.get("env").filter(|env| env.is_object()) {
                draft.own("env", env.clone());
            }
            if fields.get("continue") == Some(&Value::Bool(false)) {
                draft.note("Cursor does not let a hook refuse a session");
            }
        }
        Reads::Message => draft.message(&Words::of(fields).user.unwrap_or_default(), "info"),
        Reads::Nothing => {}
    }
    if matches!(known.reads, Reads::Continue | Reads::Context | Reads::Result) {
        draft.context(&text(fields, &["additional_context", "additionalContext"]).unwrap_or_default());
    }
    draft.into_result()
}

fn permission(
    draft: &mut Draft<'_>,
    invocation: &Invocation,
    known: &CursorEvent,
    ask: Ask,
    fields: &Map<String, Value>,
) -> Result<(), HandlerResult<Value>> {
    let words = Words::of(fields);
    // Older versions called it `decision`.
    let given = fields.get("permission").or_else(|| fields.get("decision")).filter(|given| !given.is_null());
    let decision = match given {
        None => "allow",
        Some(value) => match value.as_str() {
            Some(word @ ("allow" | "deny" | "ask")) => word,
            _ => return Err(canonical::unknown_word("permission", value)),
        },
    };
    match (decision, ask) {
        ("deny", _) | ("ask", Ask::Denies) => {
            words.refuse(draft, None);
            return Ok(());
        }
        ("ask", Ask::Asks) => {
            let reason = words.user.or(words.agent).unwrap_or_else(|| NO_REASON.to_owned());
            draft.decide("ask", Some(reason));
        }
        ("ask", Ask::Ignored) => draft.note(format!("Cursor does not ask on {}: the call proceeds", known.name)),
        // An allow is what a hook says that has nothing against the call: it grants nothing.
        _ if ask == Ask::Asks => {
            draft.message(&words.user.unwrap_or_default(), "info");
            draft.context(&words.agent.unwrap_or_default());
        }
        _ => {}
    }
    if known.name == "preToolUse" {
        rewrite(draft, invocation, fields)?;
    }
    Ok(())
}

fn rewrite(
    draft: &mut Draft<'_>,
    invocation: &Invocation,
    fields: &Map<String, Value>,
) -> Result<(), HandlerResult<Value>> {
    match fields.get("updated_input") {
        None | Some(Value::Null) => {}
        Some(Value::Object(input)) => {
            let (tool, definition) = (invocation.text("tool").unwrap_or_default(), invocation.tool.as_ref());
            draft.modify("args", Value::Object(tool_names::args_from_dialect(NAME, tool, definition, input)));
        }
        // Who rewrites a call does not want it as it is.
        Some(other) => {
            let what = format!("`updated_input` must be an object, is {}", output::kind(other));
            return Err(refused(FailureKind::InvalidAnswer, what));
        }
    }
    Ok(())
}

fn followup(draft: &mut Draft<'_>, invocation: &Invocation, known: &CursorEvent, fields: &Map<String, Value>) {
    let Some(message) = text(fields, &["followup_message", "followupMessage"]) else { return };
    let status = invocation.own(NAME, "status").and_then(Value::as_str).or_else(|| invocation.text("status"));
    if known.name == "subagentStop" && status.is_some_and(|status| status != "completed") {
        draft.note("Cursor follows up only on a subagent that completed");
        return;
    }
    draft.decide("block", Some(message));
}

fn result(draft: &mut Draft<'_>, invocation: &Invocation, fields: &Map<String, Value>) {
    let Some(output) = fields.get("updated_mcp_tool_output").filter(|output| !output.is_null()) else { return };
    let tool = invocation.tool.as_ref().and_then(|known| known.same_as.as_deref()).or_else(|| invocation.text("tool"));
    if tool.is_some_and(|tool| tool.starts_with("mcp__")) {
        draft.modify_output(output.clone());
    } else {
        draft.note("`updated_mcp_tool_output` is read for tools of MCP servers alone");
    }
}

/// What a model answered to a question: `{"ok": …, "reason": …}`.
pub(super) fn judged(invocation: &Invocation, answer: &Value) -> HandlerResult<Value> {
    let parsed = match answer {
        Value::String(text) => output::parse_twice(text),
        Value::Object(fields) => Json::Object(fields.clone()),
        other => Json::Other(other.clone()),
    };
    let Json::Object(fields) = parsed else {
        return failed(FailureKind::InvalidAnswer, "the model's answer is no JSON object with `ok`");
    };
    match fields.get("ok") {
        Some(Value::Bool(true)) => HandlerResult::Nothing,
        Some(Value::Bool(false)) => {
            let mut draft = Draft::new(NAME, invocation);
            draft.decide("block", Some(text(&fields, &["reason"]).unwrap_or_else(|| NO_REASON.to_owned())));
            draft.into_result()
        }
        _ => failed(FailureKind::InvalidAnswer, "the model's answer has no `ok` that is true or false"),
    }
}
