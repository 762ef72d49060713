//! Dispatches in which no hook answered: reported one by one or many together, they are recorded like all others.

use std::time::Duration;

use hookweave::audit::{Audit, AuditOptions, AuditRecord, Inputs, Kind};
use hookweave::{Engine, Event, HookResponse};
use hookweave_host::audit::Batch;
use hookweave_host::clock::present;
use hookweave_host::hook::HookSpec;
use hookweave_host::json::Json;
use hookweave_host::options::Options;
use hookweave_host::registry::Registry;
use hookweave_host::stats::Now;
use serde_json::{Value, json};

use crate::audit::support::{LONG, Log, dispatch, records, run};

/// What a record says beside its time, its place and how long the hook took.
fn records_of(log: &Log) -> Vec<AuditRecord> {
    let finished = log.records().into_iter().filter(|record| record.kind == Kind::HookFinished);
    let bare = |mut record: AuditRecord| {
        assert!(record.duration_us.take().is_some() && !record.time.is_empty());
        if let Some(input) = &mut record.input {
            input.payload = None;
        }
        (record.seq, record.time) = (0, String::new());
        (record.prev, record.hash) = (String::new(), String::new());
        record
    };
    finished.map(bare).collect()
}

fn keyed(config: AuditOptions) -> AuditOptions {
    config.key("the same for both")
}

fn payloads() -> Vec<Value> {
    let long = "word ".repeat(2000);
    vec![
        json!({"tool": "Bash", "args": {"command": "ls"}, "session_id": "s1", "tool_use_id": "call-1"}),
        json!({"tool": "Bash", "args": {"command": long}, "session_id": "s1", "agent_id": "a1"}),
        json!({"tool": "Write", "args": {"file_path": "a", "paths": ["b", "é"]}, "session_id": "token=hunter2hunter2"}),
        json!({"tool": "Bash", "args": {"command": "curl -H 'Authorization: Bearer abcdefgh12345678'"}}),
        json!({"tool": "odd", "args": 7}),
    ]
}

fn engine_with(log: &Log, inputs: Inputs) -> Engine {
    let engine = log.engine(keyed(log.config()).inputs(inputs));
    for name in ["guard", "sk-abcdefghijklmnopqrstuvwx"] {
        engine.on("PreToolUse").name(name).run(|_: &Event| None::<HookResponse>).unwrap();
    }
    engine
}

#[test]
fn they_are_recorded_as_dispatches_are_that_keep_their_payload() {
    let (quick, slow) = (Log::new(), Log::new());
    for (log, inputs) in [(&quick, Inputs::Digest), (&slow, Inputs::Redacted)] {
        let engine = engine_with(log, inputs);
        for payload in payloads() {
            run(engine.dispatch(Event::new("PreToolUse", payload))).unwrap();
        }
        assert!(engine.audit().close(LONG));
        assert!(log.verify().whole);
    }
    let (quick, slow) = (records_of(&quick), records_of(&slow));
    assert_eq!(quick, slow);
    assert_eq!(quick.len(), 2 * payloads().len());
    assert_eq!(quick.iter().filter(|record| record.input.as_ref().is_some_and(|input| input.cut)).count(), 2);
    let text = format!("{quick:?}");
    assert!(!text.contains("hunter2") && !text.contains("abcdefgh"), "{text}");
}

