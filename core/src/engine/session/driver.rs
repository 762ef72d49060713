//! Carries out what a flow wants done.

use std::future::Future;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tracing::Instrument as _;

use super::parts::{
    Approval, ApprovalPending, ApprovalRequest, ContextMessage, Model, ModelRequest, ModelResponse, Suspended, Tool,
    ToolCall, ToolContext, ToolResult,
};
use super::results::{Generation, ModelOutcome, ToolOutcome};
use super::spans::Spans;
use super::values::Values;
use super::{HookError, Session};
use crate::engine::clock::now;
use crate::engine::shared::Shared;
use crate::engine::{Event, Outcome};
use hookweave_host::error::{Code, Error};
use hookweave_host::json::Json;
use hookweave_host::json::{to_json, to_shown};
use hookweave_host::session::{
    self, Answers, Arguments, Called, Compaction, Effect, Finished, Flow, ParsedCall, ParsedResponse, Reply, Requested,
    Role, Speaker, ValueId, read_answer, read_response,
};

/// One flow on its way.
pub(super) struct Driver<'s> {
    session: &'s Session,
    values: Values,
    outcomes: Vec<Outcome>,
    tool: Option<(String, &'s dyn Tool)>,
    model: Option<Arc<dyn Model>>,
    spans: Spans,
    /// The conversation as a compaction has found it.
    context: Vec<ContextMessage>,
    /// The question that is answered later.
    pending: Option<ApprovalRequest>,
}

/// Where a call in halves has come to.
pub(super) enum Half<T> {
    /// The caller has something to do.
    Open(T),
    Over(Finished),
}

impl<'s> Driver<'s> {
    pub(super) fn new(session: &'s Session) -> Self {
        let spans = Spans::none();
        let (values, outcomes, context) = (Values::default(), Vec::new(), Vec::new());
        Self { session, values, outcomes, tool: None, model: None, spans, context, pending: None }
    }

    pub(super) fn with_tool(mut self, name: &str, tool: &'s dyn Tool) -> Self {
        self.tool = Some((name.to_owned(), tool));
        self.of_tool(name)
    }

    /// For a call whose tool the caller runs.
    pub(super) fn of_tool(mut self, name: &str) -> Self {
        self.spans = Spans::of_tool(&self.session.machine, name);
        self
    }

    pub(super) fn with_model(mut self, model: Arc<dyn Model>) -> Self {
        self.model = Some(model);
        self.spans = Spans::of_agent(&self.session.machine);
        self
    }

    pub(super) fn keep(&mut self, value: Value) -> ValueId {
        self.values.keep(Arc::new(value))
    }

    /// Runs a flow whose result has no values.
    pub(super) async fn run<R: DeserializeOwned>(mut self, flow: Flow) -> Result<R, Error> {
        read(self.drive(flow, &no_summary).await?)
    }

    /// Runs a flow whose result is not needed.
    pub(super) async fn finish(mut self, flow: Flow) -> Result<Value, Error> {
        self.drive(flow, &no_summary).await.map(Finished::into_json)
    }

    pub(super) async fn run_tool(mut self, flow: Flow) -> Result<ToolOutcome, Error> {
        let finished = self.drive(flow, &no_summary).await?;
        self.tool_outcome(finished)
    }

    /// Carries out a call up to where the caller runs its tool, or to its end.
    pub(super) async fn until_tool(
        &mut self,
        flow: &mut Flow,
        reply: Reply,
    ) -> Result<Half<(String, Value, ToolContext)>, Error> {
        self.until(flow, reply, |driver, effect| match effect {
            Effect::RunTool { tool, tool_use_id, args, env } => {
                let session_id = driver.session.id().to_owned();
                let context = ToolContext { session_id, tool_use_id: tool_use_id.to_string(), env };
                ControlFlow::Break((tool.to_string(), driver.values.get(args), context))
            }
            effect => ControlFlow::Continue(effect),
        })
        .await
    }

