//! Runs one case of tests/vectors/sessions and says what does not hold.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookweave::{
    AllowAll, Approval, ApprovalRequest, Approver, BoxFuture, Context, ContextMessage, DenyAll, Display, Engine, Error,
    Event, HookError, Model, ModelRequest, ModelResponse, Reading, Role, Session, Stopped, Suspended, TerminalQuestion,
    Tool, ToolCall, ToolContext, ToolOutcome, ToolResult,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::case::{Hook, Many, fill};
use crate::check::check_refusal;
use crate::client::{Client, Fault};
use crate::engine::{EngineClient, Given};
use crate::file_hooks::Place;
use crate::pattern::{Missing, compare};
use crate::runner::keep_log;
use crate::script::Theatre;
use crate::value::expand;
use crate::{LONG, TEN_MINUTES};

/// One case.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are explained in tests/vectors/sessions/README.md")]
pub struct Case {
    pub id: String,
    pub rule: String,
    pub why: String,
    #[serde(default)]
    pub client: Map<String, Value>,
    pub audit: Option<Value>,
    #[serde(default)]
    pub server: Map<String, Value>,
    #[serde(default)]
    pub files: Vec<Map<String, Value>>,
    #[serde(default)]
    pub load: Vec<Map<String, Value>>,
    #[serde(default)]
    pub define_tools: Vec<Value>,
    #[serde(default)]
    pub session: Map<String, Value>,
    #[serde(default)]
    pub hooks: Vec<Hook>,
    pub approver: Option<Vec<Value>>,
    #[serde(default)]
    pub tools: BTreeMap<String, Many<Value>>,
    #[serde(default)]
    pub model: Vec<Value>,
    pub context: Option<String>,
    pub conversation: Option<Vec<Value>>,
    #[serde(rename = "do")]
    pub steps: Vec<Map<String, Value>>,
    #[serde(default)]
    pub expect: Map<String, Value>,
}

#[derive(Deserialize)]
struct Topic {
    cases: Vec<Case>,
}

/// Every case, file by file.
#[must_use]
pub fn read_all() -> Vec<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../vectors/sessions");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let cases = files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "json"));
    cases
        .flat_map(|file| {
            let text = std::fs::read_to_string(file).unwrap();
            let topic: Topic = serde_json::from_str(&text).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
            topic.cases
        })
        .collect()
}

/// What has happened in a case.
#[derive(Debug, Default)]
struct Log {
    events: Vec<Value>,
    tools: Vec<Value>,
    asked: Vec<Value>,
    messages: Vec<Value>,
    shown: Vec<Value>,
    model_calls: Vec<Value>,
    screens: Vec<Value>,
}

/// A scripted agent around a session: approver, context, display, tools and model in one.
#[derive(Debug)]
struct Agent {
    approver: Vec<Value>,
    tools: BTreeMap<String, Vec<Value>>,
    model: Vec<Value>,
    breaks: bool,
    conversation: Option<Mutex<Vec<ContextMessage>>>,
    log: Mutex<Log>,
    /// The host leaves the call that asks.
    left: tokio::sync::Notify,
}

/// A message of the conversation that a case begins with.
fn message(written: &Value) -> ContextMessage {
    let role = match written["role"].as_str() {
        Some("system") => Role::System,
        Some("assistant") => Role::Assistant,
        Some("tool") => Role::Tool,
        _ => Role::User,
    };
    let metadata = written["metadata"].as_object().cloned().unwrap_or_default();
    let mut message = ContextMessage::new(role, written["content"].clone());
    message.metadata = metadata;
    message
}

/// The entry for the n-th time; the last one repeats.
fn nth(list: &[Value], index: usize) -> Value {
    list.get(index).or(list.last()).cloned().unwrap_or_default()
}

fn raised(entry: &Value) -> Option<HookError> {
    entry.get("raises").and_then(Value::as_str).map(HookError::from)
}

