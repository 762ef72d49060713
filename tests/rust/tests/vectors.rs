//! Every conformance vector in every style that can run it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something is not as it should be"
)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hookweave_vectors::case::{Case, folder, read_all};
use hookweave_vectors::runner::{Style, run};
use hookweave_vectors::session;
use serde_json::Value;

/// Runs the cases on a few threads, since most of the time they wait.
fn run_all(cases: &[Case]) -> Vec<String> {
    let _corpus = hookweave_vectors::file_hooks::corpus();
    let next = AtomicUsize::new(0);
    let faults = Mutex::new(Vec::new());
    let work = || {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::SeqCst)) {
            let styles: Vec<Style> = Style::ALL.into_iter().filter(|style| style.can_run(case)).collect();
            assert!(!styles.is_empty(), "{}: no style can run it", case.id);
            for style in styles {
                let found = run(case, style);
                if !found.is_empty() {
                    let mut text = format!("{} [{}] ({style:?}): {}", case.id, case.rule, case.why);
                    for fault in found {
                        _ = write!(text, "\n    {fault}");
                    }
                    faults.lock().unwrap().push(text);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(work);
        }
    });
    let mut faults = faults.into_inner().unwrap();
    faults.sort();
    faults
}

/// The list that tools compare between languages.
fn write_list(cases: &[Case]) {
    let mut lines: Vec<String> = cases
        .iter()
        .map(|case| match case.not.get("rust") {
            Some(reason) => format!("{} # {reason}", case.id),
            None => case.id.clone(),
        })
        .collect();
    lines.sort();
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/vectors/rust.txt");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, lines.join("\n") + "\n").unwrap();
}

#[test]
fn every_vector_holds() {
    let cases = read_all();
    assert!(cases.len() >= 250, "only {} cases", cases.len());
    // While one works on a case: VECTORS=topic/name runs those alone whose id begins so.
    let only = std::env::var("VECTORS").unwrap_or_default();
    let able: Vec<Case> =
        cases.iter().filter(|case| !case.not.contains_key("rust") && case.id.starts_with(&only)).cloned().collect();
    let faults = run_all(&able);
    // What ran, whether it holds or not: a fault is one failure, here.
    if only.is_empty() {
        write_list(&cases);
    }
    assert!(faults.is_empty(), "{} runs do not hold\n\n{}\n", faults.len(), faults.join("\n"));
}

/// The rules of the cases that the crate of remote hooks runs.
fn rules_of_remote_cases() -> Vec<String> {
    let files = std::fs::read_dir(folder().join("remote")).unwrap();
    let texts = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
    let topics = texts.map(|text| serde_json::from_str::<Value>(&text).unwrap());
    let rules = |topic: Value| {
        let cases = topic["cases"].as_array().cloned().unwrap_or_default();
        cases.into_iter().map(|case| case["rule"].as_str().unwrap().to_owned())
    };
    topics.flat_map(rules).collect()
}

#[test]
fn every_rule_has_a_case_and_every_case_a_rule() {
    let text = std::fs::read_to_string(folder().join("rules.json")).unwrap();
    let rules: Vec<Value> = serde_json::from_str(&text).unwrap();
    let known: BTreeSet<&str> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    let (cases, sessions) = (read_all(), session::read_all());
    let rules_of_sessions = sessions.iter().map(|case| case.rule.as_str());
    let remote = rules_of_remote_cases();
    let rules_of_remote = remote.iter().map(String::as_str);
    let used: BTreeSet<&str> =
        cases.iter().map(|case| case.rule.as_str()).chain(rules_of_sessions).chain(rules_of_remote).collect();
    assert_eq!(known.len(), rules.len(), "a rule is listed twice");
    assert_eq!(
        used.difference(&known).collect::<Vec<_>>(),
        Vec::<&&str>::new(),
        "cases name rules that are not listed"
    );
    assert_eq!(known.difference(&used).collect::<Vec<_>>(), Vec::<&&str>::new(), "rules without a case");
}

