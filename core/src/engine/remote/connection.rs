//! One connection, over whatever carries it: messages in, messages out.

use std::time::Duration;

#[cfg(any(feature = "grpc", feature = "nats"))]
use tokio::sync::oneshot;
use tokio::sync::{mpsc, watch};
use tokio::task::{AbortHandle, JoinHandle};

#[cfg(feature = "nats")]
use hookweave_host::remote::Message as _;
#[cfg(feature = "nats")]
use hookweave_host::remote::wire::{HookResponse, Leave};

/// Messages that wait to be written; a side that does not read them is lost.
const MAX_UNWRITTEN: usize = 4096;

/// Messages that wait to be looked at; the sockets hold the others.
const MAX_UNREAD: usize = 1024;

/// Connections that wait to be looked at; further ones wait where they come from.
#[cfg(any(feature = "grpc", feature = "nats"))]
const MAX_ARRIVED: usize = 16;

/// How long the last messages may take at the end.
pub(super) const LAST_WORDS: Duration = Duration::from_secs(5);

/// What came of a connection, under its number.
#[derive(Debug)]
pub(super) enum Incoming {
    /// It was made.
    Opened(u64, Connection),
    Message(u64, Vec<u8>),
    /// A message that is too large; nothing after it can be read.
    Unreadable(u64, String),
    /// A worker that wants to leave has all that was sent to it; see [`Connection::leave`].
    #[cfg(feature = "nats")]
    Drained(u64),
    /// It has ended, or could not be made.
    Lost(u64, String),
}

/// Where what comes of an end's connections goes.
#[derive(Debug, Clone)]
pub(super) struct Inbox {
    pub(super) sender: mpsc::Sender<Incoming>,
    /// The longest message that is taken, in bytes.
    pub(super) max_message: usize,
}

impl Inbox {
    pub(super) fn new(max_message: usize) -> (Self, mpsc::Receiver<Incoming>) {
        let (sender, incoming) = mpsc::channel(MAX_UNREAD);
        (Self { sender, max_message }, incoming)
    }
}

/// Set when the workers that were there have their hooks in force, or with why they never will.
pub(super) type Ready = watch::Receiver<Option<Result<(), String>>>;

/// What comes to a task that listens, until it is told to stop.
#[cfg(any(feature = "grpc", feature = "nats"))]
#[derive(Debug)]
pub(super) struct Arrivals<T> {
    arrived: mpsc::Receiver<T>,
    /// Dropping it stops the task too.
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

#[cfg(any(feature = "grpc", feature = "nats"))]
impl<T> Arrivals<T> {
    /// Starts the task; what it waits for at the end comes when it shall stop.
    pub(super) fn of<F>(listen: impl FnOnce(mpsc::Sender<T>, oneshot::Receiver<()>) -> F) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (sender, arrived) = mpsc::channel(MAX_ARRIVED);
        let (stop, stopped) = oneshot::channel();
        Self { arrived, stop: Some(stop), task: tokio::spawn(listen(sender, stopped)) }
    }

    /// The next that comes.
    pub(super) async fn next(&mut self) -> T {
        match self.arrived.recv().await {
            Some(arrived) => arrived,
            // The task has ended, and said why.
            None => std::future::pending().await,
        }
    }

    /// Takes nothing more, and waits until the task has said what is left to be said.
    pub(super) async fn close(&mut self) {
        self.arrived.close();
        while self.arrived.try_recv().is_ok() {}
        self.stop = None;
        if tokio::time::timeout(LAST_WORDS, &mut self.task).await.is_err() {
            self.task.abort();
        }
    }
}

/// Messages on their way to a transport, which ends the connection when it has written all of them.
pub(super) type Unwritten = mpsc::Receiver<Vec<u8>>;

/// A connection's writing end; dropping it ends the connection when all is written.
#[derive(Debug)]
pub(super) struct Connection {
    writer: mpsc::Sender<Vec<u8>>,
    reader: Option<AbortHandle>,
    /// Ends when all is written.
    written: Option<JoinHandle<()>>,
    /// See [`Self::leave`].
    #[cfg(feature = "nats")]
    drains: bool,
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(reader) = &self.reader {
            reader.abort();
        }
    }
}

impl Connection {
    /// Its transport starts a task that reads, and one that ends when all is written.
    pub(super) fn new(start: impl FnOnce(Unwritten) -> (AbortHandle, JoinHandle<()>)) -> Self {
        let (writer, unwritten) = mpsc::channel(MAX_UNWRITTEN);
        let (reader, written) = start(unwritten);
        Self {
            writer,
            reader: Some(reader),
            written: Some(written),
            #[cfg(feature = "nats")]
            drains: false,
        }
    }

    /// The same, where others share what is sent to the worker: it drains before it leaves.
    #[cfg(feature = "nats")]
    pub(super) fn shared(start: impl FnOnce(Unwritten) -> (AbortHandle, JoinHandle<()>)) -> Self {
        let mut shared = Self::new(start);
        shared.drains = true;
        shared
    }

    /// Has a worker sent nothing new before it leaves, where others take that: [`Incoming::Drained`] tells when all that was sent
    /// has come. False where it may leave at once.
    #[cfg(feature = "nats")]
    pub(super) fn leave(&self) -> bool {
        let leave = HookResponse { leave: Some(Leave {}), ..HookResponse::default() };
        self.drains && self.send(leave.encode_to_vec())
    }

    /// Reads no more, and writes what is left: the task that it gives ends then.
    pub(super) fn end(mut self) -> Option<JoinHandle<()>> {
        let written = self.written.take();
        // One task that does both ends with the other side, which has all then.
        if written.as_ref().map(JoinHandle::id) == self.reader.as_ref().map(AbortHandle::id) {
            self.reader = None;
        }
        written
    }

    /// Sends a message; false where the other side does not read.
    pub(super) fn send(&self, message: Vec<u8>) -> bool {
        self.writer.try_send(message).is_ok()
    }
}
