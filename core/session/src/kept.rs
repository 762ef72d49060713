//! Approvals that outlive a session: "Allow always" of a person, kept by the host for the very same question.

use std::fmt::Debug;

use serde::Serialize;

use hookweave_machine::error::Error;

/// A question that a person answered, or is about to be asked: all that makes it the same question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeptQuestion<'q> {
    /// The working directory: the same command does something else in another project.
    pub directory: &'q str,
    /// What the hook that asks is made of; `None` when it is the host's own rule.
    pub hook: Option<&'q str>,
    /// The event that waits for the answer.
    pub event: &'q str,
    /// What the answer holds for: `call`, `prompt` or `tool`.
    pub width: &'q str,
    /// The tool; `None` where the answer holds for the question with any tool.
    pub tool: Option<&'q str>,
    /// The question; `None` where the answer holds for any question about the tool.
    pub prompt: Option<&'q str>,
    /// The arguments as JSON text, or a prompt; `None` where the answer holds for any.
    pub args: Option<&'q str>,
    /// The hook's name, for people.
    #[serde(skip)]
    pub hook_name: Option<&'q str>,
    /// What the person was shown of the arguments.
    #[serde(skip)]
    pub shown: Option<&'q str>,
}

/// Keeps approvals for later sessions.
pub trait ApprovalStore: Debug + Send + Sync {
    /// Whether a person has allowed this always, and the approval still holds.
    fn holds(&self, question: &KeptQuestion<'_>) -> Result<bool, Error>;

    /// Keeps that a person has allowed this always.
    fn keep(&self, question: &KeptQuestion<'_>) -> Result<(), Error>;
}
