//! An engine as a worker: an agent runs its hooks.

use std::sync::Arc;

use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use super::address::{check_runtime, refused, socket};
use super::state::RemoteState;
use crate::engine::Engine;
use hookweave_host::clock::new_id;
use hookweave_host::error::Error;
use hookweave_host::remote::{Backoff, Limits, WorkerSettings, is_name};

/// How an engine connects to its agent.
#[derive(Debug, Clone, Default)]
pub struct ConnectOptions {
    /// The worker's name: the same after a restart, so that the agent knows its hooks again; the program's file name unless
    /// set. One worker of a name is connected at a time.
    pub name: Option<String>,
    /// The token that the agent wants.
    pub token: Option<String>,
    /// The bounds of the connection.
    pub limits: Limits,
    /// How long it waits before it connects again.
    pub backoff: Backoff,
}

/// An engine's connection to its agent, which is made again when it is lost; dropping it ends the connection.
#[derive(Debug)]
#[must_use = "the connection ends when this is dropped"]
pub struct WorkerConnection {
    address: String,
    state: watch::Receiver<RemoteState>,
    leave: Arc<Notify>,
    task: Option<JoinHandle<()>>,
}

impl WorkerConnection {
    /// How it stands.
    #[must_use]
    pub fn state(&self) -> RemoteState {
        self.state.borrow().clone()
    }

    /// Waits until the engine's hooks are in force at the agent; `invalid_option` where the agent refused the worker for
    /// good.
    pub async fn ready(&mut self) -> Result<(), Error> {
        let ended = |state: &RemoteState| matches!(state, RemoteState::Ready | RemoteState::Closed(_));
        let why = match self.state.wait_for(ended).await {
            Ok(state) => match &*state {
                RemoteState::Closed(why) => why.clone(),
                _ => return Ok(()),
            },
            Err(_) => "the runtime or the engine has ended".to_owned(),
        };
        Err(refused(&self.address, why))
    }

    /// Leaves the agent: the hooks go at once, and what runs ends first.
    pub async fn close(mut self) {
        self.leave.notify_one();
        if let Some(task) = self.task.take() {
            // It does not panic; a runtime that shuts down has ended it already.
            _ = task.await;
        }
    }
}

impl Drop for WorkerConnection {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// The name of the program's file, as far as a worker may be called so.
fn program() -> String {
    let file = std::env::current_exe().ok().and_then(|path| Some(path.file_stem()?.to_string_lossy().into_owned()));
    let fits = |letter: &char| letter.is_ascii_alphanumeric() || "._-".contains(*letter);
    let name: String = file.unwrap_or_default().chars().filter(fits).take(64).collect();
    if name.is_empty() { "worker".to_owned() } else { name }
}

impl Engine {
    /// Offers this engine's hooks to the agent that listens at an address, `unix:///path`; see [`serve`](Self::serve).
    ///
    /// The agent dispatches and decides which hooks run; they run here as for a dispatch of this engine. Hooks that come, go,
    /// or are switched later do so at the agent too. Hooks from files and hooks that run once are not offered. The connection is
    /// made in tasks of the tokio runtime that this is called in, and again whenever it is lost.
    pub fn connect(&self, address: &str, options: ConnectOptions) -> Result<WorkerConnection, Error> {
        self.check_open("connect to an agent")?;
        let path = socket(address)?;
        check_runtime(address)?;
        let ConnectOptions { name, token, limits, backoff } = options;
        let name = name.unwrap_or_else(program);
        if !is_name(&name) {
            let why =
                format!("a worker's name has 1 to 64 letters, digits, dots, dashes or underscores, unlike `{name}`");
            return Err(refused(address, why));
        }
        let settings = WorkerSettings { token, limits, backoff, ..WorkerSettings::new(name, new_id()) };
        #[cfg(unix)]
        {
            let leave = Arc::new(Notify::new());
            let (states, state) = watch::channel(RemoteState::Connecting);
            let task = super::working::start(self, path, settings, states, Arc::clone(&leave));
            Ok(WorkerConnection { address: address.to_owned(), state, leave, task: Some(task) })
        }
        #[cfg(not(unix))]
        {
            _ = (path, settings);
            Err(refused(address, "this system has no Unix sockets"))
        }
    }
}
