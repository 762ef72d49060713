//! An agent's connection to its groups, which is made again when it is lost.

use std::collections::{BTreeMap, BTreeSet};

use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::push::{Ordered, OrderedConfig};
use async_nats::jetstream::{self};
use async_nats::{Client, Message, StatusCode, Subscriber};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;
use tokio_stream::{StreamExt as _, StreamMap};

use super::super::connection::{Arrivals, Connection, Inbox, LAST_WORDS, Ready, Unwritten};
use super::super::options::ServeOptions;
use super::super::{Clock, address, log, random, sleep};
use super::{Broker, Came, Doing, NoServer, PATIENCE, Server, caught_up, check_group, done, hand_on, nameless};
use hookweave_host::error::Error;
use hookweave_host::remote::wire::HookEvent;
use hookweave_host::remote::{Backoff, FleetAction, FleetAgent, FleetAgentSettings, Level, Message as _};

/// Messages to groups that wait to be looked at.
const MAX_UNREAD: usize = 1024;

/// Groups at a server, as what an agent listens at.
#[derive(Debug)]
pub(in super::super) struct Fleet {
    pub(in super::super) groups: Arrivals<Arrived>,
    ready: Ready,
}

impl Fleet {
    /// Connects in a task; gives the address too, without a password.
    pub(in super::super) fn open(
        address: &str,
        read: address::Broker,
        options: &ServeOptions,
    ) -> Result<(Self, String), Error> {
        let ServeOptions { groups, token, limits, tls, insecure, .. } = options;
        if groups.is_empty() {
            return Err(nameless(address));
        }
        groups.iter().try_for_each(|group| check_group(address, group))?;
        let broker = Broker::at(address, read, token.as_ref(), tls.as_ref(), *insecure, limits.keepalive_ms)?;
        let server = broker.server.clone();
        let settings = FleetAgentSettings {
            groups: groups.clone(),
            token: token.clone(),
            keepalive_ms: limits.keepalive_ms,
            max_message: limits.max_message,
            backoff: Backoff::default(),
        };
        let (told, tells) = mpsc::channel(MAX_UNREAD);
        let (known, ready) = watch::channel(None);
        let groups = Arrivals::of(|arrives, stopped| {
            let agent = Agent {
                machine: FleetAgent::new(settings),
                clock: Clock::start(),
                broker,
                connecting: None,
                standing: None,
                groups: BTreeMap::new(),
                last: 0,
                arrives,
                told: Some(told),
                known,
                is_told: false,
                awaited: BTreeSet::new(),
            };
            agent.run(tells, stopped)
        });
        Ok((Self { groups, ready }, server))
    }

    pub(in super::super) fn ready(&self) -> Ready {
        self.ready.clone()
    }
}

/// A group's connection, before it has a number.
#[derive(Debug)]
pub(in super::super) struct Arrived {
    group: String,
    /// Of the connection: what is said to an earlier one of the group does not count.
    connection: u64,
    came: mpsc::UnboundedReceiver<Came>,
    told: mpsc::Sender<Told>,
}

impl Arrived {
    pub(in super::super) fn carry(self, number: u64, inbox: Inbox) -> Connection {
        let Self { group, connection, came, told } = self;
        Connection::new(|unwritten| {
            let reader = tokio::spawn(hand_on(came, number, inbox)).abort_handle();
            (reader, tokio::spawn(tell(unwritten, group, connection, told)))
        })
    }
}

/// What the agent's hub says to a group: a message, or that it closed the connection.
#[derive(Debug)]
struct Told {
    group: String,
    connection: u64,
    message: Option<Vec<u8>>,
}

/// Tells what the hub says, until it closes the connection.
async fn tell(mut unwritten: Unwritten, group: String, connection: u64, told: mpsc::Sender<Told>) {
    loop {
        let message = unwritten.recv().await;
        let is_last = message.is_none();
        let sent = told.send(Told { group: group.clone(), connection, message }).await;
        if is_last || sent.is_err() {
            return;
        }
    }
}

/// A connection to the server that stands.
struct Standing {
    server: Server,
    inbox: String,
    replies: Subscriber,
    /// What the bucket has, by pattern of keys.
    watched: StreamMap<String, Ordered>,
    /// The patterns of which not all was told yet, and until when that may take.
    untold: BTreeSet<String>,
    patience: Instant,
}

/// What came of a connection to the server.
enum Heard {
    Reply(Message),
    /// An entry of the bucket.
    Entry(String, Box<jetstream::Message>),
    Lost(String),
}

