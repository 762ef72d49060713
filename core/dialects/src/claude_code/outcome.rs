//! What a hook leaves for Claude Code when the engine stands behind it.

mod parts;

use serde_json::{Map, Value, json};

use super::Flavour;
use super::events::{Hears, Known, known};
use crate::ruling::Ruling;
use crate::{Decided, WireAnswer, tool_names};

/// The output for an outcome; what the event has no place for becomes stricter.
pub(crate) fn write(flavour: &Flavour, decided: &Decided<'_>) -> WireAnswer {
    let ruling = Ruling::new(decided);
    let Some(known) = known(decided.event.event).filter(|event| (flavour.has)(event.name)) else {
        return foreign(flavour, ruling, decided.event.event);
    };
    let mut writer = Writer { flavour, known, decided, ruling, output: Map::new(), specific: Map::new(), stderr: None };
    writer.decide();
    writer.tell();
    writer.hand_on();
    writer.finish()
}

/// An event that the agent does not have: it cannot have sent it, so only a refusal is said.
fn foreign(flavour: &Flavour, mut ruling: Ruling<'_>, event: &str) -> WireAnswer {
    ruling.degrade(format!("{} has no event {event}; only a refusal is said", flavour.name));
    let refusal = ruling.refuses().then(|| ruling.reason());
    let mut answer = ruling.answer(Map::new());
    if let Some(reason) = refusal {
        answer.exit_code = 2;
        answer.stderr = reason;
    }
    answer
}

