//! What hooks stopped, and what those that observe would have stopped: counts of a log for a person who decides about a policy.

use std::collections::HashMap;
use std::path::Path;

use hookweave_machine::event::BUILT_IN;
use serde::Serialize;
use serde_json::Value;

use super::read::{names, read, unreadable};
use super::record::{AuditRecord, Kind};
use hookweave_machine::error::Error;

/// How many commands of one line a summary names.
const MOST_COMMANDS: usize = 3;

/// How many letters a text of an agent keeps in a summary.
const MOST_LETTERS: usize = 40;

/// What a log says of refusals, of the log's own process and of those that wrote beside it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RefusalReport {
    /// The time of the first record.
    pub from: Option<String>,
    /// The time of the last record.
    pub to: Option<String>,
    /// The calls that hooks looked at: dispatches of an event that can be stopped.
    pub calls: u64,
    /// What was stopped.
    pub blocked: Refusals,
    /// What would have been stopped, had the hooks not observed.
    pub would_block: Refusals,
    /// What a person would have been asked about, had the hooks not observed.
    pub would_ask: Refusals,
    /// Whether the log has what was called, and not only digests of it.
    pub has_inputs: bool,
    /// Lines that are no records.
    pub unreadable_lines: u64,
}

/// Calls that were refused, or would have been.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Refusals {
    /// How many calls; one that two hooks refuse counts once.
    pub calls: u64,
    /// What was called, the most frequent first.
    pub what: Vec<CountedCall>,
    /// By hook, the one with the most calls first.
    pub hooks: Vec<HookRefusals>,
}

/// How often something was called.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CountedCall {
    /// In a few words: `git push`, `Write .env`, or the tool alone.
    pub what: String,
    /// How often.
    pub calls: u64,
}

/// What one hook refused, or would have.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct HookRefusals {
    /// Its name; `None` where the client itself refuses.
    pub hook: Option<String>,
    /// How many calls.
    pub calls: u64,
    /// What was called, the most frequent first.
    pub what: Vec<CountedCall>,
    /// The reason that it gave last.
    pub reason: Option<String>,
}

/// Counts the refusals of a log.
pub fn refusals(path: &Path) -> Result<RefusalReport, Error> {
    let mut report = RefusalReport::default();
    let (mut blocked, mut would_block, mut would_ask) = (Counting::default(), Counting::default(), Counting::default());
    let others = names(path)?.others().map_err(|why| unreadable(path, &why))?;
    let others = others.into_iter().map(|names| names.current());
    for log in std::iter::once(path.to_path_buf()).chain(others) {
        let mut calls = Calls::default();
        for line in read(&log)? {
            let Ok(record) = line?.record() else {
                report.unreadable_lines += 1;
                continue;
            };
            report.see(&record);
            let is_new = calls.next(&record);
            if is_new && can_be_stopped(&record) {
                report.calls += 1;
            }
            match record.kind {
                Kind::Blocked => blocked.add(&record, &calls),
                Kind::WouldBlock => would_block.add(&record, &calls),
                _ if would_ask_about(&record) => would_ask.add(&record, &calls),
                _ => {}
            }
        }
        // Numbers of calls are those of one log.
        (blocked.last, would_block.last, would_ask.last) = (None, None, None);
    }
    (report.blocked, report.would_block, report.would_ask) =
        (blocked.refusals(), would_block.refusals(), would_ask.refusals());
    Ok(report)
}

impl RefusalReport {
    fn see(&mut self, record: &AuditRecord) {
        if self.from.as_ref().is_none_or(|from| record.time < *from) {
            self.from = Some(record.time.clone());
        }
        if self.to.as_ref().is_none_or(|to| record.time > *to) {
            self.to = Some(record.time.clone());
        }
        self.has_inputs |= record.input.as_ref().is_some_and(|input| input.payload.is_some());
    }
}

/// Whether a record is of a hook that observes and would have had a person asked.
fn would_ask_about(record: &AuditRecord) -> bool {
    let action = record.details.get("observed").and_then(|observed| observed.get("action"));
    record.kind == Kind::HookFinished && action.and_then(Value::as_str) == Some("ask") && can_be_stopped(record)
}

