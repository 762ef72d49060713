//! An audit log of what the command dispatches.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use hookweave_host::audit::{Audit, AuditOptions, CLOSE};
use hookweave_host::json::Json;

use crate::drive::Outcome;
use crate::failed::{Failed, Result};

/// Whether dispatches are recorded in an audit log.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct AuditArgs {
    /// Keep an audit log in this file; decisions that cannot be recorded are refused
    #[arg(long, value_name = "LOG", help_heading = "Recording")]
    audit: Option<PathBuf>,
}

impl AuditArgs {
    /// Opens the log, when one is wanted.
    pub(crate) fn open(&self) -> Result<Option<Arc<Audit>>> {
        let Some(file) = &self.audit else { return Ok(None) };
        // Not one that records for a replay too: the command does that itself, with what the event was when it came.
        let audit = Arc::new(Audit::default());
        audit.configure(AuditOptions::file(file).required())?;
        Ok(Some(audit))
    }
}

/// Records a dispatch, and closes the log: the next process continues it.
pub(crate) fn record(audit: Option<&Audit>, outcome: &mut Outcome) -> Result<()> {
    let Some(audit) = audit else { return Ok(()) };
    audit.dispatched(&Json, outcome, |wait| wait());
    if audit.close(CLOSE) { Ok(()) } else { Err(Failed::new("the audit log could not be written in time")) }
}
