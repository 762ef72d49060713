//! The worker's end of the protocol: connected or not, its hooks, and the events that it has.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use prost::Message;
use serde_json::Value;

use crate::action::{Level, Run, WorkerAction, WorkerState};
use crate::answer::{shortened, write};
use crate::pulse::{Due, Pulse};
use crate::settings::{PATIENCE_MS, VERSION, WorkerSettings};
use crate::wire::{
    Complete, Hello, HookEvent, HookResponse, Leave, Ping, RegisterHookRequest, RegisterHookResponse,
    UnregisterHookRequest, Welcome,
};
use hookweave_machine::dispatch::{FailureKind, HandlerResult, HookFailure};
use hookweave_machine::json::from_json;

/// So many events are remembered, so that one that comes twice runs once.
const REMEMBERED: usize = 4096;

/// A hook that is offered.
#[derive(Debug)]
struct Offered {
    offer: RegisterHookRequest,
    /// The agent has answered for it.
    is_acknowledged: bool,
}

/// Where the connection stands.
#[derive(Debug)]
enum Connection {
    /// None; it is being made.
    None,
    /// The agent was told who this is, and did not answer yet.
    Greeting { since: u64 },
    /// The hooks are being registered, or are.
    Taken {
        pulse: Pulse,
        max_message: usize,
        /// When what was offered last was sent, until all of it is in force.
        offered: Option<u64>,
    },
}

/// An event that runs.
#[derive(Debug)]
struct Running {
    hook: String,
    deadline: Option<u64>,
}

/// The worker's end, as a machine: what came goes in, what is to be done comes out. Times are milliseconds of any clock that
/// does not go back.
#[derive(Debug)]
pub struct WorkerEnd {
    settings: WorkerSettings,
    state: WorkerState,
    connection: Connection,
    failures: u32,
    hooks: BTreeMap<String, Offered>,
    running: BTreeMap<u64, Running>,
    /// Events of this connection, the oldest first.
    seen: (VecDeque<u64>, BTreeSet<u64>),
    leaves: bool,
    actions: Vec<WorkerAction>,
}

impl WorkerEnd {
    /// A worker that connects at once.
    #[must_use]
    pub fn new(settings: WorkerSettings) -> Self {
        Self {
            settings,
            state: WorkerState::Connecting,
            connection: Connection::None,
            failures: 0,
            hooks: BTreeMap::new(),
            running: BTreeMap::new(),
            seen: (VecDeque::new(), BTreeSet::new()),
            leaves: false,
            actions: vec![WorkerAction::State(WorkerState::Connecting), WorkerAction::Connect],
        }
    }

    /// What is to be done, in order.
    #[must_use]
    pub fn actions(&mut self) -> Vec<WorkerAction> {
        std::mem::take(&mut self.actions)
    }

    /// How it stands with its agent.
    #[must_use]
    pub const fn state(&self) -> &WorkerState {
        &self.state
    }

    /// The longest message that is taken, for a transport that splits a stream.
    #[must_use]
    pub const fn max_message(&self) -> usize {
        self.settings.limits.max_message as usize
    }

    /// When [`tick`](Self::tick) is due.
    #[must_use]
    pub fn next_deadline(&self) -> Option<u64> {
        let due = match (&self.state, &self.connection) {
            (WorkerState::Waiting { until }, _) => Some(*until),
            (_, Connection::None) => None,
            (_, Connection::Greeting { since }) => Some(since + PATIENCE_MS),
            (_, Connection::Taken { pulse, offered, .. }) => {
                let again = offered.map_or(u64::MAX, |at| at + PATIENCE_MS);
                Some(pulse.next().min(again))
            }
        };
        let late = self.running.values().filter_map(|running| running.deadline).min();
        due.into_iter().chain(late).min()
    }

