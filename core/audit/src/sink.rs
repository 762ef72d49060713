//! What gets each record beside the file.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;

use super::process_mark::ProcessMark;

/// How many lines an [`Outbox`] holds.
const HELD: usize = 8192;

/// Receives each record as its line, without the line feed.
///
/// It is called on the writer's thread, in order, also for the records of a forked child. What it does not take is lost for it,
/// and counted.
pub trait Sink: Send + Sync {
    /// Takes a line; says why when it cannot.
    fn take(&self, line: &str) -> Result<(), String>;

    /// Whether a line that it took has arrived where it is kept. A log that is `required` needs a file or such a sink.
    fn keeps(&self) -> bool {
        true
    }
}

impl<F: Fn(&str) + Send + Sync> Sink for F {
    fn take(&self, line: &str) -> Result<(), String> {
        self(line);
        Ok(())
    }
}

/// The engine's own log: each record as an event of the target `hookweave::audit`.
#[derive(Debug, Clone, Copy, Default)]
pub struct LogSink;

impl Sink for LogSink {
    fn take(&self, line: &str) -> Result<(), String> {
        tracing::info!(target: "hookweave::audit", record = line);
        Ok(())
    }

    /// A subscriber may drop it.
    fn keeps(&self) -> bool {
        false
    }
}

/// Lines for a host that fetches them itself, because the writer's thread must not enter its interpreter.
///
/// A forked child has one of its own: what the parent's threads held locked at the fork stays locked there.
pub struct Outbox {
    shelf: ArcSwap<Shelf>,
    /// How long the writer waits for room.
    patience: Duration,
    /// Called when there is something after there was nothing.
    wake: Box<dyn Fn() + Send + Sync>,
}

struct Shelf {
    place: ProcessMark,
    lines: Mutex<Lines>,
    some: Condvar,
    room: Condvar,
}

impl Shelf {
    fn new() -> Self {
        Self { place: ProcessMark::here(), lines: Mutex::default(), some: Condvar::new(), room: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default)]
struct Lines {
    waiting: VecDeque<String>,
    lost: u64,
    closed: bool,
}

impl std::fmt::Debug for Outbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outbox").finish_non_exhaustive()
    }
}

impl Outbox {
    /// An empty one. The writer waits so long for room in a full one; `wake` is called from its thread.
    pub fn new(patience: Duration, wake: impl Fn() + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self { shelf: ArcSwap::from_pointee(Shelf::new()), patience, wake: Box::new(wake) })
    }

    fn shelf(&self) -> Arc<Shelf> {
        let shelf = self.shelf.load_full();
        if shelf.place.is_here() {
            return shelf;
        }
        self.shelf.compare_and_swap(&shelf, Arc::new(Shelf::new()));
        std::mem::forget(shelf);
        self.shelf.load_full()
    }

    /// What is there, at most so many lines, and how many did not find room before them.
    pub fn fetch(&self, most: usize) -> (Vec<String>, u64) {
        let shelf = self.shelf();
        let mut lines = shelf.lock();
        let count = lines.waiting.len().min(most);
        let fetched = lines.waiting.drain(..count).collect();
        shelf.room.notify_all();
        (fetched, std::mem::take(&mut lines.lost))
    }

    /// Waits so long until something is there; false when nothing will come any more.
    pub fn wait(&self, limit: Duration) -> bool {
        let shelf = self.shelf();
        let nothing = |lines: &mut Lines| lines.waiting.is_empty() && lines.lost == 0 && !lines.closed;
        let waited = shelf.some.wait_timeout_while(shelf.lock(), limit, nothing);
        let (lines, _) = waited.unwrap_or_else(PoisonError::into_inner);
        !lines.closed || !lines.waiting.is_empty()
    }

    /// Whether everything was fetched.
    pub fn is_empty(&self) -> bool {
        self.shelf().lock().waiting.is_empty()
    }

    /// Nothing comes any more; what is there can still be fetched.
    pub fn close(&self) {
        let shelf = self.shelf();
        shelf.lock().closed = true;
        shelf.some.notify_all();
        shelf.room.notify_all();
    }
}

/// What the writer has of an [`Outbox`]: when the log is closed, nothing more comes into it.
#[derive(Debug)]
pub struct OutboxSink(Arc<Outbox>);

impl Drop for OutboxSink {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Sink for OutboxSink {
    fn take(&self, line: &str) -> Result<(), String> {
        self.0.put(line)
    }

    /// The host takes it later, and may fail then.
    fn keeps(&self) -> bool {
        false
    }
}

impl Outbox {
    /// What the log is given.
    #[must_use]
    pub fn sink(self: &Arc<Self>) -> OutboxSink {
        OutboxSink(Arc::clone(self))
    }

    fn put(&self, line: &str) -> Result<(), String> {
        let full = |lines: &mut Lines| lines.waiting.len() >= HELD && !lines.closed;
        let shelf = self.shelf();
        let mut lines = shelf.lock();
        if full(&mut lines) && lines.lost == 0 {
            let waited = shelf.room.wait_timeout_while(lines, self.patience, full);
            lines = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if lines.closed {
            return Ok(());
        }
        if full(&mut lines) {
            lines.lost += 1;
            return Err("the callback for records does not keep up".to_owned());
        }
        lines.waiting.push_back(line.to_owned());
        let first = lines.waiting.len() == 1;
        drop(lines);
        if first {
            shelf.some.notify_all();
            (self.wake)();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn lines_are_fetched_in_order_and_those_without_room_are_counted_once() {
        let woken = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&woken);
        let wake = move || _ = counter.fetch_add(1, Ordering::Relaxed);
        let outbox = Outbox::new(Duration::from_millis(30), wake);
        let sink = outbox.sink();
        let began = hookweave_clock::now();
        let taken = (0..HELD + 3).filter(|line| sink.take(&line.to_string()).is_ok()).count();
        let took = began.elapsed();
        assert_eq!((taken, woken.load(Ordering::Relaxed)), (HELD, 1));
        assert!(took >= Duration::from_millis(30), "it waits for room");
        assert_eq!(outbox.fetch(2), (vec!["0".to_owned(), "1".to_owned()], 3));
        assert_eq!(outbox.fetch(1), (vec!["2".to_owned()], 0), "what is lost is told once");
        assert!(sink.take("more").is_ok());
    }

    #[test]
    fn what_was_taken_before_the_end_can_be_fetched_after_it() {
        let outbox = Outbox::new(Duration::ZERO, || ());
        let sink = outbox.sink();
        assert!(outbox.wait(Duration::ZERO), "something may come");
        sink.take("last").unwrap();
        drop(sink);
        assert!(outbox.wait(Duration::ZERO));
        assert_eq!(outbox.fetch(9), (vec!["last".to_owned()], 0));
        assert!(!outbox.wait(Duration::ZERO) && outbox.is_empty());
    }
}
