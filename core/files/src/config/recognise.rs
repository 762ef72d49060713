//! Which format a file has: by its name, its place and its shape.

use std::path::Path;

use super::tree::{Kind, Lines, Node, Unreadable, parse_json, parse_toml};
use hookweave_dialects::described::{SYSTEMS, System, system};
use hookweave_dialects::{Dialect, named};
use hookweave_machine::error::{Code, Error, surely_meant};

/// A format of configuration files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Claude Code's settings, and `hooks/hooks.json` of its plugins.
    Claude,
    /// Settings of a system that a file of data describes.
    Described(&'static System),
    /// Codex's `hooks.json`.
    CodexJson,
    /// Codex's `config.toml`.
    CodexToml,
    /// Gemini CLI's settings.
    Gemini,
    /// Cursor's `hooks.json`.
    Cursor,
    /// Copilot's hooks files.
    Copilot,
    /// Wingman's configuration, of all agents or of one.
    Wingman,
    /// cocode's `hooks.toml`.
    Cocode,
    /// cocode's `settings.json`.
    CocodeJson,
    /// A3S's JSON defaults.
    A3s,
    /// `hookweave.toml`.
    HookweaveToml,
    /// `hookweave.json`.
    HookweaveJson,
}

impl Format {
    /// The name of the dialect that reads the answers of its hooks.
    #[must_use]
    pub const fn dialect_name(self) -> &'static str {
        match self {
            // What its hooks read and answer is Claude Code's.
            Self::Claude | Self::CocodeJson => "claude-code",
            Self::Described(system) => system.name,
            Self::CodexJson | Self::CodexToml => "codex",
            Self::Gemini => "gemini-cli",
            Self::Cursor => "cursor",
            Self::Copilot => "copilot",
            Self::Wingman => "wingman",
            Self::Cocode => "cocode",
            Self::A3s => "a3s",
            Self::HookweaveToml | Self::HookweaveJson => "hookweave",
        }
    }

    /// The dialect that reads the answers of its hooks.
    pub fn dialect(self) -> Result<&'static dyn Dialect, Error> {
        named(self.dialect_name())
    }
}

/// What a file was taken for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recognised {
    /// The format.
    pub format: Format,
    /// Why this one, where another would fit too.
    pub because: Option<String>,
}

impl Recognised {
    const fn sure(format: Format) -> Self {
        Self { format, because: None }
    }

    fn chosen(format: Format, other: &str, by: &str) -> Self {
        let taken = format.dialect_name();
        let because =
            format!("read as a file of {taken} by {by}; {other} would fit too: set dialect=\"{other}\" if it is one");
        Self { format, because: Some(because) }
    }
}

/// Recognises a file; a dialect that the caller names decides.
pub fn recognise(file: &Path, text: &str, dialect: Option<&str>) -> Result<Recognised, Error> {
    let toml = has_extension(file, "toml");
    match dialect {
        Some(name) => by_dialect(name, toml).map(Recognised::sure),
        None => by_place(file).or_else(|| by_shape(text, toml)).ok_or_else(|| unknown(file, text, toml)),
    }
}

fn unknown(file: &Path, text: &str, toml: bool) -> Error {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let shown = file.display();
    let message = match if toml { parse_toml(text) } else { parse_json(text, true) } {
        Err(Unreadable { at, why }) => {
            let (lines, what) = (Lines::new(text), if toml { "TOML" } else { "JSON" });
            let (line, column) = (lines.line(at), lines.column(at));
            format!("{shown}:{line}:{column}: no {what} that can be read: {why}")
        }
        Ok(top) => {
            let keys = top.fields().iter().filter_map(|field| surely_meant(&field.name, ["hooks", "hookweave"]));
            let hint = keys.map(|meant| format!(" (did you mean `{meant}` at its top?)")).next().unwrap_or_default();
            format!(
                "{shown}: no hook file by its name, place or shape{hint}; set its dialect, for example \
                 dialect=\"claude-code\""
            )
        }
    };
    Error::new(Code::InvalidConfig, message)
}

