//! What tests share: no test here depends on how fast the machine is.

use std::time::{Duration, Instant};

use hookweave::Engine;

/// Longer than anything here takes on the busiest machine.
pub(crate) const LONG: Duration = Duration::from_secs(120);

/// An engine without a default time limit, which a busy machine would run into.
pub(crate) fn patient() -> Engine {
    Engine::builder().default_timeout(None).build().unwrap()
}

/// Waits until something holds; false where it never does.
pub(crate) fn until(mut holds: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + LONG;
    loop {
        if holds() {
            return true;
        }
        if Instant::now() > end {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The same on a runtime whose other tasks go on meanwhile.
pub(crate) async fn until_async(mut holds: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + LONG;
    loop {
        if holds() {
            return true;
        }
        if Instant::now() > end {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
