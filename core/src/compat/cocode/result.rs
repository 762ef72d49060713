//! What one of Cocode's hooks says.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::engine::Outcome;
use crate::response::HookResponse;
use hookweave_host::dialects::cocode;

/// What a hook says, in Cocode's own JSON too: `"Continue"`, `{"Reject": {"reason": "…"}}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum HookResult {
    /// It goes on.
    Continue,
    /// It does not go on.
    Reject {
        /// Why.
        reason: String,
    },
    /// It goes on with another input.
    ModifyInput {
        /// The tool's arguments, or the prompt.
        new_input: Value,
    },
}

impl HookResult {
    /// Whether it is a rejection.
    #[must_use]
    pub const fn is_reject(&self) -> bool {
        matches!(self, Self::Reject { .. })
    }

    /// Whether it changes the input.
    #[must_use]
    pub const fn is_modify(&self) -> bool {
        matches!(self, Self::ModifyInput { .. })
    }

    /// The result as an answer to the engine.
    pub(super) fn into_response(self, event: &str) -> HookResponse {
        match self {
            Self::Continue => HookResponse::default(),
            Self::Reject { reason } => HookResponse::block(reason),
            Self::ModifyInput { new_input } => match cocode::input_field(event) {
                Some(field) => HookResponse::default().modified(json!({field: new_input})),
                None => HookResponse::default().ext("cocode", json!({"notes": [cocode::nothing_to_change(event)]})),
            },
        }
    }

    /// What all hooks say together, by the dialect's rules.
    pub(super) fn of(outcome: &Outcome) -> Self {
        match outcome.to_wire("cocode") {
            Err(error) => Self::Reject { reason: error.to_string() },
            Ok(wire) if wire.exit_code != 0 => Self::Reject { reason: wire.stderr },
            Ok(wire) => serde_json::from_str(&wire.stdout).unwrap_or_else(|error| Self::Reject {
                reason: format!("the hooks' result cannot be expressed in Cocode's format: {error}"),
            }),
        }
    }
}
