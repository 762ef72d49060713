//! The fields of an answer, each put where the event has a place for it.

use serde_json::{Map, Value, json};

use crate::claude_code::encode::result_output;
use crate::claude_code::events::{ClaudeEvent, Listens};
use crate::claude_code::flavour::Flavour;
use crate::claude_code::is_beyond_hooks;
use crate::draft::Draft;
use crate::{Invocation, tool_names};

/// A field of `hookSpecificOutput`.
pub(crate) fn specific<'a>(answer: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    answer.get("hookSpecificOutput")?.get(name)
}

fn text<'a>(answer: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    answer.get(name).and_then(Value::as_str)
}

fn words(text: Option<&str>) -> Option<String> {
    text.filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Reads an answer that is valid; `refusal` is why exit code 2 refuses, if it does.
pub(crate) fn read(
    flavour: &Flavour,
    known: &ClaudeEvent,
    invocation: &Invocation,
    draft: &mut Draft<'_>,
    answer: &Map<String, Value>,
    refusal: Option<&str>,
) {
    let mut reading = Reading { flavour, known, invocation, draft, answer, refusal };
    if answer.get("async") == Some(&json!(true)) && refusal.is_none() {
        reading.draft.note("the hook continued in the background; its answer there decides nothing");
        return;
    }
    reading.universal();
    reading.event();
    if let Some(refusal) = refusal {
        reading.draft.decide("block", Some(refusal.to_owned()));
    }
    reading.context();
    // What a tool gave back may be rewritten and objected to at once.
    if !reading.draft.refuses() || known.name == "PostToolUse" {
        reading.changes();
    }
    reading.own();
}

struct Reading<'a, 'i> {
    flavour: &'a Flavour,
    known: &'a ClaudeEvent,
    invocation: &'a Invocation,
    draft: &'a mut Draft<'i>,
    answer: &'a Map<String, Value>,
    refusal: Option<&'a str>,
}

impl<'a> Reading<'a, '_> {
    fn specific(&self, name: &str) -> Option<&'a Value> {
        specific(self.answer, name)
    }

    fn specific_text(&self, name: &str) -> Option<&'a str> {
        self.specific(name).and_then(Value::as_str)
    }

    /// A reason for a refusal: the hook's, else what it left on stderr with exit code 2.
    fn reason(&self, own: Option<&str>) -> Option<String> {
        words(own).or_else(|| self.refusal.map(str::to_owned))
    }

    fn universal(&mut self) {
        if self.answer.get("continue") == Some(&json!(false)) {
            if self.known.listens == Listens::Both {
                self.draft.decide("stop", self.reason(text(self.answer, "stopReason")));
            } else {
                self.draft.note(format!("`continue: false` has no effect on {}", self.known.name));
            }
        }
        if let Some(message) = text(self.answer, "systemMessage") {
            if self.known.listens == Listens::Neither {
                self.draft.note(format!("`systemMessage` is not shown on {}", self.known.name));
            } else {
                self.draft.message(message, "warning");
            }
        }
        match text(self.answer, "decision") {
            Some("block") if is_beyond_hooks(self.invocation) => {
                self.draft.note("settings of the administrator take effect regardless of hooks");
            }
            Some("block") if self.known.blocks => {
                self.draft.decide("block", self.reason(text(self.answer, "reason")));
            }
            Some("approve") if self.known.name == "PreToolUse" => {
                self.draft.decide("allow", words(text(self.answer, "reason")));
            }
            Some(word @ "block") => self.draft.note(format!("`decision: {word}` has no effect on {}", self.known.name)),
            _ => {}
        }
    }

    fn event(&mut self) {
        match self.known.name {
            // A line that somebody wrote into a skill runs as it is, or not at all.
            "PreSkillShellCommand" if self.specific("updatedInput").is_some() => {
                let reason = "a shell line of a skill cannot be changed; `updatedInput` stops it";
                self.draft.decide("block", Some(reason.to_owned()));
            }
            "PreToolUse" | "PreModelSwitch" | "PreSkillShellCommand" => self.permission(),
            "PermissionRequest" => self.ruling(),
            "PermissionDenied" if self.specific("retry") == Some(&json!(true)) => self.draft.decide("retry", None),
            "Elicitation" | "ElicitationResult" => match self.specific_text("action") {
                Some("accept") => self.draft.decide("allow", None),
                Some("decline" | "cancel") => self.draft.decide("block", self.reason(text(self.answer, "reason"))),
                _ => {}
            },
            _ => {}
        }
    }

    fn permission(&mut self) {
        let own = self.specific_text("permissionDecisionReason");
        let reason = own.or_else(|| text(self.answer, "reason"));
        match self.specific_text("permissionDecision") {
            Some("allow") => self.draft.decide("allow", words(reason)),
            Some("deny") => self.draft.decide("block", self.reason(reason)),
            Some("ask") => self.draft.decide("ask", words(reason)),
            Some("defer") => {
                self.draft.decide("ask", words(reason));
                self.draft.own("permissionDecision", json!("defer"));
            }
            _ => {}
        }
    }

    fn ruling(&mut self) {
        let Some(ruling) = self.specific("decision").and_then(Value::as_object) else {
            let elsewhere = match text(self.answer, "decision") {
                Some("approve") => Some("decision: approve"),
                _ => self.specific("permissionDecision").map(|_| "permissionDecision"),
            };
            if let Some(elsewhere) = elsewhere {
                self.draft.note(format!(
                    "`{elsewhere}` has no effect on PermissionRequest; answer with `hookSpecificOutput.decision.behavior`"
                ));
            }
            return;
        };
        if text(ruling, "behavior") == Some("allow") {
            self.draft.decide("allow", None);
        } else {
            self.draft.decide("block", words(text(ruling, "message")));
        }
        for name in ["interrupt", "updatedPermissions"] {
            if let Some(value) = ruling.get(name) {
                self.draft.own(name, value.clone());
            }
        }
    }

    fn context(&mut self) {
        let Some(context) = self.specific_text("additionalContext").filter(|text| !text.is_empty()) else { return };
        // At the end of a turn context is a reason to go on.
        if matches!(self.known.name, "Stop" | "SubagentStop") && !self.draft.refuses() {
            self.draft.decide("block", Some(context.to_owned()));
        } else {
            self.draft.context(context);
        }
    }

    fn changes(&mut self) {
        let ruling = self.specific("decision");
        let input = match self.known.name {
            "PreToolUse" if self.specific_text("permissionDecision") == Some("defer") => None,
            "PreToolUse" => self.specific("updatedInput"),
            "PermissionRequest" => ruling.and_then(|ruling| ruling.get("updatedInput")),
            _ => None,
        };
        if let Some(input) = input.and_then(Value::as_object) {
            let args = self.input(input);
            self.draft.modify("args", Value::Object(args));
        }
        if self.known.name == "PostToolUse"
            && let Some(output) = self.new_output()
        {
            let tool = self.invocation.text("tool").unwrap_or_default();
            let known = self.invocation.tool.as_ref().and_then(|defined| defined.same_as.as_deref());
            self.draft.modify_output(result_output(known.unwrap_or(tool), output.clone()));
        }
    }

    /// New arguments under the host's names; where the dialect gives only what changes, the rest stays.
    fn input(&self, input: &Map<String, Value>) -> Map<String, Value> {
        let tool = self.invocation.text("tool").unwrap_or_default();
        let definition = self.invocation.tool.as_ref();
        let mut whole = Map::new();
        if self.flavour.input_merges
            && let Some(Value::Object(args)) = self.invocation.field("args")
        {
            whole = tool_names::args_to_dialect(self.flavour.name, tool, definition, args);
        }
        whole.extend(input.iter().map(|(name, value)| (name.clone(), value.clone())));
        tool_names::args_from_dialect(self.flavour.name, tool, definition, &whole)
    }

    /// `updatedMCPToolOutput` is the older name, for MCP tools alone.
    fn new_output(&self) -> Option<&'a Value> {
        let is_mcp = self.invocation.text("tool").is_some_and(|tool| tool.starts_with("mcp__"));
        let older = || self.specific("updatedMCPToolOutput").filter(|_| is_mcp);
        self.specific("updatedToolOutput").or_else(older)
    }

    /// What only Claude Code has.
    fn own(&mut self) {
        const ELSEWHERE: &[&str] = &[
            "additionalContext",
            "decision",
            "permissionDecision",
            "permissionDecisionReason",
            "retry",
            "updatedInput",
            "updatedMCPToolOutput",
            "updatedToolOutput",
        ];
        for (name, _) in self.known.specific.iter().filter(|(name, _)| !ELSEWHERE.contains(name)) {
            if let Some(value) = self.specific(name) {
                self.draft.own(name, value.clone());
            }
        }
        if let Some(sequence) = text(self.answer, "terminalSequence") {
            if is_harmless(sequence) {
                self.draft.own("terminalSequence", json!(sequence));
            } else {
                self.draft.note("`terminalSequence` may hold only BEL and OSC 0, 1, 2, 9, 99 and 777; it is dropped");
            }
        }
    }
}

