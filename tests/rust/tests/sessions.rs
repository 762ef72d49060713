//! Every vector of sessions, with hooks that answer at once, with futures, and in halves with handlers.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it should be")]

use std::collections::BTreeSet;
use std::path::PathBuf;

use hookweave_vectors::engine::Given;
use hookweave_vectors::session::{read_all, run};

/// Every event that a session raises by itself.
const RAISED: [&str; 25] = [
    "ContextWarning",
    "FileSuggestion",
    "GenerateEnd",
    "GenerateError",
    "GenerateStart",
    "Notification",
    "PermissionDenied",
    "PermissionGranted",
    "PermissionRequest",
    "PostCompact",
    "PostToolBatch",
    "PostToolUse",
    "PostToolUseFailure",
    "PostUserMessage",
    "PreCompact",
    "PreToolUse",
    "SessionEnd",
    "SessionStart",
    "StatusLine",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "ToolResolution",
    "UserPromptSubmit",
];

#[test]
fn each_event_of_a_session_is_raised_by_some_case() {
    let cases = read_all();
    let lists = cases.iter().filter_map(|case| case.expect.get("events")?.as_array());
    let raised: BTreeSet<&str> = lists.flatten().filter_map(|event| event.as_str()).collect();
    let missing: Vec<_> = RAISED.iter().filter(|event| !raised.contains(*event)).collect();
    assert!(missing.is_empty(), "no case has {missing:?}");
}

#[test]
fn every_case_holds() {
    let only = std::env::var("VECTORS").unwrap_or_default();
    let cases = read_all();
    let mut faults = Vec::new();
    for case in cases.iter().filter(|case| case.id.starts_with(&only)) {
        for given in [Given::Closure, Given::Future, Given::Handler] {
            for fault in run(case, given) {
                faults.push(format!("{} [{}] ({given:?}): {}\n    {fault}", case.id, case.rule, case.why));
            }
        }
    }
    let mut lines: Vec<&str> = cases.iter().map(|case| case.id.as_str()).collect();
    lines.sort_unstable();
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/vectors/sessions-rust.txt");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, lines.join("\n") + "\n").unwrap();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
