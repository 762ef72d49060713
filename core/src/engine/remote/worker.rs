//! An engine as a worker: an agent runs its hooks.

use std::sync::Arc;

use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use super::address::{check_runtime, read, refused, shown};
use super::options::ConnectOptions;
use super::state::RemoteState;
use crate::engine::Engine;
#[cfg(unix)]
use hookweave_host::clock::new_id;
use hookweave_host::error::Error;
#[cfg(unix)]
use hookweave_host::remote::WorkerSettings;
use hookweave_host::remote::is_name;

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
    /// Offers this engine's hooks to the agent that listens at an address; see [`serve`](Self::serve).
    ///
    /// The agent dispatches and decides which hooks run; they run here as for a dispatch of this engine. Hooks that come, go,
    /// or are switched later do so at the agent too. Hooks from files and hooks that run once are not offered. The connection is
    /// made in tasks of the tokio runtime that this is called in, and again whenever it is lost.
    pub fn connect(&self, address: &str, options: ConnectOptions) -> Result<WorkerConnection, Error> {
        self.check_open("connect to an agent")?;
        let read = read(address)?;
        let address = &*shown(address);
        check_runtime(address)?;
        #[cfg(feature = "nats")]
        if options.name.is_some() && options.group.is_some() {
            return Err(refused(address, "workers of a group have its name; leave `name` out"));
        }
        let name = options.name.clone().unwrap_or_else(program);
        if !is_name(&name) {
            let why =
                format!("a worker's name has 1 to 64 letters, digits, dots, dashes or underscores, unlike `{name}`");
            return Err(refused(address, why));
        }
        #[cfg(unix)]
        {
            let connector = super::transport::Connector::to(address, read, &options)?;
            #[cfg(feature = "nats")]
            let name = options.group.clone().unwrap_or(name);
            let ConnectOptions { token, limits, backoff, .. } = options;
            let settings = WorkerSettings { token, limits, backoff, ..WorkerSettings::new(name, new_id()) };
            let leave = Arc::new(Notify::new());
            let (states, state) = watch::channel(RemoteState::Connecting);
            let task = super::working::start(self, connector, settings, states, Arc::clone(&leave));
            Ok(WorkerConnection { address: address.to_owned(), state, leave, task: Some(task) })
        }
        #[cfg(not(unix))]
        {
            _ = read;
            Err(refused(address, "remote hooks need a system with Unix sockets"))
        }
    }
}
