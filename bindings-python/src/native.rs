//! Commands, webhooks and hosted questions as Python sees them.
//!
//! A hook runs on a thread of the core, which never enters the interpreter: it leaves its answer in a [`Mailbox`] and
//! wakes whoever watches the mailbox's descriptor.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hookweave::host::{EventSpec, Failure, FailureKind, Invocation, NativeHook, Said, TraceContext, from_json};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyString, PyTuple};
use serde_json::Value;

use crate::convert::answer_of;
use crate::ending::Enter as _;
use crate::errors;
use crate::event::EventRef;
use crate::nesting;
use crate::object::Object;
use crate::serial;

/// How often a blocking wait looks for Ctrl-C.
const SIGNAL_PAUSE: Duration = Duration::from_millis(50);

/// A hook from a file, as the drivers' helpers run it.
#[pyclass(frozen, module = "hookweave._native", name = "NativeHook")]
#[derive(Debug, Clone)]
pub(crate) struct Hook {
    hook: Arc<NativeHook>,
    event: Arc<EventSpec>,
}

impl Hook {
    pub(crate) const fn new(hook: Arc<NativeHook>, event: Arc<EventSpec>) -> Self {
        Self { hook, event }
    }

    fn invocation(&self, py: Python<'_>, event: &Bound<'_, PyAny>) -> PyResult<Invocation> {
        let object = Object::of(event);
        let view = EventRef::of(py, &object).ok_or_else(|| errors::broken("a native hook was given no event"))?;
        let payload = crate::fill::json(py, &view).map_err(|error| unfit(py, &error.value(py).to_string()))?;
        let payload = from_json(&payload).map_err(|error| unfit(py, &format!("the event: {error}")))?;
        let Value::Object(payload) = payload else { return Err(errors::broken("an event is an object")) };
        Ok(self.hook.invocation(&self.event, payload, nesting::depth(py).saturating_sub(1)))
    }

    /// What it means that the host came to no answer: the hook's dialect may know that the action must not happen then.
    pub(crate) fn broken(&self, py: Python<'_>, event: &Object, failure: Failure<Object>) -> Said<Object> {
        let Failure { kind, message, cause, meant_to_restrict } = failure;
        let failed =
            |meant_to_restrict, kind, message| Said::Failed(Failure { kind, message, cause, meant_to_restrict });
        let Ok(invocation) = self.invocation(py, &event.bind(py)) else { return failed(true, kind, message) };
        let failure = Failure { kind, message, cause: None, meant_to_restrict };
        match self.hook.broken(&invocation, failure) {
            Said::Nothing | Said::Detached => Said::Nothing,
            Said::Answer(answer) => match serial::to_python(py, &answer) {
                Ok(answer) => Said::Answer(answer_of(py, Object::from_bound(answer))),
                Err(why) => failed(true, FailureKind::InvalidAnswer, why.value(py).to_string()),
            },
            Said::Failed(Failure { kind, message, meant_to_restrict, .. }) => failed(meant_to_restrict, kind, message),
        }
    }
}

#[pymethods]
impl Hook {
    /// Whether the host runs it, through `set_judge` or `set_tool_caller`.
    #[getter]
    fn hosted(&self) -> bool {
        self.hook.is_hosted()
    }

    /// Whether the host has to call a tool, rather than to ask a model.
    #[getter]
    fn wants_tool(&self) -> bool {
        self.hook.wants_tool()
    }

    /// Whether its refusal is to wake the model when it runs in the background.
    #[getter]
    fn wakes(&self) -> bool {
        self.hook.declared().wakes
    }

    /// Seconds that it may run; None is without end.
    #[getter]
    fn timeout(&self) -> Option<f64> {
        self.hook.limit().map(|limit| limit.as_secs_f64())
    }

    /// Starts the hook; what comes of it is left in the mailbox under the ticket.
    fn start(&self, py: Python<'_>, event: &Bound<'_, PyAny>, mailbox: &Mailbox, ticket: u64) -> PyResult<Option<Job>> {
        let invocation = self.invocation(py, event)?;
        let letters = Arc::clone(&mailbox.letters);
        Ok(self.hook.start_in(trace_context(py)?, invocation, move |said| letters.leave(ticket, said)).map(Job))
    }

    /// Starts the hook for a thread that is going to wait for it.
    fn begin(&self, event: &Bound<'_, PyAny>) -> PyResult<Begun> {
        let invocation = self.invocation(event.py(), event)?;
        let waiting = Arc::new(Waiting::default());
        let told = Arc::clone(&waiting);
        let job = self.hook.start_in(trace_context(event.py())?, invocation, move |said| told.tell(said));
        Ok(Begun { waiting, job: job.map(hookweave::host::Job::cancel_on_drop) })
    }

