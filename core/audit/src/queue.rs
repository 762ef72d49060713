//! What waits for the writer: bounded, and quick for those who put something in.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use super::batch::Batch;
use super::level::AuditLevel;
use super::queue_item::QueueItem;
use hookweave_clock::now;
use hookweave_machine::sync::{Condvar, Mutex, MutexGuard};

/// How much memory waits at most, in bytes.
const MAX_WEIGHT: usize = 64 * 1024 * 1024;

/// How long the writer lets items gather while there is traffic, so that callers need not wake it for each and many are written at
/// once.
const LINGER: Duration = Duration::from_millis(2);

/// The records that open a log count as one item that was put in, so that a caller who waits for its own waits for them too.
const OPENING: u64 = 1;

/// Why something was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// There is no room.
    Full,
    /// Nothing is taken any more.
    Closed,
    /// It was taken, and may never be written.
    Unwritten,
}

/// How long a caller waits for room.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// For so long at most.
    pub(super) limit: Duration,
    /// Also where others have waited in vain: what is handed over must not be lost as long as the log can be written.
    pub(super) insists: bool,
}

/// What is handed over; it is taken out of its place when there is room for it.
#[derive(Debug)]
pub(super) enum Handed<'h> {
    /// One thing that happened.
    One(Option<QueueItem>),
    /// Dispatches in which no hook answered, at the level of the time.
    Quiet(&'h mut Batch, AuditLevel),
}

impl Handed<'_> {
    /// How many happenings it is.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::One(item) => usize::from(item.is_some()),
            Self::Quiet(batch, _) => batch.len(),
        }
    }
}

/// The items between the callers that record and the thread that writes.
#[derive(Debug)]
pub(super) struct Queue {
    capacity: usize,
    /// So long the writer lets things gather.
    linger: Duration,
    state: Mutex<State>,
    /// Something to do for the writer.
    work: Condvar,
    /// Something was taken out, or is done.
    progress: Condvar,
}

#[derive(Debug, Default)]
struct State {
    work: Work,
    /// How many wait, and how much memory they take.
    waiting: usize,
    weight: usize,
    /// How many were put in so far, how many of them the writer has, and how many of them are written.
    put: u64,
    taken: u64,
    done: u64,
    /// Up to this one, some sink may not have taken the records, or the disk may not have them.
    unsure: u64,
    /// How many found no room since the last report to the writer.
    lost: u64,
    /// A caller has waited in vain: no other waits before there is room.
    overflowing: bool,
    /// The writer sleeps until it is woken.
    asleep: bool,
    /// A caller waits until the queued items are written.
    hurried: bool,
    /// A caller has waited in vain for that: no other waits before something is written.
    stuck: bool,
    /// The writer cannot write just now.
    failing: bool,
    closed: bool,
    /// The writer has ended.
    over: bool,
}

/// What is to be written.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) items: Vec<QueueItem>,
    /// The dispatches that [`QueueItem::Quiet`] stands for, in order.
    pub(super) quiet: Batch,
}

/// What the writer gets at once.
#[derive(Debug, Default)]
pub(super) struct Taken {
    pub(super) work: Work,
    /// How many did not find room before these.
    pub(super) lost: u64,
    /// How many were queued up to these; reported back when they are written.
    pub(super) put: u64,
    /// Nothing comes after this.
    pub(super) last: bool,
}

