//! What drivers and sessions record, as the writer gets it: copied on the caller's thread, made into records on the writer's.

mod start;

use std::sync::Arc;

use serde_json::Value;
use smallvec::SmallVec;

use super::digest::Key;
use super::level::AuditLevel;
use super::record::{AuditRecord, Input, Kind};
use super::redact::Redactor;
use hookweave_clock::now_ms;
use hookweave_machine::action::Action;
use hookweave_machine::answer::{Injection, Message, Question};
use hookweave_machine::dispatch::{FailureKind, Status};
use hookweave_machine::event::EventSpec;
use hookweave_machine::hook::FailBehavior;
use hookweave_machine::json::from_json;
use hookweave_machine::observer::{EventDigest, Inputs, Part};
use hookweave_machine::outcome::Outcome;
use hookweave_machine::payload::Host;
use hookweave_machine::registry::HookId;

pub(super) use start::Start;

/// The longest text of a payload that is kept redacted, in bytes.
const LONGEST_TEXT: usize = 4096;

/// Something that happened.
#[derive(Debug)]
pub(super) enum QueueItem {
    /// The next so many dispatches in which no hook answered, at the level of the time.
    Quiet(AuditLevel, usize),
    /// A dispatch is over.
    Dispatch(Box<Dispatched>),
    /// A hook is about to run.
    Start(Box<Start>),
    /// Anything else: what is recorded, when it happened, and what it was about.
    Note(Box<AuditRecord>, u64, Option<Arc<EventDigest>>),
}

impl QueueItem {
    /// How much memory it holds, roughly.
    pub(super) fn weight(&self) -> usize {
        match self {
            // Those are weighed where they wait.
            Self::Quiet(..) => 0,
            Self::Dispatch(dispatched) => 256 + dispatched.input.weight(),
            Self::Start(start) => start.weight(),
            Self::Note(_, _, about) => 512 + about.as_ref().map_or(0, |about| about.weight()),
        }
    }
}

/// What a record says of what it is about.
pub(super) fn input(about: &EventDigest, key: &Key, redactor: &Redactor, inputs: Inputs) -> Input {
    let clean: Vec<_> = about
        .texts()
        .filter(|(part, _)| matches!(part, Part::Tool | Part::ToolUseId | Part::Matched))
        .map(|(_, text)| redactor.text(text))
        .collect();
    let digest = key.digest(clean.iter().map(|text| &**text));
    let longest = (inputs == Inputs::Redacted).then_some(LONGEST_TEXT);
    let payload = about.payload().map(|text| {
        let mut value = from_json(text).unwrap_or_else(|_| Value::String(text.to_owned()));
        redactor.value(&mut value, longest);
        value
    });
    Input { digest, cut: about.is_cut(), payload }
}

/// One hook of a dispatch.
#[derive(Debug)]
struct Run {
    hook: Arc<str>,
    id: HookId,
    took: u64,
    /// What is recorded beside the run; `None` for a hook without an answer.
    more: Option<Box<More>>,
}

/// What became of a hook that did not just run and say nothing.
#[derive(Debug)]
struct More {
    status: Status,
    action: Action,
    reason: Option<String>,
    modified: Vec<String>,
    void: bool,
    overran: bool,
    failure: Option<(FailureKind, String, FailBehavior)>,
    why: Option<String>,
    observed: Option<Value>,
}

/// What hooks gave.
#[derive(Debug)]
struct Given {
    decision: Action,
    blocked: bool,
    decider: Option<(HookId, String)>,
    reason: Option<String>,
    injections: Vec<(Option<String>, Injection)>,
    messages: Vec<(Option<String>, Message)>,
    asks: Vec<(Option<String>, Question)>,
    suppress_output: bool,
    /// What observes and would have blocked the event: its hook, what it decided and why.
    would_block: Vec<WouldBlock>,
}

/// What a hook that observes would have done.
#[derive(Debug)]
struct WouldBlock {
    hook: Option<(HookId, String)>,
    action: Action,
    reason: Option<String>,
}

/// A dispatch that is over.
#[derive(Debug)]
pub(super) struct Dispatched {
    ended_ms: u64,
    /// The level when it was recorded.
    level: AuditLevel,
    /// Its number, when starts of its hooks are on record already.
    number: Option<u64>,
    event: Arc<EventSpec>,
    input: EventDigest,
    runs: SmallVec<[Run; 2]>,
    given: Option<Box<Given>>,
}

