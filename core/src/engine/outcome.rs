//! An outcome as Rust agents see it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use super::Event;
use super::shared::Shared;
use crate::engine::handler::Code;
use hookweave_host::action::Action;
use hookweave_host::answer::{Injection, Message, Question};
use hookweave_host::dialects::{OutcomeValues, WireAnswer, encode_outcome};
use hookweave_host::dispatch::Observed;
use hookweave_host::error::Error;
use hookweave_host::outcome::{FromHook, Stand, TraceEntry, Unmatched, Vote};

/// What all hooks of one dispatch say together: decision, final event, context, messages and trace.
#[derive(Debug)]
pub struct Outcome {
    event: Event,
    inner: Box<hookweave_host::outcome::Outcome<Code, Arc<Value>>>,
}

impl Outcome {
    pub(super) fn new(event: Event, inner: Box<hookweave_host::outcome::Outcome<Code, Arc<Value>>>) -> Self {
        let is_final = Arc::ptr_eq(event.shared_payload(), inner.payload());
        let event = if is_final { event } else { event.with_payload(Arc::clone(inner.payload())) };
        Self { event, inner }
    }

    /// The fold as the machine keeps it.
    pub(crate) const fn inner(&self) -> &hookweave_host::outcome::Outcome<Code, Arc<Value>> {
        &self.inner
    }

    pub(super) const fn inner_mut(&mut self) -> &mut hookweave_host::outcome::Outcome<Code, Arc<Value>> {
        &mut self.inner
    }

    /// The final event.
    #[must_use]
    pub const fn event(&self) -> &Event {
        &self.event
    }

    /// The strongest decision.
    #[must_use]
    pub fn decision(&self) -> Action {
        self.inner.decision()
    }

    /// Whether what the agent is about to do must not happen.
    #[must_use]
    pub fn blocked(&self) -> bool {
        self.inner.blocked()
    }

    /// The reason of the first hook with the winning decision.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.inner.reason()
    }

    /// The payload fields that hooks changed, in the order of their first change.
    #[must_use]
    pub fn modified(&self) -> Vec<&str> {
        self.inner.modified()
    }

    /// What each hook decided that decided anything.
    #[must_use]
    pub fn votes(&self) -> Vec<Vote<'_>> {
        self.inner.votes()
    }

    /// Context for the model, in order.
    #[must_use]
    pub fn injections(&self) -> Vec<FromHook<'_, Injection>> {
        self.inner.injections()
    }

    /// What the user should see, in order; the engine's own messages have no hook.
    #[must_use]
    pub fn messages(&self) -> Vec<FromHook<'_, Message>> {
        self.inner.messages()
    }

    /// What a person should be asked, in order.
    #[must_use]
    pub fn asks(&self) -> Vec<FromHook<'_, Question>> {
        self.inner.asks()
    }

    /// Why hooks objected to an event that cannot be blocked any more: for the model.
    #[must_use]
    pub fn feedback(&self) -> Vec<&str> {
        self.inner.feedback()
    }

    /// The longest delay that a retry asked for.
    #[must_use]
    pub fn delay(&self) -> Duration {
        Duration::from_millis(self.inner.delay_ms())
    }

    /// Whether a hook wants its own output kept out of the transcript.
    #[must_use]
    pub fn suppress_output(&self) -> bool {
        self.inner.suppress_output()
    }

    /// What hooks that observe would have done, in order; without those that had nothing to say.
    #[must_use]
    pub fn observed(&self) -> Vec<FromHook<'_, Observed>> {
        self.inner.observed()
    }

    /// Whether a hook that observes would have blocked what the agent is about to do.
    #[must_use]
    pub fn would_block(&self) -> bool {
        self.inner.would_block()
    }

    /// What only one dialect has, by dialect.
    pub fn ext(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.inner.ext().map(|(dialect, value)| (dialect, &**value))
    }

    /// What became of each selected hook, in order.
    #[must_use]
    pub fn trace(&self) -> Vec<TraceEntry<'_>> {
        self.inner.trace()
    }

    /// The hooks of the event that were not selected, and why.
    #[must_use]
    pub fn unmatched(&self) -> Vec<Unmatched> {
        self.inner.unmatched(&Shared)
    }

    /// Who decided what and why, and what became of every hook of the event: `assert!(outcome.blocked(), "{}", outcome.describe())`.
    #[must_use]
    pub fn describe(&self) -> String {
        self.inner.describe(&Shared)
    }

    /// What hooks made of the event, as data that stays the same from run to run: no times, no ids, and names for what
    /// `stands` lists.
    #[must_use]
    pub fn snapshot(&self, stands: &[Stand]) -> Value {
        self.inner.snapshot(&Shared, stands)
    }

    /// The canonical form, the same in every language.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut whole = serde_json::to_value(self.inner.summary()).unwrap_or_default();
        if let Value::Object(fields) = &mut whole {
            let OutcomeValues { payload, original, ext } = self.values();
            fields.insert("event".into(), Value::Object(payload));
            fields.insert("ext".into(), Value::Object(ext));
            if !self.inner.modified().is_empty() {
                // An agent that merges what changed must also get what was removed.
                fields.insert("original".into(), Value::Object(original));
            }
        }
        whole
    }

    fn values(&self) -> OutcomeValues {
        let owned = |(name, value): (&str, &Arc<Value>)| (name.to_owned(), (**value).clone());
        OutcomeValues {
            payload: if let Value::Object(payload) = self.event.to_json() { payload } else { Map::new() },
            original: self.inner.originals().map(owned).collect(),
            ext: self.inner.ext().map(owned).collect(),
        }
    }

    /// What a hook has to leave for the agent of a dialect, such as `claude-code`: its exit code and its output.
    ///
    /// A decision that the format cannot express becomes stricter, and `degraded` names it.
    ///
    /// # Errors
    /// [`UnknownDialect`](crate::Code::UnknownDialect), and [`InvalidWireEvent`](crate::Code::InvalidWireEvent) for an
    /// event of the program's own, which no agent raises.
    pub fn to_wire(&self, dialect: &str) -> Result<WireAnswer, Error> {
        encode_outcome(dialect, &self.inner, &self.values(), Vec::new())
    }
}
