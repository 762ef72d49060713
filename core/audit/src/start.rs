//! The start of a hook, on record before the hook runs.
//!
//! The record of a finished dispatch has nothing of a hook that never returned: one that hangs, or ends the process.

use std::sync::Arc;

use super::Audit;
use super::level::AuditLevel;
use super::open::Open;
use super::queue_item::{QueueItem, Start};
use hookweave_clock::now_ms;
use hookweave_machine::dispatch::Stage;
use hookweave_machine::observer::{Begun, EventDigest};
use hookweave_machine::payload::Host;

impl Audit {
    /// Records that the hook at an index of a stage is about to run, where starts are recorded, and waits until that is written.
    ///
    /// It waits at most a second, and not at all while the log cannot be written: `aside` is given what waits and runs it, so
    /// that a host can let others run meanwhile. The index counts from the stage's first hook, also to hooks that follow it.
    #[inline]
    #[doc(hidden)]
    pub fn starts<T, H: Host>(
        &self,
        host: &H,
        stage: &mut Stage<T, H::Value>,
        index: usize,
        aside: impl FnOnce(&(dyn Fn() + Sync)),
    ) {
        if self.effective() >= AuditLevel::Verbose {
            self.record_start(host, stage, index, aside);
        }
    }

    #[cold]
    fn record_start<T, H: Host>(
        &self,
        host: &H,
        stage: &mut Stage<T, H::Value>,
        index: usize,
        aside: impl FnOnce(&(dyn Fn() + Sync)),
    ) {
        let open = self.open.load();
        let Some(open) = open.as_deref() else { return };
        let Some(call) = stage.calls().get(index).or_else(|| stage.ahead().get(index)) else { return };
        let (hook, id) = (Arc::clone(call.entry().name()), call.entry().id());
        let (dispatch, about) = begun(host, stage, open);
        let event = Arc::clone(stage.event());
        let start = Start { at_ms: now_ms(), event, hook, id, dispatch, about };
        aside(&{
            let item = std::sync::Mutex::new(Some(QueueItem::Start(Box::new(start))));
            move || {
                let item = item.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
                if let Some(item) = item {
                    open.insist(item);
                }
            }
        });
    }
}

/// The number of a dispatch on record, and what it is about: with its payload, where that is kept, only once.
fn begun<T, H: Host>(host: &H, stage: &mut Stage<T, H::Value>, open: &Open) -> (u64, EventDigest) {
    if let Some(begun) = stage.begun() {
        return (begun.number, begun.about.clone());
    }
    let number = open.next_dispatch();
    let about = stage.about(host, open.inputs());
    *stage.begun() = Some(Box::new(Begun { number, about: about.without_payload() }));
    (number, about)
}
