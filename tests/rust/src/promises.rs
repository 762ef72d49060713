//! What the façade promises its drivers beside the outcome, held against what a dispatch was seen to do.

use std::sync::Arc;

use hookweave_host::dispatch::{FailureKind, HandlerResult, Report, Stage};
use hookweave_host::outcome::Outcome;
use hookweave_host::registry::HookId;
use serde_json::{Value, json};

use crate::script::{Script, Theatre};

/// What was seen of one dispatch.
#[derive(Default)]
pub(crate) struct Promises {
    /// The payload as shown last, and how many changes it had.
    shown: Option<(u32, Value)>,
    /// The hooks that the machine announced, as long as none answers.
    ahead: Vec<HookId>,
    /// One hook ran at a time, and none answered.
    quiet: bool,
    stages: usize,
    rechecks: usize,
}

impl Promises {
    /// The payload for the hooks of a stage, copied only when the machine says that it changed.
    pub(crate) fn payload(&mut self, stage: &Stage<Arc<Script>, Value>) -> Value {
        let changes = stage.changes();
        match &self.shown {
            Some((known, payload)) if *known == changes => payload.clone(),
            _ => self.shown.insert((changes, stage.payload().clone())).1.clone(),
        }
    }

    /// Notes a stage that has run.
    pub(crate) fn note(&mut self, stage: &Stage<Arc<Script>, Value>, reports: &[Report<Value>], theatre: &Theatre) {
        let ids: Vec<HookId> = stage.calls().iter().map(|call| call.entry().id()).collect();
        if let Some(next) = self.ahead.first()
            && ids != [*next]
        {
            theatre.complain(format!("the machine said that {next} would follow, then asked for {ids:?}"));
        }
        let nothing = reports.iter().all(|report| matches!(report.result, HandlerResult::Nothing) && !report.overran);
        self.quiet = nothing && ids.len() == 1 && (self.quiet || self.stages == 0);
        self.stages += 1;
        self.rechecks += if stage.is_recheck() { reports.len() } else { 0 };
        let ahead = stage.ahead();
        let planned: Vec<HookId> = stage.planned().iter().map(|call| call.entry().id()).collect();
        if ids.is_empty() {
            theatre.complain("the machine asks for a stage without hooks".to_owned());
        }
        if !ids.iter().all(|id| planned.contains(id)) {
            theatre.complain(format!("the machine asks for {ids:?}, which is not among the planned {planned:?}"));
        }
        if ahead.is_empty() && stage.is_recheck() {
            theatre.complain("a recheck is sequential, so its hooks can run ahead".to_owned());
        }
        self.ahead = if nothing { ahead.iter().skip(1).map(|call| call.entry().id()).collect() } else { Vec::new() };
    }

    /// Holds the outcome's further answers against its trace and against what was seen.
    pub(crate) fn check(&self, outcome: &Outcome<Arc<Script>, Value>, theatre: &Theatre) {
        let hold = |holds: bool, what: &str| {
            if !holds {
                theatre.complain(what.to_owned());
            }
        };
        let trace = outcome.trace();
        let skipped = trace.iter().any(|entry| entry.why.is_some());
        // Without a hook the profile itself may have decided.
        let decided = self.stages == 0 && (outcome.blocked() || outcome.would_block());
        let quiet = (self.quiet || self.stages == 0) && !skipped && !decided;
        hold(outcome.is_quiet() == quiet, "is_quiet is not what was seen");
        hold(self.ahead.is_empty(), "hooks that the machine said would follow did not");
        let failed: Vec<usize> = (0..trace.len()).filter(|index| trace[*index].failure.is_some()).collect();
        hold(
            outcome.failures().map(|(index, _)| index).eq(failed.iter().copied()),
            "failures are not those of the trace",
        );
        for (index, entry) in trace.iter().enumerate() {
            hold(json!(entry.status) == entry.status.as_str(), "a status has two names");
            let Some(failure) = &entry.failure else { continue };
            hold(json!(failure.kind) == failure.kind.as_str(), "a failure kind has two names");
            if failure.kind == FailureKind::Raised {
                let wanted = json!({"raised": failure.message});
                hold(outcome.cause(index) == Some(&wanted), "the cause of a failure is not its exception");
            }
        }
        let rechecked = trace.iter().filter(|entry| json!(entry.status) == "rechecked").count();
        let failures = trace.iter().filter(|entry| entry.failure.is_some()).count();
        hold((rechecked..=rechecked + failures).contains(&self.rechecks), "is_recheck is not what the trace says");
    }
}
