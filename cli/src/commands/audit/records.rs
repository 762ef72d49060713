//! The records of an audit log: the last ones, counts of them, and those in which something stands.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use hookweave_host::audit::{self, AuditRecord, Kind};
use serde::Serialize;

use super::is_there;
use crate::failed::{Failed, Result, Verdict};
use crate::screen::{
    BAD, BOLD, Cell, DIM, GOOD, Room, Screen, Table, WARN, count, json, json_line, micros, shown, styled,
};

/// How often a followed log is looked at.
const PAUSE: Duration = Duration::from_millis(250);

/// `hookweave audit tail`
#[derive(Debug, Args)]
pub(super) struct Tail {
    /// The log
    #[arg(value_name = "LOG")]
    log: PathBuf,

    /// How many records
    #[arg(short = 'n', long = "lines", value_name = "NUMBER", default_value_t = 10)]
    lines: usize,

    /// Keep showing new records
    #[arg(short = 'F', long)]
    follow: bool,

    /// Print each record as a line of JSON
    #[arg(long)]
    json: bool,
}

/// `hookweave audit stats`
#[derive(Debug, Args)]
pub(super) struct Stats {
    /// The log
    #[arg(value_name = "LOG")]
    log: PathBuf,

    #[command(flatten)]
    only: Only,

    /// Print JSON for programs
    #[arg(long)]
    json: bool,
}

/// `hookweave audit grep`
#[derive(Debug, Args)]
pub(super) struct Grep {
    /// Text to search for, and the log; the log alone with a filter such as --outcome
    #[arg(value_names = ["TEXT", "LOG"], num_args = 1..=2, required = true)]
    words: Vec<PathBuf>,

    #[command(flatten)]
    only: Only,

    /// Ignore case
    #[arg(short, long)]
    ignore_case: bool,

    /// Print each record as a line of JSON
    #[arg(long)]
    json: bool,
}

/// Which records count.
#[derive(Debug, Default, Args)]
struct Only {
    /// Of this event
    #[arg(long, value_name = "NAME")]
    event: Option<String>,

    /// Of this hook
    #[arg(long, value_name = "NAME")]
    hook: Option<String>,

    /// Of this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,

    /// With this outcome
    #[arg(long, value_name = "WORD")]
    outcome: Option<String>,
}

impl Only {
    fn is_any(&self) -> bool {
        [&self.event, &self.hook, &self.session, &self.outcome].into_iter().any(Option::is_some)
    }

    fn takes(&self, record: &AuditRecord) -> bool {
        let fits = |wanted: &Option<String>, has: &Option<String>| wanted.is_none() || wanted == has;
        fits(&self.event, &record.event)
            && fits(&self.hook, &record.hook)
            && fits(&self.session, &record.session)
            && fits(&self.outcome, &record.outcome)
    }
}

impl Tail {
    /// Runs the command.
    pub(super) fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        match is_there(&self.log) {
            Err(_) if self.follow && !self.log.exists() => {
                remark(&format!("{} is not there yet; waiting for it", self.log.display()))?;
            }
            there => there?,
        }
        // Before the last records are read, so that none falls between.
        let mut follow = if self.follow { Some(audit::Follow::from_end(&self.log)?) } else { None };
        let last = audit::tail(&self.log, self.lines)?;
        for record in &last {
            print(screen, record, self.json)?;
        }
        let whole = self.report_gaps(&last)?;
        while let Some(follow) = &mut follow {
            screen.flush()?;
            std::thread::sleep(PAUSE);
            for record in follow.poll()? {
                print(screen, &record, self.json)?;
            }
        }
        Ok(Verdict::of(whole))
    }

    /// Says that lines among the last ones are no records; whether there are none.
    fn report_gaps(&self, last: &[AuditRecord]) -> Result<bool> {
        let follows = |pair: &[AuditRecord]| matches!(pair, [one, next] if one.seq.checked_add(1) == Some(next.seq));
        if !last.windows(2).all(follows) {
            remark("records are missing between these, or cannot be read; `hookweave audit verify` shows which")?;
            return Ok(false);
        }
        // The whole log has fewer: what is no record is not among them.
        if last.len() < self.lines && self.log.exists() {
            return report_unreadable(records(&self.log, |_| Ok(()))?);
        }
        Ok(true)
    }
}

/// Says something beside the output, which programs may read.
pub(super) fn remark(what: &str) -> Result<()> {
    Ok(writeln!(anstream::stderr().lock(), "{}", styled(WARN, what))?)
}

/// Says how many lines cannot be read; whether none are.
pub(super) fn report_unreadable(number: usize) -> Result<bool> {
    if number > 0 {
        remark(&format!("{} cannot be read; `hookweave audit verify` shows which", count(number, "line")))?;
    }
    Ok(number == 0)
}

/// Shows a record in one line.
fn print(screen: Screen<'_>, record: &AuditRecord, as_json: bool) -> Result<()> {
    if as_json {
        return json_line(screen, record);
    }
    let style = match record.outcome.as_deref() {
        Some("block" | "stop" | "failed" | "denied") => BAD,
        Some("ask" | "retry") => WARN,
        _ => GOOD,
    };
    let parts = [&record.event, &record.tool, &record.hook].into_iter().flatten().map(|part| shown(part));
    let parts: Vec<String> = parts.collect();
    let outcome = record.outcome.as_deref().map(|outcome| styled(style, outcome)).unwrap_or_default();
    let took = record.duration_us.map(|took| styled(DIM, &micros(took))).unwrap_or_default();
    let reason = record.reason.as_deref().map(shown).unwrap_or_default();
    let (seq, time, kind) = (record.seq, styled(DIM, &record.time), record.kind.as_str());
    let line = format!("{seq:>6} {time} {kind:<16} {} {outcome} {took} {reason}", parts.join(" "));
    Ok(writeln!(screen, "{}", line.trim_end())?)
}

