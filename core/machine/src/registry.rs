//! The hooks of one client, in order, as immutable snapshots.
//!
//! Registration changes a locked list and notes what changed; the next dispatch makes a new snapshot, which shares with
//! the one before what did not change. A dispatch takes no lock unless the hooks have changed since the last one.
//!
//! Once a call that changes the hooks has returned, no dispatch on any thread begins with the hooks of before: every
//! change marks the snapshot stale while it holds the lock, and the mark is cleared, under the same lock, only when the
//! new snapshot stands. `races` checks that under every order of steps that a model checker tries.

mod changes;
mod hooks;

#[cfg(all(test, shuttle))]
mod races;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock, PoisonError};

use rustc_hash::FxHashMap;

use crate::error::{Code, Error};
use crate::event::{Catalogue, EventDefinition, EventSpec};
use crate::hook::HookSpec;
use crate::index::{IndexChange, Snapshot};
use crate::matcher::Matcher;
use crate::observer::{Change, Named, ObservedEvent, Observer};
use crate::once::Marks;
use crate::options::Options;
use crate::sync::{ArcSwap, AtomicBool, Mutex, MutexGuard, Ordering};
use crate::tool::{KnownTools, ToolDefinition, Tools};

use crate::entry::Listed;
pub use crate::entry::{Entry, HookInfo, Seat};
pub use crate::hook_id::HookId;

use changes::Changes;
use hooks::Hooks;

#[derive(Debug)]
struct State<T> {
    hooks: Hooks<T>,
    /// What the snapshot that stands does not have yet.
    changes: Changes,
    catalogue: Catalogue,
    tools: Tools,
    next: u64,
    seats: u64,
}

/// The hooks of one client.
#[derive(Debug)]
pub struct Registry<T> {
    options: Arc<Options>,
    state: Mutex<State<T>>,
    snapshot: ArcSwap<Snapshot<T>>,
    marks: Arc<Marks>,
    closed: AtomicBool,
    /// A hook observes, and the host has not been told.
    notice_due: AtomicBool,
    /// The host has been told, or will be.
    noticed: AtomicBool,
    observer: OnceLock<Arc<dyn Observer>>,
    known_tools: Arc<KnownTools>,
    told: Mutex<Told>,
}

/// What the host was told of, as warnings.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// That a hook can never match; it stood for all such hooks.
    pub(crate) unmatched: bool,
    /// Tools that nobody knows.
    pub(crate) tools: BTreeSet<String>,
}

