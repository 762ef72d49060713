//! What a Codex hook means by its exit code and output.
//!
//! Codex reads strictly: one unknown key, a null where a flag belongs, a refusal without a reason, and the whole output
//! is void and the hook has failed, which lets the action go on.

use serde_json::Value;

use super::{NAME, encode};
use crate::draft::{Draft, failed};
use crate::output::{self, Json};
use crate::{CommandOutput, Invocation};
use hookweave_machine::dispatch::{FailureKind, HandlerResult};

mod answer;
mod schema;

use schema::Output;

pub(super) fn decode(invocation: &Invocation, exited: &CommandOutput) -> HandlerResult<Value> {
    let event = invocation.event.name();
    let stdout = output::text(&exited.stdout);
    let stderr = output::text(&exited.stderr);
    match exited.code {
        Some(0) if event == "SessionEnd" => HandlerResult::Nothing,
        Some(0) => read_output(invocation, &stdout, &stderr),
        Some(2) if reads_exit_2(event) => {
            if stderr.is_empty() {
                let why = "exit code 2 without a reason on standard error, which Codex takes for a failure";
                return failed(FailureKind::Exited, why);
            }
            let mut draft = Draft::new(NAME, invocation);
            draft.decide("block", Some(stderr.into_owned()));
            draft.into_result()
        }
        code => failed(FailureKind::Exited, output::ending(code, exited.signal, &stdout, &stderr)),
    }
}

/// Where exit code 2 refuses; elsewhere it is a failure like any other.
fn reads_exit_2(event: &str) -> bool {
    matches!(event, "PreToolUse" | "PermissionRequest" | "PostToolUse" | "UserPromptSubmit" | "Stop" | "SubagentStop")
}

/// The output of a hook that succeeded.
fn read_output(invocation: &Invocation, stdout: &str, stderr: &str) -> HandlerResult<Value> {
    let event = invocation.event.name();
    let mut draft = Draft::new(NAME, invocation);
    if let Some(why) = output::misplaced_answer(stderr) {
        draft.note(why);
    }
    if stdout.is_empty() {
        return draft.into_result();
    }
    let invalid = |why: &str| failed(FailureKind::InvalidAnswer, format!("{why}: {}", output::first_line(stdout)));
    match output::parse(stdout) {
        Json::Object(fields) => match Output::read(event, fields) {
            Ok(words) => answer::answer(invocation, words),
            Err(why) => failed(FailureKind::InvalidAnswer, format!("Codex voids this output as a whole: {why}")),
        },
        Json::Unreadable(why) => invalid(&format!("the output cannot be read ({why})")),
        _ if matches!(event, "Stop" | "SubagentStop") => invalid("only a JSON object is an answer here"),
        _ if stdout.starts_with(['{', '[']) => invalid("the output looks like JSON and is no JSON object"),
        _ if matches!(event, "SessionStart" | "SubagentStart" | "UserPromptSubmit") => {
            draft.context(stdout);
            draft.into_result()
        }
        _ => {
            if output::object_behind_text(stdout).is_some() {
                draft.note("the JSON object follows other text, where Codex does not read it");
            }
            draft.into_result()
        }
    }
}

/// The tool's own arguments, from what the hook would have the tool run.
fn rewritten(invocation: &Invocation, updated: &Value) -> Result<Value, String> {
    use crate::{codex::patch, tool_names};
    let Value::Object(input) = updated else {
        return Err(format!("`updatedInput` must be an object, is {}", output::kind(updated)));
    };
    let tool = invocation.text("tool").unwrap_or_default();
    let definition = invocation.tool.as_ref();
    let ours = definition.and_then(|known| known.same_as.as_deref()).unwrap_or(tool);
    let (name, sent) = encode::tool(invocation);
    let command = input.get("command").and_then(Value::as_str);
    if matches!(name.as_str(), "Bash" | "apply_patch") && command.is_none() {
        return Err(format!("`updatedInput.command` must be a string for {name}"));
    }
    let original = invocation.field("args").and_then(Value::as_object);
    let edited = original.map(|args| tool_names::args_to_dialect(NAME, tool, definition, args));
    let is_made = name == "apply_patch" && edited.is_some_and(|args| patch::from_args(ours, &args).is_some());
    let Some(command) = command.filter(|_| is_made) else {
        return Ok(Value::Object(tool_names::args_from_dialect(NAME, tool, definition, input)));
    };
    let mut args = original.cloned().unwrap_or_default();
    if sent.get("command").and_then(Value::as_str) != Some(command) {
        let (meant, changed) = patch::to_args(command);
        if meant != ours || changed.contains_key("command") {
            return Err(format!("the new patch does more than one {ours} of one file can do"));
        }
        args.extend(tool_names::args_from_dialect(NAME, tool, definition, &changed));
    }
    Ok(Value::Object(args))
}
