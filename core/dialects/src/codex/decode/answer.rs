//! What accepted output means, event by event.

use serde_json::Value;

use super::rewritten;
use super::schema::{Behavior, Decision, Output, Permission, PermissionVerdict, Specific};
use crate::Invocation;
use crate::codex::NAME;
use crate::draft::{Draft, failed};
use hookweave_machine::dispatch::{FailureKind, HandlerResult};

/// The answer, or why Codex takes the output for a failure.
pub(super) fn answer(invocation: &Invocation, mut words: Output) -> HandlerResult<Value> {
    let mut draft = Draft::new(NAME, invocation);
    let message = words.system_message.take();
    let read = match invocation.event.name() {
        "PreToolUse" => pre_tool_use(&mut draft, invocation, words),
        "PermissionRequest" => permission_request(&mut draft, words),
        "PostToolUse" => post_tool_use(&mut draft, words),
        "UserPromptSubmit" => prompt(&mut draft, words),
        "Stop" | "SubagentStop" => stop(&mut draft, &words),
        event => {
            start_or_compact(&mut draft, event, words);
            Ok(())
        }
    };
    match (read, message) {
        (Ok(()), message) => {
            draft.message(message.as_deref().unwrap_or_default(), "warning");
            draft.into_result()
        }
        // At home the message is shown even then.
        (Err(why), Some(message)) => failed(FailureKind::InvalidAnswer, format!("{why} (its message: {message})")),
        (Err(why), None) => failed(FailureKind::InvalidAnswer, why),
    }
}

type Read = Result<(), String>;

fn given(reason: Option<&str>) -> Option<String> {
    reason.map(str::trim).filter(|reason| !reason.is_empty()).map(str::to_owned)
}

/// What events that decide a tool call refuse of the keys of every event.
fn no_universal(words: &Output) -> Read {
    let unsupported = |what: &str| Err(format!("Codex does not support `{what}` here and lets the call proceed"));
    if !words.r#continue {
        unsupported("continue: false")
    } else if words.stop_reason.is_some() {
        unsupported("stopReason")
    } else if words.suppress_output {
        unsupported("suppressOutput")
    } else {
        Ok(())
    }
}

fn pre_tool_use(draft: &mut Draft<'_>, invocation: &Invocation, words: Output) -> Read {
    no_universal(&words)?;
    let specific = words.hook_specific_output;
    let decides = specific.as_ref().is_some_and(|specific| {
        specific.permission_decision.is_some()
            || specific.permission_decision_reason.is_some()
            || specific.updated_input.is_some()
    });
    let context = specific.as_ref().and_then(|specific| specific.additional_context.clone());
    if let Some(specific) = specific.filter(|_| decides) {
        permission(draft, invocation, specific)?;
    } else {
        match words.decision {
            Some(Decision::Approve) => return Err("Codex does not support `decision: approve`".to_owned()),
            Some(Decision::Block) => {
                let reason = given(words.reason.as_deref()).ok_or("`decision: block` without a reason")?;
                draft.decide("block", Some(reason));
            }
            None if words.reason.is_some() => return Err("`reason` without a decision".to_owned()),
            None => {}
        }
    }
    draft.context(context.as_deref().unwrap_or_default());
    Ok(())
}

fn permission(draft: &mut Draft<'_>, invocation: &Invocation, specific: Specific) -> Read {
    match (specific.permission_decision, specific.updated_input) {
        (Some(Permission::Allow), Some(updated)) => {
            // The call is rewritten and then approved as any other: this is no consent.
            draft.modify("args", rewritten(invocation, &updated)?);
            Ok(())
        }
        (_, Some(_)) => Err("`updatedInput` without `permissionDecision: allow`".to_owned()),
        (Some(Permission::Allow), None) => {
            Err("Codex does not support `permissionDecision: allow` without `updatedInput`".to_owned())
        }
        (Some(Permission::Ask), None) => {
            Err("Codex does not support `permissionDecision: ask` and lets the call proceed".to_owned())
        }
        (Some(Permission::Deny), None) => {
            let reason = given(specific.permission_decision_reason.as_deref());
            let reason = reason.ok_or("`permissionDecision: deny` without a `permissionDecisionReason`")?;
            draft.decide("block", Some(reason));
            Ok(())
        }
        (None, None) => Err("`permissionDecisionReason` without a `permissionDecision`".to_owned()),
    }
}

