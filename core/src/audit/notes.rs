//! What registry and sessions tell, as records.

use std::sync::Arc;

use serde_json::Value;

use super::level::Level;
use super::record::{Kind, Record};
use super::told::Told;
use super::{Audit, Inputs};
use crate::host::now_ms;
use crate::witness::{About, Change, InSession, Named, Seen, Witness};

impl Witness for Audit {
    fn saw(&self, seen: Seen<'_>) {
        if !self.takes_notes() {
            return;
        }
        let Some(open) = self.open.load_full() else { return };
        let (record, about) = record(seen);
        open.tell(Told::Note(Box::new(record), now_ms(), about));
    }

    fn inputs(&self) -> Option<Inputs> {
        if !self.takes_notes() {
            return None;
        }
        self.open.load_full().map(|open| open.inputs())
    }

    fn refuses(&self) -> Option<String> {
        if !self.takes_notes() {
            return None;
        }
        self.open.load_full().filter(|open| open.is_required()).and_then(|open| open.trouble())
    }
}

impl Audit {
    /// Whether the log keeps more than what failed. A recording has no use for notes.
    fn takes_notes(&self) -> bool {
        self.effective() >= Level::Info && self.level() >= Level::Info
    }
}

fn record(seen: Seen<'_>) -> (Record, Option<Arc<About>>) {
    let record = match seen {
        Seen::Hook(Change::Registered, hook) => of_hook(Kind::HookRegistered, &hook),
        Seen::Hook(Change::Removed, hook) => of_hook(Kind::HookRemoved, &hook),
        Seen::Hook(Change::Enabled, hook) => of_hook(Kind::HookEnabled, &hook),
        Seen::Hook(Change::Disabled, hook) => of_hook(Kind::HookDisabled, &hook),
        Seen::Loaded { files, hooks, problems, untrusted } => Record::new(Kind::ConfigLoaded)
            .with("files", files)
            .with("hooks", hooks)
            .with("problems", problems)
            .with("untrusted", untrusted),
        Seen::Asked { about, event, hook, hook_id, prompt, options } => Record {
            hook_id: hook_id.map(|id| id.to_string()),
            ..in_session(Kind::ApprovalAsked, &about, Some(event), hook)
        }
        .with("prompt", prompt)
        .with("options", options.to_vec()),
        Seen::Decided { about, event, hook, hook_id, granted, by, reason, option, remembered } => Record {
            hook_id: hook_id.map(|id| id.to_string()),
            outcome: Some(if granted { "granted" } else { "denied" }.to_owned()),
            reason: reason.map(str::to_owned),
            ..in_session(Kind::ApprovalDecided, &about, Some(event), hook)
        }
        .with("by", by)
        .with("option", option.map_or(Value::Null, Value::from))
        .with("remembered", remembered.map_or(Value::Null, Value::from)),
        Seen::ToolRun { about, input, ran, ok, decision, reason, by, error, attempts } => {
            let outcome = match (ran, ok) {
                (true, true) => "ok",
                (true, false) => "failed",
                (false, _) => decision,
            };
            let record = Record {
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

fn of_hook(kind: Kind, hook: &Named<'_>) -> Record {
    let record = Record {
        event: Some(hook.event.to_owned()),
        hook: Some(hook.name.to_owned()),
        hook_id: Some(hook.id.to_owned()),
        ..Record::new(kind)
    };
    let record = record.with("scope", hook.scope.as_str());
    match hook.origin {
        Some(origin) => record
            .with("file", origin.file.display().to_string())
            .with("place", origin.place.as_str())
            .with("dialect", origin.dialect)
            .with("runs", origin.runs.as_str()),
        None => record,
    }
}

fn in_session(kind: Kind, about: &InSession<'_>, event: Option<&str>, hook: Option<&str>) -> Record {
    let own = |text: &str| text.to_owned();
    Record {
        session: Some(own(about.session)),
        agent: about.agent.map(own),
        event: event.map(own),
        hook: hook.map(own),
        tool: Some(own(about.tool)).filter(|tool| !tool.is_empty()),
        tool_use_id: about.tool_use_id.map(own),
        ..Record::new(kind)
    }
}
