//! What is counted while hooks run: plain counters, so that a dispatch pays a few nanoseconds for them.

mod histogram;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use crate::action::Action;
use crate::failure::{FailBehavior, FailureKind};

pub(crate) use histogram::Counted;
pub use histogram::ERROR;
use histogram::{Histogram, raise};

/// The first number of dispatches after which hooks are looked at for warnings; the next is twice as many.
const FIRST_LOOK: u64 = 16;

/// How often an event was dispatched.
#[derive(Debug, Default)]
pub(crate) struct EventTally {
    total: AtomicU64,
    /// How many of them were there when the statistics were last begun anew.
    before: AtomicU64,
    /// Something was seen of which a person should be told at once.
    due: AtomicBool,
}

impl EventTally {
    /// Counts dispatches; true when it is time to look for warnings.
    #[inline]
    pub(crate) fn add<const ALONE: bool>(&self, dispatches: u64) -> bool {
        let before = raise::<ALONE>(&self.total, dispatches);
        let after = before + dispatches;
        after >= FIRST_LOOK && (before == 0 || after.ilog2() > before.ilog2()) || self.is_look_due()
    }

    /// Lets the host look for warnings when this dispatch is over.
    pub(crate) fn look_soon(&self) {
        self.due.store(true, Relaxed);
    }

    /// Whether it should, once.
    #[inline]
    pub(crate) fn is_look_due(&self) -> bool {
        self.due.load(Relaxed) && self.due.swap(false, Relaxed)
    }

    /// How many dispatches are left until the next look for warnings.
    pub(crate) fn until_check(&self) -> u64 {
        let total = self.total.load(Relaxed);
        (total + 1).next_power_of_two().max(FIRST_LOOK) - total
    }

    /// All dispatches that there ever were.
    pub(crate) fn total(&self) -> u64 {
        self.total.load(Relaxed)
    }

    /// The dispatches since the statistics were last begun anew.
    pub(crate) fn read(&self, reset: bool) -> u64 {
        let total = self.total();
        let before = if reset { self.before.swap(total, Relaxed) } else { self.before.load(Relaxed) };
        total.saturating_sub(before)
    }
}

/// What is counted of one hook.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Made at the first run: most hooks of a large client never run.
    book: OnceLock<Box<Book>>,
    /// How often the hook's event had been dispatched when the count began.
    since: AtomicU64,
    warned: AtomicBool,
}

#[derive(Debug, Default)]
struct Book {
    took: Histogram,
    /// When it last ended, on the driver's clock in nanoseconds.
    last: AtomicU64,
    /// Runs that decided something, by action; those that did not are the rest.
    actions: [AtomicU64; Action::WORDS.len()],
    failures: [AtomicU64; FailureKind::ALL.len()],
    /// How often it has failed, whether or not the statistics were begun anew since.
    failed: AtomicU64,
    detached: AtomicU64,
    modified: AtomicU64,
    overran: AtomicU64,
    skipped: AtomicU64,
    would_block: AtomicU64,
}

/// What became of a hook in a dispatch.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RunKind {
    /// It was selected and passed over.
    Skipped,
    /// It runs in the background.
    Detached,
    /// It ran for so many nanoseconds.
    Ran { took: u64 },
}

/// One run of a hook, as it is counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    pub(crate) kind: RunKind,
    pub(crate) action: Action,
    pub(crate) failure: Option<FailureKind>,
    pub(crate) has_modified: bool,
    pub(crate) has_overrun: bool,
    /// It observes, and would have blocked the event.
    pub(crate) would_block: bool,
}

/// What was counted of one hook up to a moment.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub(crate) took: Counted,
    pub(crate) last: u64,
    pub(crate) actions: [u64; Action::WORDS.len()],
    pub(crate) failures: [u64; FailureKind::ALL.len()],
    pub(crate) detached: u64,
    pub(crate) modified: u64,
    pub(crate) overran: u64,
    pub(crate) skipped: u64,
    pub(crate) would_block: u64,
}

impl Tally {
    /// For a hook that is registered when its event was dispatched so often.
    pub(crate) fn new(dispatches: u64) -> Self {
        Self { since: AtomicU64::new(dispatches), ..Self::default() }
    }

    /// Counts a run that had nothing to say: how long it took and when it ended, in nanoseconds.
    #[inline]
    pub(crate) fn ran<const ALONE: bool>(&self, took: u64, ended: u64) {
        let book = self.book.get_or_init(Box::default);
        book.took.add::<ALONE>(took);
        book.last.store(ended, Relaxed);
    }

    /// Counts runs that had nothing to say: how long they took, and when the last of them ended.
    pub(crate) fn ran_often(&self, took: impl ExactSizeIterator<Item = u64>, ended: u64) {
        if took.len() > 0 {
            let book = self.book.get_or_init(Box::default);
            book.took.add_all(took);
            book.last.store(ended, Relaxed);
        }
    }