impl Agent {
    fn log(&self) -> std::sync::MutexGuard<'_, Log> {
        self.log.lock().unwrap()
    }

    /// What a person at a terminal chooses who types these lines, and then nothing more.
    fn at_terminal(&self, approval: &ApprovalRequest, entry: &Value) -> Result<Approval, HookError> {
        let columns = entry["width"].as_u64().unwrap_or(80);
        let question = TerminalQuestion::from(approval);
        let rows = entry["height"].as_u64().unwrap_or(24);
        let question = question.for_height(usize::try_from(rows).unwrap());
        let mut question = question.for_width(usize::try_from(columns).unwrap());
        let mut screens = vec![question.text().into(), question.invitation(millis(approval.timeout)).into()];
        let typed = entry["types"].as_array().unwrap().iter().map(|line| Some(line.as_str().unwrap()));
        let chosen = typed.chain([None]).find_map(|line| match question.read(line) {
            Reading::Chosen(option) => Some(Ok(option.into())),
            Reading::Over(why) => Some(Err(why.into())),
            Reading::Again(text) => {
                screens.push(text.into());
                None
            }
        });
        self.log().screens.extend(screens);
        chosen.unwrap()
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap()
}

/// The agent in each of its parts.
struct Part(Arc<Agent>);

impl Approver for Part {
    fn approve<'a>(&'a self, approval: &'a ApprovalRequest) -> BoxFuture<'a, Result<Approval, HookError>> {
        let turn = self.0.log().asked.len();
        self.0.log().asked.push(json!({
            "id": approval.id, "tool_use_id": approval.tool_use_id,
            "event": approval.event, "tool": approval.tool, "args": approval.args, "shown": approval.shown,
            "hook": approval.hook, "prompt": approval.prompt, "options": approval.options,
            "granting": approval.granting, "timeout_ms": millis(approval.timeout), "default": approval.default,
            "remember": approval.remember, "command": approval.command, "why": approval.why, "reason": approval.reason,
        }));
        let entry = nth(&self.0.approver, turn);
        if entry.get("types").is_some() {
            return Box::pin(std::future::ready(self.0.at_terminal(approval, &entry)));
        }
        Box::pin(async move {
            if entry.get("leaves").is_some() {
                self.0.left.notify_one();
            }
            if entry.get("hangs").is_some() || entry.get("leaves").is_some() {
                std::future::pending::<()>().await;
            }
            match raised(&entry) {
                _ if entry.get("suspends").is_some() => Err(Suspended.into()),
                Some(error) => Err(error),
                None => Ok(Approval::from_json(&entry)?),
            }
        })
    }
}

impl Context for Part {
    fn add_message(&self, message: ContextMessage) -> Result<(), HookError> {
        if self.0.breaks {
            return Err("the context is broken".into());
        }
        if let Some(conversation) = &self.0.conversation {
            conversation.lock().unwrap().push(message.clone());
        }
        let ContextMessage { role, content, metadata, .. } = message;
        self.0.log().messages.push(json!({"role": role, "content": content, "metadata": metadata}));
        Ok(())
    }

    fn messages(&self) -> Vec<ContextMessage> {
        self.0.conversation.as_ref().map(|messages| messages.lock().unwrap().clone()).unwrap_or_default()
    }

    fn replace_messages(&self, messages: Vec<ContextMessage>) -> Result<(), HookError> {
        *self.0.conversation.as_ref().unwrap().lock().unwrap() = messages;
        Ok(())
    }
}

impl Display for Part {
    fn show_message(&self, text: &str, level: &str, source: &str) {
        self.0.log().shown.push(json!({"text": text, "level": level, "source": source}));
    }
}

struct Scripted(Arc<Agent>, String);

impl Tool for Scripted {
    fn run(&self, args: Value, context: ToolContext) -> BoxFuture<'_, Result<ToolResult, HookError>> {
        let Self(agent, name) = self;
        let turn = agent.log().tools.iter().filter(|run| run["tool"] == **name).count();
        agent.log().tools.push(json!({"tool": name, "args": args, "env": context.env}));
        let entry = agent.tools.get(name).map_or_else(|| json!({"output": "ok"}), |list| nth(list, turn));
        Box::pin(async move {
            if let Some(error) = raised(&entry) {
                return Err(error);
            }
            Ok(match entry.get("fails") {
                Some(text) => ToolResult::failed(text.clone()),
                None => ToolResult::from(entry.get("output").cloned().unwrap_or_default()),
            })
        })
    }
}

