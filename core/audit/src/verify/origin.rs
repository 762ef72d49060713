//! Whether a log was written where it stands, or is the copy of another one.

use std::path::PathBuf;

use serde_json::Value;

use super::{AuditProblem, AuditProblemKind};
use crate::chain::check;
use crate::read::Line;
use crate::record::AuditRecord;
use crate::segments::Names;

/// How the chains begin that have been read: the hash of the first record, and its file.
#[derive(Debug, Default)]
pub(super) struct Origins(Vec<(String, PathBuf)>);

impl Origins {
    /// What is wrong with the first record of a chain: another chain begins with it, or another process has written it than
    /// the name says. Of a chain whose first file rotation has removed only the former is found.
    pub(super) fn problem(&mut self, names: &Names, line: &Line) -> Option<AuditProblem> {
        let first = check(&line.bytes).ok()?;
        let original = self.0.iter().find(|(hash, _)| hash == first.hash).map(|(_, file)| file.display());
        let what = if let Some(original) = original {
            format!("it is a copy: it begins with the first record of {original}")
        } else {
            self.0.push((first.hash.to_owned(), line.file.clone()));
            let named = names.process()?;
            let writer = AuditRecord::read(&line.bytes).ok()?.details.get("process").and_then(Value::as_u64)?;
            if writer == u64::from(named) {
                return None;
            }
            format!("it is a copy: its name says process {named}, and process {writer} has written it")
        };
        let (file, line) = (line.file.clone(), line.number);
        Some(AuditProblem { kind: AuditProblemKind::Misplaced, file, line, seq: first.seq, what })
    }
}
