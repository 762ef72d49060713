//! Hooks without a handler: a rule, and what is decided about the tool calls that it selects.
//!
//! Nothing in them can fail, so the decision does not depend on code. They are fail-closed and mandatory all the same:
//! no skip passes over them, and they look again at what later hooks make of a call.

use crate::decision::Decision;
use crate::error::{Code, Error};
use crate::hook::{FailBehavior, HookSpec};
use crate::matcher::{MatcherSpec, Rules, reads_as_rule};
use crate::payload::Host;
use crate::read::Reader;

/// The event that guards look at.
const EVENT: &str = "PreToolUse";

/// The longest name of a hook, in bytes.
const LONGEST_NAME: usize = 256;

/// A hook that decides by its rules alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Guard {
    /// When it runs, and that it is fail-closed and mandatory.
    pub spec: HookSpec,
    /// What it answers each time.
    pub decision: Decision,
}

impl Guard {
    /// Refuses the tool calls that a rule selects. A reason that is blank, or reads as a rule, is [`Code::InvalidHook`].
    pub fn block(rules: impl Into<Rules>, reason: &str) -> Result<Self, Error> {
        let rules = rules.into();
        if reason.trim().is_empty() {
            return Err(Error::new(
                Code::InvalidHook,
                "guard.reason: is empty; say why the call is refused, the model reads it",
            ));
        }
        no_rule("guard", "reason", &rules, reason)?;
        Ok(Self::new(rules, Decision::Block(reason.to_owned())))
    }

    /// Has a person asked before the tool calls that a rule selects; without a prompt the question names the tool. A prompt
    /// that reads as a rule is [`Code::InvalidHook`].
    pub fn ask(rules: impl Into<Rules>, prompt: Option<&str>) -> Result<Self, Error> {
        Self::asking("ask_before", rules.into(), prompt)
    }

    fn asking(place: &str, rules: Rules, prompt: Option<&str>) -> Result<Self, Error> {
        let prompt = prompt.filter(|prompt| !prompt.trim().is_empty());
        no_rule(place, "prompt", &rules, prompt.unwrap_or_default())?;
        Ok(Self::new(rules, Decision::Ask(prompt.map(str::to_owned))))
    }

    /// The same under another name than its rules'.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self { spec: self.spec.name(name), ..self }
    }

    /// Reads `rule`, `reason` and perhaps `name` from a host's object.
    #[doc(hidden)]
    pub fn read_block<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Result<Self, Error> {
        let reader = Reader::new(host, view, Code::InvalidHook, "guard")?;
        reader.only(&["rule", "reason", "name"])?;
        let guard = Self::block(required(&reader)?, &reader.required_text("reason")?)?;
        Ok(guard.maybe_named(reader.text("name")?))
    }

    /// Reads `rule`, and perhaps `prompt` and `name`, from a host's object.
    #[doc(hidden)]
    pub fn read_ask<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Result<Self, Error> {
        let place = host.spelling().local("ask_before");
        let reader = Reader::new(host, view, Code::InvalidHook, &*place)?;
        reader.only(&["rule", "prompt", "name"])?;
        let guard = Self::asking(&place, required(&reader)?, reader.text("prompt")?.as_deref())?;
        Ok(guard.maybe_named(reader.text("name")?))
    }

    fn maybe_named(self, name: Option<String>) -> Self {
        match name {
            Some(name) => self.named(&name),
            None => self,
        }
    }

    fn new(rules: Rules, decision: Decision) -> Self {
        let name = name(&rules);
        let matcher = MatcherSpec { rule: Some(rules), ..MatcherSpec::default() };
        let mut spec = HookSpec::new(EVENT).matcher(matcher).fail_behavior(FailBehavior::Block).mandatory(true);
        spec.decides = true;
        Self { spec: if name.trim().is_empty() { spec } else { spec.name(name) }, decision }
    }
}

fn required<H: Host>(reader: &Reader<'_, H>) -> Result<Rules, Error> {
    Rules::read(reader, "rule")?.ok_or_else(|| reader.refuse("rule", "is missing; write one such as `Bash(rm -rf *)`"))
}

/// Refuses a rule where a text for people belongs: it would guard nothing.
fn no_rule(place: &str, field: &str, rules: &Rules, text: &str) -> Result<(), Error> {
    if !reads_as_rule(text) {
        return Ok(());
    }
    let all = rules.iter().chain([text.trim()]).map(|rule| format!("\"{rule}\"")).collect::<Vec<_>>().join(", ");
    let why = format!("`{}` is a rule and no {field}; give a list of rules, [{all}]", text.trim());
    let then = if field == "reason" { ", and then the reason" } else { "" };
    Err(Error::new(Code::InvalidHook, format!("{place}.{field}: {why}{then}")))
}

/// What traces and reasons call a guard: its first rule, as much of it as a name has room for, and how many more it has.
fn name(rules: &Rules) -> String {
    let mut name = rules.name();
    if name.len() > LONGEST_NAME {
        let room = LONGEST_NAME - '…'.len_utf8();
        let end = name.char_indices().map(|(at, letter)| at + letter.len_utf8()).take_while(|end| *end <= room).last();
        name.truncate(end.unwrap_or_default());
        name.push('…');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_first_rule_and_has_room_for_a_long_one() {
        let rules: Vec<String> = (0..100).map(|number| format!("Bash(prögram-{number} *)")).collect();
        let guard = Guard::ask(rules, None).unwrap();
        assert_eq!(guard.spec.name.as_deref(), Some("Bash(prögram-0 *) + 99 more"));
        let guard = Guard::ask(format!("Bash({} *)", "prögram ".repeat(100)), None).unwrap();
        assert!(guard.spec.check().is_ok());
        assert!(guard.spec.name.is_some_and(|name| name.starts_with("Bash(prögram") && name.ends_with('…')));
    }

    #[test]
    fn a_reason_is_no_rule() {
        for rule in ["Bash(dd *)", " Write ", "mcp__github", "bash(dd *)", "mcp__x__y(*)"] {
            let why = Guard::block(["Bash(rm *)", "Edit"], rule).unwrap_err();
            let fix = format!("[\"Bash(rm *)\", \"Edit\", \"{}\"]", rule.trim());
            assert!(why.message().contains(&fix), "{why}");
            assert!(Guard::ask("Bash(rm *)", Some(rule)).is_err());
        }
        for text in ["no", "Bash is off (see the policy)", "Read the rules first", "say why (twice)", "mcp__x is off"] {
            assert!(Guard::block("Edit", text).is_ok() && Guard::ask("Edit", Some(text)).is_ok(), "{text}");
        }
    }

    #[test]
    fn a_guard_is_mandatory_and_fails_closed() {
        let guard = Guard::block(["Bash(rm -rf *)", "Bash(sudo *)"], "no").unwrap();
        assert!(guard.spec.is_mandatory());
        assert_eq!(guard.spec.fail_behavior, Some(FailBehavior::Block));
        assert_eq!(guard.decision, Decision::Block("no".to_owned()));
        assert!(Guard::block("Bash", " ").is_err());
    }
}
