//! What a session reports to the observer.

use std::sync::Arc;

use super::{Session, Verdict};
use hookweave_machine::observer::{EventDigest, InSession, Inputs, ObservedEvent};
use hookweave_machine::outcome::Outcome;
use hookweave_machine::payload::Host;

impl Session {
    /// Whether the session also needs the outcomes of dispatches in which no hook answered.
    #[must_use]
    pub fn wants_no_op_outcomes(&self) -> bool {
        self.inputs().is_some()
    }

    /// What the session needs of a dispatch's outcome.
    pub fn verdict<T, H: Host>(&self, outcome: &Outcome<T, H::Value>, host: &H) -> Verdict {
        let inputs = self.inputs().filter(|_| outcome.event().name() == "PreToolUse");
        let of = |inputs| EventDigest::of(host, outcome.event(), outcome.payload(), outcome.tools(), inputs);
        let mut verdict = Verdict { about: inputs.map(of).map(Arc::new), ..Verdict::of(outcome, host) };
        if self.settings.profile.continue_grants && outcome.event().name() == "PermissionRequest" {
            verdict.apply_consent(outcome);
        }
        verdict
    }

    fn inputs(&self) -> Option<Inputs> {
        self.client.observer.as_ref().and_then(|observer| observer.inputs())
    }

    /// Whether anything has to be on record before it is done: a step of a flow may wait for the disk then.
    #[must_use]
    pub fn waits_for_records(&self) -> bool {
        self.client.observer.as_ref().is_some_and(|observer| observer.is_binding())
    }

    /// Takes note that a tool is about to run, where that has to be on record first; why it may not.
    pub(super) fn may_not_start(
        &self,
        tool: &str,
        tool_use_id: &str,
        input: Option<Arc<EventDigest>>,
    ) -> Option<String> {
        let about = InSession { session: &self.id, agent: self.agent_id(), tool, tool_use_id: Some(tool_use_id) };
        self.client.observer.as_ref()?.refuses(ObservedEvent::ToolStarts { about, input })
    }

    /// Reports an event about a tool call, or about no tool.
    pub(super) fn record<'s>(
        &'s self,
        tool: &'s str,
        tool_use_id: Option<&'s str>,
        seen: impl FnOnce(InSession<'s>) -> ObservedEvent<'s>,
    ) {
        if let Some(observer) = &self.client.observer {
            observer.observe(seen(InSession { session: &self.id, agent: self.agent_id(), tool, tool_use_id }));
        }
    }
}
