//! The usual places of every system's configuration files.

use std::path::{Path, PathBuf};

use super::{Format, plugin_files};
use hookweave_dialects::described::SYSTEMS;
use hookweave_machine::hook::Scope;

/// How many directories up a project's root is looked for.
const MAX_CLIMB: usize = 64;

/// Directories of the machine and its user in which systems keep their files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Directories {
    /// The user's home.
    pub home: Option<PathBuf>,
    /// Where the user's programs keep configuration: `$XDG_CONFIG_HOME` or `~/.config`; `%APPDATA%` on Windows.
    pub config: Option<PathBuf>,
    /// Where the user's programs keep their state: `$XDG_STATE_HOME` or `~/.local/state`; `%LOCALAPPDATA%` on Windows.
    pub state: Option<PathBuf>,
    /// Claude Code's, when it is not `~/.claude`.
    pub claude: Option<PathBuf>,
    /// Codex's, when it is not `~/.codex`.
    pub codex: Option<PathBuf>,
    /// The root below which an administrator's files stand; usually `/`.
    pub machine: Option<PathBuf>,
}

impl Directories {
    /// Those of the user who runs this process.
    #[must_use]
    pub fn of_this_user() -> Self {
        let home = std::env::home_dir().filter(|home| home.is_absolute());
        let config = if cfg!(windows) { absolute("APPDATA") } else { absolute("XDG_CONFIG_HOME") };
        let state = if cfg!(windows) { absolute("LOCALAPPDATA") } else { absolute("XDG_STATE_HOME") };
        Self {
            config: config.or_else(|| home.as_ref().map(|home| home.join(".config"))),
            state: state.or_else(|| home.as_ref().map(|home| home.join(".local/state"))),
            claude: absolute("CLAUDE_CONFIG_DIR"),
            codex: absolute("CODEX_HOME"),
            machine: Some(PathBuf::from(if cfg!(windows) { "C:\\" } else { "/" })),
            home,
        }
    }

    /// Claude Code's.
    pub(super) fn claude_directory(&self) -> Option<PathBuf> {
        self.claude.clone().or_else(|| self.home.as_ref().map(|home| home.join(".claude")))
    }

    /// The same with the home by its real name.
    pub(super) fn with_real_home(&self) -> Self {
        let home = self.home.as_ref().map(|home| std::fs::canonicalize(home).unwrap_or_else(|_| home.clone()));
        Self { home, ..self.clone() }
    }

    /// The file with the settings that an administrator makes for a system, where it has one.
    #[must_use]
    pub fn managed_file(&self, dialect: &str) -> Option<PathBuf> {
        managed(self).into_iter().find(|place| place.format.dialect_name() == dialect).map(|place| place.file)
    }

    fn claude(&self) -> Option<PathBuf> {
        self.claude.clone().or_else(|| Some(self.home.as_ref()?.join(".claude")))
    }

    fn codex(&self) -> Option<PathBuf> {
        self.codex.clone().or_else(|| Some(self.home.as_ref()?.join(".codex")))
    }
}

fn absolute(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// A file that is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CandidateFile {
    pub(super) file: PathBuf,
    pub(super) format: Format,
    pub(super) scope: Scope,
    pub(super) plugin: Option<PathBuf>,
}

impl CandidateFile {
    pub(super) const fn new(file: PathBuf, format: Format, scope: Scope) -> Self {
        Self { file, format, scope, plugin: None }
    }
}

/// Files of a project that the built-in systems have.
const PROJECT: &[(&str, Format, Scope)] = &[
    (".claude/settings.json", Format::Claude, Scope::Project),
    (".claude/settings.local.json", Format::Claude, Scope::Local),
    (".codex/hooks.json", Format::CodexJson, Scope::Project),
    (".codex/config.toml", Format::CodexToml, Scope::Project),
    (".gemini/settings.json", Format::Gemini, Scope::Project),
    (".cursor/hooks.json", Format::Cursor, Scope::Project),
    (".github/copilot/settings.json", Format::Copilot, Scope::Project),
];