impl Standing {
    async fn at(broker: Broker, keys: Vec<String>) -> Result<Self, NoServer> {
        let server = broker.open().await?;
        let inbox = server.client.new_inbox();
        let replies = server.client.subscribe(format!("{inbox}.*")).await.map_err(|error| error.to_string())?;
        let (mut watched, mut untold) = (StreamMap::new(), BTreeSet::new());
        for key in keys {
            let config = OrderedConfig {
                deliver_subject: server.client.new_inbox(),
                filter_subject: format!("{}{key}", server.bucket.prefix),
                deliver_policy: DeliverPolicy::LastPerSubject,
                ..OrderedConfig::default()
            };
            let watching = server.bucket.stream.create_consumer(config).await.map_err(|error| error.to_string())?;
            if watching.cached_info().num_pending > 0 {
                untold.insert(key.clone());
            }
            watched.insert(key, watching.messages().await.map_err(|error| error.to_string())?);
        }
        Ok(Self { server, inbox, replies, watched, untold, patience: Instant::now() + PATIENCE })
    }

    async fn next(&mut self) -> Heard {
        tokio::select! {
            why = self.server.ended() => Heard::Lost(why),
            reply = self.replies.next() => match reply {
                Some(message) => Heard::Reply(message),
                None => Heard::Lost("the connection has ended".to_owned()),
            },
            Some((key, entry)) = self.watched.next() => match entry {
                Ok(entry) => Heard::Entry(key, Box::new(entry)),
                Err(error) => Heard::Lost(error.to_string()),
            },
            () = tokio::time::sleep_until(self.patience), if !self.untold.is_empty() => {
                Heard::Lost("the server did not tell in time who is in the groups".to_owned())
            }
        }
    }
}

/// What comes of the connection; nothing while there is none.
async fn heard(standing: &mut Option<Box<Standing>>) -> Heard {
    match standing {
        Some(standing) => standing.next().await,
        None => std::future::pending().await,
    }
}

struct Agent {
    machine: FleetAgent,
    clock: Clock,
    broker: Broker,
    connecting: Option<Doing<Result<Standing, NoServer>>>,
    standing: Option<Box<Standing>>,
    /// The connections of groups, and where what comes for them goes.
    groups: BTreeMap<String, (u64, mpsc::UnboundedSender<Came>)>,
    last: u64,
    arrives: mpsc::Sender<Arrived>,
    /// None at the end.
    told: Option<mpsc::Sender<Told>>,
    known: watch::Sender<Option<Result<(), String>>>,
    /// The server has told once who is there.
    is_told: bool,
    /// The groups whose hooks are not in force yet.
    awaited: BTreeSet<String>,
}

impl Agent {
    async fn run(mut self, mut tells: mpsc::Receiver<Told>, mut stopped: oneshot::Receiver<()>) {
        loop {
            if let Err(why) = self.act().await {
                self.lost(&why);
            }
            if matches!(&*self.known.borrow(), Some(Err(_))) {
                return;
            }
            if self.is_told && self.awaited.is_empty() && self.known.borrow().is_none() {
                self.known.send_replace(Some(Ok(())));
            }
            let due = self.machine.next_deadline().map(|at| at.saturating_sub(self.clock.ms()));
            tokio::select! {
                opened = done(&mut self.connecting) => match opened {
                    Ok(standing) => self.stands(standing),
                    Err(NoServer { why, .. }) => self.lost(&why),
                },
                heard = heard(&mut self.standing) => match heard {
                    Heard::Reply(message) => self.replied(&message),
                    Heard::Entry(key, entry) => self.entry(&key, &entry),
                    Heard::Lost(why) => self.lost(&why),
                },
                Some(told) = tells.recv() => self.hub_says(told),
                () = sleep(due) => self.machine.tick(self.clock.ms()),
                _ = &mut stopped => break,
            }
        }
        self.end(tells).await;
    }

    /// Says what is left to be said, and ends the connection.
    async fn end(mut self, mut tells: mpsc::Receiver<Told>) {
        let Some(client) = self.standing.as_ref().map(|standing| standing.server.client.clone()) else { return };
        // What is told ends with the groups' connections.
        self.told = None;
        while let Ok(Some(told)) = tokio::time::timeout(LAST_WORDS, tells.recv()).await {
            self.hub_says(told);
            if self.act().await.is_err() {
                return;
            }
        }
        _ = caught_up(client).await;
    }

