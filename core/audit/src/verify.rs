//! Proving that a log is whole: nothing changed, taken out, put in, moved or cut off.

mod origin;
mod walk;

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::anchor::Anchor;
use super::read::{Lines, names, unreadable};
use super::segments::Names;
use hookweave_machine::error::Error;
use origin::Origins;

/// How many problems of one chain are listed.
pub const MAX_PROBLEMS: usize = 100;

/// What is wrong with a place in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AuditProblemKind {
    /// A line is not what was written there.
    Edited,
    /// A record is whole, and not the one on which the next one, or the anchor, holds on to.
    Replaced,
    /// Records are missing; a log without any has lost its first one at least.
    Missing,
    /// A record stands where it was not written: put in, or moved.
    Misplaced,
    /// The log ends before the anchor.
    Truncated,
}

/// Something wrong with a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AuditProblem {
    /// Of which kind.
    pub kind: AuditProblemKind,
    /// The file.
    pub file: PathBuf,
    /// The line in it, from 1.
    pub line: u64,
    /// The number of the first record concerned, as far as it is known.
    pub seq: u64,
    /// What is wrong, in words.
    pub what: String,
}

/// A line that its writer did not finish.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AuditTorn {
    /// The file.
    pub file: PathBuf,
    /// The line in it, from 1.
    pub line: u64,
    /// How many bytes of it were written.
    pub bytes: u64,
    /// The next writer has found and recorded the same. If none has, the log may as well have been cut off here.
    pub confirmed: bool,
}

/// The result of verifying a log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AuditReport {
    /// Whether this chain and those of other processes have no problem; one without records has.
    pub whole: bool,
    /// How many records there are.
    pub records: u64,
    /// The files, in the order in which they were written.
    pub files: Vec<PathBuf>,
    /// The last record, unless that was changed: keep it elsewhere, and give it when the log is verified again.
    pub last: Option<Anchor>,
    /// Whether the anchor's record is there as it was; `None` when no anchor was given.
    pub anchored: Option<bool>,
    /// The first record that is still there, when rotation has removed older ones and recorded it.
    pub begins: Option<u64>,
    /// Records that could not be written, as the log itself states.
    pub lost: u64,
    /// Lines that a writer did not finish.
    pub torn: Vec<AuditTorn>,
    /// What is wrong, the first place first; at most [`MAX_PROBLEMS`].
    pub problems: Vec<AuditProblem>,
    /// The chains of processes that found another one writing.
    pub others: Vec<Self>,
}

/// Verifies a log over all of its files, by the path of the file of now, and the logs of other processes beside it.
///
/// It reads line by line and keeps none, so that the log may be of any size. Without an anchor it does not
/// find that records are missing at the end, or that everything was written anew; with one it finds both.
pub fn verify(path: &Path, anchor: Option<&Anchor>) -> Result<AuditReport, Error> {
    verify_watched(path, anchor, |_| ())
}

/// The same, with a callback after each line: how many bytes are read.
pub fn verify_watched(path: &Path, anchor: Option<&Anchor>, mut watch: impl FnMut(u64)) -> Result<AuditReport, Error> {
    let mut read = 0;
    let mut watch = |bytes: usize| {
        read += bytes as u64;
        watch(read);
    };
    let names = names(path)?;
    let mut origins = Origins::default();
    let mut report = chain(&names, path, anchor, &mut origins, &mut watch)?;
    for other in names.others().map_err(|why| unreadable(path, &why))? {
        let other = chain(&other, path, None, &mut origins, &mut watch)?;
        report.whole &= other.whole;
        report.others.push(other);
    }
    Ok(report)
}

/// How many bytes a log has, over all of its files.
pub fn size(path: &Path) -> Result<u64, Error> {
    let names = names(path)?;
    let mut chains = names.others().map_err(|why| unreadable(path, &why))?;
    chains.push(names);
    let files = chains.iter().filter_map(|names| names.chain().ok()).flatten();
    Ok(files.filter_map(|file| std::fs::metadata(file).ok()).map(|meta| meta.len()).sum())
}

fn chain(
    names: &Names,
    path: &Path,
    anchor: Option<&Anchor>,
    origins: &mut Origins,
    watch: &mut impl FnMut(usize),
) -> Result<AuditReport, Error> {
    anchor.map_or(Ok(()), Anchor::check)?;
    let files = names.chain().map_err(|why| unreadable(path, &why))?;
    if files.is_empty() {
        return Err(unreadable(path, &std::io::Error::new(std::io::ErrorKind::NotFound, "there is no such file")));
    }
    let mut walk = walk::Walk::new(anchor, files.clone());
    let mut foreign = None;
    for line in Lines::of(files) {
        let line = line?;
        if walk.begins() {
            foreign = origins.problem(names, &line);
        }
        walk.line(&line);
        watch(line.bytes.len() + 1);
    }
    let mut report = walk.end();
    if let Some(problem) = foreign {
        report.problems.insert(0, problem);
        report.whole = false;
    }
    Ok(report)
}
