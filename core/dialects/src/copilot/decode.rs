//! What a Copilot hook means by its exit code and output.

use serde_json::{Map, Value, json};

use super::NAME;
use super::events::{CopilotEvent, of};
use crate::draft::{Draft, failed, refused};
use crate::output::{self, Json};
use crate::{CommandOutput, Invocation, WebResponse, canonical, tool_names};
use hookweave_machine::dispatch::{FailureKind, HandlerResult};

const NO_REASON: &str = "the hook gave no reason";

/// What was printed, beside lines that report progress.
enum Printed {
    Fields(Map<String, Value>),
    Nothing(Option<&'static str>),
    Unreadable(String),
}

pub(super) fn decode(invocation: &Invocation, exited: &CommandOutput) -> HandlerResult<Value> {
    let Some(known) = of(invocation) else {
        return failed(FailureKind::InvalidAnswer, "Copilot has no such event");
    };
    let (stdout, stderr) = (output::text(&exited.stdout), output::text(&exited.stderr));
    match (exited.code, printed(&stdout)) {
        (Some(0), printed) => answer(invocation, known, printed, |_| {}),
        (Some(2), printed) => exit_2(invocation, known, printed, &stdout, &stderr),
        (code, _) => {
            let ending = output::ending(code, exited.signal, &stdout, &stderr);
            if guards(invocation) { refused(FailureKind::Exited, ending) } else { failed(FailureKind::Exited, ending) }
        }
    }
}

/// Whether a hook that breaks refuses: a guard of tool calls does.
pub(super) fn guards(invocation: &Invocation) -> bool {
    invocation.event.name() == "PreToolUse"
}

pub(super) fn decode_web(invocation: &Invocation, web: &WebResponse) -> HandlerResult<Value> {
    let Some(known) = of(invocation) else {
        return failed(FailureKind::InvalidAnswer, "Copilot has no such event");
    };
    let body = output::text(&web.body);
    if !(200..300).contains(&web.status) {
        let what = format!("status {}: {}", web.status, output::first_line(&body));
        return failed(FailureKind::Unreachable, what);
    }
    answer(invocation, known, printed(&body), |_| {})
}

fn printed(stdout: &str) -> Printed {
    let rest: Vec<&str> = stdout.lines().filter(|line| !is_progress(line)).collect();
    let rest = rest.join("\n");
    match output::parse(&rest) {
        Json::Object(fields) => Printed::Fields(fields),
        Json::Unreadable(why) => Printed::Unreadable(why),
        Json::Not if output::object_behind_text(&rest).is_some() => {
            Printed::Nothing(Some("the JSON object does not stand alone, and Copilot reads none then"))
        }
        Json::Not | Json::Other(_) => Printed::Nothing(None),
    }
}

/// A line that only reports progress: one whole object that says so.
fn is_progress(line: &str) -> bool {
    line.contains("progress")
        && matches!(output::parse_object_first(line), Json::Object(fields) if fields.get("type") == Some(&json!("progress")))
}

fn exit_2(
    invocation: &Invocation,
    known: &CopilotEvent,
    printed: Printed,
    stdout: &str,
    stderr: &str,
) -> HandlerResult<Value> {
    match known.event {
        "PreToolUse" | "PermissionRequest" => {
            let fields = if let Printed::Fields(fields) = printed { fields } else { Map::new() };
            let inner = nested(known, &fields);
            let printed_reason = text(&fields, "permissionDecisionReason")
                .or_else(|| text(&fields, "message"))
                .or_else(|| text(inner?, "permissionDecisionReason"));
            // The one event shows standard error as the reason, the other ignores it.
            let otherwise = Some(stderr).filter(|text| known.event == "PreToolUse" && !text.is_empty());
            let reason = printed_reason.or(otherwise).unwrap_or("the hook denied with exit code 2");
            let action = if interrupts(&fields) { "stop" } else { "block" };
            let mut draft = Draft::new(NAME, invocation);
            draft.decide(action, Some(reason.to_owned()));
            draft.context(text(&fields, "additionalContext").unwrap_or_default());
            draft.into_result()
        }
        "PostToolUseFailure" => {
            let mut draft = Draft::new(NAME, invocation);
            if let Printed::Fields(fields) = &printed {
                draft.context(text(fields, "additionalContext").unwrap_or_default());
            } else {
                draft.context(stdout);
            }
            draft.context(stderr);
            draft.into_result()
        }
        _ => answer(invocation, known, printed, |draft| {
            draft.message(if stderr.is_empty() { "the hook ended with exit code 2" } else { stderr }, "warning");
        }),
    }
}

fn text<'f>(fields: &'f Map<String, Value>, name: &str) -> Option<&'f str> {
    fields.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn interrupts(fields: &Map<String, Value>) -> bool {
    fields.get("interrupt") == Some(&Value::Bool(true))
}

/// The object that VS Code's form of an answer nests, when the hook is configured that way.
fn nested<'f>(known: &CopilotEvent, fields: &'f Map<String, Value>) -> Option<&'f Map<String, Value>> {
    fields.get("hookSpecificOutput").filter(|_| known.snake)?.as_object()
}

