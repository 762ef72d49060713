//! Files that are written to break a reader: no panic, no hang, no unbounded memory.

use hookweave_dialects::described::SYSTEMS;
use hookweave_files::config::{Format, recognise};
use proptest::prelude::*;

use super::read_as;

const FORMATS: &[Format] = &[
    Format::Claude,
    Format::CodexJson,
    Format::CodexToml,
    Format::Gemini,
    Format::Cursor,
    Format::Copilot,
    Format::Wingman,
    Format::Cocode,
    Format::A3s,
    Format::HookweaveToml,
    Format::HookweaveJson,
];

/// Words that readers look for, so that random texts get past the first check.
const WORDS: &[&str] = &[
    "hooks",
    "PreToolUse",
    "Stop",
    "BeforeTool",
    "beforeShellExecution",
    "preToolUse",
    "matcher",
    "type",
    "command",
    "http",
    "prompt",
    "url",
    "timeout",
    "version",
    "hookweave",
    "event",
    "shell",
    "webhook",
    "headers",
    "env",
    "args",
    "if",
    "disableAllHooks",
    "mcp_tool",
    "server",
    "tool",
    "input",
    "dialect",
    "hookweave",
    "claude-code",
    "override",
    "once",
    "async",
    "toolHooks",
    "sequential",
    "bash",
    "Bash",
    "*",
    "(",
    "mcp__x",
    "https://h.example/$A",
    "",
    "\u{0}",
    "\u{202e}",
    "ä",
];

fn value() -> impl Strategy<Value = serde_json::Value> {
    let word = proptest::sample::select(WORDS);
    let leaf = prop_oneof![
        4 => word.prop_map(serde_json::Value::from),
        1 => any::<bool>().prop_map(serde_json::Value::from),
        1 => any::<i64>().prop_map(serde_json::Value::from),
        1 => any::<f64>().prop_map(serde_json::Value::from),
        1 => Just(serde_json::Value::Null),
        1 => Just(serde_json::json!(1)),
    ];
    leaf.prop_recursive(6, 60, 6, |inner| {
        let word = proptest::sample::select(WORDS);
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(serde_json::Value::from),
            proptest::collection::vec((word, inner), 0..6)
                .prop_map(|pairs| pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
        ]
    })
}

/// A file that has the right outline, filled with nonsense.
fn outlined() -> impl Strategy<Value = serde_json::Value> {
    let event = proptest::sample::select(
        &["PreToolUse", "Stop", "BeforeTool", "preToolUse", "beforeShellExecution", "deploy:x"][..],
    );
    (event, value(), value(), value()).prop_map(|(event, group, handler, top)| {
        serde_json::json!({
            "version": 1, "hookweave": 1, "top": top,
            "hooks": {event: [group, handler, {"matcher": "x", "hooks": [handler, {"type": "command", "command": handler, "timeout": group}]}]},
        })
    })
}

fn everything(text: &str) {
    let described = SYSTEMS.iter().map(|system| Format::Described(system));
    for format in FORMATS.iter().copied().chain(described) {
        let loaded = read_as(format, text);
        assert!(loaded.problems.len() <= 101);
        assert!(!loaded.broken || loaded.hooks.is_empty());
    }
    for file in ["/p/x.json", "/p/x.toml"] {
        _ = recognise(file.as_ref(), text, None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,200}") {
        everything(&text);
    }

    #[test]
    fn any_bytes_that_are_text_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        everything(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_json_is_read_without_a_panic(value in value()) {
        everything(&value.to_string());
    }

    #[test]
    fn any_file_of_the_right_outline_is_read_without_a_panic(value in outlined()) {
        everything(&value.to_string());
    }

    #[test]
    fn any_hook_of_ours_is_read_without_a_panic(hook in value(), event in proptest::sample::select(WORDS)) {
        let text = serde_json::json!({"hookweave": 1, "hooks": [hook, {"event": event, "command": hook, "matcher": hook}]});
        everything(&text.to_string());
    }

    #[test]
    fn any_toml_is_read_without_a_panic(name in "[a-z.]{1,20}", value in "[ -~]{0,40}", table in "[a-z.\\[\\]]{1,20}") {
        everything(&format!("hookweave = 1\n[[hooks]]\n{name} = {value}\n[{table}]\nevent = \"Stop\"\n"));
    }
}

#[test]
fn deep_wide_and_long_files_are_refused_or_cut() {
    let deep = "[".repeat(1_000_000);
    let deep_object = "{\"hooks\":".repeat(200_000);
    let long = format!("{{\"hooks\": \"{}\"}}", "x".repeat(5 * 1024 * 1024));
    let mistakes = format!(r#"{{"hooks": {{"Stop": [{}1]}}}}"#, "1,".repeat(100_000));
    let entry = r#"{"type": "command", "command": "x"}"#;
    let many = format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{}{entry}]}}]}}}}"#, format!("{entry},").repeat(3_000));
    let twice = format!("{{{}\"a\": 1}}", "\"a\": 1,".repeat(100_000));
    for text in [&deep, &deep_object, &long, &mistakes, &many, &twice] {
        everything(text);
    }
    let loaded = read_as(Format::Claude, &many);
    assert_eq!((loaded.hooks.len(), loaded.problems.len()), (3_001, 0));
    let loaded = read_as(Format::Claude, &mistakes);
    let last = loaded.problems.last().unwrap();
    assert!(last.message.contains("further problems") && last.fatal, "{last:?}");
    let twice = read_as(Format::Claude, &twice);
    assert!(twice.problems.len() == 101 && !twice.problems.iter().any(|problem| problem.fatal));
    assert!(read_as(Format::Claude, &long).broken);
}

#[test]
fn a_pattern_that_would_never_end_is_refused_or_bounded() {
    let bomb = serde_json::json!({"hooks": {"PreToolUse": [{"matcher": "((a{1000}){1000}){1000}", "hooks": [{"type": "command", "command": "x"}]}]}});
    let loaded = read_as(Format::Claude, &bomb.to_string());
    assert_eq!((loaded.hooks.len(), loaded.problems.len()), (0, 1));
}
