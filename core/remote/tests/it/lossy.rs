//! Two ends over a channel that loses, doubles and reorders messages and breaks: every call ends exactly once.

use std::collections::{BTreeMap, VecDeque};

use hookweave_machine::dispatch::{FailureKind, HandlerResult, HookFailure};
use hookweave_remote::wire::RegisterHookRequest;
use hookweave_remote::{
    Hub, HubAction, HubSettings, Limits, RemoteCall, Run, WorkerAction, WorkerEnd, WorkerSettings, WorkerState,
};
use proptest::prelude::*;
use serde_json::{Map, json};

/// What the world does next.
#[derive(Debug, Clone)]
enum Step {
    Call { limit_ms: Option<u64> },
    Cancel(usize),
    ToAgent { at: usize, fate: Fate },
    ToWorker { at: usize, fate: Fate },
    Answer { at: usize, fails: bool },
    Pass { ms: u64 },
    Break { agent_notices: bool },
    Garbage { to_agent: bool, bytes: Vec<u8> },
}

#[derive(Debug, Clone, Copy)]
enum Fate {
    Arrives,
    Lost,
    Doubled,
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![8 => Just(Fate::Arrives), 1 => Just(Fate::Lost), 1 => Just(Fate::Doubled)]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => proptest::option::of(1_u64..5000).prop_map(|limit_ms| Step::Call { limit_ms }),
        2 => any::<usize>().prop_map(Step::Cancel),
        10 => (0_usize..3, fate()).prop_map(|(at, fate)| Step::ToAgent { at, fate }),
        10 => (0_usize..3, fate()).prop_map(|(at, fate)| Step::ToWorker { at, fate }),
        6 => (any::<usize>(), any::<bool>()).prop_map(|(at, fails)| Step::Answer { at, fails }),
        4 => (1_u64..20_000).prop_map(|ms| Step::Pass { ms }),
        1 => any::<bool>().prop_map(|agent_notices| Step::Break { agent_notices }),
        1 => (any::<bool>(), proptest::collection::vec(any::<u8>(), 0..40))
            .prop_map(|(to_agent, bytes)| Step::Garbage { to_agent, bytes }),
    ]
}

struct World {
    hub: Hub,
    worker: WorkerEnd,
    now: u64,
    /// The connection that stands.
    connection: Option<u64>,
    /// One that only the agent still believes in.
    stale: Vec<u64>,
    to_agent: VecDeque<Vec<u8>>,
    to_worker: VecDeque<Vec<u8>>,
    /// Registered in the engine.
    registered: Vec<u64>,
    /// Ends of each call.
    ends: BTreeMap<u64, u32>,
    running: Vec<Run>,
}

impl World {
    fn new() -> Self {
        let limits = Limits { in_flight: 3, ..Limits::default() };
        let hub = Hub::new(HubSettings { limits: limits.clone(), queue: 4, ..HubSettings::default() });
        let mut worker = WorkerEnd::new(WorkerSettings { limits, ..WorkerSettings::new("w", "one") });
        let offer = |id: &str| RegisterHookRequest {
            event_type: "PreToolUse".to_owned(),
            hook_id: Some(id.to_owned()),
            ..RegisterHookRequest::default()
        };
        worker.offer([offer("a"), offer("b")], 0);
        Self {
            hub,
            worker,
            now: 0,
            connection: None,
            stale: Vec::new(),
            to_agent: VecDeque::new(),
            to_worker: VecDeque::new(),
            registered: Vec::new(),
            ends: BTreeMap::new(),
            running: Vec::new(),
        }
    }

    /// Does what both machines want, until they want nothing.
    fn settle(&mut self) {
        loop {
            let (of_hub, of_worker) = (self.hub.actions(), self.worker.actions());
            if of_hub.is_empty() && of_worker.is_empty() {
                return;
            }
            for action in of_hub {
                match action {
                    HubAction::Send { connection, message } if Some(connection) == self.connection => {
                        self.to_worker.push_back(message);
                    }
                    HubAction::Close { connection, reason } => {
                        self.stale.retain(|stale| *stale != connection);
                        if self.connection == Some(connection) {
                            self.connection = None;
                            // What was sent before arrives.
                            for message in std::mem::take(&mut self.to_worker) {
                                self.worker.receive(&message, self.now, 3);
                            }
                            self.worker.lost(&reason, self.now, 7);
                        }
                    }
                    HubAction::Register { registration, .. } => {
                        self.registered.push(registration);
                        self.hub.registered(registration, Ok(()));
                    }
                    HubAction::Unregister { registration } => self.registered.retain(|known| *known != registration),
                    HubAction::Finished { call, .. } => *self.ends.entry(call).or_default() += 1,
                    _ => {}
                }
            }
            for action in of_worker {
                match action {
                    WorkerAction::Connect => {
                        self.connection = Some(self.hub.opened(self.now));
                        self.to_agent.clear();
                        self.to_worker.clear();
                        self.worker.opened(self.now);
                    }
                    WorkerAction::Send { message } => self.to_agent.push_back(message),
                    WorkerAction::Close { reason } => {
                        if let Some(connection) = self.connection.take() {
                            self.hub.lost(connection, &reason);
                        }
                    }
                    WorkerAction::Run(run) => self.running.push(*run),
                    WorkerAction::Cancel { dispatch } => self.running.retain(|run| run.dispatch != dispatch),
                    _ => {}
                }
            }
        }
    }

