//! The engine as Rust programs use it: closures that answer at once, closures that return futures, handlers.

use std::sync::Arc;

use hookweave::Rules;
use hookweave::audit::AuditOptions;
use hookweave::{Engine, Error, Event, Handler, HookError, HookFuture, HookResponse, LateAnswer};
use hookweave::{HookSpec, HostQuestion, LoadRequest, ToolDefinition};
use hookweave_host::envelope::FILLED_IN;
use hookweave_host::guard::Guard;
use hookweave_host::json::Json;
use serde_json::{Map, Value, json};

use crate::LONG;
use crate::case::Hook;
use crate::client::{Client, Fault, Pending};
use crate::script::{Script, Seen, Theatre};

/// How hooks are given to the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given {
    /// As closures that answer at once.
    Closure,
    /// As closures that return futures.
    Future,
    /// As types that implement [`Handler`].
    Handler,
}

/// A client that is an [`Engine`].
pub struct EngineClient {
    engine: Engine,
    theatre: Arc<Theatre>,
    given: Given,
}

impl EngineClient {
    /// An engine with options, whose hooks are given in one way.
    pub fn new(options: &Value, theatre: Arc<Theatre>, given: Given) -> Result<Self, Fault> {
        let settings = options.as_object().cloned().unwrap_or_default();
        Ok(Self { engine: Engine::builder().settings(settings).build()?, theatre, given })
    }
}

impl EngineClient {
    /// The engine.
    #[must_use]
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }
}

/// A script as a handler of its own type.
struct Actor {
    script: Arc<Script>,
    theatre: Arc<Theatre>,
}

impl Handler for Actor {
    fn handle<'a>(&'a self, event: &'a Event) -> HookFuture<'a> {
        Box::pin(async move {
            let payload = shown(event, &self.theatre);
            let deed = self.script.begin(&self.theatre, &payload);
            response(self.theatre.perform(deed, payload, 0).await)
        })
    }
}

/// The event as JSON; complains where a field or a getter shows something else.
fn shown(event: &Event, theatre: &Theatre) -> Seen {
    let whole = event.to_json();
    let same = |what: &str, got: Value, wanted: Value| {
        if got != wanted {
            theatre.complain(format!("`{what}` of an event is {got}, and {wanted} in its JSON"));
        }
    };
    for name in FILLED_IN {
        same(&format!("field({name})"), event.field(name).clone(), whole.get(name).cloned().unwrap_or_default());
    }
    let text = |name: &str| Value::from(whole.get(name).and_then(Value::as_str).unwrap_or_default());
    same("session_id()", event.session_id().into(), text("session_id"));
    same("tool_use_id()", event.tool_use_id().into(), text("tool_use_id"));
    same("cwd()", event.cwd().into(), text("cwd"));
    same("timestamp()", event.timestamp().into(), whole["timestamp"].as_u64().unwrap_or_default().into());
    let text = |error: Error| error.to_string();
    let (command, paths) =
        (event.command().map(Value::from).map_err(text), event.paths().map(Value::from).map_err(text));
    Seen { whole, command, paths }
}

fn response(result: Result<Option<Value>, String>) -> Result<HookResponse, HookError> {
    let Some(answer) = result? else { return Ok(HookResponse::default()) };
    HookResponse::from_json(answer).map_err(|other| format!("a Rust hook cannot return {other}").into())
}

/// The guard that a case's hook stands for, as bindings read it.
pub(crate) fn guard(hook: &Hook) -> Result<Option<Guard>, Fault> {
    let block = hook.guard.as_ref().map(|settings| Guard::read_block(&Json, &settings));
    let ask = || hook.ask_before.as_ref().map(|settings| Guard::read_ask(&Json, &settings));
    Ok(block.or_else(ask).transpose()?)
}

fn rules(guard: &Guard) -> Rules {
    guard.spec.matcher.rule.clone().expect("a guard has rules")
}

impl Client for EngineClient {
    fn register(&self, hook: &Hook, name: Option<&str>) -> Result<String, Fault> {
        if let Some(guard) = guard(hook)? {
            let (engine, rules) = (&self.engine, rules(&guard));
            if let Some(settings) = &hook.guard {
                let reason = settings["reason"].as_str().unwrap_or_default();
                return Ok(match settings["name"].as_str() {
                    Some(name) => engine.named_guard(name, rules, reason)?,
                    None => engine.guard(rules, reason)?,
                });
            }
            let settings = hook.ask_before.as_ref();
            let text = |field: &str| settings.and_then(|settings| settings[field].as_str());
            return Ok(match text("name") {
                Some(name) => engine.named_ask_before(name, rules, text("prompt"))?,
                None => engine.ask_before(rules, text("prompt"))?,
            });
        }
        if let Some(Value::Object(options)) = &hook.ready_made {
            let mut options = options.clone();
            let name = options.shift_remove("use").unwrap_or_default();
            let ids = self.engine.use_ready_made(name.as_str().unwrap_or_default(), &Value::Object(options))?;
            return Ok(ids.first().cloned().unwrap_or_default());
        }
        let spec = HookSpec::read(&Json, &hook.event, &&hook.settings(name))?;
        let (script, theatre) = (Arc::new(Script::new(hook, name)), Arc::clone(&self.theatre));
        let registration = self.engine.on(&hook.event).spec(spec);
        let id = match self.given {
            Given::Closure => registration.run(move |event: &Event| {
                let payload = shown(event, &theatre);
                response(theatre.perform_sync(&script.begin(&theatre, &payload), &payload))
            }),
            Given::Future => registration.run_async(move |event: Event| {
                let (script, theatre) = (Arc::clone(&script), Arc::clone(&theatre));
                async move {
                    let payload = shown(&event, &theatre);
                    let deed = script.begin(&theatre, &payload);
                    response(theatre.perform(deed, payload, 0).await)
                }
            }),
            Given::Handler => registration.handler(Actor { script, theatre }),
        };
        Ok(id?)
    }