#[test]
fn ids_are_unique() {
    let cases = read_all();
    let ids: BTreeSet<&str> = cases.iter().map(|case| case.id.as_str()).collect();
    assert_eq!(ids.len(), cases.len());
}

#[test]
fn a_wrong_expectation_is_found() {
    // The runner itself must be able to fail: turn the decision of every simple case around.
    let wrong: Vec<Case> = read_all()
        .into_iter()
        .filter(|case| case.id.starts_with("folding/") && case.concurrent.is_none())
        .filter_map(|mut case| {
            let mut expect = case.expect.all().first()?.clone();
            let flipped = if expect.get("decision")? == "block" { "continue" } else { "block" };
            expect.insert("decision".to_owned(), flipped.into());
            case.expect = hookweave_vectors::case::Many::One(expect);
            Some(case)
        })
        .collect();
    assert!(wrong.len() > 5);
    for case in &wrong {
        assert!(!run(case, Style::Facade).is_empty(), "{} held although it is wrong", case.id);
    }
}

#[test]
fn a_wrong_expectation_of_a_hook_from_a_file_is_found() {
    let cases = read_all();
    let once = |id: &str| {
        let case = cases.iter().find(|case| case.id == id).unwrap_or_else(|| panic!("there is no case {id}"));
        assert_eq!(run(case, Style::FileHooks), Vec::<String>::new(), "{id}");
        case.written.clone()
    };
    let wrong = [
        ("file-hooks-wingman/exit-2-words", "/expect/decision", "continue"),
        ("file-hooks-wingman/stdin", "/expect/saw/seen.json/tool_use_id", "t2"),
        ("file-hooks-mixed/web-json", "/server/~1hook/body/hookSpecificOutput/permissionDecisionReason", "other"),
        ("file-hooks-mixed/chain", "/expect/requests/0/method", "GET"),
        ("file-hooks-config/strict", "/load/0/error/contains/0", "hooks.json"),
        ("file-hooks-config/other-keys", "/files/0/text", "{}"),
        ("file-hooks-config/untrusted", "/load/0/untrusted/0/approval/event", "Stop"),
        ("file-hooks-hosted/model", "/judge/sees/0/model", "large"),
        ("file-hooks-hosted/mcp-tool", "/tool_caller/sees/0/input/command", "rm"),
        ("file-hooks-late/rewake", "/expect/late/0/wakes", "no"),
        ("file-hooks-lint/plain-http", "/lint/0/findings/0/rule", "remark"),
        ("file-hooks-reload/kept", "/dispatch/before/1/reload/kept/0", "later"),
    ];
    for (id, place, other) in wrong {
        let mut written = once(id);
        *written.pointer_mut(place).unwrap_or_else(|| panic!("{id} has no {place}")) = other.into();
        let case = Case::read(written).unwrap();
        assert!(!run(&case, Style::FileHooks).is_empty(), "{id} held although {place} is {other}");
    }
}

#[test]
fn a_wrong_expectation_of_another_agents_words_is_found() {
    let cases = read_all();
    let wrong = [
        ("wire/cocode-refuse", "/expect/to_wire/exit_code", "0"),
        ("wire/cursor-refuse", "/expect/to_wire/stdout/agent_message", "yes"),
        ("wire/codex-ask", "/expect/to_wire/degraded/0", "nothing"),
        ("wire/claude-code-event", "/expect/event/tool", "Agent"),
        ("wire/a3s-refused", "/expect/0/error/code", "unknown_dialect"),
    ];
    for (id, place, other) in wrong {
        let case = cases.iter().find(|case| case.id == id).unwrap_or_else(|| panic!("there is no case {id}"));
        let mut written = case.written.clone();
        *written.pointer_mut(place).unwrap_or_else(|| panic!("{id} has no {place}")) = other.into();
        let case = Case::read(written).unwrap();
        assert!(!run(&case, Style::Facade).is_empty(), "{id} held although {place} is {other}");
    }
}
