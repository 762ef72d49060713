//! What a hook leaves for Claude Code when the engine stands behind it.

mod parts;

use serde_json::{Map, Value, json};

use crate::claude_code::NAME;
use crate::claude_code::events::{ClaudeEvent, Listens, SKILL_LINE, Two};
use crate::claude_code::flavour::Flavour;
use crate::{OutcomeView, WireAnswer, tool_names};
use hookweave_machine::action::Action;

/// The output for an outcome; what the event has no place for becomes stricter.
pub(crate) fn write(flavour: &Flavour, outcome: &OutcomeView<'_>) -> WireAnswer {
    let Some(mut known) = flavour.of(outcome.event.event) else {
        return foreign(flavour, outcome);
    };
    if known.name == "PreToolUse" && is_skill_line(outcome) {
        known = &SKILL_LINE;
    }
    let mut writer = Writer {
        flavour,
        known,
        outcome,
        answer: WireAnswer::default(),
        output: Map::new(),
        specific: Map::new(),
        stderr: None,
    };
    writer.decide();
    writer.write_parts();
    writer.hand_on();
    writer.finish()
}

/// Whether the agent asked about a shell line of a skill.
fn is_skill_line(outcome: &OutcomeView<'_>) -> bool {
    let own = outcome.event.payload.get("metadata").and_then(|metadata| metadata.get(NAME));
    own.and_then(|own| own.get("hook_event_name")).is_some_and(|name| *name == SKILL_LINE.name)
}

/// An event that the agent does not have: it cannot have sent it, so only a refusal is reported.
fn foreign(flavour: &Flavour, outcome: &OutcomeView<'_>) -> WireAnswer {
    let mut answer = WireAnswer::default();
    answer.degrade(format!("{} has no event {}; only a refusal is reported", flavour.name, outcome.event.event));
    if outcome.refuses() {
        answer.exit_code = 2;
        answer.stderr = outcome.reason_text();
    }
    answer
}

struct Writer<'a> {
    flavour: &'a Flavour,
    known: &'static ClaudeEvent,
    outcome: &'a OutcomeView<'a>,
    answer: WireAnswer,
    output: Map<String, Value>,
    specific: Map<String, Value>,
    /// Exit with 2, and say this.
    stderr: Option<String>,
}

