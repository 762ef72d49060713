//! Durations counted in buckets whose width grows with the duration, so that memory is constant and the error relative.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Buckets per doubling, as a power of two.
const FINENESS: u32 = 3;

/// Buckets per doubling.
const PER_DOUBLING: u64 = 1 << FINENESS;

/// The doublings that are distinguished: up to 2^44 nanoseconds, which are nearly five hours.
const DOUBLINGS: u32 = 44;

/// How many buckets there are; the first ones hold one duration each.
const BUCKETS: usize = ((DOUBLINGS - FINENESS + 1) as usize) << FINENESS;

/// So many durations are worth being sorted into buckets of their own first.
const WORTH_SORTING: usize = 64;

/// How far a percentile is from the true one at most, as a share of it.
pub const ERROR: f64 = 1.0 / 16.0;

/// The bucket of a duration in nanoseconds; what is longer than the longest counts as that.
#[inline]
fn bucket_of(nanos: u64) -> usize {
    if nanos < PER_DOUBLING {
        return usize::try_from(nanos).unwrap_or(0);
    }
    let doubling = nanos.ilog2();
    let place = (nanos >> (doubling - FINENESS)) & (PER_DOUBLING - 1);
    let bucket = (u64::from(doubling - FINENESS + 1) << FINENESS) + place;
    usize::try_from(bucket).unwrap_or(BUCKETS).min(BUCKETS - 1)
}

/// The duration in the middle of a bucket.
fn middle_of(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < PER_DOUBLING {
        return bucket;
    }
    let shift = (bucket >> FINENESS) - 1;
    let lower = (PER_DOUBLING + (bucket & (PER_DOUBLING - 1))) << shift;
    lower + ((1 << shift) >> 1)
}

/// Adds to a counter and gives what it was; one with a single writer needs no lock of the bus, which would take
/// longer than all the rest.
#[inline]
pub(crate) fn raise<const ALONE: bool>(counter: &AtomicU64, count: u64) -> u64 {
    if !ALONE {
        return counter.fetch_add(count, Relaxed);
    }
    let before = counter.load(Relaxed);
    counter.store(before.wrapping_add(count), Relaxed);
    before
}

/// Counts of durations, to be written by many at once.
#[derive(Debug)]
pub(crate) struct Histogram {
    buckets: [AtomicU64; BUCKETS],
    longest: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { buckets: std::array::from_fn(|_| AtomicU64::new(0)), longest: AtomicU64::new(0) }
    }
}

impl Histogram {
    /// Counts a duration in nanoseconds.
    #[inline]
    pub(crate) fn add<const ALONE: bool>(&self, nanos: u64) {
        if let Some(bucket) = self.buckets.get(bucket_of(nanos)) {
            raise::<ALONE>(bucket, 1);
        }
        // Nearly always it is not the longest so far, and reading is cheap.
        if nanos > self.longest.load(Relaxed) {
            self.longest.fetch_max(nanos, Relaxed);
        }
    }

    /// Counts many durations: those that share a bucket are written there at once.
    pub(crate) fn add_all(&self, durations: impl ExactSizeIterator<Item = u64>) {
        if durations.len() < WORTH_SORTING {
            return durations.for_each(|nanos| self.add::<false>(nanos));
        }
        let mut counts = [0_u64; BUCKETS];
        let mut longest = 0;
        for nanos in durations {
            if let Some(count) = counts.get_mut(bucket_of(nanos)) {
                *count += 1;
            }
            longest = longest.max(nanos);
        }
        for (bucket, count) in self.buckets.iter().zip(counts).filter(|(_, count)| *count > 0) {
            bucket.fetch_add(count, Relaxed);
        }
        self.longest.fetch_max(longest, Relaxed);
    }

    /// What was counted so far; from here on it is counted anew when asked.
    pub(crate) fn read(&self, reset: bool) -> Counted {
        let take = |counter: &AtomicU64| if reset { counter.swap(0, Relaxed) } else { counter.load(Relaxed) };
        Counted { buckets: self.buckets.iter().map(take).collect(), longest: take(&self.longest) }
    }
}

