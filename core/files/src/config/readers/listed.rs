//! Files with one list of hooks, each of which names its event.

use crate::config::reading::{Reading, Spot, Take};

/// Reads each entry of the list under `hooks` whose event is known.
pub(super) fn read_list(
    reading: &mut Reading<'_>,
    top: &Spot<'_>,
    mut read_entry: impl FnMut(&mut Reading<'_>, &Spot<'_>, &str) -> Take<()>,
) {
    let Some(hooks) = top.get("hooks") else { return };
    let listed = hooks.items();
    for entry in reading.take(listed).unwrap_or_default() {
        let event = entry.text("event").ok().flatten().unwrap_or_default();
        let named = entry.get("event").unwrap_or_else(|| entry.clone());
        if event.is_empty() || reading.knows(&named, named.node.at, &event) {
            let read = read_named(reading, &entry, &mut read_entry);
            reading.take_on(&event, read);
        }
    }
}

fn read_named(
    reading: &mut Reading<'_>,
    entry: &Spot<'_>,
    read_entry: &mut impl FnMut(&mut Reading<'_>, &Spot<'_>, &str) -> Take<()>,
) -> Take<()> {
    entry.must_be_object()?;
    let event = entry.required_text("event")?;
    read_entry(reading, entry, &event)
}
