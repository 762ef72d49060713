//! From an event to the hooks that are for it, without looking at those that are not.
//!
//! Event, then tool (remembered per tool name), then sets of patterns: the cost of a dispatch does not grow with hooks
//! that cannot match. A snapshot is made of the one before: lists are kept in pieces, and only the pieces in which a hook
//! came or went are made anew, with their sets.

mod pieces;
mod sets;

#[cfg(test)]
pub(crate) use sets::BUILT;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;
use rustc_hash::FxHashMap;

use crate::entry::{Entry, Listed, Place};
use crate::error::{Code, Error};
use crate::event::{BUILT_IN, Catalogue, EventSpec, place_of};
use crate::match_input::{MadeBy, MatchInput};
use crate::matcher::MatchResult;
use crate::options::{Mode, Options};
use crate::payload::Host;
use crate::tool::{Need, Tools};

use pieces::{Pieces, Placed};
use sets::Calls;

/// How many tool names an event remembers; hostile payloads could name new ones without end.
const MAX_REMEMBERED_TOOLS: usize = 1024;

/// How many times a new snapshot may sort a hook in for a remembered tool, while the registry is locked. Beyond, tools are
/// looked at again when they come.
const MAX_CARRIED: usize = 4096;

/// A hook that an event selected.
#[derive(Debug)]
pub struct Call<T> {
    entry: Arc<Entry<T>>,
    grants_all: bool,
}