#[test]
fn many_told_together_are_recorded_as_one_by_one() {
    let (alone, together) = (Log::new(), Log::new());
    let registry = Registry::new(Options::default());
    for name in ["guard", "other"] {
        registry.register(HookSpec::new("PreToolUse").name(name), ()).unwrap();
    }
    let snapshot = registry.snapshot();
    let index = snapshot.event("PreToolUse").unwrap();
    let plan = snapshot.plan(&Json, index, &&json!({"tool": "Bash"})).plan;
    let copied = |number: usize| format!("ss1\0ucall-{number}\0tBash\0lls {number}\0");
    for (log, many) in [(&alone, 1), (&together, 4)] {
        let audit = Audit::new();
        audit.configure(keyed(log.config())).unwrap();
        assert!(audit.takes_copies());
        let mut batch = Batch::default();
        for number in 0..8 {
            let Now { ticks, .. } = present();
            batch.add(index.spec(), &plan, ticks, [1_500, 2_000], &copied(number));
            if batch.len() == many {
                audit.quiet(&mut batch);
                assert!(batch.is_empty());
            }
        }
        assert!(audit.close(LONG));
    }
    assert_eq!(records_of(&alone), records_of(&together));
    let records = together.records();
    let finished: Vec<_> = records.iter().filter(|record| record.kind == Kind::HookFinished).collect();
    let dispatches: Vec<_> = finished.iter().filter_map(|record| record.dispatch).collect();
    assert_eq!(dispatches, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8]);
    assert_eq!(finished[0].duration_us, Some(1.5));
    let opened = records[0].time_ms().unwrap();
    assert!(finished.iter().all(|record| record.time_ms().unwrap().abs_diff(opened) < 60_000), "{finished:?}");
}

#[test]
fn they_keep_their_place_among_others() {
    let log = Log::new();
    let engine = log.engine(log.config());
    let says = |event: &Event| (event.args()["command"] == "loud").then(|| HookResponse::continue_().message("heard"));
    engine.on("PreToolUse").run(says).unwrap();
    for command in ["1", "2", "loud", "3", "loud", "4"] {
        dispatch(&engine, command);
    }
    assert!(engine.flush_audit(LONG));
    let kinds: Vec<_> = log.kinds().into_iter().skip(2).collect();
    let (ran, message) = (Kind::HookFinished, Kind::Message);
    assert_eq!(kinds, [ran, ran, ran, message, ran, ran, message, ran]);
    let numbers: Vec<_> = log.records().iter().filter_map(|record| record.dispatch).collect();
    assert_eq!(numbers, [1, 2, 3, 3, 4, 5, 5, 6]);
}

#[test]
fn a_batch_that_finds_no_room_is_counted_whole() {
    let log = Log::new();
    let (audit, registry) = (Audit::new(), Registry::new(Options::default()));
    registry.register(HookSpec::new("PreToolUse"), ()).unwrap();
    let snapshot = registry.snapshot();
    let index = snapshot.event("PreToolUse").unwrap();
    let plan = snapshot.plan(&Json, index, &&json!({})).plan;
    // The sink holds the writer up until the queue has overflowed.
    let (held, holds) = std::sync::mpsc::channel::<()>();
    let holds = std::sync::Mutex::new(holds);
    let (enters, entered) = std::sync::mpsc::channel();
    let slow = move |_: &str| {
        _ = enters.send(());
        _ = holds.lock().unwrap().recv_timeout(LONG);
    };
    let config = log.config().queue(2).wait(Duration::ZERO);
    held.send(()).unwrap();
    audit.configure(config.sink(slow)).unwrap();
    let mut batch = Batch::default();
    let mut raise = |many: usize| {
        for _ in 0..many {
            batch.add(index.spec(), &plan, present().ticks, [1], "");
        }
        audit.quiet(&mut batch);
        assert!(batch.is_empty());
    };
    raise(1);
    // The writer has taken the opening and that one; then there is room for three at once, which is more than the queue holds.
    (0..2).for_each(|_| entered.recv_timeout(LONG).unwrap());
    raise(3);
    raise(5);
    raise(7);
    drop(held);
    assert!(audit.close(LONG));
    let lost: Vec<_> = log.records().iter().filter_map(|record| record.details.get("lost")?.as_u64()).collect();
    assert_eq!(lost, [12]);
    assert_eq!(records(&log.path).iter().filter(|record| record.kind == Kind::HookFinished).count(), 4);
}
