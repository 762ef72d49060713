//! Lets mandatory hooks look again at an event that others changed after them, until no hook changes anything.

use std::sync::Arc;

use super::details::{Details, Status};
use super::merge::{Change, listed};
use super::slots::{self, Slot};
use super::{MAX_RECHECKS, Progress};
use crate::answer::Message;
use crate::entry::Place;
use crate::event::EventSpec;
use crate::index::{Call, Plan};
use crate::options::Mode;
use crate::payload::Host;

impl<T, V> Progress<T, V> {
    /// Plans the mandatory hooks that have not seen the event as it is now; false when there are none, or when hooks do not agree.
    pub(crate) fn begin_recheck<H: Host<Value = V>>(&mut self, host: &H) -> bool {
        let Some(details) = self.details.as_ref() else { return false };
        if details.ended || details.changes == 0 {
            return false;
        }
        let calls = self.to_recheck(host, None);
        let Some(details) = self.details.as_mut() else { return false };
        details.skips.clear();
        if calls.is_empty() {
            return false;
        }
        if details.rechecks.round == MAX_RECHECKS {
            self.give_up(host);
            return false;
        }
        details.rechecks.round += 1;
        details.rechecks.begins = details.records.len();
        self.plan = Arc::new(Plan::new(calls, Mode::Sequential));
        self.at = 0;
        true
    }

    /// Finds out who is still to look again in this round, behind a hook that has changed the event in it.
    pub(crate) fn recheck_rest<H: Host<Value = V>>(&mut self, host: &H, last: &Call<T>) {
        self.plan = Arc::new(Plan::new(self.to_recheck(host, Some(last)), Mode::Sequential));
        self.at = 0;
    }

    /// The mandatory hooks that the event selects as it is now and that have not seen it.
    fn to_recheck<H: Host<Value = V>>(&self, host: &H, behind: Option<&Call<T>>) -> Vec<Call<T>> {
        let (Some(details), Some(event)) = (&self.details, self.snapshot.event(self.event.name())) else {
            return Vec::new();
        };
        let is_later = |call: &Call<T>| {
            behind.is_none_or(|last| {
                call.position() > last.position() && !self.plan.is_together(last.entry(), call.entry())
            })
        };
        let planned = self.snapshot.plan(host, event, &host.view(&self.payload));
        let calls = planned.plan.calls().iter();
        calls
            .filter(|call| call.entry().mandatory() && is_later(call) && !details.has_seen_the_last_change(call))
            .cloned()
            .collect()
    }

    /// Ends the rechecks of hooks that do not agree: nothing of what they disagree about stands, and a gate is blocked.
    #[cold]
    fn give_up<H: Host<Value = V>>(&mut self, host: &H) {
        let Some(details) = self.details.as_mut() else { return };
        let reason = details.disagreement();
        let mut unsettled: Vec<Slot> = Vec::new();
        for (_, slot) in &details.rechecks.changed {
            if !unsettled.contains(slot) {
                unsettled.push(slot.clone());
            }
        }
        let text = format!("[withheld: {reason}]");
        let payload = {
            let came = details.versions.first().map_or(&self.payload, |(_, came)| came);
            let (came, now) = (host.view(came), host.view(&self.payload));
            slots::withhold(host, &self.event, (&came, &now), &unsettled, &text)
        };
        details.versions.push((Place::BEHIND_ALL, std::mem::replace(&mut self.payload, payload)));
        details.changes += 1;
        if self.event.is_own_gate() {
            details.refusal = Some(reason);
        } else {
            details.messages.push((None, Message { text: format!("{reason}; it is withheld"), level: "error" }));
        }
    }
}

impl<T, V> Details<T, V> {
    /// Who disagrees about what, from the last round.
    fn disagreement(&self) -> String {
        let mut names: Vec<Arc<str>> = Vec::new();
        let round = self.records.iter().skip(self.rechecks.begins);
        for record in round.filter(|record| record.status == Status::Rechecked && !record.modified.is_empty()) {
            let name = record.call.entry().name();
            if !names.contains(name) {
                names.push(Arc::clone(name));
            }
        }
        let mut slots: Vec<String> = Vec::new();
        for (_, slot) in self.rechecks.changed.iter().filter(|(round, _)| *round == self.rechecks.round) {
            let slot = slot.to_string();
            if !slots.contains(&slot) {
                slots.push(slot);
            }
        }
        let (hooks, about) = (listed(&names), slots.join(", "));
        format!("{hooks} do not agree about {about}: in {MAX_RECHECKS} rechecks each changed what the other had made")
    }

    /// Notes what mandatory hooks make of the event, and which of them change their own result again.
    ///
    /// Goes before the event is changed.
    pub(crate) fn note_made<H: Host<Value = V>>(
        &mut self,
        host: &H,
        event: &EventSpec,
        payload: &V,
        (first, calls): (usize, &[Call<T>]),
        changes: &[Change<V>],
    ) {
        for change in changes {
            let Some(call) = calls.get(change.index) else { continue };
            for (field, value) in &change.fields {
                let changed = slots::changed(host, event, &host.view(payload), field, value);
                if change.mandatory {
                    let again = self.has_made(host, event, payload, call.position(), &changed);
                    if let Some(record) = self.records.get_mut(first + change.index) {
                        record.again |= again;
                    }
                    self.rechecks.made.retain(|(by, known, _)| *by != call.position() || known != field);
                    self.rechecks.made.push((call.position(), field.clone(), host.keep(&host.view(value))));
                }
                if self.is_rechecking() {
                    let round = self.rechecks.round;
                    self.rechecks.changed.extend(changed.into_iter().map(|slot| (round, slot)));
                }
            }
        }
    }

    /// Whether a slot is as this hook had made it.
    fn has_made<H: Host<Value = V>>(
        &self,
        host: &H,
        event: &EventSpec,
        payload: &V,
        hook: Place,
        slots: &[Slot],
    ) -> bool {
        let payload = host.view(payload);
        slots.iter().any(|slot| {
            let made = self.rechecks.made.iter().find(|(by, field, _)| *by == hook && *field == slot.field);
            made.is_some_and(|(_, _, made)| slots::is_as_made(host, event, &payload, slot, made))
        })
    }
}