/// What a histogram held at one moment.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    buckets: Vec<u64>,
    /// The longest duration, exactly, in nanoseconds.
    pub(crate) longest: u64,
}

impl Counted {
    /// How many durations were counted.
    pub(crate) fn total(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// The duration that this share of all do not exceed, in nanoseconds.
    pub(crate) fn percentile(&self, percent: u64) -> u64 {
        let rank = (self.total() * percent).div_ceil(100).max(1);
        let mut seen = 0;
        let reaches = |count: &u64| {
            seen += count;
            seen >= rank
        };
        self.buckets.iter().position(reaches).map_or(0, middle_of).min(self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn buckets_follow_each_other_without_a_gap() {
        let mut last = 0;
        for nanos in 0..100_000 {
            let bucket = bucket_of(nanos);
            assert!(bucket == last || bucket == last + 1, "{nanos}: {last} -> {bucket}");
            last = bucket;
        }
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
        assert_eq!(bucket_of((1 << DOUBLINGS) - 1), BUCKETS - 1);
        assert_eq!(bucket_of((1 << DOUBLINGS) - (1 << (DOUBLINGS - 4)) - 1), BUCKETS - 2);
    }

    #[test]
    fn percentiles_of_known_durations() {
        let histogram = Histogram::default();
        for micros in 1..=1000 {
            histogram.add::<true>(micros * 1000);
        }
        let counted = histogram.read(true);
        for (percent, exact) in [(50, 500_000.0), (95, 950_000.0), (99, 990_000.0)] {
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let estimate = counted.percentile(percent) as f64;
            assert!((estimate - exact).abs() <= exact * ERROR, "p{percent}: {estimate}");
        }
        assert_eq!((counted.longest, counted.total()), (1_000_000, 1000));
        assert_eq!((histogram.read(false).total(), histogram.read(false).percentile(50)), (0, 0));
    }

    #[test]
    fn percentiles_of_few_durations_are_the_least_that_so_many_do_not_exceed() {
        let percentiles = |durations: &[u64]| {
            let histogram = Histogram::default();
            histogram.add_all(durations.iter().copied());
            let counted = histogram.read(false);
            [50, 95, 99].map(|percent| counted.percentile(percent))
        };
        assert_eq!(percentiles(&[]), [0, 0, 0]);
        assert_eq!(percentiles(&[5]), [5, 5, 5]);
        assert_eq!(percentiles(&[1, 2, 3]), [2, 3, 3]);
        assert_eq!(percentiles(&[1, 1, 2, 7]), [1, 7, 7]);
        assert_eq!(percentiles(&[1_000_000]), [1_000_000; 3], "never more than the longest");
    }

    #[test]
    fn the_longest_of_many_stays_the_longest() {
        let histogram = Histogram::default();
        for many in [1, WORTH_SORTING] {
            histogram.add_all((0..many).map(|run| 9_000 - run as u64));
            histogram.add_all((0..many).map(|run| 10 - run as u64 % 10));
            assert_eq!(histogram.read(false).longest, 9_000);
        }
    }

    #[test]
    fn many_at_once_are_counted_like_one_after_the_other() {
        for many in [0, 3, WORTH_SORTING, 1000] {
            let durations: Vec<u64> = (0..many as u64).map(|run| run * run * 37).collect();
            let (once, each) = (Histogram::default(), Histogram::default());
            once.add_all(durations.iter().copied());
            for nanos in &durations {
                each.add::<false>(*nanos);
            }
            let (once, each) = (once.read(false), each.read(false));
            assert_eq!((once.buckets, once.longest), (each.buckets, each.longest), "{many}");
        }
    }

    proptest! {
        #[test]
        fn the_middle_of_a_bucket_is_near(nanos in 0_u64..(1 << DOUBLINGS)) {
            let middle = middle_of(bucket_of(nanos));
            #[expect(clippy::cast_precision_loss, reason = "the error is far larger")]
            let (apart, exact) = (middle.abs_diff(nanos) as f64, nanos as f64);
            prop_assert!(apart <= exact * ERROR, "{} for {}", middle, nanos);
            prop_assert_eq!(bucket_of(middle), bucket_of(nanos));
        }
    }
}
