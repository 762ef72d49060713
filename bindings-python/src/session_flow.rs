//! One activity of a session in steps: each reply gives the next effect to carry out, as a dict whose `do` names it.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use hookweave_host::session::{
    Arguments, Called, Effect, Fields, Finished, Flow as Machine, Generation, ModelRun, ParsedCall, Reply, Requested,
    Speaker, ToolRun, ValueId, read_answer, read_response,
};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use serde_json::{Map, Value};

use crate::errors;
use crate::finalization::Enter as _;
use crate::object::{Gil, Object};
use crate::once::intern;
use crate::outcome::Outcome;
use crate::serial::{self, to_json_value};
use crate::session_payload::{self, SharedValues};
use crate::session_results;
use crate::values::{PyHost, owned};

/// Something that a session does.
///
/// The host's own values that it is about are in a list, which the machine knows the places of.
#[pyclass(frozen, module = "hookweave._native")]
pub(crate) struct Flow {
    state: Mutex<FlowState>,
    values: Py<PyList>,
    shared: Gil<Rc<SharedValues>>,
    /// The text that this flow's events carried last: the id of its tool call.
    text: Gil<RefCell<Option<CachedText>>>,
}

/// A text, and the string that it was made into.
type CachedText = (Arc<str>, Object);

struct FlowState {
    machine: Machine,
    raised: Raised,
}

/// What has to be known of the event that was raised last when its outcome comes.
#[derive(Default)]
struct Raised {
    /// The fields that hold values of the list.
    own: Vec<(&'static str, ValueId)>,
    wants: &'static [&'static str],
}

impl Flow {
    pub(crate) fn new(py: Python<'_>, machine: Machine, shared: &Rc<SharedValues>) -> Self {
        let state = FlowState { machine, raised: Raised::default() };
        let values = PyList::empty(py).unbind();
        let shared = Gil::new(Rc::clone(shared));
        Self { state: Mutex::new(state), values, shared, text: Gil::new(RefCell::new(None)) }
    }

