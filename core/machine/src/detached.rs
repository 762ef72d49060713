//! How many detached hooks run at once, and how many may wait.

#[cfg(all(test, shuttle))]
mod races;

use std::collections::VecDeque;

/// How many detached hooks may wait for a place.
pub const MAX_WAITING: usize = 1000;

/// Detached jobs of one client; the driver starts them, this says when.
#[derive(Debug)]
pub struct DetachedQueue<J> {
    limit: usize,
    running: usize,
    waiting: VecDeque<J>,
}

/// What to do with a job.
#[derive(Debug, PartialEq, Eq)]
pub enum Submitted<J> {
    /// Start it now.
    Start(J),
    /// It starts when another one finishes.
    Waiting,
    /// Too many wait already: the hook fails.
    Refused(J),
}

impl<J> DetachedQueue<J> {
    /// A queue that lets so many run at once.
    #[must_use]
    pub const fn new(limit: usize) -> Self {
        Self { limit, running: 0, waiting: VecDeque::new() }
    }

    /// Takes a job in.
    pub fn submit(&mut self, job: J) -> Submitted<J> {
        if self.running < self.limit {
            self.running += 1;
            return Submitted::Start(job);
        }
        if self.waiting.len() >= MAX_WAITING {
            return Submitted::Refused(job);
        }
        self.waiting.push_back(job);
        Submitted::Waiting
    }

    /// Says that a job has ended, however; gives the next one to start.
    pub fn finished(&mut self) -> Option<J> {
        let next = self.waiting.pop_front();
        if next.is_none() {
            self.running = self.running.saturating_sub(1);
        }
        next
    }

    /// Whether nothing runs and nothing waits.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.running == 0 && self.waiting.is_empty()
    }

    /// How many run.
    #[must_use]
    pub const fn running(&self) -> usize {
        self.running
    }

    /// How many wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The jobs that wait, for hosts that trace references.
    pub fn waiting_jobs(&self) -> impl Iterator<Item = &J> {
        self.waiting.iter()
    }

    /// Forgets everything: a forked child inherits none of its parent's jobs.
    pub fn reset(&mut self) -> VecDeque<J> {
        self.running = 0;
        std::mem::take(&mut self.waiting)
    }
}

/// What a refused detached hook failed with.
#[must_use]
pub fn refusal(limit: usize) -> String {
    format!("{limit} detached hooks run and {MAX_WAITING} wait; raise max_detached or make the hook faster")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_bounded_and_passed_on() {
        let mut queue = DetachedQueue::new(2);
        assert_eq!(queue.submit(1), Submitted::Start(1));
        assert_eq!(queue.submit(2), Submitted::Start(2));
        assert_eq!(queue.submit(3), Submitted::Waiting);
        assert_eq!(queue.finished(), Some(3));
        assert_eq!(queue.running(), 2);
        assert_eq!(queue.finished(), None);
        assert_eq!(queue.finished(), None);
        assert!(queue.is_idle());
    }

    #[test]
    fn a_full_queue_refuses() {
        let mut queue = DetachedQueue::new(1);
        assert_eq!(queue.submit(0), Submitted::Start(0));
        for job in 1..=MAX_WAITING {
            assert_eq!(queue.submit(job), Submitted::Waiting);
        }
        assert_eq!(queue.submit(7), Submitted::Refused(7));
    }
}
