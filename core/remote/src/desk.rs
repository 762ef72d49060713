//! The agent's end for threads: dispatches call hooks from wherever they run, and one loop moves the bytes.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::action::HubAction;
use crate::hub::{Hub, WorkerInfo};
use crate::remote_hook::{Link, RemoteCall};
use hookweave_exec::cancel::{Cancel, Watch};
use hookweave_exec::outside::Done;
use hookweave_machine::dispatch::{FailureKind, HandlerResult, HookFailure};

type Clock = dyn Fn() -> u64 + Send + Sync;
type Wake = dyn Fn() + Send + Sync;

/// Who waits for a call, and what cancels it.
struct Waiting {
    done: Done,
    watch: Option<Watch>,
}

struct Inside {
    hub: Hub,
    waiting: BTreeMap<u64, Waiting>,
    is_closed: bool,
}

/// A [`Hub`] behind a lock, and who waits for its calls.
///
/// Its loop calls [`Self::with`] for all that happens, and whenever it was woken. Nothing foreign is called under the lock.
pub struct Desk {
    inside: Mutex<Inside>,
    clock: Box<Clock>,
    wake: Box<Wake>,
    own: Weak<Self>,
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").finish_non_exhaustive()
    }
}

impl Desk {
    /// A desk over a hub; `clock` says the time in milliseconds, `wake` wakes the loop from any thread and does not wait.
    pub fn new(
        hub: Hub,
        clock: impl Fn() -> u64 + Send + Sync + 'static,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Arc<Self> {
        let inside = Mutex::new(Inside { hub, waiting: BTreeMap::new(), is_closed: false });
        Arc::new_cyclic(|own| Self { inside, clock: Box::new(clock), wake: Box::new(wake), own: own.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the hub at the present time, reports the calls that have ended, and gives what else is to be done.
    pub fn with(&self, act: impl FnOnce(&mut Hub, u64)) -> Vec<HubAction> {
        let now = (self.clock)();
        let mut rest = Vec::new();
        let mut ended = Vec::new();
        let mut inside = self.lock();
        act(&mut inside.hub, now);
        for action in inside.hub.actions() {
            match action {
                HubAction::Finished { call, result } => {
                    ended.extend(inside.waiting.remove(&call).map(|waiting| (waiting, result)));
                }
                other => rest.push(other),
            }
        }
        drop(inside);
        for (Waiting { done, watch }, result) in ended {
            done.report(result);
            drop(watch);
        }
        rest
    }

    /// The workers, by name.
    #[must_use]
    pub fn workers(&self) -> Vec<WorkerInfo> {
        self.lock().hub.workers()
    }

    /// How long the loop may sleep, in milliseconds; `None` is until it is woken.
    #[must_use]
    pub fn sleep_ms(&self) -> Option<u64> {
        let now = (self.clock)();
        self.lock().hub.next_deadline().map(|at| at.saturating_sub(now))
    }

    /// Ends the agent's side: connections, calls and hooks end, and later calls fail at once.
    pub fn close(&self) -> Vec<HubAction> {
        self.lock().is_closed = true;
        self.with(|hub, _| hub.close())
    }

    fn cancel(&self, call: u64) {
        let now = (self.clock)();
        self.lock().hub.cancel(call, now);
        (self.wake)();
    }
}

impl Link for Desk {
    fn call(&self, registration: u64, call: RemoteCall, cancel: &Cancel, done: Done) {
        let now = (self.clock)();
        let mut inside = self.lock();
        if inside.is_closed {
            drop(inside);
            let why = "the agent no longer serves workers; serve again";
            done.report(HandlerResult::Failed(HookFailure::new(FailureKind::Unreachable, why)));
            return;
        }
        let id = inside.hub.call(registration, call, now);
        inside.waiting.insert(id, Waiting { done, watch: None });
        drop(inside);
        let own = Weak::clone(&self.own);
        let watch = cancel.watch(move || {
            if let Some(desk) = own.upgrade() {
                desk.cancel(id);
            }
        });
        // Where the call has ended meanwhile, the watch is dropped outside of the lock.
        let left = match self.lock().waiting.get_mut(&id) {
            Some(waiting) => waiting.watch.replace(watch),
            None => Some(watch),
        };
        drop(left);
        (self.wake)();
    }
}
