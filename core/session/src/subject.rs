//! What a question is about.

use super::answer::Answer;
use super::effect::{ApprovalRequest, ValueId};
use super::state::Approval;

/// Arguments that a person allows in place of those that were asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) args: ValueId,
    /// The question, about these arguments.
    pub(super) approval: Approval,
    /// What a person is shown of them.
    pub(super) shown: Option<String>,
    /// What the person said about them.
    pub(super) reason: Option<String>,
}

/// Answers to questions of a call that was suspended, by the questions' ids.
pub type Answers = Vec<(String, Answer<ValueId>)>;

/// What a question is about.
pub(super) struct Subject<'s> {
    pub(super) event: &'static str,
    pub(super) tool: &'s str,
    pub(super) tool_use_id: Option<&'s str>,
    pub(super) args: Option<ValueId>,
    /// What is asked about, as text by which it is known again: arguments in JSON, a prompt. `None` without a JSON form.
    pub(super) text: Option<String>,
    /// What a person is shown of it.
    pub(super) shown: Option<String>,
    /// Why the host asks, where no hook does.
    pub(super) host_asks: Option<&'s str>,
    /// Questions that a person has answered with arguments of their own: about those they are not asked again.
    pub(super) edits: &'s [Edit],
    /// Answers that were given before; `None` where no question can be answered later.
    pub(super) answers: Option<&'s Answers>,
}

impl Subject<'_> {
    /// What a person has answered before to this very question. Without a text it cannot be recognised again.
    pub(super) fn answered(&self, request: &ApprovalRequest) -> Option<Answer<ValueId>> {
        self.text.as_ref()?;
        self.answers?.iter().find(|(id, _)| *id == request.id).map(|(_, answer)| answer.clone())
    }
}