impl<T> Registry<T> {
    /// An empty registry.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let options = Arc::new(options);
        let catalogue = Catalogue::new(options.profile.every_event_is_a_gate);
        let snapshot = Snapshot::new(Arc::clone(&options), &catalogue, Tools::default());
        let marks = Arc::<Marks>::default();
        let state = State {
            hooks: Hooks::new(Arc::clone(&marks)),
            changes: Changes::default(),
            catalogue,
            tools: Tools::default(),
            next: 1,
            seats: 0,
        };
        Self {
            options,
            state: Mutex::new(state),
            snapshot: ArcSwap::from_pointee(snapshot),
            marks,
            closed: AtomicBool::new(false),
            notice_due: AtomicBool::new(false),
            noticed: AtomicBool::new(false),
            observer: OnceLock::new(),
            known_tools: Arc::default(),
            told: Mutex::new(Told::default()),
        }
    }

    /// What the host was told of.
    pub(crate) fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets who keeps a record of hooks that come and go; the first one stays.
    pub fn watch(&self, observer: Arc<dyn Observer>) {
        _ = self.observer.set(observer);
    }

    /// Who keeps a record of hooks that come and go.
    pub fn observer(&self) -> Option<&Arc<dyn Observer>> {
        self.observer.get()
    }

    /// The tools that the host has defined, also those that come later.
    pub const fn known_tools(&self) -> &Arc<KnownTools> {
        &self.known_tools
    }

    fn notify_observer(&self, entry: &Entry<T>, change: Change) {
        let Some(observer) = self.observer.get() else { return };
        let id = entry.id().to_string();
        let hook = Named {
            id: &id,
            name: entry.name(),
            event: entry.event().name(),
            scope: entry.scope(),
            enforcement: entry.enforcement(),
            origin: entry.origin().map(|origin| &**origin),
        };
        observer.observe(ObservedEvent::Hook(change, hook));
    }

    /// The settings.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Counts changes: a cached plan is dropped when this moves.
    pub fn version(&self) -> u64 {
        self.marks.version()
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        for id in self.marks.take_returned() {
            if let Some(entry) = state.hooks.take_back(id) {
                state.changes.note(&entry);
            }
        }
        state
    }

    /// Notes that one hook came, went or was switched.
    fn hook_changed(&self, state: &mut MutexGuard<'_, State<T>>, entry: &Entry<T>) {
        state.changes.note(entry);
        self.changed(state);
    }

    /// Notes a change that may concern every hook.
    fn all_changed(&self, state: &mut MutexGuard<'_, State<T>>) {
        state.changes = Changes::All;
        self.changed(state);
    }

    /// Marks what was made of the hooks as outdated. The lock is held, so that no refresh clears the mark of a change
    /// that it has not seen.
    fn changed(&self, state: &mut MutexGuard<'_, State<T>>) {
        let hooks = state.hooks.len();
        state.changes.bound(hooks);
        self.marks.changed();
    }

    /// Lets nothing come any more: no hook, no definition, no dispatch. Those that run go on.
    pub fn close(&self) {
        // With the lock held, so that what was being registered is there by now or will be refused.
        let _registering = self.lock();
        self.closed.store(true, Ordering::Release);
    }

    /// Whether the client was closed.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Refuses what a closed client can no longer do, such as `dispatch events`.
    pub fn check_open(&self, what: &str) -> Result<(), Error> {
        if self.is_closed() { Err(closed(what)) } else { Ok(()) }
    }

    /// Adds a hook; refuses unknown events, bad matchers, contradictions and one hook too many.
    pub fn register(&self, spec: HookSpec, handler: T) -> Result<HookId, Error> {
        self.register_at(None, spec, handler)
    }

    /// A place behind all hooks that are there now and before all that come later.
    pub fn seat(&self) -> Seat {
        let mut state = self.lock();
        state.seats += 1;
        Seat::kept(state.next, state.seats)
    }

    /// Adds a hook at a place instead of behind all others.
    pub fn register_at(&self, seat: Option<Seat>, spec: HookSpec, handler: T) -> Result<HookId, Error> {
        spec.check()?;
        // Declared before the lock, so that handlers are dropped after it is released: dropping may run foreign code.
        let (spent, _forgotten);
        let mut state = self.lock();
        self.check_open("register hooks")?;
        let event = state.catalogue.resolve(&spec.event)?;
        let matcher = Matcher::new(spec.matcher.clone(), &event).map_err(|error| {
            let name = spec.name.as_deref().unwrap_or("hook");
            Error::new(error.code(), format!("{name} on {}: {}", event.name(), error.message()))
        })?;
        spent = state.hooks.take_spent();
        for entry in &spent {
            state.changes.note(entry);
        }
        _forgotten = state.hooks.take_forgotten();
        state.hooks.check_room(&self.options, &event, spec.origin.is_some())?;
        let id = HookId::new(state.next);
        state.next += 1;
        state.catalogue.intern(&event);
        let place = (id, seat.unwrap_or(Seat::own(id.number())));
        let entry = Entry::new(place, spec, event, matcher, &self.options, state.hooks.marks(), handler);
        let enabled = entry.starts_enabled();
        if entry.observes() && !self.noticed.swap(true, Ordering::AcqRel) {
            self.notice_due.store(true, Ordering::Release);
        }
        let entry = Arc::new(entry);
        state.hooks.insert(Listed { entry: Arc::clone(&entry), enabled });
        self.hook_changed(&mut state, &entry);
        drop(state);
        self.notify_observer(&entry, Change::Registered);
        Ok(id)
    }

    /// Whether a hook was registered that observes, and no one has been told yet: a guard that is not enforced must not go unseen.
    ///
    /// A host asks after each registration, and logs [`Registry::new_warnings`] then.
    pub fn has_unseen_observer(&self) -> bool {
        self.notice_due.load(Ordering::Acquire)
    }

    /// The same, once.
    pub(crate) fn take_unseen_observer(&self) -> bool {
        self.notice_due.swap(false, Ordering::AcqRel)
    }

    /// The hook of this id, while it is listed.
    pub fn entry(&self, id: HookId) -> Option<Arc<Entry<T>>> {
        self.lock().hooks.get(id).map(|listed| Arc::clone(&listed.entry))
    }

    /// Removes a hook; false when it is not there (any more).
    pub fn unregister(&self, id: HookId) -> bool {
        self.take(id).is_some_and(|removed| {
            self.notify_observer(&removed.entry, Change::Removed);
            !removed.entry.is_spent()
        })
    }

    fn take(&self, id: HookId) -> Option<Listed<T>> {
        let _forgotten;
        let mut state = self.lock();
        _forgotten = state.hooks.forget(id);
        let removed = state.hooks.remove(id)?;
        self.hook_changed(&mut state, &removed.entry);
        Some(removed)
    }

    /// Switches a hook on or off; an id that is not there is [`Code::UnknownHook`].
    pub fn set_enabled(&self, id: HookId, enabled: bool) -> Result<(), Error> {
        let mut state = self.lock();
        let entry = match state.hooks.get_mut(id) {
            Some(listed) if !listed.entry.is_spent() => {
                listed.enabled = enabled;
                Arc::clone(&listed.entry)
            }
            _ => return Err(unknown_hook(&id.to_string())),
        };
        self.hook_changed(&mut state, &entry);
        drop(state);
        self.notify_observer(&entry, if enabled { Change::Enabled } else { Change::Disabled });
        Ok(())
    }

    /// Every hook, in the order in which they run.
    pub fn list(&self) -> Vec<HookInfo> {
        let state = self.lock();
        let mut places: FxHashMap<&str, usize> = FxHashMap::default();
        let mut list = Vec::new();
        for Listed { entry, enabled } in state.hooks.iter().filter(|listed| !listed.entry.is_spent()) {
            let order = places.entry(entry.event().name()).or_default();
            list.push(entry.info(*enabled, *order));
            *order += 1;
        }
        list
    }

    /// Calls a function with every handler that the registry holds, for hosts that trace references.
    ///
    /// Gives up at once, with false, when the registry is just being changed.
    pub fn visit(&self, mut visit: impl FnMut(&T)) -> bool {
        let Ok(state) = self.state.try_lock() else { return false };
        for handler in state.hooks.handlers() {
            visit(handler);
        }
        true
    }

    /// Removes every hook.
    pub fn clear(&self) {
        let _removed;
        let mut state = self.lock();
        _removed = std::mem::replace(&mut state.hooks, Hooks::new(Arc::clone(&self.marks)));
        self.all_changed(&mut state);
    }

    /// Adds a custom event.
    pub fn define_event(&self, definition: &EventDefinition) -> Result<(), Error> {
        let mut state = self.lock();
        self.check_open("define events")?;
        state.catalogue.define(definition)?;
        self.all_changed(&mut state);
        Ok(())
    }

    /// Says which known tool a host's tool is.
    pub fn define_tool(&self, definition: ToolDefinition) -> Result<(), Error> {
        let mut state = self.lock();
        self.check_open("define tools")?;
        state.tools.define(definition)?;
        self.known_tools.set(state.tools.clone());
        self.all_changed(&mut state);
        Ok(())
    }

    /// The event of this name or alias.
    pub fn resolve(&self, name: &str) -> Result<Arc<EventSpec>, Error> {
        self.lock().catalogue.resolve(name)
    }

    /// The events that the client knows.
    pub fn catalogue(&self) -> Catalogue {
        self.lock().catalogue.clone()
    }

    /// A snapshot of the hooks as they are now.
    pub fn snapshot(&self) -> Arc<Snapshot<T>> {
        if self.marks.is_stale() {
            self.refresh();
        }
        self.snapshot.load_full()
    }

    #[cold]
    fn refresh(&self) {
        // The old snapshot is dropped after the lock: it may hold the last reference to a removed handler.
        let (_old, _forgotten);
        let mut state = self.lock();
        _forgotten = state.hooks.take_forgotten();
        // The previous holder of the lock may have refreshed already.
        if self.marks.is_stale() {
            // If making the snapshot panics, the next one is made of everything: no noted change may be lost.
            let changes = std::mem::replace(&mut state.changes, Changes::All);
            let State { hooks, catalogue, tools, .. } = &*state;
            let snapshot = match changes {
                Changes::All => {
                    let listed = hooks.iter().filter(|listed| !listed.entry.is_spent());
                    let hooks = listed.map(|listed| IndexChange::of(&listed.entry, Some(listed.clone())));
                    Snapshot::new(Arc::clone(&self.options), catalogue, tools.clone()).with(catalogue, hooks)
                }
                Changes::Hooks(changed) => {
                    let spent = hooks.spent().into_iter().map(|listed| IndexChange::of(&listed.entry, None));
                    let changed = changed.into_iter().map(|(event, place)| {
                        let now = hooks.at(place).filter(|listed| !listed.entry.is_spent()).cloned();
                        IndexChange { event, place, now }
                    });
                    self.snapshot.load_full().with(catalogue, changed.chain(spent))
                }
            };
            _old = self.snapshot.swap(Arc::new(snapshot));
            state.changes = Changes::default();
            // Not before: who finds the mark cleared takes the snapshot that stands, without a lock.
            self.marks.refreshed();
        }
        drop(state);
    }
}

#[cold]
fn closed(what: &str) -> Error {
    Error::new(Code::ClientClosed, format!("this client was closed and can no longer {what}; make another one"))
}

/// No hook has this id.
pub fn unknown_hook(id: &str) -> Error {
    Error::new(Code::UnknownHook, format!("no hook has the id `{id}`; it was never registered here, or was removed"))
}
