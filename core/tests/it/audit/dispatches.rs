//! What is recorded of dispatches, hooks, sessions, files and trust.

use std::time::Duration;

use hookweave::Permission;
use hookweave::audit::{AuditLevel, AuditRecord, Inputs, Kind};
use hookweave::{AllowAll, Engine, Event, HookResponse, ToolResult, TrustStore, TrustedHook};
use serde_json::json;

use crate::audit::support::{LONG, Log, dispatch, dispatch_with, run};

fn loud(engine: &Engine) {
    engine.on("PreToolUse").name("quiet").run(|_: &Event| None::<HookResponse>).unwrap();
    engine
        .on("PreToolUse")
        .name("rewrites")
        .run(|_: &Event| {
            HookResponse::continue_()
                .modified(json!({"args": {"command": "true"}}))
                .inject("be careful")
                .message("rewritten")
        })
        .unwrap();
    engine.on("PreToolUse").name("fails").run(|_: &Event| -> HookResponse { panic!("out of order") }).unwrap();
    engine.on("PreToolUse").name("guard").run(|_: &Event| HookResponse::block("not today")).unwrap();
    engine.on("PreToolUse").name("late").run(|_: &Event| None::<HookResponse>).unwrap();
}

fn named<'r>(records: &'r [AuditRecord], kind: Kind, hook: &str) -> &'r AuditRecord {
    let mut found = records.iter().filter(|record| record.kind == kind && record.hook.as_deref() == Some(hook));
    let record = found.next().unwrap_or_else(|| panic!("no {kind:?} of {hook}"));
    assert!(found.next().is_none(), "{kind:?} of {hook} twice");
    record
}

#[test]
fn every_hook_and_what_it_said_is_recorded() {
    let log = Log::new();
    let engine = log.engine(log.config());
    loud(&engine);
    let outcome = dispatch(&engine, "rm -rf /");
    assert!(outcome.blocked());
    assert!(engine.flush_audit(LONG));
    let records = log.records();
    assert_eq!(
        log.kinds(),
        [
            Kind::AuditOpened,
            Kind::HookRegistered,
            Kind::HookRegistered,
            Kind::HookRegistered,
            Kind::HookRegistered,
            Kind::HookRegistered,
            Kind::HookFinished,
            Kind::HookFinished,
            Kind::Modified,
            Kind::HookFailed,
            Kind::HookFinished,
            Kind::Injected,
            Kind::Message,
            Kind::Blocked,
        ]
    );
    let quiet = named(&records, Kind::HookFinished, "quiet");
    assert_eq!(
        (quiet.session.as_deref(), quiet.event.as_deref(), quiet.tool.as_deref(), quiet.tool_use_id.as_deref()),
        (Some("s1"), Some("PreToolUse"), Some("Bash"), Some("call-1"))
    );
    assert_eq!((quiet.outcome.as_deref(), quiet.dispatch), (Some("continue"), Some(1)));
    assert!(quiet.duration_us.is_some_and(|took| took >= 0.0));
    assert_eq!(quiet.input.as_ref().unwrap().digest.len(), 32);
    assert_eq!(named(&records, Kind::Modified, "rewrites").details["fields"], json!(["args"]));
    let injected = &named(&records, Kind::Injected, "rewrites").details;
    assert_eq!((&injected["content"], &injected["role"]), (&json!("be careful"), &json!("system")));
    assert_eq!(named(&records, Kind::Message, "rewrites").details["text"], json!("rewritten"));
    let failed = &named(&records, Kind::HookFailed, "fails").details;
    assert_eq!((&failed["failure"], &failed["became"]), (&json!("raised"), &json!("continue")));
    assert!(failed["message"].as_str().unwrap().contains("out of order"));
    let blocked = named(&records, Kind::Blocked, "guard");
    assert_eq!((blocked.outcome.as_deref(), blocked.reason.as_deref()), (Some("block"), Some("not today")));
    assert!(!log.text().contains("rm -rf"), "a digest tells nothing of the input");
    assert!(log.verify().whole);
}

#[test]
fn levels_say_how_much() {
    let kinds_at = |level: AuditLevel| {
        let log = Log::new();
        let engine = log.engine(log.config().level(level));
        loud(&engine);
        dispatch(&engine, "ls");
        assert!(engine.audit().close(LONG));
        log.kinds()
    };
    assert_eq!(kinds_at(AuditLevel::Error), [Kind::AuditOpened, Kind::HookFailed, Kind::AuditClosed]);
    assert!(!kinds_at(AuditLevel::Info).contains(&Kind::HookStarted));
    let verbose = kinds_at(AuditLevel::Verbose);
    assert_eq!(verbose.iter().filter(|kind| **kind == Kind::HookStarted).count(), 4);
    assert_eq!(kinds_at(AuditLevel::Off), [Kind::AuditOpened, Kind::AuditClosed]);
}