    /// A text as a string: the same object as long as it is the same text.
    fn string<'py>(&self, py: Python<'py>, text: &Arc<str>) -> Bound<'py, PyAny> {
        let known = self.text.get(py);
        if let Some((_, known)) = known.borrow().as_ref().filter(|(known, _)| Arc::ptr_eq(known, text)) {
            return known.bind(py);
        }
        let made = PyString::new(py, text).into_any();
        known.replace(Some((Arc::clone(text), Object::of(&made))));
        made
    }

    /// Takes a value in and gives its place.
    pub(crate) fn keep(&self, value: &Bound<'_, PyAny>) -> PyResult<ValueId> {
        let values = self.values.bind(value.py());
        values.append(value)?;
        ValueId::try_from(values.len() - 1).map_err(|_| errors::internal("a flow has too many values"))
    }

    fn value<'py>(&self, py: Python<'py>, place: ValueId) -> PyResult<Bound<'py, PyAny>> {
        self.values.bind(py).get_item(place as usize)
    }

    fn with<R>(&self, work: impl FnOnce(&mut FlowState) -> R) -> PyResult<R> {
        match self.state.try_lock() {
            Ok(mut state) => Ok(work(&mut state)),
            Err(_) => Err(errors::internal("a flow was driven twice")),
        }
    }

    fn step<'py>(&self, py: Python<'py>, reply: Reply) -> PyResult<Bound<'py, PyAny>> {
        // The machine runs no Python code; making objects may, and is done when nothing is locked.
        match self.next(py, reply)? {
            Effect::Dispatch { event, fields, values, wants } => self.dispatch(py, event, &fields, values, wants),
            Effect::RunTool { tool, tool_use_id, args, env } => {
                let effect = named(py, intern!(py, "run_tool"))?;
                effect.set_item(intern!(py, "tool"), self.shared.get(py).name(py, &tool))?;
                effect.set_item(intern!(py, "tool_use_id"), self.string(py, &tool_use_id))?;
                // A tool that changes its arguments must not change those of the next attempt.
                effect.set_item(intern!(py, "args"), owned(&self.value(py, args)?)?)?;
                effect.set_item(intern!(py, "env"), serial::dict(py, &env)?)?;
                Ok(effect.into_any())
            }
            Effect::Finish { result } => {
                let effect = named(py, intern!(py, "finish"))?;
                effect.set_item(intern!(py, "result"), self.finished(py, result)?)?;
                Ok(effect.into_any())
            }
            other => serial::to_python(py, &other),
        }
    }

    /// A step of the machine; where it may wait for the disk, other threads run meanwhile.
    fn next(&self, py: Python<'_>, reply: Reply) -> PyResult<Effect> {
        if self.with(|state| state.machine.session().waits_for_records())? {
            return py.detach(|| self.with(|state| state.machine.step(reply)));
        }
        self.with(|state| state.machine.step(reply))
    }

    fn dispatch<'py>(
        &self,
        py: Python<'py>,
        event: &'static str,
        fields: &Fields,
        own: Vec<(&'static str, ValueId)>,
        wants: &'static [&'static str],
    ) -> PyResult<Bound<'py, PyAny>> {
        let payload = self.shared.get(py).payload(py, fields, |text| self.string(py, text))?;
        for (field, place) in &own {
            session_payload::set(&payload, field, &self.value(py, *place)?)?;
        }
        self.with(|state| state.raised = Raised { own, wants })?;
        let effect = named(py, intern!(py, "dispatch"))?;
        effect.set_item(intern!(py, "event"), event_name(py, event))?;
        effect.set_item(intern!(py, "payload"), payload)?;
        Ok(effect.into_any())
    }

    /// What the flow came to.
    fn finished<'py>(&self, py: Python<'py>, result: Finished) -> PyResult<Bound<'py, PyAny>> {
        match result {
            Finished::Tool(run) => self.tool_run(py, &run).map(Bound::into_any),
            Finished::Generation(answer) => self.generation(py, &answer).map(Bound::into_any),
            Finished::Model(run) => self.model_run(py, &run).map(Bound::into_any),
            Finished::PutOff => Ok(py.None().into_bound(py)),
            Finished::Json(value) => serial::convert(py, &value),
        }
    }

    fn tool_run<'py>(&self, py: Python<'py>, run: &ToolRun) -> PyResult<Bound<'py, PyDict>> {
        let own = session_results::Own {
            tool: self.shared.get(py).name(py, &run.tool),
            tool_use_id: self.string(py, &run.tool_use_id),
            args: self.value(py, run.args)?,
            result: run.result.map(|result| self.value(py, result)).transpose()?,
        };
        session_results::fields(py, run, own)
    }

    fn generation<'py>(&self, py: Python<'py>, answer: &Generation) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("status", answer.status)?;
        dict.set_item("text", &answer.text)?;
        dict.set_item("reason", answer.reason.as_deref())?;
        dict.set_item("model_calls", answer.model_calls)?;
        let tools = answer.tools.iter().map(|run| self.tool_run(py, run)).collect::<PyResult<Vec<_>>>()?;
        dict.set_item("tools", tools)?;
        dict.set_item("response", answer.response.map(|response| self.value(py, response)).transpose()?)?;
        Ok(dict)
    }

    fn model_run<'py>(&self, py: Python<'py>, run: &ModelRun) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("status", run.status)?;
        dict.set_item("reason", run.reason.as_deref())?;
        dict.set_item("text", &run.text)?;
        dict.set_item("response", run.response.map(|response| self.value(py, response)).transpose()?)?;
        dict.set_item("attempts", run.attempts)?;
        Ok(dict)
    }

    /// The final values that are wanted of those that hooks changed: the place of the host's own, and the others.
    fn changed(&self, outcome: &Bound<'_, Outcome>) -> PyResult<(Option<ValueId>, Map<String, Value>)> {
        let py = outcome.py();
        let Raised { own, wants } = self.with(|state| std::mem::take(&mut state.raised))?;
        let (mut value, mut fields) = (None, Map::new());
        for field in outcome.get().modified(py).into_iter().filter(|field| wants.contains(field)) {
            let event = outcome.get().event(py)?;
            let last = event.bind(py).enter_method(intern!(py, "get"), (field,))?;
            if own.iter().any(|(name, _)| *name == field) {
                value = Some(self.keep(&owned(&last)?)?);
            } else {
                fields.insert(field.to_owned(), to_json_value(&last)?);
            }
        }
        Ok((value, fields))
    }
}

/// An event's name; those of every tool call are kept.
fn event_name<'py>(py: Python<'py>, event: &str) -> Bound<'py, PyString> {
    match event {
        "PreToolUse" => intern!(py, "PreToolUse").clone(),
        "PostToolUse" => intern!(py, "PostToolUse").clone(),
        _ => PyString::intern(py, event),
    }
}

/// An effect, but for its fields.
fn named<'py>(py: Python<'py>, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyDict>> {
    let effect = PyDict::new(py);
    effect.set_item(intern!(py, "do"), name)?;
    Ok(effect)
}

