//! Whatever is done to a log, and wherever, it is found.

use hookweave::audit::{Anchor, AuditProblemKind, AuditReport, MAX_PROBLEMS, size, verify, verify_watched};

use crate::audit::support::Log;

const DISPATCHES: usize = 12;

fn written() -> (Log, Vec<String>, Anchor) {
    let log = Log::written(DISPATCHES);
    let lines = log.text().lines().map(str::to_owned).collect();
    let report = log.verify();
    assert!(report.whole && report.torn.is_empty(), "{report:?}");
    let last = report.last.unwrap();
    (log, lines, last)
}

fn judged(log: &Log, lines: &[String], anchor: Option<&Anchor>) -> AuditReport {
    let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
    std::fs::write(&log.path, text).unwrap();
    verify(&log.path, anchor).unwrap()
}

fn first(report: &AuditReport) -> (AuditProblemKind, u64) {
    assert!(!report.whole);
    let problem = report.problems.first().unwrap();
    (problem.kind, problem.seq)
}

#[test]
fn a_changed_record_is_found_wherever_it_stands() {
    let (log, lines, _) = written();
    for at in 0..lines.len() {
        for place in [1, lines[at].len() / 2, lines[at].len() - 3] {
            let mut other = lines.clone();
            let mut bytes = other[at].clone().into_bytes();
            bytes[place] = if bytes[place] == b'5' { b'6' } else { b'5' };
            other[at] = String::from_utf8(bytes).unwrap();
            let report = judged(&log, &other, None);
            assert_eq!(first(&report), (AuditProblemKind::Edited, at as u64 + 1));
            assert_eq!((report.problems.len(), report.problems[0].line), (1, at as u64 + 1));
        }
    }
}

#[test]
fn a_record_that_was_taken_out_is_found_wherever_it_stood() {
    let (log, lines, anchor) = written();
    for at in 0..lines.len() {
        let mut other = lines.clone();
        other.remove(at);
        let report = judged(&log, &other, Some(&anchor));
        let kind = if at == lines.len() - 1 { AuditProblemKind::Truncated } else { AuditProblemKind::Missing };
        assert_eq!(first(&report), (kind, at as u64 + 1));
    }
}

#[test]
fn a_record_that_was_put_in_is_found_wherever_it_stands() {
    let (log, lines, _) = written();
    for at in 1..=lines.len() {
        for copied in [0, at - 1] {
            let mut other = lines.clone();
            other.insert(at, lines[copied].clone());
            assert_eq!(first(&judged(&log, &other, None)), (AuditProblemKind::Misplaced, copied as u64 + 1));
        }
        let mut other = lines.clone();
        other.insert(at, "{}".to_owned());
        assert_eq!(first(&judged(&log, &other, None)), (AuditProblemKind::Edited, at as u64 + 1));
        other[at] = String::new();
        assert_eq!(first(&judged(&log, &other, None)), (AuditProblemKind::Edited, at as u64 + 1));
    }
}

#[test]
fn records_that_changed_places_are_found() {
    let (log, lines, _) = written();
    for at in 1..lines.len() {
        let mut other = lines.clone();
        other.swap(at - 1, at);
        let report = judged(&log, &other, None);
        assert_eq!(first(&report), (AuditProblemKind::Missing, at as u64), "{report:?}");
    }
}

#[test]
fn an_end_that_was_cut_off_is_found_by_the_anchor() {
    let (log, lines, anchor) = written();
    for left in 1..lines.len() {
        assert!(judged(&log, &lines[..left], None).whole, "without an anchor nobody can tell");
        let report = judged(&log, &lines[..left], Some(&anchor));
        assert_eq!(first(&report), (AuditProblemKind::Truncated, left as u64 + 1));
        assert_eq!(report.anchored, Some(false));
    }
    let report = judged(&log, &lines, Some(&anchor));
    assert!(report.whole && report.anchored == Some(true));
}

#[test]
fn an_end_that_was_cut_off_within_a_line_is_told_as_torn() {
    let (log, lines, anchor) = written();
    let text = lines.join("\n");
    std::fs::write(&log.path, &text[..text.len() - 40]).unwrap();
    let report = verify(&log.path, None).unwrap();
    assert_eq!((report.whole, report.torn.len(), report.torn[0].confirmed), (true, 1, false));
    assert_eq!(first(&verify(&log.path, Some(&anchor)).unwrap()).0, AuditProblemKind::Truncated);
}

#[test]
fn a_log_that_was_written_anew_is_found_by_the_anchor() {
    let (log, _, anchor) = written();
    let (other, _, _) = written();
    std::fs::copy(&other.path, &log.path).unwrap();
    assert!(verify(&log.path, None).unwrap().whole);
    let report = verify(&log.path, Some(&anchor)).unwrap();
    assert_eq!((first(&report), report.anchored), ((AuditProblemKind::Replaced, anchor.seq), Some(false)));
}

#[test]
fn a_record_that_was_replaced_by_a_whole_one_is_found() {
    let (log, lines, _) = written();
    let (_, others, _) = written();
    for at in 0..lines.len() - 1 {
        let mut mixed = lines.clone();
        mixed[at].clone_from(&others[at]);
        let report = judged(&log, &mixed, None);
        assert!(!report.whole);
        let seq = at as u64 + 1;
        // The first record of a log holds on to nothing, so that only the next one shows it.
        let found = if at == 0 { (AuditProblemKind::Replaced, 1) } else { (AuditProblemKind::Replaced, seq - 1) };
        assert_eq!(first(&report), found);
    }
}

