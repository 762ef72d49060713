//! How an agent of Claude Code's kind differs from it.

use std::borrow::Cow;
use std::time::Duration;

use serde_json::Value;

use super::events::{ClaudeEvent, EVENTS, SKILL_LINE, Two, known};
use super::{NAME, project_dir};
use crate::{Inherits, Invocation, RunKind};

/// An agent's name for one of Claude Code's events.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EventName {
    pub(crate) theirs: &'static str,
    pub(crate) known: &'static ClaudeEvent,
}

/// How string matchers are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Matchers {
    /// As a list of exact names where it can be one, else as a pattern.
    ListsAndPatterns,
    /// Always as a pattern that may match anywhere.
    Patterns,
    /// Always as a pattern of the whole name; one between slashes too.
    WholePatterns,
}

/// How long hooks may run that do not say.
#[derive(Debug)]
pub(crate) struct Timeouts {
    pub(crate) usual: Duration,
    pub(crate) by_kind: &'static [(RunKind, Duration)],
    /// By the agent's names of events.
    pub(crate) by_event: &'static [(&'static str, Duration)],
}

/// How an agent differs from others of the dialect.
#[derive(Debug)]
pub(crate) struct Flavour {
    pub(crate) name: &'static str,
    /// The agent's events; all of Claude Code's unless given.
    pub(crate) events: Option<&'static [EventName]>,
    /// What exit code 2 does where it is not what it does in Claude Code, by Claude Code's names of events.
    pub(crate) exit_two: &'static [(&'static str, Two)],
    pub(crate) matchers: Matchers,
    /// Whether `updatedInput` holds only what changes.
    pub(crate) input_merges: bool,
    /// Events on which text that is no JSON is context for the model.
    pub(crate) plain_is_context: &'static [&'static str],
    /// Further words of `decision`, with those that they mean.
    pub(crate) decisions: &'static [(&'static str, &'static str)],
    /// Whether `hookSpecificOutput` counts only with its `hookEventName`.
    pub(crate) needs_event_name: bool,
    /// Whether an answer on standard error counts where standard output is empty.
    pub(crate) reads_stderr: bool,
    /// The permission mode of a host that does not say.
    pub(crate) mode: &'static str,
    /// Fields that have another name on the wire: Claude Code's, the agent's.
    pub(crate) renamed: &'static [(&'static str, &'static str)],
    /// Whether a text that a tool gave back stands on the wire as it is.
    pub(crate) plain_result: bool,
    /// Whether a prompt is a list of parts on the wire.
    pub(crate) prompt_in_parts: bool,
    /// Variables that name the project's folder.
    pub(crate) project_variables: &'static [&'static str],
    /// What a process inherits.
    pub(crate) inherits: Inherits,
    pub(crate) timeouts: Timeouts,
    /// Whether the agent asks a person when its hook says so.
    pub(crate) asks: bool,
    /// Whether the agent takes new arguments and results from its hook.
    pub(crate) rewrites: bool,
    /// Whether a refused tool call is also said by `decision`.
    pub(crate) refuses_by_decision: bool,
    /// Whether only exit code 2 refuses, on the events on which it blocks.
    pub(crate) refuses_by_exit_code: bool,
    /// Whether `continue: false` refuses what is asked about.
    pub(crate) continue_false_blocks: bool,
    /// Whether `additionalContext` is at the top of an answer.
    pub(crate) context_at_top: bool,
}

impl Flavour {
    /// The event that the agent calls so.
    pub(crate) fn known(&self, theirs: &str) -> Option<&'static ClaudeEvent> {
        match self.events {
            Some(events) => events.iter().find(|event| event.theirs == theirs).map(|event| event.known),
            None => known(theirs),
        }
    }

    /// The agent's event of this name of Claude Code's.
    pub(crate) fn of(&self, name: &str) -> Option<&'static ClaudeEvent> {
        match self.events {
            Some(events) => events.iter().map(|event| event.known).find(|event| event.name == name),
            None => known(name),
        }
    }

    /// The agent's name of an event.
    pub(crate) fn theirs(&self, event: &ClaudeEvent) -> &'static str {
        let own = self.events.and_then(|events| events.iter().find(|own| own.known.name == event.name));
        own.map_or(event.name, |own| own.theirs)
    }

    /// The agent's names of its events.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        match self.events {
            Some(events) => events.iter().map(|event| event.theirs).collect(),
            None => EVENTS.iter().map(|event| event.name).chain([SKILL_LINE.name]).collect(),
        }
    }

    /// What exit code 2 does.
    pub(crate) fn two(&self, event: &ClaudeEvent) -> Two {
        self.exit_two.iter().find(|(name, _)| *name == event.name).map_or(event.two, |(_, two)| *two)
    }

    /// The agent's name of a field.
    pub(crate) fn field<'n>(&self, ours: &'n str) -> &'n str {
        self.renamed.iter().find(|(name, _)| *name == ours).map_or(ours, |(_, theirs)| *theirs)
    }

    /// What the agent sent, with Claude Code's names of fields; but what names the event stays.
    pub(crate) fn in_common_words<'w>(&self, wire: &'w Value) -> Cow<'w, Value> {
        let Some(fields) = wire.as_object().filter(|_| !self.renamed.is_empty()) else { return Cow::Borrowed(wire) };
        let mut fields = fields.clone();
        for (ours, theirs) in self.renamed.iter().filter(|(ours, _)| *ours != "hook_event_name") {
            if let Some(value) = fields.shift_remove(*theirs) {
                fields.insert((*ours).to_owned(), value);
            }
        }
        Cow::Owned(Value::Object(fields))
    }

    /// How long a hook may run.
    pub(crate) fn timeout(&self, declared_event: &str, kind: RunKind) -> Duration {
        let by_kind = self.timeouts.by_kind.iter().find(|(known, _)| *known == kind).map(|(_, limit)| *limit);
        let by_event = || self.timeouts.by_event.iter().find(|(event, _)| *event == declared_event);
        by_kind.or_else(|| by_event().map(|(_, limit)| *limit)).unwrap_or(self.timeouts.usual)
    }

    /// The variables of a hook's process.
    pub(crate) fn env(&self, invocation: &Invocation) -> Vec<(String, String)> {
        let project = project_dir(invocation);
        let named = self.project_variables.iter().filter_map(|name| Some(((*name).to_owned(), project.clone()?)));
        let mut env: Vec<_> = named.collect();
        if self.name == NAME {
            env.insert(0, ("CLAUDECODE".to_owned(), "1".to_owned()));
            let effort = invocation.own(NAME, "effort");
            let level = effort.and_then(|effort| effort.get("level").unwrap_or(effort).as_str());
            env.extend(level.map(|level| ("CLAUDE_EFFORT".to_owned(), level.to_owned())));
        }
        env
    }
}
