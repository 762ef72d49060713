//! What lets an agent's settings look as if hookweave guarded, and takes the guarding away.

use std::time::Duration;

use hookweave_host::dialects::described::system;
use serde_json::Value;

use crate::agents::{Agent, Shape};
use crate::hook_command::{agent_of, is_alone, is_this_command};
use crate::own_program::misleading;
use crate::settings::{Place, places};

/// The least time in seconds in which hookweave can decide.
const LEAST_SECONDS: f64 = 1.0;

/// The least time limit of its own in seconds with which hookweave can decide: starting and reading the policy take a part.
const LEAST_DEADLINE: f64 = 0.5;

/// One fault, and where it stands.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) what: String,
    pub(crate) place: String,
}

/// What a command line that runs hookweave says of how it decides.
pub(crate) struct Said {
    /// By what less is guarded than its project's policy would.
    pub(crate) weakened: Vec<String>,
    /// The option that requires a policy, where it is to be and is not.
    pub(crate) lacks: Option<&'static str>,
    /// The longest time after which it has answered.
    pub(crate) longest: Option<Duration>,
}

/// Reads such a command line.
pub(crate) type ReadLine<'r> = &'r dyn Fn(&str) -> Option<Said>;

/// What an agent's settings say beside the hooks by which none of them runs, or another program in its place.
pub(crate) fn switches(agent: &Agent, settings: &Value) -> Vec<Fault> {
    let is = |path: &str, wanted: bool| settings.pointer(path).and_then(Value::as_bool) == Some(wanted);
    let fault = |place: &str, value: bool| Fault {
        what: format!("`{place}: {value}` switches every hook off; take it out"),
        place: place.to_owned(),
    };
    let env = misleading(settings.get("env"));
    let mut faults: Vec<Fault> = env.into_iter().map(|what| Fault { what, place: "env".to_owned() }).collect();
    let has_switch = matches!(agent.name, "claude-code" | "copilot") || system(agent.name).is_some();
    if has_switch && is("/disableAllHooks", true) {
        faults.push(fault("disableAllHooks", true));
    }
    if agent.name == "gemini-cli" {
        let off = ["hooksConfig", "hooks"].into_iter().filter(|section| is(&format!("/{section}/enabled"), false));
        faults.extend(off.map(|section| fault(&format!("{section}.enabled"), false)));
        let named = |section: &&str| {
            let list = settings.pointer(&format!("/{section}/disabled")).and_then(Value::as_array);
            list.is_some_and(|list| list.iter().filter_map(Value::as_str).any(|name| name.starts_with("hookweave")))
        };
        faults.extend(["hooksConfig", "hooks"].iter().filter(|section| named(section)).map(|section| Fault {
            what: "hookweave is in the list of disabled hooks; take it out".to_owned(),
            place: format!("{section}.disabled"),
        }));
    }
    faults
}

/// What keeps entries that run hookweave from guarding.
pub(crate) fn of_entries(agent: &Agent, settings: &Value, read_line: ReadLine<'_>) -> Vec<Fault> {
    let events = settings.get("hooks").and_then(Value::as_object).or_else(|| settings.as_object());
    let mut faults = Vec::new();
    for (event, groups) in events.into_iter().flatten() {
        let groups = groups.as_array().map(Vec::as_slice).unwrap_or_default();
        for (at, handler) in places(agent, event, groups) {
            let place = place(agent, &at);
            let (event, group, _) = at;
            let around = groups.get(group).filter(|_| agent.shape == Shape::Groups);
            let found = of_entry(agent, &event, around, handler, read_line);
            faults.extend(found.into_iter().map(|what| Fault { what, place: place.clone() }));
        }
    }
    faults
}

/// Where a handler stands, as a person finds it.
pub(crate) fn place(agent: &Agent, (event, group, at): &Place) -> String {
    match agent.shape {
        Shape::Flat => format!("hooks.{event}[{at}]"),
        Shape::Groups => format!("hooks.{event}[{group}].hooks[{at}]"),
    }
}

