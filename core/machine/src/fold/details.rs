//! What a dispatch keeps once a hook has answered.

use std::sync::Arc;

use serde::Serialize;

use super::merge::Change;
use super::observe::Observed;
use super::slots::Slot;
use crate::action::Action;
use crate::answer::{Injection, Message, Question};
use crate::entry::Place;
use crate::event::EventSpec;
use crate::failure::FailureKind;
use crate::hook::{FailBehavior, Scope};
use crate::hook_id::HookId;
use crate::index::{Call, Plan};
use crate::payload::Host;

/// What became of a selected hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// It ran and answered.
    Ran,
    /// It failed.
    Failed,
    /// It was passed over.
    Skipped,
    /// It ran once more, on what others had made of the event.
    Rechecked,
    /// It was started and not awaited.
    Detached,
}

impl Status {
    /// The status's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ran => "ran",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Rechecked => "rechecked",
            Self::Detached => "detached",
        }
    }
}

/// A failure and what the failure rule made of it.
#[derive(Debug)]
pub struct Failed<V> {
    /// What kind of failure.
    pub kind: FailureKind,
    /// What went wrong.
    pub message: String,
    /// The exception or error value, where the host has one.
    pub cause: Option<V>,
    /// Whether it failed open or closed.
    pub became: FailBehavior,
    /// How often the hook has failed by now, when this failure is logged.
    pub times_logged: Option<u64>,
}

/// One line of the trace.
#[derive(Debug)]
pub struct Record<T, V> {
    /// The hook, as it was planned.
    pub call: Call<T>,
    /// How its run ended.
    pub status: Status,
    /// How long it ran, in nanoseconds.
    pub took: u64,
    /// What it decided, or what the failure rule made of its failure.
    pub action: Action,
    /// Why.
    pub reason: Option<String>,
    /// What it would have done, if it observes; the rest of the record is what has an effect.
    pub observed: Option<Box<Observed>>,
    /// The fields that it changed.
    pub modified: Vec<String>,
    /// Earlier hooks whose modification of a field this one replaced.
    pub overrode: Vec<(String, Arc<str>)>,
    /// Its failure.
    pub failure: Option<Failed<V>>,
    /// It ran longer than its time limit allows and could not be stopped.
    pub overran: bool,
    /// Why it did not run.
    pub why: Option<String>,
    /// How many changes of the event the hook has seen, its own included.
    pub seen: u32,
    /// It changed its own result again: the hook is not idempotent.
    pub again: bool,
    /// The hook answered an explicit `continue`, and nothing that restricts it.
    pub consents: bool,
}

impl<T, V> Record<T, V> {
    pub(crate) fn new(call: &Call<T>, status: Status, took: u64) -> Self {
        Self {
            call: call.clone(),
            status,
            took,
            action: Action::Continue,
            reason: None,
            observed: None,
            modified: Vec::new(),
            overrode: Vec::new(),
            failure: None,
            overran: false,
            why: None,
            seen: 0,
            again: false,
            consents: false,
        }
    }

    pub(crate) fn skipped(call: &Call<T>, why: String) -> Self {
        Self { why: Some(why), ..Self::new(call, Status::Skipped, 0) }
    }

    /// Whether the hook's `allow` does not count: it does not cover all that the event names, or the event changed.
    pub fn is_void(&self, changes: u32) -> bool {
        self.action == Action::Allow && !self.speaks_of(changes)
    }

    /// Whether the hook's answer is about the event as it is after so many changes.
    pub const fn speaks_of(&self, changes: u32) -> bool {
        self.call.grants_all() && self.seen >= changes
    }
}

/// All answers of hooks so far.
#[derive(Debug)]
pub struct Details<T, V> {
    pub(crate) records: Vec<Record<T, V>>,
    /// Where the records of the last stage that had hooks passed over begin.
    pub(crate) stage_begins: usize,
    /// How often the event was changed.
    pub(crate) changes: u32,
    /// Each field that was changed, and who changed it last.
    pub(crate) modified: Vec<(String, Arc<str>)>,
    /// What the changed fields were, as they came: a host may do with its own payload what it likes afterwards.
    pub(crate) originals: Vec<(String, V)>,
    /// The payloads before each change, with the position of the last hook of the stage that made it.
    pub(crate) versions: Vec<(Place, V)>,
    pub(crate) injections: Vec<(Arc<str>, Injection)>,
    /// Messages with their hook; the engine's own have none.
    pub(crate) messages: Vec<(Option<Arc<str>>, Message)>,
    /// Questions with the hook that asks: by its name for people, by its id for what is remembered of it.
    pub(crate) asks: Vec<(Arc<str>, HookId, Question)>,
    pub(crate) delay_ms: u64,
    pub(crate) suppress_output: bool,
    /// What hooks of the running stage share with later ones, in order.
    pub(crate) sharing: Vec<(String, V)>,
    /// How often hooks have shared something.
    pub(crate) shares: u32,
    /// By dialect, in order.
    pub(crate) ext: Vec<(String, V)>,
    /// Variables that hooks left for later commands, with the scope of each hook, in order.
    pub(crate) left: Vec<(Scope, V)>,
    /// Scopes that a hook asked to skip, and which hook.
    pub(crate) skips: Vec<(Scope, Arc<str>)>,
    pub(crate) rechecks: Rechecks<V>,
    /// A block or stop ended the dispatch.
    pub(crate) ended: bool,
    /// Why it is blocked regardless of the hooks' answers: they do not agree.
    pub(crate) refusal: Option<String>,
    /// Why a person is asked regardless of the hooks' answers: they do not agree.
    pub(crate) question: Option<String>,
}