    /// Counts what became of the hook in a dispatch that ended at a time in nanoseconds.
    pub(crate) fn add(&self, run: &Run, ended: u64) {
        let book = self.book.get_or_init(Box::default);
        match run.kind {
            RunKind::Skipped => _ = book.skipped.fetch_add(1, Relaxed),
            RunKind::Detached => {
                book.detached.fetch_add(1, Relaxed);
                book.last.store(ended, Relaxed);
            }
            RunKind::Ran { took } => self.ran::<false>(took, ended),
        }
        if run.action != Action::Continue {
            count(&book.actions, Action::WORDS.iter().position(|(_, action)| *action == run.action));
        }
        if let Some(failure) = run.failure {
            count(&book.failures, FailureKind::ALL.iter().position(|kind| *kind == failure));
        }
        if run.has_modified {
            book.modified.fetch_add(1, Relaxed);
        }
        if run.has_overrun {
            book.overran.fetch_add(1, Relaxed);
        }
        if run.would_block {
            book.would_block.fetch_add(1, Relaxed);
        }
    }

    /// Since how many dispatches of its event the hook is counted; begins anew when asked.
    pub(crate) fn since(&self, total: u64, reset: bool) -> u64 {
        let since = if reset { self.since.swap(total, Relaxed) } else { self.since.load(Relaxed) };
        total.saturating_sub(since)
    }

    pub(crate) fn read(&self, reset: bool) -> Read {
        let Some(book) = self.book.get() else { return Read::default() };
        let take = |counter: &AtomicU64| if reset { counter.swap(0, Relaxed) } else { counter.load(Relaxed) };
        Read {
            took: book.took.read(reset),
            last: take(&book.last),
            actions: book.actions.each_ref().map(take),
            failures: book.failures.each_ref().map(take),
            detached: take(&book.detached),
            modified: take(&book.modified),
            overran: take(&book.overran),
            skipped: take(&book.skipped),
            would_block: take(&book.would_block),
        }
    }

    /// Counts a failure for the program's log; gives how many there were, if the log is to have it.
    ///
    /// That is each that blocks and, of those after which the action continues, the first, the tenth, the hundredth and so on, so
    /// that none is overlooked and none floods.
    pub(crate) fn failed(&self, became: FailBehavior) -> Option<u64> {
        let times = self.book.get_or_init(Box::default).failed.fetch_add(1, Relaxed) + 1;
        let is_round = times == 10_u64.saturating_pow(times.ilog10());
        (is_round || became == FailBehavior::Block).then_some(times)
    }

    /// Whether the hook has run, or was passed over.
    pub(crate) fn has_run(&self) -> bool {
        self.book.get().is_some()
    }

    /// Whether its warning has not been given to the host yet; from here on it has.
    pub(crate) fn warns_first(&self) -> bool {
        !self.warned.swap(true, Relaxed)
    }
}

fn count(counters: &[AtomicU64], place: Option<usize>) {
    if let Some(counter) = place.and_then(|place| counters.get(place)) {
        counter.fetch_add(1, Relaxed);
    }
}

/// A hook's counters, for a driver in another language that reports runs without an answer many at a time.
#[derive(Debug, Clone)]
pub struct HookCounter(pub(crate) Arc<Tally>);

impl HookCounter {
    /// Counts runs that had nothing to say: how long they took, and when the last of them ended, in nanoseconds.
    pub fn ran(&self, took: impl ExactSizeIterator<Item = u64>, ended: u64) {
        self.0.ran_often(took, ended);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_told_more_rarely_the_more_there_are() {
        let hook = Tally::default();
        let logged: Vec<u64> = (0..1500).filter_map(|_| hook.failed(FailBehavior::Continue)).collect();
        assert_eq!(logged, [1, 10, 100, 1000]);
        assert_eq!(hook.failed(FailBehavior::Block), Some(1501));
    }

    #[test]
    fn looks_grow_rare() {
        let event = EventTally::default();
        let looks: Vec<u64> = (1..=300).filter(|_| event.add::<true>(1)).collect();
        assert_eq!(looks, [16, 32, 64, 128, 256]);
        assert_eq!(event.until_check(), 512 - 300);
        assert!(!event.add::<false>(200) && event.add::<false>(30), "several at once pass a look too");
        assert!(EventTally::default().add::<false>(1000));
        assert_eq!(EventTally::default().until_check(), 16);
    }

    #[test]
    fn counts_begin_anew() {
        let event = EventTally::default();
        event.add::<false>(5);
        assert_eq!((event.read(true), event.read(false), event.total()), (5, 0, 5));
        let hook = Tally::new(event.total());
        hook.ran::<true>(7, 9);
        event.add::<false>(3);
        assert_eq!((hook.since(event.total(), true), hook.since(event.total(), false)), (3, 0));
        assert_eq!((hook.read(true).took.total(), hook.read(false).took.total()), (1, 0));
    }

    #[test]
    fn each_way_to_count_runs_tells_when_the_last_one_ended() {
        let hook = Tally::default();
        hook.ran_often([1, 2].into_iter(), 5);
        assert_eq!(hook.read(false).last, 5);
        hook.ran::<false>(3, 8);
        assert_eq!(hook.read(false).last, 8);
        hook.ran_often([].into_iter(), 9);
        assert_eq!((hook.read(false).last, hook.read(false).took.total()), (8, 3));
    }

    #[test]
    fn a_warning_is_told_once() {
        let hook = Tally::default();
        assert!(hook.warns_first());
        assert!(!hook.warns_first());
    }
}