#[test]
fn the_level_can_be_changed_and_the_change_is_recorded() {
    let log = Log::new();
    let engine = log.engine(log.config().level(AuditLevel::Error));
    engine.on("PreToolUse").name("quiet").run(|_: &Event| None::<HookResponse>).unwrap();
    dispatch(&engine, "ls");
    engine.set_hook_audit_level(AuditLevel::Verbose).unwrap();
    dispatch(&engine, "ls");
    engine.set_hook_audit_level(AuditLevel::Off).unwrap();
    dispatch(&engine, "ls");
    assert!(engine.audit().close(LONG));
    assert_eq!(
        log.kinds(),
        [
            Kind::AuditOpened,
            Kind::AuditLevel,
            Kind::HookStarted,
            Kind::HookFinished,
            Kind::AuditLevel,
            Kind::AuditClosed
        ]
    );
}

#[test]
fn without_a_destination_nothing_is_recorded() {
    let engine = Engine::new();
    assert_eq!((engine.audit().level(), engine.audit().effective()), (AuditLevel::Info, AuditLevel::Off));
    loud(&engine);
    dispatch(&engine, "ls");
    assert!(engine.flush_audit(Duration::ZERO));
    assert_eq!(engine.audit().anchor(), None);
}

#[test]
fn the_last_record_stays_known_after_the_log_was_closed() {
    let log = Log::new();
    let engine = log.engine(log.config());
    loud(&engine);
    // The writer may be ahead; before its first record there is no anchor.
    assert!(engine.audit().anchor().is_none_or(|anchor| anchor.seq > 0));
    dispatch(&engine, "ls");
    assert!(engine.audit().close(LONG));
    let anchor = engine.audit().anchor();
    assert_eq!(anchor, log.verify().last);
    assert_eq!(hookweave::audit::verify(&log.path, anchor.as_ref()).unwrap().anchored, Some(true));
    // Closing again changes nothing, and a log that goes somewhere else has records of its own.
    assert!(engine.audit().close(LONG));
    assert_eq!(engine.audit().anchor(), anchor);
    let other = Log::new();
    engine.audit().configure(other.config()).unwrap();
    assert!(engine.audit().close(LONG));
    assert_eq!(engine.audit().anchor(), other.verify().last);
}

#[test]
fn several_destinations_hear_the_same_lines() {
    let log = Log::new();
    let (send, heard) = std::sync::mpsc::channel();
    let engine = log.engine(log.config().sink(move |line: &str| send.send(line.to_owned()).unwrap()));
    loud(&engine);
    dispatch(&engine, "ls");
    assert!(engine.audit().close(LONG));
    drop(engine);
    assert_eq!(heard.iter().collect::<Vec<_>>(), log.text().lines().collect::<Vec<_>>());
}

#[test]
fn inputs_are_recorded_as_the_log_is_set() {
    let args = json!({"command": "deploy", "password": "hunter2-hunter2", "text": "x".repeat(5000)});
    let input = |inputs: Inputs| {
        let log = Log::new();
        let engine = log.engine(log.config().inputs(inputs));
        engine.on("PreToolUse").name("one").run(|_: &Event| None::<HookResponse>).unwrap();
        engine.on("PreToolUse").name("two").run(|_: &Event| None::<HookResponse>).unwrap();
        dispatch_with(&engine, args.clone());
        assert!(engine.audit().close(LONG));
        assert!(!log.text().contains("hunter2"));
        let records = log.records();
        let inputs: Vec<_> = records.iter().filter_map(|record| record.input.clone()).collect();
        assert_eq!(inputs.len(), 2);
        assert_eq!((&inputs[0].digest, &inputs[1].payload), (&inputs[1].digest, &None));
        inputs[0].payload.clone()
    };
    assert_eq!(input(Inputs::Digest), None);
    let redacted = input(Inputs::Redacted).unwrap();
    assert_eq!((&redacted["args"]["command"], &redacted["args"]["password"]), (&json!("deploy"), &json!("[redacted]")));
    assert!(redacted["args"]["text"].as_str().unwrap().ends_with("… [904 bytes more]"));
    assert_eq!(input(Inputs::Full).unwrap()["args"]["text"], args["text"]);
}

#[test]
fn digests_tell_whether_inputs_are_the_same() {
    let digests = |key: Option<&str>, commands: [&str; 2]| {
        let log = Log::new();
        let config = log.config();
        let engine = log.engine(match key {
            Some(key) => config.key(key),
            None => config,
        });
        engine.on("PreToolUse").name("quiet").run(|_: &Event| None::<HookResponse>).unwrap();
        for command in commands {
            dispatch(&engine, command);
        }
        assert!(engine.audit().close(LONG));
        let records = log.records();
        records.into_iter().filter_map(|record| Some(record.input?.digest)).collect::<Vec<_>>()
    };
    let same = digests(Some("k"), ["ls", "ls"]);
    assert_eq!(same[0], same[1]);
    let different = digests(Some("k"), ["ls", "pwd"]);
    assert_eq!(different[0], same[0]);
    assert_ne!(different[0], different[1]);
    assert_ne!(digests(None, ["ls", "ls"])[0], digests(None, ["ls", "ls"])[0]);
}

