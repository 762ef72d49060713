//! What all hooks of one dispatch say together.

#[cfg(feature = "host")]
mod describe;
#[cfg(feature = "host")]
mod fields;
#[cfg(feature = "host")]
mod snapshot;
mod trace;

use std::sync::Arc;

use serde::Serialize;

use crate::action::Action;
use crate::answer::{Ask, Injection, Message};
use crate::dispatch::{Loud, Record, Running};
use crate::event::EventSpec;
use crate::hook::{FailBehavior, Scope};
use crate::index::{Plan, Reuse, Snapshot};
use crate::look::Look;
use crate::payload::Host;
use crate::registry::HookId;

#[cfg(feature = "host")]
pub use snapshot::Stand;
pub use trace::{FailureEntry, Overrode, TraceEntry};

/// What one hook decided.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Vote<'a> {
    /// The hook's name.
    pub hook: &'a str,
    /// What it decided, or what the failure rule made of its failure.
    pub action: Action,
    /// Why.
    pub reason: Option<&'a str>,
    /// It is an `allow` that does not count: the event changed afterwards, or it does not cover all that it names.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub void: bool,
}

/// Something that a hook gave, with the hook's name; the engine's own messages have none.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct From<'a, P: Serialize> {
    /// The hook's name.
    pub hook: Option<&'a str>,
    /// What it gave.
    #[serde(flatten)]
    pub part: &'a P,
}

/// A hook that did not run because its matcher does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unmatched {
    /// The hook's name.
    pub hook: String,
    /// Its id.
    pub id: String,
    /// Which condition does not hold.
    pub why: String,
}

/// Decision, final event, context, messages and trace of one dispatch.
#[derive(Debug)]
pub struct Outcome<T, V> {
    pub(crate) running: Running<T, V>,
    deciding: Option<usize>,
    /// Why it is blocked whatever hooks said.
    refusal: Option<Box<str>>,
}

impl<T, V> Outcome<T, V> {
    /// An outcome in the making.
    pub(crate) const fn of(running: Running<T, V>) -> Self {
        Self { running, deciding: None, refusal: None }
    }

    /// Finds out who decides, when everything is said.
    pub(crate) fn decide(&mut self) {
        self.deciding = self.running.loud.as_ref().and_then(|loud| deciding(loud, &self.running.snapshot));
    }

    /// The outcome of an event that nobody was asked about.
    pub fn empty(snapshot: Arc<Snapshot<T>>, event: Arc<EventSpec>, payload: V) -> Self {
        let plan = Arc::new(Plan::empty(snapshot.options().mode));
        Self::of(Running::new(snapshot, event, plan, Reuse::Event, payload))
    }

    /// The hooks that were selected, as things stood at the end.
    pub const fn plan(&self) -> &Arc<Plan<T>> {
        &self.running.plan
    }

    /// What the engine knows of the event.
    pub const fn event(&self) -> &Arc<EventSpec> {
        &self.running.event
    }

    /// The final payload.
    pub const fn payload(&self) -> &V {
        &self.running.payload
    }

    /// What the fields were that hooks changed, those that there were.
    pub fn originals(&self) -> impl Iterator<Item = (&str, &V)> {
        self.running.loud.iter().flat_map(|loud| &loud.originals).map(|(field, came)| (field.as_str(), came))
    }

    /// Whether no hook said, failed or skipped anything.
    pub const fn is_quiet(&self) -> bool {
        self.running.loud.is_none() && self.refusal.is_none()
    }

    /// The payload as it came.
    #[cfg(any(feature = "native", all(test, shuttle)))]
    pub(crate) fn first_payload(&self) -> &V {
        let versions = self.running.loud.as_ref().map(|loud| &loud.versions);
        versions.and_then(|versions| versions.first()).map_or(&self.running.payload, |(_, first)| first)
    }

    /// What the hosts' tools are.
    #[cfg(feature = "host")]
    pub(crate) fn tools(&self) -> &crate::tool::Tools {
        self.running.snapshot.tools()
    }

    /// The hooks of a quiet dispatch, and how long each took.
    #[cfg(feature = "native")]
    pub(crate) fn quiet_runs(&self) -> impl Iterator<Item = (&crate::registry::Entry<T>, u64)> {
        self.running.plan.calls().iter().map(|call| &**call.entry()).zip(self.running.quiet.iter().copied())
    }

    /// Blocks what the agent is about to do, whatever hooks said: it could not be recorded, or not be shown to a hook.
    pub fn refuse(&mut self, why: String) {
        self.refusal = self.running.event.gate().then(|| why.into()).or_else(|| self.refusal.take());
    }

    pub(crate) fn records(&self) -> &[Record<T, V>] {
        self.running.loud.as_ref().map_or(&[], |loud| &loud.records)
    }

    fn deciding(&self) -> Option<&Record<T, V>> {
        self.deciding.and_then(|index| self.records().get(index))
    }

