//! Writes recordings.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::{Came, Recorded};
use crate::{Redaction, Redactor};
use hookweave_machine::outcome::Outcome;
use hookweave_machine::payload::Host;

/// The variable of the environment that names the file.
pub const FILE: &str = "HOOKWEAVE_RECORD";

/// The variable that lets secrets be recorded too, when it is `1`.
pub const SECRETS: &str = "HOOKWEAVE_RECORD_SECRETS";

/// The variable that says how large the file may become, in bytes.
pub const MAX_BYTES: &str = "HOOKWEAVE_RECORD_MAX_BYTES";

/// How large the file may become by default.
pub const USUAL_MAX_BYTES: u64 = 256 * 1024 * 1024;

/// No line is longer, in bytes.
const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// A recording, open for writing.
///
/// Nothing is kept back: each line is written when its dispatch is over, in one piece, so that several clients, processes
/// and forked children write to one file without mixing their lines, and what was recorded survives however a process ends.
#[derive(Debug)]
pub struct Recorder {
    file: File,
    path: PathBuf,
    /// `None` when secrets may be written.
    redactor: Option<Redactor>,
    most: u64,
    /// Nothing more is recorded: the file is as large as it may become, or it cannot be written.
    over: AtomicBool,
}

impl Recorder {
    /// Opens a file to add to it. A link, a pipe and a device are refused.
    pub fn open(path: &Path, with_secrets: bool, most: u64) -> io::Result<Self> {
        let redactor = if with_secrets { None } else { Some(Redactor::new(&Redaction::default())) };
        let redactor = redactor.transpose().map_err(|why| io::Error::other(why.message().to_owned()))?;
        let file = crate::open_regular(path)?;
        Ok(Self { file, path: path.to_path_buf(), redactor, most, over: AtomicBool::new(false) })
    }

    /// The recording that the environment asks for; `None` when it asks for none.
    #[must_use]
    pub fn of_process() -> Option<Arc<Self>> {
        static OPENED: OnceLock<Option<Arc<Recorder>>> = OnceLock::new();
        OPENED.get_or_init(Self::of_environment).clone()
    }

    fn of_environment() -> Option<Arc<Self>> {
        let path = PathBuf::from(std::env::var_os(FILE).filter(|file| !file.is_empty())?);
        let with_secrets = std::env::var_os(SECRETS).is_some_and(|value| value == "1");
        let most = std::env::var(MAX_BYTES).ok().and_then(|most| most.parse().ok()).unwrap_or(USUAL_MAX_BYTES);
        match Self::open(&path, with_secrets, most) {
            Ok(recorder) => Some(Arc::new(recorder)),
            Err(why) => {
                // An agent must not fail because it is recorded.
                tracing::error!(file = %path.display(), error = %why, "{FILE} names a file that cannot be recorded to");
                None
            }
        }
    }

    /// Adds a dispatch; once the file is full, or cannot be written, nothing more.
    pub(crate) fn dispatched<H: Host, T>(&self, host: &H, outcome: &Outcome<T, H::Value>, redactor: Option<&Redactor>) {
        if self.over.load(Ordering::Relaxed) {
            return;
        }
        if let Err(why) = self.write(Recorded::of(host, outcome), redactor) {
            self.over.store(true, Ordering::Relaxed);
            tracing::error!(file = %self.path.display(), error = %why, "nothing more is recorded");
        }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a dispatch.
    pub fn add(&self, recorded: Recorded) -> io::Result<()> {
        self.write(recorded, None)
    }

    fn write(&self, recorded: Recorded, redactor: Option<&Redactor>) -> io::Result<()> {
        let mut line = self.line(&recorded, redactor)?;
        let length = self.file.metadata()?.len();
        if length >= self.most {
            self.over.store(true, Ordering::Relaxed);
            return Ok(());
        }
        let is_full = length.saturating_add(line.len() as u64) > self.most;
        if is_full || line.len() > LONGEST_LINE {
            let why = if is_full {
                format!("the file may have {} bytes; nothing more was recorded", self.most)
            } else {
                format!("{} bytes are more than {LONGEST_LINE}", line.len())
            };
            let came = Came { decision: recorded.came.decision, ..Came::default() };
            let rest = Recorded { payload: serde_json::Map::new(), left_out: Some(why), came, ..recorded };
            line = self.line(&rest, redactor)?;
            self.over.fetch_or(is_full, Ordering::Relaxed);
        }
        (&self.file).write_all(line.as_bytes())
    }

    fn line(&self, recorded: &Recorded, redactor: Option<&Redactor>) -> io::Result<String> {
        let mut line = serde_json::to_value(recorded)?;
        if let Some(usual) = &self.redactor {
            usual.value(&mut line, None);
            if let Some(redactor) = redactor {
                redactor.value(&mut line, None);
            }
        }
        Ok(format!("{line}\n"))
    }
}
