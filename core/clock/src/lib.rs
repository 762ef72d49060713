//! Time and random ids.
//!
//! **Owns** the clock of the crates below the drivers, and every random id. A driver reads a clock of its own, because it measures hooks.
//! **Never** decides anything by them.
//!
//! # Entry points
//!
//! [`now`] for durations and deadlines, [`now_ms`] for timestamps, [`new_id`] for ids.

mod ids;

use std::sync::OnceLock;
use std::time::Instant;

use hookweave_machine::stats::Now;

pub use ids::new_id;

/// The monotonic time, which timeouts are measured by.
#[must_use]
pub fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "the monotonic clock of the crates below the drivers")]
    Instant::now()
}

/// Milliseconds since the epoch.
#[must_use]
pub fn now_ms() -> u64 {
    #[expect(clippy::disallowed_methods, reason = "the wall clock, which timestamps are read from")]
    let now = std::time::SystemTime::now();
    now.duration_since(std::time::UNIX_EPOCH).map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// A moment in nanoseconds on the clock of statistics; only differences mean something.
#[must_use]
pub fn ticks(moment: Instant) -> u64 {
    u64::try_from(moment.saturating_duration_since(zero()).as_nanos()).unwrap_or(u64::MAX)
}

/// The present, as statistics are asked for.
#[must_use]
pub fn present() -> Now {
    let zero = zero();
    #[expect(clippy::disallowed_methods, reason = "statistics say when hooks last ran")]
    let now = Instant::now();
    Now { ticks: ticks(now.max(zero)), epoch_ms: now_ms() }
}

/// Where the clock of statistics begins: when it is first asked, so that no moment that counts is before.
fn zero() -> Instant {
    static ZERO: OnceLock<Instant> = OnceLock::new();
    #[expect(clippy::disallowed_methods, reason = "the zero of the clock that drivers' own readings are compared with")]
    *ZERO.get_or_init(Instant::now)
}