    fn unregister(&self, id: &str) -> bool {
        self.engine.unregister_hook(id)
    }

    fn set_hook_enabled(&self, id: &str, enabled: bool) -> Result<(), Fault> {
        let switched = if enabled { self.engine.enable_hook(id) } else { self.engine.disable_hook(id) };
        Ok(switched?)
    }

    fn set_enabled(&self, enabled: bool) {
        self.engine.set_enabled(enabled);
    }

    fn close(&self) -> Pending<'_, ()> {
        Box::pin(async { _ = self.engine.close(LONG).await })
    }

    fn keep_log(&self, config: AuditOptions) -> Result<(), Fault> {
        Ok(self.engine.configure_audit(config)?)
    }

    fn flush_log(&self) {
        assert!(self.engine.flush_audit(LONG), "the audit log is written");
    }

    fn stats(&self, reset: bool) -> Value {
        let stats = if reset { self.engine.reset_stats() } else { self.engine.stats() };
        serde_json::to_value(stats).unwrap()
    }

    fn define_event(&self, definition: &Value) -> Result<(), Fault> {
        let modifiable: Vec<&str> =
            definition["modifiable"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let name = definition["name"].as_str().unwrap_or_default();
        Ok(self.engine.define_event(name, definition["gate"].as_bool().unwrap_or(true), &modifiable)?)
    }

    fn define_tool(&self, definition: &Value) -> Result<(), Fault> {
        Ok(self.engine.define_tool(ToolDefinition::read(&Json, &definition)?)?)
    }

    fn hook_names(&self) -> Vec<String> {
        self.engine.list_hooks().into_iter().map(|hook| hook.name).collect()
    }

    fn dispatch<'a>(&'a self, event: &'a str, payload: Value, _depth: u32) -> Pending<'a, Result<Value, Fault>> {
        Box::pin(async move {
            let outcome = self.engine.dispatch(Event::new(event, payload)).await?;
            let mut whole = outcome.to_json();
            whole["unmatched"] = serde_json::to_value(outcome.unmatched()).unwrap();
            Ok(whole)
        })
    }

    fn explain(&self, event: &str, payload: Value) -> Result<Value, Fault> {
        Ok(serde_json::to_value(self.engine.explain(&Event::new(event, payload))?).unwrap())
    }

    fn load(&self, load: &Map<String, Value>) -> Result<Value, Fault> {
        let options = |names: &[&str]| {
            let given = names.iter().filter_map(|name| Some(((*name).to_owned(), load.get(*name)?.clone())));
            Value::Object(given.collect())
        };
        let request = if let Some(path) = load.get("path").and_then(Value::as_str) {
            LoadRequest::read_file(path, &Json, &&options(&["dialect", "scope", "strict", "partial", "enforcement"]))
        } else {
            let names = [
                "sources",
                "trust",
                "trust_store",
                "on_untrusted",
                "strict",
                "partial",
                "enforcement",
                "agent",
                "plugins",
            ];
            LoadRequest::read_places(load["discover"].as_str().unwrap(), &Json, &&options(&names))
        };
        Ok(serde_json::to_value(self.engine.load_files(request?)?).unwrap())
    }

    fn reload(&self) -> Pending<'_, Result<Value, Fault>> {
        Box::pin(async { Ok(serde_json::to_value(self.engine.reload().await?).unwrap()) })
    }

    fn answer_questions(&self, part: &str, answerer: Script) {
        let (script, theatre) = (Arc::new(answerer), Arc::clone(&self.theatre));
        let answer = move |question: HostQuestion| {
            let (script, theatre) = (Arc::clone(&script), Arc::clone(&theatre));
            async move {
                let asked = question.to_json().into();
                let deed = script.begin(&theatre, &asked);
                Ok(theatre.perform(deed, asked, 0).await?.unwrap_or_default())
            }
        };
        match part {
            "judge" => self.engine.set_judge(answer),
            _ => self.engine.set_tool_caller(answer),
        }
    }

    fn listen(&self, raises: Option<&str>) {
        let (theatre, raises) = (Arc::clone(&self.theatre), raises.map(str::to_owned));
        self.engine.on_late_answer(move |LateAnswer { hook, event, answer, wakes, .. }| {
            theatre.log().late.push(json!({"hook": hook, "event": event, "answer": answer, "wakes": wakes}));
            if let Some(message) = &raises {
                panic!("{message}");
            }
        });
    }

    fn drain(&self) -> Pending<'_, ()> {
        Box::pin(async {
            assert!(self.engine.drain(LONG).await, "detached hooks did not end");
        })
    }
}