/// Whether a terminal sequence only rings, names the window or notifies.
fn is_harmless(sequence: &str) -> bool {
    let mut rest = sequence;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('\u{7}') {
            rest = after;
            continue;
        }
        let Some(body) = rest.strip_prefix("\u{1b}]") else { return false };
        let Some(end) = body.find(['\u{7}', '\u{1b}']) else { return false };
        let (text, tail) = body.split_at(end);
        let Some(after) = tail.strip_prefix('\u{7}').or_else(|| tail.strip_prefix("\u{1b}\\")) else { return false };
        let code = text.split_once(';').map_or(text, |(code, _)| code);
        if !["0", "1", "2", "9", "99", "777"].contains(&code) || text.chars().any(char::is_control) {
            return false;
        }
        rest = after;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::is_harmless;

    #[test]
    fn only_bells_titles_and_notifications_reach_a_terminal() {
        assert!(is_harmless("\u{7}\u{1b}]0;done\u{7}\u{1b}]777;notify;a;b\u{1b}\\"));
        for bad in ["\u{1b}[2J", "\u{1b}]52;c;eA==\u{7}", "\u{1b}]0;open", "text", "\u{1b}]0;a\u{9b}2J\u{7}"] {
            assert!(!is_harmless(bad), "{bad:?}");
        }
    }
}
