//! What a description's file may hold.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

/// The file of one system.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) name: Spanned<String>,
    pub(super) title: String,
    pub(super) summary: String,
    /// Whether a program of the system was run against this description.
    pub(super) proved: bool,
    /// Claude Code's events that the system has too, by the system's names.
    pub(super) events: Vec<Spanned<String>>,
    /// The system's names of events that Claude Code calls otherwise.
    #[serde(default)]
    pub(super) aliases: BTreeMap<String, Spanned<String>>,
    #[serde(default)]
    pub(super) reads: Reads,
    #[serde(default)]
    pub(super) matchers: Matchers,
    #[serde(default)]
    pub(super) answers: Answers,
    /// What exit code 2 does where it is not what it does in Claude Code.
    #[serde(default)]
    pub(super) exit_2: BTreeMap<String, Spanned<Exit2>>,
    pub(super) timeout: Timeout,
    #[serde(default)]
    pub(super) variables: Variables,
    pub(super) files: Files,
    pub(super) entries: Entries,
    pub(super) install: Option<Install>,
    #[serde(default, rename = "tool")]
    pub(super) tools: Vec<Tool>,
    #[serde(default, rename = "permission")]
    pub(super) permissions: Vec<Permission>,
    #[serde(default, rename = "fact")]
    pub(super) facts: Vec<Fact>,
    #[serde(default)]
    pub(super) decided: Vec<Decided>,
}

/// What stands on a hook's standard input.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Reads {
    /// The permission mode of a host that does not say.
    pub(super) permission_mode: Option<String>,
    /// Fields of Claude Code's that have another name.
    pub(super) renamed: BTreeMap<String, Spanned<String>>,
    /// Whether a text that a tool gave back stands there as it is, not in the form of Claude Code's tools.
    pub(super) plain_result: bool,
    /// Whether a prompt is a list of parts, of which those of type `text` count.
    pub(super) prompt_in_parts: bool,
}

/// How string matchers are read.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Matchers {
    /// As Claude Code does.
    #[default]
    ListsAndPatterns,
    /// Each as a pattern.
    Patterns,
    /// Each as a pattern of the whole name, also between slashes.
    WholePatterns,
}

/// How answers are read, and which of them the system takes from its hooks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Answers {
    pub(super) updated_input: UpdatedInput,
    /// Events on which text that is no JSON is context for the model.
    pub(super) plain_text_is_context: Vec<Spanned<String>>,
    /// Further words of `decision`.
    pub(super) decisions: BTreeMap<String, Spanned<Word>>,
    /// Whether `hookSpecificOutput` counts only with its `hookEventName`.
    pub(super) needs_event_name: bool,
    /// Whether an answer on standard error counts where standard output is empty.
    pub(super) on_standard_error: bool,
    /// Whether the system asks a person when its hook says so.
    pub(super) asks: bool,
    /// Whether the system takes new arguments and results from its hook.
    pub(super) rewrites: bool,
    /// Whether a refused tool call is also said by `decision`.
    pub(super) refuses_by_decision: bool,
    /// Whether only exit code 2 refuses, on the events on which it blocks.
    pub(super) refuses_by_exit_code: bool,
    /// Whether `continue: false` refuses what is asked about, instead of ending the agent.
    pub(super) continue_false_blocks: bool,
    /// Whether `additionalContext` is at the top of an answer.
    pub(super) context_at_top: bool,
}

impl Default for Answers {
    fn default() -> Self {
        Self {
            updated_input: UpdatedInput::Replaces,
            plain_text_is_context: Vec::new(),
            decisions: BTreeMap::new(),
            needs_event_name: true,
            on_standard_error: false,
            asks: true,
            rewrites: true,
            refuses_by_decision: false,
            refuses_by_exit_code: false,
            continue_false_blocks: false,
            context_at_top: false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum UpdatedInput {
    /// It is the whole input.
    Replaces,
    /// It holds what changes.
    Merges,
}

/// What a word of `decision` means.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Word {
    Approve,
    Block,
    Ask,
    /// It decides nothing.
    Pass,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Exit2 {
    Blocks,
    TellsModel,
    TellsUser,
    Ignored,
}

/// How long hooks run, in seconds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Timeout {
    pub(super) usual: f64,
    pub(super) http: Option<f64>,
    pub(super) prompt: Option<f64>,
    pub(super) agent: Option<f64>,
    #[serde(default)]
    pub(super) events: BTreeMap<String, Spanned<f64>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Variables {
    pub(super) project: Vec<Spanned<String>>,
    pub(super) plugin: Vec<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Files {
    #[serde(default)]
    pub(super) project: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) local: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) user: Vec<Spanned<String>>,
    /// An administrator's files, below the root of the machine.
    #[serde(default)]
    pub(super) linux: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) macos: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) windows: Vec<Spanned<String>>,
    /// Whether the same hook in several files runs once.
    #[serde(default)]
    pub(super) runs_once: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entries {
    pub(super) kinds: Vec<Kind>,
    pub(super) keys: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) shape: Shape,
    /// Whether an entry without `type` is a command.
    #[serde(default)]
    pub(super) untyped: bool,
    /// Keys beside the events that are none.
    #[serde(default)]
    pub(super) beside_events: Vec<String>,
    #[serde(default)]
    pub(super) unit: Unit,
    pub(super) milliseconds_from: Option<f64>,
    pub(super) fails_closed: Option<FailsClosed>,
    #[serde(default)]
    pub(super) shell: Shell,
}

/// What a file looks like.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Shape {
    /// JSON in Claude Code's shape.
    #[default]
    Groups,
    /// TOML with a list `hooks`; an entry of it has its `event` and its `matcher` beside what it runs.
    List,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Command,
    Http,
    Prompt,
    Agent,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Unit {
    #[default]
    Seconds,
    Milliseconds,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Shell {
    #[default]
    System,
    Bash,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FailsClosed {
    pub(super) key: String,
    pub(super) value: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Install {
    pub(super) events: Vec<Spanned<String>>,
    pub(super) project: Spanned<String>,
    pub(super) local: Option<Spanned<String>>,
    pub(super) user: Option<Spanned<String>>,
    pub(super) seconds: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tool {
    /// The engine's name.
    pub(super) name: String,
    /// The system's names: the one that its hooks read first.
    pub(super) called: Spanned<Vec<String>>,
    /// Arguments that the system calls otherwise.
    #[serde(default)]
    pub(super) args: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Permission {
    pub(super) keys: Vec<String>,
    pub(super) rules: Ruling,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Ruling {
    Deny,
    Ask,
    Allow,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fact {
    pub(super) topic: String,
    pub(super) text: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Decided {
    pub(super) question: String,
    pub(super) answer: String,
    pub(super) reason: String,
}
