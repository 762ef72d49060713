//! What records hold of a dispatch beside what its hooks decided: when, for how long, and what else became of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hookweave::audit::{Audit, AuditLevel, AuditOptions, AuditRecord, Inputs, Kind, Sink};
use hookweave::{Engine, Event, HookResponse, ToolResult};
use hookweave::{HookSpec, Permission};
use serde_json::{Value, json};

use crate::audit::support::{LONG, Log, dispatch, dispatch_with, run};

fn of<'r>(records: &'r [AuditRecord], kind: Kind, hook: &str) -> &'r AuditRecord {
    let found = records.iter().find(|record| record.kind == kind && record.hook.as_deref() == Some(hook));
    found.unwrap_or_else(|| panic!("no {kind:?} of {hook} in {records:?}"))
}

#[test]
fn each_record_has_the_time_at_which_its_hook_ended() {
    for level in [AuditLevel::Info, AuditLevel::Verbose] {
        let log = Log::new();
        let engine = log.engine(log.config().level(level));
        for name in ["first", "second"] {
            let slow = |_: &Event| std::thread::sleep(Duration::from_millis(80));
            engine.on("PreToolUse").name(name).run(slow).unwrap();
        }
        let (began, start) = (hookweave_host::clock::now_ms(), Instant::now());
        dispatch(&engine, "ls");
        let (ended, all_took) = (hookweave_host::clock::now_ms(), start.elapsed());
        // What is written later happened earlier all the same.
        std::thread::sleep(Duration::from_millis(100));
        assert!(engine.audit().close(LONG));
        let records = log.records();
        let at = |hook: &str| of(&records, Kind::HookFinished, hook).time_ms().unwrap();
        let (first, second) = (at("first"), at("second"));
        assert!(first >= began + 75 && second >= first + 75 && second <= ended + 1, "{began} {first} {second} {ended}");
        let took = Duration::from_secs_f64(of(&records, Kind::HookFinished, "first").duration_us.unwrap() / 1e6);
        assert!(took >= Duration::from_millis(80) && took <= all_took, "{took:?} of {all_took:?}");
    }
}

#[test]
fn what_became_of_a_dispatch_beside_its_decision_is_recorded() {
    let log = Log::new();
    let engine = log.engine(log.config());
    engine.on("PreToolUse").name("hides").run(|_: &Event| HookResponse::continue_().suppress_output()).unwrap();
    let detached = HookSpec::new("PreToolUse").detached();
    engine.on("PreToolUse").spec(detached).name("aside").run(|_: &Event| ()).unwrap();
    engine
        .on("PreToolUse")
        .name("late")
        .timeout(Duration::from_millis(10))
        .run(|_: &Event| {
            std::thread::sleep(Duration::from_millis(60));
            HookResponse::message(HookResponse::continue_(), "late")
        })
        .unwrap();
    dispatch(&engine, "ls");
    assert!(engine.audit().close(LONG));
    let records = log.records();
    assert!(records.iter().any(|record| record.kind == Kind::Suppressed));
    let aside = of(&records, Kind::HookFinished, "aside");
    assert_eq!((aside.duration_us, &aside.details["status"]), (None, &json!("detached")));
    let late = records.iter().find(|record| record.hook.as_deref() == Some("late") && record.duration_us.is_some());
    assert_eq!(late.unwrap().details.get("overran"), Some(&json!(true)), "{late:?}");
}

#[test]
fn what_was_allowed_before_a_change_is_marked_as_void() {
    let log = Log::new();
    let engine = log.engine(log.config());
    engine.on("PreToolUse").name("allows").run(|_: &Event| HookResponse::allow()).unwrap();
    let changed = |_: &Event| HookResponse::continue_().modified(json!({"args": {"command": "rm"}}));
    engine.on("PreToolUse").name("changes").run(changed).unwrap();
    dispatch(&engine, "ls");
    assert!(engine.audit().close(LONG));
    let records = log.records();
    let void = |hook: &str| of(&records, Kind::HookFinished, hook).details.get("void").cloned();
    assert_eq!((void("allows"), void("changes")), (Some(json!(true)), None), "{records:?}");
}

#[test]
fn starts_and_ends_of_one_dispatch_have_one_number() {
    let log = Log::new();
    let engine = log.engine(log.config().level(AuditLevel::Verbose).inputs(Inputs::Full));
    engine.on("PreToolUse").name("one").run(|_: &Event| None::<HookResponse>).unwrap();
    engine.on("PreToolUse").name("two").run(|_: &Event| HookResponse::block("no")).unwrap();
    for _ in 0..3 {
        dispatch(&engine, "ls");
    }
    assert!(engine.audit().close(LONG));
    for number in 1..=3 {
        let records = log.records();
        let mine: Vec<_> = records.iter().filter(|record| record.dispatch == Some(number)).collect();
        let kinds: Vec<_> = mine.iter().map(|record| record.kind).collect();
        let ran = [Kind::HookStarted, Kind::HookStarted, Kind::HookFinished, Kind::HookFinished, Kind::Blocked];
        assert_eq!(kinds, ran, "{number}");
        let payloads = mine.iter().filter(|record| record.input.as_ref().is_some_and(|input| input.payload.is_some()));
        assert_eq!(payloads.count(), 1, "the payload is kept once");
    }
}

