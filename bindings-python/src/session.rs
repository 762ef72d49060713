//! Sessions as Python sees them: their state, and the start of each of their flows.
//!
//! The effects of a flow are carried out in `hookweave/_session_driver.py`; no rule stands there.

use std::rc::Rc;
use std::sync::Arc;

use hookweave_host::session::{
    Answers, Flow as Flowing, ModelPrompt, Permission, Session as Conversation, ToolRequest, ValueId, read_answer,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::{Map, Value};

use crate::client::Client;
use crate::errors;
use crate::object::Gil;
use crate::outcome::Outcome;
use crate::serial::{self, to_json_value};
use crate::session_flow::Flow;
use crate::session_payload::SharedValues;
use crate::values::{PyHost, owned};

/// One conversation of an agent, or of a subagent within it.
#[pyclass(frozen, module = "hookweave._native")]
pub(crate) struct Session {
    machine: Arc<Conversation>,
    shared: Gil<Rc<SharedValues>>,
}

impl Session {
    fn of(py: Python<'_>, machine: Arc<Conversation>) -> PyResult<Self> {
        let shared = Gil::new(Rc::new(SharedValues::new(py, machine.common())?));
        Ok(Self { machine, shared })
    }

    fn flow(&self, py: Python<'_>, machine: Flowing) -> Flow {
        Flow::new(py, machine, self.shared.get(py))
    }
}

fn object(value: &Bound<'_, PyDict>) -> PyResult<Map<String, Value>> {
    match to_json_value(value.as_any())? {
        Value::Object(fields) => Ok(fields),
        _ => Err(errors::internal("a dict is an object")),
    }
}

fn items(value: &Bound<'_, PyList>) -> PyResult<Vec<Value>> {
    match to_json_value(value.as_any())? {
        Value::Array(items) => Ok(items),
        _ => Err(errors::internal("a list is an array")),
    }
}

/// The answers to questions of a call, and the arguments in them, which are its values from the second on.
fn given_answers<'py>(
    py: Python<'py>,
    answers: Vec<(String, Bound<'py, PyAny>)>,
) -> PyResult<(Answers, Vec<Bound<'py, PyAny>>)> {
    let (host, mut edited) = (PyHost::new(py), Vec::new());
    let read = |(id, answer): (String, Bound<'py, PyAny>)| {
        let read = read_answer(&host, &answer).map_err(|error| errors::of(py, &error))?;
        let answer = read.with_args(|args| {
            edited.push(args);
            ValueId::try_from(edited.len()).map_err(|_| errors::internal("a call has too many answers"))
        })?;
        Ok((id, answer))
    };
    let answers = answers.into_iter().map(read).collect::<PyResult<Answers>>()?;
    Ok((answers, edited))
}

#[pymethods]
impl Session {
    #[new]
    fn new(client: &Bound<'_, Client>, options: &Bound<'_, PyDict>) -> PyResult<Self> {
        let py = client.py();
        client.get().check_open(py, "open sessions")?;
        let own = hookweave_host::session::Client::of(client.get().registry(py));
        let conversation = Conversation::read(&PyHost::new(py), options.as_any(), own, &[]);
        let conversation = conversation.map_err(|error| errors::of(py, &error))?;
        client.get().runtime().open(&conversation).map_err(|error| errors::of(py, &error))?;
        Self::of(py, conversation)
    }

    /// Takes in what hooks left in the environment, for an event that the host has raised in the session by itself.
    fn observe(&self, outcome: &Bound<'_, Outcome>) {
        outcome.get().report_to(outcome.py(), &self.machine);
    }

    /// The conversation's id.
    #[getter]
    fn id(&self) -> &str {
        self.machine.id()
    }

    /// The subagent's id; None for the conversation itself.
    #[getter]
    fn agent_id(&self) -> Option<&str> {
        self.machine.agent_id()
    }

    /// The subagent's kind; None for the conversation itself.
    #[getter]
    fn agent_type(&self) -> Option<&str> {
        self.machine.agent_type()
    }

    /// The environment variables that hooks set.
    fn env<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        serial::to_python(py, &self.machine.env())
    }

    /// What every event of the session carries.
    fn common<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.shared.get(py).common(py)
    }

    /// Adds a rule for tools: `allow`, `ask` or `deny`.
    fn permit(&self, py: Python<'_>, tools: &str, permission: &str) -> PyResult<()> {
        let permitted = Permission::named(permission).and_then(|permission| self.machine.permit(tools, permission));
        permitted.map_err(|error| errors::of(py, &error))
    }

    /// A subagent of this conversation.
    #[pyo3(signature = (kind, id = None))]
    fn subagent(&self, py: Python<'_>, kind: String, id: Option<String>) -> PyResult<Self> {
        Self::of(py, self.machine.subagent(kind, id))
    }

    fn start(&self, py: Python<'_>, source: String) -> Flow {
        self.flow(py, self.machine.start(source))
    }

    fn end(&self, py: Python<'_>, reason: String) -> Flow {
        self.flow(py, self.machine.end(reason))
    }

    fn submit_prompt(&self, py: Python<'_>, prompt: String) -> Flow {
        self.flow(py, self.machine.submit_prompt(prompt))
    }

    #[pyo3(signature = (tool, args, tool_use_id = None, answers = None))]
    fn run_tool(
        &self,
        tool: String,
        args: &Bound<'_, PyAny>,
        tool_use_id: Option<String>,
        answers: Option<Vec<(String, Bound<'_, PyAny>)>>,
    ) -> PyResult<Flow> {
        let (answers, edited) = given_answers(args.py(), answers.unwrap_or_default())?;
        // Its arguments are the first of the flow's values.
        let call = ToolRequest { tool, args: 0, tool_use_id, answers: Some(answers) };
        let flow = self.flow(args.py(), self.machine.run_tool(call));
        flow.keep(&owned(args)?)?;
        for args in edited {
            flow.keep(&args)?;
        }
        Ok(flow)
    }

    #[pyo3(signature = (prompt, system_prompt, tools))]
    fn call_model(
        &self,
        py: Python<'_>,
        prompt: String,
        system_prompt: Option<String>,
        tools: &Bound<'_, PyList>,
    ) -> PyResult<Flow> {
        let prompt = ModelPrompt { prompt, system_prompt, tools: items(tools)? };
        Ok(self.flow(py, self.machine.call_model(prompt)))
    }

    fn generate(&self, py: Python<'_>, prompt: String, tools: Vec<String>) -> Flow {
        self.flow(py, self.machine.generate(prompt, tools.into_iter().map(Value::from).collect()))
    }

    #[pyo3(signature = (trigger, custom_instructions = None))]
    fn compact(&self, py: Python<'_>, trigger: String, custom_instructions: Option<String>) -> Flow {
        self.flow(py, self.machine.compact(trigger, custom_instructions))
    }

    fn note_usage(&self, py: Python<'_>, tokens: u64) -> Flow {
        self.flow(py, self.machine.note_usage(tokens))
    }

    #[pyo3(signature = (message, title = None, kind = None))]
    fn notify(&self, py: Python<'_>, message: &str, title: Option<&str>, kind: Option<&str>) -> Flow {
        self.flow(py, self.machine.notify(message, title, kind))
    }

    fn status_line(&self, py: Python<'_>, fields: &Bound<'_, PyDict>) -> PyResult<Flow> {
        Ok(self.flow(py, self.machine.status_line(object(fields)?)))
    }

    fn suggest_files(&self, py: Python<'_>, query: &str, suggestions: &Bound<'_, PyList>) -> PyResult<Flow> {
        Ok(self.flow(py, self.machine.file_suggestions(query, &items(suggestions)?)))
    }

    fn stop(&self, py: Python<'_>, details: &Bound<'_, PyDict>) -> PyResult<Flow> {
        Ok(self.flow(py, self.machine.stop(Value::Object(object(details)?))))
    }

    fn stop_failure(&self, py: Python<'_>, error: String) -> Flow {
        self.flow(py, self.machine.stop_failure(error))
    }

    fn start_subagent(&self, py: Python<'_>) -> Flow {
        self.flow(py, self.machine.start_subagent())
    }

    fn stop_subagent(&self, py: Python<'_>) -> Flow {
        self.flow(py, self.machine.stop_subagent())
    }
}