    /// Does what the machine wants, until it wants nothing more; `Err` says why the server did not take it.
    async fn act(&mut self) -> Result<(), String> {
        let mut came_of = Ok(());
        for action in self.machine.actions() {
            match action {
                FleetAction::Connect => {
                    self.connecting = Some(Box::pin(Standing::at(self.broker.clone(), self.machine.keys())));
                }
                FleetAction::Open { group } => {
                    let Some(told) = self.told.clone() else { continue };
                    self.last += 1;
                    let (sender, came) = mpsc::unbounded_channel();
                    self.groups.insert(group.clone(), (self.last, sender));
                    self.awaited.insert(group.clone());
                    // Nobody takes it any more where the agent has closed meanwhile.
                    _ = self.arrives.send(Arrived { group, connection: self.last, came, told }).await;
                }
                FleetAction::Deliver { group, message } => {
                    if let Some((_, came)) = self.groups.get(&group) {
                        _ = came.send(Came::Message(message));
                    }
                }
                FleetAction::Lost { group, why } => {
                    if let Some((_, came)) = self.groups.remove(&group) {
                        _ = came.send(Came::Lost(why));
                    }
                    self.awaited.remove(&group);
                }
                FleetAction::Publish { subject, reply, message } => {
                    if let (Some(standing), Ok(())) = (&self.standing, &came_of) {
                        came_of = publish(&standing.server.client, subject, reply, message).await;
                    }
                }
                FleetAction::Log { level, text } => log(level, &text),
                // The others are a worker's.
                _ => {}
            }
        }
        came_of
    }

    fn stands(&mut self, standing: Standing) {
        self.machine.connected(&standing.inbox, standing.server.max_payload());
        let has_all = standing.untold.is_empty();
        self.standing = Some(Box::new(standing));
        if has_all {
            self.has_all();
        }
    }

    fn entry(&mut self, pattern: &str, entry: &jetstream::Message) {
        let Some(standing) = &mut self.standing else { return };
        let Some(key) = entry.subject.strip_prefix(&*standing.server.bucket.prefix) else { return };
        let said = |name| entry.headers.as_ref().and_then(|headers| headers.get(name));
        // The server itself marks what has gone by its age.
        let is_gone = said("KV-Operation").is_some_and(|operation| operation.as_str() != "PUT")
            || said("Nats-Marker-Reason").is_some();
        let value = (!is_gone).then_some(&*entry.payload);
        self.machine.entry(key, value, self.clock.ms());
        let is_last = entry.info().is_ok_and(|info| info.pending == 0);
        if is_last && standing.untold.remove(pattern) && standing.untold.is_empty() {
            self.has_all();
        }
    }

    fn has_all(&mut self) {
        self.machine.has_all();
        self.is_told = true;
    }

    fn replied(&mut self, message: &Message) {
        if message.status == Some(StatusCode::NO_RESPONDERS) {
            self.machine.unanswered(&message.subject);
        } else {
            self.machine.replied(&message.subject, &message.payload, self.clock.ms());
        }
    }

    fn hub_says(&mut self, told: Told) {
        let Told { group, connection, message } = told;
        if self.groups.get(&group).is_none_or(|(current, _)| *current != connection) {
            return;
        }
        let now = self.clock.ms();
        let Some(message) = message else {
            self.groups.remove(&group);
            self.awaited.remove(&group);
            return self.machine.closed(&group, now);
        };
        if self.awaited.contains(&group) && HookEvent::decode(&*message).is_ok_and(|event| event.complete.is_some()) {
            self.awaited.remove(&group);
        }
        self.machine.sent(&group, &message, now);
    }

    fn lost(&mut self, why: &str) {
        self.standing = None;
        if self.is_told {
            return self.machine.lost(why, self.clock.ms(), random());
        }
        // As with an address that cannot be listened at, whoever set it up is told, and it is not tried again.
        let why = format!("{why}; start a server with JetStream there, and give a token or a user that it knows");
        log(Level::Error, &format!("the agent takes no workers at {}: {why}", self.broker.server));
        self.known.send_replace(Some(Err(why)));
    }
}

async fn publish(client: &Client, subject: String, reply: Option<String>, message: Vec<u8>) -> Result<(), String> {
    let published = match reply {
        Some(reply) => client.publish_with_reply(subject, reply, message.into()).await,
        None => client.publish(subject, message.into()).await,
    };
    published.map_err(|error| error.to_string())
}