fn of_entry(
    agent: &Agent,
    event: &str,
    group: Option<&Value>,
    handler: &Value,
    read_line: ReadLine<'_>,
) -> Vec<String> {
    let fields = ["command", "bash"].into_iter().filter_map(|field| handler.get(field)?.as_str());
    let Some(command) = fields.into_iter().find(|command| is_this_command(command)) else { return Vec::new() };
    let mut faults = Vec::new();
    if let Some(other) = agent_of(command).filter(|other| other != agent.name) {
        faults.push(format!(
            "`--agent {other}` is not {}, so its answers are not understood; install it again",
            agent.name
        ));
    }
    if !is_alone(command) {
        faults.push(format!("`{command}` does more than run hookweave, so its answer may be lost; install it again"));
    }
    let either = |field: &str| group.and_then(|group| group.get(field)).or_else(|| handler.get(field));
    if let Some(matcher) = either("matcher").and_then(Value::as_str).filter(|text| !matches!(*text, "" | "*" | ".*")) {
        faults.push(format!("the matcher `{matcher}` leaves other calls unguarded; take it out"));
    }
    if let Some(condition) = either("if").and_then(Value::as_str) {
        faults.push(format!("`if` lets it run for `{condition}` alone; take it out"));
    }
    if either("async").and_then(Value::as_bool) == Some(true) {
        faults.push("`async` is true, so the agent does not wait for its answer; take it out".to_owned());
    }
    let seconds = |limit: f64| match system(agent.name) {
        Some(system) => system.seconds(limit),
        None if agent.name == "gemini-cli" => limit * 0.001,
        None => limit,
    };
    let timeout = ["timeout", "timeoutSec"].into_iter().find_map(|field| Some((field, handler.get(field)?.as_f64()?)));
    if let Some((field, limit)) = timeout.filter(|(_, limit)| seconds(*limit) < LEAST_SECONDS) {
        faults.push(format!("`{field}` is {limit}, too short for an answer; take it out"));
    }
    faults.extend(misleading(handler.get("env")));
    if let Some(folder) = handler.get("cwd") {
        faults.push(format!("`cwd` is {folder}, so the policy of that folder may decide; take it out"));
    }
    faults.extend(fails_open(agent, event, handler));
    let Some(said) = read_line(command) else { return faults };
    faults.extend(said.weakened);
    if let Some(option) = said.lacks.filter(|_| agent.gate(event).is_some()) {
        faults.push(format!("`{option}` is missing, so every call passes once the policy is gone; install it again"));
    }
    if let Some(limit) = said.longest.map(|limit| limit.as_secs_f64()).filter(|limit| *limit < LEAST_DEADLINE) {
        faults.push(format!(
            "`--deadline {limit}` is too short to decide within, so hookweave refuses calls that the policy lets pass; take it out"
        ));
    }
    // Whoever is ended by the agent has refused nothing.
    let refuses = handler.get("onFailure").and_then(Value::as_str) == Some("block")
        || handler.get("failClosed").and_then(Value::as_bool) == Some(true);
    let ended = timeout.filter(|(_, limit)| !refuses && seconds(*limit) >= LEAST_SECONDS).zip(said.longest);
    if let Some(((field, limit), longest)) = ended.filter(|((_, limit), own)| own.as_secs_f64() >= seconds(*limit)) {
        faults.push(format!(
            "`{field}` is {limit}, and hookweave may take {} s: the agent may end it before it answers, which refuses \
             nothing; take it out, or add `--deadline {}`",
            longest.as_secs(),
            seconds(limit) * 0.9
        ));
    }
    faults
}

/// The keys by which an installed entry refuses where the command fails, if they say something else.
fn fails_open(agent: &Agent, event: &str, handler: &Value) -> Vec<String> {
    let installed = agent.entry(event, "", None);
    let is_closing = |key: &str| {
        matches!(key, "onFailure" | "failClosed")
            || system(agent.name)
                .and_then(|system| system.entries.fails_closed)
                .is_some_and(|(closed, _)| closed == key)
    };
    let keys = installed.as_object().into_iter().flatten().filter(|(key, _)| is_closing(key));
    let wrong = keys.filter(|(key, wanted)| handler.get(*key) != Some(wanted));
    let what = |(key, wanted): (&String, &Value)| {
        format!("`{key}` is not {wanted}, so calls pass where hookweave cannot start or is ended; install it again")
    };
    wrong.map(what).collect()
}
