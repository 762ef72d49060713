//! The driver's clock, by which it measures its hooks.

use std::time::Instant;

pub(super) fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "the driver measures its hooks")]
    Instant::now()
}

pub(super) fn nanos(from: Instant, to: Instant) -> u64 {
    let took = to.saturating_duration_since(from);
    took.as_secs().saturating_mul(1_000_000_000).saturating_add(took.subsec_nanos().into())
}