/// Makes a call as a framework does that says when a tool begins and when it has ended.
async fn in_halves(
    session: &Session,
    name: &str,
    args: Value,
    (id, answers): (Option<String>, Vec<(String, Approval)>),
    tool: &dyn Tool,
) -> Result<ToolOutcome, Error> {
    let mut call = session.begin_tool(name, args, id, answers).await?;
    while let (Some(args), Some(context)) = (call.args().cloned(), call.context().cloned()) {
        match tool.run(args, context).await {
            Ok(result) => call.succeeded(result).await?,
            Err(why) => call.failed(why).await?,
        }
    }
    call.outcome()
}

/// Calls the model as a framework does that calls it itself.
async fn call_model(session: &Session, value: &Value, agent: &Arc<Agent>) -> Result<Value, Fault> {
    let text = |field: &str| value.get(field).and_then(Value::as_str);
    let tools = value["tools"].as_array().cloned().unwrap_or_default();
    let mut call = session.begin_model(text("prompt").unwrap_or_default(), text("system_prompt"), tools).await?;
    while let Some(request) = call.request().cloned() {
        match Part(Arc::clone(agent)).respond(request).await {
            Ok(response) => call.answered(response).await?,
            Err(why) => call.failed(why).await?,
        }
    }
    let came = call.outcome()?;
    Ok(json!({
        "status": came.status, "reason": came.reason, "text": came.text, "attempts": came.attempts,
        "response": came.response,
    }))
}

impl Model for Part {
    fn respond(&self, request: ModelRequest) -> BoxFuture<'_, Result<ModelResponse, HookError>> {
        let turn = self.0.log().model_calls.len();
        let ephemeral: Vec<Value> =
            request.messages.iter().map(|message| json!({"role": message.role, "content": message.content})).collect();
        self.0.log().model_calls.push(json!({
            "prompt": request.prompt, "system_prompt": request.system_prompt, "tools": request.tools,
            "ephemeral": ephemeral,
        }));
        let entry = nth(&self.0.model, turn);
        Box::pin(async move {
            if let Some(error) = raised(&entry) {
                return Err(error);
            }
            let call = |call: &Value| {
                let name = call["name"].as_str().unwrap_or_default();
                let made = ToolCall::new(name, call.get("args").cloned().unwrap_or_default());
                match call.get("id").and_then(Value::as_str) {
                    Some(id) => made.id(id),
                    None => made,
                }
            };
            let text = entry["text"].as_str().unwrap_or_default();
            let mut response = ModelResponse::new(text).usage(entry["usage"].clone());
            response.tool_calls = entry["tool_calls"].as_array().into_iter().flatten().map(call).collect();
            Ok(response)
        })
    }
}

/// Runs a case, with hooks that are handlers in halves; gives a line for everything that does not hold.
#[must_use]
pub fn run(case: &Case, given: Given) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let ended = tokio::time::timeout(LONG, execute(case, given)).await;
        ended.unwrap_or_else(|_| vec![format!("did not end within {LONG:?}")])
    })
}

/// The place of a case with files, and the case as it plays there.
fn settled(case: &Case) -> (Option<Place>, Case) {
    let mut case = case.clone();
    if case.files.is_empty() {
        return (None, case);
    }
    let written =
        json!({"id": case.id, "rule": case.rule, "why": case.why, "server": case.server, "files": case.files});
    let (place, _) = Place::of(&crate::case::Case::read(written).unwrap());
    let project = Value::from(place.project().to_string_lossy());
    let home = place.project().display().to_string();
    for field in case.steps.iter_mut().flat_map(Map::values_mut) {
        fill(field, &[("{project}", &home)]);
    }
    case.client.insert("project_dir".to_owned(), project.clone());
    // A case may leave it to the session where it works.
    if case.session.get("cwd") == Some(&Value::Null) {
        case.session.shift_remove("cwd");
    } else {
        case.session.insert("cwd".to_owned(), project);
    }
    (Some(place), case)
}

