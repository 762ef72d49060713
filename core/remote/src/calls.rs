//! The calls of one connection: those that wait, those that the worker has, and when each is late.

use std::collections::{BTreeMap, VecDeque};

use crate::remote_hook::RemoteCall;

/// A call on its way.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) id: u64,
    pub(crate) hook: String,
    pub(crate) deadline: Option<u64>,
    pub(crate) call: RemoteCall,
    /// The worker sends no answer.
    pub(crate) is_silent: bool,
}

/// Bounded on both sides: so many calls are with the worker, so many wait behind them.
#[derive(Debug)]
pub(crate) struct Calls {
    in_flight: BTreeMap<u64, Pending>,
    waiting: VecDeque<Pending>,
    pub(crate) most_in_flight: usize,
    most_waiting: usize,
    /// Answers that are still to come for calls that have ended, by hook, where answers have no numbers; else `None`.
    owed: Option<BTreeMap<String, usize>>,
}

impl Calls {
    pub(crate) const fn new(most_in_flight: usize, most_waiting: usize) -> Self {
        Self { in_flight: BTreeMap::new(), waiting: VecDeque::new(), most_in_flight, most_waiting, owed: None }
    }

    /// From now on a hook has one event at a time, because its answers have no numbers.
    pub(crate) fn one_of_a_hook(&mut self) {
        self.owed.get_or_insert_default();
    }

    /// Notes that the worker may still answer a call of a hook that has ended: an answer without a number must not count for
    /// the next event.
    pub(crate) fn owe(&mut self, hook: String) {
        if let Some(owed) = &mut self.owed {
            *owed.entry(hook).or_default() += 1;
        }
    }

    /// Takes the answer for a call of a hook that has ended; false where none is to come.
    pub(crate) fn settle(&mut self, id: u64, hook: &str) -> bool {
        let Some(owed) = self.owed.as_mut().filter(|_| id == 0) else { return false };
        let Some(count) = owed.get_mut(hook) else { return false };
        *count -= 1;
        if *count == 0 {
            owed.remove(hook);
        }
        true
    }

    /// Whether the worker may have an event of this hook now.
    fn may_start(&self, hook: &str) -> bool {
        self.owed
            .as_ref()
            .is_none_or(|owed| !owed.contains_key(hook) && self.in_flight.values().all(|pending| pending.hook != hook))
    }

    /// Takes a call; false where there is no room.
    pub(crate) fn submit(&mut self, pending: Pending) -> bool {
        if self.in_flight.len() >= self.most_in_flight && self.waiting.len() >= self.most_waiting {
            return false;
        }
        self.waiting.push_back(pending);
        true
    }

    /// The next call that the worker has room for; it is in flight from now on.
    pub(crate) fn start(&mut self) -> Option<&Pending> {
        if self.in_flight.len() >= self.most_in_flight {
            return None;
        }
        let at = self.waiting.iter().position(|pending| self.may_start(&pending.hook))?;
        let next = self.waiting.remove(at)?;
        Some(self.in_flight.entry(next.id).or_insert(next))
    }

    /// Ends the call that an answer is for: the one of its number, or the only one of its hook where it has none.
    pub(crate) fn answered(&mut self, id: u64, hook: &str) -> Option<Pending> {
        let id = if id == 0 {
            let mut of_hook = self.in_flight.values().filter(|pending| pending.hook == hook);
            let only = of_hook.next().filter(|_| of_hook.next().is_none())?;
            only.id
        } else {
            id
        };
        self.in_flight.get(&id).filter(|pending| pending.hook == hook)?;
        self.in_flight.remove(&id)
    }

    /// Takes a call out; says whether the worker has it.
    pub(crate) fn cancel(&mut self, id: u64) -> Option<(Pending, bool)> {
        if let Some(pending) = self.in_flight.remove(&id) {
            return Some((pending, true));
        }
        let at = self.waiting.iter().position(|pending| pending.id == id)?;
        self.waiting.remove(at).map(|pending| (pending, false))
    }

    /// The calls that are late.
    pub(crate) fn late(&self, now: u64) -> Vec<u64> {
        self.all().filter(|pending| pending.deadline.is_some_and(|at| at <= now)).map(|pending| pending.id).collect()
    }

    pub(crate) fn next_deadline(&self) -> Option<u64> {
        self.all().filter_map(|pending| pending.deadline).min()
    }

    /// Every call, because the connection ends.
    pub(crate) fn take_all(&mut self) -> Vec<Pending> {
        let in_flight = std::mem::take(&mut self.in_flight).into_values();
        in_flight.chain(std::mem::take(&mut self.waiting)).collect()
    }

    fn all(&self) -> impl Iterator<Item = &Pending> {
        self.in_flight.values().chain(&self.waiting)
    }

    /// How many the worker has, and how many wait.
    pub(crate) fn load(&self) -> (usize, usize) {
        (self.in_flight.len(), self.waiting.len())
    }
}
