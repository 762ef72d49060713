//! The published schema says what the reader says: each field, each refusal.

use hookweave_files::config::Format;
use hookweave_machine::hook::Scope;
use serde_json::{Value, json};

use super::json_schema::Schema;
use super::read_in;

fn schema() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../cli/schemas/hookweave.schema.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Whether the reader takes a file whole; as an agent's, so that `override` is allowed.
fn reader_takes(file: &Value) -> Result<(), String> {
    let loaded = read_in(Format::HookweaveJson, Scope::Agent, &file.to_string());
    let fatal: Vec<String> = loaded.problems.iter().filter(|problem| problem.fatal).map(ToString::to_string).collect();
    if fatal.is_empty() { Ok(()) } else { Err(fatal.join("; ")) }
}

/// A hook that says one thing more than it must.
fn hook(extra: &Value) -> Value {
    let mut hook = json!({"event": "PreToolUse", "command": "x"});
    for (name, value) in extra.as_object().unwrap() {
        hook[name] = value.clone();
    }
    file(&hook)
}

fn file(hook: &Value) -> Value {
    json!({"hookweave": 1, "hooks": [hook]})
}

fn matcher(matcher: &Value) -> Value {
    hook(&json!({"matcher": matcher}))
}

/// A hook that decides by itself.
fn decision(extra: &Value) -> Value {
    let mut hook = json!({"event": "PreToolUse"});
    for (name, value) in extra.as_object().unwrap() {
        hook[name] = value.clone();
    }
    file(&hook)
}

fn webhook(extra: &Value) -> Value {
    let mut webhook = json!({"url": "https://h.example/x"});
    for (name, value) in extra.as_object().unwrap() {
        webhook[name] = value.clone();
    }
    file(&json!({"event": "Stop", "webhook": webhook}))
}

fn good() -> Vec<Value> {
    let mut all = vec![
        json!({"hookweave": 1}),
        json!({"hookweave": 1, "guard_policy_files": false}),
        json!({"hookweave": 1, "policies": ["git", "secrets:strict"]}),
        json!({"hookweave": 1, "policies": {"use": ["git"], "rules": {"git.push-force": "ask", "lines.unread": "off"}}}),
        json!({"hookweave": 1, "policies": {"use": ["git"], "enforcement": "observe"}}),
        json!({"hookweave": 1, "hooks": [], "$schema": "x"}),
        file(&json!({"event": "deploy:start", "command": ["p", "a", ""]})),
        file(
            &json!({"event": "Stop", "prompt": {"text": "ok?", "model": "m", "agent": true, "continue_on_block": false}}),
        ),
        file(&json!({"event": "Stop", "mcp_tool": {"server": "s", "tool": "t", "input": {"a": [1, {"b": null}]}}})),
        decision(&json!({"block": "no"})),
        decision(&json!({"ask": "sure?", "once": true, "priority": -5})),
        decision(&json!({"allow": true, "mandatory": true, "enforcement": "enforce"})),
        file(&json!({"use": "redact-secrets", "prompts": true, "name": "r", "priority": 3})),
        file(&json!({"use": "protect-paths", "paths": ["a/**"], "for": "any", "answer": "ask", "reason": "r"})),
        file(&json!({"use": "protect-paths", "paths": "a", "enabled": false})),
        file(&json!({"use": "limit-calls", "tool": "Bash", "max": 0, "per": "turn"})),
        file(&json!({"use": "limit-calls", "tool": "Bash", "max": 2, "per": 1.5})),
        webhook(&json!({})),
        webhook(&json!({"method": "PUT", "headers": {"A": "$B"}, "allowed_env": ["B"], "unset": "empty"})),
        webhook(&json!({"url": "http://localhost:1"})),
    ];
    for extra in [
        json!({}),
        json!({"name": "n", "description": "d"}),
        json!({"event": "tool:pre"}),
        json!({"dialect": "claude-code", "matcher": "Bash|Edit"}),
        json!({"shell": "bash", "env": {"A": "b"}, "directory": "d"}),
        json!({"timeout": 0.5}),
        json!({"timeout": "500ms"}),
        json!({"timeout": "1.5 m"}),
        json!({"priority": -2_147_483_648}),
        json!({"fail_behavior": "block", "mandatory": true}),
        json!({"enforcement": "enforce"}),
        json!({"once": true, "fail_behavior": "continue"}),
        json!({"detached": true, "mandatory": false}),
        json!({"detached": false, "mandatory": true}),
        json!({"enabled": false}),
        json!({"override": true, "name": "n"}),
        json!({"override": false}),
    ] {
        all.push(hook(&extra));
    }
    for each in [
        json!({}),
        json!({"tool": "Bash", "path_pattern": "*.rs", "command_pattern": "x", "session": "s", "agent": "a"}),
        json!({"tool_pattern": "^Ba"}),
        json!({"args": {"a.b": "g*", "c": {"regex": "x"}, "d": {"equals": [1]}}}),
    ] {
        all.push(matcher(&each));
    }
    all
}