    /// What the host is asked: `{"kind": "prompt" | "agent", "prompt", "model"}` or `{"kind": "mcp_tool", …}`.
    fn question<'py>(&self, py: Python<'py>, event: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let question = self.hook.question(&self.invocation(py, event)?);
        let question = question.ok_or_else(|| errors::broken("this hook asks nothing"))?;
        serial::to_python(py, &question.to_json())
    }

    /// What the host's answer, as JSON text, means.
    fn answered<'py>(&self, py: Python<'py>, event: &Bound<'py, PyAny>, answer: &str) -> PyResult<Bound<'py, PyTuple>> {
        let answer = from_json(answer).map_err(|error| errors::broken(&error.to_string()))?;
        letter(py, self.hook.answered(&self.invocation(py, event)?, &answer))
    }

    /// What it means that the host has set nobody to answer.
    fn unanswered<'py>(&self, py: Python<'py>, event: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
        let invocation = self.invocation(py, event)?;
        letter(py, self.hook.unanswered(&invocation))
    }
}

/// Where the caller stands in a distributed trace, if the host traces.
fn trace_context(py: Python<'_>) -> PyResult<Option<TraceContext>> {
    static CURRENT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let current = CURRENT.import(py, "hookweave._telemetry", "current")?.enter(())?;
    let current: Option<(String, Option<String>)> = current.extract()?;
    Ok(current.and_then(|(parent, state)| TraceContext::parse(&parent, state.as_deref())))
}

/// Adds the classes to the module.
pub(crate) fn add_types(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Hook>()?;
    module.add_class::<Begun>()?;
    module.add_class::<Job>()?;
    module.add_class::<Mailbox>()
}

/// A hook that runs or waits for its turn.
#[pyclass(frozen, module = "hookweave._native")]
pub(crate) struct Job(hookweave::host::Job);

#[pymethods]
impl Job {
    /// Kills the hook's processes, or drops its connection.
    fn cancel(&self, py: Python<'_>) {
        py.detach(|| self.0.cancel());
    }
}

/// A hook that a thread has begun; nobody waits for one that is dropped, which kills it.
#[pyclass(frozen, module = "hookweave._native")]
pub(crate) struct Begun {
    waiting: Arc<Waiting>,
    job: Option<hookweave::host::Job>,
}

#[pymethods]
impl Begun {
    /// Waits for the hook without the interpreter's lock; Ctrl-C ends the wait.
    fn wait<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        loop {
            match py.detach(|| self.waiting.wait(SIGNAL_PAUSE)) {
                Some(said) => return letter(py, said),
                None => py.check_signals().inspect_err(|_| self.cancel(py))?,
            }
        }
    }
}

impl Begun {
    /// Kills the hook now: the exception's traceback may keep this alive.
    fn cancel(&self, py: Python<'_>) {
        py.detach(|| self.job.as_ref().map(hookweave::host::Job::cancel));
    }
}

/// Where a thread waits for a hook.
#[derive(Default)]
struct Waiting {
    said: Mutex<Option<Said<Value>>>,
    bell: Condvar,
}

impl Waiting {
    fn tell(&self, said: Said<Value>) {
        *self.said.lock().unwrap_or_else(PoisonError::into_inner) = Some(said);
        self.bell.notify_one();
    }

    fn wait(&self, limit: Duration) -> Option<Said<Value>> {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.bell.wait_timeout_while(said, limit, |said| said.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.take()
    }
}

/// What came of hooks, left by the core's threads.
struct Letters {
    waiting: Mutex<Vec<(u64, Said<Value>)>>,
    bell: bell::Ringer,
}

impl Letters {
    fn lock(&self) -> MutexGuard<'_, Vec<(u64, Said<Value>)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn leave(&self, ticket: u64, said: Said<Value>) {
        self.lock().push((ticket, said));
        self.bell.ring();
    }

    /// Rings with an empty letter, unless somebody has yet to look.
    fn nudge(&self) {
        let mut waiting = self.lock();
        if waiting.is_empty() {
            waiting.push((0, Said::Nothing));
        }
        drop(waiting);
        self.bell.ring();
    }
}

/// Where an event loop finds what came of its hooks; its descriptor is readable when there is something.
#[pyclass(frozen, module = "hookweave._native")]
pub(crate) struct Mailbox {
    letters: Arc<Letters>,
    bell: bell::Bell,
}

impl Mailbox {
    /// Rings from any thread.
    pub(crate) fn ringer(&self) -> impl Fn() + Send + Sync + 'static {
        let letters = Arc::clone(&self.letters);
        move || letters.nudge()
    }
}

#[pymethods]
impl Mailbox {
    #[new]
    fn new() -> PyResult<Self> {
        let (bell, ringer) = bell::pair().map_err(|why| PyOSError::new_err(why.to_string()))?;
        Ok(Self { letters: Arc::new(Letters { waiting: Mutex::default(), bell: ringer }), bell })
    }

    /// The descriptor to watch.
    fn fileno(&self) -> i64 {
        self.bell.descriptor()
    }

    /// Makes the descriptor readable.
    fn ring(&self) {
        self.letters.nudge();
    }