impl Dispatched {
    /// Copies what is to be recorded of an outcome.
    pub(super) fn of<T, H: Host>(host: &H, outcome: &Outcome<T, H::Value>, inputs: Inputs, level: AuditLevel) -> Self {
        let event = Arc::clone(outcome.event());
        let (number, input) = match outcome.begun() {
            Some(begun) => (Some(begun.number), begun.about.clone()),
            None => (None, EventDigest::of(host, &event, outcome.first_payload(), outcome.tools(), inputs)),
        };
        Self { ended_ms: now_ms(), level, number, event, input, runs: runs(outcome), given: given(outcome) }
    }

    /// Whether no hook was selected: there is nothing to record.
    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The records of it, numbered as one dispatch: as its hooks' starts are, else with a new number.
    pub(super) fn records(&self, new: impl FnOnce() -> u64, maker: &Maker<'_>, mut each: impl FnMut(AuditRecord, u64)) {
        let number = self.number.unwrap_or_else(new);
        let mut whole_input = Some(input(&self.input, maker.key, maker.redactor, maker.inputs));
        let digest = whole_input.as_ref().map(|input| Input { payload: None, ..input.clone() });
        let mut record = |kind: Kind, fill: &dyn Fn(&mut AuditRecord), at: u64| {
            if kind.level() > self.level {
                return;
            }
            let mut record = AuditRecord {
                session: self.input.first(Part::Session),
                agent: self.input.first(Part::Agent),
                event: Some(self.event.name().to_owned()),
                dispatch: Some(number),
                tool: self.input.first(Part::Tool),
                tool_use_id: self.input.first(Part::ToolUseId),
                // The payload, where it is kept, stands in the first record only.
                input: whole_input.take().or_else(|| digest.clone()),
                ..AuditRecord::new(kind)
            };
            fill(&mut record);
            each(record, at);
        };
        // Hooks ran one after the other, or together in the same time: the last one ended when the dispatch did.
        let whole: u64 = self.runs.iter().map(|run| run.took).sum();
        let mut began = self.ended_ms.saturating_sub(whole / 1_000_000);
        for run in &self.runs {
            run.records(began, &mut record);
            began += run.took / 1_000_000;
        }
        if let Some(given) = &self.given {
            given.records(self.ended_ms, &mut record);
        }
    }
}

/// Makes a record of a kind: what fills it, and when it happened.
type Make<'m> = dyn FnMut(Kind, &dyn Fn(&mut AuditRecord), u64) + 'm;

/// What records are made with.
pub(super) struct Maker<'m> {
    pub(super) key: &'m Key,
    pub(super) redactor: &'m Redactor,
    pub(super) inputs: Inputs,
}

fn runs<T, V>(outcome: &Outcome<T, V>) -> SmallVec<[Run; 2]> {
    if outcome.is_quiet() {
        let quiet = outcome.quiet_runs().map(|(entry, took)| (Arc::clone(entry.name()), entry.id(), took));
        return quiet.map(|(hook, id, took)| Run { hook, id, took, more: None }).collect();
    }
    let changes = outcome.changes();
    let of = |record: &hookweave_machine::dispatch::Record<T, V>| {
        let more = More {
            status: record.status,
            action: record.action,
            reason: record.reason.clone(),
            modified: record.modified.clone(),
            void: record.is_void(changes),
            overran: record.overran,
            failure: record.failure.as_ref().map(|failed| (failed.kind, failed.message.clone(), failed.became)),
            why: record.why.clone(),
            observed: record.observed.as_deref().map(plain),
        };
        let entry = record.call.entry();
        Run { hook: Arc::clone(entry.name()), id: entry.id(), took: record.took, more: Some(Box::new(more)) }
    };
    outcome.records().iter().map(of).collect()
}

fn given<T, V>(outcome: &Outcome<T, V>) -> Option<Box<Given>> {
    if outcome.is_quiet() && !outcome.blocked() {
        return None;
    }
    let name = |hook: Option<&str>| hook.map(str::to_owned);
    Some(Box::new(Given {
        decision: outcome.decision(),
        blocked: outcome.blocked(),
        decider: outcome.decider().map(|(id, name)| (id, name.to_owned())),
        reason: outcome.reason().map(str::to_owned),
        injections: outcome.injections().iter().map(|from| (name(from.hook), from.part.clone())).collect(),
        messages: outcome.messages().iter().map(|from| (name(from.hook), from.part.clone())).collect(),
        asks: outcome.asks().iter().map(|from| (name(from.hook), from.part.clone())).collect(),
        suppress_output: outcome.suppress_output(),
        would_block: outcome
            .would_be_blocked_by()
            .into_iter()
            .map(|(hook, observed)| WouldBlock {
                hook: hook.map(|(id, name)| (id, name.to_owned())),
                action: observed.action,
                reason: observed.reason.clone(),
            })
            .collect(),
    }))
}