fn by_dialect(name: &str, toml: bool) -> Result<Format, Error> {
    if let Some(system) = system(name).filter(|system| system.entries.is_list == toml) {
        return Ok(Format::Described(system));
    }
    let format = match (named(name)?.name(), toml) {
        ("claude-code", false) => Format::Claude,
        ("codex", false) => Format::CodexJson,
        ("codex", true) => Format::CodexToml,
        ("gemini-cli", false) => Format::Gemini,
        ("cursor", false) => Format::Cursor,
        ("copilot", false) => Format::Copilot,
        ("wingman", false) => Format::Wingman,
        ("cocode", true) => Format::Cocode,
        ("cocode", false) => Format::CocodeJson,
        ("a3s", false) => Format::A3s,
        ("hookweave", true) => Format::HookweaveToml,
        ("hookweave", false) => Format::HookweaveJson,
        (name, toml) => {
            let ending = if toml { ".toml" } else { "this ending" };
            return Err(Error::new(Code::InvalidConfig, format!("{name} has no configuration files with {ending}")));
        }
    };
    Ok(format)
}

/// Manifests, with the system whose plugin has it. A plugin that several systems know has one for each.
pub(super) const MANIFESTS: &[(&str, Option<Format>)] = &[
    (".claude-plugin/plugin.json", Some(Format::Claude)),
    (".codex-plugin/plugin.json", Some(Format::CodexJson)),
    (".cursor-plugin/plugin.json", Some(Format::Cursor)),
    (".factory-plugin/plugin.json", None),
    ("gemini-extension.json", Some(Format::Gemini)),
    (".github/plugin/plugin.json", Some(Format::Copilot)),
    ("plugin.json", Some(Format::Copilot)),
];

/// The system whose plugin a folder is, by its first manifest.
pub(super) fn plugin_format(root: &Path) -> Option<Format> {
    MANIFESTS
        .iter()
        .find(|(manifest, _)| root.join(manifest).is_file())
        .and_then(|(_, format)| format_of_manifest(*format))
}

/// Factory's format is data.
pub(super) fn format_of_manifest(format: Option<Format>) -> Option<Format> {
    format.or_else(|| system("factory").map(Format::Described))
}

/// Directories whose files belong to one system.
const HOMES: &[(&str, Format)] = &[
    (".claude", Format::Claude),
    (".gemini", Format::Gemini),
    (".cursor", Format::Cursor),
    (".copilot", Format::Copilot),
    (".wingman", Format::Wingman),
    (".cocode", Format::Cocode),
    (".cocode", Format::CocodeJson),
    ("cocode", Format::Cocode),
    (".hookweave", Format::HookweaveToml),
];

fn by_place(file: &Path) -> Option<Recognised> {
    let name = file.file_name()?.to_str()?;
    let toml = has_extension(file, "toml");
    let ours = if toml { Format::HookweaveToml } else { Format::HookweaveJson };
    // All files of this folder are Copilot's, whatever they are called.
    let parents: Vec<&str> = file.ancestors().skip(1).filter_map(|dir| dir.file_name()?.to_str()).take(4).collect();
    let in_hooks_folder = parents.first() == Some(&"hooks");
    if in_hooks_folder && matches!(parents.get(1), Some(&(".github" | ".copilot"))) {
        return Some(Recognised::sure(Format::Copilot));
    }
    let in_folder_of = |system: &&&System| system.files.folders().any(|folder| parents.contains(&folder));
    if let Some(system) = SYSTEMS.iter().find(in_folder_of).filter(|system| system.entries.is_list == toml) {
        return Some(Recognised::sure(Format::Described(system)));
    }
    // A plugin's own files are those of the system that its manifest is for. Copilot reads either shape.
    match (name, parents.first()) {
        ("hooks.json", Some(&"hooks")) => {
            if let Some(format) =
                file.parent().and_then(Path::parent).and_then(plugin_format).filter(|format| *format != Format::Copilot)
            {
                return Some(Recognised::sure(format));
            }
        }
        ("hooks.json", Some(&".codex-plugin")) => return Some(Recognised::sure(Format::CodexJson)),
        ("hooks.json", Some(&".cursor-plugin")) => return Some(Recognised::sure(Format::Cursor)),
        _ => {}
    }
    match name {
        "hookweave.toml" | "hookweave.json" | "hookweave.local.toml" | "hookweave.local.json" => {
            return Some(Recognised::sure(ours));
        }
        "wingman.config.json" => return Some(Recognised::sure(Format::Wingman)),
        "settings.local.json" | "managed-settings.json" if !is_below(file, ".cocode") => {
            return Some(Recognised::sure(Format::Claude));
        }
        _ => {}
    }
    for parent in &parents {
        if *parent == ".codex" {
            return Some(Recognised::sure(if toml { Format::CodexToml } else { Format::CodexJson }));
        }
        for format in HOMES.iter().filter(|(home, _)| home == parent).map(|(_, format)| *format) {
            match format {
                Format::HookweaveToml => return Some(Recognised::sure(ours)),
                format if toml == (format == Format::Cocode) => return Some(Recognised::sure(format)),
                _ => {}
            }
        }
    }
    None
}

