//! The policy guards itself: changes of the files that decide what agents may do are asked about.
//!
//! Which files these are comes from the places that are searched, so that a system that is read is guarded too.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashSet;
use serde_json::Value;

use super::configuration::Ready;
use super::links::real;
use super::places::{self, Directories};
use super::{Declared, Guard, Run};
use hookweave_audit::{is_log, logs};
use hookweave_dialects::described::SYSTEMS;
use hookweave_dialects::{Dialect, named};
use hookweave_machine::decision::Decision;
use hookweave_machine::hook::{FailBehavior, HookSpec, Scope, Timeout};
use hookweave_machine::matcher::{FileSet, MatcherSpec, Writes};

/// The name of the guard.
pub const NAME: &str = "policy-files";

/// What the guard's files are called.
const LABEL: &str = "policy files";

/// The file of the program itself.
const PROGRAM: &str = "hookweave";

/// Beside the approvals: where the command was installed.
const INSTALLED: &str = "installed.jsonl";

/// The approvals of tool calls that a user keeps, below the folder for state.
const KEPT: &str = "hookweave/approvals.json";

/// What a person is asked, and what the model reads where nobody can be asked.
const PROMPT: &str = "this may change a file that decides what agents may do or what runs by itself: hookweave's own, an \
                      agent's settings or hooks, a hook's script, a git hook or an editor's tasks. If it is wanted, a person \
                      makes the change, and approves changed hooks with `hookweave trust approve`";

/// Files beside those of hook systems: what git, agents and editors run by themselves.
const FURTHER: &[&str] = &[
    ".git/config",
    ".git/config.worktree",
    ".lefthook.yml",
    ".mcp.json",
    ".pre-commit-config.yaml",
    ".cursor/mcp.json",
    ".vscode/mcp.json",
    ".vscode/settings.json",
    ".vscode/tasks.json",
    "lefthook.yml",
];

/// Folders all of whose files count.
const FOLDERS: &[&str] = &[
    ".copilot/hooks",
    ".git/hooks",
    ".githooks",
    ".github/hooks",
    ".hookweave",
    ".husky",
    ".wingman/agents",
    "managed-settings.d",
];

/// Folders below the user's home from which the machine runs what is in them.
const RUN_FOR_USER: &[&str] =
    &[".config/autostart", ".config/systemd/user", ".local/share/systemd/user", "Library/LaunchAgents"];

/// The same for the whole machine.
const RUN_FOR_ALL: &[&str] = &[
    "/Library/LaunchAgents",
    "/Library/LaunchDaemons",
    "/etc/cron.d",
    "/etc/cron.daily",
    "/etc/cron.hourly",
    "/etc/cron.monthly",
    "/etc/cron.weekly",
    "/etc/crontab",
    "/etc/systemd",
    "/etc/xdg/autostart",
    "/var/spool/cron",
];

/// The folder in which Python keeps compiled code.
const COMPILED: &str = "__pycache__";

/// Settings of git for all repositories, below the user's home.
const GIT_OF_USER: &[&str] = &[".config/git/config", ".gitconfig"];

/// The same for all users.
const GIT_OF_ALL: &str = "/etc/gitconfig";

/// The files, as far as they are known.
#[derive(Debug)]
struct PolicyFiles {
    directories: Directories,
    levels: Vec<PathBuf>,
    agent: Option<String>,
    plugins: Vec<PathBuf>,
    /// Files by their whole paths: those of the user and the machine, named ones, approvals, scripts, the program itself.
    paths: Vec<PathBuf>,
    /// The same, as they are compared.
    named: Vec<String>,
    /// Files and folders from which the machine runs something by itself, as they are compared.
    run: Vec<String>,
    /// Folders of compiled code that Python runs in place of an unchanged script, as they are compared.
    compiled: Vec<String>,
    /// The folders in which the user's own of them belong.
    own_folders: Vec<String>,
    /// The names by which a text that is not understood names a file.
    names: FxHashSet<String>,
}

/// What the files are made of.
pub(super) struct Places<'p> {
    pub(super) directories: &'p Directories,
    pub(super) levels: &'p [PathBuf],
    pub(super) agent: Option<&'p str>,
    pub(super) plugins: &'p [PathBuf],
    /// Where approvals are kept.
    pub(super) store: Option<&'p Path>,
    /// Files that a person named, wherever they are.
    pub(super) named: &'p [PathBuf],
}

