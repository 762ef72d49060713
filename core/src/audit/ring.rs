//! Memory in which a driver writes quiet dispatches down, without a call for each.
//!
//! A call from a language with a machine of its own costs more than all that is recorded of a quiet dispatch. Where the driver is
//! one thread it writes into this memory instead, and the log's own thread looks here by itself; only one that sleeps has to be
//! called. A dispatch that is written down is as safe as one that was handed over: when the process is killed, what counts is that
//! the log's thread has had a moment, not that the driver has come to another turn of its loop.
//!
//! The queue takes out what is here, under its lock, before it takes in or gives out anything else, so that all that is told keeps
//! its order. Nothing that stands here is trusted: whatever it is, it is at worst a gap in the log.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::frames::{Frames, LEAST_WORDS};
use crate::event::EventSpec;
use crate::index::Plan;

/// How many words there are for dispatches: a power of two, since positions only ever grow and wrap with 32 bits.
const WORDS: u32 = 1 << 14;

/// How many words are before them. What different threads write stands in different lines of their caches.
const FIRST: u32 = 16;

/// Written by the driver: how many words it has written.
const TAIL: u32 = 0;

/// Written here: how many words were taken out, at how many dispatches the driver has to hand over the next one itself, and whether
/// it has to call after writing.
const HEAD: u32 = 8;
const LIMIT: u32 = 9;
const ASLEEP: u32 = 10;

/// No more than so many may be written without handing one over: the difference of two numbers that wrap has to be told from a
/// negative one.
const MOST: u32 = 1 << 30;

/// Stands for the length of a text where nothing follows up to the end of the memory: no dispatch goes around it.
const SKIP: u32 = u32::MAX;

/// Memory that a driver writes quiet dispatches into, in words of eight bytes.
///
/// Sixteen words of numbers in the low half of each: 0 is written by the driver, and says how many words it has written; 8 to 10 say
/// how many of them were taken out, at how many dispatches the driver has to hand the next one over, and whether it has to call
/// [`Audit::wake`](super::Audit::wake) after writing. All of them wrap. Then the words for dispatches, `2^14`. Of each dispatch a
/// word with its length in words, itself included, in the low half and the length of its text in bytes in the high one; when it
/// began and when each of its hooks ended, as `f64` nanoseconds on the clock of [`crate::host::present`]; and its text: what
/// [`Ring::head`] gives, and then the texts of [`About::places`](super::About::places), each behind its tag and with a NUL after it. A dispatch goes nowhere around the
/// end: a word with all ones in its high half says that the next one is at the beginning.
#[derive(Debug)]
pub struct Ring {
    words: Box<[AtomicU64]>,
}

impl Ring {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self { words: (0..FIRST + WORDS).map(|_| AtomicU64::new(0)).collect() })
    }

    /// What stands at the beginning of the text of each dispatch that runs these hooks; `None` where a name does not fit in.
    #[must_use]
    pub fn head<T>(event: &EventSpec, plan: &Plan<T>) -> Option<String> {
        let mut head = String::new();
        let mut tell = |tag: char, text: &str| {
            head.push(tag);
            head.push_str(text);
            head.push('\0');
            !text.contains('\0')
        };
        let fits = tell('e', event.name())
            && plan.calls().iter().all(|call| {
                let entry = call.entry();
                tell('i', &entry.id().number().to_string()) && tell('n', entry.name())
            });
        fits.then_some(head)
    }

    /// The memory. It may be written by another language meanwhile, and is only read and written with atomic operations here.
    #[must_use]
    pub fn words(&self) -> &[AtomicU64] {
        &self.words
    }

    fn word(&self, at: u32) -> u64 {
        self.words.get(at as usize).map_or(0, |word| word.load(Ordering::Relaxed))
    }

    #[expect(clippy::cast_possible_truncation, reason = "the low half")]
    fn number(&self, at: u32, ordering: Ordering) -> u32 {
        self.words.get(at as usize).map_or(0, |word| word.load(ordering) as u32)
    }

    fn set(&self, at: u32, number: u32, ordering: Ordering) {
        if let Some(word) = self.words.get(at as usize) {
            word.store(number.into(), ordering);
        }
    }
}