/// The same that come after those of described systems, our own last.
const LAST: &[(&str, Format, Scope)] = &[
    (".wingman/wingman.config.json", Format::Wingman, Scope::Project),
    (".cocode/hooks.toml", Format::Cocode, Scope::Project),
    (".cocode/settings.json", Format::CocodeJson, Scope::Project),
    (".cocode/settings.local.json", Format::CocodeJson, Scope::Local),
    ("hookweave.toml", Format::HookweaveToml, Scope::Project),
    ("hookweave.json", Format::HookweaveJson, Scope::Project),
    ("hookweave.local.toml", Format::HookweaveToml, Scope::Local),
    ("hookweave.local.json", Format::HookweaveJson, Scope::Local),
];

#[cfg(target_os = "macos")]
const MACHINE: &[(&str, Format)] = &[
    ("Library/Application Support/ClaudeCode/managed-settings.json", Format::Claude),
    ("etc/codex/requirements.toml", Format::CodexToml),
    ("Library/Application Support/GeminiCli/settings.json", Format::Gemini),
    ("Library/Application Support/Cursor/hooks.json", Format::Cursor),
    ("Library/Application Support/hookweave/hookweave.toml", Format::HookweaveToml),
    ("Library/Application Support/hookweave/hookweave.json", Format::HookweaveJson),
];
#[cfg(windows)]
const MACHINE: &[(&str, Format)] = &[
    ("Program Files\\ClaudeCode\\managed-settings.json", Format::Claude),
    ("ProgramData\\gemini-cli\\settings.json", Format::Gemini),
    ("ProgramData\\Cursor\\hooks.json", Format::Cursor),
    ("ProgramData\\hookweave\\hookweave.toml", Format::HookweaveToml),
    ("ProgramData\\hookweave\\hookweave.json", Format::HookweaveJson),
];
#[cfg(not(any(target_os = "macos", windows)))]
const MACHINE: &[(&str, Format)] = &[
    ("etc/claude-code/managed-settings.json", Format::Claude),
    ("etc/codex/requirements.toml", Format::CodexToml),
    ("etc/gemini-cli/settings.json", Format::Gemini),
    ("etc/cursor/hooks.json", Format::Cursor),
    ("etc/hookweave/hookweave.toml", Format::HookweaveToml),
    ("etc/hookweave/hookweave.json", Format::HookweaveJson),
];

/// The files of a project, below each directory from its root down to the working directory.
fn of_project() -> impl Iterator<Item = (&'static str, Format, Scope)> {
    let described = SYSTEMS.iter().flat_map(|system| {
        let shared = system.files.project.iter().map(|path| (*path, Format::Described(system), Scope::Project));
        shared.chain(system.files.local.iter().map(|path| (*path, Format::Described(system), Scope::Local)))
    });
    PROJECT.iter().copied().chain(described).chain(LAST.iter().copied())
}

/// The files of a project, by their paths below a directory.
pub(super) fn project_paths() -> impl Iterator<Item = &'static str> {
    of_project().map(|(path, ..)| path)
}

/// Every place that is looked at, wider scopes first.
pub(super) fn all(
    directories: &Directories,
    levels: &[PathBuf],
    agent: Option<&str>,
    plugins: &[PathBuf],
) -> Vec<CandidateFile> {
    let mut places = managed(directories);
    places.extend(user(directories));
    for root in plugins {
        let own = |(file, format)| CandidateFile {
            plugin: Some(root.clone()),
            ..CandidateFile::new(file, format, Scope::User)
        };
        places.extend(plugin_files::of(root).places.into_iter().map(own));
    }
    for level in levels {
        let here = of_project().map(|(path, format, scope)| CandidateFile::new(level.join(path), format, scope));
        places.extend(here.filter(|place| place.scope == Scope::Project));
        places.extend(listed(&level.join(".github/hooks"), Format::Copilot, Scope::Project));
    }
    for level in levels {
        let here = of_project().map(|(path, format, scope)| CandidateFile::new(level.join(path), format, scope));
        places.extend(here.filter(|place| place.scope == Scope::Local));
    }
    for level in levels {
        places.extend(agent.into_iter().filter(|name| is_plain(name)).flat_map(|name| of_agent(level, name)));
    }
    places
}

