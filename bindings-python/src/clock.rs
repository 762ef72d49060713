//! The clock of the driver.

use std::time::{Duration, Instant};

/// Reads the monotonic clock.
#[inline]
#[expect(clippy::disallowed_methods, reason = "the driver measures its hooks")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// The same in nanoseconds, and never zero: [`hookweave_host::clock::ticks`] of now.
#[inline]
pub(crate) fn ticks() -> u64 {
    reading::ticks().max(1)
}

/// A duration in nanoseconds, as reports count.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "2^64 ns are 584 years")]
pub(crate) fn nanos(duration: Duration) -> u64 {
    duration.as_nanos() as u64
}

/// The clock that `Instant` reads, without the arithmetic of an `Instant`: it is read at the end of every hook, and that arithmetic
/// takes longer than the reading.
///
/// Bar: "Python, 10 async hooks / bare loop" of docs/BENCHMARKS.md, <= 2x.
#[cfg(target_os = "linux")]
mod reading {
    #![expect(unsafe_code, reason = "one call of the C library")]

    use std::sync::OnceLock;

    #[inline]
    pub(super) fn ticks() -> u64 {
        /// What the clock shows at the zero of `host::ticks`.
        static ZERO: OnceLock<u64> = OnceLock::new();
        let reading = read();
        reading.saturating_sub(*ZERO.get_or_init(|| reading.saturating_sub(hookweave_host::clock::ticks(super::now()))))
    }

    #[inline]
    #[expect(clippy::cast_sign_loss, reason = "the clock counts up from the start of the system")]
    fn read() -> u64 {
        // SAFETY: a structure of numbers, for which all zeros is a value; the place to write to is valid, and Linux always has this
        // clock, so that the call cannot fail.
        let time = unsafe {
            let mut time: libc::timespec = std::mem::zeroed();
            libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time);
            time
        };
        (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
    }
}

#[cfg(not(target_os = "linux"))]
mod reading {
    #[inline]
    pub(super) fn ticks() -> u64 {
        hookweave_host::clock::ticks(super::now())
    }
}
