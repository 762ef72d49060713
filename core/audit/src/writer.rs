//! The thread that makes records of the queued items, and writes them.

mod out;

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use super::batch::Quiet;
use super::config::AuditOptions;
use super::digest::Key;
use super::file::{Found, LogFile};
use super::level::AuditLevel;
use super::line_buffer::LineBuffer;
use super::queue::{Taken, Work};
use super::queue_item::{Maker, QueueItem, input};
use super::record::{AuditRecord, Kind};
use super::redact::Redactor;
use super::shared_state::{SharedState, Standing};
use super::usual::Usual;
use hookweave_clock::{now_ms, present};
use hookweave_machine::observer::EventDigest;
use hookweave_machine::stats::Now;

/// The version of the log's format, in the record that opens it.
pub const VERSION: u32 = 1;

/// A batch is written at the latest when so many bytes of it are ready.
const CHUNK: usize = 256 * 1024;

/// What the writer works with.
pub(super) struct Writer {
    shared: Arc<SharedState>,
    config: Arc<AuditOptions>,
    key: Key,
    redactor: Redactor,
    usual: Usual,
    file: Option<LogFile>,
    buffer: LineBuffer,
    looked_ms: u64,
    /// A sink has refused a record since the last write, or the disk may not have them.
    unsure: bool,
    /// The file cannot be written just now, and that was logged.
    failing: bool,
    /// The next file is due and could not be begun, and that was logged.
    outgrown: bool,
    /// Files that are to be removed as soon as the records that say so are written.
    surplus: Vec<PathBuf>,
}

impl Writer {
    /// Made on the thread that opens the log, so that errors in its settings appear there.
    pub(super) fn new(
        shared: Arc<SharedState>,
        config: Arc<AuditOptions>,
        key: Key,
        redactor: Redactor,
        opened: Option<(LogFile, Found)>,
    ) -> Self {
        let (file, found) = opened.unzip();
        let found = found.unwrap_or_default();
        let buffer = LineBuffer::after(found.link.clone());
        let usual = Usual::default();
        let mut writer = Self {
            shared,
            config,
            key,
            redactor,
            usual,
            file,
            buffer,
            looked_ms: now_ms(),
            unsure: false,
            failing: false,
            outgrown: false,
            surplus: Vec::new(),
        };
        writer.begin(&found);
        writer
    }

    /// The first records of a process.
    fn begin(&mut self, found: &Found) {
        let now = now_ms();
        if !found.torn.is_empty() {
            let torn: Vec<Value> =
                found.torn.iter().map(|(bytes, hash)| json!({"bytes": bytes, "sha256": hash})).collect();
            self.append(&AuditRecord::new(Kind::AuditRecovered).with("torn", torn), now);
        }
        let mut opened = AuditRecord::new(Kind::AuditOpened)
            .with("version", VERSION)
            .with("engine", env!("CARGO_PKG_VERSION"))
            .with("level", self.shared.level().as_str())
            .with("process", std::process::id());
        if let Some(whose) = self.file.as_ref().and_then(|file| file.instead_of.clone()) {
            opened = opened.with("beside", whose);
        }
        if let Some(parent) = &self.shared.parent {
            opened = opened.with("parent", parent.process);
            if let Some(last) = &parent.last {
                opened = opened.with("parent_last", last.to_string());
            }
        }
        self.append(&opened, now);
        if let Some(lost) = self.shared.parent.as_ref().map(|parent| parent.lost).filter(|lost| *lost > 0) {
            self.gap(lost, "the log of this process could not be opened");
        }
    }

    fn gap(&mut self, lost: u64, why: &str) {
        self.append(&AuditRecord::new(Kind::AuditGap).with("lost", lost).with("why", why), now_ms());
    }

