//! Runs one case in one style and says what does not hold.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::case::{Case, Dispatch, Hook, Kind};
use crate::client::{Client, Fault};
use crate::engine::{Given, Native};
use crate::foreign::Foreign;
use crate::native::Place;
use crate::pattern::{Missing, compare, one_or_many};
use crate::script::{Do, Theatre, parse_does};
use crate::value::expand;

/// A way to run a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// [`Native`] with hooks given in one way.
    Engine(Given),
    /// [`Foreign`].
    Facade,
    /// [`Native`] with hooks from files, in a [`Place`].
    Native,
}

impl Style {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Engine(Given::Closure),
        Self::Engine(Given::Future),
        Self::Engine(Given::Handler),
        Self::Facade,
        Self::Native,
    ];

    /// Whether the case can run in this style.
    #[must_use]
    pub fn can_run(self, case: &Case) -> bool {
        if case.is_native() || self == Self::Native {
            return case.is_native() && self == Self::Native;
        }
        let all: Vec<Do> = case.hooks.iter().flat_map(|hook| parse_does(&hook.does)).collect();
        let any = |test: &dyn Fn(&Do) -> bool| all.iter().any(|deed| deed.any(test));
        let waits = any(&|deed| matches!(deed, Do::Hangs | Do::Dispatches { .. }));
        // The type of a Rust hook's answer leaves no room for these.
        let untyped = any(&|deed| matches!(deed, Do::Gives(answer) if !answer.is_object()));
        match self {
            Self::Engine(Given::Closure) => case.style != Some(Kind::Async) && !waits && !untyped,
            Self::Engine(_) => case.style != Some(Kind::Sync) && !untyped,
            Self::Facade | Self::Native => true,
        }
    }

    fn client(self, case: &Case, theatre: &Arc<Theatre>, place: Option<&Place>) -> Result<Arc<dyn Client>, Fault> {
        let mut options = case.client.clone();
        if let Some(place) = place {
            options.insert("project_dir".to_owned(), place.project().to_string_lossy().into());
        }
        options.shift_remove("error");
        if let Some(limit) = options.shift_remove("default_timeout_ms") {
            options.insert("default_timeout".to_owned(), limit);
        }
        let (options, theatre) = (Value::Object(options), Arc::clone(theatre));
        Ok(match self {
            Self::Engine(given) => Arc::new(Native::new(&options, theatre, given)?),
            Self::Native => Arc::new(Native::new(&options, theatre, Given::Future)?),
            Self::Facade => Arc::new(Foreign::new(&options, theatre, case.style.unwrap_or(Kind::Async))?),
        })
    }
}

/// Runs a case; gives a line for everything that does not hold.
#[must_use]
pub fn run(case: &Case, style: Style) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        match tokio::time::timeout(Duration::from_secs(30), execute(case, style)).await {
            Ok(faults) => faults,
            Err(_) => vec!["did not end within 30 s".to_owned()],
        }
    })
}

/// What one dispatch came to.
enum Came {
    Outcome(Value),
    Explanation(Value),
    Refused(Fault),
    Cancelled,
}

