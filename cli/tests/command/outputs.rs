//! Holds what `--json` prints to the schema that `hookweave schema output` prints.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::support::Place;

/// Commands, the part of the schema that describes what they print, and whether it is a line for each record.
const COMMANDS: &[(&str, &str, bool)] = &[
    ("hookweave list --json --trust all", "list", false),
    ("hookweave list --json", "list", false),
    ("hookweave lint --json", "lint", false),
    ("hookweave lint --json broken.toml", "lint", false),
    ("hookweave lint --format sarif", "lint-sarif", false),
    ("hookweave lint --format sarif misspelt.toml", "lint-sarif", false),
    ("hookweave lint --rules --json", "lint-rules", false),
    ("hookweave explain --json --trust all --tool Bash --args '{\"command\": \"git push\"}'", "explain", false),
    ("hookweave explain --json --tool Bash", "explain", false),
    ("hookweave try --json --trust all 'git push --force'", "try", false),
    ("hookweave try --json --trust all --read .env", "try", false),
    ("hookweave scan --policy git --json scanned 2> /dev/null", "scan", false),
    ("hookweave scan --policy git --format sarif scanned/package.json", "lint-sarif", false),
    ("hookweave run --json --trust all event.json --audit log.jsonl --record runs.jsonl", "run", false),
    (
        "hookweave run --json --trust all --tool Bash --args '{\"command\": \"git push\"}' --audit log.jsonl",
        "run",
        false,
    ),
    ("hookweave test --json policy.hooktest.toml", "test", false),
    ("hookweave test --json wrong.hooktest.yaml", "test", false),
    ("hookweave replay --json --trust all runs.jsonl", "replay", false),
    ("hookweave replay --json runs.jsonl", "replay", false),
    ("hookweave trust --json", "trust", false),
    ("hookweave approvals --json", "approvals", false),
    ("hookweave convert hookweave.toml --to codex --json", "convert", false),
    ("hookweave doctor --json", "doctor", false),
    ("hookweave audit verify log.jsonl --json", "audit-verify", false),
    ("printf '{' >> log.jsonl; hookweave audit verify log.jsonl --json", "audit-verify", false),
    ("hookweave audit stats log.jsonl --json", "audit-stats", false),
    ("hookweave audit report log.jsonl --json", "audit-report", false),
    ("hookweave audit tail log.jsonl --json 2> /dev/null", "audit-record", true),
    ("hookweave audit grep push log.jsonl --json 2> /dev/null", "audit-record", true),
];

#[test]
fn what_programs_read_is_as_described() {
    let place = Place::new();
    std::fs::write(place.project.join("broken.toml"), "hookweave = 1\n[[hooks]]\nevent = \"Nope\"\ncommand = \"x\"\n")
        .unwrap();
    std::fs::write(place.project.join("misspelt.toml"), "hookweave = 1\n[[hooks]]\nevent = \"Stop\"\ncomand = \"x\"\n")
        .unwrap();
    let wrong = "hooktest: 1\nfiles: [hookweave.toml]\ncases:\n  - {name: x, try: git push, expect: block}\n";
    std::fs::write(place.project.join("wrong.hooktest.yaml"), wrong).unwrap();
    let schema: Value = serde_json::from_str(&place.output("hookweave schema output")).unwrap();
    let mut described = BTreeSet::new();
    for (command, name, by_line) in COMMANDS {
        let printed = place.output(command);
        let values: Vec<Value> = if *by_line {
            printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        } else {
            vec![serde_json::from_str(&printed).unwrap_or_else(|why| panic!("$ {command}\n{why}\n{printed}"))]
        };
        assert!(!values.is_empty(), "$ {command}");
        for value in &values {
            let wrong = differences(&schema, &schema["$defs"][name], value, name);
            assert!(wrong.is_empty(), "$ {command}\n{}", wrong.join("\n"));
            assert_eq!(twice(&printed), None, "$ {command}");
        }
        described.insert(format!("#/$defs/{name}"));
    }
    let known = schema["anyOf"].as_array().unwrap().iter().map(|part| part["$ref"].as_str().unwrap().to_owned());
    assert_eq!(described, known.collect());
}