struct Writer<'a> {
    flavour: &'a Flavour,
    known: &'static Known,
    decided: &'a Decided<'a>,
    ruling: Ruling<'a>,
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

    fn may_say(&self, name: &str) -> bool {
        self.known.specific.iter().any(|(known, _)| *known == name)
    }

    fn decide(&mut self) {
        let name = self.known.name;
        let decision = self.ruling.decision();
        let refuses = self.ruling.refuses();
        if !refuses && let Some(why) = self.inexpressible() {
            self.ruling.degrade(why.clone());
            self.refuse(&why);
            return;
        }
        match decision {
            "stop" => self.stop(),
            _ if refuses => {
                let reason = self.ruling.reason();
                self.refuse(&reason);
            }
            "ask" => self.ask(),
            "retry" if name == "PermissionDenied" => self.set_specific("retry", true),
            "retry" => {
                let why = format!("{name} has no `retry`; the hook refuses and says that it may be done again");
                self.ruling.degrade(why);
                let reason = format!("{} (it may be done again)", self.ruling.reason());
                self.refuse(&reason);
            }
            "allow" => self.allow(),
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
        for field in self.ruling.changed() {
            let why = match (name, field) {
                ("PreToolUse", "args") | ("PostToolUse", "result") => continue,
                ("PermissionRequest", "args") if self.ruling.decision() == "allow" => continue,
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
        let reason = self.ruling.reason();
        if self.known.hears == Hears::Both {
            self.set("continue", false);
            self.set("stopReason", reason.as_str());
            // At the end of a turn a block would mean to go on.
            if matches!(self.known.name, "Stop" | "SubagentStop" | "SubagentStart" | "TaskCompleted" | "TeammateIdle") {
                return;
            }
        } else {
            self.ruling.degrade(format!("{} hooks cannot stop the agent; the hook blocks", self.known.name));
        }
        self.refuse(&reason);
    }

    fn refuse(&mut self, reason: &str) {
        match self.known.name {
            "PreToolUse" | "PreModelSwitch" => {
                self.set_specific("permissionDecision", "deny");
                self.set_specific("permissionDecisionReason", reason);
            }
            "PermissionRequest" => {
                let mut ruling = Map::new();
                ruling.insert("behavior".to_owned(), json!("deny"));
                ruling.insert("message".to_owned(), json!(reason));
                if self.ruling.decision() == "stop"
                    || self.ruling.own(self.flavour.name, "interrupt") == Some(&json!(true))
                {
                    ruling.insert("interrupt".to_owned(), json!(true));
                }
                self.set_specific("decision", ruling);
            }
            "Elicitation" | "ElicitationResult" => self.set_specific("action", "decline"),
            "TaskCompleted" | "TeammateIdle" | "WorktreeCreate" => self.stderr = Some(reason.to_owned()),
            "SubagentStart" => {
                self.ruling.degrade("SubagentStart cannot be blocked; the hook stops the agent");
                self.set("continue", false);
                self.set("stopReason", reason);
            }
            name if self.known.blocks => {
                if name == "ConfigChange" && self.decided.payload.get("source") == Some(&json!("policy_settings")) {
                    self.ruling.degrade("settings of the administrator take effect whatever hooks say");
                }
                self.set("decision", "block");
                self.set("reason", reason);
            }
            name => {
                self.ruling.degrade(format!("{name} hooks refuse nothing; the reason is shown to the user at most"));
                if self.known.hears != Hears::Neither {
                    self.set("systemMessage", reason);
                }
            }
        }
    }

    fn ask(&mut self) {
        let question = self.ruling.question();
        match self.known.name {
            "PreToolUse" | "PreModelSwitch" => {
                let defers = self.ruling.own(self.flavour.name, "permissionDecision") == Some(&json!("defer"));
                let word = if defers && self.known.name == "PreToolUse" { "defer" } else { "ask" };
                self.set_specific("permissionDecision", word);
                self.set_specific("permissionDecisionReason", question);
            }
            // The event is itself the question to a person.
            "PermissionRequest" => {}
            name => {
                self.ruling.degrade(format!("{name} hooks cannot ask a person; the hook refuses"));
                self.refuse(&question);
            }
        }
    }

    fn allow(&mut self) {
        match self.known.name {
            "PreToolUse" | "PreModelSwitch" => {
                self.set_specific("permissionDecision", "allow");
                if let Some(reason) = self.decided.outcome.get("reason").filter(|reason| reason.is_string()) {
                    self.set_specific("permissionDecisionReason", reason.clone());
                }
            }
            "PermissionRequest" => {
                let mut ruling = Map::new();
                ruling.insert("behavior".to_owned(), json!("allow"));
                if let Some(args) = self.ruling.modified("args") {
                    ruling.insert("updatedInput".to_owned(), self.input(args));
                }
                if let Some(rules) =
                    self.ruling.own(self.flavour.name, "updatedPermissions").filter(|rules| rules.is_array())
                {
                    ruling.insert("updatedPermissions".to_owned(), rules.clone());
                }
                self.set_specific("decision", ruling);
            }
            _ => {}
        }
    }

    fn change(&mut self) {
        if self.known.name == "PreToolUse"
            && let Some(args) = self.ruling.modified("args")
        {
            let input = self.input(args);
            self.set_specific("updatedInput", input);
        }
        if self.known.name == "PostToolUse"
            && let Some(result) = self.ruling.modified("result")
        {
            let output = result.get("output").cloned().unwrap_or(Value::Null);
            let tool = self.decided.payload.get("tool").and_then(Value::as_str).unwrap_or_default();
            let output = super::stdin::response(tool, &output, self.decided.payload.get("args"));
            self.set_specific("updatedToolOutput", output);
        }
    }

    /// Arguments by the agent's names. Where it merges, what was taken out cannot be said: it is set to null.
    fn input(&self, args: &Value) -> Value {
        let Some(args) = args.as_object() else { return args.clone() };
        let tool = self.decided.payload.get("tool").and_then(Value::as_str).unwrap_or_default();
        let mut input = tool_names::args_to_dialect(self.flavour.name, tool, None, args);
        if self.flavour.input_merges
            && let Some(Value::Object(before)) = self.decided.event.payload.get("args")
        {
            for name in tool_names::args_to_dialect(self.flavour.name, tool, None, before).keys() {
                input.entry(name.clone()).or_insert(Value::Null);
            }
        }
        Value::Object(input)
    }
}
