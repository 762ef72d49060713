//! Takes in the answers of one stage: the failure rule, modifications, short-circuit.

use std::sync::Arc;

use super::Progress;
use super::details::{Details, Failed, Record, Status};
use super::merge::{self, Change, Conflict};
use super::observe::Observed;
use super::report::{HandlerResult, Report};
use super::slots;
use crate::action::Action;
use crate::answer::{self, Answer, InvalidAnswer, Message, Question, Reading};
use crate::event::EventSpec;
use crate::failure::{FailureKind, HookFailure};
use crate::hook::FailBehavior;
use crate::index::Call;
use crate::options::Conflict as Rule;
use crate::payload::{Host, Kind, Made};
use crate::tool::Tools;

/// The payload field in which hooks read what earlier hooks of their dispatch share.
const SHARED: &str = "shared";

/// What the hooks of a stage were given, which their answers are held against.
struct Given<'g, V> {
    event: &'g EventSpec,
    tools: &'g Tools,
    payload: &'g V,
}

impl<T, V> Progress<T, V> {
    /// Takes in a whole stage, in the order of its hooks, not of their ends.
    #[cold]
    pub(crate) fn take_stage<H: Host<Value = V>>(
        &mut self,
        host: &H,
        end: usize,
        reports: impl Iterator<Item = Report<V>>,
    ) {
        let calls: Vec<Call<T>> = self.plan.calls().get(self.at..end).unwrap_or_default().to_vec();
        let event = Arc::clone(&self.event);
        let given = Given { event: &event, tools: self.snapshot.tools(), payload: &self.payload };
        let details = self.details.get_or_insert_with(|| Details::after(&self.plan, &self.quiet));
        let first = details.records.len();
        let mut changes: Vec<Change<V>> = Vec::new();
        let mut reports = reports.fuse();
        for (index, call) in calls.iter().enumerate() {
            let report = reports.next().unwrap_or_else(|| {
                Report::new(
                    HandlerResult::Failed(HookFailure::new(FailureKind::Cancelled, "the hook was not run to its end")),
                    0,
                )
            });
            let is_in_doubt = || {
                let input = self.snapshot.match_input(host, &event, host.view(&self.payload));
                call.entry().decides() && call.entry().matcher().is_in_doubt(&input)
            };
            if let Some(modified) =
                details.take_report(host, &given, call, report, &is_in_doubt).filter(|modified| !modified.is_empty())
            {
                let mandatory = call.entry().mandatory();
                changes.push(Change { index, mandatory, fields: modified });
            }
        }
        if let Some(change) = details.withhold(host, &given, first, &calls) {
            // What other hooks of the stage made of it is not what the one that failed would have left.
            for other in &mut changes {
                other.fields.retain(|(field, _)| change.fields.iter().all(|(withheld, _)| withheld != field));
            }
            changes.retain(|change| !change.fields.is_empty());
            changes.push(change);
        }
        self.at = end;
        self.apply_changes(host, first, &changes, &calls);
        let shared = self.share(host, &calls);
        self.note_short_circuit(first);
        if let Some(last) = calls.last() {
            self.end_or_replan(host, first, last, shared);
        }
        self.sort_stage(first + calls.len());
    }

    /// Puts the hooks of the stage that were passed over where they would have run.
    fn sort_stage(&mut self, end: usize) {
        let Some(details) = self.details.as_mut() else { return };
        let begin = std::mem::replace(&mut details.stage_begins, details.records.len());
        if let Some(stage) = details.records.get_mut(begin..end) {
            stage.sort_by_key(|record| record.call.position());
        }
    }

