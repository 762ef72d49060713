//! Fleets at a NATS server: what the machines of a group want done is done there; neither end connects to the other.

mod agent;
mod worker;

use std::error::Error as _;
use std::fmt;
use std::future::{poll_fn, ready};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use async_nats::jetstream::{Context, kv};
use async_nats::{Auth, AuthError, Client, ConnectError, ConnectErrorKind, ConnectOptions, Event, Message, Subscriber};
use rustls::CertificateError as Reason;
use tokio::sync::mpsc;
use tokio_stream::{Stream as _, StreamExt as _};

use super::address::{self, refused};
use super::connection::{Inbox, Incoming};
use super::options::Tls;
use super::{log, tls};
use hookweave_host::error::Error;
use hookweave_host::remote::{BUCKET, BUCKET_TTL_MS, Level, is_name};

pub(super) use agent::{Arrived, Fleet};
pub(super) use worker::Member;

/// How long a connection may take until it stands, and the server until it has done what was wanted.
const PATIENCE: Duration = Duration::from_secs(10);

/// What came for an end of a group.
enum Came {
    Message(Vec<u8>),
    /// All that was sent to a worker that leaves has come.
    Drained,
    /// There are no more messages, for this reason.
    Lost(String),
}

/// Something that is done at the server.
type Doing<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A way to a server, and who the program is to it.
#[derive(Clone)]
struct Broker {
    server: String,
    login: Auth,
    tls: rustls::ClientConfig,
    is_encrypted: bool,
    /// How long the server may be silent before it is asked whether it is there.
    asks_each: Duration,
}

impl fmt::Debug for Broker {
    /// Without its secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Broker").field("server", &self.server).finish_non_exhaustive()
    }
}

/// Why there is no server.
#[derive(Debug)]
struct NoServer {
    why: String,
    /// The server does not know the program.
    is_stranger: bool,
}

impl From<String> for NoServer {
    fn from(why: String) -> Self {
        Self { why, is_stranger: false }
    }
}

/// A connection to a server with the bucket of all workers.
struct Server {
    client: Client,
    bucket: kv::Store,
    events: mpsc::UnboundedReceiver<Event>,
}

impl Broker {
    fn at(
        address: &str,
        read: address::Broker,
        token: Option<&String>,
        tls: Option<&Tls>,
        insecure: bool,
        keepalive_ms: u64,
    ) -> Result<Self, Error> {
        if tls.is_none() && !insecure && !read.host.is_loopback() {
            let why = "others could read and change what is sent; give `tls`, which may be empty, or set `insecure`";
            return Err(refused(address, why));
        }
        let mut login = Auth::new();
        (login.username, login.password, login.token) = (read.user, read.password, token.cloned());
        Ok(Self {
            server: format!("nats://{}", read.host.authority(read.host.port)),
            login,
            tls: tls::of_client(address, tls)?,
            is_encrypted: tls.is_some(),
            // The client gives up on a server after three of these, which are two keepalives.
            asks_each: Duration::from_millis((keepalive_ms.saturating_mul(2) / 3).max(1)),
        })
    }

    /// Connects, and opens the bucket.
    async fn open(&self) -> Result<Server, NoServer> {
        let (told, events) = mpsc::unbounded_channel();
        let stands = Arc::new(AtomicBool::new(false));
        let (login, has_stood) = (self.login.clone(), Arc::clone(&stands));
        let options = ConnectOptions::with_auth_callback(move |_| {
            // The machines connect again when it is time; what the client does by itself ends here.
            let ends = || AuthError::new("hookweave connects again by itself");
            ready(if has_stood.load(Ordering::Relaxed) { Err(ends()) } else { Ok(login.clone()) })
        });
        let options = options
            .max_reconnects(1)
            .ignore_discovered_servers()
            .connection_timeout(PATIENCE)
            .ping_interval(self.asks_each)
            .require_tls(self.is_encrypted)
            .tls_client_config(self.tls.clone())
            .event_callback(move |event| {
                _ = told.send(event);
                ready(())
            });
        let client = options.connect(&self.server).await.map_err(|error| NoServer {
            is_stranger: error.kind() == ConnectErrorKind::AuthorizationViolation,
            why: self.said(&error),
        })?;
        stands.store(true, Ordering::Relaxed);
        let bucket = bucket(&async_nats::jetstream::new(client.clone())).await?;
        Ok(Server { client, bucket, events })
    }

