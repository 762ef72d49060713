//! Memory of a thread in which a dispatch is written down before it is handed over, so that none is asked for each time.

use std::cell::Cell;

use super::batch::Batch;

thread_local! {
    static SCRATCH: Cell<Option<Box<Batch>>> = const { Cell::new(None) };
}

/// Lends an empty batch; what is left in it is thrown away.
pub(super) fn with<R>(work: impl FnOnce(&mut Batch) -> R) -> R {
    // It is taken out meanwhile: what waits for room in a full queue may run other dispatches of this thread.
    let mut batch = SCRATCH.try_with(Cell::take).ok().flatten().unwrap_or_default();
    let result = work(&mut batch);
    batch.clear();
    _ = SCRATCH.try_with(|place| place.set(Some(batch)));
    result
}