    /// Carries out a call up to where the caller asks its model, or to its end.
    pub(super) async fn until_model(&mut self, flow: &mut Flow, reply: Reply) -> Result<Half<ModelRequest>, Error> {
        self.until(flow, reply, |driver, effect| match effect {
            Effect::CallModel { prompt, system_prompt, tools, ephemeral } => {
                ControlFlow::Break(driver.request(prompt, system_prompt, tools, ephemeral))
            }
            effect => ControlFlow::Continue(effect),
        })
        .await
    }

    async fn until<T>(
        &mut self,
        flow: &mut Flow,
        mut reply: Reply,
        open: fn(&Self, Effect) -> ControlFlow<T, Effect>,
    ) -> Result<Half<T>, Error> {
        loop {
            let effect = match flow.step(reply) {
                Effect::Finish { result } => return Ok(Half::Over(result)),
                effect => effect,
            };
            reply = match open(self, effect) {
                ControlFlow::Break(open) => return Ok(Half::Open(open)),
                ControlFlow::Continue(effect) => self.observed(effect).await?,
            };
        }
    }

    /// Carries out one effect within its span.
    async fn observed(&mut self, effect: Effect) -> Result<Reply, Error> {
        let (span, about) = self.spans.before(&self.session.machine, &effect);
        let reply = self.carry_out(effect).instrument(span).await?;
        self.spans.after(about, &reply);
        Ok(reply)
    }

    /// What came of a tool call, or the question that is answered later.
    pub(super) fn tool_outcome(mut self, finished: Finished) -> Result<ToolOutcome, Error> {
        match finished {
            Finished::Tool(run) => {
                self.spans.tool_ended(run.decision, run.by.as_deref(), run.ok);
                Ok(ToolOutcome::of(*run, &self.values, self.outcomes))
            }
            Finished::PutOff => Err(self
                .pending
                .map_or_else(|| Error::new(Code::InvalidPayload, "the tool call was dropped"), ApprovalPending::error)),
            other => Err(unlike("a tool call", other)),
        }
    }

    /// What came of a call of the model.
    pub(super) fn model_outcome(self, finished: Finished) -> Result<ModelOutcome, Error> {
        match finished {
            Finished::Model(run) => Ok(ModelOutcome::of(*run, &self.values, self.outcomes)),
            other => Err(unlike("a call of the model", other)),
        }
    }

    pub(super) async fn generate(mut self, flow: Flow) -> Result<Generation, Error> {
        match self.drive(flow, &no_summary).await? {
            Finished::Generation(answered) => {
                self.spans.agent_ended(answered.status);
                Ok(Generation::of(*answered, &self.values, self.outcomes))
            }
            other => Err(unlike("an answer", other)),
        }
    }

    pub(super) async fn compact<F>(
        mut self,
        flow: Flow,
        summarise: &(impl Fn(Vec<ContextMessage>, Option<String>) -> F + Send + Sync),
    ) -> Result<Compaction, Error>
    where
        F: Future<Output = Result<String, HookError>> + Send,
    {
        read(self.drive(flow, summarise).await?)
    }

    async fn drive<F>(
        &mut self,
        mut flow: Flow,
        summarise: &(impl Fn(Vec<ContextMessage>, Option<String>) -> F + Send + Sync),
    ) -> Result<Finished, Error>
    where
        F: Future<Output = Result<String, HookError>> + Send,
    {
        let mut reply = Reply::Begin;
        loop {
            reply = match flow.step(reply) {
                Effect::Finish { result } => return Ok(result),
                Effect::Summarise { gone, custom_instructions } => {
                    let gone = gone.iter().filter_map(|place| self.context.get(*place).cloned()).collect();
                    match summarise(gone, custom_instructions).await {
                        Ok(text) => Reply::Text { text },
                        Err(why) => failed(&*why),
                    }
                }
                effect => self.observed(effect).await?,
            };
        }
    }