    /// What the engine itself has decided, where no hook decided anything as strong: that it is blocked, because it could not be
    /// recorded or hooks do not agree, or that a person is asked about what they do not agree about.
    fn own(&self) -> Option<(Action, &str)> {
        let strongest = self.deciding().map_or(Action::Continue, |record| record.action);
        if strongest.refuses() {
            return None;
        }
        let loud = self.running.loud.as_ref();
        if let Some(why) = self.refusal.as_deref().or_else(|| loud?.refusal.as_deref()) {
            return Some((Action::Block, why));
        }
        let profile = self.running.snapshot.options().profile;
        let question = loud?.question.as_deref()?;
        (profile.rank(Action::Ask) > profile.rank(strongest)).then_some((Action::Ask, question))
    }

    /// Who refuses and why, where it is the engine itself; `None` when it does not, or when hooks have blocked it.
    #[cfg_attr(not(feature = "host"), expect(dead_code, reason = "sessions and records are a host's"))]
    pub(crate) fn refusal(&self) -> Option<(&'static str, &str)> {
        let (_, why) = self.own().filter(|(action, _)| *action == Action::Block)?;
        Some((if self.refusal.is_some() { "audit" } else { "host" }, why))
    }

    /// How often hooks have changed the event.
    pub(crate) fn changes(&self) -> u32 {
        self.running.loud.as_ref().map_or(0, |loud| loud.changes)
    }

    /// The hook that decided.
    #[cfg_attr(not(feature = "host"), expect(dead_code, reason = "sessions and records are a host's"))]
    pub(crate) fn decider(&self) -> Option<(HookId, &str)> {
        if self.own().is_some() {
            return None;
        }
        let entry = self.deciding()?.call.entry();
        Some((entry.id(), &**entry.name()))
    }

    /// The strongest decision.
    pub fn decision(&self) -> Action {
        match self.own() {
            Some((action, _)) => action,
            None => self.deciding().map_or(Action::Continue, |record| record.action),
        }
    }

    /// Whether what the agent is about to do must not happen.
    pub fn blocked(&self) -> bool {
        self.running.event.gate() && self.decision().refuses()
    }

    /// The reason of the first hook with the winning decision.
    pub fn reason(&self) -> Option<&str> {
        match self.own() {
            Some((_, why)) => Some(why),
            None => self.deciding().and_then(|record| record.reason.as_deref()),
        }
    }

    /// The payload fields that hooks changed, in the order of their first change.
    pub fn modified(&self) -> Vec<&str> {
        self.running.loud.iter().flat_map(|loud| &loud.modified).map(|(field, _)| field.as_str()).collect()
    }

