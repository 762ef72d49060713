//! Statistics of hooks, warnings that follow from them, and where a dispatch stands in a distributed trace.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use hookweave::{Engine, Event, HookResponse};
use hookweave_host::stats::{NEVER_MATCHED_AFTER, WarningKind};
use serde_json::json;

use crate::support::patient;

const A_MINUTE: u64 = 60_000;

fn bash() -> Event {
    Event::pre_tool_use("Bash", json!({"command": "ls"}))
}

async fn dispatch(engine: &Engine, times: u64) {
    for _ in 0..times {
        engine.dispatch(bash()).await.unwrap();
    }
}

#[tokio::test]
async fn what_each_hook_did_is_counted() {
    let engine = patient();
    let turn = AtomicU32::new(0);
    let every_third = move |_: &Event| {
        let turn = turn.fetch_add(1, Ordering::Relaxed);
        (turn % 3 == 2).then(|| HookResponse::block("third"))
    };
    engine.on("PreToolUse").name("every third").run(every_third).unwrap();
    engine
        .on("PreToolUse")
        .name("broken")
        .run(|_: &Event| -> Result<HookResponse, hookweave::HookError> { Err("no".into()) })
        .unwrap();
    engine
        .on("PreToolUse")
        .name("slow")
        .run_async(|_: Event| async {
            tokio::time::sleep(Duration::from_millis(20)).await;
        })
        .unwrap();
    engine.on("Stop").name("other").run(|_: &Event| ()).unwrap();
    let (began, began_ms) = (Instant::now(), hookweave_host::clock::now_ms());
    dispatch(&engine, 6).await;
    let (all_took, ended_ms) = (began.elapsed().as_secs_f64() * 1e6, hookweave_host::clock::now_ms());
    engine.dispatch(Event::new("UserPromptSubmit", json!({"prompt": "hi"}))).await.unwrap();

    let stats = engine.stats();
    let hook = |name: &str| stats.hooks.iter().find(|hook| hook.hook == name).unwrap();
    assert_eq!(serde_json::to_value(&stats.events).unwrap(), json!({"PreToolUse": 6, "UserPromptSubmit": 1}));
    assert_eq!(serde_json::to_value(&hook("every third").decisions).unwrap(), json!({"block": 2, "continue": 4}));
    assert_eq!(serde_json::to_value(&hook("broken").failures).unwrap(), json!({"raised": 4}));
    let slow = hook("slow");
    let took = slow.duration_us.unwrap();
    assert!(slow.runs == 4 && took.p50 >= 18_000.0 && took.p50 <= took.p99 && took.p99 <= took.max);
    // A tenth more, since times are counted in steps.
    assert!(took.max <= all_took * 1.1, "{took:?} in {all_took} us");
    // The wall clock is read after the clock of runs, and on a busy machine time passes between.
    assert!((began_ms - A_MINUTE..=ended_ms + A_MINUTE).contains(&slow.last_run.unwrap()));
    let other = hook("other");
    assert!(other.never_matched && other.duration_us.is_none() && other.last_run.is_none());

    engine.reset_stats();
    let begun_anew = engine.stats();
    assert!(begun_anew.events.is_empty() && begun_anew.hooks.iter().all(|hook| hook.never_matched && hook.runs == 0));
}

#[tokio::test]
async fn a_switched_off_engine_counts_nothing() {
    let engine = patient();
    engine.on("PreToolUse").run(|_: &Event| ()).unwrap();
    engine.set_enabled(false);
    dispatch(&engine, 3).await;
    assert!(engine.stats().events.is_empty());
}

#[tokio::test]
async fn hooks_that_need_a_look_are_told_of() {
    let engine = patient();
    engine.on("PreToolUse").name("misspelt").tool("Bsh").run(|_: &Event| ()).unwrap();
    engine
        .on("PreToolUse")
        .name("off")
        .tool("Bsh")
        .run(|_: &Event| ())
        .and_then(|id| engine.disable_hook(&id))
        .unwrap();
    engine
        .on("PreToolUse")
        .name("broken")
        .run(|_: &Event| -> Result<HookResponse, hookweave::HookError> { Err("no".into()) })
        .unwrap();
    dispatch(&engine, 4).await;
    assert_eq!(engine.stats().warnings, []);
    dispatch(&engine, 1).await;
    let kinds = |engine: &Engine| {
        engine.stats().warnings.into_iter().map(|warning| (warning.hook, warning.kind)).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&engine), [("broken".to_owned(), WarningKind::AlwaysFails)]);
    dispatch(&engine, NEVER_MATCHED_AFTER - 5).await;
    let warnings = engine.stats().warnings;
    let [misspelt, broken] = warnings.as_slice() else { panic!("{warnings:?}") };
    assert_eq!((misspelt.kind, broken.kind), (WarningKind::NeverMatched, WarningKind::AlwaysFails));
    assert_eq!(misspelt.reason, r#"ran in none of 100 dispatches; its matcher is {"tool":"Bsh"}"#);
    assert!(misspelt.fix.contains("its event had the tools Bash (did you mean `Bash`?)"), "{}", misspelt.fix);
    assert_eq!(broken.reason, "failed in all of its 100 runs (raised 100)");
}