#[pymethods]
impl Flow {
    /// The host's values that it is about, by their numbers.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> &Bound<'py, PyList> {
        self.values.bind(py)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.values)
    }

    fn begin<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.step(py, Reply::Begin)
    }

    fn done<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.step(py, Reply::Done)
    }

    fn failed<'py>(&self, py: Python<'py>, why: String) -> PyResult<Bound<'py, PyAny>> {
        self.step(py, Reply::Failed { why })
    }

    /// The outcome of the event that the flow has raised.
    fn dispatched<'py>(&self, outcome: &Bound<'py, Outcome>) -> PyResult<Bound<'py, PyAny>> {
        let py = outcome.py();
        if outcome.get().is_no_op(py, self.with(|state| state.machine.session().wants_no_op_outcomes())?) {
            return self.step(py, Reply::Dispatched { verdict: None, value: None, json: Map::new() });
        }
        let (value, json) = self.changed(outcome)?;
        let session = self.with(|state| Arc::clone(state.machine.session()))?;
        let verdict = outcome.get().verdict(py, &session).map(Box::new);
        self.step(py, Reply::Dispatched { verdict, value, json })
    }

    /// A copy of a value, its text if it has one, and what a person is shown of it.
    fn frozen<'py>(
        &self,
        py: Python<'py>,
        value: ValueId,
        text: Option<String>,
        shown: String,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.step(py, Reply::Frozen { value, text, shown: Some(shown) })
    }

    /// What the approver has answered: an option, or a mapping of `option`, `reason` and `args`.
    fn chosen<'py>(&self, answer: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = answer.py();
        let reply = match read_answer(&PyHost::new(py), answer) {
            Ok(read) => Reply::Chosen(read.with_args(|args| self.keep(&args))?),
            Err(error) => Reply::Failed { why: error.message().to_owned() },
        };
        self.step(py, reply)
    }

    fn no_approver<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.step(py, Reply::NoApprover)
    }

    fn not_asked<'py>(&self, py: Python<'py>, allows: bool) -> PyResult<Bound<'py, PyAny>> {
        self.step(py, Reply::NotAsked { allows })
    }

    fn timed_out<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.step(py, Reply::TimedOut)
    }

    /// The question is answered later.
    fn suspended<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.step(py, Reply::Suspended)
    }

    /// The host's control flow has left the tool: the call counts as not begun.
    fn dropped<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.step(py, Reply::Dropped)
    }

    /// Ends it where it is.
    fn release(&self, py: Python<'_>) -> PyResult<()> {
        if self.with(|state| state.machine.session().waits_for_records())? {
            return py.detach(|| self.with(|state| state.machine.release()));
        }
        self.with(|state| state.machine.release())
    }

    /// How a tool's run ended; the duration in milliseconds.
    fn ran<'py>(
        &self,
        result: &Bound<'py, PyDict>,
        error: Option<String>,
        duration: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let called = Called { result: self.keep(result.as_any())?, error, duration };
        self.step(result.py(), Reply::Ran(called))
    }

    /// The model has responded; `tools` are the client's tools, by name. Raises `PayloadError` for a response that cannot be
    /// read.
    fn responded<'py>(&self, response: ValueId, tools: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
        let py = tools.py();
        let (host, value) = (PyHost::new(py), self.value(py, response)?);
        let reading = read_response(&host, &value).map_err(|error| errors::of(py, &error))?;
        let requested = |ParsedCall { tool, id, args }| {
            let args = match args {
                Arguments::Given(args) => owned(&args)?,
                Arguments::Parsed(args) => serial::dict(py, &args)?.into_any(),
            };
            let known = tools.contains(&tool)?;
            Ok(Requested { tool, id, args: self.keep(&args)?, known })
        };
        let calls = reading.calls.into_iter().map(requested).collect::<PyResult<Vec<_>>>()?;
        self.step(py, Reply::Responded { response, text: reading.text, calls, usage: reading.usage })
    }

    /// The conversation as it is: what hooks see of it, and `(role, pinned)` of each message.
    fn context<'py>(
        &self,
        messages: &Bound<'py, PyList>,
        speakers: Vec<(String, bool)>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let speakers = speakers.into_iter().map(|(role, pinned)| Speaker { role, pinned }).collect();
        let py = messages.py();
        let messages = self.keep(messages.as_any())?;
        self.step(py, Reply::Context { messages, speakers })
    }

    fn text<'py>(&self, py: Python<'py>, text: String) -> PyResult<Bound<'py, PyAny>> {
        self.step(py, Reply::Text { text })
    }
}
