//! Records of the registry's and the sessions' events.

use std::sync::Arc;

use serde_json::Value;

use super::level::AuditLevel;
use super::open::Open;
use super::queue_item::QueueItem;
use super::record::{AuditRecord, Kind};
use super::{Audit, Inputs};
use hookweave_clock::now_ms;
use hookweave_machine::action::Action;
use hookweave_machine::event::EventSpec;
use hookweave_machine::hook::Enforcement;
use hookweave_machine::observer::{Change, EventDigest, InSession, Named, ObservedEvent, Observer, Part};

impl Observer for Audit {
    fn observe(&self, seen: ObservedEvent<'_>) {
        if !self.takes_notes() {
            return;
        }
        let Some(open) = self.open.load_full() else { return };
        // The final record of a tool call is written before its result is returned.
        let binding = matches!(seen, ObservedEvent::ToolRun { .. });
        open.offer(note(seen), binding, |wait| wait());
    }

    fn inputs(&self) -> Option<Inputs> {
        if !self.takes_notes() {
            return None;
        }
        self.open.load_full().map(|open| open.inputs())
    }

    fn refuses(&self, before: ObservedEvent<'_>) -> Option<String> {
        let open = self.open.load_full().filter(|open| self.takes_notes() && open.is_required())?;
        open.offer(note(before), true, |wait| wait())
    }

    fn is_binding(&self) -> bool {
        self.takes_notes() && self.open.load().as_deref().is_some_and(Open::is_required)
    }
}

impl Audit {
    /// Whether the log keeps more than what failed. A recording has no use for notes.
    fn takes_notes(&self) -> bool {
        self.effective() >= AuditLevel::Info && self.level() >= AuditLevel::Info
    }
}

fn note(seen: ObservedEvent<'_>) -> QueueItem {
    let (record, about) = record(seen);
    QueueItem::Note(Box::new(record), now_ms(), about)
}

/// A gate that is blocked because its hooks' answers cannot be recorded: once records are written again, this one is written too.
pub(super) fn refused(event: &EventSpec, about: EventDigest, why: &str) -> QueueItem {
    let record = AuditRecord {
        session: about.first(Part::Session),
        agent: about.first(Part::Agent),
        event: Some(event.name().to_owned()),
        tool: about.first(Part::Tool),
        tool_use_id: about.first(Part::ToolUseId),
        outcome: Some(Action::Block.as_str().to_owned()),
        reason: Some(why.to_owned()),
        ..AuditRecord::new(Kind::Blocked)
    };
    QueueItem::Note(Box::new(record), now_ms(), Some(Arc::new(about)))
}

fn record(seen: ObservedEvent<'_>) -> (AuditRecord, Option<Arc<EventDigest>>) {
    let record = match seen {
        ObservedEvent::Hook(Change::Registered, hook) => of_hook(Kind::HookRegistered, &hook),
        ObservedEvent::Hook(Change::Removed, hook) => of_hook(Kind::HookRemoved, &hook),
        ObservedEvent::Hook(Change::Enabled, hook) => of_hook(Kind::HookEnabled, &hook),
        ObservedEvent::Hook(Change::Disabled, hook) => of_hook(Kind::HookDisabled, &hook),
        ObservedEvent::Loaded { files, hooks, problems, untrusted } => AuditRecord::new(Kind::ConfigLoaded)
            .with("files", files)
            .with("hooks", hooks)
            .with("problems", problems)
            .with("untrusted", untrusted),
        ObservedEvent::Asked { about, event, hook, hook_id, prompt, options } => AuditRecord {
            hook_id: hook_id.map(|id| id.to_string()),
            ..in_session(Kind::ApprovalAsked, &about, Some(event), hook)
        }
        .with("prompt", prompt)
        .with("options", options.to_vec()),
        ObservedEvent::Decided { about, event, hook, hook_id, granted, by, reason, option, remembered } => {
            AuditRecord {
                hook_id: hook_id.map(|id| id.to_string()),
                outcome: Some(if granted { "granted" } else { "denied" }.to_owned()),
                reason: reason.map(str::to_owned),
                ..in_session(Kind::ApprovalDecided, &about, Some(event), hook)
            }
            .with("by", by)
            .with("option", option.map_or(Value::Null, Value::from))
            .with("remembered", remembered.map_or(Value::Null, Value::from))
        }
        ObservedEvent::WorkerRefused { worker, code, reason } => {
            AuditRecord { reason: Some(reason.to_owned()), ..AuditRecord::new(Kind::WorkerRefused) }
                .with("worker", worker)
                .with("code", code)
        }
        ObservedEvent::ToolStarts { about, input } => {
            return (in_session(Kind::ToolStarted, &about, None, None), input);
        }
        ObservedEvent::ToolRun { about, input, ran, ok, decision, reason, by, error, attempts } => {
            let outcome = match (ran, ok) {
                (true, true) => "ok",
                (true, false) => "failed",
                (false, _) => decision,
            };
            let record = AuditRecord {
                outcome: Some(outcome.to_owned()),
                reason: reason.map(str::to_owned),
                ..in_session(Kind::ToolRun, &about, None, None)
            }
            .with("ran", ran)
            .with("attempts", attempts)
            .with("by", by.map_or(Value::Null, Value::from))
            .with("error", error.map_or(Value::Null, Value::from));
            return (record, input);
        }
    };
    (record, None)
}

fn of_hook(kind: Kind, hook: &Named<'_>) -> AuditRecord {
    let record = AuditRecord {
        event: Some(hook.event.to_owned()),
        hook: Some(hook.name.to_owned()),
        hook_id: Some(hook.id.to_owned()),
        ..AuditRecord::new(kind)
    };
    let record = record.with("scope", hook.scope.as_str());
    let observes = hook.enforcement == Enforcement::Observe;
    let record = record.with("enforcement", if observes { hook.enforcement.as_str().into() } else { Value::Null });
    match hook.origin {
        Some(origin) => record
            .with("file", origin.file.display().to_string())
            .with("place", origin.place.as_str())
            .with("dialect", origin.dialect)
            .with("runs", origin.runs.as_str()),
        None => record,
    }
}

fn in_session(kind: Kind, about: &InSession<'_>, event: Option<&str>, hook: Option<&str>) -> AuditRecord {
    let own = |text: &str| text.to_owned();
    AuditRecord {
        session: Some(own(about.session)),
        agent: about.agent.map(own),
        event: event.map(own),
        hook: hook.map(own),
        tool: Some(own(about.tool)).filter(|tool| !tool.is_empty()),
        tool_use_id: about.tool_use_id.map(own),
        ..AuditRecord::new(kind)
    }
}