#[test]
fn what_is_not_as_described_is_found() {
    let schema = serde_json::json!({"$defs": {"a": {
        "type": "object", "required": ["x"], "additionalProperties": false,
        "properties": {"x": {"type": "array", "items": {"enum": ["y"]}}, "z": {"anyOf": [{"type": "null"}, {"type": "integer"}]}},
    }}});
    let wrong = |value: Value| differences(&schema, &schema["$defs"]["a"], &value, "a").len();
    assert_eq!(wrong(serde_json::json!({"x": ["y"], "z": null})), 0);
    for value in [
        serde_json::json!({}),
        serde_json::json!({"x": ["z"]}),
        serde_json::json!({"x": [], "q": 1}),
        serde_json::json!({"x": [], "z": "1"}),
        serde_json::json!([]),
    ] {
        assert_eq!(wrong(value.clone()), 1, "{value}");
    }
    assert_eq!(twice("{\"a\": [{\"b\": 1}, {\"b\": 1}], \"b\": {}}"), None);
    assert_eq!(twice("{\"a\": {\"b\": 1, \"b\": 1}}"), Some("b".to_owned()));
}

/// What of a value is otherwise than a schema says: as much of JSON Schema as the one of outputs uses.
fn differences(whole: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    if let Some(name) = schema["$ref"].as_str() {
        return differences(whole, whole.pointer(name.trim_start_matches('#')).unwrap(), value, at);
    }
    if let Some(any) = schema["anyOf"].as_array() {
        let fits = any.iter().any(|schema| differences(whole, schema, value, at).is_empty());
        return if fits { Vec::new() } else { vec![format!("{at}: {value} is none of {any:?}")] };
    }
    if let Some(known) = schema["enum"].as_array() {
        return if known.contains(value) { Vec::new() } else { vec![format!("{at}: {value} is none of {known:?}")] };
    }
    match (schema["type"].as_str().unwrap(), value) {
        ("string", Value::String(_))
        | ("boolean", Value::Bool(_))
        | ("number", Value::Number(_))
        | ("null", Value::Null) => Vec::new(),
        ("integer", Value::Number(number)) if number.is_i64() || number.is_u64() => Vec::new(),
        ("array", Value::Array(items)) => {
            let items = items.iter().enumerate();
            items.flat_map(|(n, item)| differences(whole, &schema["items"], item, &format!("{at}[{n}]"))).collect()
        }
        ("object", Value::Object(fields)) => of_object(whole, schema, fields, at),
        (wanted, _) => vec![format!("{at}: {value} is no {wanted}")],
    }
}

fn of_object(whole: &Value, schema: &Value, fields: &Map<String, Value>, at: &str) -> Vec<String> {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let missing = required.filter(|name| !fields.contains_key(*name)).map(|name| format!("{at}: `{name}` is missing"));
    let mut wrong: Vec<String> = missing.collect();
    for (name, value) in fields {
        let at = format!("{at}.{name}");
        match (schema["properties"].get(name), &schema["additionalProperties"]) {
            (Some(known), _) => wrong.extend(differences(whole, known, value, &at)),
            (None, Value::Bool(false)) => wrong.push(format!("{at} is not described")),
            (None, rest @ Value::Object(_)) => wrong.extend(differences(whole, rest, value, &at)),
            (None, _) => {}
        }
    }
    wrong
}

/// A name that stands twice in one object: parsers take one of the two, and not all the same.
fn twice(text: &str) -> Option<String> {
    let mut open: Vec<BTreeSet<String>> = Vec::new();
    let mut letters = text.char_indices().peekable();
    while let Some((start, letter)) = letters.next() {
        match letter {
            '{' | '[' => open.push(BTreeSet::new()),
            '}' | ']' => _ = open.pop(),
            '"' => {
                let mut end = start + 1;
                while let Some((at, letter)) = letters.next() {
                    end = at + 1;
                    match letter {
                        '\\' => _ = letters.next(),
                        '"' => break,
                        _ => {}
                    }
                }
                let name = text[start + 1..end - 1].to_owned();
                let is_name = text[end..].trim_start().starts_with(':');
                if is_name && !open.last_mut()?.insert(name.clone()) {
                    return Some(name);
                }
            }
            _ => {}
        }
    }
    None
}
