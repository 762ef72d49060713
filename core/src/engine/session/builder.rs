//! Opens sessions.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::Session;
use super::parts::{Approver, Context, Display, Parts};
use crate::engine::{Engine, Outcome};
use hookweave_host::error::Error;
use hookweave_host::json::Json;
use hookweave_host::session::{Permission, Session as Machine};

/// A session in the making.
#[derive(Debug)]
pub struct SessionBuilder {
    engine: Engine,
    settings: Map<String, Value>,
    parts: Parts,
}

impl SessionBuilder {
    pub(crate) fn new(engine: Engine) -> Self {
        Self { engine, settings: Map::new(), parts: Parts::default() }
    }

    /// Sets an option by its name: `session_id`, `cwd`, `permissions`, `max_retries`, `injection_limit`,
    /// `injection_budget`, `max_model_calls`, `context_limit`, `context_threshold`, `model`, `system_prompt`.
    #[must_use]
    pub fn set(mut self, option: &str, value: impl Into<Value>) -> Self {
        self.settings.insert(option.to_owned(), value.into());
        self
    }

    /// What the host lets tools do, by names and globs split on `|`; `*` is every tool that no other rule names.
    #[must_use]
    pub fn permission(mut self, tools: &str, permission: Permission) -> Self {
        let rules = self.settings.entry("permissions").or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(rules) = rules {
            rules.insert(tools.to_owned(), permission.as_str().into());
        }
        self
    }

    /// Who is asked; unless given, nobody is, and everything that has to be asked about is denied.
    #[must_use]
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.parts.approver = Some(Arc::new(approver));
        self
    }

    /// Where the conversation is kept; in memory unless given.
    #[must_use]
    pub fn context(mut self, context: Arc<dyn Context>) -> Self {
        self.parts.context = context;
        self
    }

    /// Where the user reads messages; the log unless given.
    #[must_use]
    pub fn display(mut self, display: Arc<dyn Display>) -> Self {
        self.parts.display = display;
        self
    }

    /// The callback for the outcome of every event that the session raises, in order.
    #[must_use]
    pub fn on_outcome(mut self, observer: impl Fn(&Outcome) + Send + Sync + 'static) -> Self {
        self.parts.observer = Some(Arc::new(observer));
        self
    }

    /// Opens the session; an option that makes no sense is an error.
    pub fn open(self) -> Result<Session, Error> {
        self.engine.check_open("open sessions")?;
        let machine = Machine::read(&Json, &&Value::Object(self.settings), self.engine.for_session(), &[])?;
        self.engine.files_runtime().open(&machine)?;
        Ok(Session::new(self.engine, machine, Arc::new(self.parts)))
    }
}
