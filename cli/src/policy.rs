//! The hooks that a command works with, loaded from files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use hookweave_host::config::Problem;
use hookweave_host::config::ready_made::ReadyMade;
use hookweave_host::config::trust::Trust;
use hookweave_host::exec::outside::OutsideHook;
use hookweave_host::file_hook::{Runtime, Settings};
use hookweave_host::files::{Files, LoadReport, LoadRequest, register_ready_made};
use hookweave_host::hook::{Origin, Scope};
use hookweave_host::json::Json;
use hookweave_host::options::Options;
use hookweave_host::registry::{HookId, HookInfo, Registry};
use serde_json::{Map, Value, json};

use crate::failed::{Failed, Result};
use crate::screen::count;

/// The events as an agent meets them; those that a program defines follow by name.
const LIFE: &[&str] = &[
    "Setup",
    "SessionStart",
    "InstructionsLoaded",
    "UserPromptExpansion",
    "UserPromptSubmit",
    "PostUserMessage",
    "GenerateStart",
    "GenerateEnd",
    "GenerateError",
    "MessageDisplay",
    "ToolResolution",
    "PreToolUse",
    "PermissionRequest",
    "PermissionGranted",
    "PermissionDenied",
    "Elicitation",
    "ElicitationResult",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "FileChanged",
    "CwdChanged",
    "DirectoryAdded",
    "WorktreeCreate",
    "WorktreeRemove",
    "SubagentStart",
    "SubagentStop",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "PreModelSwitch",
    "PostModelSwitch",
    "ContextWarning",
    "PreCompact",
    "PostCompact",
    "ConfigChange",
    "FileSuggestion",
    "StatusLine",
    "Notification",
    "Stop",
    "StopFailure",
    "SessionEnd",
];

/// Which hooks from a project's files count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum TrustChoice {
    /// Those that you have approved.
    #[default]
    Approved,
    /// All: you vouch for the project.
    All,
}

impl From<TrustChoice> for Trust {
    fn from(choice: TrustChoice) -> Self {
        match choice {
            TrustChoice::Approved => Self::Approved,
            TrustChoice::All => Self::All,
        }
    }
}

/// Which hooks are meant.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Which hooks")]
pub(crate) struct Which {
    /// Directory whose hooks are used; by default the current one
    #[arg(short = 'C', long = "cwd", value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// Use only this hooks file; may be repeated
    #[arg(short = 'f', long = "file", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Format of the files given with --file, if it is not recognised
    #[arg(long, value_name = "DIALECT")]
    pub(crate) dialect: Option<String>,

    /// Skip invalid entries instead of refusing the whole file
    #[arg(long, alias = "lenient")]
    pub(crate) partial: bool,

    /// Only hooks of this dialect or scope; may be repeated
    #[arg(long = "source", value_name = "NAME", conflicts_with = "files")]
    pub(crate) sources: Vec<String>,

    /// Which hooks from the project's files count
    #[arg(long, value_enum, default_value_t, conflicts_with = "files")]
    pub(crate) trust: TrustChoice,

    /// The file with the approvals; by default your own store
    #[arg(long, value_name = "FILE", conflicts_with = "files")]
    pub(crate) trust_store: Option<PathBuf>,

    /// Also use the hooks of this plugin's directory; may be repeated
    #[arg(long = "plugin", value_name = "DIR", conflicts_with = "files")]
    pub(crate) plugins: Vec<PathBuf>,

    /// Also use the hooks of this agent definition
    #[arg(long, value_name = "NAME", conflicts_with = "files")]
    pub(crate) agent_files: Option<String>,

    /// Whether calls depend on it: then the files given with --file are guarded as those at usual places are.
    #[arg(skip)]
    pub(crate) acts: bool,
}

impl Which {
    /// The directory.
    pub(crate) fn directory(&self) -> PathBuf {
        self.cwd.clone().unwrap_or_else(|| PathBuf::from("."))
    }

    /// The same to decide by.
    pub(crate) fn to_act(&self) -> Self {
        Self { acts: true, ..self.clone() }
    }

    /// The same to list hooks without running any: a file's errors are shown beside the rest.
    pub(crate) fn to_look_at(&self) -> Self {
        Self { partial: true, ..self.clone() }
    }

