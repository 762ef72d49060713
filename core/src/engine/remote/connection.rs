//! One connection over a Unix socket: messages in, messages out, each behind its length.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinHandle};

use hookweave_host::remote::frames::{Frames, frame};

/// Messages that wait to be written; a side that does not read them is lost.
const MAX_UNWRITTEN: usize = 4096;

/// What came of a connection, under its number.
#[derive(Debug)]
pub(super) enum Incoming {
    Message(u64, Vec<u8>),
    /// A message that is too large; nothing after it can be read.
    Unreadable(u64, String),
    Lost(u64, String),
}

/// A connection's writing end; dropping it ends the connection when all is written.
#[derive(Debug)]
pub(super) struct Connection {
    writer: mpsc::Sender<Vec<u8>>,
    reader: AbortHandle,
    /// Ends when all is written.
    written: Option<JoinHandle<()>>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl Connection {
    /// Reads and writes in tasks of the runtime; what comes goes to `incoming` under a number.
    pub(super) fn start(stream: UnixStream, number: u64, max_message: usize, incoming: mpsc::Sender<Incoming>) -> Self {
        let (reading, writing) = stream.into_split();
        let (writer, unwritten) = mpsc::channel(MAX_UNWRITTEN);
        let reader = tokio::spawn(read(reading, number, max_message, incoming)).abort_handle();
        Self { writer, reader, written: Some(tokio::spawn(write(writing, unwritten))) }
    }

    /// Reads no more, and writes what is left: the task that it gives ends then.
    pub(super) fn end(mut self) -> Option<JoinHandle<()>> {
        self.written.take()
    }

    /// Sends a message; false where the other side does not read.
    pub(super) fn send(&self, message: &[u8]) -> bool {
        frame(message).is_some_and(|framed| self.writer.try_send(framed).is_ok())
    }
}

/// Whether the other side runs as this user or as root.
pub(super) fn is_ours(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == 0 || peer.uid() == rustix::process::geteuid().as_raw())
}

async fn read(mut stream: OwnedReadHalf, number: u64, max_message: usize, incoming: mpsc::Sender<Incoming>) {
    let mut frames = Frames::new(max_message);
    let mut chunk = vec![0; 64 * 1024];
    let end = 'reading: loop {
        let length = match stream.read(&mut chunk).await {
            Ok(0) => break Incoming::Lost(number, "the connection was closed".to_owned()),
            Ok(length) => length,
            Err(error) => break Incoming::Lost(number, error.to_string()),
        };
        frames.push(chunk.get(..length).unwrap_or_default());
        loop {
            match frames.next_message() {
                Ok(None) => break,
                Ok(Some(message)) => {
                    if incoming.send(Incoming::Message(number, message)).await.is_err() {
                        return;
                    }
                }
                Err(too_large) => break 'reading Incoming::Unreadable(number, too_large.to_string()),
            }
        }
    };
    // Nobody listens any more where the end was closed meanwhile.
    _ = incoming.send(end).await;
}

async fn write(mut stream: OwnedWriteHalf, mut unwritten: mpsc::Receiver<Vec<u8>>) {
    while let Some(framed) = unwritten.recv().await {
        if stream.write_all(&framed).await.is_err() {
            // The reader notices it too, and tells.
            return;
        }
    }
    _ = stream.shutdown().await;
}
