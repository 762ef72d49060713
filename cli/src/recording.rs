//! Recording what the command itself dispatches, and reading recordings.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use hookweave_host::audit::recording::{Recorded, Recorder, USUAL_MAX_BYTES, VERSION};
use hookweave_host::json::Json;
use serde_json::{Map, Value};

use crate::drive::Outcome;
use crate::failed::{Failed, Result};
use crate::input::MAX_EVENT;
use crate::policy::Which;

/// Whether dispatches are recorded, and where.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Recording")]
pub(crate) struct RecordArgs {
    /// Append the event and its outcome to this file, for `hookweave replay`
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Record secrets too; by default they are redacted
    #[arg(long, requires = "record")]
    with_secrets: bool,
}

impl RecordArgs {
    /// Adds a dispatch to the file, when there is one: that of the command line, or that of `hookweave record`.
    pub(crate) fn add(
        &self,
        agent: Option<&str>,
        which: &Which,
        payload: &Map<String, Value>,
        outcome: &Outcome,
    ) -> Result<()> {
        let recorder = match &self.record {
            Some(file) => Some(Arc::new(open(file, self.with_secrets, USUAL_MAX_BYTES)?)),
            None => Recorder::of_process(),
        };
        let Some(recorder) = recorder else { return Ok(()) };
        let recorded = Recorded {
            agent: agent.map(str::to_owned),
            sources: which.files.is_empty().then(|| which.sources.clone()),
            files: which.files.iter().map(|file| file.display().to_string()).collect(),
            ..Recorded::new(&Json, outcome, payload.clone())
        };
        recorder.add(recorded).map_err(|why| refused(recorder.path(), &why))
    }
}

/// Opens a recording to add to it.
pub(crate) fn open(file: &Path, with_secrets: bool, most: u64) -> Result<Recorder> {
    Recorder::open(file, with_secrets, most).map_err(|why| refused(file, &why))
}

fn refused(file: &Path, why: &std::io::Error) -> Failed {
    Failed::file(file, format!("cannot be recorded to: {why}; name a file that you may write"))
}

/// Where in a recording something stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At {
    /// The line, from 1.
    pub(crate) line: usize,
    /// How many bytes are read when it is.
    pub(crate) end: u64,
}

/// Reads a recording, line by line.
pub(crate) fn read(file: &Path) -> Result<impl Iterator<Item = Result<(At, Recorded)>>> {
    let open = File::open(file).map_err(|error| Failed::unreadable(file, &error))?;
    Ok(read_from(file, open))
}

/// Reads a line. An error names the column alone: the line is known.
fn recorded(line: &[u8]) -> std::result::Result<Recorded, String> {
    let without_line = |why: serde_json::Error| {
        let what = why.to_string();
        let what = what.rsplit_once(" at line ").map_or(what.as_str(), |(what, _)| what).to_owned();
        if why.column() > 0 { format!("{what} (column {})", why.column()) } else { what }
    };
    let value: Value = serde_json::from_slice(line.trim_ascii_end()).map_err(without_line)?;
    match value.get("hookweave_record") {
        None => Err("it has no `hookweave_record`; `hookweave record` writes what is read here".to_owned()),
        Some(version) if *version != VERSION => {
            Err(format!("it has version {version}, and this program knows {VERSION}; record it again"))
        }
        Some(_) => serde_json::from_value(value).map_err(without_line),
    }
}

/// Reads what is left of a recording.
pub(crate) fn read_from(file: &Path, open: File) -> impl Iterator<Item = Result<(At, Recorded)>> {
    let mut lines = BufReader::new(open);
    let mut at = At { line: 0, end: 0 };
    let file = file.to_path_buf();
    std::iter::from_fn(move || {
        loop {
            at.line += 1;
            let mut line = Vec::new();
            let refuse = |why: String| Some(Err(Failed::new(format!("{}:{}: {why}", file.display(), at.line))));
            let read = lines.by_ref().take(MAX_EVENT).read_until(b'\n', &mut line);
            at.end += line.len() as u64;
            match read {
                Err(error) => return Some(Err(Failed::unreadable(&file, &error))),
                Ok(0) => return None,
                Ok(_) if line.iter().all(u8::is_ascii_whitespace) => {}
                Ok(_) => {
                    return match recorded(&line) {
                        Ok(recorded) => Some(Ok((at, recorded))),
                        Err(why) => refuse(format!("is no recorded dispatch: {why}")),
                    };
                }
            }
        }
    })
}
