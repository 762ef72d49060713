//! Keys that stand twice in one object.
//!
//! JSON's readers take the last. Of hooks that would switch a guard off without a word, so that both count.

use rustc_hash::FxHashMap;

use crate::config::tree::{Field, Kind, Node};

/// The key below which events stand.
const HOOKS: &str = "hooks";

/// Puts the hooks of keys that stand twice together: those of `hooks` itself, and those of an event, below it or at the top.
pub(super) fn put_together(top: &mut Node, events: &[&str]) {
    let Kind::Object(fields) = &mut top.kind else { return };
    join(fields, |name| name == HOOKS || events.contains(&name));
    for field in fields.iter_mut().filter(|field| field.name == HOOKS) {
        if let Kind::Object(fields) = &mut field.value.kind {
            join(fields, |_| true);
        }
    }
}

/// Adds what a later field holds to the earlier one of its name, where both are lists or both are objects. A
/// null adds nothing; any other kind is a mistake, which the reader finds in the last one.
fn join(fields: &mut Vec<Field>, counts: impl Fn(&str) -> bool) {
    let mut kept: Vec<Field> = Vec::with_capacity(fields.len());
    let mut places = FxHashMap::default();
    for field in fields.drain(..) {
        let earlier = places.get(&field.name).and_then(|at: &usize| kept.get_mut(*at));
        match (earlier.map(|earlier| &mut earlier.value.kind), field.value.kind) {
            (Some(Kind::List(items)), Kind::List(more)) => items.extend(more),
            (Some(Kind::Object(items)), Kind::Object(more)) => items.extend(more),
            (Some(Kind::List(_) | Kind::Object(_)), Kind::Null) => {}
            (_, kind) => {
                if counts(&field.name) {
                    places.insert(field.name.clone(), kept.len());
                }
                kept.push(Field { value: Node { kind, ..field.value }, ..field });
            }
        }
    }
    *fields = kept;
}
