//! One registered hook: its id, its settings as they were resolved, its handler.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::event::EventSpec;
use crate::failure::FailureKind;
use crate::hook::{Enforcement, FailBehavior, HookSpec, Origin, Scope};
use crate::hook_id::HookId;
use crate::matcher::{Matcher, MatcherSpec};
use crate::once::{Marks, OnceRun, UsedOnce};
use crate::options::Options;
use crate::tally::{HookCounter, Tally};

/// A place in the order of registration that stays when the hooks in it are swapped for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seat(u64, u64);

impl Seat {
    /// The place of a hook for itself: behind every place that was kept before it came.
    pub(crate) const fn own(number: u64) -> Self {
        Self(number, u64::MAX)
    }

    /// The place before the hook that comes next, behind those that were kept there earlier.
    pub(crate) const fn kept(next: u64, earlier: u64) -> Self {
        Self(next, earlier)
    }
}

/// Where a hook stands among all of its registry: priority, scope, seat, registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place(i32, Scope, Seat, u64);

impl Place {
    /// Behind every hook.
    pub(crate) const BEHIND_ALL: Self = Self(i32::MAX, Scope::Callback, Seat::own(u64::MAX), u64::MAX);
}

#[cfg(test)]
impl Place {
    pub(crate) const fn numbered(id: HookId) -> Self {
        Self(0, Scope::Callback, Seat::own(id.number()), id.number())
    }
}

/// A registered hook with its handler.
#[derive(Debug)]
pub struct Entry<T> {
    id: HookId,
    seat: Seat,
    name: Arc<str>,
    spec: HookSpec,
    event: Arc<EventSpec>,
    matcher: Matcher,
    timeout: Option<Duration>,
    fail_behavior: FailBehavior,
    /// Failures that block though `fail_behavior` says otherwise.
    blocking_failures: &'static [FailureKind],
    mandatory: bool,
    enforcement: Enforcement,
    handler: T,
    /// The one run of a `once` hook.
    run: Option<Arc<OnceRun>>,
    tally: Arc<Tally>,
}

impl<T> Entry<T> {
    pub(crate) fn new(
        (id, seat): (HookId, Seat),
        mut spec: HookSpec,
        event: Arc<EventSpec>,
        matcher: Matcher,
        options: &Options,
        marks: &Arc<Marks>,
        handler: T,
    ) -> Self {
        options.settle(&mut spec, event.name());
        // A detached hook is not awaited, so its failure cannot block, even if the client's default is to block.
        let is_closed = spec.origin.is_none() && options.closed_events.contains(&event.name());
        let default = match (spec.detached, is_closed) {
            (true, _) => FailBehavior::Continue,
            (false, true) => FailBehavior::Block,
            (false, false) => options.fail_behavior,
        };
        // A file's own system says what a failure means, and so does the hook itself.
        let is_decided = spec.detached || spec.fail_behavior.is_some() || spec.origin.is_some();
        Self {
            id,
            seat,
            name: spec.name.as_deref().map_or_else(|| id.to_string().into(), Into::into),
            matcher,
            timeout: options.timeout_for(&spec, event.name()),
            fail_behavior: spec.fail_behavior.unwrap_or(default),
            blocking_failures: if is_decided { &[] } else { options.blocking_failures },
            mandatory: spec.is_mandatory(),
            enforcement: spec.enforcement(options.enforcement),
            tally: Arc::new(Tally::new(event.tally().total())),
            event,
            handler,
            run: spec.once.then(|| OnceRun::of(id, marks)),
            spec,
        }
    }

    /// What a person wants to see of the hook.
    pub(crate) fn info(&self, enabled: bool, order: usize) -> HookInfo {
        HookInfo {
            id: self.id.to_string(),
            name: self.name.to_string(),
            event: self.event.name().to_owned(),
            matcher: self.matcher.spec().clone(),
            priority: self.spec.priority,
            scope: self.spec.scope,
            timeout_ms: self.timeout.map(|limit| limit.as_secs_f64() * 1000.0),
            fail_behavior: self.fail_behavior,
            enforcement: self.enforcement,
            once: self.spec.once,
            mandatory: self.mandatory,
            mandatory_setting: self.spec.mandatory,
            detached: self.spec.detached,
            enabled,
            temporary: self.spec.temporary,
            origin: self.spec.origin.clone(),
            worker: self.spec.worker.clone(),
            order,
        }
    }

    pub(crate) const fn starts_enabled(&self) -> bool {
        self.spec.enabled
    }

    /// The hook's id.
    pub const fn id(&self) -> HookId {
        self.id
    }

    /// Where it stands among the hooks of its registry.
    pub(crate) const fn place(&self) -> Place {
        Place(self.spec.priority, self.spec.scope, self.seat, self.id.number())
    }

    /// What traces and reasons call it.
    pub const fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// What runs.
    pub const fn handler(&self) -> &T {
        &self.handler
    }

    /// The event it is registered for.
    pub const fn event(&self) -> &Arc<EventSpec> {
        &self.event
    }

    /// How long it may run; `None` is without end.
    pub const fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// What its failure means.
    pub const fn fail_behavior(&self) -> FailBehavior {
        self.fail_behavior
    }