fn bad_decisions() -> impl Iterator<Item = Value> {
    [
        json!({"block": " "}),
        json!({"block": true}),
        json!({"ask": 1}),
        json!({"allow": false}),
        json!({"allow": "yes"}),
        json!({"block": "no", "ask": "sure?"}),
        json!({"block": "no", "command": "x"}),
        json!({"block": "no", "timeout": 5}),
        json!({"block": "no", "fail_behavior": "block"}),
        json!({"allow": true, "detached": true}),
        json!({"ask": "sure?", "dialect": "claude-code"}),
        json!({"block": "no", "shell": "bash"}),
    ]
    .into_iter()
    .map(|extra| decision(&extra))
}

fn bad_ready_made() -> impl Iterator<Item = Value> {
    [
        json!({"use": "redact"}),
        json!({"use": "redact-secrets", "event": "PostToolUse"}),
        json!({"use": "redact-secrets", "paths": ["a"]}),
        json!({"use": "redact-secrets", "mandatory": true}),
        json!({"use": "redact-secrets", "command": "x"}),
        json!({"use": "protect-paths"}),
        json!({"use": "protect-paths", "paths": []}),
        json!({"use": "protect-paths", "paths": ["a"], "for": "all"}),
        json!({"use": "limit-calls", "tool": "Bash"}),
        json!({"use": "limit-calls", "tool": "Bash", "max": -1}),
        json!({"use": "limit-calls", "tool": "Bash", "max": 1, "per": "day"}),
        json!({"event": "PreToolUse", "block": "no", "max": 1}),
    ]
    .into_iter()
    .map(|entry| file(&entry))
}

fn bad() -> Vec<Value> {
    let mut all = vec![
        json!([]),
        json!({}),
        json!({"hookweave": 2}),
        json!({"hookweave": "1"}),
        json!({"hookweave": 1, "hook": []}),
        json!({"hookweave": 1, "policies": "git"}),
        json!({"hookweave": 1, "policies": ["gti"]}),
        json!({"hookweave": 1, "policies": ["git:hard"]}),
        json!({"hookweave": 1, "policies": [1]}),
        json!({"hookweave": 1, "policies": {"rules": {}}}),
        json!({"hookweave": 1, "policies": {"use": ["git"], "rules": {"git.push-force": "allow"}}}),
        json!({"hookweave": 1, "policies": {"use": ["git"], "but": []}}),
        json!({"hookweave": 1, "policies": {"use": ["git"], "enforcement": "off"}}),
        json!({"hookweave": 1, "hooks": {}}),
        json!({"hookweave": 1, "hooks": null}),
        json!({"hookweave": 1, "hooks": [1]}),
        file(&json!({"command": "x"})),
        file(&json!({"event": "Stop"})),
        file(&json!({"event": "Stop", "webhook": {"url": "https://x"}, "shell": "bash"})),
        file(&json!({"event": "Stop", "webhook": {"url": "https://x"}, "env": {}})),
        file(&json!({"event": "Stop", "webhook": {"url": "https://x"}, "directory": "d"})),
        file(&json!({"event": "Stop", "webhook": "https://x"})),
        file(&json!({"event": "Stop", "prompt": {}})),
        file(&json!({"event": "Stop", "prompt": {"text": " "}})),
        file(&json!({"event": "Stop", "prompt": {"text": "x", "modl": "m"}})),
        file(&json!({"event": "Stop", "prompt": {"text": "x", "agent": "yes"}})),
        file(&json!({"event": "Stop", "mcp_tool": {"server": "s"}})),
        file(&json!({"event": "Stop", "mcp_tool": {"server": "s", "tool": "t", "input": []}})),
        webhook(&json!({"url": "ftp://x"})),
        webhook(&json!({"url": "https:///x"})),
        webhook(&json!({"method": "GET"})),
        webhook(&json!({"headers": {"A": 1}})),
        webhook(&json!({"allowed_env": "B"})),
        webhook(&json!({"unset": "keep"})),
        webhook(&json!({"body": "x"})),
    ];
    for extra in [
        json!({"event": ""}),
        json!({"event": 3}),
        json!({"name": " "}),
        json!({"name": "n".repeat(257)}),
        json!({"description": 1}),
        json!({"timout": 3}),
        json!({"dialect": "claude"}),
        json!({"command": ""}),
        json!({"command": []}),
        json!({"command": [""]}),
        json!({"command": ["x", 1]}),
        json!({"command": "a\u{0}b"}),
        json!({"command": ["a", "b\u{0}"]}),
        json!({"command": ["x"], "shell": "bash"}),
        json!({"shell": "zsh"}),
        json!({"env": {"A": 1}}),
        json!({"env": {"A=B": "c"}}),
        json!({"env": {"": "c"}}),
        json!({"directory": 1}),
        json!({"timeout": 0}),
        json!({"timeout": -1}),
        json!({"timeout": 1e9}),
        json!({"timeout": "5"}),
        json!({"timeout": "0s"}),
        json!({"timeout": "5h"}),
        json!({"timeout": "1e2s"}),
        json!({"timeout": "-5s"}),
        json!({"timeout": null}),
        json!({"priority": 1.5}),
        json!({"priority": 2_147_483_648_i64}),
        json!({"fail_behavior": "open"}),
        json!({"enforcement": "audit"}),
        json!({"mandatory": "yes"}),
        json!({"once": 1}),
        json!({"once": true, "mandatory": true}),
        json!({"once": true, "fail_behavior": "block"}),
        json!({"detached": true, "mandatory": true}),
        json!({"detached": true, "fail_behavior": "block"}),
        json!({"enabled": null}),
        json!({"override": true}),
        json!({"webhook": {"url": "https://x"}}),
    ] {
        all.push(hook(&extra));
    }
    all.extend(bad_decisions());
    all.extend(bad_ready_made());
    for each in [
        json!(3),
        json!([]),
        json!({"tol": "Bash"}),
        json!({"tool": 3}),
        json!({"args": []}),
        json!({"args": {"a..b": "x"}}),
        json!({"args": {"": "x"}}),
        json!({"args": {"a": 3}}),
        json!({"args": {"a": {"regex": "x", "equals": 1}}}),
        json!({"args": {"a": {}}}),
    ] {
        all.push(matcher(&each));
    }
    all
}

