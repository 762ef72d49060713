//! A small complete agent: prompt, model, tool calls, model again, until there is nothing left to do.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::Session;
use super::effect::{Effect, Finished, Generation, Reply, Requested, Role, ToolRun, ValueId};
use super::flow::{Cx, Flow};
use super::prompt::Passed;
use super::tool::ToolRequest;
use hookweave_machine::action::Action;

impl Session {
    /// Answers a prompt with the host's model and tools; ends with a [`Generation`].
    #[must_use]
    pub fn generate(self: &Arc<Self>, prompt: String, tools: Vec<Value>) -> Flow {
        Flow::to_end(self, |cx| async move {
            let mut answer = Answering { cx: &cx, tools, came_to: Generation::default() };
            let (status, reason) = answer.run(prompt).await;
            (answer.came_to.status, answer.came_to.reason) = (status, reason);
            Finished::Generation(Box::new(answer.came_to))
        })
    }
}

/// How it ended: the status, and why.
type End = (&'static str, Option<String>);

/// What a call of the model led to.
struct Response {
    text: String,
    calls: Vec<Requested>,
}

struct Answering<'c> {
    cx: &'c Cx,
    /// The names of the host's tools.
    tools: Vec<Value>,
    came_to: Generation,
}

impl Answering<'_> {
    async fn run(&mut self, prompt: String) -> End {
        let submitted = self.cx.submit_prompt(prompt).await;
        if !submitted.accepted {
            return (if submitted.stops { "stopped" } else { "blocked" }, submitted.reason);
        }
        // What the model is given in place of the prompt, once hooks have changed it.
        let mut given = submitted.prompt.clone();
        loop {
            let response = match self.respond(&submitted.prompt, &mut given).await {
                Ok(response) => response,
                Err(end) => return end,
            };
            self.came_to.text.clone_from(&response.text);
            if !response.calls.is_empty() {
                if let Some(end) = self.use_tools(response.calls).await {
                    return end;
                }
                continue;
            }
            let stopped = self.cx.stop(json!({"last_message": response.text, "status": "completed"})).await;
            if !stopped.should_continue {
                return ("done", None);
            }
        }
    }

    /// Calls the model once, again when a hook wants a failed call repeated.
    async fn respond(&mut self, prompt: &str, given: &mut String) -> Result<Response, End> {
        let mut failures = 0;
        loop {
            if self.came_to.model_calls >= self.cx.session.settings.max_model_calls {
                let most = self.cx.session.settings.max_model_calls;
                return Err(("limit", Some(format!("the model was called {most} times for one prompt"))));
            }
            let effect = self.prepare(prompt, given).await?;
            self.came_to.model_calls += 1;
            self.cx.session.counters().count_model_call();
            match self.cx.perform(effect).await {
                Reply::Responded { response, text, calls, usage } => {
                    return self.take(prompt, response, Response { text, calls }, usage).await;
                }
                Reply::Failed { why } => self.failed(why, &mut failures).await?,
                _ => return Err(("failed", Some("the model gave no response".to_owned()))),
            }
        }
    }

    /// Lets hooks see and change what the model is about to be given.
    async fn prepare(&self, prompt: &str, given: &mut String) -> Result<Effect, End> {
        let settings = &self.cx.session.settings;
        let mut tries = 0;
        loop {
            let fields = json!({
                "prompt": prompt, "system_prompt": settings.system_prompt, "model": settings.model, "tools": self.tools,
            });
            let dispatch_result =
                self.cx.dispatch("GenerateStart", fields, Vec::new(), &["prompt", "system_prompt", "tools"]).await;
            // What a person is shown is what the model will be given.
            let changed = dispatch_result.text("prompt");
            let about = changed.as_deref().unwrap_or(given);
            match self.cx.passes("GenerateStart", &dispatch_result.verdict, about, &mut tries).await {
                Passed::Yes => {}
                Passed::Again => continue,
                Passed::No(reason) => {
                    let stops = dispatch_result.verdict.decision == Action::Stop;
                    return Err((if stops { "stopped" } else { "blocked" }, reason));
                }
            }
            if let Some(changed) = changed.filter(|changed| changed != given) {
                self.replace_prompt(given, &changed).await?;
                *given = changed;
            }
            let tools = dispatch_result.json.get("tools").and_then(Value::as_array);
            return Ok(Effect::CallModel {
                prompt: given.clone(),
                system_prompt: dispatch_result.text("system_prompt").or_else(|| settings.system_prompt.clone()),
                tools: tools.unwrap_or(&self.tools).clone(),
                ephemeral: std::mem::take(&mut self.cx.session.state().ephemeral),
            });
        }
    }

    /// Puts a changed prompt in the place of the user's message: the model must not read what hooks took out.
    async fn replace_prompt(&self, prompt: &str, changed: &str) -> Result<(), End> {
        let effect = Effect::ReplacePrompt { prompt: prompt.to_owned(), changed: changed.to_owned() };
        match self.cx.perform(effect).await {
            Reply::Failed { why } => {
                let why = format!("the prompt that hooks changed did not reach the messages for the model: {why}");
                Err(("failed", Some(why)))
            }
            _ => Ok(()),
        }
    }

    /// The model could not be called; a hook may want it tried again.
    async fn failed(&self, why: String, failures: &mut u32) -> Result<(), End> {
        let model = self.cx.session.settings.model.clone();
        let dispatch_result = self.cx.raise("GenerateError", json!({"error": why, "model": model})).await;
        *failures += 1;
        if dispatch_result.verdict.decision == Action::Retry && *failures <= self.cx.session.settings.max_retries {
            self.cx.wait(dispatch_result.verdict.delay_ms).await;
            return Ok(());
        }
        self.cx.raise("StopFailure", json!({"error": why})).await;
        Err(("failed", Some(why)))
    }

    /// Lets hooks see and change what the model has answered, and adds it to the context.
    async fn take(
        &mut self,
        prompt: &str,
        response: ValueId,
        mut parsed: Response,
        usage: Value,
    ) -> Result<Response, End> {
        let model = self.cx.session.settings.model.clone();
        let fields = json!({"prompt": prompt, "model": model});
        let dispatch_result =
            self.cx.dispatch("GenerateEnd", fields, vec![("response", response)], &["response"]).await;
        let mut response = response;
        if let Some(changed) = dispatch_result.value {
            let (text, calls) = match self.cx.perform(Effect::ReadResponse { response: changed }).await {
                Reply::Responded { text, calls, .. } => (text, calls),
                reply => {
                    let why = if let Reply::Failed { why } = reply { format!(": {why}") } else { String::new() };
                    return Err(("failed", Some(format!("the response that hooks left cannot be read{why}"))));
                }
            };
            response = changed;
            parsed = Response { text, calls };
        }
        self.came_to.response = Some(response);
        let total = usage.get("total_tokens").and_then(Value::as_u64);
        self.cx.session.state().usage.clone_from(&usage);
        self.cx.add_message(Role::Assistant, None, Some(response), source("model")).await;
        if !parsed.calls.is_empty() {
            self.cx.hold_messages();
        }
        if let Some(tokens) = total {
            self.cx.note_usage(tokens, usage).await;
        }
        if dispatch_result.verdict.decision == Action::Stop {
            self.cx.add_held_messages().await;
            self.came_to.text = parsed.text;
            return Err(("stopped", dispatch_result.verdict.reason.clone()));
        }
        self.feed_back(&dispatch_result.verdict.feedback).await;
        Ok(parsed)
    }

    /// Runs the tools that the model calls, in order, and adds each result to the context, and then what hooks inject.
    async fn use_tools(&mut self, calls: Vec<Requested>) -> Option<End> {
        let mut batch = Vec::new();
        let ended = self.use_each(calls, &mut batch).await;
        self.cx.add_held_messages().await;
        if ended.is_some() {
            return ended;
        }
        let dispatch_result = self.cx.raise("PostToolBatch", json!({"tool_calls": batch})).await;
        match dispatch_result.verdict.decision {
            Action::Stop => Some(("stopped", dispatch_result.verdict.reason.clone())),
            Action::Block => Some(("blocked", dispatch_result.verdict.reason.clone())),
            _ => None,
        }
    }

    async fn use_each(&mut self, calls: Vec<Requested>, batch: &mut Vec<Value>) -> Option<End> {
        for call in calls {
            self.cx.raise("ToolResolution", json!({"tool": call.tool, "candidates": self.tools})).await;
            let run = if call.known { self.use_tool(call.clone()).await } else { Some(self.refuse_unknown(&call)) };
            let Some(run) = run else {
                return Some(("failed", Some(format!("the call of {} was dropped", call.tool))));
            };
            batch.push(json!({"tool": call.tool, "tool_use_id": &*run.tool_use_id, "success": run.ok}));
            self.report(&call.tool, &run).await;
            let (stops, reason) = (run.stops, run.reason.clone());
            self.came_to.tools.push(run);
            if stops {
                return Some(("stopped", reason));
            }
        }
        None
    }

    async fn use_tool(&self, call: Requested) -> Option<ToolRun> {
        let Requested { tool, args, id: tool_use_id, .. } = call;
        self.cx.run_tool(ToolRequest { tool, args, tool_use_id, answers: None }).await
    }

    /// A call of a tool that the host does not have is on record like any other.
    fn refuse_unknown(&self, call: &Requested) -> ToolRun {
        let run = unknown(call);
        run.record(&self.cx.session, None);
        run
    }

    /// Tells the model what came of a tool call: the result, or why there is none, and what hooks object to.
    async fn report(&self, tool: &str, run: &ToolRun) {
        let mut metadata = source("tool");
        metadata.insert("tool".to_owned(), tool.into());
        metadata.insert("tool_use_id".to_owned(), Value::from(&*run.tool_use_id));
        metadata.insert("success".to_owned(), run.ok.into());
        metadata.insert("decision".to_owned(), run.decision.into());
        if let Some(by) = &run.by {
            metadata.insert("by".to_owned(), by.clone().into());
        }
        if !run.feedback.is_empty() {
            metadata.insert("feedback".to_owned(), json!(run.feedback));
        }
        let instead = if run.ran {
            run.error.clone().filter(|_| run.result.is_none())
        } else {
            let reason = run.reason.as_deref().or(run.error.as_deref()).unwrap_or("no reason was given");
            Some(format!("{tool} was not run: {reason}"))
        };
        self.cx.add_message(Role::Tool, instead, run.result, metadata).await;
        self.feed_back(&run.feedback).await;
    }

    /// Tells the model what hooks object to, before it is called again.
    async fn feed_back(&self, feedback: &[String]) {
        if !feedback.is_empty() {
            self.cx.add_from_hooks(Role::User, feedback.join("\n"), source("hook")).await;
        }
    }
}

fn source(name: &str) -> Map<String, Value> {
    Map::from_iter([("source".to_owned(), Value::from(name))])
}

/// A call of a tool that the host does not have.
fn unknown(call: &Requested) -> ToolRun {
    ToolRun {
        tool: call.tool.as_str().into(),
        tool_use_id: call.id.clone().unwrap_or_else(hookweave_clock::new_id).into(),
        decision: "block",
        reason: Some(format!("there is no tool named {}", call.tool)),
        by: Some("host".to_owned()),
        args: call.args,
        ..ToolRun::default()
    }
}
