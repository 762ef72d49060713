//! A forked child that has no log of its own yet: whose turn it is to open one, why that failed, and what is lost meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwapOption;

use super::process_mark::ProcessMark;
use hookweave_clock::now;

/// How long a thread waits for another one that opens the log.
const TURN: Duration = Duration::from_secs(1);

/// How often it looks.
const LOOK: Duration = Duration::from_millis(1);

/// What is known as long as a process has no log.
///
/// It has no lock: one that is held while the process forks would stay held in the child for ever.
#[derive(Debug, Default)]
pub(super) struct Absence {
    /// The process in which a thread is opening the log; 0 for none.
    opening: AtomicU32,
    lost: AtomicU64,
    why: ArcSwapOption<(u32, String)>,
}

/// A thread's turn to open the log.
#[derive(Debug)]
pub(super) struct Turn<'a>(&'a Absence);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.opening.store(0, Ordering::Release);
    }
}

impl Absence {
    /// Waits until it is this thread's turn; `None` when another one takes too long.
    pub(super) fn turn(&self) -> Option<Turn<'_>> {
        let here = ProcessMark::here().number();
        let until = now() + TURN;
        loop {
            let holder = self.opening.load(Ordering::Acquire);
            // A thread of the process that this one was forked from does not exist here.
            let free = holder != here;
            if free && self.opening.compare_exchange(holder, here, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                return Some(Turn(self));
            }
            if now() >= until {
                return None;
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Says why this process has no log; true when that is news.
    pub(super) fn report(&self, why: &str) -> bool {
        let is_news = self.why().is_none_or(|known| known != why);
        if is_news {
            self.why.store(Some(Arc::new((ProcessMark::here().number(), why.to_owned()))));
        }
        is_news
    }

    /// Why this process has no log.
    pub(super) fn why(&self) -> Option<String> {
        let why = self.why.load();
        why.as_ref().filter(|why| why.0 == ProcessMark::here().number()).map(|why| why.1.clone())
    }

    /// Counts records that are lost.
    pub(super) fn lose(&self, count: u64) {
        self.lost.fetch_add(count, Ordering::Relaxed);
    }

    /// How much was lost so far, for the log that is to say so.
    pub(super) fn take_lost(&self) -> u64 {
        self.lost.swap(0, Ordering::Relaxed)
    }
}
