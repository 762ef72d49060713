//! Hooks that files declare, as outside hooks: commands and webhooks, and questions that the host's own model or tools answer.
//!
//! A [`FileHook`] is one such hook, ready to run; a [`Runtime`] holds what all hooks of a client share. A hook runs as
//! a blocking job on the runtime's pool and reports to its driver by a callback, so that no thread of the engine ever
//! enters an interpreter.

mod assignments;
mod command;
mod content;
mod env_file;
mod environment;
mod hosted;
mod order;
mod request;
mod settings;
mod transcript;
mod wakeup;
mod wanted;

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use serde_json::{Map, Value};

use crate::approvals::KeptApprovals;
use crate::computed::Computed;
use crate::config::{Declared, Guard, Run};
use hookweave_dialects::split::{self, Joined};
use hookweave_dialects::{Encoded, Invocation};
use hookweave_exec::cancel::Cancel;
use hookweave_exec::outside::{Done, HookInput, HostedHook, OutsideHook};
use hookweave_exec::pool::{Job, Pool};
use hookweave_exec::webhook::WebClient;
use hookweave_machine::Error;
use hookweave_machine::dispatch::{FailureKind, HandlerResult, HookFailure};
use hookweave_machine::hook::Timeout;
use hookweave_machine::tool::ToolDefinition;
use hookweave_machine::tool_names;
use hookweave_session::{OpenSessions, Session};

use environment::Environment;
use order::{Chains, Turn};
pub use settings::Settings;
pub(crate) use wakeup::Wakeup;
use wanted::WantedFiles;

/// What the hooks from files of one client share: the pool that they run on, connections, settings.
#[derive(Debug)]
pub struct Runtime {
    settings: Settings,
    pool: Pool,
    web: WebClient,
    tools: RwLock<Vec<ToolDefinition>>,
    wanted: WantedFiles,
    sessions: Arc<OpenSessions>,
    chains: Chains,
}

impl Runtime {
    /// A runtime that starts no thread before a hook runs.
    #[must_use]
    pub fn new(settings: Settings) -> Arc<Self> {
        Arc::new(Self {
            pool: Pool::new(settings.max_running),
            web: WebClient::new(settings.web.clone()),
            settings,
            tools: RwLock::default(),
            wanted: WantedFiles::default(),
            sessions: Arc::default(),
            chains: Chains::default(),
        })
    }

    /// The project's directory, when the host has set one.
    pub(crate) fn own_project_dir(&self) -> Option<&Path> {
        self.settings.project_dir.as_deref()
    }

    /// The project's directory; the process's own unless the host has set one.
    #[must_use]
    pub fn project_dir(&self) -> Option<PathBuf> {
        self.settings.project_dir.clone().or_else(|| std::env::current_dir().ok())
    }

    /// The files that hooks want to watch.
    pub(crate) const fn wanted_files(&self) -> &WantedFiles {
        &self.wanted
    }

    /// The conversations of the client, whose variables commands and webhooks are given.
    #[must_use]
    pub const fn sessions(&self) -> &Arc<OpenSessions> {
        &self.sessions
    }

    /// Opens a session of the client: its variables reach these hooks, and its approvals are kept as it wants. A file of
    /// approvals that cannot be used is `invalid_config`.
    pub fn open(&self, session: &Session) -> Result<(), Error> {
        KeptApprovals::open_for(session)?;
        session.open_in(&self.sessions);
        Ok(())
    }

    /// Defines a tool for hooks from files that the host has under its own name.
    pub fn define_tool(&self, definition: ToolDefinition) {
        if definition.same_as.is_none() && definition.command.is_none() && definition.paths.is_empty() {
            // A schema alone does not change the names that are known.
            return;
        }
        let mut tools = self.tools.write().unwrap_or_else(PoisonError::into_inner);
        tools.retain(|known| known.name != definition.name);
        tools.push(definition);
    }

    fn tool(&self, name: &str) -> Option<ToolDefinition> {
        let tools = self.tools.read().unwrap_or_else(PoisonError::into_inner);
        tools.iter().find(|known| known.name == name).cloned()
    }

