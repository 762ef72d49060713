//! Hooks without a handler: a rule, and what is decided about the tool calls that it selects.
//!
//! Nothing in them can fail, so the decision does not depend on code. They are fail-closed and mandatory all the same:
//! no skip passes over them, and they look again at what later hooks make of a call.

use crate::decision::Decision;
use crate::error::{Code, Error};
use crate::hook::{FailBehavior, HookSpec};
use crate::matcher::{MatcherSpec, Rules};
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
    /// Refuses the tool calls that a rule selects; a blank reason is [`Code::InvalidHook`].
    pub fn block(rules: impl Into<Rules>, reason: &str) -> Result<Self, Error> {
        if reason.trim().is_empty() {
            return Err(Error::new(
                Code::InvalidHook,
                "guard.reason: is empty; say why the call is refused, the model reads it",
            ));
        }
        Ok(Self::new(rules.into(), Decision::Block(reason.to_owned())))
    }

    /// Has a person asked before the tool calls that a rule selects; without a prompt the question names the tool.
    pub fn ask(rules: impl Into<Rules>, prompt: Option<&str>) -> Self {
        let prompt = prompt.filter(|prompt| !prompt.trim().is_empty());
        Self::new(rules.into(), Decision::Ask(prompt.map(str::to_owned)))
    }

    /// Reads `rule` and `reason` from a host's object.
    #[doc(hidden)]
    pub fn read_block<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Result<Self, Error> {
        let reader = Reader::new(host, view, Code::InvalidHook, "guard")?;
        reader.only(&["rule", "reason"])?;
        Self::block(required(&reader)?, &reader.required_text("reason")?)
    }

    /// Reads `rule` and perhaps `prompt` from a host's object.
    #[doc(hidden)]
    pub fn read_ask<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Result<Self, Error> {
        let reader = Reader::new(host, view, Code::InvalidHook, host.spelling().local("ask_before"))?;
        reader.only(&["rule", "prompt"])?;
        Ok(Self::ask(required(&reader)?, reader.text("prompt")?.as_deref()))
    }

    fn new(rules: Rules, decision: Decision) -> Self {
        let name = name(&rules);
        let matcher = MatcherSpec { rule: Some(rules), ..MatcherSpec::default() };
        let spec = HookSpec::new(EVENT).matcher(matcher).fail_behavior(FailBehavior::Block).mandatory(true);
        Self { spec: if name.trim().is_empty() { spec } else { spec.name(name) }, decision }
    }
}

fn required<H: Host>(reader: &Reader<'_, H>) -> Result<Rules, Error> {
    Rules::read(reader, "rule")?.ok_or_else(|| reader.refuse("rule", "is missing; write one such as `Bash(rm -rf *)`"))
}

/// What traces and reasons call a guard: its rules, as many as a name has room for.
fn name(rules: &Rules) -> String {
    let mut name = rules.to_string();
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
    fn a_name_has_room_for_some_of_many_rules() {
        let rules: Vec<String> = (0..100).map(|number| format!("Bash(prögram-{number} *)")).collect();
        let guard = Guard::ask(rules, None);
        assert!(guard.spec.check().is_ok());
        assert!(guard.spec.name.unwrap().starts_with("Bash(prögram-0 *), Bash(prögram-1 *)"));
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