    /// The conversation, for a compaction; an empty one is the host's own affair.
    fn read_context(&mut self) -> Reply {
        self.context = self.session.parts.context.messages();
        if self.context.is_empty() {
            return Reply::Done;
        }
        let shown = |message: &ContextMessage| {
            let ContextMessage { role, content, metadata } = message;
            json!({"role": role, "content": content, "metadata": metadata})
        };
        let speaker = |message: &ContextMessage| Speaker {
            role: json!(message.role).as_str().unwrap_or_default().to_owned(),
            pinned: message.metadata.get("pinned").and_then(Value::as_bool) == Some(true),
        };
        let speakers = self.context.iter().map(speaker).collect();
        let messages = self.keep(self.context.iter().map(shown).collect());
        Reply::Context { messages, speakers }
    }

    /// Puts a changed prompt in the place of the user's last message with it.
    fn replace_prompt(&self, prompt: &str, changed: String) -> Reply {
        let context = &self.session.parts.context;
        let mut messages = context.messages();
        if messages.is_empty() {
            return Reply::Done;
        }
        let is_prompt = |message: &&mut ContextMessage| {
            message.role == Role::User
                && message.content == prompt
                && message.metadata.get("source") == Some(&json!("user"))
        };
        let Some(message) = messages.iter_mut().rev().find(is_prompt) else {
            return failed(&*HookError::from("no message of the context is the prompt"));
        };
        message.content = changed.into();
        match context.replace_messages(messages) {
            Ok(()) => Reply::Done,
            Err(why) => failed(&*why),
        }
    }

    async fn carry_out(&mut self, effect: Effect) -> Result<Reply, Error> {
        Ok(match effect {
            Effect::Dispatch { event, fields, values, wants } => {
                let mut fields = fields.into_map();
                for (field, value) in &values {
                    fields.insert((*field).to_owned(), self.values.get(*value));
                }
                let outcome = match self.dispatch(event, Value::Object(fields)).await {
                    Err(error) if error.code() == Code::InvalidPayload => {
                        return Ok(Reply::Failed { why: error.message().to_owned() });
                    }
                    outcome => outcome?,
                };
                let verdict = Some(Box::new(self.session.machine.verdict(outcome.inner(), &Shared)));
                let (value, json) = self.wanted(&outcome, wants, &values);
                self.outcomes.push(outcome);
                Reply::Dispatched { verdict, value, json }
            }
            Effect::Freeze { value } => {
                let frozen = self.values.get(value);
                let text = to_json(&Json, &&frozen).ok();
                let shown = text.clone().or_else(|| Some(to_shown(&Json, &&frozen)));
                Reply::Frozen { value, text, shown }
            }
            Effect::Approve(request) => self.ask(*request).await,
            Effect::RunTool { tool, tool_use_id, args, env } => self.call(&tool, &tool_use_id, args, env).await,
            Effect::CallModel { prompt, system_prompt, tools, ephemeral } => {
                self.respond(self.request(prompt, system_prompt, tools, ephemeral)).await
            }
            Effect::ReplacePrompt { prompt, changed } => self.replace_prompt(&prompt, changed),
            Effect::ReadContext => self.read_context(),
            Effect::ReplaceContext { before, summary, metadata, after } => {
                let messages = &self.context;
                let newer = self.session.parts.context.messages().into_iter().skip(messages.len()).collect();
                let summary = ContextMessage { role: Role::User, content: summary.into(), metadata };
                let kept = |places: Vec<usize>| -> Vec<ContextMessage> {
                    places.into_iter().filter_map(|place| messages.get(place).cloned()).collect()
                };
                let whole = [kept(before), vec![summary], kept(after), newer].concat();
                match self.session.parts.context.replace_messages(whole) {
                    Ok(()) => Reply::Done,
                    Err(why) => failed(&*why),
                }
            }
            Effect::ReadResponse { response } => self.responded(response),
            Effect::Wait { ms } => {
                tokio::time::sleep(Duration::from_millis(ms)).await;
                Reply::Done
            }
            Effect::AddMessage { role, content, value, metadata } => {
                let content = content.map(Value::from).or_else(|| value.map(|value| self.values.get(value)));
                let message = ContextMessage { role, content: content.unwrap_or_default(), metadata };
                match self.session.parts.context.add_message(message) {
                    Ok(()) => Reply::Done,
                    Err(why) => failed(&*why),
                }
            }
            Effect::Show { text, level, source } => {
                self.session.parts.display.show_message(&text, level, &source);
                Reply::Done
            }
            Effect::Summarise { .. } | Effect::Finish { .. } => Reply::Done,
        })
    }