impl Writer<'_> {
    fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.output.insert(name.to_owned(), value.into());
    }

    fn set_specific(&mut self, name: &str, value: impl Into<Value>) {
        self.specific.insert(name.to_owned(), value.into());
    }

    fn may_set(&self, name: &str) -> bool {
        self.known.specific.iter().any(|(known, _)| *known == name)
    }

    fn decide(&mut self) {
        let name = self.known.name;
        let decision = self.outcome.decision;
        let refuses = self.outcome.refuses();
        if !refuses && let Some(why) = self.inexpressible() {
            self.answer.degrade(why.clone());
            // A refusal after a tool may leave its result where the model reads it; this takes it away.
            if name == "PostToolUse" {
                self.end_turn(&why);
            }
            self.refuse(&why);
            return;
        }
        match decision {
            Action::Stop => self.stop(),
            _ if refuses => {
                let reason = self.outcome.reason_text();
                self.refuse(&reason);
            }
            Action::Ask => self.ask(),
            Action::Retry if name == "PermissionDenied" => self.set_specific("retry", true),
            Action::Retry => {
                let why = format!("{name} has no `retry`; the hook refuses and says that it may be done again");
                self.answer.degrade(why);
                let reason = format!("{} (it may be done again)", self.outcome.reason_text());
                self.refuse(&reason);
            }
            Action::Allow => self.allow(),
            _ => {}
        }
        // What a tool gave back may be rewritten and objected to at once.
        if !refuses || name == "PostToolUse" {
            self.change();
        }
    }

    /// Changes of fields that this agent does not take from its hooks.
    fn inexpressible(&self) -> Option<String> {
        let name = self.known.name;
        for field in &self.outcome.modified {
            let why = match (name, field.as_str()) {
                ("PreToolUse", "args") | ("PostToolUse", "result") if self.flavour.rewrites => continue,
                ("PermissionRequest", "args") if self.outcome.decision == Action::Allow => continue,
                ("PermissionRequest", "args") => "can be changed only together with an allow",
                _ => "cannot be changed by hooks",
            };
            return Some(format!(
                "`{field}` {why} on {name}, so the hook refuses instead of letting it pass unchanged"
            ));
        }
        None
    }

    fn stop(&mut self) {
        let reason = self.outcome.reason_text();
        if self.flavour.refuses_by_exit_code {
            // At the end of a turn a refusal would mean to go on.
            if matches!(self.known.name, "Stop" | "SubagentStop") {
                return;
            }
            self.answer.degrade(format!("{} hooks cannot stop the agent; the hook blocks", self.known.name));
        } else if self.known.listens == Listens::Both {
            self.end_turn(&reason);
            // At the end of a turn a block would mean to go on.
            if matches!(self.known.name, "Stop" | "SubagentStop" | "SubagentStart" | "TaskCompleted" | "TeammateIdle") {
                return;
            }
        } else {
            self.answer.degrade(format!("{} hooks cannot stop the agent; the hook blocks", self.known.name));
        }
        self.refuse(&reason);
    }

    fn end_turn(&mut self, reason: &str) {
        if self.flavour.refuses_by_exit_code {
            return;
        }
        self.set("continue", false);
        self.set("stopReason", reason);
    }

    fn refuse(&mut self, reason: &str) {
        match self.known.name {
            _ if self.flavour.refuses_by_exit_code && self.flavour.two(self.known) == Two::Blocks => {
                self.stderr = Some(reason.to_owned());
            }
            name if self.flavour.refuses_by_exit_code => {
                self.answer.degrade(format!("{name} hooks refuse nothing; the reason is left out"));
            }
            "PreToolUse" | "PreModelSwitch" | "PreSkillShellCommand" => {
                self.set_specific("permissionDecision", "deny");
                self.set_specific("permissionDecisionReason", reason);
                if self.flavour.refuses_by_decision {
                    self.set("decision", "block");
                    self.set("reason", reason);
                }
            }
            "PermissionRequest" => {
                let mut decision = Map::new();
                decision.insert("behavior".to_owned(), json!("deny"));
                decision.insert("message".to_owned(), json!(reason));
                if self.outcome.decision == Action::Stop
                    || self.outcome.own(self.flavour.name, "interrupt") == Some(&json!(true))
                {
                    decision.insert("interrupt".to_owned(), json!(true));
                }
                self.set_specific("decision", decision);
            }
            "Elicitation" | "ElicitationResult" => self.set_specific("action", "decline"),
            "TaskCompleted" | "TeammateIdle" | "WorktreeCreate" => self.stderr = Some(reason.to_owned()),
            "SubagentStart" => {
                self.answer.degrade("SubagentStart cannot be blocked; the hook stops the agent");
                self.end_turn(reason);
            }
            name if self.known.blocks => {
                if name == "ConfigChange" && self.outcome.payload.get("source") == Some(&json!("policy_settings")) {
                    self.answer.degrade("settings of the administrator take effect regardless of hooks");
                }
                self.set("decision", "block");
                self.set("reason", reason);
            }
            name => {
                self.answer.degrade(format!("{name} hooks refuse nothing; the reason is shown to the user at most"));
                if self.known.listens != Listens::Neither {
                    self.set("systemMessage", reason);
                }
            }
        }
    }

    fn ask(&mut self) {
        let question = self.outcome.question();
        match self.known.name {
            "PreToolUse" | "PreModelSwitch" if self.flavour.asks => {
                let defers = self.outcome.own(self.flavour.name, "permissionDecision") == Some(&json!("defer"));
                let word = if defers && self.known.name == "PreToolUse" { "defer" } else { "ask" };
                self.set_specific("permissionDecision", word);
                self.set_specific("permissionDecisionReason", question);
            }
            // The event is itself the question to a person.
            "PermissionRequest" => {}
            name => {
                self.answer.degrade(format!("{name} hooks cannot ask a person; the hook refuses"));
                self.refuse(&question);
            }
        }
    }

    fn allow(&mut self) {
        match self.known.name {
            "PreToolUse" | "PreModelSwitch" => {
                self.set_specific("permissionDecision", "allow");
                if let Some(reason) = &self.outcome.reason {
                    self.set_specific("permissionDecisionReason", reason.as_str());
                }
            }
            "PermissionRequest" => {
                let mut decision = Map::new();
                decision.insert("behavior".to_owned(), json!("allow"));
                if let Some(args) = self.outcome.changed("args") {
                    decision.insert("updatedInput".to_owned(), self.input(args));
                }
                if let Some(rules) =
                    self.outcome.own(self.flavour.name, "updatedPermissions").filter(|rules| rules.is_array())
                {
                    decision.insert("updatedPermissions".to_owned(), rules.clone());
                }
                self.set_specific("decision", decision);
            }
            _ => {}
        }
    }

    fn change(&mut self) {
        if self.known.name == "PreToolUse"
            && self.flavour.rewrites
            && let Some(args) = self.outcome.changed("args")
        {
            let input = self.input(args);
            self.set_specific("updatedInput", input);
        }
        if self.known.name == "PostToolUse"
            && self.flavour.rewrites
            && let Some(result) = self.outcome.changed("result")
        {
            let output = result.get("output").cloned().unwrap_or(Value::Null);
            let tool = self.outcome.payload.get("tool").and_then(Value::as_str).unwrap_or_default();
            let output = crate::claude_code::encode::response(tool, &output, self.outcome.payload.get("args"));
            self.set_specific("updatedToolOutput", output);
        }
    }

    /// Arguments by the agent's names. Where it merges, what was taken out cannot be expressed: it is set to null.
    fn input(&self, args: &Value) -> Value {
        let Some(args) = args.as_object() else { return args.clone() };
        let tool = self.outcome.payload.get("tool").and_then(Value::as_str).unwrap_or_default();
        let mut input = tool_names::args_to_dialect(self.flavour.name, tool, None, args);
        if self.flavour.input_merges
            && let Some(Value::Object(before)) = self.outcome.event.payload.get("args")
        {
            for name in tool_names::args_to_dialect(self.flavour.name, tool, None, before).keys() {
                input.entry(name.clone()).or_insert(Value::Null);
            }
        }
        Value::Object(input)
    }
}
