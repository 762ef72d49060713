//! The loop of an agent's open address: it accepts connections, moves messages, and registers what workers offer.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

use super::connection::{Connection, Incoming, is_ours};
use super::{Clock, log};
use crate::engine::{Engine, Inner};
use hookweave_host::options::CALLBACK_TIMEOUT;
use hookweave_host::remote::{Desk, Hub, HubAction, HubSettings, Level, RemoteHook};

/// Messages that wait to be looked at; the sockets hold the others.
const MAX_UNREAD: usize = 1024;

/// How long the last messages may take at the end.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Listens, and looks after it in a task.
pub(super) fn start(
    engine: &Engine,
    path: PathBuf,
    settings: HubSettings,
    stop: Arc<Notify>,
) -> io::Result<(Arc<Desk>, JoinHandle<()>)> {
    let (listener, inode) = listen(&path)?;
    let bell = Arc::new(Notify::new());
    let clock = Clock::start();
    let max_message = settings.limits.max_message as usize;
    let desk = {
        let bell = Arc::clone(&bell);
        Desk::new(Hub::new(settings), move || clock.ms(), move || bell.notify_one())
    };
    let (sender, incoming) = mpsc::channel(MAX_UNREAD);
    let serving = Serving {
        engine: Arc::downgrade(&engine.inner),
        desk: Arc::clone(&desk),
        path,
        inode,
        max_message,
        sender,
        connections: BTreeMap::new(),
        hooks: BTreeMap::new(),
    };
    Ok((desk, tokio::spawn(serving.run(listener, incoming, bell, stop))))
}

/// A socket for this user alone. One that a process left behind when it was killed is taken away.
fn listen(path: &Path) -> io::Result<(UnixListener, u64)> {
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
    Ok((listener, inode))
}

struct Serving {
    engine: Weak<Inner>,
    desk: Arc<Desk>,
    path: PathBuf,
    /// Of the socket.
    inode: u64,
    max_message: usize,
    sender: mpsc::Sender<Incoming>,
    connections: BTreeMap<u64, Connection>,
    /// The engine's ids of registrations.
    hooks: BTreeMap<u64, String>,
}

impl Serving {
    async fn run(
        mut self,
        listener: UnixListener,
        mut incoming: mpsc::Receiver<Incoming>,
        bell: Arc<Notify>,
        stop: Arc<Notify>,
    ) {
        loop {
            let sleep = self.desk.sleep_ms().map(Duration::from_millis);
            let due = async {
                match sleep {
                    Some(sleep) => tokio::time::sleep(sleep).await,
                    None => std::future::pending().await,
                }
            };
            let actions = tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => self.accept(stream),
                    Err(error) => {
                        log(Level::Error, &format!("no connection was accepted: {error}"));
                        // Without room for a descriptor the next attempt fails at once too.
                        tokio::time::sleep(Duration::from_millis(50)).await;
                        Vec::new()
                    }
                },
                Some(came) = incoming.recv() => self.desk.with(|hub, now| match came {
                    Incoming::Message(connection, message) => hub.receive(connection, &message, now),
                    Incoming::Unreadable(connection, why) => hub.unreadable(connection, &why),
                    Incoming::Lost(connection, why) => hub.lost(connection, &why),
                }),
                () = bell.notified() => self.desk.with(|_, _| ()),
                () = due => self.desk.with(Hub::tick),
                () = stop.notified() => break,
            };
            self.act(actions);
        }
        let last = self.desk.close();
        for written in self.act(last) {
            _ = tokio::time::timeout(LAST_WORDS, written).await;
        }
    }

    fn accept(&mut self, stream: UnixStream) -> Vec<HubAction> {
        if !is_ours(&stream) {
            let why = "a process of another user tried to connect and was refused; run the worker as the agent's user, or as root";
            log(Level::Warning, why);
            return Vec::new();
        }
        let mut number = 0;
        let actions = self.desk.with(|hub, now| number = hub.opened(now));
        self.connections.insert(number, Connection::start(stream, number, self.max_message, self.sender.clone()));
        actions
    }

    /// Does what the hub wants; gives what still has to be written of the connections that ended.
    fn act(&mut self, actions: Vec<HubAction>) -> Vec<JoinHandle<()>> {
        let mut actions = VecDeque::from(actions);
        let mut ended = Vec::new();
        while let Some(action) = actions.pop_front() {
            match action {
                HubAction::Send { connection, message } => {
                    let is_taken = self.connections.get(&connection).is_none_or(|open| open.send(&message));
                    if !is_taken {
                        self.connections.remove(&connection);
                        actions.extend(self.desk.with(|hub, _| hub.lost(connection, "it does not read what is sent")));
                    }
                }
                HubAction::Close { connection, .. } => {
                    ended.extend(self.connections.remove(&connection).and_then(Connection::end));
                }
                HubAction::Register { registration, spec, .. } => {
                    let link: Arc<Desk> = Arc::clone(&self.desk);
                    let hook = RemoteHook::new(registration, &spec, Some(CALLBACK_TIMEOUT), link);
                    let registered = match self.engine.upgrade() {
                        Some(inner) => Engine { inner }.register_outside(*spec, Arc::new(hook)),
                        None => return ended,
                    };
                    let came_of = registered.map(|id| _ = self.hooks.insert(registration, id));
                    let came_of = came_of.map_err(|error| error.message().to_owned());
                    actions.extend(self.desk.with(|hub, _| hub.registered(registration, came_of)));
                }
                HubAction::Unregister { registration } => {
                    if let (Some(id), Some(inner)) = (self.hooks.remove(&registration), self.engine.upgrade()) {
                        Engine { inner }.unregister_hook(&id);
                    }
                }
                HubAction::Log { level, text } => log(level, &text),
                // A desk reports these itself.
                _ => {}
            }
        }
        ended
    }
}

impl Drop for Serving {
    /// Also where the task was aborted: no hook may wait for workers that nobody listens to.
    fn drop(&mut self) {
        let last = self.desk.close();
        drop(self.act(last));
        // Another agent may have taken the place of a socket that somebody removed.
        if std::fs::symlink_metadata(&self.path).is_ok_and(|found| found.ino() == self.inode) {
            _ = std::fs::remove_file(&self.path);
        }
    }
}
