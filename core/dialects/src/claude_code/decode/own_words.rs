//! An agent's own words in an answer, put in Claude Code's.

use serde_json::{Map, Value, json};

use crate::claude_code::events::ClaudeEvent;
use crate::claude_code::flavour::Flavour;

/// Replaces words that mean the same. A word that means nothing on the event stays, and voids the answer.
pub(super) fn translate(flavour: &Flavour, known: &ClaudeEvent, answer: &mut Map<String, Value>) {
    decision(flavour, known, answer);
    if flavour.continue_false_blocks && answer.get("continue") == Some(&json!(false)) {
        answer.shift_remove("continue");
        answer.insert("decision".to_owned(), json!("block"));
    }
    if flavour.context_at_top
        && known.specific.iter().any(|(name, _)| *name == "additionalContext")
        && answer.get("additionalContext").is_some_and(Value::is_string)
        && let Some(context) = answer.shift_remove("additionalContext")
    {
        answer
            .entry("hookSpecificOutput")
            .or_insert_with(|| json!({"hookEventName": flavour.theirs(known), "additionalContext": context}));
    }
    if known.specific.is_empty() && !flavour.needs_event_name {
        answer.shift_remove("hookSpecificOutput");
    }
    let Some(Value::Object(specific)) = answer.get_mut("hookSpecificOutput") else { return };
    let is_named = match specific.get("hookEventName") {
        Some(name) => *name == flavour.theirs(known),
        None => !flavour.needs_event_name,
    };
    if is_named {
        specific.insert("hookEventName".to_owned(), json!(known.name));
    }
}

fn decision(flavour: &Flavour, known: &ClaudeEvent, answer: &mut Map<String, Value>) {
    let Some(Value::String(word)) = answer.get_mut("decision") else { return };
    let Some((_, means)) = flavour.decisions.iter().find(|(theirs, _)| theirs == word) else { return };
    if *means == "pass" {
        answer.shift_remove("decision");
        return;
    }
    if *means != "ask" {
        (*means).clone_into(word);
        return;
    }
    if known.name != "PreToolUse" {
        return;
    }
    answer.shift_remove("decision");
    let specific =
        answer.entry("hookSpecificOutput").or_insert_with(|| json!({"hookEventName": flavour.theirs(known)}));
    if let Value::Object(specific) = specific {
        specific.entry("permissionDecision").or_insert_with(|| json!("ask"));
    }
}