    /// Kills what runs and starts nothing more; false when something still runs after the limit.
    pub fn shutdown(&self, limit: Duration) -> bool {
        self.pool.shutdown(limit)
    }

    /// Waits until nothing runs; false when the time is up before.
    pub fn drain(&self, limit: Duration) -> bool {
        self.pool.drain(limit)
    }
}

/// A hook from a file, ready to run.
#[derive(Debug)]
pub struct FileHook {
    declared: Declared,
    guard: Option<Arc<Guard>>,
    runtime: Arc<Runtime>,
}

impl FileHook {
    /// A declared hook that runs on a client's runtime; the guard is asked before every run.
    #[must_use]
    pub const fn new(declared: Declared, guard: Option<Arc<Guard>>, runtime: Arc<Runtime>) -> Self {
        Self { declared, guard, runtime }
    }

    /// The event as the hook's dialect encodes it.
    fn invocation(&self, input: HookInput) -> Invocation {
        let HookInput { event, payload, depth, trace: _ } = input;
        let tool = payload.get("tool").and_then(Value::as_str).and_then(|tool| {
            let usual = || tool_names::usual_definition(tool, payload.get("args"));
            self.runtime.tool(tool).or_else(usual)
        });
        Invocation {
            event,
            declared_event: self.declared.declared_event.clone(),
            payload,
            tool,
            project_dir: self.project_dir(),
            empty_transcript: transcript::place(),
            depth,
        }
    }

    /// The project's directory: what the host has set, else what the place of the hook's file says, else the process's own.
    fn project_dir(&self) -> Option<PathBuf> {
        let own = || self.runtime.own_project_dir().map(Path::to_path_buf);
        own().or_else(|| self.declared.project.clone()).or_else(|| self.runtime.project_dir())
    }

    /// What it answers at once, when nothing runs.
    fn decide(&self, payload: &Map<String, Value>) -> Option<HandlerResult<Value>> {
        match &self.declared.run {
            Run::Decision(decision) => Some(HandlerResult::Answer(decision.answer())),
            Run::Computed(computed) => Some(computed.answer(payload, &*self.runtime.sessions)),
            _ => None,
        }
    }

    /// Runs the hook on this thread: once, or for each file or line.
    fn run(&self, invocation: Invocation, surroundings: &Surroundings, cancel: &Cancel) -> HandlerResult<Value> {
        if let Some(changed) = self.changed(&invocation) {
            // The script that would run now is not approved; a hook on a gate fails closed.
            return HandlerResult::Failed(HookFailure {
                meant_to_restrict: true,
                ..HookFailure::new(FailureKind::NotStarted, changed)
            });
        }
        let calls = match split::calls(self.declared.dialect, &invocation) {
            None => return self.run_once(invocation, surroundings, cancel),
            Some(Err(failure)) => return HandlerResult::Failed(failure),
            Some(Ok(calls)) => calls,
        };
        let mut joined = Joined::default();
        for mut call in calls {
            if let Some(modified) = joined.modified() {
                call.payload.extend(modified.clone());
            }
            let handler_result = self.run_once(call.clone(), surroundings, cancel);
            if let Some(end) = joined.add(&call, handler_result) {
                return end;
            }
        }
        joined.into_result()
    }

    fn run_once(
        &self,
        mut invocation: Invocation,
        surroundings: &Surroundings,
        cancel: &Cancel,
    ) -> HandlerResult<Value> {
        let dialect = self.declared.dialect;
        if dialect.wants_content(&self.declared.declared_event) {
            content::add(&mut invocation.payload, dialect.name());
        }
        let invocation = &invocation;
        let handler_result = match &self.declared.run {
            Run::Command(spec) => self.run_command(spec, invocation, surroundings, cancel),
            Run::Webhook(spec) => self.send(spec, invocation, surroundings, cancel),
            Run::Decision(_) | Run::Computed(_) => {
                return self.decide(&invocation.payload).unwrap_or(HandlerResult::Nothing);
            }
            Run::Prompt { .. } | Run::McpTool { .. } => Err(HookFailure::new(
                FailureKind::NotStarted,
                format!(
                    "a hook of kind {:?} is run by the host, which has set nothing to run it with",
                    self.declared.run.kind()
                ),
            )),
        };
        let handler_result = handler_result.unwrap_or_else(|failure| dialect.broken(invocation, failure));
        self.note(invocation, &handler_result);
        handler_result
    }