#[test]
fn what_is_no_log_is_refused_or_found() {
    let (log, lines, _) = written();
    assert!(verify(&log.folder().join("none.jsonl"), None).is_err());
    assert!(verify(log.folder(), None).is_err());
    let long = format!("{{\"seq\":1,\"x\":\"{}\"", "y".repeat(17 * 1024 * 1024));
    let mut other = lines.clone();
    other.insert(3, long);
    let report = judged(&log, &other, None);
    assert_eq!(first(&report), (AuditProblemKind::Edited, 4));
    assert_eq!(report.records, lines.len() as u64);
}

#[test]
fn a_log_without_records_is_not_whole() {
    let (log, _, anchor) = written();
    let emptied = judged(&log, &[], None);
    assert!(!emptied.whole && emptied.records == 0 && emptied.last.is_none());
    assert_eq!(first(&emptied), (AuditProblemKind::Missing, 1));
    assert!(emptied.problems[0].what.starts_with("it has no record"), "{:?}", emptied.problems);
    let anchored = judged(&log, &[], Some(&anchor));
    assert_eq!((anchored.anchored, first(&anchored).0), (Some(false), AuditProblemKind::Truncated));
}

#[test]
fn an_anchor_of_no_record_proves_nothing() {
    let (log, lines, _) = written();
    let nothing = Anchor { seq: 0, hash: "0".repeat(64) };
    for lines in [&lines[..], &[]] {
        std::fs::write(&log.path, lines.join("\n")).unwrap();
        let refused = verify(&log.path, Some(&nothing)).unwrap_err();
        assert!(refused.to_string().contains("take one when a record is written"), "{refused}");
    }
}

#[test]
fn a_record_that_was_changed_is_no_anchor_for_the_next_time() {
    let log = Log::new();
    std::fs::write(&log.path, "text\n").unwrap();
    assert_eq!(log.verify().last, None);
}

#[test]
fn of_very_many_problems_the_first_are_listed() {
    let (log, lines, _) = written();
    let mut other = lines.clone();
    other.splice(2..2, std::iter::repeat_n("{}".to_owned(), MAX_PROBLEMS + 50));
    let report = judged(&log, &other, None);
    assert!(!report.whole && report.problems.len() == MAX_PROBLEMS, "{}", report.problems.len());
    let seqs: Vec<u64> = report.problems.iter().map(|problem| problem.seq).collect();
    assert_eq!(seqs, (3..3 + MAX_PROBLEMS as u64).collect::<Vec<_>>());
    // Each of them is another one, not in a row.
    let mixed: Vec<String> = lines.iter().cycle().take(lines.len() * 20).cloned().collect();
    assert_eq!(judged(&log, &mixed, None).problems.len(), MAX_PROBLEMS);
}

#[test]
fn whoever_waits_hears_how_far_it_is() {
    let (log, lines, _) = written();
    let mut heard = Vec::new();
    assert!(verify_watched(&log.path, None, |bytes| heard.push(bytes)).unwrap().whole);
    let ends = lines.iter().scan(0, |end, line| {
        *end += line.len() as u64 + 1;
        Some(*end)
    });
    assert_eq!(heard, ends.collect::<Vec<_>>());
    assert_eq!(heard.last(), Some(&size(&log.path).unwrap()));
}

#[test]
fn a_hole_behind_a_changed_record_is_found_too() {
    let (log, lines, _) = written();
    let mut other = lines.clone();
    other[3] = other[3].replace("PreToolUse", "PostToolUse");
    other.remove(4);
    let problems: Vec<_> = judged(&log, &other, None).problems.iter().map(|found| (found.kind, found.seq)).collect();
    assert_eq!(problems, [(AuditProblemKind::Edited, 4), (AuditProblemKind::Missing, 5)]);
}

/// A file that stands ready for the log, in a folder of all users, could be changed by the one who put it there.
#[cfg(unix)]
#[test]
fn a_file_that_every_user_can_change_is_no_log() {
    use std::os::unix::fs::PermissionsExt as _;
    let log = Log::new();
    std::fs::write(&log.path, "").unwrap();
    for (mode, is_taken) in [(0o666, false), (0o602, false), (0o664, true)] {
        std::fs::set_permissions(&log.path, std::fs::Permissions::from_mode(mode)).unwrap();
        let made = hookweave::Engine::builder().audit(log.config()).build().map(drop);
        assert_eq!(made.is_ok(), is_taken, "{mode:o}");
        assert!(made.err().is_none_or(|why| why.message().contains("chmod o-w")), "{mode:o}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_no_log_and_nobody_waits_for_it() {
    let log = Log::new();
    assert!(std::process::Command::new("mkfifo").arg(&log.path).status().unwrap().success());
    let (send, refusal) = std::sync::mpsc::channel();
    let path = log.path.clone();
    std::thread::spawn(move || send.send(verify(&path, None)).is_ok());
    let refused = refusal.recv_timeout(crate::audit::support::LONG).expect("it is refused at once").unwrap_err();
    assert!(refused.message().contains("it is no regular file"), "{refused}");
}
