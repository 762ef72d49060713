//! Unix sockets, for processes of one user: each message behind its length.

use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};

use super::connection::{Connection, Inbox, Incoming, Unwritten};
use super::log;
use hookweave_host::remote::Level;
use hookweave_host::remote::frames::{Frames, frame};

/// A socket that workers connect to; it goes with this.
#[derive(Debug)]
pub(super) struct Socket {
    listener: UnixListener,
    path: PathBuf,
    inode: u64,
}

impl Drop for Socket {
    fn drop(&mut self) {
        // Another agent may have taken the place of a socket that somebody removed.
        if std::fs::symlink_metadata(&self.path).is_ok_and(|found| found.ino() == self.inode) {
            _ = std::fs::remove_file(&self.path);
        }
    }
}

impl Socket {
    /// A socket for this user alone. One that a process left behind when it was killed is taken away.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let is_socket = std::fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket());
        if is_socket
            && std::os::unix::net::UnixStream::connect(path)
                .is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
        {
            std::fs::remove_file(path)?;
        }
        let listener = UnixListener::bind(path)?;
        // Until then a foreign process may connect, which is refused by who runs it.
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
        let inode = std::fs::symlink_metadata(path)?.ino();
        Ok(Self { listener, path: path.to_owned(), inode })
    }

    /// The next connection of a process of this user.
    pub(super) async fn accept(&self) -> io::Result<UnixStream> {
        loop {
            let (stream, _) = self.listener.accept().await?;
            if is_ours(&stream) {
                return Ok(stream);
            }
            let why = "a process of another user tried to connect and was refused; run the worker as the agent's user, or as root";
            log(Level::Warning, why);
        }
    }
}

/// Connects to an agent; `Err` says why not.
pub(super) async fn connect(path: &Path, number: u64, inbox: Inbox) -> Result<Connection, String> {
    match UnixStream::connect(path).await {
        Ok(stream) if is_ours(&stream) => Ok(carry(stream, number, inbox)),
        Ok(_) => {
            Err("a process of another user listens there; run the agent as the worker's user, or as root".to_owned())
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Whether the other side runs as this user or as root.
fn is_ours(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == 0 || peer.uid() == rustix::process::geteuid().as_raw())
}

/// Reads and writes in tasks of the runtime; what comes goes to the inbox under a number.
pub(super) fn carry(stream: UnixStream, number: u64, inbox: Inbox) -> Connection {
    let (reading, writing) = stream.into_split();
    Connection::new(|unwritten| {
        let reader = tokio::spawn(read(reading, number, inbox)).abort_handle();
        (reader, tokio::spawn(write(writing, unwritten)))
    })
}

async fn read(mut stream: OwnedReadHalf, number: u64, inbox: Inbox) {
    let mut frames = Frames::new(inbox.max_message);
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
                    if inbox.sender.send(Incoming::Message(number, message)).await.is_err() {
                        return;
                    }
                }
                Err(too_large) => break 'reading Incoming::Unreadable(number, too_large.to_string()),
            }
        }
    };
    // Nobody listens any more where the end was closed meanwhile.
    _ = inbox.sender.send(end).await;
}

async fn write(mut stream: OwnedWriteHalf, mut unwritten: Unwritten) {
    while let Some(message) = unwritten.recv().await {
        // A message whose length has no room in 4 bytes ends the connection, as one that cannot be written does; the reader
        // notices it too, and tells.
        let Some(framed) = frame(&message) else { return };
        if stream.write_all(&framed).await.is_err() {
            return;
        }
    }
    _ = stream.shutdown().await;
}
