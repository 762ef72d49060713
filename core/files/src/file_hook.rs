//! Hooks that run outside the host: commands and webhooks, and questions that the host's own model or tools answer.
//!
//! A [`FileHook`] is one such hook, ready to run; a [`Runtime`] holds what all hooks of a client share. A hook runs as
//! a blocking job on the runtime's pool and reports to its host by a callback, so that no thread of the engine ever enters
//! an interpreter.

mod assignments;
mod command;
mod content;
mod env_file;
mod environment;
mod hosted;
mod order;
mod request;
mod settings;
mod trace_context;
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
use hookweave_dialects::{Encoded, Invocation, RunKind};
use hookweave_exec::cancel::Cancel;
use hookweave_exec::pool::{Job, Pool};
use hookweave_exec::webhook::WebClient;
use hookweave_machine::Error;
use hookweave_machine::decision::Decision;
use hookweave_machine::dispatch::{FailureKind, HandlerResult, HookFailure};
use hookweave_machine::event::EventSpec;
use hookweave_machine::hook::{Scope, Timeout};
use hookweave_machine::tool::ToolDefinition;
use hookweave_machine::tool_names;
use hookweave_session::{OpenSessions, Session};

use environment::Environment;
pub use hosted::HostQuestion;
use order::{Chains, Turn};
pub use settings::Settings;
pub use trace_context::TraceContext;
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

    /// What the file declares.
    #[must_use]
    pub const fn declared(&self) -> &Declared {
        &self.declared
    }

    /// What kind of thing runs.
    #[must_use]
    pub const fn kind(&self) -> RunKind {
        self.declared.run.kind()
    }

    /// Whether the host runs it: a model, an agent or an MCP tool that only the host can reach.
    #[must_use]
    pub const fn is_hosted(&self) -> bool {
        matches!(self.declared.run, Run::Prompt { .. } | Run::McpTool { .. })
    }

    /// The event as this hook is to be given it.
    ///
    /// `payload` is the event's JSON by the engine's names, with the common fields filled in.
    pub fn invocation(&self, event: &Arc<EventSpec>, payload: Map<String, Value>, depth: u32) -> Invocation {
        let tool = payload.get("tool").and_then(Value::as_str).and_then(|tool| {
            let usual = || tool_names::usual_definition(tool, payload.get("args"));
            self.runtime.tool(tool).or_else(usual)
        });
        Invocation {
            event: Arc::clone(event),
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

    /// How long the hook may run, as its file or its dialect says; `None` is without end.
    #[must_use]
    pub const fn limit(&self) -> Option<Duration> {
        match self.declared.spec.timeout {
            Timeout::After(limit) => Some(limit),
            Timeout::Never | Timeout::Default => None,
        }
    }

    /// Starts the hook on the pool; `done` is called exactly once, from whichever thread ends it.
    ///
    /// The time limit begins when the hook itself begins. Cancelling the job kills the whole process group or drops the
    /// connection. The environment is read here, on the caller's thread.
    pub fn start(
        self: &Arc<Self>,
        invocation: Invocation,
        done: impl FnOnce(HandlerResult<Value>) + Send + 'static,
    ) -> Option<Job> {
        self.start_in(None, invocation, done)
    }

    /// What it decides without running anything; `None` when something runs.
    pub fn decision(&self) -> Option<&Decision> {
        match &self.declared.run {
            Run::Decision(decision) => Some(decision),
            _ => None,
        }
    }

    /// What it answers at once, when nothing runs.
    fn decide(&self, invocation: &Invocation) -> Option<HandlerResult<Value>> {
        match &self.declared.run {
            Run::Decision(decision) => Some(HandlerResult::Answer(decision.answer())),
            Run::Computed(computed) => Some(computed.answer(&invocation.payload, &*self.runtime.sessions)),
            _ => None,
        }
    }

    /// What it answers to an event that has no JSON form; `None` where that is a failure.
    #[must_use]
    pub fn without_event(&self) -> Option<Value> {
        match &self.declared.run {
            Run::Computed(computed) => computed.without_event(),
            _ => None,
        }
    }

    /// Whether it counts events, so that it decides nothing in a program that ends after one.
    #[must_use]
    pub const fn counts(&self) -> bool {
        matches!(self.declared.run, Run::Computed(Computed::Limit(_)))
    }

    /// Starts the hook as part of a distributed trace; without one of the host's it is the one that the process was started in.
    pub fn start_in(
        self: &Arc<Self>,
        trace: Option<TraceContext>,
        invocation: Invocation,
        done: impl FnOnce(HandlerResult<Value>) + Send + 'static,
    ) -> Option<Job> {
        if let Some(decided) = self.decide(&invocation) {
            // Nothing runs that would be worth a thread.
            done(decided);
            return None;
        }
        let hook = Arc::clone(self);
        // Nothing that is shared is locked on the pool's threads: a child forked meanwhile would find it locked for ever.
        let surroundings =
            Surroundings { environment: Environment::of_process().in_trace(trace), left: self.left_for(&invocation) };
        let done = Done(Some(done));
        let dialect = self.declared.dialect;
        let in_order = dialect.detached_in_order().then(|| order::dispatch(dialect.name(), &invocation));
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

    /// Runs the hook on this thread.
    fn run(&self, mut invocation: Invocation, surroundings: &Surroundings, cancel: &Cancel) -> HandlerResult<Value> {
        let dialect = self.declared.dialect;
        if let Some(changed) = self.changed(&invocation) {
            // The script that would run now is not approved; a hook on a gate fails closed.
            return HandlerResult::Failed(HookFailure {
                meant_to_restrict: true,
                ..HookFailure::new(FailureKind::NotStarted, changed)
            });
        }
        if dialect.wants_content(&self.declared.declared_event) {
            content::add(&mut invocation.payload, dialect.name());
        }
        let invocation = &invocation;
        let handler_result = match &self.declared.run {
            Run::Command(spec) => self.run_command(spec, invocation, surroundings, cancel),
            Run::Webhook(spec) => self.send(spec, invocation, surroundings, cancel),
            Run::Decision(_) | Run::Computed(_) => return self.decide(invocation).unwrap_or(HandlerResult::Nothing),
            Run::Prompt { .. } | Run::McpTool { .. } => Err(HookFailure::new(
                FailureKind::NotStarted,
                format!("a hook of kind {:?} is run by the host, which has set nothing to run it with", self.kind()),
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
        self.runtime.sessions.variables(session, agent, self.scope())
    }

    /// Who loaded the hook.
    #[must_use]
    pub const fn scope(&self) -> Scope {
        self.declared.spec.scope
    }
}

/// What a hook finds around it, as it was when it was started.
struct Surroundings {
    environment: Environment,
    /// The variables that hooks before it left for it in the conversation.
    left: Vec<(String, String)>,
}

/// The callback of a started hook; called even when the job is dropped without having run.
struct Done<F: FnOnce(HandlerResult<Value>)>(Option<F>);

impl<F: FnOnce(HandlerResult<Value>)> Done<F> {
    fn report(mut self, handler_result: HandlerResult<Value>) {
        if let Some(report) = self.0.take() {
            report(handler_result);
        }
    }
}

impl<F: FnOnce(HandlerResult<Value>)> Drop for Done<F> {
    fn drop(&mut self) {
        let Some(report) = self.0.take() else { return };
        if std::thread::panicking() {
            // Nothing shows what the hook wanted, so that a gate stays shut, as for a command whose end is lost.
            let why = "its answer is lost: the engine panicked while the hook ran; please report it";
            report(HandlerResult::Failed(HookFailure {
                meant_to_restrict: true,
                ..HookFailure::new(FailureKind::Lost, why)
            }));
            return;
        }
        let why = "the hook was not run: it was cancelled, the engine is shut down, or the system gives no thread";
        report(HandlerResult::Failed(HookFailure::new(FailureKind::NotStarted, why)));
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
    use std::sync::mpsc::channel;

    use super::*;

    /// What is reported of a hook whose job ends so, without an answer.
    fn reported(ends: impl FnOnce()) -> HookFailure<Value> {
        let (report, reports) = channel();
        let done = Done(Some(move |handler_result| _ = report.send(handler_result)));
        _ = catch_unwind(AssertUnwindSafe(move || {
            let _done = done;
            ends();
        }));
        match reports.recv() {
            Ok(HandlerResult::Failed(failure)) => failure,
            other => panic_any(format!("a failure is reported, not {other:?}")),
        }
    }

    #[test]
    fn a_hook_whose_job_panics_keeps_a_gate_shut() {
        let failure = reported(|| panic_any("a library panics"));
        assert!(failure.kind == FailureKind::Lost && failure.meant_to_restrict, "{failure:?}");
        let failure = reported(|| ());
        assert!(failure.kind == FailureKind::NotStarted && !failure.meant_to_restrict, "{failure:?}");
    }
}
