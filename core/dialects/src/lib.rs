//! Wire contracts of existing hook systems: their event names, the input of their hooks, and the meaning of the output.
//!
//! **Owns** one codec per system, in both directions: a hook's output becomes a canonical answer, an event becomes a hook's input, and an
//! outcome becomes an agent's output. So every rule of the machine holds for these hooks too.
//! **Never** starts a process, opens a file or decides an outcome.
//!
//! # Entry points
//!
//! * [`ALL`] lists the dialects, [`Dialect`] is what each implements.
//! * [`answer_of_command`], [`answer_of_server`] and [`answer_of_host`] read a hook's output.
//! * [`split::calls`] takes a call apart for hooks that know one file or one line, [`split::Joined`] joins their answers.
//! * [`event_from_wire`], [`encode_outcome`] and [`outcome_to_wire`] are the agent's side.
//!
//! # Layout
//!
//! A dialect is a file with its `Dialect`, and a folder with `events.rs` (its events and matchers), `encode.rs` (an event as a hook
//! reads it), `decode.rs` (what a hook's exit code and output mean) and `wire.rs` (an agent's event and the answer to it). Two differ:
//! [`hookweave`] has the events of the catalogue and no `events.rs`, and a system of Claude Code's kind is a file of data in
//! `core/dialects/systems`, which [`described`] reads into Claude Code's codec with other settings.

pub mod a3s;
pub mod amplifier;
mod canonical;
pub mod claude_code;
pub mod cocode;
pub mod codex;
pub mod copilot;
pub mod cursor;
pub mod described;
mod draft;
pub mod gemini_cli;
mod hook_answer;
pub mod hookweave;
mod hosted;
mod incoming;
mod matching;
mod outcome_view;
pub mod output;
pub mod split;
mod unable;
pub mod wingman;
mod wire;

use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use serde_json::{Map, Value};

use hookweave_machine::dispatch::{FailureKind, HandlerResult, HookFailure};
use hookweave_machine::error::{Code, Error, did_you_mean};
use hookweave_machine::event::EventSpec;
use hookweave_machine::matcher::MatcherSpec;
use hookweave_machine::tool::ToolDefinition;

use hookweave_machine::{timestamp, tool_names};

pub use hook_answer::{answer_of_command, answer_of_host, answer_of_server};
pub use hookweave_machine::handler_output::{CommandOutput, WebResponse};
pub use outcome_view::{OutcomeValues, OutcomeView};
pub use unable::NEVER_CLOSED;
pub use unable::unable_to_wire;
pub use wire::{encode_outcome, event_from_wire, outcome_to_wire};

/// An event on its way to one hook from a file.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// What the engine knows of the event.
    pub event: Arc<EventSpec>,
    /// The event as the hook's file names it, for example `beforeShellExecution`; the canonical name otherwise.
    pub declared_event: String,
    /// The payload by the engine's names, with every common field filled in (`session_id`, `timestamp`, `cwd`, …).
    pub payload: Map<String, Value>,
    /// The payload's tool as the host has defined it, when it has; `same_as` is the known tool.
    pub tool: Option<ToolDefinition>,
    /// The directory of the project, which stays when the session's working directory moves.
    pub project_dir: Option<PathBuf>,
    /// A real, empty file, for hooks that open the transcript of a host that has none.
    pub empty_transcript: Option<PathBuf>,
    /// How deep the dispatch is nested; 0 for the outermost.
    pub depth: u32,
}

impl Invocation {
    /// A payload field, when it is there and not null.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.payload.get(name).filter(|value| !value.is_null())
    }

    /// A payload field that is text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.field(name).and_then(Value::as_str)
    }

    /// What only one dialect has, from `metadata.<dialect>`.
    #[must_use]
    pub fn own(&self, dialect: &str, name: &str) -> Option<&Value> {
        self.field("metadata")?.get(dialect)?.get(name).filter(|value| !value.is_null())
    }
}

