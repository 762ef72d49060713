//! An open log: its settings, and its queue and writer in each process.

use std::path::PathBuf;
use std::sync::atomic::AtomicU8;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;

use super::absence::Absence;
use super::anchor::Anchor;
use super::batch::Batch;
use super::config::{AuditOptions, LONGEST_WAIT};
use super::digest::Key;
use super::file::{Found, LogFile};
use super::level::{AuditLevel, Fsync};
use super::queue::{Handed, Patience, Queue, Refused};
use super::queue_item::QueueItem;
use super::record::{AuditRecord, Kind};
use super::redact::{Redaction, Redactor};
use super::shared_state::{Parent, SharedState};
use super::writer::{self, Writer};
use super::written;
use super::{Audit, Inputs};
use hookweave_clock::now_ms;
use hookweave_machine::error::{Code, Error};
use hookweave_machine::observer::{ApprovedHook, TrustObserver};

/// How long a decision waits for its record at most, as long as the log can be written.
const BINDING: Duration = Duration::from_secs(5);

/// How long other events do.
const USUAL: Duration = Duration::from_secs(1);

/// An open log.
pub(super) struct Open {
    config: Arc<AuditOptions>,
    level: Arc<AtomicU8>,
    key: Key,
    shared: ArcSwap<SharedState>,
    absence: Absence,
    /// What is blacked out of recordings beside the usual, where this client has rules of its own.
    redactor: Option<Redactor>,
    path: Mutex<Option<PathBuf>>,
}

impl Open {
    /// Opens the file and starts the writer.
    pub(super) fn new(config: AuditOptions, level: Arc<AtomicU8>) -> Result<Self, Error> {
        let config = Arc::new(config);
        let key = config.key.as_deref().map_or_else(Key::random, |key| Key::of(key.as_bytes()));
        let file = config.file.as_deref().map(|path| LogFile::open(path, now_ms())).transpose()?;
        config.file.iter().for_each(|path| written::note(path));
        let path = file.as_ref().map(|(file, _)| file.path());
        let shared = start(&config, &key, &level, file, None)?;
        let has_rules = config.redaction != Redaction::default();
        let redactor = has_rules.then(|| Redactor::new(&config.redaction)).transpose()?;
        let (shared, absence, path) = (ArcSwap::new(shared), Absence::default(), Mutex::new(path));
        Ok(Self { config, level, key, shared, absence, redactor, path })
    }

    pub(super) fn inputs(&self) -> Inputs {
        self.config.inputs
    }

    pub(super) fn redactor(&self) -> Option<&Redactor> {
        self.redactor.as_ref()
    }

    pub(super) fn is_required(&self) -> bool {
        self.config.required
    }

