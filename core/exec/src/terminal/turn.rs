//! There is one terminal: questions are asked one after the other.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::cancel::Cancel;

/// The process whose question is on the screen, or 0. A fork copies it, and the copy counts for nothing in the child.
static ASKING: AtomicU32 = AtomicU32::new(0);

/// The right to use the terminal.
pub(super) struct Turn(u32);

impl Turn {
    /// Waits for it; `None` when it was cancelled before.
    pub(super) fn take(cancel: &Cancel, pause: Duration) -> Option<Self> {
        let own = std::process::id();
        while !cancel.is_cancelled() {
            let holder = ASKING.load(Ordering::Acquire);
            if holder != own && ASKING.compare_exchange(holder, own, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                return Some(Self(own));
            }
            std::thread::sleep(pause);
        }
        None
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let _ = ASKING.compare_exchange(self.0, 0, Ordering::AcqRel, Ordering::Relaxed);
    }
}
