//! One request while it is under way: how much time it has left, and how another thread ends it.
//!
//! A request waits in three ways: for a name, for a connection, for bytes. Each wait says beforehand how it can be
//! woken, so that cancelling takes effect at once and a silent server holds no thread beyond the deadline.

use std::cell::RefCell;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hookweave_clock::now;

/// No request runs longer, even with a longer timeout.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

thread_local! {
    /// The request that this thread runs. The HTTP library calls the resolver, the connector and the transport on
    /// the thread that sends, but has no parameter for the request.
    static CURRENT: RefCell<Option<Arc<Call>>> = const { RefCell::new(None) };
}

/// What went wrong below the HTTP library, which would only pass on its words.
#[derive(Debug)]
pub(super) enum Fault {
    /// Every address of the host is one that webhooks may not reach.
    Refused { address: std::net::IpAddr, kind: &'static str },
    /// The name has no address.
    Unresolved(String),
    /// No address took the connection.
    Unreachable(String),
    /// The server's identity could not be made sure of.
    Tls(String),
}

/// The state of one request.
pub(super) struct Call {
    deadline: Instant,
    /// How long a lookup and the last of several addresses may take.
    pub(super) patience: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    cancelled: bool,
    wake: Option<Box<dyn FnMut() + Send>>,
    fault: Option<Fault>,
}

impl Call {
    pub(super) fn new(timeout: Duration) -> Arc<Self> {
        Self::with_patience(timeout, LONGEST)
    }

    /// The same where a connection must come about sooner than the answer.
    pub(super) fn with_patience(timeout: Duration, patience: Duration) -> Arc<Self> {
        let start = now();
        let deadline = start.checked_add(timeout.min(LONGEST)).unwrap_or(start);
        Arc::new(Self { deadline, patience, state: Mutex::default() })
    }

    /// Makes this the request of the current thread, until the value is dropped.
    pub(super) fn enter(self: &Arc<Self>) -> Entered {
        CURRENT.set(Some(Arc::clone(self)));
        Entered
    }

    /// The request of the current thread.
    pub(super) fn current() -> io::Result<Arc<Self>> {
        CURRENT.with_borrow(Clone::clone).ok_or_else(|| io::Error::other("no webhook is being sent on this thread"))
    }

    /// The time left, or that there is none.
    pub(super) fn left(&self) -> io::Result<Duration> {
        match self.deadline.saturating_duration_since(now()) {
            Duration::ZERO => Err(io::ErrorKind::TimedOut.into()),
            left => Ok(left),
        }
    }

    /// Whether the time is over.
    pub(super) fn is_over(&self) -> bool {
        self.left().is_err()
    }

    /// Whether another thread ended the request.
    pub(super) fn is_cancelled(&self) -> bool {
        self.state().cancelled
    }

    /// Ends the request: wakes the wait that it is in, and refuses the next one.
    pub(super) fn cancel(&self) {
        let mut state = self.state();
        state.cancelled = true;
        if let Some(wake) = &mut state.wake {
            wake();
        }
    }

    /// Waits for something that `wake` can interrupt.
    pub(super) fn during<T>(
        &self,
        wake: impl FnMut() + Send + 'static,
        wait: impl FnOnce() -> io::Result<T>,
    ) -> io::Result<T> {
        {
            let mut state = self.state();
            if state.cancelled {
                return Err(cancelled());
            }
            state.wake = Some(Box::new(wake));
        }
        let result = wait();
        self.state().wake = None;
        result
    }

    /// Notes what went wrong, and gives the error that makes the HTTP library stop.
    pub(super) fn fail(&self, fault: Fault) -> io::Error {
        let error = io::Error::other(format!("{fault:?}"));
        self.state().fault = Some(fault);
        error
    }

    /// What was noted.
    pub(super) fn fault(&self) -> Option<Fault> {
        self.state().fault.take()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends a request's claim on its thread when dropped.
pub(super) struct Entered;

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(None);
    }
}

/// The error of a wait that was interrupted.
pub(super) fn cancelled() -> io::Error {
    io::Error::other("cancelled")
}