fn permission_request(draft: &mut Draft<'_>, words: Output) -> Read {
    no_universal(&words)?;
    let Some(verdict) = words.hook_specific_output.and_then(|specific| specific.decision) else { return Ok(()) };
    let PermissionVerdict { behavior, updated_input, updated_permissions, message, interrupt } = verdict;
    let reserved = [
        ("updatedInput", updated_input.is_some()),
        ("updatedPermissions", updated_permissions.is_some()),
        ("interrupt", interrupt),
    ];
    if let Some((name, _)) = reserved.into_iter().find(|(_, given)| *given) {
        return Err(format!("Codex does not support `{name}` in a decision"));
    }
    match behavior {
        Behavior::Allow => draft.decide("allow", None),
        Behavior::Deny => {
            let reason = given(message.as_deref()).unwrap_or_else(|| "the hook denied the request".to_owned());
            draft.decide("block", Some(reason));
        }
    }
    Ok(())
}

/// A block needs a reason.
fn blocks(draft: &mut Draft<'_>, words: &Output) -> Read {
    if words.decision == Some(Decision::Block) {
        let reason = given(words.reason.as_deref()).ok_or("`decision: block` without a reason")?;
        draft.decide("block", Some(reason));
    }
    Ok(())
}

fn post_tool_use(draft: &mut Draft<'_>, words: Output) -> Read {
    if words.r#continue {
        if words.suppress_output {
            return Err("Codex does not support `suppressOutput` here".to_owned());
        }
        if words.decision.is_none() && words.reason.is_some() {
            return Err("`reason` without a decision".to_owned());
        }
        blocks(draft, &words)?;
    } else {
        let feedback = given(words.reason.as_deref());
        draft.decide("stop", feedback.or_else(|| given(words.stop_reason.as_deref())));
    }
    if let Some(specific) = words.hook_specific_output {
        draft.context(specific.additional_context.as_deref().unwrap_or_default());
        if let Some(output) = specific.updated_tool_output.or(specific.updated_mcp_tool_output) {
            draft.modify_output(output);
        }
    }
    Ok(())
}

fn prompt(draft: &mut Draft<'_>, words: Output) -> Read {
    if words.r#continue {
        blocks(draft, &words)?;
    } else {
        draft.decide("stop", given(words.stop_reason.as_deref()));
    }
    let context = words.hook_specific_output.and_then(|specific| specific.additional_context);
    draft.context(context.as_deref().unwrap_or_default());
    suppresses(draft, words.suppress_output);
    Ok(())
}

fn stop(draft: &mut Draft<'_>, words: &Output) -> Read {
    if words.r#continue {
        blocks(draft, words)?;
    } else {
        draft.decide("stop", given(words.stop_reason.as_deref()));
    }
    suppresses(draft, words.suppress_output);
    Ok(())
}

fn start_or_compact(draft: &mut Draft<'_>, event: &str, words: Output) {
    if !words.r#continue {
        if event == "SubagentStart" {
            draft.note("Codex does not stop a subagent by `continue: false`");
        } else {
            draft.decide("stop", given(words.stop_reason.as_deref()));
        }
    }
    let context = words.hook_specific_output.and_then(|specific| specific.additional_context);
    draft.context(context.as_deref().unwrap_or_default());
    suppresses(draft, words.suppress_output);
}

fn suppresses(draft: &mut Draft<'_>, asked: bool) {
    if asked {
        draft.suppress_output();
    }
}
