//! A3S's events, and its spelling of the engine's fields.

use std::borrow::Cow;

use serde_json::{Map, Value};

use hookweave_machine::event::{COMMON_FIELDS, CatalogueEntry, FieldKind};
use hookweave_machine::payload::Spelling;

/// A3S's event names with the engine's.
pub(super) const EVENTS: &[(&str, &str)] = &[
    ("SessionStart", "SessionStart"),
    ("SessionEnd", "SessionEnd"),
    ("GenerateStart", "GenerateStart"),
    ("GenerateEnd", "GenerateEnd"),
    ("PreToolUse", "PreToolUse"),
    ("PostToolUse", "PostToolUse"),
    ("ToolError", "PostToolUseFailure"),
    ("PermissionRequest", "PermissionRequest"),
    ("PermissionGranted", "PermissionGranted"),
    ("PermissionDenied", "PermissionDenied"),
    ("PreCompact", "PreCompact"),
    ("PostCompact", "PostCompact"),
    ("ContextWarning", "ContextWarning"),
    // The names of a3s-code, whose other events have no counterpart.
    ("session_start", "SessionStart"),
    ("session_end", "SessionEnd"),
    ("pre_prompt", "UserPromptSubmit"),
    ("generate_start", "GenerateStart"),
    ("generate_end", "GenerateEnd"),
    ("pre_tool_use", "PreToolUse"),
    ("post_tool_use", "PostToolUse"),
    ("permission_request", "PermissionRequest"),
    ("pre_compact", "PreCompact"),
    ("post_compact", "PostCompact"),
    ("post_response", "Stop"),
];

/// A field as A3S spells it: the names of the catalogue in camelCase, nothing that belongs to a tool or a user.
pub(super) fn camel(known: &CatalogueEntry, field: &str, value: &Value) -> (String, Value) {
    respelled(known, field, Spelling::TypeScript.local(field), value, |name| Spelling::TypeScript.local(name))
}

/// A field as the engine spells it; both spellings are read.
pub(super) fn snake(known: &CatalogueEntry, field: &str, value: &Value) -> (String, Value) {
    let name = Spelling::TypeScript.canonical(field);
    if !is_known(known, &name) {
        return (field.to_owned(), value.clone());
    }
    respelled(known, &name, Cow::Borrowed(&name), value, |name| Spelling::TypeScript.canonical(name))
}

fn is_known(known: &CatalogueEntry, field: &str) -> bool {
    known.fields.iter().chain(COMMON_FIELDS).any(|own| own.name == field)
}

fn respelled(
    known: &CatalogueEntry,
    field: &str,
    name: Cow<'_, str>,
    value: &Value,
    inner: impl Fn(&str) -> Cow<'_, str>,
) -> (String, Value) {
    let name = if is_known(known, field) { name.into_owned() } else { field.to_owned() };
    let is_record = known.fields.iter().any(|own| own.name == field && own.kind == FieldKind::Record);
    let value = match value {
        Value::Object(fields) if is_record => {
            fields.iter().map(|(name, value)| (inner(name).into_owned(), value.clone())).collect::<Map<_, _>>().into()
        }
        value => value.clone(),
    };
    (name, value)
}
