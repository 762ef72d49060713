//! The audit log: what hooks did and decided, in a form that can be proved complete.
//!
//! **Owns** records, redaction, the hash chain, rotation and verification; recordings for replay stand beside it.
//! **Never** holds up a dispatch for more than a second, unless the log is `required`. Nothing is recorded that was not redacted.
//!
//! A driver hands each outcome to an [`Audit`]; registry and sessions report the rest to it as their [`Observer`]. A thread turns
//! the queued items into [`AuditRecord`]s, redacts them, links each to the one before by its hash, and writes them.
//!
//! # Entry points
//!
//! * [`Audit`] is a client's log, [`AuditOptions`] its settings, [`Sink`] where records go.
//! * [`verify`] finds any later edit, deletion, insertion or, given an [`Anchor`], truncation.

mod absence;
mod anchor;
mod batch;
mod chain;
mod config;
mod digest;
mod file;
mod level;
mod line;
mod line_buffer;
mod notes;
mod open;
mod process_mark;
mod queue;
mod queue_item;
mod quiet;
#[cfg(all(test, shuttle))]
mod races;
mod read;
mod record;
pub mod recording;
mod redact;
mod report;
mod scratch;
mod segments;
mod shared_state;
mod sink;
mod start;
mod usual;
mod verify;
mod writer;
mod written;

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwapOption;

use crate::recording::Recorder;
use hookweave_clock::{now_ms, present};
use hookweave_machine::error::{Code, Error};
use hookweave_machine::outcome::Outcome;
use hookweave_machine::payload::Host;

use hookweave_machine::observer::observe_trust;

pub use anchor::Anchor;
pub use batch::Batch;
pub use config::{AuditOptions, LONGEST_WAIT, MAX_BYTES, QUEUE, Rotation};
pub use hookweave_machine::observer::{EventDigest, Inputs, Observer};
pub use level::{AuditLevel, Fsync};

pub use read::{Follow, Line, Lines, MAX_LINE, read, tail};
pub use record::{AuditRecord, Input, Kind};
pub use redact::{REDACTED, Redaction};
pub use report::{CountedCall, HookRefusals, RefusalReport, Refusals, refusals};
pub use sink::{LogSink, Outbox, OutboxSink, Sink};
pub use verify::{AuditProblem, AuditProblemKind, AuditReport, AuditTorn, MAX_PROBLEMS, size, verify, verify_watched};
pub use writer::VERSION;
pub use written::{is_log, logs};

pub(crate) use file::open_regular;
pub(crate) use redact::Redactor;

use open::Open;
use queue_item::{Dispatched, QueueItem};

/// How long [`Audit::close`] and dropping the last handle wait for what is not yet written.
pub const CLOSE: Duration = Duration::from_secs(5);

/// A client's audit log; without a destination it records nothing and costs nothing.
pub struct Audit {
    /// The level that was set.
    level: Arc<AtomicU8>,
    /// The level as long as there is somewhere to write, else off: all that a dispatch looks at. While dispatches are
    /// recorded it is info at least.
    effective: AtomicU8,
    /// Where dispatches are recorded for a replay, when that is on.
    recorder: Option<Arc<Recorder>>,
    open: ArcSwapOption<Open>,
    /// Where the log stood when it was closed.
    ended: ArcSwapOption<Anchor>,
    /// Held while the destinations are exchanged.
    changing: Mutex<()>,
}

impl std::fmt::Debug for Audit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Audit").field("level", &self.level()).finish_non_exhaustive()
    }
}

impl Default for Audit {
    fn default() -> Self {
        Self {
            level: Arc::new(AtomicU8::new(AuditLevel::Info as u8)),
            effective: AtomicU8::new(AuditLevel::Off as u8),
            recorder: None,
            open: ArcSwapOption::empty(),
            ended: ArcSwapOption::empty(),
            changing: Mutex::new(()),
        }
    }
}

impl Drop for Audit {
    fn drop(&mut self) {
        self.close(CLOSE);
    }
}

