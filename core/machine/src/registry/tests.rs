//! What the index selects is what asking every hook would select, however the hooks came and went.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{HookId, Registry};
use crate::dispatch::{self, HandlerResult, Report, begin};
use crate::hook::HookSpec;
use crate::index::BUILT;
use crate::json::Json;
use crate::once::UsedOnce;
use crate::options::Options;

const EVENT: &str = "PreToolUse";

fn unlimited() -> Registry<()> {
    Registry::new(Options { max_hooks_per_event: None, max_total_hooks: None, ..Options::default() })
}

fn add(registry: &Registry<()>, matcher: &Value, priority: i64) -> HookId {
    let hook = json!({"matcher": matcher, "priority": priority});
    let spec = HookSpec::read(&Json, EVENT, &&hook).expect("a hook");
    registry.register(spec, ()).expect("registered")
}

/// The hooks that the index selects.
fn selected(registry: &Registry<()>, payload: &Value) -> Vec<HookId> {
    let snapshot = registry.snapshot();
    let event = snapshot.event(EVENT).expect("an event");
    snapshot.plan(&Json, event, &payload).plan.calls().iter().map(|call| call.entry().id()).collect()
}

/// Those that are selected when each is asked.
fn asked(registry: &Registry<()>, payload: &Value) -> Vec<HookId> {
    let snapshot = registry.snapshot();
    let event = registry.resolve(EVENT).expect("an event");
    let input = snapshot.match_input(&Json, &event, payload);
    let names = input.tool_names();
    let ids = registry.list().into_iter().filter(|info| info.enabled).filter_map(|info| HookId::parse(&info.id));
    let entries = ids.filter_map(|id| registry.entry(id));
    let selects = |matcher: &crate::matcher::Matcher| {
        matcher.judge_tool(names.as_deref()).selects && matcher.judge_rest(&input).selects
    };
    entries.filter(|entry| selects(entry.matcher())).map(|entry| entry.id()).collect()
}

/// Matchers of every kind that the index knows, and of some that it does not.
fn matcher(kind: usize, number: usize) -> Value {
    match kind % 14 {
        0 => json!({"command_pattern": format!(r"\bjob-{number}\b")}),
        1 => json!({"path_pattern": format!("*.x{number}")}),
        2 => json!({"path_pattern": format!("src/{number}/**")}),
        3 => json!({"args": {"name": {"regex": format!("^n{number}$")}}}),
        4 => json!({"args": {"name": format!("n{number}|m*{number}")}}),
        5 => json!({"args": {"name": {"equals": format!("n{number}")}}}),
        6 => json!({"args": {"a.b": {"regex": format!("{number}")}}}),
        7 => json!({"session": format!("s{number}|t-{number}-*")}),
        8 => json!({"agent": format!("a{number}")}),
        9 => json!({"rule": format!("Bash(job-{number} *)")}),
        10 => json!({"rule": format!("Edit(src/{number}/**)")}),
        11 => json!({"tool": if number.is_multiple_of(2) { "Bash" } else { "Edit|Write" }}),
        12 => json!({"command_pattern": format!("job-(?={number})")}),
        _ => json!({"tool": "Bash", "command_pattern": format!("job-{number}"), "session": "s1|s2"}),
    }
}

fn payloads() -> Vec<Value> {
    vec![
        json!({"tool": "Bash", "session_id": "s1", "agent_id": "a2", "args": {"command": "cd x && job-1 now; job-3 a"}}),
        json!({"tool": "Bash", "session_id": "t-2-x", "args": {"command": "job-$X", "name": "n4"}}),
        json!({"tool": "Bash", "args": {"command": "echo 'unclosed", "name": 7}}),
        json!({"tool": "PowerShell", "args": {"command": "job-2 | & { x }"}}),
        json!({"tool": "Edit", "cwd": "/w", "session_id": "s3", "args": {"file_path": "/w/src/2/a.x1", "name": "mm3"}}),
        json!({"tool": "Edit", "args": {"file_path": "$HOME/b.x2", "a": {"b": "123"}}}),
        json!({"tool": "Write", "args": {"name": ["n1"], "a": {"b": null}}}),
        json!({"tool": 7, "session_id": 7, "agent_id": null, "args": "x"}),
        json!({"tool": "Other", "agent_id": "a1"}),
        json!({}),
    ]
}

