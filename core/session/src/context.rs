//! What hooks inject for the model: bounded, headed with where it comes from, one message for each role.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::effect::Role;
use super::flow::Cx;
use super::verdict::Verdict;
use hookweave_machine::answer::Injection;

/// How many characters count as a token.
const CHARACTERS_PER_TOKEN: usize = 4;

const ROLES: [(Role, &str); 3] = [(Role::System, "system"), (Role::User, "user"), (Role::Assistant, "assistant")];

impl Cx {
    /// Adds what hooks inject to the context, or keeps it for the next call of the model.
    pub(super) async fn inject(&self, event: &'static str, verdict: &Verdict) {
        if verdict.injections.is_empty() {
            return;
        }
        let fitting = self.fitting(verdict).await;
        self.count(&fitting).await;
        for (role, name) in ROLES {
            let of_role = |(_, injection): &&&(String, Injection)| injection.role == name;
            let (passing, lasting): (Vec<_>, Vec<_>) =
                fitting.iter().filter(of_role).partition(|(_, injection)| injection.ephemeral);
            if !passing.is_empty() {
                self.session.state().ephemeral.push((role, joined(&passing)));
            }
            if !lasting.is_empty() {
                self.add_from_hooks(role, joined(&lasting), provenance(event, &lasting)).await;
            }
        }
    }

    /// The injections that are not too long; the others are logged for the user.
    async fn fitting<'v>(&self, verdict: &'v Verdict) -> Vec<&'v (String, Injection)> {
        let limit = self.session.settings.injection_limit;
        let mut fitting = Vec::new();
        for given in &verdict.injections {
            let (hook, Injection { content, .. }) = given;
            if content.len() <= limit {
                fitting.push(given);
                continue;
            }
            let size = content.len();
            self.log(
                "error",
                format!("what hook {hook} injects has {size} bytes, over the limit of {limit}: left out"),
            )
            .await;
        }
        fitting
    }

    /// Counts what is injected against the turn's budget; the first time that it is over, the user is warned.
    async fn count(&self, injections: &[&(String, Injection)]) {
        let tokens: usize = injections.iter().map(|(_, injection)| tokens(&injection.content)).sum();
        let budget = self.session.settings.injection_budget;
        let warned = {
            let mut state = self.session.state();
            state.injected_tokens += tokens;
            let over = state.injected_tokens > budget && !state.budget_reported;
            state.budget_reported |= over;
            over.then_some(state.injected_tokens)
        };
        if let Some(used) = warned {
            self.log("warning", format!("hooks have injected {used} tokens in this turn, over the budget of {budget}"))
                .await;
        }
    }
}

/// How many tokens a text counts as.
fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(CHARACTERS_PER_TOKEN)
}

/// One text of several, each headed by its hook and size between boundaries that its content cannot know.
fn joined(injections: &[&&(String, Injection)]) -> String {
    if let [(_, only)] = injections {
        return only.content.clone();
    }
    let boundary = hookweave_clock::new_id();
    // Writing to a string cannot fail.
    let mut whole = String::new();
    for (hook, Injection { content, .. }) in injections {
        let size = content.len();
        let _ = write!(whole, "--- {boundary} hook {hook}, {size} bytes ---\n{content}\n");
    }
    let _ = write!(whole, "--- {boundary} end ---");
    whole
}

/// Where an injected message comes from.
fn provenance(event: &str, injections: &[&&(String, Injection)]) -> Map<String, Value> {
    let mut hooks: Vec<&str> = injections.iter().map(|(hook, _)| hook.as_str()).collect();
    hooks.dedup();
    let fields = json!({"source": "hook", "hook_name": hooks.join(", "), "event": event, "timestamp": hookweave_clock::now_ms()});
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
