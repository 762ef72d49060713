//! Runs one case in one style and says what does not hold.

use std::sync::Arc;
use std::time::Duration;

use hookweave::audit::AuditOptions;
use hookweave_host::json::Json;
use serde_json::{Map, Value, json};

use crate::case::{Case, Dispatch, Hook, Kind};
use crate::check::{Came, check, check_any_order, check_durations, check_ran, check_refusal, check_state};
use crate::client::{Client, Fault};
use crate::engine::{EngineClient, Given};
use crate::file_hooks::Place;
use crate::foreign::Foreign;
use crate::script::{Do, Script, Theatre, parse_does};
use crate::value::expand;
use crate::{LONG, TEN_MINUTES, wire};

/// A way to run a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// [`EngineClient`] with hooks given in one way.
    Engine(Given),
    /// [`Foreign`].
    Facade,
    /// [`EngineClient`] with hooks from files, in a [`Place`].
    FileHooks,
}

impl Style {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Engine(Given::Closure),
        Self::Engine(Given::Future),
        Self::Engine(Given::Handler),
        Self::Facade,
        Self::FileHooks,
    ];

    /// Whether the case can run in this style.
    #[must_use]
    pub fn can_run(self, case: &Case) -> bool {
        if case.has_file_hooks() || self == Self::FileHooks {
            return case.has_file_hooks() && self == Self::FileHooks;
        }
        let all: Vec<Do> = case.hooks.iter().flat_map(|hook| parse_does(&hook.does)).collect();
        let any = |test: &dyn Fn(&Do) -> bool| all.iter().any(|deed| deed.any(test));
        let waits = any(&|deed| matches!(deed, Do::Hangs | Do::Dispatches { .. }));
        // The type of a Rust hook's answer leaves no room for these.
        let untyped = any(&|deed| matches!(deed, Do::Gives(answer) if !answer.is_object()));
        match self {
            Self::Engine(Given::Closure) => case.style != Some(Kind::Async) && !waits && !untyped,
            Self::Engine(_) => case.style != Some(Kind::Sync) && !untyped,
            // These hooks are the engine's own.
            Self::Facade => case.hooks.iter().all(|hook| hook.ready_made.is_none()),
            Self::FileHooks => true,
        }
    }

    fn client(self, case: &Case, theatre: &Arc<Theatre>, place: Option<&Place>) -> Result<Arc<dyn Client>, Fault> {
        let mut options = case.client.clone();
        if let Some(place) = place {
            options.insert("project_dir".to_owned(), place.project().to_string_lossy().into());
        }
        options.shift_remove("error");
        let limit = options.shift_remove("default_timeout_ms").unwrap_or(TEN_MINUTES.into());
        options.insert("default_timeout".to_owned(), limit);
        let (options, theatre) = (Value::Object(options), Arc::clone(theatre));
        Ok(match self {
            Self::Engine(given) => Arc::new(EngineClient::new(&options, theatre, given)?),
            Self::FileHooks => Arc::new(EngineClient::new(&options, theatre, Given::Future)?),
            Self::Facade => Arc::new(Foreign::new(&options, theatre, case.style.unwrap_or(Kind::Async))?),
        })
    }
}

/// Runs a case; gives a line for everything that does not hold.
#[must_use]
pub fn run(case: &Case, style: Style) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let ended = tokio::time::timeout(LONG, execute(case, style)).await;
        ended.unwrap_or_else(|_| vec![format!("did not end within {LONG:?}")])
    })
}

