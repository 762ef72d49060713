//! The hooks of a registry in the order in which they run, and how many there are of each kind.
//!
//! Everything here costs the logarithm of the number of hooks, but looking for spent ones, which is done only after one
//! was spent.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Entry, HookId, Listed};
use crate::entry::Place;
use crate::error::{Code, Error};
use crate::event::EventSpec;
use crate::once::Marks;
use crate::options::{MAX_FILE_HOOKS, Options};

/// How many hooks there are, as the limits count them.
#[derive(Debug, Default)]
struct Counts {
    from_files: usize,
    from_programs: usize,
    /// Those that programs registered, by event.
    by_event: FxHashMap<String, usize>,
}

impl Counts {
    fn add<T>(&mut self, entry: &Entry<T>) {
        if entry.origin().is_some() {
            self.from_files += 1;
            return;
        }
        self.from_programs += 1;
        if let Some(count) = self.by_event.get_mut(entry.event().name()) {
            *count += 1;
        } else {
            self.by_event.insert(entry.event().name().to_owned(), 1);
        }
    }

    fn take<T>(&mut self, entry: &Entry<T>) {
        if entry.origin().is_some() {
            self.from_files -= 1;
            return;
        }
        self.from_programs -= 1;
        if let Some(count) = self.by_event.get_mut(entry.event().name()) {
            *count -= 1;
        }
    }
}

/// The hooks of a registry.
#[derive(Debug)]
pub(super) struct Hooks<T> {
    in_order: BTreeMap<Place, Listed<T>>,
    places: FxHashMap<HookId, Place>,
    counts: Counts,
    /// Set by a `once` hook that starts, and by one whose run is given back.
    marks: Arc<Marks>,
    /// `once` hooks that have run and are not listed, as long as their run may be given back.
    gone: Vec<Listed<T>>,
}

impl<T> Default for Hooks<T> {
    fn default() -> Self {
        Self {
            in_order: BTreeMap::new(),
            places: FxHashMap::default(),
            counts: Counts::default(),
            marks: Arc::default(),
            gone: Vec::new(),
        }
    }
}

impl<T> Hooks<T> {
    /// No hooks, of the registry with these marks.
    pub(super) fn new(marks: Arc<Marks>) -> Self {
        Self { marks, ..Self::default() }
    }

    /// Where hooks say what became of them.
    pub(super) const fn marks(&self) -> &Arc<Marks> {
        &self.marks
    }

    /// The handlers of all hooks, also of those that are not listed any more.
    pub(super) fn handlers(&self) -> impl Iterator<Item = &T> {
        self.in_order.values().chain(&self.gone).map(|listed| listed.entry.handler())
    }

    /// Every hook, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Listed<T>> {
        self.in_order.values()
    }

    pub(super) fn get(&self, id: HookId) -> Option<&Listed<T>> {
        self.at(*self.places.get(&id)?)
    }

    pub(super) fn get_mut(&mut self, id: HookId) -> Option<&mut Listed<T>> {
        self.in_order.get_mut(self.places.get(&id)?)
    }

    /// The hook at a place.
    pub(super) fn at(&self, place: Place) -> Option<&Listed<T>> {
        self.in_order.get(&place)
    }

    /// How many hooks there are.
    pub(super) fn len(&self) -> usize {
        self.in_order.len()
    }

    /// Adds a hook at its place.
    pub(super) fn insert(&mut self, listed: Listed<T>) {
        let (entry, place) = (&listed.entry, listed.entry.place());
        self.counts.add(entry);
        self.places.insert(entry.id(), place);
        self.in_order.insert(place, listed);
    }

    pub(super) fn remove(&mut self, id: HookId) -> Option<Listed<T>> {
        let place = self.places.remove(&id)?;
        let removed = self.in_order.remove(&place)?;
        self.counts.take(&removed.entry);
        Some(removed)
    }

    /// The `once` hooks that have run.
    pub(super) fn spent(&self) -> Vec<&Listed<T>> {
        if !self.marks.any_spent() {
            return Vec::new();
        }
        self.iter().filter(|listed| listed.entry.is_spent()).collect()
    }

    /// Takes the `once` hooks that have run from the list.
    pub(super) fn take_spent(&mut self) -> Vec<Arc<Entry<T>>> {
        if !self.marks.take_any_spent() {
            return Vec::new();
        }
        let spent: Vec<HookId> =
            self.iter().filter(|listed| listed.entry.is_spent()).map(|listed| listed.entry.id()).collect();
        let spent: Vec<Listed<T>> = spent.into_iter().filter_map(|id| self.remove(id)).collect();
        let entries = spent.iter().map(|listed| Arc::clone(&listed.entry)).collect();
        self.gone.extend(spent);
        entries
    }

    /// Takes out the hooks that have run for good; they are to be dropped outside of every lock.
    pub(super) fn take_forgotten(&mut self) -> Vec<Listed<T>> {
        self.gone.extract_if(.., |listed| listed.entry.is_forgotten()).collect()
    }

    /// Lists a hook again whose run was given back; gives it unless it was removed.
    pub(super) fn take_back(&mut self, id: HookId) -> Option<Arc<Entry<T>>> {
        if let Some(at) = self.gone.iter().position(|listed| listed.entry.id() == id && !listed.entry.is_spent()) {
            let listed = self.gone.swap_remove(at);
            self.insert(listed);
        }
        self.get(id).map(|listed| Arc::clone(&listed.entry))
    }

    /// Forgets a hook that is not listed any more; it is to be dropped outside of every lock.
    pub(super) fn forget(&mut self, id: HookId) -> Option<Listed<T>> {
        let at = self.gone.iter().position(|listed| listed.entry.id() == id)?;
        Some(self.gone.swap_remove(at))
    }

    /// Refuses one hook more than the limits allow.
    pub(super) fn check_room(&self, options: &Options, event: &EventSpec, from_file: bool) -> Result<(), Error> {
        let refuse = |why: String| Err(Error::new(Code::TooManyHooks, why));
        let Counts { from_files, from_programs: total, by_event } = &self.counts;
        if from_file {
            if *from_files < MAX_FILE_HOOKS {
                return Ok(());
            }
            return refuse(format!("{from_files} hooks are loaded from files, the limit; load fewer files"));
        }
        if options.max_total_hooks.is_some_and(|limit| *total >= limit) {
            return refuse(format!(
                "{total} hooks are registered, the limit (max_total_hooks); raise the limit or switch it off"
            ));
        }
        let here = by_event.get(event.name()).copied().unwrap_or_default();
        if options.max_hooks_per_event.is_some_and(|limit| here >= limit) {
            return refuse(format!(
                "{here} hooks are registered for {}, the limit (max_hooks_per_event); raise the limit or switch it off",
                event.name()
            ));
        }
        Ok(())
    }
}
