//! The start of a hook, as the writer gets it.

use std::sync::Arc;

use super::{Maker, input};
use crate::record::{AuditRecord, Kind};
use hookweave_machine::event::EventSpec;
use hookweave_machine::observer::{EventDigest, Part};
use hookweave_machine::registry::HookId;

/// A hook is about to run.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) at_ms: u64,
    pub(crate) event: Arc<EventSpec>,
    pub(crate) hook: Arc<str>,
    pub(crate) id: HookId,
    pub(crate) dispatch: u64,
    pub(crate) about: EventDigest,
}

impl Start {
    /// How much memory it holds, roughly.
    pub(crate) fn weight(&self) -> usize {
        256 + self.about.weight()
    }

    /// The record of it, and when it happened.
    pub(crate) fn record(&self, maker: &Maker<'_>) -> (AuditRecord, u64) {
        let record = AuditRecord {
            session: self.about.first(Part::Session),
            agent: self.about.first(Part::Agent),
            event: Some(self.event.name().to_owned()),
            dispatch: Some(self.dispatch),
            hook: Some(self.hook.to_string()),
            hook_id: Some(self.id.to_string()),
            tool: self.about.first(Part::Tool),
            tool_use_id: self.about.first(Part::ToolUseId),
            input: Some(input(&self.about, maker.key, maker.redactor, maker.inputs)),
            ..AuditRecord::new(Kind::HookStarted)
        };
        (record, self.at_ms)
    }
}
