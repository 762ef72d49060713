//! What threads may count on, under many orders of their steps: run with `--cfg shuttle`.

use std::sync::Arc;

use serde_json::json;
use shuttle::thread;

use super::{HookId, Registry};
use crate::hook::HookSpec;
use crate::index::Snapshot;
use crate::json::Json;
use crate::options::Options;
use crate::sync::{AtomicBool, Mutex, Ordering};

const EVENT: &str = "PreToolUse";
/// Random orders for each law; each takes a few hundred microseconds.
const ORDERS: usize = 5_000;

fn registry() -> Arc<Registry<()>> {
    Arc::new(Registry::new(Options::default()))
}

fn register(registry: &Registry<()>) -> HookId {
    let spec = HookSpec::read(&Json, EVENT, &&json!({})).expect("a hook");
    registry.register(spec, ()).expect("registered")
}

/// Whether a dispatch that begins with these hooks runs a hook.
fn runs(snapshot: &Snapshot<()>, id: HookId) -> bool {
    let Some(event) = snapshot.event(EVENT) else { return false };
    let payload = json!({"tool": "Bash"});
    snapshot.plan(&Json, event, &&payload).plan.calls().iter().any(|call| call.entry().id() == id)
}

/// Runs a change beside two threads that dispatch; each looks first whether the change has returned.
fn after(
    change: impl Fn(&Registry<()>, HookId) + Copy + Send + Sync + 'static,
    holds: impl Fn(&Snapshot<()>, HookId) -> bool + Copy + Send + Sync + 'static,
) {
    crate::sync::check_random(
        move || {
            let registry = registry();
            let id = register(&registry);
            let returned = Arc::new(AtomicBool::new(false));
            let dispatching: Vec<_> = (0..2)
                .map(|_| {
                    let (registry, returned) = (Arc::clone(&registry), Arc::clone(&returned));
                    thread::spawn(move || {
                        for _ in 0..3 {
                            let is_over = returned.load(Ordering::Acquire);
                            let snapshot = registry.snapshot();
                            assert!(!is_over || holds(&snapshot, id), "began with the hooks of before");
                        }
                    })
                })
                .collect();
            change(&registry, id);
            returned.store(true, Ordering::Release);
            for thread in dispatching {
                thread.join().expect("no dispatch is wrong");
            }
        },
        ORDERS,
    );
}

#[test]
fn no_dispatch_begins_without_a_registered_hook() {
    after(
        |registry, first| {
            let second = register(registry);
            assert_eq!(second.number(), first.number() + 1);
        },
        |snapshot, first| runs(snapshot, HookId::new(first.number() + 1)),
    );
}

#[test]
fn no_dispatch_begins_with_a_removed_hook() {
    after(|registry, id| assert!(registry.unregister(id)), |snapshot, id| !runs(snapshot, id));
}

#[test]
fn no_dispatch_begins_with_a_disabled_hook() {
    after(|registry, id| registry.set_enabled(id, false).expect("it is there"), |snapshot, id| !runs(snapshot, id));
}

#[test]
fn no_dispatch_begins_with_what_was_cleared() {
    after(|registry, _| registry.clear(), |snapshot, id| !runs(snapshot, id));
}

/// Two threads register at once: neither's hook is lost by the other's refresh.
#[test]
fn hooks_of_two_threads_are_both_there() {
    crate::sync::check_random(
        || {
            let registry = registry();
            let threads: Vec<_> = (0..2)
                .map(|_| {
                    let registry = Arc::clone(&registry);
                    thread::spawn(move || {
                        let id = register(&registry);
                        assert!(runs(&registry.snapshot(), id), "its own hook is missing");
                        id
                    })
                })
                .collect();
            for thread in threads {
                let id = thread.join().expect("registered");
                assert!(runs(&registry.snapshot(), id), "a hook is missing");
            }
        },
        ORDERS,
    );
}

/// What a driver keeps for an event: the hooks, and the version of the registry that it read before it took them.
struct Kept {
    version: u64,
    snapshot: Arc<Snapshot<()>>,
}

/// The hooks that a driver begins a dispatch with, as the drivers of Python and Node keep them.
fn kept(registry: &Registry<()>, cache: &Mutex<Option<Kept>>) -> Arc<Snapshot<()>> {
    let version = registry.version();
    if let Some(kept) = &*cache.lock().expect("no panic") {
        if kept.version == version {
            return Arc::clone(&kept.snapshot);
        }
    }
    let snapshot = registry.snapshot();
    *cache.lock().expect("no panic") = Some(Kept { version, snapshot: Arc::clone(&snapshot) });
    snapshot
}

#[test]
fn what_drivers_keep_is_never_older_than_a_change_that_returned() {
    crate::sync::check_random(
        || {
            let (registry, cache) = (registry(), Arc::new(Mutex::new(None)));
            let registered = Arc::new(AtomicBool::new(false));
            let dispatching: Vec<_> = (0..2)
                .map(|_| {
                    let (registry, cache) = (Arc::clone(&registry), Arc::clone(&cache));
                    let registered = Arc::clone(&registered);
                    thread::spawn(move || {
                        for _ in 0..3 {
                            let is_over = registered.load(Ordering::Acquire);
                            let snapshot = kept(&registry, &cache);
                            assert!(!is_over || runs(&snapshot, HookId::new(1)), "an outdated plan was used");
                        }
                    })
                })
                .collect();
            register(&registry);
            registered.store(true, Ordering::Release);
            for thread in dispatching {
                thread.join().expect("no dispatch is wrong");
            }
        },
        ORDERS,
    );
}

/// A hook that runs once is taken by one dispatch, however many meet at it.
#[test]
fn one_dispatch_claims_a_hook_that_runs_once() {
    crate::sync::check_random(
        || {
            let registry = registry();
            let spec = HookSpec::read(&Json, EVENT, &&json!({"once": true})).expect("a hook");
            let id = registry.register(spec, ()).expect("registered");
            let entry = registry.entry(id).expect("listed");
            let claiming: Vec<_> = (0..3)
                .map(|number| {
                    let (registry, entry) = (Arc::clone(&registry), Arc::clone(&entry));
                    thread::spawn(move || {
                        if !entry.claim() {
                            return false;
                        }
                        // The first one is dropped before its handler starts and gives the hook back.
                        if number == 0 {
                            entry.release();
                            return false;
                        }
                        entry.spend();
                        // Sweeps spent hooks, beside the others' claims.
                        register(&registry);
                        true
                    })
                })
                .collect();
            let ran = claiming.into_iter().map(|thread| thread.join().expect("no panic"));
            assert!(ran.filter(|ran| *ran).count() <= 1, "it ran twice");
        },
        ORDERS,
    );
}
