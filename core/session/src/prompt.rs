//! A prompt on its way into the conversation.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::effect::Role;
use super::flow::{Cx, Flow, from};
use super::question_id::Asked;
use super::subject::Subject;
use super::{Session, Verdict};
use hookweave_machine::action::Action;

/// What came of a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Submitted {
    /// Whether it went into the conversation.
    pub accepted: bool,
    /// The prompt as hooks left it.
    pub prompt: String,
    /// Why it did not.
    pub reason: Option<String>,
    /// A hook wants the agent to stop.
    pub stops: bool,
}

impl Session {
    /// Takes a prompt in; ends with a [`Submitted`].
    #[must_use]
    pub fn submit_prompt(self: &Arc<Self>, prompt: String) -> Flow {
        Flow::new(self, |cx| async move { cx.submit_prompt(prompt).await })
    }
}

impl Cx {
    pub(super) async fn submit_prompt(&self, mut prompt: String) -> Submitted {
        self.session.state().begin_turn();
        if self.session.agent.is_none() {
            self.session.counters().count_turn();
            self.session.memory().changed_files.clear();
        }
        let mut tries = 0;
        loop {
            let dispatch_result =
                self.dispatch("UserPromptSubmit", json!({"prompt": prompt}), Vec::new(), &["prompt"]).await;
            prompt = dispatch_result.text("prompt").unwrap_or(prompt);
            let verdict = &dispatch_result.verdict;
            match self.passes("UserPromptSubmit", verdict, &prompt, &mut tries).await {
                Passed::Yes => break,
                Passed::Again => {}
                Passed::No(reason) => {
                    let stops = verdict.decision == Action::Stop;
                    return Submitted { accepted: false, prompt, reason, stops };
                }
            }
        }
        self.add_message(Role::User, Some(prompt.clone()), None, from("user")).await;
        self.raise("PostUserMessage", json!({"prompt": prompt})).await;
        Submitted { accepted: true, prompt, ..Submitted::default() }
    }

    /// What the decision on a gate that is no tool call comes to: a block refuses, an ask goes to a person, a retry waits.
    pub(super) async fn passes(&self, event: &'static str, verdict: &Verdict, about: &str, tries: &mut u32) -> Passed {
        match verdict.decision {
            Action::Retry => {
                let most = self.session.settings.max_retries;
                if *tries >= most {
                    let hook = verdict.hook.as_deref().unwrap_or_default();
                    return Passed::No(Some(format!("hook {hook} asked for more than {most} retries")));
                }
                *tries += 1;
                self.wait(verdict.delay_ms).await;
                return Passed::Again;
            }
            Action::Ask => {}
            Action::Continue | Action::Allow | Action::Skip => return Passed::Yes,
            // A block, a stop, and what a later version adds.
            _ => return Passed::No(verdict.reason.clone()),
        }
        let mut asked = Asked::default();
        for (hook, ask) in &verdict.asks {
            let subject = Subject {
                event,
                tool: "",
                tool_use_id: None,
                args: None,
                text: Some(about.to_owned()),
                shown: Some(about.to_owned()),
                host_asks: None,
                edits: &[],
                answers: None,
            };
            let request = self.request(&subject, Some(hook), ask);
            self.record_question(&subject, Some(hook), &request);
            let Some(decided) = self.ask_person(&subject, Some(hook), request, &mut asked).await else {
                return Passed::No(None);
            };
            self.record_decision(&subject, Some(hook), &decided);
            if !decided.granted {
                return Passed::No(decided.reason);
            }
        }
        Passed::Yes
    }
}

/// Whether a gate lets something pass.
pub(super) enum Passed {
    Yes,
    Again,
    No(Option<String>),
}