    /// Says which script is another than the one that was loaded.
    fn changed(&self, invocation: &Invocation) -> Option<String> {
        let directories = Self::directories(invocation);
        self.guard.as_ref()?.check_in(directories.first().map(PathBuf::as_path)).err()
    }

    /// Notes which files the hook wants watched from now on.
    fn note(&self, invocation: &Invocation, handler_result: &HandlerResult<Value>) {
        if let HandlerResult::Answer(answer) = handler_result {
            self.runtime.wanted.note(invocation, self.declared.dialect.name(), answer);
        }
    }

    /// The event in the dialect's words; an empty transcript that they name is there.
    fn encode(&self, invocation: &Invocation) -> Encoded {
        let dialect = self.declared.dialect;
        let encoded = dialect.encode(invocation);
        match &invocation.empty_transcript {
            Some(empty) if transcript::is_named(&encoded, empty) && !transcript::make(empty) => {
                dialect.encode(&Invocation { empty_transcript: transcript::instead(), ..invocation.clone() })
            }
            _ => encoded,
        }
    }

    /// The variables that hooks before this one left for it in the conversation.
    fn left_for(&self, invocation: &Invocation) -> Vec<(String, String)> {
        let (session, agent) = (invocation.text("session_id"), invocation.text("agent_id"));
        self.runtime.sessions.variables(session, agent, self.declared.spec.scope)
    }
}

impl OutsideHook for FileHook {
    fn start(self: Arc<Self>, mut input: HookInput, done: Done) -> Option<Job> {
        if let Some(decided) = self.decide(&input.payload) {
            // Nothing runs that would be worth a thread.
            done.report(decided);
            return None;
        }
        // Nothing that is shared is locked on the pool's threads: a child forked meanwhile would find it locked for ever.
        let environment = Environment::of_process().in_trace(input.trace.take());
        let invocation = self.invocation(input);
        let surroundings = Surroundings { environment, left: self.left_for(&invocation) };
        let dialect = self.declared.dialect;
        let in_order = dialect.detached_in_order().then(|| order::dispatch(dialect.name(), &invocation));
        let hook = Arc::clone(&self);
        let submit = |turn: Option<Turn>| {
            self.runtime.pool.submit(move |cancel| {
                if let Some(turn) = &turn {
                    turn.wait(cancel);
                }
                done.report(hook.run(invocation, &surroundings, cancel));
            })
        };
        let job = match in_order {
            Some(dispatch) => self.runtime.chains.start(dispatch, |turn| submit(Some(turn))),
            None => submit(None),
        };
        job.inspect_err(|why| tracing::error!(hook = ?self.declared.spec.name, "a hook did not start: {why}")).ok()
    }

    /// As its file or its dialect says.
    fn limit(&self) -> Option<Duration> {
        match self.declared.spec.timeout {
            Timeout::After(limit) => Some(limit),
            Timeout::Never | Timeout::Default => None,
        }
    }

    fn wakes(&self) -> bool {
        self.declared.wakes
    }

    fn fixed_answer(&self) -> Option<Value> {
        match &self.declared.run {
            Run::Decision(decision) => Some(decision.answer()),
            _ => None,
        }
    }

    fn without_event(&self) -> Option<Value> {
        match &self.declared.run {
            Run::Computed(computed) => computed.without_event(),
            _ => None,
        }
    }

    fn counts(&self) -> bool {
        matches!(self.declared.run, Run::Computed(Computed::Limit(_)))
    }

    fn hosted(&self) -> Option<&dyn HostedHook> {
        matches!(self.declared.run, Run::Prompt { .. } | Run::McpTool { .. }).then_some(self)
    }

    fn broken(&self, input: &HookInput, failure: HookFailure<Value>) -> HandlerResult<Value> {
        self.declared.dialect.broken(&self.invocation(input.clone()), failure)
    }
}

/// What a hook finds around it, as it was when it was started.
struct Surroundings {
    environment: Environment,
    /// The variables that hooks before it left for it in the conversation.
    left: Vec<(String, String)>,
}