async fn execute(case: &Case, style: Style) -> Vec<String> {
    let settled = case.has_file_hooks().then(|| Place::of(case));
    let (place, case) = settled.as_ref().map_or((None, case), |(place, case)| (Some(place), case));
    let mut faults = Vec::new();
    let theatre = Arc::new(Theatre::default());
    let client = match (style.client(case, &theatre, place), case.client.get("error")) {
        (Ok(client), None) => client,
        (made, wanted) => {
            check_refusal("the client", wanted, made.err(), &mut faults);
            return faults;
        }
    };
    theatre.enter(&client);
    for (part, answerer) in case.answerers() {
        client.answer_questions(part, Script::answerer(part, answerer));
    }
    if let Some(listener) = &case.listener {
        client.listen(listener.get("raises").and_then(Value::as_str));
    }
    if let Some(options) = &case.audit {
        keep_log(&theatre, &*client, options).map_err(|fault| fault.message).unwrap();
    }
    define(&case.events, &|definition| client.define_event(definition), &mut faults);
    define(&case.tools, &|definition| client.define_tool(definition), &mut faults);
    let load = |after: Option<&str>, faults: &mut Vec<String>| {
        for entry in &case.load {
            if entry.get("after").and_then(Value::as_str) == after {
                faults.extend(place.unwrap().load(&*client, entry));
            }
        }
    };
    load(None, &mut faults);
    for entry in &case.lint {
        faults.extend(place.unwrap().lint(entry));
    }
    for hook in &case.hooks {
        register(&theatre, &*client, hook, hook.error.as_ref(), &mut faults);
        load(hook.name.as_deref().or(Some("")), &mut faults);
    }
    client.flush_log();
    theatre.log().records.clear();
    let detached = |hook: &Hook| hook.options.get("detached") == Some(&Value::Bool(true));
    let drains = place.is_some() || case.hooks.iter().any(detached);
    if let Some(times) = case.concurrent {
        let dispatch = placed(place, &case.dispatch.all()[0]);
        let came = at_once(&client, &dispatch, times).await;
        check_any_order(case, &came, &theatre, &*client, &mut faults);
    } else {
        for (index, (dispatch, expect)) in case.dispatch.all().iter().zip(case.expect.all()).enumerate() {
            for step in &dispatch.before {
                faults.extend(before(step, &client, &theatre, place).await);
            }
            let before = theatre.log().started.len();
            let came = match wire::read(dispatch).map(|dispatch| placed(place, &dispatch)) {
                Err(fault) => Came::Refused(fault),
                Ok(dispatch) if case.explain => explain(&*client, &dispatch),
                Ok(dispatch) if dispatch.is_cancelled() => tokio::select! {
                    biased;
                    came = dispatched(&*client, &dispatch) => came,
                    () = begun(case, &theatre, &dispatch, place) => Came::Cancelled,
                },
                Ok(dispatch) => dispatched(&*client, &dispatch).await,
            };
            if drains {
                client.drain().await;
            }
            let ran = theatre.log().started.split_off(before);
            let mut found = Vec::new();
            check_ran(expect, &ran, &mut found);
            check_state(expect, &theatre, &*client, &mut found);
            check(expect, &came, &mut found);
            if let Some(place) = place {
                place.check(expect, &mut found);
                if let (Came::Outcome(outcome), false) = (&came, found.is_empty()) {
                    found.push(format!("its trace: {}", outcome["trace"]));
                }
            }
            if let Came::Outcome(outcome) = &came {
                check_durations(&case.hooks, outcome, &mut found);
            }
            faults.extend(found.into_iter().map(|fault| format!("dispatch {}: {fault}", index + 1)));
            if index == 0 {
                for hook in case.hooks.iter().filter(|hook| hook.temporary) {
                    client.unregister(&theatre.id_of(hook.name.as_deref().unwrap()));
                }
            }
        }
    }
    faults.extend(std::mem::take(&mut theatre.log().faults));
    faults
}

/// Takes a step that stands before a dispatch; gives what was wrong with it.
async fn before(
    step: &Map<String, Value>,
    client: &Arc<dyn Client>,
    theatre: &Arc<Theatre>,
    place: Option<&Place>,
) -> Vec<String> {
    if let Some(many) = step.get("dispatches") {
        dispatch_many(client, many).await;
        return Vec::new();
    }
    if step.contains_key("close") {
        client.close().await;
        return Vec::new();
    }
    let taken = match place {
        Some(place) => place.step(&**client, step).await,
        None => None,
    };
    taken.unwrap_or_else(|| {
        let mut faults = Vec::new();
        take_step(theatre, &**client, step, &mut faults);
        faults
    })
}

/// Keeps an audit log, whose records the theatre gets without what differs from run to run.
pub(crate) fn keep_log(theatre: &Arc<Theatre>, client: &dyn Client, options: &Value) -> Result<(), Fault> {
    let theatre = Arc::clone(theatre);
    let config = AuditOptions::read(&Json, &options).unwrap().sink(move |line: &str| {
        let record: Map<String, Value> = serde_json::from_str(line).unwrap();
        theatre.log().records.push(lasting(record));
    });
    client.keep_log(config)
}

/// What of a record is the same in each run, with the payload out of its input.
fn lasting(mut record: Map<String, Value>) -> Value {
    for fleeting in ["seq", "time", "dispatch", "hook_id", "duration_us", "prev", "hash"] {
        record.shift_remove(fleeting);
    }
    let input = record.shift_remove("input");
    if let Some(payload) = input.and_then(|mut input| input.as_object_mut()?.remove("payload")) {
        record.insert("payload".to_owned(), payload);
    }
    Value::Object(record)
}

type Define<'a> = &'a dyn Fn(&Value) -> Result<(), Fault>;

