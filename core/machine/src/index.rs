//! From an event to the hooks that are for it, without looking at those that are not.
//!
//! Event, then tool (remembered per tool name), then sets of patterns: the cost of a dispatch does not grow with hooks
//! that cannot match.

mod sets;

use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;
use rustc_hash::FxHashMap;

use crate::entry::{Entry, Listed};
use crate::error::Error;
use crate::event::{BUILT_IN, Catalogue, EventSpec, place_of};
use crate::match_input::MatchInput;
use crate::matcher::MatchResult;
use crate::options::{Mode, Options};
use crate::payload::Host;
use crate::tool::Tools;

use sets::PatternSets;

/// How many tool names an event remembers; hostile payloads could name new ones without end.
const MAX_REMEMBERED_TOOLS: usize = 1024;

/// A hook that an event selected.
#[derive(Debug)]
pub struct Call<T> {
    entry: Arc<Entry<T>>,
    grants_all: bool,
    position: usize,
}

impl<T> Clone for Call<T> {
    fn clone(&self) -> Self {
        Self { entry: Arc::clone(&self.entry), grants_all: self.grants_all, position: self.position }
    }
}

impl<T> Call<T> {
    /// The hook.
    pub const fn entry(&self) -> &Arc<Entry<T>> {
        &self.entry
    }

    /// Whether its `allow` counts for everything that the event names.
    pub const fn grants_all(&self) -> bool {
        self.grants_all
    }

    /// Its place among all hooks of the event.
    pub(crate) const fn position(&self) -> usize {
        self.position
    }
}

/// The hooks that run for an event, in order.
#[derive(Debug)]
pub struct Plan<T> {
    calls: Vec<Call<T>>,
    mode: Mode,
    plain: bool,
    in_turn: bool,
}

impl<T> Plan<T> {
    pub(crate) fn new(calls: Vec<Call<T>>, mode: Mode) -> Self {
        let plain = !calls.iter().any(|call| call.entry.once());
        let grouped = || calls.windows(2).any(|pair| matches!(pair, [a, b] if a.entry.runs_with(&b.entry)));
        let in_turn = mode == Mode::Sequential && !grouped();
        Self { calls, mode, plain, in_turn }
    }

    /// No hooks: an event without registrations, or a client that is switched off.
    #[must_use]
    pub const fn empty(mode: Mode) -> Self {
        Self { calls: Vec::new(), mode, plain: true, in_turn: true }
    }

    /// The hooks, in order.
    pub fn calls(&self) -> &[Call<T>] {
        &self.calls
    }

    /// How the hooks run.
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether no hook needs to be claimed before it runs.
    pub const fn is_plain(&self) -> bool {
        self.plain
    }

    /// Whether every hook is a stage of its own.
    pub const fn is_in_turn(&self) -> bool {
        self.in_turn
    }

    /// Where the stage that begins at an index ends.
    pub fn stage_end(&self, at: usize) -> usize {
        if self.in_turn {
            return (at + 1).min(self.calls.len());
        }
        let Some(first) = self.calls.get(at) else { return at };
        let following = self.calls.iter().skip(at + 1);
        at + 1 + following.take_while(|call| self.is_together(&first.entry, &call.entry)).count()
    }

    /// Whether a hook runs in the stage of an earlier one that it follows.
    pub(crate) fn is_together(&self, first: &Entry<T>, later: &Entry<T>) -> bool {
        match self.mode {
            Mode::Parallel => first.priority() == later.priority(),
            Mode::Concurrent => true,
            Mode::Sequential => first.runs_with(later),
        }
    }
}

/// For which other payloads a plan holds too, as long as the hooks do not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reuse {
    /// Every payload of the event.
    Event,
    /// Every payload of the event with the same tool.
    Tool,
    /// This payload only.
    Never,
}

/// A plan and how long it holds.
#[derive(Debug)]
pub struct Planned<T> {
    /// The plan.
    pub plan: Arc<Plan<T>>,
    /// For which other payloads it holds.
    pub reuse: Reuse,
}

/// The hooks of one client at one moment.
#[derive(Debug)]
pub struct Snapshot<T> {
    options: Arc<Options>,
    tools: Tools,
    /// The engine's events at their places, each made when it is first asked for: a client has to do with a few of them.
    built_in: Box<[OnceLock<Box<EventIndex<T>>>]>,
    /// The client's own events.
    own: FxHashMap<String, EventIndex<T>>,
    catalogue: Catalogue,
}

