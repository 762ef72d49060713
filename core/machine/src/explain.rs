//! Which hooks an event would run, and why not the others, without running anything.

use std::fmt;

use serde::Serialize;

use crate::event::EventSpec;
use crate::hook::{Enforcement, Scope};
use crate::index::{Reuse, Snapshot};
use crate::outcome::describe::{WIDEST, one_line};
use crate::payload::Host;

/// What a dispatch would do if every hook continued.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The event's canonical name.
    pub event: String,
    /// Whether a block would stop the action.
    pub gate: bool,
    /// Every hook of the event, in order.
    pub hooks: Vec<ExplainedHook>,
}

/// One hook, and whether an event would run it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ExplainedHook {
    /// The hook's name.
    pub hook: String,
    /// Its id.
    pub id: String,
    /// Whether it would run.
    pub matched: bool,
    /// Whether its `allow` would count.
    pub covers: bool,
    /// The stage in which it would run, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<usize>,
    /// Why it would not run; of one that runs, which of its rules or files it is for, or why its expression cannot be evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Lower runs earlier.
    pub priority: i32,
    /// Who loaded it.
    pub scope: Scope,
    /// Whether it is mandatory.
    pub mandatory: bool,
    /// Whether it would not be awaited.
    pub detached: bool,
    /// Whether what it decides would be acted on.
    pub enforcement: Enforcement,
}

/// As text for a person: what a terminal would obey is written out, long texts are cut.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.gate { "a gate" } else { "no gate" };
        write!(f, "{} ({kind}), if every hook continues:", self.event)?;
        if self.hooks.is_empty() {
            return f.write_str(" the event has no hooks");
        }
        let widest = self.hooks.iter().map(|hook| one_line(&hook.hook).chars().count()).max().unwrap_or(0).min(WIDEST);
        self.hooks.iter().try_for_each(|hook| {
            let line = format!("  {:widest$}  {}", one_line(&hook.hook), hook.words());
            write!(f, "\n{}", line.trim_end())
        })
    }
}

impl ExplainedHook {
    /// Whether it would run, when and as what, and why.
    fn words(&self) -> String {
        let mut words = vec![match self.stage {
            Some(stage) => format!("runs in stage {}", stage + 1),
            None => "does not run".to_owned(),
        }];
        let marks = [
            (self.mandatory, "mandatory"),
            (self.detached, "in the background"),
            (self.enforcement == Enforcement::Observe, "observes"),
            (self.matched && !self.covers && !self.detached, "its allow would not count"),
        ];
        words.extend(marks.iter().filter(|(is_so, _)| *is_so).map(|(_, mark)| (*mark).to_owned()));
        let why = self.why.as_deref().map_or_else(String::new, |why| format!(": {}", one_line(why)));
        format!("{}{why}", words.join(", "))
    }
}

/// Explains a payload against the hooks of a snapshot.
pub fn explain<'v, T, H: Host>(
    snapshot: &'v Snapshot<T>,
    host: &'v H,
    event: &'v EventSpec,
    payload: &H::View<'v>,
) -> Explanation {
    let mut explanation = Explanation { event: event.name().to_owned(), gate: event.gate(), hooks: Vec::new() };
    let Some(index) = snapshot.event(event.name()) else { return explanation };
    let planned = snapshot.plan(host, index, payload);
    debug_assert!(planned.reuse == Reuse::Never || !planned.plan.calls().iter().any(|call| call.entry().once()));
    let plan = planned.plan;
    let mut stages = Vec::with_capacity(plan.calls().len());
    let (mut at, mut stage) = (0, 0);
    while at < plan.calls().len() {
        let end = plan.stage_end(at);
        stages.extend((at..end).map(|_| stage));
        (at, stage) = (end, stage + 1);
    }
    let input = snapshot.match_input(host, event, payload.clone());
    for listed in index.hooks().filter(|listed| !listed.entry.is_spent()) {
        let entry = &listed.entry;
        let selected = plan.calls().iter().zip(&stages).find(|(call, _)| call.position() == entry.place());
        let why = match (selected, listed.enabled) {
            (Some(_), _) => entry.matcher().why(&input),
            (None, false) => Some("the hook is disabled".to_owned()),
            (None, true) => entry.matcher().why_not(&input),
        };
        explanation.hooks.push(ExplainedHook {
            hook: entry.name().to_string(),
            id: entry.id().to_string(),
            matched: selected.is_some(),
            covers: selected.is_some_and(|(call, _)| call.grants_all()),
            stage: selected.map(|(_, stage)| *stage),
            why,
            priority: entry.priority(),
            scope: entry.scope(),
            mandatory: entry.mandatory(),
            detached: entry.detached(),
            enforcement: entry.enforcement(),
        });
    }
    explanation
}