    /// What is loaded.
    fn requests(&self) -> Vec<LoadRequest> {
        if self.files.is_empty() {
            return vec![self.places(&self.directory())];
        }
        let file = |path: &PathBuf| {
            let mut options = LoadRequest::file(path);
            options.dialect.clone_from(&self.dialect);
            options.partial = self.partial;
            options.into()
        };
        self.files.iter().map(file).collect()
    }

    /// The same error with the places of the mistakes, where there are any.
    fn with_places(&self, why: Failed, project: &Path) -> Failed {
        if self.partial {
            return why;
        }
        let Ok(policy) = Policy::load_requests(&self.to_look_at().requests(), project, false) else { return why };
        let mistakes: Vec<Problem> = policy.report.problems.into_iter().filter(|problem| problem.fatal).collect();
        if mistakes.is_empty() {
            return why;
        }
        let number = count(mistakes.len(), "entry");
        let fix = format!("{number} cannot be read; fix it, or use the others with --partial");
        Failed::Problems(mistakes, fix)
    }

    fn places(&self, cwd: &Path) -> LoadRequest {
        let mut options = LoadRequest::places(cwd).trust(self.trust.into());
        options.sources.clone_from(&self.sources);
        options.store.clone_from(&self.trust_store);
        options.partial = self.partial;
        options.agent.clone_from(&self.agent_files);
        options.plugins.clone_from(&self.plugins);
        options.into()
    }
}

/// Loaded hooks, ready to be asked.
#[derive(Debug)]
pub(crate) struct Policy {
    /// The hooks.
    pub(crate) registry: Registry<Arc<dyn OutsideHook>>,
    /// What they run on.
    pub(crate) runtime: Arc<Runtime>,
    /// What loading gave.
    pub(crate) report: LoadReport,
    /// Whether this process sees all calls of a session, so that hooks can count them.
    pub(crate) sees_whole_sessions: bool,
}

impl Policy {
    /// Loads the selected hooks.
    pub(crate) fn load(which: &Which) -> Result<Self> {
        let cwd = which.directory();
        let project = std::path::absolute(&cwd).map_err(|error| Failed::file(&cwd, error))?;
        Self::load_for(which, &project)
    }

    /// The same for a project, which need not be where the hooks are, nor be there at all.
    pub(crate) fn load_for(which: &Which, project: &Path) -> Result<Self> {
        if which.dialect.is_some() && which.files.is_empty() {
            return Err(Failed::new("--dialect says how to read --file, and none is given; add --file FILE"));
        }
        let cwd = which.directory();
        if !cwd.is_dir() {
            return Err(Failed::file(&cwd, "is no directory; name one that exists with --cwd"));
        }
        // A name that is misspelt would leave out what it names, without a word.
        if let Some(plugin) = which.plugins.iter().find(|plugin| !plugin.is_dir()) {
            return Err(Failed::file(plugin, "is no directory; name that of a plugin with --plugin"));
        }
        let policy = Self::load_requests(&which.requests(), project, which.acts && !which.files.is_empty())
            .map_err(|why| which.with_places(why, project))?;
        let is_defined = || policy.report.found.iter().any(|found| found.scope == Scope::Agent);
        if let Some(name) = which.agent_files.as_ref().filter(|_| !is_defined()) {
            let places = ".hookweave/agents/NAME.toml (or .json) and .wingman/agents/NAME/agent.json";
            return Err(Failed::new(format!("no agent definition is called `{name}`; it is looked for in {places}")));
        }
        Ok(policy)
    }

    /// The hooks of one file, in a scope.
    #[cfg(test)]
    pub(crate) fn of_file(file: &Path, scope: Scope) -> Result<Self> {
        let mut options = LoadRequest::file(file);
        options.scope = scope;
        Self::load_requests(&[options.into()], Path::new("."), false)
    }

    /// Policies that come with hookweave, by their names, for a project.
    pub(crate) fn of_names(names: &[String], project: &Path) -> Result<Self> {
        let policy = Self::load_with(&[], project, &Map::new(), false)?;
        let hooks = ReadyMade::read("policies", &Json, &&json!({ "names": names }))?;
        register_ready_made(&policy.registry, &policy.runtime, hooks, &|hook, _| hook)?;
        Ok(policy)
    }

    /// Loads requests; what the files say of the client itself holds for the client. Files that are named have a guard if
    /// it is wanted.
    fn load_requests(requests: &[LoadRequest], project: &Path, guards_named: bool) -> Result<Self> {
        let policy = Self::load_with(requests, project, &Map::new(), guards_named)?;
        let known = |name: &str| name != "audit_level";
        let options: Map<String, Value> =
            policy.report.options.iter().filter(|(name, _)| known(name)).map(|(n, v)| (n.clone(), v.clone())).collect();
        if options.is_empty() { Ok(policy) } else { Self::load_with(requests, project, &options, guards_named) }
    }

