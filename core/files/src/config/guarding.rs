//! Which entries of a file may be guards, so that leaving one out would take protection away.

use hookweave_dialects::Dialect;
use hookweave_machine::event::BUILT_IN as BUILT_IN_EVENTS;

/// Whether an entry on an event of a system's file may be a guard: hooks can refuse or change something there. In our own
/// files, which are written for this version, every entry counts as one.
pub(super) fn guarded(dialect: &dyn Dialect, declared: &str) -> bool {
    if dialect.name() == "hookweave" {
        return true;
    }
    let Some(Ok(place)) = dialect.place(declared, None) else { return false };
    let known = BUILT_IN_EVENTS.iter().find(|known| known.name == place.event);
    known.is_none_or(|known| known.gate || known.fields.iter().any(|field| field.modifiable))
}