    /// What went wrong, for a person.
    fn said(&self, error: &ConnectError) -> String {
        let encrypting = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
        let encrypting = encrypting.and_then(io::Error::get_ref).and_then(|cause| cause.downcast_ref());
        match encrypting {
            Some(rustls::Error::InvalidMessage(_)) => {
                "the server does not encrypt; set up `tls` there, or leave it out here".to_owned()
            }
            Some(rustls::Error::InvalidCertificate(_)) if !self.is_encrypted => {
                "the server encrypts; give `tls`, which may be empty for the system's roots".to_owned()
            }
            Some(rustls::Error::InvalidCertificate(why @ (Reason::UnknownIssuer | Reason::BadSignature))) => {
                format!("the server's certificate comes from none who is trusted here ({why}); give `ca` in `tls`")
            }
            _ if error.kind() == ConnectErrorKind::AuthorizationViolation => "Authorization Violation".to_owned(),
            _ => error.to_string(),
        }
    }
}

/// The bucket of all workers, which the first that needs it makes.
async fn bucket(context: &Context) -> Result<kv::Store, String> {
    if let Ok(bucket) = context.get_key_value(BUCKET).await {
        return Ok(bucket);
    }
    let max_age = Duration::from_millis(BUCKET_TTL_MS);
    let config = kv::Config { bucket: BUCKET.to_owned(), history: 1, max_age, ..kv::Config::default() };
    let error = match context.create_key_value(config).await {
        Ok(bucket) => return Ok(bucket),
        Err(error) => error,
    };
    // Another program may have made it meanwhile.
    context
        .get_key_value(BUCKET)
        .await
        .map_err(|_| format!("the bucket `{BUCKET}` can neither be opened nor made: {error}; turn JetStream on there"))
}

impl Server {
    /// How long the bucket keeps an entry, in milliseconds.
    fn bucket_ttl_ms(&self) -> u64 {
        match self.bucket.stream.cached_info().config.max_age {
            Duration::ZERO => BUCKET_TTL_MS,
            age => u64::try_from(age.as_millis()).unwrap_or(u64::MAX),
        }
    }

    /// The longest message that the server takes, in bytes.
    fn max_payload(&self) -> u32 {
        u32::try_from(self.client.max_payload()).unwrap_or(u32::MAX)
    }

    /// Waits until the connection has ended; says why.
    async fn ended(&mut self) -> String {
        loop {
            match self.events.recv().await {
                Some(Event::ServerError(error)) => log(Level::Warning, &format!("the server complains: {error}")),
                Some(Event::SlowConsumer(_)) => return "more came than was taken, and is lost".to_owned(),
                Some(Event::Disconnected | Event::Closed) | None => {
                    return "the server closed the connection".to_owned();
                }
                Some(_) => {}
            }
        }
    }
}

/// Waits until the server has done all that it was sent before; what it sent until then has come.
async fn caught_up(client: Client) -> Result<(), String> {
    let asked = async {
        let inbox = client.new_inbox();
        let mut own = client.subscribe(inbox.clone()).await.map_err(|error| error.to_string())?;
        client.publish(inbox, Vec::new().into()).await.map_err(|error| error.to_string())?;
        own.next().await.map(|_| ()).ok_or_else(|| "the connection has ended".to_owned())
    };
    let late = |_| "the server did not answer in time".to_owned();
    tokio::time::timeout(PATIENCE, asked).await.map_err(late)?
}

/// What has come for a subscription already.
async fn left(taken: &mut Subscriber) -> Option<Message> {
    let next = poll_fn(|context| match Pin::new(&mut *taken).poll_next(context) {
        Poll::Ready(message) => Poll::Ready(message),
        Poll::Pending => Poll::Ready(None),
    });
    // It may not look empty because the task has done much already.
    tokio::task::unconstrained(next).await
}

/// What comes of something that is done; nothing while nothing is.
async fn done<T>(doing: &mut Option<Doing<T>>) -> T {
    let came_of = match doing {
        Some(doing) => doing.await,
        None => std::future::pending().await,
    };
    *doing = None;
    came_of
}

/// Hands on what came, to an end of the protocol.
async fn hand_on(mut came: mpsc::UnboundedReceiver<Came>, number: u64, inbox: Inbox) {
    while let Some(came) = came.recv().await {
        let came = match came {
            Came::Message(message) => Incoming::Message(number, message),
            Came::Drained => Incoming::Drained(number),
            Came::Lost(why) => Incoming::Lost(number, why),
        };
        // Nobody listens any more where the end was closed meanwhile.
        if inbox.sender.send(came).await.is_err() {
            return;
        }
    }
}

/// A group is a worker's name to agents.
fn check_group(address: &str, group: &str) -> Result<(), Error> {
    if is_name(group) {
        return Ok(());
    }
    let why = format!("a group's name has 1 to 64 letters, digits, dots, dashes or underscores, unlike `{group}`");
    Err(refused(address, why))
}

fn nameless(address: &str) -> Error {
    refused(address, "workers are found by their groups there; name them: `groups` to serve, `group` to connect")
}
