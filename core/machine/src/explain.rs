//! Which hooks an event would run, and why not the others, without running anything.

use serde::Serialize;

use crate::event::EventSpec;
use crate::hook::{Enforcement, Scope};
use crate::index::{Reuse, Snapshot};
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
