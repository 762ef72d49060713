//! The audit log of a client, and the verification of one.

use std::sync::Arc;
use std::time::Duration;

use hookweave_host::audit::{self, Anchor, AuditLevel, AuditOptions};
use hookweave_host::payload::Host as _;
use napi::Env;
use napi::Status;
use napi::bindgen_prelude::{Function, Unknown};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;

use crate::client::NativeClient;
use crate::errors::{CodedError, coded, from_napi};
use crate::values::Values;

/// Wakes JavaScript when there are records; weak, so that it keeps no process alive.
type Wakeup = ThreadsafeFunction<(), (), (), Status, false, true>;

/// Records that wait for JavaScript to fetch them; the thread of the log never enters JavaScript.
#[napi]
pub struct NativeAuditQueue(Arc<audit::Outbox>);

/// Records as lines, and how many were lost before them.
#[napi(object, object_from_js = false)]
pub struct FetchedRecords {
    /// The lines.
    pub lines: Vec<String>,
    /// How many found no room.
    pub lost: u32,
}

#[napi]
impl NativeAuditQueue {
    /// At most so many lines.
    #[napi(catch_unwind)]
    pub fn fetch(&self, most: u32) -> FetchedRecords {
        let (lines, lost) = self.0.fetch(most as usize);
        FetchedRecords { lines, lost: u32::try_from(lost).unwrap_or(u32::MAX) }
    }
}

/// The state of a log.
#[napi(object, object_from_js = false)]
pub struct AuditState {
    /// The level that was set.
    pub level: String,
    /// Whether records go anywhere.
    pub goes_somewhere: bool,
    /// The file that this process writes.
    pub file: Option<String>,
    /// The last record that was written, as an anchor.
    pub anchor: Option<String>,
    /// What keeps the log from being written.
    pub trouble: Option<String>,
}

#[napi]
impl NativeClient {
    /// Opens the log anew; with a function that is called when there are records, gives what they are fetched from.
    #[napi(catch_unwind)]
    pub fn configure_audit(
        &self,
        env: Env,
        options: Unknown<'_>,
        wakeup: Option<Function<'_, (), ()>>,
    ) -> Result<Option<NativeAuditQueue>, CodedError> {
        self.check_open("configure its audit log".to_owned())?;
        let values = Values::none(&env).map_err(from_napi)?;
        let slot = values.keep(&options);
        let mut config = AuditOptions::read(&values, &values.view(&slot)).map_err(|error| coded(&error))?;
        let mut outbox = None;
        if let Some(wakeup) = wakeup {
            let wakeup: Wakeup = wakeup
                .build_threadsafe_function()
                .callee_handled::<false>()
                .weak::<true>()
                .build()
                .map_err(from_napi)?;
            // The thread that fetches the records would be the one that waits for room.
            let made = audit::Outbox::new(Duration::ZERO, move || {
                wakeup.call((), ThreadsafeFunctionCallMode::NonBlocking);
            });
            config.wait = Duration::ZERO;
            config = config.sink(made.sink());
            outbox = Some(NativeAuditQueue(made));
        }
        self.audit().configure(config).map_err(|error| coded(&error))?;
        Ok(outbox)
    }

    /// Changes how much is recorded.
    #[napi(catch_unwind)]
    pub fn set_audit_level(&self, level: String) -> Result<(), CodedError> {
        self.check_open("configure its audit log".to_owned())?;
        let known = AuditLevel::named(&level).ok_or_else(|| {
            let why = format!("audit level `{level}` is unknown; known are off, error, info, verbose");
            CodedError::new("invalid_option".to_owned(), why)
        })?;
        self.audit().set_level(known);
        Ok(())
    }

    /// Waits so many milliseconds until all is written.
    #[napi(catch_unwind)]
    pub fn flush_audit(&self, limit: u32) -> bool {
        self.audit().flush(Duration::from_millis(limit.into()))
    }

    /// Writes what is left and records nothing more.
    #[napi(catch_unwind)]
    pub fn close_audit(&self, limit: u32) -> bool {
        self.audit().close(Duration::from_millis(limit.into()))
    }

    /// The state of the log.
    #[napi(catch_unwind)]
    pub fn audit_state(&self) -> AuditState {
        let audit = self.audit();
        AuditState {
            level: audit.level().as_str().to_owned(),
            goes_somewhere: audit.has_destination(),
            file: audit.file().map(|file| file.to_string_lossy().into_owned()),
            anchor: audit.anchor().map(|anchor| anchor.to_string()),
            trouble: audit.trouble(),
        }
    }

    /// Whether dispatches are recorded for a replay, also those that no hook is asked about.
    #[napi(getter, catch_unwind)]
    pub fn is_recording(&self) -> bool {
        self.audit().is_recording()
    }

    /// Which dispatches the log records: 0 none, 1 those in which a hook answered or failed, 2 all, 3 all, those of no-op
    /// hooks as texts, 4 all, and each hook before it starts.
    #[napi(catch_unwind)]
    pub fn audit_coverage(&self) -> u32 {
        match self.audit().effective() {
            AuditLevel::Verbose => 4,
            _ if self.audit().takes_copies() => 3,
            AuditLevel::Off => 0,
            AuditLevel::Error => 1,
            AuditLevel::Info => 2,
        }
    }
}

/// Verifies that a log is complete and unchanged; gives the report as JSON text.
#[napi(catch_unwind)]
pub fn verify_audit(path: String, anchor: Option<String>) -> Result<String, CodedError> {
    let anchor = anchor.as_deref().map(str::parse::<Anchor>).transpose().map_err(|error| coded(&error))?;
    let report = audit::verify(path.as_ref(), anchor.as_ref()).map_err(|error| coded(&error))?;
    serde_json::to_string(&report).map_err(|error| CodedError::new("audit_failed".to_owned(), error.to_string()))
}
