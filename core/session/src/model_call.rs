//! Calls of the model: judged before, made by the driver or by its caller, and looked at.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Session;
use super::effect::{Effect, Finished, ModelRun, Reply, Requested, Role, ValueId};
use super::flow::{Cx, Flow, from};
use super::prompt::Passed;
use hookweave_machine::action::Action;

/// What the model is to answer.
#[derive(Debug, Clone)]
pub struct ModelPrompt {
    /// What the user asked for.
    pub prompt: String,
    /// The instructions, when there are any.
    pub system_prompt: Option<String>,
    /// The names of the tools that it may call.
    pub tools: Vec<Value>,
}

impl Session {
    /// Makes one call of the model; ends with a [`ModelRun`].
    #[must_use]
    pub fn call_model(self: &Arc<Self>, mut prompt: ModelPrompt) -> Flow {
        prompt.system_prompt = prompt.system_prompt.or_else(|| self.settings.system_prompt.clone());
        Flow::to_end(self, |cx| async move {
            let mut model = ModelCalls::new(&cx, prompt, None);
            let (status, reason) = match model.respond().await {
                Ok(_) => ("done", None),
                Err(NoResponse::Ended(end)) => end,
                Err(NoResponse::ModelFailed(why)) => ("failed", Some(why)),
            };
            let ModelCalls { text, response, calls, .. } = model;
            cx.add_held_messages().await;
            Finished::Model(Box::new(ModelRun { status, reason, text, response, attempts: calls }))
        })
    }
}

/// How it ended: the status, and why.
pub(super) type End = (&'static str, Option<String>);

/// Why the model's answer is not to be used.
pub(super) enum NoResponse {
    /// Hooks or a limit ended it, or what hooks made of it is no response.
    Ended(End),
    /// The call failed, and no hook wants it repeated.
    ModelFailed(String),
}

/// The calls of the model that answer one prompt.
pub(super) struct ModelCalls<'c> {
    cx: &'c Cx,
    /// The prompt as it was submitted.
    prompt: ModelPrompt,
    /// How often the model may be called.
    most: Option<u32>,
    /// How often it was called.
    pub(super) calls: u32,
    /// The text of the last response.
    pub(super) text: String,
    /// The last response.
    pub(super) response: Option<ValueId>,
}

impl<'c> ModelCalls<'c> {
    pub(super) const fn new(cx: &'c Cx, prompt: ModelPrompt, most: Option<u32>) -> Self {
        Self { cx, prompt, most, calls: 0, text: String::new(), response: None }
    }

    /// The names of the host's tools.
    pub(super) fn tools(&self) -> &[Value] {
        &self.prompt.tools
    }

    /// Calls the model once, again when a hook wants a failed call repeated; gives the tools that it calls.
    pub(super) async fn respond(&mut self) -> Result<Vec<Requested>, NoResponse> {
        let mut failures = 0;
        loop {
            if let Some(most) = self.most.filter(|most| self.calls >= *most) {
                return ended("limit", Some(format!("the model was called {most} times for one prompt")));
            }
            let effect = self.prepare().await?;
            self.calls += 1;
            self.cx.session.counters().count_model_call();
            match self.cx.perform(effect).await {
                Reply::Responded { response, text, calls, usage } => {
                    return self.take(response, text, calls, usage).await;
                }
                Reply::Failed { why } => self.failed(why, &mut failures).await?,
                _ => return ended("failed", Some("the model gave no response".to_owned())),
            }
        }
    }

