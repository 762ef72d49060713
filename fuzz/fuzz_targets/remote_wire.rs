//! Any bytes to both ends of the remote protocol, between what they say to each other: both stand, every call ends once,
//! and a stream is split alike however it comes.
#![no_main]

use std::collections::{BTreeMap, VecDeque};

use hookweave_machine::dispatch::HandlerResult;
use hookweave_remote::frames::{Frames, frame};
use hookweave_remote::wire::RegisterHookRequest;
use hookweave_remote::{Hub, HubAction, HubSettings, RemoteCall, WorkerAction, WorkerEnd, WorkerSettings};
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, json};

/// The longest message of a stream.
const MAX_MESSAGE: usize = 100;

/// An agent, a worker, and what is on its way between them.
struct World {
    hub: Hub,
    worker: WorkerEnd,
    now: u64,
    connection: Option<u64>,
    to_agent: VecDeque<Vec<u8>>,
    to_worker: VecDeque<Vec<u8>>,
    registered: Vec<u64>,
    running: Vec<u64>,
    /// How often each call has ended.
    ends: BTreeMap<u64, u32>,
}

impl World {
    fn new() -> Self {
        let mut worker = WorkerEnd::new(WorkerSettings::new("worker", "run"));
        let event_type = "PreToolUse".to_owned();
        let hook_id = Some("hook".to_owned());
        worker.offer([RegisterHookRequest { event_type, hook_id, ..RegisterHookRequest::default() }], 0);
        Self {
            hub: Hub::new(HubSettings::default()),
            worker,
            now: 0,
            connection: None,
            to_agent: VecDeque::new(),
            to_worker: VecDeque::new(),
            registered: Vec::new(),
            running: Vec::new(),
            ends: BTreeMap::new(),
        }
    }

    /// Does what both ends want done.
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
                    HubAction::Close { connection, reason } if Some(connection) == self.connection => {
                        self.connection = None;
                        self.worker.lost(&reason, self.now, 0);
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
                        self.to_agent.clear();
                        self.to_worker.clear();
                        self.connection = Some(self.hub.opened(self.now));
                        self.worker.opened(self.now);
                    }
                    WorkerAction::Send { message } => self.to_agent.push_back(message),
                    WorkerAction::Close { reason } => {
                        if let Some(connection) = self.connection.take() {
                            self.hub.lost(connection, &reason);
                        }
                    }
                    WorkerAction::Run(run) => self.running.push(run.dispatch),
                    WorkerAction::Cancel { dispatch } => self.running.retain(|run| *run != dispatch),
                    _ => {}
                }
            }
        }
    }

    /// What happens next, by a number, beside bytes for whoever needs some.
    fn step(&mut self, what: u8, bytes: &[u8]) {
        match (what % 9, self.connection) {
            (0, Some(connection)) => self.to_agent.pop_front().iter().for_each(|message| {
                self.hub.receive(connection, message, self.now);
            }),
            (1, Some(_)) => self.to_worker.pop_front().iter().for_each(|message| {
                self.worker.receive(message, self.now, 0);
            }),
            (2, Some(connection)) => self.hub.receive(connection, bytes, self.now),
            (3, Some(_)) => self.worker.receive(bytes, self.now, 0),
            (4, Some(connection)) => {
                self.connection = None;
                self.hub.lost(connection, "broken");
                self.worker.lost("broken", self.now, 0);
            }
            // A message that is nearly right: some of its bytes are others.
            (5, Some(connection)) => self.to_agent.pop_front().into_iter().for_each(|message| {
                self.hub.receive(connection, &spoilt(message, bytes), self.now);
            }),
            (6, Some(_)) => self.to_worker.pop_front().into_iter().for_each(|message| {
                self.worker.receive(&spoilt(message, bytes), self.now, 0);
            }),
            (7, _) => {
                if let Some(registration) = self.registered.last() {
                    let payload = Map::from_iter([("tool".to_owned(), json!("Bash"))]);
                    let event = "PreToolUse".to_owned();
                    let call = RemoteCall { event, payload, limit_ms: Some(10_000), trace: None, depth: 0 };
                    self.ends.entry(self.hub.call(*registration, call, self.now)).or_default();
                }
                if let Some(run) = self.running.pop() {
                    self.worker.answered(run, &HandlerResult::Answer(json!({"action": "block"})));
                }
            }
            _ => {
                self.now += 1000 * u64::try_from(bytes.len()).unwrap_or_default();
                self.hub.tick(self.now);
                self.worker.tick(self.now, 0);
            }
        }
        self.settle();
        assert!(self.ends.values().all(|ends| *ends <= 1), "a call ended twice");
    }
}

/// A message with bytes put over it: the first of them says where.
fn spoilt(mut message: Vec<u8>, bytes: &[u8]) -> Vec<u8> {
    if let Some((at, bytes)) = bytes.split_first() {
        message.iter_mut().skip(usize::from(*at)).zip(bytes).for_each(|(old, new)| *old = *new);
    }
    message
}

/// The messages of a stream that comes in pieces of this size, up to the first that is too large.
fn split(stream: &[u8], size: usize) -> (Vec<Vec<u8>>, bool) {
    let mut frames = Frames::new(MAX_MESSAGE);
    let mut messages = Vec::new();
    for piece in stream.chunks(size) {
        frames.push(piece);
        loop {
            match frames.next_message() {
                Ok(Some(message)) => messages.push(message),
                Ok(None) => break,
                Err(_) => return (messages, true),
            }
        }
    }
    (messages, false)
}

fuzz_target!(|bytes: &[u8]| {
    let whole = split(bytes, bytes.len().max(1));
    assert_eq!(whole, split(bytes, 1), "a stream is split by how it comes");
    let again: Vec<u8> = whole.0.iter().filter_map(|message| frame(message)).flatten().collect();
    assert!(bytes.starts_with(&again), "messages are not what stood in the stream");

    let mut world = World::new();
    world.settle();
    let mut rest = bytes;
    while let [what, length, behind @ ..] = rest {
        let (bytes, behind) = behind.split_at(usize::from(*length).min(behind.len()));
        world.step(*what, bytes);
        rest = behind;
    }
    world.hub.close();
    world.settle();
    assert!(world.ends.values().all(|ends| *ends == 1), "a call has not ended");
    assert!(world.registered.is_empty(), "hooks outlive the agent");
});
