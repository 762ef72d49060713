//! What a hook that observes would have done: kept for people, and without any effect.

use serde::Serialize;

use crate::action::Action;
use crate::answer::{Answer, Injection, Message, Question};

/// What a hook that observes would have done, had it been enforced.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Observed {
    /// What it decided, or what the failure rule would have made of its failure.
    pub action: Action,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The payload fields that it would have changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modified: Vec<String>,
    /// The context that the model would have got.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub injections: Vec<Injection>,
    /// What the user would have seen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Message>,
    /// What a person would have been asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask: Option<Question>,
}

impl Observed {
    /// A refusal that was not enforced.
    pub(crate) fn block(reason: String) -> Self {
        Self { action: Action::Block, reason: Some(reason), ..Self::default() }
    }

    /// What of an answer would have had an effect; `None` when nothing would.
    pub(crate) fn of<V>(answer: Answer<V>) -> Option<Self> {
        let Answer { action, reason, modified, inject, messages, ask, .. } = answer;
        let asks = ask.is_some() || action == Action::Ask;
        let ask = asks.then(|| {
            let ask = ask.unwrap_or_default();
            Question { prompt: ask.prompt.clone().or_else(|| reason.clone()), ..ask }
        });
        let observed = Self {
            action: if asks && !action.refuses() { Action::Ask } else { action },
            modified: modified.into_iter().map(|(field, _)| field).collect(),
            injections: inject,
            messages,
            ask,
            reason,
        };
        let is_nothing = observed.action == Action::Continue
            && observed.modified.is_empty()
            && observed.injections.is_empty()
            && observed.messages.is_empty();
        (!is_nothing).then_some(observed)
    }
}
