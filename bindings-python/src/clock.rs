//! The clock of the driver.

use std::time::{Duration, Instant};

use hookweave::host;

/// Reads the monotonic clock.
#[inline]
#[expect(clippy::disallowed_methods, reason = "the one place where this driver reads its clock")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// The same in nanoseconds, and never zero.
#[inline]
pub(crate) fn ticks() -> u64 {
    host::ticks(now()).max(1)
}

/// A duration in nanoseconds, as reports count.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "2^64 ns are 584 years")]
pub(crate) fn nanos(duration: Duration) -> u64 {
    duration.as_nanos() as u64
}
