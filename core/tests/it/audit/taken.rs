//! A file that another program removes, and whether all records have been written.

use std::time::Duration;

use hookweave::audit::{AuditOptions, Fsync, Kind};
use hookweave::{Engine, Event, HookResponse};

use crate::audit::support::{LONG, Log, dispatch, until};

fn quiet(engine: &Engine) {
    engine.on("PreToolUse").name("quiet").run(|_: &Event| None::<HookResponse>).unwrap();
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_begun_anew_is_tried_again_and_what_is_required_is_blocked() {
    use std::os::unix::fs::symlink;
    type Step = fn(&std::path::Path);
    let folder = |path: &std::path::Path| path.parent().unwrap().to_owned();
    let spoil: [(Step, Step); 3] = [
        (
            |path| {
                std::fs::remove_file(path).unwrap();
                symlink("/dev/null", path).unwrap();
            },
            |path| std::fs::remove_file(path).unwrap(),
        ),
        (
            |path| {
                std::fs::remove_file(path).unwrap();
                std::fs::create_dir(path).unwrap();
            },
            |path| std::fs::remove_dir(path).unwrap(),
        ),
        (
            |path| {
                std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path.parent().unwrap(), "no folder").unwrap();
            },
            |path| std::fs::remove_file(path.parent().unwrap()).unwrap(),
        ),
    ];
    for (spoil, fix) in spoil {
        let log = Log::new();
        let path = log.folder().join("deep").join("audit.jsonl");
        let config = AuditOptions::file(&path).required().queue(8).wait(Duration::from_millis(20));
        let engine = log.engine(config);
        quiet(&engine);
        dispatch(&engine, "before");
        assert!(engine.flush_audit(LONG));
        spoil(&path);
        assert!(until(|| dispatch(&engine, "meanwhile").blocked()));
        // It stays so: nothing is lost in silence.
        for _ in 0..10 {
            std::thread::sleep(Duration::from_millis(30));
            assert!(dispatch(&engine, "meanwhile").blocked());
            assert!(engine.audit().trouble().is_some_and(|why| why.contains("audit.jsonl")));
        }
        assert!(!engine.flush_audit(Duration::from_millis(50)));
        fix(&path);
        assert!(until(|| !dispatch(&engine, "meanwhile").blocked()));
        assert!(engine.audit().close(LONG), "{}", folder(&path).display());
        let kinds: Vec<_> = crate::audit::support::records(&path).iter().map(|record| record.kind).collect();
        assert!(kinds.contains(&Kind::AuditReplaced) && kinds.contains(&Kind::AuditGap), "{kinds:?}");
        assert_eq!(kinds.last(), Some(&Kind::AuditClosed));
    }
}

#[test]
fn what_happens_long_after_a_file_was_taken_away_is_in_the_next_one() {
    let log = Log::new();
    let engine = log.engine(log.config());
    quiet(&engine);
    dispatch(&engine, "before");
    assert!(engine.flush_audit(LONG));
    std::fs::remove_file(&log.path).unwrap();
    std::thread::sleep(Duration::from_millis(1100));
    dispatch(&engine, "after");
    assert!(engine.flush_audit(LONG));
    assert_eq!(log.kinds(), [Kind::AuditReplaced, Kind::HookFinished]);
}

#[test]
fn whoever_flushes_first_has_an_anchor() {
    for _ in 0..50 {
        let log = Log::new();
        let engine = log.engine(log.config());
        assert!(engine.flush_audit(LONG));
        assert_eq!(engine.audit().anchor().map(|anchor| anchor.seq), Some(1));
    }
}

#[test]
fn a_copy_that_takes_the_place_of_the_file_is_gone_on_with() {
    let log = Log::new();
    let engine = log.engine(log.config());
    quiet(&engine);
    dispatch(&engine, "before");
    assert!(engine.flush_audit(LONG));
    // As editors do: the same bytes in another file under the same name.
    let copy = log.folder().join("copy");
    std::fs::copy(&log.path, &copy).unwrap();
    std::fs::rename(&copy, &log.path).unwrap();
    std::thread::sleep(Duration::from_millis(1100));
    dispatch(&engine, "after");
    assert!(engine.audit().close(LONG));
    assert!(log.verify().whole, "{:?}", log.verify());
    let finished = log.kinds().iter().filter(|kind| **kind == Kind::HookFinished).count();
    assert_eq!(finished, 2);
    assert!(log.kinds().contains(&Kind::AuditReplaced));
}

#[test]
fn a_log_that_is_opened_again_is_the_same_one() {
    let log = Log::new();
    let engine = log.engine(log.config());
    for _ in 0..3 {
        engine.audit().configure(log.config()).unwrap();
        assert_eq!(engine.audit().file(), Some(log.path.clone()), "its own lock is no obstacle");
    }
    engine.audit().configure(AuditOptions::default()).unwrap();
    assert!(!engine.audit().has_destination() && engine.audit().file().is_none());
    assert!(log.verify().whole && log.verify().others.is_empty());
}

#[test]
fn records_reach_the_disk_as_the_log_is_set() {
    for fsync in [Fsync::Never, Fsync::Grouped, Fsync::Record] {
        let log = Log::new();
        let engine = log.engine(log.config().fsync(fsync));
        quiet(&engine);
        for _ in 0..3 {
            dispatch(&engine, "ls");
        }
        assert!(engine.audit().close(LONG));
        assert!(log.verify().whole);
    }
}