/// The hooks of one event.
#[derive(Debug)]
pub struct EventIndex<T> {
    spec: Arc<EventSpec>,
    hooks: Vec<Listed<T>>,
    tests_tool: bool,
    any_tool: OnceLock<ToolIndex<T>>,
    by_tool: ArcSwap<FxHashMap<String, Arc<ToolIndex<T>>>>,
}

/// The hooks of one event and one tool.
#[derive(Debug)]
struct ToolIndex<T> {
    calls: Vec<Call<T>>,
    /// The plan, when nothing beside the tool decides.
    fixed: Option<Arc<Plan<T>>>,
    sets: PatternSets,
}

impl<T> Snapshot<T> {
    /// A tool by every name that the host gives it.
    pub(crate) fn names_of<'n>(&'n self, tool: &'n str) -> Vec<&'n str> {
        let further = self.tools.get(tool).map_or(&[][..], |tool| &tool.same_as);
        std::iter::once(tool).chain(further.iter().map(String::as_str)).collect()
    }

    pub(crate) fn new(options: Arc<Options>, catalogue: &Catalogue, tools: Tools, hooks: Vec<Listed<T>>) -> Self {
        let mut built_in: Box<[OnceLock<Box<EventIndex<T>>>]> = BUILT_IN.iter().map(|_| OnceLock::new()).collect();
        let own = catalogue.own().map(|(name, spec)| (name.clone(), EventIndex::new(Arc::clone(spec))));
        let mut own: FxHashMap<String, EventIndex<T>> = own.collect();
        for listed in hooks.into_iter().filter(|listed| !listed.entry.is_spent()) {
            let spec = listed.entry.event();
            let event = match place_of(spec.name()).and_then(|place| built_in.get_mut(place)) {
                Some(slot) => {
                    slot.get_or_init(|| Box::new(EventIndex::new(Arc::clone(spec))));
                    slot.get_mut().map(|event| &mut **event)
                }
                None => own.get_mut(spec.name()),
            };
            if let Some(event) = event {
                event.tests_tool |= listed.entry.matcher().tests_tool();
                event.hooks.push(listed);
            }
        }
        Self { options, tools, built_in, own, catalogue: catalogue.clone() }
    }

    /// The settings.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// What matchers read of an event of this client's.
    pub(crate) fn match_input<'v, H: Host>(
        &'v self,
        host: &'v H,
        event: &'v EventSpec,
        payload: H::View<'v>,
    ) -> MatchInput<'v, H> {
        let options = self.options();
        MatchInput::new(host, event, payload, self.tools(), &options.directory).with_sessions(&options.sessions)
    }

    /// Whether the profile refuses the event of this name when no hook is registered for it.
    pub fn wants_guarded(&self, name: &str) -> bool {
        self.options.profile.guarded.contains(&name)
    }

    pub(crate) const fn tools(&self) -> &Tools {
        &self.tools
    }

    /// The hooks of the event with this name or alias; `None` when it never had a hook.
    pub fn event(&self, name: &str) -> Option<&EventIndex<T>> {
        let Some(place) = place_of(name) else { return self.own.get(name) };
        let spec = self.catalogue.built_in(place)?;
        Some(self.built_in.get(place)?.get_or_init(|| Box::new(EventIndex::new(Arc::clone(spec)))))
    }

    /// The event of this name or alias, also without hooks.
    pub fn resolve(&self, name: &str) -> Result<Arc<EventSpec>, Error> {
        match self.event(name) {
            Some(event) => Ok(Arc::clone(&event.spec)),
            None => self.catalogue.resolve(name),
        }
    }

    /// The hooks that a payload selects.
    pub fn plan<'v, H: Host>(&'v self, host: &'v H, event: &'v EventIndex<T>, payload: &H::View<'v>) -> Planned<T> {
        if !event.tests_tool {
            if event.any_tool.get().is_none() {
                // Not while the index is made: looking at a payload may run the host's code, which may dispatch this event.
                event.spec.check_field_names(host, payload);
            }
            let index = event.any_tool.get_or_init(|| event.index_tool(None, self));
            return match &index.fixed {
                Some(plan) => Planned { plan: Arc::clone(plan), reuse: Reuse::Event },
                None => self.plan_rest(host, event, index, payload),
            };
        }
        let index = host
            .field(payload, "tool")
            .and_then(|tool| {
                let new = || event.spec.check_field_names(host, payload);
                host.text(&tool, |name| event.remembered(name, self, new))
            })
            .unwrap_or_else(|| {
                event.spec.check_field_names(host, payload);
                Arc::new(event.index_tool(None, self))
            });
        match &index.fixed {
            Some(plan) => Planned { plan: Arc::clone(plan), reuse: Reuse::Tool },
            None => self.plan_rest(host, event, &index, payload),
        }
    }

    fn plan_rest<'v, H: Host>(
        &'v self,
        host: &'v H,
        event: &'v EventIndex<T>,
        index: &ToolIndex<T>,
        payload: &H::View<'v>,
    ) -> Planned<T> {
        let input = self.match_input(host, &event.spec, payload.clone());
        let calls = index
            .sets
            .candidates(&input, index.calls.len())
            .filter_map(|candidate| {
                let call = index.calls.get(candidate)?;
                if call.entry.is_spent() {
                    return None;
                }
                let verdict = call.entry.matcher().judge_rest(&input);
                verdict.selects.then(|| Call { grants_all: call.grants_all && verdict.grants_all, ..call.clone() })
            })
            .collect();
        Planned { plan: Arc::new(Plan::new(calls, self.options.mode)), reuse: Reuse::Never }
    }
}

