//! How a log is kept.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::level::{AuditLevel, Fsync};
use super::redact::{Redaction, Redactor};
use super::sink::Sink;
use hookweave_machine::error::{Code, Error};
use hookweave_machine::observer::Inputs;
use hookweave_machine::payload::{Host, Kind};
use hookweave_machine::read::Reader;

/// How many happenings wait for the writer at most.
pub const QUEUE: usize = 8192;

/// How large a file becomes before the next one is begun, in bytes.
pub const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The longest that a dispatch waits for a place in a full queue.
pub const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// When a new file is begun, and how many old ones are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rotation {
    /// Bytes; `None` is without limit.
    pub max_bytes: Option<u64>,
    /// How old a file becomes; `None` is without limit.
    pub max_age: Option<Duration>,
    /// Old files; `None` keeps all.
    pub keep: Option<usize>,
}

impl Default for Rotation {
    fn default() -> Self {
        Self { max_bytes: Some(MAX_BYTES), max_age: None, keep: None }
    }
}

impl Rotation {
    /// How large a file becomes, in bytes; `None` is without limit.
    #[must_use]
    pub fn max_bytes(self, limit: impl Into<Option<u64>>) -> Self {
        Self { max_bytes: limit.into(), ..self }
    }

    /// How old a file becomes; `None` is without limit.
    #[must_use]
    pub fn max_age(self, limit: impl Into<Option<Duration>>) -> Self {
        Self { max_age: limit.into(), ..self }
    }

    /// How many old files are kept; `None` keeps all.
    #[must_use]
    pub fn keep(self, files: impl Into<Option<usize>>) -> Self {
        Self { keep: files.into(), ..self }
    }
}

/// How a log is kept: its level, what goes in, and where it goes.
#[derive(Clone)]
#[non_exhaustive]
#[must_use]
pub struct AuditOptions {
    /// How much is recorded.
    pub level: AuditLevel,
    /// What is recorded of an event's payload.
    pub inputs: Inputs,
    /// The file that is written; `None` for none.
    pub file: Option<PathBuf>,
    /// When a new file is begun.
    pub rotation: Rotation,
    /// When the file is synced to the disk.
    pub fsync: Fsync,
    /// No decision without its record: a gate's outcome is returned once its records are written, and is a block when they
    /// cannot be; so is a session's tool.
    pub required: bool,
    /// How many happenings wait for the writer at most.
    pub queue: usize,
    /// How long a dispatch waits for a place in a full queue, at most [`LONGEST_WAIT`].
    pub wait: Duration,
    /// What is blacked out.
    pub redaction: Redaction,
    /// The key of digests; a random one when none is given.
    pub key: Option<String>,
    /// What else gets each record, in order, on the writer's thread.
    pub sinks: Vec<Arc<dyn Sink>>,
}

impl std::fmt::Debug for AuditOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AuditOptions").field("level", &self.level).field("file", &self.file).finish_non_exhaustive()
    }
}

impl Default for AuditOptions {
    fn default() -> Self {
        Self {
            level: AuditLevel::Info,
            inputs: Inputs::Digest,
            file: None,
            rotation: Rotation::default(),
            fsync: Fsync::Never,
            required: false,
            queue: QUEUE,
            wait: LONGEST_WAIT,
            redaction: Redaction::default(),
            key: None,
            sinks: Vec::new(),
        }
    }
}

impl AuditOptions {
    /// A log in a file.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { file: Some(path.into()), ..Self::default() }
    }

    /// How much is recorded.
    pub fn level(self, level: AuditLevel) -> Self {
        Self { level, ..self }
    }

    /// What is recorded of an event's payload.
    pub fn inputs(self, inputs: Inputs) -> Self {
        Self { inputs, ..self }
    }

    /// When the file is synced to the disk.
    pub fn fsync(self, fsync: Fsync) -> Self {
        Self { fsync, ..self }
    }

    /// When a new file is begun, and how many old ones are kept.
    pub fn rotation(self, rotation: Rotation) -> Self {
        Self { rotation, ..self }
    }

    /// No decision without its record: a gate's outcome is returned once its records are written, and is a block when they cannot be.
    /// Needs a file, or a sink that keeps its records.
    pub fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// How many happenings wait for the writer at most.
    pub fn queue(self, queue: usize) -> Self {
        Self { queue, ..self }
    }

    /// How long a dispatch waits for a place in a full queue, at most [`LONGEST_WAIT`].
    pub fn wait(self, wait: Duration) -> Self {
        Self { wait, ..self }
    }

    /// The key of digests; a random one unless given.
    pub fn key(self, key: impl Into<String>) -> Self {
        Self { key: Some(key.into()), ..self }
    }

    /// What is blacked out.
    pub fn redaction(self, redaction: Redaction) -> Self {
        Self { redaction, ..self }
    }

    /// Adds a sink that receives each record, in order, on the writer's thread.
    pub fn sink(mut self, sink: impl Sink + 'static) -> Self {
        self.sinks.push(Arc::new(sink));
        self
    }

    /// Refuses settings with which nothing could be recorded.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let refuse = |field: &str, why: &str| Err(Error::new(Code::InvalidOption, format!("audit.{field}: {why}")));
        if self.queue == 0 {
            return refuse("queue", "must be at least 1");
        }
        if self.required && self.level == AuditLevel::Off {
            return refuse("required", "no decision is recorded with the level `off`; take `level` out, or `required`");
        }
        if self.key.as_deref() == Some("") {
            return refuse("key", "must not be empty; leave it out for a random one");
        }
        if self.rotation.keep == Some(0) {
            return refuse("rotation.keep", "must be at least 1");
        }
        if self.rotation.max_bytes == Some(0) {
            return refuse("rotation.max_bytes", "must be at least 1");
        }
        if self.rotation.max_age == Some(Duration::ZERO) {
            return refuse("rotation.max_age", "must be above 0");
        }
        Ok(())
    }

    /// Reads what a host gave: a level's word, or an object.
    ///
    /// `{level?, inputs?, file?, rotation?: {max_bytes?, max_age?, keep?}, fsync?, required?, queue?, redact?: {defaults?, keys?,
    /// patterns?}, key?}`; ages in the host's own unit.
    #[doc(hidden)]
    pub fn read<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Result<Self, Error> {
        let mut config = Self::default();
        if let Kind::Text(word) = host.kind(view) {
            config.level = AuditLevel::named(&word).ok_or_else(|| unknown_level(&word))?;
            return Ok(config);
        }
        let reader = Reader::new(host, view, Code::InvalidOption, "audit")?;
        reader.only(&["level", "inputs", "file", "rotation", "fsync", "required", "queue", "redact", "key"])?;
        config.level = reader.word("level", AuditLevel::WORDS)?.unwrap_or_default();
        config.inputs = reader.word("inputs", Inputs::WORDS)?.unwrap_or_default();
        config.fsync = reader.word("fsync", Fsync::WORDS)?.unwrap_or_default();
        config.file = reader.text("file")?.map(PathBuf::from);
        config.required = reader.flag("required")?.unwrap_or(false);
        config.key = reader.text("key")?;
        config.queue = count(&reader, "queue")?.unwrap_or(QUEUE);
        if let Some(rotation) = reader.value("rotation") {
            config.rotation = read_rotation(host, &rotation)?;
        }
        if let Some(redact) = reader.value("redact") {
            config.redaction = read_redaction(host, &redact)?;
        }
        // Told now, not when the first record is written.
        Redactor::new(&config.redaction)?;
        Ok(config)
    }
}