/// The rounds in which mandatory hooks look again.
#[derive(Debug)]
pub(crate) struct Rechecks<V> {
    /// The round that is on; none at first.
    pub(crate) round: u32,
    /// Where the records of this round begin.
    pub(crate) begins: usize,
    /// What was changed in rechecks, and in which round.
    pub(crate) changed: Vec<(u32, Slot)>,
    /// What mandatory hooks, by their position, have made of fields.
    pub(crate) made: Vec<(Place, String, V)>,
}

impl<V> Default for Rechecks<V> {
    fn default() -> Self {
        Self { round: 0, begins: 0, changed: Vec::new(), made: Vec::new() }
    }
}

impl<T, V> Details<T, V> {
    /// Keeps what fields were that are changed for the first time.
    pub(crate) fn keep_originals<H: Host<Value = V>>(
        &mut self,
        host: &H,
        event: &EventSpec,
        payload: &V,
        changes: &[Change<V>],
    ) {
        let view = host.view(payload);
        for (field, _) in changes.iter().flat_map(|change| &change.fields) {
            if self.modified.iter().any(|(known, _)| known == field)
                || self.originals.iter().any(|(known, _)| known == field)
            {
                continue;
            }
            let local = if event.built_in().is_some() { host.spelling().local(field) } else { field.into() };
            if let Some(came) = host.get(&view, &local) {
                self.originals.push((field.clone(), host.keep(&came)));
            }
        }
    }

    /// Takes over from the list of durations.
    pub(crate) fn after(plan: &Plan<T>, quiet: &[u64]) -> Box<Self> {
        let records: Vec<_> =
            plan.calls().iter().zip(quiet).map(|(call, took)| Record::new(call, Status::Ran, *took)).collect();
        Box::new(Self {
            stage_begins: records.len(),
            records,
            changes: 0,
            modified: Vec::new(),
            originals: Vec::new(),
            versions: Vec::new(),
            injections: Vec::new(),
            messages: Vec::new(),
            asks: Vec::new(),
            delay_ms: 0,
            suppress_output: false,
            sharing: Vec::new(),
            shares: 0,
            ext: Vec::new(),
            left: Vec::new(),
            skips: Vec::new(),
            rechecks: Rechecks::default(),
            ended: false,
            refusal: None,
            question: None,
        })
    }

    /// Whether the hooks that run now have had their turn and look again.
    pub(crate) const fn is_rechecking(&self) -> bool {
        self.rechecks.round > 0
    }

    /// Who asked to skip a scope, if anyone did.
    pub(crate) fn skipper(&self, scope: Scope) -> Option<&Arc<str>> {
        self.skips.iter().find(|(skipped, _)| *skipped == scope).map(|(_, by)| by)
    }

    /// Whether a hook has run since the event last changed.
    pub(crate) fn has_seen_the_last_change(&self, call: &Call<T>) -> bool {
        self.records.iter().any(|record| {
            record.call.position() == call.position() && record.status != Status::Skipped && record.seen == self.changes
        })
    }

    /// Notes who modified a field last.
    pub(crate) fn note_modified(&mut self, field: &str, by: &Arc<str>) {
        match self.modified.iter_mut().find(|(known, _)| known == field) {
            Some((_, last)) => *last = Arc::clone(by),
            None => self.modified.push((field.to_owned(), Arc::clone(by))),
        }
    }
}

impl<T, V> Record<T, V> {
    /// What it decided, enforced or not.
    pub(crate) fn decided(&self) -> Action {
        self.observed.as_ref().map_or(self.action, |observed| observed.action)
    }
}

impl<T, V> Details<T, V> {
    /// Notes that the event could not be shown to hooks, where all hooks that ran observe; false where one is enforced.
    pub(crate) fn observe_unshown(kept: &mut Option<Box<Self>>, plan: &Arc<Plan<T>>, quiet: &[u64], why: &str) -> bool {
        let details = kept.get_or_insert_with(|| Self::after(plan, quiet));
        let ran = |record: &&mut Record<T, V>| record.status != Status::Skipped;
        if details.records.iter_mut().filter(ran).any(|record| !record.call.entry().observes()) {
            return false;
        }
        let Some(last) = details.records.iter_mut().rfind(ran) else { return false };
        if !last.decided().refuses() {
            last.observed = Some(Box::new(Observed::block(why.to_owned())));
        }
        true
    }
}
