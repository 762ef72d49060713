//! What changed since the last snapshot, so that the next one is made of it.

use std::sync::Arc;

use super::Entry;
use crate::entry::Place;
use crate::event::EventSpec;

/// So many more changes than hooks are noted: beyond, looking at every hook costs less.
const FURTHER: usize = 64;

/// Changes that no snapshot has yet.
#[derive(Debug)]
pub(super) enum Changes {
    /// At these places of an event a hook came, went or was switched. The hooks themselves are looked up when the snapshot
    /// is made, so that one that went meanwhile is not kept here.
    Hooks(Vec<(Arc<EventSpec>, Place)>),
    /// Everything may have changed.
    All,
}

impl Default for Changes {
    fn default() -> Self {
        Self::Hooks(Vec::new())
    }
}

impl Changes {
    /// Notes that a hook came, went or was switched.
    pub(super) fn note<T>(&mut self, entry: &Entry<T>) {
        if let Self::Hooks(changed) = self {
            changed.push((Arc::clone(entry.event()), entry.place()));
        }
    }

    /// Keeps no longer list than is worth it for so many hooks.
    pub(super) fn bound(&mut self, hooks: usize) {
        if matches!(self, Self::Hooks(changed) if changed.len() > hooks + FURTHER) {
            *self = Self::All;
        }
    }
}
