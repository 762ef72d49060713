//! Readers of configuration files, one file per format.
//!
//! A reader is pure: it turns a text into what it declares and touches nothing else.

mod a3s;
mod claude;
mod cocode;
mod codex;
mod copilot;
mod cursor;
mod flat;
mod gemini;
mod groups;
pub(super) mod hookweave;
mod wingman;

use super::{Format, Loaded, Source};

/// Reads a text in some format.
#[must_use]
pub fn read(format: Format, text: &str, source: &Source<'_>) -> Loaded {
    match format {
        Format::Claude => claude::read(text, source),
        Format::Factory => claude::read_factory(text, source),
        Format::CodexJson => codex::read_json(text, source),
        Format::CodexToml => codex::read_toml(text, source),
        Format::Gemini => gemini::read(text, source),
        Format::Cursor => cursor::read(text, source),
        Format::Copilot => copilot::read(text, source),
        Format::Wingman => wingman::read(text, source),
        Format::Cocode => cocode::read(text, source),
        Format::A3s => a3s::read(text, source),
        Format::HookweaveToml => hookweave::read_toml(text, source),
        Format::HookweaveJson => hookweave::read_json(text, source),
    }
}
