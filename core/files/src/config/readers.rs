//! Readers of configuration files, one file per format.
//!
//! A reader is pure: it turns a text into what it declares and touches nothing else. What the patterns of a file may take
//! together is bounded here, since they are compiled before a person approves them.

mod a3s;
mod claude;
mod cocode;
mod cocode_settings;
mod codex;
mod copilot;
mod cursor;
mod described;
mod flat;
mod gemini;
mod groups;
pub(super) mod hookweave;
mod listed;
mod wingman;

use super::{Format, Loaded, Source};
use hookweave_machine::pattern::PatternCache;

/// Reads a text in some format.
#[must_use]
pub fn read(format: Format, text: &str, source: &Source<'_>) -> Loaded {
    let _patterns = PatternCache::of_file();
    match format {
        Format::Claude => claude::read(text, source),
        Format::Described(system) => described::read(text, source, system),
        Format::CodexJson => codex::read_json(text, source),
        Format::CodexToml => codex::read_toml(text, source),
        Format::Gemini => gemini::read(text, source),
        Format::Cursor => cursor::read(text, source),
        Format::Copilot => copilot::read(text, source),
        Format::Wingman => wingman::read(text, source),
        Format::Cocode => cocode::read(text, source),
        Format::CocodeJson => cocode_settings::read(text, source),
        Format::A3s => a3s::read(text, source),
        Format::HookweaveToml => hookweave::read_toml(text, source),
        Format::HookweaveJson => hookweave::read_json(text, source),
    }
}
