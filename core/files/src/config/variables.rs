//! Variables that stand for a place: which of them a hook can be given, and what becomes of one that needs another.
//!
//! A guard that is called `${CLAUDE_PLUGIN_ROOT}/guard.sh` and finds the variable empty ends with 127, which most systems take
//! for a pass. So loading the file reports it.

use std::path::{Path, PathBuf};

use super::guarding::guarded;
use super::places::is_folder_of_a_system;
use super::tree::{Kind, parse_json, read_text};
use super::{Declared, Loaded, Problem, Run};
use hookweave_dialects::described::{SYSTEMS, system};
use hookweave_dialects::{Dialect, Inherits};
use hookweave_exec::command::CommandLine;

/// How many directories above its file a plugin's root is looked for.
const MAX_CLIMB: usize = 4;

/// Folders in which a plugin says what it is.
const MANIFESTS: &[&str] = &[".claude-plugin", ".codex-plugin", ".factory-plugin", ".cursor-plugin"];

/// The variables in which a built-in system's command finds the root of its plugin.
const ROOTS: &[(&str, &[&str])] = &[
    ("claude-code", &["CLAUDE_PLUGIN_ROOT"]),
    ("codex", &["PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"]),
    ("cursor", &["CURSOR_PLUGIN_ROOT"]),
];

/// The variable in which Claude Code's commands find where their plugin keeps what outlives its updates.
pub(crate) const PLUGIN_DATA: &str = "CLAUDE_PLUGIN_DATA";

/// The variables in which a built-in system's command finds the project.
const PROJECTS: &[(&str, &[&str])] = &[
    ("claude-code", &["CLAUDE_PROJECT_DIR"]),
    ("gemini-cli", &["GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"]),
    ("cursor", &["CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"]),
    ("hookweave", &["HOOKWEAVE_PROJECT_DIR"]),
];

/// Places of built-in systems without which no hook can do when its line names them.
const PLACES: &[&str] = &[
    "CLAUDE_PLUGIN_ROOT",
    PLUGIN_DATA,
    "PLUGIN_ROOT",
    "PLUGIN_DATA",
    "CURSOR_PLUGIN_ROOT",
    "extensionPath",
    "CLAUDE_PROJECT_DIR",
    "GEMINI_PROJECT_DIR",
    "CURSOR_PROJECT_DIR",
    "HOOKWEAVE_PROJECT_DIR",
];

/// Gemini CLI's word for the folder of an extension; it is filled in when the file is read.
const EXTENSION: &str = "${extensionPath}";

/// The plugin that a file of hooks belongs to by its place: `X/hooks/hooks.json`, and files near the folder in
/// which a plugin describes itself (`X/.claude-plugin/`).
pub(super) fn plugin_of(file: &Path) -> Option<PathBuf> {
    let named = |dir: &Path, names: &[&str]| {
        dir.file_name().and_then(|name| name.to_str()).is_some_and(|name| names.contains(&name))
    };
    let above: Vec<&Path> = file.ancestors().skip(1).take(MAX_CLIMB).collect();
    let within = above.iter().find(|dir| named(dir, MANIFESTS));
    if let Some(root) = within.and_then(|dir| dir.parent()) {
        return Some(root.to_path_buf());
    }
    if above.iter().any(|dir| is_folder_of_a_system(dir)) {
        return None;
    }
    let is_plugin = |dir: &&&Path| {
        MANIFESTS.iter().any(|manifest| dir.join(manifest).is_dir()) || dir.join("gemini-extension.json").is_file()
    };
    if let Some(root) = above.iter().find(is_plugin) {
        return Some(root.to_path_buf());
    }
    let usual = named(file, &["hooks.json"]) && above.first().is_some_and(|dir| named(dir, &["hooks"]));
    above.get(1).filter(|_| usual).map(|root| root.to_path_buf())
}

