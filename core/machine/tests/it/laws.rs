//! Laws of the fold, for every list of hooks over a small set of behaviours: two or three hooks, in `make test-all` four.
//!
//! A law is stated about what hooks were shown, what they said and what the dispatch came to; none asks the fold.

#![allow(clippy::indexing_slicing, reason = "a test ends where something is not as it should be")]

use std::collections::HashMap;
use std::sync::Arc;

use hookweave_machine::action::Action;
use hookweave_machine::dispatch::{FailureKind, HandlerResult, HookFailure, Report, Step, begin};
use hookweave_machine::hook::{Enforcement, FailBehavior, HookSpec};
use hookweave_machine::index::Snapshot;
use hookweave_machine::json::Json;
use hookweave_machine::options::Options;
use hookweave_machine::registry::Registry;
use serde_json::{Value, json};

/// The longest lists: every one of four takes minutes.
fn longest() -> usize {
    if std::env::var("HOOKWEAVE_TEST_ALL").is_ok_and(|all| all == "1") { 4 } else { 3 }
}

/// The command of the call as it comes.
const CAME: &str = "came";

/// What a hook does, each time that it is shown a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Does {
    Nothing,
    Allows,
    Asks,
    Retries,
    Blocks,
    Stops,
    Skips,
    /// Makes the command `a`.
    MakesA,
    /// Makes the command `b`.
    MakesB,
    /// Makes the command `a` and allows it.
    AllowsA,
    /// Blocks if the command is `a`.
    BlocksA,
    Fails,
    /// Answers with a refusal that cannot be read.
    MisspellsBlock,
    /// Only observes: blocks, and makes the command `a`.
    WouldBlock,
    WouldMakeA,
}

use Does::{
    Allows, AllowsA, Asks, Blocks, BlocksA, Fails, MakesA, MakesB, MisspellsBlock, Nothing, Retries, Skips, Stops,
    WouldBlock, WouldMakeA,
};

/// A hook: what it does, and whether it is mandatory and fails closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Hook {
    does: Does,
    guards: bool,
}

/// Every hook that the laws are held against.
fn hooks() -> Vec<Hook> {
    let either = [Nothing, Allows, Asks, Blocks, Stops, Skips, MakesA, MakesB, AllowsA, BlocksA, Fails];
    // A guard with these would be no other hook: what they say is read alike, whoever says it.
    let plain = [Retries, MisspellsBlock, WouldBlock, WouldMakeA];
    let guards = either.into_iter().map(|does| Hook { does, guards: true });
    either.into_iter().chain(plain).map(|does| Hook { does, guards: false }).chain(guards).collect()
}

impl Hook {
    const fn observes(self) -> bool {
        matches!(self.does, WouldBlock | WouldMakeA)
    }

    /// What it decides about a command, by the rules of its answer or its failure alone.
    fn decides(self, command: &str) -> Action {
        match self.does {
            Blocks | MisspellsBlock => Action::Block,
            BlocksA if command == "a" => Action::Block,
            Fails if self.guards => Action::Block,
            Stops => Action::Stop,
            Asks => Action::Ask,
            Allows | AllowsA => Action::Allow,
            Retries => Action::Retry,
            _ => Action::Continue,
        }
    }

    /// Whether no outcome depends on whether it is there: it says nothing, observes, or fails open.
    const fn is_inert(self) -> bool {
        matches!(self.does, Nothing | WouldBlock | WouldMakeA) || (matches!(self.does, Fails) && !self.guards)
    }

    /// Whether all that it can do is to refuse or to ask.
    const fn only_restricts(self) -> bool {
        matches!(self.does, Asks | Blocks | BlocksA | Stops | MisspellsBlock)
            || (matches!(self.does, Fails) && self.guards)
    }

    /// What it makes of a command.
    const fn makes(self, command: &str) -> &str {
        match self.does {
            MakesA | AllowsA => "a",
            MakesB => "b",
            _ => command,
        }
    }

