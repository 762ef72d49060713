//! The one place where native hooks read the clock.

use std::time::Instant;

/// The monotonic time, which timeouts are measured by.
pub(crate) fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "a native hook's timeout is kept by the thread that runs it")]
    Instant::now()
}
