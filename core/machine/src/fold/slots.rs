//! The places in an event that hooks change: a field, or a key of a field that is an object.

use std::fmt;

use crate::event::{EventSpec, FieldKind};
use crate::payload::{Host, Kind, Made};

/// A place in an event that a hook changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Slot {
    /// The payload field, by the engine's name.
    pub(crate) field: String,
    /// The key in it, where the field is an object.
    pub(crate) key: Option<String>,
}

impl Slot {
    pub(crate) fn of(field: &str, key: Option<&str>) -> Self {
        Self { field: field.to_owned(), key: key.map(str::to_owned) }
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.field)?;
        self.key.as_ref().map_or(Ok(()), |key| write!(f, ".{key}"))
    }
}

/// What the host calls a field of the event.
pub(crate) fn local<H: Host>(host: &H, event: &EventSpec, field: &str) -> String {
    if event.built_in().is_some() { host.spelling().local(field).into_owned() } else { field.to_owned() }
}

pub(crate) fn is_object<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> bool {
    host.kind(view) == Kind::Object && host.keys(view).is_ok()
}

/// The keys in which an object differs from what it was.
pub(crate) fn changed_keys<'v, H: Host>(host: &'v H, base: &H::View<'v>, now: &H::Value) -> Vec<String> {
    let now = host.view(now);
    let mut keys = host.keys(&now).unwrap_or_default();
    let removed: Vec<_> = host.keys(base).unwrap_or_default().into_iter().filter(|key| !keys.contains(key)).collect();
    keys.retain(|key| !is_same(host, host.get(base, key).as_ref(), host.get(&now, key).as_ref()));
    keys.extend(removed);
    keys
}

fn is_same<H: Host>(host: &H, old: Option<&H::View<'_>>, new: Option<&H::View<'_>>) -> bool {
    match (old, new) {
        (Some(old), Some(new)) => host.same(old, new),
        (None, None) => true,
        _ => false,
    }
}

/// The slots that a new value of a field changes.
pub(crate) fn changed<'v, H: Host>(
    host: &'v H,
    event: &EventSpec,
    payload: &H::View<'v>,
    field: &str,
    now: &H::Value,
) -> Vec<Slot> {
    let base = host.get(payload, &local(host, event, field));
    if let Some(base) = base.filter(|base| is_object(host, base) && is_object(host, &host.view(now))) {
        return changed_keys(host, &base, now).iter().map(|key| Slot::of(field, Some(key))).collect();
    }
    vec![Slot::of(field, None)]
}

/// Whether a field has this value already.
pub(crate) fn has<'v, H: Host>(
    host: &'v H,
    event: &EventSpec,
    payload: &H::View<'v>,
    field: &str,
    value: &H::Value,
) -> bool {
    host.get(payload, &local(host, event, field)).is_some_and(|now| host.same(&now, &host.view(value)))
}

/// Whether an event has in a slot what a hook had made of it.
pub(crate) fn is_as_made<'v, H: Host>(
    host: &'v H,
    event: &EventSpec,
    payload: &H::View<'v>,
    slot: &Slot,
    made: &H::Value,
) -> bool {
    let Some(now) = host.get(payload, &local(host, event, &slot.field)) else { return false };
    let made = host.view(made);
    match &slot.key {
        Some(key) => is_same(host, host.get(&now, key).as_ref(), host.get(&made, key).as_ref()),
        None => host.same(&now, &made),
    }
}