    /// What the hook is made of, by which it is known again in another process: its file's fingerprint; for a hook of the
    /// program its name, scope and matcher. `None` when it cannot be.
    pub fn identity(&self) -> Option<String> {
        let Some(origin) = &self.spec.origin else {
            let own = serde_json::json!([self.name(), self.scope(), self.spec.matcher]);
            return Some(format!("program:{own}"));
        };
        origin.fingerprint.clone().filter(|fingerprint| !fingerprint.is_empty())
    }

    /// What a failure of this kind means.
    pub(crate) fn on_failure(&self, kind: FailureKind) -> FailBehavior {
        if self.blocking_failures.contains(&kind) { FailBehavior::Block } else { self.fail_behavior }
    }

    /// Whether no skip passes over it and changes after it are rechecked.
    pub const fn mandatory(&self) -> bool {
        self.mandatory
    }

    /// Whether what it decides is acted on.
    pub const fn enforcement(&self) -> Enforcement {
        self.enforcement
    }

    /// Whether what it decides is recorded and not acted on.
    pub fn observes(&self) -> bool {
        self.enforcement == Enforcement::Observe
    }

    /// Who loaded it.
    pub const fn scope(&self) -> Scope {
        self.spec.scope
    }

    /// Lower runs earlier.
    pub const fn priority(&self) -> i32 {
        self.spec.priority
    }

    /// Hooks of one group and priority that follow each other run together.
    pub(crate) const fn group(&self) -> Option<&'static str> {
        self.spec.group
    }

    /// Which file declares it.
    pub const fn origin(&self) -> Option<&Arc<Origin>> {
        self.spec.origin.as_ref()
    }

    /// Whether it runs in one stage with the hook next to it, in every mode.
    pub(crate) fn runs_with(&self, other: &Self) -> bool {
        self.group().is_some() && self.group() == other.group() && self.priority() == other.priority()
    }

    /// Whether its answer depends on nothing but whether it is selected.
    pub(crate) const fn decides(&self) -> bool {
        self.spec.decides
    }

    /// Whether it is started and not awaited.
    pub const fn detached(&self) -> bool {
        self.spec.detached
    }

    /// Whether it runs at most once.
    pub const fn once(&self) -> bool {
        self.spec.once
    }

    /// What it did so far.
    pub(crate) fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Its counters, for a driver that reports runs many at a time.
    pub fn counter(&self) -> HookCounter {
        HookCounter(Arc::clone(&self.tally))
    }

    /// What selects the events that the hook runs on.
    pub const fn matcher(&self) -> &Matcher {
        &self.matcher
    }

    /// Takes a `once` hook for one dispatch; false when another has it.
    pub(crate) fn claim(&self) -> bool {
        self.run.as_ref().is_none_or(|run| run.claim())
    }

    /// Gives back a claim whose handler never started.
    pub(crate) fn release(&self) {
        if let Some(run) = &self.run {
            run.release();
        }
    }

    pub(crate) fn spend(&self) {
        if let Some(run) = &self.run {
            run.spend();
        }
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.is_spent())
    }

    /// The run that a dispatch has used up, of a `once` hook.
    pub(crate) fn used_once(&self) -> Option<UsedOnce> {
        self.run.as_ref().filter(|run| run.is_spent()).map(UsedOnce::of)
    }

    /// Whether only the registry knows of this `once` hook any more, so that nothing can give its run back.
    pub(crate) fn is_forgotten(self: &Arc<Self>) -> bool {
        Arc::strong_count(self) == 1 && self.run.as_ref().is_none_or(|run| Arc::strong_count(run) == 1)
    }
}

/// A hook in the list, and whether it is switched on.
#[derive(Debug)]
pub(crate) struct Listed<T> {
    pub(crate) entry: Arc<Entry<T>>,
    pub(crate) enabled: bool,
}

impl<T> Clone for Listed<T> {
    fn clone(&self) -> Self {
        Self { entry: Arc::clone(&self.entry), enabled: self.enabled }
    }
}

/// What a person wants to see of a registered hook.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct HookInfo {
    /// The id.
    pub id: String,
    /// The name.
    pub name: String,
    /// The event's canonical name.
    pub event: String,
    /// The matcher as it was written; empty when there is none.
    pub matcher: MatcherSpec,
    /// Lower runs earlier.
    pub priority: i32,
    /// Who loaded it.
    pub scope: Scope,
    /// How long it may run, in milliseconds; `None` is without end.
    pub timeout_ms: Option<f64>,
    /// What its failure means.
    pub fail_behavior: FailBehavior,
    /// Whether what it decides is acted on.
    pub enforcement: Enforcement,
    /// Whether it runs at most once.
    pub once: bool,
    /// Whether it is mandatory, explicitly or implied.
    pub mandatory: bool,
    /// What its own settings say of that; `None` where it is implied.
    #[serde(skip)]
    pub mandatory_setting: Option<bool>,
    /// Whether it is started and not awaited.
    pub detached: bool,
    /// Whether it runs at all for now.
    pub enabled: bool,
    /// Whether it was registered for a limited time.
    pub temporary: bool,
    /// Which file declares it; `None` for a hook that a program registered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Arc<Origin>>,
    /// The worker that has its handler, in another process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker: Option<Arc<str>>,
    /// Its place among the hooks of its event, from 0.
    pub order: usize,
}