impl Queue {
    /// A queue for so many; where nothing may gather each thing is written as soon as the writer can, with what came meanwhile.
    pub(super) fn new(capacity: usize, may_gather: bool) -> Self {
        let state = Mutex::new(State { put: OPENING, ..State::default() });
        let linger = if may_gather { LINGER } else { Duration::ZERO };
        Self { capacity, linger, state, work: Condvar::new(), progress: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_room(&self, state: &State) -> bool {
        state.waiting < self.capacity && state.weight < MAX_WEIGHT
    }

    /// From so many on the writer does not let more gather.
    fn plenty(&self) -> usize {
        (self.capacity / 2).max(1)
    }

    /// Puts something in without waiting and gives its number; leaves it where it is when there is no room.
    pub(super) fn offer(&self, handed: &mut Handed<'_>) -> Result<u64, Refused> {
        let mut state = self.lock();
        if state.closed {
            return Err(Refused::Closed);
        }
        if !self.has_room(&state) {
            return Err(Refused::Full);
        }
        self.put(&mut state, handed);
        Ok(state.put)
    }

    fn put(&self, state: &mut State, handed: &mut Handed<'_>) {
        let (count, before) = (handed.count(), state.waiting);
        match handed {
            Handed::One(item) => {
                state.weight += item.as_ref().map_or(0, QueueItem::weight);
                state.work.items.extend(item.take());
            }
            Handed::Quiet(batch, level) => {
                state.weight += batch.weight();
                state.work.quiet.append(batch);
                match state.work.items.last_mut() {
                    Some(QueueItem::Quiet(last, dispatches)) if last == level => *dispatches += count,
                    _ => state.work.items.push(QueueItem::Quiet(*level, count)),
                }
            }
        }
        self.came(state, before, count);
    }

    /// So many came in, where there were some before.
    fn came(&self, state: &mut State, before: usize, count: usize) {
        state.waiting += count;
        state.put += count as u64;
        // A writer that lingers looks by itself; one that sleeps, or lingers while the queue fills up, is woken.
        if state.asleep || (before < self.plenty() && state.waiting >= self.plenty()) {
            state.asleep = false;
            self.work.notify_one();
        }
    }

    /// Puts something in, waiting for room, and gives its number; counts it as lost when there is none.
    pub(super) fn insist(&self, handed: &mut Handed<'_>, patience: Patience) -> Result<u64, Refused> {
        let mut state = self.lock();
        let in_vain = |state: &State| if patience.insists { state.failing || state.stuck } else { state.overflowing };
        if !in_vain(&state) && !self.has_room(&state) && !state.closed {
            self.work.notify_one();
            let over = |state: &State| self.has_room(state) || state.closed || (patience.insists && in_vain(state));
            let full = |state: &mut State| !over(state);
            let waited = self.progress.wait_timeout_while(state, patience.limit, full);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if state.closed {
            return Err(Refused::Closed);
        }
        if !self.has_room(&state) {
            state.overflowing = true;
            state.lost += handed.count() as u64;
            return Err(Refused::Full);
        }
        self.put(&mut state, handed);
        Ok(state.put)
    }

    /// Waits until what has a number is written; false when it may not be, and at once while nothing can be written.
    pub(super) fn written(&self, number: u64, limit: Duration) -> bool {
        let until = now() + limit;
        let mut state = self.lock();
        while state.done < number {
            if state.over || state.failing || state.stuck {
                return false;
            }
            if state.taken < number {
                state.hurried = true;
                self.work.notify_one();
            }
            let left = left(until);
            if left.is_zero() {
                state.stuck = true;
                return false;
            }
            state = self.progress.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        // A caller that comes late may get this for an older item's sake: better than the reverse.
        number > state.unsure
    }

    /// What there is, as soon as there is something and a moment has passed; spare memory comes back in exchange.
    pub(super) fn take(&self, mut spare: Work) -> Taken {
        spare.items.clear();
        spare.quiet.clear();
        let mut state = self.lock();
        let gathering =
            |state: &mut State| state.waiting < self.plenty() && state.lost == 0 && !state.closed && !state.hurried;
        state = self.work.wait_timeout_while(state, self.linger, gathering).unwrap_or_else(PoisonError::into_inner).0;
        loop {
            if state.waiting > 0 || state.lost > 0 || state.closed || state.hurried {
                break;
            }
            state.asleep = true;
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.asleep = false;
        state.hurried = false;
        state.taken = state.put;
        state.waiting = 0;
        state.weight = 0;
        state.overflowing = false;
        let work = std::mem::replace(&mut state.work, spare);
        let taken = Taken { work, lost: std::mem::take(&mut state.lost), put: state.put, last: state.closed };
        drop(state);
        self.progress.notify_all();
        taken
    }

    /// Whether the queue is being closed: a writer that tries again and again stops then.
    pub(super) fn is_closing(&self) -> bool {
        self.lock().closed
    }

    /// Reports that the records which open the log are written, and whether that is sure.
    pub(super) fn begun(&self, is_sure: bool) {
        self.done(OPENING, is_sure);
    }

    /// Reports that everything up to a number is written, and whether all sinks have taken it and the disk has it.
    pub(super) fn done(&self, put: u64, is_sure: bool) {
        let mut state = self.lock();
        if !is_sure {
            state.unsure = put;
        }
        state.done = put;
        state.stuck = false;
        drop(state);
        self.progress.notify_all();
    }

    /// Sets whether the writer can write: no caller waits for a writer that cannot.
    pub(super) fn fails(&self, failing: bool) {
        let mut state = self.lock();
        if state.failing != failing {
            state.failing = failing;
            self.progress.notify_all();
        }
    }

    /// Waits until all that was put in is written; false when the time is up before.
    pub(super) fn flush(&self, limit: Duration) -> bool {
        let mut state = self.lock();
        let wanted = state.put;
        let until = now() + limit;
        while state.done < wanted && !state.over {
            state.hurried = true;
            self.work.notify_one();
            let left = left(until);
            if left.is_zero() {
                return false;
            }
            state = self.progress.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.done >= wanted
    }

    /// Takes nothing more and waits until the writer has ended; false when the time is up before.
    pub(super) fn close(&self, limit: Duration) -> bool {
        let mut state = self.lock();
        state.closed = true;
        self.work.notify_all();
        self.progress.notify_all();
        let running = |state: &mut State| !state.over;
        state = self.progress.wait_timeout_while(state, limit, running).unwrap_or_else(PoisonError::into_inner).0;
        state.over && state.done >= state.put
    }

    /// Says that the writer has ended.
    pub(super) fn over(&self) {
        let mut state = self.lock();
        state.over = true;
        state.closed = true;
        drop(state);
        self.progress.notify_all();
    }

    /// Waits a while before something is tried again; nothing more to come ends the wait.
    pub(super) fn pause(&self, time: Duration) {
        let state = self.lock();
        let open = |state: &mut State| !state.closed;
        drop(self.work.wait_timeout_while(state, time, open));
    }
}

fn left(until: Instant) -> Duration {
    until.saturating_duration_since(now())
}
