//! Detached hooks that nevertheless run one after another.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hookweave_dialects::Invocation;
use hookweave_exec::cancel::Cancel;

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
    /// Starts a hook with the place behind the hook that was started last for the same dispatch.
    ///
    /// Called in the order of the hooks, on the thread that starts them. Nothing comes in between, not even from another
    /// thread whose dispatch looks the same: the pool starts its jobs in the order of their places, so that a job that
    /// waits there waits for a hook that runs or has run.
    pub(super) fn start<R>(&self, dispatch: String, start: impl FnOnce(Turn) -> R) -> R {
        let (ends, end) = channel();
        let mut chains = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        chains.retain(|(_, end)| end.try_recv() != Err(TryRecvError::Disconnected));
        let before = if let Some((_, last)) = chains.iter_mut().find(|(known, _)| *known == dispatch) {
            Some(std::mem::replace(last, end))
        } else {
            chains.push((dispatch, end));
            None
        };
        start(Turn { before, _ends: ends })
    }
}

/// What hooks of the same dispatch have in common.
pub(super) fn dispatch(dialect: &str, invocation: &Invocation) -> String {
    let name = |field| invocation.payload.get(field).map(ToString::to_string).unwrap_or_default();
    let dispatch = ["session_id", "agent_id", "tool_use_id", "timestamp"].map(name).join(" ");
    format!("{dialect} {} {dispatch}", invocation.declared_event)
}

impl Turn {
    /// Waits until the hook before has ended, or this one is cancelled.
    pub(super) fn wait(&self, cancel: &Cancel) {
        let Some(before) = &self.before else { return };
        while before.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) && !cancel.is_cancelled() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookweave_exec::pool::Pool;

    #[test]
    fn no_hook_waits_for_one_that_waits_for_its_place() {
        let (chains, pool) = (Chains::default(), Pool::new(1));
        // Dispatches of several threads that look alike: in the same session, in the same millisecond.
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        let submit = |turn: Turn| pool.submit(move |cancel| turn.wait(cancel));
                        chains.start("Stop s".to_owned(), submit).unwrap();
                    }
                });
            }
        });
        assert!(pool.drain(Duration::from_secs(120)), "{:?} run and wait", pool.load());
    }
}
