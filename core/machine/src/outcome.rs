//! What all hooks of one dispatch say together.

pub(crate) mod describe;
mod fields;
mod snapshot;
mod trace;

use std::sync::Arc;

use serde::Serialize;

use crate::action::Action;
use crate::answer::{Injection, Message, Question};
use crate::entry::{Entry, Place};
use crate::event::EventSpec;
use crate::failure::FailureKind;
use crate::fold::{Details, Failed, Observed, Progress, Record, Status};
use crate::hook::{Enforcement, FailBehavior, Scope};
use crate::hook_id::HookId;
use crate::index::{EventIndex, Plan, Reuse, Snapshot};
use crate::observer::Begun;
use crate::once::UsedOnce;
use crate::payload::Host;

pub use snapshot::Stand;
pub use trace::{Failure, Overridden, TraceEntry};

/// What one hook decided.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
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
#[non_exhaustive]
pub struct FromHook<'a, P: Serialize> {
    /// The hook's name.
    pub hook: Option<&'a str>,
    /// What it gave.
    #[serde(flatten)]
    pub part: &'a P,
}

/// A hook that did not run because its matcher does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
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
    pub(crate) progress: Progress<T, V>,
    deciding: Option<usize>,
    /// Why it is blocked regardless of the hooks' answers.
    refusal: Option<Box<str>>,
    /// The event is one that a hook has to guard, and none does: what comes of it.
    unguarded: Option<Box<Observed>>,
}

impl<T, V> Outcome<T, V> {
    /// Shows every value that the outcome owns, each as often as it is owned.
    pub fn visit(&self, mut see: impl FnMut(&V)) {
        self.progress.visit(&mut see);
    }

    /// An outcome in the making.
    pub(crate) const fn of(progress: Progress<T, V>) -> Self {
        Self { progress, deciding: None, refusal: None, unguarded: None }
    }

    /// Finds out who decides, when all hooks are done.
    pub(crate) fn decide(&mut self) {
        self.deciding = self.progress.details.as_ref().and_then(|details| deciding(details, &self.progress.snapshot));
        self.note_unguarded();
    }

    /// Notes that no hook is registered for an event that the profile wants guarded.
    fn note_unguarded(&mut self) {
        let (snapshot, event) = (&self.progress.snapshot, self.progress.event.name());
        if snapshot.wants_guarded(event) && !snapshot.event(event).is_some_and(EventIndex::has_hooks) {
            let profile = snapshot.options().profile.name;
            let why =
                format!("no hook is registered for {event}, which the profile {profile} lets no hook leave unguarded");
            self.unguarded = Some(Box::new(Observed::block(why)));
        }
    }

    /// The outcome of an event without hooks.
    pub fn empty(snapshot: Arc<Snapshot<T>>, event: Arc<EventSpec>, payload: V) -> Self {
        let plan = Arc::new(Plan::empty(snapshot.options().mode));
        Self::of(Progress::new(snapshot, event, plan, Reuse::Event, payload))
    }

    /// The outcome of an event for which a client that is switched on has no hooks: a profile may refuse it.
    pub fn without_hooks(snapshot: Arc<Snapshot<T>>, event: Arc<EventSpec>, payload: V) -> Self {
        let mut outcome = Self::empty(snapshot, event, payload);
        outcome.note_unguarded();
        outcome
    }

    /// The hooks that were selected, as things stood at the end.
    pub const fn plan(&self) -> &Arc<Plan<T>> {
        &self.progress.plan
    }

    /// What the engine knows of the event.
    pub const fn event(&self) -> &Arc<EventSpec> {
        &self.progress.event
    }

    /// The final payload.
    pub const fn payload(&self) -> &V {
        &self.progress.payload
    }

    /// What the fields were that hooks changed, those that there were.
    pub fn originals(&self) -> impl Iterator<Item = (&str, &V)> {
        self.progress.details.iter().flat_map(|details| &details.originals).map(|(field, came)| (field.as_str(), came))
    }

    /// Whether no hook answered, failed or skipped, and nothing was decided without hooks.
    pub const fn is_quiet(&self) -> bool {
        self.progress.details.is_none() && self.refusal.is_none() && self.unguarded.is_none()
    }

    /// What was recorded of the dispatch before it was over.
    pub fn begun(&self) -> Option<&Begun> {
        self.progress.begun.as_deref()
    }

    /// The payload as it came.
    pub fn first_payload(&self) -> &V {
        let versions = self.progress.details.as_ref().map(|details| &details.versions);
        versions.and_then(|versions| versions.first()).map_or(&self.progress.payload, |(_, first)| first)
    }

    /// What the hosts' tools are.
    pub fn tools(&self) -> &crate::tool::Tools {
        self.progress.snapshot.tools()
    }

    /// The hooks of a dispatch without answers, and how long each took.
    pub fn quiet_runs(&self) -> impl Iterator<Item = (&crate::entry::Entry<T>, u64)> {
        self.progress.plan.calls().iter().map(|call| &**call.entry()).zip(self.progress.quiet.iter().copied())
    }