    /// Changes the event and notes who saw which version of it.
    fn apply_changes<H: Host<Value = V>>(&mut self, host: &H, first: usize, changes: &[Change<V>], calls: &[Call<T>]) {
        let Some(details) = self.details.as_mut() else { return };
        let before = details.changes;
        if changes.is_empty() {
            for record in details.records.iter_mut().skip(first) {
                record.seen = before;
            }
            return;
        }
        let after = before + 1;
        let only = if let [only] = changes { Some(only.index) } else { None };
        for (index, record) in details.records.iter_mut().skip(first).enumerate() {
            record.seen = if only == Some(index) { after } else { before };
        }
        details.changes = after;
        // Who changed a field in an earlier stage; what hooks of one stage change is merged, not overwritten.
        let earlier = details.modified.clone();
        details.keep_originals(host, &self.event, &self.payload, changes);
        details.note_made(host, &self.event, &self.payload, (first, calls), changes);
        for change in changes {
            let Some(by) = calls.get(change.index).map(|call| call.entry().name()) else { continue };
            for (field, _) in &change.fields {
                let before = earlier.iter().find(|(known, _)| known == field);
                details.note_modified(field, by);
                if let Some(record) = details.records.get_mut(first + change.index) {
                    record.modified.push(field.clone());
                    record.overrode.extend(before.map(|(_, hook)| (field.clone(), Arc::clone(hook))));
                }
            }
        }
        let rule = match self.snapshot.options().conflict {
            // Where no person can be asked before it happens, neither change stands.
            Rule::Ask if !self.event.is_own_gate() => Rule::Block,
            rule => rule,
        };
        let name = |index: usize| calls.get(index).map(|call| Arc::clone(call.entry().name())).unwrap_or_default();
        let merged = merge::merge(host, &self.event, &host.view(&self.payload), changes, rule, name);
        for conflict in &merged.conflicts {
            details.take_conflict(&self.event, rule, conflict, (first, calls));
        }
        let before = std::mem::replace(&mut self.payload, merged.payload);
        details.versions.extend(calls.last().map(|last| (last.position(), before)));
        if self.event.gates_tools()
            && details.refusal.is_none()
            && let Some(lack) = self.snapshot.lacks_after_change(host, &self.event, &self.payload)
        {
            let mut names: Vec<Arc<str>> = changes.iter().map(|change| name(change.index)).collect();
            names.dedup();
            details.refusal =
                Some(format!("{} changed the call so that it lacks what hooks look at: {lack}", merge::listed(&names)));
        }
    }

    /// Shows later hooks what those of this stage share; says whether they share anything. It is no change of the event: it
    /// takes the weight from no `allow`, and no mandatory hook looks again.
    fn share<H: Host<Value = V>>(&mut self, host: &H, calls: &[Call<T>]) -> bool {
        let Some(details) = self.details.as_mut().filter(|details| !details.sharing.is_empty()) else { return false };
        let fields = details.sharing.drain(..).map(|(key, value)| (key, Some(value))).collect();
        let payload = {
            let view = host.view(&self.payload);
            let known = host.field(&view, SHARED).filter(|known| host.kind(known) == Kind::Object);
            let shared = match known {
                Some(known) => host.with(&known, fields),
                None => host.with(&host.view(&host.made(Made::Object)), fields),
            };
            host.with(&view, vec![(SHARED.to_owned(), Some(shared))])
        };
        details.shares += 1;
        let before = std::mem::replace(&mut self.payload, payload);
        details.versions.extend(calls.last().map(|last| (last.position(), before)));
        true
    }

    /// Ends the dispatch of a gate when a hook of the stage blocked or stopped.
    fn note_short_circuit(&mut self, first: usize) {
        if !self.event.gate() || !self.snapshot.options().short_circuit {
            return;
        }
        let Some(details) = self.details.as_mut() else { return };
        details.ended =
            details.refusal.is_some() || details.records.iter().skip(first).any(|record| record.action.refuses());
    }

    /// Leaves the rest of the hooks out, or finds out anew which of them are selected.
    fn end_or_replan<H: Host<Value = V>>(&mut self, host: &H, first: usize, last: &Call<T>, shared: bool) {
        let Some(details) = self.details.as_mut() else { return };
        if details.ended {
            let by = details.records.iter().skip(first).find(|record| record.action.refuses());
            let why = match (by, &details.refusal) {
                (None, Some(refusal)) => format!("blocked: {refusal}"),
                (by, _) => format!("blocked by `{}`", by.map_or("", |record| &**record.call.entry().name())),
            };
            let rest = self.plan.calls().get(self.at..).unwrap_or_default();
            if !details.is_rechecking() {
                details.records.extend(rest.iter().map(|call| Record::skipped(call, why.clone())));
            }
            self.at = self.plan.calls().len();
            return;
        }
        let mut changed = details.records.iter().skip(first).flat_map(|record| &record.modified).peekable();
        let is_same = changed.peek().is_none();
        if is_same && !shared {
            return;
        }
        let tool_changed = changed.any(|field| field == "tool");
        if details.is_rechecking() {
            self.recheck_rest(host, last);
        } else {
            self.replan(host, last, tool_changed);
        }
    }
}

