//! The clock of the command.

use std::time::Instant;

/// Now.
pub(crate) fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "the command is a driver: it measures and keeps deadlines")]
    Instant::now()
}

/// Nanoseconds since an instant.
pub(crate) fn nanos_since(start: Instant) -> u64 {
    u64::try_from(now().saturating_duration_since(start).as_nanos()).unwrap_or(u64::MAX)
}