#[derive(Debug, Clone)]
enum Step {
    Add(usize, usize, i64),
    Remove(usize),
    Switch(usize, bool),
    Dispatch(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0_usize..14, 0_usize..5, -1_i64..2).prop_map(|(kind, number, priority)| Step::Add(kind, number, priority)),
        2 => (0_usize..500).prop_map(Step::Remove),
        1 => (0_usize..500, any::<bool>()).prop_map(|(at, on)| Step::Switch(at, on)),
        2 => (0_usize..10).prop_map(Step::Dispatch),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_index_selects_what_asking_every_hook_does(steps in proptest::collection::vec(step(), 1..400)) {
        let (registry, payloads) = (unlimited(), payloads());
        let mut ids = Vec::new();
        for step in steps {
            let at = |at: usize, ids: &[HookId]| at.checked_rem(ids.len()).unwrap_or_default();
            match step {
                Step::Add(kind, number, priority) => ids.push(add(&registry, &matcher(kind, number), priority)),
                Step::Remove(place) if !ids.is_empty() => {
                    let id = ids.remove(at(place, &ids));
                    prop_assert!(registry.unregister(id));
                }
                Step::Switch(place, on) if !ids.is_empty() => {
                    prop_assert!(registry.set_enabled(ids[at(place, &ids)], on).is_ok());
                }
                Step::Dispatch(which) => {
                    prop_assert_eq!(selected(&registry, &payloads[which]), asked(&registry, &payloads[which]));
                }
                Step::Remove(_) | Step::Switch(..) => {}
            }
        }
        for payload in &payloads {
            prop_assert_eq!(selected(&registry, payload), asked(&registry, payload), "{}", payload);
        }
    }
}

/// How many sets a function makes.
fn built(work: impl FnOnce()) -> usize {
    let before = BUILT.get();
    work();
    BUILT.get() - before
}

#[test]
fn one_more_hook_makes_no_more_than_one_set() {
    for kind in [0, 1, 2, 3, 4, 7, 8, 9] {
        let registry = unlimited();
        let ids: Vec<HookId> = (0..1000).map(|number| add(&registry, &matcher(kind, number), 0)).collect();
        let payload = json!({"tool": "Bash", "cwd": "/w", "session_id": "s1", "agent_id": "a1",
            "args": {"command": "job-1 x", "file_path": "/w/src/1/a.x1", "name": "n1"}});
        let first = built(|| assert!(selected(&registry, &payload).contains(&ids[1]), "{kind}"));
        assert_eq!(first, 1000_usize.div_ceil(64), "{kind}");
        let more = built(|| {
            for number in 1000..1064 {
                add(&registry, &matcher(kind, number), 0);
                assert!(selected(&registry, &payload).contains(&ids[1]), "{kind}");
            }
        });
        assert!(more <= 64 / 8, "{kind}: {more}");
        let fewer = built(|| {
            assert!(registry.unregister(ids[500]) && registry.unregister(ids[1]));
            assert!(!selected(&registry, &payload).contains(&ids[1]), "{kind}");
        });
        assert_eq!(fewer, 0, "{kind}");
    }
}