#[test]
fn no_name_of_a_quiet_dispatch_is_written_with_a_secret_in_it() {
    let log = Log::new();
    let engine = log.engine(log.config());
    engine.on("PreToolUse").name("pass token=hunter22").run(|_: &Event| None::<HookResponse>).unwrap();
    let secret = "token=hunter22";
    let payload = json!({"tool": secret, "args": {}, "session_id": secret, "agent_id": secret, "tool_use_id": secret});
    run(engine.dispatch(Event::new("PreToolUse", payload))).unwrap();
    assert!(engine.audit().close(LONG));
    assert!(!log.text().contains("hunter22") && log.text().contains("token=[redacted]"), "{}", log.text());
    let records = log.records();
    let quiet = records.iter().find(|record| record.kind == Kind::HookFinished).unwrap();
    for text in [&quiet.session, &quiet.agent, &quiet.tool, &quiet.tool_use_id] {
        assert_eq!(text.as_deref(), Some("token=[redacted]"), "{quiet:?}");
    }
}

#[test]
fn the_name_of_a_field_can_be_a_secret_too() {
    let log = Log::new();
    let engine = log.engine(log.config().inputs(Inputs::Full));
    engine.on("PreToolUse").name("quiet").run(|_: &Event| None::<HookResponse>).unwrap();
    let secret = format!("ghp_{}", "a".repeat(36));
    dispatch_with(&engine, json!({"command": "x", &secret: 1, "smtp_pass": "hunter22", "pass": 12, "token": ""}));
    assert!(engine.audit().close(LONG));
    assert!(!log.text().contains(&secret) && !log.text().contains("hunter22"));
    let payload = log.records().into_iter().find_map(|record| record.input?.payload).unwrap();
    let kept = json!({"command": "x", "[redacted]": 1, "smtp_pass": "[redacted]", "pass": 12, "token": ""});
    assert_eq!(payload["args"], kept);
}

#[test]
fn a_level_that_stays_is_no_change() {
    let log = Log::new();
    let engine = log.engine(log.config().level(AuditLevel::Info));
    engine.set_hook_audit_level(AuditLevel::Info).unwrap();
    assert!(engine.audit().close(LONG));
    assert_eq!(log.kinds(), [Kind::AuditOpened, Kind::AuditClosed]);
}

#[test]
fn drivers_are_told_when_copies_do() {
    let copies = |mut config: AuditOptions| {
        let log = Log::new();
        let audit: Arc<Audit> = Audit::new();
        config.file = Some(log.path.clone());
        audit.configure(config).unwrap();
        (audit.records_no_ops(), audit.takes_copies())
    };
    assert_eq!(copies(AuditOptions::default()), (true, true));
    assert_eq!(copies(AuditOptions::default().required()), (true, false));
    assert_eq!(copies(AuditOptions::default().inputs(Inputs::Redacted)), (true, false));
    assert_eq!(copies(AuditOptions::default().level(AuditLevel::Error)), (false, false));
}

/// Refuses every record.
struct Deaf(Arc<AtomicBool>);

impl Sink for Deaf {
    fn take(&self, _: &str) -> Result<(), String> {
        self.0.store(true, Ordering::Relaxed);
        Err("no".into())
    }
}

#[test]
fn a_log_that_is_not_required_keeps_no_tool_from_running() {
    let log = Log::new();
    let heard = Arc::new(AtomicBool::new(false));
    let engine = log.engine(log.config().sink(Deaf(Arc::clone(&heard))));
    assert!(engine.flush_audit(LONG) && heard.load(Ordering::Relaxed));
    assert!(engine.audit().trouble().is_some());
    let session = engine.session().permission("*", Permission::Allow).open().unwrap();
    let ran = run(session.run_tool("Other", json!({}), |_| async { Ok(ToolResult::from(Value::Null)) })).unwrap();
    assert!(ran.ran, "{ran:?}");
}

/// Takes records as soon as the test lets it.
struct Shut(Arc<std::sync::Mutex<()>>);

impl Sink for Shut {
    fn take(&self, _: &str) -> Result<(), String> {
        drop(self.0.lock().unwrap());
        Ok(())
    }
}

#[test]
fn what_waits_is_bounded_in_bytes_too_and_each_gap_counts() {
    let log = Log::new();
    let gate = Arc::new(std::sync::Mutex::new(()));
    let config = log.config().inputs(Inputs::Full).wait(Duration::from_millis(20));
    let engine: Engine = log.engine(config.sink(Shut(Arc::clone(&gate))));
    engine.on("PreToolUse").name("quiet").run(|_: &Event| None::<HookResponse>).unwrap();
    for _ in 0..2 {
        assert!(engine.flush_audit(LONG));
        let shut = gate.lock().unwrap();
        for _ in 0..30 {
            dispatch_with(&engine, json!({"command": "ls", "text": "x ".repeat(1_500_000)}));
        }
        drop(shut);
    }
    assert!(engine.audit().close(LONG));
    let report = log.verify();
    let gaps = log.kinds().iter().filter(|kind| **kind == Kind::AuditGap).count();
    assert!(report.whole && gaps == 2 && report.lost > 2, "{gaps} {report:?}");
    let finished = log.kinds().iter().filter(|kind| **kind == Kind::HookFinished).count() as u64;
    assert_eq!(finished + report.lost, 60);
}