/// The end of a ring at which dispatches are taken out.
#[derive(Debug)]
pub(super) struct Intake {
    ring: Arc<Ring>,
    /// How many words and how many dispatches were taken out.
    head: u32,
    dispatches: u32,
}

impl Intake {
    pub(super) const fn new(ring: Arc<Ring>) -> Self {
        Self { ring, head: 0, dispatches: 0 }
    }

    /// Takes everything out; gives how many dispatches it was.
    pub(super) fn pour(&mut self, into: &mut Frames) -> usize {
        let tail = self.ring.number(TAIL, Ordering::Acquire);
        let before = self.dispatches;
        while self.head != tail {
            if self.next(tail, into).is_none() {
                // Where the next one would begin, nobody knows.
                into.push_unreadable();
                self.dispatches = self.dispatches.wrapping_add(1);
                self.head = tail;
            }
        }
        self.ring.set(HEAD, self.head, Ordering::Release);
        self.dispatches.wrapping_sub(before) as usize
    }

    /// Takes one out, or skips to the beginning of the memory; `None` when there is nothing of the kind.
    fn next(&mut self, tail: u32, into: &mut Frames) -> Option<()> {
        let left = Some(tail.wrapping_sub(self.head)).filter(|left| *left <= WORDS)?;
        let at = self.head % WORDS;
        let here = left.min(WORDS - at);
        let first = self.ring.word(FIRST + at);
        let (length, text) = halves(first);
        if text == SKIP {
            self.head = Some(WORDS - at).filter(|rest| *rest <= left).map(|rest| self.head.wrapping_add(rest))?;
            return Some(());
        }
        if !(LEAST_WORDS..=here).contains(&length) {
            return None;
        }
        into.push(first, (at + 1..at + length).map(|at| self.ring.word(FIRST + at)));
        self.head = self.head.wrapping_add(length);
        self.dispatches = self.dispatches.wrapping_add(1);
        Some(())
    }

    /// Says how many more the driver may write before it has to hand one over.
    pub(super) fn allow(&self, room: usize) {
        let room = u32::try_from(room).map_or(MOST, |room| room.min(MOST));
        self.ring.set(LIMIT, self.dispatches.wrapping_add(room), Ordering::Relaxed);
    }

    /// Says whether the driver has to call; true when it has written something that nobody has called for.
    ///
    /// The driver writes and then looks whether it has to call, this says so and then looks what was written: in one order that
    /// both see, or each could miss the other.
    pub(super) fn tell_asleep(&self, asleep: bool) -> bool {
        self.ring.set(ASLEEP, asleep.into(), Ordering::SeqCst);
        self.ring.number(TAIL, Ordering::SeqCst) != self.head
    }
}

