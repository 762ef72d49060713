//! The loop of a worker's connection: it connects, moves messages, and runs hooks.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Weak};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::{AbortHandle, Id, JoinHandle, JoinSet};

use super::connection::{Connection, Inbox, Incoming, LAST_WORDS};
use super::state::RemoteState;
use super::transport::Connector;
use super::{Clock, log, random, sleep};
use crate::engine::{Engine, Inner};
use hookweave_host::dispatch::{FailureKind, HandlerResult, HookFailure};
use hookweave_host::remote::{Level, Run, WorkerAction, WorkerEnd, WorkerSettings, WorkerState};

pub(super) fn start(
    engine: &Engine,
    connector: Connector,
    settings: WorkerSettings,
    states: watch::Sender<RemoteState>,
    leave: Arc<Notify>,
) -> JoinHandle<()> {
    let max_message = settings.limits.max_message as usize;
    let mut end = WorkerEnd::new(settings);
    let changes = engine.inner.changed.subscribe();
    let clock = Clock::start();
    end.offer(engine.offered(), clock.ms());
    let (inbox, incoming) = Inbox::new(max_message);
    let working = Working {
        engine: Arc::downgrade(&engine.inner),
        end,
        clock,
        connector,
        inbox,
        connecting: JoinSet::new(),
        connection: None,
        number: 0,
        runs: Runs::default(),
        states,
        drains: false,
    };
    tokio::spawn(working.run(incoming, changes, leave))
}

/// The handlers that run.
#[derive(Default)]
struct Runs {
    tasks: JoinSet<(u64, HandlerResult<Value>)>,
    by_dispatch: BTreeMap<u64, AbortHandle>,
    by_task: HashMap<Id, u64>,
}

impl Runs {
    fn start(&mut self, engine: Engine, run: Run) {
        let dispatch = run.dispatch;
        let task = self.tasks.spawn(async move { (dispatch, engine.run_offered(run).await) });
        self.by_task.insert(task.id(), dispatch);
        self.by_dispatch.insert(dispatch, task);
    }

    fn cancel(&mut self, dispatch: u64) {
        if let Some(task) = self.by_dispatch.remove(&dispatch) {
            task.abort();
        }
    }

    /// The next that ends, and what came of it; waits for ever while nothing runs.
    async fn ended(&mut self) -> (u64, HandlerResult<Value>) {
        loop {
            let (task, ended) = match self.tasks.join_next_with_id().await {
                None => std::future::pending().await,
                Some(Ok((task, ended))) => (task, Some(ended)),
                Some(Err(error)) => (error.id(), None),
            };
            let Some(dispatch) = self.by_task.remove(&task) else { continue };
            if self.by_dispatch.get(&dispatch).is_some_and(|running| running.id() == task) {
                self.by_dispatch.remove(&dispatch);
            }
            let lost = || {
                let why = "its answer is lost: the engine panicked while the hook ran; please report it";
                let failure = HookFailure::new(FailureKind::Lost, why);
                (dispatch, HandlerResult::Failed(HookFailure { meant_to_restrict: true, ..failure }))
            };
            return ended.unwrap_or_else(lost);
        }
    }
}

struct Working {
    engine: Weak<Inner>,
    end: WorkerEnd,
    clock: Clock,
    connector: Connector,
    inbox: Inbox,
    /// The attempt that is made; ends with this.
    connecting: JoinSet<()>,
    connection: Option<Connection>,
    /// Of the connection that stands or is made: what came of an earlier one does not count.
    number: u64,
    runs: Runs,
    states: watch::Sender<RemoteState>,
    /// It leaves as soon as it has all that was sent to it, and offers nothing new.
    drains: bool,
}

