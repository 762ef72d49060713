//! What stands beside the decision: context, messages, and what only this dialect has.

use serde_json::{Map, Value, json};

use super::Writer;
use crate::WireAnswer;
use crate::claude_code::events::{Holds, Listens};

impl Writer<'_> {
    pub(super) fn write_parts(&mut self) {
        let name = self.known.name;
        if let Some(context) = self.outcome.context_text() {
            let goes_on = matches!(name, "Stop" | "SubagentStop") && !self.output.contains_key("decision");
            if !self.may_set("additionalContext") {
                self.answer.degrade(format!("{name} hooks cannot give context; it is left out"));
            } else if goes_on {
                self.answer.degrade(format!("context on {name} would keep the agent at work; it is left out"));
            } else {
                self.set_specific("additionalContext", context);
            }
        }
        if let Some(messages) = self.outcome.messages_text() {
            if self.known.listens == Listens::Neither {
                self.answer.degrade(format!("{name} hooks cannot show messages; they are left out"));
            } else if let Some(Value::String(first)) = self.output.get("systemMessage") {
                let both = format!("{first}\n{messages}");
                self.set("systemMessage", both);
            } else {
                self.set("systemMessage", messages);
            }
        }
        let left = self.outcome.own(self.flavour.name, "env").and_then(Value::as_object);
        if left.is_some_and(|left| !left.is_empty()) {
            self.answer.degrade(
                "variables that hooks left are no part of an answer; they are lost unless the program appends them to the \
                 file that CLAUDE_ENV_FILE names",
            );
        }
        if self.outcome.suppress_output {
            self.set("suppressOutput", true);
        }
    }

    /// What only this dialect has, as its hooks left it.
    pub(super) fn hand_on(&mut self) {
        const DECIDING: &[&str] =
            &["permissionDecision", "permissionDecisionReason", "decision", "retry", "additionalContext"];
        const CHANGING: &[&str] = &["updatedInput", "updatedToolOutput", "updatedMCPToolOutput"];
        for (name, holds) in self.known.specific {
            if DECIDING.contains(name) || CHANGING.contains(name) || self.specific.contains_key(*name) {
                continue;
            }
            // An answer to a form is passed on only when no hook refuses.
            if matches!(*name, "action" | "content")
                && (self.outcome.refuses() || self.specific.get("action").is_some_and(|action| action == "decline"))
            {
                continue;
            }
            let own = self.outcome.own(self.flavour.name, name).filter(|own| holds_it(*holds, own)).cloned();
            if let Some(own) = own {
                self.set_specific(name, own);
            }
        }
        if let Some(sequence) =
            self.outcome.own(self.flavour.name, "terminalSequence").filter(|own| own.is_string()).cloned()
        {
            self.set("terminalSequence", sequence);
        }
    }

    pub(super) fn finish(mut self) -> WireAnswer {
        if self.flavour.context_at_top
            && let Some(context) = self.specific.shift_remove("additionalContext")
        {
            self.set("additionalContext", context);
        }
        if !self.specific.is_empty() {
            let mut specific = Map::new();
            specific.insert("hookEventName".to_owned(), json!(self.flavour.theirs(self.known)));
            specific.extend(std::mem::take(&mut self.specific));
            self.set("hookSpecificOutput", specific);
        }
        let output = std::mem::take(&mut self.output);
        let is_path = self.known.name == "WorktreeCreate" && self.stderr.is_none();
        let path = output.get("hookSpecificOutput").and_then(|specific| specific.get("worktreePath")).cloned();
        let mut answer = self.answer.with_output(output);
        if let Some(reason) = self.stderr {
            answer.exit_code = 2;
            answer.stderr = reason;
        }
        if is_path && let Some(Value::String(path)) = path {
            answer.stdout = path;
        }
        answer
    }
}

fn holds_it(holds: Holds, value: &Value) -> bool {
    match holds {
        Holds::Anything => true,
        Holds::Text => value.is_string(),
        Holds::Flag => value.is_boolean(),
        Holds::Object | Holds::Ruling => value.is_object(),
        Holds::Texts => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
        Holds::OneOf(words) => value.as_str().is_some_and(|word| words.contains(&word)),
    }
}
