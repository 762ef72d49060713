//! The records of dispatches in which no hook had anything to say, made without memory of their own.

use std::fmt::Write as _;

use super::batch::Quiet;
use super::level::AuditLevel;
use super::queue_item::{Maker, micros};
use super::record::{Input, Kind, Written};
use super::usual::Usual;
use hookweave_machine::action::Action;
use hookweave_machine::observer::Part;
use hookweave_machine::stats::Now;

impl Quiet<'_> {
    /// Makes its records, each with the time at which it happened.
    pub(super) fn records(
        &self,
        level: AuditLevel,
        number: u64,
        now: Now,
        maker: &Maker<'_>,
        usual: &Usual,
        mut each: impl FnMut(Written<'_>, u64),
    ) {
        if Kind::HookFinished.level() > level {
            return;
        }
        let redactor = maker.redactor;
        let usual = |text| usual.text(redactor, text);
        let (session, agent) = (self.first(Part::Session).map(usual), self.first(Part::Agent).map(usual));
        let tool = self.first(Part::Tool).map(usual);
        let tool_use_id = self.first(Part::ToolUseId).map(|text| redactor.text(text));
        let event = usual(self.event);
        let outcome = usual(Action::Continue.as_str());
        let digested = self.texts.iter().filter_map(|(part, text)| match part {
            Part::Session | Part::Agent => None,
            Part::Tool => Some(usual(text)),
            Part::ToolUseId | Part::Matched => Some(redactor.text(text)),
        });
        let input = Input { digest: maker.key.digest(digested), cut: self.cut, payload: None };
        let ended_ms = now.epoch_ms.saturating_sub(now.ticks.saturating_sub(self.ended) / 1_000_000);
        // Hooks ran one after the other, or together in the same time: the last one ended when the dispatch did.
        let whole: u64 = self.runs.iter().map(|(_, _, took)| took / 1_000_000).sum();
        let mut at = ended_ms.saturating_sub(whole);
        let mut hook_id = String::with_capacity(24);
        for &(id, name, took) in &self.runs {
            at += took / 1_000_000;
            hook_id.clear();
            // Writing to a string cannot fail.
            let _ = write!(hook_id, "{id}");
            let record = Written {
                kind: Kind::HookFinished,
                session: session.as_deref(),
                agent: agent.as_deref(),
                event: Some(&event),
                dispatch: Some(number),
                hook: Some(&usual(name)),
                hook_id: Some(&hook_id),
                tool: tool.as_deref(),
                tool_use_id: tool_use_id.as_deref(),
                outcome: Some(&outcome),
                duration_us: Some(micros(took)),
                input: Some(&input),
                ..Written::default()
            };
            each(record, at);
        }
    }
}