    fn load_with(
        requests: &[LoadRequest],
        project: &Path,
        options: &Map<String, Value>,
        guards_named: bool,
    ) -> Result<Self> {
        // A hook that was found runs in the project that it was approved for, wherever the agent was started below it.
        let is_named = |request: &LoadRequest| matches!(request, LoadRequest::File(_));
        let settings =
            if requests.iter().any(is_named) { json!({"project_dir": project.to_string_lossy()}) } else { json!({}) };
        let mut options = options.clone();
        options.insert("project_dir".to_owned(), project.to_string_lossy().into());
        let registry = Registry::new(Options::read(&Json, &&Value::Object(options))?);
        let runtime = Runtime::new(Settings { env_text: true, ..Settings::read(&Json, &&settings)? });
        let files = Files::default();
        let mut report = LoadReport::default();
        for request in requests {
            let loaded = files.load(&registry, &runtime, request.clone(), &|hook, _| hook)?;
            report.hooks.extend(loaded.hooks);
            report.found.extend(loaded.found);
            report.untrusted.extend(loaded.untrusted);
            report.lost.extend(loaded.lost);
            report.problems.extend(loaded.problems);
            report.options.extend(loaded.options);
        }
        if guards_named {
            files.guard_named(&registry, &runtime, project, &|hook, _| hook)?;
        }
        Ok(Self { registry, runtime, report, sees_whole_sessions: false })
    }

    /// Takes out the hooks that a question is true for.
    pub(crate) fn leave_out(&self, unwanted: impl Fn(&HookInfo) -> bool) {
        for hook in self.registry.list().iter().filter(|hook| unwanted(hook)) {
            if let Some(id) = HookId::parse(&hook.id) {
                self.registry.unregister(id);
            }
        }
    }

    /// The hooks by event: events as an agent meets them, hooks in the order of running.
    pub(crate) fn by_event(&self) -> Vec<(String, Vec<HookInfo>)> {
        let mut events: BTreeMap<(usize, String), Vec<HookInfo>> = BTreeMap::new();
        for hook in self.registry.list() {
            let at = LIFE.iter().position(|name| *name == hook.event).unwrap_or(LIFE.len());
            events.entry((at, hook.event.clone())).or_default().push(hook);
        }
        events.into_iter().map(|((_, name), hooks)| (name, hooks)).collect()
    }
}

/// A matcher in one line: `tool=Bash command_pattern=^git`. A rule of a pack is known by the name of its hook alone.
pub(crate) fn matcher_text(hook: &HookInfo) -> String {
    let Ok(Value::Object(fields)) = serde_json::to_value(&hook.matcher) else { return String::new() };
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let is_told = |(name, value): &(&String, &Value)| match name.as_str() {
        "naming" | "subject" => false,
        "any_of" => value.as_str() != Some(&hook.name),
        _ => true,
    };
    let parts = fields.iter().filter(is_told);
    parts.map(|(name, value)| format!("{name}={}", shown(value))).collect::<Vec<_>>().join(" ")
}

/// Where a hook stands: `file:line`, relative to a directory when it lies below, and each further place that declares
/// the same; of no file is the guard of the policy's own files.
pub(crate) fn place_text(hook: &HookInfo, below: &Path) -> String {
    let Some(origin) = &hook.origin else { return "built in".to_owned() };
    let text = |origin: &Origin| {
        let file = relative(&origin.file, below);
        origin.line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"))
    };
    origin.places().map(text).collect::<Vec<_>>().join(", ")
}

/// A path as a person reads it best.
pub(crate) fn relative(path: &Path, below: &Path) -> String {
    let base = std::fs::canonicalize(below).unwrap_or_else(|_| below.to_path_buf());
    path.strip_prefix(&base).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use hookweave_host::event::BUILT_IN;

    use super::LIFE;

    #[test]
    fn every_event_has_its_place() {
        let mut known: Vec<&str> = BUILT_IN.iter().map(|event| event.name).collect();
        let mut placed = LIFE.to_vec();
        known.sort_unstable();
        placed.sort_unstable();
        assert_eq!(placed, known);
    }
}
