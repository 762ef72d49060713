//! What waits for the writer: bounded, and quick for those who put something in.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::told::Told;
use crate::handlers::clock::now;

/// How much memory waits at most, in bytes.
const MAX_WEIGHT: usize = 64 * 1024 * 1024;

/// Whoever writes looks again after so long while there is traffic, so that nobody has to wake it up each time.
const LINGER: Duration = Duration::from_millis(2);

/// Why something was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// There is no room.
    Full,
    /// Nothing is taken any more.
    Closed,
}

/// Between those who tell and the one who writes.
#[derive(Debug)]
pub(super) struct Queue {
    capacity: usize,
    state: Mutex<State>,
    /// Something to do for the writer.
    work: Condvar,
    /// Something was taken out, or is done.
    progress: Condvar,
}

#[derive(Debug, Default)]
struct State {
    told: Vec<Told>,
    weight: usize,
    /// How many were put in so far, and how many of them are written.
    put: u64,
    done: u64,
    /// How many did not find room since the writer was last told.
    lost: u64,
    /// Somebody has waited in vain: nobody waits again before there is room.
    overflowing: bool,
    /// The writer sleeps until it is woken.
    asleep: bool,
    /// Somebody waits for what was put in to be written.
    hurried: bool,
    closed: bool,
    /// The writer has ended.
    over: bool,
}

/// What the writer gets at once.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) told: Vec<Told>,
    /// How many did not find room before these.
    pub(super) lost: u64,
    /// How many were put in with these; told back when they are written.
    pub(super) put: u64,
    /// Nothing comes after this.
    pub(super) last: bool,
}

impl Queue {
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity, state: Mutex::default(), work: Condvar::new(), progress: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_room(&self, state: &State) -> bool {
        state.told.len() < self.capacity && state.weight < MAX_WEIGHT
    }

    /// Puts something in without waiting; gives it back when there is no room.
    pub(super) fn offer(&self, told: Told) -> Result<(), (Told, Refused)> {
        let mut state = self.lock();
        if state.closed {
            return Err((told, Refused::Closed));
        }
        if !self.has_room(&state) {
            return Err((told, Refused::Full));
        }
        self.put(&mut state, told);
        Ok(())
    }

    fn put(&self, state: &mut State, told: Told) {
        state.weight += told.weight();
        state.told.push(told);
        state.put += 1;
        // A writer that lingers looks by itself; one that sleeps, or lingers while the queue fills up, is woken.
        if state.asleep || state.told.len() == self.capacity / 2 {
            state.asleep = false;
            self.work.notify_one();
        }
    }

    /// Puts something in, waiting so long for room; counts it as lost when there is none.
    pub(super) fn insist(&self, told: Told, wait: Duration) -> Result<(), Refused> {
        let mut state = self.lock();
        if !state.overflowing && !self.has_room(&state) && !state.closed {
            self.work.notify_one();
            let full = |state: &mut State| !self.has_room(state) && !state.closed;
            state = self.progress.wait_timeout_while(state, wait, full).unwrap_or_else(PoisonError::into_inner).0;
        }
        if state.closed {
            return Err(Refused::Closed);
        }
        if !self.has_room(&state) {
            state.overflowing = true;
            state.lost += 1;
            return Err(Refused::Full);
        }
        self.put(&mut state, told);
        Ok(())
    }

    /// What there is, as soon as there is something; spare memory comes back in exchange.
    pub(super) fn take(&self, mut spare: Vec<Told>) -> Batch {
        spare.clear();
        let mut state = self.lock();
        let nothing = |state: &State| state.told.is_empty() && state.lost == 0 && !state.closed;
        if nothing(&state) && !state.hurried {
            let idle = |state: &mut State| nothing(state) && !state.hurried;
            state = self.work.wait_timeout_while(state, LINGER, idle).unwrap_or_else(PoisonError::into_inner).0;
        }
        while nothing(&state) && !state.hurried {
            state.asleep = true;
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.asleep = false;
        state.hurried = false;
        state.weight = 0;
        state.overflowing = false;
        let told = std::mem::replace(&mut state.told, spare);
        let batch = Batch { told, lost: std::mem::take(&mut state.lost), put: state.put, last: state.closed };
        drop(state);
        self.progress.notify_all();
        batch
    }

    /// Whether so many are to be waited for, or nothing more comes: whoever tries again and again looks here.
    pub(super) fn is_closing(&self) -> bool {
        self.lock().closed
    }

    /// Says that everything up to a number is written.
    pub(super) fn done(&self, put: u64) {
        self.lock().done = put;
        self.progress.notify_all();
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