/// What stands in a slot instead of what hooks do not agree about: a text that says so, else an empty value of its type.
///
/// A key has the type of what stands there, and one that is new that of what a hook gave.
pub(crate) fn withheld<'v, H: Host>(
    host: &'v H,
    event: &EventSpec,
    payload: &H::View<'v>,
    slot: &Slot,
    given: Option<&H::Value>,
    text: &str,
) -> H::Value {
    let empty = match &slot.key {
        None => {
            let known = event.modifiable().iter().find(|known| known.name == slot.field);
            match known.map_or(FieldKind::Any, |known| known.kind) {
                FieldKind::Any | FieldKind::Text => None,
                FieldKind::Number => Some(Made::Zero),
                FieldKind::Flag => Some(Made::False),
                FieldKind::List => Some(Made::List),
                FieldKind::Object | FieldKind::Record => Some(Made::Object),
            }
        }
        Some(key) => {
            let now = host.get(payload, &local(host, event, &slot.field)).and_then(|now| host.get(&now, key));
            match (now, given) {
                (Some(now), _) => empty_of(&host.kind(&now)),
                (None, Some(given)) => empty_of(&host.kind(&host.view(given))),
                (None, None) => None,
            }
        }
    };
    host.made(empty.unwrap_or(Made::Text(text)))
}

/// What stands in place of what a tool gave, or of its error; `None` if that stands there already or there is nothing.
///
/// Truth values stay, such as whether the tool succeeded.
pub(crate) fn withheld_output<'v, H: Host>(
    host: &'v H,
    event: &EventSpec,
    payload: &H::View<'v>,
    field: &str,
    text: &str,
) -> Option<H::Value> {
    let now = host.get(payload, &local(host, event, field))?;
    let is_record = event.modifiable().iter().any(|known| known.name == field && known.kind == FieldKind::Record);
    let value = if is_record {
        let keys = if is_object(host, &now) { host.keys(&now).unwrap_or_default() } else { Vec::new() };
        let stays = |key: &String| host.get(&now, key).filter(|value| matches!(host.kind(value), Kind::Bool(_)));
        let kept = keys.into_iter().filter_map(|key| Some((stays(&key).map(|value| host.keep(&value))?, key)));
        let output = ("output".to_owned(), Some(host.made(Made::Text(text))));
        let fields = kept.map(|(value, key)| (key, Some(value))).chain([output]).collect();
        let empty = host.made(Made::Object);
        host.with(&host.view(&empty), fields)
    } else {
        host.made(Made::Text(text))
    };
    let stands_there = host.same(&now, &host.view(&value));
    (!stands_there).then_some(value)
}

/// The empty value of a type; `None` where a text may stand.
const fn empty_of(kind: &Kind<'_>) -> Option<Made<'static>> {
    match kind {
        Kind::Int(_) | Kind::BigInt(_) | Kind::Float(_) => Some(Made::Zero),
        Kind::Bool(_) => Some(Made::False),
        Kind::List(_) => Some(Made::List),
        Kind::Object => Some(Made::Object),
        Kind::Absent | Kind::Null | Kind::Text(_) | Kind::BadText | Kind::Other(_) => None,
    }
}

/// An event without what stands in these slots; the values with which it came give the types.
pub(crate) fn withhold<'v, H: Host>(
    host: &'v H,
    event: &EventSpec,
    (came, now): (&H::View<'v>, &H::View<'v>),
    slots: &[Slot],
    text: &str,
) -> H::Value {
    let mut fields: Vec<&str> = Vec::new();
    for slot in slots {
        if !fields.contains(&slot.field.as_str()) {
            fields.push(&slot.field);
        }
    }
    let changes = fields.into_iter().map(|field| {
        let local = local(host, event, field);
        let of_field = || slots.iter().filter(|slot| slot.field == field);
        let value = host.get(now, &local).filter(|value| is_object(host, value));
        let value = match value {
            Some(value) if of_field().all(|slot| slot.key.is_some()) => {
                let keys = of_field().filter_map(|slot| {
                    let key = slot.key.clone()?;
                    let given = host.get(&value, &key).map(|given| host.keep(&given));
                    Some((key, Some(withheld(host, event, came, slot, given.as_ref(), text))))
                });
                host.with(&value, keys.collect())
            }
            _ => withheld(host, event, came, &Slot::of(field, None), None, text),
        };
        (local, Some(value))
    });
    host.with(now, changes.collect())
}