#[test]
fn schema_and_reader_take_the_same_files() {
    let schema = Schema::new(&schema(), &[]);
    for file in good() {
        assert_eq!(reader_takes(&file), Ok(()), "{file}");
        assert_eq!(schema.mistakes(&file), None, "{file}");
    }
}

#[test]
fn schema_and_reader_refuse_the_same_files() {
    let schema = Schema::new(&schema(), &[]);
    for file in bad() {
        assert!(reader_takes(&file).is_err(), "the reader takes {file}");
        assert!(!schema.takes(&file), "the schema takes {file}");
    }
}

#[test]
fn every_field_of_the_schema_is_tried_and_every_dialect_is_in_it() {
    let schema = schema();
    let tried: String = good().iter().map(ToString::to_string).collect();
    for place in [
        "/properties",
        "/$defs/hook/properties",
        "/$defs/matcher/properties",
        "/$defs/webhook/properties",
        "/$defs/prompt/properties",
        "/$defs/mcp_tool/properties",
    ] {
        for field in schema.pointer(place).unwrap().as_object().unwrap().keys() {
            let exempt =
                place.contains("matcher") && matches!(field.as_str(), "source" | "source_pattern" | "rule" | "when");
            assert!(exempt || tried.contains(&format!("\"{field}\":")), "{place}/{field} is tried by no good file");
        }
    }
    let named: Vec<&str> = schema
        .pointer("/$defs/hook/properties/dialect/enum")
        .unwrap()
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let mut known: Vec<&str> = hookweave_dialects::ALL.iter().map(|dialect| dialect.name()).collect();
    let mut listed = named.clone();
    known.sort_unstable();
    listed.sort_unstable();
    assert_eq!(listed, known);
}

#[test]
fn matchers_of_subtypes_are_taken() {
    let schema = Schema::new(&schema(), &[]);
    for (event, matcher) in [
        ("SessionStart", json!({"source": "startup"})),
        ("SessionStart", json!({"source_pattern": "^st"})),
        ("PreToolUse", json!({"rule": "Bash(git *)"})),
        ("PreToolUse", json!({"when": "session.tool_calls > 50"})),
    ] {
        let file = file(&json!({"event": event, "command": "x", "matcher": matcher}));
        assert_eq!(reader_takes(&file), Ok(()), "{file}");
        assert!(schema.takes(&file), "{file}");
    }
}