#[test]
fn tool_runs_and_approvals_of_a_session_are_recorded() {
    let log = Log::new();
    let engine = log.engine(log.config());
    let session =
        engine.session().set("session_id", "s9").permission("Bash", Permission::Ask).approver(AllowAll).open();
    let session = session.unwrap();
    let ran = |args| run(session.run_tool("Bash", args, |_| async { Ok(ToolResult::from(json!("done"))) })).unwrap();
    assert!(ran(json!({"command": "ls"})).ran);
    engine.on("PreToolUse").name("guard").run(|_: &Event| HookResponse::block("not today")).unwrap();
    assert!(!ran(json!({"command": "ls"})).ran);
    assert!(engine.audit().close(LONG));
    let records = log.records();
    let of = |kind: Kind| records.iter().filter(|record| record.kind == kind).collect::<Vec<_>>();
    let (asked, decided, tools) = (of(Kind::ApprovalAsked), of(Kind::ApprovalDecided), of(Kind::ToolRun));
    assert_eq!((asked.len(), decided.len(), tools.len()), (1, 1, 2));
    assert_eq!((asked[0].session.as_deref(), asked[0].details["prompt"].as_str()), (Some("s9"), Some("Run Bash?")));
    assert_eq!((decided[0].outcome.as_deref(), decided[0].details["by"].as_str()), (Some("granted"), Some("host")));
    assert_eq!((tools[0].outcome.as_deref(), &tools[0].details["ran"]), (Some("ok"), &json!(true)));
    assert!(tools[0].input.is_some() && tools[0].tool_use_id.is_some());
    assert_eq!((tools[1].outcome.as_deref(), tools[1].reason.as_deref()), (Some("block"), Some("not today")));
    assert_eq!(tools[1].details["by"], json!("guard"));
}

#[test]
fn what_blocks_and_asks_is_told_from_another_hook_of_its_name() {
    let log = Log::new();
    let engine = log.engine(log.config());
    let session = engine.session().approver(AllowAll).open().unwrap();
    let on = |event: &str| engine.on(event).name("guard");
    on("PreToolUse").run(|_: &Event| None::<HookResponse>).unwrap();
    let asks = on("PreToolUse").run(|_: &Event| HookResponse::ask("Go?")).unwrap();
    let blocks = on("PreToolUse").run(|_: &Event| HookResponse::block("no")).unwrap();
    let call = || run(session.run_tool("Bash", json!({}), |_| async { Ok(ToolResult::from(json!("done"))) })).unwrap();
    assert!(!call().ran);
    assert!(engine.unregister_hook(&blocks));
    assert!(call().ran);
    assert!(engine.audit().close(LONG));
    let ids = |kind: Kind| {
        let records = log.records().into_iter().filter(move |record| record.kind == kind);
        records.map(|record| record.hook_id.unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(ids(Kind::Blocked), [blocks]);
    assert_eq!(ids(Kind::ApprovalAsked), ids(Kind::ApprovalDecided));
    assert_eq!(ids(Kind::ApprovalDecided), [asks]);
}

#[test]
fn hooks_files_and_approvals_that_come_and_go_are_recorded() {
    let log = Log::new();
    let engine = log.engine(log.config());
    let id = engine.on("PreToolUse").name("own").run(|_: &Event| None::<HookResponse>).unwrap();
    engine.disable_hook(&id).unwrap();
    engine.enable_hook(&id).unwrap();
    assert!(engine.unregister_hook(&id));
    let file = log.folder().join("hookweave.toml");
    std::fs::write(&file, "hookweave = 1\n[[hooks]]\nevent = \"Stop\"\nname = \"told\"\ncommand = \"true\"\n").unwrap();
    engine.load(&file).unwrap();
    let store = TrustStore::at(log.folder().join("trust.json"));
    let approval = TrustedHook {
        fingerprint: format!("sha256:{:064}", 7),
        project: "/p".into(),
        file: "/p/hooks.json".into(),
        place: "hooks[0]".into(),
        dialect: "hookweave".into(),
        event: "Stop".into(),
        runs: "true".into(),
        approved_at: 0,
        covers: Vec::new(),
        replaces: Vec::new(),
    };
    store.approve(std::slice::from_ref(&approval)).unwrap();
    store.revoke(&[&approval.fingerprint]).unwrap();
    assert!(engine.audit().close(LONG));
    let records = log.records();
    let kinds: Vec<_> = records.iter().map(|record| record.kind).collect();
    for kind in [Kind::HookDisabled, Kind::HookEnabled, Kind::HookRemoved, Kind::ConfigLoaded] {
        assert!(kinds.contains(&kind), "{kind:?} in {kinds:?}");
    }
    let loaded = named(&records, Kind::HookRegistered, "told");
    assert_eq!((&loaded.details["scope"], &loaded.details["runs"]), (&json!("project"), &json!("true")));
    // Other tests of this process may give approvals too.
    let mine = |kind: Kind| {
        let of = |record: &&AuditRecord| {
            record.kind == kind && record.details["fingerprint"] == approval.fingerprint.as_str()
        };
        records.iter().filter(of).count()
    };
    assert_eq!((mine(Kind::TrustGiven), mine(Kind::TrustTaken)), (1, 1));
}
