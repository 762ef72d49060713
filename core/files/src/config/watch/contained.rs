//! A watcher of the file system whose panics end no host.
//!
//! It takes for granted that its own thread is there. Where the system gives none it panics when it is asked, and once more
//! when it is dropped, which ends the process if the first panic is still on its way.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use notify::{RecursiveMode, Watcher};

/// A watcher, until it panics for the first time.
pub(super) struct Contained<W: Watcher> {
    /// None once it has panicked.
    watcher: Option<W>,
}

impl<W: Watcher> Contained<W> {
    /// Makes a watcher.
    pub(super) fn new(make: impl FnOnce() -> notify::Result<W>) -> Result<Self, String> {
        match catch_unwind(AssertUnwindSafe(make)) {
            Ok(Ok(watcher)) => Ok(Self { watcher: Some(watcher) }),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err(NO_THREAD.to_owned()),
        }
    }

    /// Watches a folder for its direct content.
    pub(super) fn watch(&mut self, folder: &Path) -> Result<(), String> {
        self.ask(|watcher| watcher.watch(folder, RecursiveMode::NonRecursive))
    }

    pub(super) fn unwatch(&mut self, folder: &Path) {
        _ = self.ask(|watcher| watcher.unwatch(folder));
    }

    fn ask(&mut self, ask: impl FnOnce(&mut W) -> notify::Result<()>) -> Result<(), String> {
        let Some(watcher) = &mut self.watcher else { return Err(NO_THREAD.to_owned()) };
        if let Ok(done) = catch_unwind(AssertUnwindSafe(|| ask(watcher))) {
            return done.map_err(|error| error.to_string());
        }
        // Not dropped: that would panic again. What it holds ends with the process.
        std::mem::forget(self.watcher.take());
        Err(NO_THREAD.to_owned())
    }
}

const NO_THREAD: &str = "the system's watcher has no thread of its own (the limit of threads or of memory is reached)";

impl<W: Watcher> Drop for Contained<W> {
    fn drop(&mut self) {
        let watcher = self.watcher.take();
        _ = catch_unwind(AssertUnwindSafe(|| drop(watcher)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A watcher as it is where its thread could not be started.
    #[derive(Debug)]
    struct Headless;

    impl Watcher for Headless {
        fn new<F: notify::EventHandler>(_: F, _: notify::Config) -> notify::Result<Self> {
            Ok(Self)
        }

        fn watch(&mut self, _: &Path, _: RecursiveMode) -> notify::Result<()> {
            std::panic::panic_any("no ears")
        }

        fn unwatch(&mut self, _: &Path) -> notify::Result<()> {
            std::panic::panic_any("no ears")
        }

        fn kind() -> notify::WatcherKind {
            notify::WatcherKind::NullWatcher
        }
    }

    impl Drop for Headless {
        fn drop(&mut self) {
            std::panic::panic_any("no ears")
        }
    }

    #[test]
    fn a_watcher_that_panics_is_an_error_and_dropping_it_no_end() {
        let mut watcher = Contained::new(|| Ok(Headless)).unwrap();
        assert!(watcher.watch(Path::new("/")).unwrap_err().contains("no thread of its own"));
        assert!(watcher.watch(Path::new("/")).is_err());
        watcher.unwatch(Path::new("/"));
        drop(watcher);
        drop(Contained::new(|| Ok(Headless)).unwrap());
        let unmade = Contained::<Headless>::new(|| std::panic::panic_any("no ears"));
        assert!(unmade.is_err_and(|why| why.contains("no thread of its own")));
    }
}