/// An event as a hook of some dialect reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoded {
    /// What the hook reads on standard input, or as the body of a request.
    pub body: Value,
    /// Variables that are set for the process, beside what it inherits.
    pub env: Vec<(String, String)>,
    /// The variable that names a file in which the hook leaves environment variables for later commands.
    pub env_file: Option<&'static str>,
}

/// What a process inherits of the host's environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inherits {
    /// Everything but variables whose name begins so.
    AllBut(&'static [&'static str]),
    /// Only variables of these names.
    Only(&'static [&'static str]),
}

/// What kind of thing a hook from a file runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunKind {
    /// A process.
    Command,
    /// An HTTP request.
    Webhook,
    /// A tool of an MCP server, called by the host.
    McpTool,
    /// A question to a model, asked by the host.
    Prompt,
    /// A question to an agent, asked by the host.
    Agent,
    /// Nothing: the file itself has the decision.
    Decision,
}

/// Where a declared hook belongs.
#[derive(Debug, Clone, PartialEq)]
pub struct Placement {
    /// The canonical event.
    pub event: &'static str,
    /// For which events of that kind.
    pub matcher: MatcherSpec,
}

/// An event that another agent sent to its hook.
#[derive(Debug, Clone, PartialEq)]
pub struct WireEvent {
    /// The canonical name.
    pub event: &'static str,
    /// The payload by the engine's names; what only the dialect has stands in `metadata.<dialect>`.
    pub payload: Map<String, Value>,
}

/// What a hook command leaves for the agent that started it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WireAnswer {
    /// The exit code.
    pub exit_code: i32,
    /// What to print; empty for nothing.
    pub stdout: String,
    /// What to print to standard error; empty for nothing.
    pub stderr: String,
    /// What the dialect cannot express, and what became of it (always something stricter).
    pub degraded: Vec<String>,
}

/// The wire contract of one hook system.
pub trait Dialect: Debug + Sync {
    /// What users call it, for example `claude-code`.
    fn name(&self) -> &'static str;

    /// Whether its hooks for one event run together in the system itself.
    fn parallel(&self) -> bool;

    /// Whether its hooks for one event run one after another also where they are detached.
    fn detached_in_order(&self) -> bool {
        false
    }

    /// Where a hook belongs that its file declares under an event name and with a string matcher.
    ///
    /// `None` when the system has no such event; an error says what is wrong with the matcher.
    fn place(&self, declared_event: &str, matcher: Option<&str>) -> Option<Result<Placement, String>>;

    /// The event names that a file of this dialect may use, in the order of its documentation.
    fn events(&self) -> Vec<&'static str>;

    /// How long a hook may run when its file does not say; `None` is without end.
    fn timeout(&self, declared_event: &str, kind: RunKind) -> Option<Duration>;

    /// What a hook's process inherits of the host's environment.
    fn inherits(&self) -> Inherits {
        Inherits::AllBut(&[])
    }

    /// Whether the system has hooks of a kind; every one has commands.
    fn has(&self, kind: RunKind) -> bool {
        kind == RunKind::Command
    }

    /// Whether hooks of this event are given the content of the file that it names, in `metadata.<dialect>.content`.
    fn wants_content(&self, _declared_event: &str) -> bool {
        false
    }

    /// Whether its hooks read a call of several files or lines whole; others are handed one after the other.
    fn reads_patches(&self) -> bool {
        false
    }

    /// The event as a hook reads it.
    fn encode(&self, invocation: &Invocation) -> Encoded;

    /// Whether a hook's answer can refuse the event: some events cannot be refused, and the output of some hooks is not read.
    fn may_refuse(&self, _invocation: &Invocation) -> bool {
        true
    }

    /// Whether a field of an answer is documented to do nothing on the event, so that its author could know.
    fn is_idle(&self, _invocation: &Invocation, _field: &str, _value: &Value) -> bool {
        false
    }

    /// What a process meant by its exit code and output, as its system reads it; [`answer_of_command`] says what counts.
    fn decode(&self, invocation: &Invocation, exited: &CommandOutput) -> HandlerResult<Value>;