fn of_agent(level: &Path, name: &str) -> [CandidateFile; 3] {
    let own = level.join(".hookweave/agents");
    [
        CandidateFile::new(level.join(".wingman/agents").join(name).join("agent.json"), Format::Wingman, Scope::Agent),
        CandidateFile::new(own.join(format!("{name}.toml")), Format::HookweaveToml, Scope::Agent),
        CandidateFile::new(own.join(format!("{name}.json")), Format::HookweaveJson, Scope::Agent),
    ]
}

/// An agent's name that is one name, and no way out of the folder.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '\\', '\0']) && name != "." && name != ".."
}

fn managed(directories: &Directories) -> Vec<CandidateFile> {
    let Some(machine) = &directories.machine else { return Vec::new() };
    let mut places: Vec<CandidateFile> =
        MACHINE.iter().map(|(path, format)| CandidateFile::new(machine.join(path), *format, Scope::Managed)).collect();
    for system in SYSTEMS.iter() {
        let files = system.files.machine.iter();
        let described = Format::Described(system);
        places.extend(files.map(|path| CandidateFile::new(machine.join(path), described, Scope::Managed)));
    }
    if let Some(settings) = places.first().and_then(|place| place.file.parent()) {
        places.extend(listed(&settings.join("managed-settings.d"), Format::Claude, Scope::Managed));
    }
    places
}

fn user(directories: &Directories) -> Vec<CandidateFile> {
    let mut places = Vec::new();
    let mut add = |file: PathBuf, format: Format| places.push(CandidateFile::new(file, format, Scope::User));
    if let Some(claude) = directories.claude() {
        add(claude.join("settings.json"), Format::Claude);
    }
    if let Some(codex) = directories.codex() {
        add(codex.join("hooks.json"), Format::CodexJson);
        add(codex.join("config.toml"), Format::CodexToml);
    }
    if let Some(home) = &directories.home {
        add(home.join(".gemini/settings.json"), Format::Gemini);
        add(home.join(".cocode/settings.json"), Format::CocodeJson);
        add(home.join(".cursor/hooks.json"), Format::Cursor);
        for system in SYSTEMS.iter() {
            for path in system.files.user {
                add(home.join(path), Format::Described(system));
            }
        }
    }
    if let Some(config) = &directories.config {
        add(config.join("cocode/hooks.toml"), Format::Cocode);
        add(config.join("hookweave/hookweave.toml"), Format::HookweaveToml);
        add(config.join("hookweave/hookweave.json"), Format::HookweaveJson);
    }
    if let Some(home) = &directories.home {
        places.extend(listed(&home.join(".copilot/hooks"), Format::Copilot, Scope::User));
    }
    places
}

/// As whose a file at one of the machine's or the user's places is loaded; `None` for a file elsewhere.
pub(super) fn scope_of(file: &Path, directories: &Directories) -> Option<Scope> {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let file = real(file);
    let places = managed(directories).into_iter().chain(user(directories));
    places.filter(|place| real(&place.file) == file).map(|place| place.scope).next()
}

/// Whether nothing is there, which is no mistake.
pub(super) fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

/// The JSON files of a folder, by name.
fn listed(folder: &Path, format: Format, scope: Scope) -> Vec<CandidateFile> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Vec::new(),
        // Reading the files reports that this one cannot be read.
        Err(_) => return vec![CandidateFile::new(folder.to_path_buf(), format, scope)],
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    files.sort();
    files.into_iter().map(|file| CandidateFile::new(file, format, scope)).collect()
}

/// The directories of a project, from its repository's root down to the working directory.
///
/// Without a repository only the working directory counts: files of a parent that happens to be there, say in `/tmp`,
/// belong to no project. The user's home is no project.
pub(super) fn project_levels(cwd: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    if Some(cwd) == home {
        return vec![cwd.to_path_buf()];
    }
    let climbed: Vec<&Path> = cwd.ancestors().take(MAX_CLIMB).take_while(|dir| Some(*dir) != home).collect();
    let root = climbed.iter().position(|dir| dir.join(".git").exists()).unwrap_or(0);
    climbed.into_iter().take(root + 1).rev().map(Path::to_path_buf).collect()
}

