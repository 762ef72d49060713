//! An engine as an agent: it takes workers.

use std::sync::Arc;

use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::address::{check_runtime, read, refused, shown};
use super::options::ServeOptions;
use crate::engine::Engine;
use hookweave_host::error::Error;
use hookweave_host::remote::{Desk, WorkerInfo};

/// An agent's open address; dropping it closes the address, and the workers' hooks go.
#[derive(Debug)]
#[must_use = "the workers' hooks go when this is dropped"]
pub struct ServingWorkers {
    address: String,
    desk: Arc<Desk>,
    stop: Arc<Notify>,
    task: Option<JoinHandle<()>>,
    #[cfg(unix)]
    ready: Option<super::connection::Ready>,
}

impl ServingWorkers {
    /// Where it listens, with the port where the system has chosen one (`grpc://127.0.0.1:0`).
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Waits until the hooks of the workers that are there already are in force.
    ///
    /// At `nats://` the server tells who is there; `invalid_option` where it cannot be reached or refuses the agent, which then
    /// takes no workers. At other addresses workers connect by themselves, and this is at once.
    #[cfg_attr(not(unix), expect(clippy::unused_async, reason = "remote hooks need a system with Unix sockets"))]
    pub async fn ready(&self) -> Result<(), Error> {
        #[cfg(unix)]
        if let Some(mut ready) = self.ready.clone() {
            let known = ready.wait_for(Option::is_some).await;
            let known = known.map_or_else(|_| Some(Err("the runtime has ended".to_owned())), |known| known.clone());
            return known.unwrap_or(Ok(())).map_err(|why| refused(&self.address, why));
        }
        Ok(())
    }

    /// The workers that are known, by name, those that are lost included.
    #[must_use]
    pub fn workers(&self) -> Vec<WorkerInfo> {
        self.desk.workers()
    }

    /// Closes the address and every connection; the workers' hooks go, and calls on their way fail.
    pub async fn close(mut self) {
        self.stop.notify_one();
        if let Some(task) = self.task.take() {
            // It does not panic; a runtime that shuts down has closed it already.
            _ = task.await;
        }
    }
}

impl Drop for ServingWorkers {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

impl Engine {
    /// Takes workers at an address: their hooks are hooks of this engine, and run in the worker's process.
    ///
    /// It is `unix:///path`, to which only processes of the same user, and of root, can connect, with the feature `grpc`
    /// `grpc://host:port` or `grpcs://host:port`, or with the feature `nats` `nats://host:port`, a server at which workers are
    /// found by their `groups`: there [`ServingWorkers::ready`] waits for it. What workers may do is in the options' `grants`. It
    /// runs in tasks of the tokio runtime that it is called in. An address that cannot be used is `invalid_option`.
    ///
    /// ```
    /// # #[cfg(unix)] {
    /// # let folder = tempfile::tempdir()?;
    /// # let address = format!("unix://{}", folder.path().join("hooks.sock").display());
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use hookweave::remote::{ConnectOptions, ServeOptions};
    /// use hookweave::{Engine, Event, HookResponse};
    ///
    /// let worker = Engine::new();
    /// worker.on("PreToolUse").tool("Bash").run(|_: &Event| HookResponse::block("not today"))?;
    /// let agent = Engine::new();
    /// let serving = agent.serve(&address, ServeOptions::default())?;
    /// let mut connection = worker.connect(&address, ConnectOptions::default())?;
    /// connection.ready().await?;
    /// let event = Event::pre_tool_use("Bash", serde_json::json!({"command": "ls"}));
    /// assert_eq!(agent.dispatch(event).await?.reason(), Some("not today"));
    /// connection.close().await;
    /// serving.close().await;
    /// # Ok::<(), hookweave::Error>(()) })?;
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn serve(&self, address: &str, options: ServeOptions) -> Result<ServingWorkers, Error> {
        self.check_open("serve workers")?;
        let read = read(address)?;
        let address = &*shown(address);
        check_runtime(address)?;
        if options.token.as_ref().is_some_and(String::is_empty) {
            return Err(refused(address, "an empty token protects nothing; set another one, or none"));
        }
        #[cfg(unix)]
        {
            let (listener, address) = super::transport::Listener::open(address, read, &options)?;
            let ready = listener.ready();
            let stop = Arc::new(Notify::new());
            let (desk, task) = super::serving::start(self, listener, options.into_settings(), Arc::clone(&stop));
            Ok(ServingWorkers { address, desk, stop, task: Some(task), ready })
        }
        #[cfg(not(unix))]
        {
            _ = (read, options);
            Err(refused(address, "remote hooks need a system with Unix sockets"))
        }
    }
}