async fn execute(case: &Case, given: Given) -> Vec<String> {
    let theatre = Arc::new(Theatre::default());
    let (place, case) = &settled(case);
    let mut options = case.client.clone();
    options.entry("default_timeout").or_insert(TEN_MINUTES.into());
    let engine_client = Arc::new(EngineClient::new(&Value::Object(options), Arc::clone(&theatre), given).unwrap());
    let client: Arc<dyn Client> = Arc::clone(&engine_client) as Arc<dyn Client>;
    theatre.enter(&client);
    for definition in &case.define_tools {
        client.define_tool(definition).unwrap_or_else(|fault| panic!("{}: {fault:?}", case.id));
    }
    for hook in &case.hooks {
        theatre.register(&*client, hook).unwrap_or_else(|fault| panic!("{}: {fault:?}", case.id));
    }
    if let Some(options) = &case.audit {
        keep_log(&theatre, &*client, options).map_err(|fault| fault.message).unwrap();
        client.flush_log();
        theatre.log().records.clear();
    }
    let mut faults = Vec::new();
    if let Some(place) = place {
        faults.extend(case.load.iter().flat_map(|entry| place.load(&*client, entry)));
    }
    let agent = Arc::new(Agent {
        approver: case.approver.clone().unwrap_or_default(),
        tools: case.tools.iter().map(|(name, does)| (name.clone(), does.all().to_vec())).collect(),
        model: case.model.clone(),
        breaks: case.context.is_some(),
        conversation: case.conversation.as_ref().map(|messages| Mutex::new(messages.iter().map(message).collect())),
        log: Mutex::default(),
        left: tokio::sync::Notify::new(),
    });
    let engine = engine_client.engine();
    for name in case.tools.keys() {
        engine.register_tool(name, Arc::new(Scripted(Arc::clone(&agent), name.clone())));
    }
    if !case.model.is_empty() {
        engine.register_model(Arc::new(Part(Arc::clone(&agent))));
    }
    match open(engine, case, &agent, &case.session) {
        Ok(session) => {
            let halves = matches!(given, Given::Handler);
            let play = Play {
                case,
                engine,
                agent: &agent,
                theatre: &theatre,
                client: &*client,
                halves,
                others: Mutex::default(),
            };
            play.steps(&session, &case.steps, "step", &mut faults).await;
            play.check(&session, &mut faults);
            if let Some(place) = place {
                place.check(&case.expect, &mut faults);
            }
        }
        Err(fault) => faults.push(format!("the session: {fault:?}")),
    }
    faults.extend(std::mem::take(&mut theatre.log().faults));
    faults
}

fn open(engine: &Engine, case: &Case, agent: &Arc<Agent>, options: &Map<String, Value>) -> Result<Session, Fault> {
    let mut builder =
        engine.session().context(Arc::new(Part(Arc::clone(agent)))).display(Arc::new(Part(Arc::clone(agent))));
    if case.approver.is_some() {
        builder = builder.approver(Part(Arc::clone(agent)));
    }
    for (option, value) in options {
        builder = match (option.as_str(), value.as_str()) {
            ("approval", Some("deny")) => builder.approver(DenyAll),
            ("approval", Some("allow")) => builder.approver(AllowAll),
            _ => builder.set(option, value.clone()),
        };
    }
    let heard = Arc::clone(agent);
    Ok(builder.on_outcome(move |outcome| heard.log().events.push(outcome.event().name().into())).open()?)
}

struct Play<'c> {
    case: &'c Case,
    /// Whether tool calls are made in halves.
    halves: bool,
    engine: &'c Engine,
    agent: &'c Arc<Agent>,
    theatre: &'c Arc<Theatre>,
    client: &'c dyn Client,
    /// Sessions beside the case's own, which go on until its end.
    others: Mutex<Vec<Session>>,
}

/// Makes a session's conversation shorter, with the summary or the failure that the step names.
async fn compact(session: &Session, value: &Value) -> Result<Value, Fault> {
    let text = |field: &str| value.get(field).and_then(Value::as_str);
    let summary = |messages: Vec<ContextMessage>, custom: Option<String>| {
        let texts: Vec<_> = messages.iter().map(|message| message.content.as_str().unwrap_or_default()).collect();
        let result = match text("raises") {
            Some(why) => Err(HookError::from(why)),
            None => Ok(text("summary")
                .unwrap_or_default()
                .replace("{instructions}", &custom.unwrap_or_default())
                .replace("{messages}", &texts.join(", "))),
        };
        std::future::ready(result)
    };
    let custom = text("custom_instructions").map(str::to_owned);
    let came = session.compact(text("trigger").unwrap_or("manual"), custom, summary).await?;
    Ok(json!({
        "compacted": came.compacted, "summary": came.summary, "reason": came.reason,
        "removed": came.removed, "kept": came.kept,
    }))
}

