//! No decision without its record: where the log is required, the decision is in the file before the program gets it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use hookweave::Permission;
use hookweave::audit::{AuditLevel, AuditOptions, Fsync, Inputs, Kind, LogSink, Outbox};
use hookweave::{Code, Engine, Event, HookResponse, ToolResult};
use serde_json::{Value, json};

use crate::audit::support::{LONG, Log, dispatch, run, until};

fn quiet(engine: &Engine) {
    engine.on("PreToolUse").name("quiet").run(|_: &Event| None::<HookResponse>).unwrap();
}

fn count(log: &Log, wanted: Kind) -> usize {
    log.kinds().iter().filter(|kind| **kind == wanted).count()
}

#[test]
fn a_decision_is_in_the_file_when_it_is_told() {
    for (inputs, fsync) in [(Inputs::Digest, Fsync::Never), (Inputs::Full, Fsync::Record)] {
        let log = Log::new();
        let engine = log.engine(log.config().required().inputs(inputs).fsync(fsync));
        quiet(&engine);
        for number in 1..=20 {
            assert!(!dispatch(&engine, "ls").blocked());
            assert_eq!(count(&log, Kind::HookFinished), number);
        }
        engine.on("PreToolUse").name("blocks").run(|_: &Event| HookResponse::block("no")).unwrap();
        assert_eq!(dispatch(&engine, "ls").reason(), Some("no"));
        assert_eq!(count(&log, Kind::Blocked), 1);
    }
}

#[test]
fn a_tool_runs_behind_its_record_and_its_outcome_is_told_behind_its_own() {
    let log = Log::new();
    let engine = log.engine(log.config().required().inputs(Inputs::Full));
    let session = engine.session().permission("*", Permission::Allow).open().unwrap();
    let (path, ran) = (log.path.clone(), Arc::new(AtomicUsize::new(0)));
    let counter = Arc::clone(&ran);
    let tool = move |_: Value| {
        let kinds: Vec<_> = crate::audit::support::records(&path).iter().map(|record| record.kind).collect();
        counter.fetch_add(usize::from(kinds.last() == Some(&Kind::ToolStarted)), Ordering::Relaxed);
        async { Ok(ToolResult::from(Value::Null)) }
    };
    let call = run(session.run_tool("Other", json!({"token": "x", "path": "/y"}), tool)).unwrap();
    assert!(call.ran && ran.load(Ordering::Relaxed) == 1, "no hook looks at it, and it is on record all the same");
    let records = log.records();
    let kinds: Vec<_> = records.iter().map(|record| record.kind).collect();
    assert_eq!(kinds, [Kind::AuditOpened, Kind::ToolStarted, Kind::ToolRun]);
    assert_eq!(records[1].input, records[2].input);
    assert_eq!((&records[1].tool, &records[1].tool_use_id), (&records[2].tool, &records[2].tool_use_id));
}

/// Where no record can be shown to be kept, no decision could be made.
#[test]
fn a_log_that_nothing_keeps_cannot_be_required() {
    let open = |config: AuditOptions| Engine::builder().audit(config.required()).build().map(drop);
    let outbox = Outbox::new(Duration::ZERO, || {});
    for config in [AuditOptions::default(), AuditOptions::default().sink(LogSink)] {
        let why = open(config).unwrap_err();
        assert_eq!(why.code(), Code::InvalidOption);
        assert!(why.message().contains("needs a `file`"), "{why}");
    }
    let off = open(AuditOptions::default().sink(|_: &str| {}).level(AuditLevel::Off)).unwrap_err();
    assert!(off.message().contains("no decision is recorded with the level `off`"), "{off}");
    open(AuditOptions::default().sink(outbox.sink()).sink(|_: &str| {})).unwrap();
    let log = Log::new();
    let engine = log.engine(log.config());
    engine.configure_audit(AuditOptions::default().required()).unwrap_err();
    quiet(&engine);
    assert!(!dispatch(&engine, "ls").blocked());
    assert!(engine.flush_audit(LONG));
    assert_eq!(count(&log, Kind::HookFinished), 1, "what was open stays open");
}

