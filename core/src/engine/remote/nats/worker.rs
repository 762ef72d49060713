//! A worker's connection to its group.

use std::collections::VecDeque;
use std::time::SystemTime;

use async_nats::jetstream::kv;
use async_nats::{Client, Message, Subscriber};
use tokio::sync::mpsc;
use tokio_stream::{StreamExt as _, StreamMap};

use super::super::connection::{Connection, Inbox, Unwritten};
use super::super::options::ConnectOptions;
use super::super::{Clock, address, log, sleep};
use super::{Broker, Came, Doing, NoServer, Server, caught_up, check_group, done, hand_on, left, nameless};
use hookweave_host::clock::new_id;
use hookweave_host::error::Error;
use hookweave_host::remote::{FleetAction, FleetWorker, FleetWorkerSettings, Limits};

/// A member of a group.
#[derive(Debug, Clone)]
pub(in super::super) struct Member {
    broker: Broker,
    group: String,
    instance: String,
    epoch: u64,
    limits: Limits,
}

impl Member {
    pub(in super::super) fn at(address: &str, read: address::Broker, options: &ConnectOptions) -> Result<Self, Error> {
        let group = options.group.clone().ok_or_else(|| nameless(address))?;
        check_group(address, &group)?;
        let ConnectOptions { token, limits, tls, insecure, .. } = options;
        let broker = Broker::at(address, read, token.as_ref(), tls.as_ref(), *insecure, limits.keepalive_ms)?;
        Ok(Self { broker, group, instance: new_id(), epoch: epoch_ms(), limits: limits.clone() })
    }

    /// Connects; `Err` says why not.
    pub(in super::super) async fn connect(&self, number: u64, inbox: Inbox) -> Result<Connection, String> {
        let settings = |bucket_ttl_ms, max_payload| FleetWorkerSettings {
            group: self.group.clone(),
            instance: self.instance.clone(),
            epoch: self.epoch,
            limits: self.limits.clone(),
            bucket_ttl_ms,
            max_payload,
        };
        let (machine, server) = match self.broker.open().await {
            Ok(server) => (FleetWorker::new(settings(server.bucket_ttl_ms(), server.max_payload())), Some(server)),
            Err(NoServer { why, is_stranger: true }) => {
                let why = format!("{why}; give the worker a token or a user that the server knows");
                (FleetWorker::refused(settings(1, 1), why), None)
            }
            Err(NoServer { why, .. }) => return Err(why),
        };
        let (delivered, came) = mpsc::unbounded_channel();
        let link = Link { machine, clock: Clock::start(), delivered, wanted: VecDeque::new(), taken: StreamMap::new() };
        Ok(Connection::shared(|unwritten| {
            let reader = tokio::spawn(hand_on(came, number, inbox)).abort_handle();
            (reader, tokio::spawn(link.run(unwritten, server)))
        }))
    }
}

/// When this run began.
#[expect(clippy::disallowed_methods, reason = "programs of several machines compare it")]
fn epoch_ms() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Something at the server that was waited for.
enum Done {
    Stored,
    Deleted,
    /// What the server sent for these has come.
    Drained(Vec<Taken>),
}

/// A subject that is taken, and whether the group shares it: calls, unlike word that nobody waits for one.
type Taken = (String, bool);

struct Link {
    machine: FleetWorker,
    clock: Clock,
    delivered: mpsc::UnboundedSender<Came>,
    /// What is wanted at the server, one thing after the other.
    wanted: VecDeque<FleetAction>,
    taken: StreamMap<Taken, Subscriber>,
}

impl Link {
    /// Does what is wanted until the end; a worker that the server does not know has none.
    async fn run(mut self, unwritten: Unwritten, server: Option<Server>) {
        let Some(mut server) = server else { return self.refuse(unwritten).await };
        let (client, bucket) = (server.client.clone(), server.bucket.clone());
        let why = tokio::select! {
            why = server.ended() => why,
            worked = self.work(unwritten, &client, &bucket) => match worked {
                Ok(()) => return,
                Err(why) => why,
            },
        };
        _ = self.delivered.send(Came::Lost(why));
    }

    async fn refuse(mut self, mut unwritten: Unwritten) {
        while let Some(message) = unwritten.recv().await {
            self.machine.sent(&message, self.clock.ms());
            for action in self.machine.actions() {
                if let FleetAction::Deliver { message, .. } = action {
                    _ = self.delivered.send(Came::Message(message));
                }
            }
        }
    }

