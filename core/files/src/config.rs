//! Hooks that files declare: what they are, where they stand, and what each would run.
//!
//! A reader (one file per system) turns a text into [`Loaded`] and touches nothing else. [`load`](load::load) reads one
//! file that the program names, [`discover`](discover::discover) finds the usual places of every system, orders and merges
//! what stands there, and separates the hooks that may run from those that are not approved yet.

mod closed;
mod configuration;
pub mod discover;
mod entry;
mod guard;
mod guarding;
mod links;
pub mod lint;
pub mod load;
mod merge;
pub mod permissions;
mod places;
mod plugin_files;
pub mod policies;
pub mod policy_files;
pub(crate) mod private_file;
mod readers;
mod reading;
pub mod ready_made;
mod recognise;
pub mod reload;
mod scripts;
mod tree;
pub mod trust;
mod variables;
pub mod watch;

use std::fmt::Debug;
use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::computed::Computed;
use hookweave_dialects::{Dialect, RunKind};
use hookweave_exec::command::CommandSpec;
use hookweave_exec::webhook::WebhookSpec;
use hookweave_machine::decision::Decision;
use hookweave_machine::event::Catalogue;
use hookweave_machine::hook::{HookSpec, Origin, Scope};

pub use guard::Guard;
pub use places::Directories;
pub use readers::read;
pub use recognise::{Format, Recognised, recognise};
pub(crate) use variables::PLUGIN_DATA;

/// A hook as a file declares it.
#[derive(Debug, Clone)]
pub struct Declared {
    /// When it runs, for how long, and what its failure means; `origin` says where it stands.
    pub spec: HookSpec,
    /// Who reads its answers.
    pub dialect: &'static dyn Dialect,
    /// The event as the file names it.
    pub declared_event: String,
    /// What it runs.
    pub run: Run,
    /// A detached hook whose exit code 2 wakes the model (`asyncRewake`).
    pub wakes: bool,
    /// The entry as it stands in the file, with its event and its matcher: what an approval is given for.
    pub entry: Value,
    /// It takes the place of the wider hook that has its name.
    pub replaces: bool,
    /// The plugin that brings it; copies of one hook in several plugins stay apart.
    pub plugin: Option<PathBuf>,
    /// The project that it belongs to, when its file's place says so; the host may set another one for all.
    pub project: Option<PathBuf>,
}

/// The file that a reader reads, and who loads it.
#[derive(Debug, Clone)]
pub struct Source<'s> {
    /// The file.
    pub file: PathBuf,
    /// Who loads it.
    pub scope: Scope,
    /// Whose format it is.
    pub dialect: &'static dyn Dialect,
    /// The project that the file belongs to, when it belongs to one.
    pub project_dir: Option<PathBuf>,
    /// The plugin that the file belongs to.
    pub plugin: Option<PathBuf>,
    /// Claude Code's directory of the user, in which plugins keep what outlives their updates.
    pub claude: Option<PathBuf>,
    /// The events of the client that will run the hooks; the built-in ones unless given.
    pub catalogue: Option<&'s Catalogue>,
}

/// What a file declares.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// The hooks, in the order of the file.
    pub hooks: Vec<Declared>,
    /// What could not be taken, and what will surprise.
    pub problems: Vec<Problem>,
    /// What the file says of all hooks.
    pub switches: Switches,
    /// The file as a whole could not be read.
    pub broken: bool,
}

/// What a file says of all hooks of its dialect.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Switches {
    /// No hook of the dialect runs, managed ones apart.
    pub disable_all: Option<bool>,
    /// Only managed hooks of the dialect run.
    pub managed_only: Option<bool>,
    /// Where webhooks of the dialect may go.
    pub allowed_urls: Option<Vec<String>>,
    /// Variables that headers of the dialect's webhooks may name.
    pub allowed_env: Option<Vec<String>>,
    /// Hooks that are switched off, by name or command.
    pub disabled: Vec<String>,
    /// Events whose hooks run one after another.
    pub sequential: Vec<String>,
    /// Whether changes of the policy's files are asked about.
    pub policy_files: Option<bool>,
    /// Settings for the client itself, by the engine's names of options.
    pub options: Map<String, Value>,
}

impl Switches {
    /// Whether the file says nothing of the kind.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What a declared hook runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Run {
    /// A process.
    Command(CommandSpec),
    /// An HTTP request.
    Webhook(WebhookSpec),
    /// A question to the host's model, or to an agent of it.
    Prompt {
        /// The question; `$ARGUMENTS` stands for the event.
        text: String,
        /// The model, when the file names one.
        model: Option<String>,
        /// An agent is asked, which may use tools.
        agent: bool,
        /// A refusal does not end the turn.
        continue_on_block: bool,
    },
    /// A tool of an MCP server that the host is connected to.
    McpTool {
        /// The server's name.
        server: String,
        /// The tool's name.
        tool: String,
        /// The tool's input; `${path}` stands for a field of the event.
        input: Map<String, Value>,
    },
    /// Nothing: the file itself decides.
    Decision(Decision),
    /// Nothing: a ready-made hook looks at the event.
    Computed(Computed),
}

impl Run {
    /// The kind of what runs.
    #[must_use]
    pub const fn kind(&self) -> RunKind {
        match self {
            Self::Command(_) => RunKind::Command,
            Self::Webhook(_) => RunKind::Webhook,
            Self::Prompt { agent: false, .. } => RunKind::Prompt,
            Self::Prompt { agent: true, .. } => RunKind::Agent,
            Self::McpTool { .. } => RunKind::McpTool,
            Self::Decision(_) | Self::Computed(_) => RunKind::Decision,
        }
    }
}

impl Declared {
    /// The hook's name, or what it runs.
    #[must_use]
    pub fn label(&self) -> &str {
        let runs = || self.spec.origin.as_ref().map_or("hook", |origin| origin.runs.as_str());
        self.spec.name.as_deref().unwrap_or_else(runs)
    }
}

/// Something in a file that could not be taken, or that will surprise.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// The place in the file; empty for the whole file.
    pub place: String,
    /// The line, from 1, when it is known.
    pub line: Option<usize>,
    /// The column, from 1, in characters, when it is known.
    pub column: Option<usize>,
    /// What is wrong, and the fix.
    pub message: String,
    /// Whether the entry was left out because of it.
    pub fatal: bool,
    /// A change that fixes it for certain.
    #[serde(skip)]
    pub fix: Option<Fix>,
}

/// A change of a file that fixes a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fix {
    /// The bytes that are replaced, in the text without a byte order mark.
    pub range: std::ops::Range<usize>,
    /// What takes their place.
    pub text: String,
}

impl Problem {
    /// Of a whole file.
    pub(crate) fn of_file(file: PathBuf, message: impl Into<String>, fatal: bool) -> Self {
        Self { file, place: String::new(), line: None, column: None, message: message.into(), fatal, fix: None }
    }

    /// Of a hook, where it stands.
    pub(crate) fn of_hook(origin: &Origin, message: impl Into<String>, fatal: bool) -> Self {
        let (file, place, line) = (origin.file.clone(), origin.place.clone(), origin.line);
        Self { file, place, line, column: None, message: message.into(), fatal, fix: None }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
            if let Some(column) = self.column {
                write!(f, ":{column}")?;
            }
        }
        if !self.place.is_empty() {
            write!(f, " ({})", self.place)?;
        }
        write!(f, ": {}", self.message)
    }
}