    /// What it reports to the machine.
    fn report(self, command: &str) -> HandlerResult<Value> {
        let answer = match self.does {
            Nothing => return HandlerResult::Nothing,
            Fails => return HandlerResult::Failed(HookFailure::new(FailureKind::Raised, "it raised")),
            BlocksA if command != "a" => return HandlerResult::Nothing,
            Allows => json!({"action": "allow"}),
            Asks => json!({"action": "ask"}),
            Retries => json!({"action": "retry"}),
            Blocks | BlocksA | WouldBlock => json!({"action": "block", "reason": "no"}),
            Stops => json!({"action": "stop", "reason": "no"}),
            Skips => json!({"action": "skip"}),
            MakesA | WouldMakeA => json!({"modified": {"args": {"command": "a"}}}),
            MakesB => json!({"modified": {"args": {"command": "b"}}}),
            AllowsA => json!({"action": "allow", "modified": {"args": {"command": "a"}}}),
            MisspellsBlock => json!({"action": "blok", "reason": "no"}),
        };
        HandlerResult::Answer(answer)
    }

    fn spec(self) -> HookSpec {
        let mut spec = HookSpec::new("PreToolUse");
        spec.fail_behavior = self.guards.then_some(FailBehavior::Block);
        spec.enforcement = self.observes().then_some(Enforcement::Observe);
        spec
    }
}

/// One run of a hook.
#[derive(Debug)]
struct Run {
    /// Its place in the list.
    at: usize,
    hook: Hook,
    stage: usize,
    /// The command that it was shown.
    saw: String,
}

impl Run {
    fn decides(&self) -> Action {
        self.hook.decides(&self.saw)
    }

    /// Whether it made another command of the one that it saw.
    fn changes(&self) -> bool {
        self.hook.makes(&self.saw) != self.saw
    }
}

/// What a dispatch came to.
#[derive(Debug)]
struct Ended {
    runs: Vec<Run>,
    decision: Action,
    blocked: bool,
    command: String,
}

/// A client's settings, with a registry for each list of kinds of hooks.
struct Client {
    options: Value,
    snapshots: HashMap<Vec<(bool, bool)>, Arc<Snapshot<usize>>>,
}

impl Client {
    fn new(options: Value) -> Self {
        Self { options, snapshots: HashMap::new() }
    }

    fn withholds_conflicts(&self) -> bool {
        self.options["conflict"] == "block"
    }

    fn runs_together(&self) -> bool {
        self.options["mode"] == "parallel"
    }

    fn snapshot(&mut self, list: &[Hook]) -> Arc<Snapshot<usize>> {
        let kinds = list.iter().map(|hook| (hook.guards, hook.observes())).collect();
        let options = &self.options;
        let made = self.snapshots.entry(kinds).or_insert_with(|| {
            let registry = Registry::new(Options::read(&Json, &options).expect("good options"));
            for (at, hook) in list.iter().enumerate() {
                registry.register(hook.spec(), at).expect("a good hook");
            }
            registry.snapshot()
        });
        Arc::clone(made)
    }

    /// Dispatches a tool call through these hooks.
    fn dispatch(&mut self, list: &[Hook]) -> Ended {
        let snapshot = self.snapshot(list);
        let payload = json!({"tool": "Bash", "args": {"command": CAME}, "cwd": "/"});
        let index = snapshot.event("PreToolUse").expect("the event is known");
        let planned = snapshot.plan(&Json, index, &&payload);
        let event = Arc::clone(index.spec());
        let mut step = begin(&Json, Arc::clone(&snapshot), event, planned.plan, planned.reuse, payload);
        let mut runs = Vec::new();
        for number in 0.. {
            let stage = match step {
                Step::Run(stage) => stage,
                Step::Done(outcome) => {
                    let (decision, blocked) = (outcome.decision(), outcome.blocked());
                    return Ended { runs, decision, blocked, command: command_of(outcome.payload()) };
                }
            };
            let saw = command_of(stage.payload());
            let mut reports = Vec::new();
            for call in stage.calls() {
                let at = *call.entry().handler();
                let hook = list[at];
                reports.push(Report::new(hook.report(&saw), 0));
                runs.push(Run { at, hook, stage: number, saw: saw.clone() });
            }
            step = stage.resume(&Json, reports);
        }
        unreachable!("a dispatch ends")
    }
}

fn command_of(payload: &Value) -> String {
    payload["args"]["command"].as_str().expect("the command is a text").to_owned()
}

