//! Event names, aliases and what each event carries.
//!
//! The catalogue is data ([`BUILT_IN`]); bindings export it, so that no list of events is typed twice.

mod catalogue;
mod misspelled_field;
mod table;

use crate::payload::Kind;
use crate::tally::EventTally;

pub(crate) use catalogue::place_of;
pub use catalogue::{Catalogue, EventDefinition};
pub(crate) use misspelled_field::MisspelledField;
use misspelled_field::MisspelledFields;
pub use table::{BUILT_IN, COMMON_FIELDS};

/// What kind of value a payload field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// Any value of the host's.
    Any,
    /// A string.
    Text,
    /// An integer or a number with a fraction.
    Number,
    /// A truth value.
    Flag,
    /// A list.
    List,
    /// A mapping whose names belong to the tool or the user (`args`, `metadata`, `usage`).
    Object,
    /// A mapping whose names belong to the catalogue (`result`, `response`, `context`).
    Record,
}

impl FieldKind {
    /// The kind's name in exported data and messages.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Text => "string",
            Self::Number => "number",
            Self::Flag => "boolean",
            Self::List => "list",
            Self::Object => "object",
            Self::Record => "record",
        }
    }

    /// Whether a value of this kind may stand in the field.
    #[must_use]
    #[doc(hidden)]
    pub fn accepts(self, kind: &Kind<'_>) -> bool {
        match self {
            Self::Any => true,
            Self::Text => matches!(kind, Kind::Text(_) | Kind::BadText),
            Self::Number => matches!(kind, Kind::Int(_) | Kind::BigInt(_) | Kind::Float(_)),
            Self::Flag => matches!(kind, Kind::Bool(_)),
            Self::List => matches!(kind, Kind::List(_)),
            Self::Object | Self::Record => *kind == Kind::Object,
        }
    }
}

/// One field of an event's payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CatalogueField {
    /// The engine's name, in `snake_case`.
    pub name: &'static str,
    /// What it holds.
    pub kind: FieldKind,
    /// Whether the payload may lack it.
    pub optional: bool,
    /// Whether hooks may replace it.
    pub modifiable: bool,
}

/// An event of the catalogue, as data.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct CatalogueEntry {
    /// The canonical name.
    pub name: &'static str,
    /// Other names that mean the same event.
    pub aliases: &'static [&'static str],
    /// The payload, without [`COMMON_FIELDS`].
    pub fields: &'static [CatalogueField],
    /// Whether a block stops what the agent is about to do.
    pub gate: bool,
    /// The field that the `source` matcher looks at.
    pub subtype: Option<&'static str>,
    /// A field that names a file path, beside those in `args`.
    pub path: Option<&'static str>,
}

/// A field that hooks may replace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Modifiable {
    /// The engine's name of the field.
    pub name: String,
    /// What a replacement must be.
    pub kind: FieldKind,
}

/// Everything that the engine knows of one event.
#[derive(Debug)]
pub struct EventSpec {
    name: String,
    gate: bool,
    /// It is a gate in every profile.
    own_gate: bool,
    modifiable: Vec<Modifiable>,
    built_in: Option<&'static CatalogueEntry>,
    tally: EventTally,
    misspelled_fields: MisspelledFields,
}

impl EventSpec {
    pub(crate) fn of(built_in: &'static CatalogueEntry) -> Self {
        Self {
            name: built_in.name.to_owned(),
            gate: built_in.gate,
            own_gate: built_in.gate,
            modifiable: built_in
                .fields
                .iter()
                .filter(|field| field.modifiable)
                .map(|field| Modifiable { name: field.name.to_owned(), kind: field.kind })
                .collect(),
            built_in: Some(built_in),
            tally: EventTally::default(),
            misspelled_fields: MisspelledFields::default(),
        }
    }

    pub(crate) fn custom(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            gate: true,
            own_gate: true,
            modifiable: Vec::new(),
            built_in: None,
            tally: EventTally::default(),
            misspelled_fields: MisspelledFields::default(),
        }
    }

    /// The canonical name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How often it was dispatched.
    pub(crate) const fn tally(&self) -> &EventTally {
        &self.tally
    }

    /// Fields that its payloads seem to misspell.
    pub(crate) const fn misspelled_fields(&self) -> &MisspelledFields {
        &self.misspelled_fields
    }

    /// Whether a block stops what the agent is about to do.
    #[must_use]
    pub const fn gate(&self) -> bool {
        self.gate
    }

    /// Whether it is a gate in every profile: what only a profile makes a gate has happened when it is raised.
    pub(crate) const fn is_own_gate(&self) -> bool {
        self.own_gate
    }

    /// The fields that hooks may replace.
    #[must_use]
    pub fn modifiable(&self) -> &[Modifiable] {
        &self.modifiable
    }

    /// The catalogue's entry; `None` for a custom event.
    #[must_use]
    pub const fn built_in(&self) -> Option<&'static CatalogueEntry> {
        self.built_in
    }

    /// Whether the payload can have this field; a custom event's payload can have any.
    #[must_use]
    pub fn may_have(&self, field: &str) -> bool {
        self.built_in.is_none_or(|known| known.fields.iter().any(|f| f.name == field))
    }

    /// Whether it asks if a tool may be called: its payload has to say which tool.
    pub(crate) fn gates_tools(&self) -> bool {
        self.own_gate && self.built_in.is_some_and(|known| known.fields.iter().any(|field| field.name == "tool"))
    }

    /// The field that has what a tool did, as the model is shown it.
    pub(crate) fn shown_to_model(&self) -> Option<&'static str> {
        match self.built_in?.name {
            "PostToolUse" => Some("result"),
            "PostToolUseFailure" => Some("error"),
            _ => None,
        }
    }

    /// The field that the `source` matcher looks at.
    #[must_use]
    pub fn subtype(&self) -> Option<&'static str> {
        self.built_in.map_or(Some("source"), |known| known.subtype)
    }

    /// The event's own field that names a file path.
    #[must_use]
    pub fn path(&self) -> Option<&'static str> {
        self.built_in.map_or(Some("path"), |known| known.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_aliases_are_distinct() {
        let mut names: Vec<_> = BUILT_IN.iter().flat_map(|event| event.aliases.iter().chain([&event.name])).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "an alias is used twice");
    }

    #[test]
    fn every_field_that_a_matcher_reads_exists() {
        for event in BUILT_IN {
            for field in event.subtype.iter().chain(&event.path) {
                assert!(event.fields.iter().any(|known| known.name == *field), "{}.{field}", event.name);
            }
        }
    }
}
