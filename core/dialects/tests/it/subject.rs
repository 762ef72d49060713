//! Events to try a dialect on.

use std::path::PathBuf;
use std::sync::Arc;

use hookweave_dialects::{Dialect, Invocation};
use hookweave_machine::event::{CatalogueEntry, EventSpec, FieldKind};
use hookweave_machine::options::Options;
use hookweave_machine::registry::Registry;
use hookweave_machine::tool::ToolDefinition;
use hookweave_machine::tool_names;
use serde_json::{Map, Value, json};

/// The engine's knowledge of a canonical event.
pub fn spec(canonical: &str) -> Arc<EventSpec> {
    let registry: Registry<()> = Registry::new(Options::default());
    registry.snapshot().resolve(canonical).unwrap_or_else(|error| panic!("{canonical}: {error}"))
}

/// The canonical event of a declared one.
pub fn canonical(dialect: &dyn Dialect, declared: &str) -> &'static str {
    let place = dialect.place(declared, None).unwrap_or_else(|| panic!("{}: no event {declared}", dialect.name()));
    place.unwrap_or_else(|why| panic!("{}: {declared} without a matcher: {why}", dialect.name())).event
}

/// A value for a field that means nothing in particular.
fn value(name: &str, kind: FieldKind) -> Value {
    match (name, kind) {
        ("tool", _) => json!("Bash"),
        ("args", _) => json!({"command": "ls -l", "description": "Lists files"}),
        ("result", _) => json!({"success": true, "output": "done", "duration": 12}),
        ("file_path", _) => json!("/project/src/main.rs"),
        ("trigger", _) => json!("auto"),
        ("tool_calls", _) => json!([]),
        ("tools" | "globs" | "suggestions" | "messages" | "candidates" | "changed_files", _) => json!(["one"]),
        ("action", _) => json!("accept"),
        ("event", _) => json!("change"),
        (name, FieldKind::Text | FieldKind::Any) => json!(format!("some {name}")),
        (_, FieldKind::Number) => json!(7),
        (_, FieldKind::Flag) => json!(false),
        (_, FieldKind::List) => json!([]),
        (_, FieldKind::Object | FieldKind::Record) => json!({}),
    }
}

/// A payload with every field of the catalogue, and what every event carries.
pub fn payload(known: &CatalogueEntry) -> Map<String, Value> {
    let mut payload = common(known.name);
    payload.extend(known.fields.iter().map(|field| (field.name.to_owned(), value(field.name, field.kind))));
    payload
}

fn common(event: &str) -> Map<String, Value> {
    let common = json!({"event_type": event, "session_id": "session-1", "timestamp": 1_790_000_000_000_u64, "cwd": "/project", "metadata": {}});
    common.as_object().cloned().unwrap_or_default()
}

/// An event on its way to a hook; without a payload one is made up.
pub fn invocation(
    dialect: &dyn Dialect,
    declared: &str,
    given: Option<Map<String, Value>>,
    tool: Option<ToolDefinition>,
) -> Invocation {
    let event = spec(canonical(dialect, declared));
    let known = event.built_in().unwrap_or_else(|| panic!("{declared} is not built in"));
    let payload = match given {
        Some(given) => {
            let mut payload = common(known.name);
            payload.extend(given);
            payload
        }
        None => payload(known),
    };
    Invocation {
        event,
        declared_event: declared.to_owned(),
        payload,
        tool,
        project_dir: Some(PathBuf::from("/project")),
        empty_transcript: Some(PathBuf::from("/empty.jsonl")),
        depth: 0,
    }
}

/// A payload in which one field, by its dotted path, is this text.
pub fn with_field(event: &EventSpec, field: &str, text: &str) -> Value {
    let known = event.built_in().expect("dialects know built-in events");
    let mut payload = payload(known);
    let mut at = &mut payload;
    let mut names: Vec<&str> = field.split('.').collect();
    let last = names.pop().expect("a path has a name");
    for name in names {
        let inner = at.entry(name).or_insert_with(|| json!({}));
        at = inner.as_object_mut().expect("the path leads through objects");
    }
    at.insert(last.to_owned(), json!(text));
    Value::Object(payload)
}

/// The engine's name of a tool that the hook sees under a dialect's name.
pub fn tool(dialect: &dyn Dialect, theirs: &str) -> String {
    tool_names::from_dialect(dialect.name(), theirs).into_owned()
}
