//! An audit log of what the command dispatches.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use hookweave_host::audit::{Audit, AuditOptions, CLOSE};
use hookweave_host::json::Json;

use crate::drive::Outcome;
use crate::failed::{Failed, Result};
use crate::hook_command::quoted;

/// Whether dispatches are recorded in an audit log.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct AuditArgs {
    /// Keep an audit log in this file; decisions that cannot be recorded are refused
    #[arg(long, value_name = "LOG", help_heading = "Recording")]
    audit: Option<PathBuf>,
}

impl AuditArgs {
    /// The same with the log's name below a directory.
    pub(crate) fn below(&self, directory: &Path) -> Self {
        Self { audit: self.audit.as_ref().map(|log| directory.join(log)) }
    }

    /// The option as a command line has it.
    pub(crate) fn option(&self) -> String {
        self.audit.as_ref().map_or_else(String::new, |log| format!(" --audit {}", quoted(log)))
    }

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
