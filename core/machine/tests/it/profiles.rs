//! What a profile makes of failures that only hooks from files can have.

use hookweave_machine::dispatch::{FailureKind, HandlerResult, HookFailure, Report, Step, begin};
use hookweave_machine::hook::{FailBehavior, HookSpec};
use hookweave_machine::json::Json;
use hookweave_machine::options::{Options, Profile};
use hookweave_machine::registry::Registry;
use serde_json::json;

/// What becomes of a tool call whose one hook fails in this way.
fn blocks(profile: &str, own: Option<FailBehavior>, kind: FailureKind) -> bool {
    let registry = Registry::new(Options::of(Profile::named(profile).expect("a known profile")));
    let mut spec = HookSpec::new("PreToolUse");
    spec.fail_behavior = own;
    registry.register(spec, ()).expect("a good hook");
    let snapshot = registry.snapshot();
    let payload = json!({"tool": "Bash", "args": {}});
    let index = snapshot.event("PreToolUse").expect("the event is known");
    let planned = snapshot.plan(&Json, index, &&payload);
    let (event, plan) = (std::sync::Arc::clone(index.spec()), planned.plan);
    let Step::Run(stage) = begin(&Json, std::sync::Arc::clone(&snapshot), event, plan, planned.reuse, payload.clone())
    else {
        panic!("the hook was not planned")
    };
    match stage.resume(&Json, [Report::new(HandlerResult::Failed(HookFailure::new(kind, "it failed")), 0)]) {
        Step::Done(outcome) => outcome.blocked(),
        Step::Run(_) => panic!("there is one hook only"),
    }
}

#[test]
fn in_cocode_a_command_or_server_that_fails_has_said_no() {
    for kind in [FailureKind::Exited, FailureKind::NotStarted, FailureKind::Unreachable] {
        assert!(blocks("cocode", None, kind), "{kind}");
        assert!(!blocks("default", None, kind), "{kind}");
        assert!(!blocks("cocode", Some(FailBehavior::Continue), kind), "{kind}");
    }
    for kind in [FailureKind::Timeout, FailureKind::Raised, FailureKind::InvalidAnswer, FailureKind::Cancelled] {
        assert!(!blocks("cocode", None, kind), "{kind}");
    }
}

#[test]
fn the_other_profiles_treat_all_failures_alike() {
    const FAIL_CLOSED: [&str; 2] = ["a3s-code", "agent-hooks"];
    for profile in Profile::ALL.iter().filter(|profile| profile.name != "cocode") {
        for kind in [FailureKind::Exited, FailureKind::Timeout, FailureKind::Raised] {
            let fails_closed = FAIL_CLOSED.contains(&profile.name);
            assert_eq!(blocks(profile.name, None, kind), fails_closed, "{} {kind}", profile.name);
        }
    }
}
