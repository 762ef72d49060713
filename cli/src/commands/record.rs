//! `hookweave record`: runs a program and records what its hooks are asked.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use clap::Args;
use hookweave_host::audit::recording::{FILE, MAX_BYTES, SECRETS};

use crate::failed::{Failed, Result};
use crate::program::{command_of, ended_as, start};
use crate::recording::{open, read_from};
use crate::screen::{BOLD, DIM, count, is_quiet, shown, styled};

const MIB: u64 = 1024 * 1024;

/// Run a program and record every dispatch in it, for `hookweave replay`
#[derive(Debug, Args)]
#[command(after_help = "\
Every hookweave client in the program and in those that it starts is recorded, in Python, Node and Rust, and so is
`hookweave hook`. The recording may hold what the agent worked on; secrets are redacted by the audit's rules.
Exits as the program does.

  hookweave record --out runs.jsonl -- python agent.py
  hookweave replay runs.jsonl")]
pub(crate) struct Record {
    /// Append to this file
    #[arg(short, long, value_name = "FILE", default_value = "hookweave.record.jsonl")]
    out: PathBuf,

    /// Record secrets too; by default they are redacted
    #[arg(long)]
    with_secrets: bool,

    /// Largest size of the file; later dispatches are not recorded
    #[arg(long, value_name = "MIB", default_value_t = hookweave_host::audit::recording::USUAL_MAX_BYTES / MIB,
        value_parser = clap::value_parser!(u64).range(1..=1024 * 1024))]
    max_size: u64,

    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

impl Record {
    /// Runs the command; gives the program's exit code.
    pub(crate) fn run(&self) -> Result<u8> {
        let most = self.max_size * MIB;
        // Opened here first: an error of the file is reported before the program runs.
        drop(open(&self.out, self.with_secrets, most)?);
        let file = std::path::absolute(&self.out).map_err(|error| Failed::file(&self.out, error))?;
        let before = std::fs::metadata(&file).map_or(0, |meta| meta.len());
        let status = self.start(&file, most)?;
        // The program's own end is what counts.
        if !is_quiet() {
            let _ = self.say(&file, before);
        }
        Ok(ended_as(status))
    }

    fn start(&self, file: &Path, most: u64) -> Result<ExitStatus> {
        let mut command = command_of(&self.program)?;
        command.env(FILE, file).env(MAX_BYTES, most.to_string());
        command.env(SECRETS, if self.with_secrets { "1" } else { "0" });
        start(&mut command)?.wait()
    }

    /// Says what was recorded, where the program's own output is not disturbed.
    fn say(&self, file: &Path, before: u64) -> Result<()> {
        let mut lines = File::open(file)?;
        lines.seek(SeekFrom::Start(before))?;
        let (mut recorded, mut left_out) = (0, 0);
        for line in read_from(file, lines) {
            let (_, line) = line?;
            recorded += 1;
            left_out += usize::from(line.left_out.is_some());
        }
        let mut err = anstream::stderr().lock();
        let out = shown(&self.out.display().to_string());
        if recorded == 0 {
            let why = "no dispatch was recorded: nothing in it asked hooks through hookweave, or its hookweave is older than this command";
            return Ok(writeln!(err, "{}", styled(DIM, why))?);
        }
        let what = format!("{} recorded in {out}", count(recorded, "dispatch"));
        let rest = if left_out > 0 { format!(", {left_out} of them without the event") } else { String::new() };
        writeln!(err, "{}{}", styled(DIM, &what), styled(DIM, &rest))?;
        Ok(writeln!(
            err,
            "{} {}",
            styled(DIM, "to compare with the current hooks:"),
            styled(BOLD, &format!("hookweave replay {out}"))
        )?)
    }
}