/// What a word holds in its low and its high half.
#[expect(clippy::cast_possible_truncation, reason = "halves")]
pub(super) const fn halves(word: u64) -> (u32, u32) {
    (word as u32, (word >> 32) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A driver, as far as words go.
    struct Pen {
        ring: Arc<Ring>,
        tail: u32,
    }

    impl Pen {
        fn write(&mut self, words: &[u64]) {
            for word in words {
                let at = (FIRST + self.tail % WORDS) as usize;
                self.ring.words()[at].store(*word, Ordering::Relaxed);
                self.tail = self.tail.wrapping_add(1);
            }
            self.ring.set(TAIL, self.tail, Ordering::SeqCst);
        }

        fn quiet(&mut self, text: &str) {
            let bytes = text.as_bytes().chunks(8).map(|chunk| {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                u64::from_ne_bytes(word)
            });
            let mut words = vec![0, 7.0_f64.to_bits(), 9.0_f64.to_bits()];
            words.extend(bytes);
            words[0] = words.len() as u64 | ((text.len() as u64) << 32);
            self.write(&words);
        }
    }

    fn made() -> (Pen, Intake) {
        let ring = Ring::new();
        (Pen { ring: Arc::clone(&ring), tail: 0 }, Intake::new(ring))
    }

    fn tools(frames: &Frames) -> Vec<Option<String>> {
        let tool = |quiet: super::super::batch::Quiet<'_>| quiet.texts.first().map(|(_, text)| (*text).to_owned());
        frames.read_back().map(|quiet| quiet.and_then(tool)).collect()
    }

    const TEXT: &str = "ePreToolUse\0i3\0nguard\0tBash\0";

    #[test]
    fn what_is_written_comes_out_once_and_in_order_however_often_the_memory_is_gone_through() {
        let (mut pen, mut intake) = made();
        for round in 0..3 * WORDS / 4 {
            let mut frames = Frames::default();
            let rest = WORDS - pen.tail % WORDS;
            if rest < 64 {
                pen.write(&[u64::from(SKIP) << 32]);
                pen.tail = pen.tail.wrapping_add(rest - 1);
            }
            for name in ["a", "b"] {
                pen.quiet(&format!("{TEXT}t{name}{round}\0"));
            }
            assert_eq!(intake.pour(&mut frames), 2);
            assert_eq!(frames.read_back().count(), 2);
            let last = frames.read_back().last().unwrap().unwrap().texts.last().unwrap().1.to_owned();
            assert_eq!(last, format!("b{round}"));
            assert_eq!(intake.pour(&mut frames), 0);
            assert_eq!(intake.ring.number(HEAD, Ordering::Relaxed), pen.tail);
        }
        assert!(pen.tail > 4 * WORDS);
    }

    #[test]
    fn whatever_stands_there_is_a_gap_at_worst() {
        let long = u64::from(WORDS) + 1;
        let lengths = [0, 1, 3, long, u64::from(u32::MAX), u64::from(SKIP) << 32, u64::MAX];
        for first in lengths {
            let (mut pen, mut intake) = made();
            let mut frames = Frames::default();
            pen.quiet(TEXT);
            pen.write(&[first, 0]);
            assert_eq!(intake.pour(&mut frames), 2, "{first:x}");
            assert_eq!(tools(&frames), [Some("Bash".to_owned()), None], "{first:x}");
            // What comes next is read again.
            pen.quiet(TEXT);
            assert_eq!(intake.pour(&mut frames), 1);
        }
        for tail in [1, WORDS + 1, u32::MAX, 1 << 31] {
            let (pen, mut intake) = made();
            pen.ring.set(TAIL, tail, Ordering::Relaxed);
            let mut frames = Frames::default();
            assert_eq!(intake.pour(&mut frames), 1);
            assert_eq!((tools(&frames), intake.head), (vec![None], tail));
        }
    }

    #[test]
    fn what_is_written_while_the_taker_goes_to_sleep_is_seen() {
        let (mut pen, mut intake) = made();
        assert!(!intake.tell_asleep(true));
        pen.quiet(TEXT);
        assert_eq!(pen.ring.number(ASLEEP, Ordering::SeqCst), 1);
        assert!(intake.tell_asleep(true));
        intake.pour(&mut Frames::default());
        assert!(!intake.tell_asleep(false));
        assert_eq!(pen.ring.number(ASLEEP, Ordering::SeqCst), 0);
    }

    #[test]
    fn what_may_be_written_counts_from_what_was_taken_out() {
        let (mut pen, mut intake) = made();
        for room in [0, 1, 5000, usize::MAX] {
            pen.quiet(TEXT);
            intake.pour(&mut Frames::default());
            intake.allow(room);
            let limit = pen.ring.number(LIMIT, Ordering::Relaxed).wrapping_sub(intake.dispatches);
            assert_eq!(limit as usize, room.min(MOST as usize));
        }
    }
}
