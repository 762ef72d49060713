//! `hookweave audit`: proves, follows, counts and searches an audit log.

mod records;
mod report;

use std::fmt::Display;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use hookweave_host::audit::{self, Anchor, AuditReport};

use crate::failed::{Failed, Result, Verdict};
use crate::progress::Progress;
use crate::screen::{BAD, BOLD, DIM, GOOD, Screen, WARN, count, json, shown, styled};

use records::{Grep, Stats, Tail};
use report::Report;

/// Verify, follow, count and search an audit log
#[derive(Debug, Args)]
pub(crate) struct Audit {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Verify that no record was changed, removed, inserted, moved or cut off
    Verify(Verify),
    /// Show the last records
    Tail(Tail),
    /// Count what hooks did, by hook
    Stats(Stats),
    /// Count the calls that hooks stopped, and those that observing hooks would have stopped
    Report(Report),
    /// Show the records that contain a text, or that some filters take
    Grep(Grep),
}

#[derive(Debug, Args)]
struct Verify {
    /// The current log file; rotated files are found beside it
    #[arg(value_name = "LOG")]
    log: PathBuf,

    /// The anchor of an earlier check: `NUMBER:HASH`
    #[arg(long, value_name = "ANCHOR")]
    anchor: Option<Anchor>,

    /// Print JSON for programs
    #[arg(long)]
    json: bool,
}

impl Audit {
    /// Runs the command.
    pub(crate) fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        match &self.action {
            Action::Verify(verify) => verify.run(screen),
            Action::Tail(tail) => tail.run(screen),
            Action::Stats(stats) => stats.run(screen),
            Action::Report(report) => report.run(screen),
            Action::Grep(grep) => grep.run(screen),
        }
    }
}

impl Verify {
    fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        let mut progress = Progress::new("verifying", self.json);
        let whole = if progress.is_shown() { audit::size(&self.log).unwrap_or(0) } else { 0 };
        is_there(&self.log)?;
        let report = audit::verify_watched(&self.log, self.anchor.as_ref(), |read| progress.part(read, whole))?;
        drop(progress);
        // An anchor proves that it was one.
        if report.records == 0 && self.anchor.is_none() {
            is_log(&self.log)?;
        }
        if self.json {
            json(screen, &report)?;
        } else {
            show_report(screen, &report)?;
            if self.anchor.is_none() {
                let what = "without --anchor, missing records at the end are not detected";
                writeln!(screen, "{}", styled(DIM, what))?;
            }
        }
        Ok(Verdict::of(report.whole))
    }
}

/// A log that is not there is mostly one whose name is misspelt.
fn is_there(log: &Path) -> Result<()> {
    let found = std::fs::metadata(log);
    if found.as_ref().is_ok_and(std::fs::Metadata::is_dir) {
        return Err(Failed::file(log, "is a folder; name the log in it"));
    }
    match (audit::read(log), found) {
        (Ok(_), _) => Ok(()),
        (Err(_), Err(why)) => Err(Failed::unreadable(log, &why)),
        (Err(why), _) => Err(why.into()),
    }
}

/// Refuses a file without records that does not begin as every log does, and is not empty.
fn is_log(log: &Path) -> Result<()> {
    let mut first = [0];
    let read = std::fs::File::open(log).and_then(|mut file| file.read(&mut first));
    if read.map_or(true, |read| read == 0 || first == *b"{") {
        return Ok(());
    }
    let what = "is no audit log, none of its lines is a record; name the file that --audit or `audit` names";
    Err(Failed::file(log, what))
}

/// Says why a log cannot be trusted, if it cannot; whether it can.
fn report_untrusted(log: &Path) -> Result<bool> {
    let report = audit::verify(log, None)?;
    if !report.whole {
        let problem = report.problems.first().or_else(|| report.others.iter().find_map(|other| other.problems.first()));
        let why = problem.map(|at| format!(": {} {}", place_text(&at.file, at.line), shown(&at.what)));
        let (log, why) = (log.display(), why.unwrap_or_default());
        records::remark(&format!(
            "{log} cannot be trusted, and neither can these numbers{why}; `hookweave audit verify {log}` shows all"
        ))?;
    }
    Ok(report.whole)
}

/// A place in a log, as its reader named it.
fn place_text(file: &Path, line: impl Display) -> String {
    format!("{}:{line}", file.strip_prefix(".").unwrap_or(file).display())
}

fn show_report(screen: Screen<'_>, report: &AuditReport) -> Result<()> {
    let what = format!("{} in {}", count(usize_of(report.records), "record"), count(report.files.len(), "file"));
    let word = if report.problems.is_empty() { styled(GOOD, "whole") } else { styled(BAD, "not whole") };
    writeln!(screen, "{word}: {what}")?;
    for problem in &report.problems {
        let place = place_text(&problem.file, problem.line);
        writeln!(screen, "  {} {}", styled(BOLD, &place), shown(&problem.what))?;
    }
    for torn in &report.torn {
        let place = place_text(&torn.file, torn.line);
        let note = if torn.confirmed { "and the next writer confirms it" } else { "and that is not confirmed" };
        writeln!(screen, "  {} a line that its writer did not finish, {note}", styled(WARN, &place))?;
    }
    if report.lost > 0 {
        let what = format!("{} could not be written, as the log itself says", count(usize_of(report.lost), "record"));
        writeln!(screen, "  {}", styled(WARN, &what))?;
    }
    if let Some(begins) = report.begins {
        writeln!(screen, "  begins with record {begins}; rotation removed the older ones, as recorded")?;
    }
    if let Some(anchored) = report.anchored {
        let (style, word) = if anchored { (GOOD, "is there as it was") } else { (BAD, "is not there as it was") };
        writeln!(screen, "  the anchor's record {}", styled(style, word))?;
    }
    // Of a log that was changed, an anchor would vouch for the change.
    if let Some(last) = report.last.as_ref().filter(|_| report.whole) {
        writeln!(screen, "  anchor for the next time: {}", styled(BOLD, &last.to_string()))?;
    }
    report.others.iter().try_for_each(|other| show_report(screen, other))
}

fn usize_of(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