impl<T> Clone for Call<T> {
    fn clone(&self) -> Self {
        Self { entry: Arc::clone(&self.entry), grants_all: self.grants_all }
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
    pub(crate) fn position(&self) -> Place {
        self.entry.place()
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
    built_in: Box<[OnceLock<Arc<EventIndex<T>>>]>,
    /// The client's own events.
    own: FxHashMap<String, Arc<EventIndex<T>>>,
    catalogue: Catalogue,
}

/// A hook that came, went or was switched.
pub(crate) struct IndexChange<T> {
    /// Its event.
    pub(crate) event: Arc<EventSpec>,
    /// Its place.
    pub(crate) place: Place,
    /// What is there now.
    pub(crate) now: Option<Listed<T>>,
}

impl<T> IndexChange<T> {
    /// What is now at the place of a hook.
    pub(crate) fn of(entry: &Entry<T>, now: Option<Listed<T>>) -> Self {
        Self { event: Arc::clone(entry.event()), place: entry.place(), now }
    }
}

impl<T> Placed for Listed<T> {
    fn place(&self) -> Place {
        self.entry.place()
    }
}

/// The hooks of one event.
#[derive(Debug)]
pub struct EventIndex<T> {
    spec: Arc<EventSpec>,
    hooks: Pieces<Listed<T>>,
    /// How many of them depend on the tool.
    on_tool: usize,
    /// For payloads without a tool, and for all if no hook depends on it.
    any_tool: OnceLock<Arc<ToolIndex<T>>>,
    by_tool: ArcSwap<FxHashMap<String, Arc<ToolIndex<T>>>>,
}

/// The hooks of one event and one tool.
#[derive(Debug)]
struct ToolIndex<T> {
    calls: Calls<T>,
    /// How many of them depend on more than the tool.
    open: usize,
    /// How many of them look at what tools cannot do without, by [`Need::ALL`].
    reading: [usize; 3],
    /// A payload of the tool was looked at.
    checked: AtomicBool,
    /// The plan, when there is none of them.
    fixed: OnceLock<Arc<Plan<T>>>,
}

impl<T> Clone for ToolIndex<T> {
    fn clone(&self) -> Self {
        Self {
            calls: self.calls.clone(),
            open: self.open,
            reading: self.reading,
            checked: AtomicBool::new(self.checked.load(Ordering::Relaxed)),
            fixed: OnceLock::new(),
        }
    }
}

impl<T> Snapshot<T> {
    /// A tool by every name that the host gives it.
    pub(crate) fn names_of<'n>(&'n self, tool: &'n str) -> Vec<&'n str> {
        let further = self.tools.get(tool).map_or(&[][..], |tool| &tool.same_as);
        std::iter::once(tool).chain(further.iter().map(String::as_str)).collect()
    }

    /// Whether a hook has to be for all that a tool does before its `allow` counts.
    fn is_several(&self, names: &[&str]) -> bool {
        names.first().and_then(|own| self.tools.get(own)).is_some_and(|tool| tool.is_several)
    }

    /// One without hooks.
    pub(crate) fn new(options: Arc<Options>, catalogue: &Catalogue, tools: Tools) -> Self {
        let built_in = BUILT_IN.iter().map(|_| OnceLock::new()).collect();
        let own = catalogue.own().map(|(name, spec)| (name.clone(), Arc::new(EventIndex::new(Arc::clone(spec)))));
        Self { options, tools, built_in, own: own.collect(), catalogue: catalogue.clone() }
    }

    /// The one that follows when hooks have changed: it shares what they do not concern.
    pub(crate) fn with(&self, catalogue: &Catalogue, changes: impl IntoIterator<Item = IndexChange<T>>) -> Self {
        let mut next = Self {
            options: Arc::clone(&self.options),
            tools: self.tools.clone(),
            built_in: self.built_in.clone(),
            own: self.own.clone(),
            catalogue: catalogue.clone(),
        };
        let mut by_event: FxHashMap<String, Vec<IndexChange<T>>> = FxHashMap::default();
        for change in changes {
            match by_event.get_mut(change.event.name()) {
                Some(changes) => changes.push(change),
                None => _ = by_event.insert(change.event.name().to_owned(), vec![change]),
            }
        }
        for (name, changes) in by_event {
            let Some(spec) = changes.first().map(|change| &change.event) else { continue };
            let new = || EventIndex::new(Arc::clone(spec));
            if let Some(slot) = place_of(&name).and_then(|place| next.built_in.get_mut(place)) {
                let event = slot.get().map_or_else(|| new().with(&changes, self), |event| event.with(&changes, self));
                *slot = OnceLock::from(Arc::new(event));
            } else {
                let known = next.own.get(&name);
                let event = known.map_or_else(|| new().with(&changes, self), |event| event.with(&changes, self));
                next.own.insert(name, Arc::new(event));
            }
        }
        next
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
        let Some(place) = place_of(name) else { return self.own.get(name).map(|event| &**event) };
        let spec = self.catalogue.built_in(place)?;
        Some(self.built_in.get(place)?.get_or_init(|| Arc::new(EventIndex::new(Arc::clone(spec)))))
    }

    /// The event of this name or alias, also without hooks.
    pub fn resolve(&self, name: &str) -> Result<Arc<EventSpec>, Error> {
        match self.event(name) {
            Some(event) => Ok(Arc::clone(&event.spec)),
            None => self.catalogue.resolve(name),
        }
    }

    /// The hooks of a dispatch; refuses the payload of a gate that lacks what they look at.
    ///
    /// What a payload has is looked at with the first one of each tool. Arguments and a command line are looked for in each
    /// one of which a hook asks for more than the tool, since they are looked up anyway.
    pub fn plan_dispatch<'v, H: Host>(
        &'v self,
        host: &'v H,
        event: &'v EventIndex<T>,
        payload: &H::View<'v>,
    ) -> Result<Planned<T>, Error> {
        let (index, reuse) = self.tool_index(host, event, payload);
        if !index.checked.load(Ordering::Relaxed) && event.has_hooks() {
            self.check(host, event, payload)?;
            index.checked.store(true, Ordering::Relaxed);
        }
        if let Some(plan) = index.fixed(self.options.mode) {
            return Ok(Planned { plan: Arc::clone(plan), reuse });
        }
        let input = self.match_input(host, &event.spec, payload.clone());
        if input.lacks_args() {
            event.spec.check_fields(host, payload)?;
        }
        match index.needs().find_map(|need| input.lacks(need, MadeBy::Host)) {
            Some(why) => Err(Error::new(Code::InvalidPayload, why)),
            None => Ok(self.plan_open(&index, &input)),
        }
    }

    /// Why a call that hooks have changed lacks what hooks look at.
    pub(crate) fn lacks_after_change<H: Host>(
        &self,
        host: &H,
        event: &EventSpec,
        payload: &H::Value,
    ) -> Option<String> {
        let (index, payload) = (self.event(event.name())?, host.view(payload));
        let (tool, _) = self.tool_index(host, index, &payload);
        let input = self.match_input(host, event, payload);
        tool.needs().find_map(|need| input.lacks(need, MadeBy::Hooks))
    }

    /// The hooks that a payload selects.
    pub fn plan<'v, H: Host>(&'v self, host: &'v H, event: &'v EventIndex<T>, payload: &H::View<'v>) -> Planned<T> {
        let (index, reuse) = self.tool_index(host, event, payload);
        match index.fixed(self.options.mode) {
            Some(plan) => Planned { plan: Arc::clone(plan), reuse },
            None => self.plan_open(&index, &self.match_input(host, &event.spec, payload.clone())),
        }
    }

