//! Takes in what the hooks of one stage said: the failure rule, modifications, short-circuit.

use std::sync::Arc;

use super::Running;
use super::failure::{Failure, FailureKind};
use super::loud::{Failed, Loud, Record, Status};
use super::merge::{self, Change};
use super::report::{Report, Said};
use crate::action::Action;
use crate::answer::{self, Answer, Ask, InvalidAnswer, Message, Reading};
use crate::event::EventSpec;
use crate::hook::FailBehavior;
use crate::index::Call;
use crate::payload::Host;
use crate::tool::Tools;

/// Says why fields that a hook replaces are not what they have to be.
type Refuses<'r, V> = &'r dyn Fn(&[(String, V)]) -> Option<String>;

impl<T, V> Running<T, V> {
    /// Takes in a whole stage, in the order of its hooks, whatever finished first.
    #[cold]
    pub(super) fn take_stage<H: Host<Value = V>>(
        &mut self,
        host: &H,
        end: usize,
        reports: impl Iterator<Item = Report<V>>,
    ) {
        let calls: Vec<Call<T>> = self.plan.calls().get(self.at..end).unwrap_or_default().to_vec();
        let event = Arc::clone(&self.event);
        let (tools, payload) = (self.snapshot.tools(), &self.payload);
        let refuses = |modified: &[(String, V)]| refused_args(host, tools, payload, modified);
        let loud = self.loud.get_or_insert_with(|| Loud::after(&self.plan, &self.quiet));
        let first = loud.records.len();
        let mut changes: Vec<Change<V>> = Vec::new();
        let mut reports = reports.fuse();
        for (index, call) in calls.iter().enumerate() {
            let report = reports.next().unwrap_or_else(|| {
                Report::new(Said::Failed(Failure::new(FailureKind::Cancelled, "the hook was not run to its end")), 0)
            });
            if let Some(modified) =
                loud.take_report(host, &event, call, report, &refuses).filter(|modified| !modified.is_empty())
            {
                let mandatory = call.entry().mandatory();
                changes.push(Change { index, mandatory, fields: modified });
            }
        }
        self.at = end;
        self.apply_changes(host, first, changes, &calls);
        self.note_short_circuit(first);
        if let Some(last) = calls.last() {
            self.end_or_replan(host, first, last);
        }
        self.sort_stage(first + calls.len());
    }

    /// Puts the hooks of the stage that were passed over where they would have run.
    fn sort_stage(&mut self, end: usize) {
        let Some(loud) = self.loud.as_mut() else { return };
        let begin = std::mem::replace(&mut loud.stage_begins, loud.records.len());
        if let Some(stage) = loud.records.get_mut(begin..end) {
            stage.sort_by_key(|record| record.call.position());
        }
    }

    /// Changes the event and notes who saw which version of it.
    fn apply_changes<H: Host<Value = V>>(
        &mut self,
        host: &H,
        first: usize,
        changes: Vec<Change<V>>,
        calls: &[Call<T>],
    ) {
        let Some(loud) = self.loud.as_mut() else { return };
        let before = loud.changes;
        if changes.is_empty() {
            for record in loud.records.iter_mut().skip(first) {
                record.seen = before;
            }
            return;
        }
        let after = before + 1;
        let only = if let [only] = changes.as_slice() { Some(only.index) } else { None };
        for (index, record) in loud.records.iter_mut().skip(first).enumerate() {
            record.seen = if only == Some(index) { after } else { before };
        }
        loud.changes = after;
        // Who changed a field in an earlier stage; what hooks of one stage change is merged, not overwritten.
        let earlier = loud.modified.clone();
        loud.keep_originals(host, &self.event, &self.payload, &changes);
        for change in &changes {
            let Some(by) = calls.get(change.index).map(|call| call.entry().name()) else { continue };
            for (field, _) in &change.fields {
                let before = earlier.iter().find(|(known, _)| known == field);
                loud.note_modified(field, by);
                if let Some(record) = loud.records.get_mut(first + change.index) {
                    record.modified.push(field.clone());
                    record.overrode.extend(before.map(|(_, hook)| (field.clone(), Arc::clone(hook))));
                }
            }
        }
        let merged = merge::merge(host, &self.event, &host.view(&self.payload), changes);
        let name = |index: usize| calls.get(index).map(|call| Arc::clone(call.entry().name())).unwrap_or_default();
        for conflict in merged.conflicts {
            loud.messages.push((None, Message { text: conflict.message(name), level: "warning" }));
            if let Some(record) = loud.records.get_mut(first + conflict.winner) {
                record.overrode.push((conflict.field, name(conflict.loser)));
            }
        }
        let position = calls.last().map_or(0, Call::position);
        loud.versions.push((position, std::mem::replace(&mut self.payload, merged.payload)));
    }

