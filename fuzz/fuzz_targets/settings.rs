//! Any text as the settings of every system: a reader ends, and a file that is broken adds no hook.
#![no_main]

use std::path::PathBuf;

use hookweave_dialects::described::SYSTEMS;
use hookweave_files::config::{Format, Source, read, recognise};
use hookweave_machine::hook::Scope;
use libfuzzer_sys::fuzz_target;

const FORMATS: &[Format] = &[
    Format::Claude,
    Format::CodexJson,
    Format::CodexToml,
    Format::Gemini,
    Format::Cursor,
    Format::Copilot,
    Format::Wingman,
    Format::Cocode,
    Format::CocodeJson,
    Format::A3s,
    Format::HookweaveToml,
    Format::HookweaveJson,
];

/// Problems that a file is told of, and that there are more.
const MOST_PROBLEMS: usize = 101;

fuzz_target!(|text: &str| {
    let described = SYSTEMS.iter().map(|system| Format::Described(system));
    for format in FORMATS.iter().copied().chain(described) {
        let source = Source {
            file: PathBuf::from("/project/file"),
            scope: Scope::Project,
            dialect: format.dialect().expect("a dialect"),
            project_dir: Some(PathBuf::from("/project")),
            plugin: None,
            claude: None,
            catalogue: None,
        };
        let loaded = read(format, text, &source);
        assert!(loaded.problems.len() <= MOST_PROBLEMS, "{format:?}: {} problems", loaded.problems.len());
        assert!(!loaded.broken || loaded.hooks.is_empty(), "{format:?}: a broken file adds hooks");
    }
    for file in ["/project/x.json", "/project/x.toml"] {
        _ = recognise(file.as_ref(), text, None);
    }
});
