//! Where hookweave was installed: a record of the user's, so that entries that are lost are missed.
//!
//! Each line is one installation or its end, and the last one about a file counts: two commands at once lose nothing.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::commands::trust::store;
use crate::document::read_text;
use crate::failed::{Failed, Result};
use crate::policy::Which;

/// Beside the store of approvals.
const NAME: &str = "installed.jsonl";

/// What servers of an MCP client are recorded as, in place of an agent.
pub(crate) const MCP: &str = "mcp";

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    agent: String,
    file: PathBuf,
    installed: bool,
}

fn record() -> Result<PathBuf> {
    Ok(store(&Which::default())?.path().with_file_name(NAME))
}

/// A settings file by its folder's real name, since the file itself may be gone.
fn real(file: &Path) -> Option<PathBuf> {
    let file = std::path::absolute(file).ok()?;
    let mut folders = file.ancestors().skip(1);
    folders.find_map(|folder| Some(std::fs::canonicalize(folder).ok()?.join(file.strip_prefix(folder).ok()?)))
}

/// Keeps that an agent's file has entries of hookweave from now on, or is to have none.
pub(crate) fn keep(agent: &str, file: &Path, installed: bool) -> Result<()> {
    let Some(file) = real(file) else { return Ok(()) };
    if !installed && !files(agent)?.contains(&file) {
        return Ok(());
    }
    let record = record()?;
    let refuse = |error: std::io::Error| Failed::file(&record, error);
    if let Some(folder) = record.parent() {
        std::fs::create_dir_all(folder).map_err(refuse)?;
    }
    let line = serde_json::to_string(&Line { agent: agent.to_owned(), file, installed }).unwrap_or_default();
    let mut open = std::fs::OpenOptions::new().append(true).create(true).open(&record).map_err(refuse)?;
    // One write, so that lines of two commands never mix.
    open.write_all(format!("{line}\n").as_bytes()).map_err(refuse)
}

/// The files in which hookweave was installed for an agent.
pub(crate) fn files(agent: &str) -> Result<Vec<PathBuf>> {
    let record = record()?;
    if !record.exists() {
        return Ok(Vec::new());
    }
    let mut files: BTreeMap<PathBuf, bool> = BTreeMap::new();
    for (at, text) in read_text(&record)?.lines().enumerate() {
        let line: Line = serde_json::from_str(text).map_err(|why| {
            Failed::file(&record, format!("line {} is not understood: {why}; take the line out", at + 1))
        })?;
        if line.agent == agent {
            files.insert(line.file, line.installed);
        }
    }
    Ok(files.into_iter().filter(|(_, installed)| *installed).map(|(file, _)| file).collect())
}

/// Whether hookweave was installed for an agent in a file.
pub(crate) fn is_in(agent: &str, file: &Path) -> bool {
    // Of a record that cannot be read `doctor` says so.
    real(file).is_some_and(|file| files(agent).is_ok_and(|files| files.contains(&file)))
}