    /// Works until nothing more comes.
    pub(super) fn run(mut self) {
        let queue = &Arc::clone(&self.shared).queue;
        self.shared.is_written_here();
        if self.write_out() {
            queue.begun(self.is_sure());
        }
        let mut spare = Work::default();
        loop {
            let Taken { work, lost, put, last } = queue.take(spare);
            self.look_after_file();
            if lost > 0 {
                self.gap(lost, if self.failing { "the log could not be written" } else { "the queue was full" });
            }
            self.take_all(&work);
            if last {
                self.append(&AuditRecord::new(Kind::AuditClosed), now_ms());
            }
            if self.write_out() {
                queue.done(put, self.is_sure());
            }
            if last {
                return;
            }
            spare = work;
        }
    }

    /// Whether all sinks have taken the records that are written out now, and the disk has them.
    fn is_sure(&mut self) -> bool {
        !std::mem::take(&mut self.unsure)
    }

    fn take_all(&mut self, work: &Work) {
        let mut quiet = work.quiet.read_back();
        let now = present();
        for item in &work.items {
            if let QueueItem::Quiet(level, dispatches) = item {
                for dispatch in quiet.by_ref().take(*dispatches) {
                    self.take_quiet(&dispatch, *level, now);
                    self.write_when_due();
                }
            } else {
                self.take(item);
                self.write_when_due();
            }
        }
    }

    fn write_when_due(&mut self) {
        if self.buffer.lines.len() >= CHUNK {
            self.write_out();
        }
    }

    fn take_quiet(&mut self, dispatch: &Quiet<'_>, level: AuditLevel, now: Now) {
        let Self { shared, config, key, redactor, usual, file, buffer, unsure, .. } = self;
        let maker = Maker { key, redactor, inputs: config.inputs };
        dispatch.records(level, shared.next_dispatch(), now, &maker, usual, |record, at| {
            let taken_by_all = buffer.push(record, at, &config.sinks, file.is_some());
            *unsure |= !taken_by_all;
            shared.set_sinks_ok(taken_by_all);
        });
    }

    fn take(&mut self, item: &QueueItem) {
        match item {
            // Those are taken from where they wait.
            QueueItem::Quiet(..) => {}
            QueueItem::Note(note, at, about) => {
                let mut note = (**note).clone();
                self.redactor.record(&mut note);
                let of = |about: &Arc<EventDigest>| input(about, &self.key, &self.redactor, self.config.inputs);
                note.input = about.as_ref().map(of);
                self.append(&note, *at);
            }
            QueueItem::Dispatch(dispatched) => {
                let mut made = Vec::new();
                dispatched.records(|| self.shared.next_dispatch(), &self.maker(), |record, at| made.push((record, at)));
                for (record, at) in made {
                    self.append_redacted(record, at);
                }
            }
            QueueItem::Start(start) => {
                let (record, at) = start.record(&self.maker());
                self.append_redacted(record, at);
            }
        }
    }

    fn maker(&self) -> Maker<'_> {
        Maker { key: &self.key, redactor: &self.redactor, inputs: self.config.inputs }
    }

    /// Blacks out what is left to black out, of the payload nothing, and appends the record.
    fn append_redacted(&mut self, mut record: AuditRecord, at: u64) {
        let input = record.input.take();
        self.redactor.record(&mut record);
        record.input = input;
        self.append(&record, at);
    }

    /// Gives a record its place in the chain and hands it to every sink.
    fn append(&mut self, record: &AuditRecord, at_ms: u64) {
        let taken_by_all = self.buffer.push(record.written(), at_ms, &self.config.sinks, self.file.is_some());
        self.unsure |= !taken_by_all;
        self.shared.set_sinks_ok(taken_by_all);
    }
}

/// Starts the thread; `false` when the system gives none.
pub(super) fn start(writer: Writer) -> bool {
    let shared = Arc::clone(&writer.shared);
    let ended = Ended(Arc::clone(&shared));
    let body = move || {
        let _ended = ended;
        writer.run();
    };
    std::thread::Builder::new().name("hookweave-audit".to_owned()).spawn(body).is_ok()
}

/// Tells those who wait that the writer is gone, also when it panicked.
struct Ended(Arc<SharedState>);

impl Drop for Ended {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let why = "the writer of the audit log has ended by a mistake of the engine".to_owned();
            self.0.stand(Standing { last: self.0.standing().last, why: Some(why) });
        }
        self.0.queue.over();
    }
}