/// The directories of a project, from the outermost in which a person approved hooks.
///
/// A repository that begins further down, or whose own folder is gone, does not end the project of what was approved.
pub(super) fn levels_of_approved(cwd: &Path, home: Option<&Path>, approved: &[&Path]) -> Vec<PathBuf> {
    let levels = project_levels(cwd, home);
    if Some(cwd) == home {
        return levels;
    }
    let above = cwd.ancestors().take(MAX_CLIMB).take_while(|dir| Some(*dir) != home);
    let outermost = above.enumerate().filter(|(_, dir)| approved.contains(dir)).map(|(at, _)| at + 1).last();
    let height = outermost.unwrap_or_default().max(levels.len());
    cwd.ancestors().take(height).collect::<Vec<_>>().into_iter().rev().map(Path::to_path_buf).collect()
}

/// The folders of places that are lists of files, so that a new file in one of them is noticed.
pub(super) fn folders(directories: &Directories, levels: &[PathBuf]) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = levels.iter().map(|level| level.join(".github/hooks")).collect();
    folders.extend(directories.home.as_ref().map(|home| home.join(".copilot/hooks")));
    folders
}

/// The project that a file belongs to by its place: the directory that holds the system's folder, or the file itself.
pub(super) fn project_of(file: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let project = match file.ancestors().skip(1).find(|dir| is_folder_of_a_system(dir)) {
        Some(folder) => folder.parent(),
        None => file.parent(),
    };
    project.filter(|dir| Some(*dir) != home && !dir.as_os_str().is_empty()).map(Path::to_path_buf)
}

/// The same, but nothing for a file whose place says nothing of a project: an administrator's file in a folder of its own.
pub(super) fn sure_project_of(file: &Path, directories: &Directories) -> Option<PathBuf> {
    let own = |name: &str| LAST.iter().any(|(path, ..)| *path == name);
    let is_sure = file.ancestors().skip(1).any(is_folder_of_a_system)
        || file.file_name().and_then(|name| name.to_str()).is_some_and(own);
    let wider = || managed(directories).into_iter().chain(user(directories)).any(|place| place.file == file);
    if is_sure && !wider() { project_of(file, directories.home.as_deref()) } else { None }
}

/// Whether a folder is the one in which a system keeps its files.
pub(super) fn is_folder_of_a_system(dir: &Path) -> bool {
    const FOLDERS: &[&str] =
        &[".claude", ".codex", ".gemini", ".cursor", ".github", ".copilot", ".wingman", ".cocode", ".hookweave"];
    let described = |name: &str| SYSTEMS.iter().any(|system| system.files.folders().any(|folder| folder == name));
    let name = dir.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| FOLDERS.contains(&name) || described(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_ends_at_its_repository_and_never_holds_the_home() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path();
        let deep = home.join("repo/a/b");
        std::fs::create_dir_all(&deep).unwrap();
        assert_eq!(project_levels(&deep, Some(home)), std::slice::from_ref(&deep));
        std::fs::create_dir_all(home.join(".git")).unwrap();
        assert_eq!(project_levels(&deep, Some(home)), std::slice::from_ref(&deep));
        std::fs::write(home.join("repo/.git"), "gitdir: elsewhere").unwrap();
        assert_eq!(project_levels(&deep, Some(home)), [home.join("repo"), home.join("repo/a"), deep]);
    }

    #[test]
    fn an_agents_name_leads_nowhere_else() {
        let named = |name: &str| all(&Directories::default(), &[PathBuf::from("/p")], Some(name), &[]).len();
        let without = all(&Directories::default(), &[PathBuf::from("/p")], None, &[]).len();
        assert_eq!(named("coder"), without + 3);
        for name in ["../x", "a/b", "..", ""] {
            assert_eq!(named(name), without, "{name}");
        }
    }
}