/// The hook that asks a person before one of the files, or a script of the hooks in force, is changed.
pub(super) fn guard<'r>(places: &Places<'_>, in_force: impl Iterator<Item = &'r Ready>) -> Option<Ready> {
    let files = Arc::new(PolicyFiles::new(places, in_force));
    let mut spec = HookSpec::new("PreToolUse")
        .matcher(MatcherSpec::default().writes(Writes::new(LABEL, files)))
        .fail_behavior(FailBehavior::Block)
        .mandatory(true)
        .name(NAME);
    (spec.scope, spec.timeout, spec.decides) = (Scope::Managed, Timeout::Never, true);
    let dialect: &'static dyn Dialect = named("hookweave").ok()?;
    Some(Ready {
        declared: Declared {
            spec,
            dialect,
            declared_event: "PreToolUse".to_owned(),
            run: Run::Decision(Decision::Ask(Some(PROMPT.to_owned()))),
            wakes: false,
            entry: Value::Null,
            replaces: false,
            plugin: None,
            project: None,
        },
        fingerprint: String::new(),
        guard: Arc::new(Guard::default()),
        unsure: None,
    })
}

impl PolicyFiles {
    fn new<'r>(places: &Places<'_>, in_force: impl Iterator<Item = &'r Ready>) -> Self {
        let fixed = places::all(places.directories, &[], None, places.plugins).into_iter().map(|place| place.file);
        let own = || {
            let stores =
                places.store.into_iter().flat_map(|store| [store.to_path_buf(), store.with_file_name(INSTALLED)]);
            stores.chain(places.directories.home.iter().flat_map(|home| GIT_OF_USER.iter().map(|file| home.join(file))))
        };
        // What a project is filled with is the work of its agent, what is filled beside it is not.
        let is_beside = |file: &&PathBuf| !places.levels.iter().any(|level| real(file).starts_with(level));
        // A plugin may be in a project, whose folder is not the user's own.
        let of_user = places::all(places.directories, &[], None, &[]).into_iter().map(|place| place.file);
        let beside = places.named.iter().filter(is_beside).cloned();
        let own_folders = own().chain(of_user).chain(beside).flat_map(|path| [real(&path), path]).flat_map(|path| {
            path.ancestors().skip(1).map(|folder| folder.to_string_lossy().replace('\\', "/")).collect::<Vec<_>>()
        });
        let own_folders: BTreeSet<String> = own_folders.filter(|folder| !folder.is_empty()).collect();
        let scripts: Vec<PathBuf> = in_force.flat_map(|ready| ready.guard.scripts().map(Path::to_path_buf)).collect();
        let of_python = scripts.iter().filter(|script| script.extension().is_some_and(|ending| ending == "py"));
        let compiled = of_python.filter_map(|script| Some(script.parent()?.join(COMPILED)));
        let compiled = compiled.flat_map(|path| [real(&path), path]).map(|path| spelt(&path.to_string_lossy()));
        let compiled: BTreeSet<String> = compiled.collect();
        let paths: Vec<PathBuf> = fixed
            .chain(own())
            .chain(places.directories.state.iter().map(|state| state.join(KEPT)))
            .chain(scripts)
            .chain(places.named.iter().cloned())
            .chain([PathBuf::from(GIT_OF_ALL)])
            .flat_map(|path| [real(&path), path])
            .chain(programs())
            .collect();
        let named: Vec<String> = paths.iter().map(|path| spelt(&path.to_string_lossy())).collect();
        let of_user = places.directories.home.iter().flat_map(|home| RUN_FOR_USER.iter().map(|path| home.join(path)));
        let run = of_user.chain(RUN_FOR_ALL.iter().map(PathBuf::from)).flat_map(|path| [real(&path), path]);
        let run = run.map(|path| spelt(&path.to_string_lossy())).collect();
        let relative = places::project_paths().chain(FURTHER.iter().copied());
        let known = relative.chain(FOLDERS.iter().copied()).map(str::to_owned);
        let mut names: FxHashSet<String> =
            known.chain(named.iter().cloned()).map(|path| spelt(base_name(&path))).collect();
        // Too common to say anything.
        names.remove("hooks");
        names.remove("agents");
        names.remove("config");
        names.remove("config.json");
        // The folders of the systems whose files have such names.
        names.extend(SYSTEMS.iter().flat_map(|system| system.files.folders()).map(spelt));
        names.remove(PROGRAM);
        names.extend((!compiled.is_empty()).then(|| COMPILED.to_owned()));
        Self {
            directories: places.directories.clone(),
            levels: places.levels.to_vec(),
            agent: places.agent.map(str::to_owned),
            plugins: places.plugins.to_vec(),
            paths,
            named,
            run,
            compiled: compiled.into_iter().collect(),
            own_folders: own_folders.into_iter().collect(),
            names,
        }
    }

    fn has_exactly(&self, path: &str) -> bool {
        let path = spelt(path);
        let path = path.trim_end_matches('/');
        let files = || places::project_paths().chain(FURTHER.iter().copied());
        let holds = |file: &str| files().chain(FOLDERS.iter().copied()).any(|known| is_below(known, file));
        // A file of a system, or the system's folder as a whole.
        files().any(|file| ends_with(path, file))
            || FOLDERS.iter().any(|folder| format!("/{path}/").contains(&format!("/{folder}/")))
            || path.rsplit('/').next().is_some_and(|last| last.starts_with('.') && holds(last))
            || is_inside_git(path)
            || self.named.iter().any(|named| named == path)
            || self.run.iter().any(|known| known == path || is_below(path, known))
            || self.compiled.iter().any(|folder| is_below(path, folder))
            || is_log(Path::new(path))
    }
}

