//! What conditions may know of a conversation: counts that it shares with its subagents, so that none escapes a limit.

use std::sync::atomic::{AtomicU64, Ordering};

use hookweave_machine::sessions::SessionFacts;

/// The counts of one conversation.
#[derive(Debug)]
pub(super) struct Counters {
    turns: AtomicU64,
    tool_calls: AtomicU64,
    tool_failures: AtomicU64,
    model_calls: AtomicU64,
    started: u64,
}

impl Counters {
    /// Those of a conversation that begins now.
    pub(super) fn begun() -> Self {
        let [turns, tool_calls, tool_failures, model_calls] = [const { AtomicU64::new(0) }; 4];
        Self { turns, tool_calls, tool_failures, model_calls, started: hookweave_clock::now_ms() }
    }

    pub(super) fn count_turn(&self) {
        self.turns.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_tool_call(&self) {
        self.tool_calls.fetch_add(1, Ordering::Relaxed);
    }

    /// A tool call that was counted counts as not begun.
    pub(super) fn discount_tool_call(&self) {
        self.tool_calls.fetch_sub(1, Ordering::Relaxed);
    }

    pub(super) fn count_tool_failure(&self) {
        self.tool_failures.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_model_call(&self) {
        self.model_calls.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn facts(&self) -> SessionFacts {
        let now = |count: &AtomicU64| count.load(Ordering::Relaxed);
        SessionFacts {
            turn: now(&self.turns),
            tool_calls: now(&self.tool_calls),
            tool_failures: now(&self.tool_failures),
            model_calls: now(&self.model_calls),
            started: self.started,
            age_ms: hookweave_clock::now_ms().saturating_sub(self.started),
        }
    }
}
