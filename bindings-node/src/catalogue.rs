//! The catalogue of events and the engine's limits, for the TypeScript layer to build its types and tables from.

use hookweave_host::dispatch::MAX_DEPTH;
use hookweave_host::event as core;
use hookweave_host::event::{BUILT_IN, COMMON_FIELDS};
use hookweave_host::payload::{MAX_NESTING, Spelling};
use napi_derive::napi;

/// A known event.
#[napi(object, object_from_js = false)]
pub struct CatalogueEntry {
    /// The canonical name.
    pub name: String,
    /// Other names that mean the same event.
    pub aliases: Vec<String>,
    /// Whether a block stops what the agent is about to do.
    pub gate: bool,
    /// The field that the `source` matcher looks at.
    pub subtype: Option<String>,
    /// The payload, without the common fields.
    pub fields: Vec<CatalogueField>,
}

/// A payload field.
#[napi(object, object_from_js = false)]
pub struct CatalogueField {
    /// In TypeScript's spelling.
    pub name: String,
    /// In the canonical spelling.
    pub canonical: String,
    /// What it holds.
    pub kind: String,
    /// Whether the payload may lack it.
    pub optional: bool,
    /// Whether hooks may replace it.
    pub modifiable: bool,
}

/// The engine's fixed limits.
#[napi(object, object_from_js = false)]
pub struct Limits {
    /// How deep dispatches may nest.
    pub max_depth: u32,
    /// How deep containers may nest in a value that is copied.
    pub max_nesting: u32,
}

fn field(field: &core::CatalogueField) -> CatalogueField {
    CatalogueField {
        name: Spelling::TypeScript.local(field.name).into_owned(),
        canonical: field.name.to_owned(),
        kind: field.kind.as_str().to_owned(),
        optional: field.optional,
        modifiable: field.modifiable,
    }
}

/// Every known event.
#[napi(catch_unwind)]
pub fn catalogue() -> Vec<CatalogueEntry> {
    BUILT_IN
        .iter()
        .map(|event| CatalogueEntry {
            name: event.name.to_owned(),
            aliases: event.aliases.iter().map(|&alias| alias.to_owned()).collect(),
            gate: event.gate,
            subtype: event.subtype.map(|name| Spelling::TypeScript.local(name).into_owned()),
            fields: event.fields.iter().map(field).collect(),
        })
        .collect()
}

/// The fields that every event carries.
#[napi(catch_unwind)]
pub fn common_fields() -> Vec<CatalogueField> {
    COMMON_FIELDS.iter().map(field).collect()
}

/// The engine's fixed limits.
#[napi(catch_unwind)]
pub fn limits() -> Limits {
    Limits { max_depth: MAX_DEPTH, max_nesting: u32::try_from(MAX_NESTING).unwrap_or(u32::MAX) }
}
