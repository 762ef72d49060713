//! How a host learns that there is something to ask for.

use std::fmt;

/// Called from any thread when there is something to ask for.
pub(crate) struct Wakeup(Box<dyn Fn() + Send + Sync>);

impl Wakeup {
    pub(crate) fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Box::new(wake))
    }

    pub(crate) fn wake(&self) {
        (self.0)();
    }
}

impl fmt::Debug for Wakeup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wakeup").finish_non_exhaustive()
    }
}
