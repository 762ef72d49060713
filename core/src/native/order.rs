//! Hooks that nobody waits for and that nevertheless run one after another.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::dialects::Invocation;
use crate::handlers::cancel::Cancel;

/// How often a hook that waits for its turn looks whether it is cancelled.
const LOOK: Duration = Duration::from_millis(50);

/// The chains of one client: for each dispatch that has one, the end of the hook that was started last.
#[derive(Debug, Default)]
pub(super) struct Chains(Mutex<Vec<(String, Receiver<()>)>>);

/// A hook's place in a chain; dropping it lets the next one go.
#[derive(Debug)]
pub(super) struct Turn {
    before: Option<Receiver<()>>,
    _ends: Sender<()>,
}

impl Chains {
    /// Takes the place behind the hook that was started last for the same dispatch.
    ///
    /// Called in the order of the hooks, on the thread that starts them. The pool starts its jobs in that order too, so that
    /// whoever waits here waits for a hook that runs or has run.
    pub(super) fn join(&self, dialect: &str, invocation: &Invocation) -> Turn {
        let name = |field| invocation.payload.get(field).map(ToString::to_string).unwrap_or_default();
        let dispatch = ["session_id", "agent_id", "tool_use_id", "timestamp"].map(name).join(" ");
        let key = format!("{dialect} {} {dispatch}", invocation.declared_event);
        let (ends, end) = channel();
        let mut chains = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        chains.retain(|(_, end)| end.try_recv() != Err(TryRecvError::Disconnected));
        let before = if let Some((_, last)) = chains.iter_mut().find(|(known, _)| *known == key) {
            Some(std::mem::replace(last, end))
        } else {
            chains.push((key, end));
            None
        };
        Turn { before, _ends: ends }
    }
}

impl Turn {
    /// Waits until the hook before has ended, or this one is cancelled.
    pub(super) fn wait(&self, cancel: &Cancel) {
        let Some(before) = &self.before else { return };
        while before.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) && !cancel.is_cancelled() {}
    }
}