/// The refusal of a word that is no level.
pub(super) fn unknown_level(word: &str) -> Error {
    Error::new(Code::InvalidOption, format!("audit level `{word}` is unknown; known are off, error, info, verbose"))
}

fn count<H: Host>(reader: &Reader<'_, H>, field: &str) -> Result<Option<usize>, Error> {
    let Some(number) = reader.integer(field)? else { return Ok(None) };
    let number = usize::try_from(number).ok().filter(|number| *number > 0);
    number.map(Some).ok_or_else(|| reader.refuse(field, "must be at least 1"))
}

fn read_rotation<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Result<Rotation, Error> {
    let reader = Reader::new(host, view, Code::InvalidOption, "audit.rotation")?;
    reader.only(&["max_bytes", "max_age", "keep"])?;
    let mut rotation = Rotation::default();
    if reader.given("max_bytes").is_some() {
        // Null is without limit.
        rotation.max_bytes = count(&reader, "max_bytes")?.map(|bytes| bytes as u64);
    }
    rotation.max_age = match reader.duration_ms("max_age")? {
        None => None,
        Some(ms) => match Duration::try_from_secs_f64(ms / 1000.0) {
            Ok(age) if !age.is_zero() => Some(age),
            _ => return Err(reader.refuse("max_age", "must be above 0")),
        },
    };
    rotation.keep = count(&reader, "keep")?;
    Ok(rotation)
}

fn read_redaction<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Result<Redaction, Error> {
    let reader = Reader::new(host, view, Code::InvalidOption, "audit.redact")?;
    reader.only(&["defaults", "keys", "patterns"])?;
    Ok(Redaction {
        defaults: reader.flag("defaults")?.unwrap_or(true),
        keys: reader.texts("keys")?.unwrap_or_default(),
        patterns: reader.texts("patterns")?.unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookweave_machine::json::Json;
    use serde_json::json;

    #[test]
    fn settings_are_read_and_nonsense_is_refused() {
        let read = |given: serde_json::Value| AuditOptions::read(&Json, &&given);
        assert_eq!(read(json!("verbose")).unwrap().level, AuditLevel::Verbose);
        let config = read(json!({"file": "/l/a.jsonl", "rotation": {"max_bytes": null, "max_age": 5, "keep": 3},
            "inputs": "full", "fsync": "grouped", "required": true, "queue": 2, "key": "k"}))
        .unwrap();
        assert_eq!(
            config.rotation,
            Rotation { max_bytes: None, max_age: Some(Duration::from_millis(5)), keep: Some(3) }
        );
        assert_eq!((config.queue, config.inputs, config.fsync), (2, Inputs::Full, Fsync::Grouped));
        assert_eq!((config.required, config.key.as_deref()), (true, Some("k")));
        let usual = read(json!({"rotation": {"keep": 1}})).unwrap();
        assert_eq!((usual.queue, usual.required, usual.rotation.max_bytes), (QUEUE, false, Some(MAX_BYTES)));
        let off = read(json!({"file": "/l", "required": true, "level": "off"})).unwrap();
        assert!(off.check().unwrap_err().message().contains("audit.required: no decision is recorded"));
        for (given, expected) in [
            (json!("loud"), "known are off, error, info, verbose"),
            (json!({"levle": "info"}), "did you mean `level`"),
            (json!({"queue": 0}), "must be at least 1"),
            (json!({"rotation": {"keep": 0}}), "must be at least 1"),
            (json!({"rotation": {"max_age": 0}}), "must be above 0"),
            (json!({"redact": {"patterns": ["("]}}), "does not compile"),
            (json!(7), "must be an object"),
        ] {
            let error = read(given.clone()).unwrap_err();
            assert!(error.message().contains(expected), "{given}: {error}");
            assert_eq!(error.code(), Code::InvalidOption);
        }
    }
}