#[test]
fn nobody_is_blocked_while_the_disk_works() {
    const THREADS: usize = 4;
    const EACH: usize = 25;
    // As slow as a disk that must write each record, and hardly any room.
    let blocked = |queue| {
        let log = Log::new();
        let slow = |_: &str| std::thread::sleep(Duration::from_millis(2));
        let config = log.config().required().fsync(Fsync::Record).sink(slow).queue(queue);
        let engine = log.engine(config);
        quiet(&engine);
        let blocked: usize = std::thread::scope(|scope| {
            let work = || (0..EACH).filter(|number| dispatch(&engine, &number.to_string()).blocked()).count();
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(count(&log, Kind::HookFinished) + blocked, THREADS * EACH, "queue of {queue}");
        assert_eq!(count(&log, Kind::AuditGap) == 0, blocked == 0);
        blocked
    };
    // A thread waits for a second and no longer, which a busy machine may give to others; it does not do so each time.
    for queue in [1, 2, 8192] {
        assert!(until(|| blocked(queue) == 0), "queue of {queue}");
    }
}

#[test]
fn a_decision_waits_for_room_although_another_waited_in_vain() {
    // The last one waits for less than half a second, in which a busy machine may not come to make room.
    assert!(until(has_room_after_one_without));
}

/// Whether all but one of four found room; the third one never does.
fn has_room_after_one_without() -> bool {
    let log = Log::new();
    let gate = Arc::new(Mutex::new(()));
    let held = gate.lock().unwrap();
    let (writer, writing) = (Arc::clone(&gate), Arc::new(AtomicUsize::new(0)));
    let begun = Arc::clone(&writing);
    let sink = move |line: &str| {
        if line.contains("hook_finished") {
            begun.fetch_add(1, Ordering::Relaxed);
            drop(writer.lock().unwrap());
        }
    };
    let config = log.config().required().sink(sink).queue(1).wait(Duration::from_millis(400));
    let engine = log.engine(config);
    quiet(&engine);
    std::thread::scope(|scope| {
        let decide = || dispatch(&engine, "ls").reason().map(str::to_owned);
        // One is being written, one waits in the queue, and there is no room for a third.
        let first = scope.spawn(decide);
        assert!(until(|| writing.load(Ordering::Relaxed) > 0));
        let second = scope.spawn(decide);
        std::thread::sleep(Duration::from_millis(100));
        let third = decide();
        let fourth = scope.spawn(decide);
        std::thread::sleep(Duration::from_millis(100));
        drop(held);
        let others = [first, second, fourth].map(|waited| waited.join().unwrap());
        third.is_some_and(|why| why.contains("the queue is full")) && others.iter().all(Option::is_none)
    })
}

#[test]
fn who_hears_records_cannot_decide_anything_that_waits_for_itself() {
    let log = Log::new();
    let engine: Arc<OnceLock<Engine>> = Arc::default();
    let (own, blocked) = (Arc::clone(&engine), Arc::new(AtomicUsize::new(0)));
    let counter = Arc::clone(&blocked);
    let sink = move |line: &str| {
        if line.contains("post_tool_use_id")
            && let Some(engine) = own.get()
        {
            counter.fetch_add(usize::from(dispatch(engine, "ls").blocked()), Ordering::Relaxed);
        }
    };
    let made = log.engine(log.config().required().sink(sink));
    quiet(&made);
    let made = engine.get_or_init(|| made);
    let mut times = 0;
    let soon = || {
        let began = Instant::now();
        let event = Event::new("PreToolUse", json!({"tool": "Bash", "args": {}, "tool_use_id": "post_tool_use_id"}));
        assert!(!run(made.dispatch(event)).unwrap().blocked());
        times += 1;
        assert_eq!(blocked.load(Ordering::Relaxed), times);
        began.elapsed() < Duration::from_secs(1)
    };
    assert!(until(soon), "it is told so at once, and not when it has waited for seconds");
}

#[test]
fn a_file_that_was_taken_away_holds_no_decision() {
    let log = Log::new();
    let engine = log.engine(log.config().required());
    quiet(&engine);
    dispatch(&engine, "before");
    std::fs::remove_file(&log.path).unwrap();
    assert!(!dispatch(&engine, "after").blocked());
    assert_eq!(log.kinds(), [Kind::AuditReplaced, Kind::HookFinished], "it is in the file that there is");
    std::fs::remove_file(&log.path).unwrap();
    std::fs::create_dir(&log.path).unwrap();
    let first = dispatch(&engine, "after");
    assert!(first.blocked() && first.reason().unwrap().starts_with("audit: "), "{:?}", first.reason());
    std::fs::remove_dir(&log.path).unwrap();
    assert!(until(|| !dispatch(&engine, "after").blocked()));
    let refused: Vec<_> = log.records().into_iter().filter(|record| record.kind == Kind::Blocked).collect();
    assert!(!refused.is_empty(), "that it was blocked is on record as soon as anything can be");
    assert!(refused[0].reason.as_deref().unwrap().starts_with("audit: ") && refused[0].hook.is_none());
    assert_eq!(refused[0].session.as_deref(), Some("s1"));
}

#[cfg(unix)]
mod processes {
    use hookweave::audit::Kind;

    use crate::audit::processes::ends_well;
    use crate::audit::support::{Log, records};

    #[test]
    fn the_first_dispatch_on_a_full_disk_is_blocked() {
        let log = Log::new();
        ends_well("full from the beginning", &log.path);
    }

    #[test]
    fn a_forked_child_that_just_leaves_has_told_all_that_it_decided() {
        for role in ["leaves", "leaves required"] {
            let log = Log::new();
            ends_well(role, &log.path);
            let report = log.verify();
            assert!(report.whole && report.others.len() == 8, "{report:?}");
            for other in &report.others {
                let of_child = records(&other.files[0]);
                assert_eq!(of_child.iter().filter(|record| record.kind == Kind::HookFinished).count(), 20, "{role}");
            }
        }
    }

    #[test]
    fn a_forked_child_that_cannot_have_a_log_decides_nothing_where_it_is_required() {
        let log = Log::new();
        ends_well("no log required", &log.folder().join("deep").join("audit.jsonl"));
    }

    #[test]
    fn what_is_lost_in_a_forked_child_without_a_log_is_counted() {
        let log = Log::new();
        let path = log.folder().join("deep").join("audit.jsonl");
        ends_well("no log", &path);
        let written = std::fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
        let child = written
            .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
            .find(|path| records(path)[0].details.contains_key("parent"));
        let kinds = records(&child.unwrap());
        let gap = kinds.iter().find(|record| record.kind == Kind::AuditGap).unwrap();
        assert_eq!(gap.details["lost"], 3, "{gap:?}");
        assert_eq!(kinds.iter().filter(|record| record.kind == Kind::HookFinished).count(), 1);
    }
}