/// How strong a decision is.
const fn strength(action: Action) -> u8 {
    match action {
        Action::Stop => 5,
        Action::Block => 4,
        Action::Ask => 3,
        Action::Retry => 2,
        Action::Allow => 1,
        _ => 0,
    }
}

/// One dispatch, and those before it with the same client.
struct Case<'c> {
    client: &'c Client,
    list: &'c [Hook],
    ended: &'c Ended,
    known: &'c HashMap<Vec<Hook>, Came>,
}

/// What is known of an earlier dispatch: its decision, and the command with which the call goes on.
#[derive(Debug, Clone, PartialEq)]
struct Came {
    decision: Action,
    command: Option<String>,
}

impl Came {
    fn of(ended: &Ended) -> Self {
        Self { decision: ended.decision, command: (!ended.blocked).then(|| ended.command.clone()) }
    }

    /// Whether the call is refused, a person decides, or neither.
    const fn hold(&self) -> u8 {
        match self.decision {
            Action::Block | Action::Stop => 2,
            Action::Ask => 1,
            _ => 0,
        }
    }
}

impl Case<'_> {
    fn some(&self, of: impl Fn(&Run) -> bool) -> bool {
        self.ended.runs.iter().any(of)
    }

    fn said(&self, action: Action) -> bool {
        self.some(|run| run.decides() == action)
    }

    fn is_at_least(&self, action: Action) -> bool {
        strength(self.ended.decision) >= strength(action)
    }

    /// The mandatory hooks, each with its place.
    fn guards(&self) -> impl Iterator<Item = (usize, Hook)> {
        self.list.iter().copied().enumerate().filter(|(_, hook)| hook.guards)
    }

    /// Whether hooks made different commands, at one time or after each other.
    fn disagree(&self) -> bool {
        let made = |run: &Run| run.changes().then(|| run.hook.makes(&run.saw).to_owned());
        self.some(|one| self.some(|other| made(one).zip(made(other)).is_some_and(|(one, other)| one != other)))
    }

    /// What came of the list without each of these hooks.
    fn without(&self, which: impl Fn(Hook) -> bool) -> impl Iterator<Item = &Came> {
        let places = self.list.iter().enumerate().filter(move |(_, hook)| which(**hook)).map(|(at, _)| at);
        places.map(|at| {
            let mut shorter = self.list.to_vec();
            shorter.remove(at);
            &self.known[&shorter]
        })
    }
}

/// Its name, and whether it holds of a dispatch.
type Law = (&'static str, fn(&Case<'_>) -> bool);

