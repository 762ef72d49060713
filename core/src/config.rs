//! Hooks that files declare: what they are, where they stand, and what each would run.

use std::fmt::Debug;
use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::dialects::{Dialect, RunKind};
use crate::handlers::command::CommandSpec;
use crate::handlers::webhook::WebhookSpec;
use crate::hook::HookSpec;

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
        }
    }
}

/// Something in a file that could not be taken, or that will surprise.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// The place in the file; empty for the whole file.
    pub place: String,
    /// The line, from 1, when it is known.
    pub line: Option<usize>,
    /// What is wrong, and the mend.
    pub message: String,
    /// Whether the entry was left out because of it.
    pub fatal: bool,
}