impl<T, V> Details<T, V> {
    /// Records one hook's answer; gives back what it modifies.
    fn take_report<H: Host<Value = V>>(
        &mut self,
        host: &H,
        given: &Given<'_, V>,
        call: &Call<T>,
        report: Report<V>,
        is_in_doubt: &dyn Fn() -> bool,
    ) -> Option<Vec<(String, V)>> {
        let status = if self.is_rechecking() { Status::Rechecked } else { Status::Ran };
        let mut record = Record::new(call, status, report.took);
        record.overran = report.overran;
        let mut modified = None;
        match report.result {
            HandlerResult::Nothing => {}
            HandlerResult::Detached => record.status = Status::Detached,
            HandlerResult::Failed(failure) => fail(&mut record, given.event, failure),
            HandlerResult::Answer(value) => match given.read(host, &value) {
                Reading::Nothing => {}
                Reading::Answer(mut answer) => {
                    if is_in_doubt() {
                        answer.say_unread();
                    }
                    if call.entry().observes() {
                        record.observed = Observed::of(*answer).map(Box::new);
                    } else {
                        modified = Some(self.take_answer(host, &mut record, *answer));
                    }
                }
                Reading::Invalid(InvalidAnswer { message, meant_to_restrict }) => {
                    let kind = FailureKind::InvalidAnswer;
                    fail(&mut record, given.event, HookFailure { kind, message, cause: None, meant_to_restrict });
                }
            },
        }
        self.records.push(record);
        modified
    }

    /// What is taken from the model because a fail-closed hook that looks at it has failed: what a tool gave, or why it failed.
    fn withhold<H: Host<Value = V>>(
        &self,
        host: &H,
        given: &Given<'_, V>,
        first: usize,
        calls: &[Call<T>],
    ) -> Option<Change<V>> {
        let field = given.event.shown_to_model()?;
        let has_failed = |record: &Record<T, V>| {
            record.failure.as_ref().is_some_and(|failure| failure.became == FailBehavior::Block)
                && record.call.entry().fail_behavior() == FailBehavior::Block
        };
        let failed = self.records.iter().skip(first).find(|record| has_failed(record))?;
        let index = calls.iter().position(|call| call.position() == failed.call.position())?;
        let text = format!("[withheld: {}]", failed.reason.as_deref().unwrap_or_default());
        let value = slots::withheld_output(host, given.event, &host.view(given.payload), field, &text)?;
        Some(Change { index, mandatory: true, fields: vec![(field.to_owned(), value)] })
    }

