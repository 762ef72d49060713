//! The end of an engine.

use std::time::Duration;

use super::Engine;

impl Engine {
    /// Ends the engine: refuses what comes from now on (`client_closed`), gives detached hooks so long to end, kills the
    /// commands and requests that still run, and writes the last of the audit log. False when the time was up first.
    ///
    /// What runs already goes on. Hooks can still be listed, switched and taken out, and the log's anchor be read. Closing
    /// again does no harm.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
    /// use std::time::Duration;
    ///
    /// let engine = hookweave::Engine::new();
    /// engine.close(Duration::from_secs(5)).await;
    /// let refused = engine.on("Stop").run(|_: &hookweave::Event| ()).unwrap_err();
    /// assert_eq!(refused.code().as_str(), "client_closed");
    /// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn close(&self, limit: Duration) -> bool {
        self.inner.registry.close();
        self.unwatch();
        let ended = self.inner.detached.is_idle() || self.drain(limit).await;
        {
            self.stop_file_hooks(Duration::ZERO);
            let audit = std::sync::Arc::clone(&self.inner.audit);
            let end = move || audit.close(hookweave_host::audit::CLOSE);
            // Waiting for a disk is not for a thread that has other tasks.
            match tokio::runtime::Handle::try_current() {
                Ok(runtime) => _ = runtime.spawn_blocking(end).await,
                Err(_) => _ = end(),
            }
        }
        ended
    }

    /// Whether the engine was closed.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.inner.registry.is_closed()
    }
}
