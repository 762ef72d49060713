//! The schemas of our own wire are those of the catalogue, and mean what the engine means.
//!
//! `UPDATE_DOCS=1 cargo test -p hookweave-files --test it wire_schema` writes cli/schemas anew.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookweave_dialects::Invocation;
use hookweave_machine::answer::{self, Reading};
use hookweave_machine::event::{BUILT_IN, COMMON_FIELDS, CatalogueEntry, CatalogueField, FieldKind};
use hookweave_machine::json::Json;
use hookweave_machine::options::Options;
use hookweave_machine::registry::Registry;
use serde_json::{Map, Value, json};

use crate::json_schema::Schema;

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

fn path(name: &str) -> PathBuf {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    repository.join(format!("cli/schemas/{name}.schema.json"))
}

fn kind(kind: FieldKind) -> Option<&'static str> {
    match kind {
        FieldKind::Any => None,
        FieldKind::Text => Some("string"),
        FieldKind::Number => Some("number"),
        FieldKind::Flag => Some("boolean"),
        FieldKind::List => Some("array"),
        FieldKind::Object | FieldKind::Record => Some("object"),
    }
}

/// What a payload may hold in a field; what may be missing may be null too.
fn sent(field: &CatalogueField) -> (String, Value) {
    let mut schema = Map::new();
    if let Some(kind) = kind(field.kind) {
        schema.insert("type".to_owned(), if field.optional { json!([kind, "null"]) } else { json!(kind) });
    }
    if field.modifiable {
        schema.insert("description".to_owned(), json!("Hooks may replace it."));
    }
    (field.name.to_owned(), Value::Object(schema))
}

fn required(fields: &[CatalogueField]) -> Vec<&'static str> {
    fields.iter().filter(|field| !field.optional).map(|field| field.name).collect()
}

fn event_definition(event: &CatalogueEntry) -> Value {
    let what = if event.gate {
        "A gate: a block stops what the agent is about to do."
    } else {
        "It observes: a block is feedback."
    };
    json!({
        "description": what,
        "properties": event.fields.iter().map(sent).collect::<Map<_, _>>(),
        "required": required(event.fields),
    })
}

fn event_schema() -> Value {
    let mut properties =
        Map::from_iter([("hookweave".to_owned(), json!({"const": 1, "description": "The version of the format."}))]);
    properties.extend(COMMON_FIELDS.iter().map(sent));
    let is = |event: &CatalogueEntry| {
        let reference = format!("#/$defs/{}", event.name);
        json!({"if": {"properties": {"event_type": {"const": event.name}}}, "then": {"$ref": reference}})
    };
    let mut always = vec!["hookweave"];
    always.extend(required(COMMON_FIELDS));
    json!({
        "$schema": DIALECT,
        "$id": "urn:hookweave:event:1",
        "title": "An event as a hook of `hookweave.toml` reads it",
        "description": "Generated from the catalogue of events. Fields that are not named here may come. An event that a program has defined has any payload.",
        "type": "object",
        "properties": properties,
        "required": always,
        "allOf": BUILT_IN.iter().map(is).collect::<Vec<_>>(),
        "$defs": BUILT_IN.iter().map(|event| (event.name.to_owned(), event_definition(event))).collect::<Map<_, _>>(),
    })
}

/// Parts of an answer beside its reason.
const PARTS_BESIDE_REASON: &[&str] =
    &["action", "modified", "inject", "message", "ask", "delay_ms", "suppress_output", "share", "ext"];

/// What an answer to one event may modify; to a gate no reason stands alone.
fn answer_definition(event: &CatalogueEntry) -> Value {
    let modifiable = event.fields.iter().filter(|field| field.modifiable);
    let fields = modifiable.map(|field| {
        let schema = kind(field.kind).map_or_else(|| json!({}), |kind| json!({"type": kind}));
        (field.name.to_owned(), schema)
    });
    let fields: Map<String, Value> = fields.collect();
    let mut definition = json!({
        "description": format!("An answer to {}.", event.name),
        "$ref": "#",
        "properties": {"modified": {"properties": fields, "additionalProperties": false}},
    });
    if event.gate {
        definition["not"] = json!({"$ref": "#/$defs/reason_alone"});
    }
    definition
}

/// A reason without anything else.
fn reason_alone() -> Value {
    let nothing = PARTS_BESIDE_REASON.iter().map(|part| ((*part).to_owned(), json!({"type": "null"})));
    let mut alone: Map<String, Value> = nothing.collect();
    alone.insert("reason".to_owned(), json!({"type": "string"}));
    json!({"properties": alone, "required": ["reason"]})
}

fn one_or_many(item: &Value) -> Value {
    json!({"anyOf": [item, {"type": "array", "items": item}, {"type": "null"}]})
}

