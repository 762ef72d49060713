//! An engine that looks after its files by itself, on the caller's runtime.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError, Weak};

use serde_json::json;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::{Engine, Event, Inner};
use hookweave_host::config::watch::QUIET;
use hookweave_host::error::{Code, Error};
use hookweave_host::files::{FilesWatch, ReloadReport, Watched};

/// The task that looks after files; dropping it ends it.
#[derive(Debug)]
pub(super) struct Watching(JoinHandle<()>);

impl Drop for Watching {
    fn drop(&mut self) {
        self.0.abort();
    }
}

type ReloadListener = Box<dyn Fn(&ReloadReport) + Send>;

impl Engine {
    /// Reloads whenever a loaded file changes, or one appears where hooks may stand, and passes the result to `on_reload`; when a file
    /// changes that hooks on `FileChanged` watch, by their matcher or by `watchPaths`, that event is raised.
    ///
    /// It runs as a task of the tokio runtime that it is called in, until [`unwatch`](Self::unwatch) or the engine's end, and
    /// takes the place of an earlier one. `invalid_config` when files cannot be watched here, or outside of a runtime.
    pub fn watch(&self, on_reload: impl Fn(&ReloadReport) + Send + 'static) -> Result<(), Error> {
        self.check_open("watch files")?;
        let runtime = tokio::runtime::Handle::try_current().map_err(|_| {
            let why = "files are watched by a task of a tokio runtime; call `watch` inside one, or reload by hand";
            Error::new(Code::InvalidConfig, why)
        })?;
        let bell = Arc::new(Notify::new());
        let (watch, watched) = self.start_watch(&bell)?;
        let engine = Arc::downgrade(&self.inner);
        let attending = Attending { engine, bell, watch, watched, on_reload: Box::new(on_reload) };
        let watching = Watching(runtime.spawn(attending.run()));
        *self.inner.file_hooks.watching.lock().unwrap_or_else(PoisonError::into_inner) = Some(watching);
        Ok(())
    }

    /// Watches no more; does nothing where nothing is watched.
    pub fn unwatch(&self) {
        self.inner.file_hooks.watching.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn start_watch(&self, bell: &Arc<Notify>) -> Result<(FilesWatch, Watched), Error> {
        let file_hooks = &self.inner.file_hooks;
        let watched = file_hooks.files.watched(&file_hooks.runtime);
        let bell = Arc::clone(bell);
        let watch = file_hooks.files.watch(&file_hooks.runtime, QUIET, move || bell.notify_one())?;
        Ok((watch, watched))
    }

    fn watched(&self) -> Watched {
        self.inner.file_hooks.files.watched(&self.inner.file_hooks.runtime)
    }
}

/// What the task knows; it does not keep the engine.
struct Attending {
    engine: Weak<Inner>,
    bell: Arc<Notify>,
    watch: FilesWatch,
    watched: Watched,
    on_reload: ReloadListener,
}

impl Attending {
    async fn run(mut self) {
        loop {
            self.bell.notified().await;
            let Some(inner) = self.engine.upgrade() else { return };
            self.attend(&Engine { inner }).await;
        }
    }

    /// Does what changed files ask for: a reload first, so that the hooks in force get the rest.
    async fn attend(&mut self, engine: &Engine) {
        let noticed = self.watch.take();
        if noticed.reload {
            self.reload(engine).await;
        }
        for (file, what) in noticed.files {
            let payload = json!({"file_path": file.to_string_lossy(), "event": what});
            if let Err(why) = engine.dispatch(Event::new("FileChanged", payload)).await {
                tracing::warn!("hooks did not hear that {} changed: {why}", file.display());
            }
        }
        // A hook may have asked for other files meanwhile, and a reload may have found some.
        if engine.watched() == self.watched {
            return;
        }
        match engine.start_watch(&self.bell) {
            Ok((watch, watched)) => {
                let old = std::mem::replace(&mut self.watch, watch);
                self.watched = watched;
                let missed = old.take();
                self.watch.add(missed);
                self.bell.notify_one();
            }
            Err(why) => tracing::warn!("files that hooks want to hear of cannot be watched: {why}"),
        }
    }

    async fn reload(&mut self, engine: &Engine) {
        match engine.reload().await {
            Ok(report) => {
                let lists = [report.added.len(), report.removed.len(), report.changed.len(), report.kept.len()];
                if lists.iter().any(|count| *count > 0)
                    && catch_unwind(AssertUnwindSafe(|| (self.on_reload)(&report))).is_err()
                {
                    tracing::error!("the listener of reloads panicked");
                }
            }
            Err(why) => tracing::warn!("a reload failed, and the hooks in force may be the old ones: {why}"),
        }
    }
}
