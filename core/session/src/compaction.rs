//! Making the context shorter, and noticing that it has become long.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::Session;
use super::effect::{Effect, Reply, Speaker};
use super::flow::{Cx, Flow};
use super::prompt::Passed;

/// What came of a compaction.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Compaction {
    /// Whether the context was made shorter.
    pub compacted: bool,
    /// What it was made into.
    pub summary: Option<String>,
    /// Why it was not.
    pub reason: Option<String>,
    /// How many messages the summary stands for.
    pub removed: usize,
    /// How many stayed as they were.
    pub kept: usize,
}

/// Which messages stay, by their places.
#[derive(Debug, Default, PartialEq, Eq)]
struct Cut {
    /// The model's instructions, and what the host has pinned: before the summary.
    before: Vec<usize>,
    /// What the summary stands for.
    gone: Vec<usize>,
    /// The most recent ones: behind it.
    after: Vec<usize>,
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

impl Cut {
    /// A tool's results stay where the response is that called for them: models refuse one without the other.
    fn of(speakers: &[Speaker], recent: usize) -> Self {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (place, speaker) in speakers.iter().enumerate() {
            match groups.last_mut().filter(|_| speaker.role == "tool") {
                Some(group) => group.push(place),
                None => groups.push(vec![place]),
            }
        }
        let mut cut = Self::default();
        let mut late = Vec::new();
        while late.iter().map(Vec::len).sum::<usize>() < recent {
            let Some(group) = groups.pop() else { break };
            late.push(group);
        }
        for group in groups {
            let stays = group.iter().filter_map(|place| speakers.get(*place));
            let stays = stays.clone().any(|speaker| speaker.pinned || speaker.role == "system");
            if stays { &mut cut.before } else { &mut cut.gone }.extend(group);
        }
        cut.after = late.into_iter().rev().flatten().collect();
        cut
    }
}

impl Cx {
    async fn compact(&self, trigger: &str, custom_instructions: Option<String>) -> Compaction {
        let refused = |reason: Option<String>| Compaction { reason, ..Compaction::default() };
        let recent = self.session.settings.keep_recent;
        let (messages, cut) = match self.perform(Effect::ReadContext).await {
            Reply::Context { messages, speakers } => (Some(messages), Cut::of(&speakers, recent)),
            Reply::Failed { why } => return refused(Some(why)),
            // The host keeps the conversation, and shortens it by itself.
            _ => (None, Cut::default()),
        };
        if messages.is_some() && cut.gone.is_empty() {
            return refused(Some(format!("nothing in the context is older than its {recent} most recent messages")));
        }
        let custom_instructions = match self.may_compact(trigger, custom_instructions, messages).await {
            Ok(instructions) => instructions,
            Err(reason) => return refused(reason),
        };
        let asked = Effect::Summarise { gone: cut.gone.clone(), custom_instructions };
        let summary = match self.perform(asked).await {
            Reply::Text { text } => text,
            Reply::Failed { why } => return refused(Some(why)),
            _ => return refused(Some("no summary was given".to_owned())),
        };
        let (removed, kept) = (cut.gone.len(), cut.before.len() + cut.after.len());
        if messages.is_some() {
            let Cut { before, after, .. } = cut;
            let metadata = Map::from_iter([
                ("source".to_owned(), Value::from("summary")),
                ("trigger".to_owned(), trigger.into()),
                ("timestamp".to_owned(), hookweave_clock::now_ms().into()),
            ]);
            let replaced = Effect::ReplaceContext { before, summary: summary.clone(), metadata, after };
            if let Reply::Failed { why } = self.perform(replaced).await {
                return refused(Some(format!("the context did not take the summary: {why}")));
            }
        }
        self.session.state().context_reported = false;
        let came = json!({"trigger": trigger, "summary": summary, "removed": removed, "kept": kept});
        self.raise("PostCompact", came).await;
        Compaction { compacted: true, summary: Some(summary), reason: None, removed, kept }
    }

    /// Asks the hooks; gives the instructions as they left them, or why nothing may be compacted.
    async fn may_compact(
        &self,
        trigger: &str,
        mut instructions: Option<String>,
        messages: Option<u32>,
    ) -> Result<Option<String>, Option<String>> {
        let mut tries = 0;
        loop {
            let fields = json!({"trigger": trigger, "custom_instructions": instructions});
            let values = messages.map(|messages| ("messages", messages)).into_iter().collect();
            let dispatch_result = self.dispatch("PreCompact", fields, values, &["custom_instructions"]).await;
            instructions = dispatch_result.text("custom_instructions").or(instructions);
            match self.passes("PreCompact", &dispatch_result.verdict, trigger, &mut tries).await {
                Passed::Yes => return Ok(instructions),
                Passed::Again => {}
                Passed::No(reason) => return Err(reason),
            }
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
            let warns = over && !state.context_reported;
            state.context_reported = over;
            warns
        };
        if warns {
            let threshold = settings.context_threshold;
            let fields = json!({"usage": usage, "limit": limit, "ratio": ratio, "threshold": threshold});
            self.raise("ContextWarning", fields).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(speakers: &str, recent: usize) -> (Vec<usize>, Vec<usize>, Vec<usize>) {
        let speakers: Vec<Speaker> = speakers
            .chars()
            .map(|letter| {
                let role = match letter.to_ascii_lowercase() {
                    's' => "system",
                    'a' => "assistant",
                    't' => "tool",
                    _ => "user",
                };
                Speaker { role: role.to_owned(), pinned: letter.is_ascii_uppercase() }
            })
            .collect();
        let Cut { before, gone, after } = Cut::of(&speakers, recent);
        (before, gone, after)
    }

    #[test]
    fn instructions_stay_and_the_most_recent_messages() {
        assert_eq!(cut("suaua", 2), (vec![0], vec![1, 2], vec![3, 4]));
        assert_eq!(cut("sUaua", 1), (vec![0, 1], vec![2, 3], vec![4]));
        assert_eq!(cut("su", 6), (vec![], vec![], vec![0, 1]));
        assert_eq!(cut("", 6), (vec![], vec![], vec![]));
    }

    #[test]
    fn a_call_and_its_results_are_not_torn() {
        assert_eq!(cut("uattau", 3), (vec![], vec![0], vec![1, 2, 3, 4, 5]));
        assert_eq!(cut("uattau", 2), (vec![], vec![0, 1, 2, 3], vec![4, 5]));
        assert_eq!(cut("uaTtau", 2), (vec![1, 2, 3], vec![0], vec![4, 5]), "pinned with the response that calls it");
        assert_eq!(cut("tua", 1), (vec![], vec![0, 1], vec![2]));
    }
}
