//! The flat shape of Cursor and Copilot: `{version: 1, hooks: {event: [entry, …]}}`.

use crate::config::reading::{Reading, Spot, Take};

/// Reads one entry of an event.
pub(super) type Entry = fn(&mut Reading<'_>, &str, &Spot<'_>) -> Take<()>;

/// Reads every entry of every event; one that makes no sense spares the others.
pub(super) fn read_events(reading: &mut Reading<'_>, top: &Spot<'_>, read_entry: Entry) {
    let Some(hooks) = top.get("hooks") else { return };
    let checked = hooks.must_be_object();
    if reading.take(checked).is_none() {
        return;
    }
    for (event, entries) in hooks.fields() {
        if !reading.knows_key(&hooks, &entries, event) {
            continue;
        }
        let listed = entries.items();
        for entry in reading.take_on(event, listed).unwrap_or_default() {
            let read = read_entry(reading, event, &entry);
            reading.take_on(event, read);
        }
    }
}

/// Files of these systems carry a version; another one than 1 is refused whole.
pub(super) fn version_is_known(reading: &mut Reading<'_>, top: &Spot<'_>) -> bool {
    match top.get("version") {
        None => {
            reading.remark(top, "`version` is missing; add \"version\": 1");
            true
        }
        Some(version) if version.node.to_value() == serde_json::json!(1) => true,
        Some(version) => {
            reading.broken(version.wrong("unknown version; this reader knows version 1"));
            false
        }
    }
}
