//! Merges what the hooks of one stage modified into the event that all of them saw.

use std::sync::Arc;

use crate::event::EventSpec;
use crate::payload::{Host, Kind};

/// What one hook modified.
pub(super) struct Change<V> {
    /// Its place in the stage.
    pub(super) index: usize,
    pub(super) mandatory: bool,
    /// Payload fields by the engine's names.
    pub(super) fields: Vec<(String, V)>,
}

/// The event after a stage.
pub(super) struct Merged<V> {
    pub(super) payload: V,
    /// What two hooks changed differently.
    pub(super) conflicts: Vec<Conflict>,
}

/// Two hooks of a stage changed one thing differently.
pub(super) struct Conflict {
    /// The payload field.
    pub(super) field: String,
    /// The key in it, when the field was merged key by key.
    key: Option<String>,
    /// Places in the stage.
    pub(super) winner: usize,
    pub(super) loser: usize,
}

impl Conflict {
    /// The conflict in words.
    pub(super) fn message(&self, name: impl Fn(usize) -> Arc<str>) -> String {
        let (a, b) = (name(self.winner.min(self.loser)), name(self.winner.max(self.loser)));
        let key = self.key.as_ref().map(|key| format!(".{key}")).unwrap_or_default();
        format!("hooks `{a}` and `{b}` both changed {}{key}; `{}` wins", self.field, name(self.winner))
    }
}

/// One hook's value for one field.
struct Claim<V> {
    index: usize,
    mandatory: bool,
    value: V,
}

pub(super) fn merge<'v, H: Host>(
    host: &'v H,
    event: &EventSpec,
    payload: &H::View<'v>,
    changes: Vec<Change<H::Value>>,
) -> Merged<H::Value> {
    let mut fields: Vec<(String, Vec<Claim<H::Value>>)> = Vec::new();
    for Change { index, mandatory, fields: modified } in changes {
        for (name, value) in modified {
            let claim = Claim { index, mandatory, value };
            match fields.iter_mut().find(|(known, _)| *known == name) {
                Some((_, claims)) => claims.push(claim),
                None => fields.push((name, vec![claim])),
            }
        }
    }
    let mut conflicts = Vec::new();
    let changed = fields
        .into_iter()
        .filter_map(|(name, claims)| {
            let local =
                if event.built_in().is_some() { host.spelling().local(&name).into_owned() } else { name.clone() };
            let base = host.get(payload, &local);
            merge_field(host, &name, base.as_ref(), claims, &mut conflicts).map(|value| (local, Some(value)))
        })
        .collect();
    Merged { payload: host.with(payload, changed), conflicts }
}

/// One field: as it is when one hook set it, key by key when several did and all of them are objects.
fn merge_field<'v, H: Host>(
    host: &'v H,
    name: &str,
    base: Option<&H::View<'v>>,
    mut claims: Vec<Claim<H::Value>>,
    conflicts: &mut Vec<Conflict>,
) -> Option<H::Value> {
    if claims.len() < 2 {
        return claims.pop().map(|claim| claim.value);
    }
    let whole = claims.iter().all(|claim| is_object(host, &host.view(&claim.value)));
    if let Some(base) = base.filter(|base| whole && is_object(host, base)) {
        return Some(merge_keys(host, name, base, &claims, conflicts));
    }
    let mut winner: Option<Claim<H::Value>> = None;
    for claim in claims {
        winner = Some(match winner {
            None => claim,
            // Of two that say the same a mandatory one stands for both, so that nobody later overrules it.
            Some(last) if host.same(&host.view(&last.value), &host.view(&claim.value)) => {
                if claim.mandatory {
                    claim
                } else {
                    last
                }
            }
            Some(last) if last.mandatory && !claim.mandatory => {
                conflicts.push(conflict(name, None, &last, &claim));
                last
            }
            Some(last) => {
                conflicts.push(conflict(name, None, &claim, &last));
                claim
            }
        });
    }
    winner.map(|claim| claim.value)
}

fn is_object<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> bool {
    host.kind(view) == Kind::Object && host.keys(view).is_ok()
}

/// What one key becomes, and through whom; `None` removes it.
struct KeyChange<'c, V> {
    key: String,
    by: &'c Claim<V>,
    removed: bool,
}

fn merge_keys<'v, H: Host>(
    host: &'v H,
    name: &str,
    base: &H::View<'v>,
    claims: &[Claim<H::Value>],
    conflicts: &mut Vec<Conflict>,
) -> H::Value {
    let mut winners: Vec<KeyChange<'_, H::Value>> = Vec::new();
    for claim in claims {
        for change in changed_keys(host, base, claim) {
            let Some(known) = winners.iter_mut().find(|known| known.key == change.key) else {
                winners.push(change);
                continue;
            };
            if says_the_same(host, known, &change) {
                // A mandatory hook stands for both, so that nobody later overrules it.
                if change.by.mandatory {
                    *known = change;
                }
                continue;
            }
            let keeps = known.by.mandatory && !change.by.mandatory;
            let (winner, loser) = if keeps { (known.by, change.by) } else { (change.by, known.by) };
            conflicts.push(conflict(name, Some(&change.key), winner, loser));
            if !keeps {
                *known = change;
            }
        }
    }
    let changes = winners
        .into_iter()
        .map(|KeyChange { key, by, removed }| {
            let view = host.view(&by.value);
            let value = if removed { None } else { host.get(&view, &key).map(|value| host.keep(&value)) };
            (key, value)
        })
        .collect();
    host.with(base, changes)
}

/// The keys in which a hook's object differs from the one that it saw.
fn changed_keys<'c, 'v, H: Host>(
    host: &'v H,
    base: &H::View<'v>,
    claim: &'c Claim<H::Value>,
) -> Vec<KeyChange<'c, H::Value>> {
    let view = host.view(&claim.value);
    let keys = host.keys(&view).unwrap_or_default();
    let mut changed = Vec::new();
    for key in &keys {
        let (old, new) = (host.get(base, key), host.get(&view, key));
        let same = match (&old, &new) {
            (Some(old), Some(new)) => host.same(old, new),
            (None, None) => true,
            _ => false,
        };
        if !same {
            changed.push(KeyChange { key: key.clone(), by: claim, removed: new.is_none() });
        }
    }
    for key in host.keys(base).unwrap_or_default() {
        if !keys.contains(&key) {
            changed.push(KeyChange { key, by: claim, removed: true });
        }
    }
    changed
}

fn says_the_same<H: Host>(host: &H, a: &KeyChange<'_, H::Value>, b: &KeyChange<'_, H::Value>) -> bool {
    if a.removed || b.removed {
        return a.removed == b.removed;
    }
    let (left, right) = (host.view(&a.by.value), host.view(&b.by.value));
    match (host.get(&left, &a.key), host.get(&right, &b.key)) {
        (Some(left), Some(right)) => host.same(&left, &right),
        _ => false,
    }
}

fn conflict<V>(field: &str, key: Option<&String>, winner: &Claim<V>, loser: &Claim<V>) -> Conflict {
    Conflict { field: field.to_owned(), key: key.cloned(), winner: winner.index, loser: loser.index }
}
