//! Which hooks apply when an agent runs `hookweave hook`: those that its command lines select, on the events that it asks
//! about.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hookweave_host::dialects::named;
use hookweave_host::registry::HookInfo;

use crate::agents::Agent;
use crate::commands::hook::Hook;
use crate::delegates;
use crate::failed::{Failed, Result};
use crate::policy::{Which, relative};
use crate::screen::count;

/// One entry of an agent's settings that runs hookweave: the event by the agent's name, and the command line.
pub(crate) type Entry = (String, String);

/// The hooks that apply to an agent.
#[derive(Debug, Default)]
pub(crate) struct Applies {
    /// How many by event.
    events: BTreeMap<String, usize>,
    /// How many never run, because the agent does not ask about their event.
    unasked: BTreeMap<String, usize>,
    files: BTreeSet<PathBuf>,
    /// How many wait for an approval.
    pub(crate) waiting: usize,
}

impl Applies {
    /// Those of a project, by what the agent's entries select. Approvals are those of a store, unless an entry names one.
    pub(crate) fn of(agent: &Agent, entries: &[Entry], project: &Path, store: Option<&PathBuf>) -> Result<Self> {
        let dialect = named(agent.name)?;
        let mut applies = Self::default();
        let lines: BTreeSet<&str> = entries.iter().map(|(_, line)| line.as_str()).collect();
        for line in lines {
            let mut which = Hook::asked_by(line, project)
                .ok_or_else(|| Failed::new(format!("`{line}` is no command line of hookweave; install it again")))?;
            which.trust_store = which.trust_store.or_else(|| store.cloned());
            let of_line = entries.iter().filter(|(_, other)| other == line);
            let asked: BTreeSet<&str> =
                of_line.filter_map(|(event, _)| dialect.place(event, None)?.ok().map(|place| place.event)).collect();
            applies.add(&which, &asked)?;
        }
        Ok(applies)
    }

    fn add(&mut self, which: &Which, asked: &BTreeSet<&str>) -> Result<()> {
        let (policy, _) = delegates::load(&which.to_look_at())?;
        // What guards the policy alone is no policy.
        let is_declared = |hook: &&HookInfo| hook.enabled && hook.origin.is_some();
        for hook in policy.registry.list().iter().filter(is_declared) {
            let is_asked = asked.contains(hook.event.as_str());
            let events = if is_asked { &mut self.events } else { &mut self.unasked };
            *events.entry(hook.event.clone()).or_default() += 1;
            let places = hook.origin.iter().filter(|_| is_asked).flat_map(|origin| origin.places());
            self.files.extend(places.map(|origin| origin.file.clone()));
        }
        self.waiting += policy.report.untrusted.len();
        Ok(())
    }

    /// Whether none does.
    pub(crate) fn is_none(&self) -> bool {
        self.events.is_empty()
    }

    /// Which apply, and from which files: `3 hooks apply: PreToolUse 2, SessionStart 1 (hookweave.toml)`.
    pub(crate) fn text(&self, below: &Path) -> String {
        let files: Vec<String> = self.files.iter().map(|file| relative(file, below)).collect();
        let number = self.events.values().sum();
        let verb = if number == 1 { "applies" } else { "apply" };
        format!("{} {verb}: {} ({})", count(number, "hook"), by_event(&self.events), files.join(", "))
    }

    /// How many hooks guard the gates that some events of the agent are, which its settings do not ask about.
    pub(crate) fn unguarded<'e>(&self, agent: &Agent, lost: &[&'e str]) -> Vec<(&'e str, usize)> {
        let on = |gate: &str| [&self.events, &self.unasked].iter().find_map(|events| events.get(gate).copied());
        lost.iter().filter_map(|event| Some((*event, on(agent.gate(event)?)?))).collect()
    }

    /// The hooks on events that the agent does not ask about, but for those of these gates.
    pub(crate) fn never(&self, told: &[&str]) -> Option<String> {
        let is_told = |event: &String| told.contains(&event.as_str());
        let unasked: BTreeMap<String, usize> =
            self.unasked.iter().filter(|(event, _)| !is_told(event)).map(|(event, n)| (event.clone(), *n)).collect();
        let number = unasked.values().sum();
        let verb = if number == 1 { "never runs" } else { "never run" };
        let why = "its settings do not ask hookweave about";
        (number > 0).then(|| format!("{} {verb}, because {why} {}", count(number, "hook"), by_event(&unasked)))
    }
}

fn by_event(events: &BTreeMap<String, usize>) -> String {
    events.iter().map(|(event, number)| format!("{event} {number}")).collect::<Vec<_>>().join(", ")
}
