//! The one run of a `once` hook: claimed by a dispatch, used up when it starts, given back when what it was about counts as not
//! begun.

use std::sync::{Arc, PoisonError};

use crate::hook_id::HookId;
use crate::sync::{AtomicBool, AtomicU64, Mutex, Ordering};

/// What the hooks of a registry tell it between its own changes.
#[derive(Debug)]
pub(crate) struct Marks {
    /// Some hook is spent and still in the list.
    any_spent: AtomicBool,
    /// Hooks whose run was given back, until the registry has listed them again.
    returned: Mutex<Vec<HookId>>,
    any_returned: AtomicBool,
    stale: AtomicBool,
    version: AtomicU64,
}

impl Default for Marks {
    fn default() -> Self {
        Self {
            any_spent: AtomicBool::new(false),
            returned: Mutex::new(Vec::new()),
            any_returned: AtomicBool::new(false),
            stale: AtomicBool::new(false),
            version: AtomicU64::new(0),
        }
    }
}

impl Marks {
    pub(crate) fn any_spent(&self) -> bool {
        self.any_spent.load(Ordering::Acquire)
    }

    pub(crate) fn take_any_spent(&self) -> bool {
        self.any_spent.swap(false, Ordering::AcqRel)
    }

    /// Marks what was made of the hooks as outdated.
    pub(crate) fn changed(&self) {
        self.stale.store(true, Ordering::Release);
        self.version.fetch_add(1, Ordering::AcqRel);
    }

    pub(crate) fn is_stale(&self) -> bool {
        self.stale.load(Ordering::Acquire)
    }

    /// The snapshot stands for the hooks as they are now.
    pub(crate) fn refreshed(&self) {
        self.stale.store(false, Ordering::Release);
        // A hook that came back while the snapshot was made is not in it.
        if self.any_returned.load(Ordering::Acquire) {
            self.stale.store(true, Ordering::Release);
        }
    }

    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    fn take_back(&self, hook: HookId) {
        self.returned.lock().unwrap_or_else(PoisonError::into_inner).push(hook);
        self.any_returned.store(true, Ordering::Release);
        self.changed();
    }

    /// The hooks that came back since the last time.
    pub(crate) fn take_returned(&self) -> Vec<HookId> {
        if !self.any_returned.swap(false, Ordering::AcqRel) {
            return Vec::new();
        }
        std::mem::take(&mut *self.returned.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Whether a `once` hook has run.
#[derive(Debug)]
pub(crate) struct OnceRun {
    hook: HookId,
    /// A dispatch has taken the hook for itself.
    claimed: AtomicBool,
    /// The hook has started; it is as good as removed.
    spent: AtomicBool,
    marks: Arc<Marks>,
}

impl OnceRun {
    pub(crate) fn of(hook: HookId, marks: &Arc<Marks>) -> Arc<Self> {
        let [claimed, spent] = [AtomicBool::new(false), AtomicBool::new(false)];
        Arc::new(Self { hook, claimed, spent, marks: Arc::clone(marks) })
    }

    /// Takes the hook for one dispatch; false when another has it.
    pub(crate) fn claim(&self) -> bool {
        !self.claimed.swap(true, Ordering::AcqRel)
    }

    /// Gives back a claim whose handler never started.
    pub(crate) fn release(&self) {
        self.claimed.store(false, Ordering::Release);
    }

    pub(crate) fn spend(&self) {
        self.spent.store(true, Ordering::Release);
        // Behind the hook's own mark: who reads this one sees that one too.
        self.marks.any_spent.store(true, Ordering::Release);
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.spent.load(Ordering::Acquire)
    }
}

/// The run of a `once` hook that a dispatch has used up.
#[derive(Debug, Clone)]
pub struct UsedOnce(Arc<OnceRun>);

impl UsedOnce {
    pub(crate) fn of(run: &Arc<OnceRun>) -> Self {
        Self(Arc::clone(run))
    }

    /// Lets the hook run once more, at its old place: what it ran for counts as not begun.
    pub fn give_back(self) {
        let run = self.0;
        run.spent.store(false, Ordering::Release);
        run.release();
        run.marks.take_back(run.hook);
    }
}

impl PartialEq for UsedOnce {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