fn define(definitions: &[Map<String, Value>], define: Define<'_>, faults: &mut Vec<String>) {
    for definition in definitions {
        let mut definition = definition.clone();
        let wanted = definition.shift_remove("error");
        let place = format!("the definition of {}", definition["name"]);
        check_refusal(&place, wanted.as_ref(), define(&Value::Object(definition)).err(), faults);
    }
}

/// A dispatch that happens in the place of its case.
fn placed(place: Option<&Place>, dispatch: &Dispatch) -> Dispatch {
    let mut dispatch = dispatch.clone();
    if let Some(place) = place {
        dispatch.payload = place.payload(&dispatch.payload);
    }
    dispatch
}

async fn dispatched(client: &dyn Client, dispatch: &Dispatch) -> Came {
    let payload = expand(&dispatch.payload).unwrap();
    client.dispatch(&dispatch.event, payload, 0).await.map_or_else(Came::Refused, Came::Outcome)
}

/// Waits until a hook hangs, if any of the case does, and then this long.
async fn begun(case: &Case, theatre: &Theatre, dispatch: &Dispatch, place: Option<&Place>) {
    if let (Some(file), Some(place)) = (&dispatch.cancel_when, place) {
        while !place.project().join(file).exists() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    let hangs = |hook: &Hook| parse_does(&hook.does).iter().any(|deed| deed.any(&|deed| matches!(deed, Do::Hangs)));
    if case.hooks.iter().any(hangs) {
        while !theatre.log().hanging {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    tokio::time::sleep(Duration::from_millis(dispatch.cancel_after_ms.unwrap_or_default())).await;
}

fn explain(client: &dyn Client, dispatch: &Dispatch) -> Came {
    let payload = expand(&dispatch.payload).unwrap();
    client.explain(&dispatch.event, payload).map_or_else(Came::Refused, Came::Explanation)
}

async fn at_once(client: &Arc<dyn Client>, dispatch: &Dispatch, times: usize) -> Vec<Came> {
    let mut running = Vec::new();
    for _ in 0..times {
        let (client, dispatch) = (Arc::clone(client), dispatch.clone());
        running.push(tokio::spawn(async move { dispatched(&*client, &dispatch).await }));
    }
    let mut came = Vec::new();
    for task in running {
        came.push(task.await.unwrap());
    }
    came
}

/// Unchecked dispatches, in sequence or concurrently.
async fn dispatch_many(client: &Arc<dyn Client>, many: &Value) {
    let dispatch: Dispatch =
        serde_json::from_value(json!({"event": many["event"], "payload": many["payload"]})).unwrap();
    let times = usize::try_from(many["times"].as_u64().unwrap()).unwrap();
    if many.get("together").is_some() {
        at_once(client, &dispatch, times).await;
    } else {
        for _ in 0..times {
            dispatched(&**client, &dispatch).await;
        }
    }
}

fn register(theatre: &Theatre, client: &dyn Client, hook: &Hook, wanted: Option<&Value>, faults: &mut Vec<String>) {
    let name = hook.name.as_deref().unwrap_or("unnamed");
    check_refusal(&format!("hook {name}"), wanted, theatre.register(client, hook).err(), faults);
}

fn take_step(theatre: &Arc<Theatre>, client: &dyn Client, step: &Map<String, Value>, faults: &mut Vec<String>) {
    let wanted = step.get("error");
    let (deed, value) = step.iter().next().expect("a step is not empty");
    let id = || theatre.id_of(value.as_str().unwrap());
    match deed.as_str() {
        "register" => register(theatre, client, &serde_json::from_value(value.clone()).unwrap(), wanted, faults),
        "unregister" => {
            let removed = client.unregister(&id());
            if step.get("returns").is_some_and(|wanted| *wanted != Value::Bool(removed)) {
                faults.push(format!("unregister {value}: gave {removed}"));
            }
        }
        "define_event" => check_refusal(deed, wanted, client.define_event(value).err(), faults),
        "define_tool" => check_refusal(deed, wanted, client.define_tool(value).err(), faults),
        "audit" => check_refusal(deed, wanted, keep_log(theatre, client, value).err(), faults),
        "explain" => {
            let asked: Dispatch = serde_json::from_value(value.clone()).unwrap();
            let refused = match explain(client, &asked) {
                Came::Refused(fault) => Some(fault),
                _ => None,
            };
            check_refusal(deed, wanted, refused, faults);
        }
        "client_enabled" => client.set_enabled(value.as_bool().unwrap()),
        "reset_stats" => _ = client.stats(true),
        _ => {
            let refused = client.set_hook_enabled(&id(), deed == "enable").err();
            check_refusal(&format!("{deed} {value}"), wanted, refused, faults);
        }
    }
}