    async fn work(&mut self, mut unwritten: Unwritten, client: &Client, bucket: &kv::Store) -> Result<(), String> {
        let mut doing = None;
        let mut is_over = false;
        loop {
            self.act(client).await?;
            while doing.is_none()
                && let Some(action) = self.wanted.pop_front()
            {
                doing = self.begin(action, client, bucket).await?;
            }
            if is_over && doing.is_none() {
                // The connection may take nothing with it that the server has not read.
                return caught_up(client.clone()).await;
            }
            let due = self.machine.next_deadline().map(|at| at.saturating_sub(self.clock.ms()));
            tokio::select! {
                message = unwritten.recv(), if !is_over => {
                    is_over = message.is_none();
                    match message {
                        Some(message) => self.machine.sent(&message, self.clock.ms()),
                        None => self.machine.end(),
                    }
                }
                Some(((_, is_call), message)) = self.taken.next() => self.came(is_call, &message),
                came_of = done(&mut doing) => self.ended(came_of?).await,
                () = sleep(due) => self.machine.tick(self.clock.ms()),
            }
        }
    }

    /// Does what the machine wants, as far as nothing has to be waited for.
    async fn act(&mut self, client: &Client) -> Result<(), String> {
        for action in self.machine.actions() {
            match action {
                FleetAction::Log { level, text } => log(level, &text),
                FleetAction::Deliver { message, .. } => _ = self.delivered.send(Came::Message(message)),
                FleetAction::Publish { subject, message, .. } => {
                    client.publish(subject, message.into()).await.map_err(|error| error.to_string())?;
                }
                action => self.wanted.push_back(action),
            }
        }
        Ok(())
    }

    /// Begins with something at the server; gives what has to be waited for.
    async fn begin(
        &mut self,
        action: FleetAction,
        client: &Client,
        bucket: &kv::Store,
    ) -> Result<Option<Doing<Result<Done, String>>>, String> {
        let bucket = bucket.clone();
        match action {
            FleetAction::Subscribe { subject, shared } => {
                let taken = if shared {
                    client.queue_subscribe(subject.clone(), "workers".to_owned()).await
                } else {
                    client.subscribe(subject.clone()).await
                };
                self.taken.insert((subject, shared), taken.map_err(|error| error.to_string())?);
                Ok(None)
            }
            FleetAction::Unsubscribe { subject } => self.drain(vec![(subject, true)], client).await,
            FleetAction::Drain => self.drain(self.taken.keys().cloned().collect(), client).await,
            // The server reads in order: it has the subscriptions before anyone can read the entry and call.
            FleetAction::Put { key, value } => Ok(Some(Box::pin(async move {
                let stored = bucket.put(key, value.into()).await;
                stored.map(|_| Done::Stored).map_err(|error| error.to_string())
            }))),
            FleetAction::Delete { key } => Ok(Some(Box::pin(async move {
                bucket.delete(key).await.map(|()| Done::Deleted).map_err(|error| error.to_string())
            }))),
            _ => Ok(None),
        }
    }

    /// Ends subscriptions when all that the server sent for them was taken.
    async fn drain(
        &mut self,
        subjects: Vec<Taken>,
        client: &Client,
    ) -> Result<Option<Doing<Result<Done, String>>>, String> {
        for (subject, taken) in self.taken.iter_mut() {
            if subjects.contains(subject) {
                // Neither `unsubscribe` nor `drain`: after them the client drops what the server sends before it has read of
                // it. To the server a number that large is none, so that it ends the subscription at once; the client takes
                // what comes until it is dropped.
                taken.unsubscribe_after(u64::MAX).await.map_err(|error| error.to_string())?;
            }
        }
        let client = client.clone();
        Ok(Some(Box::pin(async move { caught_up(client).await.map(|()| Done::Drained(subjects)) })))
    }

    async fn ended(&mut self, done: Done) {
        match done {
            Done::Stored => self.machine.stored(),
            Done::Deleted => {}
            Done::Drained(subjects) => {
                for subject in subjects {
                    let Some(mut taken) = self.taken.remove(&subject) else { continue };
                    while let Some(message) = left(&mut taken).await {
                        self.came(subject.1, &message);
                    }
                }
                // What it took goes before this.
                if self.taken.is_empty() {
                    _ = self.delivered.send(Came::Drained);
                }
            }
        }
    }

    fn came(&mut self, is_call: bool, message: &Message) {
        let Some(reply) = &message.reply else { return };
        if is_call {
            self.machine.called(reply, &message.payload, self.clock.ms());
        } else {
            self.machine.cancelled(reply);
        }
    }
}