fn answer_schema() -> Value {
    let text = json!({"type": ["string", "null"]});
    let injection = json!({"anyOf": [{"type": "string"}, {
        "type": "object",
        "properties": {
            "content": {"type": "string"},
            "role": {"enum": ["system", "user", "assistant", null], "description": "Defaults to system."},
            "ephemeral": {"type": ["boolean", "null"], "description": "For the next model call only."},
        },
        "required": ["content"],
        "additionalProperties": false,
    }]});
    let message = json!({"anyOf": [{"type": "string"}, {
        "type": "object",
        "properties": {"text": {"type": "string"}, "level": {"enum": ["info", "warning", "error", null]}},
        "required": ["text"],
        "additionalProperties": false,
    }]});
    let ask = json!({"anyOf": [{"type": ["string", "null"]}, {
        "type": "object",
        "properties": {
            "prompt": text,
            "options": {"anyOf": [{"type": "array", "items": {"type": "string"}, "minItems": 1}, {"type": "null"}]},
            "timeout_ms": {"type": ["number", "null"], "exclusiveMinimum": 0, "maximum": 86_400_000},
            "default": {"enum": ["deny", "allow", null], "description": "The effect of a timeout; defaults to deny."},
            "remember": {"enum": ["tool", "prompt", null]},
        },
        "additionalProperties": false,
    }]});
    let mut definitions: Map<String, Value> =
        BUILT_IN.iter().map(|event| (event.name.to_owned(), answer_definition(event))).collect();
    definitions.insert("reason_alone".to_owned(), reason_alone());
    json!({
        "$schema": DIALECT,
        "$id": "urn:hookweave:answer:1",
        "title": "What a hook of `hookweave.toml` answers",
        "description": "Generated beside the catalogue of events. Empty output is no objection. #/$defs/EVENT is the answer to one event.",
        "type": "object",
        "properties": {
            "hookweave": {"const": 1, "description": "The version of the format."},
            "action": {"enum": ["continue", "allow", "ask", "block", "retry", "skip", "stop", null]},
            "reason": text,
            "modified": {"type": ["object", "null"], "description": "New values of payload fields."},
            "inject": one_or_many(&injection),
            "message": one_or_many(&message),
            "ask": ask,
            "delay_ms": {"type": ["number", "null"], "minimum": 0, "maximum": 86_400_000},
            "suppress_output": {"type": ["boolean", "null"]},
            "share": {"type": ["object", "null"], "description": "Values by key for later hooks of the same dispatch."},
            "ext": {"type": ["object", "null"], "additionalProperties": {"type": "object"}},
        },
        "additionalProperties": false,
        "if": {"properties": {"delay_ms": {"type": "number"}}, "required": ["delay_ms"]},
        "then": {"properties": {"action": {"const": "retry"}}, "required": ["action"]},
        "$defs": definitions,
    })
}

fn is_written(name: &str, schema: &Value) {
    let text = serde_json::to_string_pretty(schema).expect("a schema is JSON") + "\n";
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path(name), &text).expect("the schema can be written");
    }
    let written = std::fs::read_to_string(path(name)).unwrap_or_default();
    assert!(
        written == text,
        "cli/schemas/{name}.schema.json is stale: UPDATE_DOCS=1 cargo test -p hookweave-files --test it"
    );
}

#[test]
fn the_schemas_are_those_of_the_catalogue() {
    is_written("event", &event_schema());
    is_written("answer", &answer_schema());
}

/// The schema of answers to one event.
fn answers_to(event: &str) -> Schema {
    let mut schema = answer_schema();
    let definition = schema.pointer(&format!("/$defs/{event}")).cloned().expect("every event is defined");
    let extra = definition.pointer("/properties/modified").cloned().expect("a definition says what may be modified");
    let modified = schema.pointer_mut("/properties/modified").and_then(Value::as_object_mut).expect("it is an object");
    modified.extend(extra.as_object().cloned().unwrap_or_default());
    if let Some(not) = definition.get("not") {
        schema["not"] = not.clone();
    }
    Schema::new(&schema, &[])
}

fn payload(event: &CatalogueEntry) -> Map<String, Value> {
    let value = |field: &CatalogueField| match kind(field.kind) {
        None | Some("string") => json!("x"),
        Some("number") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        _ => json!({}),
    };
    let all = COMMON_FIELDS.iter().chain(event.fields).map(|field| (field.name.to_owned(), value(field)));
    let mut payload: Map<String, Value> = all.collect();
    payload.insert("event_type".to_owned(), json!(event.name));
    payload
}