    /// Lets hooks see and change what the model is about to be given.
    async fn prepare(&self) -> Result<Effect, NoResponse> {
        let ModelPrompt { prompt, system_prompt, tools } = &self.prompt;
        // What the model is given in place of the prompt, once hooks have changed it.
        let given = self.cx.session.state().given(prompt).to_owned();
        let mut tries = 0;
        loop {
            let fields = json!({
                "prompt": prompt, "system_prompt": system_prompt, "model": self.cx.session.settings.model, "tools": tools,
            });
            let dispatch_result =
                self.cx.dispatch("GenerateStart", fields, Vec::new(), &["prompt", "system_prompt", "tools"]).await;
            // What a person is shown is what the model will be given.
            let changed = dispatch_result.text("prompt");
            let about = changed.as_deref().unwrap_or(&given);
            match self.cx.passes("GenerateStart", &dispatch_result.verdict, about, &mut tries).await {
                Passed::Yes => {}
                Passed::Again => continue,
                Passed::No(reason) => {
                    let stops = dispatch_result.verdict.decision == Action::Stop;
                    return ended(if stops { "stopped" } else { "blocked" }, reason);
                }
            }
            if let Some(changed) = changed.as_deref().filter(|changed| **changed != given) {
                self.replace_prompt(&given, changed).await?;
            }
            let allowed = dispatch_result.json.get("tools").and_then(Value::as_array);
            return Ok(Effect::CallModel {
                prompt: changed.unwrap_or(given),
                system_prompt: dispatch_result.text("system_prompt").or_else(|| system_prompt.clone()),
                tools: allowed.unwrap_or(tools).clone(),
                ephemeral: std::mem::take(&mut self.cx.session.state().ephemeral),
            });
        }
    }

    /// Puts a changed prompt in the place of the user's message: the model must not read what hooks took out.
    async fn replace_prompt(&self, given: &str, changed: &str) -> Result<(), NoResponse> {
        let effect = Effect::ReplacePrompt { prompt: given.to_owned(), changed: changed.to_owned() };
        if let Reply::Failed { why } = self.cx.perform(effect).await {
            let why = format!("the prompt that hooks changed did not reach the messages for the model: {why}");
            return ended("failed", Some(why));
        }
        self.cx.session.state().given = Some((self.prompt.prompt.clone(), changed.to_owned()));
        Ok(())
    }

    /// The model could not be called; a hook may want it tried again.
    async fn failed(&self, why: String, failures: &mut u32) -> Result<(), NoResponse> {
        let settings = &self.cx.session.settings;
        let dispatch_result = self.cx.raise("GenerateError", json!({"error": why, "model": settings.model})).await;
        *failures += 1;
        if dispatch_result.verdict.decision == Action::Retry && *failures <= settings.max_retries {
            self.cx.wait(dispatch_result.verdict.delay_ms).await;
            return Ok(());
        }
        Err(NoResponse::ModelFailed(why))
    }

    /// Lets hooks see and change what the model has answered, and adds it to the context.
    async fn take(
        &mut self,
        mut response: ValueId,
        mut text: String,
        mut calls: Vec<Requested>,
        usage: Value,
    ) -> Result<Vec<Requested>, NoResponse> {
        let fields = json!({"prompt": self.prompt.prompt, "model": self.cx.session.settings.model});
        let dispatch_result =
            self.cx.dispatch("GenerateEnd", fields, vec![("response", response)], &["response"]).await;
        if let Some(changed) = dispatch_result.value {
            (text, calls) = match self.cx.perform(Effect::ReadResponse { response: changed }).await {
                Reply::Responded { text, calls, .. } => (text, calls),
                reply => {
                    let why = if let Reply::Failed { why } = reply { format!(": {why}") } else { String::new() };
                    return ended("failed", Some(format!("the response that hooks left cannot be read{why}")));
                }
            };
            response = changed;
        }
        self.response = Some(response);
        let total = usage.get("total_tokens").and_then(Value::as_u64);
        self.cx.session.state().usage.clone_from(&usage);
        self.cx.add_message(Role::Assistant, None, Some(response), from("model")).await;
        if !calls.is_empty() {
            self.cx.hold_messages();
        }
        if let Some(tokens) = total {
            self.cx.note_usage(tokens, usage).await;
        }
        self.text = text;
        if dispatch_result.verdict.decision == Action::Stop {
            self.cx.add_held_messages().await;
            return ended("stopped", dispatch_result.verdict.reason.clone());
        }
        self.cx.feed_back(&dispatch_result.verdict.feedback).await;
        Ok(calls)
    }
}

const fn ended<T>(status: &'static str, reason: Option<String>) -> Result<T, NoResponse> {
    Err(NoResponse::Ended((status, reason)))
}
