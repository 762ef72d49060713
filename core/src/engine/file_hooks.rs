//! Hooks from files in an engine: loaded, reloaded, stopped, and who answers what they ask.

use std::future::Future;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::outside_hook::{Hosts, OutsideCode};
use super::watching::Watching;
use super::{Engine, Event, Outcome};
use crate::engine::handler::Code;
use crate::response::HookError;
use hookweave_host::computed::Per;
use hookweave_host::config::Declared;
use hookweave_host::config::lint::{Finding, lint};
use hookweave_host::config::load::LoadOptions;
use hookweave_host::config::ready_made::ReadyMade;
use hookweave_host::config::trust::TrustStore;
use hookweave_host::error::Error;
use hookweave_host::exec::outside::{HostQuestion, OutsideHook};
use hookweave_host::exec::trace_context::TraceContext;
use hookweave_host::file_hook::{FileHook, Runtime, Settings};
use hookweave_host::files::{Files, LoadReport, LoadRequest, ReloadReport, register_ready_made};
use hookweave_host::hook::HookSpec;
use hookweave_host::json::Json;
use hookweave_host::matcher::Access;
use hookweave_host::tool::ToolDefinition;

/// What one engine has for hooks from files.
#[derive(Debug)]
pub(super) struct FileHooks {
    pub(super) runtime: Arc<Runtime>,
    pub(super) files: Files,
    hosts: Arc<Hosts>,
    pub(super) watching: Mutex<Option<Watching>>,
}

impl FileHooks {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            runtime: Runtime::new(settings),
            files: Files::default(),
            hosts: Arc::default(),
            watching: Mutex::default(),
        }
    }

    pub(super) fn define_tool(&self, definition: ToolDefinition) {
        self.runtime.define_tool(definition);
    }

    fn code(&self, hook: Arc<dyn OutsideHook>) -> Code {
        Code::Outside(OutsideCode::new(hook, Arc::clone(&self.hosts)))
    }
}

impl Engine {
    /// Loads the hooks of one file of any known system, which is recognised by its name, place and shape.
    ///
    /// An entry that makes no sense refuses the file. [`FileRequest::partial`](crate::FileRequest::partial) leaves it out instead, as a problem in the report.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join(".claude/settings.json");
    /// # std::fs::create_dir_all(directory.path().join(".claude"))?;
    /// std::fs::write(&path, r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
    ///     {"type": "command", "command": "echo not today >&2; exit 2"}
    /// ]}]}}"#)?;
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
    /// let engine = hookweave::Engine::new();
    /// let report = engine.load(&path)?;
    /// assert!(report.problems.is_empty());
    /// let outcome = engine.dispatch(hookweave::Event::pre_tool_use("Bash", serde_json::json!({"command": "ls"}))).await?;
    /// assert_eq!(outcome.reason(), Some("not today"));
    /// # Ok(()) })
    /// # }
    /// ```
    pub fn load(&self, path: impl AsRef<std::path::Path>) -> Result<LoadReport, Error> {
        self.load_files(LoadRequest::file(path.as_ref()))
    }

    /// Loads what stands at the usual places of every known system for a working directory.
    ///
    /// Hooks from the project's files run only when a person has approved them; the others are reported.
    pub fn discover(&self, cwd: impl AsRef<std::path::Path>) -> Result<LoadReport, Error> {
        self.load_files(LoadRequest::places(cwd.as_ref()))
    }

    /// Reports likely mistakes in a file of hooks: units, matchers that never match, missing scripts, answers that are not read.
    ///
    /// The dialect is recognised unless it is given. A file that cannot be read is `invalid_config`.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join(".claude/settings.json");
    /// # std::fs::create_dir_all(directory.path().join(".claude"))?;
    /// std::fs::write(&path, r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
    ///     {"type": "command", "command": "true", "timeout": 60000}
    /// ]}]}}"#)?;
    /// let findings = hookweave::Engine::new().lint(&path, None)?;
    /// assert_eq!(findings[0].rule, "timeout-unit");
    /// # Ok(())
    /// # }
    /// ```
    pub fn lint(&self, path: impl AsRef<std::path::Path>, dialect: Option<&str>) -> Result<Vec<Finding>, Error> {
        lint(path.as_ref(), &LoadOptions { dialect, ..LoadOptions::default() })
    }