impl<T> EventIndex<T> {
    fn new(spec: Arc<EventSpec>) -> Self {
        Self {
            spec,
            hooks: Vec::new(),
            tests_tool: false,
            any_tool: OnceLock::new(),
            by_tool: ArcSwap::from_pointee(FxHashMap::default()),
        }
    }

    /// What the engine knows of the event.
    pub const fn spec(&self) -> &Arc<EventSpec> {
        &self.spec
    }

    /// Whether there is a hook for the event that is switched on.
    pub(crate) fn has_hooks(&self) -> bool {
        self.hooks.iter().any(|listed| listed.enabled && !listed.entry.is_spent())
    }

    pub(crate) fn hooks(&self) -> &[Listed<T>] {
        &self.hooks
    }

    /// Tools that the event was lately dispatched for, in the order of their names.
    pub(crate) fn tools_seen(&self) -> Vec<String> {
        let mut tools: Vec<String> = self.by_tool.load().keys().cloned().collect();
        tools.sort_unstable();
        tools
    }

    /// The index for a tool, made once; `new` is called then.
    fn remembered(&self, tool: &str, snapshot: &Snapshot<T>, new: impl Fn()) -> Arc<ToolIndex<T>> {
        if let Some(index) = self.by_tool.load().get(tool) {
            return Arc::clone(index);
        }
        new();
        let index = Arc::new(self.index_tool(Some(tool), snapshot));
        self.by_tool.rcu(|known| {
            let mut known = if known.len() < MAX_REMEMBERED_TOOLS { (**known).clone() } else { FxHashMap::default() };
            known.insert(tool.to_owned(), Arc::clone(&index));
            known
        });
        index
    }

    /// Judges the tool conditions of every hook and sorts out what else has to be asked.
    fn index_tool(&self, tool: Option<&str>, snapshot: &Snapshot<T>) -> ToolIndex<T> {
        let names: Option<Vec<&str>> = tool.map(|tool| snapshot.names_of(tool));
        let mut calls = Vec::new();
        for (position, listed) in self.hooks.iter().enumerate().filter(|(_, listed)| listed.enabled) {
            let MatchResult { selects, grants_all } = listed.entry.matcher().judge_tool(names.as_deref());
            if selects {
                let grants_all = grants_all && snapshot.options.profile.grants;
                calls.push(Call { entry: Arc::clone(&listed.entry), grants_all, position });
            }
        }
        let open = calls.iter().any(|call| call.entry.matcher().tests_more_than_tool() || call.entry.once());
        let sets = if open { PatternSets::new(&calls) } else { PatternSets::default() };
        let fixed = (!open).then(|| Arc::new(Plan::new(calls.clone(), snapshot.options.mode)));
        ToolIndex { calls, fixed, sets }
    }
}