/// Whether a file is in a folder of this name, or below one.
fn is_below(file: &Path, folder: &str) -> bool {
    file.ancestors().skip(1).any(|above| above.file_name().is_some_and(|name| name == folder))
}

fn by_shape(text: &str, toml: bool) -> Option<Recognised> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    if text.len() > super::tree::MAX_FILE {
        return None;
    }
    if toml {
        return toml_shape(&parse_toml(text).ok()?);
    }
    json_shape(&parse_json(text, true).ok()?)
}

fn toml_shape(top: &Node) -> Option<Recognised> {
    if top.get("hookweave").is_some() {
        return Some(Recognised::sure(Format::HookweaveToml));
    }
    match &top.get("hooks")?.kind {
        Kind::List(_) => Some(Recognised::chosen(Format::Cocode, "hookweave", "its list of hooks")),
        Kind::Object(_) => Some(Recognised::sure(Format::CodexToml)),
        _ => None,
    }
}

fn json_shape(top: &Node) -> Option<Recognised> {
    if top.get("hookweave").is_some() {
        return Some(Recognised::sure(Format::HookweaveJson));
    }
    if top.get("toolHooks").is_some() {
        return Some(Recognised::sure(Format::Wingman));
    }
    let hooks = top.get("hooks")?;
    let names: Vec<&str> = hooks.fields().iter().map(|field| field.name.as_str()).collect();
    let any = |known: &[&str]| names.iter().any(|name| known.contains(name));
    if any(&["maxHooksPerEvent", "maxTotalHooks", "defaultTimeout", "failBehavior"]) {
        return Some(Recognised::sure(Format::A3s));
    }
    if any(&["BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "PreCompress"]) {
        return Some(Recognised::sure(Format::Gemini));
    }
    if any(&["beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "afterFileEdit", "beforeSubmitPrompt"]) {
        return Some(Recognised::sure(Format::Cursor));
    }
    let entries = hooks.fields().iter().flat_map(|field| match &field.value.kind {
        Kind::List(items) => items.as_slice(),
        _ => &[],
    });
    if entries.clone().any(|entry| ["bash", "powershell", "timeoutSec"].iter().any(|field| entry.get(field).is_some()))
    {
        return Some(Recognised::sure(Format::Copilot));
    }
    if top.get("version").is_some() {
        return Some(Recognised::chosen(Format::Cursor, "copilot", "its flat entries"));
    }
    let mut groups = entries.filter(|entry| entry.get("hooks").is_some()).peekable();
    groups.peek()?;
    // Only three events and nothing but commands: Wingman's files look so, and so do many of Claude Code's.
    if names.iter().all(|name| matches!(*name, "PreToolUse" | "PostToolUse" | "Stop")) {
        return Some(Recognised::chosen(Format::Claude, "wingman", "its shape"));
    }
    Some(Recognised::chosen(Format::Claude, "codex", "its shape"))
}

fn has_extension(file: &Path, wanted: &str) -> bool {
    file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(wanted))
}