    /// The hooks for a payload's tool, and how long a plan of them holds that nothing else decides.
    fn tool_index<'v, H: Host>(
        &'v self,
        host: &'v H,
        event: &'v EventIndex<T>,
        payload: &H::View<'v>,
    ) -> (Arc<ToolIndex<T>>, Reuse) {
        if event.on_tool == 0 && !event.spec.gates_tools() {
            return (Arc::clone(event.without_tool(self)), Reuse::Event);
        }
        let named = host.field(payload, "tool").and_then(|tool| host.text(&tool, |name| event.remembered(name, self)));
        (named.unwrap_or_else(|| Arc::clone(event.without_tool(self))), Reuse::Tool)
    }

    /// Looks at the first payload of a tool; a tool that no hook is for although it may do what hooks are for is noted.
    #[cold]
    fn check<'v, H: Host>(&self, host: &'v H, event: &EventIndex<T>, payload: &H::View<'v>) -> Result<(), Error> {
        event.spec.check_fields(host, payload)?;
        let tool = host.field(payload, "tool").and_then(|tool| host.text(&tool, str::to_owned));
        if tool.is_some_and(|tool| event.overlooks(&tool, self)) {
            event.spec.tally().look_soon();
        }
        Ok(())
    }

    fn plan_open<H: Host>(&self, index: &ToolIndex<T>, input: &MatchInput<'_, H>) -> Planned<T> {
        let calls = index
            .calls
            .candidates(input)
            .into_iter()
            .filter_map(|call| {
                if call.entry.is_spent() {
                    return None;
                }
                let verdict = call.entry.matcher().judge_rest(input);
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
            hooks: Pieces::default(),
            on_tool: 0,
            any_tool: OnceLock::new(),
            by_tool: ArcSwap::from_pointee(FxHashMap::default()),
        }
    }

    /// The one that follows when hooks of the event have changed.
    fn with(&self, changes: &[IndexChange<T>], snapshot: &Snapshot<T>) -> Self {
        let mut hooks = self.hooks.clone();
        let mut on_tool = self.on_tool;
        let mut any_tool = self.any_tool.get().cloned();
        let mut by_tool = (**self.by_tool.load()).clone();
        if by_tool.len().saturating_mul(changes.len()) > MAX_CARRIED {
            by_tool.clear();
        }
        let depends = |listed: &Listed<T>| usize::from(listed.entry.matcher().depends_on_tool());
        for IndexChange { place, now, .. } in changes {
            let before = hooks.remove(*place);
            for (tool, index) in by_tool
                .iter_mut()
                .map(|(tool, index)| (Some(tool.as_str()), index))
                .chain(any_tool.as_mut().map(|index| (None, index)))
            {
                let call = now
                    .as_ref()
                    .and_then(|now| Call::of(now, tool.map(|tool| snapshot.names_of(tool)).as_deref(), snapshot));
                ToolIndex::change(index, before.as_ref().map(|before| &*before.entry), call);
            }
            on_tool -= before.as_ref().map_or(0, depends);
            if let Some(now) = now {
                on_tool += depends(now);
                hooks.insert(now.clone());
            }
        }
        Self {
            spec: Arc::clone(&self.spec),
            hooks,
            on_tool,
            any_tool: any_tool.map_or_else(OnceLock::new, OnceLock::from),
            by_tool: ArcSwap::from_pointee(by_tool),
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

    /// Its hooks, in order.
    pub(crate) fn hooks(&self) -> impl Iterator<Item = &Listed<T>> {
        self.hooks.iter()
    }

    /// Tools that the event was lately dispatched for, in the order of their names.
    pub(crate) fn tools_seen(&self) -> Vec<String> {
        let mut tools: Vec<String> = self.by_tool.load().keys().cloned().collect();
        tools.sort_unstable();
        tools
    }

    /// Whether a tool is none that the engine knows, and no hook names it, while hooks are there for other tools.
    pub(crate) fn overlooks(&self, tool: &str, snapshot: &Snapshot<T>) -> bool {
        let names = [tool];
        let named = |listed: &Listed<T>| listed.enabled && listed.entry.matcher().names_tool(&names);
        self.on_tool > 0 && !snapshot.tools.knows(tool) && !self.hooks().any(named)
    }

    /// The first hook that is for some tools only.
    pub(crate) fn first_on_tool(&self) -> Option<&Listed<T>> {
        self.hooks().find(|listed| listed.enabled && listed.entry.matcher().depends_on_tool())
    }

    /// The index for payloads without a tool, made once.
    fn without_tool(&self, snapshot: &Snapshot<T>) -> &Arc<ToolIndex<T>> {
        // No thread waits for another one that makes it: in a forked child that thread would not exist.
        self.any_tool.get().unwrap_or_else(|| {
            let index = Arc::new(self.index_tool(None, snapshot));
            self.any_tool.get_or_init(|| index)
        })
    }

    /// The index for a tool, made once.
    fn remembered(&self, tool: &str, snapshot: &Snapshot<T>) -> Arc<ToolIndex<T>> {
        if let Some(index) = self.by_tool.load().get(tool) {
            return Arc::clone(index);
        }
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
        let names = tool.map(|tool| snapshot.names_of(tool));
        let mut index = ToolIndex {
            calls: Calls::default(),
            open: 0,
            reading: [0; 3],
            checked: AtomicBool::new(false),
            fixed: OnceLock::new(),
        };
        for call in self.hooks().filter_map(|listed| Call::of(listed, names.as_deref(), snapshot)) {
            index.insert(call);
        }
        index
    }
}

impl<T> Call<T> {
    /// The hook, if it is switched on and a tool of these names may select it.
    fn of(listed: &Listed<T>, names: Option<&[&str]>, snapshot: &Snapshot<T>) -> Option<Self> {
        let matcher = listed.entry.matcher();
        let own = names.and_then(|names| names.first());
        if !listed.enabled || !matcher.rule_speaks_of(names, own.and_then(|own| snapshot.tools.likeness(own))) {
            return None;
        }
        let MatchResult { selects, mut grants_all } = matcher.judge_tool(names);
        if let Some([own, _, ..]) = names.filter(|names| snapshot.is_several(names)) {
            grants_all &= matcher.judge_tool(Some(&[own])).grants_all;
        }
        let grants_all = grants_all && snapshot.options.profile.grants;
        selects.then(|| Self { entry: Arc::clone(&listed.entry), grants_all })
    }

    /// Whether more than the tool decides if it runs.
    fn is_open(&self) -> bool {
        is_open(&self.entry)
    }
}

/// Whether more than the tool decides if a hook runs.
fn is_open<T>(entry: &Entry<T>) -> bool {
    entry.matcher().tests_more_than_tool() || entry.once()
}

impl<T> ToolIndex<T> {
    fn insert(&mut self, call: Call<T>) {
        self.open += usize::from(call.is_open());
        for (reading, need) in self.reading.iter_mut().zip(Need::ALL) {
            *reading += usize::from(call.entry.matcher().reads(need));
        }
        self.calls.insert(call);
    }

    /// Puts a hook in place of the one before, in a copy if another snapshot has the index too.
    fn change(this: &mut Arc<Self>, before: Option<&Entry<T>>, now: Option<Call<T>>) {
        let before = before.filter(|entry| this.calls.has(entry.matcher(), entry.place()));
        if before.is_none() && now.is_none() {
            return;
        }
        let index = Arc::make_mut(this);
        index.fixed = OnceLock::new();
        if let Some(entry) = before {
            index.open -= usize::from(is_open(entry));
            for (reading, need) in index.reading.iter_mut().zip(Need::ALL) {
                *reading -= usize::from(entry.matcher().reads(need));
            }
            index.calls.remove(entry.matcher(), entry.place());
        }
        if let Some(call) = now {
            index.insert(call);
        }
    }

    /// What its hooks ask for.
    fn needs(&self) -> impl Iterator<Item = Need> {
        Need::ALL.into_iter().zip(self.reading).filter(|(_, reading)| *reading > 0).map(|(need, _)| need)
    }

    /// The plan, when nothing beside the tool decides.
    fn fixed(&self, mode: Mode) -> Option<&Arc<Plan<T>>> {
        if self.open > 0 {
            return None;
        }
        if let Some(plan) = self.fixed.get() {
            return Some(plan);
        }
        let plan = Arc::new(Plan::new(self.calls.rest().cloned().collect(), mode));
        // No thread waits for another one that makes it: in a forked child that thread would not exist.
        Some(self.fixed.get_or_init(|| plan))
    }
}
