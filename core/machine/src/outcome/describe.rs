//! An outcome as text for a person: who decided, why, and what became of every hook of the event.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Outcome, TraceEntry};
use crate::action::Action;
use crate::escape::escaped;
use crate::event::COMMON_FIELDS;
use crate::fold::{Observed, Status};
use crate::hook::FailBehavior;
use crate::payload::Host;

/// Letters of a value that are shown; a note counts the rest.
const SHOWN: usize = 400;
/// The widest column; longer names push the rest of their line to the right.
pub(crate) const WIDEST: usize = 32;

impl<T, V> Outcome<T, V> {
    /// Who decided what and why, and what became of every hook of the event, also of those that were not selected.
    ///
    /// For messages of tests and logs: long values are cut, and what a terminal would obey is written out.
    #[must_use]
    pub fn describe<H: Host<Value = V>>(&self, host: &H) -> String {
        let mut text = String::new();
        self.write_decision(host, &mut text);
        self.write_fields(host, &mut text);
        self.write_hooks(host, &mut text);
        self.write_results(&mut text);
        text
    }

    fn write_decision<H: Host<Value = V>>(&self, host: &H, text: &mut String) {
        let tool = self.final_field(host, "tool").and_then(|tool| tool.as_str().map(str::to_owned));
        let tool = tool.map_or_else(String::new, |tool| format!(" of {}", one_line(&tool)));
        let by = self.decider().map_or_else(String::new, |(_, hook)| format!(" by `{}`", one_line(hook)));
        let late = self.decision().refuses() && !self.blocked();
        let note = if late { " (it cannot be blocked any more)" } else { "" };
        let why = self.reason().map_or_else(String::new, |reason| format!(": {}", one_line(reason)));
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "{}{tool}: {}{by}{note}{why}", self.event().name(), self.decision().as_str());
        for (hook, observed) in self.would_be_blocked_by() {
            let why = observed.reason.as_deref().map_or_else(String::new, |reason| format!(": {}", one_line(reason)));
            let by = hook.map_or_else(
                || "the profile, and the client".to_owned(),
                |(_, hook)| format!("`{}`, which", one_line(hook)),
            );
            let _ = writeln!(text, "  would have been blocked by {by} observes{why}");
        }
    }

    /// The event's own fields, with what they were where hooks changed them.
    fn write_fields<H: Host<Value = V>>(&self, host: &H, text: &mut String) {
        let payload = host.view(self.payload());
        let keys = host.keys(&payload).unwrap_or_default();
        let mut names: Vec<String> = keys.iter().map(|key| host.spelling().canonical(key).into_owned()).collect();
        let changed = self.modified();
        names.extend(
            changed
                .iter()
                .filter(|field| !names.iter().any(|name| name == *field))
                .map(|field| (*field).to_owned())
                .collect::<Vec<_>>(),
        );
        for name in names {
            let is_changed = changed.contains(&&*name);
            let is_common =
                COMMON_FIELDS.iter().any(|field| field.name == name) || name == "tool" || name == "tool_use_id";
            if is_common && !is_changed {
                continue;
            }
            let now = self.final_field(host, &name);
            let _ = write!(text, "  {}: {}", one_line(&name), shown(now.as_ref()));
            if is_changed {
                let _ = write!(text, "  (came as {})", shown(self.first_field(host, &name).as_ref()));
            }
            text.push('\n');
        }
    }

    fn write_hooks<H: Host<Value = V>>(&self, host: &H, text: &mut String) {
        let (trace, unmatched) = (self.trace(), self.unmatched(host));
        if trace.is_empty() && unmatched.is_empty() {
            text.push_str("  the event has no hooks\n");
            return;
        }
        let mut rows: Vec<(String, &str, String)> = Vec::new();
        for entry in &trace {
            rows.push((one_line(entry.hook), entry.status.as_str(), came_to(entry)));
        }
        for hook in &unmatched {
            rows.push((one_line(&hook.hook), "not selected", one_line(&hook.why)));
        }
        let widest = rows.iter().map(|(hook, ..)| hook.chars().count()).max().unwrap_or(0).min(WIDEST);
        text.push_str("hooks:\n");
        for (hook, status, what) in rows {
            let line = format!("  {hook:widest$}  {status:12}  {what}");
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }

    fn write_results(&self, text: &mut String) {
        for given in self.injections() {
            let brief = if given.part.ephemeral { ", for one call" } else { "" };
            let _ = writeln!(
                text,
                "context ({}{brief}){}: {}",
                given.part.role,
                of(given.hook),
                one_line(&given.part.content)
            );
        }
        for given in self.messages() {
            let _ = writeln!(text, "message ({}){}: {}", given.part.level, of(given.hook), one_line(&given.part.text));
        }
        for given in self.asks() {
            let prompt = given.part.prompt.as_deref().or(self.reason()).unwrap_or_default();
            let options: Vec<_> = given.part.options.iter().map(|option| one_line(option)).collect();
            let _ = writeln!(text, "question{}: {} [{}]", of(given.hook), one_line(prompt), options.join(", "));
        }
    }
}