/// The records of a log that can be read, and how many lines cannot.
fn records(log: &Path, mut each: impl FnMut(AuditRecord) -> Result<()>) -> Result<usize> {
    is_there(log)?;
    let mut unreadable = 0;
    for line in audit::read(log)? {
        match line?.record() {
            Ok(record) => each(record)?,
            Err(_) => unreadable += 1,
        }
    }
    Ok(unreadable)
}

/// What one hook did.
#[derive(Debug, Default, Serialize)]
struct Counted {
    runs: usize,
    outcomes: BTreeMap<String, usize>,
    /// The calls that it would have blocked, had it not observed.
    would_block: usize,
    #[serde(skip)]
    took: Vec<f64>,
    p50_us: f64,
    p95_us: f64,
    p99_us: f64,
}

impl Stats {
    /// Runs the command.
    pub(super) fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        let mut hooks: BTreeMap<String, Counted> = BTreeMap::new();
        let unreadable = records(&self.log, |record| {
            let would_block =
                record.hook.as_ref().filter(|_| record.kind == Kind::WouldBlock && self.only.takes(&record));
            if let Some(hook) = would_block {
                hooks.entry(hook.clone()).or_default().would_block += 1;
            }
            // The record of the end counts, which repeats the start.
            if let (true, Some(hook), true) = (self.only.takes(&record), record.hook, record.duration_us.is_some()) {
                let counted = hooks.entry(hook).or_default();
                counted.runs += 1;
                counted.took.extend(record.duration_us);
                *counted.outcomes.entry(record.outcome.unwrap_or_else(|| record.kind.as_str())).or_default() += 1;
            }
            Ok(())
        })?;
        for counted in hooks.values_mut() {
            counted.took.sort_by(f64::total_cmp);
            (counted.p50_us, counted.p95_us, counted.p99_us) =
                (at(&counted.took, 50), at(&counted.took, 95), at(&counted.took, 99));
        }
        if self.json {
            json(screen, &serde_json::json!({"hooks": hooks, "unreadable_lines": unreadable}))?;
            return Ok(Verdict::of(unreadable == 0));
        }
        let mut table = Table::new(&[
            ("hook", Room::Whole),
            ("runs", Room::Whole),
            ("p50", Room::Whole),
            ("p95", Room::Whole),
            ("p99", Room::Whole),
            ("result", Room::Wrap),
        ]);
        for (hook, counted) in &hooks {
            let would_block = (counted.would_block > 0).then_some(("would block", &counted.would_block));
            let outcomes = counted.outcomes.iter().map(|(word, number)| (word.as_str(), number));
            let outcomes: Vec<String> =
                outcomes.chain(would_block).map(|(word, number)| format!("{word} {number}")).collect();
            table.row([
                Cell::new(BOLD, hook),
                Cell::from(counted.runs.to_string()),
                Cell::from(micros(counted.p50_us)),
                Cell::from(micros(counted.p95_us)),
                Cell::from(micros(counted.p99_us)),
                Cell::from(outcomes.join(", ")),
            ]);
        }
        if hooks.is_empty() {
            writeln!(screen, "It has no record of a hook's run.")?;
        } else {
            table.write(screen, 0)?;
        }
        Ok(Verdict::of(report_unreadable(unreadable)?))
    }
}

/// The value below which so many per cent lie.
fn at(sorted: &[f64], percent: usize) -> f64 {
    let index = (sorted.len().saturating_sub(1) * percent).div_ceil(100);
    sorted.get(index).copied().unwrap_or_default()
}

impl Grep {
    /// Runs the command.
    pub(super) fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        let (text, log) = match self.words.as_slice() {
            [text, log] => (Some(text.to_string_lossy().into_owned()), log),
            [log] if self.only.is_any() => (None, log),
            _ => {
                let fix =
                    "write `hookweave audit grep TEXT LOG`, or filter with --event, --hook, --session or --outcome";
                return Err(Failed::new(format!("neither a text nor a filter is given; {fix}")));
            }
        };
        if text.as_ref().is_some_and(String::is_empty) {
            return Err(Failed::new("the text is empty, which is in every record; `hookweave audit tail` shows them"));
        }
        let wanted = text.map(|text| if self.ignore_case { text.to_lowercase() } else { text });
        let mut found = 0;
        let unreadable = records(log, |record| {
            // Not its place in the chain.
            let mut unchained = record.clone();
            (unchained.prev, unchained.hash) = (String::new(), String::new());
            let text = serde_json::to_string(&unchained)?;
            let text = if self.ignore_case { text.to_lowercase() } else { text };
            if self.only.takes(&record) && wanted.as_ref().is_none_or(|wanted| text.contains(wanted)) {
                found += 1;
                print(screen, &record, self.json)?;
            }
            Ok(())
        })?;
        let whole = report_unreadable(unreadable)?;
        // As grep has it: nothing found is a no. What was sought may stand in a line that cannot be read.
        Ok(Verdict::of(found > 0 && whole))
    }
}