    /// These are all the hooks of the worker: what is new is offered, what is gone is withdrawn. An offer without an id is left
    /// out.
    pub fn offer(&mut self, hooks: impl IntoIterator<Item = RegisterHookRequest>, now: u64) {
        let mut wanted: BTreeMap<String, RegisterHookRequest> =
            hooks.into_iter().filter_map(|offer| Some((offer.hook_id.clone()?, offer))).collect();
        let gone: Vec<String> = self.hooks.keys().filter(|hook| !wanted.contains_key(*hook)).cloned().collect();
        for hook in gone {
            self.hooks.remove(&hook);
            if self.is_taken() {
                let unregister = Some(UnregisterHookRequest { hook_id: hook });
                self.send(&HookResponse { unregister, ..HookResponse::default() });
            }
        }
        wanted.retain(|hook, offer| self.hooks.get(hook).is_none_or(|known| known.offer != *offer));
        if wanted.is_empty() {
            return;
        }
        for (hook, offer) in wanted {
            self.hooks.insert(hook, Offered { offer, is_acknowledged: false });
        }
        self.register(now);
    }

    /// The connection was made.
    pub fn opened(&mut self, now: u64) {
        if self.is_closed() {
            self.actions.push(WorkerAction::Close { reason: "the worker has ended".to_owned() });
            return;
        }
        self.connection = Connection::Greeting { since: now };
        self.seen = (VecDeque::new(), BTreeSet::new());
        let WorkerSettings { name, instance, token, limits, .. } = &self.settings;
        let hello = Hello {
            version: VERSION,
            worker: name.clone(),
            instance: instance.clone(),
            token: token.clone(),
            max_in_flight: limits.in_flight,
            max_message: limits.max_message,
        };
        self.send(&HookResponse { hello: Some(hello), ..HookResponse::default() });
    }

    /// The connection ended, could not be made, or its stream cannot be read any further.
    ///
    /// `random` spreads the next attempts of many workers.
    pub fn lost(&mut self, why: &str, now: u64, random: u64) {
        if self.is_closed() {
            return;
        }
        self.cancel_all();
        if self.leaves {
            self.close("it left");
            return;
        }
        self.connection = Connection::None;
        if matches!(self.state, WorkerState::Waiting { .. }) {
            return;
        }
        self.failures = self.failures.saturating_add(1);
        let until = now.saturating_add(self.settings.backoff.delay_ms(self.failures, random));
        self.log(Level::Warning, format!("no connection to the agent: {}; connecting again", shortened(why)));
        self.enter(WorkerState::Waiting { until });
    }