/// Where Claude Code keeps what a plugin writes, below its own directory: by the plugin's name and its marketplace's, which is
/// `inline` for a plugin that is named by its folder.
fn data_of(root: &Path, claude: &Path) -> PathBuf {
    let installed = root.strip_prefix(claude.join("plugins/cache")).ok();
    let parts: Vec<String> = installed.into_iter().flatten().map(|part| part.to_string_lossy().into_owned()).collect();
    let id = match parts.as_slice() {
        [marketplace, plugin, _version] => format!("{plugin}-{marketplace}"),
        _ => format!("{}-inline", name_of(root).unwrap_or_default()),
    };
    let is_kept = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    let id: String = id.chars().map(|letter| if is_kept(letter) { letter } else { '-' }).collect();
    claude.join("plugins/data").join(id)
}

/// What a plugin's manifest calls it, or its folder.
fn name_of(root: &Path) -> Option<String> {
    let manifest = read_text(&root.join(".claude-plugin/plugin.json")).ok();
    let top = manifest.and_then(|text| parse_json(&text, true).ok());
    let named = top.as_ref().and_then(|top| top.get("name")).and_then(|name| match &name.kind {
        Kind::Text(name) => Some(name.clone()),
        _ => None,
    });
    named.or_else(|| root.file_name().map(|name| name.to_string_lossy().into_owned()))
}

/// Gives a hook the place of its plugin, in the words of its system.
pub(super) fn fill(declared: &mut Declared, claude: Option<&Path>) {
    let data = declared.plugin.as_deref().zip(claude).map(|(root, claude)| data_of(root, claude));
    let Some(root) = declared.plugin.as_ref().and_then(|root| root.to_str()).map(str::to_owned) else { return };
    let dialect = declared.dialect.name();
    let Run::Command(spec) = &mut declared.run else { return };
    for name in roots(dialect) {
        spec.env.push(((*name).to_owned(), root.clone()));
    }
    if let Some(data) = data.as_ref().and_then(|data| data.to_str()).filter(|_| dialect == "claude-code") {
        spec.env.push((PLUGIN_DATA.to_owned(), data.to_owned()));
    }
    if dialect == "gemini-cli"
        && let CommandLine::Shell { text, .. } = &mut spec.line
    {
        *text = text.replace(EXTENSION, &root);
    }
}

/// The variables in which a dialect's command finds the root of its plugin.
fn roots(dialect: &str) -> &'static [&'static str] {
    system(dialect).map_or_else(|| of(ROOTS, dialect), |system| system.variables.plugin)
}

/// The variables in which a dialect's command finds the project.
fn projects(dialect: &str) -> &'static [&'static str] {
    system(dialect).map_or_else(|| of(PROJECTS, dialect), |system| system.variables.project)
}

/// What no hook can do without when its line names it.
fn places() -> impl Iterator<Item = &'static str> {
    let described = SYSTEMS.iter().flat_map(|system| system.variables.plugin.iter().chain(system.variables.project));
    PLACES.iter().chain(described).copied()
}

/// Whether a variable is one in which a system gives its hooks a place.
pub(super) fn is_place(name: &str) -> bool {
    places().any(|place| place == name)
}

fn of(table: &'static [(&str, &[&str])], dialect: &str) -> &'static [&'static str] {
    table.iter().find(|(name, _)| *name == dialect).map_or(&[], |(_, names)| names)
}

/// Removes hooks of a dialect's file that need a folder that is unknown, each with the fix.
pub(super) fn refuse_unfilled(loaded: &mut Loaded, dialect: &dyn Dialect) {
    let problems = &mut loaded.problems;
    loaded.hooks.retain(|declared| match needed(declared) {
        None => true,
        Some(name) => {
            let message = format!("it needs `{name}`, {}", fix(declared.dialect.name(), name));
            let fatal = guarded(dialect, &declared.declared_event);
            problems.extend(declared.spec.origin.as_ref().map(|origin| Problem::of_hook(origin, message, fatal)));
            false
        }
    });
}

fn fix(dialect: &str, name: &str) -> String {
    if name.ends_with("_PROJECT_DIR") {
        let own = projects(dialect).first();
        let instead = own.map_or_else(|| "$(git rev-parse --show-toplevel)".to_owned(), |own| format!("${own}"));
        return format!("which {dialect} does not set; write `{instead}`, or set the variable in this process");
    }
    "which only the hooks of a plugin have; load the plugin's own hooks/hooks.json, name the plugin's directory \
     (`plugins`, on the command line --plugin DIR), or set the variable in this process"
        .to_owned()
}

/// The first variable that a hook's command cannot do without and will not have.
fn needed(declared: &Declared) -> Option<&'static str> {
    let Run::Command(spec) = &declared.run else { return None };
    let dialect = declared.dialect;
    let set = |name: &str| {
        spec.env.iter().any(|(known, _)| known == name)
            || projects(dialect.name()).contains(&name)
            || std::env::var_os(name).is_some_and(|value| !value.is_empty()) && inherits(dialect.inherits(), name)
    };
    let texts: Vec<&str> = match &spec.line {
        CommandLine::Shell { text, .. } => vec![text],
        CommandLine::Exec { program, args } => std::iter::once(program).chain(args).map(String::as_str).collect(),
    };
    places().find(|name| !set(name) && texts.iter().any(|text| uses(text, name)))
}

