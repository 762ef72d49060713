//! Merges what the hooks of one stage modified into the event that all of them saw.
//!
//! What they changed is compared by field, and by key where a field is an object. Where two changed one thing differently, a
//! client's rule says what comes of it; unless it says otherwise neither version stands.

use std::sync::Arc;

use super::slots::{self, Slot};
use crate::event::EventSpec;
use crate::options::Conflict as Rule;
use crate::payload::{Host, Made};

/// What one hook modified.
pub(crate) struct Change<V> {
    /// Its place in the stage.
    pub(crate) index: usize,
    pub(crate) mandatory: bool,
    /// Payload fields by the engine's names.
    pub(crate) fields: Vec<(String, V)>,
}

/// The event after a stage.
pub(crate) struct Merged<V> {
    pub(crate) payload: V,
    /// What hooks changed differently.
    pub(crate) conflicts: Vec<Conflict>,
}

/// Hooks of a stage changed one thing differently.
pub(crate) struct Conflict {
    pub(crate) slot: Slot,
    /// Whose change would stand, by its place in the stage: the later one's, but never over a mandatory hook.
    pub(crate) winner: usize,
    /// The places of the others, in order.
    pub(crate) losers: Vec<usize>,
}

impl Conflict {
    /// The conflict in words: "hooks `a` and `b` changed args.command differently".
    pub(crate) fn words(&self, name: impl Fn(usize) -> Arc<str>) -> String {
        let mut places: Vec<usize> = self.losers.iter().copied().chain([self.winner]).collect();
        places.sort_unstable();
        let names: Vec<_> = places.into_iter().map(name).collect();
        format!("{} changed {} differently", listed(&names), self.slot)
    }
}

/// Hooks by their names: "hooks `a`, `b` and `c`".
pub(crate) fn listed(names: &[Arc<str>]) -> String {
    match names {
        [] => "no hooks".to_owned(),
        [name] => format!("hook `{name}`"),
        [first @ .., last] => {
            let first: Vec<_> = first.iter().map(|name| format!("`{name}`")).collect();
            format!("hooks {} and `{last}`", first.join(", "))
        }
    }
}

/// What one hook makes of one slot; `None` takes it away.
struct Claim<V> {
    index: usize,
    mandatory: bool,
    value: Option<V>,
}

/// The event after a stage. Where hooks are in conflict, it has what the rule says.
pub(crate) fn merge<'v, H: Host>(
    host: &'v H,
    event: &EventSpec,
    payload: &H::View<'v>,
    changes: &[Change<H::Value>],
    rule: Rule,
    name: impl Fn(usize) -> Arc<str>,
) -> Merged<H::Value> {
    let mut fields: Vec<&str> = Vec::new();
    for (field, _) in changes.iter().flat_map(|change| &change.fields) {
        if !fields.contains(&field.as_str()) {
            fields.push(field);
        }
    }
    let mut conflicts = Vec::new();
    let changed = fields
        .into_iter()
        .map(|field| {
            let local = slots::local(host, event, field);
            let value = merge_field(host, event, payload, (field, changes), &mut |slot, claims| {
                let (value, conflict) = settle(host, claims, &slot);
                let Some(conflict) = conflict else { return value };
                let value = match rule {
                    Rule::Last | Rule::Ask => value,
                    Rule::Block => {
                        let text = format!("[withheld: {}]", conflict.words(&name));
                        Some(slots::withheld(host, event, payload, &slot, value.as_ref(), &text))
                    }
                };
                conflicts.push(conflict);
                value
            });
            (local, value)
        })
        .collect();
    Merged { payload: host.with(payload, changed), conflicts }
}

/// Says what becomes of a slot that hooks have claimed.
type Settle<'s, V> = &'s mut dyn FnMut(Slot, Vec<Claim<V>>) -> Option<V>;

/// One field: as it is when one hook set it, key by key when several did and all of them are objects.
fn merge_field<'v, H: Host>(
    host: &'v H,
    event: &EventSpec,
    payload: &H::View<'v>,
    (field, changes): (&str, &[Change<H::Value>]),
    settle: Settle<'_, H::Value>,
) -> Option<H::Value> {
    let of_field = |change: &Change<H::Value>| change.fields.iter().position(|(name, _)| name == field);
    let given: Vec<(&Change<H::Value>, &H::Value)> = changes
        .iter()
        .filter_map(|change| of_field(change).and_then(|at| change.fields.get(at)).map(|(_, value)| (change, value)))
        .collect();
    if let [(_, only)] = given.as_slice() {
        return Some(host.keep(&host.view(only)));
    }
    let by_key = given.iter().all(|(_, value)| slots::is_object(host, &host.view(value)));
    match host.get(payload, &slots::local(host, event, field)) {
        Some(base) if by_key && slots::is_object(host, &base) => Some(merge_keys(host, &base, field, &given, settle)),
        // What was not there yet is an object without keys.
        None if by_key => {
            let nothing = host.made(Made::Object);
            Some(merge_keys(host, &host.view(&nothing), field, &given, settle))
        }
        _ => {
            let claims = given.iter().map(|(change, value)| claim(change, Some(host.keep(&host.view(value)))));
            settle(Slot::of(field, None), claims.collect())
        }
    }
}

fn merge_keys<'v, H: Host>(
    host: &'v H,
    base: &H::View<'v>,
    field: &str,
    given: &[(&Change<H::Value>, &H::Value)],
    settle: Settle<'_, H::Value>,
) -> H::Value {
    let mut keys: Vec<(String, Vec<Claim<H::Value>>)> = Vec::new();
    for (change, value) in given {
        let view = host.view(value);
        for key in slots::changed_keys(host, base, value) {
            let claim = claim(change, host.get(&view, &key).map(|value| host.keep(&value)));
            match keys.iter_mut().find(|(known, _)| *known == key) {
                Some((_, claims)) => claims.push(claim),
                None => keys.push((key, vec![claim])),
            }
        }
    }
    let settled = keys.into_iter().map(|(key, claims)| {
        let value = settle(Slot::of(field, Some(&key)), claims);
        (key, value)
    });
    host.with(base, settled.collect())
}

const fn claim<V>(change: &Change<V>, value: Option<V>) -> Claim<V> {
    Claim { index: change.index, mandatory: change.mandatory, value }
}

/// What stands where the later change wins, and the conflict if the hooks do not agree.
fn settle<H: Host>(host: &H, claims: Vec<Claim<H::Value>>, slot: &Slot) -> (Option<H::Value>, Option<Conflict>) {
    let mut claims = claims.into_iter();
    let Some(mut winner) = claims.next() else { return (None, None) };
    let mut losers = Vec::new();
    for claim in claims {
        if says_the_same(host, &winner, &claim) {
            // A mandatory hook stands for both, so that no later hook overrules it.
            if claim.mandatory {
                winner = claim;
            }
        } else if winner.mandatory && !claim.mandatory {
            losers.push(claim.index);
        } else {
            losers.push(winner.index);
            winner = claim;
        }
    }
    let conflict = Conflict { slot: slot.clone(), winner: winner.index, losers };
    let is_conflict = !conflict.losers.is_empty();
    (winner.value, is_conflict.then_some(conflict))
}

fn says_the_same<H: Host>(host: &H, a: &Claim<H::Value>, b: &Claim<H::Value>) -> bool {
    match (&a.value, &b.value) {
        (Some(a), Some(b)) => host.same(&host.view(a), &host.view(b)),
        (None, None) => true,
        _ => false,
    }
}