impl Audit {
    /// A log that has nowhere to go yet; dispatches are recorded for a replay where the environment asks for it.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Self::recording_to(Recorder::of_process())
    }

    fn recording_to(recorder: Option<Arc<Recorder>>) -> Arc<Self> {
        let mut audit = Self::default();
        audit.recorder = recorder;
        let audit = Arc::new(audit);
        audit.set_effective_level(AuditLevel::Off);
        observe_trust(&audit);
        audit
    }

    /// Opens the log as it is to be from now on; earlier records are written to the previous destination.
    ///
    /// A file that cannot be written and a pattern that does not compile are errors; nothing is recorded then, until the next
    /// call succeeds. `required` without a file or a [`Sink`] that keeps its records is an error that changes nothing.
    pub fn configure(&self, config: AuditOptions) -> Result<(), Error> {
        config.check()?;
        let _turn = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let level = config.level;
        let goes_somewhere = config.file.is_some() || !config.sinks.is_empty();
        if config.required && config.file.is_none() && !config.sinks.iter().any(|sink| sink.keeps()) {
            return Err(Error::new(
                Code::InvalidOption,
                "audit.required: needs a `file`; a callback or a logger may fail after the decision, and its record be lost",
            ));
        }
        // The file of before is let go first: it may be the same one.
        self.end(CLOSE);
        self.set_effective_level(AuditLevel::Off);
        self.level.store(level as u8, Ordering::Relaxed);
        if goes_somewhere {
            self.open.store(Some(Arc::new(Open::new(config, Arc::clone(&self.level))?)));
            self.set_effective_level(level);
        }
        Ok(())
    }

    /// Whether records go anywhere.
    #[must_use]
    pub fn has_destination(&self) -> bool {
        self.open.load().is_some()
    }

    /// How much is recorded.
    #[must_use]
    pub fn level(&self) -> AuditLevel {
        AuditLevel::of(self.level.load(Ordering::Relaxed))
    }

    /// Changes how much is recorded; the change itself is recorded.
    pub fn set_level(&self, level: AuditLevel) {
        let before = self.level.swap(level as u8, Ordering::Relaxed);
        let Some(open) = self.open.load_full() else { return };
        self.set_effective_level(level);
        if before != level as u8 {
            let changed = AuditRecord::new(Kind::AuditLevel)
                .with("level", level.as_str())
                .with("before", AuditLevel::of(before).as_str());
            open.enqueue(QueueItem::Note(Box::new(changed), now_ms(), None));
        }
    }

    /// Sets the level that dispatches check: the log's, or the recording's if that is higher.
    fn set_effective_level(&self, level: AuditLevel) {
        let least = if self.recorder.is_some() { AuditLevel::Info } else { AuditLevel::Off };
        self.effective.store(level.max(least) as u8, Ordering::Relaxed);
    }

    /// Whether dispatches are recorded for a replay, also those that no hook was asked about.
    #[inline]
    #[must_use]
    pub fn is_recording(&self) -> bool {
        self.recorder.is_some()
    }

    /// Records a dispatch that no hook was asked about; drivers ask [`Self::is_recording`] before they make an outcome of one.
    #[doc(hidden)]
    pub fn unasked<T, H: Host>(&self, host: &H, outcome: &Outcome<T, H::Value>) {
        let Some(recorder) = &self.recorder else { return };
        let open = self.open.load();
        recorder.dispatched(host, outcome, open.as_deref().and_then(Open::redactor));
    }

    /// The level at which something is recorded: off without a destination.
    #[inline]
    #[must_use]
    pub fn effective(&self) -> AuditLevel {
        AuditLevel::of(self.effective.load(Ordering::Relaxed))
    }

    /// Whether dispatches in which no hook says anything are recorded too.
    #[inline]
    #[must_use]
    pub fn records_no_ops(&self) -> bool {
        self.effective() >= AuditLevel::Info
    }

    /// Records a dispatch that is over now; blocks a gate that cannot be recorded, where recording is required.
    ///
    /// Where the queue is full this waits, at most a second, and where recording is required until a gate's records are
    /// written: `aside` is given what waits and runs it, so that a host can let
    /// others run meanwhile.
    #[inline]
    #[doc(hidden)]
    pub fn dispatched<T, H: Host>(
        &self,
        host: &H,
        outcome: &mut Outcome<T, H::Value>,
        aside: impl FnOnce(&(dyn Fn() + Sync)),
    ) {
        if self.records_outcome(outcome) {
            self.record_dispatch(host, outcome, present().ticks, aside);
        }
    }

    /// The same, of a dispatch whose end the driver has read from its clock, in nanoseconds; see [`hookweave_clock::ticks`].
    #[inline]
    #[doc(hidden)]
    pub fn dispatched_at<T, H: Host>(
        &self,
        host: &H,
        outcome: &mut Outcome<T, H::Value>,
        ended: u64,
        aside: impl FnOnce(&(dyn Fn() + Sync)),
    ) {
        if self.records_outcome(outcome) {
            self.record_dispatch(host, outcome, ended, aside);
        }
    }

    #[inline]
    fn records_outcome<T, V>(&self, outcome: &Outcome<T, V>) -> bool {
        let level = self.effective();
        level >= AuditLevel::Info || (level == AuditLevel::Error && !outcome.is_quiet())
    }

    /// Whether [`Self::quiet`] does for quiet dispatches: nothing of the payload is kept, and none is blocked.
    #[must_use]
    pub fn takes_copies(&self) -> bool {
        let open = self.open.load();
        self.recorder.is_none()
            && self.records_no_ops()
            && open.as_deref().is_some_and(|open| open.inputs() == Inputs::Digest && !open.is_required())
    }

    /// Records dispatches in which no hook had anything to say, of which the driver has copied what they were about; the batch
    /// is empty afterwards.
    ///
    /// They find room together when one does: a batch of a few hundred is large. What a driver has not handed over yet is lost
    /// with the process, so it keeps a batch for a few milliseconds at most.
    #[doc(hidden)]
    pub fn quiet(&self, batch: &mut Batch) {
        if self.records_no_ops()
            && !batch.is_empty()
            && let Some(open) = self.open.load().as_deref()
        {
            open.offer_quiet(batch, self.effective(), false, |wait| wait());
        }
        batch.clear();
    }

    fn record_dispatch<T, H: Host>(
        &self,
        host: &H,
        outcome: &mut Outcome<T, H::Value>,
        ended: u64,
        aside: impl FnOnce(&(dyn Fn() + Sync)),
    ) {
        self.log_dispatch(host, outcome, ended, aside);
        if self.is_recording() {
            // Afterwards: that it could not be logged may have blocked it.
            self.unasked(host, outcome);
        }
    }

    fn log_dispatch<T, H: Host>(
        &self,
        host: &H,
        outcome: &mut Outcome<T, H::Value>,
        ended: u64,
        aside: impl FnOnce(&(dyn Fn() + Sync)),
    ) {
        let open = self.open.load();
        let Some(open) = open.as_deref() else { return };
        let level = self.level();
        if level < AuditLevel::Info && (level == AuditLevel::Off || outcome.is_quiet()) {
            return;
        }
        let binding = outcome.event().gate();
        let refused = if outcome.is_quiet() && outcome.begun().is_none() && open.inputs() == Inputs::Digest {
            scratch::with(|batch| {
                batch.read(host, outcome, ended);
                if batch.is_empty() { None } else { open.offer_quiet(batch, level, binding, aside) }
            })
        } else {
            let item = Dispatched::of(host, outcome, open.inputs(), level);
            if item.is_empty() {
                return;
            }
            open.offer(QueueItem::Dispatch(Box::new(item)), binding, aside)
        };
        if let Some(why) = refused.filter(|_| binding && open.is_required()) {
            let about = EventDigest::of(host, outcome.event(), outcome.first_payload(), outcome.tools(), open.inputs());
            open.enqueue(notes::refused(outcome.event(), about, &why));
            outcome.refuse(why);
        }
    }

    /// Waits until all queued records are written; false on timeout.
    pub fn flush(&self, limit: Duration) -> bool {
        self.open.load_full().is_none_or(|open| open.flush(limit))
    }

    /// Writes the queued records and a closing one, and records nothing more; false on timeout.
    pub fn close(&self, limit: Duration) -> bool {
        self.set_effective_level(AuditLevel::Off);
        self.end(limit)
    }

    /// Lets the destinations go, and keeps where the log stood.
    fn end(&self, limit: Duration) -> bool {
        let Some(open) = self.open.swap(None) else { return true };
        let closed = open.close(limit);
        self.ended.store(open.anchor().map(Arc::new));
        closed
    }

    /// The last record that was written, also after the log was closed; `None` before the first one. Kept elsewhere, it proves
    /// later that nothing is missing.
    #[must_use]
    pub fn anchor(&self) -> Option<Anchor> {
        match self.open.load_full() {
            Some(open) => open.anchor(),
            None => self.ended.load_full().map(|ended| (*ended).clone()),
        }
    }

    /// What keeps the log from being written; `None` when nothing does.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        self.open.load_full().and_then(|open| open.trouble())
    }

    /// The file that this process writes; `None` when it writes none.
    #[must_use]
    pub fn file(&self) -> Option<std::path::PathBuf> {
        self.open.load_full().and_then(|open| open.file())
    }
}
