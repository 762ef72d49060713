//! Results of hooks that run on the core's threads, on their way to the thread that waits for them.
//!
//! The core's threads never enter the interpreter: they leave a completion in a [`CompletionQueue`] and wake the event loop or
//! thread that watches the queue's descriptor.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookweave_host::dispatch::{FailureKind, HandlerResult, HookFailure};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};
use serde_json::Value;

use crate::finalization::Enter as _;
use crate::object::Object;
use crate::once::Once;
use crate::serial;

/// What hooks reported, in the order of their ends.
struct Completions {
    waiting: Mutex<Vec<(u64, HandlerResult<Value>)>>,
    wakeup: wakeup::Wakeup,
}

impl Completions {
    fn lock(&self) -> MutexGuard<'_, Vec<(u64, HandlerResult<Value>)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, ticket: u64, reported: HandlerResult<Value>) {
        self.lock().push((ticket, reported));
        self.wakeup.wake();
    }

    /// Wakes the queue's owner with an empty completion, unless one waits already.
    fn wake(&self) {
        let mut waiting = self.lock();
        if waiting.is_empty() {
            waiting.push((0, HandlerResult::Nothing));
        }
        drop(waiting);
        self.wakeup.wake();
    }
}

/// Where an event loop finds the results of its hooks; the queue's descriptor is readable while there are any.
#[pyclass(frozen, module = "hookweave._native")]
pub(crate) struct CompletionQueue {
    completions: Arc<Completions>,
    signal: wakeup::Signal,
}

impl CompletionQueue {
    /// Wakes the queue's owner, from any thread.
    pub(crate) fn waker(&self) -> impl Fn() + Send + Sync + 'static {
        let completions = Arc::clone(&self.completions);
        move || completions.wake()
    }

    /// The same for who must not keep the queue: false when it is gone.
    pub(crate) fn weak_waker(&self) -> impl Fn() -> bool + Send + 'static {
        let completions = Arc::downgrade(&self.completions);
        move || {
            completions.upgrade().is_some_and(|completions| {
                completions.wake();
                true
            })
        }
    }

    /// Adds a completion under a ticket, from any thread.
    pub(crate) fn sender(&self, ticket: u64) -> impl FnOnce(HandlerResult<Value>) + Send + 'static {
        let completions = Arc::clone(&self.completions);
        move |reported| completions.add(ticket, reported)
    }
}

#[pymethods]
impl CompletionQueue {
    #[new]
    fn new() -> PyResult<Self> {
        let (signal, wakeup) = wakeup::pair().map_err(|why| PyOSError::new_err(why.to_string()))?;
        Ok(Self { completions: Arc::new(Completions { waiting: Mutex::default(), wakeup }), signal })
    }

    /// The descriptor to watch.
    fn fileno(&self) -> i64 {
        self.signal.descriptor()
    }

    /// Makes the descriptor readable.
    fn wake(&self) {
        self.completions.wake();
    }

    /// Takes all completions out: `(ticket, result)`, with the result as [`result`] makes it.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.signal.reset();
        let completions = std::mem::take(&mut *self.completions.lock());
        let list = PyList::empty(py);
        for (ticket, reported) in completions {
            // One that cannot be read must not take the others with it: a coroutine waits for each.
            let result = match result(py, reported) {
                Ok(result) => result,
                Err(error) => (false, error).into_pyobject(py)?,
            };
            list.append((ticket, result))?;
        }
        Ok(list)
    }
}