#[test]
fn a_hook_that_went_is_not_kept() {
    let registry = Registry::new(Options { max_hooks_per_event: None, max_total_hooks: None, ..Options::default() });
    let handler = std::sync::Arc::new(());
    let hook = |number: usize| {
        let spec = json!({"matcher": {"command_pattern": format!("job-{number}")}});
        HookSpec::read(&Json, EVENT, &&spec).expect("a hook")
    };
    let payload = json!({"tool": "Bash", "args": {"command": "job-1"}});
    let dispatch = |registry: &Registry<std::sync::Arc<()>>| {
        let snapshot = registry.snapshot();
        snapshot.plan(&Json, snapshot.event(EVENT).expect("an event"), &&payload).plan.calls().len()
    };
    let ids: Vec<HookId> =
        (0..200).map(|number| registry.register(hook(number), handler.clone()).expect("registered")).collect();
    assert_eq!(dispatch(&registry), 1);
    for id in &ids {
        assert!(registry.unregister(*id));
    }
    // Registered and removed between two dispatches.
    let id = registry.register(hook(1), handler.clone()).expect("registered");
    assert!(registry.unregister(id));
    assert_eq!(dispatch(&registry), 0);
    assert_eq!(std::sync::Arc::strong_count(&handler), 1);
}

/// Has a dispatch run the one `once` hook; gives the run that it has used up.
fn use_up(registry: &Registry<()>) -> Vec<UsedOnce> {
    let snapshot = registry.snapshot();
    let (payload, spec) = (json!({"tool": "Bash"}), registry.resolve(EVENT).expect("an event"));
    let planned = snapshot.plan(&Json, snapshot.event(EVENT).expect("an event"), &&payload);
    let step = begin(&Json, snapshot, spec, planned.plan, planned.reuse, payload.clone());
    let dispatch::Step::Run(mut stage) = step else { panic!("the hook runs") };
    stage.started(0);
    let dispatch::Step::Done(outcome) = stage.resume(&Json, [Report::new(HandlerResult::Nothing, 1)]) else {
        panic!("one hook runs")
    };
    outcome.used_once()
}

fn add_once(registry: &Registry<()>) -> HookId {
    let spec = HookSpec::read(&Json, EVENT, &&json!({"once": true})).expect("a hook");
    registry.register(spec, ()).expect("registered")
}

#[test]
fn a_run_that_is_given_back_is_made_again_at_its_old_place() {
    // Whether the list was cleared of hooks that have run in the meantime, or the index was made anew.
    for meanwhile in [0, 1, 2] {
        let registry = unlimited();
        let once = add_once(&registry);
        let before = registry.version();
        let used = use_up(&registry);
        assert_eq!(used.len(), 1);
        let others: Vec<HookId> = (0..meanwhile).map(|_| add(&registry, &json!({}), 0)).collect();
        assert_eq!(selected(&registry, &json!({"tool": "Bash"})), others, "it is used up");
        used.into_iter().for_each(UsedOnce::give_back);
        assert_ne!(registry.version(), before, "cached plans are outdated");
        let all: Vec<HookId> = [once].into_iter().chain(others).collect();
        assert_eq!(selected(&registry, &json!({"tool": "Bash"})), all);
        assert_eq!(registry.list().len(), all.len());
    }
}

#[test]
fn a_hook_that_was_removed_does_not_come_back() {
    for meanwhile in [0, 1] {
        let registry = unlimited();
        let once = add_once(&registry);
        let used = use_up(&registry);
        for _ in 0..meanwhile {
            add(&registry, &json!({"tool": "Edit"}), 0);
        }
        registry.unregister(once);
        used.into_iter().for_each(UsedOnce::give_back);
        assert!(selected(&registry, &json!({"tool": "Bash"})).is_empty());
    }
}

#[test]
fn a_handler_that_no_call_can_give_back_is_dropped() {
    let registry: Registry<Arc<()>> = Registry::new(Options::default());
    let handler = Arc::new(());
    let spec = |hook| HookSpec::read(&Json, EVENT, &&hook).expect("a hook");
    let once = registry.register(spec(json!({"once": true})), Arc::clone(&handler)).expect("registered");
    registry.entry(once).expect("listed").spend();
    for _ in 0..2 {
        registry.register(spec(json!({})), Arc::default()).expect("registered");
        drop(registry.snapshot());
    }
    assert_eq!(Arc::strong_count(&handler), 1);
}
