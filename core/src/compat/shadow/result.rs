//! What one of shadow's hooks says.

use serde_json::json;

use crate::engine::Outcome;
use crate::response::HookResponse;
use hookweave_host::action::Action;

/// What a hook decided of a tool call or a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PermissionDecision {
    /// It goes on without a question.
    Allow,
    /// It does not go on.
    Deny,
    /// A person decides.
    Ask,
}

/// What a hook says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HookResult {
    /// What it decided, if it did.
    pub decision: Option<PermissionDecision>,
    /// Why.
    pub reason: Option<String>,
}

impl HookResult {
    const fn of_decision(decision: PermissionDecision) -> Self {
        Self { decision: Some(decision), reason: None }
    }

    /// Nothing to say.
    #[must_use]
    pub const fn none() -> Self {
        Self { decision: None, reason: None }
    }

    /// Yes, without asking a person.
    #[must_use]
    pub const fn allow() -> Self {
        Self::of_decision(PermissionDecision::Allow)
    }

    /// No, for this reason.
    #[must_use]
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { decision: Some(PermissionDecision::Deny), reason: Some(reason.into()) }
    }

    /// A person decides.
    #[must_use]
    pub const fn ask() -> Self {
        Self::of_decision(PermissionDecision::Ask)
    }

    /// The result as an answer to the engine.
    pub(super) fn into_response(self) -> HookResponse {
        let response = match self.decision {
            None => HookResponse::default(),
            Some(PermissionDecision::Allow) => HookResponse::allow(),
            Some(PermissionDecision::Deny) => return HookResponse::block(self.reason.unwrap_or_default()),
            Some(PermissionDecision::Ask) => HookResponse::from_json(json!({"action": "ask"})).unwrap_or_default(),
        };
        match self.reason {
            Some(reason) => response.reason(reason),
            None => response,
        }
    }

    /// The decision of all hooks together. What this type cannot express is a refusal.
    pub(super) fn of(outcome: &Outcome) -> Self {
        let reason = outcome.reason().map(str::to_owned);
        match outcome.decision() {
            Action::Retry => Self::deny(format!("try again later: {}", reason.unwrap_or_default())),
            Action::Ask => Self { reason, ..Self::ask() },
            Action::Allow => Self { reason, ..Self::allow() },
            Action::Continue | Action::Skip => Self::none(),
            // A block, a stop, and what a later version adds.
            _ => Self { reason, ..Self::of_decision(PermissionDecision::Deny) },
        }
    }
}