async fn execute(case: &Case, style: Style) -> Vec<String> {
    let settled = case.is_native().then(|| Place::of(case));
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
    for hook in &case.hooks {
        register(&theatre, &*client, hook, hook.error.as_ref(), &mut faults);
        load(hook.name.as_deref().or(Some("")), &mut faults);
    }
    let detached = |hook: &Hook| hook.options.get("detached") == Some(&Value::Bool(true));
    let drains = place.is_some() || case.hooks.iter().any(detached);
    if let Some(times) = case.concurrent {
        let dispatch = placed(place, &case.dispatch.all()[0]);
        let came = at_once(&client, &dispatch, times).await;
        check_any_order(case, &came, &theatre, &*client, &mut faults);
    } else {
        for (index, (dispatch, expect)) in case.dispatch.all().iter().zip(case.expect.all()).enumerate() {
            for step in &dispatch.before {
                let taken = match place {
                    Some(place) => place.step(&*client, step).await,
                    None => None,
                };
                match taken {
                    Some(found) => faults.extend(found),
                    None => take_step(&theatre, &*client, step, &mut faults),
                }
            }
            let before = theatre.log().started.len();
            let dispatch = placed(place, dispatch);
            let came = if case.explain { explain(&*client, &dispatch) } else { one(&*client, &dispatch).await };
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

async fn one(client: &dyn Client, dispatch: &Dispatch) -> Came {
    let payload = expand(&dispatch.payload).unwrap();
    let running = client.dispatch(&dispatch.event, payload, 0);
    let result = match dispatch.cancel_after_ms {
        None => running.await,
        Some(limit) => match tokio::time::timeout(Duration::from_millis(limit), running).await {
            Ok(result) => result,
            Err(_) => return Came::Cancelled,
        },
    };
    result.map_or_else(Came::Refused, Came::Outcome)
}

fn explain(client: &dyn Client, dispatch: &Dispatch) -> Came {
    let payload = expand(&dispatch.payload).unwrap();
    client.explain(&dispatch.event, payload).map_or_else(Came::Refused, Came::Explanation)
}

async fn at_once(client: &Arc<dyn Client>, dispatch: &Dispatch, times: usize) -> Vec<Came> {
    let mut running = Vec::new();
    for _ in 0..times {
        let (client, dispatch) = (Arc::clone(client), dispatch.clone());
        running.push(tokio::spawn(async move { one(&*client, &dispatch).await }));
    }
    let mut came = Vec::new();
    for one in running {
        came.push(one.await.unwrap());
    }
    came
}

fn register(theatre: &Theatre, client: &dyn Client, hook: &Hook, wanted: Option<&Value>, faults: &mut Vec<String>) {
    let name = hook.name.as_deref().unwrap_or("unnamed");
    check_refusal(&format!("hook {name}"), wanted, theatre.register(client, hook).err(), faults);
}

fn take_step(theatre: &Theatre, client: &dyn Client, step: &Map<String, Value>, faults: &mut Vec<String>) {
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
        "client_enabled" => client.set_enabled(value.as_bool().unwrap()),
        _ => {
            let refused = client.set_hook_enabled(&id(), deed == "enable").err();
            check_refusal(&format!("{deed} {value}"), wanted, refused, faults);
        }
    }
}

pub(crate) fn check_refusal(place: &str, wanted: Option<&Value>, refused: Option<Fault>, faults: &mut Vec<String>) {
    match (wanted, refused) {
        (None, None) => {}
        (None, Some(fault)) => faults.push(format!("{place}: refused with {}: {}", fault.code, fault.message)),
        (Some(wanted), None) => faults.push(format!("{place}: expected {wanted}, was not refused")),
        (Some(wanted), Some(fault)) => {
            if wanted["code"] != *fault.code {
                faults.push(format!("{place}: expected {}, got {}: {}", wanted["code"], fault.code, fault.message));
            }
            for text in one_or_many(&wanted["contains"]) {
                if !fault.message.contains(text) {
                    faults.push(format!("{place}: `{text}` is not in the message: {}", fault.message));
                }
            }
        }
    }
}

fn check(expect: &Map<String, Value>, came: &Came, faults: &mut Vec<String>) {
    let wanted = |key: &str| expect.get(key);
    match came {
        Came::Refused(fault) => check_refusal("the dispatch", wanted("error"), Some(fault.clone()), faults),
        Came::Cancelled if wanted("cancelled").is_some() => {}
        Came::Cancelled => faults.push("was cancelled".to_owned()),
        _ if wanted("error").or(wanted("cancelled")).is_some() => {
            faults.push(format!("expected {}, but the dispatch ended", Value::Object(expect.clone())));
        }
        Came::Explanation(explanation) => {
            check_reasons("explain", wanted("explain"), &explanation["hooks"], faults);
        }
        Came::Outcome(outcome) => {
            for (key, pattern) in expect {
                match key.as_str() {
                    "ran" | "runs" | "hooks_left" | "saw" | "requests" => {}
                    "unmatched" => check_reasons(key, Some(pattern), &outcome[key], faults),
                    "trace_of" => check_trace_of(pattern, &outcome["trace"], faults),
                    _ => compare(key, pattern, outcome.get(key), Missing::FitsEmpty, faults),
                }
            }
        }
    }
}

fn check_trace_of(wanted: &Value, trace: &Value, faults: &mut Vec<String>) {
    for (hook, pattern) in wanted.as_object().into_iter().flatten() {
        let last = trace.as_array().into_iter().flatten().rev().find(|entry| entry["hook"] == **hook);
        compare(&format!("trace of {hook}"), pattern, last, Missing::FitsEmpty, faults);
    }
}

/// A hook that slept took at least as long, in microseconds, and nobody sleeps for half a minute.
fn check_durations(hooks: &[Hook], outcome: &Value, faults: &mut Vec<String>) {
    for entry in outcome["trace"].as_array().into_iter().flatten().filter(|entry| entry["status"] == "ran") {
        let hook = hooks.iter().find(|hook| hook.name.as_deref() == entry["hook"].as_str());
        let Some(slept) = hook.and_then(|hook| hook.does.get("sleep_ms")).and_then(Value::as_f64) else { continue };
        let took = entry["duration_us"].as_f64().unwrap_or_default();
        if !(slept * 1e3..30e6).contains(&took) {
            faults.push(format!("{} slept for {slept} ms and took {took} us", entry["hook"]));
        }
    }
}

/// Lists of hooks with a part of the reason why each does not run.
fn check_reasons(place: &str, wanted: Option<&Value>, got: &Value, faults: &mut Vec<String>) {
    let Some(Value::Array(wanted)) = wanted else { return };
    let mut patterns = wanted.clone();
    for pattern in &mut patterns {
        let fields = pattern.as_object_mut().unwrap();
        if let Some(text) = fields.shift_remove("why_contains") {
            fields.insert("why".to_owned(), serde_json::json!({ "$contains": text }));
        }
    }
    compare(place, &Value::Array(patterns), Some(got), Missing::FitsEmpty, faults);
}

fn check_ran(expect: &Map<String, Value>, ran: &[String], faults: &mut Vec<String>) {
    if let Some(wanted) = expect.get("ran")
        && *wanted != serde_json::json!(ran)
    {
        faults.push(format!("ran: expected {wanted}, got {ran:?}"));
    }
}

fn check_state(expect: &Map<String, Value>, theatre: &Theatre, client: &dyn Client, faults: &mut Vec<String>) {
    for (hook, wanted) in expect.get("runs").and_then(Value::as_object).into_iter().flatten() {
        let runs = theatre.log().runs.get(hook).copied().unwrap_or_default();
        if *wanted != runs {
            faults.push(format!("runs of {hook}: expected {wanted}, got {runs}"));
        }
    }
    if let Some(wanted) = expect.get("hooks_left") {
        let mut wanted = one_or_many(wanted);
        let names = client.hook_names();
        let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
        wanted.sort_unstable();
        names.sort_unstable();
        if wanted != names {
            faults.push(format!("hooks left: expected {wanted:?}, got {names:?}"));
        }
    }
}

/// Concurrent dispatches: each outcome has to fit another expectation.
fn check_any_order(case: &Case, came: &[Came], theatre: &Theatre, client: &dyn Client, faults: &mut Vec<String>) {
    for expect in case.expect.all() {
        check_state(expect, theatre, client, faults);
    }
    let fits = |expect: &Map<String, Value>, came: &Came| {
        let mut found = Vec::new();
        check(expect, came, &mut found);
        found
    };
    if !matches_up(case.expect.all(), came, &|expect, came| fits(expect, came).is_empty()) {
        for (number, came) in came.iter().enumerate() {
            for (wanted, expect) in case.expect.all().iter().enumerate() {
                let found = fits(expect, came);
                faults.push(format!("outcome {} against {}: {found:?}", number + 1, wanted + 1));
            }
        }
    }
}

/// Whether each of the one can have another of the other.
fn matches_up<A, B>(wanted: &[A], got: &[B], fits: &dyn Fn(&A, &B) -> bool) -> bool {
    fn place<A, B>(wanted: &[A], got: &[B], taken: &mut [bool], fits: &dyn Fn(&A, &B) -> bool) -> bool {
        let Some((first, rest)) = wanted.split_first() else { return true };
        for index in 0..got.len() {
            if !taken[index] && fits(first, &got[index]) {
                taken[index] = true;
                if place(rest, got, taken, fits) {
                    return true;
                }
                taken[index] = false;
            }
        }
        false
    }
    wanted.len() == got.len() && place(wanted, got, &mut vec![false; got.len()], fits)
}