    /// What a web server meant, see [`answer_of_server`]; refused where the system has no webhooks.
    fn decode_web(&self, _invocation: &Invocation, _answer: &WebResponse) -> HandlerResult<Value> {
        HandlerResult::Failed(HookFailure::new(FailureKind::InvalidAnswer, format!("{} has no webhooks", self.name())))
    }

    /// What the host's model, agent or MCP tool meant, see [`answer_of_host`]; refused where the system has no such hooks.
    fn decode_hosted(&self, _invocation: &Invocation, kind: RunKind, _answer: &Value) -> HandlerResult<Value> {
        let what = format!("{} has no hooks of kind {kind:?}", self.name());
        HandlerResult::Failed(HookFailure::new(FailureKind::InvalidAnswer, what))
    }

    /// What it means that a hook could not be run to its end (not started, timed out, unreachable).
    fn broken(&self, _invocation: &Invocation, failure: HookFailure<Value>) -> HandlerResult<Value> {
        HandlerResult::Failed(failure)
    }

    /// Reads what the agent of this dialect sends to its hooks.
    fn event_from_wire(&self, wire: &Value) -> Result<WireEvent, Error>;

    /// What a hook of this dialect has to leave for an outcome; what it cannot express becomes stricter.
    fn outcome_to_wire(&self, outcome: &OutcomeView<'_>) -> WireAnswer;
}

/// Every dialect: Claude Code's, those that files describe, and the others.
pub static ALL: LazyLock<Vec<&'static dyn Dialect>> = LazyLock::new(|| {
    let described = described::SYSTEMS.iter().map(|system| system.dialect());
    let claude_code: &'static dyn Dialect = &claude_code::CLAUDE_CODE;
    std::iter::once(claude_code).chain(described).chain(OTHERS.iter().copied()).collect()
});

const OTHERS: &[&dyn Dialect] = &[
    &codex::CODEX,
    &gemini_cli::GEMINI_CLI,
    &cursor::CURSOR,
    &copilot::COPILOT,
    &a3s::A3S,
    &amplifier::AMPLIFIER,
    &cocode::COCODE,
    &hookweave::HOOKWEAVE,
    &wingman::WINGMAN,
];

/// The dialect of this name, or [`Code::UnknownDialect`].
pub fn named(name: &str) -> Result<&'static dyn Dialect, Error> {
    ALL.iter().copied().find(|dialect| dialect.name() == name).ok_or_else(|| {
        let names: Vec<_> = ALL.iter().map(|dialect| dialect.name()).collect();
        let hint = did_you_mean(name, names.iter().copied());
        Error::new(Code::UnknownDialect, format!("unknown dialect `{name}`{hint}; known are {}", names.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use hookweave_machine::options::Options;
    use hookweave_machine::registry::Registry;

    #[test]
    fn a_dialect_has_what_it_can_read() {
        let registry: Registry<()> = Registry::new(Options::default());
        let Ok(event) = registry.resolve("PreToolUse") else { return };
        let invocation = Invocation {
            event,
            declared_event: "PreToolUse".to_owned(),
            payload: Map::from_iter([("tool".to_owned(), json!("Bash")), ("args".to_owned(), json!({}))]),
            tool: None,
            project_dir: None,
            empty_transcript: None,
            depth: 0,
        };
        let web = WebResponse { status: 204, content_type: None, body: Vec::new() };
        for dialect in ALL.iter() {
            assert!(dialect.has(RunKind::Command), "{}", dialect.name());
            for kind in [RunKind::Webhook, RunKind::McpTool, RunKind::Prompt, RunKind::Agent] {
                let result = match kind {
                    RunKind::Webhook => dialect.decode_web(&invocation, &web),
                    RunKind::McpTool => dialect.decode_hosted(&invocation, kind, &Value::Null),
                    _ => dialect.decode_hosted(&invocation, kind, &json!({"ok": true})),
                };
                assert_eq!(
                    dialect.has(kind),
                    !matches!(result, HandlerResult::Failed(_)),
                    "{} {kind:?}",
                    dialect.name()
                );
            }
        }
    }
}