fn answer(
    invocation: &Invocation,
    known: &CopilotEvent,
    printed: Printed,
    also: impl Fn(&mut Draft<'_>),
) -> HandlerResult<Value> {
    let mut draft = Draft::new(NAME, invocation);
    also(&mut draft);
    let fields = match printed {
        Printed::Fields(fields) => fields,
        Printed::Nothing(note) => {
            if let Some(note) = note {
                draft.note(note);
            }
            return draft.into_result();
        }
        Printed::Unreadable(why) => {
            return refused(FailureKind::InvalidAnswer, format!("the output cannot be read: {why}"));
        }
    };
    let read = match known.event {
        "PreToolUse" => pre_tool_use(&mut draft, invocation, known, &fields),
        "PermissionRequest" => permission_request(&mut draft, invocation, known, &fields),
        "PostToolUse" => {
            post_tool_use(&mut draft, invocation, &fields);
            Ok(())
        }
        "Stop" | "SubagentStop" => {
            stop(&mut draft, known, &fields);
            Ok(())
        }
        "UserPromptSubmit" if !fields.is_empty() => {
            draft.note("Copilot drops what a command says to a prompt");
            Ok(())
        }
        _ => Ok(()),
    };
    if let Err(printed_reason) = read {
        return printed_reason;
    }
    let role = match known.event {
        "Notification" => "user",
        "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "SessionStart" | "SubagentStart" => "system",
        _ => return draft.into_result(),
    };
    let context = nested(known, &fields).and_then(|fields| text(fields, "additionalContext"));
    draft.context_as(text(&fields, "additionalContext").or(context).unwrap_or_default(), role);
    draft.into_result()
}

fn pre_tool_use(
    draft: &mut Draft<'_>,
    invocation: &Invocation,
    known: &CopilotEvent,
    fields: &Map<String, Value>,
) -> Result<(), HandlerResult<Value>> {
    for words in [Some(fields), nested(known, fields)].into_iter().flatten() {
        let reason = || Some(text(words, "permissionDecisionReason").unwrap_or(NO_REASON).to_owned());
        match words.get("permissionDecision").filter(|given| !given.is_null()) {
            None => {}
            Some(value) => match value.as_str() {
                Some("deny") => draft.decide("block", reason()),
                Some("ask") => draft.decide("ask", reason()),
                Some("allow") => draft.decide("allow", text(words, "permissionDecisionReason").map(str::to_owned)),
                _ => return Err(canonical::unknown_word("permissionDecision", value)),
            },
        }
    }
    if draft.refuses() {
        return Ok(());
    }
    let updated = nested(known, fields).and_then(|fields| fields.get("updatedInput"));
    match fields.get("modifiedArgs").or(updated) {
        None | Some(Value::Null) => {}
        Some(Value::Object(args)) => {
            let (tool, definition) = (invocation.text("tool").unwrap_or_default(), invocation.tool.as_ref());
            draft.modify("args", Value::Object(tool_names::args_from_dialect(NAME, tool, definition, args)));
        }
        // Who rewrites a call does not want it as it is.
        Some(other) => {
            let what = format!("`modifiedArgs` must be an object, is {}", output::kind(other));
            return Err(refused(FailureKind::InvalidAnswer, what));
        }
    }
    Ok(())
}

fn permission_request(
    draft: &mut Draft<'_>,
    invocation: &Invocation,
    known: &CopilotEvent,
    fields: &Map<String, Value>,
) -> Result<(), HandlerResult<Value>> {
    let inner = nested(known, fields).and_then(|fields| fields.get("decision")).and_then(Value::as_object);
    let Some(words) = [Some(fields), inner].into_iter().flatten().find(|words| words.contains_key("behavior")) else {
        return Ok(());
    };
    let value = words.get("behavior").unwrap_or(&Value::Null);
    match value.as_str() {
        Some("deny") => {
            let reason = text(words, "message").unwrap_or(NO_REASON);
            draft.decide(if interrupts(words) { "stop" } else { "block" }, Some(reason.to_owned()));
        }
        Some("allow") => {
            let bypass = invocation.field("args").and_then(|args| args.get("requestSandboxBypass"));
            if bypass == Some(&Value::Bool(true)) {
                draft.note("no hook lets a call out of the sandbox: the person decides");
            } else {
                draft.decide("allow", None);
            }
        }
        _ => return Err(canonical::unknown_word("behavior", value)),
    }
    Ok(())
}

fn post_tool_use(draft: &mut Draft<'_>, invocation: &Invocation, fields: &Map<String, Value>) {
    let Some(result) = fields.get("modifiedResult").and_then(Value::as_object) else { return };
    let (Some(kind), Some(new)) =
        (text(result, "resultType"), result.get("textResultForLlm").filter(|new| new.is_string()))
    else {
        draft.note("`modifiedResult` needs `resultType` and a `textResultForLlm`; it had no effect");
        return;
    };
    let mut record = invocation.field("result").and_then(Value::as_object).cloned().unwrap_or_default();
    record.insert("success".to_owned(), json!(kind == "success"));
    record.insert("output".to_owned(), new.clone());
    draft.modify("result", Value::Object(record));
}

fn stop(draft: &mut Draft<'_>, known: &CopilotEvent, fields: &Map<String, Value>) {
    for words in [Some(fields), nested(known, fields)].into_iter().flatten() {
        if text(words, "decision") == Some("block") {
            draft.decide("block", Some(text(words, "reason").unwrap_or(NO_REASON).to_owned()));
        }
    }
    let response = fields.get("modifiedResponse").filter(|new| new.is_string() && known.event == "SubagentStop");
    if let Some(response) = response.filter(|_| !draft.refuses()) {
        draft.own("modifiedResponse", response.clone());
    }
}
