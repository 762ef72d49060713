//! One walk along a chain.

use std::cmp::Ordering;
use std::path::PathBuf;

use super::{AuditProblem, AuditProblemKind, AuditReport, AuditTorn, MAX_PROBLEMS};
use crate::anchor::Anchor;
use crate::chain::{Fastened, GENESIS, check, sha256};
use crate::read::Line;
use crate::record::{AuditRecord, Kind};

/// What has been seen so far.
pub(super) struct Walk<'a> {
    anchor: Option<&'a Anchor>,
    report: AuditReport,
    /// The last record that stands where it belongs.
    last: Option<Anchor>,
    /// What the first record holds on to, when that is not the beginning.
    before: Option<Anchor>,
    /// The lines since the last record that could not be read: what is wrong with each, its length and its hash.
    unread: Vec<(AuditProblem, u64, String)>,
    /// Where the last line stands.
    at: (PathBuf, u64),
}

impl<'a> Walk<'a> {
    pub(super) fn new(anchor: Option<&'a Anchor>, files: Vec<PathBuf>) -> Self {
        let at = (files.first().cloned().unwrap_or_default(), 0);
        let anchored = anchor.map(|_| false);
        let report = AuditReport { files, anchored, ..AuditReport::default() };
        Self { anchor, report, last: None, before: None, unread: Vec::new(), at }
    }

    /// Whether no record has been read yet.
    pub(super) const fn begins(&self) -> bool {
        self.report.records == 0
    }

    pub(super) fn line(&mut self, line: &Line) {
        self.at = (line.file.clone(), line.number);
        match check(&line.bytes) {
            Ok(fastened) => {
                self.report.records += 1;
                let resumes = self.note(&line.bytes);
                self.settle_unread(&resumes);
                self.fasten(&fastened);
            }
            Err(_) if !line.ended => self.torn(line, false),
            Err(why) => {
                let seq = self.next_seq().saturating_add(self.unread.len() as u64);
                let problem = self.problem(AuditProblemKind::Edited, seq, format!("record {seq} was changed: {why}"));
                if self.unread.len() < MAX_PROBLEMS {
                    self.unread.push((problem, line.bytes.len() as u64, sha256(&line.bytes)));
                }
            }
        }
    }

    pub(super) fn end(mut self) -> AuditReport {
        self.settle_unread(&[]);
        if let Some(before) = self.before.take() {
            let what =
                format!("records 1 to {} are missing, and no record says that rotation removed them", before.seq);
            let file = self.report.files.first().cloned().unwrap_or_default();
            self.report
                .problems
                .insert(0, AuditProblem { kind: AuditProblemKind::Missing, file, line: 1, seq: 1, what });
        }
        self.hold_against_anchor();
        if self.report.records == 0 && self.report.problems.is_empty() {
            self.at.1 = self.at.1.max(1);
            let what = "it has no record: a log begins with one; it was emptied, its writer ended before the first one, \
                        or it is no log";
            let problem = self.problem(AuditProblemKind::Missing, 1, what.to_owned());
            self.report(problem);
        }
        // Of a line that was changed the hash is not known.
        self.report.last = self.last.filter(|last| !last.hash.is_empty());
        self.report.whole = self.report.problems.is_empty();
        self.report
    }

    fn next_seq(&self) -> u64 {
        self.last.as_ref().map_or(1, |last| last.seq.saturating_add(1))
    }

    fn problem(&self, kind: AuditProblemKind, seq: u64, what: String) -> AuditProblem {
        let (file, line) = self.at.clone();
        AuditProblem { kind, file, line, seq, what }
    }

    fn report(&mut self, problem: AuditProblem) {
        if self.report.problems.len() < MAX_PROBLEMS {
            self.report.problems.push(problem);
        }
    }

    fn torn(&mut self, line: &Line, confirmed: bool) {
        let bytes = line.bytes.len() as u64;
        self.report.torn.push(AuditTorn { file: line.file.clone(), line: line.number, bytes, confirmed });
    }