impl Working {
    async fn run(
        mut self,
        mut incoming: mpsc::Receiver<Incoming>,
        mut changes: watch::Receiver<()>,
        leave: Arc<Notify>,
    ) {
        loop {
            if self.drains && self.connection.is_none() {
                self.end.leave();
            }
            if !self.act() {
                break;
            }
            let due = self.end.next_deadline().map(|at| at.saturating_sub(self.clock.ms()));
            tokio::select! {
                Some(came) = incoming.recv() => self.came(came),
                (dispatch, result) = self.runs.ended() => self.end.answered(dispatch, &result),
                () = sleep(due) => self.end.tick(self.clock.ms(), random()),
                changed = changes.changed(), if !self.drains => match (changed, self.engine.upgrade()) {
                    (Ok(()), Some(inner)) => self.end.offer(Engine { inner }.offered(), self.clock.ms()),
                    // The engine is gone, and its hooks with it.
                    _ => self.end.leave(),
                },
                () = leave.notified() => self.leave(),
            }
        }
        if let Some(written) = self.connection.take().and_then(Connection::end) {
            _ = tokio::time::timeout(LAST_WORDS, written).await;
        }
    }

    fn leave(&mut self) {
        #[cfg(feature = "nats")]
        if self.connection.as_ref().is_some_and(Connection::leave) {
            self.drains = true;
            return;
        }
        self.end.leave();
    }

    fn came(&mut self, came: Incoming) {
        let now = self.clock.ms();
        match came {
            Incoming::Opened(number, connection) if number == self.number => {
                self.connection = Some(connection);
                self.end.opened(now);
            }
            Incoming::Message(number, message) if number == self.number => self.end.receive(&message, now, random()),
            Incoming::Lost(number, why) | Incoming::Unreadable(number, why) if number == self.number => {
                self.connection = None;
                self.number += 1;
                self.end.lost(&why, now, random());
            }
            #[cfg(feature = "nats")]
            Incoming::Drained(number) if number == self.number && self.drains => self.end.leave(),
            _ => {}
        }
    }

    /// Does what the machine wants; false when it has ended.
    fn act(&mut self) -> bool {
        loop {
            let actions = self.end.actions();
            if actions.is_empty() {
                return !matches!(self.end.state(), WorkerState::Closed { .. });
            }
            for action in actions {
                match action {
                    WorkerAction::Connect => self.connect(),
                    WorkerAction::Send { message } => self.send(message),
                    WorkerAction::Close { .. } => {
                        self.number += 1;
                        // Where the worker goes for good, the last messages are written first.
                        if !matches!(self.end.state(), WorkerState::Closed { .. }) {
                            self.connection = None;
                        }
                    }
                    WorkerAction::Run(run) => match self.engine.upgrade() {
                        Some(inner) => self.runs.start(Engine { inner }, *run),
                        None => self.end.leave(),
                    },
                    WorkerAction::Cancel { dispatch } => self.runs.cancel(dispatch),
                    WorkerAction::State(state) => self.enter(state),
                    WorkerAction::Log { level, text } => log(level, &text),
                    _ => {}
                }
            }
        }
    }

    fn send(&mut self, message: Vec<u8>) {
        if self.connection.as_ref().is_none_or(|open| open.send(message)) {
            return;
        }
        self.connection = None;
        self.number += 1;
        self.end.lost("the agent does not read what is sent", self.clock.ms(), random());
    }

    /// In a task: how long it takes is for the network to say, and the worker may leave meanwhile.
    fn connect(&mut self) {
        self.number += 1;
        let (number, connector, inbox) = (self.number, self.connector.clone(), self.inbox.clone());
        self.connecting = JoinSet::new();
        self.connecting.spawn(async move {
            let came = match connector.connect(number, inbox.clone()).await {
                Ok(connection) => Incoming::Opened(number, connection),
                Err(why) => Incoming::Lost(number, why),
            };
            // Nobody listens any more where the worker has left meanwhile.
            _ = inbox.sender.send(came).await;
        });
    }

    fn enter(&self, state: WorkerState) {
        let state = match state {
            WorkerState::Connecting => RemoteState::Connecting,
            WorkerState::Ready => {
                log(Level::Info, "the agent has the worker's hooks");
                RemoteState::Ready
            }
            WorkerState::Waiting { until } => {
                RemoteState::Waiting(Duration::from_millis(until.saturating_sub(self.clock.ms())))
            }
            WorkerState::Closed { reason } => RemoteState::Closed(reason),
        };
        self.states.send_replace(state);
    }
}