    /// Ends the dispatch of a gate when a hook of the stage blocked or stopped.
    fn note_short_circuit(&mut self, first: usize) {
        if !self.event.gate() || !self.snapshot.options().profile.short_circuit {
            return;
        }
        let Some(loud) = self.loud.as_mut() else { return };
        loud.ended = loud.records.iter().skip(first).any(|record| record.action.refuses());
    }

    /// Leaves the rest of the hooks out, or finds out anew which of them are selected.
    fn end_or_replan<H: Host<Value = V>>(&mut self, host: &H, first: usize, last: &Call<T>) {
        let Some(loud) = self.loud.as_mut() else { return };
        if loud.ended {
            let by = loud.records.iter().skip(first).find(|record| record.action.refuses());
            let by = by.map(|record| Arc::clone(record.call.entry().name())).unwrap_or_default();
            let rest = self.plan.calls().get(self.at..).unwrap_or_default();
            if !loud.rechecking {
                loud.records.extend(rest.iter().map(|call| Record::skipped(call, format!("blocked by `{by}`"))));
            }
            self.at = self.plan.calls().len();
            return;
        }
        let mut changed = loud.records.iter().skip(first).flat_map(|record| &record.modified).peekable();
        if changed.peek().is_some() && !loud.rechecking {
            let tool_changed = changed.any(|field| field == "tool");
            self.replan(host, last, tool_changed);
        }
    }
}

impl<T, V> Loud<T, V> {
    /// Notes what one hook said; gives back what it modifies.
    fn take_report<H: Host<Value = V>>(
        &mut self,
        host: &H,
        event: &EventSpec,
        call: &Call<T>,
        report: Report<V>,
        refuses: Refuses<'_, V>,
    ) -> Option<Vec<(String, V)>> {
        let status = if self.rechecking { Status::Rechecked } else { Status::Ran };
        let mut record = Record::new(call, status, report.took);
        record.overran = report.overran;
        let mut modified = None;
        match report.said {
            Said::Nothing => {}
            Said::Detached => record.status = Status::Detached,
            Said::Failed(failure) => fail(&mut record, event, failure),
            Said::Answer(said) => match self.read(host, event, &said, refuses) {
                Reading::Nothing => {}
                Reading::Answer(answer) => modified = Some(self.take_answer(host, &mut record, *answer)),
                Reading::Invalid(InvalidAnswer { message, meant_to_restrict }) => {
                    let kind = FailureKind::InvalidAnswer;
                    fail(&mut record, event, Failure { kind, message, cause: None, meant_to_restrict });
                }
            },
        }
        self.records.push(record);
        modified
    }

    /// Reads an answer; in a recheck nothing may be modified any more.
    fn read<H: Host<Value = V>>(&self, host: &H, event: &EventSpec, said: &V, refuses: Refuses<'_, V>) -> Reading<V> {
        match answer::read(host, event, &host.view(said)) {
            Reading::Answer(answer) if self.rechecking && !answer.modified.is_empty() => {
                let message = "`modified` is not possible in a recheck: every other hook has already run".to_owned();
                Reading::Invalid(InvalidAnswer { message, meant_to_restrict: true })
            }
            Reading::Answer(answer) => match refuses(&answer.modified) {
                Some(message) => Reading::Invalid(InvalidAnswer { message, meant_to_restrict: true }),
                None => Reading::Answer(answer),
            },
            reading => reading,
        }
    }