    /// Blocks the action regardless of the hooks' answers: it could not be recorded, or not be shown to a hook.
    pub fn refuse(&mut self, why: String) {
        self.refusal = self.progress.event.gate().then(|| why.into()).or_else(|| self.refusal.take());
    }

    /// The same, because the event could not be shown to a hook; it goes on where all hooks that ran observe.
    pub fn refuse_unshown(&mut self, why: String) {
        let Progress { details, plan, quiet, .. } = &mut self.progress;
        if !Details::observe_unshown(details, plan, quiet, &why) {
            self.refuse(why);
        }
    }

    /// What was recorded of each hook that ran, in order.
    pub fn records(&self) -> &[Record<T, V>] {
        self.progress.details.as_ref().map_or(&[], |details| &details.records)
    }

    /// The runs of `once` hooks that the dispatch has used up.
    pub fn used_once(&self) -> Vec<UsedOnce> {
        let quiet = self.quiet_runs().map(|(entry, _)| entry).filter(|_| self.progress.details.is_none());
        let ran = |record: &&Record<T, V>| {
            let never_began = |failed: &Failed<V>| failed.kind == FailureKind::NotStarted;
            record.status != Status::Skipped && !record.failure.as_ref().is_some_and(never_began)
        };
        let answered = self.records().iter().filter(ran).map(|record| &**record.call.entry());
        quiet.chain(answered).filter_map(Entry::used_once).collect()
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
        let details = self.progress.details.as_ref();
        let unguarded = self.unguarded.as_deref().filter(|_| !self.observes()).and_then(|own| own.reason.as_deref());
        if let Some(why) = self.refusal.as_deref().or_else(|| details?.refusal.as_deref()).or(unguarded) {
            return Some((Action::Block, why));
        }
        let profile = self.progress.snapshot.options().profile;
        let question = details?.question.as_deref()?;
        (profile.rank(Action::Ask) > profile.rank(strongest)).then_some((Action::Ask, question))
    }

    /// Whether what the profile itself decides is not acted on.
    fn observes(&self) -> bool {
        self.progress.snapshot.options().enforcement == Enforcement::Observe
    }

    /// Who refuses and why, where it is the engine itself; `None` when it does not, or when hooks have blocked it.
    pub fn refusal(&self) -> Option<(&'static str, &str)> {
        let (_, why) = self.own().filter(|(action, _)| *action == Action::Block)?;
        Some((if self.refusal.is_some() { "audit" } else { "host" }, why))
    }

    /// How often hooks have changed the event.
    pub fn changes(&self) -> u32 {
        self.progress.details.as_ref().map_or(0, |details| details.changes)
    }

    /// The hook that decided.
    pub fn decider(&self) -> Option<(HookId, &str)> {
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
        self.progress.event.gate() && self.decision().refuses()
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
        self.progress.details.iter().flat_map(|details| &details.modified).map(|(field, _)| field.as_str()).collect()
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
    pub fn injections(&self) -> Vec<FromHook<'_, Injection>> {
        let given = self.progress.details.iter().flat_map(|details| &details.injections);
        given.map(|(hook, part)| FromHook { hook: Some(hook), part }).collect()
    }

