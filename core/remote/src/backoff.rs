//! How long a worker waits before it connects again: longer each time, and by chance, so that a thousand workers do not come at
//! once when their agent is back.

/// The bounds of the waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// The most after the first failure, in milliseconds; it doubles with each further one.
    pub first_ms: u64,
    /// The most ever.
    pub most_ms: u64,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { first_ms: 50, most_ms: 1000 }
    }
}

/// The least that is waited, so that an agent that refuses at once is not asked without a pause.
const LEAST_MS: u64 = 5;

impl Backoff {
    /// How long to wait after so many failures in a row, anywhere between nothing and the bound (full jitter).
    pub(crate) fn delay_ms(self, failures: u32, random: u64) -> u64 {
        let most = self.first_ms.saturating_mul(1_u64.checked_shl(failures.saturating_sub(1)).unwrap_or(u64::MAX));
        let most = most.min(self.most_ms).max(LEAST_MS);
        LEAST_MS + random % (most - LEAST_MS + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_grows_to_its_bound_and_is_spread() {
        let backoff = Backoff::default();
        let most = |failures| (0..5000).map(|random| backoff.delay_ms(failures, random)).max().unwrap();
        assert_eq!([1, 2, 3, 5, 6, 64, 1000].map(most), [50, 100, 200, 800, 1000, 1000, 1000]);
        assert_eq!(backoff.delay_ms(9, 0), LEAST_MS);
        assert_eq!(Backoff { first_ms: 0, most_ms: 0 }.delay_ms(1, 77), LEAST_MS);
    }
}
