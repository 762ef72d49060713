//! What is decided without running anything: the same for every event that a hook is for.

use serde_json::{Value, json};

/// A decision that needs no handler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// No, for this reason.
    Block(String),
    /// A person decides, and is asked this; without a text the question names the tool.
    Ask(Option<String>),
    /// Yes, without asking a person.
    Allow,
}

impl Decision {
    /// The same as an answer of a hook.
    #[must_use]
    pub fn answer(&self) -> Value {
        match self {
            Self::Block(reason) => json!({"action": "block", "reason": reason}),
            Self::Ask(Some(prompt)) => json!({"action": "ask", "reason": prompt, "ask": {"prompt": prompt}}),
            Self::Ask(None) => json!({"action": "ask", "ask": {}}),
            Self::Allow => json!({"action": "allow"}),
        }
    }
}