    /// What a record says of the log itself; gives the length and hash of each torn line that it saw.
    fn note(&mut self, line: &[u8]) -> Vec<(u64, String)> {
        // Few lines are of these kinds, and only those are parsed.
        let about_itself = ["\"kind\":\"audit_recovered\"", "\"kind\":\"audit_gap\"", "\"kind\":\"segment_removed\""];
        if !about_itself.iter().any(|kind| memchr::memmem::find(line, kind.as_bytes()).is_some()) {
            return Vec::new();
        }
        let Ok(AuditRecord { kind, details, .. }) = AuditRecord::read(line) else { return Vec::new() };
        let number = |name: &str| details.get(name).and_then(serde_json::Value::as_u64);
        let text = |name: &str| details.get(name).and_then(serde_json::Value::as_str);
        match kind {
            // A log may hold any number: its author is not trusted.
            Kind::AuditGap => self.report.lost = self.report.lost.saturating_add(number("lost").unwrap_or(0)),
            Kind::SegmentRemoved => {
                let removed = text("last").and_then(|last| last.parse::<Anchor>().ok());
                if removed.is_some() && removed == self.before {
                    self.report.begins = self.before.take().map(|before| before.seq.saturating_add(1));
                }
            }
            Kind::AuditRecovered => {
                let torn = details.get("torn").and_then(serde_json::Value::as_array);
                let seen = |part: &serde_json::Value| {
                    Some((part.get("bytes")?.as_u64()?, part.get("sha256")?.as_str()?.to_owned()))
                };
                return torn.into_iter().flatten().filter_map(seen).collect();
            }
            _ => {}
        }
        Vec::new()
    }

    /// A line that could not be read is torn when the next record says so, and else was changed.
    fn settle_unread(&mut self, resumes: &[(u64, String)]) {
        for (problem, bytes, hash) in std::mem::take(&mut self.unread) {
            if resumes.iter().any(|(seen, fits)| (*seen, fits) == (bytes, &hash)) {
                let AuditProblem { file, line, .. } = problem;
                self.report.torn.push(AuditTorn { file, line, bytes, confirmed: true });
            } else {
                // The record that stood here is accounted for.
                self.last = Some(Anchor { seq: self.next_seq(), hash: String::new() });
                self.report(problem);
            }
        }
    }

    fn fasten(&mut self, record: &Fastened<'_>) {
        let own = Anchor { seq: record.seq, hash: record.hash.to_owned() };
        let Some(last) = &self.last else {
            if (record.seq, record.prev) != (1, GENESIS) {
                self.before = Some(Anchor { seq: record.seq.saturating_sub(1), hash: record.prev.to_owned() });
            }
            return self.step(own);
        };
        let (before, next) = (last.seq, self.next_seq());
        // Of a line that was changed the hash is not known.
        let holds = last.hash.is_empty() || last.hash == record.prev;
        if record.seq == next && holds {
            return self.step(own);
        }
        let (kind, seq, what) = match record.seq.cmp(&next) {
            Ordering::Equal => {
                let what = format!("record {before} is not the one after which record {next} was written");
                (AuditProblemKind::Replaced, before, what)
            }
            Ordering::Greater => {
                let what = match record.seq - 1 {
                    only if only == next => format!("record {only} is missing"),
                    end => format!("records {next} to {end} are missing"),
                };
                (AuditProblemKind::Missing, next, what)
            }
            Ordering::Less => {
                let what = format!("record {} follows record {before}", record.seq);
                (AuditProblemKind::Misplaced, record.seq, what)
            }
        };
        let problem = self.problem(kind, seq, what);
        self.report(problem);
        // Those behind one that is misplaced are held against the one before it.
        if kind == AuditProblemKind::Misplaced {
            return;
        }
        self.step(own);
    }

    fn step(&mut self, own: Anchor) {
        if let Some(anchor) = self.anchor.filter(|anchor| anchor.seq == own.seq) {
            self.report.anchored = Some(anchor.hash == own.hash);
            if anchor.hash != own.hash {
                let what = format!("record {} is not the one of the anchor", own.seq);
                let problem = self.problem(AuditProblemKind::Replaced, own.seq, what);
                self.report(problem);
            }
        }
        self.last = Some(own);
    }

    fn hold_against_anchor(&mut self) {
        let Some(anchor) = self.anchor else { return };
        let last = self.last.as_ref().map_or(0, |last| last.seq);
        if last < anchor.seq {
            let what = format!("the log ends with record {last}, and the anchor is of record {}", anchor.seq);
            let problem = self.problem(AuditProblemKind::Truncated, last + 1, what);
            self.report(problem);
        } else if self.report.begins.is_some_and(|begins| anchor.seq < begins) {
            let what = format!("record {} of the anchor was removed by rotation; keep a later one", anchor.seq);
            let problem = self.problem(AuditProblemKind::Missing, anchor.seq, what);
            self.report(problem);
        }
    }
}