    /// The user's approvals of hooks from project files; an error for a user without a home directory.
    pub fn trust(&self) -> Result<TrustStore, Error> {
        TrustStore::of_this_user()
    }

    /// Loads what a request names.
    ///
    /// ```
    /// use hookweave::{Engine, LoadRequest, Scope};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("hooks.json");
    /// # std::fs::write(&path, r#"{"hooks": {}}"#)?;
    /// let engine = Engine::new();
    /// let report = engine.load_files(LoadRequest::file(path).dialect("claude-code").scope(Scope::User).partial())?;
    /// assert!(report.hooks.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load_files(&self, request: impl Into<LoadRequest>) -> Result<LoadReport, Error> {
        let file_hooks = &self.inner.file_hooks;
        let loaded = file_hooks
            .files
            .load(&self.inner.registry, &file_hooks.runtime, request.into(), &|hook, _| file_hooks.code(hook));
        self.log_observers();
        loaded
    }

    /// What hooks from files share.
    pub(super) fn files_runtime(&self) -> &Arc<Runtime> {
        &self.inner.file_hooks.runtime
    }

    /// Replaces secrets in the results of tools (and, if wanted, in prompts) before the model sees them; gives the ids of the
    /// hooks.
    ///
    /// ```
    /// # fn main() -> Result<(), hookweave::Error> {
    /// let engine = hookweave::Engine::new();
    /// engine.redact_secrets(true)?;
    /// # Ok(()) }
    /// ```
    pub fn redact_secrets(&self, prompts: bool) -> Result<Vec<String>, Error> {
        self.use_ready_made("redact-secrets", &serde_json::json!({"prompts": prompts}))
    }

    /// Refuses calls that touch files, which are given as in `.gitignore`: tools that edit or read them, and command lines
    /// as far as they are understood; gives the ids of the hooks.
    ///
    /// ```
    /// # fn main() -> Result<(), hookweave::Error> {
    /// let engine = hookweave::Engine::new();
    /// engine.protect_paths(&["secrets/**", ".env"], hookweave::Access::Any, Some("secrets stay here"))?;
    /// # Ok(()) }
    /// ```
    pub fn protect_paths(&self, paths: &[&str], access: Access, reason: Option<&str>) -> Result<Vec<String>, Error> {
        let options = serde_json::json!({"paths": paths, "for": access.as_str(), "reason": reason});
        self.use_ready_made("protect-paths", &options)
    }

    /// Refuses the calls of a tool beyond a limit; gives the ids of the hooks.
    ///
    /// ```
    /// # fn main() -> Result<(), hookweave::Error> {
    /// let engine = hookweave::Engine::new();
    /// engine.limit_calls("WebFetch", 10, hookweave::Per::Session)?;
    /// # Ok(()) }
    /// ```
    pub fn limit_calls(&self, tool: &str, max: u32, per: Per) -> Result<Vec<String>, Error> {
        let per = match per {
            Per::Session => "session".into(),
            Per::Turn => "turn".into(),
            Per::Milliseconds(ms) => Value::from(ms),
        };
        self.use_ready_made("limit-calls", &serde_json::json!({"tool": tool, "max": max, "per": per}))
    }

    /// Uses policies by their names, each with its level: `git`, `secrets:strict`; gives the ids of the hooks.
    ///
    /// ```
    /// # fn main() -> Result<(), hookweave::Error> {
    /// let engine = hookweave::Engine::new();
    /// engine.use_policies(["git", "secrets:strict"])?;
    /// # Ok(()) }
    /// ```
    pub fn use_policies<N: Into<String>>(&self, names: impl IntoIterator<Item = N>) -> Result<Vec<String>, Error> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        self.use_ready_made("policies", &serde_json::json!({"names": names}))
    }

    /// Registers a ready-made hook by its name in files, with its options; gives the ids of its hooks.
    ///
    /// Times are in milliseconds.
    pub fn use_ready_made(&self, name: &str, options: &Value) -> Result<Vec<String>, Error> {
        let hooks = ReadyMade::read(name, &Json, &options)?;
        let file_hooks = &self.inner.file_hooks;
        let ids =
            register_ready_made(&self.inner.registry, &file_hooks.runtime, hooks, &|hook, _| file_hooks.code(hook));
        self.log_observers();
        ids
    }

    /// Registers a hook as a file would declare it; gives its id.
    pub(crate) fn register_file_hook(&self, declared: Declared) -> Result<String, Error> {
        let spec = declared.spec.clone();
        let hook = FileHook::new(declared, None, Arc::clone(self.files_runtime()));
        self.register_outside(spec, Arc::new(hook))
    }

    /// Registers a hook that runs outside of this program; gives its id.
    pub(crate) fn register_outside(&self, spec: HookSpec, hook: Arc<dyn OutsideHook>) -> Result<String, Error> {
        let id = self.inner.registry.register(spec, self.inner.file_hooks.code(hook))?;
        self.log_observers();
        Ok(id.to_string())
    }

    /// Reads every loaded file again; the hooks are swapped between dispatches.
    ///
    /// A change that takes protection away raises `ConfigChange` first, through the hooks in force: one that blocks it
    /// keeps everything as it is. A file that cannot be read keeps its own hooks too.
    pub async fn reload(&self) -> Result<ReloadReport, Error> {
        let file_hooks = &self.inner.file_hooks;
        let prepared = file_hooks.files.prepare(&self.inner.registry, &file_hooks.runtime)?;
        for question in prepared.questions() {
            let outcome: Outcome = self.dispatch(Event::new("ConfigChange", question)).await?;
            if outcome.blocked() {
                let why = outcome.reason().unwrap_or("a hook blocked the change");
                return Ok(file_hooks.files.keep(why));
            }
        }
        let reloaded = file_hooks
            .files
            .apply(&self.inner.registry, &file_hooks.runtime, prepared, &|hook, _| file_hooks.code(hook));
        self.log_observers();
        reloaded
    }

    /// Sets who answers hooks that ask a model or an agent: given [`HostQuestion::Judge`], the answer is
    /// `{"ok": true}` or `{"ok": false, "reason": "…"}`.
    pub fn set_judge<F>(&self, answer: impl Fn(HostQuestion) -> F + Send + Sync + 'static)
    where
        F: Future<Output = Result<Value, HookError>> + Send + 'static,
    {
        self.inner.file_hooks.hosts.set_judge(move |question| Box::pin(answer(question)));
    }

    /// Sets who calls tools of MCP servers for hooks: given [`HostQuestion::Tool`], the answer is the tool's text.
    pub fn set_tool_caller<F>(&self, call: impl Fn(HostQuestion) -> F + Send + Sync + 'static)
    where
        F: Future<Output = Result<Value, HookError>> + Send + 'static,
    {
        self.inner.file_hooks.hosts.set_tools(move |question| Box::pin(call(question)));
    }

    /// Sets who knows where a dispatch stands in a distributed trace: commands are given it as `TRACEPARENT` and `TRACESTATE`,
    /// webhooks as headers. It is called on the task that dispatches; where it knows nothing, what the process was started
    /// with is passed on.
    pub fn set_trace_context(&self, trace: impl Fn() -> Option<TraceContext> + Send + Sync + 'static) {
        self.inner.file_hooks.hosts.set_trace(trace);
    }

    /// Kills the commands and drops the requests that run; false when something still runs after the limit.
    pub fn stop_file_hooks(&self, limit: std::time::Duration) -> bool {
        self.inner.file_hooks.runtime.shutdown(limit)
    }
}