impl Play<'_> {
    fn steps<'a>(
        &'a self,
        session: &'a Session,
        steps: &'a [Map<String, Value>],
        place: &'a str,
        faults: &'a mut Vec<String>,
    ) -> Pin<Box<dyn Future<Output = ()> + 'a>> {
        Box::pin(async move {
            for (index, step) in steps.iter().enumerate() {
                let place = format!("{place} {}", index + 1);
                let came = self.step(session, step, &place, faults).await;
                if let (Ok(came), Some(wanted)) = (&came, step.get("expect")) {
                    compare(&place, wanted, Some(came), Missing::FitsEmpty, faults);
                }
                check_refusal(&place, step.get("error"), came.err(), faults);
            }
        })
    }

    async fn step(
        &self,
        session: &Session,
        step: &Map<String, Value>,
        place: &str,
        faults: &mut Vec<String>,
    ) -> Result<Value, Fault> {
        let (deed, value) =
            step.iter().find(|(key, _)| *key != "expect" && *key != "error").expect("a step is not empty");
        let text = |field: &str| value.get(field).and_then(Value::as_str);
        let whole = value.as_str().unwrap_or_default();
        let object = || value.as_object().cloned().unwrap_or_default();
        Ok(match deed.as_str() {
            "start" => {
                let came = session.start(whole).await?;
                json!({"accepted": came.accepted, "reason": came.reason, "env": came.env})
            }
            "end" => {
                session.end(whole).await?;
                Value::Null
            }
            "submit_prompt" => {
                let came = session.submit_prompt(whole).await?;
                json!({"accepted": came.accepted, "prompt": came.prompt, "reason": came.reason, "stops": came.stops})
            }
            "run_tool" => {
                let name = text("tool").unwrap_or_default();
                let args = expand(&value["args"]).unwrap_or_default();
                let tool = Arc::new(Scripted(Arc::clone(self.agent), name.to_owned()));
                let id = text("tool_use_id").map(str::to_owned);
                let given = value.get("answers").and_then(Value::as_array);
                let answers = given.map(|given| given.iter().map(|given| self.answer(given)).collect::<Vec<_>>());
                if self.halves {
                    return tokio::select! {
                        biased;
                        came = in_halves(session, name, args, (id, answers.unwrap_or_default()), &*tool) => Ok(shown(&came?)),
                        () = self.agent.left.notified() => Ok(json!({"left": true})),
                    };
                }
                if let Some(answers) = answers {
                    let id = id.expect("a call that is made again has an id");
                    return Ok(shown(&session.resume_tool(name, args, &id, answers, tool).await?));
                }
                tokio::select! {
                    biased;
                    came = session.use_tool(name, args, id, tool) => shown(&came?),
                    () = self.agent.left.notified() => json!({"left": true}),
                }
            }
            "generate" => {
                let came = session.generate(whole).await?;
                json!({
                    "status": came.status, "text": came.text, "reason": came.reason, "model_calls": came.model_calls,
                    "tools": came.tools.iter().map(shown).collect::<Vec<_>>(), "response": came.response,
                })
            }
            "call_model" => call_model(session, value, self.agent).await?,
            "compact" => compact(session, value).await?,
            "note_usage" => {
                session.note_usage(value.as_u64().unwrap_or_default()).await?;
                Value::Null
            }
            "notify" => {
                session.notify(text("message").unwrap_or_default(), text("title"), text("kind")).await?;
                Value::Null
            }
            "status_line" => session.status_line(object()).await?.into(),
            "suggest_files" => {
                let suggestions = value["suggestions"].as_array().cloned().unwrap_or_default();
                session.suggest_files(text("query").unwrap_or_default(), suggestions).await?.into()
            }
            "stop" => {
                let came = stop(session, value).await?;
                json!({"should_continue": came.should_continue, "reason": came.reason})
            }
            "stop_failure" => {
                session.stop_failure(whole).await?;
                Value::Null
            }
            "subagent" => self.subagent(session, value, place, faults).await?,
            "other_session" => {
                let mut options = self.case.session.clone();
                options
                    .extend(value.as_object().into_iter().flatten().map(|(name, given)| (name.clone(), given.clone())));
                let steps: Vec<Map<String, Value>> =
                    options.remove("do").map(serde_json::from_value).transpose().unwrap().unwrap_or_default();
                let other = open(self.engine, self.case, self.agent, &options)?;
                self.steps(&other, &steps, place, faults).await;
                let env = other.env();
                self.others.lock().unwrap().push(other);
                json!({"env": env})
            }
            "temporary_hook" => {
                let mut hook: Hook = serde_json::from_value(value.clone()).unwrap();
                let matcher = hook.options.entry("matcher").or_insert_with(|| json!({}));
                matcher["session"] = session.id().into();
                self.theatre.register(self.client, &hook)?;
                Value::Null
            }
            "dispatch" => {
                let payload = expand(&value["payload"]).unwrap_or_default();
                session.dispatch(Event::new(text("event").unwrap_or_default(), payload)).await?.to_json()
            }
            other => panic!("{}: no step `{other}`", self.case.id),
        })
    }

    /// An answer to a question that was asked before, with the question's id.
    fn answer(&self, given: &Value) -> (String, Approval) {
        let id = match given["asked"].as_u64() {
            Some(asked) => self.agent.log().asked[usize::try_from(asked).unwrap()]["id"].clone(),
            None => given["id"].clone(),
        };
        (id.as_str().unwrap().to_owned(), Approval::from_json(&given["answer"]).unwrap())
    }

    async fn subagent(
        &self,
        session: &Session,
        value: &Value,
        place: &str,
        faults: &mut Vec<String>,
    ) -> Result<Value, Fault> {
        let (kind, id) = (value["type"].as_str().unwrap_or_default(), value["id"].as_str().map(str::to_owned));
        let child = match session.subagent(kind, id).await? {
            Ok(child) => child,
            Err(refused) => return Ok(json!({"accepted": false, "reason": refused.reason})),
        };
        let steps: Vec<Map<String, Value>> = serde_json::from_value(value["do"].clone()).unwrap_or_default();
        self.steps(&child, &steps, place, faults).await;
        let stopped = child.stop_subagent().await?;
        Ok(json!({"accepted": true, "should_continue": stopped.should_continue, "env": child.env()}))
    }

    fn check(&self, session: &Session, faults: &mut Vec<String>) {
        let ran = std::mem::take(&mut self.theatre.log().started);
        let log = self.agent.log();
        let env = Value::Object(session.env());
        let lists = [
            ("events", &log.events),
            ("tools", &log.tools),
            ("asked", &log.asked),
            ("messages", &log.messages),
            ("shown", &log.shown),
            ("model_calls", &log.model_calls),
            ("screens", &log.screens),
        ];
        for (name, pattern) in &self.case.expect {
            let came = match name.as_str() {
                "env" => env.clone(),
                "conversation" => self.agent.conversation.as_ref().map_or(Value::Null, |messages| {
                    let messages = messages.lock().unwrap();
                    let shown = |message: &ContextMessage| json!({"role": message.role, "content": message.content, "metadata": message.metadata});
                    messages.iter().map(shown).collect()
                }),
                "requests" | "saw" => continue,
                "ran" => json!(ran),
                "records" => {
                    self.client.flush_log();
                    Value::Array(std::mem::take(&mut self.theatre.log().records))
                }
                _ => match lists.iter().find(|(known, _)| known == name) {
                    Some((_, list)) => Value::Array((*list).clone()),
                    None => panic!("{}: nothing is known of `{name}`", self.case.id),
                },
            };
            compare(name, pattern, Some(&came), Missing::FitsEmpty, faults);
        }
    }
}

fn shown(run: &ToolOutcome) -> Value {
    json!({
        "ran": run.ran, "ok": run.ok, "output": run.output, "decision": run.decision, "reason": run.reason, "by": run.by,
        "args": run.args, "error": run.error, "attempts": run.attempts, "feedback": run.feedback,
        "injected": run.injected, "suppress_output": run.suppress_output, "stops": run.stops,
        "tool": run.tool, "tool_use_id": run.tool_use_id, "result": run.result,
    })
}

/// Stops a session, by the shorter method where that can say it.
async fn stop(session: &Session, fields: &Value) -> Result<Stopped, Error> {
    if fields.get("changed_files").is_some() {
        return session.stop_with(fields.as_object().cloned().unwrap_or_default()).await;
    }
    session.stop(fields["last_message"].as_str(), fields["status"].as_str().unwrap_or("completed")).await
}
