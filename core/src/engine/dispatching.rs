//! One dispatch from its event to its outcome.

use std::sync::Arc;

use tracing::Instrument as _;

use super::shared::Shared;
use super::{Engine, Event, Outcome, driver, nesting};
use hookweave_host::clock::ticks;
use hookweave_host::dispatch::{begin, check_depth};
use hookweave_host::error::Error;
use hookweave_host::index::Planned;
use hookweave_host::outcome::Outcome as Folded;

impl Engine {
    /// Runs the hooks that an event selects and folds what they say.
    ///
    /// A failed hook is not an error: it is in the trace, and its `fail_behavior` decided. An error is an
    /// unknown event, a payload that is no object, a dispatch that is nested too deeply, or an engine that was closed.
    pub async fn dispatch(&self, event: Event) -> Result<Outcome, Error> {
        self.check_open("dispatch events")?;
        let depth = nesting::depth();
        check_depth(depth)?;
        let snapshot = self.inner.registry.snapshot();
        let index = snapshot.event(event.name());
        let spec = index.map_or_else(|| snapshot.resolve(event.name()), |index| Ok(Arc::clone(index.spec())))?;
        let event = event.resolved(&spec, &snapshot.options().directory, self.inner.registry.known_tools())?;
        let is_enabled = self.is_enabled();
        let planned = index
            .filter(|_| is_enabled)
            .map(|index| snapshot.plan_dispatch(&Shared, index, &event.payload()))
            .transpose()?;
        let Some(Planned { plan, reuse }) = planned else {
            if is_enabled {
                spec.count(1);
            }
            let of = if is_enabled { Folded::without_hooks } else { Folded::empty };
            let unasked = Box::new(of(snapshot, spec, Arc::clone(event.shared_payload())));
            self.inner.audit.unasked(&Shared, &unasked);
            return Ok(Outcome::new(event, unasked));
        };
        let span = dispatch_span(&event);
        span.in_scope(|| {
            tracing::debug!(event = event.name(), selected = plan.calls().len(), depth, "hooks selected");
        });
        let step = begin(&Shared, snapshot, spec, plan, reuse, Arc::clone(event.shared_payload()));
        let running = driver::run(&self.inner.detached, self.starting(), step, event, depth);
        let (mut outcome, ended) = if span.is_disabled() {
            running.await
        } else {
            // In a box, so that dispatches without spans stay small.
            Box::pin(running.instrument(span.clone())).await
        };
        let ended = ticks(ended);
        self.inner.audit.dispatched_at(&Shared, outcome.inner_mut(), ended, |wait| wait());
        if !span.is_disabled() {
            span.record("decision", outcome.decision().as_str());
            span.record("blocked", outcome.blocked());
        }
        if outcome.inner().count(ended) {
            self.log_warnings();
        }
        Ok(outcome)
    }

    /// Records that a hook is about to run, where that is recorded.
    fn starting(&self) -> Option<impl Fn(&mut driver::Staged, usize)> {
        let audit = &self.inner.audit;
        let starting = |stage: &mut driver::Staged, index| audit.starts(&Shared, stage, index, |wait| wait());
        (audit.effective() >= hookweave_host::audit::AuditLevel::Verbose).then_some(starting)
    }

    /// Logs that hooks observe, once: a guard that is not enforced must not go unseen.
    pub(super) fn log_observers(&self) {
        if self.inner.registry.has_unseen_observer() {
            self.log_warnings();
        }
    }

    #[cold]
    fn log_warnings(&self) {
        for warning in self.inner.registry.new_warnings() {
            tracing::warn!(hook = %warning.hook, event = %warning.event, kind = ?warning.kind, "{warning}");
        }
    }
}

/// The span of a dispatch, below which those of its hooks are; it costs nothing while no subscriber listens.
fn dispatch_span(event: &Event) -> tracing::Span {
    use tracing::field::Empty;

    let span = tracing::debug_span!(
        "hookweave.dispatch",
        event = event.name(),
        tool = Empty,
        session = Empty,
        decision = Empty,
        blocked = Empty
    );
    if !span.is_disabled() {
        let payload = event.payload();
        for (name, field) in [("tool", "tool"), ("session", "session_id")] {
            if let Some(text) = payload.get(field).and_then(serde_json::Value::as_str) {
                span.record(name, text);
            }
        }
    }
    span
}
