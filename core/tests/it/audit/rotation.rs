//! A log of several files.

use std::time::Duration;

use hookweave::audit::{Anchor, AuditProblemKind, AuditRecord, Follow, Kind, Rotation, read, tail, verify};
use hookweave::{Engine, Event, HookResponse};

use crate::audit::support::{LONG, Log, dispatch};

fn small(log: &Log, keep: Option<usize>) -> Engine {
    let rotation = Rotation::default().max_bytes(2000).keep(keep);
    let engine = log.engine(log.config().rotation(rotation));
    engine.on("PreToolUse").name("quiet").run(|_: &Event| None::<HookResponse>).unwrap();
    engine
}

fn fill(engine: &Engine, dispatches: usize) {
    for number in 0..dispatches {
        dispatch(engine, &format!("echo {number}"));
        // Each is a batch of its own, so that files end where they should.
        assert!(engine.flush_audit(LONG));
    }
}

#[test]
fn the_chain_goes_on_over_files() {
    let log = Log::new();
    let engine = small(&log, None);
    fill(&engine, 30);
    assert!(engine.audit().close(LONG));
    let report = log.verify();
    assert!(report.whole && report.files.len() > 4, "{report:?}");
    assert_eq!((report.records, report.begins), (33, None));
    for file in &report.files {
        assert!(std::fs::metadata(file).unwrap().len() <= 2000);
    }
    assert_eq!(read(&log.path).unwrap().count(), 33);
    let last = tail(&log.path, 5).unwrap();
    assert_eq!(last.iter().map(|record| record.seq).collect::<Vec<_>>(), [29, 30, 31, 32, 33]);
    assert_eq!(tail(&log.path, 1000).unwrap().len(), 33);
}

#[test]
fn files_beyond_those_to_keep_are_removed_and_that_is_recorded() {
    let log = Log::new();
    let engine = small(&log, Some(2));
    fill(&engine, 30);
    assert!(engine.audit().close(LONG));
    let report = log.verify();
    assert!(report.whole && report.files.len() == 3, "{report:?}");
    assert!(report.begins.is_some_and(|begins| begins > 1));
    let anchor = report.last.clone().unwrap();
    assert_eq!(verify(&log.path, Some(&anchor)).unwrap().anchored, Some(true));
    // An anchor of a record that rotation has removed proves nothing any more, and the first one that is there does.
    let begins = read(&log.path).unwrap().next().unwrap().unwrap().record().unwrap();
    assert_eq!(report.begins, Some(begins.seq));
    let removed = verify(&log.path, Some(&Anchor { seq: begins.seq - 1, hash: begins.prev })).unwrap();
    assert_eq!((removed.whole, removed.anchored), (false, Some(false)), "{removed:?}");
    let there = verify(&log.path, Some(&Anchor { seq: begins.seq, hash: begins.hash })).unwrap();
    assert_eq!((there.whole, there.anchored), (true, Some(true)), "{there:?}");
    // Somebody else removes one more: no record says so.
    std::fs::remove_file(&report.files[0]).unwrap();
    let report = log.verify();
    assert_eq!(report.problems.first().map(|problem| problem.kind), Some(AuditProblemKind::Missing), "{report:?}");
}

#[test]
fn a_file_is_removed_after_the_record_that_says_so() {
    let log = Log::new();
    let (folder, (send, removals)) = (log.folder().to_owned(), std::sync::mpsc::channel());
    let rotation = Rotation::default().max_bytes(2000).keep(2);
    let sink = move |line: &str| {
        let record = AuditRecord::read(line.as_bytes()).unwrap();
        if record.kind == Kind::SegmentRemoved {
            let file = folder.join(record.details["file"].as_str().unwrap());
            send.send((std::fs::read(&file).ok(), file)).unwrap();
        }
    };
    let engine = log.engine(log.config().rotation(rotation).sink(sink));
    engine.on("PreToolUse").name("quiet").run(|_: &Event| None::<HookResponse>).unwrap();
    fill(&engine, 30);
    assert!(engine.audit().close(LONG));
    let removed: Vec<_> = removals.try_iter().collect();
    assert!(removed.len() > 3, "{removed:?}");
    for (there, file) in &removed {
        assert!(there.is_some() && !file.exists(), "{} was there, and is no more", file.display());
    }
    // A process that was killed in between has left the file: nothing is wrong with it, and the next one removes it.
    let (bytes, last) = removed.last().unwrap();
    std::fs::write(last, bytes.as_ref().unwrap()).unwrap();
    assert!(log.verify().whole, "{:?}", log.verify());
    let engine = small(&log, Some(2));
    fill(&engine, 10);
    assert!(engine.audit().close(LONG));
    assert!(log.verify().whole && !last.exists(), "{:?}", log.verify());
}

#[test]
fn a_file_that_is_missing_in_between_is_found() {
    let log = Log::new();
    let engine = small(&log, None);
    fill(&engine, 30);
    assert!(engine.audit().close(LONG));
    let files = log.verify().files;
    std::fs::remove_file(&files[2]).unwrap();
    let report = log.verify();
    assert_eq!(report.problems.first().map(|problem| problem.kind), Some(AuditProblemKind::Missing));
    assert_eq!(report.problems.len(), 1);
}

#[test]
fn a_file_that_grows_old_is_put_away() {
    let log = Log::new();
    let rotation = Rotation::default().max_age(Duration::from_millis(1));
    let engine = log.engine(log.config().rotation(rotation));
    engine.on("PreToolUse").name("quiet").run(|_: &Event| None::<HookResponse>).unwrap();
    for number in 0..3 {
        std::thread::sleep(Duration::from_millis(5));
        dispatch(&engine, &format!("echo {number}"));
        assert!(engine.flush_audit(LONG));
    }
    assert!(engine.audit().close(LONG));
    let report = log.verify();
    assert!(report.whole && report.files.len() >= 3, "{report:?}");
}

#[test]
fn the_next_process_goes_on_with_the_chain() {
    let log = Log::new();
    for _ in 0..3 {
        let engine = small(&log, None);
        fill(&engine, 5);
        assert!(engine.audit().close(LONG));
    }
    let report = log.verify();
    assert!(report.whole && report.others.is_empty() && report.torn.is_empty(), "{report:?}");
    assert_eq!(log.kinds().iter().filter(|kind| **kind == Kind::AuditOpened).count(), 3);
}

#[test]
fn a_reader_can_follow_over_files() {
    let log = Log::new();
    let engine = small(&log, None);
    fill(&engine, 1);
    let mut follow = Follow::from_end(&log.path).unwrap();
    assert!(follow.poll().unwrap().is_empty());
    let mut seen = Vec::new();
    for _ in 0..20 {
        fill(&engine, 1);
        seen.extend(follow.poll().unwrap().into_iter().map(|record| record.seq));
    }
    assert_eq!(seen, (4..=23).collect::<Vec<_>>());
}

#[test]
fn a_process_that_ended_between_two_files_is_gone_on_with() {
    let log = Log::written(3);
    let before = log.verify().last.unwrap();
    std::fs::rename(&log.path, log.folder().join("audit.000001.jsonl")).unwrap();
    let engine = log.engine(log.config());
    assert!(engine.audit().close(LONG));
    let report = verify(&log.path, Some(&before)).unwrap();
    assert!(report.whole && report.anchored == Some(true), "{report:?}");
    assert_eq!(report.last.unwrap().seq, before.seq + 2);
}