#[expect(clippy::cast_precision_loss, reason = "microseconds for a reader")]
pub(super) fn micros(nanos: u64) -> f64 {
    nanos as f64 / 1000.0
}

impl Run {
    fn records(&self, began: u64, make: &mut Make<'_>) {
        let ended = began + self.took / 1_000_000;
        let hook = |record: &mut AuditRecord| {
            record.hook = Some(self.hook.to_string());
            record.hook_id = Some(self.id.to_string());
        };
        let Some(more) = &self.more else {
            let finished = |record: &mut AuditRecord| {
                hook(record);
                record.duration_us = Some(micros(self.took));
                record.outcome = Some(Action::Continue.as_str().to_owned());
            };
            return make(Kind::HookFinished, &finished, ended);
        };
        if more.status == Status::Skipped {
            let skipped = |record: &mut AuditRecord| {
                hook(record);
                record.reason.clone_from(&more.why);
            };
            return make(Kind::HookSkipped, &skipped, began);
        }
        let common = |record: &mut AuditRecord| {
            hook(record);
            record.duration_us = (more.status != Status::Detached).then(|| micros(self.took));
            record.outcome = Some(more.action.as_str().to_owned());
            record.reason.clone_from(&more.reason);
            let mut detail = |name: &str, value: Value| _ = record.details.insert(name.to_owned(), value);
            if !matches!(more.status, Status::Ran | Status::Failed) {
                detail("status", more.status.as_str().into());
            }
            if more.void {
                detail("void", true.into());
            }
            if more.overran {
                detail("overran", true.into());
            }
            if let Some(observed) = &more.observed {
                detail("observed", observed.clone());
            }
        };
        match &more.failure {
            Some((kind, message, became)) => {
                let failed = |record: &mut AuditRecord| {
                    common(record);
                    let details =
                        [("failure", kind.as_str()), ("message", message.as_str()), ("became", became.as_str())];
                    record.details.extend(details.map(|(name, text)| (name.to_owned(), text.into())));
                };
                make(Kind::HookFailed, &failed, ended);
            }
            None => make(Kind::HookFinished, &common, ended),
        }
        if !more.modified.is_empty() {
            let modified = |record: &mut AuditRecord| {
                hook(record);
                record.details.insert("fields".to_owned(), more.modified.clone().into());
            };
            make(Kind::Modified, &modified, ended);
        }
    }
}

impl Given {
    fn records(&self, at: u64, make: &mut Make<'_>) {
        let of = |record: &mut AuditRecord, hook: &Option<String>, details: Value| {
            record.hook.clone_from(hook);
            if let Value::Object(details) = details {
                record.details.extend(details.into_iter().filter(|(_, value)| !value.is_null()));
            }
        };
        for (hook, part) in &self.injections {
            make(Kind::Injected, &|record| of(record, hook, plain(part)), at);
        }
        for (hook, part) in &self.messages {
            make(Kind::Message, &|record| of(record, hook, plain(part)), at);
        }
        for (hook, part) in &self.asks {
            make(Kind::Asked, &|record| of(record, hook, plain(part)), at);
        }
        if self.suppress_output {
            make(Kind::Suppressed, &|_| {}, at);
        }
        let refused = |hook: &Option<(HookId, String)>, action: Action, reason: &Option<String>| {
            let (hook, reason) = (hook.clone(), reason.clone());
            move |record: &mut AuditRecord| {
                if let Some((id, name)) = &hook {
                    record.hook = Some(name.clone());
                    record.hook_id = Some(id.to_string());
                }
                record.outcome = Some(action.as_str().to_owned());
                record.reason.clone_from(&reason);
            }
        };
        if self.blocked {
            make(Kind::Blocked, &refused(&self.decider, self.decision, &self.reason), at);
        }
        for WouldBlock { hook, action, reason } in &self.would_block {
            make(Kind::WouldBlock, &refused(hook, *action, reason), at);
        }
    }
}

/// A part of an answer as JSON.
fn plain(part: &impl serde::Serialize) -> Value {
    serde_json::to_value(part).unwrap_or_default()
}