    fn take(step: &mut VecDeque<Vec<u8>>, at: usize, fate: Fate) -> Vec<Vec<u8>> {
        let at = at.min(step.len().saturating_sub(1));
        match (step.remove(at), fate) {
            (None, _) | (Some(_), Fate::Lost) => Vec::new(),
            (Some(message), Fate::Arrives) => vec![message],
            (Some(message), Fate::Doubled) => vec![message.clone(), message],
        }
    }

    fn take_step(&mut self, step: Step) {
        match step {
            Step::Call { limit_ms } => {
                let Some(&registration) = self.registered.last() else { return };
                let call = RemoteCall {
                    event: "PreToolUse".to_owned(),
                    payload: Map::from_iter([("tool".to_owned(), json!("Bash"))]),
                    limit_ms,
                    trace: None,
                    depth: 0,
                };
                let call = self.hub.call(registration, call, self.now);
                self.ends.entry(call).or_default();
            }
            Step::Cancel(at) => {
                let call = self.ends.keys().nth(at % self.ends.len().max(1)).copied();
                if let Some(call) = call {
                    self.hub.cancel(call, self.now);
                }
            }
            Step::ToAgent { at, fate } => {
                for message in Self::take(&mut self.to_agent, at, fate) {
                    if let Some(connection) = self.connection {
                        self.hub.receive(connection, &message, self.now);
                    }
                }
            }
            Step::ToWorker { at, fate } => {
                for message in Self::take(&mut self.to_worker, at, fate) {
                    self.worker.receive(&message, self.now, 5);
                }
            }
            Step::Answer { at, fails } => {
                if self.running.is_empty() {
                    return;
                }
                let run = self.running.swap_remove(at % self.running.len());
                let result = if fails {
                    HandlerResult::Failed(HookFailure::new(FailureKind::Raised, "no"))
                } else {
                    HandlerResult::Answer(json!({"action": "block"}))
                };
                self.worker.answered(run.dispatch, &result);
            }
            Step::Pass { ms } => {
                self.now += ms;
                self.hub.tick(self.now);
                self.worker.tick(self.now, 11);
            }
            Step::Break { agent_notices } => {
                let Some(connection) = self.connection.take() else { return };
                if agent_notices {
                    self.hub.lost(connection, "broken");
                } else {
                    self.stale.push(connection);
                }
                self.worker.lost("broken", self.now, 13);
            }
            Step::Garbage { to_agent, bytes } => match (to_agent, self.connection) {
                (true, Some(connection)) => self.hub.receive(connection, &bytes, self.now),
                (false, Some(_)) => self.worker.receive(&bytes, self.now, 17),
                _ => {}
            },
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_call_ends_exactly_once(steps in proptest::collection::vec(step(), 1..150)) {
        let mut world = World::new();
        world.settle();
        for step in steps {
            world.take_step(step);
            world.settle();
            prop_assert!(world.ends.values().all(|ends| *ends <= 1), "a call ended twice: {:?}", world.ends);
            prop_assert!(world.running.len() <= 3, "more runs than the worker takes");
        }
        // At the latest the end of its connection ends a call.
        world.hub.close();
        world.settle();
        prop_assert!(world.ends.values().all(|ends| *ends == 1), "not every call ended once: {:?}", world.ends);
        prop_assert!(world.registered.is_empty(), "hooks outlive the agent");
    }

    #[test]
    fn over_a_good_channel_the_worker_is_ready_again(steps in proptest::collection::vec(step(), 0..60)) {
        let mut world = World::new();
        world.settle();
        for step in steps {
            world.take_step(step);
            world.settle();
        }
        for _ in 0..400 {
            if matches!(world.worker.state(), WorkerState::Closed { .. }) {
                // Garbage was refused for good.
                return Ok(());
            }
            world.take_step(Step::ToAgent { at: 0, fate: Fate::Arrives });
            world.settle();
            world.take_step(Step::ToWorker { at: 0, fate: Fate::Arrives });
            world.settle();
            world.take_step(Step::Pass { ms: 200 });
            world.settle();
        }
        prop_assert_eq!(world.worker.state(), &WorkerState::Ready);
        prop_assert_eq!(world.registered.len(), 2);
        world.take_step(Step::Call { limit_ms: None });
        world.settle();
        for _ in 0..20 {
            world.take_step(Step::ToWorker { at: 0, fate: Fate::Arrives });
            world.take_step(Step::ToAgent { at: 0, fate: Fate::Arrives });
            world.settle();
            world.take_step(Step::Answer { at: 0, fails: false });
            world.settle();
        }
        prop_assert_eq!(world.ends.values().last(), Some(&1));
    }
}
