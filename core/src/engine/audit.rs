//! The audit log of an engine.

use std::time::Duration;

use super::Engine;
use hookweave_host::audit::{Audit, AuditLevel, AuditOptions, LogSink};
use hookweave_host::error::Error;

impl Engine {
    /// The audit log: where it stands, and whether it can be written.
    #[must_use]
    pub fn audit(&self) -> &Audit {
        &self.inner.audit
    }

    /// Opens the audit log as it is to be from now on.
    pub fn configure_audit(&self, config: AuditOptions) -> Result<(), Error> {
        self.check_open("configure its audit log")?;
        self.inner.audit.configure(config)
    }

    /// Changes how much is recorded. Where no log was opened, records go to the target `hookweave::audit` of `tracing`.
    pub fn set_hook_audit_level(&self, level: AuditLevel) -> Result<(), Error> {
        self.check_open("configure its audit log")?;
        if self.inner.audit.has_destination() || level == AuditLevel::Off {
            self.inner.audit.set_level(level);
            return Ok(());
        }
        self.inner.audit.configure(AuditOptions::default().level(level).sink(LogSink))
    }

    /// Waits until everything that happened is written; false when the time is up before. It blocks its thread.
    #[must_use]
    pub fn flush_audit(&self, limit: Duration) -> bool {
        self.inner.audit.flush(limit)
    }
}
