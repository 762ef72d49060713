//! Making the context shorter, and noticing that it has become long.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Session;
use super::effect::{Effect, Reply};
use super::flow::{Cx, Flow};
use super::prompt::Passed;

/// What came of a compaction.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compaction {
    /// Whether the context was made shorter.
    pub compacted: bool,
    /// What it was made into.
    pub summary: Option<String>,
    /// Why it was not.
    pub reason: Option<String>,
}

impl Session {
    /// Makes the context shorter, by `manual` or `auto` trigger; ends with a [`Compaction`].
    #[must_use]
    pub fn compact(self: &Arc<Self>, trigger: String, custom_instructions: Option<String>) -> Flow {
        Flow::new(self, |cx| async move { cx.compact(&trigger, custom_instructions).await })
    }

    /// Says how many tokens the context holds; hooks are warned once when that is much. Ends with nothing.
    #[must_use]
    pub fn note_usage(self: &Arc<Self>, tokens: u64) -> Flow {
        Flow::new(self, |cx| async move { cx.note_usage(tokens, json!({"total_tokens": tokens})).await })
    }
}

impl Cx {
    async fn compact(&self, trigger: &str, mut custom_instructions: Option<String>) -> Compaction {
        let mut tries = 0;
        loop {
            let fields = json!({"trigger": trigger, "custom_instructions": custom_instructions});
            let said = self.dispatch("PreCompact", fields, Vec::new(), &["custom_instructions"]).await;
            custom_instructions = said.text("custom_instructions").or(custom_instructions);
            match self.passes("PreCompact", &said.verdict, trigger, &mut tries).await {
                Passed::Yes => break,
                Passed::Again => {}
                Passed::No(reason) => return Compaction { reason, ..Compaction::default() },
            }
        }
        match self.perform(Effect::Summarise { custom_instructions }).await {
            Reply::Text { text } => {
                self.session.state().context_told = false;
                self.raise("PostCompact", json!({"trigger": trigger, "summary": text})).await;
                Compaction { compacted: true, summary: Some(text), reason: None }
            }
            Reply::Failed { why } => Compaction { reason: Some(why), ..Compaction::default() },
            _ => Compaction { reason: Some("no summary was given".to_owned()), ..Compaction::default() },
        }
    }

    /// Raises a warning when the context is nearly full, once until it has shrunk.
    pub(super) async fn note_usage(&self, tokens: u64, usage: Value) {
        let settings = &self.session.settings;
        let Some(limit) = settings.context_limit.filter(|limit| *limit > 0) else { return };
        #[expect(clippy::cast_precision_loss, reason = "a ratio")]
        let ratio = tokens as f64 / limit as f64;
        let warns = {
            let mut state = self.session.state();
            let over = ratio >= settings.context_threshold;
            let warns = over && !state.context_told;
            state.context_told = over;
            warns
        };
        if warns {
            let threshold = settings.context_threshold;
            let fields = json!({"usage": usage, "limit": limit, "ratio": ratio, "threshold": threshold});
            self.raise("ContextWarning", fields).await;
        }
    }
}