/// What a hook reported as `(True, answer)` or `(False, exception)`.
pub(crate) fn result(py: Python<'_>, reported: HandlerResult<Value>) -> PyResult<Bound<'_, PyTuple>> {
    match reported {
        HandlerResult::Nothing | HandlerResult::Detached => (true, py.None()).into_pyobject(py),
        HandlerResult::Answer(answer) => match serial::to_python(py, &answer) {
            Ok(answer) => (true, answer).into_pyobject(py),
            // An integer with more digits than Python takes: the rest of the answer may have been a refusal.
            Err(why) => {
                (false, restricting(py, FailureKind::InvalidAnswer, &why.value(py).to_string())).into_pyobject(py)
            }
        },
        HandlerResult::Failed(failure) => {
            let HookFailure { kind, message, meant_to_restrict, .. } = failure;
            let exception = exception_class(py)?.enter((kind.as_str(), message, meant_to_restrict))?;
            (false, exception).into_pyobject(py)
        }
    }
}

/// A failure that blocks on a gate, as the exception that carries it to the driver.
pub(crate) fn restricting(py: Python<'_>, kind: FailureKind, message: &str) -> PyErr {
    let made = exception_class(py).and_then(|class| class.enter((kind.as_str(), message, true)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// The exception that carries the failure of an outside hook to the driver.
fn exception_class(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static CLASS: Once<Py<PyAny>> = Once::new();
    CLASS.import(py, c"hookweave._outside_hooks", "OutsideHookError")
}

/// The failure that an exception carries, when an outside hook raised it.
pub(crate) fn failure_of(py: Python<'_>, error: &PyErr) -> Option<HookFailure<Object>> {
    let value = error.value(py);
    if !value.is_instance(exception_class(py).ok()?).ok()? {
        return None;
    }
    let kind = value.getattr("kind").ok()?.cast_into::<PyString>().ok()?;
    let kind = FailureKind::ALL.iter().find(|known| kind.to_str().is_ok_and(|kind| kind == known.as_str()))?;
    let message: String = value.getattr("message").ok()?.extract().ok()?;
    let meant_to_restrict = value.getattr("restricts").ok()?.is_truthy().ok()?;
    Some(HookFailure { meant_to_restrict, ..HookFailure::new(*kind, message) })
}

#[cfg(unix)]
mod wakeup {
    //! A pair of connected sockets: one byte in it means that there are completions.

    use std::io::{Read as _, Write as _};
    use std::os::fd::AsRawFd as _;
    use std::os::unix::net::UnixStream;

    /// The end that is watched.
    pub(super) struct Signal(UnixStream);

    /// The end that makes the other one readable.
    pub(super) struct Wakeup(UnixStream);

    pub(super) fn pair() -> std::io::Result<(Signal, Wakeup)> {
        let (signal, wakeup) = UnixStream::pair()?;
        signal.set_nonblocking(true)?;
        wakeup.set_nonblocking(true)?;
        Ok((Signal(signal), Wakeup(wakeup)))
    }

    impl Signal {
        pub(super) fn descriptor(&self) -> i64 {
            i64::from(self.0.as_raw_fd())
        }

        pub(super) fn reset(&self) {
            let mut bytes = [0; 64];
            while (&self.0).read(&mut bytes).is_ok_and(|read| read > 0) {}
        }
    }

    impl Wakeup {
        pub(super) fn wake(&self) {
            // A full socket is readable already, and a closed one has no reader left.
            _ = (&self.0).write(&[1]);
        }
    }
}

#[cfg(not(unix))]
mod wakeup {
    //! Event loops that cannot watch a socket: Python waits for outside hooks on threads there.

    pub(super) struct Signal;

    pub(super) struct Wakeup;

    pub(super) fn pair() -> std::io::Result<(Signal, Wakeup)> {
        Err(std::io::Error::from(std::io::ErrorKind::Unsupported))
    }

    impl Signal {
        #[expect(clippy::unused_self, reason = "the same interface as on other systems")]
        pub(super) fn descriptor(&self) -> i64 {
            -1
        }

        #[expect(clippy::unused_self, reason = "the same interface as on other systems")]
        pub(super) fn reset(&self) {}
    }

    impl Wakeup {
        #[expect(clippy::unused_self, reason = "the same interface as on other systems")]
        pub(super) fn wake(&self) {}
    }
}
