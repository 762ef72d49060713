//! What a session remembers between its flows.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use super::effect::Role;
use super::kept::ApprovalStore;
use super::permission::Permissions;
use hookweave_machine::registry::HookId;

/// How many tools an event's context names.
const RECENT_TOOLS: usize = 10;

/// How many approvals are remembered; the person is asked again beyond.
const MAX_APPROVALS: usize = 4096;

/// How many changed files a turn remembers.
const MAX_CHANGED: usize = 1000;

/// What one agent of a conversation remembers.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The last tools that ran, the latest at the end.
    pub(super) recent_tools: VecDeque<Arc<str>>,
    /// The cost of the model's last call, as it reported it.
    pub(super) usage: Value,
    /// The prompt that hooks of `GenerateStart` changed, and what the model is given in its place.
    pub(super) given: Option<(String, String)>,
    /// Messages for the next call of the model alone.
    pub(super) ephemeral: Vec<(Role, String)>,
    /// Prompts so far.
    pub(super) turns: u64,
    /// When the last one came.
    pub(super) turn_began: Option<Instant>,
    /// Tokens that hooks have injected in this turn.
    pub(super) injected_tokens: usize,
    /// The user was notified that the turn's budget is used up.
    pub(super) budget_reported: bool,
    /// How often in a row a hook has kept the agent from stopping.
    pub(super) stops: u32,
    /// A warning about the context's size has been raised, and it has not shrunk since.
    pub(super) context_reported: bool,
}

impl State {
    pub(super) fn begin_turn(&mut self) {
        self.turns += 1;
        self.turn_began = Some(hookweave_clock::now());
        self.injected_tokens = 0;
        self.budget_reported = false;
        self.stops = 0;
        self.given = None;
    }

    /// What the model is given for a prompt.
    pub(super) fn given<'p>(&'p self, prompt: &'p str) -> &'p str {
        self.given.as_ref().filter(|(submitted, _)| submitted == prompt).map_or(prompt, |(_, given)| given)
    }

    /// A tool's name: the very one that is among the last tools, if it is.
    pub(super) fn name_of(&self, tool: &str) -> Arc<str> {
        self.recent_tools.iter().rev().find(|known| &***known == tool).map_or_else(|| tool.into(), Arc::clone)
    }

    pub(super) fn note_tool(&mut self, tool: &Arc<str>) {
        if self.recent_tools.len() == RECENT_TOOLS {
            self.recent_tools.pop_front();
        }
        self.recent_tools.push_back(Arc::clone(tool));
    }

    /// A tool that was noted last has not run.
    pub(super) fn forget_tool(&mut self, tool: &Arc<str>) {
        if let Some(at) = self.recent_tools.iter().rposition(|noted| noted == tool) {
            self.recent_tools.remove(at);
        }
    }
}

/// What a person allowed always.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Approval {
    /// The very same question about the very same arguments.
    Exact { hook: Option<HookId>, event: &'static str, tool: String, prompt: String, args: String },
    /// The same question, with any arguments.
    Prompt { hook: Option<HookId>, event: &'static str, prompt: String },
    /// Any question of this hook about this tool.
    Tool { hook: Option<HookId>, event: &'static str, tool: String },
}

impl Approval {
    /// What it holds for, in a word.
    pub(super) const fn width(&self) -> &'static str {
        match self {
            Self::Exact { .. } => "call",
            Self::Prompt { .. } => "prompt",
            Self::Tool { .. } => "tool",
        }
    }
}

/// What a conversation and its subagents share: what the host permits, and what a person has approved.
#[derive(Debug)]
pub(super) struct Memory {
    pub(super) permissions: Permissions,
    approvals: HashSet<Approval>,
    /// The files that tools have changed in this turn, the first change first.
    pub(super) changed_files: Vec<String>,
    /// The ids of questions that wait for an answer.
    pub(super) waiting: HashSet<String>,
    /// Where approvals outlive the session.
    pub(super) store: Option<Arc<dyn ApprovalStore>>,
    /// How often all was forgotten.
    ends: u64,
}

impl Memory {
    pub(super) fn new(permissions: Permissions) -> Self {
        let (approvals, waiting) = (HashSet::new(), HashSet::new());
        Self { permissions, approvals, changed_files: Vec::new(), waiting, store: None, ends: 0 }
    }

    pub(super) fn holds(&self, approval: &Approval) -> bool {
        self.approvals.contains(approval)
    }

    /// How often all was forgotten so far.
    pub(super) const fn ends(&self) -> u64 {
        self.ends
    }

    /// Remembers the answer to a question, unless the memory was cleared since it was asked.
    pub(super) fn keep(&mut self, approval: Approval, asked: u64) {
        if self.ends == asked && self.approvals.len() < MAX_APPROVALS {
            self.approvals.insert(approval);
        }
    }

    /// Notes files that a tool has changed.
    pub(super) fn note_changed(&mut self, files: Vec<String>) {
        for file in files {
            if self.changed_files.len() < MAX_CHANGED && !self.changed_files.contains(&file) {
                self.changed_files.push(file);
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.changed_files.clear();
        self.approvals.clear();
        self.ends += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(tool: String) -> Approval {
        Approval::Tool { hook: None, event: "PreToolUse", tool }
    }

    #[test]
    fn what_was_approved_is_forgotten_with_the_session_also_what_was_asked_before_its_end() {
        let mut memory = Memory::new(Permissions::default());
        let (bash, asked) = (about("Bash".to_owned()), memory.ends());
        memory.keep(bash.clone(), asked);
        assert!(memory.holds(&bash) && !memory.holds(&about("Edit".to_owned())));
        memory.clear();
        assert!(!memory.holds(&bash));
        memory.keep(bash.clone(), asked);
        assert!(!memory.holds(&bash), "the question is older than the end");
        memory.keep(bash.clone(), memory.ends());
        assert!(memory.holds(&bash));
    }

    #[test]
    fn no_more_approvals_are_kept_than_there_is_room_for() {
        let mut memory = Memory::new(Permissions::default());
        for number in 0..=MAX_APPROVALS {
            memory.keep(about(number.to_string()), 0);
        }
        assert!(memory.holds(&about((MAX_APPROVALS - 1).to_string())));
        assert!(!memory.holds(&about(MAX_APPROVALS.to_string())), "the person is asked again");
    }

    #[test]
    fn the_last_tools_are_kept_and_a_turn_begins_anew() {
        let mut state = State { injected_tokens: 7, budget_reported: true, stops: 2, ..State::default() };
        for number in 0..=RECENT_TOOLS {
            state.note_tool(&number.to_string().into());
        }
        let tools: Vec<_> = state.recent_tools.iter().map(ToString::to_string).collect();
        assert_eq!(tools, (1..=RECENT_TOOLS).map(|number| number.to_string()).collect::<Vec<_>>());
        state.begin_turn();
        assert_eq!((state.turns, state.injected_tokens, state.budget_reported, state.stops), (1, 0, false, 0));
    }
}