    /// What the user should see, in order.
    pub fn messages(&self) -> Vec<FromHook<'_, Message>> {
        let given = self.progress.details.iter().flat_map(|details| &details.messages);
        given.map(|(hook, part)| FromHook { hook: hook.as_deref(), part }).collect()
    }

    /// What a person should be asked, in order.
    pub fn asks(&self) -> Vec<FromHook<'_, Question>> {
        let given = self.progress.details.iter().flat_map(|details| &details.asks);
        given.map(|(hook, _, part)| FromHook { hook: Some(hook), part }).collect()
    }

    /// The questions, each with the name and the id of its hook.
    pub fn asking(&self) -> impl Iterator<Item = (&str, HookId, &Question)> {
        let given = self.progress.details.iter().flat_map(|details| &details.asks);
        given.map(|(hook, id, ask)| (&**hook, *id, ask))
    }

    /// What hooks that observe would have done, in order; without those that had nothing to say.
    pub fn observed(&self) -> Vec<FromHook<'_, Observed>> {
        let mut all: Vec<(HookId, FromHook<'_, Observed>)> = Vec::new();
        for record in self.records() {
            let Some(part) = record.observed.as_deref() else { continue };
            let entry = record.call.entry();
            // What a hook says again, word for word, when it looks again is told once.
            if !all.iter().any(|(id, known)| *id == entry.id() && known.part == part) {
                all.push((entry.id(), FromHook { hook: Some(entry.name()), part }));
            }
        }
        let own = self.unguarded.as_deref().filter(|_| self.observes()).map(|part| FromHook { hook: None, part });
        all.into_iter().map(|(_, given)| given).chain(own).collect()
    }

    /// Whether a hook that observes would have blocked what the agent is about to do.
    pub fn would_block(&self) -> bool {
        !self.would_be_blocked_by().is_empty()
    }

    /// What would have blocked the event, had it not observed: each such hook with its strongest decision, in order, and the
    /// profile itself without a hook.
    pub fn would_be_blocked_by(&self) -> Vec<(Option<(HookId, &str)>, &Observed)> {
        let mut all: Vec<(Option<(HookId, &str)>, &Observed)> = Vec::new();
        let profile = self.progress.snapshot.options().profile;
        for record in self.records().iter().filter(|_| self.progress.event.gate()) {
            let Some(observed) = record.observed.as_deref().filter(|observed| observed.action.refuses()) else {
                continue;
            };
            let entry = record.call.entry();
            let hook = Some((entry.id(), &**entry.name()));
            match all.iter_mut().find(|(known, _)| *known == hook) {
                Some((_, known)) if profile.rank(observed.action) > profile.rank(known.action) => *known = observed,
                Some(_) => {}
                None => all.push((hook, observed)),
            }
        }
        all.extend(self.unguarded.as_deref().filter(|_| self.observes()).map(|own| (None, own)));
        all
    }

    /// Why hooks objected to an event that cannot be blocked any more: for the model.
    pub fn feedback(&self) -> Vec<&str> {
        if self.progress.event.gate() {
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
        self.progress.details.as_ref().map_or(0, |details| details.delay_ms)
    }

    /// Whether a hook wants its own output kept out of the transcript.
    pub fn suppress_output(&self) -> bool {
        self.progress.details.as_ref().is_some_and(|details| details.suppress_output)
    }

    /// What only one dialect has, by dialect.
    pub fn ext(&self) -> impl Iterator<Item = (&str, &V)> {
        self.progress.details.iter().flat_map(|details| &details.ext).map(|(dialect, value)| (dialect.as_str(), value))
    }

    /// The variables that hooks left for later commands, each with the scope of its hook, in order.
    pub fn left(&self) -> impl Iterator<Item = (Scope, &V)> {
        self.progress.details.iter().flat_map(|details| &details.left).map(|(scope, variables)| (*scope, variables))
    }

    /// What became of each selected hook, in order.
    pub fn trace(&self) -> Vec<TraceEntry<'_>> {
        match &self.progress.details {
            None => self
                .progress
                .plan
                .calls()
                .iter()
                .zip(&self.progress.quiet)
                .map(|(call, took)| TraceEntry::quiet(call, *took))
                .collect(),
            Some(details) => details.records.iter().map(|record| TraceEntry::of(record, details.changes)).collect(),
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
        let Some(index) = self.progress.snapshot.event(self.progress.event.name()) else { return Vec::new() };
        let is_selected = |position: Place| {
            self.records().iter().any(|record| record.call.position() == position)
                || (self.progress.details.is_none()
                    && self.progress.plan.calls().iter().any(|call| call.position() == position))
        };
        let mut unmatched = Vec::new();
        for listed in index.hooks().filter(|listed| !is_selected(listed.entry.place())) {
            let payload = host.view(self.payload_at(listed.entry.place()));
            let input = self.progress.snapshot.match_input(host, &self.progress.event, payload);
            let why = if listed.enabled {
                listed.entry.matcher().why_not(&input).unwrap_or_else(|| "its turn had passed".to_owned())
            } else {
                "the hook is disabled".to_owned()
            };
            unmatched.push(Unmatched { hook: listed.entry.name().to_string(), id: listed.entry.id().to_string(), why });
        }
        unmatched
    }

    /// The payload as the hook at a place saw it or would have seen it.
    fn payload_at(&self, position: Place) -> &V {
        self.progress
            .details
            .iter()
            .flat_map(|details| &details.versions)
            .find(|(changed_by, _)| *changed_by >= position)
            .map_or(&self.progress.payload, |(_, before)| before)
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
            would_block: self.would_block(),
            observed: self.observed(),
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
    pub injections: Vec<FromHook<'a, Injection>>,
    pub messages: Vec<FromHook<'a, Message>>,
    pub asks: Vec<FromHook<'a, Question>>,
    pub feedback: Vec<&'a str>,
    pub delay_ms: u64,
    pub suppress_output: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub would_block: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<FromHook<'a, Observed>>,
    pub trace: Vec<TraceEntry<'a>>,
}

/// The first record with the strongest decision that counts.
fn deciding<T, V>(details: &Details<T, V>, snapshot: &Snapshot<T>) -> Option<usize> {
    let profile = snapshot.options().profile;
    let mut best: Option<(usize, usize)> = None;
    for (index, record) in details.records.iter().enumerate() {
        let decides = !matches!(record.action, Action::Continue | Action::Skip) && !record.is_void(details.changes);
        let rank = profile.rank(record.action);
        if decides && best.is_none_or(|(_, strongest)| rank > strongest) {
            best = Some((index, rank));
        }
    }
    best.map(|(index, _)| index)
}