    /// The final values of the fields that the flow asked for, of those that hooks changed.
    fn wanted(
        &mut self,
        outcome: &Outcome,
        wants: &[&'static str],
        values: &[(&'static str, ValueId)],
    ) -> (Option<ValueId>, Map<String, Value>) {
        let modified = outcome.modified();
        let (mut value, mut json) = (None, Map::new());
        for field in wants.iter().filter(|field| modified.contains(field)) {
            let last = outcome.event().field(field).clone();
            if values.iter().any(|(name, _)| name == field) {
                value = Some(self.keep(last));
            } else {
                json.insert((*field).to_owned(), last);
            }
        }
        (value, json)
    }

    async fn dispatch(&self, event: &str, payload: Value) -> Result<Outcome, Error> {
        self.dispatched(Event::new(event, payload)).await
    }

    async fn dispatched(&self, event: Event) -> Result<Outcome, Error> {
        let outcome = self.session.engine.dispatch(event).await?;
        if let Some(observer) = &self.session.parts.observer {
            observer(&outcome);
        }
        Ok(outcome)
    }

    /// Raises an event with what every event of the session carries.
    pub(super) async fn raise(&self, event: Event) -> Result<Outcome, Error> {
        let mut fields = Map::clone(self.session.machine.common());
        match event.payload() {
            Value::Object(own) => fields.extend(own.iter().map(|(name, value)| (name.clone(), value.clone()))),
            Value::Null => {}
            _ => return Err(crate::engine::not_an_object(event.name())),
        }
        let outcome = self.dispatched(event.with_payload(Arc::new(Value::Object(fields)))).await?;
        self.session.machine.keep_variables(outcome.inner(), &Shared);
        Ok(outcome)
    }

    async fn ask(&mut self, asked: session::ApprovalRequest) -> Reply {
        let Some(approver) = &self.session.parts.approver else { return Reply::NoApprover };
        if let Some(allows) = approver.decides_all() {
            return Reply::NotAsked { allows };
        }
        let args = asked.args.map_or(Value::Null, |args| self.values.get(args));
        let request = ApprovalRequest::of(&self.session.machine, asked, args);
        match tokio::time::timeout(request.timeout, approver.approve(&request)).await {
            Ok(Ok(answer)) => self.chosen(&answer.to_value()),
            Ok(Err(why)) if why.is::<Suspended>() => {
                self.pending = Some(request);
                Reply::Suspended
            }
            Ok(Err(why)) => failed(&*why),
            Err(_) => Reply::TimedOut,
        }
    }

    /// Answers that were given before, as the core reads them.
    pub(super) fn answers(&mut self, given: Vec<(String, Approval)>) -> Result<Answers, Error> {
        let read = |(id, answer): (String, Approval)| {
            let answer = answer.to_value();
            let read = read_answer(&Json, &&answer)?;
            Ok((id, read.with_args(|args| Ok::<_, Error>(self.keep(args.clone())))?))
        };
        given.into_iter().map(read).collect()
    }

    fn chosen(&mut self, answer: &Value) -> Reply {
        let read = read_answer(&Json, &answer).and_then(|read| read.with_args(|args| Ok(self.keep(args.clone()))));
        match read {
            Ok(answer) => Reply::Chosen(answer),
            Err(why) => failed(&why),
        }
    }

    async fn call(&mut self, name: &str, tool_use_id: &str, args: ValueId, env: Map<String, Value>) -> Reply {
        let own = self.tool.as_ref().filter(|(known, _)| known == name).map(|(_, tool)| *tool);
        let hosted = if own.is_none() { self.session.engine.hosted().tool(name) } else { None };
        let Some(tool) = own.or(hosted.as_deref()) else {
            return failed(&*HookError::from(format!("no tool {name} is registered")));
        };
        let context =
            ToolContext { session_id: self.session.id().to_owned(), tool_use_id: tool_use_id.to_owned(), env };
        let began = now();
        let result = tool.run(self.values.get(args), context).await;
        self.ran(result, now().saturating_duration_since(began))
    }

    /// What a tool gave, or why it failed.
    pub(super) fn ran(&mut self, result: Result<ToolResult, HookError>, took: Duration) -> Reply {
        let duration = took.as_secs_f64() * 1000.0;
        let (result, error) = match result {
            Ok(result) if result.success => (result, None),
            Ok(result) => {
                let text = result.output.as_str().map_or_else(|| result.output.to_string(), str::to_owned);
                (result, Some(text))
            }
            Err(why) => {
                let text = why.to_string();
                (ToolResult { output: text.clone().into(), success: false, exit_code: None }, Some(text))
            }
        };
        let mut record = json!({"success": result.success, "output": result.output, "duration": duration});
        if let (Some(code), Value::Object(record)) = (result.exit_code, &mut record) {
            record.insert("exit_code".to_owned(), code.into());
        }
        Reply::Ran(Called { result: self.keep(record), error, duration })
    }

    fn request(
        &self,
        prompt: String,
        system_prompt: Option<String>,
        tools: Vec<Value>,
        ephemeral: Vec<(Role, String)>,
    ) -> ModelRequest {
        let mut messages = self.session.parts.context.messages();
        messages.extend(ephemeral.into_iter().map(|(role, text)| passing(role, text)));
        ModelRequest { prompt, system_prompt, tools, messages }
    }

    async fn respond(&mut self, request: ModelRequest) -> Reply {
        let Some(model) = self.model.clone() else {
            return failed(&*HookError::from("no model is registered"));
        };
        let began = now();
        let response = model.respond(request).await;
        self.answered(response, now().saturating_duration_since(began))
    }

    /// What the model answered, or why it failed.
    pub(super) fn answered(&mut self, response: Result<ModelResponse, HookError>, took: Duration) -> Reply {
        let response = match response {
            Ok(response) => response,
            Err(why) => return failed(&*why),
        };
        let call = |call: ToolCall| json!({"id": call.id, "name": call.name, "args": call.args});
        let calls: Vec<Value> = response.tool_calls.into_iter().map(call).collect();
        let duration = took.as_secs_f64() * 1000.0;
        let record = json!({"text": response.text, "tool_calls": calls, "usage": response.usage, "duration": duration});
        let response = self.keep(record);
        self.responded(response)
    }

    /// Reads a response, which hooks may have changed.
    fn responded(&mut self, response: ValueId) -> Reply {
        let value = self.values.get(response);
        let ParsedResponse { text, calls, usage } = match read_response(&Json, &&value) {
            Ok(reading) => reading,
            Err(why) => return failed(&why),
        };
        let requested = |ParsedCall { tool, id, args }: ParsedCall<&Value>| {
            let args = match args {
                Arguments::Given(args) => args.clone(),
                Arguments::Parsed(args) => Value::Object(args),
            };
            let known = self.session.engine.hosted().tool(&tool).is_some();
            Requested { tool, id, args: self.keep(args), known }
        };
        let calls = calls.into_iter().map(requested).collect();
        Reply::Responded { response, text, calls, usage }
    }
}

/// A message for one call of the model.
fn passing(role: Role, text: String) -> ContextMessage {
    let metadata = Map::from_iter([("source".to_owned(), Value::from("hook")), ("ephemeral".to_owned(), true.into())]);
    ContextMessage { role, content: text.into(), metadata }
}

fn failed(why: &(dyn std::error::Error + Send + Sync)) -> Reply {
    Reply::Failed { why: why.to_string() }
}

async fn no_summary(_: Vec<ContextMessage>, _: Option<String>) -> Result<String, HookError> {
    Err("nothing makes a summary".into())
}

fn read<R: DeserializeOwned>(result: Finished) -> Result<R, Error> {
    serde_json::from_value(result.into_json())
        .map_err(|why| Error::new(Code::InvalidPayload, format!("a flow's result: {why}")))
}

fn unlike(wanted: &str, result: Finished) -> Error {
    Error::new(Code::InvalidPayload, format!("a flow's result is not that of {wanted}: {}", result.into_json()))
}