    /// A message came.
    pub fn receive(&mut self, message: &[u8], now: u64, random: u64) {
        if matches!(self.connection, Connection::None) {
            return;
        }
        let read = if message.len() > self.max_message() {
            Err(format!("a message of {} bytes is over the limit of {}", message.len(), self.max_message()))
        } else {
            HookEvent::decode(message).map_err(|error| format!("a message of the agent cannot be read ({error})"))
        };
        let event = match read {
            Ok(event) if event.controls() <= 1 => event,
            Ok(_) => return self.give_up("a message of the agent says two things at once", now, random),
            Err(why) => return self.give_up(&why, now, random),
        };
        if let Connection::Taken { pulse, .. } = &mut self.connection {
            pulse.heard(now);
        }
        if let Some(refusal) = event.refusal {
            let why =
                format!("the agent refused the worker ({}): {}", shortened(&refusal.code), shortened(&refusal.reason));
            if refusal.r#final {
                self.cancel_all();
                self.log(Level::Error, why.clone());
                self.actions.push(WorkerAction::Close { reason: why.clone() });
                self.close(&why);
            } else {
                self.give_up(&why, now, random);
            }
            return;
        }
        if let Some(welcome) = event.welcome {
            return self.welcomed(&welcome, now, random);
        }
        if !self.is_taken() {
            return;
        }
        if let Some(ping) = event.ping {
            self.send(&HookResponse { pong: Some(ping), ..HookResponse::default() });
        } else if let Some(registered) = event.registered {
            self.acknowledged(registered);
        } else if event.complete.is_some() {
            self.completed();
        } else if let Some(cancel) = event.cancel {
            if self.running.remove(&cancel.dispatch_id).is_some() {
                self.actions.push(WorkerAction::Cancel { dispatch: cancel.dispatch_id });
            }
            self.go_if_done();
        } else if event.controls() == 0 {
            self.run(event, now);
        }
    }

    /// A hook has run.
    pub fn answered(&mut self, dispatch: u64, result: &HandlerResult<Value>) {
        let Some(running) = self.running.remove(&dispatch) else { return };
        self.answer(&running.hook, dispatch, result);
        self.go_if_done();
    }

    /// Does what is due: connects again, ends late runs, and asks a silent agent whether it is there.
    pub fn tick(&mut self, now: u64, random: u64) {
        let late: Vec<u64> = self
            .running
            .iter()
            .filter(|(_, running)| running.deadline.is_some_and(|at| at <= now))
            .map(|(dispatch, _)| *dispatch)
            .collect();
        for dispatch in late {
            // The agent does not wait for an answer any more.
            self.running.remove(&dispatch);
            self.actions.push(WorkerAction::Cancel { dispatch });
        }
        self.go_if_done();
        if let WorkerState::Waiting { until } = self.state {
            if now >= until {
                self.enter(WorkerState::Connecting);
                self.actions.push(WorkerAction::Connect);
            }
            return;
        }
        let due = match &mut self.connection {
            Connection::Greeting { since } if now >= *since + PATIENCE_MS => {
                return self.give_up("the agent did not answer the hello", now, random);
            }
            Connection::None | Connection::Greeting { .. } => return,
            Connection::Taken { pulse, .. } => pulse.due(now),
        };
        match due {
            Due::Nothing => {}
            Due::Ping(number) => self.send(&HookResponse { ping: Some(Ping { number }), ..HookResponse::default() }),
            Due::Gone => return self.give_up("the agent did not answer a ping", now, random),
        }
        if matches!(&self.connection, Connection::Taken { offered: Some(at), .. } if now >= *at + PATIENCE_MS) {
            self.register(now);
        }
    }

    /// Takes nothing new and goes when what runs has ended: the hooks leave the agent at once.
    pub fn leave(&mut self) {
        if self.is_closed() || self.leaves {
            return;
        }
        self.leaves = true;
        if !self.is_taken() {
            self.actions.push(WorkerAction::Close { reason: "the worker leaves".to_owned() });
            self.close("it left");
            return;
        }
        self.send(&HookResponse { leave: Some(Leave {}), ..HookResponse::default() });
        self.go_if_done();
    }

    const fn is_taken(&self) -> bool {
        matches!(self.connection, Connection::Taken { .. })
    }

    const fn is_closed(&self) -> bool {
        matches!(self.state, WorkerState::Closed { .. })
    }

    fn log(&mut self, level: Level, text: String) {
        self.actions.push(WorkerAction::Log { level, text });
    }

    fn enter(&mut self, state: WorkerState) {
        if self.state != state {
            self.state = state.clone();
            self.actions.push(WorkerAction::State(state));
        }
    }

    fn send(&mut self, response: &HookResponse) {
        self.actions.push(WorkerAction::Send { message: response.encode_to_vec() });
    }

    fn close(&mut self, reason: &str) {
        self.connection = Connection::None;
        self.enter(WorkerState::Closed { reason: reason.to_owned() });
    }

    /// Closes the connection and makes another one later.
    fn give_up(&mut self, why: &str, now: u64, random: u64) {
        self.actions.push(WorkerAction::Close { reason: why.to_owned() });
        self.lost(why, now, random);
    }

    /// Nobody waits any more for what runs: the agent has decided by each hook's failure.
    fn cancel_all(&mut self) {
        for dispatch in std::mem::take(&mut self.running).into_keys() {
            self.actions.push(WorkerAction::Cancel { dispatch });
        }
    }

    fn go_if_done(&mut self) {
        if self.leaves && self.running.is_empty() && self.is_taken() {
            self.actions.push(WorkerAction::Close { reason: "the worker left".to_owned() });
            self.close("it left");
        }
    }

    fn welcomed(&mut self, welcome: &Welcome, now: u64, random: u64) {
        if self.is_taken() {
            return;
        }
        if welcome.version != VERSION {
            let theirs = welcome.version;
            let why = format!("the agent speaks version {theirs} of the protocol and the worker version {VERSION}");
            return self.give_up(&why, now, random);
        }
        let mut max_message = self.settings.limits.max_message;
        if welcome.max_message > 0 {
            max_message = max_message.min(welcome.max_message);
        }
        let pulse = Pulse::new(self.settings.limits.keepalive_ms, now);
        self.connection = Connection::Taken { pulse, max_message: max_message as usize, offered: None };
        for known in self.hooks.values_mut() {
            known.is_acknowledged = false;
        }
        self.register(now);
    }

    /// Offers every hook that the agent did not answer for yet, and says that these are all.
    fn register(&mut self, now: u64) {
        let Connection::Taken { offered, .. } = &mut self.connection else { return };
        *offered = Some(now);
        let open = self.hooks.values().filter(|known| !known.is_acknowledged);
        let offers: Vec<RegisterHookRequest> = open.map(|known| known.offer.clone()).collect();
        for offer in offers {
            self.send(&HookResponse { register: Some(offer), ..HookResponse::default() });
        }
        self.send(&HookResponse { complete: Some(Complete {}), ..HookResponse::default() });
    }

    fn acknowledged(&mut self, registered: RegisterHookResponse) {
        let RegisterHookResponse { hook_id, refusal, warnings } = registered;
        let Some(known) = self.hooks.get_mut(&hook_id) else { return };
        if std::mem::replace(&mut known.is_acknowledged, true) {
            return;
        }
        let name = known.offer.name.clone().unwrap_or(hook_id);
        for warning in warnings {
            self.log(Level::Warning, format!("the hook `{name}`: {}", shortened(&warning)));
        }
        if let Some(refusal) = refusal {
            self.log(Level::Error, format!("the agent did not take the hook `{name}`: {}", shortened(&refusal)));
        }
    }

    /// What was offered is in force, unless the agent has not answered for a part of it yet.
    fn completed(&mut self) {
        if self.hooks.values().any(|known| !known.is_acknowledged) {
            return;
        }
        if let Connection::Taken { offered, .. } = &mut self.connection {
            *offered = None;
        }
        self.failures = 0;
        self.enter(WorkerState::Ready);
    }

    /// An event came.
    fn run(&mut self, event: HookEvent, now: u64) {
        let HookEvent { hook_id: hook, dispatch_id: dispatch, .. } = event;
        let (order, known) = &mut self.seen;
        if !known.insert(dispatch) {
            return;
        }
        order.push_back(dispatch);
        if order.len() > REMEMBERED
            && let Some(oldest) = order.pop_front()
        {
            known.remove(&oldest);
        }
        let most = self.settings.limits.in_flight as usize;
        let refusal = if self.leaves {
            Some("the worker leaves".to_owned())
        } else if !self.hooks.contains_key(&hook) {
            Some("the worker has no such hook; register it again".to_owned())
        } else if self.running.len() >= most {
            Some(format!("the worker has {most} events, which is all that it takes; send fewer at once"))
        } else {
            None
        };
        if let Some(why) = refusal {
            return self.fail(&hook, dispatch, FailureKind::NotStarted, &why, false);
        }
        let payload = std::str::from_utf8(&event.payload).ok().and_then(|text| from_json(text).ok());
        let Some(payload) = payload.filter(Value::is_object) else {
            // A payload must not get past a guard because it cannot be read.
            return self.fail(&hook, dispatch, FailureKind::NotStarted, "the event is no JSON object", true);
        };
        let deadline = (event.time_left_ms > 0).then(|| now.saturating_add(event.time_left_ms));
        self.running.insert(dispatch, Running { hook: hook.clone(), deadline });
        self.actions.push(WorkerAction::Run(Box::new(Run {
            dispatch,
            hook,
            event: event.event_type,
            payload,
            deadline,
            trace: event.traceparent.map(|parent| (parent, event.tracestate)),
            depth: event.depth,
        })));
    }

    fn fail(&mut self, hook: &str, dispatch: u64, kind: FailureKind, why: &str, meant_to_restrict: bool) {
        let failure = HookFailure { meant_to_restrict, ..HookFailure::new(kind, why) };
        self.answer(hook, dispatch, &HandlerResult::Failed(failure));
    }

    fn answer(&mut self, hook: &str, dispatch: u64, result: &HandlerResult<Value>) {
        let Connection::Taken { max_message, .. } = &self.connection else { return };
        let most = *max_message;
        let response = write(hook, dispatch, result);
        let length = response.encoded_len();
        if length <= most {
            return self.send(&response);
        }
        let why = format!(
            "the answer has {length} bytes, and the agent takes {most}; answer less, or raise max_message on both ends"
        );
        // What it says is not known to the agent, so that it counts as what restricts.
        let failure = HookFailure { meant_to_restrict: true, ..HookFailure::new(FailureKind::InvalidAnswer, why) };
        let failed = write(hook, dispatch, &HandlerResult::Failed(failure));
        self.send(&failed);
    }
}