/// What became of a hook, in words.
fn came_to(entry: &TraceEntry<'_>) -> String {
    if let Some(observed) = entry.observed {
        return would_do(entry, observed);
    }
    if let Some(failure) = &entry.failure {
        let so = if failure.became == FailBehavior::Block { "the action is blocked" } else { "the action continues" };
        return format!("{}, so {so}: {}", failure.kind, one_line(failure.message));
    }
    if entry.status == Status::Skipped || entry.status == Status::Detached {
        return entry.why.map_or_else(String::new, one_line);
    }
    let mut words = entry.action.as_str().to_owned();
    if entry.void {
        words.push_str(" (does not count)");
    }
    if let Some(reason) = entry.reason.filter(|_| entry.action != Action::Continue) {
        let _ = write!(words, ": {}", one_line(reason));
    }
    if !entry.modified.is_empty() {
        let _ = write!(words, "; changed {}", entry.modified.join(", "));
    }
    for overrode in &entry.overrode {
        let _ = write!(words, "; replaced what `{}` made of {}", one_line(overrode.hook), overrode.field);
    }
    if entry.not_idempotent {
        words.push_str("; changed its own result again (the hook is not idempotent)");
    }
    if entry.overran {
        words.push_str("; took longer than its timeout");
    }
    words
}

/// What a hook that observes would have done, in words.
fn would_do(entry: &TraceEntry<'_>, observed: &Observed) -> String {
    let mut words = format!("observes: would {}", observed.action.as_str());
    if let Some(failure) = &entry.failure {
        let _ = write!(words, " ({})", failure.kind);
    }
    if let Some(reason) = &observed.reason {
        let _ = write!(words, ": {}", one_line(reason));
    }
    if !observed.modified.is_empty() {
        let _ = write!(words, "; would change {}", observed.modified.join(", "));
    }
    let given = [(observed.injections.len(), "context"), (observed.messages.len(), "messages")];
    for (_, what) in given.iter().filter(|(count, _)| *count > 0) {
        let _ = write!(words, "; would give {what}");
    }
    words
}

fn of(hook: Option<&str>) -> String {
    hook.map_or_else(String::new, |hook| format!(" of `{}`", one_line(hook)))
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| one_line(&value.to_string()))
}

/// A foreign text on one line, shortened.
pub(crate) fn one_line(text: &str) -> String {
    let safe = escaped(text).replace('\n', "\\n").replace('\t', "\\t");
    match safe.char_indices().nth(SHOWN) {
        None => safe,
        Some((end, _)) => {
            let left_out = safe.chars().count() - SHOWN;
            format!("{}… ({left_out} more letters)", safe.get(..end).unwrap_or_default())
        }
    }
}