fn inherits(inherits: Inherits, name: &str) -> bool {
    match inherits {
        Inherits::AllBut(prefixes) => !prefixes.iter().any(|prefix| name.starts_with(prefix)),
        Inherits::Only(names) => names.contains(&name),
    }
}

/// Whether a line names a variable without saying what to do when it is not set: `$NAME`, `${NAME}`, `${NAME%/}`, and not
/// `${NAME:-/usr}`.
fn uses(text: &str, name: &str) -> bool {
    text.match_indices('$').any(|(at, _)| {
        let rest = text.get(at + 1..).unwrap_or_default();
        let part_of_name = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if let Some(after) = rest.strip_prefix(name) {
            return !part_of_name(after);
        }
        let Some(after) = rest.strip_prefix('{').and_then(|inside| inside.strip_prefix(name)) else { return false };
        !part_of_name(after) && !after.trim_start_matches(':').starts_with(['-', '=', '+'])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_keeps_its_data_where_claude_code_does() {
        let root = tempfile::tempdir().unwrap();
        let (root, claude) = (root.path(), Path::new("/home/u/.claude"));
        let of = |root: &Path| data_of(root, claude).strip_prefix("/home/u/.claude/plugins/data").unwrap().to_owned();
        assert_eq!(of(&claude.join("plugins/cache/my.market/form@er/1.2.3")), Path::new("form-er-my-market"));
        assert_eq!(of(&root.join("safe")), Path::new("safe-inline"));
        std::fs::create_dir_all(root.join("safe/.claude-plugin")).unwrap();
        std::fs::write(root.join("safe/.claude-plugin/plugin.json"), r#"{"name": "guards"}"#).unwrap();
        assert_eq!(of(&root.join("safe")), Path::new("guards-inline"));
    }

    #[test]
    fn a_line_needs_what_it_has_no_word_for_when_it_is_missing() {
        for line in ["$X_ROOT/a.sh", "sh \"${X_ROOT}/a.sh\"", "cd ${X_ROOT%/} && ./a", "${X_ROOT:?no root}/a"] {
            assert!(uses(line, "X_ROOT"), "{line}");
        }
        for line in
            ["${X_ROOT:-/usr}/a", "${X_ROOT-/usr}/a", "$X_ROOTS/a", "X_ROOT=1 a", "${X_ROOT:+-v} a", "${XX_ROOT}"]
        {
            assert!(!uses(line, "X_ROOT"), "{line}");
        }
    }

    #[test]
    fn a_plugin_is_known_by_the_place_of_its_file() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let of = |path: &str| {
            plugin_of(&root.join(path)).map(|found| found.strip_prefix(root).unwrap().display().to_string())
        };
        assert_eq!(of("p/hooks/hooks.json").as_deref(), Some("p"));
        assert_eq!(of("p/.claude-plugin/plugin.json").as_deref(), Some("p"));
        assert_eq!(of("p/.claude-plugin/hooks/a.json").as_deref(), Some("p"));
        assert_eq!(of("p/hooks/other.json"), None);
        assert_eq!(of("p/.claude/settings.json"), None);
        assert_eq!(of("p/.claude/hooks/hooks.json"), None);
        std::fs::create_dir_all(root.join("p/.claude-plugin")).unwrap();
        assert_eq!(of("p/config/other.json").as_deref(), Some("p"));
        assert_eq!(of("p/.claude/settings.json"), None);
    }
}