#[test]
fn what_hooks_of_ours_read_fits_the_schema() {
    let schema = Schema::new(&event_schema(), &[]);
    let hookweave = hookweave_dialects::named("hookweave").expect("the dialect is there");
    for known in BUILT_IN {
        let registry: Registry<()> = Registry::new(Options::default());
        let event = registry.resolve(known.name).expect("the catalogue knows itself");
        let invocation = |payload| Invocation {
            event: Arc::clone(&event),
            declared_event: known.name.to_owned(),
            payload,
            tool: None,
            project_dir: None,
            empty_transcript: None,
            depth: 0,
        };
        let body = hookweave.encode(&invocation(payload(known))).body;
        assert_eq!(schema.mistakes(&body), None, "{}", known.name);
        assert!(hookweave.event_from_wire(&body).is_ok(), "{}", known.name);
        for field in known.fields.iter().filter(|field| field.kind != FieldKind::Any) {
            let mut wrong = body.clone();
            wrong[field.name] = if field.kind == FieldKind::Flag { json!("x") } else { json!(true) };
            assert!(!schema.takes(&wrong), "{}.{} may be anything", known.name, field.name);
            assert!(hookweave.event_from_wire(&wrong).is_err(), "{}.{} is read as anything", known.name, field.name);
        }
    }
    let body =
        json!({"hookweave": 2, "event_type": "SessionStart", "session_id": "s", "timestamp": 1, "source": "startup"});
    assert!(!schema.takes(&body), "an unknown version fits");
}

/// Answers, good and bad, for one field each.
const PARTS: &[(&str, &str)] = &[
    ("action", r#"["continue", "allow", "ask", "block", "retry", "skip", "stop", null, "deny", "Block", 1, true]"#),
    ("reason", r#"["x", "", null, 1, ["x"]]"#),
    (
        "modified",
        r#"[{}, null, {"args": {}}, {"args": []}, {"args": null}, {"result": {}}, {"prompt": "x"}, {"tool": "x"}, []]"#,
    ),
    (
        "inject",
        r#"["x", null, [], ["x", {"content": "y"}], {"content": "x", "role": "user", "ephemeral": true}, {"role": "user"}, {"content": "x", "role": null}, {"content": 1}, {"content": "x", "role": "root"}, {"content": "x", "more": 1}, 7, [null]]"#,
    ),
    (
        "message",
        r#"["x", {"text": "x", "level": "error"}, {"text": "x", "level": "fatal"}, {"level": "info"}, [{"text": "x"}, "y"], true, null]"#,
    ),
    (
        "ask",
        r#"["x", {}, null, {"prompt": "x", "options": ["a"]}, {"options": []}, {"options": [1]}, {"timeout_ms": 0}, {"timeout_ms": 1}, {"timeout_ms": 86400001}, {"default": "allow"}, {"default": "maybe"}, {"remember": "tool"}, {"remember": "all"}, {"text": "x"}, [], 3]"#,
    ),
    ("delay_ms", r#"[0, 5, 86400000, 86400001, -1, "5", null]"#),
    ("suppress_output", r#"[true, false, null, 1, "yes"]"#),
    ("share", r#"[{}, null, {"a": {}}, {"a": null, "b": 1}, [], 1]"#),
    ("ext", r#"[{}, null, {"a": {}}, {"a": {"b": 1}}, {"a": 1}, {"a": null}, []]"#),
    ("decision", r#"["block", null]"#),
];

#[test]
fn an_answer_fits_the_schema_when_the_engine_takes_it() {
    let part = |(name, values): &(&str, &str)| -> Vec<(String, Value)> {
        let values: Vec<Value> = serde_json::from_str(values).expect("the parts are JSON");
        values.into_iter().map(|value| ((*name).to_owned(), value)).collect()
    };
    let parts: Vec<(String, Value)> = PARTS.iter().flat_map(part).collect();
    let mut answers: Vec<Map<String, Value>> = vec![Map::new()];
    for (index, first) in parts.iter().enumerate() {
        answers.push(Map::from_iter([first.clone()]));
        answers.extend(parts.iter().skip(index + 1).map(|second| Map::from_iter([first.clone(), second.clone()])));
    }
    let registry: Registry<()> = Registry::new(Options::default());
    let (mut good, mut bad) = (0, 0);
    for name in ["PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart"] {
        let event = registry.resolve(name).expect("the event is known");
        let schema = answers_to(name);
        for answer in &answers {
            let value = Value::Object(answer.clone());
            let taken = !matches!(answer::read(&Json, &event, &&value), Reading::Invalid(_));
            if taken {
                good += 1;
            } else {
                bad += 1;
            }
            assert_eq!(schema.takes(&value), taken, "{name}: {value}");
        }
    }
    assert!(good > 1000 && bad > 1000, "{good} good, {bad} bad");
    println!("{good} answers that the engine takes fit, {bad} others do not");
}

#[test]
fn the_answer_to_each_event_can_be_referred_to() {
    let schema = answer_schema();
    let good = json!({"modified": {"args": {"command": "ls"}}});
    for (event, fits) in [("PreToolUse", true), ("PostToolUse", false), ("SessionStart", false)] {
        // A schema that refers to a definition, and whose `#` is still the answer.
        let pointed = json!({"$schema": DIALECT, "$ref": format!("urn:hookweave:answer:1#/$defs/{event}")});
        let pointed = Schema::new(&pointed, &[&schema]);
        assert_eq!(pointed.takes(&good), fits, "{event}");
        assert!(pointed.takes(&json!({"action": "block", "reason": "no"})), "{event}");
        assert!(!pointed.takes(&json!({"action": "deny"})), "{event}");
    }
}
