//! An event as Rust hooks and agents see it.

use std::sync::Arc;

use serde_json::{Value, json};

use super::not_an_object;
use super::shared::Shared;
use hookweave_host::call;
use hookweave_host::clock::now_ms;
use hookweave_host::dialects::{WireEvent, event_from_wire};
use hookweave_host::envelope::{Envelope, check_payload, is_missing};
use hookweave_host::error::Error;
use hookweave_host::event::{BUILT_IN, EventSpec};
use hookweave_host::json::Json;
use hookweave_host::options::Directory;
use hookweave_host::tool::KnownTools;

/// Something that happens in an agent. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Event {
    inner: Arc<Inner>,
}

/// Behind one reference count, because every hook that is a future gets an event of its own.
#[derive(Debug, Clone)]
struct Inner {
    name: Arc<str>,
    payload: Arc<Value>,
    envelope: Arc<Envelope>,
    /// The tools of the client that dispatches it; `None` outside of a dispatch.
    tools: Option<Arc<KnownTools>>,
}

static NULL: Value = Value::Null;

impl Event {
    /// An event by its name or an alias; the name is checked when it is dispatched.
    pub fn new(name: impl Into<Arc<str>>, payload: Value) -> Self {
        let envelope = Arc::new(Envelope::new(now_ms()));
        Self { inner: Arc::new(Inner { name: name.into(), payload: Arc::new(payload), envelope, tools: None }) }
    }

    /// An event as an agent sends it to its hooks, as JSON text: `dialect` names the agent's format, such as
    /// `claude-code`. The agent gets its answer from [`Outcome::to_wire`](super::Outcome::to_wire).
    ///
    /// ```
    /// use hookweave::{Engine, Event, HookResponse};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
    /// let engine = Engine::new();
    /// engine.on("PreToolUse").tool("Bash").run(|_: &Event| HookResponse::block("not on this machine"))?;
    /// let sent = r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "sudo id"}}"#;
    /// let outcome = engine.dispatch(Event::from_wire("claude-code", sent)?).await?;
    /// let answer = outcome.to_wire("claude-code")?;
    /// assert!(answer.exit_code == 0 && answer.stdout.contains(r#""permissionDecision":"deny""#));
    /// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`UnknownDialect`](crate::Code::UnknownDialect), and [`InvalidWireEvent`](crate::Code::InvalidWireEvent) for text
    /// that is no event of the dialect.
    pub fn from_wire(dialect: &str, text: &str) -> Result<Self, Error> {
        let WireEvent { event, payload } = event_from_wire(dialect, text)?;
        Ok(Self::new(event, Value::Object(payload)))
    }

    /// A tool is about to run.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "callers pass a json!({…}) that they have just made")]
    pub fn pre_tool_use(tool: &str, args: Value) -> Self {
        Self::new("PreToolUse", json!({"tool": tool, "args": args}))
    }

    /// A tool has run.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "callers pass a json!({…}) that they have just made")]
    pub fn post_tool_use(tool: &str, args: Value, result: Value) -> Self {
        Self::new("PostToolUse", json!({"tool": tool, "args": args, "result": result}))
    }

    /// A tool has failed.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "callers pass a json!({…}) that they have just made")]
    pub fn post_tool_use_failure(tool: &str, args: Value, error: &str) -> Self {
        Self::new("PostToolUseFailure", json!({"tool": tool, "args": args, "error": error}))
    }

    /// A prompt came in.
    #[must_use]
    pub fn user_prompt_submit(prompt: &str) -> Self {
        Self::new("UserPromptSubmit", json!({"prompt": prompt}))
    }

