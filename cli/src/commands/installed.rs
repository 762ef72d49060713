//! Where hookweave was installed: a record of the user's, so that entries that are lost or changed are missed.
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

/// What was written: the command line of each event or server.
pub(crate) type Written = BTreeMap<String, String>;

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    agent: String,
    file: PathBuf,
    installed: bool,
    #[serde(default, skip_serializing_if = "Written::is_empty")]
    written: Written,
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

/// Keeps that an agent's file has what was written from now on, or is to have nothing of hookweave.
pub(crate) fn keep(agent: &str, file: &Path, written: Option<&Written>) -> Result<()> {
    let Some(file) = real(file) else { return Ok(()) };
    if written.is_none() && !all(agent)?.contains_key(&file) {
        return Ok(());
    }
    let record = record()?;
    let refuse = |error: std::io::Error| Failed::file(&record, error);
    if let Some(folder) = record.parent() {
        std::fs::create_dir_all(folder).map_err(refuse)?;
    }
    let (installed, written) = (written.is_some(), written.cloned().unwrap_or_default());
    let line = serde_json::to_string(&Line { agent: agent.to_owned(), file, installed, written }).unwrap_or_default();
    let mut open = std::fs::OpenOptions::new().append(true).create(true).open(&record).map_err(refuse)?;
    // One write, so that lines of two commands never mix.
    open.write_all(format!("{line}\n").as_bytes()).map_err(refuse)
}

/// The files in which hookweave was installed for an agent, with what was written there.
pub(crate) fn all(agent: &str) -> Result<BTreeMap<PathBuf, Written>> {
    let record = record()?;
    if !record.exists() {
        return Ok(BTreeMap::new());
    }
    let mut files: BTreeMap<PathBuf, Written> = BTreeMap::new();
    for (at, text) in read_text(&record)?.lines().enumerate() {
        let line: Line = serde_json::from_str(text).map_err(|why| {
            Failed::file(&record, format!("line {} is not understood: {why}; take the line out", at + 1))
        })?;
        if line.agent == agent && line.installed {
            // Each event of a file may have been installed by a command of its own.
            files.entry(line.file).or_default().extend(line.written);
        } else if line.agent == agent {
            files.remove(&line.file);
        }
    }
    Ok(files)
}

/// What was written when hookweave was installed for an agent in a file, if it was.
pub(crate) fn written(agent: &str, file: &Path) -> Option<Written> {
    // Of a record that cannot be read `doctor` says so.
    all(agent).ok()?.remove(&real(file)?)
}

/// Whether hookweave was installed for an agent in a file.
pub(crate) fn is_in(agent: &str, file: &Path) -> bool {
    written(agent, file).is_some()
}