/// Whether a record is of an event that hooks can stop; those that a program defines may be.
fn can_be_stopped(record: &AuditRecord) -> bool {
    let Some(event) = record.event.as_deref() else { return false };
    BUILT_IN.iter().find(|known| known.name == event).is_none_or(|known| known.gate)
}

/// Tells the calls of a log apart.
#[derive(Debug, Default)]
struct Calls {
    number: u64,
    /// The dispatch whose records come now.
    now: Option<u64>,
    /// What dispatches were about whose payload was seen, since the process began to write.
    about: HashMap<u64, String>,
}

impl Calls {
    /// Takes the next record; whether another call than before begins with it.
    fn next(&mut self, record: &AuditRecord) -> bool {
        if record.kind == Kind::AuditOpened {
            self.now = None;
            self.about.clear();
        }
        let Some(dispatch) = record.dispatch else { return false };
        if let Some(payload) = record.input.as_ref().and_then(|input| input.payload.as_ref()) {
            self.about.insert(dispatch, about(record, payload));
        }
        // Starts are written while other dispatches end; what a session does with a call is no call more.
        let is_of_dispatch = !matches!(
            record.kind,
            Kind::HookStarted | Kind::ToolStarted | Kind::ToolRun | Kind::ApprovalAsked | Kind::ApprovalDecided
        );
        let is_new = is_of_dispatch && self.now != Some(dispatch);
        if is_new {
            self.now = Some(dispatch);
            self.number += 1;
        }
        is_new
    }

    fn about(&self, record: &AuditRecord) -> String {
        let known = record.dispatch.and_then(|dispatch| self.about.get(&dispatch)).cloned();
        known.or_else(|| record.tool.clone()).or_else(|| record.event.clone()).unwrap_or_default()
    }
}

/// Refusals while they are counted.
#[derive(Debug, Default)]
struct Counting {
    calls: u64,
    what: HashMap<String, u64>,
    hooks: HashMap<Option<String>, HookCounting>,
    /// The call that was counted last: several hooks may refuse it.
    last: Option<u64>,
}

#[derive(Debug, Default)]
struct HookCounting {
    calls: u64,
    what: HashMap<String, u64>,
    reason: Option<String>,
}

impl Counting {
    fn add(&mut self, record: &AuditRecord, calls: &Calls) {
        let about = calls.about(record);
        if self.last != Some(calls.number) {
            self.last = Some(calls.number);
            self.calls += 1;
            *self.what.entry(about.clone()).or_default() += 1;
        }
        let hook = self.hooks.entry(record.hook.clone()).or_default();
        hook.calls += 1;
        *hook.what.entry(about).or_default() += 1;
        let observed = record.details.get("observed").and_then(|observed| observed.get("reason")?.as_str());
        hook.reason = record.reason.clone().or_else(|| observed.map(str::to_owned));
    }

    fn refusals(self) -> Refusals {
        let mut hooks: Vec<HookRefusals> = self
            .hooks
            .into_iter()
            .map(|(hook, HookCounting { calls, what, reason })| HookRefusals {
                hook,
                calls,
                what: sorted(what),
                reason,
            })
            .collect();
        hooks.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.hook.cmp(&b.hook)));
        Refusals { calls: self.calls, what: sorted(self.what), hooks }
    }
}

fn sorted(what: HashMap<String, u64>) -> Vec<CountedCall> {
    let mut all: Vec<CountedCall> = what.into_iter().map(|(what, calls)| CountedCall { what, calls }).collect();
    all.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.what.cmp(&b.what)));
    all
}