    pub(super) fn file(&self) -> Option<PathBuf> {
        self.path.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The queue and writer of this process: a forked child gets its own, and a file of its own.
    fn shared(&self) -> Option<Arc<SharedState>> {
        let shared = self.shared.load_full();
        if shared.is_here() { Some(shared) } else { self.in_child(shared) }
    }

    #[cold]
    fn in_child(&self, parents: Arc<SharedState>) -> Option<Arc<SharedState>> {
        if let Some(_turn) = self.absence.turn()
            && !self.shared.load().is_here()
        {
            self.open_in_child(&parents);
        }
        // The parent's threads do not exist here, and what they held locked stays locked: nothing of theirs is let go.
        std::mem::forget(parents);
        Some(self.shared.load_full()).filter(|shared| shared.is_here())
    }

    fn open_in_child(&self, parents: &Arc<SharedState>) {
        let last = parents.standing_now().and_then(|standing| standing.last);
        let file = self.config.file.as_deref().map(|path| LogFile::open_own(path, now_ms())).transpose();
        let made = file.and_then(|file| {
            let path = file.as_ref().map(|(file, _)| file.path());
            let parent = Parent { process: parents.process, last, lost: self.absence.take_lost() };
            let lost = parent.lost;
            let shared = start(&self.config, &self.key, &self.level, file, Some(parent));
            shared.inspect_err(|_| self.absence.lose(lost)).map(|shared| (shared, path))
        });
        match made {
            Ok((shared, path)) => {
                self.shared.compare_and_swap(parents, shared);
                if let Ok(mut known) = self.path.try_lock() {
                    *known = path;
                }
            }
            Err(why) if self.absence.report(why.message()) => {
                tracing::error!(error = %why, "a forked process has no audit log");
            }
            Err(_) => {}
        }
    }

    /// Queues an item without waiting until it is written.
    pub(super) fn enqueue(&self, item: QueueItem) {
        self.offer(item, false, |wait| wait());
    }

    /// Hands something to the writer; says why it may never be written.
    ///
    /// A binding item must be on record before the program acts on it: where the log is required, it is written when this returns
    /// `None`.
    pub(super) fn offer(
        &self,
        item: QueueItem,
        binding: bool,
        aside: impl FnOnce(&(dyn Fn() + Sync)),
    ) -> Option<String> {
        self.hand(Handed::One(Some(item)), binding, aside)
    }

    /// The same, of dispatches in which no hook had anything to say; the batch is empty afterwards.
    pub(super) fn offer_quiet(
        &self,
        batch: &mut Batch,
        level: AuditLevel,
        binding: bool,
        aside: impl FnOnce(&(dyn Fn() + Sync)),
    ) -> Option<String> {
        let refused = self.hand(Handed::Quiet(batch, level), binding, aside);
        batch.clear();
        refused
    }

    /// A number for a dispatch, in this process.
    pub(super) fn next_dispatch(&self) -> u64 {
        self.shared().map_or(0, |shared| shared.next_dispatch())
    }

    /// Tells the writer something and waits, as long as the log can be written, until it is written.
    pub(super) fn insist(&self, item: QueueItem) {
        let Some(shared) = self.shared() else { return self.absence.lose(1) };
        _ = self.wait(&shared, Handed::One(Some(item)), None, false, |wait| wait());
    }

    fn hand(&self, mut handed: Handed<'_>, binding: bool, aside: impl FnOnce(&(dyn Fn() + Sync))) -> Option<String> {
        let known = self.shared.load();
        let own;
        let shared = if known.is_here() {
            &**known
        } else {
            own = self.shared();
            let Some(shared) = own.as_deref() else {
                self.absence.lose(handed.count() as u64);
                return Some(self.trouble().unwrap_or_else(|| "audit: this process has no log".to_owned()));
            };
            shared
        };
        let binding = binding && self.config.required;
        let handed = match shared.queue.offer(&mut handed) {
            // A forked child may exit at any time without closing the log, as workers do.
            Ok(_) if !binding && shared.parent.is_none() => Ok(()),
            Err(Refused::Closed) => Err(Refused::Closed),
            offered => self.wait(shared, handed, offered.ok(), binding, aside),
        };
        match handed {
            Err(Refused::Full) => Some("audit: the queue is full, what was to be recorded is lost".to_owned()),
            Err(Refused::Closed) => Some("audit: the log is closed".to_owned()),
            Err(Refused::Unwritten) if binding => {
                let why = "audit: what was to be recorded is not written, and nothing may be decided before it is";
                Some(self.trouble().unwrap_or_else(|| why.to_owned()))
            }
            Ok(()) if binding => None,
            _ if shared.is_failing() => self.trouble(),
            _ => None,
        }
    }

    /// Waits for room, unless it was handed over and has a number, and then until it is written.
    #[cold]
    fn wait(
        &self,
        shared: &SharedState,
        handed: Handed<'_>,
        number: Option<u64>,
        binding: bool,
        aside: impl FnOnce(&(dyn Fn() + Sync)),
    ) -> Result<(), Refused> {
        let limit = if shared.is_writer() { Duration::ZERO } else { self.config.wait.min(LONGEST_WAIT) };
        let patience = Patience { limit, insists: binding };
        let wait = |handed: &mut Handed<'_>| {
            let number = number.map_or_else(|| shared.queue.insist(handed, patience), Ok)?;
            let limit = if binding { BINDING } else { USUAL };
            let is_written = !shared.is_writer() && shared.queue.written(number, limit);
            if is_written { Ok(()) } else { Err(Refused::Unwritten) }
        };
        // What waits may be run on another thread, and is run once.
        let handed = Mutex::new(handed);
        let waited = Mutex::new(Err(Refused::Unwritten));
        aside(&|| {
            let mut handed = handed.lock().unwrap_or_else(PoisonError::into_inner);
            *waited.lock().unwrap_or_else(PoisonError::into_inner) = wait(&mut handed);
        });
        waited.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// What keeps the log from being written.
    pub(super) fn trouble(&self) -> Option<String> {
        let shared = self.shared.load();
        if !shared.is_here() {
            // What keeps the parent from writing is its own.
            return self.absence.why().map(|why| format!("audit: this process has no log: {why}"));
        }
        if !shared.is_failing() {
            return None;
        }
        let why = shared.standing().why.unwrap_or_else(|| "the callback for records does not accept them".to_owned());
        Some(format!("audit: {why}"))
    }

    pub(super) fn flush(&self, limit: Duration) -> bool {
        self.shared().is_none_or(|shared| shared.queue.flush(limit))
    }

    pub(super) fn close(&self, limit: Duration) -> bool {
        let shared = self.shared.load_full();
        // A forked child that has recorded nothing has nothing to close.
        !shared.is_here() || shared.queue.close(limit)
    }

    /// The last record that this process has written; `None` in a forked child that has recorded nothing.
    pub(super) fn anchor(&self) -> Option<Anchor> {
        let shared = self.shared.load();
        // In a forked child the parent's lock may stay held for ever.
        if shared.is_here() { shared.standing().last } else { None }
    }
}

fn start(
    config: &Arc<AuditOptions>,
    key: &Key,
    level: &Arc<AtomicU8>,
    file: Option<(LogFile, Found)>,
    parent: Option<Parent>,
) -> Result<Arc<SharedState>, Error> {
    let redactor = Redactor::new(&config.redaction)?;
    let last = file.as_ref().map(|(_, found)| found.link.clone()).unwrap_or_default().anchor();
    let queue = Queue::new(config.queue, config.fsync != Fsync::Record);
    let shared = Arc::new(SharedState::new(queue, Arc::clone(level), last, parent));
    let writer = Writer::new(Arc::clone(&shared), Arc::clone(config), key.clone(), redactor, file);
    if writer::start(writer) {
        return Ok(shared);
    }
    Err(Error::new(Code::AuditFailed, "the system gives no thread for the audit log"))
}

impl TrustObserver for Audit {
    fn approved(&self, hook: &ApprovedHook<'_>) {
        let Some(open) = self.open.load_full() else { return };
        let note = AuditRecord { event: Some(hook.event.to_owned()), ..AuditRecord::new(Kind::TrustGiven) }
            .with("fingerprint", hook.fingerprint)
            .with("project", hook.project)
            .with("file", hook.file)
            .with("place", hook.place)
            .with("dialect", hook.dialect)
            .with("runs", hook.runs);
        open.enqueue(QueueItem::Note(Box::new(note), now_ms(), None));
    }

    fn revoked(&self, fingerprint: &str) {
        let Some(open) = self.open.load_full() else { return };
        let note = AuditRecord::new(Kind::TrustTaken).with("fingerprint", fingerprint);
        open.enqueue(QueueItem::Note(Box::new(note), now_ms(), None));
    }
}
