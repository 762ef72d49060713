//! A small complete agent: prompt, model, tool calls, model again, until there is nothing left to do.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Session;
use super::effect::{Finished, Generation, Requested, Role, ToolRun};
use super::flow::{Cx, Flow, from};
use super::model_call::{End, ModelCalls, ModelPrompt, NoResponse};
use super::tool::ToolRequest;
use hookweave_machine::action::Action;

impl Session {
    /// Answers a prompt with the host's model and tools; ends with a [`Generation`].
    #[must_use]
    pub fn generate(self: &Arc<Self>, prompt: String, tools: Vec<Value>) -> Flow {
        Flow::to_end(self, |cx| async move {
            let mut answer = Answering { cx: &cx, came_to: Generation::default() };
            let (status, reason) = answer.run(prompt, &tools).await;
            (answer.came_to.status, answer.came_to.reason) = (status, reason);
            Finished::Generation(Box::new(answer.came_to))
        })
    }
}

struct Answering<'c> {
    cx: &'c Cx,
    came_to: Generation,
}

impl Answering<'_> {
    async fn run(&mut self, prompt: String, tools: &[Value]) -> End {
        let submitted = self.cx.submit_prompt(prompt).await;
        if !submitted.accepted {
            return (if submitted.stops { "stopped" } else { "blocked" }, submitted.reason);
        }
        let settings = &self.cx.session.settings;
        let prompt = ModelPrompt {
            prompt: submitted.prompt,
            system_prompt: settings.system_prompt.clone(),
            tools: tools.to_vec(),
        };
        let mut model = ModelCalls::new(self.cx, prompt, Some(settings.max_model_calls));
        let end = self.converse(&mut model).await;
        (self.came_to.text, self.came_to.response) = (model.text, model.response);
        self.came_to.model_calls = model.calls;
        end
    }

    async fn converse(&mut self, model: &mut ModelCalls<'_>) -> End {
        loop {
            let calls = match model.respond().await {
                Ok(calls) => calls,
                Err(NoResponse::Ended(end)) => return end,
                Err(NoResponse::ModelFailed(why)) => {
                    self.cx.raise("StopFailure", json!({"error": why})).await;
                    return ("failed", Some(why));
                }
            };
            if !calls.is_empty() {
                if let Some(end) = self.use_tools(calls, model.tools()).await {
                    return end;
                }
                continue;
            }
            let stopped = self.cx.stop(json!({"last_message": model.text, "status": "completed"})).await;
            if !stopped.should_continue {
                return ("done", None);
            }
        }
    }

    /// Runs the tools that the model calls, in order, and adds each result to the context, and then what hooks inject.
    async fn use_tools(&mut self, calls: Vec<Requested>, known: &[Value]) -> Option<End> {
        let mut batch = Vec::new();
        let ended = self.use_each(calls, known, &mut batch).await;
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

    async fn use_each(&mut self, calls: Vec<Requested>, known: &[Value], batch: &mut Vec<Value>) -> Option<End> {
        for call in calls {
            self.cx.raise("ToolResolution", json!({"tool": call.tool, "candidates": known})).await;
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
        let mut metadata = from("tool");
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
        self.cx.feed_back(&run.feedback).await;
    }
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