/// What a call was about, in a few words.
fn about(record: &AuditRecord, payload: &Value) -> String {
    let tool = record.tool.as_deref().or_else(|| payload.get("tool")?.as_str());
    let Some(tool) = tool else { return record.event.clone().unwrap_or_default() };
    let text = |names: &[&str]| {
        let args = payload.get("args")?;
        names.iter().find_map(|name| args.get(name)?.as_str())
    };
    if let Some(command) = text(&["command", "cmd"]) {
        return of_command(command).unwrap_or_else(|| short(command));
    }
    let path = text(&["file_path", "path", "notebook_path"]);
    let name = path.and_then(|path| path.rsplit(['/', '\\']).find(|name| !name.is_empty()));
    name.map_or_else(|| tool.to_owned(), |name| format!("{tool} {}", short(name)))
}

/// What a command line runs; that it changes the folder first says little.
fn of_command(command: &str) -> Option<String> {
    let mut names = hookweave_command::summary(command)?;
    if names.len() > 1 {
        names.retain(|name| name != "cd");
    }
    let more = names.len() > MOST_COMMANDS;
    names.truncate(MOST_COMMANDS);
    let text = names.join(" + ");
    (!text.is_empty()).then(|| if more { format!("{text} + …") } else { text })
}

fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= MOST_LETTERS {
        line.to_owned()
    } else {
        line.chars().take(MOST_LETTERS).collect::<String>() + "…"
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(kind: &str, more: &Value) -> AuditRecord {
        let mut whole = json!({"seq": 1, "time": "", "kind": kind, "prev": "", "hash": ""});
        for (name, value) in more.as_object().unwrap() {
            whole[name] = value.clone();
        }
        serde_json::from_value(whole).unwrap()
    }

    #[test]
    fn calls_are_told_apart_and_named() {
        let call = |command: &str| json!({"digest": "", "payload": {"tool": "Bash", "args": {"command": command}}});
        let of = |dispatch: u64, hook: &str| json!({"dispatch": dispatch, "hook": hook, "event": "PreToolUse", "tool": "Bash"});
        let with = |mut record: Value, input: Value| {
            record["input"] = input;
            record
        };
        let mut calls = Calls::default();
        let mut counting = Counting::default();
        for (kind, more) in [
            ("audit_opened", json!({})),
            ("hook_started", with(of(2, "a"), call("git push"))),
            ("hook_finished", with(of(1, "a"), call("rm -rf x; cd y"))),
            ("would_block", of(1, "a")),
            ("would_block", of(1, "b")),
            ("hook_finished", of(2, "a")),
            ("would_block", of(2, "a")),
            ("audit_opened", json!({})),
            // Another process counts from the beginning, and keeps no inputs.
            ("hook_finished", of(1, "a")),
            ("would_block", of(1, "a")),
        ] {
            let record = record(kind, &more);
            calls.next(&record);
            if record.kind == Kind::WouldBlock {
                counting.add(&record, &calls);
            }
        }
        let refusals = counting.refusals();
        let named =
            |what: &[CountedCall]| what.iter().map(|one| format!("{} {}", one.what, one.calls)).collect::<Vec<_>>();
        assert_eq!((refusals.calls, calls.number), (3, 3));
        assert_eq!(named(&refusals.what), ["Bash 1", "git push 1", "rm 1"]);
        let hooks: Vec<_> = refusals.hooks.iter().map(|hook| (hook.hook.as_deref().unwrap(), hook.calls)).collect();
        assert_eq!(hooks, [("a", 3), ("b", 1)]);
    }

    #[test]
    fn a_call_is_named_in_a_few_words() {
        let none = AuditRecord::new(Kind::WouldBlock);
        for (payload, wanted) in [
            (json!({"tool": "Bash", "args": {"command": "cd x && sudo rm -rf y | tee z"}}), "sudo rm + tee"),
            (json!({"tool": "Bash", "args": {"command": "/usr/bin/git --no-pager log"}}), "git"),
            (json!({"tool": "Bash", "args": {"command": "a; b; c; d"}}), "a + b + c + …"),
            (json!({"tool": "Bash", "args": {"command": "if then ("}}), "if then ("),
            (json!({"tool": "Write", "args": {"file_path": "/a/b/.env"}}), "Write .env"),
            (json!({"tool": "WebFetch", "args": {"url": "https://example.com"}}), "WebFetch"),
        ] {
            assert_eq!(about(&none, &payload), wanted);
        }
    }
}