    /// Takes out what there is: `(ticket, worked, value)`, where value is the answer or the exception of a failure.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.bell.silence();
        let letters = std::mem::take(&mut *self.letters.lock());
        let list = PyList::empty(py);
        for (ticket, said) in letters {
            // One that cannot be read must not take the others with it: somebody waits for each.
            let letter = match letter(py, said) {
                Ok(letter) => letter,
                Err(error) => (false, error).into_pyobject(py)?,
            };
            list.append((ticket, letter))?;
        }
        Ok(list)
    }
}

/// What a hook said as `(True, answer)` or `(False, exception)`.
pub(crate) fn letter(py: Python<'_>, said: Said<Value>) -> PyResult<Bound<'_, PyTuple>> {
    match said {
        Said::Nothing | Said::Detached => (true, py.None()).into_pyobject(py),
        Said::Answer(answer) => match serial::to_python(py, &answer) {
            Ok(answer) => (true, answer).into_pyobject(py),
            // An integer with more digits than Python takes: what came with it may have been a refusal.
            Err(why) => (false, broken(py, FailureKind::InvalidAnswer, &why.value(py).to_string())).into_pyobject(py),
        },
        Said::Failed(failure) => {
            let Failure { kind, message, meant_to_restrict, .. } = failure;
            let exception = broken_class(py)?.enter((kind.as_str(), message, meant_to_restrict))?;
            (false, exception).into_pyobject(py)
        }
    }
}

/// The failure of a hook that cannot be given its event; whoever can choose the payload must not get past a guard by it.
fn unfit(py: Python<'_>, why: &str) -> PyErr {
    let message = format!("payload_not_json: the hook cannot be given the event as JSON: {why}");
    broken(py, FailureKind::NotStarted, &message)
}

/// A failure that keeps a gate shut.
fn broken(py: Python<'_>, kind: FailureKind, message: &str) -> PyErr {
    let broken = broken_class(py).and_then(|class| class.enter((kind.as_str(), message, true)));
    broken.map_or_else(|error| error, PyErr::from_value)
}

/// The exception that carries a native hook's failure to the driver.
fn broken_class(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    CLASS.import(py, "hookweave._native_hooks", "Broken")
}

/// The failure that an exception carries, when a native hook raised it.
pub(crate) fn failure_of(py: Python<'_>, error: &PyErr) -> Option<Failure<Object>> {
    let value = error.value(py);
    if !value.is_instance(broken_class(py).ok()?).ok()? {
        return None;
    }
    let kind = value.getattr("kind").ok()?.cast_into::<PyString>().ok()?;
    let kind = FailureKind::ALL.iter().find(|known| kind.to_str().is_ok_and(|kind| kind == known.as_str()))?;
    let message: String = value.getattr("message").ok()?.extract().ok()?;
    let meant_to_restrict = value.getattr("restricts").ok()?.is_truthy().ok()?;
    Some(Failure { meant_to_restrict, ..Failure::new(*kind, message) })
}

#[cfg(unix)]
mod bell {
    //! A pair of connected sockets: one byte in it says that there is something.

    use std::io::{Read as _, Write as _};
    use std::os::fd::AsRawFd as _;
    use std::os::unix::net::UnixStream;

    pub(super) struct Bell(UnixStream);

    pub(super) struct Ringer(UnixStream);

    pub(super) fn pair() -> std::io::Result<(Bell, Ringer)> {
        let (bell, ringer) = UnixStream::pair()?;
        bell.set_nonblocking(true)?;
        ringer.set_nonblocking(true)?;
        Ok((Bell(bell), Ringer(ringer)))
    }

    impl Bell {
        pub(super) fn descriptor(&self) -> i64 {
            i64::from(self.0.as_raw_fd())
        }

        pub(super) fn silence(&self) {
            let mut bytes = [0; 64];
            while (&self.0).read(&mut bytes).is_ok_and(|read| read > 0) {}
        }
    }

    impl Ringer {
        pub(super) fn ring(&self) {
            // A full socket rings already, and one without a listener has nobody to tell.
            _ = (&self.0).write(&[1]);
        }
    }
}

#[cfg(not(unix))]
mod bell {
    //! Loops that cannot watch a socket: Python runs native hooks on threads there.

    pub(super) struct Bell;

    pub(super) struct Ringer;

    pub(super) fn pair() -> std::io::Result<(Bell, Ringer)> {
        Err(std::io::Error::from(std::io::ErrorKind::Unsupported))
    }

    impl Bell {
        #[expect(clippy::unused_self, reason = "the same face as on other systems")]
        pub(super) fn descriptor(&self) -> i64 {
            -1
        }

        #[expect(clippy::unused_self, reason = "the same face as on other systems")]
        pub(super) fn silence(&self) {}
    }

    impl Ringer {
        #[expect(clippy::unused_self, reason = "the same face as on other systems")]
        pub(super) fn ring(&self) {}
    }
}