/// What holds of every dispatch.
const LAWS: &[Law] = &[
    ("a refusal is never lost", |case| !case.some(|run| run.decides().refuses()) || case.ended.blocked),
    ("a stop is never less than a stop", |case| !case.said(Action::Stop) || case.is_at_least(Action::Stop)),
    ("a mandatory hook that fails never opens", |case| {
        !case.some(|run| run.hook.guards && run.hook.does == Fails) || case.ended.blocked
    }),
    ("a mandatory hook is left out by a refusal alone", |case| {
        case.ended.blocked || case.guards().all(|(at, _)| case.some(|run| run.at == at))
    }),
    ("a call goes on only as every mandatory hook saw it or made it", |case| {
        let command = &case.ended.command;
        let knows = |run: &Run| run.saw == *command || run.hook.makes(&run.saw) == *command;
        case.ended.blocked || case.guards().all(|(at, _)| case.some(|run| run.at == at && knows(run)))
    }),
    ("a call goes on only if no mandatory hook refuses it as it is", |case| {
        case.ended.blocked || case.guards().all(|(_, hook)| !hook.decides(&case.ended.command).refuses())
    }),
    ("a question is never lost", |case| !case.said(Action::Ask) || case.is_at_least(Action::Ask)),
    ("a retry is never lost", |case| !case.said(Action::Retry) || case.is_at_least(Action::Retry)),
    ("an allow covers no other hook's rewrite", |case| {
        let counts = |allow: &Run| {
            let rewrites = |run: &Run| run.changes() && run.at != allow.at && run.stage >= allow.stage;
            allow.decides() == Action::Allow
                && allow.hook.makes(&allow.saw) == case.ended.command
                && !case.some(rewrites)
        };
        case.ended.decision != Action::Allow || case.some(counts)
    }),
    ("an allow of a call that no hook changes counts", |case| {
        let allowed = case.said(Action::Allow) && !case.some(Run::changes);
        !allowed || case.is_at_least(Action::Allow)
    }),
    ("nothing is decided that no hook said, unless hooks disagree", |case| {
        let decision = case.ended.decision;
        let disagreed = matches!(decision, Action::Ask | Action::Block) && case.disagree();
        decision == Action::Continue || case.said(decision) || disagreed
    }),
    ("a call is blocked where the decision refuses it, and nowhere else", |case| {
        case.ended.blocked == case.ended.decision.refuses()
    }),
    ("a call goes on as it came, or as a hook made it", |case| {
        let command = &case.ended.command;
        let made = |run: &Run| run.changes() && run.hook.makes(&run.saw) == *command;
        case.ended.blocked || case.some(made) || (command == CAME && !case.some(Run::changes))
    }),
    ("of different changes at one time none stands unasked, unless the client says so", |case| {
        let differ = |one: &Run, other: &Run| {
            let made = (one.hook.makes(&one.saw), other.hook.makes(&other.saw));
            one.stage == other.stage && one.changes() && other.changes() && made.0 != made.1
        };
        let conflict = case.some(|one| case.some(|other| differ(one, other)));
        case.client.options["conflict"] == "last" || !conflict || case.is_at_least(Action::Ask)
    }),
    ("a hook that says nothing, observes or fails open changes nothing", |case| {
        let came = Came::of(case.ended);
        case.without(Hook::is_inert).all(|without| *without == came)
    }),
    ("a hook more that can only refuse or ask never opens", |case| {
        let hold = Came::of(case.ended).hold();
        case.without(Hook::only_restricts).all(|without| without.hold() <= hold)
    }),
    ("the order of hooks that run together changes nothing, unless the later change is to stand", |case| {
        let mut sorted = case.list.to_vec();
        sorted.sort_unstable();
        let is_free = case.client.runs_together() && case.client.withholds_conflicts();
        !is_free || case.known.get(&sorted).is_none_or(|known| *known == Came::of(case.ended))
    }),
];

/// Holds every law against every list of hooks.
fn hold(options: Value) {
    let mut client = Client::new(options);
    let hooks = hooks();
    let mut known = HashMap::new();
    let mut broken: Vec<(&str, String)> = Vec::new();
    let mut lists = vec![Vec::new()];
    known.insert(Vec::new(), Came { decision: Action::Continue, command: Some(CAME.to_owned()) });
    for _ in 0..longest() {
        let longer =
            |list: &Vec<Hook>| hooks.iter().map(|hook| [list.as_slice(), &[*hook]].concat()).collect::<Vec<_>>();
        lists = lists.iter().flat_map(longer).collect();
        for list in &lists {
            let ended = client.dispatch(list);
            let case = Case { client: &client, list, ended: &ended, known: &known };
            for (law, holds) in LAWS {
                if !broken.iter().any(|(known, _)| known == law) && !holds(&case) {
                    broken.push((law, format!("{law}, but not with {}: {list:?} came to {ended:?}", client.options)));
                }
            }
            known.insert(list.clone(), Came::of(&ended));
        }
    }
    let broken: Vec<String> = broken.into_iter().map(|(_, words)| words).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn hooks_in_turn_obey_the_laws() {
    hold(json!({"mode": "sequential", "short_circuit": true}));
}

#[test]
fn hooks_in_turn_obey_the_laws_when_all_run() {
    hold(json!({"mode": "sequential", "short_circuit": false}));
}

#[test]
fn hooks_at_one_time_obey_the_laws_when_a_conflict_blocks() {
    for short_circuit in [true, false] {
        hold(json!({"mode": "parallel", "conflict": "block", "short_circuit": short_circuit}));
    }
}

#[test]
fn hooks_at_one_time_obey_the_laws_when_a_person_or_the_order_settles_a_conflict() {
    for conflict in ["ask", "last"] {
        hold(json!({"mode": "parallel", "conflict": conflict, "short_circuit": true}));
    }
}