    /// Keeps every part of an answer; gives back what it modifies.
    fn take_answer<H: Host<Value = V>>(
        &mut self,
        host: &H,
        record: &mut Record<T, V>,
        answer: Answer<V>,
    ) -> Vec<(String, V)> {
        let entry = Arc::clone(record.call.entry());
        let name = entry.name();
        let Answer { action, reason, modified, inject, messages, ask, delay_ms, suppress_output, ext } = answer;
        self.injections.extend(inject.into_iter().map(|injection| (Arc::clone(name), injection)));
        self.messages.extend(messages.into_iter().map(|message| (Some(Arc::clone(name)), message)));
        let asks = ask.is_some() || action == Action::Ask;
        if asks {
            let ask = ask.unwrap_or_else(Ask::new);
            let prompt = ask.prompt.or_else(|| reason.clone());
            self.asks.push((Arc::clone(name), entry.id(), Ask { prompt, ..ask }));
        }
        if action == Action::Skip {
            self.skips.push((entry.scope(), Arc::clone(name)));
        }
        self.delay_ms = self.delay_ms.max(delay_ms);
        self.suppress_output |= suppress_output;
        for (dialect, value) in ext {
            let left = host.get(&host.view(&value), "env").map(|env| host.keep(&env));
            self.left.extend(left.map(|env| (entry.scope(), env)));
            self.add_ext(host, dialect, value);
        }
        // A question beside a weaker action is the decision; beside a refusal it is kept and decides nothing.
        record.action = if asks && !action.refuses() { Action::Ask } else { action };
        record.reason = reason;
        modified
    }

    /// Keeps a dialect's own fields; of two hooks' equal fields the later wins, as with modifications.
    fn add_ext<H: Host<Value = V>>(&mut self, host: &H, dialect: String, value: V) {
        let Some((_, known)) = self.ext.iter_mut().find(|(known, _)| *known == dialect) else {
            self.ext.push((dialect, value));
            return;
        };
        let changes = {
            let view = host.view(&value);
            let keys = host.keys(&view).unwrap_or_default();
            keys.into_iter()
                .map(|key| {
                    let field = host.get(&view, &key).map(|field| host.keep(&field));
                    (key, field)
                })
                .collect()
        };
        let both = host.with(&host.view(known), changes);
        *known = both;
    }
}

/// Why a tool would not take the arguments that a hook gave it.
fn refused_args<H: Host>(
    host: &H,
    tools: &Tools,
    payload: &H::Value,
    modified: &[(String, H::Value)],
) -> Option<String> {
    let (_, args) = modified.iter().find(|(field, _)| field == "args")?;
    let view = host.view(payload);
    let tool = host.get(&view, "tool")?;
    host.text(&tool, |name| tools.refuses(host, name, args)).flatten()
}

/// The failure rule.
fn fail<T, V>(record: &mut Record<T, V>, event: &EventSpec, failure: Failure<V>) {
    let entry = Arc::clone(record.call.entry());
    let Failure { kind, message, cause, meant_to_restrict } = failure;
    let restricts = meant_to_restrict && event.gate();
    let became = if restricts { FailBehavior::Block } else { entry.on_failure(kind) };
    let (hook, name) = (&**entry.name(), event.name());
    #[expect(clippy::cast_precision_loss, reason = "microseconds for a reader")]
    let micros = record.took as f64 / 1000.0;
    match became {
        FailBehavior::Block => {
            tracing::error!(event = name, hook, kind = kind.as_str(), micros, "hook failed and blocks: {message}");
            record.action = Action::Block;
            record.reason = Some(format!("hook {hook} failed: {message}"));
        }
        FailBehavior::Continue => {
            tracing::warn!(
                event = name,
                hook,
                kind = kind.as_str(),
                micros,
                "hook failed, the action goes on: {message}"
            );
        }
    }
    record.status = Status::Failed;
    record.failure = Some(Failed { kind, message, cause, became });
}