    /// Notes that hooks of a stage changed one thing differently, and what comes of it.
    fn take_conflict(
        &mut self,
        event: &EventSpec,
        rule: Rule,
        conflict: &Conflict,
        (first, calls): (usize, &[Call<T>]),
    ) {
        let entry = |index: usize| calls.get(index).map(Call::entry);
        let name = |index: usize| entry(index).map(|entry| Arc::clone(entry.name())).unwrap_or_default();
        let words = conflict.words(name);
        let winner = name(conflict.winner);
        if rule != Rule::Block
            && let Some(record) = self.records.get_mut(first + conflict.winner)
        {
            let losers = conflict.losers.iter().map(|loser| (conflict.slot.field.clone(), name(*loser)));
            record.overrode.extend(losers);
        }
        match rule {
            Rule::Last => {
                let text = format!("{words}; the change of `{winner}` stands");
                self.messages.push((None, Message { text, level: "warning" }));
            }
            Rule::Ask => {
                let prompt = format!("{words}; shall the change of `{winner}` stand?");
                let Some(entry) = entry(conflict.winner) else { return };
                self.asks.push((winner, entry.id(), Question { prompt: Some(prompt), ..Question::default() }));
                self.question.get_or_insert(words);
            }
            Rule::Block if event.is_own_gate() => _ = self.refusal.get_or_insert(words),
            Rule::Block => {
                let text = format!("{words}; it is withheld");
                self.messages.push((None, Message { text, level: "error" }));
            }
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
        let Answer {
            action,
            is_explicit,
            reason,
            modified,
            inject,
            messages,
            ask,
            delay_ms,
            suppress_output,
            share,
            ext,
        } = answer;
        let again = self.is_rechecking();
        let injections = inject.into_iter().map(|injection| (Arc::clone(name), injection));
        add(&mut self.injections, injections, again);
        let messages = messages.into_iter().map(|message| (Some(Arc::clone(name)), message));
        add(&mut self.messages, messages, again);
        let asks = ask.is_some() || action == Action::Ask;
        if asks {
            let ask = ask.unwrap_or_else(Question::default);
            let prompt = ask.prompt.or_else(|| reason.clone());
            add(&mut self.asks, [(Arc::clone(name), entry.id(), Question { prompt, ..ask })], again);
        }
        if action == Action::Skip {
            self.skips.push((entry.scope(), Arc::clone(name)));
        }
        self.delay_ms = self.delay_ms.max(delay_ms);
        self.suppress_output |= suppress_output;
        self.sharing.extend(share);
        for (dialect, value) in ext {
            let left = host.get(&host.view(&value), "env").map(|env| host.keep(&env));
            self.left.extend(left.map(|env| (entry.scope(), env)));
            self.add_ext(host, dialect, value);
        }
        // A question beside a weaker action is the decision; beside a refusal it is kept and decides nothing.
        record.consents = is_explicit && action == Action::Continue && !asks;
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

impl<V> Given<'_, V> {
    /// Reads an answer. A field with its current value is no change, and is not checked.
    fn read<H: Host<Value = V>>(&self, host: &H, value: &V) -> Reading<V> {
        let mut answer = match answer::read(host, self.event, &host.view(value)) {
            Reading::Answer(answer) => answer,
            other => return other,
        };
        let payload = host.view(self.payload);
        answer.modified.retain(|(field, value)| !slots::has(host, self.event, &payload, field, value));
        match self.refuses(host, &answer.modified) {
            Some(message) => Reading::Invalid(InvalidAnswer { message, meant_to_restrict: true }),
            None => Reading::Answer(answer),
        }
    }

    /// Why a tool would not take the arguments that a hook gave it.
    fn refuses<H: Host<Value = V>>(&self, host: &H, modified: &[(String, V)]) -> Option<String> {
        let (_, args) = modified.iter().find(|(field, _)| field == "args")?;
        let view = host.view(self.payload);
        let tool = host.get(&view, "tool")?;
        host.text(&tool, |name| self.tools.refuses(host, name, args)).flatten()
    }
}

/// Keeps what a hook gave; what it gives again, word for word, when it looks again is kept once.
fn add<P: PartialEq>(kept: &mut Vec<P>, given: impl IntoIterator<Item = P>, again: bool) {
    for part in given {
        if !again || !kept.contains(&part) {
            kept.push(part);
        }
    }
}

/// The failure rule.
fn fail<T, V>(record: &mut Record<T, V>, event: &EventSpec, failure: HookFailure<V>) {
    let entry = Arc::clone(record.call.entry());
    let HookFailure { kind, message, cause, meant_to_restrict } = failure;
    let restricts = meant_to_restrict && event.gate();
    let mut became = if restricts { FailBehavior::Block } else { entry.on_failure(kind) };
    if became == FailBehavior::Block && entry.observes() {
        record.observed = Some(Box::new(Observed::block(format!("hook {} failed: {message}", entry.name()))));
        became = FailBehavior::Continue;
    }
    let (hook, name) = (&**entry.name(), event.name());
    #[expect(clippy::cast_precision_loss, reason = "microseconds for a reader")]
    let micros = record.took as f64 / 1000.0;
    let times_logged = entry.tally().failed(became);
    match became {
        FailBehavior::Block => {
            tracing::error!(event = name, hook, kind = kind.as_str(), micros, "hook failed and blocks: {message}");
            record.action = Action::Block;
            record.reason = Some(format!("hook {hook} failed: {message}"));
        }
        FailBehavior::Continue => {
            if let Some(times) = times_logged {
                tracing::warn!(
                    event = name,
                    hook,
                    kind = kind.as_str(),
                    micros,
                    times,
                    "hook failed, the action continues: {message}"
                );
            }
        }
    }
    record.status = Status::Failed;
    record.failure = Some(Failed { kind, message, cause, became, times_logged });
}
