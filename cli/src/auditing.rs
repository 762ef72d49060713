//! An audit log of what the command dispatches.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use hookweave_host::audit::{Audit, AuditLevel, AuditOptions, CLOSE, Inputs};
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

    /// How much the audit log records
    #[arg(long, value_enum, value_name = "LEVEL", requires = "audit", help_heading = "Recording")]
    audit_level: Option<Level>,

    /// What the audit log keeps of the calls: digests, or their contents with secrets redacted
    #[arg(long, value_enum, value_name = "WHAT", requires = "audit", help_heading = "Recording")]
    audit_inputs: Option<KeptInputs>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Level {
    /// What failed.
    Error,
    /// Also what hooks did and decided; the default.
    Info,
    /// Also the hooks that were skipped.
    Verbose,
}

impl Level {
    const fn level(self) -> AuditLevel {
        match self {
            Self::Error => AuditLevel::Error,
            Self::Info => AuditLevel::Info,
            Self::Verbose => AuditLevel::Verbose,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KeptInputs {
    /// A digest; the default.
    Digest,
    /// Also the call, with long texts cut.
    Redacted,
    /// Also the whole call.
    Full,
}

impl KeptInputs {
    const fn inputs(self) -> Inputs {
        match self {
            Self::Digest => Inputs::Digest,
            Self::Redacted => Inputs::Redacted,
            Self::Full => Inputs::Full,
        }
    }
}

/// A choice as a command line has it.
fn chosen(option: &str, choice: Option<impl ValueEnum>) -> String {
    let word = choice.and_then(|choice| choice.to_possible_value());
    word.map_or_else(String::new, |word| format!(" {option} {}", word.get_name()))
}

impl AuditArgs {
    /// The same with the log's name below a directory.
    pub(crate) fn below(&self, directory: &Path) -> Self {
        Self { audit: self.audit.as_ref().map(|log| directory.join(log)), ..self.clone() }
    }

    /// The options as a command line has it.
    pub(crate) fn option(&self) -> String {
        let log = self.audit.as_ref().map_or_else(String::new, |log| format!(" --audit {}", quoted(log)));
        log + &chosen("--audit-level", self.audit_level) + &chosen("--audit-inputs", self.audit_inputs)
    }

    /// Opens the log, when one is wanted.
    pub(crate) fn open(&self) -> Result<Option<Arc<Audit>>> {
        let Some(file) = &self.audit else { return Ok(None) };
        // Not one that records for a replay too: the command does that itself, with what the event was when it came.
        let audit = Arc::new(Audit::default());
        let mut options = AuditOptions::file(file).required();
        options.level = self.audit_level.map_or(options.level, Level::level);
        options.inputs = self.audit_inputs.map_or(options.inputs, KeptInputs::inputs);
        audit.configure(options)?;
        Ok(Some(audit))
    }
}

/// Records a dispatch, and closes the log: the next process continues it.
pub(crate) fn record(audit: Option<&Audit>, outcome: &mut Outcome) -> Result<()> {
    let Some(audit) = audit else { return Ok(()) };
    audit.dispatched(&Json, outcome, |wait| wait());
    close(Some(audit))
}

/// Closes the log when everything is written.
pub(crate) fn close(audit: Option<&Audit>) -> Result<()> {
    let Some(audit) = audit else { return Ok(()) };
    if audit.close(CLOSE) { Ok(()) } else { Err(Failed::new("the audit log could not be written in time")) }
}
