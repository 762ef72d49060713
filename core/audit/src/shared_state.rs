//! State that the writer shares with the threads that record, in one process.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::ThreadId;

use super::anchor::Anchor;
use super::level::AuditLevel;
use super::process_mark::ProcessMark;
use super::queue::Queue;

/// How far a log is written, and what keeps it from being written further.
#[derive(Debug, Clone)]
pub(super) struct Standing {
    /// The last record that is written.
    pub(super) last: Option<Anchor>,
    pub(super) why: Option<String>,
}

/// The process that this one was forked from.
#[derive(Debug, Clone)]
pub(super) struct Parent {
    pub(super) process: u32,
    /// Where its log stood, as far as this process knows.
    pub(super) last: Option<Anchor>,
    /// How many records were lost in this process while it could not have a log.
    pub(super) lost: u64,
}

/// State that the writer shares with the threads that record.
#[derive(Debug)]
pub(super) struct SharedState {
    pub(super) process: u32,
    /// Whether this is the process that made it.
    place: ProcessMark,
    pub(super) queue: Queue,
    /// The writer's thread, as soon as it runs.
    writer: OnceLock<ThreadId>,
    /// Shared with the log itself: a change of level holds for forked children too.
    level: Arc<AtomicU8>,
    pub(super) parent: Option<Parent>,
    standing: Mutex<Standing>,
    /// How many dispatches have a number.
    dispatches: Apart<AtomicU64>,
    /// The file cannot be written just now.
    file_fails: AtomicBool,
    /// A sink did not accept the last record.
    sinks_fail: AtomicBool,
}

/// What the writer changes with every record: kept apart from what each dispatch looks at, which would have to be fetched from
/// the other processor every time.
#[derive(Debug)]
#[repr(align(128))]
struct Apart<T>(T);

impl SharedState {
    pub(super) fn new(queue: Queue, level: Arc<AtomicU8>, last: Option<Anchor>, parent: Option<Parent>) -> Self {
        Self {
            process: std::process::id(),
            place: ProcessMark::here(),
            queue,
            writer: OnceLock::new(),
            level,
            parent,
            standing: Mutex::new(Standing { last, why: None }),
            dispatches: Apart(AtomicU64::new(0)),
            file_fails: AtomicBool::new(false),
            sinks_fail: AtomicBool::new(false),
        }
    }

    /// Whether this is the process that made it, and not one that was forked from it.
    #[inline]
    pub(super) fn is_here(&self) -> bool {
        self.place.is_here()
    }

    /// Marks this thread as the writer's.
    pub(super) fn is_written_here(&self) {
        _ = self.writer.set(std::thread::current().id());
    }

    /// Whether this thread is the writer's, which would wait for itself.
    pub(super) fn is_writer(&self) -> bool {
        self.writer.get() == Some(&std::thread::current().id())
    }

    /// A number for a dispatch.
    pub(super) fn next_dispatch(&self) -> u64 {
        self.dispatches.0.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(super) fn level(&self) -> AuditLevel {
        AuditLevel::of(self.level.load(Ordering::Relaxed))
    }

    pub(super) fn standing(&self) -> Standing {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The same unless it is locked: in a forked child the lock may stay held for ever.
    pub(super) fn standing_now(&self) -> Option<Standing> {
        self.standing.try_lock().ok().map(|standing| standing.clone())
    }

    pub(super) fn stand(&self, standing: Standing) {
        let fails = standing.why.is_some();
        *self.standing.lock().unwrap_or_else(PoisonError::into_inner) = standing;
        if set(&self.file_fails, fails) {
            self.queue.fails(fails);
        }
    }

    /// Sets whether every sink accepted the last record.
    pub(super) fn set_sinks_ok(&self, taken_by_all: bool) {
        set(&self.sinks_fail, !taken_by_all);
    }

    /// Whether records that are queued now may never be written.
    pub(super) fn is_failing(&self) -> bool {
        self.file_fails.load(Ordering::Relaxed) || self.sinks_fail.load(Ordering::Relaxed)
    }
}

/// Sets what hardly ever changes, and is looked at all the time: writing it would take it away from those who look. True when
/// that changed it.
fn set(flag: &AtomicBool, value: bool) -> bool {
    let changes = flag.load(Ordering::Relaxed) != value;
    if changes {
        flag.store(value, Ordering::Relaxed);
    }
    changes
}