    /// Sets a payload field.
    #[must_use]
    pub fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        if let Value::Object(fields) = Arc::make_mut(&mut Arc::make_mut(&mut self.inner).payload) {
            fields.insert(field.to_owned(), value.into());
        }
        self
    }

    /// The same event under its canonical name, in the directory and with the tools of the client that dispatches it.
    pub(crate) fn resolved(
        mut self,
        spec: &EventSpec,
        directory: &Directory,
        tools: &Arc<KnownTools>,
    ) -> Result<Self, Error> {
        if !self.inner.payload.is_object() {
            return Err(not_an_object(spec.name()));
        }
        check_payload(&Json, &self.payload())?;
        self.inner.envelope.place(directory);
        let inner = Arc::make_mut(&mut self.inner);
        inner.tools = Some(Arc::clone(tools));
        if *inner.name != *spec.name() {
            inner.name = spec.name().into();
        }
        Ok(self)
    }

    /// The same event with another payload.
    pub(crate) fn with_payload(&self, payload: Arc<Value>) -> Self {
        if Arc::ptr_eq(&payload, &self.inner.payload) {
            return self.clone();
        }
        Self { inner: Arc::new(Inner { payload, ..(*self.inner).clone() }) }
    }

    pub(crate) fn shared_payload(&self) -> &Arc<Value> {
        &self.inner.payload
    }

    /// The event's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The payload as the host gave it or hooks left it; see [`Self::to_json`] for what the engine adds.
    #[must_use]
    pub fn payload(&self) -> &Value {
        &self.inner.payload
    }

    /// A field as every hook sees it, with what the engine fills in; null when it is not there.
    #[must_use]
    pub fn field(&self, name: &str) -> &Value {
        let given = self.inner.payload.get(name);
        if !is_missing(given) {
            return given.unwrap_or(&NULL);
        }
        self.inner.envelope.value(name, self.has_tool_use_id()).unwrap_or(&NULL)
    }

    /// The tool's name; empty when the event has none.
    #[must_use]
    pub fn tool(&self) -> &str {
        self.field("tool").as_str().unwrap_or_default()
    }

    /// The tool's arguments; null when the event has none.
    #[must_use]
    pub fn args(&self) -> &Value {
        self.field("args")
    }

    /// The command line of a tool call that runs one, by any name of tool and argument that the engine knows; of several
    /// each begins a line. It is what `command_pattern` looks at; empty for other calls and events.
    ///
    /// ```
    /// use hookweave::Event;
    ///
    /// let event = Event::pre_tool_use("run_shell_command", serde_json::json!({"cmd": "sudo id"}));
    /// assert!(event.command()?.contains("sudo"));
    /// # Ok::<(), hookweave::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidPayload`](crate::Code::InvalidPayload) where something is there that is no command line.
    pub fn command(&self) -> Result<String, Error> {
        self.with_tools(|tools| call::command(&Shared, self.name(), &self.inner.payload, tools))
    }

    /// The paths that a tool call names in its arguments, as they are written: what `path_pattern` looks at. What a command line
    /// reads or writes is not among them.
    ///
    /// # Errors
    /// [`InvalidPayload`](crate::Code::InvalidPayload) where something is there that is no path.
    pub fn paths(&self) -> Result<Vec<String>, Error> {
        self.with_tools(|tools| call::paths(&Shared, self.name(), &self.inner.payload, tools))
    }

    fn with_tools<T>(&self, read: impl FnOnce(&KnownTools) -> T) -> T {
        match &self.inner.tools {
            Some(tools) => read(tools),
            None => read(&KnownTools::default()),
        }
    }

    /// The session's id, generated once per dispatch if the host gave none; empty if the host gave a value other than text.
    #[must_use]
    pub fn session_id(&self) -> &str {
        self.field("session_id").as_str().unwrap_or_default()
    }

    /// The tool call's id, generated once per dispatch if the host gave none; empty if the host gave a value other than text,
    /// and for events that are not about a tool.
    #[must_use]
    pub fn tool_use_id(&self) -> &str {
        self.field("tool_use_id").as_str().unwrap_or_default()
    }

    /// Milliseconds since the epoch; 0 if the host gave a value other than a number.
    #[must_use]
    pub fn timestamp(&self) -> u64 {
        let given = self.field("timestamp");
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a value out of range becomes the bound"
        )]
        let whole = |number: f64| number as u64;
        given.as_u64().or_else(|| given.as_f64().map(whole)).unwrap_or_default()
    }

    /// The working directory: what the host gave, else the client's project, else the process's own; empty where that was deleted.
    #[must_use]
    pub fn cwd(&self) -> &str {
        self.field("cwd").as_str().unwrap_or_default()
    }

    /// Only events of the catalogue about tools have one.
    fn has_tool_use_id(&self) -> bool {
        let known = BUILT_IN.iter().find(|event| event.name == self.name());
        known.is_some_and(|event| event.fields.iter().any(|field| field.name == "tool_use_id"))
    }

    /// The whole payload with everything that the engine fills in.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match &*self.inner.payload {
            Value::Object(given) => {
                Value::Object(self.inner.envelope.fill_as(self.name(), self.has_tool_use_id(), given))
            }
            other => other.clone(),
        }
    }
}