impl FileSet for PolicyFiles {
    fn has(&self, path: &str) -> bool {
        // Some programs stop reading at a NUL.
        let path = path.split('\0').next().unwrap_or_default();
        if self.has_exactly(path) {
            return true;
        }
        let given = Path::new(path);
        given.is_absolute() && self.has_exactly(&real(given).to_string_lossy().replace('\\', "/"))
    }

    fn is_named_in(&self, text: &str) -> bool {
        let is_of_name = |letter: char| letter.is_alphanumeric() || "._-".contains(letter);
        let is_named = |word: &str| self.names.contains(&spelt(word.trim_end_matches('.')));
        let logs: Vec<String> = logs().iter().map(|log| spelt(base_name(&log.to_string_lossy()))).collect();
        let is_log = |word: &str| logs.iter().any(|log| *log == spelt(word));
        text.to_ascii_lowercase().contains("hookspath")
            || text.split(|letter: char| !is_of_name(letter)).any(|word| is_named(word) || is_log(word))
    }

    fn may_be_one(&self, test: &dyn Fn(&str) -> bool) -> bool {
        let mut relative = places::project_paths().chain(FURTHER.iter().copied()).chain(FOLDERS.iter().copied());
        relative.any(test)
            || self.named.iter().any(|path| test(path))
            || logs().iter().any(|log| test(&spelt(&log.to_string_lossy())))
    }

    fn is_folder(&self, path: &str) -> bool {
        Path::new(path).is_dir()
    }

    fn own_folders(&self) -> &[String] {
        &self.own_folders
    }

    fn is_own_folder(&self, path: &str) -> bool {
        let path = path.split('\0').next().unwrap_or_default();
        let is_one = |path: &str| {
            let path = if path.len() > 1 { path.trim_end_matches('/') } else { path };
            self.own_folders.iter().any(|folder| spelt(folder) == spelt(path))
        };
        let given = Path::new(path);
        is_one(path) || given.is_absolute() && is_one(&real(given).to_string_lossy())
    }

    fn are_held_by(&self, folder: &str) -> bool {
        let folder = Path::new(folder);
        let mut known = places::project_paths().chain(FURTHER.iter().copied()).chain(FOLDERS.iter().copied());
        folder.is_absolute() && known.any(|path| folder.join(path).exists())
    }

    fn present(&self) -> Vec<String> {
        let searched = places::all(&self.directories, &self.levels, self.agent.as_deref(), &self.plugins);
        let folders: FxHashSet<&str> = places::project_paths()
            .filter_map(|path| Some(path.rsplit_once('/')?.0))
            .chain(FOLDERS.iter().copied())
            .collect();
        let relative = || FURTHER.iter().copied().chain(folders.iter().copied());
        let beside = self.levels.iter().flat_map(|level| relative().map(|path| level.join(path)));
        let named = self.paths.iter().cloned().chain(logs());
        let all = searched.into_iter().map(|place| place.file).chain(beside).chain(named);
        let there = all.filter(|path| path.exists());
        there.flat_map(|path| [real(&path), path]).map(|path| path.to_string_lossy().replace('\\', "/")).collect()
    }
}

/// Whether a path is a setting or a hook of a submodule or a worktree, which git keeps within its own folder.
fn is_inside_git(path: &str) -> bool {
    let inside = path.rsplit_once(".git/modules/").or_else(|| path.rsplit_once(".git/worktrees/"));
    inside.is_some_and(|(_, inside)| {
        matches!(base_name(inside), "config" | "config.worktree") || inside.split('/').any(|part| part == "hooks")
    })
}

/// The program itself, in each folder in which the system looks for programs.
fn programs() -> Vec<PathBuf> {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).map(|folder| folder.join(&name));
    let own = std::env::current_exe().ok().filter(|own| own.file_name().is_some_and(|own| own == name.as_str()));
    found.chain(own).flat_map(|path| [real(&path), path]).collect()
}

/// A path as paths are compared: in either case, because some file systems do not tell letters apart by it.
fn spelt(path: &str) -> String {
    path.replace('\\', "/").to_lowercase()
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn ends_with(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}