    /// What each hook decided that decided anything.
    pub fn votes(&self) -> Vec<Vote<'_>> {
        let changes = self.changes();
        self.records()
            .iter()
            .filter(|record| record.action != Action::Continue)
            .map(|record| Vote {
                hook: record.call.entry().name(),
                action: record.action,
                reason: record.reason.as_deref(),
                void: record.is_void(changes),
            })
            .collect()
    }

    /// Context for the model, in order.
    pub fn injections(&self) -> Vec<From<'_, Injection>> {
        let given = self.running.loud.iter().flat_map(|loud| &loud.injections);
        given.map(|(hook, part)| From { hook: Some(hook), part }).collect()
    }

    /// What the user should see, in order.
    pub fn messages(&self) -> Vec<From<'_, Message>> {
        let given = self.running.loud.iter().flat_map(|loud| &loud.messages);
        given.map(|(hook, part)| From { hook: hook.as_deref(), part }).collect()
    }

    /// What a person should be asked, in order.
    pub fn asks(&self) -> Vec<From<'_, Ask>> {
        let given = self.running.loud.iter().flat_map(|loud| &loud.asks);
        given.map(|(hook, _, part)| From { hook: Some(hook), part }).collect()
    }

    /// The questions, each with the name and the id of its hook.
    #[cfg(feature = "host")]
    pub(crate) fn asking(&self) -> impl Iterator<Item = (&str, HookId, &Ask)> {
        let given = self.running.loud.iter().flat_map(|loud| &loud.asks);
        given.map(|(hook, id, ask)| (&**hook, *id, ask))
    }

    /// Why hooks objected to an event that cannot be blocked any more: for the model.
    pub fn feedback(&self) -> Vec<&str> {
        if self.running.event.gate() {
            return Vec::new();
        }
        self.records()
            .iter()
            .filter(|record| record.action.refuses())
            .filter_map(|record| record.reason.as_deref())
            .collect()
    }

    /// The longest delay that a retry asked for, in milliseconds.
    pub fn delay_ms(&self) -> u64 {
        self.running.loud.as_ref().map_or(0, |loud| loud.delay_ms)
    }

    /// Whether a hook wants its own output kept out of the transcript.
    pub fn suppress_output(&self) -> bool {
        self.running.loud.as_ref().is_some_and(|loud| loud.suppress_output)
    }

    /// What only one dialect has, by dialect.
    pub fn ext(&self) -> impl Iterator<Item = (&str, &V)> {
        self.running.loud.iter().flat_map(|loud| &loud.ext).map(|(dialect, value)| (dialect.as_str(), value))
    }

    /// The variables that hooks left for later commands, each with the scope of its hook, in order.
    #[cfg_attr(not(feature = "host"), expect(dead_code, reason = "sessions and records are a host's"))]
    pub(crate) fn left(&self) -> impl Iterator<Item = (Scope, &V)> {
        self.running.loud.iter().flat_map(|loud| &loud.left).map(|(scope, variables)| (*scope, variables))
    }

    /// What became of each selected hook, in order.
    pub fn trace(&self) -> Vec<TraceEntry<'_>> {
        match &self.running.loud {
            None => self
                .running
                .plan
                .calls()
                .iter()
                .zip(&self.running.quiet)
                .map(|(call, took)| TraceEntry::quiet(call, *took))
                .collect(),
            Some(loud) => loud.records.iter().map(|record| TraceEntry::of(record, loud.changes)).collect(),
        }
    }

    /// The host's own exception behind the failure at an index of the trace.
    pub fn cause(&self, index: usize) -> Option<&V> {
        self.records().get(index)?.failure.as_ref()?.cause.as_ref()
    }

    /// Whether any hook failed, and whether any of the failures blocks.
    pub fn failures(&self) -> impl Iterator<Item = (usize, FailBehavior)> {
        self.records().iter().enumerate().filter_map(|(index, record)| Some((index, record.failure.as_ref()?.became)))
    }

    /// The hooks of the event that were not selected, and why, each against the event as it was at its turn.
    pub fn unmatched<H: Host<Value = V>>(&self, host: &H) -> Vec<Unmatched> {
        let Some(index) = self.running.snapshot.event(self.running.event.name()) else { return Vec::new() };
        let is_selected = |position: usize| {
            self.records().iter().any(|record| record.call.position() == position)
                || (self.running.loud.is_none()
                    && self.running.plan.calls().iter().any(|call| call.position() == position))
        };
        let mut unmatched = Vec::new();
        for (position, listed) in index.hooks().iter().enumerate().filter(|(position, _)| !is_selected(*position)) {
            let payload = host.view(self.payload_at(position));
            let look = Look::new(host, &self.running.event, payload, &self.running.snapshot);
            let why = if listed.enabled {
                listed.entry.matcher().why_not(&look).unwrap_or_else(|| "its turn had passed".to_owned())
            } else {
                "the hook is disabled".to_owned()
            };
            unmatched.push(Unmatched { hook: listed.entry.name().to_string(), id: listed.entry.id().to_string(), why });
        }
        unmatched
    }

    /// The payload as the hook at a place saw it or would have seen it.
    fn payload_at(&self, position: usize) -> &V {
        self.running
            .loud
            .iter()
            .flat_map(|loud| &loud.versions)
            .find(|(changed_by, _)| *changed_by >= position)
            .map_or(&self.running.payload, |(_, before)| before)
    }

    /// Everything but the event and `ext`, which hold the host's values, in the canonical form.
    pub fn summary(&self) -> Summary<'_> {
        Summary {
            decision: self.decision(),
            blocked: self.blocked(),
            reason: self.reason(),
            modified: self.modified(),
            votes: self.votes(),
            injections: self.injections(),
            messages: self.messages(),
            asks: self.asks(),
            feedback: self.feedback(),
            delay_ms: self.delay_ms(),
            suppress_output: self.suppress_output(),
            trace: self.trace(),
        }
    }
}

/// The canonical form of an outcome, the same in every language.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are the outcome's methods of the same names")]
pub struct Summary<'a> {
    pub decision: Action,
    pub blocked: bool,
    pub reason: Option<&'a str>,
    pub modified: Vec<&'a str>,
    pub votes: Vec<Vote<'a>>,
    pub injections: Vec<From<'a, Injection>>,
    pub messages: Vec<From<'a, Message>>,
    pub asks: Vec<From<'a, Ask>>,
    pub feedback: Vec<&'a str>,
    pub delay_ms: u64,
    pub suppress_output: bool,
    pub trace: Vec<TraceEntry<'a>>,
}

/// The first record with the strongest decision that counts.
fn deciding<T, V>(loud: &Loud<T, V>, snapshot: &Snapshot<T>) -> Option<usize> {
    let profile = snapshot.options().profile;
    let mut best: Option<(usize, usize)> = None;
    for (index, record) in loud.records.iter().enumerate() {
        let decides = !matches!(record.action, Action::Continue | Action::Skip) && !record.is_void(loud.changes);
        let rank = profile.rank(record.action);
        if decides && best.is_none_or(|(_, strongest)| rank > strongest) {
            best = Some((index, rank));
        }
    }
    best.map(|(index, _)| index)
}
